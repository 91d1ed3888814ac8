/* Machines: one, all that come with the tool, their parameters, files of them, two compared. */
#include <string.h>

#include "config/config.h"
#include "report/common.h"
#include "report/report.h"
#include "value/member.h"

/* What a parameter is; a result of another version may have one that is not known here. */
static const char *meaning_of(const char *key)
{
	const enum config_id id = config_find(key);

	return id < CONFIG_COUNT ? config_rows[id].help : "";
}

/* Parameters of one part of the machine are below each other: "rob.size" is in the group "rob". */
static void group_row(struct doc_table *table, const char *key)
{
	const char *group = doc_words(table->doc, "%.*s", (int)strcspn(key, "."), key);
	size_t last = table->row_count;

	while (last && table->rows[last - 1].level)
		last--;
	if (!last || strcmp(table->rows[last - 1].name, group) != 0)
		doc_row(table, group);
}

static void setting_rows(struct doc_table *table, const json_t *result)
{
	const json_t *base = json_object_get(result, "base");
	const char *key;
	json_t *value;

	json_object_foreach(json_object_get(result, "parameters"), key, value)
	{
		group_row(table, key);
		doc_child(table, key);
		common_setting_cell(table, value);
		if (json_object_get(result, "based_on") && json_object_get(base, key))
			common_setting_cell(table, json_object_get(base, key));
		else if (json_object_get(result, "based_on"))
			doc_cell_none(table);
		doc_cell_words(table, meaning_of(key));
	}
}

REPORT_BUILDER(config)
{
	const char *base = json_string_value(json_object_get(result, "based_on"));

	(void)options;
	(void)err;
	common_list_heading(doc,
			    base ? doc_words(doc, "A machine based on %s", base) : "A machine");
	doc_word(doc_fact(doc, "configuration, SHA-256"), member_text(result, "hash"));
	if (base)
		doc_word(doc_fact(doc, "based on"), base);
	struct doc_table *table = doc_table(doc, "parameters", NULL, "parameter");
	table->has_filter = true;
	table->has_whole_names = true;
	doc_column(table, "value", DOC_WORDS, 0);
	if (base)
		doc_column(table, doc_words(doc, "in %s", base), DOC_WORDS, 0)->about =
			"where it differs";
	doc_column(table, "meaning", DOC_WORDS, 0)->flags = DOC_WHOLE;
	setting_rows(table, result);
	return true;
}

REPORT_BUILDER(config_list)
{
	const json_t *preset;
	size_t i;

	(void)options;
	(void)err;
	common_list_heading(doc, "Machines");
	struct doc_table *table = doc_table(doc, "presets", NULL, "preset");
	doc_column(table, "about", DOC_WORDS, 0)->flags = DOC_WHOLE;
	json_array_foreach(json_object_get(result, "presets"), i, preset)
	{
		doc_row(table, member_text(preset, "name"));
		doc_cell_words(table, member_text(preset, "about"));
	}
	return true;
}

static void key_columns(struct doc_table *table)
{
	doc_column(table, "fallback", DOC_WORDS, 0)->about = "its value where nothing gives one";
	doc_column(table, "takes", DOC_WORDS, 0)->where = DOC_IN_PAGE | DOC_IN_CSV;
	doc_column(table, "meaning", DOC_WORDS, 0)->where = DOC_IN_PAGE | DOC_IN_CSV;
	doc_column(table, "of", DOC_WORDS, 0)->where = DOC_IN_PAGE | DOC_IN_CSV;
	/* In one column, words that are too long for a line go on below. */
	struct doc_column *all = doc_column(table, "takes, and what it is", DOC_WORDS, 0);
	all->where = DOC_IN_TEXT;
	all->flags = DOC_WHOLE;
}

REPORT_BUILDER(config_keys)
{
	const json_t *parameter;
	size_t i;

	(void)options;
	(void)err;
	common_list_heading(doc, "Parameters of machines");
	struct doc_table *table = doc_table(doc, "keys", NULL, "parameter");
	table->has_filter = true;
	table->has_whole_names = true;
	key_columns(table);
	json_array_foreach(json_object_get(result, "parameters"), i, parameter)
	{
		const char *takes = member_text(parameter, "takes");
		const char *help = member_text(parameter, "help");
		const char *when = member_text(parameter, "when");
		const bool is_always = strcmp(when, config_when_text(WHEN_ALWAYS)) == 0;

		doc_row(table, member_text(parameter, "key"));
		common_setting_cell(table, json_object_get(parameter, "fallback"));
		doc_cell_words(table, takes);
		doc_cell_words(table, help);
		doc_cell_words(table, when);
		doc_cell_words(table, is_always ? doc_words(doc, "%s  %s", takes, help)
						: doc_words(doc, "%s  %s [%s]", takes, help, when));
	}
	return true;
}

REPORT_BUILDER(config_check)
{
	const json_t *file;
	size_t i;

	(void)options;
	(void)err;
	common_list_heading(doc, "Files of machines");
	struct doc_table *table = doc_table(doc, "files", NULL, "file");
	doc_column(table, "is", DOC_WORDS, 0);
	doc_column(table, "trouble", DOC_WORDS, 0)->flags = DOC_WHOLE;
	json_array_foreach(json_object_get(result, "files"), i, file)
	{
		const bool is_good = json_is_true(json_object_get(file, "good"));
		const char *trouble = json_string_value(json_object_get(file, "trouble"));

		doc_row(table, member_text(file, "file"));
		doc_cell_words(table, is_good ? "good" : "not good")->is_marked = !is_good;
		doc_cell_words(table, trouble ? trouble : "");
	}
	return true;
}

REPORT_BUILDER(config_diff)
{
	const char *a = member_text(result, "a"), *b = member_text(result, "b");
	const json_t *differences = json_object_get(result, "differences"), *parameter;
	size_t i;

	(void)options;
	(void)err;
	common_list_heading(doc, doc_words(doc, "Where %s and %s differ", a, b));
	if (!json_array_size(differences)) {
		doc_paragraph(doc, "They do not differ.");
		doc_only(doc, DOC_IN_PAGE);
	}
	struct doc_table *table = doc_table(doc, "differences", NULL, "parameter");
	if (!json_array_size(differences))
		doc_only(doc, DOC_IN_CSV);
	table->has_whole_names = true;
	doc_column(table, a, DOC_WORDS, 0);
	doc_column(table, b, DOC_WORDS, 0);
	json_array_foreach(differences, i, parameter)
	{
		doc_row(table, member_text(parameter, "key"));
		common_setting_cell(table, json_object_get(parameter, "a"));
		common_setting_cell(table, json_object_get(parameter, "b"));
	}
	return true;
}
