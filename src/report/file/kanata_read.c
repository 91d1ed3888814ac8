#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/file/kanata.h"

#define FIELDS_MAX 4

struct reader {
	struct kanata *kanata;
	const char *name;
	size_t line; /* its number */
	uint64_t now;
	bool has_cycle; /* C= has been read */
	struct err *err;
	/* The words of the line; the last one has the rest of it. */
	const char *field[FIELDS_MAX];
	size_t length[FIELDS_MAX];
	unsigned fields;
};

/* Its value is false, as the compiler can see. */
#define FAIL(reader, ...) (fail_at(reader, __VA_ARGS__), false)

static void __attribute__((format(printf, 2, 3)))
fail_at(const struct reader *r, const char *format, ...)
{
	char text[160];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	err_set(r->err, "%s: line %zu: %s", r->name, r->line, text);
}

static void split(struct reader *r, const char *line, size_t length, unsigned most)
{
	const char *end = line + length;

	for (r->fields = 0; r->fields < most; r->fields++) {
		const char *tab = memchr(line, '\t', (size_t)(end - line));
		bool is_last = !tab || r->fields + 1 == most;

		r->field[r->fields] = line;
		r->length[r->fields] = (size_t)((is_last ? end : tab) - line);
		if (is_last) {
			r->fields++;
			return;
		}
		line = tab + 1;
	}
}

static bool read_number(const struct reader *r, unsigned field, uint64_t most, const char *what,
			uint64_t *value)
{
	uint64_t number = 0;

	if (!r->length[field])
		return FAIL(r, "%s is missing", what);
	for (size_t i = 0; i < r->length[field]; i++) {
		char c = r->field[field][i];

		if (c < '0' || c > '9')
			return FAIL(r, "%s is not a whole number", what);
		number = number * 10 + (uint64_t)(c - '0');
		if (number > most)
			return FAIL(r, "%s is above %llu", what, (unsigned long long)most);
	}
	*value = number;
	return true;
}

/* An instruction that has been opened and, unless `may_have_ended`, has not ended. */
static bool read_insn(const struct reader *r, unsigned field, bool may_have_ended,
		      struct kanata_insn **insn)
{
	uint64_t id;

	if (!read_number(r, field, KANATA_INSNS_MAX, "the instruction's number", &id))
		return false;
	if (id >= r->kanata->count)
		return FAIL(r, "there is no instruction %llu yet", (unsigned long long)id);
	*insn = &r->kanata->insns[id];
	if ((*insn)->has_ended && !may_have_ended)
		return FAIL(r, "instruction %llu has already ended", (unsigned long long)id);
	return true;
}

static bool read_cycle(struct reader *r)
{
	bool is_first = r->length[0] == 2;
	uint64_t cycles;

	if (r->fields != 2)
		return FAIL(r, "one number is expected after %s", is_first ? "C=" : "C");
	if (is_first == r->has_cycle)
		return is_first ? FAIL(r, "C= for the second time")
				: FAIL(r, "C= must come before everything else");
	if (!read_number(r, 1, (uint64_t)KANATA_CYCLES_MAX, "the number of cycles", &cycles))
		return false;
	if (cycles > (uint64_t)KANATA_CYCLES_MAX - r->now)
		return FAIL(r, "the cycle is beyond 2^52");
	r->now += cycles;
	if (is_first)
		r->kanata->first_cycle = r->now;
	r->kanata->last_cycle = r->now;
	r->has_cycle = true;
	return true;
}

static bool read_opening(struct reader *r)
{
	struct kanata *k = r->kanata;
	uint64_t id, ignored;

	if (r->fields != 4)
		return FAIL(r, "I has three numbers: id, the simulator's id, thread");
	if (!read_number(r, 1, KANATA_INSNS_MAX, "the instruction's number", &id) ||
	    !read_number(r, 2, UINT64_MAX / 16, "the simulator's number", &ignored) ||
	    !read_number(r, 3, UINT64_MAX / 16, "the thread", &ignored))
		return false;
	if (id != k->count)
		return FAIL(r, "the next instruction is number %zu, not %llu", k->count,
			    (unsigned long long)id);
	if (k->count == KANATA_INSNS_MAX)
		return FAIL(r, "more than %d instructions", KANATA_INSNS_MAX);
	*ARRAY_PUSH(k->insns, k->count, k->capacity) = (struct kanata_insn){
		.begin = r->now,
		.first_stage = KANATA_NONE,
		.last_stage = KANATA_NONE,
		.open = {KANATA_NONE, KANATA_NONE},
	};
	return true;
}

static bool read_label(struct reader *r)
{
	struct kanata_insn *insn;
	uint64_t type;

	if (r->fields != 4)
		return FAIL(r, "L has an instruction, a type and a text");
	if (!read_insn(r, 1, false, &insn) || !read_number(r, 2, 1, "the type of text", &type))
		return false;
	if (type == 0) {
		size_t old = insn->label ? strlen(insn->label) : 0;

		if (old + r->length[3] > KANATA_LABEL_BYTES)
			return FAIL(r, "an instruction's text is longer than %d bytes",
				    KANATA_LABEL_BYTES);
		insn->label = mem_realloc(insn->label, old + r->length[3] + 1, 1);
		memcpy(insn->label + old, r->field[3], r->length[3]);
		insn->label[old + r->length[3]] = '\0';
	}
	return true;
}

static bool find_name(struct reader *r, unsigned field, uint8_t *name)
{
	struct kanata *k = r->kanata;
	size_t length = r->length[field];

	if (!length || length >= KANATA_STAGE_BYTES)
		return FAIL(r, "the name of a stage has 1 to %d characters",
			    KANATA_STAGE_BYTES - 1);
	for (unsigned i = 0; i < k->name_count; i++)
		if (strlen(k->names[i]) == length &&
		    memcmp(k->names[i], r->field[field], length) == 0) {
			*name = (uint8_t)i;
			return true;
		}
	if (k->name_count == KANATA_STAGE_NAMES_MAX)
		return FAIL(r, "more than %d names of stages", KANATA_STAGE_NAMES_MAX);
	memcpy(k->names[k->name_count], r->field[field], length);
	*name = (uint8_t)k->name_count++;
	return true;
}

static void end_stage(struct reader *r, struct kanata_insn *insn, unsigned lane)
{
	if (insn->open[lane] != KANATA_NONE)
		r->kanata->stages[insn->open[lane]].end = r->now;
	insn->open[lane] = KANATA_NONE;
}

static bool read_stage(struct reader *r)
{
	struct kanata *k = r->kanata;
	bool begins = r->field[0][0] == 'S';
	struct kanata_insn *insn;
	uint64_t lane;
	uint8_t name;

	if (r->fields != 4)
		return FAIL(r, "%c has an instruction, a lane and a stage", r->field[0][0]);
	if (!read_insn(r, 1, false, &insn) || !read_number(r, 2, 1, "the lane", &lane) ||
	    !find_name(r, 3, &name))
		return false;
	if (!begins &&
	    (insn->open[lane] == KANATA_NONE || k->stages[insn->open[lane]].name != name))
		return FAIL(r, "the stage that ends is not the one that began");
	end_stage(r, insn, (unsigned)lane);
	if (!begins)
		return true;
	*ARRAY_PUSH(k->stages, k->stage_count, k->stage_capacity) = (struct kanata_stage){
		.begin = r->now, .next = KANATA_NONE, .lane = (uint8_t)lane, .name = name};
	uint32_t stage = (uint32_t)(k->stage_count - 1);
	if (insn->last_stage == KANATA_NONE)
		insn->first_stage = stage;
	else
		k->stages[insn->last_stage].next = stage;
	insn->last_stage = insn->open[lane] = stage;
	return true;
}

static bool read_end(struct reader *r)
{
	struct kanata_insn *insn;
	uint64_t ignored, type;

	if (r->fields != 4)
		return FAIL(r, "R has an instruction, a number and a type");
	if (!read_insn(r, 1, false, &insn) ||
	    !read_number(r, 2, UINT64_MAX / 16, "the number of retirement", &ignored) ||
	    !read_number(r, 3, 1, "the type of ending", &type))
		return false;
	end_stage(r, insn, 0);
	end_stage(r, insn, 1);
	insn->end = r->now;
	insn->is_flushed = type;
	insn->has_ended = true;
	return true;
}

static bool read_dependence(struct reader *r)
{
	struct kanata_insn *consumer, *producer;
	uint64_t type;

	if (r->fields != 4)
		return FAIL(r, "W has a consumer, a producer and a type");
	if (!read_insn(r, 1, false, &consumer) || !read_insn(r, 2, true, &producer) ||
	    !read_number(r, 3, 15, "the type of dependence", &type))
		return false;
	if (consumer == producer)
		return FAIL(r, "an instruction cannot depend on itself");
	consumer->producers++;
	return true;
}

static bool read_line(struct reader *r, const char *line, size_t length)
{
	if (length && line[length - 1] == '\r')
		length--;
	if (memchr(line, '\0', length))
		return FAIL(r, "a zero byte");
	split(r, line, length, FIELDS_MAX);
	if (r->line == 1)
		return (r->fields == 2 && r->length[0] == 6 && memcmp(line, "Kanata", 6) == 0 &&
			r->length[1] == 4 && memcmp(r->field[1], "0004", 4) == 0) ||
		       FAIL(r, "not a pipeline file: it must begin with Kanata, a tab and 0004");
	if (r->length[0] == 2 && memcmp(line, "C=", 2) == 0)
		return read_cycle(r);
	if (r->length[0] != 1)
		return FAIL(r, "unknown command; C=, C, I, L, S, E, R and W are known");
	if (!r->has_cycle && line[0] != 'C')
		return FAIL(r, "C= must come before everything else");
	switch (line[0]) {
	case 'C': return read_cycle(r);
	case 'I': return read_opening(r);
	case 'L': return read_label(r);
	case 'S':
	case 'E': return read_stage(r);
	case 'R': return read_end(r);
	case 'W': return read_dependence(r);
	default: return FAIL(r, "unknown command; C=, C, I, L, S, E, R and W are known");
	}
}

bool kanata_read(struct kanata *kanata, const char *bytes, size_t size, const char *name,
		 struct err *err)
{
	struct reader r = {.kanata = kanata, .name = name, .err = err};

	*kanata = (struct kanata){0};
	for (size_t at = 0; at < size;) {
		const char *end = memchr(bytes + at, '\n', size - at);
		size_t length = end ? (size_t)(end - (bytes + at)) : size - at;

		r.line++;
		if (!read_line(&r, bytes + at, length))
			return false;
		at += length + 1;
	}
	if (!r.has_cycle)
		return err_set(err, "%s: it ends before the line C=", name);
	for (size_t i = 0; i < kanata->count; i++)
		if (!kanata->insns[i].has_ended)
			return err_set(err, "%s: it ends before instruction %zu does (no line R)",
				       name, i);
	return true;
}

bool kanata_read_file(struct kanata *kanata, const char *path, struct err *err)
{
	FILE *in = fopen(path, "re");
	char *bytes = NULL;
	size_t size = 0, capacity = 0, got = 1;
	bool ok = in || err_set(err, "%s: %s", path, strerror(errno));

	*kanata = (struct kanata){0};
	while (ok && got) {
		if (size == capacity) {
			capacity = capacity ? 2 * capacity : 65536;
			bytes = mem_realloc(bytes, capacity, 1);
		}
		got = fread(bytes + size, 1, capacity - size, in);
		size += got;
		if (size > KANATA_BYTES_MAX)
			ok = err_set(err, "%s: larger than %llu MB", path,
				     (unsigned long long)(KANATA_BYTES_MAX >> 20));
	}
	if (ok && ferror(in))
		ok = err_set(err, "%s: %s", path, strerror(errno));
	if (in)
		fclose(in);
	ok = ok && kanata_read(kanata, bytes, size, path, err);
	free(bytes);
	return ok;
}

void kanata_release(struct kanata *kanata)
{
	for (size_t i = 0; i < kanata->count; i++)
		free(kanata->insns[i].label);
	free(kanata->insns);
	free(kanata->stages);
	*kanata = (struct kanata){0};
}
