/* Waiting for several descriptors: ppoll and pselect6. */
#include <errno.h>
#include <string.h>

#include "linux/file_operations.h"
#include "linux/syscall.h"

/* Sets the events of each descriptor; how many have some. */
static int64_t poll_list(struct process *process, struct pollfd *list, size_t count)
{
	int64_t ready = 0;

	for (size_t i = 0; i < count; i++) {
		struct file *file = files_get(&process->files, (uint32_t)list[i].fd);

		list[i].revents = 0;
		if (list[i].fd < 0)
			continue;
		list[i].revents = POLLNVAL;
		if (file)
			list[i].revents = (short)(file_operations(file)->ready(process, file) &
						  (list[i].events | POLLERR | POLLHUP));
		ready += list[i].revents != 0;
	}
	return ready;
}

/* Nothing is ready: waits, unless the time is over. A signal counts before the end of the time. */
static int64_t poll_wait(struct process *process, const struct pollfd *list, size_t count,
			 uint64_t timeout_ns, uint64_t timeout_address)
{
	struct thread *thread = process->current;
	uint64_t deadline = wait_deadline(process, timeout_ns);

	if (deadline <= process_now_ns(process) && !signal_is_pending(process, thread))
		return 0;
	if (!wait_begin(process, count, deadline, RESTART_NEVER))
		return -ENOMEM;
	/* The kernel does not write the rest of no time at all. */
	thread->remain_address = timeout_ns ? timeout_address : 0;
	for (size_t i = 0; i < count; i++) {
		struct file *file = files_get(&process->files, (uint32_t)list[i].fd);

		if (list[i].fd >= 0 && file)
			wait_add(process, file, list[i].events);
	}
	return 0;
}

/* A call that ends otherwise than by a signal: the mask from before, and the rest of the time. */
static int64_t poll_end(struct process *process, int64_t result, uint64_t timeout_ns,
			uint64_t timeout_address)
{
	uint64_t now = process_now_ns(process), deadline;

	if (process->restart)
		return 0;
	signal_end_mask(process);
	if (timeout_address && timeout_ns) {
		deadline = wait_deadline(process, timeout_ns);
		time_write(process, timeout_address, deadline > now ? deadline - now : 0);
	}
	return result;
}

static int64_t poll_now(struct process *process, const uint64_t argument[6], uint64_t timeout_ns)
{
	struct pollfd list[FILES_MAX];
	uint32_t count = (uint32_t)argument[1];

	if (count > process->limits[RLIMIT_NOFILE].rlim_cur || count > FILES_MAX)
		return -EINVAL;
	if (!memory_read(&process->memory, list, argument[0], count * sizeof(list[0])))
		return -EFAULT;
	int64_t ready = poll_list(process, list, count);
	if (!ready) {
		int64_t failed = poll_wait(process, list, count, timeout_ns, argument[2]);

		if (failed || process->restart)
			return failed;
	}
	if (!memory_write(&process->memory, argument[0], list, count * sizeof(list[0])))
		return -EFAULT;
	return ready;
}

int64_t sys_ppoll(struct process *process, const uint64_t argument[6])
{
	uint64_t timeout_ns;
	int64_t failed = time_read_timeout(process, argument[2], &timeout_ns);

	if (!failed)
		failed = signal_begin_mask(process, argument[3], argument[4]);
	if (failed)
		return failed;
	return poll_end(process, poll_now(process, argument, timeout_ns), timeout_ns, argument[2]);
}

/* What makes a descriptor a member of the sets for reading, writing and exceptions. */
static const short set_events[3] = {POLLIN | POLLRDNORM | POLLRDBAND | POLLHUP | POLLERR,
				    POLLOUT | POLLWRNORM | POLLWRBAND | POLLERR, POLLPRI};

static int64_t select_now(struct process *process, const uint64_t argument[6], uint64_t timeout_ns)
{
	struct pollfd list[FILES_MAX];
	uint64_t sets[3][FILES_MAX / 64] = {{0}};
	int32_t limit = (int32_t)argument[0];
	size_t count = 0;
	int64_t members = 0;

	if (limit < 0)
		return -EINVAL;
	/* There are no descriptors above, so the kernel does not look there. */
	if (limit > FILES_MAX)
		limit = FILES_MAX;
	uint64_t bytes = ((uint64_t)limit + 63) / 64 * 8;
	for (int s = 0; s < 3; s++)
		if (argument[1 + s] &&
		    !memory_read(&process->memory, sets[s], argument[1 + s], bytes))
			return -EFAULT;
	for (int fd = 0; fd < limit; fd++) {
		short wanted = 0;

		for (int s = 0; s < 3; s++)
			if (sets[s][fd / 64] >> (fd % 64) & 1)
				wanted |= set_events[s];
		if (!wanted)
			continue;
		if (!files_get(&process->files, (uint32_t)fd))
			return -EBADF;
		list[count++] = (struct pollfd){fd, wanted, 0};
	}
	poll_list(process, list, count);
	uint64_t found[3][FILES_MAX / 64] = {{0}};
	for (size_t i = 0; i < count; i++)
		for (int s = 0; s < 3; s++) {
			uint64_t bit = UINT64_C(1) << (list[i].fd % 64);

			if (!(sets[s][list[i].fd / 64] & bit) || !(list[i].revents & set_events[s]))
				continue;
			found[s][list[i].fd / 64] |= bit;
			members++;
		}
	if (!members) {
		int64_t failed = poll_wait(process, list, count, timeout_ns, argument[4]);

		if (failed || process->restart)
			return failed;
	}
	for (int s = 0; s < 3; s++)
		if (argument[1 + s] &&
		    !memory_write(&process->memory, argument[1 + s], found[s], bytes))
			return -EFAULT;
	return members;
}

int64_t sys_pselect6(struct process *process, const uint64_t argument[6])
{
	uint64_t mask[2] = {0}, timeout_ns; /* the mask's address and size */

	if (argument[5] && !memory_read(&process->memory, mask, argument[5], sizeof(mask)))
		return -EFAULT;
	int64_t failed = time_read_timeout(process, argument[4], &timeout_ns);
	if (!failed)
		failed = signal_begin_mask(process, mask[0], mask[1]);
	if (failed)
		return failed;
	return poll_end(process, select_now(process, argument, timeout_ns), timeout_ns,
			argument[4]);
}
