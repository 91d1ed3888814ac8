/*
 * Every kept result has a document, and every document every format. For each results/NAME.json:
 * its text is NAME.txt, its CSV begins as NAME.csv (the table the command writes), its blocks, with
 * the sentences that a page alone has, are those of NAME.blocks, and it can be shown as a page and
 * at any width. The results were written by earlier versions and stay readable.
 */
#include "../test.h"
#include "../golden.h"

#include <dirent.h>

#include "doc/doc_csv.h"
#include "doc/doc_html.h"
#include "doc/doc_svg.h"
#include "doc/doc_text.h"
#include "report/report.h"

#define FOLDER	   "tests/unit/report/results/"
#define MOST_LINES 40 /* of a CSV, which may have thousands */

struct written {
	FILE *out;
	char *text;
	size_t bytes;
};

static FILE *begin(struct written *w)
{
	w->text = NULL;
	w->out = open_memstream(&w->text, &w->bytes);
	assert_non_null(w->out);
	return w->out;
}

static void end(struct written *w)
{
	assert_int_equal(fclose(w->out), 0);
}

static json_t *load(const char *name)
{
	char path[512];
	json_error_t where;

	snprintf(path, sizeof(path), FOLDER "%s.json", name);
	json_t *result = json_load_file(path, 0, &where);
	if (!result)
		fail_msg("%s: %s", path, where.text);
	return result;
}

static void is_golden(const char *name, const char *kind, const struct written *w)
{
	char path[512];

	snprintf(path, sizeof(path), FOLDER "%s.%s", name, kind);
	golden_is(path, w->text, w->bytes);
}

/* No line is wider than asked for, counting characters. */
static void fits(const char *name, const char *text, unsigned width)
{
	unsigned columns = 0;

	for (; *text; text++) {
		if (*text == '\n')
			columns = 0;
		else if (((unsigned char)*text & 0xc0) != 0x80)
			columns++;
		if (columns > width)
			fail_msg("%s: a line is wider than %u", name, width);
	}
}

/* Keeps the first lines. */
static void cut(struct written *w)
{
	char *end = w->text;

	for (int line = 0; end && line < MOST_LINES; line++)
		end = strchr(end, '\n') ? strchr(end, '\n') + 1 : NULL;
	if (end)
		w->bytes = (size_t)(end - w->text);
	w->text[w->bytes] = '\0';
}

static const char *kind_of(const struct doc_block *block)
{
	static const char *const kinds[] = {
		[DOC_ROOT] = "document",
		[DOC_SECTION] = "section",
		[DOC_FOLD] = "fold",
		[DOC_CHOICE] = "choice",
		[DOC_ALTERNATIVE] = "alternative",
		[DOC_CARDS] = "cards",
		[DOC_CARD] = "card",
		[DOC_HEADING] = "heading",
		[DOC_FIGURES] = "figures",
		[DOC_FACTS] = "facts",
		[DOC_TABLE] = "table",
		[DOC_FLAME] = "flame graph",
		[DOC_PIPELINE] = "pipeline",
	};
	static const char *const drawings[] = {
		[DOC_STACKS] = "stacks", [DOC_LYING] = "lying stacks",	       [DOC_BARS] = "bars",
		[DOC_PLOT] = "plot",	 [DOC_OVER_TIME] = "stacks over time",
	};

	/* Most sentences are in the text, and legends are. */
	return block->kind == DOC_DRAWING ? drawings[block->drawing->kind]
	       : (size_t)block->kind < sizeof(kinds) / sizeof(*kinds) ? kinds[block->kind]
								      : NULL;
}

static void put_sentence(FILE *out, const struct doc_text *text)
{
	for (size_t i = 0; i < text->count; i++)
		fputs(text->pieces[i].text ? text->pieces[i].text : "*", out);
	fputc('\n', out);
}

/* A line for each block that has a title, a name or values, and for each sentence that text does
 * not have: pages have some that no text shows. */
static void put_blocks(FILE *out, const struct doc_block *block, int depth, bool is_in_text)
{
	const char *kind = kind_of(block);
	const struct doc_drawing *drawing = block->kind == DOC_DRAWING ? block->drawing : NULL;

	is_in_text &= (block->where & DOC_IN_TEXT) != 0;
	if (block->kind == DOC_SENTENCE && !is_in_text) {
		fprintf(out, "%*ssentence: ", 2 * depth, "");
		put_sentence(out, block->text);
	}
	if (kind)
		fprintf(out, "%*s%s%s%s%s%s", 2 * depth, "", kind, block->id ? " #" : "",
			block->id ? block->id : "", block->title ? ": " : "",
			block->title ? block->title : "");
	if (block->table)
		fprintf(out, ", %zu columns, %zu rows", block->table->column_count,
			block->table->row_count);
	if (drawing)
		fprintf(out, ": %s; %zu groups of %zu, %zu panels", drawing->title,
			drawing->group_count, drawing->series_count, drawing->panel_count);
	if (kind)
		fputc('\n', out);
	for (const struct doc_block *child = block->first; child; child = child->next)
		put_blocks(out, child, depth + 1, is_in_text);
}

static void is_shown(const char *name)
{
	static const unsigned widths[] = {40, 60, 100, 200};
	json_t *result = load(name);
	struct written w;
	struct doc doc;
	struct err err = {.text = ""};

	if (!report_build(&doc, result, NULL, &err))
		fail_msg("%s: %s", name, err.text);
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		const struct terminal terminal = {.width = widths[i], .height = 24, .utf8 = i & 1};

		doc_text_write(begin(&w), &doc, &terminal);
		end(&w);
		fits(name, w.text, widths[i]);
		if (widths[i] == 100)
			is_golden(name, "txt", &w);
		free(w.text);
	}
	put_blocks(begin(&w), &doc.root, 0, true);
	end(&w);
	is_golden(name, "blocks", &w);
	free(w.text);
	if (doc_csv_write(begin(&w), &doc, report_kind_of(result, &err)->table, &err)) {
		end(&w);
		cut(&w);
		is_golden(name, "csv", &w);
	} else {
		end(&w);
	}
	free(w.text);
	if (!doc_html_write(begin(&w), &doc, &err))
		fail_msg("%s: %s", name, err.text);
	end(&w);
	assert_non_null(strstr(w.text, "</html>"));
	free(w.text);
	doc_svg_write(begin(&w), &doc.root);
	end(&w);
	free(w.text);
	doc_release(&doc);
	json_decref(result);
}

/* Shows a JSON value that may be anything: no crash, and a sentence if it has no document. */
static void show_anything(const json_t *result)
{
	static const struct terminal terminal = {.width = 61, .height = 24, .utf8 = true};
	struct err err = {.text = ""};
	struct written w;
	struct doc doc;

	begin(&w);
	if (report_build(&doc, result, NULL, &err)) {
		doc_text_write(w.out, &doc, &terminal);
		doc_html_write(w.out, &doc, &err);
		doc_csv_write(w.out, &doc, NULL, &err);
		doc_svg_write(w.out, &doc.root);
	} else {
		assert_true(strlen(err.text) > 5 && !strchr(err.text, '\n'));
	}
	doc_release(&doc);
	end(&w);
	free(w.text);
}

static json_t *substitute(unsigned which)
{
	switch (which) {
	case 0: return json_null();
	case 1: return json_string("\033[2J%s\n");
	case 2: return json_integer(-1);
	case 3: return json_integer(INT64_MAX);
	case 4: return json_real(1e300);
	case 5: return json_array();
	case 6: return json_object();
	case 7: return json_pack("[[], {}, 1]");
	default: return json_integer(0);
	}
}

#define SUBSTITUTES 10 /* the last one removes the member */

/* Puts a substitute in the place of each member below `node`, another for each, and shows `root`.
 */
static void spoil(json_t *root, json_t *node, unsigned *turn)
{
	json_t *value;
	size_t i;

	if (json_is_object(node)) {
		json_t *keys = json_array();
		const char *key;

		json_object_foreach(node, key, value) json_array_append_new(keys, json_string(key));
		for (i = 0; i < json_array_size(keys); i++) {
			key = json_string_value(json_array_get(keys, i));
			value = json_incref(json_object_get(node, key));
			const unsigned which = (*turn)++ % SUBSTITUTES;

			if (which == SUBSTITUTES - 1)
				json_object_del(node, key);
			else
				json_object_set_new(node, key, substitute(which));
			show_anything(root);
			json_object_set(node, key, value);
			spoil(root, value, turn);
			json_decref(value);
		}
		json_decref(keys);
	}
	/* The first items of a list are enough, because the others are alike. */
	for (i = 0; i < 3 && i < json_array_size(node); i++) {
		value = json_incref(json_array_get(node, i));
		json_array_set_new(node, i, substitute((*turn)++ % (SUBSTITUTES - 1)));
		show_anything(root);
		json_array_set(node, i, value);
		spoil(root, value, turn);
		json_decref(value);
	}
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_json(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && strcmp(dot, ".json") == 0;
}

TEST(every_result_has_every_format)
{
	struct dirent **entries;
	int count = scandir(FOLDER, &entries, is_json, by_name);

	assert_true(count > 0);
	for (int i = 0; i < count; i++) {
		*strrchr(entries[i]->d_name, '.') = '\0';
		is_shown(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

TEST(spoiled_results_are_refused_or_shown)
{
	struct dirent **entries;
	int count = scandir(FOLDER, &entries, is_json, by_name);
	unsigned turn = 0;

	for (int i = 0; i < count; i++) {
		*strrchr(entries[i]->d_name, '.') = '\0';
		json_t *result = load(entries[i]->d_name);
		spoil(result, result, &turn);
		json_decref(result);
		free(entries[i]);
	}
	free(entries);
	assert_true(turn > 100);
}

/* A new kind of result without a kept one would be shown to nobody here. */
TEST(every_kind_has_a_kept_result)
{
	struct dirent **entries;
	int count = scandir(FOLDER, &entries, is_json, by_name);

	for (const struct report_kind *kind = report_kinds; kind->schema; kind++) {
		bool is_there = false;

		for (int i = 0; i < count; i++) {
			char name[256];

			snprintf(name, sizeof(name), "%.*s",
				 (int)(strlen(entries[i]->d_name) - strlen(".json")),
				 entries[i]->d_name);
			json_t *result = load(name);
			const char *schema = json_string_value(json_object_get(result, "schema"));
			is_there |= strcmp(schema, kind->schema) == 0;
			json_decref(result);
		}
		if (!is_there)
			fail_msg("results/ has none of %s", kind->schema);
	}
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
}
