#include "report/file/firefox.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/index.h"
#include "report/file/file.h"
#include "value/calls.h"
#include "value/function_index.h"
#include "value/printable_json.h"

#define VERSION		  27
#define PROCESSED_VERSION 64
#define SOURCES_MOST	  ((size_t)64 << 20) /* bytes of all sources together */

/* The profiler knows a dozen colours by name, and others for graphs; of these, the nearest to the
 * component's own. */
static const struct {
	const char *of_category, *of_graph;
} colours[COMPONENT_COUNT] = {
	[COMPONENT_BASE] = {"grey", "grey"},	   [COMPONENT_L1I] = {"lightblue", "teal"},
	[COMPONENT_L2I] = {"blue", "blue"},	   [COMPONENT_L3I] = {"blue", "blue"},
	[COMPONENT_ITLB] = {"lightblue", "teal"},  [COMPONENT_BRANCH] = {"yellow", "yellow"},
	[COMPONENT_L1D] = {"lightred", "orange"},  [COMPONENT_L2D] = {"orange", "orange"},
	[COMPONENT_L3D] = {"red", "red"},	   [COMPONENT_DTLB] = {"magenta", "magenta"},
	[COMPONENT_WALK] = {"purple", "purple"},   [COMPONENT_BANDWIDTH] = {"brown", "ink"},
	[COMPONENT_RESOURCE] = {"green", "green"},
};

/* A table: a list for each column. */
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

/* Names as numbers, equal ones once. */
struct names {
	const char **names;
	size_t count, capacity;
	struct index index;
};

struct profile {
	const struct stacks *stacks;
	const struct calls *calls;
	const struct firefox_sources *texts;
	struct function_index known;
	int categories[COMPONENT_COUNT]; /* by component */
	struct table stack_table, frames, functions, sources;
	json_t *strings;
	struct names function_names, files;
	size_t *of_nodes;    /* the stack of each node */
	size_t source_bytes; /* that the profile has so far */
};

struct thread {
	struct table samples;
	int64_t slots; /* of the samples before */
};

struct wanted {
	const struct names *names;
	const char *name;
};

static bool same(const void *context, size_t number)
{
	const struct wanted *wanted = context;

	return strcmp(wanted->names->names[number], wanted->name) == 0;
}

/* The name's number, and whether it is new. */
static size_t number_of(struct names *names, const char *name, bool *is_new)
{
	const struct wanted wanted = {names, name};
	const uint64_t hash = index_hash_text(name);
	const size_t found = index_find(&names->index, hash, same, &wanted);

	*is_new = found == INDEX_NONE;
	if (!*is_new)
		return found;
	*ARRAY_PUSH(names->names, names->count, names->capacity) = name;
	index_add(&names->index, hash, names->count - 1);
	return names->count - 1;
}

static void release_names(struct names *names)
{
	free(names->names);
	index_release(&names->index);
}

static int64_t add_string(struct profile *p, const char *text)
{
	json_array_append_new(p->strings, printable_json(text));
	return (int64_t)json_array_size(p->strings) - 1;
}

/* The source's text if it is found; the null of JSON if not, or if there is too much already. */
static json_t *content_of(struct profile *p, const char *name)
{
	char *text = p->texts->text_of(p->texts->context, name);
	const size_t bytes = text ? strlen(text) : 0;
	const bool has_room = bytes <= SOURCES_MOST - p->source_bytes;

	json_t *content = text && has_room ? json_string(text) : json_null();
	p->source_bytes += has_room ? bytes : 0;
	free(text);
	return content;
}

static size_t source_of(struct profile *p, const char *name)
{
	bool is_new;
	const size_t number = number_of(&p->files, name, &is_new);

	if (!is_new)
		return number;
	cell(&p->sources, "id", json_null());
	whole(&p->sources, "filename", add_string(p, name));
	whole(&p->sources, "startLine", 1);
	whole(&p->sources, "startColumn", 1);
	cell(&p->sources, "sourceMapURL", json_null());
	cell(&p->sources, "content", content_of(p, name));
	p->sources.count++;
	return number;
}

static size_t function_of(struct profile *p, const char *name)
{
	bool is_new;
	const size_t number = number_of(&p->function_names, name, &is_new);

	if (!is_new)
		return number;
	const struct stacks_function *function = function_index_get(&p->known, name);
	const bool has_file = function && *function->file;
	whole(&p->functions, "name", add_string(p, name));
	cell(&p->functions, "isJS", json_false());
	cell(&p->functions, "relevantForJS", json_false());
	whole(&p->functions, "resource", -1);
	cell(&p->functions, "source",
	     has_file ? json_integer((json_int_t)source_of(p, function->file)) : json_null());
	cell(&p->functions, "lineNumber",
	     has_file && function->line ? json_integer(function->line) : json_null());
	cell(&p->functions, "columnNumber", json_null());
	cell(&p->functions, "originalLocation", json_null());
	p->functions.count++;
	return number;
}

/* A stack of a function, called from another; its number. */
static size_t add_stack(struct profile *p, const char *name, int category, json_t *prefix)
{
	static const char *const unknown[] = {"nativeSymbol", "innerWindowID", "line", "column",
					      "originalLocation"};

	whole(&p->frames, "address", -1);
	whole(&p->frames, "inlineDepth", 0);
	whole(&p->frames, "category", category);
	whole(&p->frames, "subcategory", 0);
	whole(&p->frames, "func", (int64_t)function_of(p, name));
	for (size_t i = 0; i < ARRAY_COUNT(unknown); i++)
		cell(&p->frames, unknown[i], json_null());
	whole(&p->stack_table, "frame", (int64_t)p->frames.count++);
	cell(&p->stack_table, "prefix", prefix);
	return p->stack_table.count++;
}

static void add_sample(const struct profile *p, struct thread *t, size_t stack, int64_t slots)
{
	whole(&t->samples, "stack", (int64_t)stack);
	cell(&t->samples, "time", json_real(stacks_cycles(p->stacks, t->slots) / 1000));
	whole(&t->samples, "weight", slots);
	t->samples.count++;
	t->slots += slots;
}

static json_t *prefix_of(const struct profile *p, size_t node)
{
	const size_t parent = p->calls->nodes[node].parent;

	return parent == CALLS_NO_PARENT || !calls_is_function(p->calls, parent)
		       ? json_null()
		       : json_integer((json_int_t)p->of_nodes[parent]);
}

/* A node's own stack, for the nodes below it, and one for each other component it has. */
static void add_node(struct profile *p, struct thread *t, size_t node)
{
	const struct calls_node *n = &p->calls->nodes[node];
	const struct stack stack = stacks_of_slots(p->stacks, &n->slots);
	int most = COMPONENT_BASE;

	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (stack.cycles[i] > stack.cycles[most])
			most = i;
	p->of_nodes[node] = add_stack(p, n->function, p->categories[most], prefix_of(p, node));
	for (int i = 0; i < COMPONENT_COUNT; i++) {
		if (!stack.cycles[i])
			continue;
		const size_t number =
			i == most ? p->of_nodes[node]
				  : add_stack(p, n->function, p->categories[i], prefix_of(p, node));

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
	json_t *samples = table_end(&t->samples);

	json_object_set_new(samples, "weightType", json_string("samples"));
	return json_pack("{s:s, s:i, s:n, s:i, s:n, s:[], s:o, s:b, s:s, s:I, s:o, s:o}",
			 "processType", "default", "processStartupTime", 0, "processShutdownTime",
			 "registerTime", 0, "unregisterTime", "pausedRanges", "name",
			 printable_json(name), "isMainThread", id == 0, "pid", "1", "tid",
			 (json_int_t)id + 1, "samples", samples, "markers", empty_markers());
}

/* The nodes below the root that is order[*at], which moves on behind them. */
static json_t *read_thread(struct profile *p, size_t *at, size_t id)
{
	const struct calls *calls = p->calls;
	const char *name = calls->nodes[calls->order[(*at)++]].function;
	struct thread t = {0};

	table_begin(&t.samples);
	for (; *at < calls->count && calls_is_function(calls, calls->order[*at]); ++*at)
		add_node(p, &t, calls->order[*at]);
	return thread_json(&t, name, id);
}

static json_t *categories(struct profile *p)
{
	json_t *list = json_array();

	for (int i = 0; i < COMPONENT_COUNT; i++) {
		if (!p->stacks->methods[0].has[i])
			continue;
		p->categories[i] = (int)json_array_size(list);
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:[s]}", "name", component_rows[i].name,
					"color", colours[i].of_category, "subcategories", "Other"));
	}
	return list;
}

/* The slots of a component in each interval of the run, at its end. */
static json_t *counter_json(const struct stacks *stacks, int component)
{
	json_t *times = json_pack("[f]", 0.0), *counts = json_pack("[i]", 0), *display;
	const char *name = component_rows[component].name;
	int64_t cycles = 0;

	for (size_t i = 0; i < stacks->interval_count; i++) {
		const struct stack stack = stacks_of_slots(stacks, &stacks->intervals[i].slots);

		cycles += stacks->intervals[i].cycles;
		json_array_append_new(times, json_real((double)cycles / 1000));
		json_array_append_new(counts, json_integer(stack.cycles[component]));
	}
	display = json_pack("{s:s, s:s, s:s, s:n, s:i, s:s, s:[{s:s, s:s, s:{s:s}, s:s}]}",
			    "graphType", "line-rate", "unit", "", "color",
			    colours[component].of_graph, "markerSchemaLocation", "sortWeight",
			    component, "label", name, "tooltipRows", "type", "value", "source",
			    "count", "format", "unit", "number", "label",
			    "slots of the interval that ends here");
	return json_pack("{s:s, s:s, s:s, s:s, s:i, s:{s:o, s:o, s:i}, s:o}", "name", name,
			 "category", "cyclestack", "description", component_rows[component].meaning,
			 "pid", "1", "mainThreadIndex", 0, "samples", "time", times, "count",
			 counts, "length", (int)stacks->interval_count + 1, "display", display);
}

static json_t *counters(const struct stacks *stacks)
{
	json_t *list = json_array();

	for (int i = 0; i < COMPONENT_COUNT && stacks->interval_count; i++)
		if (stacks->methods[0].has[i])
			json_array_append_new(list, counter_json(stacks, i));
	return list;
}

/* A table without rows. */
static json_t *empty(const char *const *columns, size_t count)
{
	json_t *table = json_pack("{s:i}", "length", 0);

	for (size_t i = 0; i < count; i++)
		json_object_set_new(table, columns[i], json_array());
	return table;
}

static json_t *shared_json(struct profile *p)
{
	static const char *const resources[] = {"lib", "name", "host", "type"};
	static const char *const symbols[] = {"libIndex", "address", "name", "functionSize"};
	static const char *const places[] = {"source", "line", "column"};

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "stackTable",
			 table_end(&p->stack_table), "frameTable", table_end(&p->frames),
			 "funcTable", table_end(&p->functions), "sources", table_end(&p->sources),
			 "resourceTable", empty(resources, ARRAY_COUNT(resources)), "nativeSymbols",
			 empty(symbols, ARRAY_COUNT(symbols)), "sourceLocationTable",
			 empty(places, ARRAY_COUNT(places)), "stringArray", p->strings);
}

static json_t *meta_json(struct profile *p)
{
	return json_pack("{s:f, s:i, s:i, s:s, s:s, s:i, s:i, s:i, s:b, s:o, s:[]}", "interval",
			 0.001, "startTime", 0, "processType", 0, "product", "cyclestack",
			 "importedFrom", "cyclestack", "stackwalk", 1, "version", VERSION,
			 "preprocessedProfileVersion", PROCESSED_VERSION, "symbolicated", 1,
			 "categories", categories(p), "markerSchema");
}

/* The table of sources has its columns even without rows. */
static void begin_tables(struct profile *p)
{
	static const char *const columns[] = {"id",	     "filename",     "startLine",
					      "startColumn", "sourceMapURL", "content"};

	table_begin(&p->stack_table);
	table_begin(&p->frames);
	table_begin(&p->functions);
	p->sources = (struct table){.columns = empty(columns, ARRAY_COUNT(columns))};
	p->strings = json_array();
}

static json_t *profile_json(struct profile *p)
{
	json_t *meta = meta_json(p), *threads = json_array();

	begin_tables(p);
	p->of_nodes = mem_alloc_array(p->calls->count, sizeof(*p->of_nodes));
	for (size_t at = 0, id = 0; at < p->calls->count; id++)
		json_array_append_new(threads, read_thread(p, &at, id));
	free(p->of_nodes);
	return json_pack("{s:o, s:[], s:[], s:o, s:o, s:o}", "meta", meta, "libs", "pages",
			 "counters", counters(p->stacks), "shared", shared_json(p), "threads",
			 threads);
}

static void write(FILE *out, const struct stacks *stacks, const struct calls *calls,
		  const struct firefox_sources *sources)
{
	struct profile p = {.stacks = stacks, .calls = calls, .texts = sources};

	function_index_init(&p.known, stacks);
	json_t *profile = profile_json(&p);
	BUG_ON(!profile);
	json_dumpf(profile, out, JSON_COMPACT);
	fputc('\n', out);
	json_decref(profile);
	release_names(&p.function_names);
	release_names(&p.files);
	function_index_release(&p.known);
}

bool firefox_write(FILE *out, const json_t *result, const struct firefox_sources *sources,
		   struct err *err)
{
	struct stacks stacks;
	struct calls calls;

	if (!stacks_read(&stacks, result, err))
		return false;
	if (!calls_read_any(&calls, &stacks, result, err)) {
		stacks_release(&stacks);
		return false;
	}
	write(out, &stacks, &calls, sources);
	calls_release(&calls);
	stacks_release(&stacks);
	return report_finish(out, "the Firefox profile", err);
}
