/*
 * screen.h - standard error as a text in memory, for tests of what is said there. A test between
 * screen_open and screen_close compares by printed() what was said since it last asked.
 */
#ifndef TESTS_CMD_SCREEN_H
#define TESTS_CMD_SCREEN_H

#include "../test.h"

static struct {
	FILE *kept;
	char *text;
	size_t bytes;
} screen;

static int screen_open(void **state)
{
	(void)state;
	screen.kept = stderr;
	stderr = open_memstream(&screen.text, &screen.bytes);
	return stderr ? 0 : -1;
}

static int screen_close(void **state)
{
	(void)state;
	fclose(stderr);
	free(screen.text);
	stderr = screen.kept;
	return 0;
}

static void printed(const char *wanted)
{
	fflush(stderr);
	assert_string_equal(screen.bytes ? screen.text : "", wanted);
	fclose(stderr);
	free(screen.text);
	stderr = open_memstream(&screen.text, &screen.bytes);
}

#define ON_SCREEN(test) TEST_WITH(test, screen_open, screen_close)

#endif
