/* Event counters (eventfd2). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/array.h"
#include "linux/file_operations.h"
#include "linux/syscall.h"

struct event {
	uint64_t count;
	bool is_semaphore;
};

static int64_t event_read(struct process *process, struct file *file, void *to, size_t bytes,
			  int64_t offset)
{
	struct event *event = file->object;

	(void)offset;
	if (bytes < 8)
		return -EINVAL;
	if (!event->count)
		return file->flags & O_NONBLOCK ? -EAGAIN : wait_for(process, file, POLLIN);
	uint64_t value = event->is_semaphore ? 1 : event->count;
	event->count -= value;
	memcpy(to, &value, 8);
	file_notify(file, POLLOUT);
	return 8;
}

static int64_t event_write(struct process *process, struct file *file, const void *from,
			   size_t bytes, int64_t offset)
{
	struct event *event = file->object;
	uint64_t value;

	(void)offset;
	if (bytes != 8)
		return -EINVAL;
	memcpy(&value, from, 8);
	if (value == UINT64_MAX)
		return -EINVAL;
	if (value > UINT64_MAX - 1 - event->count)
		return file->flags & O_NONBLOCK ? -EAGAIN : wait_for(process, file, POLLOUT);
	event->count += value;
	file_notify(file, POLLIN);
	return 8;
}

static short event_ready(struct process *process, struct file *file)
{
	const struct event *event = file->object;

	(void)process;
	return (short)((event->count ? POLLIN : 0) | (event->count < UINT64_MAX - 1 ? POLLOUT : 0));
}

static void event_close(struct file *file)
{
	free(file->object);
}

const struct file_operations file_event = {.name = "anon_inode:[eventfd]",
					   .mode = 0600,
					   .has_poll = true,
					   .is_record = true,
					   .read = event_read,
					   .write = event_write,
					   .seek = file_seek_nowhere,
					   .ready = event_ready,
					   .close = event_close};

int64_t sys_eventfd2(struct process *process, const uint64_t argument[6])
{
	uint32_t flags = (uint32_t)argument[1];

	if (flags & ~(uint32_t)(EFD_SEMAPHORE | EFD_CLOEXEC | EFD_NONBLOCK))
		return -EINVAL;
	struct event *event = mem_alloc(sizeof(*event));
	*event = (struct event){(uint32_t)argument[0], flags & EFD_SEMAPHORE};
	struct file *file = file_create_object(FILE_EVENT, event, O_RDWR | (flags & EFD_NONBLOCK));
	return files_install(&process->files, file, 0, flags & EFD_CLOEXEC);
}
