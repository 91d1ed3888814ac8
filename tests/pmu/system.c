/*
 * What a program finds in /proc and /sys: prints the caches, counts the events, and "NO" behind
 * whatever does not agree with what calls tell.
 */
#include "../guest/check.h"
#include <dirent.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EVENTS "/sys/bus/event_source/devices/cpu/events"
#define CACHE  "/sys/devices/system/cpu/cpu0/cache/index"

static char text[65536];

static char *text_of(const char *path)
{
	int fd = open(path, O_RDONLY);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	text[length < 0 ? 0 : length] = 0;
	if (length > 0 && text[length - 1] == '\n' && !strchr(text, ':'))
		text[length - 1] = 0;
	close(fd);
	return length < 0 ? NULL : text;
}

static void caches(void)
{
	static const char *const names[] = {"level",
					    "type",
					    "size",
					    "coherency_line_size",
					    "ways_of_associativity",
					    "number_of_sets",
					    "shared_cpu_list"};
	char path[128];

	for (int i = 0; snprintf(path, sizeof(path), CACHE "%d", i) && !access(path, R_OK); i++) {
		printf("cache %d:", i);
		for (unsigned k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
			snprintf(path, sizeof(path), CACHE "%d/%s", i, names[k]);
			printf(" %s", text_of(path));
		}
		printf("\n");
	}
}

static void events(void)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};
	DIR *directory = opendir(EVENTS);
	int opened = 0, refused = 0;
	char path[512];

	attr.type = (uint32_t)atoi(text_of("/sys/bus/event_source/devices/cpu/type"));
	for (struct dirent *e; (e = readdir(directory));) {
		unsigned code;

		snprintf(path, sizeof(path), EVENTS "/%s", e->d_name);
		if (e->d_type != DT_REG || sscanf(text_of(path), "event=%x", &code) != 1)
			continue;
		attr.config = code;
		int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
		opened += fd >= 0;
		refused += fd < 0;
		close(fd);
	}
	closedir(directory);
	printf("events %d opened, %d refused\n", opened, refused);
}

/* Whether some line of the maps has all of an address, permissions and a name. */
static int is_mapped(const void *address, const char *permissions, const char *name)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char line[512], kind[8];
	int found = 0;

	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %7s", &start, &end, kind) == 3 &&
		    start <= (unsigned long)address && (unsigned long)address < end)
			found += !strcmp(kind, permissions) && strstr(line, name);
	fclose(maps);
	return found;
}

int main(int argc, char **argv)
{
	const char *program = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	char line[64], link[256] = "";
	cpu_set_t set;
	struct stat st;
	int pid;

	(void)argc;
	caches();
	events();
	sched_getaffinity(0, sizeof(set), &set);
	TRUTH(CPU_COUNT(&set) == 1 && !strcmp(text_of("/sys/devices/system/cpu/online"), "0"));
	TRUTH(!strcmp(text_of("/sys/devices/system/cpu/possible"), "0"));
	TRUTH(sysconf(_SC_NPROCESSORS_ONLN) == 1 && sysconf(_SC_NPROCESSORS_CONF) == 1);
	TRUTH(!strcmp(text_of("/proc/sys/kernel/perf_event_paranoid"), "-1"));
	TRUTH(strstr(text_of("/proc/cpuinfo"), "rv64imafdc") && strstr(text, "_zba_zbb_zbc_zbs"));
	TRUTH((getauxval(AT_HWCAP) & 0x112d) == 0x112d);
	TRUTH(sscanf(text_of("/proc/self/stat"), "%d (%60[^)])", &pid, line) == 2 &&
	      pid == getpid());
	TRUTH(!strncmp(line, program, 15));
	TRUTH(strstr(text_of("/proc/self/status"), "\nThreads:\t1\n") != NULL);
	TRUTH(is_mapped(main, "r-xp", program) && is_mapped(text, "rw-p", ""));
	TRUTH(is_mapped(line, "rw-p", "[stack]") && is_mapped(sbrk(0) - 1, "rw-p", "[heap]"));
	TRUTH(readlink("/proc/self/exe", link, sizeof(link) - 1) > 0 && strstr(link, program));
	TRUTH(!stat("/proc/cpuinfo", &st) && st.st_mode == (S_IFREG | 0444) && !st.st_size);
	TRUTH(!stat("/sys/devices/system/cpu/cpu0", &st) || errno == ENOENT);
	TRUTH(!stat("/sys/devices/system/cpu", &st) && S_ISDIR(st.st_mode));
	TRUTH(open("/proc/cpuinfo", O_RDWR) < 0 && errno == EACCES);
	TRUTH(open("/sys/devices/system/cpu/new", O_RDWR | O_CREAT, 0644) < 0);
	TRUTH(open("/sys/devices/system/cpu/online/x", O_RDONLY) < 0 && errno == ENOTDIR);
	TRUTH(unlink("/proc/cpuinfo") < 0 && mkdir("/sys/new", 0755) < 0);
	TRUTH(access("/sys/devices/system/cpu/cpu0/cache/index9/size", R_OK) < 0);
	return 0;
}
