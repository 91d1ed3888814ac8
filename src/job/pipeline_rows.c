#include "job/pipeline_rows.h"

#include <stdlib.h>

#include "base/array.h"
#include "count/count.h"
#include "job/insn_text.h"

/* The rows that wrote a register and were not taken back, oldest first. */
struct writers {
	size_t *rows;
	size_t count, capacity;
};

/* The row whose result the register has for that row, or -1. Each thread has registers of its own.
 */
static int64_t last_writer(struct writers *writers, const struct pipeline_row *rows,
			   const struct pipeline_row *reader)
{
	while (writers->count) {
		const struct pipeline_row *row = &rows[writers->rows[writers->count - 1]];

		if (!row->is_squashed || row->ended > reader->fetched)
			return row->thread == reader->thread
				       ? (int64_t)writers->rows[writers->count - 1]
				       : -1;
		writers->count--;
	}
	return -1;
}

static void add_producers(json_t *list, struct writers *writers, const struct pipeline_row *rows,
			  size_t i, const struct insn *insn)
{
	const uint8_t sources[] = {insn->rs1, insn->rs2, insn->rs3};
	int64_t seen[ARRAY_COUNT(sources)];

	for (unsigned k = 0; k < ARRAY_COUNT(sources); k++) {
		int64_t row = sources[k] ? last_writer(&writers[sources[k]], rows, &rows[i]) : -1;
		bool is_new = row >= 0;

		for (unsigned j = 0; j < k; j++)
			is_new &= seen[j] != row;
		seen[k] = row;
		/* One that has left before the reader dispatched is waited for by nobody. */
		if (is_new && rows[i].dispatched != PIPELINE_NEVER &&
		    rows[row].ended > rows[i].dispatched)
			json_array_append_new(list, json_integer(row));
	}
}

static json_t *cycle_json(uint64_t cycle)
{
	return cycle == PIPELINE_NEVER ? json_null() : json_integer((json_int_t)cycle);
}

void pipeline_describe(const struct pipeline *pipeline, const struct memory *memory, json_t *result)
{
	struct writers *writers = mem_alloc_array(REG_COUNT, sizeof(*writers));
	json_t *instructions = json_array();
	size_t count;
	const struct pipeline_row *rows = pipeline_rows(pipeline, &count);

	for (size_t i = 0; i < count; i++) {
		const struct pipeline_row *row = &rows[i];
		char pc[24], text[INSN_TEXT_BYTES];
		struct insn insn = insn_text_read(memory, row->pc, text);
		json_t *producers = json_array();

		add_producers(producers, writers, rows, i, &insn);
		if (insn.rd != REG_SINK) {
			struct writers *w = &writers[insn.rd];

			*ARRAY_PUSH(w->rows, w->count, w->capacity) = i;
		}
		snprintf(pc, sizeof(pc), "0x%llx", (unsigned long long)row->pc);
		json_array_append_new(
			instructions,
			json_pack("{s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:b, s:b, s:o}", "pc",
				  pc, "text", text, "thread", (json_int_t)row->thread, "fetched",
				  (json_int_t)row->fetched, "dispatched",
				  cycle_json(row->dispatched), "issued", cycle_json(row->issued),
				  "completed", cycle_json(row->completed), "ended",
				  cycle_json(row->ended), "squashed", row->is_squashed,
				  "wrong_path", row->is_wrong, "producers", producers));
	}
	for (size_t i = 0; i < REG_COUNT; i++)
		free(writers[i].rows);
	free(writers);
	json_object_set_new(observer_member(result, count_pipeline.name), "instructions",
			    instructions);
}
