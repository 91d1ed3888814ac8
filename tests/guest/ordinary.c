/*
 * Calls that ordinary programs make in passing: hints, lists of attributes, locked memory, memory
 * of the process itself, scheduling policies, watches.
 *
 * data: yes
 * link: static
 * beside: host
 */
#include "edge.h"
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/xattr.h>

static void of_files(int fd)
{
	int ends[2];
	char byte;
	struct iovec one = {&byte, 1};
	struct stat info;

	pipe(ends);
	TRY(syncfs(fd));
	TRY(syncfs(99));
	TRY(sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE));
	TRY(sync_file_range(fd, 0, 10, 0));
	TRY(sync_file_range(fd, -1, 10, 0));
	TRY(sync_file_range(fd, 0, 10, 8));
	TRY(sync_file_range(ends[0], 0, 10, 0));
	TRY(sync_file_range(99, 0, 10, 0));
	TRY(readahead(fd, 0, 100));
	TRY(readahead(ends[0], 0, 100));
	TRY(readahead(99, 0, 100));
	TRY(preadv2(fd, &one, 1, 2, 0));
	printf("%c\n", byte);
	TRY(pwritev2(fd, &one, 1, -1, 0));
	TRY(lseek(fd, 0, SEEK_CUR));
	TRY(preadv2(fd, &one, 1, -2, 0));
	TRY(mknod("node", S_IFREG | 0640, 0));
	TRY(stat("node", &info));
	printf("%o\n", info.st_mode);
	TRY(mknod("node", S_IFREG | 0640, 0));
	TRY(mknod("plain", 0600, 0));
	TRY(mknod("directory", S_IFDIR | 0600, 0));
	TRY(mknod("none/node", S_IFREG | 0600, 0));
	TRY(mknod("odd", 0170000, 0));
	close(ends[0]);
	close(ends[1]);
}

static void of_attributes(int fd)
{
	char value[16], name[300];

	memset(name, 'u', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	TRY(listxattr("file", value, 16));
	TRY(llistxattr("file", NULL, 0));
	TRY(flistxattr(fd, value, 16));
	TRY(listxattr("none", value, 16));
	TRY(flistxattr(99, value, 16));
	TRY(getxattr("none", "user.x", value, 16));
	TRY(getxattr("file", name, value, 16));
	TRY(getxattr("file", "", value, 16));
	TRY(getxattr("file", (char *)1, value, 16));
	TRY(fgetxattr(99, "user.x", value, 16));
	TRY(removexattr("none", "user.x"));
}

static void of_memory(void)
{
	char from[20] = "abcdefghijklmnopqrs", to[20] = "", *edge = edge_new();
	struct iovec here[] = {{to, 3}, {to + 3, 10}}, there[] = {{from + 5, 8}, {edge - 2, 4}};

	memcpy(edge - 2, "yz", 2);
	TRY(process_vm_readv(getpid(), here, 2, there, 1, 0));
	puts(to);
	TRY(process_vm_writev(getpid(), here, 1, there, 1, 0));
	puts(from);
	TRY(process_vm_readv(getpid(), here, 2, there + 1, 1, 1));
	TRY(process_vm_readv(getpid(), here, 0, there, 1, 0));
	TRY(process_vm_readv(getpid(), (void *)1, 1, there, 1, 0));
	there[0].iov_base = edge;
	TRY(process_vm_readv(getpid(), here, 2, there, 1, 0));
	TRY(munlockall());
	TRY(mlockall(0));
	TRY(mlockall(8));
	TRY(mlockall(MCL_ONFAULT));
	TRY(munlockall());
	TRY(mlock2(edge - EDGE_PAGE, EDGE_PAGE, 2));
}

static void of_policies(void)
{
	struct sched_param zero = {0}, one = {1}, many = {100};

	TRY(sched_setscheduler(0, SCHED_OTHER, &zero));
	TRY(sched_setscheduler(0, SCHED_BATCH, &zero));
	TRY(sched_setscheduler(0, SCHED_OTHER, &zero));
	TRY(sched_setscheduler(0, SCHED_OTHER, &one));
	TRY(sched_setscheduler(0, SCHED_FIFO, &zero));
	TRY(sched_setscheduler(0, SCHED_RR, &many));
	TRY(sched_setscheduler(0, 77, &zero));
	TRY(sched_setscheduler(0, -1, &zero));
	TRY(sched_setscheduler(-1, SCHED_OTHER, &zero));
	TRY(sched_setscheduler(0, SCHED_OTHER, NULL));
	TRY(sched_setparam(0, &zero));
	TRY(sched_setparam(0, &one));
	TRY(sched_setparam(0, NULL));
}

static void of_capabilities(void)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2];

	RAW(capget, &header, data);
	header.version = 1;
	RAW(capget, &header, data);
	SHOW(header.version == _LINUX_CAPABILITY_VERSION_3);
	header.version = 1;
	RAW(capget, &header, NULL);
	SHOW(header.version == _LINUX_CAPABILITY_VERSION_3);
	header.version = _LINUX_CAPABILITY_VERSION_1;
	RAW(capget, &header, PAST(data[0]));
	RAW(capget, &header, BEFORE(data[0]));
	header.pid = -1;
	RAW(capget, &header, data);
	RAW(capget, NULL, data);
	header.pid = 0;
	memset(data, 0, sizeof(data));
	RAW(capset, NULL, data);
	RAW(capset, &header, NULL);
}

static void of_watches(int fd)
{
	int watcher = OPEN(inotify_init1(IN_NONBLOCK));
	char events[400];

	TRY(inotify_init1(1));
	TRY(read(watcher, events, sizeof(events)));
	TRY(inotify_add_watch(watcher, "file", IN_MODIFY));
	TRY(inotify_add_watch(watcher, ".", IN_CREATE));
	TRY(inotify_add_watch(watcher, "file", IN_ATTRIB));
	TRY(inotify_add_watch(watcher, "file", IN_ATTRIB | IN_MASK_CREATE));
	TRY(inotify_add_watch(watcher, "file", IN_ATTRIB | IN_ONLYDIR));
	TRY(inotify_add_watch(watcher, "none", IN_MODIFY));
	TRY(inotify_add_watch(watcher, "file", 0));
	TRY(inotify_add_watch(99, "file", IN_MODIFY));
	TRY(inotify_add_watch(fd, "file", IN_MODIFY));
	TRY(inotify_rm_watch(watcher, 7));
	TRY(inotify_rm_watch(watcher, 2));
	TRY(inotify_rm_watch(watcher, 2));
	TRY(inotify_rm_watch(99, 1));
	TRY(write(watcher, events, 1));
	close(watcher);
}

int main(int argc, char **argv)
{
	check_enter(argc, argv, chdir);
	int fd = open("file", O_RDWR | O_CREAT, 0644);

	write(fd, "content", 7);
	of_files(fd);
	of_attributes(fd);
	of_memory();
	of_policies();
	of_capabilities();
	of_watches(fd);
	return 0;
}
