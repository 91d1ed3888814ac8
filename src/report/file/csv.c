#include "report/file/csv.h"

#include <string.h>

#include "report/file/file.h"
#include "value/component.h"
#include "value/layout.h"
#include "value/member.h"
#include "value/profile.h"

struct csv {
	FILE *out;
	const struct profile *profile;
};

/* The columns that all rows of one item share. */
struct thing {
	const char *kind, *function, *name[3], *file;
	int64_t line, executed; /* line 0 and executed -1: unknown */
};

/* A spreadsheet computes what begins like this, unless it is a number. */
static bool is_formula(const char *text)
{
	size_t digits = strspn(text + (*text == '-' || *text == '+'), "0123456789");

	return *text && strchr("=+-@\t\r", *text) && (!digits || text[1 + digits]);
}

/* Several texts, some perhaps NULL, as one field, quoted if it has to be. */
static void put_field(FILE *out, const char *const *parts, size_t count)
{
	bool quoted = false;

	for (size_t i = 0; i < count; i++)
		quoted |= parts[i] && strpbrk(parts[i], "\",\r\n");
	if (quoted)
		fputc('"', out);
	if (parts[0] && is_formula(parts[0]))
		fputc('\'', out);
	for (size_t i = 0; i < count; i++)
		for (const char *p = parts[i] ? parts[i] : ""; *p; p++) {
			if (*p == '"')
				fputc('"', out);
			fputc(*p, out);
		}
	if (quoted)
		fputc('"', out);
}

static void put_text(FILE *out, const char *text)
{
	put_field(out, &text, 1);
}

static void put_thing(const struct csv *csv, const struct thing *thing)
{
	fprintf(csv->out, "%s,", thing->kind);
	put_text(csv->out, thing->function);
	fputc(',', csv->out);
	put_field(csv->out, thing->name, 3);
	fputc(',', csv->out);
	put_text(csv->out, thing->file);
	if (thing->line)
		fprintf(csv->out, ",%lld", (long long)thing->line);
	else
		fputc(',', csv->out);
	fputc(',', csv->out);
}

static void put_executed(const struct csv *csv, const struct thing *thing)
{
	fputc(',', csv->out);
	if (thing->executed >= 0)
		fprintf(csv->out, "%lld", (long long)thing->executed);
}

static void put_slots(FILE *out, int64_t slots, int64_t per_cycle)
{
	fprintf(out, ",%lld,", (long long)slots);
	if (!per_cycle)
		fputc('\n', out);
	else if (slots % per_cycle == 0)
		fprintf(out, "%lld\n", (long long)(slots / per_cycle));
	else
		fprintf(out, "%.6f\n", (double)slots / (double)per_cycle);
}

static void put_rows(const struct csv *csv, const struct thing *thing,
		     const struct profile_slots *slots)
{
	for (int i = 0; i < CAUSE_COUNT; i++) {
		enum component component = cause_component(csv->profile->levels, (enum cause)i);

		if (!slots->causes[i])
			continue;
		put_thing(csv, thing);
		fprintf(csv->out, "%s,%s", cause_rows[i].name, component_rows[component].name);
		put_executed(csv, thing);
		put_slots(csv->out, slots->causes[i], csv->profile->slots_per_cycle);
	}
}

static void put_methods(const struct csv *csv, const char *kind,
			const struct profile_method *methods, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct thing thing = {.kind = kind,
				      .name = {methods[i].name},
				      .executed = csv->profile->instructions};

		for (int k = 0; k < COMPONENT_COUNT; k++) {
			if (!methods[i].has[k])
				continue;
			put_thing(csv, &thing);
			fprintf(csv->out, ",%s", component_rows[k].name);
			put_executed(csv, &thing);
			fprintf(csv->out, ",,%lld\n", (long long)methods[i].stack.cycles[k]);
		}
	}
}

static void put_topdown(const struct csv *csv)
{
	const struct profile *p = csv->profile;

	for (size_t i = 0; i < p->topdown_count; i++) {
		char level[16];
		struct thing thing = {
			.kind = "topdown", .name = {level}, .executed = p->instructions};

		snprintf(level, sizeof(level), "level%u", p->topdown[i].level);
		put_thing(csv, &thing);
		fputc(',', csv->out);
		put_text(csv->out, p->topdown[i].name);
		put_executed(csv, &thing);
		put_slots(csv->out, p->topdown[i].slots, p->topdown_slots_per_cycle);
	}
}

static void put_functions(const struct csv *csv)
{
	const struct profile *p = csv->profile;

	for (size_t i = 0; i < p->function_count; i++) {
		const struct profile_function *f = &p->functions[i];
		struct thing thing = {"function", f->name, {f->name},
				      f->file,	  f->line, f->executed};

		put_rows(csv, &thing, &f->slots);
	}
	for (size_t i = 0; i < p->function_count; i++)
		for (size_t k = 0; k < p->functions[i].line_count; k++) {
			const struct profile_line *line = &p->functions[i].lines[k];
			char number[32];
			struct thing thing = {"line",
					      p->functions[i].name,
					      {*line->file ? line->file : "?", ":", number},
					      line->file,
					      line->line,
					      line->executed};

			snprintf(number, sizeof(number), "%lld", (long long)line->line);
			put_rows(csv, &thing, &line->slots);
		}
}

static void put_annotation(const struct csv *csv, const struct profile_annotation *annotation)
{
	for (size_t i = 0; i < annotation->insn_count; i++) {
		const struct profile_instruction *insn = &annotation->insns[i];
		struct thing thing = {
			"instruction", annotation->function, {insn->pc, " ", insn->text},
			insn->file,    insn->line,	     insn->executed};

		put_rows(csv, &thing, &insn->slots);
	}
}

static void put_rest(const struct csv *csv)
{
	const struct profile *p = csv->profile;
	char name[32];

	for (size_t i = 0; i < p->thread_count; i++) {
		struct thing thing = {.kind = "thread", .name = {name}, .executed = -1};

		snprintf(name, sizeof(name), "%lld", (long long)p->threads[i].id);
		put_rows(csv, &thing, &p->threads[i].slots);
	}
	for (size_t i = 0; i < p->interval_count; i++) {
		struct thing thing = {.kind = "interval",
				      .name = {name},
				      .executed = p->intervals[i].instructions};

		snprintf(name, sizeof(name), "%zu", i + 1);
		put_rows(csv, &thing, &p->intervals[i].slots);
	}
	for (size_t i = 0; i < p->annotation_count; i++)
		put_annotation(csv, &p->annotations[i]);
}

bool csv_write(FILE *out, const json_t *result, struct err *err)
{
	struct profile profile;
	struct csv csv = {out, &profile};

	if (!profile_read(&profile, result, err))
		return false;
	struct thing program = {
		.kind = "program", .name = {profile.program}, .executed = profile.instructions};
	fputs("kind,function,name,file,line,cause,component,executed,slots,cycles\n", out);
	put_rows(&csv, &program, &profile.slots);
	put_methods(&csv, "method", profile.methods, profile.method_count);
	put_methods(&csv, "stage", profile.stages, profile.stage_count);
	put_topdown(&csv);
	put_functions(&csv);
	put_rest(&csv);
	profile_release(&profile);
	return report_finish(out, "the CSV", err);
}

bool csv_write_sweep(FILE *out, const json_t *result, struct err *err)
{
	json_t *run, *change;
	size_t i, k;

	if (!layout_check(result, &layout_sweep, err))
		return false;
	fputs("program,machine,changes,instructions,cycles", out);
	for (enum component c = COMPONENT_BASE; c < COMPONENT_COUNT; c++)
		fprintf(out, ",%s", component_rows[c].name);
	fputs("\n", out);
	json_array_foreach(json_object_get(result, "runs"), i, run)
	{
		const json_t *machine = json_object_get(run, "configuration");
		const json_t *components = json_object_get(run, "components");

		put_text(out, json_string_value(json_object_get(run, "program")));
		fputc(',', out);
		put_text(out, json_string_value(json_object_get(machine, "name")));
		fputc(',', out);
		json_array_foreach(json_object_get(machine, "changes"), k, change)
		{
			fputs(k ? " " : "", out);
			put_text(out, json_string_value(change));
		}
		fprintf(out, ",%lld,%lld", (long long)member_whole(run, "instructions"),
			(long long)member_whole(run, "cycles"));
		for (enum component c = COMPONENT_BASE; c < COMPONENT_COUNT; c++) {
			fputc(',', out);
			if (json_object_get(components, component_rows[c].name))
				fprintf(out, "%lld",
					(long long)member_whole(components,
								component_rows[c].name));
		}
		fputs("\n", out);
	}
	return report_finish(out, "the CSV", err);
}

static void put_place(FILE *out, const char *name, const json_t *item)
{
	put_text(out, name);
	fputc(',', out);
	put_text(out, member_text(item, "where"));
}

bool csv_write_stat(FILE *out, const json_t *result, struct err *err)
{
	const json_t *intervals = json_object_get(result, "intervals");
	json_t *counter, *count;
	size_t i, k;

	if (!layout_check(result, &layout_stat, err))
		return false;
	fputs("signal,where,epoch,start,cycles,count\n", out);
	json_array_foreach(json_object_get(result, "counters"), i, counter)
	{
		int64_t epoch = member_whole(counter, "epoch");
		size_t first = 0;

		while (first < json_array_size(intervals) &&
		       member_whole(json_array_get(intervals, first), "epoch") != epoch)
			first++;
		json_array_foreach(json_object_get(counter, "intervals"), k, count)
		{
			const json_t *interval = json_array_get(intervals, first + k);

			put_place(out, member_text(counter, "signal"), counter);
			fprintf(out, ",%lld,%lld,%lld,%lld\n", (long long)epoch,
				(long long)member_whole(interval, "start"),
				(long long)member_whole(interval, "cycles"),
				(long long)json_integer_value(count));
		}
		put_place(out, member_text(counter, "signal"), counter);
		fprintf(out, ",%lld,total,%s,%lld\n", (long long)epoch,
			json_is_true(json_object_get(counter, "saturated")) ? "saturated" : "",
			(long long)member_whole(counter, "total"));
	}
	json_array_foreach(json_object_get(result, "derived"), i, counter)
	{
		put_place(out, member_text(counter, "name"), counter);
		fprintf(out, ",%lld,total,%s,", (long long)member_whole(counter, "epoch"),
			json_is_true(json_object_get(counter, "saturated")) ? "saturated" : "");
		if (json_is_number(json_object_get(counter, "value")))
			fprintf(out, "%.6f", member_number(counter, "value"));
		fputc('\n', out);
	}
	return report_finish(out, "the CSV", err);
}
