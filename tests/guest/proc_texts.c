/*
 * The files of /proc about the system and the process have the form that programs read.
 *
 * args: one 'two words' ''
 * env: A=1 B=
 * data: yes
 * beside: host
 * link: static
 */
#include "check.h"
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static char text[1 << 20];
static size_t bytes;

static int load(const char *path)
{
	int fd = open(path, O_RDONLY);
	ssize_t got;

	bytes = 0;
	while (fd >= 0 && (got = read(fd, text + bytes, sizeof(text) - 1 - bytes)) > 0)
		bytes += (size_t)got;
	text[bytes] = 0;
	printf("%s: %s\n", path, fd >= 0 && bytes ? "is there" : "NO");
	close(fd);
	return fd >= 0;
}

/* The number after a name at the beginning of a line. */
static long long number(const char *name)
{
	size_t length = strlen(name);

	for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		if (strncmp(at, name, length) == 0)
			return atoll(at + length);
	return -1;
}

static void of_system(void)
{
	double up, idle, load1, load5, load15;
	int running, all;
	char used[64];
	long ticks[4];

	load("/proc/meminfo");
	TRUTH(number("MemTotal:") > 0);
	TRUTH(number("MemFree:") > 0 && number("MemFree:") <= number("MemTotal:"));
	TRUTH(number("MemAvailable:") > 0);
	TRUTH(number("SwapTotal:") >= 0);
	TRUTH(strstr(text, " kB\n") != NULL);
	load("/proc/stat");
	SHOW(sscanf(text, "cpu %ld %ld %ld %ld", &ticks[0], &ticks[1], &ticks[2], &ticks[3]));
	TRUTH(number("cpu0 ") >= 0);
	TRUTH(number("btime ") > 0);
	TRUTH(number("ctxt ") >= 0);
	load("/proc/uptime");
	SHOW(sscanf(text, "%lf %lf", &up, &idle));
	load("/proc/loadavg");
	SHOW(sscanf(text, "%lf %lf %lf %d/%d", &load1, &load5, &load15, &running, &all));
	load("/proc/mounts");
	SHOW(sscanf(text, "%*s %63s %*s %*s %*d %*d", used));
	TRUTH(used[0] == '/');
	load("/proc/filesystems");
	load("/proc/version");
	TRUTH(strncmp(text, "Linux version ", 14) == 0);
	load("/proc/sys/kernel/pid_max");
	TRUTH(atoll(text) > 1000);
	load("/proc/sys/kernel/osrelease");
	load("/proc/sys/fs/pipe-max-size");
	SHOW(atoll(text));
}

static void of_process(int argc)
{
	Elf64_auxv_t *vector;
	char here[4096], link[4096] = "";
	long pages[2];
	int strings = 0;

	load("/proc/self/cmdline");
	for (size_t i = 0; i < bytes; i++)
		strings += !text[i];
	TRUTH(strings == argc);
	TRUTH(bytes > 15 && memcmp(text + bytes - 15, "one\0two words\0", 15) == 0);
	load("/proc/self/environ");
	TRUTH(bytes == 7 && memcmp(text, "A=1\0B=\0", 7) == 0);
	load("/proc/self/auxv");
	vector = (Elf64_auxv_t *)text;
	for (size_t i = 0; i < bytes / sizeof(*vector); i++)
		if (vector[i].a_type == AT_PAGESZ || vector[i].a_type == AT_ENTRY)
			TRUTH(vector[i].a_un.a_val == getauxval(vector[i].a_type));
	load("/proc/self/statm");
	SHOW(sscanf(text, "%ld %ld", &pages[0], &pages[1]));
	TRUTH(pages[0] >= pages[1] && pages[1] > 0);
	load("/proc/self/limits");
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){1 << 30, RLIM_INFINITY});
	load("/proc/self/limits");
	TRUTH(strstr(text,
		     "Limit                     Soft Limit           Hard Limit           Units"));
	TRUTH(strstr(
		text,
		"\nMax file size             1073741824           unlimited            bytes "));
	TRUTH(readlink("/proc/self/cwd", link, sizeof(link) - 1) > 0);
	TRUTH(strcmp(getcwd(here, sizeof(here)), link) == 0);
	TRY(access("/proc/self/cwd/inside", F_OK));
	TRY(readlink("/proc/self/root", link, sizeof(link) - 1));
	load("/proc/self/mounts");
}

static void *wait_here(void *path)
{
	sprintf(path, "/proc/self/task/%ld/comm", syscall(SYS_gettid));
	pthread_setname_np(pthread_self(), "second");
	int fd = open(path, O_RDONLY);
	TRY(read(fd, text, 100));
	printf("%.7s", text);
	close(fd);
	return NULL;
}

static int count_tasks(void)
{
	DIR *tasks = opendir("/proc/self/task");
	int count = 0;

	while (tasks && readdir(tasks))
		count++;
	closedir(tasks);
	return count - 2;
}

static void of_tasks(void)
{
	pthread_t thread;
	char path[64];

	SHOW(count_tasks());
	sprintf(path, "/proc/self/task/%d/status", getpid());
	TRUTH(access(path, R_OK) == 0);
	pthread_create(&thread, NULL, wait_here, path);
	pthread_join(thread, NULL);
	SHOW(count_tasks());
	TRY(access(path, F_OK));
}

int main(int argc, char **argv)
{
	check_enter(argc, argv, chdir);
	close(open("inside", O_CREAT | O_WRONLY, 0644));
	of_system();
	of_process(argc);
	of_tasks();
	return 0;
}
