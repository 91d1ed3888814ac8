/*
 * interp_ops.h - the machine of interp and its operations.
 *
 * Code is a chain of ops. Each holds the function that performs it; the
 * function takes its operands from the stack, leaves its result there and
 * returns the op to run next. A value on the stack belongs to the stack.
 */
#ifndef INTERP_OPS_H
#define INTERP_OPS_H

#include "interp_regex.h"
#include "interp_value.h"

enum { STACK = 256, LOCALS = 512, FRAMES = 64, GLOBALS = 64, NAME_MAX_BYTES = 24, REPORTS = 8 };

struct vm;
struct op;
typedef struct op *op_function(struct vm *, struct op *);
typedef struct value *builtin_function(struct vm *, struct value **);

struct builtin {
	const char *name;
	builtin_function *run;
	int arguments; /* -1: any number, which the function finds in argument_count */
};

struct sub {
	char name[NAME_MAX_BYTES];
	char locals[32][NAME_MAX_BYTES];
	int parameters, local_count;
	struct op *entry;
	struct sub *next;
};

struct op {
	op_function *run;
	struct op *next, *other;
	struct op *before; /* in the order of making */
	struct value *constant;
	const struct builtin *builtin;
	struct regex *regex;
	struct sub *sub;
	char replacement[16];
	int slot, count;
};

struct iterator {
	struct value *array;
	size_t index;
};

struct frame {
	struct op *return_to;
	int base, top, iterator_count;
};

struct vm {
	struct heap heap;
	struct value *stack[STACK];
	struct value *locals[LOCALS];
	struct value *globals[GLOBALS];
	struct iterator iterators[FRAMES];
	struct frame frames[FRAMES];
	int depth, base, top, frame_count, iterator_count, argument_count;
	struct value *captures[REGEX_CAPTURES];
	const char *input;
	struct workload *workload;
	int64_t reported[REPORTS];
	int report_count;
	uint64_t ops, printed;

	/* compiling */
	const char *source;
	char token[256];
	enum { END, NUMBER, NAME, STRING, MARK } token_kind;
	char global_names[GLOBALS][NAME_MAX_BYTES];
	int global_count;
	struct sub *subs, *sub;
	struct op *tail; /* the last one of the code so far */
};

static void fail(const struct vm *vm, const char *what)
{
	fprintf(stderr, "interp: %s near: %.40s\n", what, vm->source);
	exit(1);
}

static void push(struct vm *vm, struct value *v)
{
	if (vm->depth == STACK)
		fail(vm, "stack overflow");
	vm->stack[vm->depth++] = v;
}

static struct value *pop(struct vm *vm)
{
	return vm->stack[--vm->depth];
}

static int64_t pop_number(struct vm *vm)
{
	struct value *v = pop(vm);
	int64_t n = number_of(v);

	drop(&vm->heap, v);
	return n;
}

static struct op *op_null(struct vm *vm, struct op *op)
{
	(void)vm;
	return op->next;
}

static struct op *op_constant(struct vm *vm, struct op *op)
{
	push(vm, keep(op->constant));
	return op->next;
}

static void push_variable(struct vm *vm, struct value *held)
{
	push(vm, held ? keep(held) : value_new(&vm->heap, UNDEF));
}

static struct op *op_get_local(struct vm *vm, struct op *op)
{
	push_variable(vm, vm->locals[vm->base + op->slot]);
	return op->next;
}

static struct op *op_get_global(struct vm *vm, struct op *op)
{
	push_variable(vm, vm->globals[op->slot]);
	return op->next;
}

static struct op *op_set_local(struct vm *vm, struct op *op)
{
	struct value **held = &vm->locals[vm->base + op->slot];

	drop(&vm->heap, *held);
	*held = pop(vm);
	return op->next;
}

static struct op *op_set_global(struct vm *vm, struct op *op)
{
	drop(&vm->heap, vm->globals[op->slot]);
	vm->globals[op->slot] = pop(vm);
	return op->next;
}

static struct op *op_drop(struct vm *vm, struct op *op)
{
	drop(&vm->heap, pop(vm));
	return op->next;
}

static struct op *op_jump(struct vm *vm, struct op *op)
{
	(void)vm;
	return op->other;
}

static struct op *op_unless(struct vm *vm, struct op *op)
{
	struct value *v = pop(vm);
	struct op *next = truth(v) ? op->next : op->other;

	drop(&vm->heap, v);
	return next;
}

/* The left side stays as the result when it decides. */
static struct op *op_and(struct vm *vm, struct op *op)
{
	if (!truth(vm->stack[vm->depth - 1]))
		return op->other;
	return op_drop(vm, op);
}

static struct op *op_or(struct vm *vm, struct op *op)
{
	if (truth(vm->stack[vm->depth - 1]))
		return op->other;
	return op_drop(vm, op);
}

#define NUMERIC_OP(name, expression)                              \
	static struct op *op_##name(struct vm *vm, struct op *op) \
	{                                                         \
		int64_t b = pop_number(vm), a = pop_number(vm);   \
                                                                  \
		push(vm, number(&vm->heap, expression));          \
		return op->next;                                  \
	}

NUMERIC_OP(add, (int64_t)((uint64_t)a + (uint64_t)b))
NUMERIC_OP(subtract, (int64_t)((uint64_t)a - (uint64_t)b))
NUMERIC_OP(multiply, (int64_t)((uint64_t)a *(uint64_t)b))
NUMERIC_OP(divide, b ? a / b : 0)
NUMERIC_OP(modulo, b ? a % b : 0)
NUMERIC_OP(equal, a == b)
NUMERIC_OP(less, a < b)
NUMERIC_OP(less_equal, a <= b)
NUMERIC_OP(greater, a > b)
NUMERIC_OP(greater_equal, a >= b)

static int pop_comparison(struct vm *vm)
{
	struct value *b = pop(vm), *a = pop(vm);
	int order = text_compare(text_of(&vm->heap, a), text_of(&vm->heap, b));

	drop(&vm->heap, a);
	drop(&vm->heap, b);
	return order;
}

static struct op *op_same(struct vm *vm, struct op *op)
{
	push(vm, number(&vm->heap, pop_comparison(vm) == 0));
	return op->next;
}

static struct op *op_differ(struct vm *vm, struct op *op)
{
	push(vm, number(&vm->heap, pop_comparison(vm) != 0));
	return op->next;
}

static struct op *op_not(struct vm *vm, struct op *op)
{
	struct value *v = pop(vm);

	push(vm, number(&vm->heap, !truth(v)));
	drop(&vm->heap, v);
	return op->next;
}

static struct op *op_concat(struct vm *vm, struct op *op)
{
	struct value *b = pop(vm), *a = pop(vm), *v;
	struct text left = text_of(&vm->heap, a), right = text_of(&vm->heap, b);

	v = string_room(&vm->heap, left.length + right.length);
	memcpy(v->bytes, left.at, left.length);
	memcpy(v->bytes + left.length, right.at, right.length);
	push(vm, v);
	drop(&vm->heap, a);
	drop(&vm->heap, b);
	return op->next;
}

static struct op *op_repeat(struct vm *vm, struct op *op)
{
	int64_t times = pop_number(vm);
	struct value *a = pop(vm), *v;
	struct text t = text_of(&vm->heap, a);

	v = string_room(&vm->heap, t.length * (size_t)(times > 0 ? times : 0));
	for (size_t i = 0; i < v->count; i += t.length)
		memcpy(v->bytes + i, t.at, t.length);
	push(vm, v);
	drop(&vm->heap, a);
	return op->next;
}

static struct op *op_get_element(struct vm *vm, struct op *op)
{
	struct value *key = pop(vm), *from = pop(vm), *found = NULL;

	if (from->type == ARRAY) {
		int64_t i = number_of(key);

		if (i >= 0 && (size_t)i < from->count)
			found = from->items[i];
	} else if (from->type == HASH) {
		struct text t = text_of(&vm->heap, key);
		struct entry **link = hash_find(from, t, text_hash(t));

		if (link && *link)
			found = (*link)->held;
	}
	push_variable(vm, found);
	drop(&vm->heap, key);
	drop(&vm->heap, from);
	return op->next;
}

/* Stack: container, key, what to store. */
static struct op *op_set_element(struct vm *vm, struct op *op)
{
	struct value *held = pop(vm), *key = pop(vm), *to = pop(vm);

	if (to->type == HASH) {
		hash_set(&vm->heap, to, text_of(&vm->heap, key), held);
	} else {
		int64_t i = number_of(key);

		if (to->type != ARRAY || i < 0 || (size_t)i >= to->count)
			fail(vm, "no such element");
		drop(&vm->heap, to->items[i]);
		to->items[i] = held;
	}
	drop(&vm->heap, key);
	drop(&vm->heap, to);
	return op->next;
}

static struct op *op_copy_two(struct vm *vm, struct op *op)
{
	push(vm, keep(vm->stack[vm->depth - 2]));
	push(vm, keep(vm->stack[vm->depth - 2]));
	return op->next;
}

static struct op *op_array(struct vm *vm, struct op *op)
{
	struct value *a = value_new(&vm->heap, ARRAY);

	vm->depth -= op->count;
	for (int i = 0; i < op->count; i++)
		array_insert(a, a->count, vm->stack[vm->depth + i]);
	push(vm, a);
	return op->next;
}

static struct op *op_hash(struct vm *vm, struct op *op)
{
	push(vm, value_new(&vm->heap, HASH));
	return op->next;
}

static int match(struct vm *vm, struct attempt *a, const struct regex *r, const struct value *v)
{
	struct text t = text_of(&vm->heap, v);

	if (!regex_match(a, r, t.at, t.length))
		return 0;
	for (int i = 0; i <= r->groups; i++) {
		const char *from = a->save[2 * i], *to = a->save[2 * i + 1];

		drop(&vm->heap, vm->captures[i]);
		vm->captures[i] = to ? string(&vm->heap, from, (size_t)(to - from))
				     : value_new(&vm->heap, UNDEF);
	}
	return 1;
}

static struct op *op_match(struct vm *vm, struct op *op)
{
	struct value *v = pop(vm);
	struct attempt a;

	push(vm, number(&vm->heap, match(vm, &a, op->regex, v)));
	drop(&vm->heap, v);
	return op->next;
}

/* Leaves the new text below the answer; the assignment follows. */
static struct op *op_substitute(struct vm *vm, struct op *op)
{
	struct value *v = pop(vm);
	size_t head, middle = strlen(op->replacement), tail;
	struct attempt a;

	if (!match(vm, &a, op->regex, v)) {
		push(vm, number(&vm->heap, 0));
		push(vm, v);
		return op->next;
	}
	head = (size_t)(a.save[0] - a.begin);
	tail = (size_t)(a.end - a.save[1]);
	push(vm, number(&vm->heap, 1));
	push(vm, string_room(&vm->heap, head + middle + tail));
	memcpy(vm->stack[vm->depth - 1]->bytes, a.begin, head);
	memcpy(vm->stack[vm->depth - 1]->bytes + head, op->replacement, middle);
	memcpy(vm->stack[vm->depth - 1]->bytes + head + middle, a.save[1], tail);
	drop(&vm->heap, v);
	return op->next;
}

static struct op *op_iterate(struct vm *vm, struct op *op)
{
	if (vm->iterator_count == FRAMES || vm->stack[vm->depth - 1]->type != ARRAY)
		fail(vm, "cannot iterate");
	vm->iterators[vm->iterator_count++] = (struct iterator){pop(vm), 0};
	return op->next;
}

static struct op *op_next_item(struct vm *vm, struct op *op)
{
	struct iterator *it = &vm->iterators[vm->iterator_count - 1];

	if (it->index < it->array->count) {
		push(vm, keep(it->array->items[it->index++]));
		return op->next;
	}
	drop(&vm->heap, it->array);
	vm->iterator_count--;
	return op->other;
}

static struct op *op_call(struct vm *vm, struct op *op)
{
	int top = vm->top + op->sub->local_count;

	if (vm->frame_count == FRAMES || top > LOCALS)
		fail(vm, "calls nested too deeply");
	vm->frames[vm->frame_count++] =
		(struct frame){op->next, vm->base, vm->top, vm->iterator_count};
	vm->base = vm->top;
	vm->top = top;
	for (int i = op->sub->parameters; i-- > 0;)
		vm->locals[vm->base + i] = pop(vm);
	return op->sub->entry;
}

static struct op *op_return(struct vm *vm, struct op *op)
{
	const struct frame *f = &vm->frames[--vm->frame_count];

	(void)op;
	for (int i = vm->base; i < vm->top; i++) {
		drop(&vm->heap, vm->locals[i]);
		vm->locals[i] = NULL;
	}
	while (vm->iterator_count > f->iterator_count)
		drop(&vm->heap, vm->iterators[--vm->iterator_count].array);
	vm->base = f->base;
	vm->top = f->top;
	return f->return_to;
}

static struct op *op_builtin(struct vm *vm, struct op *op)
{
	struct value **arguments = &vm->stack[vm->depth - op->count], *result;

	vm->argument_count = op->count;
	result = op->builtin->run(vm, arguments);
	for (int i = 0; i < op->count; i++)
		drop(&vm->heap, pop(vm));
	push(vm, result);
	return op->next;
}

#endif
