/* Pipeline files of the largest size and number of instructions, and of one more: the limits are
 * smaller in this program, so that files that reach them are small. */
#include "../directory.h"

#include "report/file/kanata.h"

#undef KANATA_BYTES_MAX
#undef KANATA_INSNS_MAX
#define KANATA_BYTES_MAX (UINT64_C(1) << 20)
#define KANATA_INSNS_MAX 100
#include "report/file/kanata_read.c" /* NOLINT: the limits are others in it */

static void files_have_a_largest_size(void **state)
{
	static const char head[] = "Kanata\t0004\nC=\t1\n";
	const size_t most = 1048576;
	struct kanata kanata;
	struct err err;

	(void)state;
	for (size_t size = most - 1; size <= most + 1; size++) {
		FILE *out = fopen("file", "w");

		/* A number with zeros before it fills the file. */
		fputs(head, out);
		fprintf(out, "C\t%0*d\n", (int)(size - strlen(head) - 3), 7);
		fclose(out);
		assert_int_equal(kanata_read_file(&kanata, "file", &err), size <= most);
		if (size <= most)
			assert_int_equal(kanata.last_cycle, 8);
		else
			assert_string_equal(err.text, "file: larger than 1 MB");
		kanata_release(&kanata);
	}
}

static void instructions_have_a_largest_number(void **state)
{
	struct kanata kanata;
	struct err err;
	char text[4096];

	(void)state;
	for (int count = 99; count <= 101; count++) {
		int used = snprintf(text, sizeof(text), "Kanata\t0004\nC=\t1\n");

		for (int i = 0; i < count; i++)
			used += snprintf(text + used, sizeof(text) - (size_t)used,
					 "I\t%d\t0\t0\nR\t%d\t0\t0\n", i, i);
		assert_true(used < (int)sizeof(text));
		assert_int_equal(kanata_read(&kanata, text, (size_t)used, "file", &err),
				 count <= 100);
		if (count <= 100)
			assert_int_equal(kanata.count, count);
		else
			assert_string_equal(err.text, "file: line 203: more than 100 instructions");
		kanata_release(&kanata);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIRECTORY(files_have_a_largest_size),
		cmocka_unit_test(instructions_have_a_largest_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
