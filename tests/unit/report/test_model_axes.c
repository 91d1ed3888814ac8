/* The page of a model draws one stack for each value of a parameter, the others as in the first
 * point. */
#include "../test.h"

#include <jansson.h>

#include "doc/doc.h"
#include "report/report.h"

/* The points of a grid of two parameters, and some of another technique. */
static json_t *grid(unsigned sizes, unsigned ways)
{
	json_t *points = json_array();

	for (unsigned k = 0; k < 2; k++)
		for (unsigned i = 0; i < sizes; i++)
			for (unsigned j = 0; j < ways; j++) {
				char size[16], way[16];

				snprintf(size, sizeof(size), "%u", 16 + i);
				snprintf(way, sizeof(way), "%u", 1 + j);
				json_array_append_new(
					points,
					json_pack(
						"{s:s, s:{s:s, s:s}, s:f, s:{s:f, s:f, s:f, s:f}, s:{}}",
						"technique", k ? "other" : "one", "set", "size",
						size, "ways", way, "cpi", 1.0, "components", "base",
						1.0, "branch", 0.0, "icache", 0.0, "dmiss", 0.0,
						"detail"));
			}
	return points;
}

/* The drawings below a block, in order. */
static void find_stacks(const struct doc_block *block, size_t *counts, size_t *found)
{
	if (block->kind == DOC_DRAWING && block->drawing->kind == DOC_STACKS)
		counts[(*found)++] = block->drawing->group_count;
	for (const struct doc_block *inner = block->first; inner; inner = inner->next)
		find_stacks(inner, counts, found);
}

static void check_grid(unsigned sizes, unsigned ways)
{
	json_t *result = json_pack("{s:s, s:s, s:I, s:o}", "program", "p", "configuration", "c",
				   "instructions", (json_int_t)1000, "points", grid(sizes, ways));
	size_t counts[8] = {0}, found = 0;
	struct err err;
	struct doc doc;

	assert_non_null(result);
	doc_init(&doc, "model");
	assert_true(report_model(&doc, result, NULL, &err));
	find_stacks(&doc.root, counts, &found);
	assert_int_equal(found, 2);
	/* A drawing has room for so many stacks. */
	assert_int_equal(counts[0], sizes < 40 ? sizes : 40);
	assert_int_equal(counts[1], ways);
	doc_release(&doc);
	json_decref(result);
}

TEST(one_stack_for_each_value)
{
	check_grid(1, 1);
	check_grid(5, 3);
	check_grid(39, 2);
	check_grid(40, 2);
	check_grid(41, 2);
}
