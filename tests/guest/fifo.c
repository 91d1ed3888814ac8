/*
 * FIFOs block, end and break as on Linux, in a mount and under /dev/shm.
 * data: yes
 * beside: host
 */
#include "check.h"
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[256], other[256];

static void *write_to(void *text)
{
	int fd = open(path, O_WRONLY);

	write(fd, text, strlen(text));
	close(fd);
	return NULL;
}

static void *read_from(void *text)
{
	int fd = open(path, O_RDONLY);

	((char *)text)[read(fd, text, 15)] = 0;
	close(fd);
	return NULL;
}

static void note(int number)
{
	(void)number;
}

static void *interrupt(void *main_thread)
{
	usleep(100000);
	pthread_kill(*(pthread_t *)main_thread, SIGUSR1);
	return NULL;
}

static void show_ready(int fd, short events)
{
	struct pollfd one = {.fd = fd, .events = events};

	poll(&one, 1, 0);
	printf("ready for %x\n", one.revents);
}

static void try_in(const char *directory)
{
	char text[16] = "";
	pthread_t thread, self = pthread_self();
	struct stat info, same;

	snprintf(path, sizeof(path), "%s/fifo.%d.%d", directory, getpid(), getppid());
	snprintf(other, sizeof(other), "%s.other", path);
	TRY(mkfifo(path, 0640));
	TRY(mkfifo(path, 0640));
	TRY(mknod(other, S_IFIFO | 0600, 0));
	TRY(stat(path, &info));
	SHOW(info.st_mode);
	SHOW(info.st_size);
	SHOW(info.st_nlink);
	DIR *names = opendir(directory);
	for (struct dirent *entry; (entry = readdir(names));)
		if (strcmp(entry->d_name, strrchr(path, '/') + 1) == 0)
			SHOW(entry->d_type == DT_FIFO);
	closedir(names);
	TRY(open(path, O_WRONLY | O_NONBLOCK));
	TRY(open(path, O_RDONLY | O_DIRECTORY));
	int reader = OPEN(open(path, O_RDONLY | O_NONBLOCK));
	show_ready(reader, POLLIN);
	TRY(read(reader, text, 4));
	TRY(fstat(reader, &same));
	TRUTH(same.st_ino == info.st_ino && same.st_mode == info.st_mode);
	int writer = OPEN(open(path, O_WRONLY | O_NONBLOCK | O_TRUNC));
	TRY(read(reader, text, 4));
	show_ready(reader, POLLIN);
	show_ready(writer, POLLOUT);
	int second = OPEN(open(path, O_WRONLY));
	TRY(write(writer, "first ", 6));
	TRY(write(second, "second", 6));
	TRY(lseek(writer, 0, SEEK_SET));
	close(writer);
	show_ready(reader, POLLIN);
	TRY(read(reader, text, 12));
	puts(text);
	TRY(read(reader, text, 12));
	TRY(fcntl(reader, F_SETFL, 0));
	close(second);
	show_ready(reader, POLLIN);
	TRY(read(reader, text, 12));
	writer = OPEN(open(path, O_WRONLY));
	close(reader);
	show_ready(writer, POLLOUT);
	TRY(write(writer, "x", 1));
	close(writer);
	int both = OPEN(open(path, O_RDWR));
	TRY(write(both, "lost", 4));
	show_ready(both, POLLIN | POLLOUT);
	close(both);
	reader = OPEN(open(path, O_RDONLY | O_NONBLOCK));
	TRY(read(reader, text, 12));
	close(reader);
	/* Each side waits for the other. */
	pthread_create(&thread, NULL, write_to, "to a reader");
	reader = OPEN(open(path, O_RDONLY));
	memset(text, 0, sizeof(text));
	TRY(read(reader, text, 15));
	puts(text);
	pthread_join(thread, NULL);
	TRY(read(reader, text, 15));
	close(reader);
	pthread_create(&thread, NULL, read_from, text);
	writer = OPEN(open(path, O_WRONLY));
	TRY(write(writer, "to a thread", 11));
	pthread_join(thread, NULL);
	puts(text);
	close(writer);
	/* A handler ends the wait. */
	pthread_create(&thread, NULL, interrupt, &self);
	TRY(open(path, O_RDONLY));
	pthread_join(thread, NULL);
	TRY(open(path, O_WRONLY | O_NONBLOCK));
	TRY(rename(path, other));
	TRY(stat(other, &same));
	TRUTH(same.st_ino == info.st_ino && S_ISFIFO(same.st_mode));
	reader = OPEN(open(other, O_RDONLY | O_NONBLOCK));
	TRY(unlink(other));
	TRY(unlink(other));
	TRY(open(other, O_RDONLY));
	int plain = OPEN(open(path, O_RDWR | O_CREAT, 0600));
	TRY(write(plain, "plain", 5));
	TRY(fstat(plain, &info));
	SHOW(info.st_mode);
	close(plain);
	TRY(unlink(path));
	close(reader);
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = note};

	(void)argc;
	signal(SIGPIPE, SIG_IGN);
	sigaction(SIGUSR1, &action, NULL);
	try_in(argv[1]);
	try_in("/dev/shm");
	return 0;
}
