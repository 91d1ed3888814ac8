#include "trace/frame.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"

#define PATH_BITS 14
#define NO_OP	  UINT32_MAX
/* An op defined by its RISC-V instruction, or by fields. Either begins with the distance from the
 * end of the op defined before, without its highest bit; fields have that. */
enum definition { DEFINED_BY_INSN = 0, DEFINED_BY_FIELDS = 1 };

/* What both sides know of an op of the frame. */
struct known {
	uint32_t next, other; /* the ops that followed it last, and before that */
	uint64_t address;
	uint64_t stride;
	uint64_t from_last; /* the distance from the access before it */
	uint8_t prefers;    /* which of the two predictions was right */
	bool is_control;
	bool accesses;
};

/* The state that both sides keep in step. */
struct predictor_state {
	struct known *known;
	size_t count, capacity;
	uint32_t *by_path; /* by a hash of op and recent path: the op that followed, plus 1 */
	uint32_t path;
	uint32_t current;
	uint64_t last_address;
};

static void state_init(struct predictor_state *s)
{
	*s = (struct predictor_state){.current = NO_OP};
	s->by_path = mem_alloc_array(1U << PATH_BITS, sizeof(*s->by_path));
}

static void state_reset(struct predictor_state *s)
{
	memset(s->by_path, 0, sizeof(*s->by_path) << PATH_BITS);
	s->count = 0;
	s->path = 0;
	s->current = NO_OP;
	s->last_address = 0;
}

static void state_release(struct predictor_state *s)
{
	free(s->known);
	free(s->by_path);
}

static void state_define(struct predictor_state *s, const struct trace_op *op)
{
	*ARRAY_PUSH(s->known, s->count, s->capacity) = (struct known){
		.next = NO_OP,
		.other = NO_OP,
		.is_control = op->control != CONTROL_NONE,
		.accesses = op->access_bytes,
	};
}

static inline uint32_t path_hash(uint32_t op, uint32_t path)
{
	uint32_t hash = (op * UINT32_C(0x9e3779b1)) ^ (path * UINT32_C(0x85ebca6b));

	return hash >> (32 - PATH_BITS);
}

static uint32_t *path_slot(struct predictor_state *s)
{
	return &s->by_path[path_hash(s->current, s->path)];
}

static uint32_t predict_op(struct predictor_state *s)
{
	if (s->current == NO_OP)
		return NO_OP;
	const struct known *k = &s->known[s->current];
	uint32_t by_path = k->is_control ? *path_slot(s) : 0;
	return by_path ? by_path - 1 : k->next;
}

static void learn_op(struct predictor_state *s, uint32_t op)
{
	if (s->current != NO_OP) {
		struct known *k = &s->known[s->current];

		if (k->is_control) {
			*path_slot(s) = op + 1;
			s->path = s->path << 1 ^ (op & 0xff);
		}
		if (k->next != op) {
			k->other = k->next;
			k->next = op;
		}
	}
	s->current = op;
}

static uint64_t predict_address(const struct predictor_state *s, const struct known *k)
{
	return k->prefers ? s->last_address + k->from_last : k->address + k->stride;
}

static inline void learn(struct known *k, uint64_t *last_address, uint64_t address)
{
	bool by_stride = k->address + k->stride == address;
	bool by_distance = *last_address + k->from_last == address;

	if (by_stride != by_distance)
		k->prefers = by_distance;
	k->stride = address - k->address;
	k->from_last = address - *last_address;
	k->address = address;
	*last_address = address;
}

static void learn_address(struct predictor_state *s, struct known *k, uint64_t address)
{
	learn(k, &s->last_address, address);
}

/* ---- writing ---- */

struct frame_writer {
	struct predictor_state state;
	struct bytes streams[FRAME_STREAMS];
	uint32_t steps;
	uint64_t right[FRAME_STREAMS]; /* predictions since the last wrong one */
	uint64_t defined_pc;
	/* Of each op number of the source: its index in the frame plus 1, and the frame. */
	struct local {
		uint32_t index, frame;
	} * locals;
	size_t local_count;
	uint32_t frame;
};

struct frame_writer *frame_writer_create(void)
{
	struct frame_writer *writer = mem_alloc(sizeof(*writer));

	state_init(&writer->state);
	writer->frame = 1;
	return writer;
}

void frame_writer_destroy(struct frame_writer *writer)
{
	if (!writer)
		return;
	state_release(&writer->state);
	for (unsigned i = 0; i < FRAME_STREAMS; i++)
		free(writer->streams[i].bytes);
	free(writer->locals);
	free(writer);
}

uint32_t frame_writer_steps(const struct frame_writer *writer)
{
	return writer->steps;
}

static void define(struct frame_writer *writer, const struct trace_op *op)
{
	struct bytes *to = &writer->streams[FRAME_OPS];
	uint64_t distance = bytes_fold(op->pc - writer->defined_pc);
	bool is_insn = op->raw;

	bytes_put_leb128(to, distance << 1 | (is_insn ? DEFINED_BY_INSN : DEFINED_BY_FIELDS));
	writer->defined_pc = op->pc + op->bytes;
	if (is_insn) {
		bytes_put_number(to, op->raw, insn_is_compressed(op->raw) ? 2 : 4);
	} else {
		const uint8_t fields[] = {
			op->bytes,
			op->unit,
			op->control,
			op->access_bytes,
			(uint8_t)(op->is_load | op->is_store << 1 | distance >> 63 << 2),
			op->address_sources};

		bytes_put(to, fields, sizeof(fields));
		bytes_put(to, op->sources, sizeof(op->sources));
		bytes_put(to, op->destinations, sizeof(op->destinations));
	}
	state_define(&writer->state, op);
}

/* The op's index in the frame; where it is new, the number of ops in it. */
static uint32_t local_index(struct frame_writer *writer, const struct trace_op *op)
{
	if (UNLIKELY(op->number >= writer->local_count)) {
		size_t count = 2 * (size_t)op->number + 64;

		writer->locals = mem_realloc(writer->locals, count, sizeof(*writer->locals));
		memset(writer->locals + writer->local_count, 0,
		       (count - writer->local_count) * sizeof(*writer->locals));
		writer->local_count = count;
	}
	struct local *local = &writer->locals[op->number];
	if (UNLIKELY(local->frame != writer->frame))
		*local = (struct local){(uint32_t)writer->state.count, writer->frame};
	return local->index;
}

static void put_wrong(struct frame_writer *writer, enum frame_stream stream, uint64_t symbol)
{
	bytes_put_leb128(&writer->streams[stream], writer->right[stream]);
	bytes_put_leb128(&writer->streams[stream], symbol);
	writer->right[stream] = 0;
}

static void add_path(struct frame_writer *writer, const struct trace_op *op)
{
	struct predictor_state *s = &writer->state;
	uint32_t index = local_index(writer, op);

	if (LIKELY(predict_op(s) == index)) {
		writer->right[FRAME_PATH]++;
	} else {
		bool is_other = s->current != NO_OP && s->known[s->current].other == index;

		put_wrong(writer, FRAME_PATH, is_other ? 0 : (uint64_t)index + 1);
		if (index == s->count)
			define(writer, op);
	}
	learn_op(s, index);
}

/* A wrong address is written as its distance from the op's last or from the access before it,
 * whichever is nearer, and a bit that says which. */
static void add_address(struct frame_writer *writer, uint64_t address)
{
	struct predictor_state *s = &writer->state;
	struct known *k = &s->known[s->current];

	if (LIKELY(predict_address(s, k) == address)) {
		writer->right[FRAME_ADDRESSES]++;
	} else {
		uint64_t own = bytes_fold(address - k->address),
			 last = bytes_fold(address - s->last_address);
		uint64_t nearer = own <= last ? own : last;

		bytes_put_leb128(&writer->streams[FRAME_ADDRESSES],
				 writer->right[FRAME_ADDRESSES] << 1 | (own > last));
		bytes_put_leb128(&writer->streams[FRAME_ADDRESSES], nearer);
		writer->right[FRAME_ADDRESSES] = 0;
	}
	learn_address(s, k, address);
}

void frame_writer_add(struct frame_writer *writer, const struct trace_step *steps, size_t count)
{
	if (!writer->steps)
		for (unsigned i = 0; i < FRAME_STREAMS; i++)
			writer->streams[i].count = 0;
	for (size_t i = 0; i < count; i++) {
		add_path(writer, steps[i].op);
		if (steps[i].op->access_bytes)
			add_address(writer, steps[i].address);
	}
	writer->steps += (uint32_t)count;
}

const struct bytes *frame_writer_take(struct frame_writer *writer)
{
	if (!writer->steps)
		for (unsigned i = 0; i < FRAME_STREAMS; i++)
			writer->streams[i].count = 0;
	state_reset(&writer->state);
	memset(writer->right, 0, sizeof(writer->right));
	writer->steps = 0;
	writer->defined_pc = 0;
	writer->frame++;
	return writer->streams;
}

/* ---- reading ---- */

struct stream {
	struct reader reader;
	uint64_t right; /* predictions before the next wrong one */
	bool is_over;	/* no more wrong ones */
	bool is_last;	/* which of the two addresses the next wrong one is near to */
};

struct frame_reader {
	struct predictor_state state;
	struct stream streams[FRAME_STREAMS];
	struct trace_op **ops; /* by index in the frame; kept from frame to frame */
	size_t op_capacity;
	uint32_t left;
	uint64_t end_pc, defined_pc;
	struct trace_step held; /* read, not yet handed out; op NULL: none */
	bool is_begun;
};

struct frame_reader *frame_reader_create(void)
{
	struct frame_reader *reader = mem_alloc(sizeof(*reader));

	state_init(&reader->state);
	return reader;
}

void frame_reader_destroy(struct frame_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < reader->op_capacity; i++)
		free(reader->ops[i]);
	free(reader->ops);
	state_release(&reader->state);
	free(reader);
}

void frame_reader_begin(struct frame_reader *reader, const uint8_t *const streams[FRAME_STREAMS],
			const size_t bytes[FRAME_STREAMS], uint32_t steps, uint64_t end_pc)
{
	state_reset(&reader->state);
	for (unsigned i = 0; i < FRAME_STREAMS; i++)
		reader->streams[i] = (struct stream){.reader = reader_of(streams[i], bytes[i])};
	reader->left = steps;
	reader->end_pc = end_pc;
	reader->defined_pc = 0;
	reader->held = (struct trace_step){0};
	reader->is_begun = false;
}

/* Reads how many predictions are right before the next wrong one. */
static bool get_run(struct stream *from, bool has_bit)
{
	from->is_over = !reader_left(&from->reader);
	if (from->is_over)
		return true;
	from->right = reader_leb128(&from->reader);
	if (has_bit) {
		from->is_last = from->right & 1;
		from->right >>= 1;
	}
	return !from->reader.bad;
}

static struct trace_op *new_op(struct frame_reader *reader)
{
	size_t index = reader->state.count;

	if (index == reader->op_capacity) {
		reader->op_capacity = index ? 2 * index : 64;
		reader->ops = mem_realloc(reader->ops, reader->op_capacity, sizeof(*reader->ops));
		for (size_t i = index; i < reader->op_capacity; i++)
			reader->ops[i] = NULL;
	}
	if (!reader->ops[index])
		reader->ops[index] = mem_alloc(sizeof(struct trace_op));
	return reader->ops[index];
}

static bool op_is_possible(const struct trace_op *op)
{
	return op->bytes && op->unit < UNIT_COUNT && op->control <= CONTROL_RETURN &&
	       (op->access_bytes != 0) == (op->is_load || op->is_store) && op->access_bytes <= 64 &&
	       op->address_sources <= TRACE_SOURCES;
}

static bool get_fields(struct reader *from, struct trace_op *op, uint64_t before, uint64_t distance)
{
	const uint8_t *fields = reader_take(from, 6 + TRACE_SOURCES + TRACE_DESTINATIONS);

	if (!fields || fields[4] > 7)
		return false;
	*op = (struct trace_op){
		.pc = before + bytes_unfold(distance | (uint64_t)(fields[4] >> 2) << 63),
		.insn = {.op = OP_ILLEGAL},
		.bytes = fields[0],
		.unit = fields[1],
		.control = fields[2],
		.access_bytes = fields[3],
		.is_load = fields[4] & 1,
		.is_store = fields[4] & 2,
		.address_sources = fields[5],
	};
	memcpy(op->sources, fields + 6, TRACE_SOURCES);
	memcpy(op->destinations, fields + 6 + TRACE_SOURCES, TRACE_DESTINATIONS);
	return op_is_possible(op);
}

static bool get_insn(struct reader *from, struct trace_op *op, uint64_t pc)
{
	uint32_t raw = reader_u16(from);

	if (!raw)
		return false;
	if (!insn_is_compressed(raw))
		raw |= (uint32_t)reader_u16(from) << 16;
	if (from->bad)
		return false;
	const struct insn insn = insn_decode(raw);
	trace_op_init(op, pc, &insn, raw);
	return insn.op != OP_ILLEGAL;
}

static bool read_definition(struct frame_reader *reader)
{
	struct reader *from = &reader->streams[FRAME_OPS].reader;
	struct trace_op *op = new_op(reader);
	uint64_t word = reader_leb128(from);

	if (from->bad)
		return false;
	uint64_t before = reader->defined_pc, distance = word >> 1;
	bool by_fields = (word & 1) == DEFINED_BY_FIELDS;
	if (!(by_fields ? get_fields(from, op, before, distance)
			: get_insn(from, op, before + bytes_unfold(distance))))
		return false;
	op->number = (uint32_t)reader->state.count;
	reader->defined_pc = op->pc + op->bytes;
	state_define(&reader->state, op);
	return true;
}

static bool read_path(struct frame_reader *reader, uint32_t *index)
{
	struct predictor_state *s = &reader->state;
	struct stream *from = &reader->streams[FRAME_PATH];

	if (LIKELY(from->right || from->is_over)) {
		from->right -= !from->is_over;
		*index = predict_op(s);
		if (*index == NO_OP)
			return false;
	} else {
		uint64_t symbol = reader_leb128(&from->reader);

		if (from->reader.bad)
			return false;
		if (!symbol && s->current == NO_OP)
			return false;
		*index = symbol ? (uint32_t)(symbol - 1) : s->known[s->current].other;
		if (*index == NO_OP || symbol > s->count + 1)
			return false;
		if (*index == s->count && !read_definition(reader))
			return false;
		if (!get_run(from, false))
			return false;
	}
	learn_op(s, *index);
	return true;
}

static bool read_address(struct frame_reader *reader, uint64_t *address)
{
	struct predictor_state *s = &reader->state;
	struct stream *from = &reader->streams[FRAME_ADDRESSES];
	struct known *k = &s->known[s->current];

	if (LIKELY(from->right || from->is_over)) {
		from->right -= !from->is_over;
		*address = predict_address(s, k);
	} else {
		uint64_t distance = reader_leb128(&from->reader);

		if (from->reader.bad)
			return false;
		*address = (from->is_last ? s->last_address : k->address) + bytes_unfold(distance);
		if (!get_run(from, true))
			return false;
	}
	learn_address(s, k, *address);
	return true;
}

static bool read_step(struct frame_reader *reader, struct trace_step *step)
{
	uint32_t index = 0;

	if (!read_path(reader, &index))
		return false;
	*step = (struct trace_step){.op = reader->ops[index]};
	reader->left--;
	return !step->op->access_bytes || read_address(reader, &step->address);
}

/* How many steps all of whose predictions are right follow at least, as far as a stream goes. */
static inline uint64_t right_left(const struct stream *s)
{
	return s->is_over ? UINT64_MAX : s->right;
}

/* Reads steps, at most `most`, until a prediction is wrong, as read_step would one by one; in
 * variables of its own, which the compiler can keep in registers. Each gets its next_pc with the
 * one after it: the first is the one held, and the last is held then. */
static size_t read_right(struct frame_reader *reader, struct trace_step *steps, size_t most)
{
	struct predictor_state *s = &reader->state;
	struct known *const known = s->known;
	uint32_t *const by_path = s->by_path;
	struct trace_op *const *const ops = reader->ops;
	struct stream *path_from = &reader->streams[FRAME_PATH],
		      *addresses_from = &reader->streams[FRAME_ADDRESSES];
	const uint64_t path_right = right_left(path_from), right = right_left(addresses_from);
	uint64_t last_address = s->last_address, addresses = 0;
	uint32_t current = s->current, path = s->path;
	struct trace_step held = reader->held;
	size_t count = 0;

	most = most < reader->left ? most : reader->left;
	most = most < path_right ? most : (size_t)path_right;
	while (count < most) {
		struct known *k = &known[current];
		uint32_t next = k->next, *slot = NULL;

		if (k->is_control) {
			slot = &by_path[path_hash(current, path)];
			next = *slot ? *slot - 1 : next;
		}
		if (next == NO_OP || (known[next].accesses && addresses == right))
			break;
		if (slot) {
			*slot = next + 1;
			path = path << 1 ^ (next & 0xff);
			if (k->next != next) {
				k->other = k->next;
				k->next = next;
			}
		}
		current = next;
		k = &known[next];
		held.next_pc = ops[next]->pc;
		steps[count++] = held;
		held = (struct trace_step){.op = ops[next]};
		if (!k->accesses)
			continue;
		addresses++;
		held.address = k->prefers ? last_address + k->from_last : k->address + k->stride;
		learn(k, &last_address, held.address);
	}
	reader->held = held;
	reader->left -= (uint32_t)count;
	path_from->right -= path_from->is_over ? 0 : count;
	addresses_from->right -= addresses_from->is_over ? 0 : addresses;
	s->current = current;
	s->path = path;
	s->last_address = last_address;
	return count;
}

/* Nothing is left over at the end of a frame. */
static bool is_complete(const struct frame_reader *reader)
{
	const struct stream *s = reader->streams;

	return reader_is_done(&s[FRAME_OPS].reader) && s[FRAME_PATH].is_over &&
	       s[FRAME_ADDRESSES].is_over;
}

static bool read_steps(struct frame_reader *reader, struct trace_step *steps, size_t most,
		       size_t *count)
{
	if (!reader->is_begun) {
		reader->is_begun = true;
		if (!get_run(&reader->streams[FRAME_PATH], false) ||
		    !get_run(&reader->streams[FRAME_ADDRESSES], true) ||
		    (reader->left && !read_step(reader, &reader->held)))
			return false;
	}
	/* A step is handed out when the one after it, whose pc is its next_pc, is known. */
	while (*count < most && reader->held.op) {
		struct trace_step next = {0};

		*count += read_right(reader, steps + *count, most - *count);
		if (*count == most)
			break;
		if (reader->left ? !read_step(reader, &next) : !is_complete(reader))
			return false;
		reader->held.next_pc = next.op ? next.op->pc : reader->end_pc;
		steps[(*count)++] = reader->held;
		reader->held = next;
	}
	return true;
}

bool frame_reader_next(struct frame_reader *reader, struct trace_step *steps, size_t most,
		       size_t *count, struct err *err)
{
	*count = 0;
	return read_steps(reader, steps, most, count)
		       ? true
		       : err_set(err, "the contents of this frame are not those of a trace");
}
