#include <stdlib.h>

#include "base/array.h"
#include "count/anchor.h"
#include "count/call_slots.h"
#include "count/exact.h"
#include "job/call_functions.h"
#include "job/job.h"
#include "job/key.h"
#include "job/parts.h"

/* 20,000 nodes are about 5 MB of JSON. */
#define NODES_MOST 20000

/* While the job runs. */
struct calls {
	struct followed_functions functions;
	struct call_tree tree;
	struct call_slots *slots;
};

static const struct part_calls *calls_of(const struct job_part *part)
{
	return (const struct part_calls *)part;
}

static void cycle(void *context, const struct cycle *c)
{
	struct calls *calls = context;

	/* Code is mapped in system calls alone, which are executed in an empty core. */
	if (c->transfer_count && call_functions_changed(&calls->functions))
		call_slots_forget(calls->slots);
	call_slots_cycle(calls->slots, c);
}

static bool begin(struct job_part_run *self, const struct job_watch *watch, struct err *err)
{
	const struct job_simulation *run = self->run;
	struct calls *calls = mem_alloc(sizeof(*calls));

	(void)watch;
	(void)err;
	self->state = calls;
	calls->functions.process = run->process;
	const struct call_functions functions = call_functions_of(&calls->functions);

	call_tree_init(&calls->tree, &functions, NODES_MOST);
	calls->tree.counts_start = run->job->roi;
	call_tree_begin(&calls->tree, (uint32_t)run->process->current->tid,
			run->process->cpu.hart.pc);
	calls->slots = call_slots_create(&run->job->machine->config, &calls->tree,
					 calls_of(self->part)->interval);
	simulation_attach(run->simulation, (struct observer){cycle, calls, CALL_SLOTS_EVENTS});
	return true;
}

static bool conclude(struct job_part_run *self, struct err *err)
{
	const struct calls *calls = self->state;

	return call_slots_check(calls->slots, err);
}

static void add_slots(uint64_t *sum, const uint64_t *slots)
{
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		sum[i] += slots[i];
}

static uint64_t total(const uint64_t *slots)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		sum += slots[i];
	return sum;
}

/* A node with what it has been charged. */
struct charged {
	uint64_t slots[CAUSE_COUNT];
	uint64_t executed;
	uint64_t all;	  /* slots with those of the nodes below */
	bool is_used;	  /* it, or a node below, was called or charged */
	uint32_t written; /* its number in the result */
};

/* The nodes in the order of their functions. */
struct member {
	uint32_t function, node;
};

static int by_function(const void *left, const void *right)
{
	const struct member *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* What `exact` says of the instructions of each function. */
static uint64_t (*wanted_of(struct calls *calls, const struct ledger *exact))[CAUSE_COUNT]
{
	size_t count;
	const struct ledger_row *rows = ledger_rows(exact, &count);

	for (size_t i = 0; i < count; i++)
		call_functions_find(&calls->functions, rows[i].pc);
	uint64_t(*wanted)[CAUSE_COUNT] = mem_alloc_array(calls->functions.count, sizeof(*wanted));
	for (size_t i = 0; i < count; i++)
		add_slots(wanted[call_functions_find(&calls->functions, rows[i].pc)],
			  rows[i].slots);
	return wanted;
}

/* Gives the nodes of one function the causes that the function has. Where the code of an address
 * has changed in the run, its functions do not have the same slots: they keep what they were
 * charged. */
static void anchor_function(struct charged *nodes, const struct member *members, size_t count,
			    const uint64_t wanted[CAUSE_COUNT])
{
	uint64_t **rows = mem_alloc_array(count, sizeof(*rows)), sum = 0;

	for (size_t i = 0; i < count; i++) {
		rows[i] = nodes[members[i].node].slots;
		sum += total(rows[i]);
	}
	if (sum && sum == total(wanted))
		anchor_rows(rows, count, wanted);
	free(rows);
}

static void anchor_nodes(struct calls *calls, const struct ledger *exact, struct charged *nodes)
{
	const struct call_tree *tree = &calls->tree;
	struct member *members = mem_alloc_array(tree->count, sizeof(*members));
	size_t count = 0;

	/* As the functions of the result are named: by what is mapped at the end. */
	call_functions_forget(&calls->functions);
	uint64_t(*wanted)[CAUSE_COUNT] = wanted_of(calls, exact);
	const size_t functions = calls->functions.count;
	for (uint32_t i = 0; i < tree->count; i++) {
		const struct call_node *node = &tree->nodes[i];

		if (node->kind == CALL_THREAD || i == tree->other)
			continue;
		members[count++] = (struct member){
			call_functions_find(&calls->functions,
					    calls->functions.items[node->function].pc),
			i};
	}
	qsort(members, count, sizeof(*members), by_function);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i; end < count && members[end].function == members[i].function; end++)
			;
		if (members[i].function < functions)
			anchor_function(nodes, members + i, end - i, wanted[members[i].function]);
	}
	free(wanted);
	free(members);
}

/* What each node was charged. What was lost before the first instruction is that of pc 0. */
static struct charged *read_nodes(struct calls *calls)
{
	const struct ledger *ledger = call_slots_ledger(calls->slots);
	size_t count;
	const struct ledger_row *rows = ledger_rows(ledger, &count);
	const uint32_t nowhere = call_tree_at(&calls->tree, calls->tree.threads[0].root, 0);
	struct charged *nodes = mem_alloc_array(calls->tree.count, sizeof(*nodes));

	for (size_t i = 0; i < count; i++) {
		const uint32_t node = call_slots_node(rows[i].pc);
		struct charged *to = &nodes[node == CALL_NONE ? nowhere : node];

		add_slots(to->slots, rows[i].slots);
		to->executed += rows[i].executed;
	}
	return nodes;
}

/* A node comes before those below it. */
static void add_up(const struct call_tree *tree, struct charged *nodes)
{
	for (size_t i = tree->count; i--;) {
		const struct call_node *node = &tree->nodes[i];

		nodes[i].all += total(nodes[i].slots);
		nodes[i].is_used |= node->calls || nodes[i].all || nodes[i].executed;
		if (node->parent == CALL_NONE)
			continue;
		nodes[node->parent].all += nodes[i].all;
		nodes[node->parent].is_used |= nodes[i].is_used;
	}
}

static json_t *causes_of(const uint64_t *slots)
{
	json_t *object = json_object();

	for (enum cause i = CAUSE_BASE; i < CAUSE_COUNT; i++)
		if (slots[i])
			json_object_set_new(object, cause_rows[i].name,
					    json_integer((json_int_t)slots[i]));
	return object;
}

static json_t *node_name(struct calls *calls, const struct call_node *node, bool is_root)
{
	if (node->kind == CALL_THREAD)
		return json_sprintf("(thread %u)", node->function);
	if (is_root)
		return json_string("(other calls)");
	const uint32_t now =
		call_functions_find(&calls->functions, calls->functions.items[node->function].pc);

	return origin_name(&calls->functions.items[now].origin);
}

static const char *const kind_names[] = {
	[CALL_THREAD] = "thread", [CALL_OTHER] = "other", [CALL_START] = "start",
	[CALL_CALL] = "call",	  [CALL_JUMP] = "jump",	  [CALL_SIGNAL] = "signal",
};

static json_t *nodes_json(struct calls *calls, struct charged *nodes)
{
	const struct call_tree *tree = &calls->tree;
	json_t *list = json_array();

	for (uint32_t i = 0; i < tree->count; i++) {
		const struct call_node *node = &tree->nodes[i];
		const bool is_root = node->parent == CALL_NONE;

		if (!nodes[i].is_used)
			continue;
		nodes[i].written = (uint32_t)json_array_size(list);
		json_array_append_new(
			list,
			json_pack(
				"{s:o, s:o, s:s, s:I, s:I, s:o}", "parent",
				is_root ? json_null()
					: json_integer((json_int_t)nodes[node->parent].written),
				"function", node_name(calls, node, is_root), "kind",
				kind_names[node->kind], "calls",
				(json_int_t)(node->calls - call_slots_uncommitted(calls->slots, i)),
				"executed", (json_int_t)nodes[i].executed, "slots",
				causes_of(nodes[i].slots)));
	}
	return list;
}

static void describe(struct job_part_run *self, json_t *result)
{
	struct calls *calls = self->state;
	struct exact *exact = observers_find(self->run->observers, &count_exact);
	struct charged *nodes = read_nodes(calls);

	anchor_nodes(calls, exact_ledger(exact), nodes);
	add_up(&calls->tree, nodes);
	json_object_set_new(result, "calls",
			    json_pack("{s:I, s:o}", "nodes_most", (json_int_t)NODES_MOST, "nodes",
				      nodes_json(calls, nodes)));
	free(nodes);
}

static void end(struct job_part_run *self)
{
	struct calls *calls = self->state;

	if (!calls)
		return;
	call_slots_destroy(calls->slots);
	call_tree_release(&calls->tree);
	call_functions_release(&calls->functions);
	free(calls);
}

static bool add_key(const struct job_part *part, struct job_key *key)
{
	job_key_number(key, calls_of(part)->interval);
	return true;
}

static const struct job_part_kind kind = {
	.name = "calls",
	.begin = begin,
	.conclude = conclude,
	.describe = describe,
	.end = end,
	.key = add_key,
};

const struct job_part *part_calls_init(struct part_calls *calls, uint64_t interval)
{
	static const struct observer_kind *const observers[] = {&count_exact, NULL};

	*calls = (struct part_calls){.part = {.kind = &kind, .observers = observers},
				     .interval = interval};
	return &calls->part;
}
