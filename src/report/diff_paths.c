#include "report/diff_paths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/common.h"
#include "report/compare/paths.h"
#include "value/member.h"

#define CHANGES_SHOWN 10  /* in text, as of other changes */
#define CHANGES_LEAST 0.5 /* cycles */
#define PATH_SHOWN    6	  /* functions of a path's name, the innermost */
#define DEEPEST	      90
#define WIDEST_LEAST  0.0005 /* of the whole: narrower nodes are not drawn */

static bool is_main(const struct paths *paths, size_t at)
{
	return strcmp(paths->nodes[at].function, "main") == 0;
}

/* "partition < sort < main": what comes last tells most. */
static const char *name_of(struct doc *doc, const struct paths *paths, size_t at)
{
	const char *name = paths->nodes[at].function;
	size_t up = paths->nodes[at].parent;

	/* What has called main is the same in all, and says nothing. */
	for (unsigned i = 1; up != PATHS_NO_PARENT && paths->nodes[up].parent != PATHS_NO_PARENT &&
			     !is_main(paths, at);
	     i++, at = up, up = paths->nodes[up].parent) {
		if (i == PATH_SHOWN)
			return doc_words(doc, "%s < ..", name);
		name = doc_words(doc, "%s < %s", name, paths->nodes[up].function);
	}
	return name;
}

static double change_of(const struct path_node *node)
{
	return node->b - node->a;
}

struct sorted {
	double size;
	size_t at;
};

static int by_size(const void *left, const void *right)
{
	const struct sorted *a = left, *b = right;

	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static void cycles_cell(struct doc_table *table, bool is_there, double cycles)
{
	if (is_there)
		doc_value(table, cycles);
	else
		doc_cell_none(table);
}

static void changes(struct doc *doc, const struct paths *paths)
{
	struct sorted *sorted = mem_alloc_array(paths->count + 1, sizeof(*sorted));
	struct doc_table *table = doc_table(doc, "paths-table", NULL, "path");
	size_t count = 0;

	doc_column(table, "A", DOC_NUMBER, 0);
	doc_column(table, "B", DOC_NUMBER, 0);
	doc_column(table, "difference", DOC_SIGNED, 0);
	doc_column(table, "percent", DOC_CHANGE, 2);
	for (size_t i = 0; i < paths->count; i++)
		if (fabs(change_of(&paths->nodes[i])) >= CHANGES_LEAST)
			sorted[count++] = (struct sorted){fabs(change_of(&paths->nodes[i])), i};
	if (count)
		qsort(sorted, count, sizeof(*sorted), by_size);
	table->text_limit = count <= CHANGES_SHOWN + 1 ? 0 : CHANGES_SHOWN;
	table->limit = 50;
	table->has_filter = count > CHANGES_SHOWN;
	for (size_t i = 0; i < count; i++) {
		const struct path_node *node = &paths->nodes[sorted[i].at];

		doc_row(table, name_of(doc, paths, sorted[i].at));
		cycles_cell(table, node->is_in_a, node->a);
		cycles_cell(table, node->is_in_b, node->b);
		doc_value(table, change_of(node));
		doc_value(table, node->is_in_a && node->a > 0 ? change_of(node) / node->a : NAN);
	}
	free(sorted);
}

/* Flame graphs. A node is as wide as the larger of its two own values, with all below it: what is
 * in one of the runs alone is to be seen, and nothing is wider than what called it. */

static double *widths_of(const struct paths *paths)
{
	double *widths = mem_alloc_array(paths->count + 1, sizeof(*widths));

	for (size_t i = paths->count; i--;) {
		const struct path_node *node = &paths->nodes[i];

		widths[i] += fmax(node->a, node->b);
		if (node->parent != PATHS_NO_PARENT)
			widths[node->parent] += widths[i];
	}
	return widths;
}

/* The nodes as a list for each parent, the widest first; [count] are the roots. */
struct tree {
	const struct paths *paths;
	const double *widths;
	size_t *first, *next;
};

static struct tree tree_of(const struct paths *paths, const double *widths)
{
	struct tree tree = {
		.paths = paths,
		.widths = widths,
		.first = mem_alloc_array(paths->count + 1, sizeof(size_t)),
		.next = mem_alloc_array(paths->count + 1, sizeof(size_t)),
	};
	struct sorted *sorted = mem_alloc_array(paths->count + 1, sizeof(*sorted));

	for (size_t i = 0; i <= paths->count; i++)
		tree.first[i] = PATHS_NO_PARENT;
	for (size_t i = 0; i < paths->count; i++)
		sorted[i] = (struct sorted){widths[i], i};
	if (paths->count)
		qsort(sorted, paths->count, sizeof(*sorted), by_size);
	for (size_t i = paths->count; i--;) {
		const size_t at = sorted[i].at, parent = paths->nodes[at].parent;
		size_t *first = &tree.first[parent == PATHS_NO_PARENT ? paths->count : parent];

		tree.next[at] = *first;
		*first = at;
	}
	free(sorted);
	return tree;
}

static const char *words_of(struct doc *doc, double a, double b)
{
	const char *before = doc_whole(doc, a), *after = doc_whole(doc, b);

	if (a <= 0 || b <= 0)
		return doc_words(doc, "A %s, B %s", before, after);
	return doc_words(doc, "A %s, B %s, %s%s%%", before, after, b > a ? "+" : "",
			 doc_decimal(doc, 100 * (b - a) / a, 1));
}

static void draw(struct doc *doc, struct doc_flame *graph, const struct tree *tree, size_t list,
		 unsigned level, double whole)
{
	const struct paths *paths = tree->paths;

	for (size_t i = tree->first[list]; i != PATHS_NO_PARENT; i = tree->next[i]) {
		const struct path_node *node = &paths->nodes[i];

		if (tree->widths[i] < WIDEST_LEAST * whole)
			return;
		doc_node(graph, level, node->function, tree->widths[i],
			 doc_changed(node->all_a, node->all_b));
		doc_node_words(graph, words_of(doc, node->all_a, node->all_b));
		if (level < DEEPEST)
			draw(doc, graph, tree, i, level + 1, whole);
	}
}

static void legend(struct doc *doc)
{
	static const char *const names[DOC_CHANGES] = {
		"less than half",  "down by 10 to 50 %", "down by 2 to 10 %",	   "within 2 %",
		"up by 2 to 11 %", "up to twice",	 "more than twice, or new"};
	struct doc_part parts[DOC_CHANGES];

	for (unsigned i = 0; i < DOC_CHANGES; i++)
		parts[i] = (struct doc_part){names[i], {DOC_CHANGED, i}};
	doc_legend(doc, parts, DOC_CHANGES);
	doc_only(doc, DOC_IN_PAGE);
}

static void flame(struct doc *doc, const struct paths *paths)
{
	double *widths = widths_of(paths), whole = 0, a = 0, b = 0;
	struct tree tree = tree_of(paths, widths);

	for (size_t i = tree.first[paths->count]; i != PATHS_NO_PARENT; i = tree.next[i]) {
		whole += widths[i];
		a += paths->nodes[i].all_a;
		b += paths->nodes[i].all_b;
	}
	legend(doc);
	struct doc_flame *graph = doc_flame(doc, "paths-flame",
					    "Calls of both runs, coloured by how B's cycles differ "
					    "from A's",
					    "cycles");
	doc_only(doc, DOC_IN_PAGE);
	doc_node(graph, 0, "all", whole, doc_changed(a, b));
	doc_node_words(graph, words_of(doc, a, b));
	draw(doc, graph, &tree, paths->count, 1, whole);
	free(widths);
	free(tree.first);
	free(tree.next);
}

bool diff_paths(struct doc *doc, const json_t *result, struct err *err)
{
	struct paths paths;

	if (!json_array_size(json_object_get(result, "paths")))
		return true;
	if (!paths_read(&paths, json_object_get(result, "paths"), err)) {
		paths_release(&paths);
		return false;
	}
	doc_section(doc, "paths", "cycles by path of calls")->short_title = "paths";
	doc_note(doc,
		 "A function, and what it was called from; its own cycles. Below: each function "
		 "above the one that called it with all its calls, as wide as it is in the run "
		 "where its code takes more.");
	doc_only(doc, DOC_IN_PAGE);
	changes(doc, &paths);
	flame(doc, &paths);
	doc_end(doc);
	paths_release(&paths);
	return true;
}
