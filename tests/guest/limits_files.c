/*
 * The limit on the size of files stops writes with SIGXFSZ or EFBIG; niceness is kept; a descriptor
 * of a link can be read as the link.
 *
 * data: yes
 * link: static
 * beside: host
 */
#include "check.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int signals;

static void handle(int number)
{
	(void)number;
	signals++;
}

static void of_size(void)
{
	char bytes[1000] = "";
	int fd = open("file", O_RDWR | O_CREAT, 0644), other;

	signal(SIGXFSZ, handle);
	TRY(write(fd, bytes, 900));
	TRY(setrlimit(RLIMIT_FSIZE, &(struct rlimit){1500, RLIM_INFINITY}));
	TRY(write(fd, bytes, 500));
	TRY(write(fd, bytes, 500));
	TRY(write(fd, bytes, 500));
	SHOW(signals);
	TRY(pwrite(fd, bytes, 10, 1495));
	TRY(pwrite(fd, bytes, 10, 2000));
	TRY(pwrite(fd, bytes, 0, 2000));
	SHOW(signals);
	TRY(ftruncate(fd, 1500));
	TRY(ftruncate(fd, 1501));
	TRY(truncate("file", 5000));
	SHOW(signals);
	TRY(ftruncate(fd, 100));
	TRY(lseek(fd, 0, SEEK_SET));
	TRY(fallocate(fd, 0, 0, 5000));
	SHOW(signals);
	other = open("other", O_WRONLY | O_CREAT | O_APPEND, 0644);
	TRY(write(other, bytes, 1000));
	TRY(write(other, bytes, 1000));
	TRY(write(other, bytes, 1000));
	SHOW(signals);
	signal(SIGXFSZ, SIG_IGN);
	TRY(write(other, bytes, 1000));
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
	TRY(write(other, bytes, 1000));
	close(fd);
	close(other);
}

static void of_niceness(void)
{
	SHOW(getpriority(PRIO_PROCESS, 0));
	SHOW(nice(5));
	SHOW(getpriority(PRIO_PROCESS, getpid()));
	TRY(setpriority(PRIO_PROCESS, 0, 7));
	SHOW(nice(0));
	TRY(setpriority(PRIO_PROCESS, 0, 100));
	SHOW(getpriority(PRIO_PROCESS, 0));
}

static void of_links(void)
{
	char text[20] = "", path[1000];
	ssize_t length;
	int link, fd;

	symlink("target", "link");
	link = open("link", O_PATH | O_NOFOLLOW);
	fd = open("file", O_RDONLY);
	TRY(readlinkat(link, "", text, sizeof(text)));
	puts(text);
	TRY(readlinkat(fd, "", text, sizeof(text)));
	TRY(readlinkat(99, "", text, sizeof(text)));
	TRY(readlinkat(AT_FDCWD, "", text, sizeof(text)));
	TRY(readlinkat(link, "", text, 3));
	unlink("file");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	length = readlink(path, path, sizeof(path));
	TRUTH(length > 14 && memcmp(path + length - 14, "file (deleted)", 14) == 0);
	close(link);
	close(fd);
}

int main(int argc, char **argv)
{
	check_enter(argc, argv, chdir);
	of_size();
	of_niceness();
	of_links();
	return 0;
}
