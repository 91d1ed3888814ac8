/* perf_event_open, with the checks of Linux 6.1 in its order. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "linux/file_operations.h"
#include "linux/perf.h"
#include "linux/syscall.h"

#define FLAGS \
	(PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT | PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC)
/* The most that a group may give in one read. */
#define GROUP_BYTES_MAX 16384
#define SAMPLE_RATE_MAX 100000
/* Events that are mapped need no descriptor, which would limit their number. */
#define EVENTS_MAX 2048

_Static_assert(sizeof(struct perf_event_attr) == PERF_ATTR_SIZE_VER7, "the attributes of 6.1");

/* Tells the guest which size is known. */
static int64_t refuse_size(struct process *process, uint64_t address)
{
	const uint32_t size = sizeof(struct perf_event_attr);

	memory_write(&process->memory, address + offsetof(struct perf_event_attr, size), &size, 4);
	return -E2BIG;
}

/* What is beyond the attributes that are known must be zero. */
static int64_t check_tail(struct process *process, uint64_t address, uint64_t bytes)
{
	uint8_t tail[256];

	for (uint64_t part; bytes; address += part, bytes -= part) {
		part = bytes < sizeof(tail) ? bytes : sizeof(tail);
		if (!memory_read(&process->memory, tail, address, part))
			return -EFAULT;
		for (uint64_t i = 0; i < part; i++)
			if (tail[i])
				return -E2BIG;
	}
	return 0;
}

static bool has_bad_samples(const struct perf_event_attr *attr)
{
	const uint64_t levels =
		PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV;
	const uint64_t weights = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT;

	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
	    (attr->branch_sample_type & ~(uint64_t)(PERF_SAMPLE_BRANCH_MAX - 1) ||
	     !(attr->branch_sample_type & ~levels)))
		return true;
	if (attr->sample_type & PERF_SAMPLE_STACK_USER &&
	    (attr->sample_stack_user >= UINT16_MAX || attr->sample_stack_user % 8))
		return true;
	return (attr->sample_type & weights) == weights;
}

static int64_t read_attr(struct process *process, uint64_t address, struct perf_event_attr *attr)
{
	uint32_t size;

	memset(attr, 0, sizeof(*attr));
	if (!memory_read(&process->memory, &size, address + offsetof(struct perf_event_attr, size),
			 4))
		return -EFAULT;
	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	if (size < PERF_ATTR_SIZE_VER0 || size > GUEST_PAGE_BYTES)
		return refuse_size(process, address);
	uint64_t known = size < sizeof(*attr) ? size : sizeof(*attr);
	int64_t failed = check_tail(process, address + known, size - known);
	if (failed == -E2BIG)
		return refuse_size(process, address);
	if (failed || !memory_read(&process->memory, attr, address, known))
		return -EFAULT;
	attr->size = size;
	if (attr->__reserved_1 || attr->__reserved_2 || attr->__reserved_3 ||
	    attr->sample_type & ~(uint64_t)(PERF_SAMPLE_MAX - 1) ||
	    attr->read_format & ~(uint64_t)(PERF_FORMAT_MAX - 1) || has_bad_samples(attr) ||
	    (!attr->inherit && attr->inherit_thread) ||
	    (attr->remove_on_exec && attr->enable_on_exec) ||
	    (attr->sigtrap && !attr->remove_on_exec))
		return -EINVAL;
	return 0;
}

static bool is_sampling(const struct perf_event_attr *attr)
{
	return attr->sample_period; /* or the frequency, which shares its place */
}

/* The event's number, or a negative errno. */
static int64_t find_event(struct process *process, const struct perf_event_attr *attr)
{
	const struct counting_unit *unit = &process->perf.unit;

	switch (attr->type) {
	case PERF_TYPE_SOFTWARE:
		return attr->sample_type & PERF_SAMPLE_BRANCH_STACK ? -EOPNOTSUPP
		       : attr->config >= PERF_COUNT_SW_MAX
			       ? -ENOENT
			       : (int64_t)(PERF_SOFTWARE + attr->config);
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
		if (!unit->find)
			return -ENOENT;
		if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
			return -EOPNOTSUPP;
		return unit->find(unit->context, attr->type, attr->config);
	default: return -ENOENT;
	}
}

static bool is_clock(const struct perf_event_attr *attr)
{
	return !attr->use_clockid || attr->clockid == CLOCK_MONOTONIC ||
	       attr->clockid == CLOCK_MONOTONIC_RAW || attr->clockid == CLOCK_REALTIME ||
	       attr->clockid == CLOCK_BOOTTIME || attr->clockid == CLOCK_TAI;
}

/* What the group that a new event joins does not allow. */
static int64_t check_group(const struct perf_event *leader, const struct perf_event *event)
{
	if (leader->leader != leader || leader->attr.use_clockid != event->attr.use_clockid ||
	    leader->attr.clockid != event->attr.clockid || leader->tid != event->tid ||
	    leader->state == PERF_EXIT || event->attr.exclusive || event->attr.pinned)
		return -EINVAL;
	/* With one event more, none of the group may give more than fits. */
	for (const struct perf_event *e = leader; e; e = e->next_sibling)
		if (perf_read_bytes(e) + 24 >= GROUP_BYTES_MAX)
			return -E2BIG;
	return 0;
}

/* The checks that do not depend on other events, and the event's number. */
static int64_t check_event(struct process *process, const struct perf_event_attr *attr, int pid,
			   int cpu)
{
	/* There is one processor, and the whole of it or one thread to count for. */
	if (cpu != 0 && (pid == -1 || cpu != -1))
		return -EINVAL;
	if (attr->sigtrap && pid == -1)
		return -EINVAL;
	int64_t number = find_event(process, attr);
	if (number < 0)
		return number;
	if (attr->inherit && attr->sample_type & PERF_SAMPLE_READ)
		return -EINVAL;
	if (attr->aux_output)
		return -EOPNOTSUPP;
	/* The counters interrupt nobody, and events are not copied for new threads. */
	if (is_sampling(attr) || attr->inherit)
		return -EOPNOTSUPP;
	return is_clock(attr) ? number : -EINVAL;
}

int64_t sys_perf_event_open(struct process *process, const uint64_t argument[6])
{
	const int pid = (int)argument[1], cpu = (int)argument[2], group = (int)argument[3];
	const uint64_t flags = argument[4];
	struct perf_event *leader = NULL;
	struct perf_event made = {0};

	if (flags & ~(uint64_t)FLAGS)
		return -EINVAL;
	int64_t failed = read_attr(process, argument[0], &made.attr);
	if (failed)
		return failed;
	if (made.attr.freq ? made.attr.sample_freq > SAMPLE_RATE_MAX
			   : made.attr.sample_period >> 63)
		return -EINVAL;
	if (flags & PERF_FLAG_PID_CGROUP)
		return pid == -1 || cpu == -1 ? -EINVAL : -EBADF;
	if (group != -1) {
		struct file *file = files_get(&process->files, (uint32_t)group);

		leader = file ? perf_event_of(file) : NULL;
		if (!leader)
			return -EBADF;
	}
	if (pid != -1) {
		const struct thread *thread = pid ? thread_find(process, pid) : process->current;

		if (!thread)
			return -ESRCH;
		made.tid = thread->tid;
	}
	if (flags & (PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT))
		leader = NULL;
	failed = check_event(process, &made.attr, pid, cpu);
	if (failed < 0)
		return failed;
	made.number = (int)failed;
	failed = leader ? check_group(leader, &made) : 0;
	if (failed)
		return failed;
	if (process->perf.count >= EVENTS_MAX ||
	    !memory_charge_host(&process->memory, sizeof(made)))
		return -ENOMEM;
	struct perf_event *event = mem_alloc(sizeof(*event));
	*event = made;
	perf_event_add(process, event, leader);
	event->file = file_create_object(FILE_PERF, event, O_RDWR);
	return files_install(&process->files, event->file, 0, flags & PERF_FLAG_FD_CLOEXEC);
}
