#include "count/call_tree.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/err.h"

/* Of all threads together, about 80 MB: a stack of 8 MB has fewer. */
#define FRAMES_MOST (1u << 20)

struct wanted {
	const struct call_tree *tree;
	uint32_t parent, function;
	uint8_t kind;
};

static bool is_wanted(const struct call_node *node, const struct wanted *wanted)
{
	return node->parent == wanted->parent && node->function == wanted->function &&
	       node->kind == wanted->kind;
}

static bool same(const void *context, size_t number)
{
	const struct wanted *wanted = context;

	return is_wanted(&wanted->tree->nodes[number], wanted);
}

static uint32_t add_node(struct call_tree *tree, const struct wanted *wanted, uint64_t hash)
{
	const uint32_t number = (uint32_t)tree->count;

	*ARRAY_PUSH(tree->nodes, tree->count, tree->capacity) = (struct call_node){
		.parent = wanted->parent,
		.function = wanted->function,
		.last_child = CALL_NONE,
		.kind = wanted->kind,
	};
	index_add(&tree->index, hash, number);
	return number;
}

/* CALL_NONE if it has to be made and must not be. */
static uint32_t find_node(struct call_tree *tree, uint32_t parent, uint32_t function,
			  enum call_kind kind, bool may_add)
{
	const struct wanted wanted = {tree, parent, function, (uint8_t)kind};
	uint32_t *last = parent == CALL_NONE ? NULL : &tree->nodes[parent].last_child;

	if (last && *last != CALL_NONE && is_wanted(&tree->nodes[*last], &wanted))
		return *last;
	const uint64_t hash =
		index_hash_number(index_hash_number((uint64_t)kind + 1, parent), function);
	const size_t found = index_find(&tree->index, hash, same, &wanted);
	uint32_t number = CALL_NONE;

	if (found != INDEX_NONE)
		number = (uint32_t)found;
	else if (may_add)
		number = add_node(tree, &wanted, hash);
	if (number != CALL_NONE && parent != CALL_NONE)
		tree->nodes[parent].last_child = number;
	return number;
}

static uint32_t other_root(struct call_tree *tree)
{
	if (tree->other == CALL_NONE)
		tree->other = find_node(tree, CALL_NONE, 0, CALL_OTHER, true);
	return tree->other;
}

static uint32_t other_node(struct call_tree *tree, uint32_t function)
{
	return find_node(tree, other_root(tree), function, CALL_OTHER, true);
}

static uint32_t child_of(struct call_tree *tree, uint32_t parent, uint32_t function,
			 enum call_kind kind)
{
	if (tree->nodes[parent].kind == CALL_OTHER)
		return other_node(tree, function);
	const uint32_t child = find_node(tree, parent, function, kind, tree->count < tree->limit);

	return child == CALL_NONE ? other_node(tree, function) : child;
}

static uint32_t function_at(const struct call_tree *tree, uint64_t pc)
{
	return tree->functions.find(tree->functions.context, pc);
}

static const struct call_function *about(const struct call_tree *tree, uint32_t function)
{
	return tree->functions.about(tree->functions.context, function);
}

static bool has_code(const struct call_tree *tree, uint32_t node)
{
	return tree->nodes[node].kind != CALL_THREAD && node != tree->other;
}

/* The node of this function among this one and those above it in its frame; CALL_NONE if there is
 * none. */
static uint32_t find_in_frame(const struct call_tree *tree, uint32_t node, uint32_t function)
{
	while (has_code(tree, node) && tree->nodes[node].function != function) {
		if (tree->nodes[node].kind != CALL_JUMP)
			return CALL_NONE;
		node = tree->nodes[node].parent;
	}
	return has_code(tree, node) ? node : CALL_NONE;
}

static uint32_t node_for(struct call_tree *tree, uint32_t node, uint32_t function, bool jumps)
{
	const struct call_node *from = &tree->nodes[node];
	const uint32_t found = find_in_frame(tree, node, function);

	if (found != CALL_NONE)
		return found;
	if (!has_code(tree, node))
		return child_of(tree, node, function, CALL_START);
	if (jumps && from->kind != CALL_OTHER && about(tree, from->function)->is_stub)
		return child_of(tree, from->parent, function, (enum call_kind)from->kind);
	return child_of(tree, node, function, CALL_JUMP);
}

uint32_t call_tree_at(struct call_tree *tree, uint32_t node, uint64_t pc)
{
	const uint32_t function = function_at(tree, pc);

	return has_code(tree, node) && tree->nodes[node].function == function
		       ? node
		       : node_for(tree, node, function, false);
}

#define NEAR_DEPTH 64

uint32_t call_tree_near(struct call_tree *tree, uint32_t node, uint64_t pc)
{
	const uint32_t function = function_at(tree, pc);
	uint32_t found = node;

	for (unsigned i = 0; i < NEAR_DEPTH && has_code(tree, found); i++) {
		if (tree->nodes[found].function == function)
			return found;
		found = tree->nodes[found].parent;
	}
	found = find_node(tree, node, function, CALL_CALL, false);
	return found == CALL_NONE ? call_tree_at(tree, node, pc) : found;
}

uint32_t call_tree_node(const struct call_tree *tree)
{
	return tree->threads[tree->thread].node;
}

static void count_call(struct call_tree *tree, uint32_t node)
{
	tree->nodes[node].calls++;
	tree->called = node;
}

static bool find_thread(struct call_tree *tree, uint32_t id)
{
	if (tree->thread < tree->thread_count && tree->threads[tree->thread].id == id)
		return true;
	for (tree->thread = 0; tree->thread < tree->thread_count; tree->thread++)
		if (tree->threads[tree->thread].id == id)
			return true;
	return false;
}

static bool has_own_stack(const struct call_frame *frame)
{
	return frame->low < frame->high;
}

static void drop_frames(struct call_tree *tree, struct call_thread *thread, size_t count)
{
	if (count)
		thread->unpushed = 0;
	for (size_t i = thread->count - count; thread->own_stacks && i < thread->count; i++)
		thread->own_stacks -= has_own_stack(&thread->frames[i]);
	thread->count -= count;
	tree->frame_count -= count;
}

void call_tree_begin(struct call_tree *tree, uint32_t id, uint64_t pc)
{
	if (!find_thread(tree, id)) {
		const uint32_t root = tree->count < tree->limit
					      ? find_node(tree, CALL_NONE, id, CALL_THREAD, true)
					      : other_root(tree);

		*ARRAY_PUSH(tree->threads, tree->thread_count, tree->thread_capacity) =
			(struct call_thread){.id = id, .root = root};
	}
	struct call_thread *thread = &tree->threads[tree->thread];

	drop_frames(tree, thread, thread->count);
	thread->unpushed = 0;
	thread->is_started = true;
	thread->node = call_tree_at(tree, thread->root, pc);
	if (tree->counts_start)
		count_call(tree, thread->node);
}

static void push(struct call_tree *tree, struct call_thread *thread, struct call_frame frame)
{
	if (tree->frame_count == FRAMES_MOST || thread->unpushed) {
		thread->unpushed++;
		return;
	}
	*ARRAY_PUSH(thread->frames, thread->count, thread->capacity) = frame;
	thread->own_stacks += has_own_stack(&frame);
	tree->frame_count++;
}

static struct call_frame *top_of(struct call_thread *thread)
{
	return thread->count ? &thread->frames[thread->count - 1] : NULL;
}

/* Removes the frames from `first` on: what runs is what called the first of them. */
static void pop_from(struct call_tree *tree, struct call_thread *thread, size_t first)
{
	thread->node = thread->frames[first].caller;
	drop_frames(tree, thread, thread->count - first);
}

/* How many frames are below those of the signal handlers whose own stack was left, and how many
 * cannot be left because the handler on top is on its own stack. */
static size_t own_stacks(const struct call_thread *thread, uint64_t sp, size_t *kept)
{
	size_t left = thread->count;

	*kept = 0;
	for (size_t i = thread->count; thread->own_stacks && i; i--) {
		const struct call_frame *frame = &thread->frames[i - 1];

		if (has_own_stack(frame) && sp - frame->low <= frame->high - frame->low) {
			*kept = i;
			break;
		}
		if (has_own_stack(frame))
			left = i - 1;
	}
	return left;
}

/* Removes the frames that a stack pointer has left; whether there were any. */
static bool pop_left(struct call_tree *tree, struct call_thread *thread, uint64_t sp)
{
	size_t kept, left = own_stacks(thread, sp, &kept);

	while (left > kept && thread->frames[left - 1].entry_sp < sp)
		left--;
	if (left == thread->count)
		return false;
	pop_from(tree, thread, left);
	return true;
}

/* Of a jump that is no return to a caller: removes the frames that had this stack pointer when they
 * were entered and have used more since. */
static void pop_used(struct call_tree *tree, struct call_thread *thread, uint64_t sp,
		     uint64_t target)
{
	const uint32_t function = function_at(tree, target);

	if (about(tree, function)->entry == target)
		return;
	for (const struct call_frame *top;
	     (top = top_of(thread)) && top->entry_sp == sp && top->is_deep && !top->is_signal;)
		pop_from(tree, thread, thread->count - 1);
}

/* The program goes on at `target` in the frame that is on top. */
static void move_to(struct call_tree *tree, struct call_thread *thread, uint64_t target)
{
	const uint32_t function = function_at(tree, target);

	if (has_code(tree, thread->node) && tree->nodes[thread->node].function == function)
		return;
	const bool is_called =
		has_code(tree, thread->node) && about(tree, function)->entry == target;

	thread->node = node_for(tree, thread->node, function, true);
	if (is_called)
		count_call(tree, thread->node);
}

static void call(struct call_tree *tree, struct call_thread *thread,
		 const struct cycle_transfer *transfer)
{
	struct call_frame *top;

	pop_left(tree, thread, transfer->sp);
	top = top_of(thread);
	thread->node = call_tree_at(tree, thread->node, transfer->pc);
	if (top && transfer->sp < top->entry_sp)
		top->is_deep = true;
	push(tree, thread,
	     (struct call_frame){.entry_sp = transfer->sp,
				 .return_to = transfer->next,
				 .arguments = {transfer->arguments[0], transfer->arguments[1],
					       transfer->arguments[2]},
				 .caller = thread->node});
	const uint32_t function = function_at(tree, transfer->target);

	thread->node = thread->unpushed ? other_node(tree, function)
					: child_of(tree, thread->node, function, CALL_CALL);
	count_call(tree, thread->node);
}

/* Whether it is a return to one of the frames with this stack pointer, which is removed. */
static bool pop_returned(struct call_tree *tree, struct call_thread *thread, uint64_t sp,
			 uint64_t target)
{
	for (size_t i = thread->count; i; i--) {
		const struct call_frame *frame = &thread->frames[i - 1];
		/* A function may leave a lower stack pointer: __riscv_save_0 does. */
		const bool may_be =
			i == thread->count ? sp <= frame->entry_sp : sp == frame->entry_sp;

		if (!may_be || frame->is_signal)
			return false;
		if (frame->return_to == target) {
			pop_from(tree, thread, i - 1);
			return true;
		}
	}
	return false;
}

static void jump(struct call_tree *tree, struct call_thread *thread,
		 const struct cycle_transfer *transfer)
{
	const bool returns = transfer->kind != TRANSFER_JUMP;

	thread->node = call_tree_at(tree, thread->node, transfer->pc);
	const bool has_left = pop_left(tree, thread, transfer->sp);

	if (returns && thread->unpushed) {
		thread->unpushed--;
		thread->node = other_node(tree, function_at(tree, transfer->target));
		return;
	}
	if (returns && pop_returned(tree, thread, transfer->sp, transfer->target)) {
		thread->node = call_tree_at(tree, thread->node, transfer->target);
		return;
	}
	if (returns || has_left)
		pop_used(tree, thread, transfer->sp, transfer->target);
	/* The function in which the thread began to be followed returns to its caller. */
	if (returns && !thread->count && has_code(tree, thread->node))
		thread->node = thread->root;
	move_to(tree, thread, transfer->target);
}

/* At the instruction that called Linux, or at the next. */
static bool goes_on_at(const struct cycle_transfer *transfer, uint64_t pc)
{
	return transfer->target - pc + 4 <= 8;
}

/* Removes the frame of the signal that came where the thread now goes on; false if there is none.
 */
static bool pop_signal(struct call_tree *tree, struct call_thread *thread,
		       const struct cycle_transfer *transfer)
{
	for (size_t i = thread->count; i; i--) {
		const struct call_frame *frame = &thread->frames[i - 1];

		if (frame->is_signal && frame->resume_sp == transfer->sp &&
		    goes_on_at(transfer, frame->return_to)) {
			pop_from(tree, thread, i - 1);
			return true;
		}
	}
	return false;
}

static void enter(struct call_tree *tree, const struct cycle_transfer *transfer)
{
	if (!find_thread(tree, transfer->thread) || !tree->threads[tree->thread].is_started) {
		call_tree_begin(tree, transfer->thread, transfer->target);
		tree->threads[tree->thread].left_pc = transfer->target;
		tree->threads[tree->thread].left_sp = transfer->sp;
		return;
	}
	struct call_thread *thread = &tree->threads[tree->thread];
	struct call_frame frame = {.entry_sp = transfer->sp,
				   .return_to = thread->left_pc,
				   .resume_sp = thread->left_sp,
				   .is_signal = true};
	uint64_t low, high;

	const bool is_same =
		transfer->sp == thread->left_sp && goes_on_at(transfer, thread->left_pc);

	thread->left_pc = transfer->target;
	thread->left_sp = transfer->sp;
	if (is_same)
		return;
	if (pop_signal(tree, thread, transfer))
		return;
	/* A handler begins where nothing has been executed before. */
	if (about(tree, function_at(tree, transfer->target))->entry != transfer->target &&
	    transfer->sp >= frame.resume_sp) {
		pop_left(tree, thread, transfer->sp);
		move_to(tree, thread, transfer->target);
		return;
	}
	tree->functions.signal_stack(tree->functions.context, &low, &high);
	if (transfer->sp >= low && transfer->sp < high &&
	    !(frame.resume_sp >= low && frame.resume_sp < high)) {
		frame.low = low;
		frame.high = high;
	}
	frame.caller = thread->node;
	push(tree, thread, frame);
	thread->node =
		child_of(tree, thread->node, function_at(tree, transfer->target), CALL_SIGNAL);
	count_call(tree, thread->node);
}

void call_tree_transfer(struct call_tree *tree, const struct cycle_transfer *transfer)
{
	tree->called = CALL_NONE;
	if (transfer->kind >= TRANSFER_ENTER_LATER) {
		enter(tree, transfer);
		return;
	}
	if (!find_thread(tree, transfer->thread) || !tree->threads[tree->thread].is_started)
		call_tree_begin(tree, transfer->thread, transfer->pc);
	struct call_thread *thread = &tree->threads[tree->thread];

	switch ((enum transfer_kind)transfer->kind) {
	case TRANSFER_CALL: call(tree, thread, transfer); break;
	case TRANSFER_JUMP:
	case TRANSFER_RETURN: jump(tree, thread, transfer); break;
	case TRANSFER_LAST: thread->is_started = false; break;
	case TRANSFER_LEAVE:
		thread->left_pc = transfer->pc;
		thread->left_sp = transfer->sp;
		break;
	case TRANSFER_ENTER_LATER:
	case TRANSFER_ENTER: break;
	}
}

void call_tree_init(struct call_tree *tree, const struct call_functions *functions, size_t limit)
{
	*tree = (struct call_tree){.functions = *functions, .limit = limit, .other = CALL_NONE};
}

void call_tree_release(struct call_tree *tree)
{
	for (size_t i = 0; i < tree->thread_count; i++)
		free(tree->threads[i].frames);
	free(tree->threads);
	free(tree->nodes);
	index_release(&tree->index);
}
