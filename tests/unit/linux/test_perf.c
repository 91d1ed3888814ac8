/* Performance events on a processor with two counters that only this test has: which events are on
 * them, their counts and times, worked out on paper. */
#include "../test.h"

#include <errno.h>
#include <fcntl.h>

#include "base/array.h"
#include "linux/file_operations.h"
#include "linux/perf.h"
#include "linux/syscall.h"

#define BUFFER UINT64_C(0x10000)
#define ME     1000
#define OTHER  1001

/* Event e counts e * 100 a nanosecond; counters are 3 and 4, and are given out lowest first. */
struct test_unit {
	const struct process *process;
	int event[2];
	bool counts_user[2];
	uint64_t before[2]; /* what the counter had when it was started */
	unsigned starts, stops, begins;
	bool cannot[8]; /* events that cannot be counted now */
};

static int find(void *context, uint32_t type, uint64_t config)
{
	(void)context;
	return type == PERF_TYPE_RAW && config < 8 ? (int)config : -EINVAL;
}

static int list(void *context, size_t index, char name[PERF_NAME_BYTES])
{
	(void)context, (void)index, (void)name;
	return -1;
}

static bool can_count(void *context, int event)
{
	return !((const struct test_unit *)context)->cannot[event];
}

static int start(void *context, int event, bool counts_user)
{
	struct test_unit *unit = context;

	for (int i = 0; i < 2; i++)
		if (!unit->event[i]) {
			unit->event[i] = event;
			unit->counts_user[i] = counts_user;
			unit->starts++;
			return 3 + i;
		}
	return COUNTER_NONE;
}

static void stop(void *context, int counter)
{
	struct test_unit *unit = context;

	assert_in_range(counter, 3, 4);
	assert_true(unit->event[counter - 3]);
	unit->event[counter - 3] = 0;
	unit->stops++;
}

static uint64_t read_counter(void *context, int counter)
{
	const struct test_unit *unit = context;

	assert_in_range(counter, 3, 4);
	return 1000000 + (uint64_t)unit->event[counter - 3] * 100 * unit->process->cpu.instructions;
}

static void begin(void *context)
{
	((struct test_unit *)context)->begins++;
}

struct world {
	struct process *process;
	struct test_unit unit;
};

static struct world *make(void)
{
	struct world *world = mem_alloc(sizeof(*world));
	struct process *process = world->process = mem_alloc(sizeof(*process));
	struct err err;

	assert_true(memory_init(&process->memory, UINT64_C(1) << 30, &err));
	assert_true(memory_map(&process->memory, BUFFER, 0x10000, PAGE_READ | PAGE_WRITE));
	files_init(&process->files, NULL, 0, "/");
	process->options.argv = (const char *const[]){"test", NULL};
	process->next_tid = ME;
	process->current = thread_add(process);
	thread_add(process);
	process->perf.rotate_at_ns = NEVER_NS;
	world->unit.process = process;
	const struct counting_unit unit = {.context = &world->unit,
					   .find = find,
					   .list = list,
					   .can_count = can_count,
					   .start = start,
					   .stop = stop,
					   .read = read_counter,
					   .begin = begin,
					   .rotation_ns = 50};
	perf_set_unit(process, &unit);
	return world;
}

static void end(struct world *world)
{
	struct process *process = world->process;

	files_release(&process->files);
	for (size_t i = 0; i < process->thread_count; i++)
		thread_free(process->threads[i]);
	free(process->threads);
	memory_release(&process->memory);
	free(process);
	free(world);
}

static struct perf_event_attr raw(uint64_t event)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_RAW, .size = sizeof(struct perf_event_attr), .config = event};
}

static int64_t open_event(struct world *world, const struct perf_event_attr *attr, int pid, int cpu,
			  int64_t group, uint64_t flags)
{
	const uint64_t argument[6] = {BUFFER, (uint64_t)(int64_t)pid, (uint64_t)(int64_t)cpu,
				      (uint64_t)group, flags};

	memory_write(&world->process->memory, BUFFER, attr, sizeof(*attr));
	return sys_perf_event_open(world->process, argument);
}

static int64_t open_raw(struct world *world, uint64_t event, int64_t group)
{
	const struct perf_event_attr attr = raw(event);

	return open_event(world, &attr, 0, -1, group, 0);
}

static struct perf_event *event_of(struct world *world, int64_t descriptor)
{
	return perf_event_of(files_get(&world->process->files, (uint64_t)descriptor));
}

static uint64_t count_of(struct world *world, int64_t descriptor)
{
	struct perf_event *event = event_of(world, descriptor);

	perf_event_update(world->process, event);
	return event->count;
}

static void pass(struct world *world, uint64_t ns)
{
	world->process->cpu.instructions += ns;
	perf_end_call(world->process);
}

static int64_t control(struct world *world, int64_t descriptor, uint32_t request, uint64_t argument)
{
	return perf_ioctl(world->process, files_get(&world->process->files, (uint64_t)descriptor),
			  request, argument);
}

TEST(an_event_counts_while_it_is_enabled)
{
	struct world *world = make();

	world->process->cpu.instructions = 10;
	int64_t a = open_raw(world, 2, -1);
	assert_true(a >= 0);
	assert_int_equal(world->unit.begins, 1);
	assert_int_equal(world->unit.event[0], 2);
	assert_true(world->unit.counts_user[0]);
	pass(world, 7);
	assert_int_equal(count_of(world, a), 1400);
	assert_int_equal(event_of(world, a)->enabled_ns, 7);
	assert_int_equal(event_of(world, a)->running_ns, 7);
	assert_int_equal(control(world, a, PERF_EVENT_IOC_DISABLE, 0), 0);
	assert_int_equal(world->unit.event[0], 0);
	pass(world, 5);
	assert_int_equal(count_of(world, a), 1400);
	assert_int_equal(event_of(world, a)->enabled_ns, 7);
	assert_int_equal(control(world, a, PERF_EVENT_IOC_ENABLE, 0), 0);
	pass(world, 3);
	assert_int_equal(count_of(world, a), 2000);
	assert_int_equal(event_of(world, a)->enabled_ns, 10);
	assert_int_equal(control(world, a, PERF_EVENT_IOC_RESET, 0), 0);
	assert_int_equal(count_of(world, a), 0);
	assert_int_equal(event_of(world, a)->enabled_ns, 10);
	pass(world, 1);
	assert_int_equal(count_of(world, a), 200);
	/* One that begins disabled, and one that does not count user mode. */
	struct perf_event_attr attr = raw(3);
	attr.disabled = 1;
	attr.exclude_user = 1;
	int64_t b = open_event(world, &attr, 0, -1, -1, 0);
	assert_int_equal(world->unit.event[1], 0);
	pass(world, 4);
	assert_int_equal(event_of(world, b)->enabled_ns, 0);
	assert_int_equal(control(world, b, PERF_EVENT_IOC_ENABLE, 0), 0);
	assert_int_equal(world->unit.event[1], 3);
	assert_false(world->unit.counts_user[1]);
	assert_true(world->unit.counts_user[0]);
	assert_int_equal(world->unit.begins, 1);
	assert_int_equal(world->process->perf.count, 2);
	assert_int_equal(files_close(&world->process->files, (uint64_t)a), 0);
	assert_int_equal(world->process->perf.count, 1);
	assert_true(world->process->perf.is_due);
	assert_int_equal(world->unit.event[0], 0);
	pass(world, 1);
	assert_int_equal(world->unit.event[0], 3);
	assert_int_equal(files_close(&world->process->files, (uint64_t)b), 0);
	assert_int_equal(world->process->perf.count, 0);
	assert_null(world->process->perf.first);
	assert_null(world->process->perf.last);
	end(world);
}

TEST(groups_take_turns_when_they_do_not_fit)
{
	struct world *world = make();

	int64_t a = open_raw(world, 1, -1), b = open_raw(world, 2, a), c = open_raw(world, 3, -1);
	/* The group of a and b has both counters; c waits. */
	assert_int_equal(world->unit.event[0], 1);
	assert_int_equal(world->unit.event[1], 2);
	assert_int_equal(event_of(world, c)->state, PERF_INACTIVE);
	assert_int_equal(event_of(world, b)->leader == event_of(world, a), 1);
	assert_int_equal(world->process->perf.rotate_at_ns, 50);
	pass(world, 49);
	assert_int_equal(world->unit.event[0], 1);
	pass(world, 1);
	/* Now c is first, and the group waits, since it needs both. */
	assert_int_equal(world->unit.event[0], 3);
	assert_int_equal(world->unit.event[1], 0);
	assert_int_equal(world->process->perf.rotate_at_ns, 100);
	assert_int_equal(count_of(world, a), 5000);
	assert_int_equal(count_of(world, b), 10000);
	assert_int_equal(count_of(world, c), 0);
	pass(world, 50);
	assert_int_equal(world->unit.event[0], 1);
	assert_int_equal(world->unit.event[1], 2);
	pass(world, 10);
	assert_int_equal(count_of(world, a), 6000);
	assert_int_equal(count_of(world, b), 12000);
	assert_int_equal(count_of(world, c), 15000);
	assert_int_equal(event_of(world, c)->enabled_ns, 110);
	assert_int_equal(event_of(world, c)->running_ns, 50);
	assert_int_equal(event_of(world, a)->enabled_ns, 110);
	assert_int_equal(event_of(world, a)->running_ns, 60);
	/* When there is room again nothing rotates. */
	assert_int_equal(control(world, b, PERF_EVENT_IOC_DISABLE, 0), 0);
	assert_int_equal(world->process->perf.rotate_at_ns, NEVER_NS);
	assert_int_equal(world->unit.event[0], 1);
	assert_int_equal(world->unit.event[1], 3);
	/* With its leader off a member is enabled and does not run, and no time passes for it. */
	assert_int_equal(control(world, b, PERF_EVENT_IOC_ENABLE, 0), 0);
	assert_int_equal(control(world, a, PERF_EVENT_IOC_DISABLE, 0), 0);
	uint64_t enabled = event_of(world, b)->enabled_ns;
	pass(world, 5);
	perf_event_update(world->process, event_of(world, b));
	assert_int_equal(event_of(world, b)->enabled_ns, enabled);
	/* The whole group by its flag, from any member. */
	assert_int_equal(control(world, b, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP), 0);
	/* The group was tried before c when c had its turn last. */
	assert_int_equal(event_of(world, a)->state, PERF_ACTIVE);
	assert_int_equal(event_of(world, c)->state, PERF_INACTIVE);
	assert_int_equal(control(world, c, PERF_EVENT_IOC_DISABLE, 0), 0);
	assert_int_equal(event_of(world, a)->state, PERF_ACTIVE);
	assert_int_equal(event_of(world, b)->state, PERF_ACTIVE);
	assert_int_equal(control(world, a, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP), 0);
	assert_int_equal(count_of(world, b), 0);
	assert_int_equal(control(world, b, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP), 0);
	assert_int_equal(event_of(world, a)->state, PERF_OFF);
	assert_int_equal(event_of(world, b)->state, PERF_OFF);
	/* Without its leader a member is a group of its own. */
	assert_int_equal(control(world, b, PERF_EVENT_IOC_ENABLE, 0), 0);
	assert_int_equal(event_of(world, b)->state, PERF_INACTIVE);
	assert_int_equal(files_close(&world->process->files, (uint64_t)a), 0);
	pass(world, 1);
	assert_int_equal(event_of(world, b)->state, PERF_ACTIVE);
	assert_ptr_equal(event_of(world, b)->leader, event_of(world, b));
	end(world);
}

TEST(pinned_and_exclusive_groups)
{
	struct world *world = make();
	struct perf_event_attr attr = raw(5);

	attr.pinned = 1;
	int64_t a = open_raw(world, 1, -1), b = open_raw(world, 2, -1),
		p = open_event(world, &attr, 0, -1, -1, 0);
	/* What is pinned is on a counter, and comes first. */
	assert_int_equal(world->unit.event[0], 5);
	assert_int_equal(world->unit.event[1], 1);
	assert_int_equal(event_of(world, b)->state, PERF_INACTIVE);
	int64_t q = open_event(world, &attr, 0, -1, -1, 0),
		r = open_event(world, &attr, 0, -1, -1, 0);
	assert_int_equal(event_of(world, p)->state, PERF_ACTIVE);
	assert_int_equal(event_of(world, q)->state, PERF_ACTIVE);
	/* Where it does not fit it is in error, and reads nothing until it is enabled again. */
	assert_int_equal(event_of(world, r)->state, PERF_ERROR);
	uint64_t buffer[4];
	struct file *file = files_get(&world->process->files, (uint64_t)r);
	assert_int_equal(file_operations(file)->read(world->process, file, buffer, sizeof(buffer),
						     NO_OFFSET),
			 0);
	assert_int_equal(files_close(&world->process->files, (uint64_t)q), 0);
	pass(world, 1);
	assert_int_equal(event_of(world, r)->state, PERF_ERROR);
	assert_int_equal(control(world, r, PERF_EVENT_IOC_ENABLE, 0), 0);
	assert_int_equal(event_of(world, r)->state, PERF_ACTIVE);
	assert_int_equal(files_close(&world->process->files, (uint64_t)p), 0);
	assert_int_equal(files_close(&world->process->files, (uint64_t)r), 0);
	pass(world, 1);
	/* One that wants to be alone waits for its turn and is then alone. */
	attr.pinned = 0;
	attr.exclusive = 1;
	int64_t x = open_event(world, &attr, 0, -1, -1, 0);
	assert_int_equal(event_of(world, x)->state, PERF_INACTIVE);
	assert_int_equal(event_of(world, a)->state, PERF_ACTIVE);
	assert_int_equal(event_of(world, b)->state, PERF_ACTIVE);
	assert_int_equal(files_close(&world->process->files, (uint64_t)a), 0);
	assert_int_equal(files_close(&world->process->files, (uint64_t)b), 0);
	pass(world, 1);
	assert_int_equal(event_of(world, x)->state, PERF_ACTIVE);
	int64_t c = open_raw(world, 3, -1);
	assert_int_equal(event_of(world, c)->state, PERF_INACTIVE);
	/* An event that cannot be counted now keeps nobody else off. */
	world->unit.cannot[5] = true;
	perf_arrange(world->process);
	assert_int_equal(event_of(world, x)->state, PERF_INACTIVE);
	assert_int_equal(event_of(world, c)->state, PERF_ACTIVE);
	assert_int_equal(world->process->perf.rotate_at_ns, NEVER_NS);
	end(world);
}

TEST(software_events_need_no_counter)
{
	struct world *world = make();
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_TASK_CLOCK};

	int64_t a = open_raw(world, 1, -1), b = open_raw(world, 2, -1), c = open_raw(world, 3, -1);
	int64_t clock = open_event(world, &attr, 0, -1, -1, 0);
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	int64_t wall = open_event(world, &attr, -1, 0, -1, 0);
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	int64_t faults = open_event(world, &attr, 0, -1, -1, 0);
	attr.exclude_user = 1;
	int64_t kernel_faults = open_event(world, &attr, 0, -1, -1, 0);
	attr.exclude_user = 0;
	attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	int64_t switches = open_event(world, &attr, 0, -1, -1, 0);
	attr.exclude_kernel = 1;
	int64_t user_switches = open_event(world, &attr, 0, -1, -1, 0);
	attr.config = PERF_COUNT_SW_ALIGNMENT_FAULTS;
	int64_t nothing = open_event(world, &attr, 0, -1, -1, 0);
	world->process->access_faults = 4;
	world->process->context_switches = 6;
	world->process->slept_ns = 1000;
	pass(world, 30);
	assert_int_equal(count_of(world, clock), 30);
	assert_int_equal(count_of(world, wall), 1030);
	assert_int_equal(count_of(world, faults), 4);
	assert_int_equal(count_of(world, kernel_faults), 0);
	assert_int_equal(count_of(world, switches), 6);
	assert_int_equal(count_of(world, user_switches), 0);
	assert_int_equal(count_of(world, nothing), 0);
	assert_int_equal(event_of(world, wall)->enabled_ns, 1030);
	assert_int_equal(event_of(world, clock)->enabled_ns, 30);
	assert_int_equal(event_of(world, clock)->state, PERF_ACTIVE);
	(void)a, (void)b, (void)c;
	end(world);
}

/* The events of a thread count while it runs; those of the processor count always. */
TEST(events_of_threads_and_of_the_processor)
{
	struct world *world = make();
	struct process *process = world->process;
	struct perf_event_attr attr = raw(1);

	int64_t mine = open_event(world, &attr, 0, -1, -1, 0),
		its = open_event(world, &attr, OTHER, -1, -1, 0);
	assert_int_equal(event_of(world, mine)->tid, ME);
	assert_int_equal(event_of(world, its)->tid, OTHER);
	assert_int_equal(event_of(world, its)->owner_tid, ME);
	assert_int_equal(event_of(world, mine)->state, PERF_ACTIVE);
	assert_int_equal(event_of(world, its)->state, PERF_INACTIVE);
	process->cpu.instructions += 10;
	process->current = process->threads[1];
	perf_end_call(process);
	assert_int_equal(event_of(world, mine)->state, PERF_INACTIVE);
	assert_int_equal(event_of(world, its)->state, PERF_ACTIVE);
	pass(world, 20);
	assert_int_equal(count_of(world, mine), 1000);
	assert_int_equal(count_of(world, its), 2000);
	assert_int_equal(event_of(world, mine)->enabled_ns, 10);
	assert_int_equal(event_of(world, its)->enabled_ns, 20);
	assert_int_equal(event_of(world, its)->running_ns, 20);
	attr = raw(2);
	int64_t all = open_event(world, &attr, -1, 0, -1, 0);
	assert_int_equal(event_of(world, all)->tid, 0);
	assert_int_equal(event_of(world, all)->owner_tid, OTHER);
	/* The processor's come first. */
	assert_int_equal(world->unit.event[0], 2);
	assert_int_equal(world->unit.event[1], 1);
	/* prctl reaches those that the caller has opened. */
	perf_set_owned(process, false);
	assert_int_equal(event_of(world, all)->state, PERF_OFF);
	assert_int_equal(event_of(world, its)->state, PERF_ACTIVE);
	perf_set_owned(process, true);
	assert_int_equal(event_of(world, all)->state, PERF_ACTIVE);
	/* What a thread has counted stays when it ends, and counts no more. */
	process->cpu.instructions += 5;
	perf_thread_ends(process, OTHER);
	assert_int_equal(event_of(world, its)->state, PERF_EXIT);
	assert_int_equal(event_of(world, its)->count, 2500);
	assert_true(process->perf.is_due);
	process->current = process->threads[0];
	pass(world, 3);
	assert_int_equal(count_of(world, its), 2500);
	assert_int_equal(event_of(world, mine)->state, PERF_ACTIVE);
	assert_int_equal(control(world, its, PERF_EVENT_IOC_ENABLE, 0), 0);
	assert_int_equal(event_of(world, its)->state, PERF_EXIT);
	assert_int_equal(open_event(world, &attr, OTHER, -1, its, 0), -EINVAL);
	end(world);
}

TEST(reads_have_the_fields_that_were_asked_for)
{
	struct world *world = make();
	struct perf_event_attr attr = raw(1);
	uint64_t got[12];

	for (uint64_t format = 0; format < 32; format++) {
		attr.read_format = format;
		int64_t a = open_event(world, &attr, 0, -1, -1, 0),
			b = open_event(world, &attr, 0, -1, a, 0);
		bool is_group = format & PERF_FORMAT_GROUP;
		uint64_t expected[12], n = 0;
		struct file *file = files_get(&world->process->files, (uint64_t)(is_group ? b : a));

		pass(world, 6);
		if (is_group)
			expected[n++] = 2;
		else
			expected[n++] = 600;
		if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
			expected[n++] = 6;
		if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
			expected[n++] = 6;
		for (uint64_t i = 0; i < (is_group ? 2 : 1); i++) {
			if (is_group)
				expected[n++] = 600;
			if (format & PERF_FORMAT_ID)
				expected[n++] = 2 * format + 1 + i;
			if (format & PERF_FORMAT_LOST)
				expected[n++] = 0;
		}
		memset(got, -1, sizeof(got));
		assert_int_equal(perf_read_bytes(event_of(world, a)), 8 * n);
		assert_int_equal(file_operations(file)->read(world->process, file, got, 8 * n - 1,
							     NO_OFFSET),
				 -ENOSPC);
		assert_int_equal(
			file_operations(file)->read(world->process, file, got, 8 * n, NO_OFFSET),
			8 * n);
		assert_memory_equal(got, expected, 8 * n);
		assert_int_equal(got[n], UINT64_MAX);
		files_close(&world->process->files, (uint64_t)a);
		files_close(&world->process->files, (uint64_t)b);
		pass(world, 1);
	}
	end(world);
}

TEST(wrong_events_are_refused)
{
	struct world *world = make();
	struct process *process = world->process;
	struct perf_event_attr good = raw(1), attr;

	int64_t leader = open_raw(world, 1, -1);
	assert_true(leader >= 0);
#define REFUSED(error, change)                                                      \
	do {                                                                        \
		attr = good;                                                        \
		change;                                                             \
		assert_int_equal(open_event(world, &attr, 0, -1, -1, 0), -(error)); \
	} while (0)
#define TAKEN(change)                                                   \
	do {                                                            \
		attr = good;                                            \
		change;                                                 \
		int64_t taken = open_event(world, &attr, 0, -1, -1, 0); \
		assert_true(taken >= 0);                                \
		files_close(&process->files, (uint64_t)taken);          \
	} while (0)
	REFUSED(EINVAL, attr.config = 8);
	REFUSED(EINVAL, attr.type = PERF_TYPE_HARDWARE);
	REFUSED(ENOENT, attr.type = PERF_TYPE_TRACEPOINT);
	REFUSED(ENOENT, attr.type = PERF_TYPE_SOFTWARE; attr.config = PERF_COUNT_SW_MAX);
	TAKEN(attr.type = PERF_TYPE_SOFTWARE; attr.config = PERF_COUNT_SW_MAX - 1);
	REFUSED(EINVAL, attr.__reserved_1 = 1);
	REFUSED(EINVAL, attr.__reserved_2 = 1);
	REFUSED(EINVAL, attr.__reserved_3 = 1);
	REFUSED(EINVAL, attr.sample_type = PERF_SAMPLE_MAX);
	TAKEN(attr.sample_type = PERF_SAMPLE_IP);
	REFUSED(EINVAL, attr.read_format = PERF_FORMAT_MAX);
	REFUSED(EINVAL, attr.inherit_thread = 1);
	REFUSED(EINVAL, attr.remove_on_exec = attr.enable_on_exec = 1);
	TAKEN(attr.remove_on_exec = 1);
	TAKEN(attr.enable_on_exec = 1);
	REFUSED(EINVAL, attr.sigtrap = 1);
	TAKEN(attr.sigtrap = attr.remove_on_exec = 1);
	REFUSED(EINVAL, attr.sample_type = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT);
	TAKEN(attr.sample_type = PERF_SAMPLE_WEIGHT);
	REFUSED(EINVAL, attr.sample_type = PERF_SAMPLE_STACK_USER; attr.sample_stack_user = 4);
	REFUSED(EINVAL, attr.sample_type = PERF_SAMPLE_STACK_USER; attr.sample_stack_user = 65536);
	REFUSED(EINVAL, attr.sample_type = PERF_SAMPLE_STACK_USER; attr.sample_stack_user = 65535);
	TAKEN(attr.sample_type = PERF_SAMPLE_STACK_USER; attr.sample_stack_user = 65528);
	REFUSED(EINVAL, attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
		attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER);
	REFUSED(EINVAL, attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
		attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_MAX);
	REFUSED(EOPNOTSUPP, attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
		attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY);
	REFUSED(EOPNOTSUPP, attr.type = PERF_TYPE_SOFTWARE;
		attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
		attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY);
	REFUSED(EOPNOTSUPP, attr.sample_period = 1);
	REFUSED(EINVAL, attr.sample_period = UINT64_C(1) << 63);
	REFUSED(EOPNOTSUPP, attr.sample_period = (UINT64_C(1) << 63) - 1);
	REFUSED(EINVAL, attr.freq = 1; attr.sample_freq = 100001);
	REFUSED(EOPNOTSUPP, attr.freq = 1; attr.sample_freq = 100000);
	REFUSED(EOPNOTSUPP, attr.inherit = 1);
	REFUSED(EINVAL, attr.inherit = 1; attr.sample_type = PERF_SAMPLE_READ);
	REFUSED(EOPNOTSUPP, attr.aux_output = 1);
	REFUSED(EINVAL, attr.use_clockid = 1; attr.clockid = 2);
	TAKEN(attr.clockid = 2);
	TAKEN(attr.use_clockid = 1; attr.clockid = 0);
	TAKEN(attr.use_clockid = 1; attr.clockid = 1);
	TAKEN(attr.use_clockid = 1; attr.clockid = 4);
	TAKEN(attr.use_clockid = 1; attr.clockid = 7);
	TAKEN(attr.use_clockid = 1; attr.clockid = 11);
	/* Sizes: 64 at least, what is known, more if the rest is zero; the size that is known is
	 * told. */
	uint32_t told;
	REFUSED(E2BIG, attr.size = 63);
	assert_true(memory_read(&process->memory, &told, BUFFER + 4, 4));
	assert_int_equal(told, 128);
	REFUSED(E2BIG, attr.size = 4097);
	TAKEN(attr.size = 64);
	TAKEN(attr.size = 0);
	TAKEN(attr.size = 4096);
	const uint8_t one = 1, zero = 0;
	for (uint64_t at = 128; at < 4096; at = at < 2000 ? at + 255 : at < 4000 ? 4095 : 4096) {
		assert_true(memory_write(&process->memory, BUFFER + at, &one, 1));
		REFUSED(E2BIG, attr.size = 4096);
		TAKEN(attr.size = (uint32_t)at);
		assert_true(memory_write(&process->memory, BUFFER + at, &zero, 1));
	}
	/* Where, and for whom. */
	attr = good;
	assert_int_equal(open_event(world, &attr, 0, 1, -1, 0), -EINVAL);
	assert_int_equal(open_event(world, &attr, -1, -1, -1, 0), -EINVAL);
	assert_int_equal(open_event(world, &attr, 5, -1, -1, 0), -ESRCH);
	assert_int_equal(open_event(world, &attr, 0, -1, 999, 0), -EBADF);
	assert_int_equal(open_event(world, &attr, 0, -1, 1, 0), -EBADF);
	assert_int_equal(open_event(world, &attr, 0, -1, -1, 16), -EINVAL);
	assert_int_equal(open_event(world, &attr, -1, 0, -1, PERF_FLAG_PID_CGROUP), -EINVAL);
	assert_int_equal(open_event(world, &attr, 5, -1, -1, PERF_FLAG_PID_CGROUP), -EINVAL);
	assert_int_equal(open_event(world, &attr, 5, 0, -1, PERF_FLAG_PID_CGROUP), -EBADF);
	attr.sigtrap = attr.remove_on_exec = 1;
	assert_int_equal(open_event(world, &attr, -1, 0, -1, 0), -EINVAL);
	attr = good;
	int64_t fd = open_event(world, &attr, 0, 0, -1, PERF_FLAG_FD_CLOEXEC);
	assert_true(process->files.descriptors[fd].close_on_exec);
	int64_t plain = open_event(world, &attr, 0, 0, -1, 0);
	assert_false(process->files.descriptors[plain].close_on_exec);
	/* Groups: of one thread and clock, below a leader. */
	assert_int_equal(open_event(world, &attr, OTHER, -1, leader, 0), -EINVAL);
	assert_int_equal(open_event(world, &attr, -1, 0, leader, 0), -EINVAL);
	int64_t member = open_event(world, &attr, 0, -1, leader, 0);
	assert_true(member >= 0);
	assert_int_equal(open_event(world, &attr, 0, -1, member, 0), -EINVAL);
	attr.pinned = 1;
	assert_int_equal(open_event(world, &attr, 0, -1, leader, 0), -EINVAL);
	attr = good;
	attr.exclusive = 1;
	assert_int_equal(open_event(world, &attr, 0, -1, leader, 0), -EINVAL);
	attr = good;
	attr.use_clockid = 1;
	assert_int_equal(open_event(world, &attr, 0, -1, leader, 0), -EINVAL);
	attr = good;
	attr.clockid = 3;
	assert_int_equal(open_event(world, &attr, 0, -1, leader, 0), -EINVAL);
	attr = good;
	int64_t apart = open_event(world, &attr, 0, -1, member, PERF_FLAG_FD_NO_GROUP);
	assert_ptr_equal(event_of(world, apart)->leader, event_of(world, apart));
	apart = open_event(world, &attr, 0, -1, member, PERF_FLAG_FD_OUTPUT);
	assert_ptr_equal(event_of(world, apart)->leader, event_of(world, apart));
	/* What cannot be read. */
	const uint64_t argument[6] = {BUFFER + 0x10000 - 7, 0, UINT64_MAX, UINT64_MAX, 0};
	assert_int_equal(sys_perf_event_open(process, argument), -EFAULT);
	good.size = 128;
	assert_true(memory_write(&process->memory, BUFFER + 0x10000 - 128, &good, 128));
	const uint64_t at_end[6] = {BUFFER + 0x10000 - 128, 0, UINT64_MAX, UINT64_MAX, 0};
	assert_true(sys_perf_event_open(process, at_end) >= 0);
	good.size = 129;
	assert_true(memory_write(&process->memory, BUFFER + 0x10000 - 128, &good, 128));
	assert_int_equal(sys_perf_event_open(process, at_end), -EFAULT);
	/* Commands. */
	uint64_t id = 0;
	assert_int_equal(control(world, leader, PERF_EVENT_IOC_ID, BUFFER + 8), 0);
	assert_true(memory_read(&process->memory, &id, BUFFER + 8, 8));
	assert_int_equal(id, 1);
	assert_int_equal(control(world, leader, PERF_EVENT_IOC_ID, 8), -EFAULT);
	assert_int_equal(control(world, leader, PERF_EVENT_IOC_REFRESH, 1), -EINVAL);
	assert_int_equal(control(world, leader, PERF_EVENT_IOC_PERIOD, BUFFER), -EINVAL);
	assert_int_equal(control(world, leader, PERF_EVENT_IOC_PERIOD, BUFFER + 0x10000 - 8),
			 -EINVAL);
	assert_int_equal(control(world, leader, PERF_EVENT_IOC_PERIOD, BUFFER + 0x10000 - 7),
			 -EFAULT);
	assert_int_equal(control(world, leader, PERF_EVENT_IOC_SET_OUTPUT, UINT64_MAX), 0);
	assert_int_equal(control(world, leader, PERF_EVENT_IOC_SET_OUTPUT, (uint64_t)leader),
			 -EINVAL);
	assert_int_equal(control(world, leader, PERF_EVENT_IOC_SET_OUTPUT, (uint64_t)member), 0);
	assert_int_equal(control(world, leader, PERF_EVENT_IOC_SET_OUTPUT, 1), -EBADF);
	assert_int_equal(control(world, leader, PERF_EVENT_IOC_SET_OUTPUT, 999), -EBADF);
	assert_int_equal(control(world, leader, PERF_EVENT_IOC_SET_FILTER, BUFFER + 8), -EINVAL);
	assert_int_equal(control(world, leader, PERF_EVENT_IOC_SET_FILTER, 8), -EFAULT);
	assert_int_equal(control(world, leader, PERF_EVENT_IOC_SET_BPF, 1), -EINVAL);
	assert_int_equal(control(world, leader, PERF_EVENT_IOC_SET_BPF, 999), -EBADF);
	assert_int_equal(control(world, leader, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), -EINVAL);
	assert_int_equal(control(world, leader, PERF_EVENT_IOC_QUERY_BPF, 1), -EINVAL);
	assert_int_equal(control(world, leader, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, 1), -EOPNOTSUPP);
	assert_int_equal(control(world, leader, 0x1234, 1), -ENOTTY);
	end(world);
}

/* A group of a size whose members with one more would give more than fits into a read. */
TEST(a_group_ends_where_a_read_would_be_too_long)
{
	struct world *world = make();
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_TASK_CLOCK,
				       .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
						      PERF_FORMAT_LOST};
	int64_t leader = open_event(world, &attr, 0, -1, -1, 0), got;
	int members = 1;

	/* n members give 8 + 24 n bytes; one joins while 8 + 24 n + 24 < 16384. */
	while ((got = open_event(world, &attr, 0, -1, leader, 0)) >= 0)
		members++;
	assert_int_equal(got, -E2BIG);
	assert_int_equal(members, 682);
	end(world);
}
