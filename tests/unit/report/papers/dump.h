/*
 * dump.h - a content, member by member, a line for each part: what a paper's file says is seen here
 * before any renderer, so that a number, unit, place, colour or name that changes is a line that
 * changes.
 */
#ifndef TESTS_REPORT_DUMP_H
#define TESTS_REPORT_DUMP_H

#include "../expected.h"

#include "report/papers/paper.h"

static const char *const dump_colours[SVG_COLOURS] = {
	[SVG_NONE] = "no colour", [SVG_INK] = "ink",	 [SVG_MUTED] = "muted",
	[SVG_LINE] = "line",	  [SVG_PALE] = "pale",	 [SVG_FIRST] = "first",
	[SVG_SECOND] = "second",  [SVG_THIRD] = "third", [SVG_WARN] = "warn",
};
static const char *const dump_units[] = {"number", "percent", "count", "left"};

static inline void dump_table(FILE *out, const struct content_table *t)
{
	fprintf(out, "  table \"%s\" of %s\n", t->caption ? t->caption : "", t->names);
	for (size_t k = 0; k < t->column_count; k++)
		fprintf(out, "    column %s: %s, %u places\n", t->columns[k].title,
			dump_units[t->columns[k].unit], t->columns[k].places);
	for (size_t i = 0; i < t->row_count; i++) {
		fprintf(out, "    %s %s:", t->rows[i].is_total ? "total" : "row", t->rows[i].name);
		for (size_t k = 0; k < t->column_count; k++) {
			const struct content_cell *cell = &t->rows[i].cells[k];

			if (cell->kind == CONTENT_VALUE)
				fprintf(out, " %.10g", cell->value);
			else
				fprintf(out, " %s",
					cell->kind == CONTENT_WORDS ? cell->words : "-");
		}
		fputc('\n', out);
	}
}

static inline void dump_numbers(FILE *out, const char *name, const double *values, size_t count)
{
	fprintf(out, "      %s", name);
	for (size_t i = 0; i < count; i++)
		fprintf(out, " %.10g", values[i]);
	fputc('\n', out);
}

static inline void dump_series(FILE *out, const struct content_series *s)
{
	static const char *const styles[] = {"area", "line", "dashed", "points", "undrawn"};

	fprintf(out, "    series %s: %s, component %d, %s", s->name ? s->name : "-",
		dump_colours[s->colour], s->component, styles[s->style]);
	if (s->words || s->curve)
		fprintf(out, ", said as %s, curve %s of %g", s->words ? s->words : "-",
			s->curve ? s->curve : "-", s->curve_unit);
	fputc('\n', out);
	if (s->values)
		dump_numbers(out, "values", s->values, s->value_count);
	if (s->others)
		dump_numbers(out, "others", s->others, s->value_count);
}

static inline void dump_drawing(FILE *out, const struct content_drawing *d)
{
	static const char *const kinds[] = {"stacks", "bars", "plot"};

	fprintf(out, "  %s \"%s\": %s\n", kinds[d->kind], d->title, d->description);
	fprintf(out, "    %s%sunit %s, %u places, top %g, limit %g\n", d->heading ? d->heading : "",
		d->heading ? "; " : "", dump_units[d->unit], d->places, d->top, d->limit);
	for (size_t i = 0; i < d->series_count; i++)
		dump_series(out, &d->series[i]);
	for (size_t i = 0; i < d->group_count; i++) {
		const struct content_group *g = &d->groups[i];

		fprintf(out, "    group %s%s%s\n", g->name, g->is_labelled ? ", labelled" : "",
			g->ends_block ? ", ends a block" : "");
		dump_numbers(out, "values", g->values, d->series_count);
	}
	if (d->kind != CONTENT_PLOT)
		return;
	fprintf(out, "    x from %g, %s, %s; %s, %s%s\n", d->first, d->x_title, d->x_name, d->shown,
		d->other ? d->other : "-", d->has_bars ? "; bars in text" : "");
	if (d->xs)
		dump_numbers(out, "xs", d->xs, d->x_count);
	for (size_t i = 0; i < d->mark_count; i++)
		fprintf(out, "    mark %g %s\n", d->marks[i].x, d->marks[i].words);
	for (size_t i = 0; i < d->panel_count; i++) {
		const struct content_panel *p = &d->panels[i];

		fprintf(out, "    panel %g below, %g high, at least %g, %u steps\n", p->above,
			p->height, p->least_high, p->steps);
		for (size_t k = 0; k < p->series_count; k++)
			dump_series(out, &p->series[k]);
	}
}

static inline void dump_content(FILE *out, const struct content *content)
{
	for (size_t i = 0; i < content->count; i++) {
		const struct content_block *b = &content->blocks[i];

		if (b->kind == CONTENT_TABLE)
			dump_table(out, b->table);
		else if (b->kind == CONTENT_DRAWING)
			dump_drawing(out, b->drawing);
		else
			fprintf(out, "  %s %s\n",
				b->kind == CONTENT_STRONG ? "so:" : "note:", b->text);
	}
}

static inline void dump_figures(FILE *out, const struct paper_figure *figures, const json_t *result)
{
	for (const struct paper_figure *f = figures; f->id; f++) {
		struct content content;

		fprintf(out, "%s | %s | %s | %s%s%s | of %s, part %s\n", f->id, f->label, f->title,
			f->shows, f->is_figure_only ? " | figure only" : "",
			f->has_picture ? " | picture" : "", f->of ? f->of : "-",
			f->script_part ? f->script_part : "-");
		for (size_t i = 0; i < PAPER_STATEMENTS_MOST && f->statements[i].text; i++)
			fprintf(out, "  paper, %s: %s\n", f->statements[i].section,
				f->statements[i].text);
		paper_build(&content, f, result);
		dump_content(out, &content);
		content_release(&content);
	}
}

static inline void dump_claims(FILE *out, const json_t *claims)
{
	json_t *claim;
	size_t i;

	json_array_foreach(claims, i, claim)
	{
		char *text = json_dumps(claim, JSON_INDENT(2));

		fprintf(out, "claim %s\n", text);
		free(text);
	}
}

/* Everything that a result of the paper has besides the measurements, and what its figures are made
 * of. */
static inline char *dump_paper(const struct paper *paper, const json_t *result)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *rest = json_deep_copy(result);

	fprintf(out, "%s, \"%s\", on %s\n", paper->name, paper->short_title, paper->machine);
	for (size_t i = 0; paper->needs[i]; i++)
		json_object_del(rest, paper->needs[i]);
	json_object_del(rest, "figures");
	json_object_del(rest, "claims");
	char *about = json_dumps(rest, JSON_INDENT(1) | JSON_REAL_PRECISION(10));
	fprintf(out, "%s\n", about);
	free(about);
	json_decref(rest);
	dump_figures(out, paper->figures, result);
	fputs("additions\n", out);
	dump_figures(out, paper->additions, result);
	dump_claims(out, json_object_get(result, "claims"));
	fclose(out);
	return text;
}

#endif
