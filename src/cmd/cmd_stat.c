#include <stdlib.h>
#include <string.h>

#include "cmd/circuits.h"
#include "cmd/guest.h"
#include "cmd/outputs.h"
#include "cmd/program.h"
#include "cmd/stat_live.h"
#include "cmd/stat_network.h"
#include "cmd/stat_request.h"
#include "report/file/csv.h"
#include "report/page/stat_page.h"
#include "report/text/stat_text.h"
#include "value/member.h"

/* What a command line requests, and what watches the run. */
struct statistics {
	struct program program;
	struct job_machine machine;
	struct stats_request request;
	char *map;
	struct job job;
	struct stat_live live;
	struct stat_network network;
};

struct printed {
	const struct statistics *stat;
	const json_t *result;
};

static void print_result(FILE *out, const struct terminal *terminal, const void *context)
{
	const struct printed *printed = context;
	const struct job_machine *machine = &printed->stat->machine;

	fputc('\n', out);
	print_printable(out, printed->stat->program.name);
	fputs(" on ", out);
	print_printable(out, machine->name);
	for (size_t i = 0; i < machine->change_count; i++) {
		fputs(i ? ", " : " with ", out);
		print_printable(out, machine->changes[i]);
	}
	fputs(json_is_true(json_object_get(printed->result, "partial")) ? " (partial)\n" : "\n",
	      out);
	stat_text_print(out, printed->result, terminal);
}

/* The settings of every epoch, from which --replay makes the same run. */
static bool log_write(FILE *out, const json_t *result, struct err *err)
{
	json_t *epoch, *pair;
	size_t i, k;

	fputs(STATS_LOG_HEADING "\n", out);
	json_array_foreach(json_object_get(result, "epochs"), i, epoch)
	{
		fprintf(out, "%lld %lld", (long long)member_whole(epoch, "cycle"),
			(long long)member_whole(epoch, "every"));
		json_array_foreach(json_object_get(epoch, "pairs"), k, pair)
		{
			fprintf(out, " %s", json_string_value(pair));
		}
		fputc('\n', out);
	}
	return report_finish(out, "the log", err);
}

static int finish(struct outputs *outputs, const struct statistics *stat, const json_t *result,
		  const struct worker_report *report)
{
	const struct printed printed = {stat, result};
	struct err err;

	if (!result) {
		fail_tool(report->stop == WORKER_INTERRUPTED
				  ? "interrupted before anything was simulated"
				  : "no result came within the time given");
		return report->stop == WORKER_INTERRUPTED ? EXIT_INTERRUPTED : EXIT_PARTIAL;
	}
	if (!outputs_write_report(outputs, print_result, &printed, &err) ||
	    !outputs_write_json(outputs, result, &err) ||
	    !report_write_result(&outputs->targets[OPTION_CSV], csv_write_stat, result, &err) ||
	    !report_write_result(&outputs->targets[OPTION_HTML], stat_page_write, result, &err) ||
	    !report_write_result(&outputs->targets[OPTION_LOG], log_write, result, &err))
		return fail_tool(err.text);
	if (json_is_true(json_object_get(result, "partial")))
		return guest_explain_stop(
			report,
			(uint64_t)member_whole(json_object_get(result, "values"), "instructions"),
			true);
	return (int)member_whole(result, "status");
}

static bool read_options(struct statistics *stat, const struct args *args, int *status,
			 struct err *err)
{
	if (!machine_from_args(&stat->machine, args, status, err))
		return false;
	*status = EXIT_USAGE;
	if (!stat_request_from_args(&stat->request, args, &stat->map, err))
		return false;
	if (!stat_network_open(&stat->network, args, &stat->request, err))
		return false;
	if (!stat->request.first.pair_count)
		return err_set(err, "what is to be counted? Give -e SIGNAL@WHERE or -g GROUP; "
				    "`cyclestack signals` lists signals");
	if (!program_open(&stat->program, args, status, err))
		return false;
	stat->job = (struct job){
		.program = &stat->program,
		.machine = &stat->machine,
		.max_instructions = stat->program.max_instructions,
		.stat = &stat->request,
	};
	return true;
}

static void take_data(void *context, const void *bytes, size_t size)
{
	struct statistics *stat = context;
	struct stat_frame frame;

	if (!stat_frame_read(&frame, bytes, size))
		return;
	stat_live_take(&stat->live, &frame);
	stat_live_draw(&stat->live);
	stat_network_take(&stat->network, &frame);
}

static void tick(void *context)
{
	struct statistics *stat = context;

	stat_live_draw(&stat->live);
	stat_network_tick(&stat->network);
}

static void ready(void *context)
{
	struct statistics *stat = context;

	stat_network_receive(&stat->network);
}

int cmd_stat(const struct args *args)
{
	struct statistics stat = {0};
	struct guest_watcher watcher = {
		.data = take_data, .tick = tick, .ready = ready, .context = &stat};
	struct outputs outputs;
	struct worker_report report = {0};
	struct err err;
	json_t *result;
	int status;

	if (args_get(args, OPTION_RTL))
		return stat_circuits(args);
	stat_live_start(&stat.live, args);
	if (!outputs_open(&outputs, args, &err)) {
		status = fail_run(command_named("stat"), err.text);
	} else if (!read_options(&stat, args, &status, &err)) {
		status = fail_with(status, command_named("stat"), err.text);
	} else {
		watcher.hides_progress = stat.live.is_shown;
		watcher.watched = stat.network.control.fd;
		stat.request.is_watched = stat.live.is_shown || stat.network.is_open;
		bool ok = outputs_direct(&outputs, &stat.job, &err) &&
			  guest_run_watched(&stat.job, args, &watcher, &result, &report, &err);
		stat_live_end(&stat.live);
		stat_network_finish(&stat.network);
		status = ok ? finish(&outputs, &stat, result, &report)
			    : fail_run(command_named("stat"), err.text);
		if (ok)
			json_decref(result);
	}
	outputs_close(&outputs, status);
	stat_network_close(&stat.network);
	program_release(&stat.program);
	stats_request_release(&stat.request);
	free(stat.map);
	return status;
}
