#include "doc/doc_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "doc/cell.h"
#include "doc/text_drawing.h"
#include "doc/text_table.h"

struct writer {
	FILE *out;
	const struct terminal *terminal;
};

/* The pieces of a text as one; to be freed. */
static char *joined(const struct doc_text *text)
{
	char *words = NULL;
	size_t bytes;
	FILE *out = mem_stream_open(&words, &bytes);

	for (size_t i = 0; i < text->count; i++)
		if (text->pieces[i].text)
			fputs(text->pieces[i].text, out);
	mem_stream_close(out);
	return words;
}

static void put_text(struct writer *w, const struct doc_text *text, const char *codes)
{
	char *words = joined(text);

	if (codes)
		terminal_style(w->out, w->terminal, codes);
	terminal_put_words(w->out, w->terminal, 2, words);
	if (codes)
		terminal_plain(w->out, w->terminal);
	free(words);
}

static void put_heading(struct writer *w, const char *title)
{
	fputc('\n', w->out);
	terminal_style(w->out, w->terminal, "1");
	terminal_put_words(w->out, w->terminal, 2, title);
	terminal_plain(w->out, w->terminal);
}

static void put_sentence(struct writer *w, const struct doc_text *text)
{
	static const char *const codes[] = {
		[DOC_PARAGRAPH] = NULL, [DOC_NOTE] = NULL,    [DOC_VERDICT] = NULL,
		[DOC_STRONG] = "1",	[DOC_WARNING] = "33",
	};

	put_text(w, text, codes[text->style]);
}

/* "cycles 1234, instructions 567": as many in a line as fit. */
static void put_figures(struct writer *w, const struct doc_block *block)
{
	char *words = NULL;
	size_t bytes;
	FILE *out = mem_stream_open(&words, &bytes);

	for (size_t i = 0; i < block->count; i++) {
		const struct doc_figure *figure = &block->figures[i];
		char text[CELL_BYTES];

		fprintf(out, "%s%s %s", i ? ", " : "", figure->label,
			doc_is_shown(figure->value)
				? cell_number(text, figure->unit, figure->places, 0, figure->value,
					      CELL_PLAIN)
				: "-");
	}
	mem_stream_close(out);
	terminal_put_words(w->out, w->terminal, 2, words);
	free(words);
}

static void put_facts(struct writer *w, const struct doc_block *block)
{
	for (size_t i = 0; i < block->count; i++) {
		char *words = joined(block->facts[i].text), *line;

		line = mem_format("%s: %s", block->facts[i].label, words);
		terminal_put_words(w->out, w->terminal, 2, line);
		free(line);
		free(words);
	}
}

static void put_table(struct writer *w, const struct doc_table *table)
{
	if (table->caption)
		terminal_put_words(w->out, w->terminal, 2, table->caption);
	text_table_print(w->out, table, w->terminal);
}

static void put_blocks(struct writer *w, const struct doc_block *first);

static void put_container(struct writer *w, const struct doc_block *block)
{
	if (block->is_detail)
		return;
	if (block->title &&
	    (block->kind == DOC_SECTION || block->kind == DOC_FOLD || block->kind == DOC_CARD))
		put_heading(w, block->title);
	if (block->kind == DOC_CHOICE) {
		if (block->first)
			put_blocks(w, block->first->first);
	} else {
		put_blocks(w, block->first);
	}
}

static void put_block(struct writer *w, const struct doc_block *block)
{
	switch (block->kind) {
	case DOC_SENTENCE: put_sentence(w, block->text); break;
	case DOC_HEADING: put_heading(w, block->title); break;
	case DOC_FIGURES: put_figures(w, block); break;
	case DOC_FACTS: put_facts(w, block); break;
	case DOC_TABLE: put_table(w, block->table); break;
	case DOC_DRAWING: text_drawing_print(w->out, block->drawing, w->terminal); break;
	case DOC_FLAME: text_flame_print(w->out, block->flame, w->terminal); break;
	case DOC_PIPELINE: text_pipeline_print(w->out, block->pipeline, w->terminal); break;
	case DOC_LEGEND: text_legend_print(w->out, block->parts, block->count, w->terminal); break;
	default: put_container(w, block);
	}
}

/* Tables that follow each other have an empty line between them. */
static bool is_apart(const struct doc_block *before, const struct doc_block *block)
{
	return before && (before->kind == DOC_TABLE || before->kind == DOC_DRAWING) &&
	       (block->kind == DOC_TABLE || block->kind == DOC_DRAWING ||
		block->kind == DOC_SENTENCE);
}

static void put_blocks(struct writer *w, const struct doc_block *first)
{
	const struct doc_block *before = NULL;

	for (const struct doc_block *block = first; block; block = block->next) {
		if (!(block->where & DOC_IN_TEXT))
			continue;
		if (is_apart(before, block))
			fputc('\n', w->out);
		put_block(w, block);
		before = block;
	}
}

void doc_text_write(FILE *out, const struct doc *doc, const struct terminal *terminal)
{
	struct writer writer = {.out = out, .terminal = terminal};

	if (doc->heading.count && (doc->heading_where & DOC_IN_TEXT)) {
		fputc('\n', out);
		put_text(&writer, &doc->heading, NULL);
	}
	if (doc->about)
		put_text(&writer, doc->about, NULL);
	for (size_t i = 0; i < doc->warning_count; i++) {
		terminal_style(out, terminal, "33");
		terminal_put_words(out, terminal, 2, doc->warnings[i]);
		terminal_plain(out, terminal);
	}
	put_blocks(&writer, doc->root.first);
}
