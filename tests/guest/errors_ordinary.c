/*
 * Calls that ordinary programs make in passing refuse each wrong number and address, in the
 * kernel's order.
 *
 * data: yes
 * link: static
 * beside: host
 */
#include "edge.h"
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/xattr.h>

static void of_memory(void)
{
	static struct iovec many[IOV_MAX + 1];
	static char from[3 * EDGE_PAGE], to[3 * EDGE_PAGE];
	struct iovec here = {to, sizeof(to)}, there = {from, sizeof(from)}, none = {to, 0};
	char *edge = edge_new();

	puts("# memory");
	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = (char)(i * 7 + i / 256);
	TRY(process_vm_readv(getpid(), &here, 1, &there, 1, 0));
	TRUTH(memcmp(from, to, sizeof(from)) == 0);
	TRY(process_vm_readv(0, &here, 1, &there, 1, 0));
	TRY(process_vm_readv(-1, &here, 1, &there, 1, 0));
	TRY(process_vm_readv(getpid(), &here, 1, &there, 1, 1));
	TRY(process_vm_readv(getpid(), many, IOV_MAX + 1, &there, 1, 0));
	TRY(process_vm_readv(getpid(), &here, 1, many, IOV_MAX + 1, 0));
	TRY(process_vm_readv(getpid(), many, IOV_MAX, &there, 1, 0));
	TRY(process_vm_readv(getpid(), &none, 1, &there, 1, 0));
	TRY(process_vm_readv(getpid(), &here, 1, &none, 1, 0));
	TRY(process_vm_readv(getpid(), &here, 1, (void *)1, 1, 0));
	TRY(process_vm_readv(getpid(), &here, 1, PAST(there), 1, 0));
	TRY(process_vm_writev(getpid(), BEFORE(here), 1, &there, 1, 0));
	TRY(process_vm_writev(0, &none, 1, &there, 1, 0));
	/* Only as far as both sides can be accessed. */
	there = (struct iovec){edge - 10, 20};
	TRY(process_vm_readv(getpid(), &here, 1, &there, 1, 0));
	TRY(process_vm_writev(getpid(), &here, 1, &there, 1, 0));
	there.iov_len = 10;
	here.iov_len = 4;
	TRY(process_vm_readv(getpid(), &here, 1, &there, 1, 0));
	TRY(mlock2(to, sizeof(to), MLOCK_ONFAULT));
	TRY(mlock2(to, sizeof(to), 0));
	TRY(mlock2((void *)(1l << 60), 1, 0));
	TRY(munlock(to, sizeof(to)));
	TRY(mlockall(MCL_ONFAULT | 8));
	TRY(munlockall());
}

static void of_capabilities(void)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_2, 0};
	struct __user_cap_data_struct data[2] = {{0}};

	puts("# capabilities");
	RAW(capget, &header, data);
	header.pid = 1 << 29;
	RAW(capget, &header, data);
	RAW(capget, &header, NULL);
	header.pid = getpid();
	RAW(capget, &header, data);
	header.pid = 0;
	RAW(capget, PAST(header), data);
	header.version = 7;
	char *end = edge_copy(&header, sizeof(header), 0);
	mprotect((char *)((uintptr_t)end & ~(EDGE_PAGE - 1l)), EDGE_PAGE, PROT_READ);
	RAW(capget, end, data);
	RAW(capset, end, data);
	mprotect((char *)((uintptr_t)end & ~(EDGE_PAGE - 1l)), EDGE_PAGE, PROT_READ | PROT_WRITE);
	header.version = _LINUX_CAPABILITY_VERSION_3;
	RAW(capset, &header, PAST(data));
	header.pid = -1;
	RAW(capset, &header, data);
}

static void of_policies(void)
{
	struct sched_param zero = {0}, one = {1};

	puts("# policies");
	RAW(sched_setscheduler, 0, 5, &zero);
	RAW(sched_setscheduler, 0, 5, &one);
	RAW(sched_setscheduler, 0, SCHED_OTHER, PAST(zero));
	RAW(sched_setscheduler, 1 << 29, SCHED_OTHER, &zero);
	RAW(sched_setscheduler, getpid(), SCHED_OTHER | 0x40000000, &zero);
	RAW(sched_setscheduler, 0, SCHED_FIFO, &zero);
	RAW(sched_setscheduler, 0, SCHED_RR, &zero);
	RAW(sched_setparam, 0, PAST(zero));
	RAW(sched_setparam, -1, &zero);
	RAW(sched_setparam, 1 << 29, &zero);
	RAW(sched_setparam, getpid(), &zero);
	RAW(sched_setscheduler, 0, SCHED_OTHER, &zero);
	TRY(setpgid(0, -1));
	TRY(setpgid(1 << 29, 0));
}

static void of_files(int fd)
{
	const int writes = open("file", O_WRONLY), path = open("file", O_PATH),
		  directory = open(".", O_DIRECTORY);
	char name[300], value[8];

	puts("# files");
	TRY(sync_file_range(fd, INT64_MAX, 1, 0));
	TRY(sync_file_range(fd, 0, -1, 0));
	TRY(sync_file_range(fd, INT64_MAX, INT64_MAX, 0));
	TRY(sync_file_range(directory, 0, 0, 0));
	TRY(sync_file_range(path, 0, 0, 0));
	TRY(readahead(writes, 0, 10));
	TRY(readahead(directory, 0, 10));
	TRY(readahead(path, 0, 10));
	TRY(syncfs(directory));
	TRY(syncfs(path));
	TRY(fsync(path));
	TRY(fsync(directory));
	memset(name, 'u', sizeof(name));
	name[255] = 0;
	TRY(lgetxattr("file", "", value, 8));
	TRY(lgetxattr("none", "user.a", value, 8));
	TRY(lgetxattr("file", (char *)1, value, 8));
	TRY(lremovexattr("none", "user.a"));
	TRY(fremovexattr(99, "user.a"));
	TRY(fsetxattr(99, "user.a", "x", 1, 0));
	TRY(llistxattr("none", value, 8));
	TRY(listxattr((char *)1, value, 8));
}

static void of_watches(int fd)
{
	char events[400];
	int watcher = OPEN(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));

	puts("# watches");
	symlink("file", "link");
	TRY(inotify_add_watch(watcher, "link", IN_MODIFY | IN_DONT_FOLLOW));
	TRY(inotify_add_watch(watcher, "link", IN_MODIFY));
	TRY(inotify_add_watch(watcher, "file", IN_MODIFY | IN_MASK_CREATE));
	TRY(inotify_add_watch(watcher, "file", IN_MODIFY | IN_MASK_ADD));
	TRY(inotify_add_watch(watcher, "file", IN_MODIFY | IN_MASK_ADD | IN_MASK_CREATE));
	TRY(inotify_add_watch(watcher, "link", IN_MODIFY | IN_ONLYDIR));
	TRY(inotify_add_watch(watcher, (char *)1, IN_MODIFY));
	TRY(inotify_add_watch(watcher, "", IN_MODIFY));
	TRY(inotify_add_watch(watcher, ".", IN_ALL_EVENTS | IN_ONESHOT));
	TRY(write(fd, "x", 1));
	TRY(read(watcher, events, 4));
	TRY(read(watcher, (void *)1, sizeof(events)));
	SHOW(read(watcher, events, sizeof(events)) > 0);
	TRY(rename("link", "link2"));
	TRY(unlink("link2"));
	SHOW(read(watcher, events, sizeof(events)) > 0);
	TRY(read(watcher, events, sizeof(events)));
	TRY(inotify_rm_watch(watcher, 3));
	TRY(lseek(watcher, 0, SEEK_SET));
	TRY(inotify_init1(3));
	close(watcher);
}

int main(int argc, char **argv)
{
	check_enter(argc, argv, chdir);
	const int fd = open("file", O_RDWR | O_CREAT, 0644);

	write(fd, "content", 7);
	of_memory();
	of_capabilities();
	of_policies();
	of_files(fd);
	of_watches(fd);
	return 0;
}
