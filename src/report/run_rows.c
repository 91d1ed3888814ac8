#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "report/run.h"

/* The cells that all rows of one thing share. */
struct thing {
	const char *kind, *function, *name, *file;
	int64_t line, executed; /* line 0 and executed -1: not known */
};

static void row(struct doc_table *table, const struct thing *thing, const char *cause,
		const char *component, double slots, double cycles)
{
	doc_row(table, thing->kind);
	doc_cell_words(table, thing->kind);
	doc_cell_words(table, thing->function ? thing->function : "");
	doc_cell_words(table, thing->name);
	doc_cell_words(table, thing->file ? thing->file : "");
	doc_value(table, thing->line ? (double)thing->line : NAN);
	doc_cell_words(table, cause);
	doc_cell_words(table, component);
	doc_value(table, thing->executed >= 0 ? (double)thing->executed : NAN);
	doc_value(table, slots);
	doc_value(table, cycles);
}

static void slots_rows(const struct run_report *run, struct doc_table *table,
		       const struct thing *thing, const struct stacks_slots *slots)
{
	const struct stacks *p = run->stacks;

	for (int i = 0; i < CAUSE_COUNT; i++)
		if (slots->causes[i])
			row(table, thing, cause_rows[i].name,
			    component_rows[cause_component(p->levels, (enum cause)i)].name,
			    (double)slots->causes[i], stacks_cycles(p, slots->causes[i]));
}

static void method_rows(const struct run_report *run, struct doc_table *table, const char *kind,
			const struct stacks_method *methods, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct thing thing = {.kind = kind,
					    .name = methods[i].name,
					    .executed = run->stacks->instructions};

		for (int k = 0; k < COMPONENT_COUNT; k++)
			if (methods[i].has[k])
				row(table, &thing, "", component_rows[k].name, NAN,
				    (double)methods[i].stack.cycles[k]);
	}
}

static void topdown_rows(const struct run_report *run, struct doc_table *table)
{
	const struct stacks *p = run->stacks;

	for (size_t i = 0; i < p->topdown_count; i++) {
		const struct thing thing = {
			.kind = "topdown",
			.name = doc_words(run->doc, "level%u", p->topdown[i].level),
			.executed = p->instructions};
		const double per_cycle = (double)p->topdown_slots_per_cycle;

		row(table, &thing, "", p->topdown[i].name, (double)p->topdown[i].slots,
		    per_cycle > 0 ? (double)p->topdown[i].slots / per_cycle : NAN);
	}
}

static void line_rows(const struct run_report *run, struct doc_table *table,
		      const struct stacks_function *f)
{
	for (size_t i = 0; i < f->line_count; i++) {
		const struct stacks_line *line = &f->lines[i];
		const struct thing thing = {"line",
					    f->name,
					    doc_words(run->doc, "%s:%" PRId64,
						      *line->file ? line->file : "?", line->line),
					    line->file,
					    line->line,
					    line->executed};

		slots_rows(run, table, &thing, &line->slots);
	}
}

/* A call's name is the path to it from the function. */
static void inlined_rows(const struct run_report *run, struct doc_table *table,
			 const struct stacks_function *f)
{
	const char *paths[STACKS_INLINED_MOST + 1] = {""};

	for (size_t i = 0; i < f->inlined_count; i++) {
		const struct stacks_inlined *call = &f->inlined[i];
		const char *outer = paths[call->depth - 1];

		paths[call->depth] =
			doc_words(run->doc, "%s%s%s", outer, *outer ? " > " : "", call->function);
		const struct thing thing = {.kind = "inlined",
					    .function = f->name,
					    .name = paths[call->depth],
					    .executed = call->executed};

		slots_rows(run, table, &thing, &call->slots);
	}
}

static void instruction_rows(const struct run_report *run, struct doc_table *table,
			     const struct stacks_annotation *annotation)
{
	for (size_t i = 0; i < annotation->insn_count; i++) {
		const struct stacks_instruction *insn = &annotation->insns[i];
		const struct thing thing = {"instruction",
					    annotation->function,
					    doc_words(run->doc, "%s %s", insn->pc, insn->text),
					    insn->file,
					    insn->line,
					    insn->executed};

		slots_rows(run, table, &thing, &insn->slots);
	}
}

static void columns(struct doc_table *table)
{
	static const char *const words[] = {"kind", "function", "name", "file"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		doc_column(table, words[i], DOC_WORDS, 0);
	doc_column(table, "line", DOC_COUNT, 0);
	doc_column(table, "cause", DOC_WORDS, 0);
	doc_column(table, "component", DOC_WORDS, 0);
	doc_column(table, "executed", DOC_COUNT, 0);
	doc_column(table, "slots", DOC_COUNT, 0);
	doc_column(table, "cycles", DOC_NUMBER, 6);
}

static void places(const struct run_report *run, struct doc_table *table)
{
	const struct stacks *p = run->stacks;

	for (size_t i = 0; i < p->function_count; i++) {
		const struct stacks_function *f = &p->functions[i];
		const struct thing thing = {"function", f->name, f->name,
					    f->file,	f->line, f->executed};

		slots_rows(run, table, &thing, &f->slots);
	}
	for (size_t i = 0; i < p->function_count; i++)
		line_rows(run, table, &p->functions[i]);
	for (size_t i = 0; i < p->function_count; i++)
		inlined_rows(run, table, &p->functions[i]);
	for (size_t i = 0; i < p->thread_count; i++) {
		const struct thing thing = {
			.kind = "thread",
			.name = doc_words(run->doc, "%" PRId64, p->threads[i].id),
			.executed = -1};

		slots_rows(run, table, &thing, &p->threads[i].slots);
	}
	for (size_t i = 0; i < p->interval_count; i++) {
		const struct thing thing = {.kind = "interval",
					    .name = doc_words(run->doc, "%zu", i + 1),
					    .executed = p->intervals[i].instructions};

		slots_rows(run, table, &thing, &p->intervals[i].slots);
	}
	for (size_t i = 0; i < p->annotation_count; i++)
		instruction_rows(run, table, &p->annotations[i]);
}

void run_rows(const struct run_report *run)
{
	const struct stacks *p = run->stacks;
	struct doc_table *table = doc_table(run->doc, "rows", NULL, NULL);
	const struct thing program = {
		.kind = "program", .name = p->program, .executed = p->instructions};

	doc_only(run->doc, DOC_IN_CSV);
	columns(table);
	slots_rows(run, table, &program, &p->slots);
	method_rows(run, table, "method", p->methods, p->method_count);
	method_rows(run, table, "stage", p->stages, p->stage_count);
	topdown_rows(run, table);
	places(run, table);
}
