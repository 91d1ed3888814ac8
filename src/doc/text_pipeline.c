#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "doc/text_drawing.h"

#define MOST_LABEL 36

/* The cycles that are printed side by side. */
struct part {
	FILE *out;
	const struct doc_pipeline *pipeline;
	const struct terminal *terminal;
	uint64_t from, end; /* up to, not with, this cycle */
	unsigned label;	    /* columns of the text at the left */
	char cells[TERMINAL_MOST_COLUMNS + 1];
	/* For each cycle of the part: the stage of its loss, or -1. */
	int lost[TERMINAL_MOST_COLUMNS];
};

static char letter_of(const struct part *part, unsigned stage)
{
	const unsigned char c = (unsigned char)part->pipeline->stages[stage][0];

	return c > ' ' && c < 127 ? (char)c : '?';
}

static size_t clip(uint64_t cycle, const struct part *part)
{
	const uint64_t most = cycle < part->end ? cycle : part->end;

	return most > part->from ? (size_t)(most - part->from) : 0;
}

static void clear(struct part *part)
{
	const size_t width = (size_t)(part->end - part->from);

	memset(part->cells, ' ', width);
	part->cells[width] = '\0';
}

static void fill_cells(struct part *part, const struct doc_lane *lane)
{
	clear(part);
	for (size_t i = 0; i < lane->count; i++) {
		const struct doc_span *span = &lane->spans[i];
		const size_t begin = clip(span->begin, part), end = clip(span->end, part);
		const char letter = letter_of(part, span->stage);

		memset(part->cells + begin, lane->is_pale ? tolower(letter) : toupper(letter),
		       end > begin ? end - begin : 0);
	}
	if (lane->has_end && lane->end >= part->from && lane->end < part->end)
		part->cells[lane->end - part->from] = 'R';
}

static void fill_losses(struct part *part, const struct doc_lane *lane)
{
	for (size_t i = 0; i < lane->count; i++)
		for (size_t at = clip(lane->spans[i].begin, part);
		     at < clip(lane->spans[i].end, part); at++)
			part->lost[at] = (int)lane->spans[i].stage;
}

static void print_cells(const struct part *part, const char *label)
{
	size_t length = strlen(part->cells);

	while (length && part->cells[length - 1] == ' ')
		length--;
	terminal_put_start(part->out, part->terminal, label, part->label, part->label);
	fprintf(part->out, " %.*s", (int)length, part->cells);
}

static void print_row(struct part *part, const struct doc_lane *lane)
{
	fill_cells(part, lane);
	if (lane->is_pale)
		terminal_style(part->out, part->terminal, "2");
	print_cells(part, lane->label);
	if (lane->is_pale)
		terminal_plain(part->out, part->terminal);
	fputc('\n', part->out);
}

/* "lost: 120-131 l2d, 140 branch" */
static char *losses_text(const struct part *part)
{
	const size_t width = (size_t)(part->end - part->from);
	const char *before = "lost: ";
	char *text = NULL;
	size_t bytes;
	FILE *out = mem_stream_open(&text, &bytes);

	for (size_t i = 0, end; i < width; i = end) {
		for (end = i + 1; end < width && part->lost[end] == part->lost[i]; end++)
			;
		if (part->lost[i] < 0)
			continue;
		fprintf(out, "%s%llu", before, (unsigned long long)(part->from + i));
		if (end - i > 1)
			fprintf(out, "-%llu", (unsigned long long)(part->from + end - 1));
		fprintf(out, " %s", part->pipeline->stages[part->lost[i]]);
		before = ", ";
	}
	mem_stream_close(out);
	return text;
}

static void print_losses(struct part *part)
{
	char *text = losses_text(part);

	clear(part);
	for (size_t i = 0; part->cells[i]; i++)
		if (part->lost[i] >= 0)
			part->cells[i] = letter_of(part, (unsigned)part->lost[i]);
	if (*text) {
		print_cells(part, "lost");
		fputc('\n', part->out);
		terminal_put_words(part->out, part->terminal, 6, text);
	}
	free(text);
}

/* A mark above every tenth cycle, with its number where there is room. */
static void print_ruler(struct part *part)
{
	const size_t width = (size_t)(part->end - part->from);
	char number[24];

	clear(part);
	for (size_t i = 0; i < width; i++) {
		if ((part->from + i) % 10 != 0 && i != 0)
			continue;
		const size_t length = (size_t)snprintf(number, sizeof(number), "%llu",
						       (unsigned long long)(part->from + i));
		bool is_free = i + length <= width;

		for (size_t j = i ? i - 1 : i; is_free && j < i + length; j++)
			is_free = part->cells[j] == ' ';
		if (is_free)
			memcpy(part->cells + i, number, length);
	}
	print_cells(part, "cycle");
	fputc('\n', part->out);
}

/* Whether anything of the lane is in these cycles. */
static bool is_here(const struct part *part, const struct doc_lane *lane)
{
	bool is_here = lane->has_end && lane->end >= part->from && lane->end < part->end;

	for (size_t i = 0; i < lane->count && !is_here; i++)
		is_here = lane->spans[i].begin < part->end && lane->spans[i].end >= part->from;
	return is_here;
}

static void print_part(struct part *part)
{
	const struct doc_pipeline *pipeline = part->pipeline;
	bool has_ruler = false;

	for (size_t i = 0; i < ARRAY_COUNT(part->lost); i++)
		part->lost[i] = -1;
	for (size_t i = 0; i < pipeline->lane_count; i++) {
		if (pipeline->lanes[i].is_loss) {
			fill_losses(part, &pipeline->lanes[i]);
		} else if (is_here(part, &pipeline->lanes[i])) {
			if (!has_ruler)
				print_ruler(part);
			has_ruler = true;
			print_row(part, &pipeline->lanes[i]);
		}
	}
	if (has_ruler)
		print_losses(part);
}

void text_pipeline_print(FILE *out, const struct doc_pipeline *pipeline,
			 const struct terminal *terminal)
{
	const unsigned third = terminal->width / 3;
	const unsigned label = third < MOST_LABEL ? third : MOST_LABEL;
	const unsigned room = terminal->width - label - 1;
	struct part *part = mem_alloc(sizeof(*part));

	*part = (struct part){
		.out = out, .pipeline = pipeline, .terminal = terminal, .label = label};
	for (uint64_t from = pipeline->from; from <= pipeline->to; from += room) {
		part->from = from;
		part->end = from + room <= pipeline->to ? from + room : pipeline->to + 1;
		print_part(part);
	}
	free(part);
}
