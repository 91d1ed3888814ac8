#include <fcntl.h>
#include <errno.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/nearest.h"
#include "classify/claim.h"
#include "classify/classify.h"
#include "classify/compose.h"
#include "classify/spelling.h"
#include "cmd/readings.h"
#include "cmd/guest.h"
#include "cmd/inspect.h"
#include "cmd/outputs.h"
#include "pmu/events.h"
#include "value/layout.h"
#include "value/member.h"

#define FILE_BYTES_MOST ((size_t)1 << 30)
#define NAME_BYTES	128

/* Every raw event that the machine counts, by the name under which its programs find it: that of
 * the signal, or rCODE where pmu.codes permutes the codes. */
static bool add_machine_events(struct collect_events *list, const struct config *config,
			       struct err *err)
{
	struct events *events = events_create(config, err);
	char name[NAME_BYTES];

	if (!events)
		return false;
	for (int i = 0, code; (code = events_list(events, (size_t)i, name, sizeof(name))) >= 0; i++)
		collect_add_event(list, PERF_TYPE_RAW, (uint64_t)code, name);
	events_destroy(events);
	return true;
}

static bool matches(const char *patterns, const char *name)
{
	char *list = mem_strdup(patterns), *rest = NULL;
	bool found = false;

	for (char *word = strtok_r(list, ",", &rest); word && !found;
	     word = strtok_r(NULL, ",", &rest))
		found = fnmatch(word, name, 0) == 0;
	free(list);
	return found;
}

/* Keeps the events that --events names, or with `keeps_all` sees that it names some; false with a
 * sentence if it names none. */
static bool select_events(struct collect_events *events, const struct args *args, bool keeps_all,
			  struct err *err)
{
	const char *patterns = args_get(args, OPTION_EVENTS);
	struct nearest nearest = {0};
	size_t kept = 0;

	if (!patterns)
		return true;
	for (size_t i = 0; i < events->count; i++)
		nearest_consider(&nearest, patterns, events->list[i].name);
	/* The names are freed below. */
	const struct nearest_question question = nearest_ask(&nearest, "; did you mean ", "?");
	for (size_t i = 0; i < events->count; i++) {
		struct collect_event *event = &events->list[i];

		if (!matches(patterns, event->name) && !keeps_all)
			free(event->name);
		else if (!keeps_all)
			events->list[kept++] = *event;
		else
			kept += matches(patterns, event->name);
	}
	if (!keeps_all)
		events->count = kept;
	return kept ||
	       err_set(err, "--events %s: there is no such event%s", patterns, question.text);
}

struct inspection {
	const struct args *args;
	struct collect_events events;
	struct collect_events given; /* names that --event-names gives to raw events */
	struct job_machine machine;
	bool is_host;
	const char *readings; /* a file; NULL: collect them */
	unsigned at_once;
	bool has_plots;	    /* readings for the plots too, not only what verdicts need */
	const char *metric; /* to compose; NULL: what do events count? */
};

static char *read_file(const char *option, const char *path, struct err *err)
{
	char *text = NULL;
	size_t count = 0, capacity = 0;
	FILE *file = fopen(path, "re");

	if (!file) {
		err_set_errno(err, errno, "--%s %s", option, path);
		return NULL;
	}
	for (int c; (c = getc(file)) != EOF && count < FILE_BYTES_MOST;)
		*ARRAY_PUSH(text, count, capacity) = (char)c;
	bool ok = !ferror(file) && count < FILE_BYTES_MOST;
	fclose(file);
	*ARRAY_PUSH(text, count, capacity) = 0;
	if (ok && strlen(text) + 1 == count)
		return text;
	err_set(err, "--%s %s: it cannot be read, or is no text", option, path);
	free(text);
	return NULL;
}

/* Reads lines "rCODE NAME ...", the code in hexadecimal, as `signals --codes` prints them. */
static bool read_names(struct collect_events *given, const char *path, struct err *err)
{
	char *text = read_file("event-names", path, err), *rest = NULL;
	bool ok = text != NULL;

	for (char *line = ok ? strtok_r(text, "\n", &rest) : NULL; ok && line;
	     line = strtok_r(NULL, "\n", &rest)) {
		char name[NAME_BYTES];
		unsigned code;

		ok = sscanf(line, "r%4x %127s", &code, name) == 2 ||
		     err_set(err,
			     "--event-names %s: \"%.40s\": expected rCODE NAME, such as r000 cycles",
			     path, line);
		if (ok)
			collect_add_event(given, PERF_TYPE_RAW, code, name);
	}
	free(text);
	return ok;
}

static bool is_list(const struct inspection *inspection)
{
	return inspection->metric && strcmp(inspection->metric, COMPOSE_LIST) == 0;
}

/* Before anything is collected, which takes minutes. */
static bool check_metric(const struct inspection *inspection, struct err *err)
{
	const struct args *args = inspection->args;

	if (!inspection->metric)
		return true;
	if (args_get(args, OPTION_VERIFY))
		return err_usage(err,
				 "--compose and --verify are different questions: ask them one "
				 "after the other, of the same --readings");
	if (inspection->readings && args_get(args, OPTION_EVENTS) &&
	    !args_get(args, OPTION_EVENT_NAMES))
		return err_usage(err, "--events chooses by name, and readings have no names: give "
				      "them with --event-names");
	return compose_knows(inspection->metric, err) ||
	       (err_prefix(err, "--compose"), err_as_usage(err));
}

static bool read_options(struct inspection *inspection, const struct args *args, struct err *err)
{
	const char *on = args_get(args, OPTION_ON);

	inspection->args = args;
	inspection->metric = args_get(args, OPTION_COMPOSE);
	inspection->has_plots =
		!inspection->metric && (args_get(args, OPTION_HTML) || args_get(args, OPTION_SVG));
	inspection->readings = args_get(args, OPTION_READINGS);
	inspection->is_host = on && strcmp(on, "host") == 0;
	if (on && !inspection->is_host && strcmp(on, "sim") != 0)
		return err_usage(err, "--on %s: expected sim or host", on);
	if (args->rest_count)
		return err_usage(err, "%s: inspect takes no program: it has its own",
				 args->rest[0]);
	if (inspection->is_host && (args_get(args, OPTION_CONFIG) || args_get(args, OPTION_SET)))
		return err_usage(err,
				 "--config and --set describe a simulated machine, not this host");
	if (!check_metric(inspection, err))
		return false;
	if (is_list(inspection))
		return true;
	if (!jobs_from_args(&inspection->at_once, args, err) ||
	    (!inspection->is_host && !machine_from_args(&inspection->machine, args, err)))
		return false;
	if (inspection->is_host)
		collect_host_events(&inspection->events);
	else if (!add_machine_events(&inspection->events, &inspection->machine.config, err))
		return err_as_usage(err);
	if (args_get(args, OPTION_EVENT_NAMES) &&
	    !read_names(&inspection->given, args_get(args, OPTION_EVENT_NAMES), err))
		return err_as_usage(err);
	return select_events(!inspection->is_host && inspection->given.count ? &inspection->given
									     : &inspection->events,
			     args, !inspection->is_host, err) ||
	       err_as_usage(err);
}

static size_t hardware_count(const struct collect_events *events)
{
	size_t count = 0;

	for (size_t i = 0; i < events->count; i++)
		count += events->list[i].type != PERF_TYPE_SOFTWARE;
	return count;
}

/* On a host only what opens is counted. Where nothing does, there is nothing to inspect; nor where
 * of hardware events none does, because the kernel's own events are there on every machine. */
static bool keep_opened(struct inspection *inspection, struct err *err)
{
	struct collect_events opened = {0};

	if (!collect_host_probe(&inspection->events, &opened, err)) {
		collect_events_release(&opened);
		return false;
	}
	size_t asked = inspection->events.count, hardware = hardware_count(&inspection->events);
	collect_events_release(&inspection->events);
	inspection->events = opened;
	if (hardware && opened.count && !hardware_count(&opened))
		return err_set(
			err,
			"none of the %zu hardware events asked for can be counted on this "
			"machine: perf_event_open refuses them all, and software events tell "
			"nothing of it; `cyclestack inspect --on sim` inspects a simulated one",
			hardware);
	return opened.count ||
	       err_set(err,
		       "none of the %zu events asked for can be counted on this machine: "
		       "perf_event_open refuses them all; `cyclestack inspect --on sim` inspects a "
		       "simulated one",
		       asked);
}

static char *get_readings(struct inspection *inspection, struct runner *runner, bool *interrupted,
			  struct err *err)
{
	if (inspection->readings)
		return read_file("readings", inspection->readings, err);
	if (inspection->is_host && !keep_opened(inspection, err))
		return NULL;
	struct collect_request request = {
		.events = &inspection->events,
		.machine = inspection->is_host ? NULL : &inspection->machine,
		.is_brief = !inspection->has_plots,
	};
	return collect(runner, &request, interrupted, err);
}

static const char *name_in(const struct collect_events *events, const json_t *event)
{
	for (size_t i = 0; i < events->count; i++)
		if (events->list[i].type == member_whole(event, "type") &&
		    events->list[i].config == (uint64_t)member_whole(event, "code"))
			return events->list[i].name;
	return NULL;
}

/* Readings from a file are of events that only --event-names has names for. */
static const char *name_of(const struct inspection *inspection, const json_t *event)
{
	const char *name = name_in(&inspection->given, event);

	return name || inspection->readings ? name : name_in(&inspection->events, event);
}

static void set_name(const struct inspection *inspection, json_t *event)
{
	const char *name = name_of(inspection, event);

	json_object_set_new(event, "name", name ? json_string(name) : json_null());
}

/* Names come after the verdicts. */
static void add_names(const struct inspection *inspection, json_t *events)
{
	bool is_in_order = !inspection->is_host && inspection->machine.config.core_kind != CORE_OOO;
	json_t *event;
	size_t i;

	json_array_foreach(events, i, event)
	{
		const char *name = name_of(inspection, event);

		set_name(inspection, event);
		const char *claim = name ? claim_of(name) : NULL;
		if (!claim || !args_get(inspection->args, OPTION_VERIFY))
			continue;
		json_object_set_new(event, "claim", json_string(claim));
		json_object_set_new(event, "holds",
				    json_boolean(claim_holds(event, name, is_in_order)));
	}
}

/* The simulator counts all events at once, and all of them tell what the machine is like; --events
 * chooses which are shown. */
static void keep_shown(const struct args *args, json_t *events)
{
	const char *patterns = args_get(args, OPTION_EVENTS);

	for (size_t i = json_array_size(events); patterns && i > 0; i--) {
		const char *name =
			json_string_value(json_object_get(json_array_get(events, i - 1), "name"));

		if (!name || !matches(patterns, name))
			json_array_remove(events, i - 1);
	}
}

/* The head of a result, and what was found out; NULL with a sentence if that is not as it must be.
 */
static json_t *finish_result(const struct inspection *inspection, const struct layout *layout,
			     json_t *found, struct err *err)
{
	json_t *result = json_pack("{s:s}", "schema", layout->schema);

	if (!is_list(inspection))
		json_object_set_new(result, "on",
				    json_string(inspection->readings  ? "readings"
						: inspection->is_host ? "host"
								      : "sim"));
	if (!is_list(inspection) && !inspection->readings && !inspection->is_host)
		json_object_set_new(result, "configuration",
				    job_machine_json(&inspection->machine));
	json_object_update(result, found);
	json_decref(found);
	if (layout_check(result, layout, err))
		return result;
	err_as_tool(err);
	err_prefix(err, "internal error: the result");
	json_decref(result);
	return NULL;
}

static json_t *make_result(const struct inspection *inspection, const char *text, struct err *err)
{
	json_t *classified = classify_text(text, err);

	if (!classified)
		return NULL;
	add_names(inspection, json_object_get(classified, "events"));
	if (!inspection->is_host && (!inspection->readings || inspection->given.count))
		keep_shown(inspection->args, json_object_get(classified, "events"));
	return finish_result(inspection, &layout_inspect, classified, err);
}

/* Names come after the sums, and what needs them. */
static void name_terms(const struct inspection *inspection, json_t *metric)
{
	json_t *term, *other;
	size_t i, k;

	json_array_foreach(json_object_get(metric, "terms"), i, term)
	{
		set_name(inspection, term);
		json_array_foreach(json_object_get(term, "also"), k, other)
			set_name(inspection, other);
	}
	spelling_add(metric);
}

/* The events that --events names, as perf_event_open has them; NULL if it names none. */
static struct compose_event *allowed_events(const struct inspection *inspection, size_t *count)
{
	const char *patterns = args_get(inspection->args, OPTION_EVENTS);
	const struct collect_events *events =
		inspection->given.count ? &inspection->given : &inspection->events;
	struct compose_event *list =
		patterns ? mem_alloc_array(events->count + 1, sizeof(*list)) : NULL;

	*count = 0;
	for (size_t i = 0; patterns && i < events->count; i++)
		if (matches(patterns, events->list[i].name))
			list[(*count)++] = (struct compose_event){events->list[i].type,
								  events->list[i].config};
	return list;
}

static json_t *make_composition(const struct inspection *inspection, const char *text,
				struct err *err)
{
	size_t count = 0, i;
	struct compose_event *allowed =
		is_list(inspection) ? NULL : allowed_events(inspection, &count);
	json_t *metrics = is_list(inspection)
				  ? compose_list()
				  : compose_text(text, inspection->metric, allowed, count, err);
	json_t *metric;

	free(allowed);
	if (!metrics)
		return NULL;
	json_array_foreach(metrics, i, metric) name_terms(inspection, metric);
	return finish_result(inspection, &layout_compose, json_pack("{s:o}", "metrics", metrics),
			     err);
}

json_t *inspect_simulated(const struct job_machine *machine, struct runner *runner,
			  bool *interrupted, struct err *err)
{
	struct inspection inspection = {
		.args = runner->args, .machine = *machine, .has_plots = true};
	json_t *result = NULL;
	char *text = NULL;

	if (add_machine_events(&inspection.events, &machine->config, err))
		text = get_readings(&inspection, runner, interrupted, err);
	if (text)
		result = make_result(&inspection, text, err);
	free(text);
	collect_events_release(&inspection.events);
	return result;
}

/* Whether the answer is no. Of all metrics some cannot be composed on any machine. */
static bool is_negative(const json_t *result)
{
	const json_t *event, *metrics = json_object_get(result, "metrics");
	size_t i;

	if (json_array_size(metrics) == 1)
		return json_is_false(json_object_get(json_array_get(metrics, 0), "composed"));

	json_array_foreach(json_object_get(result, "events"), i, event)
	{
		if (json_is_false(json_object_get(event, "holds")))
			return true;
	}
	return false;
}

static int inspect(struct inspection *inspection, struct outputs *outputs)
{
	bool interrupted = false;
	struct err err;
	/* What a kernel prints is its result, so there is nothing to keep. */
	struct runner runner = RUNNER_CLOSED;

	runner.args = inspection->args;
	runner.at_once = inspection->at_once;
	char *text = is_list(inspection) ? mem_strdup("")
					 : get_readings(inspection, &runner, &interrupted, &err);

	if (interrupted) {
		fail_tool("interrupted before all readings were there");
		return EXIT_INTERRUPTED;
	}
	json_t *result = !text		      ? NULL
			 : inspection->metric ? make_composition(inspection, text, &err)
					      : make_result(inspection, text, &err);
	bool ok = result &&
		  report_write_file(&outputs->targets[OPTION_SAVE_READINGS], text, strlen(text),
				    &err) &&
		  outputs_show(outputs, inspection->args, result, NULL, &err);
	int status = !ok ? fail_tool(err.text) : is_negative(result) ? EXIT_NEGATIVE : 0;

	json_decref(result);
	free(text);
	return status;
}

int cmd_inspect(const struct args *args)
{
	struct inspection inspection = {0};
	struct outputs outputs;
	struct err err;
	int status = EXIT_TOOL;

	if (!outputs_open(&outputs, args, &err) || !read_options(&inspection, args, &err))
		status = fail_err(command_named("inspect"), &err);
	else
		status = inspect(&inspection, &outputs);
	outputs_close(&outputs, status);
	collect_events_release(&inspection.events);
	collect_events_release(&inspection.given);
	return status;
}
