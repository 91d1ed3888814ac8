/* System calls whose answer to an ordinary process without privileges needs no state: capabilities,
 * sessions, scheduling policies, extended attributes of file systems that have none, and hints. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "linux/file_operations.h"
#include "linux/path.h"
#include "linux/syscall.h"

#define ATTRIBUTE_NAME_BYTES 256
#define POLICY_BATCH	     3
#define POLICY_IDLE	     5
#define POLICY_RESET	     0x40000000

/* Whether the number, or 0 for the caller, is that of the process or of one of its threads. */
static bool is_own(struct process *process, uint64_t number)
{
	const uint64_t none[6] = {0};

	return !(int32_t)number || (int32_t)number == sys_getpid(process, none) ||
	       thread_find(process, (int)number);
}

/* What a capability call takes: the words of each set, by the version that the header asks for, and
 * whose sets they are. */
static int64_t read_capability_header(struct process *process, uint64_t address, unsigned *words,
				      int *of)
{
	struct __user_cap_header_struct header;

	if (!memory_read(&process->memory, &header, address, sizeof(header)))
		return -EFAULT;
	switch (header.version) {
	case _LINUX_CAPABILITY_VERSION_1: *words = _LINUX_CAPABILITY_U32S_1; break;
	case _LINUX_CAPABILITY_VERSION_2:
	case _LINUX_CAPABILITY_VERSION_3: *words = _LINUX_CAPABILITY_U32S_3; break;
	default:
		header.version = _LINUX_CAPABILITY_VERSION_3;
		return memory_write(&process->memory, address, &header, sizeof(header)) ? -EINVAL
											: -EFAULT;
	}
	*of = header.pid;
	return 0;
}

int64_t sys_capget(struct process *process, const uint64_t argument[6])
{
	const struct __user_cap_data_struct none[2] = {{0}};
	unsigned words;
	int of;
	int64_t failed = read_capability_header(process, argument[0], &words, &of);

	/* Without a place for the answer, it is asked which versions there are. */
	if (!argument[1])
		return failed == -EINVAL ? 0 : failed;
	if (failed)
		return failed;
	if (of < 0)
		return -EINVAL;
	if (!is_own(process, (uint64_t)of))
		return -ESRCH;
	return memory_write(&process->memory, argument[1], none, words * sizeof(none[0])) ? 0
											  : -EFAULT;
}

/* None can be gained. */
int64_t sys_capset(struct process *process, const uint64_t argument[6])
{
	struct __user_cap_data_struct wanted[2] = {{0}};
	unsigned words;
	int of;
	int64_t failed = read_capability_header(process, argument[0], &words, &of);

	if (failed)
		return failed;
	if (!is_own(process, (uint64_t)of))
		return -EPERM;
	if (!memory_read(&process->memory, wanted, argument[1], words * sizeof(wanted[0])))
		return -EFAULT;
	for (unsigned i = 0; i < words; i++)
		if (wanted[i].effective || wanted[i].permitted)
			return -EPERM;
	return 0;
}

/* The process leads its group and its session, so it can begin neither. */
int64_t sys_setsid(struct process *process, const uint64_t argument[6])
{
	(void)process, (void)argument;
	return -EPERM;
}

int64_t sys_setpgid(struct process *process, const uint64_t argument[6])
{
	const uint64_t none[6] = {0};

	if ((int32_t)argument[1] < 0)
		return -EINVAL;
	return !(int32_t)argument[0] || (int32_t)argument[0] == sys_getpid(process, none) ? -EPERM
											  : -ESRCH;
}

static int64_t check_policy(struct process *process, uint64_t number, uint64_t address,
			    int32_t *priority)
{
	if ((int32_t)number < 0 || !address)
		return -EINVAL;
	if (!memory_read(&process->memory, priority, address, sizeof(*priority)))
		return -EFAULT;
	return is_own(process, number) ? 0 : -ESRCH;
}

/* The real-time policies are for the privileged; the others change nothing here. */
int64_t sys_sched_setscheduler(struct process *process, const uint64_t argument[6])
{
	const int policy = (int)argument[1] & ~POLICY_RESET;
	int32_t priority = 0;
	int64_t failed = (int)argument[1] < 0
				 ? -EINVAL
				 : check_policy(process, argument[0], argument[2], &priority);

	if (failed)
		return failed;
	switch (policy) {
	case SCHED_OTHER:
	case POLICY_BATCH:
	case POLICY_IDLE: return priority ? -EINVAL : 0;
	case SCHED_FIFO:
	case SCHED_RR: return priority < 1 || priority > 99 ? -EINVAL : -EPERM;
	default: return -EINVAL;
	}
}

int64_t sys_sched_setparam(struct process *process, const uint64_t argument[6])
{
	int32_t priority = 0;
	int64_t failed = check_policy(process, argument[0], argument[1], &priority);

	return failed ? failed : priority ? -EINVAL : 0;
}

static int read_attribute_name(struct process *process, uint64_t address)
{
	char name[ATTRIBUTE_NAME_BYTES];
	int64_t length = memory_read_string(&process->memory, name, address, sizeof(name));

	return length == -1 ? -EFAULT : length <= 0 ? -ERANGE : 0;
}

static int find_attributed(struct process *process, uint64_t address, int flags)
{
	struct stat info;

	return stat_at(process, (uint64_t)AT_FDCWD, address, flags, &info);
}

static int find_open(struct process *process, uint64_t descriptor)
{
	return files_get(&process->files, descriptor) ? 0 : -EBADF;
}

/* One attribute: files have none, and cannot have any, as on a file system without them. */
static int64_t one_attribute(struct process *process, const uint64_t argument[6], int failed)
{
	if (!failed)
		failed = read_attribute_name(process, argument[1]);
	return failed ? failed : -EOPNOTSUPP;
}

#define ATTRIBUTE_CALLS(call)                                                                      \
	int64_t sys_##call(struct process *process, const uint64_t argument[6])                    \
	{                                                                                          \
		return one_attribute(process, argument, find_attributed(process, argument[0], 0)); \
	}                                                                                          \
	int64_t sys_l##call(struct process *process, const uint64_t argument[6])                   \
	{                                                                                          \
		return one_attribute(process, argument,                                            \
				     find_attributed(process, argument[0], AT_SYMLINK_NOFOLLOW));  \
	}                                                                                          \
	int64_t sys_f##call(struct process *process, const uint64_t argument[6])                   \
	{                                                                                          \
		return one_attribute(process, argument, find_open(process, argument[0]));          \
	}
ATTRIBUTE_CALLS(getxattr)
ATTRIBUTE_CALLS(setxattr)
ATTRIBUTE_CALLS(removexattr)
#undef ATTRIBUTE_CALLS

int64_t sys_listxattr(struct process *process, const uint64_t argument[6])
{
	return find_attributed(process, argument[0], 0);
}

int64_t sys_llistxattr(struct process *process, const uint64_t argument[6])
{
	return find_attributed(process, argument[0], AT_SYMLINK_NOFOLLOW);
}

int64_t sys_flistxattr(struct process *process, const uint64_t argument[6])
{
	return find_open(process, argument[0]);
}

int64_t sys_syncfs(struct process *process, const uint64_t argument[6])
{
	return find_open(process, argument[0]);
}

/* Nothing is lost while the host runs, so there is nothing to wait for. */
int64_t sys_sync_file_range(struct process *process, const uint64_t argument[6])
{
	const unsigned known =
		SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
	const struct file *file = files_get(&process->files, argument[0]);
	const int64_t offset = (int64_t)argument[1], bytes = (int64_t)argument[2];
	int64_t end;
	struct stat info;

	if (!file)
		return -EBADF;
	if ((uint32_t)argument[3] & ~known || offset < 0 || bytes < 0 ||
	    __builtin_add_overflow(offset, bytes, &end))
		return -EINVAL;
	int failed = stat_file(process, file, &info);
	if (failed)
		return failed;
	return S_ISREG(info.st_mode) || S_ISDIR(info.st_mode) ? 0 : -ESPIPE;
}

int64_t sys_readahead(struct process *process, const uint64_t argument[6])
{
	const struct file *file = files_get(&process->files, argument[0]);
	struct stat info;

	if (!file || (file->flags & O_ACCMODE) == O_WRONLY)
		return -EBADF;
	int failed = stat_file(process, file, &info);
	return failed ? failed : S_ISREG(info.st_mode) ? 0 : -EINVAL;
}

/* All memory stays where it is. */
int64_t sys_mlockall(struct process *process, const uint64_t argument[6])
{
	const int flags = (int)argument[0];

	(void)process;
	return !flags || flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) || flags == MCL_ONFAULT
		       ? -EINVAL
		       : 0;
}

int64_t sys_munlockall(struct process *process, const uint64_t argument[6])
{
	(void)process, (void)argument;
	return 0;
}

int64_t sys_mlock2(struct process *process, const uint64_t argument[6])
{
	return (int)argument[2] & ~MLOCK_ONFAULT ? -EINVAL : sys_mlock(process, argument);
}

/* The other process is this one. Both lists are walked until one ends or cannot be accessed. */
static int64_t copy_memory(struct process *process, const uint64_t argument[6], bool is_write)
{
	struct iovec here[IOV_MAX], there[IOV_MAX];
	uint8_t page[GUEST_PAGE_BYTES];

	if (argument[5] || argument[2] > IOV_MAX || argument[4] > IOV_MAX)
		return -EINVAL;
	int64_t bytes = ranges_read(process, argument[1], argument[2], here), done = 0;
	int64_t most = bytes <= 0 ? 0 : ranges_read(process, argument[3], argument[4], there);
	if (bytes <= 0 || most <= 0)
		return bytes < 0 ? bytes : most;
	if (!(int32_t)argument[0] || !is_own(process, argument[0]))
		return -ESRCH;
	const struct iovec *from = is_write ? here : there, *to = is_write ? there : here;
	const size_t from_count = argument[is_write ? 2 : 4], to_count = argument[is_write ? 4 : 2];
	for (bool more = true; more && done < bytes && done < most;) {
		size_t left = (size_t)(bytes < most ? bytes : most) - (size_t)done;
		size_t part = left < sizeof(page) ? left : sizeof(page);
		size_t got = ranges_move(process, from, from_count, (size_t)done, page, part,
					 RANGES_GET);
		size_t put =
			ranges_move(process, to, to_count, (size_t)done, page, got, RANGES_PUT);

		more = put == part;
		done += (int64_t)put;
	}
	return done ? done : -EFAULT;
}

int64_t sys_process_vm_readv(struct process *process, const uint64_t argument[6])
{
	return copy_memory(process, argument, false);
}

int64_t sys_process_vm_writev(struct process *process, const uint64_t argument[6])
{
	return copy_memory(process, argument, true);
}
