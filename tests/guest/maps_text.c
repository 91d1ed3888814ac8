/*
 * /proc/self/maps has a line for each stretch of the address space, and status tells what there is.
 *
 * data: yes
 * link: static
 * only: cyclestack
 */
#include "edge.h"
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>

static char text[100000];

static void load(const char *path)
{
	int fd = open(path, O_RDONLY);
	ssize_t got = read(fd, text, sizeof(text) - 1);

	text[got > 0 ? got : 0] = 0;
	close(fd);
}

static void check(const char *what, int holds)
{
	printf("%s: %s\n", what, holds ? "yes" : "NO");
}

/* Whether there is exactly this line. */
static int has_line(const char *line)
{
	size_t length = strlen(line);

	for (const char *at = text; (at = strstr(at, line)); at++)
		if ((at == text || at[-1] == '\n') && at[length] == '\n')
			return 1;
	return 0;
}

/* A line of maps as proc(5) has it: the name begins in column 74. */
static int has_area(char *start, long bytes, const char *access, long offset, const char *name)
{
	char line[300], head[100];

	sprintf(head, "%08lx-%08lx %s %08lx 00:00 0", (long)start, (long)start + bytes, access,
		offset);
	sprintf(line, *name ? "%-73s%s" : "%s%s", head, name);
	return has_line(line);
}

static int stop;

static void *wait_for_stop(void *unused)
{
	(void)unused;
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
		sched_yield();
	return NULL;
}

static long field(const char *name)
{
	char key[100];

	sprintf(key, "%s:", name);
	const char *at = strstr(text, key);
	return at ? strtol(at + strlen(key), NULL, 10) : -1;
}

int main(int argc, char **argv)
{
	const int rw = PROT_READ | PROT_WRITE;
	char *a, *b, *c, *heap, line[300];

	check_enter(argc, argv, chdir);
	int fd = open("file", O_RDWR | O_CREAT, 0644);
	ftruncate(fd, 8 * 4096);
	char *space = mmap(NULL, 64 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	a = mmap(space + 8 * 4096, 2 * 4096, rw, MAP_PRIVATE | MAP_FIXED, fd, 3 * 4096);
	/* Made later, and at a lower address. */
	b = mmap(space + 2 * 4096, 3 * 4096, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 4096);
	c = mmap(space + 12 * 4096, 4096, PROT_EXEC | PROT_READ,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	mmap(space + 16 * 4096, 4096, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	/* Two that meet are two. */
	mmap(space + 20 * 4096, 4096, rw, MAP_PRIVATE | MAP_FIXED, fd, 0);
	mmap(space + 21 * 4096, 4096, rw, MAP_PRIVATE | MAP_FIXED, fd, 7 * 4096);
	/* One whose middle has another protection is three. */
	mmap(space + 30 * 4096, 3 * 4096, rw, MAP_PRIVATE | MAP_FIXED, fd, 4096);
	mprotect(space + 31 * 4096, 4096, PROT_READ);
	munmap(space + 40 * 4096, 4096);
	heap = sbrk(0);
	load("/proc/self/maps");
	check("a copy of a file", has_area(a, 2 * 4096, "rw-p", 3 * 4096, "/data/file"));
	check("a shared file", has_area(b, 3 * 4096, "r--s", 4096, "/data/file"));
	check("code of no file", has_area(c, 4096, "r-xp", 0, ""));
	check("shared and anonymous",
	      has_area(space + 16 * 4096, 4096, "---s", 0, "/dev/zero (deleted)"));
	check("the first of two", has_area(space + 20 * 4096, 4096, "rw-p", 0, "/data/file"));
	check("the second of two",
	      has_area(space + 21 * 4096, 4096, "rw-p", 7 * 4096, "/data/file"));
	check("left", has_area(space + 30 * 4096, 4096, "rw-p", 4096, "/data/file"));
	check("middle", has_area(space + 31 * 4096, 4096, "r--p", 2 * 4096, "/data/file"));
	check("right", has_area(space + 32 * 4096, 4096, "rw-p", 3 * 4096, "/data/file"));
	check("what lies before", has_area(space, 2 * 4096, "---p", 0, ""));
	check("between", has_area(space + 5 * 4096, 3 * 4096, "---p", 0, ""));
	check("up to a hole", has_area(space + 33 * 4096, 7 * 4096, "---p", 0, ""));
	/* The stack: 8 MB below the top of the space. */
	check("the stack", has_area((char *)0x3fff7ff000, 8 << 20, "rw-p", 0, "[stack]"));
	long start = 0, end = 0, last = 0, offset = 0;
	int exe = open("/proc/self/exe", O_RDONLY);
	char code[64];
	int in_order = 1, program = 0, heaps = 0;
	char access[5], name[300];
	for (char *at = text; *at; at = strchr(at, '\n') + 1) {
		name[0] = 0;
		sscanf(at, "%lx-%lx %4s %lx %*s %*s%*[ ]%299[^\n]", &start, &end, access, &offset,
		       name);
		in_order &= start >= last && end > start;
		last = end;
		if (strcmp(name, "[heap]") == 0) {
			heaps++;
			check("the heap ends",
			      end == (((long)heap + 4095) & -4096l) && !strcmp(access, "rw-p"));
		}
		if (name[0] == '/' && strcmp(name + 1, argv[0]) == 0) {
			program++;
			if (access[2] == 'x') {
				check("code is that of the file",
				      pread(exe, code, 64, offset) == 64 &&
					      memcmp(code, (char *)start, 64) == 0);
				check("from its first byte on", offset == 0 && start == 0x10000);
			}
			if (access[1] == 'w')
				check("data is that of the file",
				      pread(exe, code, 1, offset) == 1 && offset > 0);
			if ((long)main >= start && (long)main < end)
				check("main is code", !strcmp(access, "r-xp"));
			if ((long)&stop >= start && (long)&stop < end)
				check("a variable is data", !strcmp(access, "rw-p"));
		}
	}
	check("areas are in order", in_order);
	check("one heap", heaps == 1);
	check("the program has at least two", program >= 2);
	check("it begins at its lowest segment",
	      strstr(text, argv[0]) != NULL && strncmp(text, "00010000-", 9) == 0);

	pthread_t thread;
	umask(0137);
	load("/proc/self/status");
	check("one thread", has_line("Threads:\t1"));
	check("the umask", has_line("Umask:\t0137"));
	check("the name", has_line("Name:\tmaps_text.stati"));
	check("the process",
	      has_line("Tgid:\t1000") && has_line("Pid:\t1000") && has_line("PPid:\t1"));
	check("users", has_line("Uid:\t0\t0\t0\t0") && has_line("Gid:\t0\t0\t0\t0"));
	check("descriptors", has_line("FDSize:\t1024"));
	check("processors", has_line("Cpus_allowed:\t1") && has_line("Cpus_allowed_list:\t0"));
	long size = field("VmSize"), switches = field("voluntary_ctxt_switches");
	check("sizes agree",
	      size == field("VmPeak") && size > field("VmRSS") && field("VmRSS") == field("VmHWM"));
	check("8 MB of stack and more", size > 8192 && size < 12000);
	sprintf(line, "VmSize:\t%8ld kB", size);
	check("as wide as Linux has it", has_line(line));
	mmap(NULL, 1 << 20, rw, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	load("/proc/self/status");
	check("a MB more", field("VmSize") - size == 1024);
	pthread_create(&thread, NULL, wait_for_stop, NULL);
	for (int i = 0; i < 10; i++)
		sched_yield();
	load("/proc/self/status");
	check("two threads", has_line("Threads:\t2"));
	check("they took turns", field("voluntary_ctxt_switches") >= switches + 10);
	load("/proc/self/stat");
	check("stat begins",
	      strncmp(text, "1000 (maps_text.stati) R 1 1000 1000 0 -1 0 0 0 0 0 ", 52) == 0);
	check("stat has two threads", strstr(text, " 0 0 0 20 0 2 0 0 ") != NULL);
	int fields = 0;
	for (const char *at = text; *at; at++)
		fields += *at == ' ' || *at == '\n';
	check("52 fields", fields == 52);
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	load("/proc/self/status");
	check("one again", has_line("Threads:\t1"));
	load("/proc/cpuinfo");
	check("the processor",
	      has_line("isa\t\t: rv64imafdc_zicntr_zicsr_zifencei_zihpm_zba_zbb_zbc_zbs"));
	load("/sys/devices/system/cpu/possible");
	check("one processor", strcmp(text, "0\n") == 0);
	load("/proc/sys/kernel/perf_event_paranoid");
	check("counters for all", strcmp(text, "-1\n") == 0);
	return 0;
}
