#include "report/compare/paths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/index.h"
#include "report/compare/change.h"
#include "value/layout.h"
#include "value/member.h"

struct merge {
	struct path_node *nodes;
	size_t count, capacity;
	struct index index;
};

struct wanted {
	const struct merge *merge;
	size_t parent;
	const char *function;
};

static bool same(const void *context, size_t number)
{
	const struct wanted *wanted = context;
	const struct path_node *node = &wanted->merge->nodes[number];

	return node->parent == wanted->parent && strcmp(node->function, wanted->function) == 0;
}

static size_t node_of(struct merge *merge, size_t parent, const char *function)
{
	const struct wanted wanted = {merge, parent, function};
	const uint64_t hash = index_hash_number(index_hash_text(function), parent);
	const size_t found = index_find(&merge->index, hash, same, &wanted);

	if (found != INDEX_NONE)
		return found;
	*ARRAY_PUSH(merge->nodes, merge->count, merge->capacity) =
		(struct path_node){.parent = parent, .function = function};
	index_add(&merge->index, hash, merge->count - 1);
	return merge->count - 1;
}

/* A node of a run comes before those below it, so the node above is known already. */
static void add_run(struct merge *merge, const struct stacks *stacks, const struct calls *calls,
		    bool is_b)
{
	size_t *places = mem_alloc_array(calls->count, sizeof(*places));

	for (size_t i = 0; i < calls->count; i++) {
		const struct calls_node *from = &calls->nodes[i];
		const size_t parent =
			from->parent == CALLS_NO_PARENT ? PATHS_NO_PARENT : places[from->parent];

		places[i] = node_of(merge, parent, from->function);
		struct path_node *node = &merge->nodes[places[i]];
		*(is_b ? &node->is_in_b : &node->is_in_a) = true;
		*(is_b ? &node->b : &node->a) += stacks_cycles(stacks, from->slots.total);
		*(is_b ? &node->calls_b : &node->calls_a) += from->calls;
	}
	free(places);
}

static void add_up(struct paths *paths)
{
	for (size_t i = 0; i < paths->count; i++) {
		paths->nodes[i].all_a = paths->nodes[i].a;
		paths->nodes[i].all_b = paths->nodes[i].b;
	}
	for (size_t i = paths->count; i--;) {
		const struct path_node *node = &paths->nodes[i];

		if (node->parent == PATHS_NO_PARENT)
			continue;
		paths->nodes[node->parent].all_a += node->all_a;
		paths->nodes[node->parent].all_b += node->all_b;
	}
}

static bool is_small(const struct path_node *node, double least_a, double least_b)
{
	return node->parent != PATHS_NO_PARENT && node->all_a < least_a && node->all_b < least_b;
}

/* What is below a small node is small, too. What is small below one that is not becomes one node
 * with the sum, at the end. */
static void gather_small(struct paths *paths, double least_a, double least_b)
{
	struct path_node *kept = mem_alloc_array(2 * paths->count + 1, sizeof(*kept));
	struct path_node *rest = mem_alloc_array(paths->count + 1, sizeof(*rest));
	size_t *places = mem_alloc_array(paths->count + 1, sizeof(*places)), count = 0;

	for (size_t i = 0; i < paths->count; i++) {
		struct path_node node = paths->nodes[i];
		const bool is_root = node.parent == PATHS_NO_PARENT;

		if (is_small(&node, least_a, least_b)) {
			struct path_node *sum = &rest[node.parent];

			if (is_small(&paths->nodes[node.parent], least_a, least_b))
				continue;
			sum->is_in_a |= node.is_in_a;
			sum->is_in_b |= node.is_in_b;
			sum->a += node.all_a;
			sum->b += node.all_b;
			sum->calls_a += node.calls_a;
			sum->calls_b += node.calls_b;
			continue;
		}
		node.parent = is_root ? PATHS_NO_PARENT : places[node.parent];
		places[i] = count;
		kept[count++] = node;
	}
	for (size_t i = 0; i < paths->count; i++) {
		if (rest[i].a + rest[i].b <= 0)
			continue;
		rest[i].parent = places[i];
		rest[i].function = PATHS_SMALL;
		rest[i].all_a = rest[i].a;
		rest[i].all_b = rest[i].b;
		kept[count++] = rest[i];
	}
	free(paths->nodes);
	free(rest);
	free(places);
	*paths = (struct paths){kept, count};
}

void paths_merge(struct paths *paths, const struct stacks *a, const struct calls *calls_a,
		 const struct stacks *b, const struct calls *calls_b)
{
	struct merge merge = {0};

	add_run(&merge, a, calls_a, false);
	add_run(&merge, b, calls_b, true);
	index_release(&merge.index);
	*paths = (struct paths){merge.nodes, merge.count};
	add_up(paths);
	gather_small(paths, PATHS_LEAST * stacks_cycles(a, a->slots.total),
		     PATHS_LEAST * stacks_cycles(b, b->slots.total));
}

void paths_release(struct paths *paths)
{
	free(paths->nodes);
	*paths = (struct paths){0};
}

json_t *paths_json(const struct paths *paths)
{
	json_t *list = json_array();

	for (size_t i = 0; i < paths->count; i++) {
		const struct path_node *node = &paths->nodes[i];

		json_array_append_new(
			list,
			json_pack("{s:o, s:s, s:o, s:o, s:o, s:o}", "parent",
				  node->parent == PATHS_NO_PARENT
					  ? json_null()
					  : json_integer((json_int_t)node->parent),
				  "function", node->function, "a",
				  change_if_there(node->is_in_a, json_real(node->a)), "b",
				  change_if_there(node->is_in_b, json_real(node->b)), "calls_a",
				  change_if_there(node->is_in_a, json_integer(node->calls_a)),
				  "calls_b",
				  change_if_there(node->is_in_b, json_integer(node->calls_b))));
	}
	return list;
}

static bool are_cycles(double value)
{
	return isfinite(value) && value >= 0 && value <= LAYOUT_MOST;
}

bool paths_read(struct paths *paths, const json_t *list, struct err *err)
{
	*paths = (struct paths){
		.nodes = mem_alloc_array(json_array_size(list) + 1, sizeof(*paths->nodes))};
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *from = json_array_get(list, i);
		const json_t *parent = json_object_get(from, "parent");
		const json_t *a = json_object_get(from, "a"), *b = json_object_get(from, "b");
		struct path_node *node = &paths->nodes[i];

		*node = (struct path_node){
			.parent = PATHS_NO_PARENT,
			.function = member_text(from, "function"),
			.is_in_a = json_is_number(a),
			.is_in_b = json_is_number(b),
			.a = json_number_value(a),
			.b = json_number_value(b),
			.calls_a = member_whole(from, "calls_a"),
			.calls_b = member_whole(from, "calls_b"),
		};
		if (json_is_integer(parent))
			node->parent = (size_t)json_integer_value(parent);
		if (json_is_integer(parent) && node->parent >= i)
			return err_set(
				err, "paths[%zu].parent is not the number of a path before it", i);
		if (!are_cycles(node->a) || !are_cycles(node->b))
			return err_set(err,
				       "paths[%zu]: cycles are at least 0, and fewer than 2^53", i);
		paths->count++;
	}
	add_up(paths);
	return true;
}
