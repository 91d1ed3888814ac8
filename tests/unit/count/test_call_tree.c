/* The tree of calls, from transfers written by hand: what leaves which frames. Functions are pages:
 * the one at 0x1000 * n has number n and begins there; 9 is a stub. */
#include "../test.h"

#include "count/call_tree.h"

static struct call_function functions[16];

static uint32_t find(void *context, uint64_t pc)
{
	(void)context;
	return (uint32_t)(pc >> 12) % 16;
}

static const struct call_function *about(void *context, uint32_t function)
{
	(void)context;
	functions[function] = (struct call_function){(uint64_t)function << 12, function == 9};
	return &functions[function];
}

static void signal_stack(void *context, uint64_t *low, uint64_t *high)
{
	(void)context;
	*low = 0x90000;
	*high = 0x91000;
}

static void begin(struct call_tree *tree, size_t limit)
{
	const struct call_functions all = {find, about, signal_stack, NULL};

	call_tree_init(tree, &all, limit);
	call_tree_begin(tree, 1, 0x1010);
}

static void go(struct call_tree *tree, enum transfer_kind kind, uint64_t pc, uint64_t target,
	       uint64_t sp)
{
	call_tree_transfer(tree, &(struct cycle_transfer){.pc = pc,
							  .next = pc + 4,
							  .target = target,
							  .sp = sp,
							  .thread = 1,
							  .kind = (uint16_t)kind});
}

/* The path of the node that runs, one hexadecimal digit for each function; a tail call has a dot
 * before it, a handler an exclamation mark. */
static const char *path(const struct call_tree *tree, char text[64])
{
	uint32_t nodes[32];
	size_t count = 0, used = 0;

	for (uint32_t node = call_tree_node(tree); node != CALL_NONE;
	     node = tree->nodes[node].parent)
		nodes[count++] = node;
	while (count--) {
		const struct call_node *node = &tree->nodes[nodes[count]];

		if (node->parent == CALL_NONE)
			continue;
		if (node->kind == CALL_JUMP)
			text[used++] = '.';
		if (node->kind == CALL_SIGNAL)
			text[used++] = '!';
		if (node->kind == CALL_OTHER)
			text[used++] = '?';
		used += (size_t)sprintf(text + used, "%x", node->function);
	}
	text[used] = '\0';
	return text;
}

static void is_at(const struct call_tree *tree, const char *wanted)
{
	char text[64];

	assert_string_equal(path(tree, text), wanted);
}

static uint64_t calls_here(const struct call_tree *tree)
{
	return tree->nodes[call_tree_node(tree)].calls;
}

TEST(calls_and_returns_go_down_and_up)
{
	struct call_tree tree;

	begin(&tree, 100);
	is_at(&tree, "1");
	assert_int_equal(calls_here(&tree), 0);
	for (int i = 1; i <= 3; i++) {
		go(&tree, TRANSFER_CALL, 0x1020, 0x2000, 0x8000);
		is_at(&tree, "12");
		assert_int_equal(calls_here(&tree), i);
		go(&tree, TRANSFER_CALL, 0x2020, 0x2000, 0x7f00);
		is_at(&tree, "122");
		go(&tree, TRANSFER_RETURN, 0x2040, 0x2024, 0x7f00);
		is_at(&tree, "12");
		go(&tree, TRANSFER_RETURN, 0x2044, 0x1024, 0x8000);
		is_at(&tree, "1");
	}
	assert_int_equal(tree.threads[0].count, 0);
	/* The function that it all began in returns to its caller. */
	go(&tree, TRANSFER_RETURN, 0x1030, 0x3044, 0x8100);
	is_at(&tree, "3");
	assert_int_equal(calls_here(&tree), 0);
	call_tree_release(&tree);
}

TEST(a_tail_call_is_below_and_a_cycle_of_them_goes_back)
{
	struct call_tree tree;

	begin(&tree, 100);
	go(&tree, TRANSFER_CALL, 0x1020, 0x2000, 0x8000);
	for (int i = 1; i <= 3; i++) {
		go(&tree, TRANSFER_JUMP, 0x2020, 0x3000, 0x8000);
		is_at(&tree, "12.3");
		assert_int_equal(calls_here(&tree), i);
		go(&tree, TRANSFER_JUMP, 0x3020, 0x2000, 0x8000);
		is_at(&tree, "12");
		assert_int_equal(calls_here(&tree), 1 + i);
	}
	/* A jump within a function is no call, and one into the middle of another neither. */
	go(&tree, TRANSFER_JUMP, 0x2020, 0x2000, 0x8000);
	assert_int_equal(calls_here(&tree), 4);
	go(&tree, TRANSFER_JUMP, 0x2020, 0x4010, 0x8000);
	is_at(&tree, "12.4");
	assert_int_equal(calls_here(&tree), 0);
	go(&tree, TRANSFER_RETURN, 0x4020, 0x1024, 0x8000);
	is_at(&tree, "1");
	call_tree_release(&tree);
}

TEST(a_stub_gives_its_place_to_what_it_jumps_to)
{
	struct call_tree tree;

	begin(&tree, 100);
	go(&tree, TRANSFER_CALL, 0x1020, 0x9000, 0x8000);
	is_at(&tree, "19");
	go(&tree, TRANSFER_JUMP, 0x9008, 0x5000, 0x8000);
	is_at(&tree, "15");
	assert_int_equal(calls_here(&tree), 1);
	go(&tree, TRANSFER_RETURN, 0x5008, 0x1024, 0x8000);
	is_at(&tree, "1");
	call_tree_release(&tree);
}

TEST(a_higher_stack_pointer_leaves_frames)
{
	struct call_tree tree;

	begin(&tree, 100);
	go(&tree, TRANSFER_CALL, 0x1020, 0x2000, 0x8000);
	go(&tree, TRANSFER_CALL, 0x2020, 0x3000, 0x7f00);
	go(&tree, TRANSFER_CALL, 0x3020, 0x4000, 0x7e00);
	go(&tree, TRANSFER_CALL, 0x4020, 0x5000, 0x7d00);
	/* longjmp to where function 2 has called setjmp: the frame of 3 had this stack pointer. */
	go(&tree, TRANSFER_RETURN, 0x5020, 0x2010, 0x7f00);
	is_at(&tree, "12");
	/* The same where each is a call of the same function: the second of three stays. */
	go(&tree, TRANSFER_RETURN, 0x2044, 0x1024, 0x8000);
	go(&tree, TRANSFER_CALL, 0x1020, 0x2000, 0x8000);
	go(&tree, TRANSFER_CALL, 0x2020, 0x2000, 0x7f00);
	go(&tree, TRANSFER_CALL, 0x2020, 0x2000, 0x7e00);
	go(&tree, TRANSFER_CALL, 0x2030, 0x5000, 0x7d00);
	go(&tree, TRANSFER_RETURN, 0x5020, 0x2010, 0x7e00);
	is_at(&tree, "122");
	go(&tree, TRANSFER_RETURN, 0x2044, 0x2024, 0x7f00);
	is_at(&tree, "12");
	call_tree_release(&tree);
}

/* Linux takes over at `pc` and lets the program go on at `target`. */
static void through_linux(struct call_tree *tree, uint64_t pc, uint64_t sp, uint64_t target,
			  uint64_t new_sp)
{
	go(tree, TRANSFER_LEAVE, pc, pc, sp);
	go(tree, TRANSFER_ENTER_LATER, target, target, new_sp);
	go(tree, TRANSFER_ENTER, target, target, new_sp);
}

TEST(signals_are_below_what_they_interrupt)
{
	struct call_tree tree;

	begin(&tree, 100);
	go(&tree, TRANSFER_CALL, 0x1020, 0x2000, 0x8000);
	through_linux(&tree, 0x2010, 0x7f00, 0x2014, 0x7f00); /* a system call */
	is_at(&tree, "12");
	for (int i = 1; i <= 2; i++) {
		const uint64_t sp = i == 1 ? 0x7000 : 0x90800; /* the thread's, its own */

		through_linux(&tree, 0x2010, 0x7f00, 0x6000, sp);
		is_at(&tree, "12!6");
		assert_int_equal(calls_here(&tree), i);
		go(&tree, TRANSFER_CALL, 0x6010, 0x3000, sp - 16);
		is_at(&tree, "12!63");
		go(&tree, TRANSFER_RETURN, 0x3010, 0x6014, sp - 16);
		through_linux(&tree, 0x6020, sp, 0x2014, 0x7f00);
		is_at(&tree, "12");
	}
	/* Left by siglongjmp from the handler's own stack, which is above. */
	through_linux(&tree, 0x2010, 0x7f00, 0x6000, 0x90800);
	go(&tree, TRANSFER_CALL, 0x6010, 0x3000, 0x907f0);
	go(&tree, TRANSFER_RETURN, 0x3010, 0x2030, 0x7f00);
	is_at(&tree, "12");
	go(&tree, TRANSFER_RETURN, 0x2044, 0x1024, 0x8000);
	is_at(&tree, "1");
	call_tree_release(&tree);
}

TEST(beyond_the_limit_there_is_a_node_for_each_function)
{
	struct call_tree tree;

	begin(&tree, 5);
	for (unsigned i = 0; i < 10; i++)
		go(&tree, TRANSFER_CALL, i ? 0x2020 : 0x1020, 0x2000, 0x8000 - 16 * i);
	is_at(&tree, "?2");
	assert_int_equal(calls_here(&tree), 7);
	assert_int_equal(tree.count, 7); /* with the root of the others and one of them */
	for (unsigned i = 9; i; i--)
		go(&tree, TRANSFER_RETURN, 0x2044, 0x2024, 0x8000 - 16 * i);
	is_at(&tree, "12");
	go(&tree, TRANSFER_RETURN, 0x2044, 0x1024, 0x8000);
	is_at(&tree, "1");
	call_tree_release(&tree);
}

TEST(a_called_node_can_be_taken_back)
{
	struct call_tree tree;

	begin(&tree, 100);
	go(&tree, TRANSFER_CALL, 0x1020, 0x2000, 0x8000);
	assert_int_equal(tree.called, call_tree_node(&tree));
	go(&tree, TRANSFER_RETURN, 0x2044, 0x1024, 0x8000);
	assert_int_equal(tree.called, CALL_NONE);
	call_tree_release(&tree);
}
