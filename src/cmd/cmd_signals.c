#include <fnmatch.h>
#include <jansson.h>
#include <linux/perf_event.h>

#include "base/nearest.h"
#include "cmd/command.h"
#include "cmd/guest.h"
#include "cmd/outputs.h"
#include "pmu/events.h"
#include "signal/signal.h"
#include "value/layout.h"

static json_t *describe(const struct signal_row *row)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:b}", "name", row->name, "source",
			 signal_source_name(row->source), "unit", row->unit, "category",
			 signal_category_name(row->category), "owner",
			 signal_owner_name(row->owner), "meaning", row->meaning, "has_total",
			 row->total != NULL);
}

/* Names may be patterns, such as l1d.*. */
static bool is_wanted(const struct args *args, const struct signal_row *row)
{
	for (size_t i = 0; i < args->rest_count; i++)
		if (fnmatch(args->rest[i], row->name, 0) == 0)
			return true;
	return !args->rest_count;
}

static bool check_names(const struct args *args, struct err *err)
{
	for (size_t i = 0; i < args->rest_count; i++) {
		struct nearest nearest = {0};
		bool found = false;

		for (size_t k = 0; k < signal_count() && !found; k++) {
			found = fnmatch(args->rest[i], signal_rows[k].name, 0) == 0;
			nearest_consider(&nearest, args->rest[i], signal_rows[k].name);
		}
		if (!found)
			return err_set(
				err, "there is no signal \"%s\"; %s`cyclestack signals` lists them",
				args->rest[i], nearest_ask(&nearest, "did you mean ", "? ").text);
	}
	return true;
}

static void print_code(size_t code, const struct signal_row *row)
{
	printf("r%03zx  %-44s %s\n", code, row->name, row->meaning);
}

/* The events of type RAW that one machine has, with their codes there. */
static int print_machine_codes(const struct args *args)
{
	struct job_machine machine;
	char name[128];
	struct err err;

	if (!machine_from_args(&machine, args, &err))
		return fail_err(command_named("signals"), &err);
	struct events *events = events_create(&machine.config, &err);
	if (!events)
		return fail_tool(err.text);
	for (int i = 0, code; (code = events_list(events, (size_t)i, name, sizeof(name))) >= 0;
	     i++) {
		int event = events_find(events, PERF_TYPE_RAW, (uint64_t)code);

		if (is_wanted(args, &signal_rows[event]))
			print_code((size_t)code, &signal_rows[event]);
	}
	events_destroy(events);
	return 0;
}

/* The events of type RAW with their codes, in the order of the table; then the generic ones. */
static void print_codes(const struct args *args)
{
	for (size_t i = 0; i < signal_count(); i++)
		if (signal_rows[i].source == SIGNAL_HW && is_wanted(args, &signal_rows[i]))
			print_code(i, &signal_rows[i]);
	for (size_t i = 0; i < generic_event_count() && !args->rest_count; i++) {
		const struct generic_event *event = &generic_events[i];

		printf("%-32s %s", event->name, event->signals[0]);
		for (size_t k = 1; k < EVENT_SIGNALS_MAX && event->signals[k]; k++)
			printf(" + %s", event->signals[k]);
		printf("\n");
	}
}

static int list_signals(const struct args *args)
{
	json_t *list = json_array();
	struct err err;

	for (size_t i = 0; i < signal_count(); i++)
		if (is_wanted(args, &signal_rows[i]))
			json_array_append_new(list, describe(&signal_rows[i]));
	json_t *result = json_pack("{s:s, s:o}", "schema", layout_signals.schema, "signals", list);
	bool ok = outputs_show_list(args, result, &err);
	json_decref(result);
	return ok ? 0 : fail_tool(err.text);
}

int cmd_signals(const struct args *args)
{
	bool has_machine = args_get(args, OPTION_CONFIG) || args_get(args, OPTION_SET);
	struct err err;

	if (!check_names(args, &err))
		return fail_usage(command_named("signals"), err.text);
	if (!args_get(args, OPTION_CODES))
		return has_machine ? fail_usage(command_named("signals"),
						"--config and --set choose the machine of --codes: "
						"the table of signals is the same for all")
				   : list_signals(args);
	if (has_machine)
		return print_machine_codes(args);
	print_codes(args);
	return 0;
}
