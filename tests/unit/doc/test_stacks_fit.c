/* However many stacks a drawing has, none is drawn outside of it, and none on another. */
#include "../test.h"

#include "base/rng.h"
#include "doc/doc.h"
#include "doc/doc_svg.h"

/* The number of an attribute of an element; -1 if it has none. */
static double attribute(const char *element, const char *name)
{
	const char *end = strchr(element, '>'), *at = strstr(element, name);

	return at && at < end ? strtod(at + strlen(name), NULL) : -1;
}

static void check_drawing(const char *svg, size_t stacks)
{
	const double whole = attribute(strstr(svg, "<svg"), "viewBox=\"0 0 ");
	double last = -1;
	size_t found = 0;

	assert_true(whole > 0);
	for (const char *at = svg; (at = strstr(at, "<rect")); at++) {
		const double x = attribute(at, " x=\""), width = attribute(at, " width=\"");

		assert_true(x >= 0 && width > 0 && x + width <= whole);
		assert_true(x >= last);
		found++;
		last = x + width;
	}
	assert_int_equal(found, stacks);
}

static void draw(size_t stacks, struct rng *rng)
{
	struct doc doc;
	char *svg = NULL;
	size_t bytes;
	FILE *out = open_memstream(&svg, &bytes);

	doc_init(&doc, "test");
	struct doc_drawing *drawing = doc_drawing(&doc, DOC_STACKS, "title", "description");
	drawing->unit = DOC_NUMBER;
	doc_series(drawing, "part", doc_component_named("base"));
	for (size_t i = 0; i < stacks; i++) {
		struct doc_group *group = doc_group(drawing, doc_words(&doc, "%zu", i));

		group->is_labelled = rng_below(rng, 4) == 0;
		group->ends_block = rng_below(rng, 3) == 0;
		doc_set(group, 0, 1 + (double)rng_below(rng, 100));
	}
	doc_svg_drawing(out, drawing, true);
	fclose(out);
	check_drawing(svg, stacks);
	free(svg);
	doc_release(&doc);
}

TEST(stacks_fit)
{
	struct rng rng = {1};

	for (size_t stacks = 1; stacks < 100; stacks++)
		draw(stacks, &rng);
}
