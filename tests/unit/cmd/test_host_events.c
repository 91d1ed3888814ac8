/* The events of a host: all that perf_event_open(2) has names for, with the numbers of its manual
 * page; and what a library in the place of libpfm4 names, which answers as that one does. */
#include "../test.h"

#include <dlfcn.h>
#include <linux/perf_event.h>

#include "../replace.h"
#include "base/array.h"
#include "cmd/readings.h"

/* What version 4 of the library declares, in which the test's functions answer. */
struct pfm_pmu {
	const char *name, *text;
	size_t size;
	int pmu, type, events, first_event, most_codes, counters, fixed_counters;
	uint32_t flags;
};

struct pfm_event {
	const char *name, *text, *equivalent;
	size_t size;
	uint64_t code;
	int pmu, data_type, number, attributes, reserved;
	uint32_t flags;
};

struct pfm_attribute {
	const char *name, *text, *equivalent;
	size_t size;
	uint64_t code;
	int type, number, control;
	uint32_t flags;
	uint64_t preset;
};

struct pfm_encoding {
	struct perf_event_attr *attributes;
	char **full_name;
	size_t size;
	int number, cpu, flags, padding;
};

static const char *missing; /* a function that the library does not have */
static bool is_installed;
static int status_of_initialize;
static unsigned initialized, terminated, closed;
static char asked[4096]; /* the names whose encodings were asked for */

static int initialize(void)
{
	initialized++;
	return status_of_initialize;
}

static void terminate(void)
{
	terminated++;
}

/* Machines 3 and 1023 are there; 4 is known but not this host's, the others are not known. */
static int get_pmu_info(int pmu, struct pfm_pmu *info)
{
	assert_int_equal(info->size, 56);
	assert_true(pmu >= 0 && pmu < 1024);
	*info = (struct pfm_pmu){.name = pmu == 3 ? "three" : "last",
				 .first_event = pmu == 3 ? 0 : 40,
				 .flags = pmu == 4 ? 2 : 3};
	return pmu == 3 || pmu == 4 || pmu == 1023 ? 0 : -2;
}

static int get_event_next(int event)
{
	return event < 3 ? event + 1 : -1;
}

/* Event 0 has no attributes, 1 has three masks and another attribute between them, 2 only another,
 * 3 is refused. */
static int get_event_info(int event, int os, struct pfm_event *info)
{
	static const char *const names[] = {"PLAIN", "MASKED", "MODIFIED", "REFUSED"};

	assert_int_equal(os, 1);
	assert_int_equal(info->size, 64);
	info->name = event == 40 ? "LAST" : names[event];
	info->attributes = event == 1 ? 5 : event == 2;
	return event == 3 ? -4 : 0;
}

static int get_event_attr_info(int event, int attribute, int os, struct pfm_attribute *info)
{
	static const char *const names[] = {"A", "k", "B", "C", "D"};

	assert_int_equal(os, 1);
	assert_int_equal(info->size, 64);
	info->name = names[attribute];
	info->type = event == 2 || attribute == 1 ? 2 : 1;
	return attribute == 3 ? -4 : 0;
}

static int get_os_event_encoding(const char *name, int levels, int os, void *argument)
{
	struct pfm_encoding *encoding = argument;
	size_t length = strlen(asked);

	assert_int_equal(levels, 8);
	assert_int_equal(os, 1);
	assert_int_equal(encoding->size, 40);
	assert_int_equal(encoding->cpu, -1);
	assert_int_equal(encoding->attributes->size, sizeof(struct perf_event_attr));
	snprintf(asked + length, sizeof(asked) - length, "%s\n", name);
	encoding->attributes->type = 4;
	encoding->attributes->config = (uint64_t)name[strlen(name) - 1];
	/* One that is listed already as page-faults, and two that need more than a number. */
	if (strcmp(name, "three::MASKED:A") == 0) {
		encoding->attributes->type = 1;
		encoding->attributes->config = 2;
	}
	encoding->attributes->config1 = strcmp(name, "three::MASKED:B") == 0;
	encoding->attributes->config2 = strcmp(name, "three::MODIFIED") == 0;
	return 0;
}

static void *open_made_up(const char *name, int flags)
{
	assert_string_equal(name, "libpfm.so.4");
	assert_int_equal(flags, RTLD_NOW | RTLD_LOCAL);
	return is_installed ? &is_installed : NULL;
}
REPLACE(dlopen, open_made_up);

static void *find_made_up(void *library, const char *name)
{
	static const struct {
		const char *name;
		void (*function)(void);
	} functions[] = {
		{"pfm_initialize", (void (*)(void))initialize},
		{"pfm_terminate", terminate},
		{"pfm_get_pmu_info", (void (*)(void))get_pmu_info},
		{"pfm_get_event_next", (void (*)(void))get_event_next},
		{"pfm_get_event_info", (void (*)(void))get_event_info},
		{"pfm_get_event_attr_info", (void (*)(void))get_event_attr_info},
		{"pfm_get_os_event_encoding", (void (*)(void))get_os_event_encoding},
	};
	void *symbol = NULL;

	assert_ptr_equal(library, &is_installed);
	for (size_t i = 0; i < ARRAY_COUNT(functions); i++)
		if (strcmp(functions[i].name, name) == 0 &&
		    !(missing && strcmp(missing, name) == 0))
			memcpy(&symbol, &functions[i].function, sizeof(symbol));
	return symbol;
}
REPLACE(dlsym, find_made_up);

static int close_made_up(void *library)
{
	assert_ptr_equal(library, &is_installed);
	closed++;
	return 0;
}
REPLACE(dlclose, close_made_up);

static char *text_of(const struct collect_events *events, size_t from)
{
	static char text[8192];
	size_t at = 0;

	text[0] = 0;
	for (size_t i = from; i < events->count; i++)
		at += (size_t)snprintf(
			text + at, sizeof(text) - at, "%u:%llx %s\n", events->list[i].type,
			(unsigned long long)events->list[i].config, events->list[i].name);
	return text;
}

TEST(events_of_the_manual_page_are_all_there)
{
	struct collect_events events = {0};

	is_installed = false;
	collect_host_events(&events);
	assert_string_equal(text_of(&events, 0),
			    "0:0 cpu-cycles\n0:1 instructions\n0:2 cache-references\n"
			    "0:3 cache-misses\n0:4 branch-instructions\n0:5 branch-misses\n"
			    "0:6 bus-cycles\n0:7 stalled-cycles-frontend\n"
			    "0:8 stalled-cycles-backend\n0:9 ref-cycles\n"
			    "1:0 cpu-clock\n1:1 task-clock\n1:2 page-faults\n1:3 context-switches\n"
			    "1:4 cpu-migrations\n1:5 minor-faults\n1:6 major-faults\n"
			    "1:7 alignment-faults\n1:8 emulation-faults\n"
			    "3:0 L1-dcache-loads\n3:10000 L1-dcache-load-misses\n"
			    "3:100 L1-dcache-stores\n3:10100 L1-dcache-store-misses\n"
			    "3:200 L1-dcache-prefetches\n3:10200 L1-dcache-prefetch-misses\n"
			    "3:1 L1-icache-loads\n3:10001 L1-icache-load-misses\n"
			    "3:101 L1-icache-stores\n3:10101 L1-icache-store-misses\n"
			    "3:201 L1-icache-prefetches\n3:10201 L1-icache-prefetch-misses\n"
			    "3:2 LLC-loads\n3:10002 LLC-load-misses\n"
			    "3:102 LLC-stores\n3:10102 LLC-store-misses\n"
			    "3:202 LLC-prefetches\n3:10202 LLC-prefetch-misses\n"
			    "3:3 dTLB-loads\n3:10003 dTLB-load-misses\n"
			    "3:103 dTLB-stores\n3:10103 dTLB-store-misses\n"
			    "3:203 dTLB-prefetches\n3:10203 dTLB-prefetch-misses\n"
			    "3:4 iTLB-loads\n3:10004 iTLB-load-misses\n"
			    "3:104 iTLB-stores\n3:10104 iTLB-store-misses\n"
			    "3:204 iTLB-prefetches\n3:10204 iTLB-prefetch-misses\n"
			    "3:5 branch-loads\n3:10005 branch-load-misses\n"
			    "3:105 branch-stores\n3:10105 branch-store-misses\n"
			    "3:205 branch-prefetches\n3:10205 branch-prefetch-misses\n"
			    "3:6 node-loads\n3:10006 node-load-misses\n"
			    "3:106 node-stores\n3:10106 node-store-misses\n"
			    "3:206 node-prefetches\n3:10206 node-prefetch-misses\n");
	assert_int_equal(closed, 0);
	collect_events_release(&events);
}

TEST(library_adds_what_a_number_is_enough_for)
{
	struct collect_events events = {0};

	is_installed = true;
	status_of_initialize = 0;
	initialized = terminated = closed = 0;
	asked[0] = 0;
	collect_host_events(&events);
	assert_string_equal(text_of(&events, 61),
			    "4:4e three::PLAIN\n4:44 three::MASKED:D\n4:54 last::LAST\n");
	assert_string_equal(asked, "three::PLAIN\nthree::MASKED:A\nthree::MASKED:B\n"
				   "three::MASKED:D\nthree::MODIFIED\nlast::LAST\n");
	assert_int_equal(initialized, 1);
	assert_int_equal(terminated, 1);
	assert_int_equal(closed, 1);
	/* The same again: every one is listed. */
	collect_pfm_events(&events);
	assert_int_equal(events.count, 64);
	collect_events_release(&events);
}

TEST(library_that_is_another_adds_nothing)
{
	static const char *const names[] = {"pfm_initialize",		"pfm_terminate",
					    "pfm_get_pmu_info",		"pfm_get_event_next",
					    "pfm_get_event_info",	"pfm_get_event_attr_info",
					    "pfm_get_os_event_encoding"};
	struct collect_events events = {0};

	is_installed = true;
	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		missing = names[i];
		initialized = terminated = closed = 0;
		collect_pfm_events(&events);
		assert_int_equal(events.count, 0);
		assert_int_equal(initialized, 0);
		assert_int_equal(closed, 1);
	}
	missing = NULL;
	status_of_initialize = -1;
	collect_pfm_events(&events);
	assert_int_equal(events.count, 0);
	assert_int_equal(terminated, 0);
	assert_int_equal(closed, 2);
}
