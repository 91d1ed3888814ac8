/*
 * Whatever a program makes the simulator keep is charged while it is there, and given back.
 *
 * link: static
 * only: cyclestack
 */
#include "edge.h"
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

static char block[100000];

/* What is charged, in kB. */
static long charged(void)
{
	static char text[4000];
	int fd = open("/proc/self/status", O_RDONLY);

	text[read(fd, text, sizeof(text) - 1)] = 0;
	close(fd);
	return strtol(strstr(text, "VmSize:") + 7, NULL, 10);
}

static void pipes(int *fds)
{
	pipe(fds);
	write(fds[1], block, 1000);
}

static void streams(int *fds)
{
	socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
	write(fds[0], block, 50000);
	read(fds[1], block, 10);
}

static void datagrams(int *fds)
{
	socketpair(AF_UNIX, SOCK_DGRAM, 0, fds);
	for (int i = 0; i < 5; i++)
		write(fds[0], block, 1000);
	read(fds[1], block, 10);
}

static void connections(int *fds)
{
	struct sockaddr_un name = {AF_UNIX, "\0charged"};

	fds[0] = socket(AF_UNIX, SOCK_STREAM, 0);
	fds[1] = socket(AF_UNIX, SOCK_STREAM, 0);
	fds[2] = socket(AF_UNIX, SOCK_STREAM, 0);
	bind(fds[0], (void *)&name, 10);
	listen(fds[0], 5);
	connect(fds[1], (void *)&name, 10);
	connect(fds[2], (void *)&name, 10);
	write(fds[1], block, 3000);
	fds[3] = accept(fds[0], NULL, NULL);
}

static void rights(int *fds)
{
	char control[24] = {0};
	struct iovec range = {"x", 1};
	struct msghdr head = {
		.msg_iov = &range, .msg_iovlen = 1, .msg_control = control, .msg_controllen = 20};
	int inner[2];

	socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
	pipe(inner);
	*(struct cmsghdr *)control =
		(struct cmsghdr){.cmsg_len = 20, .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
	memcpy(control + 16, &inner[0], 4);
	sendmsg(fds[0], &head, 0);
	close(inner[0]);
	close(inner[1]);
}

static void polls(int *fds)
{
	struct epoll_event event = {.events = EPOLLIN};

	fds[0] = epoll_create1(0);
	for (int i = 1; i < 4; i++) {
		fds[i] = eventfd(i, 0);
		epoll_ctl(fds[0], EPOLL_CTL_ADD, fds[i], &event);
	}
	epoll_ctl(fds[0], EPOLL_CTL_DEL, fds[2], NULL);
}

static void memory_files(int *fds)
{
	fds[0] = memfd_create("charged", 0);
	write(fds[0], block, 30000);
	ftruncate(fds[0], 50000);
	ftruncate(fds[0], 20001);
	pwrite(fds[0], block, 10, 40000);
}

static void named_files(int *fds)
{
	fds[0] = open("/dev/shm/charged", O_RDWR | O_CREAT | O_EXCL, 0600);
	fds[1] = open("/dev/shm/charged", O_RDWR);
	link("/dev/shm/charged", "/dev/shm/twice");
	write(fds[0], block, 30000);
	pwrite(fds[1], block, 10, 40000);
	ftruncate(fds[1], 20001);
	mkdir("/dev/shm/directory", 0700);
	rename("/dev/shm/charged", "/dev/shm/directory/charged");
	unlink("/dev/shm/directory/charged");
	rmdir("/dev/shm/directory");
	unlink("/dev/shm/twice");
}

static void named_pipes(int *fds)
{
	mkfifo("/dev/shm/charged", 0600);
	fds[0] = open("/dev/shm/charged", O_RDWR);
	fds[1] = open("/dev/shm/charged", O_WRONLY);
	fds[2] = open("/dev/shm/charged", O_RDONLY);
	unlink("/dev/shm/charged");
	write(fds[1], block, 5000);
}

/* Half of the events are read before the descriptor is closed. */
static void watches(int *fds)
{
	fds[0] = inotify_init1(IN_NONBLOCK);
	inotify_add_watch(fds[0], "/dev/shm", IN_ALL_EVENTS);
	for (int i = 0; i < 10; i++) {
		mkdir("/dev/shm/a name that is not short at all", 0700);
		rmdir("/dev/shm/a name that is not short at all");
	}
	inotify_add_watch(fds[0], "/dev", IN_ALL_EVENTS);
	inotify_rm_watch(fds[0], 2);
	read(fds[0], block, 700);
}

static void texts(int *fds)
{
	for (int i = 0; i < 4; i++)
		fds[i] = open("/proc/self/maps", O_RDONLY);
}

static void counters(int *fds)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr)};

	for (int i = 0; i < 4; i++)
		fds[i] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, i ? fds[0] : -1, 0);
}

static const struct {
	const char *name;
	void (*make)(int *fds);
	long least_kb, most_kb; /* of 50 */
} kinds[] = {
	{"pipes", pipes, 3200, 3300},
	{"streams", streams, 2450, 2700},
	{"datagrams", datagrams, 245, 400},
	{"connections", connections, 150, 500},
	{"rights", rights, 3200, 3400},
	{"polls", polls, 5, 30},
	{"memory files", memory_files, 2000, 2050},
	{"named files", named_files, 1000, 1050},
	{"named pipes", named_pipes, 3200, 3300},
	/* What one makes, all before it are told. */
	{"watches", watches, 500, 1500},
	{"texts", texts, 75, 400},
	{"counters", counters, 40, 120},
};

int main(void)
{
	struct stat info;

	/* The table of files is there from the first on. */
	stat("/dev", &info);
	charged();
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		int fds[50][4];
		long before = charged();

		for (int order = 0; order < 2; order++) {
			/* One name is for one of them; the text of the maps takes a while. */
			int count = kinds[k].make == connections ? 1
				    : kinds[k].make == texts	 ? 2
								 : 50;

			memset(fds, -1, sizeof(fds));
			for (int i = 0; i < count; i++)
				kinds[k].make(fds[i]);
			long more = charged() - before;
			if (count > 1 && (50 * more < count * kinds[k].least_kb ||
					  50 * more > count * kinds[k].most_kb))
				printf("%s take %ld kB: NO\n", kinds[k].name, more);
			/* Closed in the order in which they were made, and the other way round. */
			for (int i = 0; i < 200; i++) {
				int at = order ? 199 - i : i;

				close(fds[at / 4][at % 4]);
			}
			more = charged() - before;
			if (more)
				printf("%s leave %ld kB: NO\n", kinds[k].name, more);
			else
				printf("%s leave nothing: yes\n", kinds[k].name);
		}
	}
	/* The same of a single kind until a leak would show in kB. */
	long before = charged();
	for (int i = 0; i < 40; i++) {
		int fds[4] = {-1, -1, -1, -1};

		connections(fds);
		for (int k = 0; k < 4; k++)
			close(fds[(k + i) % 4]);
	}
	for (int i = 0; i < 40; i++) {
		struct pollfd list[64];
		int event = eventfd(0, 0);

		for (int k = 0; k < 64; k++)
			list[k] = (struct pollfd){event, POLLIN, 0};
		poll(list, 64, 1);
		close(event);
	}
	TRUTH(charged() == before);
	return 0;
}
