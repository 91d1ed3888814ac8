/*
 * Any bytes as a result, as diff is given them: checking them against the layout of their schema,
 * or any other, fails with one sentence or not at all; reading them as a result of `run` fails with
 * one or yields a profile that keeps what profile.h promises, from which every report can be
 * written.
 */
#include <stdlib.h>

#include "report/text/annotate.h"
#include "report/file/callgrind.h"
#include "report/file/csv.h"
#include "report/file/folded.h"
#include "report/page/judge_page.h"
#include "report/page/run_page.h"
#include "value/layout.h"
#include "value/profile.h"
#include "report/text/run_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_sums(const struct profile *profile)
{
	for (unsigned cause = 0; cause < CAUSE_COUNT; cause++) {
		int64_t sum = 0;

		for (size_t i = 0; i < profile->function_count; i++) {
			const struct profile_function *f = &profile->functions[i];
			int64_t lines = 0;

			for (size_t k = 0; k < f->line_count; k++)
				lines += f->lines[k].slots.causes[cause];
			BUG_ON(lines != f->slots.causes[cause]);
			sum += lines;
		}
		BUG_ON(sum != profile->slots.causes[cause]);
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
	struct err err;
	FILE *out = open_memstream(&text, &count);

	run_text_print(out, result, &terminal, 10);
	annotate_print(out, result, &terminal);
	csv_write(out, result, &err);
	folded_write(out, result, &err);
	callgrind_write(out, result, &err);
	page_write(out, result, &err);
	judge_page_write(out, result, &err);
	fclose(out);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	json_t *result = json_loadb((const char *)bytes, size, 0, NULL);
	struct profile profile;
	struct err err = {0};

	if (!result)
		return 0;
	check_layouts(result);
	if (profile_read(&profile, result, &err)) {
		check_sums(&profile);
		profile_release(&profile);
	} else {
		BUG_ON(!*err.text);
	}
	write_all(result);
	json_decref(result);
	return 0;
}
