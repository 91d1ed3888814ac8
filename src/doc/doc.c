#include "doc/doc.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "doc/number.h"

#define MOST_VALUE 1e15

bool doc_is_shown(double value)
{
	return isfinite(value) && fabs(value) <= MOST_VALUE;
}

/* Memory of the document. */

static void *own(struct doc *doc, void *block)
{
	*ARRAY_PUSH(doc->owned, doc->owned_count, doc->owned_room) = block;
	return block;
}

static void *make(struct doc *doc, size_t bytes)
{
	return own(doc, mem_alloc(bytes));
}

static const char *copy(struct doc *doc, const char *text)
{
	return text ? own(doc, mem_strdup(text)) : NULL;
}

static const char *format_words(struct doc *doc, const char *format, va_list list)
{
	return own(doc, mem_vformat(format, list));
}

const char *doc_words(struct doc *doc, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	const char *text = format_words(doc, format, list);
	va_end(list);
	return text;
}

const char *doc_whole(struct doc *doc, double value)
{
	char text[NUMBER_BYTES];

	return copy(doc, number_grouped(text, doc_is_shown(value) ? value : 0, 0));
}

const char *doc_decimal(struct doc *doc, double value, unsigned places)
{
	char text[NUMBER_BYTES];

	return copy(doc, number_plain(text, doc_is_shown(value) ? value : 0, places));
}

void doc_init(struct doc *doc, const char *command)
{
	*doc = (struct doc){.command = command};
	doc->title = "cyclestack";
	doc->heading.doc = doc;
	doc->heading_where = DOC_EVERYWHERE;
	doc->root.where = DOC_EVERYWHERE;
	doc->open = &doc->root;
}

static void release_table(struct doc_table *table)
{
	free(table->columns);
	free(table->rows);
	free(table->views);
	free(table->parts);
}

static void release_drawing(struct doc_drawing *drawing)
{
	for (size_t i = 0; i < drawing->panel_count; i++)
		free(drawing->panels[i].series);
	free(drawing->panels);
	free(drawing->series);
	free(drawing->groups);
	free(drawing->marks);
	free(drawing->weights);
}

static void release_pipeline(struct doc_pipeline *pipeline)
{
	for (size_t i = 0; i < pipeline->lane_count; i++)
		free(pipeline->lanes[i].spans);
	free(pipeline->lanes);
	free(pipeline->stages);
	free(pipeline->labels);
}

static void release_block(const struct doc_block *block)
{
	if (block->table)
		release_table(block->table);
	if (block->drawing)
		release_drawing(block->drawing);
	if (block->pipeline)
		release_pipeline(block->pipeline);
	if (block->flame)
		free(block->flame->nodes);
	if (block->text)
		free(block->text->pieces);
	for (size_t i = 0; block->facts && i < block->count; i++)
		free(block->facts[i].text->pieces);
	free(block->figures);
	free(block->facts);
	free(block->parts);
}

void doc_release(struct doc *doc)
{
	for (const struct doc_block *block = &doc->root; block; block = doc_next(block))
		release_block(block);
	free(doc->heading.pieces);
	if (doc->about)
		free(doc->about->pieces);
	for (size_t i = 0; i < doc->owned_count; i++)
		free(doc->owned[i]);
	free(doc->owned);
	free(doc->keys);
	free(doc->warnings);
}

void doc_warn(struct doc *doc, const char *text)
{
	*ARRAY_PUSH(doc->warnings, doc->warning_count, doc->warning_room) = copy(doc, text);
}

/* Blocks. */

static struct doc_block *add_block(struct doc *doc, enum doc_kind kind)
{
	struct doc_block *block = make(doc, sizeof(*block)), *parent = doc->open;

	*block = (struct doc_block){.kind = kind, .where = DOC_EVERYWHERE, .parent = parent};
	if (parent->last)
		parent->last->next = block;
	else
		parent->first = block;
	parent->last = block;
	return block;
}

static struct doc_block *begin(struct doc *doc, enum doc_kind kind, const char *title)
{
	struct doc_block *block = add_block(doc, kind);

	block->title = copy(doc, title);
	doc->open = block;
	return block;
}

struct doc_block *doc_section(struct doc *doc, const char *id, const char *title)
{
	struct doc_block *block = begin(doc, DOC_SECTION, title);

	block->id = copy(doc, id);
	return block;
}

struct doc_block *doc_fold(struct doc *doc, const char *title)
{
	return begin(doc, DOC_FOLD, title);
}

struct doc_block *doc_choice(struct doc *doc, const char *label)
{
	return begin(doc, DOC_CHOICE, label);
}

struct doc_block *doc_alternative(struct doc *doc, const char *label)
{
	BUG_ON(doc->open->kind != DOC_CHOICE);
	return begin(doc, DOC_ALTERNATIVE, label);
}

struct doc_block *doc_cards(struct doc *doc)
{
	return begin(doc, DOC_CARDS, NULL);
}

struct doc_block *doc_card(struct doc *doc, const char *title, const char *key)
{
	struct doc_block *block = begin(doc, DOC_CARD, title);

	block->key = copy(doc, key);
	return block;
}

void doc_end(struct doc *doc)
{
	BUG_ON(!doc->open->parent);
	doc->open = doc->open->parent;
}

struct doc_block *doc_last(struct doc *doc)
{
	BUG_ON(!doc->open->last);
	return doc->open->last;
}

void doc_only(struct doc *doc, unsigned where)
{
	doc_last(doc)->where = where;
}

const char *doc_key(struct doc *doc, const char *label, const char *key)
{
	doc->key_label = copy(doc, label);
	for (size_t i = 0; i < doc->key_count; i++)
		if (strcmp(doc->keys[i], key) == 0)
			return doc->keys[i];
	return *ARRAY_PUSH(doc->keys, doc->key_count, doc->key_room) = copy(doc, key);
}

const struct doc_block *doc_next(const struct doc_block *block)
{
	if (block->first)
		return block->first;
	while (block && !block->next)
		block = block->parent;
	return block ? block->next : NULL;
}

const struct doc_block *doc_find(const struct doc *doc, const char *id)
{
	for (const struct doc_block *block = &doc->root; block; block = doc_next(block))
		if (block->id && strcmp(block->id, id) == 0)
			return block;
	return NULL;
}

const struct doc_drawing *doc_picture(const struct doc_block *block)
{
	if (block->drawing)
		return block->drawing;
	for (const struct doc_block *part = block->first; part; part = part->next) {
		const struct doc_drawing *drawing = doc_picture(part);

		if (drawing)
			return drawing;
	}
	return NULL;
}

/* Text. */

static struct doc_text *make_text(struct doc *doc, enum doc_text_style style)
{
	struct doc_text *text = make(doc, sizeof(*text));

	*text = (struct doc_text){.doc = doc, .style = style};
	return text;
}

struct doc_text *doc_text(struct doc *doc, enum doc_text_style style)
{
	struct doc_block *block = add_block(doc, DOC_SENTENCE);

	return block->text = make_text(doc, style);
}

static struct doc_piece *add_piece(struct doc_text *text)
{
	struct doc_piece *piece = ARRAY_PUSH(text->pieces, text->count, text->room);

	*piece = (struct doc_piece){0};
	return piece;
}

void doc_say(struct doc_text *text, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	const char *words = format_words(text->doc, format, list);
	va_end(list);
	add_piece(text)->text = words;
}

void doc_bold(struct doc_text *text, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	const char *words = format_words(text->doc, format, list);
	va_end(list);
	*add_piece(text) = (struct doc_piece){.kind = DOC_BOLD, .text = words};
}

void doc_word(struct doc_text *text, const char *word)
{
	*add_piece(text) = (struct doc_piece){.kind = DOC_WORD, .text = copy(text->doc, word)};
}

void doc_swatch(struct doc_text *text, struct doc_colour colour)
{
	*add_piece(text) = (struct doc_piece){.kind = DOC_SWATCH, .colour = colour};
}

void doc_link(struct doc_text *text, const char *target, const char *words)
{
	*add_piece(text) = (struct doc_piece){.kind = DOC_LINK,
					      .text = copy(text->doc, words),
					      .target = copy(text->doc, target)};
}

void doc_paragraph(struct doc *doc, const char *text)
{
	doc_say(doc_text(doc, DOC_PARAGRAPH), "%s", text);
}

void doc_note(struct doc *doc, const char *text)
{
	doc_say(doc_text(doc, DOC_NOTE), "%s", text);
}

void doc_conclusion(struct doc *doc, const char *text)
{
	doc_say(doc_text(doc, DOC_STRONG), "%s", text);
}

void doc_heading(struct doc *doc, const char *text)
{
	add_block(doc, DOC_HEADING)->title = copy(doc, text);
}

/* The last block if it is of that kind; else a new one. */
static struct doc_block *same_block(struct doc *doc, enum doc_kind kind)
{
	struct doc_block *last = doc->open->last;

	return last && last->kind == kind ? last : add_block(doc, kind);
}

void doc_figure(struct doc *doc, const char *label, enum doc_unit unit, unsigned places,
		double value)
{
	struct doc_block *block = same_block(doc, DOC_FIGURES);

	*ARRAY_PUSH(block->figures, block->count, block->room) =
		(struct doc_figure){copy(doc, label), unit, places, value};
}

struct doc_text *doc_fact(struct doc *doc, const char *label)
{
	struct doc_block *block = same_block(doc, DOC_FACTS);
	struct doc_fact *fact = ARRAY_PUSH(block->facts, block->count, block->room);

	*fact = (struct doc_fact){copy(doc, label), make_text(doc, DOC_PARAGRAPH)};
	return fact->text;
}

void doc_legend(struct doc *doc, const struct doc_part *parts, size_t count)
{
	struct doc_block *block = add_block(doc, DOC_LEGEND);

	for (size_t i = 0; i < count; i++)
		*ARRAY_PUSH(block->parts, block->count, block->room) =
			(struct doc_part){copy(doc, parts[i].name), parts[i].colour};
}

/* Tables. */

struct doc_table *doc_table(struct doc *doc, const char *id, const char *caption, const char *names)
{
	struct doc_table *table = make(doc, sizeof(*table));
	struct doc_block *block = add_block(doc, DOC_TABLE);

	*table = (struct doc_table){.doc = doc, .whole = 1, .has_names = names};
	table->caption = copy(doc, caption);
	table->names = copy(doc, names ? names : "");
	block->id = copy(doc, id);
	block->table = table;
	return table;
}

struct doc_column *doc_column(struct doc_table *table, const char *title, enum doc_unit unit,
			      unsigned places)
{
	BUG_ON(table->row_count);
	struct doc_column *column =
		ARRAY_PUSH(table->columns, table->column_count, table->column_room);

	*column = (struct doc_column){.title = copy(table->doc, title),
				      .unit = unit,
				      .places = places,
				      .where = DOC_EVERYWHERE};
	return column;
}

struct doc_view *doc_view(struct doc_table *table, const char *label, enum doc_unit unit,
			  unsigned places, int by)
{
	struct doc_view *view = ARRAY_PUSH(table->views, table->view_count, table->view_room);

	*view = (struct doc_view){copy(table->doc, label), unit, places, by};
	return view;
}

void doc_part(struct doc_table *table, const char *name, struct doc_colour colour)
{
	*ARRAY_PUSH(table->parts, table->part_count, table->part_room) =
		(struct doc_part){copy(table->doc, name), colour};
}

struct doc_row *doc_row_at(struct doc_table *table, unsigned level, const char *name)
{
	BUG_ON(level && (!table->row_count || level > table->rows[table->row_count - 1].level + 1));
	struct doc_row *row = ARRAY_PUSH(table->rows, table->row_count, table->row_room);

	*row = (struct doc_row){
		.name = copy(table->doc, name), .level = level, .where = DOC_EVERYWHERE};
	row->cells = own(table->doc, mem_alloc_array(table->column_count, sizeof(*row->cells)));
	table->cell_count = 0;
	return row;
}

struct doc_row *doc_row(struct doc_table *table, const char *name)
{
	return doc_row_at(table, 0, name);
}

struct doc_row *doc_child(struct doc_table *table, const char *name)
{
	return doc_row_at(table, 1, name);
}

void doc_row_total(struct doc_table *table)
{
	table->rows[table->row_count - 1].is_total = true;
}

struct doc_cell *doc_cell_none(struct doc_table *table)
{
	BUG_ON(!table->row_count || table->cell_count == table->column_count);
	return &table->rows[table->row_count - 1].cells[table->cell_count++];
}

struct doc_cell *doc_value(struct doc_table *table, double value)
{
	struct doc_cell *cell = doc_cell_none(table);

	if (doc_is_shown(value))
		*cell = (struct doc_cell){.kind = DOC_VALUE, .value = value};
	return cell;
}

struct doc_cell *doc_value_of(struct doc_table *table, const json_t *value)
{
	return doc_value(table, json_is_number(value) ? json_number_value(value) : NAN);
}

struct doc_cell *doc_cell_words(struct doc_table *table, const char *words)
{
	struct doc_cell *cell = doc_cell_none(table);

	*cell = (struct doc_cell){.kind = DOC_TEXT, .words = copy(table->doc, words)};
	return cell;
}

static double *copy_numbers(struct doc *doc, const double *values, size_t count)
{
	double *numbers = own(doc, mem_alloc_array(count, sizeof(*numbers)));

	for (size_t i = 0; i < count; i++)
		numbers[i] = doc_is_shown(values[i]) ? values[i] : 0;
	return numbers;
}

struct doc_cell *doc_cell_values(struct doc_table *table, const double *values, size_t count)
{
	struct doc_cell *cell = doc_cell_none(table);

	*cell = (struct doc_cell){.kind = DOC_VALUE,
				  .values = copy_numbers(table->doc, values, count),
				  .value_count = count};
	for (size_t i = 0; i < count; i++)
		cell->value += cell->values[i];
	return cell;
}

/* Drawings. */

struct doc_drawing *doc_drawing(struct doc *doc, enum doc_drawing_kind kind, const char *title,
				const char *description)
{
	struct doc_drawing *drawing = make(doc, sizeof(*drawing));

	*drawing = (struct doc_drawing){.doc = doc, .kind = kind, .unit = DOC_NUMBER};
	drawing->title = copy(doc, title);
	drawing->description = copy(doc, description);
	add_block(doc, DOC_DRAWING)->drawing = drawing;
	return drawing;
}

struct doc_series *doc_series(struct doc_drawing *drawing, const char *name,
			      struct doc_colour colour)
{
	BUG_ON(drawing->group_count);
	struct doc_series *series =
		ARRAY_PUSH(drawing->series, drawing->series_count, drawing->series_room);

	*series = (struct doc_series){.name = copy(drawing->doc, name), .colour = colour};
	return series;
}

struct doc_group *doc_group(struct doc_drawing *drawing, const char *name)
{
	struct doc_group *group =
		ARRAY_PUSH(drawing->groups, drawing->group_count, drawing->group_room);

	*group = (struct doc_group){
		.name = copy(drawing->doc, name),
		.values =
			own(drawing->doc, mem_alloc_array(drawing->series_count, sizeof(double)))};
	return group;
}

void doc_set(struct doc_group *group, size_t series, double value)
{
	group->values[series] = doc_is_shown(value) ? value : NAN;
}

struct doc_group *doc_moment(struct doc_drawing *drawing, const char *name, double weight)
{
	size_t room = drawing->group_room;
	struct doc_group *group = doc_group(drawing, name);

	if (drawing->group_room != room)
		drawing->weights = mem_realloc(drawing->weights, drawing->group_room,
					       sizeof(*drawing->weights));
	drawing->weights[drawing->weight_count++] = doc_is_shown(weight) ? weight : 0;
	return group;
}

struct doc_panel *doc_panel(struct doc_drawing *drawing, double above, double height,
			    double least_high, unsigned steps)
{
	struct doc_panel *panel =
		ARRAY_PUSH(drawing->panels, drawing->panel_count, drawing->panel_room);

	*panel = (struct doc_panel){
		.above = above, .height = height, .least_high = least_high, .steps = steps};
	return panel;
}

double *doc_numbers(struct doc *doc, const json_t *values, size_t count)
{
	double *numbers = own(doc, mem_alloc_array(count, sizeof(*numbers)));

	for (size_t i = 0; i < count; i++) {
		double value = json_number_value(json_array_get(values, i));

		numbers[i] = doc_is_shown(value) ? value : 0;
	}
	return numbers;
}

struct doc_series *doc_plot_series(struct doc_drawing *drawing, struct doc_panel *panel,
				   const json_t *values)
{
	struct doc_series *series =
		ARRAY_PUSH(panel->series, panel->series_count, panel->series_room);

	*series = (struct doc_series){.value_count = json_array_size(values), .curve_unit = 1};
	series->values = doc_numbers(drawing->doc, values, series->value_count);
	return series;
}

void doc_mark(struct doc_drawing *drawing, double x, const char *words)
{
	*ARRAY_PUSH(drawing->marks, drawing->mark_count, drawing->mark_room) =
		(struct doc_mark){doc_is_shown(x) ? x : 0, copy(drawing->doc, words)};
}

/* Flame graphs and pipelines. */

struct doc_flame *doc_flame(struct doc *doc, const char *id, const char *title, const char *unit)
{
	struct doc_flame *flame = make(doc, sizeof(*flame));
	struct doc_block *block = add_block(doc, DOC_FLAME);

	*flame = (struct doc_flame){.doc = doc, .title = copy(doc, title), .unit = copy(doc, unit)};
	block->id = copy(doc, id);
	block->flame = flame;
	return flame;
}

void doc_node(struct doc_flame *flame, unsigned level, const char *name, double value,
	      struct doc_colour colour)
{
	BUG_ON(flame->count ? level > flame->nodes[flame->count - 1].level + 1 : level != 0);
	*ARRAY_PUSH(flame->nodes, flame->count, flame->room) = (struct doc_node){
		copy(flame->doc, name), doc_is_shown(value) ? value : 0, level, colour, NULL};
}

void doc_node_words(struct doc_flame *flame, const char *words)
{
	flame->nodes[flame->count - 1].words = copy(flame->doc, words);
}

struct doc_pipeline *doc_pipeline(struct doc *doc, const char *id, uint64_t from, uint64_t to)
{
	struct doc_pipeline *pipeline = make(doc, sizeof(*pipeline));
	struct doc_block *block = add_block(doc, DOC_PIPELINE);

	*pipeline = (struct doc_pipeline){.doc = doc, .from = from, .to = to};
	block->id = copy(doc, id);
	block->pipeline = pipeline;
	return pipeline;
}

unsigned doc_stage(struct doc_pipeline *pipeline, const char *name)
{
	for (size_t i = 0; i < pipeline->stage_count; i++)
		if (strcmp(pipeline->stages[i], name) == 0)
			return (unsigned)i;
	*ARRAY_PUSH(pipeline->stages, pipeline->stage_count, pipeline->stage_room) =
		copy(pipeline->doc, name);
	*ARRAY_PUSH(pipeline->labels, pipeline->label_count, pipeline->label_room) =
		pipeline->stages[pipeline->stage_count - 1];
	return (unsigned)pipeline->stage_count - 1;
}

void doc_stage_label(struct doc_pipeline *pipeline, unsigned stage, const char *label)
{
	BUG_ON(stage >= pipeline->label_count);
	pipeline->labels[stage] = copy(pipeline->doc, label);
}

struct doc_lane *doc_lane(struct doc_pipeline *pipeline, const char *label)
{
	struct doc_lane *lane =
		ARRAY_PUSH(pipeline->lanes, pipeline->lane_count, pipeline->lane_room);

	*lane = (struct doc_lane){.label = copy(pipeline->doc, label)};
	return lane;
}

void doc_span(struct doc_lane *lane, uint64_t begin, uint64_t end, unsigned stage)
{
	*ARRAY_PUSH(lane->spans, lane->count, lane->room) = (struct doc_span){begin, end, stage};
}
