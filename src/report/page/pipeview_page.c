#include "report/page/pipeview_page.h"

#include "base/array.h"
#include "report/file/file.h"
#include "report/page/html.h"

#define CELL_WIDTH  8
#define ROW_HEIGHT  15
#define LABEL_WIDTH 300

struct page {
	FILE *out;
	const struct kanata *kanata;
	const struct pipeview_range *range;
	unsigned row;
};

/* Colours that differ in lightness too; stages of other simulators share them by their number. */
static const char *colour_of(unsigned name)
{
	static const char *const colours[] = {"#7aa6c2", "#b9c7d0", "#e3c567", "#c8553d",
					      "#6a994e", "#9b72aa", "#4f6d7a", "#d98e73"};

	return colours[name % ARRAY_COUNT(colours)];
}

static void put_rect(const struct page *page, const struct kanata_stage *stage, unsigned row)
{
	const struct pipeview_range *range = page->range;
	uint64_t begin = stage->begin > range->from ? stage->begin : range->from;
	uint64_t end = stage->end <= range->to ? stage->end : range->to + 1;

	if (begin >= end)
		return;
	fprintf(page->out,
		"<rect x=\"%llu\" y=\"%u\" width=\"%llu\" height=\"%u\" fill=\"%s\"><title>",
		(unsigned long long)(LABEL_WIDTH + (begin - range->from) * CELL_WIDTH),
		row * ROW_HEIGHT + 2, (unsigned long long)((end - begin) * CELL_WIDTH),
		ROW_HEIGHT - 3, colour_of(stage->name));
	html_text(page->out, page->kanata->names[stage->name]);
	fprintf(page->out, ", cycles %llu to %llu</title></rect>", (unsigned long long)stage->begin,
		(unsigned long long)(stage->end > stage->begin ? stage->end - 1 : stage->end));
}

static void put_text(const struct page *page, unsigned x, const char *text)
{
	fprintf(page->out,
		"<text x=\"%u\" y=\"%u\" font-size=\"11\" fill=\"currentColor\" "
		"font-family=\"monospace\" font-weight=\"400\">",
		x, (page->row + 1) * ROW_HEIGHT - 4);
	html_text(page->out, text);
	fputs("</text>", page->out);
}

static bool is_shown(const struct page *page, const struct kanata_insn *insn)
{
	return insn->begin <= page->range->to && insn->end >= page->range->from;
}

static void put_rows(struct page *page)
{
	const struct kanata *k = page->kanata;

	for (size_t i = 0; i < k->count; i++) {
		const struct kanata_insn *insn = &k->insns[i];

		if (!is_shown(page, insn))
			continue;
		fputs(insn->is_flushed ? "<g opacity=\"0.4\">" : "<g>", page->out);
		put_text(page, 0, insn->label ? insn->label : "");
		for (uint32_t s = insn->first_stage; s != KANATA_NONE; s = k->stages[s].next)
			if (k->stages[s].lane == 0)
				put_rect(page, &k->stages[s], page->row);
		fputs("</g>\n", page->out);
		page->row++;
	}
}

/* One row for all lost cycles. */
static void put_losses(struct page *page)
{
	const struct kanata *k = page->kanata;

	put_text(page, 0, "lost cycles");
	for (size_t i = 0; i < k->stage_count; i++)
		if (k->stages[i].lane == 1)
			put_rect(page, &k->stages[i], page->row);
	fputc('\n', page->out);
	page->row++;
}

static void put_legend(const struct page *page)
{
	fputs("<p>", page->out);
	for (unsigned i = 0; i < page->kanata->name_count; i++) {
		fprintf(page->out,
			"<svg width=\"12\" height=\"12\" aria-hidden=\"true\"><rect width=\"12\" "
			"height=\"12\" fill=\"%s\"/></svg> ",
			colour_of(i));
		html_text(page->out, page->kanata->names[i]);
		fputs(" &#160; ", page->out);
	}
	fputs("</p>\n", page->out);
}

bool pipeview_page_write(FILE *out, const struct kanata *kanata, const struct pipeview_range *range,
			 struct err *err)
{
	struct page page = {.out = out, .kanata = kanata, .range = range};
	unsigned rows = 1;
	size_t retired = 0;

	for (size_t i = 0; i < kanata->count; i++)
		if (is_shown(&page, &kanata->insns[i])) {
			rows++;
			retired += !kanata->insns[i].is_flushed;
		}
	html_begin(out, "pipeline - cyclestack", NULL, 0);
	fprintf(out,
		"<header class=\"top\">\n<p class=\"kicker\">cyclestack pipeview</p>\n<h1>Cycles "
		"%llu to %llu</h1>\n<p class=\"facts\">%u instructions: %zu retired, %zu squashed "
		"(pale)</p>\n</header>\n",
		(unsigned long long)range->from, (unsigned long long)range->to, rows - 1, retired,
		rows - 1 - retired);
	put_legend(&page);
	fprintf(out,
		"<div class=\"scroll\"><svg width=\"%llu\" height=\"%u\" role=\"img\" "
		"aria-label=\"a row per instruction, a column per cycle\">\n",
		(unsigned long long)(LABEL_WIDTH + (range->to - range->from + 1) * CELL_WIDTH),
		rows * ROW_HEIGHT);
	put_rows(&page);
	put_losses(&page);
	fputs("</svg></div>\n</main>\n</body>\n</html>\n", out);
	return report_finish(out, "the page", err);
}
