/*
 * Any bytes as a result, as diff is given them: checking them against the layout of their schema,
 * or any other, fails with one sentence or not at all; reading them as a result of `run` fails with
 * one or yields stacks that keep what stacks.h promises; what has a document has it in every
 * format.
 */
#include <stdlib.h>

#include "doc/doc_csv.h"
#include "doc/doc_html.h"
#include "doc/doc_svg.h"
#include "doc/doc_text.h"
#include "report/file/callgrind.h"
#include "report/file/folded.h"
#include "report/report.h"
#include "value/layout.h"
#include "value/stacks.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_sums(const struct stacks *stacks)
{
	for (unsigned cause = 0; cause < CAUSE_COUNT; cause++) {
		int64_t sum = 0;

		for (size_t i = 0; i < stacks->function_count; i++) {
			const struct stacks_function *f = &stacks->functions[i];
			int64_t lines = 0;

			for (size_t k = 0; k < f->line_count; k++)
				lines += f->lines[k].slots.causes[cause];
			BUG_ON(lines != f->slots.causes[cause]);
			sum += lines;
		}
		BUG_ON(sum != stacks->slots.causes[cause]);
	}
}

static void check_layouts(const json_t *result)
{
	struct err err = {0};

	if (!layout_of(result, &err))
		BUG_ON(!*err.text);
	for (size_t i = 0; layouts[i]; i++) {
		err.text[0] = 0;
		BUG_ON(layout_check(result, layouts[i], &err) != !*err.text);
	}
}

static void write_all(const json_t *result)
{
	struct terminal terminal = {.width = 80, .height = 24};
	char *text = NULL;
	size_t count;
	struct err err = {0};
	struct doc doc;
	FILE *out = open_memstream(&text, &count);

	if (report_build(&doc, result, NULL, &err)) {
		doc_text_write(out, &doc, &terminal);
		doc_html_write(out, &doc, &err);
		doc_csv_write(out, &doc, NULL, &err);
		doc_svg_write(out, &doc.root);
	} else {
		BUG_ON(!*err.text);
	}
	doc_release(&doc);
	folded_write(out, result, &err);
	callgrind_write(out, result, &err);
	fclose(out);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	json_t *result = json_loadb((const char *)bytes, size, 0, NULL);
	struct stacks stacks;
	struct err err = {0};

	if (!result)
		return 0;
	check_layouts(result);
	if (stacks_read(&stacks, result, &err)) {
		check_sums(&stacks);
		stacks_release(&stacks);
	} else {
		BUG_ON(!*err.text);
	}
	write_all(result);
	json_decref(result);
	return 0;
}
