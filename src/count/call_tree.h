/*
 * call_tree.h - who called whom: a tree with a node for every path of calls, from the transfers of
 * the records (signal/cycle.h).
 *
 * Each thread has a stack of frames, pushed by calls, with the stack pointer and the address to
 * return to. What leaves a frame:
 *   - a return to its address;
 *   - any jump after which the stack pointer is above what it was when the frame was entered, as
 *     longjmp and the unwinder of C++ exceptions do it; of frames with that very stack pointer, by
 *     a return to an address of none of them, those that have called something themselves;
 *   - with a frame that a signal has pushed: the return to where the signal came, or a stack
 *     pointer that has left the alternative stack it was handled on.
 * A jump to another function is a tail call: a node below that of the function that jumps, in the
 * same frame. If one of the functions above it in the frame is jumped to, the path is cut back to
 * that. What a stub without a name jumps to (an entry of the PLT, the dynamic linker's resolver) is
 * at the place of the stub.
 * Code that is reached in another way (a conditional branch, the next instruction) is below the
 * function before it, as by a tail call, and counts no call.
 *
 * Calls count when they happen: by a call, by a jump of another function to the first instruction,
 * by a signal.
 *
 * Bounded: beyond `limit` nodes, new paths are nodes below CALL_OTHER, one for each function. Does
 * not follow programs that change their stack by themselves (goroutines, makecontext): a change to
 * a higher address leaves frames, one to a lower address keeps them.
 */
#ifndef COUNT_CALL_TREE_H
#define COUNT_CALL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "signal/cycle.h"

enum call_kind {
	CALL_THREAD, /* a root; its function is the thread's id */
	CALL_OTHER,  /* the root of what has no node of its own, and its nodes */
	CALL_START,  /* it ran when the thread began to be followed, or was returned to */
	CALL_CALL,
	CALL_JUMP,   /* a tail call, or code reached without a call */
	CALL_SIGNAL, /* a handler, called by Linux */
};

/* Functions have numbers, given by who makes the tree. */
struct call_function {
	uint64_t entry; /* 0: not known */
	bool is_stub;	/* what it jumps to is at its place */
};
struct call_functions {
	uint32_t (*find)(void *context, uint64_t pc);
	const struct call_function *(*about)(void *context, uint32_t function);
	/* The alternative signal stack of the thread that runs: [low, high); equal: none. */
	void (*signal_stack)(void *context, uint64_t *low, uint64_t *high);
	void *context;
};

#define CALL_NONE UINT32_MAX

struct call_node {
	uint32_t parent; /* a node before it, or CALL_NONE */
	uint32_t function;
	uint32_t last_child; /* found last; or CALL_NONE */
	uint8_t kind;	     /* enum call_kind */
	uint64_t calls;
};

struct call_frame {
	uint64_t entry_sp, return_to;
	uint64_t arguments[3];	       /* of the call */
	uint64_t resume_sp, low, high; /* of a signal's: where it came, and its own stack */
	uint32_t caller;	       /* the node that called */
	bool is_signal;
	bool is_deep; /* it has called with a lower stack pointer */
};

struct call_thread {
	uint32_t id, root, node;
	struct call_frame *frames;
	size_t count, capacity, own_stacks; /* of the frames, those with `low` and `high` */
	uint64_t left_pc, left_sp;	    /* at the last TRANSFER_LEAVE */
	uint64_t unpushed;		    /* calls for which there was no room */
	bool is_started;
};

/* Open for reading. */
struct call_tree {
	struct call_functions functions;
	struct call_node *nodes;
	size_t count, capacity, limit, frame_count;
	uint32_t other; /* its root; CALL_NONE: everything has its node */
	struct index index;
	struct call_thread *threads;
	size_t thread_count, thread_capacity, thread;
	uint32_t called; /* the node that the last transfer has called, or CALL_NONE */
	/* Nodes that begin a thread, or a call that is measured, count as called. */
	bool counts_start;
};

void call_tree_init(struct call_tree *tree, const struct call_functions *functions, size_t limit);
void call_tree_release(struct call_tree *tree);

/* In program order. What is executed next is in the node that call_tree_node then gives. */
void call_tree_transfer(struct call_tree *tree, const struct cycle_transfer *transfer);
/* A thread begins to be followed at `pc`. */
void call_tree_begin(struct call_tree *tree, uint32_t thread, uint64_t pc);
/* The node of the thread that runs. */
uint32_t call_tree_node(const struct call_tree *tree);
/* Where the instruction at `pc` is, if a node is what call_tree_node gave: that node, or one above
 * or below it in the same frame if it is of another function. */
uint32_t call_tree_at(struct call_tree *tree, uint32_t node, uint64_t pc);
/* Where the instruction at `pc` might have been executed next: one above or below it. */
uint32_t call_tree_near(struct call_tree *tree, uint32_t node, uint64_t pc);

#endif
