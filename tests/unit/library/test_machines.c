/* What tests/library/machines.c promises of the library, on programs with signals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "promised.h"

static int machines_main(int argc, char **argv);
#define main machines_main
#include "../../library/machines.c"
#undef main

static void machines_keep_their_promises(void **state)
{
	static const char *const names[] = {"sig_segv", "sig_restart"};

	for (size_t i = 0; *state && i < ARRAY_COUNT(names); i++) {
		char name[] = "machines", path[512];
		char *words[] = {name, path, NULL};

		promised_program(*state, names[i], path);
		promised(*state, machines_main, words, 40);
	}
	if (!*state)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(machines_keep_their_promises, toolchain_setup,
						toolchain_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
