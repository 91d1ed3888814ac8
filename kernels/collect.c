/*
 * collect - runs kernels with events counted around them and prints the readings.
 *
 *   collect [-e EVENT,...] [-r REPEATS] KERNEL[:UNIT[:VALUE,VALUE,...]]...
 *
 * An EVENT is TYPE:CONFIG, the two numbers of perf_event_open(2) in decimal, or TYPE:FIRST-LAST.
 * All that open are counted at once, as one group; whoever wants fewer at a time starts this
 * program more often. What it prints, line by line:
 *
 *   cyclestack-readings 1
 *   refused TYPE:CONFIG ERRNO         an event that cannot be counted, for each
 *   events TYPE:CONFIG ...            the others, in the order of the values below
 *   run KERNEL UNIT VALUE ITERATIONS REPEAT NUMBER ...
 *   end RUNS                          how many lines began with run
 *
 * Values that were not counted all the time are extrapolated by the time they were; one that was
 * not counted at all is "-". Status 0; 2 if the command line is wrong; 3 if no event opens; 1 for
 * anything else.
 */
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EVENTS_MOST	   1500 /* what fits in the 16 KB that the kernel allows a group to read */
#define REPEATS_MOST	   1000
#define NUMBER_BYTES	   48  /* of a value in decimal with a space, 2^128 at most */
#define WHOLE_ROUNDS_LEAST 200 /* iterations of a kernel that goes over the whole buffer */

struct event {
	uint32_t type;
	uint64_t config;
	int fd;
};

static struct event events[EVENTS_MOST];
static size_t event_count, opened;
static unsigned repeats = 5;

static void fail(int status, const char *what, const char *why)
{
	fprintf(stderr, "collect: %s: %s\n", what, why);
	exit(status);
}

static uint64_t number(const char **text, const char *all)
{
	char *end;

	if (**text < '0' || **text > '9')
		fail(2, all, "expected a number");
	errno = 0;
	unsigned long long value = strtoull(*text, &end, 10);
	if (errno)
		fail(2, all, "a number is too large");
	*text = end;
	return value;
}

static void add_events(const char *list)
{
	const char *at = list;

	for (;;) {
		uint64_t type = number(&at, list);

		if (type > UINT32_MAX || *at++ != ':')
			fail(2, list, "expected TYPE:CONFIG");
		uint64_t first = number(&at, list), last = first;
		if (*at == '-') {
			at++;
			last = number(&at, list);
		}
		if (last < first || last - first >= EVENTS_MOST - event_count)
			fail(2, list, "too many events");
		for (uint64_t config = first; config <= last; config++)
			events[event_count++] = (struct event){(uint32_t)type, config, -1};
		if (*at == 0)
			return;
		if (*at++ != ',')
			fail(2, list, "expected a comma between events");
	}
}

static int leader(void)
{
	return opened ? events[0].fd : -1;
}

/* Those that open come first in `events` afterwards. */
static void open_events(void)
{
	for (size_t i = 0; i < event_count; i++) {
		struct event event = events[i];
		struct perf_event_attr attributes = {
			.type = event.type,
			.size = sizeof(attributes),
			.config = event.config,
			.disabled = opened == 0,
			.exclude_kernel = 1,
			.exclude_hv = 1,
			.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
				       PERF_FORMAT_TOTAL_TIME_RUNNING,
		};

		event.fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, leader(), 0ul);
		if (event.fd < 0)
			printf("refused %u:%llu %d\n", event.type, (unsigned long long)event.config,
			       errno);
		else
			events[opened++] = event;
	}
	printf("events");
	for (size_t i = 0; i < opened; i++)
		printf(" %u:%llu", events[i].type, (unsigned long long)events[i].config);
	putchar('\n');
	if (event_count && !opened) {
		fflush(stdout);
		fail(3, "events", "none of them can be counted here");
	}
}

/* What read(2) makes of the group. */
struct reading {
	uint64_t count, enabled, running, values[];
};

static size_t reading_bytes(void)
{
	return sizeof(struct reading) + opened * sizeof(uint64_t);
}

static void measure(const struct kernel *kernel, const struct kernel_run *run,
		    struct reading *reading)
{
	if (kernel->warm)
		kernel->warm(run);
	if (!opened) {
		kernel->run(run);
		return;
	}
	/* The group counts while its leader does. */
	if (ioctl(leader(), PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP) != 0 ||
	    ioctl(leader(), PERF_EVENT_IOC_ENABLE, 0) != 0)
		fail(1, "ioctl", strerror(errno));
	kernel->run(run);
	ssize_t bytes = (ioctl(leader(), PERF_EVENT_IOC_DISABLE, 0),
			 read(leader(), reading, reading_bytes()));
	if (bytes < 0)
		fail(1, "read", strerror(errno));
	if ((size_t)bytes < reading_bytes() || reading->count != opened)
		fail(1, "read", "not all events were read");
}

/* A space and the number in decimal, without a 0 behind them; returns the end of it. With printf,
 * printing was most of what the simulator had to do. */
static char *put_whole(char *at, uint64_t value)
{
	char digits[20], *digit = digits + sizeof(digits);

	*at++ = ' ';
	while (value >= 10) {
		*--digit = (char)('0' + value % 10);
		value /= 10;
	}
	*at++ = (char)('0' + value);
	while (digit < digits + sizeof(digits))
		*at++ = *digit++;
	return at;
}

static void print_values(const struct reading *reading)
{
	static char line[EVENTS_MOST * NUMBER_BYTES + 1];
	char *at = line;

	for (size_t i = 0; i < opened; i++) {
		uint64_t value = reading->values[i];

		if (!reading->running)
			at = stpcpy(at, " -");
		else if (reading->running < reading->enabled)
			at += sprintf(at, " %.0f",
				      (double)value * (double)reading->enabled /
					      (double)reading->running);
		else
			at = put_whole(at, value);
	}
	*at++ = '\n';
	fwrite(line, 1, (size_t)(at - line), stdout);
}

/* Iterations are those of whole rounds for kernels that go over the whole buffer. */
static uint64_t step_of(const struct kernel *kernel, const struct kernel_run *run)
{
	if (kernel->step)
		return kernel->step;
	uint64_t round =
		kernel->round_most ? kernel_round(run, kernel->round_most) : run->value / 64;
	return (WHOLE_ROUNDS_LEAST + round - 1) / round * round;
}

/* Prints after the last run: printing between them would push out of small caches what the
 * preparation has put there. */
static unsigned long run_kernel(const struct kernel *kernel, struct kernel_run run)
{
	unsigned long count = (unsigned long)repeats * kernel->steps;
	size_t bytes = reading_bytes();
	char *readings = calloc(count, bytes);
	const char *reason = NULL;

	if (!readings)
		fail(1, kernel->name, "there is no memory for the readings");
	if (kernel->prepare && !kernel->prepare(&run, &reason))
		fail(2, kernel->name, reason);
	uint64_t step = step_of(kernel, &run);
	/* The first run meets cold code and an unprepared predictor; it is not reported. */
	run.iterations = step;
	measure(kernel, &run, (struct reading *)readings);
	for (unsigned long i = 0; i < count; i++) {
		run.iterations = (i % kernel->steps + 1) * step;
		measure(kernel, &run, (struct reading *)(readings + i * bytes));
	}
	for (unsigned long i = 0; i < count; i++) {
		printf("run %s %llu %llu %llu %lu", kernel->name, (unsigned long long)run.unit,
		       (unsigned long long)run.value,
		       (unsigned long long)((i % kernel->steps + 1) * step), i / kernel->steps);
		print_values((const struct reading *)(readings + i * bytes));
	}
	free(readings);
	return count;
}

static unsigned long run_word(const char *word)
{
	const char *colon = strchrnul(word, ':');
	const struct kernel *kernel = kernels;
	struct kernel_run run = {0};
	unsigned long runs = 0;

	while (kernel->name && (strncmp(kernel->name, word, (size_t)(colon - word)) != 0 ||
				kernel->name[colon - word]))
		kernel++;
	if (!kernel->name)
		fail(2, word, "there is no such kernel");
	if (*colon) {
		colon++;
		run.unit = number(&colon, word);
	}
	do {
		if (*colon) {
			colon++;
			run.value = number(&colon, word);
		}
		runs += run_kernel(kernel, run);
	} while (*colon == ',');
	if (*colon)
		fail(2, word, "expected KERNEL:UNIT:VALUE,VALUE");
	return runs;
}

int main(int argc, char **argv)
{
	unsigned long runs = 0;
	int option;

	while ((option = getopt(argc, argv, "e:r:")) != -1) {
		const char *text = optarg;

		if (option == 'e') {
			add_events(optarg);
		} else if (option == 'r') {
			uint64_t value = number(&text, optarg);

			if (*text || value < 1 || value > REPEATS_MOST)
				fail(2, optarg, "expected 1 to 1000 repeats");
			repeats = (unsigned)value;
		} else {
			return 2;
		}
	}
	if (optind == argc)
		fail(2, "kernels", "which? KERNEL[:UNIT[:VALUE,...]]");
	puts("cyclestack-readings 1");
	open_events();
	for (int i = optind; i < argc; i++)
		runs += run_word(argv[i]);
	printf("end %lu\n", runs);
	return fflush(stdout) == 0 ? 0 : 1;
}
