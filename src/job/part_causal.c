#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "count/exact.h"
#include "job/causal.h"
#include "job/job.h"
#include "job/parts.h"
#include "job/windows.h"
#include "value/printable_json.h"

/* Windows as long as those of `exact`: one line changes little at a time, and settles soon. */
static const struct windows_schedule schedule = {
	.length = 20000,
	.settles = 2000,
	.allowance = INFINITY,
	.budget = INFINITY,
	.keeps = 32,
};

static const unsigned percents[CAUSAL_POINTS] = CAUSAL_PERCENTS;

/* While the job runs. */
struct causing {
	struct windows *windows;
	struct exact *exact;
	struct config *machines; /* in memory that copies share */
	size_t machines_bytes;
	struct libraries libraries; /* whose strings the places have */
	struct causal_name *names;
	struct origin *origins;
	struct causal_place places[CAUSAL_MOST];
	size_t place_count;
	bool has_own; /* something is ideal for some instructions of the machine that runs */
};

static const struct part_causal *causal_of(const struct job_part *part)
{
	return (const struct part_causal *)part;
}

bool part_causal_check(const struct part_causal *causal, struct err *err)
{
	if (causal->hottest + causal->name_count > CAUSAL_MOST)
		return err_set(err, "--causal: at most %d lines can be asked for", CAUSAL_MOST);
	for (size_t i = 0; i < causal->name_count; i++) {
		struct causal_name name;

		if (!causal_name_read(&name, causal->names[i], err))
			return false;
	}
	return true;
}

/* The lines of the file that have instructions and are nearest to the one that has none. */
struct neighbours {
	uint32_t before, after; /* 0: there is none */
	bool has_line, has_file;
};

static struct neighbours find_neighbours(const struct lines *lines, const struct causal_name *name)
{
	struct neighbours found = {0};

	for (size_t i = 0; lines && i < lines_count(lines); i++) {
		const struct line_range *range = lines_at(lines, i);

		if (range->line != name->line && range->line <= found.before)
			continue;
		if (!causal_name_is_file(name, lines_file(lines, range->file)))
			continue;
		found.has_file = true;
		found.has_line |= range->line == name->line;
		if (range->line < name->line)
			found.before = range->line;
		else if (range->line > name->line && (!found.after || range->line < found.after))
			found.after = range->line;
	}
	return found;
}

/* What a dynamically linked program does not have may be in a library that it will map. */
static bool admit_line(struct process *process, const struct causal_name *name, struct err *err)
{
	const struct lines *lines = debug_lines(&process->debug);
	const struct neighbours found = find_neighbours(lines, name);
	char before[16] = "", after[16] = "";

	if (found.has_line || (process->elf.interp && !found.has_file))
		return true;
	if (!lines || !lines_count(lines))
		return err_usage(err,
				 "--causal %s: the program has no line numbers; compile it with "
				 "-g, or name a function",
				 name->text);
	if (!found.has_file)
		return err_usage(err,
				 "--causal %s: the program has no instructions of a file "
				 "\"%.*s\"",
				 name->text, (int)name->file_bytes, name->text);
	snprintf(before, sizeof(before), "%u", found.before);
	snprintf(after, sizeof(after), "%u", found.after);
	return err_usage(err, "--causal %s: no instruction is of that line; the nearest is %s%s%s",
			 name->text, found.before ? before : "",
			 found.before && found.after ? " or " : "", found.after ? after : "");
}

static bool admit(const struct job_part *part, struct process *process, struct err *err)
{
	const struct part_causal *causal = causal_of(part);
	const struct symbols *symbols = debug_symbols(&process->debug, NULL);

	for (size_t i = 0; i < causal->name_count; i++) {
		struct causal_name name;

		if (!causal_name_read(&name, causal->names[i], err))
			return false;
		if (name.is_line && !admit_line(process, &name, err))
			return false;
		if (name.is_line ||
		    (process->elf.interp && symbols && !symbols_know(symbols, name.text)))
			continue;
		if (!job_find_function(process, "causal", name.text, err))
			return false;
	}
	return true;
}

static bool begin(struct job_part_run *self, const struct job_watch *watch, struct err *err)
{
	const struct part_causal *part = causal_of(self->part);
	const struct job_simulation *run = self->run;
	const size_t machines = (part->hottest + part->name_count) * CAUSAL_POINTS;
	struct causing *c = mem_alloc(sizeof(*c));

	self->state = c;
	c->exact = run->observers ? observers_find(run->observers, &count_exact) : NULL;
	BUG_ON(!c->exact || run->job->by_cycles);
	c->machines_bytes = machines * sizeof(*c->machines);
	c->machines = mmap(NULL, c->machines_bytes, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c->machines == MAP_FAILED) {
		c->machines = NULL;
		return err_set_errno(err, errno, "cannot get memory for the machines of --causal");
	}
	c->windows = windows_create(&(struct windows_plan){.simulation = run->simulation,
							   .process = run->process,
							   .thread = watch->thread,
							   .run = &run->job->machine->config,
							   .machines = c->machines,
							   .count = machines,
							   .schedule = schedule,
							   .counts_slots = true,
							   .counts_at = true,
							   .last = run->job->max_instructions,
							   .copies = part->copies,
							   .is_worker = watch->is_worker},
				    err);
	return c->windows;
}

static void poll_windows(struct job_part_run *self)
{
	windows_poll(((struct causing *)self->state)->windows);
}

static void read_names(struct causing *c, const struct part_causal *part, struct process *process)
{
	const struct symbols *symbols = debug_symbols(&process->debug, NULL);

	c->names = mem_alloc_array(part->name_count, sizeof(*c->names));
	for (size_t i = 0; i < part->name_count; i++) {
		BUG_ON(!causal_name_read(&c->names[i], part->names[i], NULL));
		if (!c->names[i].is_line && symbols)
			c->names[i].symbol = symbols_select(symbols, part->names[i], NULL);
	}
}

/* The run is over: what its windows have waited for is known. */
static void choose(struct causing *c, const struct part_causal *part,
		   const struct job_simulation *run)
{
	const struct config *config = &run->job->machine->config;
	size_t count;

	c->has_own = config->ideal_at.count;
	const struct ledger_row *rows = ledger_rows(exact_ledger(c->exact), &count);

	free(c->origins);
	free(c->names);
	c->origins = mem_alloc_array(count, sizeof(*c->origins));
	for (size_t i = 0; i < count; i++) {
		c->origins[i] = origin_of(&c->libraries, run->process, rows[i].pc);
		c->origins[i].row = &rows[i];
	}
	read_names(c, part, run->process);
	c->place_count = causal_choose(c->origins, count, c->names, part->name_count, part->hottest,
				       IDEAL_AT_MOST - config->ideal_at.count, c->places);
	for (size_t i = 0; i < c->place_count; i++)
		for (size_t k = 0; k < CAUSAL_POINTS; k++)
			causal_machine(&c->machines[i * CAUSAL_POINTS + k], config, &c->places[i],
				       percents[k]);
	windows_set_machines(c->windows, c->place_count * CAUSAL_POINTS);
}

static bool conclude(struct job_part_run *self, struct err *err)
{
	struct causing *c = self->state;

	choose(c, causal_of(self->part), self->run);
	return windows_finish(c->windows, self->run->is_stopped, err);
}

static json_t *points_json(const struct causing *c, size_t place, uint64_t cycles)
{
	/* The windows count also what the machine that runs has ideal by itself. */
	const double charged = c->has_own ? 0
					  : (double)c->places[place].covered /
						    (double)exact_slots_per_cycle(c->exact);
	const double all = (double)cycles;
	json_t *points = json_array();

	for (size_t k = 0; k < CAUSAL_POINTS; k++) {
		const struct windows_estimate estimate = windows_estimate(
			c->windows, &(struct windows_question){.machine = place * CAUSAL_POINTS + k,
							       .less = WINDOWS_RUN,
							       .cycles_at = charged});

		if (!estimate.windows)
			break;
		json_array_append_new(
			points,
			json_pack("{s:f, s:I, s:f, s:f}", "left", percents[k] / 100.0, "cycles",
				  (json_int_t)llround(fmax(0, all + estimate.cycles)), "gain",
				  (0 - estimate.cycles) / all, "error", estimate.error / all));
	}
	return points;
}

static json_t *place_json(const struct causing *c, size_t index, uint64_t cycles)
{
	const struct causal_place *place = &c->places[index];
	const struct origin *origin = place->origin;
	char at[IDEAL_AT_TEXT_BYTES] = "", *used = at;

	for (uint64_t i = 0; i < place->at.count; i++)
		used += sprintf(used, "%s0x%llx-0x%llx", i ? "/" : "",
				(unsigned long long)place->at.ranges[i].first,
				(unsigned long long)place->at.ranges[i].last);
	json_t *object = json_pack("{s:o*, s:s, s:I, s:o*, s:I, s:I, s:I, s:s}", "named",
				   place->name ? printable_json(place->name->text) : NULL, "file",
				   origin ? origin->file : "", "line",
				   (json_int_t)(origin ? origin->line : 0), "function",
				   origin ? origin_name(origin) : NULL, "executed",
				   (json_int_t)place->executed, "slots", (json_int_t)place->slots,
				   "covered", (json_int_t)place->covered, "at", at);

	json_object_set_new(object, "points",
			    place->covered ? points_json(c, index, cycles) : json_array());
	return object;
}

static void describe(struct job_part_run *self, json_t *result)
{
	const struct causing *c = self->state;
	const uint64_t cycles = simulation_cycles(self->run->simulation);
	const struct windows_estimate whole =
		windows_estimate(c->windows, &(struct windows_question){.machine = WINDOWS_RUN,
									.less = WINDOWS_NONE});
	json_t *places = json_array();

	for (size_t i = 0; i < c->place_count; i++)
		json_array_append_new(places, place_json(c, i, cycles));
	json_object_set_new(result, "causal",
			    json_pack("{s:I, s:I, s:o}", "windows", (json_int_t)whole.windows,
				      "window_instructions", (json_int_t)whole.instructions,
				      "places", places));
}

static void end(struct job_part_run *self)
{
	struct causing *c = self->state;

	if (!c)
		return;
	windows_destroy(c->windows);
	if (c->machines)
		munmap(c->machines, c->machines_bytes);
	libraries_release(&c->libraries);
	free(c->origins);
	free(c->names);
	free(c);
}

/* Machines that are only supposed are not part of a key. */
static const struct job_part_kind kind = {
	.name = "causal",
	.copies = true,
	.admit = admit,
	.begin = begin,
	.poll = poll_windows,
	.poll_cycles = WINDOWS_POLL_CYCLES,
	.conclude = conclude,
	.describe = describe,
	.end = end,
	.key = job_part_key_refuse,
};

const struct job_part *part_causal_init(struct part_causal *causal, size_t hottest,
					const char *const *names, size_t name_count,
					unsigned copies)
{
	*causal = (struct part_causal){{&kind, NULL}, hottest, names, name_count, copies};
	return &causal->part;
}
