#include "report/papers/paper.h"

#include <stdio.h>
#include <string.h>

#include "report/papers/paper_chen2008.h"
#include "report/papers/paper_danalis2017.h"
#include "report/papers/paper_eyerman2006.h"
#include "report/papers/paper_hough2006.h"
#include "value/member.h"

const struct paper *const papers[] = {&paper_eyerman2006, &paper_chen2008, &paper_hough2006,
				      &paper_danalis2017, NULL};

const struct paper *paper_find(const char *name, struct err *err)
{
	char names[256] = "";

	for (size_t i = 0; papers[i]; i++) {
		size_t used = strlen(names);

		if (name && strcmp(papers[i]->name, name) == 0)
			return papers[i];
		snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
			 papers[i]->name);
	}
	if (name)
		err_set(err, "there is no paper \"%s\"; there is %s", name, names);
	else
		err_set(err, "which paper? There is %s", names);
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
		json_array_append_new(claims, claim_object(claim, &outcome));
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
	json_object_set_new(result, "claims", paper_claims(paper, result));
	if (paper->derive)
		paper->derive(result);
	return result;
}

void paper_build(struct content *content, const struct paper_figure *figure, const json_t *result)
{
	content_init(content);
	if (figure->table)
		paper_table_build(content, figure->table, result);
	else
		figure->build(content, figure, result);
}

const struct paper_table paper_machine_table = {
	.rows = "machine",
	.names = "parameter",
	.name = "what",
	.columns = PAPER_COLUMNS(PAPER_COLUMN("our name", "key", CONTENT_LEFT, 0),
				 PAPER_COLUMN("paper", "paper", CONTENT_NUMBER, 0),
				 PAPER_COLUMN("ours", "ours", CONTENT_NUMBER, 0)),
};

const json_t *paper_program_entry(const json_t *result, const char *name)
{
	json_t *program;
	size_t i;

	json_array_foreach(json_object_get(result, "programs"), i, program)
	{
		if (strcmp(member_text(program, "name"), name) == 0)
			return program;
	}
	return NULL;
}

const char *paper_both_names(struct content *content, const json_t *result, const char *name)
{
	const json_t *program = paper_program_entry(result, name);

	if (!program)
		return content_words(content, "%s", name);
	return content_words(content, "%s: %s", member_text(program, "paper"),
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
