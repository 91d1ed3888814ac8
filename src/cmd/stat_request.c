#include "cmd/stat_request.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "linux/files.h"
#include "pmu/events.h"
#include "stats/formula.h"
#include "stats/module.h"

#define GROUP_BYTES_MOST (1u << 20)
#define MAP_BYTES_MOST	 (1u << 28)
#define LOG_BYTES_MOST	 (1u << 26)
#define EVERY_USUAL	 1000000
#define COUNTERS_USUAL	 64
#define RANGES_USUAL	 16
#define WIDTH_USUAL	 32
#define CYCLES_A_MS	 1e6

char *read_small_file(const char *path, size_t most, size_t *bytes, struct err *err)
{
	FILE *in = fopen(path, "re");
	size_t capacity = 0, got;
	char *text = NULL;

	*bytes = 0;
	if (!in) {
		err_set_errno(err, errno, "cannot read %s", path);
		return NULL;
	}
	do {
		capacity = capacity ? 2 * capacity : 65536;
		text = mem_realloc(text, capacity + 1, 1);
		got = fread(text + *bytes, 1, capacity - *bytes, in);
		*bytes += got;
	} while (got && *bytes == capacity && *bytes <= most);
	bool ok = !ferror(in) || err_set_errno(err, errno, "cannot read %s", path);
	if (ok && *bytes > most)
		ok = err_set(err, "%s is larger than the %zu bytes allowed", path, most);
	fclose(in);
	text[*bytes] = 0;
	if (ok)
		return text;
	free(text);
	return NULL;
}

/* NAME, or a file if there is a / or a . in it; each may have @WHERE. */
static bool add_group(struct stats_request *request, const char *text, struct err *err)
{
	const char *at = strchr(text, '@');
	char name[PATH_BYTES], path[3 * PATH_BYTES + 16];
	size_t bytes;

	snprintf(name, sizeof(name), "%.*s", (int)(at ? at - text : (int)strlen(text)), text);
	if (strpbrk(name, "/.")) {
		snprintf(path, sizeof(path), "%s", name);
	} else {
		char directory[2 * PATH_BYTES];

		if (!installed_directory("groups", "CYCLESTACK_GROUPS", directory,
					 sizeof(directory), err))
			return false;
		snprintf(path, sizeof(path), "%s/%s.group", directory, name);
	}
	char *group = read_small_file(path, GROUP_BYTES_MOST, &bytes, err);
	if (!group)
		return err_prefix(err, "--group %s", name);
	bool ok = stats_request_add_group(request, name, at ? at + 1 : "", group, bytes, err);
	free(group);
	return ok;
}

/* The signals of an event that perf has by this name too; NULL if there is none that the machine
 * counts. */
static const char *const *signals_of_event(const char *name, const struct config *config)
{
	for (size_t i = 0; i < generic_event_count(); i++) {
		const struct generic_event *event = &generic_events[i];
		bool has_all = strcmp(event->name, name) == 0;

		for (size_t k = 0; has_all && k < EVENT_SIGNALS_MAX && event->signals[k]; k++)
			has_all = events_has_signal(config, signal_find(event->signals[k]));
		if (has_all)
			return event->signals;
	}
	return NULL;
}

/* NAME[@WHERE] by the name that perf has for it, as a group of its signals with their sum; false
 * without a sentence if it is none. */
static bool add_event(struct stats_request *request, const char *text, const struct config *config,
		      struct err *err)
{
	const char *at = strchrnul(text, '@');
	char name[64], group[1024];

	snprintf(name, sizeof(name), "%.*s", (int)(at - text), text);
	const char *const *signals =
		config && !signal_find(name) ? signals_of_event(name, config) : NULL;
	if (!signals)
		return false;
	size_t used = 0;
	for (size_t k = 0; k < EVENT_SIGNALS_MAX && signals[k]; k++)
		used += (size_t)snprintf(group + used, sizeof(group) - used, "%s\n", signals[k]);
	used += (size_t)snprintf(group + used, sizeof(group) - used, "%s =", name);
	for (size_t k = 0; k < EVENT_SIGNALS_MAX && signals[k]; k++)
		used += (size_t)snprintf(group + used, sizeof(group) - used, "%s %s", k ? " +" : "",
					 signals[k]);
	BUG_ON(used >= sizeof(group));
	return stats_request_add_group(request, name, *at ? at + 1 : "", group, used, err);
}

bool stat_request_is_event(const char *text, const struct config *config)
{
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, "@"), text);
	return !signal_find(name) && signals_of_event(name, config);
}

/* Milliseconds, of which a machine has a million cycles: its time goes on by a nanosecond a cycle,
 * as with run --time cycles, and no configuration states another clock. */
static bool period_from_args(uint64_t *cycles, const struct args *args, struct err *err)
{
	const char *text = args_get(args, OPTION_INTERVAL_PRINT);
	char *end;

	if (!text)
		return args_get_count(args, OPTION_EVERY, 1, UINT32_MAX, cycles, err);
	if (args_get(args, OPTION_EVERY))
		return err_set(err,
			       "--interval-print and --every both say how long an interval is: "
			       "leave one out");
	const double number = strtod(text, &end) * CYCLES_A_MS;
	if (end == text || *end || !(number >= 1) || number > UINT32_MAX)
		return err_set(err,
			       "--interval-print: \"%s\" is not a number of simulated milliseconds "
			       "from 0.000001 to 4294",
			       text);
	*cycles = (uint64_t)llround(number);
	return true;
}

bool stat_wish_from_args(struct stats_request *request, const struct args *args,
			 const struct config *config, struct err *err)
{
	uint64_t every = EVERY_USUAL;
	bool ok = true;

	for (size_t i = 0; i < args->counts[OPTION_EVENTS]; i++) {
		const char *pair = args->values[OPTION_EVENTS][i];

		if (strpbrk(pair, " \t\r\n"))
			return err_set(
				err,
				"--events: \"%s\" has a blank in it; write ? for a blank of a name",
				pair);
		if (!add_event(request, pair, config, err))
			stats_wish_add(&request->first, pair);
	}
	for (size_t i = 0; ok && i < args->counts[OPTION_GROUP]; i++)
		ok = add_group(request, args->values[OPTION_GROUP][i], err);
	ok = ok && period_from_args(&every, args, err);
	request->first.period_cycles = (uint32_t)every;
	return ok;
}

static bool add_formulas(struct stats_request *request, const struct args *args, struct err *err)
{
	for (size_t i = 0; i < args->counts[OPTION_DERIVE]; i++) {
		const char *text = args->values[OPTION_DERIVE][i];
		struct formula formula;

		if (!formula_read(&formula, text, err))
			return err_prefix(err, "--derive");
		stats_request_add_formula(request, text, NULL);
	}
	return true;
}

static bool read_replay(struct stats_request *request, const struct args *args, struct err *err)
{
	const char *path = args_get(args, OPTION_REPLAY);
	size_t bytes;

	if (!path)
		return true;
	if (args->counts[OPTION_EVENTS] || args->counts[OPTION_EVERY] ||
	    args->counts[OPTION_INTERVAL_PRINT])
		return err_set(err, "--replay says what to count: leave --events, --every and "
				    "--interval-print out");
	char *text = read_small_file(path, LOG_BYTES_MOST, &bytes, err);
	bool ok = text && (stats_request_read_log(request, text, bytes, err) ||
			   err_prefix(err, "--replay %s", path));
	free(text);
	return ok;
}

bool stat_request_from_args(struct stats_request *request, const struct args *args,
			    const struct config *config, char **map, struct err *err)
{
	uint64_t counters = COUNTERS_USUAL, ranges = RANGES_USUAL, width = WIDTH_USUAL;
	const char *path = args_get(args, OPTION_MAP);

	*map = NULL;
	if (!args_get_count(args, OPTION_COUNTER_COUNT, 1, STATS_COUNTERS_MOST, &counters, err) ||
	    !args_get_count(args, OPTION_RANGE_COUNT, 0, STATS_RANGES_MOST, &ranges, err) ||
	    !args_get_count(args, OPTION_WIDTH, 1, STATS_WIDTH_MOST, &width, err) ||
	    !stat_wish_from_args(request, args, config, err) || !add_formulas(request, args, err) ||
	    !read_replay(request, args, err))
		return false;
	request->counters_most = counters;
	request->ranges_most = ranges;
	request->width_bits = (unsigned)width;
	if (path) {
		*map = read_small_file(path, MAP_BYTES_MOST, &request->map_bytes, err);
		request->map = *map;
		return *map || err_prefix(err, "--map");
	}
	return true;
}
