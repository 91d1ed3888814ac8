#include "cmd/simpoint.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "cmd/guest.h"
#include "cmd/spool.h"
#include "image/image.h"
#include "measure/phases.h"

#define INTERVAL_USUAL 1000000
#define INTERVAL_LEAST 10000
#define CLUSTERS_USUAL 30
/* Clustering more takes minutes. */
#define INTERVALS_MOST 20000

static const enum option_id own_options[] = {OPTION_INTERVAL_SIZE,  OPTION_MAX_K,
					     OPTION_LOAD_SIMPOINTS, OPTION_LOAD_WEIGHTS,
					     OPTION_SAVE_SIMPOINTS, OPTION_SAVE_WEIGHTS};

bool simpoint_refuse_options(const struct args *args, struct err *err)
{
	for (size_t i = 0; i < ARRAY_COUNT(own_options); i++)
		if (args->counts[own_options[i]])
			return err_set(err, "--%s is for --sample=simpoint",
				       option_rows[own_options[i]].name);
	return true;
}

static bool check_options(const struct args *args, struct err *err)
{
	const bool loads = args_get(args, OPTION_LOAD_SIMPOINTS);

	if (loads != !!args_get(args, OPTION_LOAD_WEIGHTS))
		return err_set(err, "--load-simpoints and --load-weights go together: simulation "
				    "points without weights say nothing of the program");
	for (size_t i = 0; loads && i < ARRAY_COUNT(own_options); i++)
		if (args->counts[own_options[i]] && own_options[i] != OPTION_LOAD_SIMPOINTS &&
		    own_options[i] != OPTION_LOAD_WEIGHTS && own_options[i] != OPTION_INTERVAL_SIZE)
			return err_set(err,
				       "--%s has nothing to say of points that are loaded: leave "
				       "it out",
				       option_rows[own_options[i]].name);
	if (loads && !args_get(args, OPTION_INTERVAL_SIZE))
		return err_set(err, "--load-simpoints needs --interval-size, the instructions of "
				    "an interval, which the files do not say");
	if (args_get(args, OPTION_REUSE) &&
	    (args->counts[OPTION_SAVE_SIMPOINTS] || args->counts[OPTION_SAVE_WEIGHTS]))
		return err_set(err,
			       "--reuse may take the result from the store, and then there are "
			       "no simulation points to save");
	if (args_get(args, OPTION_SKIP))
		return err_set(err, "--skip and --sample=simpoint say two different places to "
				    "start");
	if (args_get(args, OPTION_WITHIN))
		return err_set(err, "--within: simulation points do not say how far they are off; "
				    "--sample without a value does");
	return true;
}

static bool load(struct simpoint *simpoint, struct job *job, const struct args *args,
		 struct err *err)
{
	const char *names[] = {args_get(args, OPTION_LOAD_SIMPOINTS),
			       args_get(args, OPTION_LOAD_WEIGHTS)};
	uint8_t *bytes[2] = {NULL, NULL};
	struct simpoint_text texts[2];
	bool ok = true;

	for (size_t i = 0; ok && i < 2; i++) {
		bytes[i] = image_read(names[i], &texts[i].count, err);
		texts[i].name = names[i];
		texts[i].bytes = (const char *)bytes[i];
		ok = bytes[i];
	}
	ok = ok && simpoint_read_points(&texts[0], &texts[1], simpoint->points,
					&job->sample.point_count, err);
	for (size_t i = 0; ok && i < job->sample.point_count; i++)
		if (simpoint->points[i].interval >= INT64_MAX / job->sample.unit - 1)
			ok = err_set(err, "%s: no program has an interval %llu", names[0],
				     (unsigned long long)simpoint->points[i].interval);
	free(bytes[0]);
	free(bytes[1]);
	return ok;
}

bool simpoint_from_args(struct simpoint *simpoint, struct job *job, uint64_t settle,
			const struct args *args, struct err *err)
{
	uint64_t interval = INTERVAL_USUAL, clusters = CLUSTERS_USUAL;

	if (!check_options(args, err) ||
	    !args_get_count(args, OPTION_INTERVAL_SIZE, INTERVAL_LEAST, INT64_MAX / 4, &interval,
			    err) ||
	    !args_get_count(args, OPTION_MAX_K, 1, SIMULATION_POINTS_MOST, &clusters, err))
		return false;
	simpoint->points = mem_alloc_array(SIMULATION_POINTS_MOST, sizeof(*simpoint->points));
	simpoint->is_loaded = args_get(args, OPTION_LOAD_SIMPOINTS);
	job->sample = (struct sample_plan){.period = interval,
					   .settle = settle,
					   .unit = interval,
					   .points = simpoint->points,
					   .points_most = clusters};
	return !simpoint->is_loaded || load(simpoint, job, args, err);
}

static void add_vector(void *context, const struct vector_entry *entries, size_t count)
{
	phase_vectors_add(context, entries, count);
}

/* Executes the program once, without what it would print. */
static bool execute(const struct job *job, const struct args *args, struct spool *spool,
		    struct err *err)
{
	const struct job functional = {
		.program = job->program,
		.max_instructions = job->max_instructions,
		.is_silent = true,
		.vector_instructions = job->sample.unit,
	};
	const struct guest_watcher watcher = {.data = spool_add, .context = spool};
	struct worker_report report = {0};
	json_t *result = NULL;

	if (!guest_run_watched(&functional, args, &watcher, &result, &report, err))
		return false;
	if (!result || report.stop != WORKER_GO_ON) {
		json_decref(result);
		return err_stopped(err, "stopped before the program's phases were known");
	}
	json_decref(result);
	return true;
}

static bool read_phases(struct job *job, const struct simpoint *simpoint, struct spool *spool,
			struct err *err)
{
	struct simpoint_text text = {.name = "what the worker counted"};
	struct phase_vectors vectors = {0};

	if (!spool_map(spool, &text.bytes, &text.count, err))
		return false;
	bool ok = simpoint_read_vectors(&text, add_vector, &vectors, err);

	spool_unmap(spool, text.bytes);
	if (ok && vectors.count > INTERVALS_MOST)
		ok = err_set(err,
			     "the program has %zu intervals, of which at most %d can be compared: "
			     "say a longer --interval-size",
			     vectors.count, INTERVALS_MOST);
	if (ok)
		job->sample.point_count =
			phases_find(&vectors, job->sample.points_most, simpoint->points);
	phase_vectors_release(&vectors);
	return ok;
}

static bool find(struct simpoint *simpoint, struct job *job, const struct args *args,
		 struct err *err)
{
	struct spool spool;
	const bool ok = spool_open(&spool, err) && execute(job, args, &spool, err) &&
			read_phases(job, simpoint, &spool, err);

	spool_close(&spool);
	return ok;
}

static bool write_points(FILE *out, const void *context, struct err *err)
{
	const struct sample_plan *plan = context;

	(void)err;
	simpoint_write_intervals(out, plan->points, plan->point_count);
	return true;
}

static bool write_weights(FILE *out, const void *context, struct err *err)
{
	const struct sample_plan *plan = context;

	(void)err;
	simpoint_write_weights(out, plan->points, plan->point_count);
	return true;
}

/* Without the points that end behind the limit. */
static bool within_limit(struct job *job, struct err *err)
{
	struct sample_plan *plan = &job->sample;
	const uint64_t intervals = job->max_instructions / plan->unit;

	while (plan->point_count && plan->points[plan->point_count - 1].interval >= intervals)
		plan->point_count--;
	return plan->point_count ||
	       err_set(err, "every simulation point lies behind --max-insns; nothing would be "
			    "simulated");
}

bool simpoint_prepare(struct simpoint *simpoint, struct job *job, const struct args *args,
		      struct outputs *outputs, struct err *err)
{
	if (simpoint->is_loaded)
		return within_limit(job, err);
	return find(simpoint, job, args, err) &&
	       report_write_made(&outputs->targets[OPTION_SAVE_SIMPOINTS], write_points,
				 &job->sample, err) &&
	       report_write_made(&outputs->targets[OPTION_SAVE_WEIGHTS], write_weights,
				 &job->sample, err);
}

void simpoint_release(struct simpoint *simpoint)
{
	free(simpoint->points);
	simpoint->points = NULL;
}
