#include "cmd/explain.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cmd/command.h"
#include "cmd/program.h"
#include "config/config.h"
#include "count/count.h"
#include "count/stages.h"
#include "machine/live.h"
#include "signal/signal.h"
#include "value/component.h"
#include "value/counted.h"
#include "value/layout.h"
#include "value/member.h"
#include "value/topdown.h"
#include "value/unit.h"

/* Adds a thing to the list, which owns it. */
static json_t *add(json_t *things, const char *kind, const char *name, const char *meaning)
{
	json_t *thing = json_pack("{s:s, s:s, s:s, s:{}}", "name", name, "kind", kind, "meaning",
				  meaning, "facts");

	json_array_append_new(things, thing);
	return thing;
}

static void say(json_t *thing, const char *label, const char *text)
{
	if (text && *text)
		json_object_set_new(json_object_get(thing, "facts"), label, json_string(text));
}

static void say_also(json_t *thing, const char *label, const char *word)
{
	const char *before =
		json_string_value(json_object_get(json_object_get(thing, "facts"), label));
	char *text = mem_format("%s%s%s", before ? before : "", before ? ", " : "", word);

	say(thing, label, text);
	free(text);
}

static void helps(json_t *thing, const char *text)
{
	json_object_set_new(thing, "helps", json_string(text));
}

static bool is_data(enum component component)
{
	for (unsigned levels = 1; levels <= 3; levels++)
		if (component == component_long(levels))
			return true;
	return false;
}

static void components(json_t *things)
{
	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++) {
		const struct component_row *row = &component_rows[i];
		json_t *thing = add(things, "component", row->name, row->meaning);

		say(thing, "letter", (char[]){row->letter, 0});
		if (row->levels > 1)
			say(thing, "machines",
			    config_when_text(row->levels == 2 ? WHEN_L2 : WHEN_L3));
		for (int k = 0; k < CAUSE_COUNT; k++)
			if (cause_rows[k].component == i)
				say_also(thing, "causes", cause_rows[k].name);
		for (int k = 0; k < CAUSE_COUNT; k++)
			if (cause_rows[k].component == COMPONENT_LAST_D && is_data(i))
				say_also(thing, "causes, if it is the last cache",
					 cause_rows[k].name);
		helps(thing, row->helps);
	}
}

static void causes(json_t *things)
{
	for (int i = 0; i < CAUSE_COUNT; i++) {
		const struct cause_row *row = &cause_rows[i];
		json_t *thing = add(things, "cause", row->name, row->meaning);

		say(thing, "component",
		    row->component == COMPONENT_LAST_D ? "the data misses of the last cache"
						       : component_rows[row->component].name);
		helps(thing, row->helps);
	}
}

static void topdown(json_t *things)
{
	for (int i = 0; i < TOPDOWN_GROUPS; i++)
		say(add(things, "top-down category", topdown_groups[i].name,
			topdown_groups[i].meaning),
		    "level", "1");
	for (int i = 0; i < TOPDOWN_COUNT; i++) {
		json_t *thing = add(things, "top-down category", topdown_slots[i].name,
				    topdown_slots[i].meaning);

		say(thing, "level", "2");
		say(thing, "category of level 1", topdown_group_of(topdown_slots[i].name));
	}
}

static void stages(json_t *things)
{
	for (enum stage_view i = STAGE_DISPATCH; i < STAGE_COUNT; i++)
		add(things, "stage", stage_view_name(i), stage_view_meaning(i));
}

static json_t *add_observer(json_t *things, const char *what, const struct observer_kind *kind)
{
	json_t *thing = add(things, what, kind->name, kind->summary);

	say(thing, "asked for by", "run --counters");
	say(thing, "machines", kind->needs_ooo ? config_when_text(WHEN_OOO) : NULL);
	return thing;
}

static void methods(json_t *things)
{
	for (size_t i = 0; i < observer_methods(); i++)
		say(add_observer(things, "way of counting", observer_kinds[i]), "hardware",
		    observer_kinds[i]->is_hardware ? "it uses only what hardware knows"
						   : "it cannot be built");
}

static void views(json_t *things)
{
	for (size_t i = observer_methods(); observer_kinds[i]; i++)
		add_observer(things, "view of a run", observer_kinds[i]);
}

static void signals(json_t *things)
{
	for (size_t i = 0; i < signal_count(); i++) {
		const struct signal_row *row = &signal_rows[i];
		json_t *thing = add(things, "signal", row->name, row->meaning);

		say(thing, "unit", row->unit);
		say(thing, "source",
		    row->source == SIGNAL_HW ? "hw: hardware could count it"
					     : "oracle: only a simulator knows it");
		say(thing, "owner", signal_owner_name(row->owner));
		say(thing, "category", signal_category_name(row->category));
	}
}

static void counted(json_t *things)
{
	for (const struct counted_row *row = counted_rows; row->name; row++) {
		json_t *thing = add(things, "counted value", row->name, row->meaning);

		say(thing, "unit", row->unit);
		say(thing, "sum of the signal", row->signal);
	}
}

static void units(json_t *things)
{
	for (const struct unit_row *row = unit_rows; row->name; row++)
		add(things, "unit", row->name, row->meaning);
}

/* A key ends with its unit, if it has one. */
static const char *unit_of_key(const char *key)
{
	const char *last = key + strlen(key);

	while (last > key && last[-1] != '_' && last[-1] != '.')
		last--;
	return unit_find(last) ? last : NULL;
}

static void parameters(json_t *things)
{
	struct config config;

	config_default(&config);
	for (enum config_id id = 0; id < CONFIG_COUNT; id++) {
		const struct config_row *row = &config_rows[id];
		json_t *thing = add(things, "parameter", row->key, row->help);
		char text[2 * CONFIG_TEXT_BYTES];

		config_expected(id, text, sizeof(text));
		say(thing, "takes", text);
		say(thing, "unit", unit_of_key(row->key));
		config_value_text(&config, id, text);
		say(thing, "in " CONFIG_DEFAULT,
		    config_applies(&config, id) ? text : "it has no such parameter");
		say(thing, "machines", config_when_text(row->when));
		say(thing, "set by",
		    live_can_change(id) ? "run --set, run --what-if" : "run --set");
	}
}

static void words(json_t *things)
{
	for (enum config_id id = 0; id < CONFIG_COUNT; id++)
		for (size_t i = 0; config_rows[id].words && config_rows[id].words[i]; i++)
			say(add(things, "word of a parameter", config_rows[id].words[i],
				config_rows[id].help),
			    "parameter", config_rows[id].key);
}

static void options(json_t *things)
{
	for (enum option_id id = 0; id < OPTION_COUNT; id++) {
		const struct option_row *row = &option_rows[id];
		char help[512], *name = mem_format("--%s", row->name);

		help_of_option(help, sizeof(help), id);
		json_t *thing = add(things, "option", name, help);
		say(thing, "value", row->value);
		say(thing, "default", row->fallback);
		if (option_letter(id))
			say(thing, "letter", (char[]){'-', option_letter(id), 0});
		for (const struct command *c = commands; c->name; c++)
			for (const enum option_id *of = c->options; *of != OPTION_COUNT; of++)
				if (*of == id)
					say_also(thing, "commands", c->name);
		free(name);
	}
}

static void all_commands(json_t *things)
{
	for (const struct command *c = commands; c->name; c++) {
		json_t *thing = add(things, "command", c->name, c->summary);

		say(thing, "operands", c->operands);
		say(thing, "example", c->example);
	}
}

static void presets(json_t *things)
{
	char directory[2 * PATH_BYTES], about[256];
	struct err err;
	char **names = presets_directory(directory, sizeof(directory), &err)
			       ? config_presets(directory, &err)
			       : NULL;

	for (char **name = names; name && *name; name++) {
		preset_about(directory, *name, about, sizeof(about));
		say(add(things, "preset", *name, about), "chosen by", "--config");
		free(*name);
	}
	free(names);
}

static void workloads(json_t *things)
{
	char directory[PATH_BYTES], about[256];
	struct err err;
	char **names = workloads_directory(directory, sizeof(directory), &err)
			       ? workloads_names(directory, &err)
			       : NULL;

	for (char **name = names; name && *name; name++) {
		char *written = mem_format("@%s", *name);

		about[0] = 0;
		workload_read_line(directory, *name, ".about", about, sizeof(about));
		add(things, "workload", written, about);
		free(written);
	}
	workloads_names_free(names);
}

static void results(json_t *things)
{
	for (size_t i = 0; layouts[i]; i++)
		say(add(things, "result", layouts[i]->schema, layouts[i]->meaning), "written by",
		    layouts[i]->name);
}

/* Parts are met in several results, and are described once. */
struct met {
	const struct layout **list;
	size_t count, capacity;
};

static void add_members(json_t *things, const struct layout *layout, struct met *met)
{
	for (size_t i = 0; i < met->count; i++)
		if (met->list[i] == layout)
			return;
	*ARRAY_PUSH(met->list, met->count, met->capacity) = layout;
	for (const struct layout_member *m = layout->members; m->name; m++) {
		json_t *thing = add(things, "member of a result", m->name, m->meaning);

		say(thing, "of", layout->schema ? layout->schema : layout->name);
		say(thing, "value", m->of ? m->of->name : layout_kind_name(m->kind));
		say(thing, "unit", m->unit);
	}
	for (const struct layout_member *m = layout->members; m->name; m++)
		if (m->of)
			add_members(things, m->of, met);
}

static void members(json_t *things)
{
	struct met met = {0};

	for (size_t i = 0; layouts[i]; i++)
		add_members(things, layouts[i], &met);
	free(met.list);
}

const struct explain_kind explain_kinds[] = {
	{"component", "a part of a CPI stack", components, true},
	{"cause", "what a dispatch slot is charged to; each belongs to a component", causes, true},
	{"top-down category", "a share of the dispatch slots in top-down analysis", topdown, false},
	{"stage", "where a stack of run --counters stages is measured", stages, false},
	{"way of counting", "what makes a stack of a run: run --counters", methods, false},
	{"view of a run", "what run --counters shows besides stacks", views, false},
	{"signal", "what can be observed in a cycle: stat -e; the names may be patterns", signals,
	 false},
	{"counted value", "a number in every result of run", counted, false},
	{"unit", "in which results and signals count", units, false},
	{"parameter", "of a simulated machine: --set KEY=VALUE", parameters, false},
	{"word of a parameter", "a value that is a word, such as of predictor.kind", words, false},
	{"option", "of a command", options, false},
	{"command", "what the tool does", all_commands, false},
	{"preset", "a machine that comes with the tool: --config NAME", presets, false},
	{"workload", "a program that comes with the tool: @NAME", workloads, false},
	{"result", "what --json writes", results, false},
	{"member of a result", "a value in what --json writes", members, false},
	{0},
};

json_t *explain_all(void)
{
	json_t *things = json_array();

	for (const struct explain_kind *kind = explain_kinds; kind->name; kind++)
		kind->collect(things);
	return things;
}

/* A name without what marks its kind. */
static const char *bare(const char *name)
{
	return name[0] == '@' ? name + 1 : strncmp(name, "--", 2) == 0 ? name + 2 : name;
}

static bool is_workload(const char *word, const char *name)
{
	const size_t bytes = strcspn(word, ":");

	return name[0] == '@' && word[0] == '@' && strncmp(word, name, bytes) == 0 && !name[bytes];
}

bool explain_means(const char *word, const json_t *thing)
{
	const char *name = member_text(thing, "name");
	const char *letter = member_text(json_object_get(thing, "facts"), "letter");

	return fnmatch(word, name, FNM_CASEFOLD) == 0 ||
	       fnmatch(word, bare(name), FNM_CASEFOLD) == 0 || is_workload(word, name) ||
	       (word[0] == '-' && strcmp(word, letter) == 0);
}

struct nearest explain_nearest(const char *word, const json_t *things)
{
	struct nearest nearest = {0};
	const json_t *thing;
	size_t i;

	json_array_foreach(things, i, thing)
	{
		const char *name = member_text(thing, "name");

		nearest_consider(&nearest, word, bare(word) == word ? bare(name) : name);
	}
	return nearest;
}
