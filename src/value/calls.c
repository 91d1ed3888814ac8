#include "value/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/index.h"
#include "value/member.h"

static bool read_node(struct calls *calls, size_t i, const json_t *from, struct err *err)
{
	const json_t *parent = json_object_get(from, "parent");
	struct calls_node *node = &calls->nodes[i];

	*node = (struct calls_node){
		.parent = CALLS_NO_PARENT,
		.function = member_text(from, "function"),
		.kind = member_text(from, "kind"),
		.calls = member_whole(from, "calls"),
		.executed = member_whole(from, "executed"),
		.slots = stacks_read_slots(from, "slots"),
	};
	node->all = node->slots;
	if (!json_is_integer(parent))
		return !node->slots.total ||
		       err_set(err, "calls.nodes[%zu] has no parent, and slots of its own", i);
	if (json_integer_value(parent) >= (json_int_t)i)
		return err_set(err, "calls.nodes[%zu].parent is no node before it", i);
	node->parent = (size_t)json_integer_value(parent);
	node->depth = calls->nodes[node->parent].depth + 1;
	return true;
}

/* Adds to each node what is below it; false if the roots do not have the run. */
static bool add_up(struct calls *calls, const struct stacks *stacks, struct err *err)
{
	struct stacks_slots sum = {0};

	for (size_t i = calls->count; i--;) {
		const struct calls_node *node = &calls->nodes[i];

		if (node->parent != CALLS_NO_PARENT) {
			stacks_slots_add(&calls->nodes[node->parent].all, &node->all);
			continue;
		}
		stacks_slots_add(&sum, &node->all);
		if (strcmp(node->kind, "other") == 0)
			calls->other_slots += node->all.total;
	}
	for (int i = 0; i < CAUSE_COUNT; i++)
		if (sum.causes[i] != stacks->slots.causes[i])
			return err_set(err,
				       "calls.nodes do not have the slots of cause %s that "
				       "the run has",
				       cause_rows[i].name);
	return true;
}

/* A node with what decides its place among those of the same parent. */
struct place {
	size_t parent, node; /* of a root, `parent` is 0, else one more than its index */
	int64_t slots;
	const char *function;
};

static int by_parent(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->slots != b->slots)
		return a->slots > b->slots ? -1 : 1;
	const int order = strcmp(a->function, b->function);
	return order ? order : a->node < b->node ? -1 : a->node > b->node;
}

static void find_order(struct calls *calls)
{
	const size_t count = calls->count;
	struct place *places = mem_alloc_array(count, sizeof(*places));
	size_t *first = mem_alloc_array(count + 2, sizeof(*first)); /* by parent */
	size_t *open = mem_alloc_array(count + 1, sizeof(*open)), depth = 0, used = 0;

	for (size_t i = 0; i < count; i++) {
		const struct calls_node *node = &calls->nodes[i];
		const size_t parent = node->parent == CALLS_NO_PARENT ? 0 : node->parent + 1;

		places[i] = (struct place){parent, i, node->all.total, node->function};
		first[parent + 1]++;
	}
	qsort(places, count, sizeof(*places), by_parent);
	for (size_t i = 1; i < count + 2; i++)
		first[i] += first[i - 1];
	/* The stack has the last of its brothers at the bottom. */
	for (size_t i = first[1]; i-- > first[0];)
		open[depth++] = places[i].node;
	while (depth) {
		const size_t node = open[--depth];

		calls->order[used++] = node;
		for (size_t i = first[node + 2]; i-- > first[node + 1];)
			open[depth++] = places[i].node;
	}
	free(places);
	free(first);
	free(open);
}

bool calls_read(struct calls *calls, const struct stacks *stacks, const json_t *result,
		struct err *err)
{
	const json_t *member = json_object_get(result, "calls");
	const json_t *nodes = json_object_get(member, "nodes");

	*calls = (struct calls){.nodes_most = member_whole(member, "nodes_most")};
	calls->count = json_array_size(nodes);
	calls->nodes = mem_alloc_array(calls->count, sizeof(*calls->nodes));
	calls->order = mem_alloc_array(calls->count, sizeof(*calls->order));
	bool ok = true;
	for (size_t i = 0; ok && i < calls->count; i++)
		ok = read_node(calls, i, json_array_get(nodes, i), err);
	ok = ok && (!member || add_up(calls, stacks, err));
	if (ok && calls->count)
		find_order(calls);
	if (!ok)
		calls_release(calls);
	return ok;
}

static void read_flat(struct calls *calls, const struct stacks *stacks)
{
	calls->count = stacks->function_count + 1;
	calls->nodes = mem_alloc_array(calls->count, sizeof(*calls->nodes));
	calls->order = mem_alloc_array(calls->count, sizeof(*calls->order));
	calls->nodes[0] = (struct calls_node){.parent = CALLS_NO_PARENT,
					      .function = stacks->program,
					      .kind = "thread",
					      .all = stacks->slots};
	for (size_t i = 1; i < calls->count; i++) {
		const struct stacks_function *function = &stacks->functions[i - 1];

		calls->nodes[i] = (struct calls_node){.function = function->name,
						      .kind = "call",
						      .executed = function->executed,
						      .slots = function->slots,
						      .all = function->slots,
						      .depth = 1};
	}
	find_order(calls);
}

bool calls_read_any(struct calls *calls, const struct stacks *stacks, const json_t *result,
		    struct err *err)
{
	if (!calls_read(calls, stacks, result, err))
		return false;
	if (!calls->count)
		read_flat(calls, stacks);
	return true;
}

bool calls_has_one_root(const struct calls *calls)
{
	size_t roots = 0;

	for (size_t i = 0; i < calls->count; i++)
		roots += !calls_is_function(calls, i);
	return roots == 1;
}

size_t calls_path(const struct calls *calls, size_t node, size_t path[CALLS_PATH_MOST + 1])
{
	const unsigned depth = calls->nodes[node].depth, most = CALLS_PATH_MOST - 2;
	const bool is_cut = depth > most + 1;
	size_t count = is_cut ? most + 3 : depth + 1;

	for (size_t i = node; i != CALLS_NO_PARENT; i = calls->nodes[i].parent) {
		const unsigned at = calls->nodes[i].depth;

		if (!is_cut || at <= most)
			path[at] = i;
	}
	if (is_cut) {
		path[most + 1] = CALLS_CUT;
		path[most + 2] = node;
	}
	return count;
}

void calls_release(struct calls *calls)
{
	free(calls->nodes);
	free(calls->order);
	*calls = (struct calls){0};
}

/* Names of functions as numbers, equal ones once. */
struct names {
	const char **names;
	size_t count, capacity;
	struct index index;
};

struct wanted {
	const struct names *names;
	const char *name;
};

static bool same(const void *context, size_t number)
{
	const struct wanted *wanted = context;

	return strcmp(wanted->names->names[number], wanted->name) == 0;
}

static size_t number_of(struct names *names, const char *name)
{
	const struct wanted wanted = {names, name};
	const uint64_t hash = index_hash_text(name);
	const size_t found = index_find(&names->index, hash, same, &wanted);

	if (found != INDEX_NONE)
		return found;
	*ARRAY_PUSH(names->names, names->count, names->capacity) = name;
	index_add(&names->index, hash, names->count - 1);
	return names->count - 1;
}

static void release_names(struct names *names)
{
	free(names->names);
	index_release(&names->index);
}

static int by_slots(const void *left, const void *right)
{
	const struct calls_function *a = left, *b = right;

	if (a->all.total != b->all.total)
		return a->all.total > b->all.total ? -1 : 1;
	return strcmp(a->function, b->function);
}

/* Walks the nodes in their order and says of each whether one of the same group is open above it.
 * Nodes of no group have SIZE_MAX. */
static bool *find_repeated(const struct calls *calls, const size_t *groups, size_t group_count)
{
	bool *is_repeated = mem_alloc_array(calls->count, sizeof(*is_repeated));
	size_t *open = mem_alloc_array(group_count, sizeof(*open));
	size_t *path = mem_alloc_array(calls->count, sizeof(*path)), depth = 0;

	for (size_t k = 0; k < calls->count; k++) {
		const size_t i = calls->order[k];

		for (; depth > calls->nodes[i].depth; depth--)
			if (groups[path[depth - 1]] != SIZE_MAX)
				open[groups[path[depth - 1]]]--;
		path[depth++] = i;
		if (groups[i] != SIZE_MAX)
			is_repeated[i] = open[groups[i]]++;
	}
	free(open);
	free(path);
	return is_repeated;
}

/* The function of each node by its number; SIZE_MAX: it is a root. */
static size_t *number_functions(const struct calls *calls, struct names *names)
{
	size_t *numbers = mem_alloc_array(calls->count, sizeof(*numbers));

	for (size_t i = 0; i < calls->count; i++)
		numbers[i] = calls_is_function(calls, i)
				     ? number_of(names, calls->nodes[i].function)
				     : SIZE_MAX;
	return numbers;
}

struct calls_function *calls_functions(const struct calls *calls, size_t *count)
{
	struct names names = {0};
	size_t *numbers = number_functions(calls, &names);
	bool *is_repeated = find_repeated(calls, numbers, names.count);
	struct calls_function *list = mem_alloc_array(names.count, sizeof(*list));

	for (size_t i = 0; i < calls->count; i++) {
		const struct calls_node *node = &calls->nodes[i];

		if (numbers[i] == SIZE_MAX)
			continue;
		struct calls_function *function = &list[numbers[i]];
		function->function = node->function;
		function->calls += node->calls;
		stacks_slots_add(&function->own, &node->slots);
		if (!is_repeated[i])
			stacks_slots_add(&function->all, &node->all);
	}
	*count = names.count;
	if (names.count)
		qsort(list, names.count, sizeof(*list), by_slots);
	release_names(&names);
	free(numbers);
	free(is_repeated);
	return list;
}

/* A node and its parent, both functions, by their numbers. */
struct step {
	size_t caller, callee, node;
};

static int by_functions(const void *left, const void *right)
{
	const struct step *a = left, *b = right;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	if (a->callee != b->callee)
		return a->callee < b->callee ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* The nodes that functions are called at, by caller and callee. */
static struct step *find_steps(const struct calls *calls, const size_t *numbers, size_t *count)
{
	struct step *steps = mem_alloc_array(calls->count, sizeof(*steps));

	*count = 0;
	for (size_t i = 0; i < calls->count; i++) {
		const size_t parent = calls->nodes[i].parent;

		if (calls_is_function(calls, i) && calls_is_function(calls, parent))
			steps[(*count)++] = (struct step){numbers[parent], numbers[i], i};
	}
	if (*count)
		qsort(steps, *count, sizeof(*steps), by_functions);
	return steps;
}

struct calls_edge *calls_edges(const struct calls *calls, size_t *count)
{
	struct names names = {0};
	size_t *numbers = number_functions(calls, &names), step_count, used = 0;
	struct step *steps = find_steps(calls, numbers, &step_count);
	struct calls_edge *edges = mem_alloc_array(step_count, sizeof(*edges));
	size_t *groups = mem_alloc_array(calls->count, sizeof(*groups));

	for (size_t i = 0; i < calls->count; i++)
		groups[i] = SIZE_MAX;
	for (size_t i = 0; i < step_count; i++) {
		const struct step *step = &steps[i];

		if (!i || step->caller != step[-1].caller || step->callee != step[-1].callee)
			edges[used++] = (struct calls_edge){.caller = names.names[step->caller],
							    .callee = names.names[step->callee]};
		groups[step->node] = used - 1;
	}
	bool *is_repeated = find_repeated(calls, groups, used);
	for (size_t i = 0; i < calls->count; i++) {
		if (groups[i] == SIZE_MAX)
			continue;
		edges[groups[i]].calls += calls->nodes[i].calls;
		if (!is_repeated[i])
			stacks_slots_add(&edges[groups[i]].all, &calls->nodes[i].all);
	}
	*count = used;
	release_names(&names);
	free(numbers);
	free(steps);
	free(groups);
	free(is_repeated);
	return edges;
}
