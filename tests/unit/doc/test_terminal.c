#include "../test.h"
#include "../report/sample.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../report/columns.h"

static char *put(const struct terminal *terminal, const char *text, unsigned columns, bool start)
{
	char *got = NULL;
	size_t bytes;
	FILE *out = open_memstream(&got, &bytes);

	if (start)
		terminal_put_start(out, terminal, text, columns, columns);
	else
		terminal_put(out, terminal, text, columns);
	fclose(out);
	return got;
}

static void is_put(const struct terminal *terminal, const char *text, unsigned columns,
		   const char *wanted)
{
	char *got = put(terminal, text, columns, false);

	assert_string_equal(got, wanted);
	free(got);
}

static const struct terminal ascii = {.width = 80, .height = 24};
static const struct terminal utf8 = {.width = 80, .height = 24, .utf8 = true};

TEST(text_is_padded_or_cut_in_the_middle)
{
	is_put(&ascii, "main", 8, "main    ");
	is_put(&ascii, "main", 4, "main");
	is_put(&ascii, "abcdefghij", 10, "abcdefghij");
	is_put(&ascii, "abcdefghijk", 10, "abcd...ijk");
	is_put(&ascii, "abcdefghijk", 9, "abc...ijk");
	is_put(&ascii, "abcdefghijk", 3, "abc");
	is_put(&ascii, "abc", 0, "");
	is_put(&ascii, NULL, 2, "  ");
}

TEST(text_from_outside_is_made_printable)
{
	is_put(&utf8, "a\033[31mb\nc", 9, "a?[31mb?c");
	is_put(&utf8, "gr\303\266\303\237e", 6, "gr\303\266\303\237e ");
	is_put(&ascii, "gr\303\266\303\237e", 6, "gr??e ");
	is_put(&utf8, "\377\376", 3, "?? ");
	/* Wide characters are not cut at the edge. */
	is_put(&utf8, "\346\227\245\346\234\254", 3, "\346\227\245 ");
}

TEST(text_takes_exactly_its_columns)
{
	for (size_t i = 0; i < ARRAY_COUNT(sample_names); i++)
		for (unsigned columns = 1; columns < 60; columns++)
			for (int start = 0; start < 2; start++) {
				char *got = put(&utf8, sample_names[i], columns, start);

				assert_int_equal(columns_of_widest(got), columns);
				free(got);
			}
}

TEST(source_keeps_its_indentation)
{
	char *got;

	got = put(&ascii, "\tif (x)\ty;", 20, true);
	assert_string_equal(got, "    if (x)  y;      ");
	free(got);
	got = put(&ascii, "abcdefgh", 5, true);
	assert_string_equal(got, "abcde");
	free(got);
}

TEST(words_wrap_within_the_width)
{
	struct terminal narrow = {.width = 40};
	char *got = NULL;
	size_t bytes;

	FILE *out = open_memstream(&got, &bytes);
	terminal_put_words(out, &narrow, 2,
			   "some words that take more than one line of forty columns, and "
			   "a_word_that_is_longer_than_the_whole_line_of_forty_columns at the end");
	fclose(out);
	assert_int_equal(columns_of_widest(got), 40);
	assert_non_null(strstr(got, "\n  "));
	assert_non_null(strstr(got, "at the end\n"));
	free(got);
}

TEST(numbers_fit_into_their_columns)
{
	static const double values[] = {
		0,     0.4,   1,     999.4,  9999.4, 9999.5,  10000,
		12345, 99949, 99950, 999499, 999500, 1234567, 9007199254740992.0};
	char text[TERMINAL_NUMBER_BYTES];

	assert_string_equal(terminal_short(text, 1234), "1234");
	assert_string_equal(terminal_short(text, 12345), "12.3k");
	assert_string_equal(terminal_short(text, -4560000), "-4.56M");
	assert_string_equal(terminal_short(text, -0.2), "0");
	for (size_t i = 0; i < ARRAY_COUNT(values); i++)
		for (int sign = -1; sign <= 1; sign += 2) {
			double value = sign * values[i];

			assert_true(strlen(terminal_short(text, value)) <= 6);
		}
}

/* A file is not a terminal, whatever the environment contains. */
TEST(what_is_not_a_terminal_has_no_colour)
{
	static const struct {
		const char *columns;
		unsigned width;
	} cases[] = {{NULL, 100}, {"", 100}, {"x", 100},   {"-5", 100},	 {"0", 100},
		     {"72", 72},  {"7", 40}, {"200", 200}, {"5000", 200}};
	FILE *out = tmpfile();
	struct terminal terminal;

	assert_non_null(out);
	unsetenv("NO_COLOR");
	setenv("TERM", "xterm-256color", 1);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		if (cases[i].columns)
			setenv("COLUMNS", cases[i].columns, 1);
		else
			unsetenv("COLUMNS");
		terminal_init(&terminal, out);
		assert_int_equal(terminal.width, cases[i].width);
		assert_false(terminal.colour);
		assert_true(terminal.height > 0);
	}
	fclose(out);
}

TEST(utf8_is_used_if_the_locale_has_it)
{
	FILE *out = tmpfile();
	struct terminal terminal;

	setenv("LC_ALL", "C.UTF-8", 1);
	terminal_init(&terminal, out);
	assert_true(terminal.utf8);
	setenv("LC_ALL", "C", 1);
	terminal_init(&terminal, out);
	assert_false(terminal.utf8);
	setenv("LC_ALL", "no such locale", 1);
	terminal_init(&terminal, out);
	assert_false(terminal.utf8);
	setenv("LC_ALL", "C", 1);
	fclose(out);
}

/* Uses a pseudo-terminal. */
TEST(colour_is_for_terminals_that_support_it)
{
	FILE *out = NULL;
	struct terminal terminal;
	int controller = posix_openpt(O_RDWR | O_NOCTTY);

	if (controller >= 0 && grantpt(controller) == 0 && unlockpt(controller) == 0)
		out = fdopen(open(ptsname(controller), O_RDWR | O_NOCTTY), "w");
	if (!out)
		skip();
	struct winsize size = {.ws_row = 33, .ws_col = 77};
	assert_int_equal(ioctl(controller, TIOCSWINSZ, &size), 0);
	setenv("COLUMNS", "55", 1);
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	terminal_init(&terminal, out);
	assert_true(terminal.colour);
	assert_int_equal(terminal.width, 77);
	assert_int_equal(terminal.height, 33);
	setenv("NO_COLOR", "1", 1);
	terminal_init(&terminal, out);
	assert_false(terminal.colour);
	setenv("NO_COLOR", "", 1);
	terminal_init(&terminal, out);
	assert_true(terminal.colour);
	setenv("TERM", "dumb", 1);
	terminal_init(&terminal, out);
	assert_false(terminal.colour);
	fclose(out);
	close(controller);
}
