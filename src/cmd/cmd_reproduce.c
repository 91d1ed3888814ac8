#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cmd/guest.h"
#include "cmd/inspect.h"
#include "cmd/judge.h"
#include "cmd/keep.h"
#include "cmd/outputs.h"
#include "cmd/program.h"
#include "cmd/reproduce_plots.h"
#include "cmd/reproduce_variations.h"
#include "report/papers/content_svg.h"
#include "report/papers/paper.h"
#include "report/papers/paper_hough2006.h"
#include "report/papers/paper_page.h"
#include "report/papers/paper_text.h"
#include "value/member.h"

#define PROGRAMS_MOST 32

/* The measurements that a paper may need, in the order in which they are made: the ones that can
 * be partial are last. Each returns the member of the result, NULL with a sentence, or NULL and
 * *interrupted if nothing was measured in time. */
static json_t *measure_plots(struct judge_request *request, const struct args *args,
			     const char *example, bool *interrupted, struct err *err)
{
	(void)example;
	return reproduce_plots(request, args, interrupted, err);
}

static json_t *measure_judge(struct judge_request *request, const struct args *args,
			     const char *example, bool *interrupted, struct err *err)
{
	(void)example;
	json_t *judge = judge_with_progress(request, args, interrupted, err);

	if (*interrupted && !json_array_size(json_object_get(judge, "programs"))) {
		json_decref(judge);
		return NULL;
	}
	return judge;
}

static json_t *measure_misses(struct judge_request *request, const struct args *args,
			      const char *example, bool *interrupted, struct err *err)
{
	json_t *misses = judge_misses_with_progress(request, example, args, interrupted, err);

	if (*interrupted && !json_array_size(json_object_get(misses, "programs"))) {
		json_decref(misses);
		return NULL;
	}
	return misses;
}

static json_t *measure_variations(struct judge_request *request, const struct args *args,
				  const char *example, bool *interrupted, struct err *err)
{
	(void)example;
	return reproduce_variations(request, args, interrupted, err);
}

static json_t *measure_inspection(struct judge_request *request, const struct args *args,
				  const char *example, bool *interrupted, struct err *err)
{
	(void)example;
	return inspect_simulated(&request->machine, args, request->at_once, interrupted, err);
}

static const struct {
	const char *name;
	json_t *(*measure)(struct judge_request *request, const struct args *args,
			   const char *example, bool *interrupted, struct err *err);
} measures[] = {{"plots", measure_plots},
		{"misses", measure_misses},
		{"variations", measure_variations},
		{"inspection", measure_inspection},
		{"judge", measure_judge}};

static bool needs(const struct paper *paper, const char *name)
{
	for (size_t i = 0; paper->needs[i]; i++)
		if (strcmp(paper->needs[i], name) == 0)
			return true;
	return false;
}

/* Makes all measurements that the paper needs; NULL as above. */
static json_t *measure(const struct paper *paper, struct judge_request *request,
		       const struct args *args, const char *size, bool *interrupted,
		       struct err *err)
{
	json_t *measured = json_object();
	char example[PAPER_NAME_BYTES] = "";

	if (paper->example)
		paper_program_name(example, paper->example, size);

	for (size_t i = 0; i < ARRAY_COUNT(measures); i++) {
		if (!needs(paper, measures[i].name))
			continue;
		json_t *value = *interrupted ? NULL
					     : measures[i].measure(request, args, example,
								   interrupted, err);
		if (!value) {
			json_decref(measured);
			return NULL;
		}
		json_object_set_new(measured, measures[i].name, value);
	}
	return measured;
}

static bool write_page(FILE *out, const json_t *result, struct err *err)
{
	const struct paper *paper =
		paper_find(member_text(json_object_get(result, "paper"), "name"), err);

	return paper && paper_page_write(out, paper, result, err);
}

/* The files a reproduction writes. */
struct destination {
	struct outputs outputs;
	const char *pictures_path; /* NULL: no pictures */
	int pictures;		   /* the directory, or -1 */
};

static bool destination_open(struct destination *destination, const struct args *args,
			     struct err *err)
{
	const char *path = args_get(args, OPTION_PICTURES);

	*destination = (struct destination){.pictures_path = path, .pictures = -1};
	if (!outputs_open(&destination->outputs, args, err))
		return false;
	if (path)
		destination->pictures = outputs_open_directory(path, err);
	return !path || destination->pictures >= 0;
}

static void destination_close(struct destination *destination, int status)
{
	if (destination->pictures >= 0)
		close(destination->pictures);
	outputs_close(&destination->outputs, status);
}

static void draw_picture(FILE *out, const void *drawing)
{
	content_svg_draw(out, drawing, false);
}

static bool write_pictures(const struct destination *destination, const struct paper *paper,
			   const json_t *result, struct err *err)
{
	bool ok = true;

	for (const struct paper_figure *f = paper->figures; ok && f->id; f++) {
		struct content content;

		if (!f->has_picture)
			continue;
		paper_build(&content, f, result);
		if (content_picture(&content))
			ok = outputs_write_entry(destination->pictures,
						 content_words(&content, "%s.svg", f->id),
						 draw_picture, content_picture(&content), err);
		content_release(&content);
	}
	return ok ? true : err_prefix(err, "%s", destination->pictures_path);
}

/* What the report is printed from. */
struct printed {
	const struct paper *paper;
	const json_t *result;
};

static void print_paper(FILE *out, const struct terminal *terminal, const void *context)
{
	const struct printed *printed = context;

	paper_text_print(out, printed->paper, printed->result, terminal);
}

static int finish(struct destination *destination, const struct paper *paper, const json_t *result,
		  bool interrupted)
{
	struct outputs *outputs = &destination->outputs;
	const struct printed printed = {paper, result};
	struct err err;

	if (!outputs_write_report(outputs, print_paper, &printed, &err) ||
	    !outputs_write_json(outputs, result, &err) ||
	    !report_write_result(&outputs->targets[OPTION_HTML], write_page, result, &err) ||
	    (destination->pictures_path && !write_pictures(destination, paper, result, &err)))
		return fail_tool(err.text);
	if (interrupted)
		fputs("cyclestack: interrupted: programs that were not finished are left out\n",
		      stderr);
	return interrupted ? EXIT_INTERRUPTED : 0;
}

static int reproduce(struct destination *destination, const struct paper *paper,
		     struct judge_request *request, const struct args *args, const char *size)
{
	bool interrupted = false;
	struct err err;
	json_t *measured = measure(paper, request, args, size, &interrupted, &err);

	if (!measured) {
		fail_tool(interrupted ? "interrupted before a program had all its simulations"
				      : err.text);
		return interrupted ? EXIT_INTERRUPTED : EXIT_TOOL;
	}
	json_t *result = paper_result(paper, size, &request->machine.config, measured, interrupted);
	int status = finish(destination, paper, result, interrupted);
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
static bool open_request(struct judge_request *request, const struct paper *paper,
			 const struct args *programs, int *status, struct err *err)
{
	if (paper->programs->name)
		return judge_open(request, programs, status, err);
	if (!machine_from_args(&request->machine, programs, status, err))
		return false;
	*status = EXIT_USAGE;
	return jobs_from_args(&request->at_once, programs, err);
}

int cmd_reproduce(const struct args *args)
{
	const char *given = args_get(args, OPTION_SIZE), *size = given ? given : "small";
	char names[PROGRAMS_MOST][PAPER_NAME_BYTES], *rest[PROGRAMS_MOST + 1] = {NULL};
	struct judge_request request = {0};
	struct args programs = *args;
	struct destination destination;
	struct keep keep = {.directory = -1};
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
	if (!destination_open(&destination, args, &err))
		status = fail_run(command_named("reproduce"), err.text);
	else if (!open_request(&request, paper, &programs, &status, &err))
		status = fail_with(status, command_named("reproduce"), err.text);
	else if (!keep_open(&keep, args, &err))
		status = fail_tool(err.text);
	else {
		request.shelf = keep_shelf(&keep);
		status = reproduce(&destination, paper, &request, args, size);
	}
	destination_close(&destination, status);
	keep_close(&keep, status == 0);
	judge_release(&request);
	return status;
}
