#include "../directory.h"

#include <sys/stat.h>

#include "../columns.h"
#include "report/text/annotate.h"

static char *printed(const json_t *result, const struct terminal *terminal)
{
	FILE *out = tmpfile();

	assert_non_null(out);
	annotate_print(out, result, terminal);
	return sample_read(out);
}

static const struct terminal plain = {.width = 100, .height = 24};

static char *printed_from(const json_t *result, const struct source_roots *roots)
{
	FILE *out = tmpfile();

	assert_non_null(out);
	annotate_print_from(out, result, &plain, roots);
	return sample_read(out);
}

static const char source[] = "int first;\nint second;\n\tthird();\n\tfourth(); /* \033[31m */\n"
			     "five\nsix\nseven\neight\nnine\nten\neleven\n\ttwelve(\"%s\");\r\n";

/* Two lines of sort.c and one of another file, the second the hottest. */
static json_t *small_result(void)
{
	json_t *result = sample_result(1, 100, 2, 5);
	json_t *instructions = json_pack(
		"[{s:s, s:s, s:s, s:i, s:i, s:{s:i}}, {s:s, s:s, s:s, s:i, s:i, s:{s:i, s:i}},"
		" {s:s, s:s, s:s, s:i, s:i, s:{s:i}}, {s:s, s:s, s:s, s:i, s:i, s:{}}]",
		"pc", "0x10004", "text", "ld a5,0(s0)", "file", "src/sort.c", "line", 12,
		"executed", 10, "slots", "base", 4, "pc", "0x10008", "text", "addi a0,a0,1", "file",
		"src/sort.c", "line", 3, "executed", 20, "slots", "base", 20, "l1d", 60, "pc",
		"0x1000c", "text", "ret", "file", "list.h", "line", 7, "executed", 5, "slots",
		"dtlb", 16, "pc", "0x10010", "text", "nop", "file", "src/sort.c", "line", 3,
		"executed", 0, "slots");

	assert_non_null(instructions);
	json_object_set_new(
		result, "annotation",
		json_pack("{s:s, s:o}", "function", "sort", "instructions", instructions));
	return result;
}

static void lines_carry_their_instructions(void **state)
{
	json_t *result = small_result();
	char *text;

	(void)state;
	assert_int_equal(mkdir("src", 0700), 0);
	write_file("src/sort.c", source);
	text = printed(result, &plain);
	const char *third = strstr(text, "   3     third();"), *twelfth;
	assert_non_null(third);
	/* 80 of 100 slots are 20 cycles, and the line is highlighted. */
	assert_non_null(strstr(text, "> 80.0%     20           3     third();"));
	assert_non_null(strstr(text, " l1d 75%, base 25%\n"));
	assert_non_null(strstr(third, "10008 addi a0,a0,1"));
	assert_non_null(strstr(third, "10010 nop"));
	twelfth = strstr(text, "  12     twelve(\"%s\");");
	assert_non_null(twelfth);
	assert_true(twelfth > third);
	assert_non_null(strstr(twelfth, "10004 ld a5,0(s0)"));
	/* Some of the lines without instructions between them are shown. */
	assert_non_null(strstr(text, "   4     fourth(); /* ?[31m */"));
	assert_non_null(strstr(text, "\n   ...\n"));
	assert_null(strstr(text, "eight"));
	assert_non_null(strstr(text, "eleven"));
	assert_non_null(strstr(
		text,
		"list.h\n(not found: to see its lines add --source and the directory it is in)\n"));
	free(text);
	json_decref(result);
}

static void source_is_found_by_its_base_name_here(void **state)
{
	json_t *result = small_result();
	char *text;

	(void)state;
	text = printed(result, &plain);
	assert_null(strstr(text, "third"));
	assert_non_null(strstr(text, "   3 "));
	assert_non_null(strstr(text, "10008 addi a0,a0,1"));
	free(text);
	write_file("sort.c", source);
	text = printed(result, &plain);
	assert_non_null(strstr(text, "third"));
	free(text);
	json_decref(result);
}

static void source_is_looked_for_below_the_directories_given(void **state)
{
	json_t *result = small_result();
	struct source_roots roots = {0};
	struct err err;
	char *text;

	(void)state;
	assert_int_equal(mkdir("src", 0700), 0);
	write_file("src/sort.c", source);
	text = printed_from(result, &roots);
	assert_null(strstr(text, "third"));
	free(text);
	assert_false(source_roots_add(&roots, "absent", &err));
	assert_string_equal(err.text, "--source absent: No such file or directory");
	assert_true(source_roots_add(&roots, "lib=src", &err));
	text = printed_from(result, &roots);
	assert_null(strstr(text, "third"));
	free(text);
	assert_true(source_roots_add(&roots, "src//=src", &err));
	text = printed_from(result, &roots);
	assert_non_null(strstr(text, "third"));
	free(text);
	source_roots_release(&roots);
	json_decref(result);
}

/* A program may name anything as its source. */
static void what_is_not_a_regular_file_is_not_read(void **state)
{
	json_t *result = small_result();
	char *text;

	(void)state;
	assert_int_equal(mkfifo("sort.c", 0600), 0);
	text = printed(result, &plain);
	assert_non_null(strstr(text, "src/sort.c\n(not found: to see its lines add"));
	free(text);
	json_decref(result);
}

static void cycles_of_lines_add_up(void **state)
{
	json_t *result = small_result();
	char *text = printed(result, &plain);
	double lines = 0, instructions = 0, total = 0;

	(void)state;
	assert_int_equal(sscanf(strstr(text, "sort: "), "sort: %lf cycles", &total), 1);
	/* Marker, share, cycles and executions are in columns; a source line has no executions. */
	for (const char *p = text; (p = strchr(p, '\n')); p++) {
		char cycles[7], times[7];

		if (strcspn(p + 1, "\n") < 22 || p[7] != '%')
			continue;
		snprintf(cycles, sizeof(cycles), "%s", p + 9);
		snprintf(times, sizeof(times), "%s", p + 16);
		*(strspn(times, " ") == 6 ? &lines : &instructions) += strtod(cycles, NULL);
	}
	assert_true(total == 25 && lines == 25 && instructions == 25);
	free(text);
	json_decref(result);
}

static void no_line_is_wider_than_the_terminal(void **state)
{
	static const int64_t scales[] = {2, 10000000, 2000000000000};

	(void)state;
	assert_int_equal(mkdir("src", 0700), 0);
	write_file("src/sort.c", source);
	for (size_t i = 0; i < ARRAY_COUNT(scales); i++) {
		json_t *result = sample_result(i + 1, scales[i], 1 + i % 3, 20);

		for (unsigned width = TERMINAL_LEAST_COLUMNS; width <= TERMINAL_MOST_COLUMNS;
		     width++)
			for (unsigned kind = 0; kind < 4; kind++) {
				struct terminal terminal = {.width = width,
							    .height = 24,
							    .colour = kind & 1,
							    .utf8 = kind & 2};
				char *text = printed(result, &terminal);

				assert_true(columns_of_widest(text) <= (int)width);
				if (kind == 0)
					assert_true(is_plain_ascii(text));
				free(text);
			}
		json_decref(result);
	}
}

static void without_annotation_a_sentence_is_printed(void **state)
{
	json_t *result = sample_result(1, 100, 2, 5);
	char *text;

	(void)state;
	json_object_del(result, "annotation");
	text = printed(result, &plain);
	assert_string_equal(text, "this result has no annotation; ask for one with --annotate "
				  "FUNCTION\n");
	free(text);
	json_object_del(result, "schema");
	text = printed(result, &plain);
	assert_string_equal(text, "this result cannot be annotated: \"schema\" is missing\n");
	free(text);
	json_decref(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIRECTORY(lines_carry_their_instructions),
		IN_DIRECTORY(source_is_found_by_its_base_name_here),
		IN_DIRECTORY(source_is_looked_for_below_the_directories_given),
		IN_DIRECTORY(what_is_not_a_regular_file_is_not_read),
		IN_DIRECTORY(cycles_of_lines_add_up),
		IN_DIRECTORY(no_line_is_wider_than_the_terminal),
		IN_DIRECTORY(without_annotation_a_sentence_is_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
