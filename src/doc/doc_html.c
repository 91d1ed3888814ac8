#include "doc/doc_html.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "doc/doc_html_drawing.h"
#include "doc/doc_html_listing.h"
#include "doc/doc_html_table.h"
#include "doc/markup.h"
#include "doc/page.h"

struct writer {
	FILE *out;
	const struct doc *doc;
};

static void write_block(const struct writer *writer, const struct doc_block *block);

static void write_blocks(const struct writer *writer, const struct doc_block *block)
{
	for (const struct doc_block *part = block->first; part; part = part->next)
		write_block(writer, part);
}

static void write_element(FILE *out, const char *element, const char *text)
{
	fprintf(out, "<%s>", element);
	markup_text(out, text);
	fprintf(out, "</%s>", element);
}

/* Text. */

static void write_piece(FILE *out, const struct doc_piece *piece)
{
	switch (piece->kind) {
	case DOC_BOLD: write_element(out, "strong", piece->text); break;
	case DOC_WORD: write_element(out, "code", piece->text); break;
	case DOC_SWATCH:
		fprintf(out, "<i class=\"swatch %s\"></i>", doc_colour_class(piece->colour));
		break;
	case DOC_LINK:
		fputs("<a href=\"#", out);
		markup_text(out, piece->target);
		fputs("\">", out);
		markup_text(out, piece->text);
		fputs("</a>", out);
		break;
	default: markup_text(out, piece->text);
	}
}

static void write_pieces(FILE *out, const struct doc_text *text)
{
	for (size_t i = 0; i < text->count; i++)
		write_piece(out, &text->pieces[i]);
}

static void write_sentence(const struct writer *writer, const struct doc_block *block)
{
	static const char *const begin[] = {
		[DOC_PARAGRAPH] = "<p>",
		[DOC_NOTE] = "<p class=\"note\">",
		[DOC_VERDICT] = "<p class=\"verdict\">",
		[DOC_STRONG] = "<p class=\"strong\">",
		[DOC_WARNING] = "<p class=\"badge warn\">",
	};

	fputs(begin[block->text->style], writer->out);
	write_pieces(writer->out, block->text);
	fputs("</p>\n", writer->out);
}

static void write_heading(const struct writer *writer, const struct doc_block *block)
{
	write_element(writer->out, "h3", block->title);
	fputc('\n', writer->out);
}

static void write_figures(const struct writer *writer, const struct doc_block *block)
{
	FILE *out = writer->out;

	fputs("<dl class=\"tiles\">\n", out);
	for (size_t i = 0; i < block->count; i++) {
		const struct doc_figure *figure = &block->figures[i];
		char text[MARKUP_VALUE_BYTES];

		fputs("<div class=\"tile\">", out);
		write_element(out, "dt", figure->label);
		fprintf(out, "<dd>%s</dd></div>\n",
			doc_is_shown(figure->value)
				? markup_value(text, figure->unit, figure->places, false,
					       figure->value)
				: "-");
	}
	fputs("</dl>\n", out);
}

static void write_facts(const struct writer *writer, const struct doc_block *block)
{
	FILE *out = writer->out;

	fputs("<dl class=\"about\">\n", out);
	for (size_t i = 0; i < block->count; i++) {
		fputs("<dt>", out);
		markup_text(out, block->facts[i].label);
		fputs("<dd>", out);
		write_pieces(out, block->facts[i].text);
		fputc('\n', out);
	}
	fputs("</dl>\n", out);
}

static void write_legend(const struct writer *writer, const struct doc_block *block)
{
	fputs("<div class=\"legend\">\n", writer->out);
	for (size_t i = 0; i < block->count; i++)
		doc_html_key(writer->out, block->parts[i].colour, block->parts[i].name, NULL);
	fputs("</div>\n", writer->out);
}

static void write_table(const struct writer *writer, const struct doc_block *block)
{
	if (block->table->is_listing)
		doc_html_listing(writer->out, block);
	else
		doc_html_table(writer->out, block);
}

static void write_drawing(const struct writer *writer, const struct doc_block *block)
{
	doc_html_drawing(writer->out, block->drawing);
}

static void write_flame(const struct writer *writer, const struct doc_block *block)
{
	doc_html_flame(writer->out, block);
}

static void write_pipeline(const struct writer *writer, const struct doc_block *block)
{
	doc_html_pipeline(writer->out, block);
}

/* Containers. */

static void write_section(const struct writer *writer, const struct doc_block *block)
{
	FILE *out = writer->out;

	fputs("<section", out);
	markup_attribute(out, "id", block->id);
	if (block->id) {
		fputs(" aria-labelledby=\"", out);
		markup_text(out, block->id);
		fputs("-title\"", out);
	}
	markup_attribute(out, "data-key", block->key);
	fputs(block->is_detail ? " data-detail hidden>\n<h2" : ">\n<h2", out);
	if (block->id) {
		fputs(" id=\"", out);
		markup_text(out, block->id);
		fputs("-title\"", out);
	}
	fputc('>', out);
	markup_text(out, block->title);
	fputs("</h2>\n", out);
	write_blocks(writer, block);
	fputs("</section>\n", out);
}

static void write_fold(const struct writer *writer, const struct doc_block *block)
{
	FILE *out = writer->out;

	fputs("<details", out);
	markup_attribute(out, "id", block->id);
	fputs(block->is_open ? " open>" : ">", out);
	write_element(out, "summary", block->title);
	fputc('\n', out);
	write_blocks(writer, block);
	fputs("</details>\n", out);
}

/* The script makes the buttons: without it, all alternatives are to be seen. */
static void write_choice(const struct writer *writer, const struct doc_block *block)
{
	FILE *out = writer->out;
	bool is_first = true;

	fputs("<div class=\"alternatives\"", out);
	markup_attribute(out, "data-label", block->title ? block->title : "");
	fputs(">\n", out);
	for (const struct doc_block *part = block->first; part; part = part->next) {
		if (!(part->where & DOC_IN_PAGE))
			continue;
		fputs("<div class=\"alternative\"", out);
		markup_attribute(out, "data-label", part->title ? part->title : "");
		fputs(is_first ? ">\n" : " hidden>\n", out);
		write_blocks(writer, part);
		fputs("</div>\n", out);
		is_first = false;
	}
	fputs("</div>\n", out);
}

static void write_cards(const struct writer *writer, const struct doc_block *block)
{
	fputs("<div class=\"cards\">\n", writer->out);
	write_blocks(writer, block);
	fputs("</div>\n", writer->out);
}

static void write_card(const struct writer *writer, const struct doc_block *block)
{
	FILE *out = writer->out;

	fputs("<div class=\"card\"", out);
	markup_attribute(out, "id", block->id);
	markup_attribute(out, "data-key", block->key);
	fputs("><h3><bdi>", out);
	markup_text(out, block->title);
	fputs("</bdi></h3>\n", out);
	write_blocks(writer, block);
	fputs("</div>\n", out);
}

static void write_block(const struct writer *writer, const struct doc_block *block)
{
	static void (*const write[])(const struct writer *, const struct doc_block *) = {
		[DOC_ROOT] = write_blocks,	  [DOC_SECTION] = write_section,
		[DOC_FOLD] = write_fold,	  [DOC_CHOICE] = write_choice,
		[DOC_ALTERNATIVE] = write_blocks, [DOC_CARDS] = write_cards,
		[DOC_CARD] = write_card,	  [DOC_SENTENCE] = write_sentence,
		[DOC_HEADING] = write_heading,	  [DOC_FIGURES] = write_figures,
		[DOC_FACTS] = write_facts,	  [DOC_TABLE] = write_table,
		[DOC_DRAWING] = write_drawing,	  [DOC_FLAME] = write_flame,
		[DOC_PIPELINE] = write_pipeline,  [DOC_LEGEND] = write_legend,
	};

	if (block->where & DOC_IN_PAGE)
		write[block->kind](writer, block);
}

/* The head of the page. */

static void write_header(const struct writer *writer)
{
	const struct doc *doc = writer->doc;
	FILE *out = writer->out;

	fputs("<header class=\"top\">\n<p class=\"kicker\">cyclestack ", out);
	markup_text(out, doc->command);
	fputs("</p>\n<h1>", out);
	write_pieces(out, &doc->heading);
	fputs("</h1>\n", out);
	if (doc->about) {
		fputs("<p class=\"facts\">", out);
		write_pieces(out, doc->about);
		fputs("</p>\n", out);
	}
	for (size_t i = 0; i < doc->warning_count; i++) {
		fputs("<p class=\"facts\"><span class=\"badge warn\">", out);
		markup_text(out, doc->warnings[i]);
		fputs("</span></p>\n", out);
	}
	fputs("</header>\n", out);
}

/* The list of keys is of use with the script only, which shows it. */
static void write_keys(FILE *out, const struct doc *doc)
{
	char *id = mem_strdup(doc->key_label);

	for (char *c = id; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '-';
	fprintf(out, "<span class=\"pick\" hidden><label for=\"%s\">", id);
	markup_text(out, doc->key_label);
	fprintf(out, "</label> <select id=\"%s\"><option value=\"\">none", id);
	for (size_t i = 0; i < doc->key_count; i++) {
		fputs("<option", out);
		markup_attribute(out, "value", doc->keys[i]);
		fputc('>', out);
		markup_text(out, doc->keys[i]);
	}
	fputs("</select></span>\n", out);
	free(id);
}

static bool is_listed(const struct doc_block *block)
{
	return block->kind == DOC_SECTION && block->id && (block->where & DOC_IN_PAGE) &&
	       !block->is_detail;
}

static void write_contents(const struct writer *writer)
{
	const struct doc *doc = writer->doc;
	FILE *out = writer->out;

	fputs("<nav id=\"contents\" aria-label=\"Contents\">", out);
	for (const struct doc_block *block = doc->root.first; block; block = block->next) {
		if (!is_listed(block))
			continue;
		fputs("<a href=\"#", out);
		markup_text(out, block->id);
		fputs("\">", out);
		markup_text(out, block->short_title ? block->short_title : block->title);
		fputs("</a>\n", out);
	}
	if (doc->key_label)
		write_keys(out, doc);
	fputs("</nav>\n", out);
}

/* What precedes the first section belongs to the head: it is above the list of contents. */
bool doc_html_write(FILE *out, const struct doc *doc, struct err *err)
{
	const struct writer writer = {.out = out, .doc = doc};

	page_begin(out, doc->title);
	write_header(&writer);
	const struct doc_block *block = doc->root.first;
	for (; block && block->kind != DOC_SECTION; block = block->next)
		write_block(&writer, block);
	write_contents(&writer);
	for (; block; block = block->next)
		write_block(&writer, block);
	page_end(out);
	if (fflush(out) != 0 || ferror(out))
		return err_set_errno(err, errno, "cannot write the page");
	return true;
}
