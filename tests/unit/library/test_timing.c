/* What tests/library/timing.c promises of simulations in the library, against results of the tool.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "promised.h"

static int timing_main(int argc, char **argv);
#define main timing_main
#include "../../library/timing.c"
#undef main

static void tool_runs(const char *directory, const char *name, const char *options,
		      const char *path)
{
	const char *build = getenv("BUILD");
	char command[2048];

	snprintf(command, sizeof(command),
		 "%s/cyclestack run --json %s/%s.json %s %s >/dev/null 2>&1",
		 build ? build : "build", directory, name, options, path);
	assert_true(WIFEXITED(system(command)));
}

static void simulations_keep_their_promises(void **state)
{
	struct toolchain *toolchain = *state;

	if (!toolchain)
		skip();
	char *directory = toolchain->directory, path[512];
	promised_program(toolchain, "sig_segv", path);
	tool_runs(directory, "whole", "", path);
	tool_runs(directory, "skip", "--cold --skip 1000", path);
	tool_runs(directory, "limit", "--max-insns 2000", path);
	tool_runs(directory, "other", "--config bigcore --set rob.size=96", path);
	char name[] = "timing", presets[] = "configs", skipped[] = "1000", limit[] = "2000";
	char *words[] = {name, directory, presets, skipped, limit, path, NULL};
	promised(toolchain, timing_main, words, 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(simulations_keep_their_promises, toolchain_setup,
						toolchain_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
