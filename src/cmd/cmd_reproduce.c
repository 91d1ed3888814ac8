#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cmd/guest.h"
#include "cmd/inspect.h"
#include "cmd/outputs.h"
#include "cmd/program.h"
#include "cmd/runner.h"
#include "cmd/stat_request.h"
#include "cmd/subject.h"
#include "doc/doc_svg.h"
#include "experiment/judge.h"
#include "papers/chen2008_misses.h"
#include "papers/eyerman2006_plots.h"
#include "papers/hough2006_synthesis.h"
#include "papers/hough2006_variations.h"
#include "papers/paper.h"
#include "papers/paper_hough2006.h"
#include "value/member.h"

#define PROGRAMS_MOST	     32
#define SYNTHESIS_BYTES_MOST (1u << 20)

static struct plan *plan_judge(const struct measurement_request *request, struct err *err)
{
	(void)err;
	static const struct judge_options options = {.all_orders = false};

	return judge_plan(request->subject, &options);
}

/* The measurements that a paper may need, in the order in which they are made: the ones that can
 * be partial are last. Without a plan it is an inspection. */
static const struct measurement {
	const char *name;
	struct plan *(*plan)(const struct measurement_request *request, struct err *err);
} measurements[] = {{"plots", eyerman2006_plots},
		    {"misses", chen2008_misses},
		    {"variations", hough2006_variations},
		    {"inspection", NULL},
		    {"judge", plan_judge}};

static bool needs(const struct paper *paper, const char *name)
{
	for (size_t i = 0; paper->needs[i]; i++)
		if (strcmp(paper->needs[i], name) == 0)
			return true;
	return false;
}

static bool open_workload(struct program *program, const char *name, struct err *err)
{
	char *copy = mem_strdup(name), *rest[] = {copy, NULL};
	const struct args args = {.rest = rest, .rest_count = 1};
	bool ok = program_open(program, &args, err);

	free(copy);
	return ok;
}

/* Whether an interruption left no program to show. */
static bool is_empty(const json_t *result)
{
	const json_t *programs = json_object_get(result, "programs");

	return programs && !json_array_size(programs);
}

/* The member of the result; NULL with a sentence, or NULL and *interrupted if nothing was measured
 * in time. */
static json_t *make_measurement(const struct measurement *measurement,
				const struct measurement_request *request, struct runner *runner,
				bool *interrupted, struct err *err)
{
	if (!measurement->plan)
		return inspect_simulated(&request->subject->machine, runner, interrupted, err);
	struct plan *plan = measurement->plan(request, err);
	json_t *result = plan ? runner_result(runner, plan, interrupted, err) : NULL;

	plan_destroy(plan);
	if (!*interrupted || !is_empty(result))
		return result;
	json_decref(result);
	return NULL;
}

/* Makes all measurements that the paper needs; NULL as above. */
static json_t *measure(const struct paper *paper, const struct measurement_request *request,
		       struct runner *runner, bool *interrupted, struct err *err)
{
	json_t *measured = json_object();

	for (size_t i = 0; i < ARRAY_COUNT(measurements); i++) {
		if (!needs(paper, measurements[i].name))
			continue;
		json_t *value = *interrupted ? NULL
					     : make_measurement(&measurements[i], request, runner,
								interrupted, err);
		if (!value) {
			json_decref(measured);
			return NULL;
		}
		json_object_set_new(measured, measurements[i].name, value);
	}
	return measured;
}

/* What --synthesis says, owned by the caller; NULL without that option. False with a sentence. */
static bool read_synthesis(json_t **synthesis, const struct args *args, struct err *err)
{
	const char *path = args_get(args, OPTION_SYNTHESIS);
	size_t bytes;

	*synthesis = path ? json_object() : NULL;
	if (!path)
		return true;
	char *text = read_small_file(path, SYNTHESIS_BYTES_MOST, &bytes, err);
	bool ok = text && (strlen(text) == bytes || err_set(err, "it is no text")) &&
		  hough2006_synthesis(text, *synthesis, err);
	free(text);
	return ok || err_prefix(err, "--synthesis %s", path);
}

/* The files a reproduction writes. */
struct destination {
	struct outputs outputs;
	const char *pictures_path; /* NULL: no pictures */
	int pictures;		   /* the directory, or -1 */
};

/* What the tool's pictures begin with, and others do not. */
#define OWN_PICTURE " role=\"img\" font-family=\""

static void name_picture(char name[64], const struct paper_figure *figure)
{
	snprintf(name, 64, "%s.svg", figure->id);
}

static bool may_write_pictures(const struct destination *destination, const struct paper *paper,
			       struct err *err)
{
	bool ok = true;
	char name[64];

	for (const struct paper_figure *f = paper->figures; ok && f->id; f++) {
		name_picture(name, f);
		ok = !f->has_picture ||
		     outputs_may_write_entry(destination->pictures, name, OWN_PICTURE, err);
	}
	return ok || err_prefix(err, "%s", destination->pictures_path);
}

static bool destination_open(struct destination *destination, const struct args *args,
			     const struct paper *paper, struct err *err)
{
	const char *path = args_get(args, OPTION_PICTURES);

	*destination = (struct destination){.pictures_path = path, .pictures = -1};
	if (!outputs_open(&destination->outputs, args, err))
		return false;
	if (path)
		destination->pictures = outputs_open_directory(path, err);
	return !path || (destination->pictures >= 0 && may_write_pictures(destination, paper, err));
}

static void destination_close(struct destination *destination, int status)
{
	if (destination->pictures >= 0)
		close(destination->pictures);
	outputs_close(&destination->outputs, status);
}

static void draw_picture(FILE *out, const void *block)
{
	doc_svg_write(out, block);
}

static bool write_pictures(const struct destination *destination, const struct paper *paper,
			   const json_t *result, struct err *err)
{
	struct doc doc;
	char name[64];
	bool ok = report_build(&doc, result, NULL, err);

	for (const struct paper_figure *f = paper->figures; ok && f->id; f++) {
		const struct doc_block *figure = f->has_picture ? doc_find(&doc, f->id) : NULL;

		name_picture(name, f);
		if (figure && doc_picture(figure))
			ok = outputs_write_entry(destination->pictures, name, draw_picture, figure,
						 err);
	}
	doc_release(&doc);
	return ok ? true : err_prefix(err, "%s", destination->pictures_path);
}

static int finish(struct destination *destination, const struct args *args,
		  const struct paper *paper, const json_t *result, bool interrupted)
{
	struct err err;

	if (!outputs_show(&destination->outputs, args, result, NULL, &err) ||
	    (destination->pictures_path && !write_pictures(destination, paper, result, &err)))
		return fail_tool(err.text);
	if (interrupted)
		fputs("cyclestack: interrupted: programs that were not finished are left out\n",
		      stderr);
	return interrupted ? EXIT_INTERRUPTED : 0;
}

static int reproduce(struct destination *destination, const struct paper *paper,
		     const struct subject *subject, struct runner *runner, const char *size)
{
	char example[PAPER_NAME_BYTES] = "";
	bool interrupted = false;
	struct err err;
	json_t *measured = NULL, *synthesis;

	if (paper->example)
		paper_program_name(example, paper->example, size);
	if (read_synthesis(&synthesis, runner->args, &err)) {
		const struct measurement_request request = {
			.subject = subject,
			.example = example,
			.synthesis = synthesis,
			.open = open_workload,
		};

		measured = measure(paper, &request, runner, &interrupted, &err);
	}
	json_decref(synthesis);
	if (!measured) {
		fail_tool(interrupted ? "interrupted before a program had all its simulations"
				      : err.text);
		return interrupted ? EXIT_INTERRUPTED : EXIT_TOOL;
	}
	json_t *result = paper_result(paper, size, &subject->machine.config, measured, interrupted);
	int status = finish(destination, runner->args, paper, result, interrupted);
	json_decref(result);
	json_decref(measured);
	return status;
}

static const struct paper *paper_asked_for(const struct args *args, const char *size,
					   struct err *err)
{
	const struct paper *paper = paper_find(args->rest_count == 1 ? args->rest[0] : NULL, err);
	char text[PAPER_NAME_BYTES], name[PAPER_NAME_BYTES], unused[16];

	if (paper && args_get(args, OPTION_SYNTHESIS) && paper != &paper_hough2006) {
		err_set(err, "--synthesis is of hough2006, not of %s", paper->name);
		return NULL;
	}
	snprintf(text, sizeof(text), "x:%s", size);
	return paper && workload_split(text, name, unused, err) ? paper : NULL;
}

/* A paper without programs needs the machine alone. */
static bool open_subject(struct subject *subject, unsigned *at_once, const struct paper *paper,
			 const struct args *programs, struct err *err)
{
	if (paper->programs->name)
		return subject_open(subject, at_once, programs, err);
	return machine_from_args(&subject->machine, programs, err) &&
	       jobs_from_args(at_once, programs, err);
}

int cmd_reproduce(const struct args *args)
{
	const char *given = args_get(args, OPTION_SIZE), *size = given ? given : "small";
	char names[PROGRAMS_MOST][PAPER_NAME_BYTES], *rest[PROGRAMS_MOST + 1] = {NULL};
	struct subject subject = {0};
	struct runner runner = RUNNER_CLOSED;
	struct args programs = *args;
	struct destination destination;
	unsigned at_once;
	struct err err;
	const struct paper *paper = paper_asked_for(args, size, &err);
	int status;

	if (!paper)
		return fail_usage(command_named("reproduce"), err.text);
	const char *machine = paper->machine;
	programs.values[OPTION_CONFIG] = &machine;
	programs.counts[OPTION_CONFIG] = 1;
	programs.rest = rest;
	programs.rest_count = 0;
	for (const struct paper_program *p = paper->programs; p->name; p++) {
		BUG_ON(programs.rest_count == PROGRAMS_MOST);
		paper_program_name(names[programs.rest_count], p->ours, size);
		rest[programs.rest_count] = names[programs.rest_count];
		programs.rest_count++;
	}
	if (!destination_open(&destination, args, paper, &err) ||
	    !open_subject(&subject, &at_once, paper, &programs, &err) ||
	    !runner_open(&runner, args, at_once, &err))
		status = fail_err(command_named("reproduce"), &err);
	else
		status = reproduce(&destination, paper, &subject, &runner, size);
	destination_close(&destination, status);
	runner_close(&runner, status == 0);
	subject_release(&subject);
	return status;
}
