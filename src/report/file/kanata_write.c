#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "report/file/file.h"
#include "report/file/kanata.h"
#include "value/member.h"

#define NEVER UINT64_MAX

struct row {
	const json_t *object;
	uint64_t begin, fetched, dispatched, issued, completed, end;
	/* When it begins to execute with all it reads: `issued`, or the last cycle before it is
	 * complete if it is a store whose data come later than that; NEVER: it does not. */
	uint64_t executes;
	bool is_retired;
};

/* The order of lines within a cycle: what ends comes before what begins. */
enum line_kind { LINE_END, LINE_RETIRE, LINE_OPEN, LINE_BEGIN, LINE_DEPENDENCE };

struct line {
	uint64_t cycle;
	enum line_kind kind;
	uint32_t row, lane;
	size_t producer;
	const char *stage;
};

struct lines {
	struct line *list;
	size_t count, capacity;
};

static void add_line(struct lines *lines, struct line line)
{
	*ARRAY_PUSH(lines->list, lines->count, lines->capacity) = line;
}

static void add_stage(struct lines *lines, uint32_t row, uint32_t lane, const char *name,
		      uint64_t begin, uint64_t end)
{
	if (begin >= end)
		return;
	add_line(lines, (struct line){begin, LINE_BEGIN, row, lane, 0, name});
	add_line(lines, (struct line){end, LINE_END, row, lane, 0, name});
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	return (x->producer > y->producer) - (x->producer < y->producer);
}

static uint64_t cycle_of(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return json_is_integer(value) ? (uint64_t)json_integer_value(value) : NEVER;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool read_row(struct row *row, const json_t *object, uint64_t run_cycles)
{
	uint64_t ended = cycle_of(object, "ended");

	*row = (struct row){
		.object = object,
		.fetched = cycle_of(object, "fetched"),
		.dispatched = cycle_of(object, "dispatched"),
		.issued = cycle_of(object, "issued"),
		.completed = cycle_of(object, "completed"),
		.end = ended == NEVER ? run_cycles : ended,
		.is_retired = ended != NEVER && !json_is_true(json_object_get(object, "squashed")),
	};
	row->begin = row->fetched;
	return row->fetched < row->end && row->fetched <= row->dispatched &&
	       row->dispatched <= row->issued && row->issued <= row->completed &&
	       (row->completed == NEVER || row->completed <= row->end || ended == NEVER);
}

/* The cause of a run of lost cycles goes to the oldest row in flight, or to the next one. */
static void add_lost(struct lines *lines, struct row *rows, size_t count, const json_t *lost,
		     size_t *oldest)
{
	uint64_t at = cycle_of(lost, "cycle"), end = at + cycle_of(lost, "cycles");
	const char *cause = member_text(lost, "cause");

	while (at < end) {
		while (*oldest < count && rows[*oldest].end <= at)
			++*oldest;
		if (*oldest == count)
			return;
		struct row *row = &rows[*oldest];
		uint64_t until = least(end, row->end);

		row->begin = least(row->begin, at);
		add_stage(lines, (uint32_t)*oldest, 1, cause, at, until);
		at = until;
	}
}

/* Whether the producer's last cycle of execution is not after the row's first. Viewers draw a
 * dependence from the one to the other; any other would point back in time. */
static bool has_waited(const struct row *row, const struct row *producer)
{
	return row->executes < least(row->completed, row->end) && producer->completed != NEVER &&
	       producer->executes < least(producer->completed, producer->end) &&
	       least(producer->completed, producer->end) <= row->executes + 1;
}

/* Call in the order of the rows: producers come first. */
static void find_execution(struct row *rows, size_t i)
{
	struct row *row = &rows[i];
	size_t k;
	json_t *item;

	row->executes = row->issued;
	json_array_foreach(json_object_get(row->object, "producers"), k, item)
	{
		uint64_t producer = (uint64_t)json_integer_value(item);

		if (row->issued == NEVER || producer >= i ||
		    rows[producer].completed <= row->issued)
			continue;
		row->executes = row->completed == NEVER	       ? NEVER
				: row->completed > row->issued ? row->completed - 1
							       : row->issued;
	}
}

static void add_row(struct lines *lines, const struct row *rows, uint32_t i)
{
	const struct row *row = &rows[i];
	const uint64_t decoding = least(row->fetched + 1, row->end);
	size_t k;
	json_t *item;

	add_line(lines, (struct line){row->begin, LINE_OPEN, i, 0, 0, NULL});
	add_stage(lines, i, 0, "F", row->fetched, least(decoding, row->dispatched));
	add_stage(lines, i, 0, "D", decoding, least(row->dispatched, row->end));
	if (row->dispatched != NEVER)
		add_stage(lines, i, 0, "W", row->dispatched, least(row->issued, row->end));
	if (row->issued != NEVER)
		add_stage(lines, i, 0, "A", row->issued, least(row->executes, row->end));
	if (row->executes != NEVER)
		add_stage(lines, i, 0, "X", row->executes, least(row->completed, row->end));
	if (row->completed != NEVER)
		add_stage(lines, i, 0, "C", row->completed, row->end);
	json_array_foreach(json_object_get(row->object, "producers"), k, item)
	{
		uint64_t producer = (uint64_t)json_integer_value(item);

		if (producer < i && row->dispatched < row->end && has_waited(row, &rows[producer]))
			add_line(lines, (struct line){row->dispatched, LINE_DEPENDENCE, i, 0,
						      producer, NULL});
	}
	add_line(lines, (struct line){row->end, LINE_RETIRE, i, 0, 0, NULL});
}

/* Text on one line, without control characters. */
static void put_text(FILE *out, const char *text)
{
	for (const char *p = text ? text : ""; *p; p++)
		fputc((unsigned char)*p < ' ' || *p == 127 ? ' ' : *p, out);
}

static void put_opening(FILE *out, uint32_t i, const struct row *row)
{
	bool is_wrong = json_is_true(json_object_get(row->object, "wrong_path"));

	fprintf(out, "I\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu64 "\nL\t%" PRIu32 "\t0\t", i, i,
		cycle_of(row->object, "thread"), i);
	put_text(out, member_text(row->object, "pc"));
	fputs(": ", out);
	put_text(out, member_text(row->object, "text"));
	fprintf(out, "\nL\t%" PRIu32 "\t1\t%s\n", i,
		is_wrong ? "fetched on a wrong path" : "fetched on the right path");
}

static void put_lines(FILE *out, const struct lines *lines, const struct row *rows, uint64_t from)
{
	uint64_t now = lines->count ? lines->list[0].cycle : from, retired = 0;

	fprintf(out, "Kanata\t0004\nC=\t%" PRIu64 "\n", now);
	for (size_t k = 0; k < lines->count; k++) {
		const struct line *line = &lines->list[k];

		if (line->cycle > now)
			fprintf(out, "C\t%" PRIu64 "\n", line->cycle - now);
		now = line->cycle;
		switch (line->kind) {
		case LINE_OPEN: put_opening(out, line->row, &rows[line->row]); break;
		case LINE_BEGIN:
		case LINE_END:
			fprintf(out, "%c\t%" PRIu32 "\t%" PRIu32 "\t",
				line->kind == LINE_BEGIN ? 'S' : 'E', line->row, line->lane);
			put_text(out, line->stage);
			fputc('\n', out);
			break;
		case LINE_DEPENDENCE:
			fprintf(out, "W\t%" PRIu32 "\t%zu\t0\n", line->row, line->producer);
			break;
		case LINE_RETIRE:
			fprintf(out, "R\t%" PRIu32 "\t%" PRIu64 "\t%d\n", line->row, retired,
				!rows[line->row].is_retired);
			retired += rows[line->row].is_retired;
			break;
		}
	}
}

bool kanata_write(FILE *out, const json_t *result, struct err *err)
{
	const json_t *pipeline = json_object_get(result, "pipeline");
	const json_t *instructions = json_object_get(pipeline, "instructions");
	size_t count = json_array_size(instructions), oldest = 0, i;
	struct row *rows = mem_alloc_array(count, sizeof(*rows));
	struct lines lines = {0};
	json_t *item;
	bool ok = pipeline || err_set(err, "the result has no pipeline to write");

	for (i = 0; ok && i < count; i++)
		if (!read_row(&rows[i], json_array_get(instructions, i),
			      cycle_of(pipeline, "cycles")) ||
		    (i && rows[i].fetched < rows[i - 1].fetched))
			ok = err_set(err,
				     "the cycles of pipeline.instructions[%zu] are not in order",
				     i);
	for (i = 0; ok && i < count; i++)
		find_execution(rows, i);
	if (ok)
		json_array_foreach(json_object_get(pipeline, "lost"), i, item)
			add_lost(&lines, rows, count, item, &oldest);
	for (i = 0; ok && i < count; i++)
		add_row(&lines, rows, (uint32_t)i);
	if (ok) {
		if (lines.count)
			qsort(lines.list, lines.count, sizeof(*lines.list), compare_lines);
		put_lines(out, &lines, rows, cycle_of(pipeline, "from"));
		ok = report_finish(out, "the pipeline", err);
	}
	free(lines.list);
	free(rows);
	return ok;
}
