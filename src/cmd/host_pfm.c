/*
 * The events that libpfm4 names for this host, if the library is installed: it is looked for when
 * it is needed, so that neither building nor running depends on it. An event with masks is listed
 * with each of them, "pmu::EVENT:MASK"; one that perf_event_open(2) needs more than a type and a
 * number for is not listed. What is declared here is the part of the library's interface that is
 * used, as its version 4 has it; sizes that differ are refused by the library.
 */
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/readings.h"

#define LIBRARY	       "libpfm.so.4"
#define PMUS_MOST      1024
#define NAME_BYTES     256
#define LEVEL_USER     8 /* PFM_PLM3 */
#define OS_PERF_EVENT  1
#define ATTRIBUTE_MASK 1
#define IS_PRESENT     1u

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

struct pfm {
	int (*initialize)(void);
	void (*terminate)(void);
	int (*get_pmu_info)(int pmu, struct pfm_pmu *info);
	int (*get_event_next)(int event);
	int (*get_event_info)(int event, int os, struct pfm_event *info);
	int (*get_event_attr_info)(int event, int attribute, int os, struct pfm_attribute *info);
	int (*get_os_event_encoding)(const char *name, int levels, int os, void *encoding);
};

/* A pointer to data does not convert to one to a function, but has its bytes. */
static bool find_symbol(void *library, const char *name, void *function)
{
	void *symbol = dlsym(library, name);

	memcpy(function, &symbol, sizeof(symbol));
	return symbol != NULL;
}

static bool find_symbols(struct pfm *pfm, void *library)
{
	return find_symbol(library, "pfm_initialize", &pfm->initialize) &&
	       find_symbol(library, "pfm_terminate", &pfm->terminate) &&
	       find_symbol(library, "pfm_get_pmu_info", &pfm->get_pmu_info) &&
	       find_symbol(library, "pfm_get_event_next", &pfm->get_event_next) &&
	       find_symbol(library, "pfm_get_event_info", &pfm->get_event_info) &&
	       find_symbol(library, "pfm_get_event_attr_info", &pfm->get_event_attr_info) &&
	       find_symbol(library, "pfm_get_os_event_encoding", &pfm->get_os_event_encoding);
}

static bool is_listed(const struct collect_events *events, uint32_t type, uint64_t config)
{
	for (size_t i = 0; i < events->count; i++)
		if (events->list[i].type == type && events->list[i].config == config)
			return true;
	return false;
}

static void add_named(const struct pfm *pfm, struct collect_events *events, const char *name)
{
	struct perf_event_attr attributes = {.size = sizeof(attributes)};
	struct pfm_encoding encoding = {
		.attributes = &attributes, .size = sizeof(encoding), .cpu = -1};

	if (pfm->get_os_event_encoding(name, LEVEL_USER, OS_PERF_EVENT, &encoding) != 0 ||
	    attributes.config1 || attributes.config2 ||
	    is_listed(events, attributes.type, attributes.config))
		return;
	collect_add_event(events, attributes.type, attributes.config, name);
}

static void add_event(const struct pfm *pfm, struct collect_events *events, const char *pmu,
		      int number)
{
	struct pfm_event event = {.size = sizeof(event)};
	char name[NAME_BYTES];
	bool has_masks = false;

	if (pfm->get_event_info(number, OS_PERF_EVENT, &event) != 0)
		return;
	for (int i = 0; i < event.attributes; i++) {
		struct pfm_attribute mask = {.size = sizeof(mask)};

		if (pfm->get_event_attr_info(number, i, OS_PERF_EVENT, &mask) != 0 ||
		    mask.type != ATTRIBUTE_MASK)
			continue;
		has_masks = true;
		snprintf(name, sizeof(name), "%s::%s:%s", pmu, event.name, mask.name);
		add_named(pfm, events, name);
	}
	snprintf(name, sizeof(name), "%s::%s", pmu, event.name);
	if (!has_masks)
		add_named(pfm, events, name);
}

static void add_pmus(const struct pfm *pfm, struct collect_events *events)
{
	for (int i = 0; i < PMUS_MOST; i++) {
		struct pfm_pmu pmu = {.size = sizeof(pmu)};

		if (pfm->get_pmu_info(i, &pmu) != 0 || !(pmu.flags & IS_PRESENT))
			continue;
		for (int event = pmu.first_event; event >= 0; event = pfm->get_event_next(event))
			add_event(pfm, events, pmu.name, event);
	}
}

void collect_pfm_events(struct collect_events *events)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	struct pfm pfm;

	if (!library)
		return;
	if (find_symbols(&pfm, library) && pfm.initialize() == 0) {
		add_pmus(&pfm, events);
		pfm.terminate();
	}
	dlclose(library);
}
