#include "linux/fd_timer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>

#include "base/array.h"
#include "linux/file_operations.h"
#include "linux/syscall.h"

static int64_t timer_read(struct process *process, struct file *file, void *to, size_t bytes,
			  int64_t offset)
{
	struct timer_file *one = file->object;

	(void)offset;
	if (bytes < 8)
		return -EINVAL;
	timers_run(process);
	if (!one->expirations)
		return file->flags & O_NONBLOCK ? -EAGAIN : wait_for(process, file, POLLIN);
	memcpy(to, &one->expirations, 8);
	one->expirations = 0;
	return 8;
}

static short timer_ready(struct process *process, struct file *file)
{
	const struct timer_file *one = file->object;

	return one->expirations || (one->timer.at_ns && one->timer.at_ns <= process_now_ns(process))
		       ? POLLIN
		       : 0;
}

static void timer_close(struct file *file)
{
	struct timer_file *one = file->object;

	*one->link = one->next;
	if (one->next)
		one->next->link = one->link;
	free(one);
}

const struct file_operations file_timer = {.name = "anon_inode:[timerfd]",
					   .mode = 0600,
					   .has_poll = true,
					   .is_record = true,
					   .read = timer_read,
					   .seek = file_seek_nowhere,
					   .ready = timer_ready,
					   .close = timer_close};

int64_t sys_timerfd_create(struct process *process, const uint64_t argument[6])
{
	int clock = (int)argument[0];
	uint32_t flags = (uint32_t)argument[1];

	if (flags & ~(uint32_t)(TFD_CLOEXEC | TFD_NONBLOCK))
		return -EINVAL;
	if (clock == CLOCK_REALTIME_ALARM || clock == CLOCK_BOOTTIME_ALARM)
		return -EPERM;
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME)
		return -EINVAL;
	struct timer_file *one = mem_alloc(sizeof(*one));
	one->clock = clock;
	one->next = process->timer_files;
	one->link = &process->timer_files;
	if (one->next)
		one->next->link = &one->next;
	process->timer_files = one;
	one->file = file_create_object(FILE_TIMER, one, O_RDWR | (flags & O_NONBLOCK));
	return files_install(&process->files, one->file, 0, flags & O_CLOEXEC);
}

static int find_timer(struct process *process, uint64_t descriptor, struct timer_file **found)
{
	const struct file *file = files_get(&process->files, descriptor);

	if (!file)
		return -EBADF;
	if (file->kind != FILE_TIMER)
		return -EINVAL;
	*found = file->object;
	return 0;
}

static int64_t write_setting(struct process *process, const struct timer_file *one,
			     uint64_t address)
{
	int64_t spec[4];

	time_make_interval(spec, one->timer.interval_ns,
			   timer_left(&one->timer, process_now_ns(process)));
	return memory_write(&process->memory, address, spec, sizeof(spec)) ? 0 : -EFAULT;
}

int64_t sys_timerfd_settime(struct process *process, const uint64_t argument[6])
{
	uint32_t flags = (uint32_t)argument[1];
	uint64_t interval, value;
	struct timer_file *one;
	int64_t spec[4];

	if (!memory_read(&process->memory, spec, argument[2], sizeof(spec)))
		return -EFAULT;
	if (flags & ~(uint32_t)(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET) ||
	    !time_read_interval(spec, &interval, &value))
		return -EINVAL;
	int failed = find_timer(process, argument[0], &one);
	if (failed)
		return failed;
	timers_run(process);
	int64_t result = argument[3] ? write_setting(process, one, argument[3]) : 0;
	timer_set(process, &one->timer, one->clock, interval, value, flags & TFD_TIMER_ABSTIME, 0);
	one->expirations = 0;
	timers_changed(process);
	return result;
}

int64_t sys_timerfd_gettime(struct process *process, const uint64_t argument[6])
{
	struct timer_file *one;
	int failed = find_timer(process, argument[0], &one);

	timers_run(process);
	return failed ? failed : write_setting(process, one, argument[1]);
}
