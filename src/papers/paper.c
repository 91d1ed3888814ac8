#include "papers/paper.h"

#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "papers/paper_chen2008.h"
#include "papers/paper_danalis2017.h"
#include "papers/paper_eyerman2006.h"
#include "papers/paper_hough2006.h"
#include "value/member.h"

const struct paper *const papers[] = {&paper_eyerman2006, &paper_chen2008, &paper_hough2006,
				      &paper_danalis2017, NULL};

const struct paper *paper_find(const char *name, struct err *err)
{
	char names[256] = "", shown[64];

	for (size_t i = 0; papers[i]; i++) {
		size_t used = strlen(names);

		if (name && strcmp(papers[i]->name, name) == 0)
			return papers[i];
		snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
			 papers[i]->name);
	}
	if (!name) {
		err_set(err, "which paper? There is %s", names);
		return NULL;
	}
	/* It may be a member of a file. */
	printable_copy(shown, sizeof(shown) - 1, (const uint8_t *)name, strlen(name));
	err_set(err, "there is no paper \"%s\"; there is %s", shown, names);
	return NULL;
}

void paper_program_name(char name[PAPER_NAME_BYTES], const char *ours, const char *size)
{
	snprintf(name, PAPER_NAME_BYTES, "@%s:%s", ours, size);
}

static json_t *about_object(const struct paper *paper)
{
	json_t *authors = json_array();

	for (size_t i = 0; paper->authors[i]; i++)
		json_array_append_new(authors, json_string(paper->authors[i]));
	return json_pack("{s:s, s:o, s:i, s:s, s:s}", "name", paper->name, "authors", authors,
			 "year", paper->year, "title", paper->title, "venue", paper->venue);
}

static json_t *programs_array(const struct paper *paper, const char *size)
{
	json_t *programs = json_array();

	for (const struct paper_program *p = paper->programs; p->name; p++) {
		char name[PAPER_NAME_BYTES];

		paper_program_name(name, p->ours, size);
		json_t *program = json_pack("{s:s, s:s, s:s}", "name", name, "paper", p->name,
					    "ours", p->ours);
		if (paper->stated_as)
			json_object_set_new(program, paper->stated_as, json_real(p->stated));
		json_array_append_new(programs, program);
	}
	return programs;
}

static json_t *figures_array(const struct paper *paper)
{
	json_t *figures = json_array();

	for (const struct paper_figure *f = paper->figures; f->id; f++) {
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

static json_t *machine_array(const struct paper *paper, const struct config *config)
{
	json_t *machine = json_array();

	for (const struct paper_parameter *p = paper->parameters; p->what; p++) {
		char ours[CONFIG_TEXT_BYTES];

		config_value_text(config, config_find(p->key), ours);
		json_array_append_new(machine,
				      json_pack("{s:s, s:s, s:s, s:s}", "what", p->what, "key",
						p->key, "paper", p->value, "ours", ours));
	}
	return machine;
}

/* How many programs are too short to judge claims by; their instructions, if they were counted. */
static size_t short_programs(const json_t *programs, double *least)
{
	const json_t *program;
	size_t i, count = 0;

	*least = PAPER_LEAST_INSTRUCTIONS;
	json_array_foreach(programs, i, program)
	{
		const json_t *instructions = json_object_get(program, "instructions");

		if (!instructions || json_number_value(instructions) >= PAPER_LEAST_INSTRUCTIONS)
			continue;
		count++;
		if (json_number_value(instructions) < *least)
			*least = json_number_value(instructions);
	}
	return count;
}

static void add_too_small(json_t *result, const struct paper *paper)
{
	const json_t *programs =
		json_object_get(json_object_get(result, paper->needs[0]), "programs");
	double least;
	const size_t count = short_programs(programs, &least);

	if (count)
		json_object_set_new(
			result, "too_small",
			json_sprintf(
				"size %s is too small to judge claims by: %zu of %zu programs "
				"execute fewer than %d million instructions (%.1f million at "
				"least), in which starting up weighs and data may fit the caches",
				member_text(result, "size"), count, json_array_size(programs),
				PAPER_LEAST_INSTRUCTIONS / 1000000, least / 1e6));
}

/* What a reason is worth where programs are too short: it was found with longer ones. */
static void doubt_reason(json_t *object, const struct claim *claim)
{
	json_object_set_new(
		object, "reason",
		json_sprintf("not known at this size, which is too small to judge it%s%s",
			     claim->reason ? "; at larger ones: " : "",
			     claim->reason ? claim->reason : ""));
}

json_t *paper_claims(const struct paper *paper, const json_t *result)
{
	const json_t *programs =
		json_object_get(json_object_get(result, paper->needs[0]), "programs");
	json_t *claims = json_array();

	for (const struct claim *claim = paper->claims; claim->id; claim++) {
		struct claim_outcome outcome = {.ours = ""};

		if (json_array_size(programs) || !paper->programs->name)
			claim->decide(&outcome, claim, result, programs);
		else
			claim_say(&outcome, "nothing was measured");
		json_t *object = claim_object(claim, &outcome);
		if (outcome.verdict == CLAIM_FAILS && json_object_get(result, "too_small"))
			doubt_reason(object, claim);
		json_array_append_new(claims, object);
	}
	return claims;
}

json_t *paper_result(const struct paper *paper, const char *size, const struct config *config,
		     const json_t *measured, bool is_partial)
{
	char example[PAPER_NAME_BYTES] = "";

	if (paper->example)
		paper_program_name(example, paper->example, size);
	json_t *result = json_pack("{s:s, s:o, s:s, s:b, s:s, s:o, s:o, s:o}", "schema",
				   "cyclestack-reproduce-1", "paper", about_object(paper), "size",
				   size, "partial", is_partial, "example", example, "programs",
				   programs_array(paper, size), "figures", figures_array(paper),
				   "machine", machine_array(paper, config));
	for (size_t i = 0; paper->needs[i]; i++)
		json_object_set(result, paper->needs[i],
				json_object_get(measured, paper->needs[i]));
	add_too_small(result, paper);
	json_object_set_new(result, "claims", paper_claims(paper, result));
	if (paper->derive)
		paper->derive(result);
	return result;
}

void paper_build(struct doc *doc, const struct paper_figure *figure, const json_t *result)
{
	if (figure->table)
		paper_table_build(doc, figure->table, result);
	else
		figure->build(doc, figure, result);
}

const struct paper_table paper_machine_table = {
	.rows = "machine",
	.names = "parameter",
	.name = "what",
	.columns = PAPER_COLUMNS(PAPER_COLUMN("our name", "key", DOC_WORDS, 0),
				 PAPER_COLUMN("paper", "paper", DOC_NUMBER, 0),
				 PAPER_COLUMN("ours", "ours", DOC_NUMBER, 0)),
};

const json_t *paper_program_entry(const json_t *result, const char *name)
{
	return member_named(json_object_get(result, "programs"), name);
}

const char *paper_both_names(struct doc *doc, const json_t *result, const char *name)
{
	const json_t *program = paper_program_entry(result, name);

	if (!program)
		return doc_words(doc, "%s", name);
	return doc_words(doc, "%s: %s", member_text(program, "paper"),
			 member_text(program, "ours"));
}

const struct paper_program *paper_program_of(const struct paper_program *programs, const char *name)
{
	if (name[0] != '@')
		return NULL;
	size_t length = strcspn(++name, ":");

	for (; programs->name; programs++)
		if (strlen(programs->ours) == length && strncmp(programs->ours, name, length) == 0)
			return programs;
	return NULL;
}
