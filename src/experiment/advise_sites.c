#include "experiment/advise_sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "value/member.h"

#define LINES_MOST     6 /* of a kind */
#define FUNCTIONS_MOST 3
/* A function of so much is worth a row if no line has this part of it. */
#define FUNCTION_LEAST 0.02
#define LINE_MOST_OF   0.6
/* So does the program, unless one line has nearly all. */
#define NEARLY_ALL 0.95
/* An instruction with so much of its line is spared the loss. */
#define INSTRUCTION_LEAST 0.01

#define KIND_SWITCHES 2

#define BIT(id) (UINT64_C(1) << CAUSE_##id)

const char *const advise_kind_names[ADVISE_KIND_COUNT] = {
#define KIND(id, name, meaning) [ADVISE_##id] = (name),
	ADVISE_KINDS(KIND)
#undef KIND
};

const char *const advise_scope_names[] = {
	[ADVISE_LINE] = "line", [ADVISE_FUNCTION] = "function", [ADVISE_PROGRAM] = "program"};

static const struct {
	uint64_t causes;
	const char *events; /* of ideal.at; NULL: no instruction can be spared it alone */
	enum config_id ideal[KIND_SWITCHES]; /* CONFIG_COUNT: none */
	double least;			     /* of the run's slots; 0: ADVISE_LEAST */
	bool is_of_accesses; /* only instructions that access memory can be spared it */
} kinds[ADVISE_KIND_COUNT] = {
	[ADVISE_BRANCH] = {BIT(BRANCH) | BIT(BTB) | BIT(TAKEN),
			   "branch",
			   {CONFIG_ideal_branch, CONFIG_COUNT}},
	[ADVISE_CODE] = {BIT(L1I) | BIT(L2I) | BIT(L3I) | BIT(ITLB),
			 "l1i+itlb",
			 {CONFIG_ideal_l1i, CONFIG_ideal_itlb}},
	[ADVISE_DATA] = {BIT(L1D) | BIT(L2D) | BIT(L3D) | BIT(MSHR) | BIT(BANDWIDTH),
			 "l1d",
			 {CONFIG_ideal_l1d, CONFIG_COUNT},
			 .is_of_accesses = true},
	[ADVISE_PAGES] = {BIT(DTLB) | BIT(WALK),
			  "dtlb",
			  {CONFIG_ideal_dtlb, CONFIG_COUNT},
			  .is_of_accesses = true},
	[ADVISE_LATENCY] = {BIT(LATENCY) | BIT(UNIT_INT_MULDIV) | BIT(UNIT_FP_ADD) |
				    BIT(UNIT_FP_MULDIV),
			    "latency",
			    {CONFIG_ideal_units, CONFIG_COUNT}},
	/* Without dependences misses and long operations overlap too, which is another loss. */
	[ADVISE_DEPENDENCE] = {BIT(DEPENDENCE),
			       NULL,
			       {CONFIG_ideal_dependence, CONFIG_COUNT},
			       0.05},
	[ADVISE_UNITS] = {BIT(UNIT_INT_ALU) | BIT(UNIT_MEMORY),
			  NULL,
			  {CONFIG_ideal_ports, CONFIG_COUNT}},
	[ADVISE_STORES] = {BIT(STORE), NULL, {CONFIG_ideal_store, CONFIG_COUNT}},
	[ADVISE_FORWARD] = {BIT(FORWARD), NULL, {CONFIG_ideal_forwarding, CONFIG_COUNT}},
	[ADVISE_ORDER] = {BIT(WAIT) | BIT(REPLAY), NULL, {CONFIG_ideal_replay, CONFIG_COUNT}},
	[ADVISE_SERIALISE] = {BIT(SERIALISE), NULL, {CONFIG_COUNT, CONFIG_COUNT}},
};

/* Of the kind latency: what is lost to a taken unit, and the switch that takes it away. */
static const struct {
	enum cause cause;
	enum config_id ideal;
} taken_units[] = {
	{CAUSE_UNIT_INT_MULDIV, CONFIG_ideal_int_muldiv},
	{CAUSE_UNIT_FP_ADD, CONFIG_ideal_fp_add},
	{CAUSE_UNIT_FP_MULDIV, CONFIG_ideal_fp_muldiv},
};

uint64_t advise_kind_causes(enum advise_kind kind)
{
	return kinds[kind].causes;
}

/* An instruction that the result lists. */
struct hot {
	const json_t *insn;
	uint64_t pc;
	const char *function, *file;
	int64_t line;		   /* 0: it or its file is unknown */
	struct stacks_slots slots; /* of one kind */
};

/* Instructions of one place, which lie side by side in a list. */
struct place {
	const struct hot *hot;
	size_t count;
	struct stacks_slots slots;
};

static struct stacks_slots of_kind(const struct stacks_slots *slots, enum advise_kind kind)
{
	struct stacks_slots part = {.total = 0};

	for (int i = 0; i < CAUSE_COUNT; i++)
		if (kinds[kind].causes >> i & 1) {
			part.causes[i] = slots->causes[i];
			part.total += slots->causes[i];
		}
	return part;
}

/* A line is the same line wherever it was inlined. Without one, an instruction is a place by
 * itself.
 */
static int by_place(const struct hot *a, const struct hot *b, bool by_line)
{
	int order = 0;

	if (!by_line)
		return strcmp(a->function, b->function);
	if (!a->line != !b->line)
		return a->line ? -1 : 1;
	if (a->line)
		order = strcmp(a->file, b->file);
	if (order || !a->line)
		return order ? order : (a->pc > b->pc) - (a->pc < b->pc);
	return (a->line > b->line) - (a->line < b->line);
}

static int by_slots(const struct hot *a, const struct hot *b)
{
	if (a->slots.total != b->slots.total)
		return a->slots.total < b->slots.total ? 1 : -1;
	return (a->pc > b->pc) - (a->pc < b->pc);
}

static int by_line_and_slots(const void *left, const void *right)
{
	const int order = by_place(left, right, true);

	return order ? order : by_slots(left, right);
}

static int by_function_and_slots(const void *left, const void *right)
{
	const int order = by_place(left, right, false);

	return order ? order : by_slots(left, right);
}

static int by_most_slots(const void *left, const void *right)
{
	return by_slots(left, right);
}

static int by_size(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->slots.total != b->slots.total)
		return a->slots.total < b->slots.total ? 1 : -1;
	return by_slots(a->hot, b->hot);
}

struct finder {
	struct advise_sites *sites;
	const struct config *config;
	enum advise_kind kind;
	double run; /* slots */
	struct hot *hot;
	size_t count;
};

/* The instructions that have slots of the kind. */
static void list_hot(struct finder *finder, const json_t *result)
{
	const json_t *list = json_object_get(result, "hottest"), *insn;
	size_t i;

	finder->hot = mem_alloc_array(json_array_size(list), sizeof(*finder->hot));
	finder->count = 0;
	json_array_foreach(list, i, insn)
	{
		const struct stacks_slots all = stacks_read_slots(insn, "slots");
		const struct hot hot = {insn,
					strtoull(member_text(insn, "pc"), NULL, 16),
					member_text(insn, "function"),
					member_text(insn, "file"),
					*member_text(insn, "file") ? member_whole(insn, "line") : 0,
					of_kind(&all, finder->kind)};

		if (hot.slots.total)
			finder->hot[finder->count++] = hot;
	}
}

/* The places, the largest first; the caller frees them. */
static struct place *places_of(struct finder *finder, bool by_line, size_t *count)
{
	struct place *places = mem_alloc_array(finder->count, sizeof(*places));

	*count = 0;
	if (!finder->count)
		return places;
	qsort(finder->hot, finder->count, sizeof(*finder->hot),
	      by_line ? by_line_and_slots : by_function_and_slots);
	for (size_t i = 0; i < finder->count; i++) {
		if (i == 0 || by_place(&finder->hot[i - 1], &finder->hot[i], by_line) != 0)
			places[(*count)++].hot = &finder->hot[i];
		struct place *place = &places[*count - 1];
		place->count++;
		stacks_slots_add(&place->slots, &finder->hot[i].slots);
	}
	qsort(places, *count, sizeof(*places), by_size);
	return places;
}

static int by_address(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* The machine that spares these instructions, in place of the one that runs. */
/* Whether an instruction accesses memory, as it is written: 8(sp), (a5). */
static bool is_access(const struct hot *hot)
{
	return strchr(member_text(hot->insn, "text"), '(');
}

/* Those that have most come first; what has next to nothing would make the list long, and so would
 * instructions that access nothing, if accesses are spared. */
static size_t list_spared(const struct place *place, bool accesses, size_t most, uint64_t *pcs)
{
	const double least = INSTRUCTION_LEAST * (double)place->slots.total;
	size_t count = 0;

	for (size_t i = 0; i < place->count && count < most; i++)
		if ((double)place->hot[i].slots.total >= least &&
		    (!accesses || is_access(&place->hot[i])))
			pcs[count++] = place->hot[i].pc;
	return count || !accesses ? count : list_spared(place, false, most, pcs);
}

static void spare(struct advise_site *site, const struct place *place, const char *events)
{
	const bool accesses = kinds[site->kind].is_of_accesses;
	struct ideal_at *at = &site->config.ideal_at;
	uint64_t pcs[IDEAL_AT_MOST];
	char *list, *change;
	size_t bytes, count = 0;
	struct err err;
	FILE *out = mem_stream_open(&list, &bytes);

	if (at->count) {
		char now[IDEAL_AT_TEXT_BYTES];

		ideal_at_text(at, now);
		fprintf(out, "%s/", now);
	}
	count = list_spared(place, accesses, IDEAL_AT_MOST - at->count, pcs);
	if (count)
		qsort(pcs, count, sizeof(*pcs), by_address);
	if (count && site->scope == ADVISE_FUNCTION) {
		uint64_t first = pcs[0], last = pcs[count - 1];

		for (size_t i = 0; i < place->count; i++) {
			first = place->hot[i].pc < first ? place->hot[i].pc : first;
			last = place->hot[i].pc > last ? place->hot[i].pc : last;
		}
		fprintf(out, "0x%llx-0x%llx:%s", (unsigned long long)first,
			(unsigned long long)last, events);
	} else {
		for (size_t i = 0; i < count; i++)
			fprintf(out, "%s0x%llx:%s", i ? "/" : "", (unsigned long long)pcs[i],
				events);
	}
	mem_stream_close(out);
	change = mem_format("ideal.at=%s", list);
	/* A list that is too long for the parameter is not tried. */
	if (count && config_set(&site->config, change, &err))
		site->changes[site->change_count++] = change;
	else
		free(change);
	free(list);
}

static void switch_off(struct advise_site *site, enum config_id ideal)
{
	if (ideal == CONFIG_COUNT || !config_applies(&site->config, ideal) ||
	    config_get(&site->config, ideal))
		return;
	config_put(&site->config, ideal, true);
	site->changes[site->change_count++] = mem_format("%s=true", config_rows[ideal].key);
}

static bool is_least(const struct finder *finder, int64_t slots, double least)
{
	return (double)slots >= least * finder->run;
}

/* Whether the program lost enough to this kind of unit. */
static bool is_taken(const struct finder *finder, const struct stacks_slots *slots, size_t unit)
{
	return is_least(finder, slots->causes[taken_units[unit].cause], ADVISE_LEAST) &&
	       config_applies(finder->config, taken_units[unit].ideal);
}

static bool is_any_taken(const struct finder *finder, const struct stacks_slots *slots)
{
	for (size_t i = 0; i < ARRAY_COUNT(taken_units); i++)
		if (is_taken(finder, slots, i))
			return true;
	return false;
}

static void switch_all_off(const struct finder *finder, struct advise_site *site)
{
	for (size_t i = 0; i < KIND_SWITCHES; i++)
		switch_off(site, kinds[site->kind].ideal[i]);
	for (size_t i = 0; i < ARRAY_COUNT(taken_units); i++)
		if (is_taken(finder, &site->slots, i))
			switch_off(site, taken_units[i].ideal);
}

/* False if no instruction of a line or function has enough of it to be spared: the place is left
 * out, since the machine that it lacks is no matter of its kind of loss. */
static bool add(struct finder *finder, enum advise_scope scope, const struct place *place,
		const struct stacks_slots *slots)
{
	struct advise_sites *sites = finder->sites;
	const struct hot *first = place->hot;
	struct advise_site site = {.kind = finder->kind,
				   .scope = scope,
				   .function = first->function,
				   .file = scope == ADVISE_FUNCTION ? "" : first->file,
				   .line = scope == ADVISE_FUNCTION ? 0 : first->line,
				   .slots = *slots,
				   .config = *finder->config};

	for (size_t i = 0; i < place->count && i < ADVISE_INSTRUCTIONS; i++)
		site.instructions[site.instruction_count++] = place->hot[i].insn;
	if (scope == ADVISE_PROGRAM)
		switch_all_off(finder, &site);
	else
		spare(&site, place, kinds[finder->kind].events);
	if (scope != ADVISE_PROGRAM && !site.change_count)
		return false;
	*ARRAY_PUSH(sites->list, sites->count, sites->capacity) = site;
	return true;
}

/* Whether all that lost enough have a place. */
static bool add_lines(struct finder *finder, const struct place *lines, size_t count)
{
	bool all = true;

	for (size_t i = 0; i < count && i < LINES_MOST; i++)
		if (is_least(finder, lines[i].slots.total, ADVISE_LEAST))
			all &= add(finder, ADVISE_LINE, &lines[i], &lines[i].slots);
	return all;
}

/* Slots of the line that has most. The instructions of a function are not in the order of lines. */
static int64_t largest_line(const struct place *function)
{
	int64_t largest = 0;

	for (size_t i = 0; i < function->count; i++) {
		int64_t slots = 0;

		for (size_t k = 0; k < function->count; k++)
			if (by_place(&function->hot[k], &function->hot[i], true) == 0)
				slots += function->hot[k].slots.total;
		largest = slots > largest ? slots : largest;
	}
	return largest;
}

static void add_functions(struct finder *finder)
{
	size_t count, added = 0;
	struct place *functions = places_of(finder, false, &count);

	for (size_t i = 0; i < count && added < FUNCTIONS_MOST; i++) {
		const struct place *f = &functions[i];
		const int64_t largest = largest_line(f);

		if (!is_least(finder, f->slots.total, FUNCTION_LEAST) ||
		    (double)largest >= LINE_MOST_OF * (double)f->slots.total ||
		    strcmp(f->hot->function, "(unknown)") == 0)
			continue;
		added += add(finder, ADVISE_FUNCTION, f, &f->slots);
	}
	free(functions);
}

/* Its instructions are those that have most, wherever they are; its place is the line's. */
static void add_program(struct finder *finder, const struct hot *line,
			const struct stacks_slots *slots)
{
	const struct hot nothing = {.function = "", .file = ""};
	const struct place all = {.hot = finder->count ? finder->hot : &nothing,
				  .count = finder->count};
	const struct hot at = line ? *line : nothing;

	if (finder->count)
		qsort(finder->hot, finder->count, sizeof(*finder->hot), by_most_slots);
	add(finder, ADVISE_PROGRAM, &all, slots);
	struct advise_site *site = &finder->sites->list[finder->sites->count - 1];
	site->function = at.function;
	site->file = at.file;
	site->line = at.line;
}

static void find_kind(struct finder *finder, const json_t *result, const struct stacks_slots *run)
{
	const struct stacks_slots all = of_kind(run, finder->kind);
	const bool can_spare = kinds[finder->kind].events;
	size_t count;

	if (!is_least(finder, all.total, fmax(kinds[finder->kind].least, ADVISE_LEAST)))
		return;
	list_hot(finder, result);
	struct place *lines = places_of(finder, true, &count);
	bool is_one_line = count && (double)lines[0].slots.total >= NEARLY_ALL * (double)all.total;
	const struct hot most = count ? *lines[0].hot : (struct hot){0};

	if (can_spare)
		is_one_line &= add_lines(finder, lines, count);
	free(lines);
	if (can_spare)
		add_functions(finder);
	if (!can_spare || !is_one_line || is_any_taken(finder, &all))
		add_program(finder, count ? &most : NULL, &all);
	free(finder->hot);
}

void advise_sites_find(struct advise_sites *sites, const json_t *result,
		       const struct stacks *stacks, const struct config *config)
{
	struct finder finder = {.sites = sites,
				.config = config,
				.run = (double)stacks->cycles * (double)stacks->slots_per_cycle};

	*sites = (struct advise_sites){0};
	for (finder.kind = 0; finder.kind < ADVISE_KIND_COUNT; finder.kind++)
		find_kind(&finder, result, &stacks->slots);
}

void advise_sites_release(struct advise_sites *sites)
{
	for (size_t i = 0; i < sites->count; i++)
		for (size_t k = 0; k < sites->list[i].change_count; k++)
			free(sites->list[i].changes[k]);
	free(sites->list);
}
