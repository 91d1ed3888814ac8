#include "cmd/sampling.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/guest.h"
#include "cmd/program.h"
#include "value/member.h"

#define UNIT   20000
#define SETTLE 2000
#define SLICE  (UNIT + SETTLE + SAMPLE_BEHIND)
/* Units of a program that is long enough. */
#define UNITS 1000
/* A stretch is at least so many slices: what is warmed instead of simulated must be worth it. */
#define SLICES_LEAST 3
/* A program with fewer stretches is simulated as a whole: few units know little of what is rare. */
#define STRETCHES_LEAST 100
/* The least width that can be asked for: SAMPLE_BIAS is part of every error. */
#define WITHIN_LEAST 0.006
/* The next run has so many more units than the last one's error calls for. */
#define MARGIN 1.2

/* What else is asked for must be possible without the whole run. */
static bool fits_sample(const struct job *job, const struct args *args, struct err *err)
{
	if (job->roi)
		return err_set(err, "--sample and --roi say two different parts to simulate");
	if (job->by_cycles)
		return err_set(err, "--time cycles has no time for what --sample leaves out: use "
				    "--time insns");
	for (size_t i = 0; i < 4; i++) {
		static const enum option_id whole[] = {OPTION_CALLS, OPTION_INTERVALS,
						       OPTION_PIPEVIEW, OPTION_RECORD_CYCLES};

		if (args->counts[whole[i]])
			return err_set(err, "--%s needs all of the run, which --sample leaves out",
				       option_rows[whole[i]].name);
	}
	return true;
}

bool sampling_from_args(struct sampling *sampling, struct job *job, const struct args *args,
			struct err *err)
{
	uint64_t period = 0, within = 0;

	*sampling = (struct sampling){.is_asked = args->counts[OPTION_SAMPLE]};
	if (!sampling->is_asked)
		return simpoint_refuse_options(args, err);
	sampling->is_by_phases = !strcmp(args_get(args, OPTION_SAMPLE), "simpoint");
	if (sampling->is_by_phases)
		return fits_sample(job, args, err) &&
		       simpoint_from_args(&sampling->simpoint, job, SETTLE, args, err);
	/* Without a value it is there, and empty. */
	if (!simpoint_refuse_options(args, err) ||
	    (*args_get(args, OPTION_SAMPLE) &&
	     !args_get_count(args, OPTION_SAMPLE, SLICE, INT64_MAX, &period, err)) ||
	    !args_get_percent(args, OPTION_WITHIN, &within, err))
		return false;
	sampling->finds_period = !period;
	sampling->within = (double)within / 1e8;
	job->sample = (struct sample_plan){.period = period, .settle = SETTLE, .unit = UNIT};
	if (within && sampling->within < WITHIN_LEAST)
		return err_set(err,
			       "--within: a sample is not known more closely than %g %%, because "
			       "of what warming cannot know",
			       100 * WITHIN_LEAST);
	return fits_sample(job, args, err);
}
/* What the program reads would be gone, or it would write twice. */
static bool may_execute_twice(const struct program *program, struct err *err)
{
	struct stat input;

	for (size_t i = 0; i < program->mount_count; i++)
		if (!program->mounts[i].read_only)
			return err_set(err,
				       "--sample executes the program once before it is simulated, "
				       "and %s is writable: mount it with :ro, or say how far "
				       "units are apart, as in --sample=1M",
				       program->mounts[i].guest);
	if (!program->stdin_is_file && fstat(STDIN_FILENO, &input) == 0 &&
	    !S_ISCHR(input.st_mode) && !S_ISREG(input.st_mode))
		return err_set(err, "--sample executes the program once before it is simulated, "
				    "which would use up its standard input: give --stdin FILE, or "
				    "say how far units are apart, as in --sample=1M");
	return true;
}

/* The period with so many units, or with as many as are allowed. */
static uint64_t period_for(uint64_t instructions, double units)
{
	const double least = SLICES_LEAST * (double)SLICE;

	return (uint64_t)fmax((double)instructions / units, least);
}

/* Whole stretches between the beginning and the end. */
static void set_period(struct job *job, uint64_t instructions, double units)
{
	const uint64_t period = period_for(instructions, units), between = instructions - 2 * SLICE;

	job->sample.period = between / (between / period);
	job->sample.end = instructions - SLICE;
}

/* The instructions that the program executes at most as far as the job goes; 0 with a sentence. */
static bool learn_length(const struct job *job, const struct args *args, uint64_t *instructions,
			 struct err *err)
{
	struct job functional = {
		.program = job->program,
		.max_instructions = INT64_MAX - job->skip > job->max_instructions
					    ? job->skip + job->max_instructions
					    : INT64_MAX,
		.is_silent = true,
		.translates = true,
	};
	struct worker_report report = {0};
	json_t *result = NULL;

	if (!guest_run(&functional, args, &result, &report, err))
		return false;
	if (!result)
		return err_stopped(err, "stopped before the program's length was known");
	const uint64_t all = (uint64_t)member_whole(result, "instructions");

	*instructions = all > job->skip ? all - job->skip : 0;
	json_decref(result);
	return true;
}

bool sampling_prepare(struct sampling *sampling, struct job *job, const struct args *args,
		      struct outputs *outputs, struct err *err)
{
	uint64_t instructions = job->program->usual_instructions;

	if (sampling->is_by_phases)
		return (sampling->simpoint.is_loaded || may_execute_twice(job->program, err)) &&
		       simpoint_prepare(&sampling->simpoint, job, args, outputs, err);
	if (!sampling->is_asked || !sampling->finds_period)
		return true;
	if (!may_execute_twice(job->program, err) || !learn_length(job, args, &instructions, err))
		return false;
	if (instructions < STRETCHES_LEAST * SLICES_LEAST * SLICE) {
		fprintf(stderr,
			"cyclestack: --sample: the program has only %" PRIu64
			" instructions, all of which are simulated\n",
			instructions);
		job->sample.period = 0;
		return true;
	}
	set_period(job, instructions, UNITS);
	return true;
}

bool sampling_goes_on(const struct sampling *sampling, struct job *job, const json_t *result)
{
	const json_t *sample = json_object_get(result, "sample");
	const json_t *cycles = json_object_get(sample, "cycles");

	if (!sampling->is_asked || sampling->within <= 0 || !cycles ||
	    json_is_true(json_object_get(result, "partial")))
		return false;
	const double value = member_number(cycles, "value");
	const double error = member_number(cycles, "error") / value;
	const double by_chance = error - SAMPLE_BIAS, allowed = sampling->within - SAMPLE_BIAS;

	if (error <= sampling->within)
		return false;
	const double units = member_number(sample, "units") * MARGIN * (by_chance / allowed) *
			     (by_chance / allowed);
	const uint64_t instructions = (uint64_t)member_number(sample, "instructions");
	const uint64_t period = period_for(instructions, units);

	fprintf(stderr, "cyclestack: +- %.2f %% with %.0f units; ", 100 * error,
		member_number(sample, "units"));
	/* A quarter more units would not be worth the time. */
	if (period * 5 > job->sample.period * 4) {
		fputs("more do not fit into the program: without --sample it is simulated as a "
		      "whole\n",
		      stderr);
		return false;
	}
	fprintf(stderr, "again with one every %" PRIu64 " instructions\n", period);
	set_period(job, instructions, units);
	return true;
}

void sampling_release(struct sampling *sampling)
{
	simpoint_release(&sampling->simpoint);
}
