/*
 * The shared object that dlopen.c loads.
 */
#include <math.h>
#include <stdio.h>

extern int plugin_ready;
int plugin_twice(int value);
int plugin_local(void);
double plugin_root(double value);

int plugin_ready;
static __thread int calls = 10;

static void __attribute__((constructor)) begin(void)
{
	plugin_ready = 1;
	puts("plugin begins");
}

static void __attribute__((destructor)) end(void)
{
	puts("plugin ends");
}

int plugin_twice(int value)
{
	return 2 * value;
}

int plugin_local(void)
{
	return ++calls;
}

double plugin_root(double value)
{
	return sqrt(value) + cos(value);
}
