#include "trace/champsim.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "trace/lengths.h"

#define CHAMPSIM_SP    6
#define CHAMPSIM_FLAGS 25
#define CHAMPSIM_IP    26
#define OTHERS_FROM    64  /* our registers up to 63 are those of RISC-V */
#define OTHERS_TO      128 /* from here on both sides have the same numbers */
#define UNWRITTEN      255 /* no program of RISC-V has it */
#define IMPORTED_BYTES 8   /* of an access whose size is not known */
#define USUAL_BYTES    4   /* of an instruction whose length is not known */
#define OP_TABLE_MOST  (UINT32_C(1) << 22)
#define OPS_TRIED      64 /* in the table, whatever addresses there are */

struct record {
	uint64_t ip;
	uint8_t is_branch, taken;
	uint8_t destinations[2], sources[4];
	uint64_t stores[2], loads[4];
};

_Static_assert(sizeof(struct record) == CHAMPSIM_RECORD_BYTES, "as the format has it");

/* ---- registers ---- */

/* Each of their numbers is one of ours and the other way round. Our 1 to 63 are their 65 to 127,
 * but sp, which is 6; their 1 to 64 are our 64 to 127, where 66 has the place of 6. */
#define SP_ABOVE (REG_SP + OTHERS_FROM)

static uint8_t exported(uint8_t reg)
{
	if (!reg || reg >= OTHERS_TO)
		return reg;
	if (reg < OTHERS_FROM)
		return reg == REG_SP ? CHAMPSIM_SP : (uint8_t)(reg + OTHERS_FROM);
	reg = (uint8_t)(reg - OTHERS_FROM + 1);
	return reg == CHAMPSIM_SP ? SP_ABOVE : reg;
}

static uint8_t imported(uint8_t reg)
{
	if (!reg || reg >= OTHERS_TO)
		return reg;
	if (reg == CHAMPSIM_SP)
		return REG_SP;
	if (reg == SP_ABOVE)
		reg = CHAMPSIM_SP;
	return (uint8_t)(reg > OTHERS_FROM ? reg - OTHERS_FROM : reg + OTHERS_FROM - 1);
}

/* The registers by which the simulator tells the kind of a branch. */
static bool tells_kind(uint8_t theirs)
{
	return theirs == CHAMPSIM_SP || theirs == CHAMPSIM_FLAGS || theirs == CHAMPSIM_IP;
}

/* ---- export ---- */

/* A branch has the registers that tell its kind, and what it reads besides as far as the kind
 * allows others. */
static void put_branch(struct record *record, const struct trace_op *op)
{
	static const struct {
		uint8_t destinations[2], sources[2];
		bool reads_others;
		uint8_t last; /* if nothing else fills the sources */
	} kinds[] = {
		[CONTROL_CONDITIONAL] = {{CHAMPSIM_IP}, {CHAMPSIM_IP}, true, CHAMPSIM_FLAGS},
		[CONTROL_JUMP] = {{CHAMPSIM_IP}, {CHAMPSIM_IP}, false, 0},
		[CONTROL_CALL] = {{CHAMPSIM_IP, CHAMPSIM_SP}, {CHAMPSIM_IP, CHAMPSIM_SP}, false, 0},
		[CONTROL_INDIRECT] = {{CHAMPSIM_IP}, {0}, true, 0},
		[CONTROL_INDIRECT_CALL] = {{CHAMPSIM_IP, CHAMPSIM_SP},
					   {CHAMPSIM_IP, CHAMPSIM_SP},
					   true,
					   0},
		[CONTROL_RETURN] = {{CHAMPSIM_IP, CHAMPSIM_SP}, {CHAMPSIM_SP}, true, 0},
	};
	const bool is_indirect =
		op->control == CONTROL_INDIRECT || op->control == CONTROL_INDIRECT_CALL;
	unsigned n = 0, first;

	memcpy(record->destinations, kinds[op->control].destinations, 2);
	while (n < 2 && kinds[op->control].sources[n]) {
		record->sources[n] = kinds[op->control].sources[n];
		n++;
	}
	first = n;
	for (unsigned i = 0; kinds[op->control].reads_others && i < TRACE_SOURCES && n < 4; i++) {
		uint8_t reg = exported(op->sources[i]);

		if (reg && !tells_kind(reg))
			record->sources[n++] = reg;
	}
	/* A jump through x0 or sp, which no program does, would look like another kind. */
	if (is_indirect && n == first)
		record->sources[n++] = UNWRITTEN;
	if (n < 4)
		record->sources[n] = kinds[op->control].last;
}

static void put_registers(struct record *record, const struct trace_op *op)
{
	unsigned n = 0;

	for (unsigned i = 0; i < TRACE_SOURCES; i++)
		if (op->sources[i])
			record->sources[n++] = exported(op->sources[i]);
	for (unsigned i = 0; i < TRACE_DESTINATIONS; i++)
		record->destinations[i] = exported(op->destinations[i]);
}

struct exporter {
	FILE *out;
	uint64_t count;
};

static bool export_steps(void *context, const struct trace_step *steps, size_t count)
{
	struct exporter *exporter = context;

	for (size_t i = 0; i < count; i++) {
		const struct trace_op *op = steps[i].op;
		struct record record = {.ip = op->pc};

		if (op->control != CONTROL_NONE) {
			record.is_branch = 1;
			record.taken = op->control != CONTROL_CONDITIONAL ||
				       steps[i].next_pc != op->pc + op->bytes;
			put_branch(&record, op);
		} else {
			put_registers(&record, op);
		}
		if (op->is_load)
			record.loads[0] = steps[i].address;
		if (op->is_store)
			record.stores[0] = steps[i].address;
		fwrite(&record, sizeof(record), 1, exporter->out);
	}
	exporter->count += count;
	return exporter->count <= CHAMPSIM_RECORDS_MOST;
}

bool champsim_export(struct trace_reader *reader, FILE *out, uint64_t *instructions,
		     struct err *err)
{
	struct exporter exporter = {out, 0};
	struct trace_totals totals;

	if (!trace_reader_totals(reader, &totals, err))
		return false;
	if (totals.steps > CHAMPSIM_RECORDS_MOST)
		return err_set(err,
			       "the trace has %llu instructions and at most %u can be exported: "
			       "record fewer with --max-insns",
			       (unsigned long long)totals.steps, CHAMPSIM_RECORDS_MOST);
	bool ok = trace_reader_run(reader, export_steps, &exporter, err);
	*instructions = exporter.count;
	return ok;
}

/* ---- import ---- */

/* Registers that only tell the kind of a branch are no dependences. What a conditional branch
 * compares is in the flags, if it is one of a machine that has them. */
static void keep_other_registers(struct trace_op *op, const struct record *record)
{
	unsigned n = 0;

	memset(op->sources, 0, sizeof(op->sources));
	memset(op->destinations, 0, sizeof(op->destinations));
	for (unsigned i = 0; i < 4; i++) {
		uint8_t reg = record->sources[i];

		if (reg && (!tells_kind(reg) ||
			    (reg == CHAMPSIM_FLAGS && op->control == CONTROL_CONDITIONAL)))
			op->sources[n++] = imported(reg);
	}
}

static bool has(const uint8_t *list, size_t count, uint8_t reg)
{
	return memchr(list, reg, count);
}

static enum control kind_of(const struct record *record)
{
	const uint8_t *s = record->sources;
	bool reads_sp = has(s, 4, CHAMPSIM_SP), reads_ip = has(s, 4, CHAMPSIM_IP);
	bool reads_flags = has(s, 4, CHAMPSIM_FLAGS), reads_other = false;

	for (unsigned i = 0; i < 4; i++)
		reads_other |= s[i] && !tells_kind(s[i]);
	if (!record->is_branch)
		return CONTROL_NONE;
	if (reads_sp && !reads_ip)
		return CONTROL_RETURN;
	if (reads_sp)
		return reads_other ? CONTROL_INDIRECT_CALL : CONTROL_CALL;
	if (reads_flags || (reads_ip && reads_other))
		return CONTROL_CONDITIONAL;
	return reads_other ? CONTROL_INDIRECT : CONTROL_JUMP;
}

static enum unit unit_of(const struct trace_op *op)
{
	switch ((enum control)op->control) {
	case CONTROL_NONE: break;
	case CONTROL_CONDITIONAL: return UNIT_BRANCH;
	case CONTROL_JUMP:
	case CONTROL_CALL: return UNIT_JUMP;
	default: return UNIT_JUMP_INDIRECT;
	}
	if (op->is_load)
		return op->is_store ? UNIT_AMO : UNIT_LOAD;
	return op->is_store ? UNIT_STORE : UNIT_ALU;
}

struct importer {
	struct trace_writer *writer;
	struct lengths *lengths;
	struct trace_op **ops; /* by number */
	size_t op_count, op_capacity;
	uint32_t *table; /* by a hash of the contents: number plus 1 */
	uint32_t table_mask;
	uint64_t steps;
};

static bool same_op(const struct trace_op *a, const struct trace_op *b)
{
	return a->pc == b->pc && a->bytes == b->bytes && a->unit == b->unit &&
	       a->control == b->control && a->access_bytes == b->access_bytes &&
	       a->address_sources == b->address_sources &&
	       memcmp(a->sources, b->sources, sizeof(a->sources)) == 0 &&
	       memcmp(a->destinations, b->destinations, sizeof(a->destinations)) == 0;
}

/* A new op with these contents; it has the next number. */
static struct trace_op *add_op(struct importer *importer, const struct trace_op *wanted)
{
	size_t number = importer->op_count++;

	if (number == importer->op_capacity) {
		importer->op_capacity = number ? 2 * number : 64;
		importer->ops =
			mem_realloc(importer->ops, importer->op_capacity, sizeof(*importer->ops));
		memset(importer->ops + number, 0,
		       (importer->op_capacity - number) * sizeof(*importer->ops));
	}
	if (!importer->ops[number])
		importer->ops[number] = mem_alloc(sizeof(struct trace_op));
	*importer->ops[number] = *wanted;
	importer->ops[number]->number = (uint32_t)number;
	return importer->ops[number];
}

/* Records that are ever different are no program; their ops are then forgotten. */
static void forget_ops(struct importer *importer)
{
	memset(importer->table, 0, (importer->table_mask + (size_t)1) * sizeof(*importer->table));
	importer->op_count = 0;
	trace_writer_add(importer->writer, NULL, 0);
}

/* Where all places near its own are taken, as addresses can be chosen for, an op takes the place of
 * another. If that comes again it has another number; a trace may define an instruction twice. */
static const struct trace_op *find_op(struct importer *importer, const struct trace_op *wanted)
{
	uint32_t first =
		(uint32_t)((wanted->pc * UINT64_C(0x9e3779b97f4a7c15)) >> 40) + wanted->unit;
	uint32_t *slot = NULL;

	if (importer->op_count > importer->table_mask / 2)
		forget_ops(importer);
	for (uint32_t i = 0; i < OPS_TRIED; i++) {
		slot = &importer->table[(first + i) & importer->table_mask];
		if (!*slot)
			break;
		if (same_op(importer->ops[*slot - 1], wanted))
			return importer->ops[*slot - 1];
	}
	if (*slot)
		slot = &importer->table[first & importer->table_mask];
	const struct trace_op *op = add_op(importer, wanted);
	*slot = op->number + 1;
	return op;
}

static bool add_step(struct importer *importer, struct trace_op op, uint64_t address,
		     uint64_t next_pc)
{
	op.access_bytes = op.is_load || op.is_store ? IMPORTED_BYTES : 0;
	op.unit = (uint8_t)unit_of(&op);
	const struct trace_step step = {find_op(importer, &op), address, next_pc};

	importer->steps++;
	return trace_writer_add(importer->writer, &step, 1);
}

/* The length of an instruction: where it does not jump, the distance to the next one. */
static uint8_t length_of(const struct importer *importer, const struct record *record,
			 uint64_t next_ip)
{
	uint64_t distance = next_ip - record->ip;
	uint8_t known = lengths_at(importer->lengths, record->ip);
	uint8_t bytes = known ? known : USUAL_BYTES;

	if (!record->taken && distance >= 1 && distance <= LENGTHS_BYTES_MOST)
		return (uint8_t)distance;
	/* A conditional branch to the instruction behind it is taken still. */
	if (record->taken && bytes == distance && kind_of(record) == CONTROL_CONDITIONAL)
		return bytes == USUAL_BYTES ? USUAL_BYTES / 2 : USUAL_BYTES;
	return bytes;
}

/* What an access of a branch writes: not where it goes, nor the stack pointer, which needs no
 * memory for that. */
static void drop_kind_registers(uint8_t destinations[TRACE_DESTINATIONS])
{
	for (unsigned i = 0; i < TRACE_DESTINATIONS; i++)
		if (tells_kind(exported(destinations[i])))
			destinations[i] = 0;
}

/* One step for a record with at most one access; else one for each, with the branch or the
 * arithmetic last. */
static bool import_record(struct importer *importer, const struct record *record, uint64_t next_ip)
{
	struct trace_op op = {.pc = record->ip, .insn = {.op = OP_ILLEGAL}, .address_sources = 4};
	uint64_t loads[4], stores[2];
	unsigned load_count = 0, store_count = 0;
	bool ok = true;

	op.bytes = length_of(importer, record, next_ip);
	for (unsigned i = 0; i < 4; i++) {
		op.sources[i] = imported(record->sources[i]);
		if (record->loads[i])
			loads[load_count++] = record->loads[i];
	}
	for (unsigned i = 0; i < 2; i++) {
		op.destinations[i] = imported(record->destinations[i]);
		if (record->stores[i])
			stores[store_count++] = record->stores[i];
	}
	op.control = (uint8_t)kind_of(record);
	bool is_one = load_count <= 1 && store_count <= 1 && !op.control &&
		      (!load_count || !store_count || loads[0] == stores[0]);
	if (is_one) {
		op.is_load = load_count;
		op.is_store = store_count;
		if (op.is_store && !op.is_load)
			op.address_sources = 1;
		return add_step(importer, op,
				load_count    ? loads[0]
				: store_count ? stores[0]
					      : 0,
				next_ip);
	}
	struct trace_op part = op;
	if (op.control) {
		keep_other_registers(&op, record);
		drop_kind_registers(part.destinations);
	}
	part.control = CONTROL_NONE;
	part.is_load = true;
	for (unsigned i = 0; ok && i < load_count; i++)
		ok = add_step(importer, part, loads[i], record->ip);
	part.is_load = false;
	part.is_store = true;
	memset(part.destinations, 0, sizeof(part.destinations));
	for (unsigned i = 0; ok && i < store_count; i++)
		ok = add_step(importer, part, stores[i],
			      op.control || i + 1 < store_count ? record->ip : next_ip);
	return ok && (!op.control || add_step(importer, op, 0, next_ip));
}

static bool check_records(const uint8_t *bytes, size_t size, const char *name, struct err *err)
{
	if (!size)
		return err_set(err, "%s is empty: expected ChampSim records of 64 bytes", name);
	if ((size >= 6 && memcmp(bytes,
				 "\xfd"
				 "7zXZ\0",
				 6) == 0) ||
	    (size >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0))
		return err_set(err, "%s is compressed: unpack it first, with xz -d or gzip -d",
			       name);
	for (size_t at = 0; at + CHAMPSIM_RECORD_BYTES <= size; at += CHAMPSIM_RECORD_BYTES)
		if (bytes[at + 8] > 1 || bytes[at + 9] > bytes[at + 8])
			return err_set(err,
				       "%s: at byte %zu: is_branch is %u and branch_taken %u, but "
				       "only 0 and 1 are possible, and only a branch is taken: "
				       "these are no ChampSim records of 64 bytes",
				       name, at + 8, bytes[at + 8], bytes[at + 9]);
	if (size % CHAMPSIM_RECORD_BYTES)
		return err_set(
			err,
			"%s: the record that begins at byte %zu is cut off by the end of the "
			"file, at byte %zu: records have 64 bytes",
			name, size - size % CHAMPSIM_RECORD_BYTES, size);
	return true;
}

/* The record at a place of the file, and where execution goes on after it: after the last one,
 * nothing says where. */
static struct record record_at(const uint8_t *bytes, size_t size, size_t at, uint64_t *next_ip)
{
	struct record record, next;

	memcpy(&record, bytes + at, sizeof(record));
	*next_ip = record.ip + USUAL_BYTES;
	if (at + CHAMPSIM_RECORD_BYTES < size) {
		memcpy(&next, bytes + at + CHAMPSIM_RECORD_BYTES, sizeof(next));
		*next_ip = next.ip;
	}
	return record;
}

/* The first call at an address comes before its first return, so that lengths are learned from the
 * whole file before anything is written. */
static void learn_lengths(struct lengths *lengths, const uint8_t *bytes, size_t size)
{
	for (size_t at = 0; at + CHAMPSIM_RECORD_BYTES < size; at += CHAMPSIM_RECORD_BYTES) {
		uint64_t next_ip;
		const struct record record = record_at(bytes, size, at, &next_ip);
		enum control kind = kind_of(&record);

		if (!record.taken)
			lengths_pass(lengths, record.ip, next_ip);
		else if (kind == CONTROL_CALL || kind == CONTROL_INDIRECT_CALL)
			lengths_call(lengths, record.ip);
		else if (kind == CONTROL_RETURN)
			lengths_return(lengths, next_ip);
	}
}

static void importer_release(struct importer *importer)
{
	trace_writer_destroy(importer->writer);
	lengths_destroy(importer->lengths);
	for (size_t i = 0; i < importer->op_capacity; i++)
		free(importer->ops[i]);
	free(importer->ops);
	free(importer->table);
}

bool champsim_import(const uint8_t *bytes, size_t size, const char *name, FILE *out,
		     uint64_t *instructions, struct err *err)
{
	struct importer importer = {.table_mask = OP_TABLE_MOST - 1};
	bool ok = true;

	if (!check_records(bytes, size, name, err))
		return false;
	importer.writer = trace_writer_create("{\"schema\":\"cyclestack-trace-1\"}");
	importer.lengths = lengths_create();
	importer.table = mem_alloc_array(OP_TABLE_MOST, sizeof(*importer.table));
	learn_lengths(importer.lengths, bytes, size);
	for (size_t at = 0; ok && at < size; at += CHAMPSIM_RECORD_BYTES) {
		uint64_t next_ip;
		const struct record record = record_at(bytes, size, at, &next_ip);

		ok = import_record(&importer, &record, next_ip);
	}
	if (ok) {
		const struct bytes *trace = trace_writer_finish(importer.writer, "");

		fwrite(trace->bytes, 1, trace->count, out);
		*instructions = importer.steps;
	} else {
		err_set(err, "%s: the trace would take more than %u MB: import a part of it", name,
			TRACE_BYTES_MOST >> 20);
	}
	importer_release(&importer);
	return ok;
}
