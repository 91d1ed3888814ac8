/*
 * one_event CODE [quiet | ROUNDS]: counts one event of type RAW over a thousand rounds of a loop,
 * or so many, and prints it, or not.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile unsigned sink;

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_RAW,
				       .size = sizeof(attr),
				       .config = argc > 1 ? strtoull(argv[1], NULL, 0) : 0,
				       .disabled = 1};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 1000;
	int is_quiet = !rounds;
	uint64_t count;

	if (is_quiet)
		rounds = 1000;
	if (fd < 0) {
		perror("perf_event_open");
		return 1;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (unsigned i = 0; i < rounds; i++)
		if (i % 3)
			sink = i;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &count, sizeof(count)) == sizeof(count) && !is_quiet)
		printf("%llu\n", (unsigned long long)count);
	return 0;
}
