#include "report/pipeview.h"

#include <string.h>

#include "base/array.h"

/* The stages that `run --pipeview` writes. */
static const struct stage {
	const char *name, *meaning;
} known[] = {
	{"F", "fetched"},
	{"D", "in the front end"},
	{"W", "waits in the window"},
	{"A", "a store that waits for its data"},
	{"X", "executes"},
	{"C", "complete"},
};

static const struct stage *known_stage(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(known); i++)
		if (strcmp(known[i].name, name) == 0)
			return &known[i];
	return NULL;
}

struct builder {
	struct doc *doc;
	const struct kanata *kanata;
	uint64_t from, to;
	size_t retired, flushed;
};

static bool is_shown(const struct builder *b, const struct kanata_insn *insn)
{
	return insn->begin <= b->to && insn->end >= b->from;
}

/* The spans of one lane of an instruction. */
static void spans(const struct builder *b, struct doc_pipeline *pipeline, struct doc_lane *lane,
		  const struct kanata_insn *insn, unsigned number)
{
	const struct kanata *k = b->kanata;

	for (uint32_t i = insn->first_stage; i != KANATA_NONE; i = k->stages[i].next)
		if (k->stages[i].lane == number)
			doc_span(lane, k->stages[i].begin, k->stages[i].end,
				 doc_stage(pipeline, k->names[k->stages[i].name]));
}

static void instruction_lane(struct builder *b, struct doc_pipeline *pipeline,
			     const struct kanata_insn *insn)
{
	struct doc_lane *lane = doc_lane(pipeline, insn->label ? insn->label : "");

	lane->is_pale = insn->is_flushed;
	lane->has_end = !insn->is_flushed;
	lane->end = insn->end;
	spans(b, pipeline, lane, insn, 0);
	*(insn->is_flushed ? &b->flushed : &b->retired) += 1;
}

/* What the letters mean, unless another simulator has stages of its own: then the names alone. */
static void label_stages(const struct builder *b, struct doc_pipeline *pipeline)
{
	const char *words = "";

	for (size_t i = 0; i < pipeline->stage_count; i++)
		if (!known_stage(pipeline->stages[i]))
			return;
	for (size_t i = 0; i < pipeline->stage_count; i++) {
		const struct stage *stage = known_stage(pipeline->stages[i]);

		doc_stage_label(pipeline, (unsigned)i,
				doc_words(b->doc, "%s %s", stage->name, stage->meaning));
		words = doc_words(b->doc, "%s%s %s, ", words, stage->name, stage->meaning);
	}
	if (!pipeline->stage_count)
		return;
	doc_note(b->doc,
		 doc_words(b->doc, "%sR retired; what was squashed in small letters", words));
	doc_only(b->doc, DOC_IN_TEXT);
}

static void lost_lane(struct builder *b, struct doc_pipeline *pipeline)
{
	const struct kanata *k = b->kanata;
	struct doc_lane *lane = doc_lane(pipeline, "lost");
	const size_t before = pipeline->stage_count;

	lane->is_loss = true;
	for (size_t i = 0; i < k->count; i++)
		if (is_shown(b, &k->insns[i]))
			spans(b, pipeline, lane, &k->insns[i], 1);
	for (size_t i = before; i < pipeline->stage_count; i++)
		doc_stage_label(pipeline, (unsigned)i,
				doc_words(b->doc, "lost: %s", pipeline->stages[i]));
}

/* When each instruction entered each stage, for CSV. */
static void times_table(struct builder *b, const struct doc_pipeline *pipeline)
{
	struct doc_table *table = doc_table(b->doc, "stages", NULL, "instruction");

	doc_only(b->doc, DOC_IN_CSV);
	doc_column(table, "squashed", DOC_COUNT, 0);
	doc_column(table, "stage", DOC_WORDS, 0);
	doc_column(table, "begin", DOC_COUNT, 0);
	doc_column(table, "end", DOC_COUNT, 0);
	for (size_t i = 0; i < pipeline->lane_count; i++)
		for (size_t k = 0; k < pipeline->lanes[i].count; k++) {
			const struct doc_lane *lane = &pipeline->lanes[i];

			doc_row(table, lane->label);
			doc_value(table, lane->is_pale);
			doc_cell_words(table, pipeline->stages[lane->spans[k].stage]);
			doc_value(table, (double)lane->spans[k].begin);
			doc_value(table, (double)lane->spans[k].end);
		}
}

void pipeview_build(struct doc *doc, const struct kanata *kanata, uint64_t from, uint64_t to)
{
	struct builder b = {.doc = doc, .kanata = kanata, .from = from, .to = to};

	doc->title = "pipeline - cyclestack";
	doc_say(&doc->heading, "Cycles %llu to %llu", (unsigned long long)from,
		(unsigned long long)to);
	struct doc_pipeline *pipeline = doc_pipeline(doc, "pipeline", from, to);
	for (size_t i = 0; i < kanata->count; i++)
		if (is_shown(&b, &kanata->insns[i]))
			instruction_lane(&b, pipeline, &kanata->insns[i]);
	label_stages(&b, pipeline);
	lost_lane(&b, pipeline);
	doc_paragraph(doc, doc_words(doc,
				     "%zu instructions in cycles %llu to %llu: %zu retired, %zu "
				     "squashed",
				     b.retired + b.flushed, (unsigned long long)from,
				     (unsigned long long)to, b.retired, b.flushed));
	times_table(&b, pipeline);
}
