/*
 * calls.h - who called whom in a result of `run` (its member "calls") as C values, checked once.
 *
 * What holds afterwards: a node comes before those below it; with all below them the roots have the
 * slots of the run, cause by cause; a root has no slots of its own. In `order`, each node is
 * followed by those below it, the one with most slots first. Strings belong to the JSON.
 */
#ifndef VALUE_CALLS_H
#define VALUE_CALLS_H

#include "value/stacks.h"

#define CALLS_NO_PARENT SIZE_MAX

struct calls_node {
	size_t parent; /* its index; or CALLS_NO_PARENT */
	const char *function;
	const char *kind; /* "call", "jump", "signal", "start", "other", "thread" */
	int64_t calls, executed;
	struct stacks_slots slots; /* its own */
	struct stacks_slots all;   /* with all below it */
	unsigned depth;		   /* 0: a root */
};

struct calls {
	struct calls_node *nodes;
	size_t count;
	size_t *order;
	int64_t nodes_most;
	int64_t other_slots; /* of what has no node of its own */
};

/* False with a sentence if the member is not that. Without it there are no nodes. Layouts have been
 * checked: the stacks are those of the same result. */
bool calls_read(struct calls *calls, const struct stacks *stacks, const json_t *result,
		struct err *err);
void calls_release(struct calls *calls);
/* The same of a result that has followed no calls: a root with every function below it. */
bool calls_read_any(struct calls *calls, const struct stacks *stacks, const json_t *result,
		    struct err *err);
/* Whether there is one root: then it says nothing. */
bool calls_has_one_root(const struct calls *calls);

/* The path to a node, the root first and the node last; its length. Of a longer one the nodes after
 * the first CALLS_PATH_MOST - 1 are left out but the last, and there is a CALLS_CUT for them. */
#define CALLS_PATH_MOST 128
#define CALLS_CUT	SIZE_MAX
#define CALLS_CUT_NAME	"(deeper calls)"
size_t calls_path(const struct calls *calls, size_t node, size_t path[CALLS_PATH_MOST + 1]);

/* A function with what it has under all who call it: a recursion counts once. */
struct calls_function {
	const char *function;
	int64_t calls;
	struct stacks_slots all; /* with what it calls */
	struct stacks_slots own;
};
/* The one with most slots first; the caller frees the list. */
struct calls_function *calls_functions(const struct calls *calls, size_t *count);

/* Calls of one function by another, of all paths; for "thread" and "other" there is none. */
struct calls_edge {
	const char *caller, *callee;
	int64_t calls;
	struct stacks_slots all; /* of the callee, called so; a recursion counts once */
};
/* Those of one caller lie side by side; the caller frees the list. */
struct calls_edge *calls_edges(const struct calls *calls, size_t *count);

/* Whether a node is a function's, and not a root. */
static inline bool calls_is_function(const struct calls *calls, size_t node)
{
	return calls->nodes[node].parent != CALLS_NO_PARENT;
}

#endif
