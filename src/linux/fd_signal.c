#include "linux/fd_signal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>

#include "base/array.h"
#include "linux/file_operations.h"
#include "linux/syscall.h"

static uint64_t pending_of(const struct process *process, const struct file *file)
{
	const struct signal_file *one = file->object;

	return (process->current->signals.pending | process->signals.pending) & one->set;
}

static struct signalfd_siginfo describe(const siginfo_t *info)
{
	struct signalfd_siginfo out = {.ssi_signo = (uint32_t)info->si_signo,
				       .ssi_errno = info->si_errno,
				       .ssi_code = info->si_code};

	if (info->si_code == SI_TIMER) {
		out.ssi_tid = (uint32_t)info->si_timerid;
		out.ssi_overrun = (uint32_t)info->si_overrun;
	} else {
		out.ssi_pid = (uint32_t)info->si_pid;
		out.ssi_uid = (uint32_t)info->si_uid;
	}
	if (info->si_code < 0) {
		out.ssi_int = info->si_value.sival_int;
		out.ssi_ptr = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
	}
	return out;
}

static int64_t signal_read(struct process *process, struct file *file, void *to, size_t bytes,
			   int64_t offset)
{
	size_t done = 0;

	(void)offset;
	if (bytes < sizeof(struct signalfd_siginfo))
		return -EINVAL;
	if (!pending_of(process, file))
		return file->flags & O_NONBLOCK ? -EAGAIN : wait_for(process, file, POLLIN);
	for (; bytes - done >= sizeof(struct signalfd_siginfo) && pending_of(process, file);
	     done += sizeof(struct signalfd_siginfo)) {
		int number = __builtin_ctzll(pending_of(process, file)) + 1;
		siginfo_t info = signal_take(process, process->current, number);
		struct signalfd_siginfo out = describe(&info);

		memcpy((uint8_t *)to + done, &out, sizeof(out));
	}
	return (int64_t)done;
}

static short signal_ready(struct process *process, struct file *file)
{
	return pending_of(process, file) ? POLLIN : 0;
}

static void signal_close(struct file *file)
{
	struct signal_file *one = file->object;

	*one->link = one->next;
	if (one->next)
		one->next->link = one->link;
	free(one);
}

const struct file_operations file_signal = {.name = "anon_inode:[signalfd]",
					    .mode = 0600,
					    .has_poll = true,
					    .is_record = true,
					    .read = signal_read,
					    .seek = file_seek_nowhere,
					    .ready = signal_ready,
					    .close = signal_close};

#define BIT(number) (UINT64_C(1) << ((number)-1))

int64_t sys_signalfd4(struct process *process, const uint64_t argument[6])
{
	uint32_t flags = (uint32_t)argument[3];
	uint64_t set;

	if (argument[2] != 8)
		return -EINVAL;
	if (!memory_read(&process->memory, &set, argument[1], 8))
		return -EFAULT;
	if (flags & ~(uint32_t)(SFD_CLOEXEC | SFD_NONBLOCK))
		return -EINVAL;
	set &= ~(BIT(SIGKILL) | BIT(SIGSTOP));
	if ((int32_t)argument[0] != -1) {
		struct file *file = files_get(&process->files, argument[0]);

		if (!file)
			return -EBADF;
		if (file->kind != FILE_SIGNAL)
			return -EINVAL;
		((struct signal_file *)file->object)->set = set;
		file_notify(file, POLLIN);
		return (int32_t)argument[0];
	}
	struct signal_file *one = mem_alloc(sizeof(*one));
	one->set = set;
	one->next = process->signal_files;
	one->link = &process->signal_files;
	if (one->next)
		one->next->link = &one->next;
	process->signal_files = one;
	one->file = file_create_object(FILE_SIGNAL, one, O_RDWR | (flags & O_NONBLOCK));
	return files_install(&process->files, one->file, 0, flags & O_CLOEXEC);
}
