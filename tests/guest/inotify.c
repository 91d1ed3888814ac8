/*
 * inotify tells what the program itself does to files, in the order of the kernel.
 * data: yes
 * link: static
 * beside: host
 */
#include "check.h"
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {"ACCESS",	     "MODIFY", "ATTRIB",      "CLOSE_WRITE",
				    "CLOSE_NOWRITE", "OPEN",   "MOVED_FROM",  "MOVED_TO",
				    "CREATE",	     "DELETE", "DELETE_SELF", "MOVE_SELF"};
static int watcher;

static void show(const char *what)
{
	static char events[65536] __attribute__((aligned(8)));
	ssize_t got = read(watcher, events, sizeof(events));
	static uint32_t last_cookie;

	printf("%s:%s", what, got < 0 ? " nothing" : "");
	for (ssize_t at = 0; at < got;) {
		const struct inotify_event *event = (void *)(events + at);

		printf(" %d", event->wd);
		for (int i = 0; i < 12; i++)
			if (event->mask & 1u << i)
				printf("+%s", names[i]);
		printf("%s%s%s", event->mask & IN_ISDIR ? "+ISDIR" : "",
		       event->mask & IN_IGNORED ? "+IGNORED" : "",
		       event->mask & IN_Q_OVERFLOW ? "+OVERFLOW" : "");
		if (event->len)
			printf("(%s/%u)", event->name, event->len);
		if (event->mask & IN_MOVED_TO)
			printf("=%d", event->cookie && event->cookie == last_cookie);
		last_cookie = event->cookie;
		at += (ssize_t)(sizeof(*event) + event->len);
	}
	puts("");
}

static void *touch(void *unused)
{
	usleep(50000);
	close(open("late", O_CREAT | O_WRONLY, 0600));
	return unused;
}

static void try_in(const char *directory)
{
	struct timespec times[2] = {{1, 0}, {2, 0}}, some[2] = {{1, 0}, {0, UTIME_OMIT}};
	char text[64], scratch[128];
	int pending;
	struct dirent **listed;

	snprintf(scratch, sizeof(scratch), "%s/watched.%d.%d", directory, getpid(), getppid());
	mkdir(scratch, 0700);
	TRY(chdir(scratch));
	watcher = OPEN(inotify_init1(IN_NONBLOCK));
	int there = inotify_add_watch(watcher, ".", IN_ALL_EVENTS);
	SHOW(there);
	show("before");
	int fd = open("file", O_CREAT | O_RDWR, 0600);
	show("create");
	write(fd, "contents", 8);
	write(fd, "more", 4);
	show("write twice");
	TRY(inotify_add_watch(watcher, "file", IN_ALL_EVENTS));
	pread(fd, text, 4, 0);
	pread(fd, text, 4, 100);
	show("read");
	ftruncate(fd, 3);
	show("ftruncate");
	truncate("file", 2);
	show("truncate");
	fchmod(fd, 0640);
	show("fchmod");
	chmod("file", 0600);
	show("chmod");
	utimensat(AT_FDCWD, "file", times, 0);
	show("utimensat");
	futimens(fd, some);
	show("futimens");
	chown("file", -1, -1);
	show("chown");
	int copy = dup(fd);
	close(fd);
	show("close of one");
	close(copy);
	show("close of the other");
	close(open("file", O_RDONLY));
	show("open and close");
	link("file", "second");
	show("link");
	unlink("second");
	show("unlink of one");
	symlink("file", "symbolic");
	show("symlink");
	unlink("symbolic");
	show("unlink of a link");
	mknod("plain", S_IFREG | 0600, 0);
	TRY(inotify_add_watch(watcher, "plain", IN_ALL_EVENTS));
	show("mknod");
	unlink("plain");
	show("unlink of what is watched");
	mkdir("sub", 0700);
	show("mkdir");
	TRY(inotify_add_watch(watcher, "sub", IN_ALL_EVENTS | IN_ONLYDIR));
	rename("file", "sub/moved");
	show("rename");
	rename("sub/moved", "back");
	show("rename back");
	close(open("target", O_CREAT | O_WRONLY, 0600));
	TRY(inotify_add_watch(watcher, "target", IN_ALL_EVENTS));
	show("another");
	rename("back", "target");
	show("rename over another");
	fd = open("target", O_RDONLY);
	show("open");
	unlink("target");
	show("unlink while open");
	close(fd);
	show("close of the last");
	chmod("sub", 0750);
	show("chmod of a directory");
	for (int i = scandir("sub", &listed, NULL, NULL); i-- > 0;)
		free(listed[i]);
	free(listed);
	show("scandir");
	rmdir("sub");
	show("rmdir");
	mkfifo("fifo", 0600);
	unlink("fifo");
	show("mkfifo");
	TRY(unlink("none"));
	TRY(mkdir(".", 0700));
	show("what failed");
	TRY(inotify_add_watch(watcher, ".", IN_CREATE | IN_DELETE | IN_ONESHOT));
	close(open("one", O_CREAT | O_WRONLY, 0600));
	unlink("one");
	show("once");
	there = inotify_add_watch(watcher, ".", IN_CREATE);
	TRY(inotify_add_watch(watcher, ".", IN_DELETE | IN_MASK_ADD));
	close(open("one", O_CREAT | O_WRONLY, 0600));
	close(open("a name that is longer than sixteen", O_CREAT | O_WRONLY, 0600));
	unlink("one");
	TRY(ioctl(watcher, FIONREAD, &pending));
	SHOW(pending);
	TRY(read(watcher, text, 16));
	TRY(read(watcher, text, 40));
	show("the rest");
	unlink("a name that is longer than sixteen");
	int from = open("one", O_CREAT | O_RDWR, 0600), to = open("two", O_CREAT | O_RDWR, 0600);
	write(from, "x", 1);
	show("made");
	inotify_add_watch(watcher, ".", IN_MODIFY);
	sendfile(to, from, &(off_t){0}, 1);
	show("sendfile");
	close(from);
	close(to);
	TRY(inotify_add_watch(watcher, "one", IN_MODIFY));
	TRY(inotify_rm_watch(watcher, there));
	show("removed");
	unlink("one");
	unlink("two");
	show("gone");
	/* A read waits. */
	pthread_t thread;
	fcntl(watcher, F_SETFL, 0);
	inotify_add_watch(watcher, ".", IN_CREATE);
	pthread_create(&thread, NULL, touch, NULL);
	struct pollfd ready = {.fd = watcher, .events = POLLIN};
	TRY(poll(&ready, 1, 5000));
	show("waited");
	pthread_join(thread, NULL);
	fcntl(watcher, F_SETFL, O_NONBLOCK);
	inotify_add_watch(watcher, ".", IN_CREATE | IN_DELETE);
	for (int i = 0; i < 8500; i++) {
		close(open(i % 2 ? "odd" : "even", O_CREAT | O_WRONLY, 0600));
		unlink(i % 2 ? "odd" : "even");
	}
	int count = 0, lost = 0;
	static char many[65536] __attribute__((aligned(8)));
	for (ssize_t got; (got = read(watcher, many, sizeof(many))) > 0;)
		for (ssize_t at = 0; at < got; count++) {
			const struct inotify_event *event = (void *)(many + at);

			lost += event->mask == IN_Q_OVERFLOW && event->wd == -1;
			at += (ssize_t)(sizeof(*event) + event->len);
		}
	SHOW(count);
	SHOW(lost);
	unlink("late");
	TRY(chdir("/"));
	TRY(rmdir(scratch));
	close(watcher);
}

int main(int argc, char **argv)
{
	(void)argc;
	try_in(argv[1]);
	try_in("/dev/shm");
	return 0;
}
