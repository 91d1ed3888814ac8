/* A document as text: each kind of block, and what its colours are. */
#include "../test.h"

#include "doc/doc_text.h"
#include "made_up.h"

static char *text_of(const char *name, const struct terminal *terminal)
{
	char *text = NULL;
	struct doc doc;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	made_up_document(&doc, name);
	doc_text_write(out, &doc, terminal);
	doc_release(&doc);
	fclose(out);
	char *copy = mem_strdup(text);
	free(text);
	return copy;
}

TEST(text_has_every_block)
{
	static const struct terminal terminal = {.width = 90, .height = 24, .utf8 = true};
	static const char *const lines[] = {
		"plain on midcore\nthe run was stopped early\nCPI 1.234, cycles 1234567, IPC -\n",
		"\n40 % of the cycles of plain went to branch; see its functions.\nA paragraph.\n",
		/* Upright and lying stacks are lines; what is below zero has no columns. */
		"\nchess    1.60 =====================BBBBBBBBBBBBBBBBBddddddddddddTTTTTTT",
		"\nnaive   86.0% BBBBBBBBBBBBBBBBBBBBBBBBdddddddddddddddddddd",
		("\nall                                         100.00%      -      -     -      -     -     "
		 "-\n"),
		"\n 2          a  =  b;\n   80001234 addi    a0,a0,1 ",
		/* A node of the flame graph has its share of the first one. */
		"\n  solve                                         60.0% \342\226\210",
		"\n    plain                                       40.0% \342\226\210",
		"\nlost: 110-124 branch\n",
		"\nsort    10.02%  6.01%\n",
		"\ntruth    100% ==========",
		"\nprogram: plain\nconfiguration: midcore\nNot in a page.\n",
	};
	char *text = text_of("plain", &terminal);

	for (size_t i = 0; i < ARRAY_COUNT(lines); i++)
		if (!strstr(text, lines[i]))
			fail_msg("no %s", lines[i]);
	/* The first alternative alone, and nothing that is about a chosen key. */
	assert_null(strstr(text, "shares"));
	assert_null(strstr(text, "Details of this program."));
	free(text);
}

TEST(colours_are_those_of_the_parts)
{
	static const struct terminal coloured = {.width = 90, .height = 24, .colour = true};
	char *text = text_of("plain", &coloured);

	for (unsigned i = 0; i < MADE_UP_PARTS; i++) {
		char code[32];

		snprintf(code, sizeof(code), ";5;%u",
			 doc_colour_terminal(doc_component_named(made_up_parts[i])));
		if (!strstr(text, code))
			fail_msg("%s has no colour", made_up_parts[i]);
	}
	free(text);
}

TEST(every_colour_has_a_shade_for_a_terminal)
{
	for (int kind = DOC_NO_COLOUR; kind <= DOC_WARN; kind++) {
		const struct doc_colour colour = {(enum doc_colour_kind)kind, 0};

		assert_in_range(doc_colour_terminal(colour), 16, 255);
		assert_true(kind == DOC_COMPONENT || doc_colour_is_dark(colour));
		assert_true(kind == DOC_COMPONENT || doc_colour_letter(colour) == '#');
	}
	assert_int_not_equal(doc_colour_terminal(doc_method(0)),
			     doc_colour_terminal(doc_method(1)));
	assert_int_equal(doc_component(-1).kind, DOC_OTHER);
	assert_int_equal(doc_component(1000).kind, DOC_OTHER);
	assert_int_equal(doc_component(0).kind, DOC_COMPONENT);
}

/* A line is no wider than the terminal, however narrow, whatever the names. */
TEST(text_fits_any_terminal)
{
	static const char *const names[] = {
		"plain",
		"\x01\x7f\xff",
		"a name that is much longer than any column of a table is",
	};

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		for (unsigned width = 40; width <= 200; width += 16) {
			const struct terminal terminal = {.width = width, .height = width / 4};
			char *text = text_of(names[i], &terminal);

			for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
				if (strlen(line) > width)
					fail_msg("%u columns: %s", width, line);
			free(text);
		}
}
