#include "report/file/firefox.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/index.h"
#include "report/file/file.h"
#include "value/calls.h"
#include "value/printable_json.h"

#define VERSION		  27
#define PROCESSED_VERSION 47

/* The profiler knows a dozen colours by name; of these, the nearest to the component's own. */
static const char *colour_of(int component)
{
	static const char *const colours[COMPONENT_COUNT] = {
		[COMPONENT_BASE] = "grey",	[COMPONENT_L1I] = "lightblue",
		[COMPONENT_L2I] = "blue",	[COMPONENT_L3I] = "blue",
		[COMPONENT_ITLB] = "lightblue", [COMPONENT_BRANCH] = "yellow",
		[COMPONENT_L1D] = "lightred",	[COMPONENT_L2D] = "orange",
		[COMPONENT_L3D] = "red",	[COMPONENT_DTLB] = "magenta",
		[COMPONENT_WALK] = "purple",	[COMPONENT_BANDWIDTH] = "brown",
		[COMPONENT_RESOURCE] = "green",
	};

	return colours[component];
}

/* A table of one thread: a list for each column. */
struct table {
	json_t *columns;
	size_t count;
};

static void table_begin(struct table *table)
{
	*table = (struct table){.columns = json_object()};
}

static void cell(struct table *table, const char *column, json_t *value)
{
	json_t *list = json_object_get(table->columns, column);

	if (!list) {
		list = json_array();
		json_object_set_new(table->columns, column, list);
	}
	json_array_append_new(list, value);
}

static void whole(struct table *table, const char *column, int64_t value)
{
	cell(table, column, json_integer(value));
}

static json_t *table_end(struct table *table)
{
	json_object_set_new(table->columns, "length", json_integer((json_int_t)table->count));
	return table->columns;
}

struct profile {
	const struct stacks *stacks;
	const struct calls *calls;
	int categories[COMPONENT_COUNT]; /* by component */
};

struct thread {
	struct table samples, stacks, frames, functions;
	json_t *strings;
	const char **names; /* of functions, as written */
	size_t name_count, name_capacity;
	struct index index;
	size_t *of_nodes; /* the stack of each node */
	int64_t slots;	  /* of the samples before */
};

struct wanted {
	const struct thread *thread;
	const char *name;
};

static bool same(const void *context, size_t number)
{
	const struct wanted *wanted = context;

	return strcmp(wanted->thread->names[number], wanted->name) == 0;
}

static int64_t add_string(struct thread *t, const char *text)
{
	json_array_append_new(t->strings, printable_json(text));
	return (int64_t)json_array_size(t->strings) - 1;
}

static const struct stacks_function *known(const struct stacks *stacks, const char *name)
{
	for (size_t i = 0; i < stacks->function_count; i++)
		if (strcmp(stacks->functions[i].name, name) == 0)
			return &stacks->functions[i];
	return NULL;
}

static size_t function_of(const struct profile *p, struct thread *t, const char *name)
{
	const struct wanted wanted = {t, name};
	const uint64_t hash = index_hash_text(name);
	const size_t found = index_find(&t->index, hash, same, &wanted);

	if (found != INDEX_NONE)
		return found;
	const struct stacks_function *function = known(p->stacks, name);
	const bool has_file = function && *function->file;
	*ARRAY_PUSH(t->names, t->name_count, t->name_capacity) = name;
	index_add(&t->index, hash, t->name_count - 1);
	whole(&t->functions, "name", add_string(t, name));
	cell(&t->functions, "isJS", json_false());
	cell(&t->functions, "relevantForJS", json_false());
	whole(&t->functions, "resource", -1);
	cell(&t->functions, "fileName",
	     has_file ? json_integer(add_string(t, function->file)) : json_null());
	cell(&t->functions, "lineNumber",
	     has_file && function->line ? json_integer(function->line) : json_null());
	cell(&t->functions, "columnNumber", json_null());
	return t->functions.count++;
}

/* A stack of a function, called from another; its number. */
static size_t add_stack(const struct profile *p, struct thread *t, const char *name, int category,
			json_t *prefix)
{
	static const char *const unknown[] = {"nativeSymbol", "innerWindowID", "implementation",
					      "line", "column"};

	whole(&t->frames, "address", -1);
	whole(&t->frames, "inlineDepth", 0);
	whole(&t->frames, "category", category);
	whole(&t->frames, "subcategory", 0);
	whole(&t->frames, "func", (int64_t)function_of(p, t, name));
	for (size_t i = 0; i < ARRAY_COUNT(unknown); i++)
		cell(&t->frames, unknown[i], json_null());
	whole(&t->stacks, "frame", (int64_t)t->frames.count++);
	cell(&t->stacks, "prefix", prefix);
	whole(&t->stacks, "category", category);
	whole(&t->stacks, "subcategory", 0);
	return t->stacks.count++;
}

static void add_sample(const struct profile *p, struct thread *t, size_t stack, int64_t slots)
{
	whole(&t->samples, "stack", (int64_t)stack);
	cell(&t->samples, "time", json_real(stacks_cycles(p->stacks, t->slots) / 1000));
	whole(&t->samples, "weight", slots);
	t->samples.count++;
	t->slots += slots;
}

static json_t *prefix_of(const struct calls *calls, const struct thread *t, size_t node)
{
	const size_t parent = calls->nodes[node].parent;

	return parent == CALLS_NO_PARENT || !calls_is_function(calls, parent)
		       ? json_null()
		       : json_integer((json_int_t)t->of_nodes[parent]);
}

/* A node's own stack, for the nodes below it, and one for each other component it has. */
static void add_node(const struct profile *p, struct thread *t, size_t node)
{
	const struct calls_node *n = &p->calls->nodes[node];
	const struct stack stack = stacks_of_slots(p->stacks, &n->slots);
	int most = COMPONENT_BASE;

	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (stack.cycles[i] > stack.cycles[most])
			most = i;
	t->of_nodes[node] =
		add_stack(p, t, n->function, p->categories[most], prefix_of(p->calls, t, node));
	for (int i = 0; i < COMPONENT_COUNT; i++) {
		if (!stack.cycles[i])
			continue;
		const size_t number = i == most ? t->of_nodes[node]
						: add_stack(p, t, n->function, p->categories[i],
							    prefix_of(p->calls, t, node));

		add_sample(p, t, number, stack.cycles[i]);
	}
}

static json_t *empty_markers(void)
{
	return json_pack("{s:[], s:[], s:[], s:[], s:[], s:[], s:i}", "data", "name", "startTime",
			 "endTime", "phase", "category", "length", 0);
}

static json_t *thread_json(struct thread *t, const char *name, size_t id)
{
	static const char *const resources[] = {"lib", "name", "host", "type"};
	static const char *const symbols[] = {"libIndex", "address", "name", "functionSize"};
	json_t *no_resources = json_pack("{s:i}", "length", 0);
	json_t *no_symbols = json_pack("{s:i}", "length", 0);
	json_t *samples = table_end(&t->samples);

	for (size_t i = 0; i < ARRAY_COUNT(resources); i++) {
		json_object_set_new(no_resources, resources[i], json_array());
		json_object_set_new(no_symbols, symbols[i], json_array());
	}
	json_object_set_new(samples, "weightType", json_string("samples"));
	return json_pack("{s:s, s:i, s:n, s:i, s:n, s:[], s:o, s:b, s:s, s:I, s:o, s:o, s:o, s:o, "
			 "s:o, s:o, s:o, s:o}",
			 "processType", "default", "processStartupTime", 0, "processShutdownTime",
			 "registerTime", 0, "unregisterTime", "pausedRanges", "name",
			 printable_json(name), "isMainThread", id == 0, "pid", "1", "tid",
			 (json_int_t)id + 1, "samples", samples, "markers", empty_markers(),
			 "stackTable", table_end(&t->stacks), "frameTable", table_end(&t->frames),
			 "funcTable", table_end(&t->functions), "resourceTable", no_resources,
			 "nativeSymbols", no_symbols, "stringArray", t->strings);
}

/* The nodes below the root that is order[*at], which moves on behind them. */
static json_t *read_thread(const struct profile *p, size_t *at, size_t id)
{
	const struct calls *calls = p->calls;
	const char *name = calls->nodes[calls->order[(*at)++]].function;
	struct thread t = {.strings = json_array()};

	t.of_nodes = mem_alloc_array(calls->count, sizeof(*t.of_nodes));
	table_begin(&t.samples);
	table_begin(&t.stacks);
	table_begin(&t.frames);
	table_begin(&t.functions);
	for (; *at < calls->count && calls_is_function(calls, calls->order[*at]); ++*at)
		add_node(p, &t, calls->order[*at]);
	json_t *thread = thread_json(&t, name, id);
	index_release(&t.index);
	free(t.names);
	free(t.of_nodes);
	return thread;
}

static json_t *categories(struct profile *p)
{
	json_t *list = json_array();

	for (int i = 0; i < COMPONENT_COUNT; i++) {
		if (!p->stacks->methods[0].has[i])
			continue;
		p->categories[i] = (int)json_array_size(list);
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:[s]}", "name", component_rows[i].name,
						"color", colour_of(i), "subcategories", "Other"));
	}
	return list;
}

static json_t *profile_json(struct profile *p)
{
	json_t *meta = json_pack(
		"{s:f, s:i, s:i, s:s, s:s, s:i, s:i, s:i, s:b, s:o, s:[]}", "interval", 0.001,
		"startTime", 0, "processType", 0, "product", "cyclestack", "importedFrom",
		"cyclestack", "stackwalk", 1, "version", VERSION, "preprocessedProfileVersion",
		PROCESSED_VERSION, "symbolicated", 1, "categories", categories(p), "markerSchema");
	json_t *threads = json_array();

	for (size_t at = 0, id = 0; at < p->calls->count; id++)
		json_array_append_new(threads, read_thread(p, &at, id));
	return json_pack("{s:o, s:[], s:[], s:o}", "meta", meta, "libs", "pages", "threads",
			 threads);
}

bool firefox_write(FILE *out, const json_t *result, struct err *err)
{
	struct stacks stacks;
	struct calls calls;

	if (!stacks_read(&stacks, result, err))
		return false;
	if (!calls_read_any(&calls, &stacks, result, err)) {
		stacks_release(&stacks);
		return false;
	}
	struct profile p = {.stacks = &stacks, .calls = &calls};
	json_t *profile = profile_json(&p);
	BUG_ON(!profile);
	json_dumpf(profile, out, JSON_COMPACT);
	fputc('\n', out);
	json_decref(profile);
	calls_release(&calls);
	stacks_release(&stacks);
	return report_finish(out, "the Firefox profile", err);
}
