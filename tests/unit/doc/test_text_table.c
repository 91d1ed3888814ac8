/* Tables as text: widths of columns, what gives way where there is no room, rows that are left out
 * and what stands out, each line worked out. */
#include "../test.h"
#include "printed_text.h"

/* Names and columns need 29, 1+5, 1+12, 1+2 and 1+5 columns: 57 together. */
static struct doc_table *small_table(struct doc *doc)
{
	doc_init(doc, "made-up");
	struct doc_table *table = doc_table(doc, "table", NULL, "row");
	doc_column(table, "x", DOC_NUMBER, 2);
	doc_column(table, "wide heading", DOC_COUNT, 0);
	doc_column(table, "y", DOC_COUNT, 0)->flags = DOC_OPTIONAL;
	doc_column(table, "share", DOC_PERCENT, 1);
	doc_row(table, "a");
	doc_value(table, 1.25);
	doc_value(table, 2);
	doc_row(table, "a second row with a long name");
	doc_value(table, -3);
	doc_cell_none(table);
	doc_value(table, 44);
	doc_child(table, "below");
	doc_value(table, 7);
	doc_row(table, "third");
	for (int i = 0; i < 3; i++)
		doc_cell_none(table);
	doc_value(table, 0.123456);
	return table;
}

static void is_table(unsigned width, bool has_whole_names, const char *wanted)
{
	const struct terminal terminal = {.width = width, .height = 24};
	struct doc doc;

	small_table(&doc)->has_whole_names = has_whole_names;
	is_printed(&doc, &terminal, wanted);
}

TEST(columns_are_as_wide_as_their_widest_cell)
{
	static const char wanted[] = "row                               x wide heading  y share\n"
				     "a                              1.25            2  -     -\n"
				     "a second row with a long name -3.00            - 44     -\n"
				     "  below                        7.00            -  -     -\n"
				     "third                             -            -  - 12.3%\n";

	is_table(100, false, wanted);
	is_table(57, false, wanted);
	is_table(57, true, wanted);
}

/* First columns that are optional, then names down to 12 columns, then columns below the others. */
TEST(what_does_not_fit_gives_way)
{
	is_table(54, false,
		 "row                               x wide heading share\n"
		 "a                              1.25            2     -\n"
		 "a second row with a long name -3.00            -     -\n"
		 "  below                        7.00            -     -\n"
		 "third                             -            - 12.3%\n");
	is_table(40, false,
		 "row                 x wide heading share\n"
		 "a                1.25            2     -\n"
		 "a seco...g name -3.00            -     -\n"
		 "  below          7.00            -     -\n"
		 "third               -            - 12.3%\n");
	is_table(30, false,
		 "row              x\n"
		 "a             1.25\n"
		 "a sec...name -3.00\n"
		 "  below       7.00\n"
		 "third            -\n"
		 "\n"
		 "row          wide heading  y\n"
		 "a                       2  -\n"
		 "a sec...name            - 44\n"
		 "  below                 -  -\n"
		 "third                   -  -\n"
		 "\n"
		 "row          share\n"
		 "a                -\n"
		 "a sec...name     -\n"
		 "  below          -\n"
		 "third        12.3%\n");
	/* Or names stay whole. */
	is_table(50, true,
		 "row                               x wide heading\n"
		 "a                              1.25            2\n"
		 "a second row with a long name -3.00            -\n"
		 "  below                        7.00            -\n"
		 "third                             -            -\n"
		 "\n"
		 "row                            y share\n"
		 "a                              -     -\n"
		 "a second row with a long name 44     -\n"
		 "  below                        -     -\n"
		 "third                          - 12.3%\n");
}

/* Rows below a row that is left out, or folded, are left out too; a total never is. */
TEST(rows_have_a_limit)
{
	static const struct terminal terminal = {.width = 80, .height = 24};
	struct doc doc;

	doc_init(&doc, "made-up");
	struct doc_table *table = doc_table(&doc, "table", NULL, "row");
	doc_column(table, "x", DOC_COUNT, 0);
	table->text_limit = 2;
	for (int i = 1; i <= 4; i++) {
		const char name[] = {(char)('a' + i - 1), '\0'};

		doc_row(table, name)->is_folded = i == 1;
		doc_value(table, i);
		doc_child(table, "below");
		doc_value(table, 10 * i);
	}
	doc_row(table, "all");
	doc_value(table, 10);
	doc_row_total(table);
	is_printed(&doc, &terminal,
		   "row      x\n"
		   "a        1\n"
		   "b        2\n"
		   "  below 20\n"
		   "all     10\n"
		   "and 2 more\n");
}

/* Bars and curves that others follow are filled up to their width, whatever they show. */
TEST(columns_after_a_bar_are_in_line)
{
	static const double parts[] = {1, 3}, curve[] = {0, 7, 3};
	static const enum doc_unit units[] = {DOC_BAR, DOC_STACK, DOC_SPARK};
	static const char *const wanted[] = {
		"row              x\n"
		"a   ########## 1.0\n"
		"b              2.0\n"
		"c   #####      3.0\n"
		"d   #####        -\n",
		"row              x\n"
		"a   ===BBBBBBB 1.0\n"
		"b              2.0\n"
		"c   ===BBBBBBB 3.0\n"
		"d   ===BBBBBBB   -\n",
		"row              x\n"
		"a   073        1.0\n"
		"b              2.0\n"
		"c   073        3.0\n"
		"d   073          -\n",
	};

	for (size_t i = 0; i < 3; i++)
		for (unsigned utf8 = 0; utf8 < 2; utf8++) {
			const struct terminal terminal = {
				.width = 18, .height = 24, .utf8 = utf8 && i == 1};
			struct doc doc;

			doc_init(&doc, "made-up");
			struct doc_table *table = doc_table(&doc, "table", NULL, "row");
			doc_part(table, "base", doc_component_named("base"));
			doc_part(table, "branch", doc_component_named("branch"));
			doc_column(table, "bar", units[i], 0);
			doc_column(table, "x", DOC_NUMBER, 1);
			for (int k = 0; k < 4; k++) {
				const char name[] = {(char)('a' + k), '\0'};

				doc_row(table, name);
				if (k == 1)
					doc_cell_none(table);
				else if (i == 0)
					doc_value(table, k ? 1 : 2);
				else
					doc_cell_values(table, i == 1 ? parts : curve,
							i == 1 ? 2 : 3);
				if (k < 3)
					doc_value(table, k + 1);
			}
			is_printed(&doc, &terminal, wanted[i]);
		}
}

/* In eighths of a column, whose rest is a column too. */
TEST(columns_after_a_bar_of_eighths_are_in_line)
{
	static const struct terminal terminal = {.width = 15, .height = 24, .utf8 = true};
	struct doc doc;

	doc_init(&doc, "made-up");
	struct doc_table *table = doc_table(&doc, "table", NULL, "r");
	doc_column(table, "bar", DOC_BAR, 0);
	doc_column(table, "x", DOC_COUNT, 0);
	for (int i = 0; i < 4; i++) {
		static const double values[] = {80, 40, 41, 1};
		const char name[] = {(char)('a' + i), '\0'};

		doc_row(table, name);
		doc_value(table, values[i]);
		doc_value(table, i);
	}
	is_printed(&doc, &terminal,
		   "r             x\n"
		   "a ███████████ 0\n"
		   "b █████▌      1\n"
		   "c █████▋      2\n"
		   "d ▏           3\n");
}
