/* Numbers, words, characters and sizes of terminals at the places where they change. */
#include "../test.h"
#include "../report/printed.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const struct terminal ascii = {.width = 80, .height = 24};
static const struct terminal utf8 = {.width = 80, .height = 24, .utf8 = true};

TEST(short_numbers)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {{0, "0"},
		     {0.5, "0"},
		     {0.51, "1"},
		     {-0.4, "0"},
		     {-1, "-1"},
		     {9999.4, "9999"},
		     {-9999.4, "-9999"},
		     {9999.5, "10.0k"},
		     {-9999.5, "-10.0k"},
		     {99949, "99.9k"},
		     {99951, "100k"},
		     {999499, "999k"},
		     {999500, "1.00M"},
		     {9994999, "9.99M"},
		     {9995001, "10.0M"},
		     {99949999, "99.9M"},
		     {99950001, "100M"},
		     {-1234567890, "-1.23G"},
		     {5e12, "5.00T"},
		     {5e15, "5.00P"},
		     {999e15, "999P"},
		     {5e18, "5000P"}};
	char text[TERMINAL_NUMBER_BYTES];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		assert_string_equal(terminal_short(text, cases[i].value), cases[i].text);
}

/* As UTF-8, of one to four bytes. */
static void encode(char text[5], uint32_t code)
{
	static const uint8_t firsts[] = {0, 0, 0xc0, 0xe0, 0xf0};
	const unsigned bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (unsigned i = bytes; i-- > 1; code >>= 6)
		text[i] = (char)(0x80 | (code & 0x3f));
	text[0] = (char)(firsts[bytes] | code);
	text[bytes] = 0;
}

TEST(wide_characters_begin_and_end)
{
	static const struct {
		uint32_t code;
		unsigned columns;
	} cases[] = {{0x7e, 1},	  {0xa1, 1},   {0x7ff, 1},  {0x800, 1},	 {0x10ff, 1}, {0x1100, 2},
		     {0x115f, 2}, {0x1160, 1}, {0x22ff, 1}, {0x2300, 2}, {0x23ff, 2}, {0x2400, 1},
		     {0x25ff, 1}, {0x2600, 2}, {0x27bf, 2}, {0x27c0, 1}, {0x2aff, 1}, {0x2b00, 2},
		     {0x303f, 2}, {0x3041, 2}, {0xa4cf, 2}, {0xa4d0, 1}, {0xa95f, 1}, {0xa960, 2},
		     {0xa97f, 2}, {0xa980, 1}, {0xabff, 1}, {0xac00, 2}, {0xd7a3, 2}, {0xd7a4, 1},
		     {0xf8ff, 1}, {0xf900, 2}, {0xfaff, 2}, {0xfb00, 1}, {0xfe0f, 1}, {0xfe10, 2},
		     {0xfe6f, 2}, {0xfe70, 1}, {0xff00, 2}, {0xffe6, 2}, {0xffe8, 1}, {0x10000, 2},
		     {0x1f600, 2}};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		char text[5], twice[16];
		struct printed p;

		encode(text, cases[i].code);
		snprintf(twice, sizeof(twice), "%sx%s", text, text);
		if (terminal_columns(&utf8, twice) != 2 * cases[i].columns + 1)
			fail_msg("U+%04x has %u columns", cases[i].code,
				 (terminal_columns(&utf8, twice) - 1) / 2);
		/* Where the locale has no such characters each is one question mark. */
		assert_int_equal(terminal_columns(&ascii, twice), 3);
		terminal_put(printed_open(&p), &ascii, twice, 4);
		printed_is(&p, cases[i].code < 0x80 ? "~x~ " : "?x? ");
		terminal_put_all(printed_open(&p), &utf8, text);
		printed_is(&p, text);
	}
	assert_int_equal(terminal_columns(&utf8, NULL), 0);
	assert_int_equal(terminal_columns(&utf8, ""), 0);
}

static void is_put(const char *text, unsigned columns, const char *wanted)
{
	struct printed p;

	PRINTS_AND_GIVES_BACK(p, terminal_put(p.out, &utf8, text, columns));
	terminal_put(printed_open(&p), &utf8, text, columns);
	printed_is(&p, wanted);
}

/* Below 8 columns the end is cut, from 8 on the middle. */
TEST(texts_are_cut)
{
	is_put("abcdefghijk", 7, "abcdefg");
	is_put("abcdefghijk", 8, "abc...jk");
	is_put("abcdefghijk", 9, "abc...ijk");
	is_put("abcdefgh", 8, "abcdefgh");
	is_put("abc", 5, "abc  ");
	/* Half of a wide character is never shown. */
	is_put("日日日日日日", 9, "日...日日");
	is_put("日日日日日日", 10, "日日...日 ");
	is_put("x日日日日日", 10, "x日...日日");
}

static void is_start(const char *text, unsigned least, unsigned most, const char *wanted)
{
	struct printed p;

	terminal_put_start(printed_open(&p), &ascii, text, least, most);
	printed_is(&p, wanted);
}

TEST(tabs_go_to_the_next_fourth_column)
{
	is_start("\tx", 0, 20, "    x");
	is_start("a\tx", 0, 20, "a   x");
	is_start("abc\tx", 0, 20, "abc x");
	is_start("abcd\tx", 0, 20, "abcd    x");
	is_start("\t\t\t\t\t\t", 0, 30, "                        ");
	is_start("abcdef", 8, 9, "abcdef  ");
	is_start("abcdef", 3, 6, "abcdef");
	is_start("abcdef", 3, 5, "abcde");
}

static void are_words(unsigned width, unsigned indent, const char *text, const char *wanted)
{
	const struct terminal narrow = {.width = width};
	struct printed p;

	PRINTS_AND_GIVES_BACK(p, terminal_put_words(p.out, &narrow, indent, text));
	terminal_put_words(printed_open(&p), &narrow, indent, text);
	printed_is(&p, wanted);
}

TEST(words_are_wrapped_at_the_last_column)
{
	are_words(10, 3, "aaaa bbbbb cc", "aaaa bbbbb\n   cc\n");
	are_words(10, 3, "aaaa bbbbbb cc", "aaaa\n   bbbbbb\n   cc\n");
	are_words(10, 3, "aaaa bbbbbb", "aaaa\n   bbbbbb\n");
	are_words(10, 3, "a abcdefg x", "a abcdefg\n   x\n");
	are_words(10, 3, "a abcdefghi x", "a\n   abcdefg\n   x\n");
	are_words(13, 3, "a abcdefghijklmno", "a\n   abcd...mno\n");
	are_words(10, 3, "abcdefghijklm", "abcd...klm\n");
	are_words(10, 0, "  a   b  ", "a b\n");
	are_words(10, 0, "", "\n");
	are_words(10, 0, NULL, "\n");
}

TEST(styles_are_for_terminals_with_colour)
{
	const struct terminal colour = {.width = 80, .colour = true};
	struct printed p;

	terminal_style(printed_open(&p), &colour, "1;31");
	terminal_plain(p.out, &colour);
	printed_is(&p, "\033[1;31m\033[0m");
	terminal_style(printed_open(&p), &ascii, "1;31");
	terminal_plain(p.out, &ascii);
	printed_is(&p, "");
}

static void set_or_unset(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

TEST(a_file_is_as_large_as_the_environment_says)
{
	static const struct {
		const char *columns, *lines;
		unsigned width, height;
	} cases[] = {{NULL, NULL, 100, 50},
		     {"39", "1", 40, 1},
		     {"40", "0", 40, 50},
		     {"41", "9", 41, 9},
		     {"199", "x", 199, 50},
		     {"200", "33", 200, 33},
		     {"201", "100000", 200, 100000},
		     {"100000", "100001", 200, 50},
		     {"100001", "+7", 100, 50},
		     {"72x", " 7", 100, 50},
		     {"/9", ":9", 100, 50},
		     {"99", "09", 99, 9},
		     {"09", "90", 40, 90}};
	FILE *out = tmpfile();

	assert_non_null(out);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct terminal terminal;

		set_or_unset("COLUMNS", cases[i].columns);
		set_or_unset("LINES", cases[i].lines);
		terminal_init(&terminal, out);
		assert_int_equal(terminal.width, cases[i].width);
		assert_int_equal(terminal.height, cases[i].height);
	}
	fclose(out);
}

/* A terminal that does not tell its size is as large as the environment says, or 80 columns. */
TEST(a_terminal_is_as_large_as_it_says)
{
	static const struct {
		unsigned short rows, columns;
		const char *COLUMNS, *LINES, *TERM;
		unsigned width, height;
		bool colour;
	} cases[] = {{33, 77, "55", "44", "xterm", 77, 33, true},
		     {0, 77, "55", "44", "", 77, 44, false},
		     {33, 0, "55", "44", NULL, 55, 33, false},
		     {0, 0, NULL, NULL, "vt100", 80, 50, true},
		     {1, 1, NULL, NULL, "dumb", 40, 1, false},
		     {999, 999, NULL, NULL, "dumber", 200, 999, true}};
	FILE *out = NULL;
	int controller = posix_openpt(O_RDWR | O_NOCTTY);

	if (controller >= 0 && grantpt(controller) == 0 && unlockpt(controller) == 0)
		out = fdopen(open(ptsname(controller), O_RDWR | O_NOCTTY), "w");
	if (!out)
		skip();
	unsetenv("NO_COLOR");
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct winsize size = {.ws_row = cases[i].rows, .ws_col = cases[i].columns};
		struct terminal terminal;

		assert_int_equal(ioctl(controller, TIOCSWINSZ, &size), 0);
		set_or_unset("COLUMNS", cases[i].COLUMNS);
		set_or_unset("LINES", cases[i].LINES);
		set_or_unset("TERM", cases[i].TERM);
		terminal_init(&terminal, out);
		assert_int_equal(terminal.width, cases[i].width);
		assert_int_equal(terminal.height, cases[i].height);
		assert_int_equal(terminal.colour, cases[i].colour);
	}
	fclose(out);
	close(controller);
}
