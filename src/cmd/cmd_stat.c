#include <stdlib.h>
#include <string.h>

#include "cmd/circuits.h"
#include "cmd/guest.h"
#include "cmd/outputs.h"
#include "cmd/program.h"
#include "cmd/reuse.h"
#include "cmd/stat_live.h"
#include "cmd/stat_network.h"
#include "cmd/stat_repeat.h"
#include "cmd/stat_request.h"
#include "cmd/stat_rows.h"
#include "base/array.h"
#include "job/parts.h"
#include "value/member.h"

/* What a command line requests, and what watches the run. */
struct statistics {
	struct program program;
	struct job_machine machine;
	struct stats_request request;
	char *map;
	struct part_stat part;
	const struct job_part *parts[2];
	struct job job;
	struct stat_live live;
	struct stat_network network;
	struct stat_rows rows;
};

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

static int finish(struct statistics *stat, struct outputs *outputs, const struct args *args,
		  const json_t *result, const struct worker_report *report)
{
	struct err err;

	if (!result)
		return guest_explain_nothing(report);
	stat_rows_result(&stat->rows, result);
	if (!outputs_end_rows(outputs, &err) || !outputs_show(outputs, args, result, NULL, &err) ||
	    !report_write_result(&outputs->targets[OPTION_LOG], log_write, result, &err))
		return fail_tool(err.text);
	if (json_is_true(json_object_get(result, "partial")))
		return guest_explain_stop(
			report,
			(uint64_t)member_whole(json_object_get(result, "values"), "instructions"),
			true);
	return (int)member_whole(result, "status");
}

/* What a single run alone can do, or none. */
static bool check_options(const struct args *args, struct err *err)
{
	static const enum option_id single[] = {OPTION_INTERVAL_PRINT, OPTION_TO, OPTION_LISTEN,
						OPTION_LOG, OPTION_REPLAY};
	static const enum option_id rows[] = {OPTION_INTERVAL_PRINT, OPTION_FIELD_SEPARATOR,
					      OPTION_REPEAT};

	for (size_t i = 0; args_get(args, OPTION_REPEAT) && i < ARRAY_COUNT(single); i++)
		if (args_get(args, single[i]))
			return err_usage(
				err,
				"--%s is of one run, and --repeat makes several: leave one out",
				option_rows[single[i]].name);
	for (size_t i = 0; args_get(args, OPTION_RTL) && i < ARRAY_COUNT(rows); i++)
		if (args_get(args, rows[i]))
			return err_usage(
				err,
				"--%s prints counts, and --rtl writes a circuit: leave one out",
				option_rows[rows[i]].name);
	return true;
}

static bool read_options(struct statistics *stat, const struct args *args, struct err *err)
{
	if (!machine_from_args(&stat->machine, args, err))
		return false;
	if (!stat_request_from_args(&stat->request, args, &stat->machine.config, &stat->map, err))
		return err_as_usage(err);
	if (!stat->request.first.pair_count && !args_get(args, OPTION_LISTEN))
		return err_usage(err, "what is to be counted? Give -e SIGNAL@WHERE or -g GROUP; "
				      "`cyclestack signals` lists signals");
	if (!program_open(&stat->program, args, err))
		return false;
	stat->parts[0] = part_stat_init(&stat->part, &stat->request);
	stat->job = (struct job){
		.program = &stat->program,
		.machine = &stat->machine,
		.max_instructions = stat->program.max_instructions,
		.parts = stat->parts,
	};
	if (stat_network_open(&stat->network, args, &stat->job, &stat->request, err))
		return true;
	return stat->network.has_failed ? false : err_as_usage(err);
}

/* Rows, if they are asked for; then nothing is drawn beside them. */
static bool begin_rows(struct statistics *stat, struct outputs *outputs, const struct args *args,
		       struct err *err)
{
	enum option_id asked;

	stat_rows_init(&stat->rows, args, &stat->machine.config, &stat->request);
	if (!stat_rows_wanted(args, &asked))
		return true;
	stat->live.is_shown &= !stat->rows.is_live;
	return outputs_begin_rows(outputs, asked, &stat->rows.out, err);
}

static void take_data(void *context, const void *bytes, size_t size)
{
	struct statistics *stat = context;
	struct stat_frame frame;

	if (!stat_frame_read(&frame, bytes, size))
		return;
	stat_rows_take(&stat->rows, &frame);
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

/* One run, which may be watched; returns the status. */
static int run_once(struct statistics *stat, struct outputs *outputs, const struct args *args)
{
	const bool has_live_rows = stat->rows.out && stat->rows.is_live;
	const struct guest_watcher watcher = {
		.data = take_data,
		.tick = tick,
		.ready = ready,
		.watched = stat->network.control.fd,
		.hides_progress = stat->live.is_shown || has_live_rows,
		.context = stat,
	};
	struct worker_report report = {0};
	struct reuse reuse;
	struct err err;
	json_t *result;

	stat->request.is_watched = stat->live.is_shown || has_live_rows || stat->network.is_open;
	stat_network_begin(&stat->network, &stat->program, &stat->machine);
	bool ok = reuse_find(&reuse, &stat->job, args, outputs, &result, &err) &&
		  outputs_direct(outputs, &stat->job, &err) &&
		  (result || guest_run_watched(&stat->job, args, &watcher, &result, &report, &err));
	stat_live_end(&stat->live);
	stat_network_finish(&stat->network);
	if (!ok)
		return fail_err(command_named("stat"), &err);
	reuse_made(&reuse, outputs, &report);
	const int status = finish(stat, outputs, args, result, &report);
	json_decref(result);
	return status;
}

int cmd_stat(const struct args *args)
{
	struct statistics stat = {0};
	struct outputs outputs = {0};
	struct err err;
	int status;

	if (!check_options(args, &err))
		return fail_err(command_named("stat"), &err);
	if (args_get(args, OPTION_RTL))
		return stat_circuits(args);
	stat_live_start(&stat.live, args);
	if (!outputs_open(&outputs, args, &err) || !read_options(&stat, args, &err) ||
	    !begin_rows(&stat, &outputs, args, &err))
		status = fail_err(command_named("stat"), &err);
	else if (args_get(args, OPTION_REPEAT))
		status = stat_repeat(args, &outputs, &stat.program, &stat.machine, stat.parts[0],
				     &stat.rows);
	else
		status = run_once(&stat, &outputs, args);
	outputs_close(&outputs, status);
	stat_network_close(&stat.network);
	stat_rows_release(&stat.rows);
	program_release(&stat.program);
	stats_request_release(&stat.request);
	free(stat.map);
	return status;
}
