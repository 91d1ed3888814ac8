#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "cmd/guest.h"
#include "cmd/program.h"
#include "cmd/judge.h"
#include "cmd/reproduce_plots.h"
#include "report/file/file.h"
#include "report/papers/reproduce_drawings.h"
#include "report/papers/reproduce_claims.h"
#include "report/papers/reproduce_page.h"
#include "report/papers/reproduce_paper.h"
#include "report/papers/reproduce_text.h"

#define EXAMPLE	      "annealer" /* stands for the paper's own example */
#define PROGRAMS_MOST 16
#define NAME_BYTES    64

static json_t *paper_object(void)
{
	json_t *authors = json_array();

	for (size_t i = 0; paper_authors[i]; i++)
		json_array_append_new(authors, json_string(paper_authors[i]));
	return json_pack("{s:s, s:o, s:i, s:s, s:s}", "name", REPRODUCE_PAPER, "authors", authors,
			 "year", paper_year, "title", paper_title, "venue", paper_venue);
}

static json_t *programs_array(const char *size)
{
	json_t *programs = json_array();

	for (const struct paper_program *p = paper_programs; p->name; p++) {
		char name[NAME_BYTES];

		snprintf(name, sizeof(name), "@%s:%s", p->ours, size);
		json_array_append_new(programs, json_pack("{s:s, s:s, s:s, s:f}", "name", name,
							  "paper", p->name, "ours", p->ours,
							  "overlap", p->overlap_percent / 100));
	}
	return programs;
}

static json_t *figures_array(void)
{
	json_t *figures = json_array();

	for (const struct paper_figure *f = paper_figures; f->id; f++) {
		json_t *statements = json_array();

		for (size_t i = 0; i < PAPER_STATEMENTS_MOST && f->statements[i].text; i++)
			json_array_append_new(statements,
					      json_pack("{s:s, s:s}", "text", f->statements[i].text,
							"section", f->statements[i].section));
		json_array_append_new(
			figures, json_pack("{s:s, s:s, s:s, s:s, s:o, s:b}", "id", f->id, "label",
					   f->label, "title", f->title, "shows", f->shows, "paper",
					   statements, "figure_only", f->is_figure_only));
	}
	return figures;
}

static json_t *machine_array(const struct config *config)
{
	json_t *machine = json_array();

	for (const struct paper_parameter *p = paper_parameters; p->what; p++) {
		char ours[CONFIG_TEXT_BYTES];

		config_value_text(config, config_find(p->key), ours);
		json_array_append_new(machine,
				      json_pack("{s:s, s:s, s:s, s:s}", "what", p->what, "key",
						p->key, "paper", p->value, "ours", ours));
	}
	return machine;
}

static json_t *result_of(const struct judge_request *request, const char *size, json_t *judge,
			 json_t *plots, bool is_partial)
{
	return json_pack("{s:s, s:o, s:s, s:b, s:s, s:o, s:o, s:o, s:O, s:O, s:o, s:o}", "schema",
			 "cyclestack-reproduce-1", "paper", paper_object(), "size", size, "partial",
			 is_partial, "example",
			 strcmp(size, "test") == 0    ? "@" EXAMPLE ":test"
			 : strcmp(size, "small") == 0 ? "@" EXAMPLE ":small"
						      : "@" EXAMPLE ":ref",
			 "programs", programs_array(size), "figures", figures_array(), "machine",
			 machine_array(&request->machine.config), "judge", judge, "plots", plots,
			 "claims", reproduce_claims(judge), "clearing", reproduce_clearing(judge));
}

static bool draw_interval(FILE *out, const json_t *plot, struct err *err)
{
	(void)err;
	reproduce_draw_interval(out, plot, false);
	return true;
}

static bool draw_stacks(FILE *out, const json_t *program, struct err *err)
{
	(void)err;
	reproduce_draw_stacks(out, program, false);
	return true;
}

static bool draw_errors(FILE *out, const json_t *judge, struct err *err)
{
	(void)err;
	reproduce_draw_errors(out, judge, false);
	return true;
}

static bool write_pictures(const char *directory, const json_t *result, struct err *err)
{
	const json_t *judge = json_object_get(result, "judge");
	const char *example = json_string_value(json_object_get(result, "example"));
	char path[4096];
	json_t *item;
	size_t i;

	if (mkdir(directory, 0777) != 0 && errno != EEXIST)
		return err_set_errno(err, errno, "%s", directory);
	json_array_foreach(json_object_get(result, "plots"), i, item)
	{
		snprintf(path, sizeof(path), "%s/figure-%d.svg", directory,
			 (int)json_integer_value(json_object_get(item, "figure")));
		if (!report_write_result(path, draw_interval, item, err))
			return false;
	}
	json_array_foreach(json_object_get(judge, "programs"), i, item)
	{
		snprintf(path, sizeof(path), "%s/figure-1.svg", directory);
		if (strcmp(json_string_value(json_object_get(item, "name")), example) == 0 &&
		    !report_write_result(path, draw_stacks, item, err))
			return false;
	}
	snprintf(path, sizeof(path), "%s/figure-12.svg", directory);
	return report_write_result(path, draw_errors, judge, err);
}

static int finish(const struct args *args, const json_t *result, bool interrupted)
{
	const char *json = args_get(args, OPTION_JSON), *html = args_get(args, OPTION_HTML);
	const char *pictures = args_get(args, OPTION_PICTURES);
	struct terminal terminal;
	struct err err;

	terminal_init(&terminal, stdout);
	if ((!json || strcmp(json, "-") != 0) && (!html || strcmp(html, "-") != 0))
		reproduce_text_print(stdout, result, &terminal);
	if (!guest_write_json(args, result, &err) ||
	    (html && !report_write_result(html, reproduce_page_write, result, &err)) ||
	    (pictures && !write_pictures(pictures, result, &err)))
		return fail_tool(err.text);
	if (interrupted)
		fputs("cyclestack: interrupted: programs that were not finished are left out\n",
		      stderr);
	return interrupted ? EXIT_INTERRUPTED : 0;
}

static int reproduce(const struct args *args, struct judge_request *request, const char *size)
{
	bool interrupted = false;
	struct err err;
	json_t *plots =
		reproduce_plots(&request->machine.config, request->at_once, &interrupted, &err);

	if (!plots)
		return fail_tool(err.text);
	json_t *judge = interrupted ? NULL : judge_with_progress(request, &interrupted, &err);
	int status;
	if (!judge && !interrupted) {
		status = fail_tool(err.text);
	} else if (!json_array_size(json_object_get(judge, "programs"))) {
		fail_tool("interrupted before a program had all its simulations");
		status = EXIT_INTERRUPTED;
	} else {
		json_t *result = result_of(request, size, judge, plots, interrupted);

		status = finish(args, result, interrupted);
		json_decref(result);
	}
	json_decref(judge);
	json_decref(plots);
	return status;
}

static bool check_operands(const struct args *args, const char *size, struct err *err)
{
	char name[NAME_BYTES], unused[16], text[NAME_BYTES];

	if (args->rest_count != 1)
		return err_set(err, "which paper? There is one to reproduce: " REPRODUCE_PAPER);
	if (strcmp(args->rest[0], REPRODUCE_PAPER) != 0)
		return err_set(err, "there is no paper \"%s\"; there is " REPRODUCE_PAPER,
			       args->rest[0]);
	snprintf(text, sizeof(text), "x:%s", size);
	return workload_split(text, name, unused, err);
}

int cmd_reproduce(const struct args *args)
{
	const char *given = args_get(args, OPTION_SIZE), *size = given ? given : "small";
	char names[PROGRAMS_MOST][NAME_BYTES], *rest[PROGRAMS_MOST + 1] = {NULL};
	struct judge_request request = {0};
	struct args judged = *args;
	struct err err;
	int status;

	if (!check_operands(args, size, &err))
		return fail_usage(command_named("reproduce"), err.text);
	if (!report_check_path(args_get(args, OPTION_JSON), &err) ||
	    !report_check_path(args_get(args, OPTION_HTML), &err))
		return fail_tool(err.text);
	judged.rest = rest;
	judged.rest_count = 0;
	for (const struct paper_program *p = paper_programs; p->name; p++) {
		snprintf(names[judged.rest_count], NAME_BYTES, "@%s:%s", p->ours, size);
		rest[judged.rest_count] = names[judged.rest_count];
		judged.rest_count++;
	}
	if (judge_open(&request, &judged, &status, &err))
		status = reproduce(args, &request, size);
	else
		status = status == EXIT_USAGE ? fail_usage(command_named("reproduce"), err.text)
					      : fail_tool(err.text);
	judge_release(&request);
	return status;
}
