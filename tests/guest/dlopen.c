/*
 * A shared object in a mounted directory is loaded, its symbols found, its constructors run.
 *
 * link: dynamic
 * data: dlopen_plugin.so
 */
#include "check.h"
#include <dlfcn.h>

int main(int argc, char **argv)
{
	int (*twice)(int), (*local)(void);
	char path[512];
	void *plugin;
	double (*root)(double);

	snprintf(path, sizeof(path), "%s/dlopen_plugin.so", argc > 1 ? argv[1] : ".");
	plugin = dlopen(path, RTLD_NOW);
	if (!plugin) {
		puts("the plugin was not loaded");
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	twice = (int (*)(int))dlsym(plugin, "plugin_twice");
	local = (int (*)(void))dlsym(plugin, "plugin_local");
	root = (double (*)(double))dlsym(plugin, "plugin_root");
	SHOW(twice(21));
	SHOW(local());
	SHOW(local());
	printf("%.17g\n", root(2.0));
	TRUTH(dlsym(plugin, "plugin_absent") == NULL);
	TRUTH(dlerror() != NULL);
	SHOW(*(int *)dlsym(plugin, "plugin_ready"));
	SHOW(dlclose(plugin));
	TRUTH(dlopen("/absent.so", RTLD_NOW) == NULL);
	return 0;
}
