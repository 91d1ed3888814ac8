#include "rtl/stimulus.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define CHECK_CYCLES UINT64_C(1000) /* between two checks, at least */
#define PIECE_BYTES  ((size_t)32 << 10)

const char *const stimulus_suffixes[STIMULUS_FILES] = {".stimulus", ".expected"};

/* Bits, the lowest first. */
struct row {
	uint64_t *words;
	unsigned bits;
};

struct piece {
	char *text;
	size_t count, capacity;
};

struct stimulus {
	const struct circuit *circuit;
	size_t number;
	void *model;
	struct row vector, last, expected;
	unsigned *input_at; /* by input: its lowest bit */
	uint64_t *words;
	uint64_t held;	    /* cycles that `last` is held so far */
	uint64_t unchecked; /* cycles since the last check */
	struct piece pieces[STIMULUS_FILES];
	stimulus_sink *sink;
	void *context;
};

struct stimuli {
	struct stimulus *items;
	size_t count;
};

static size_t words_of(unsigned bits)
{
	return bits / 64 + 1;
}

static struct row row_create(unsigned bits)
{
	return (struct row){mem_alloc_array(words_of(bits), sizeof(uint64_t)), bits};
}

static void row_set(struct row *row, unsigned at, unsigned bits, uint64_t value)
{
	const unsigned word = at / 64, shift = at % 64;
	const uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;

	BUG_ON(value & ~mask || at + bits > row->bits);
	row->words[word] = (row->words[word] & ~(mask << shift)) | value << shift;
	if (shift + bits > 64)
		row->words[word + 1] =
			(row->words[word + 1] & ~(mask >> (64 - shift))) | value >> (64 - shift);
}

static void flush(struct stimulus *stimulus, enum stimulus_file file)
{
	struct piece *piece = &stimulus->pieces[file];

	if (piece->count)
		stimulus->sink(stimulus->context, stimulus->number, file, piece->text,
			       piece->count);
	piece->count = 0;
}

static void put(struct stimulus *stimulus, enum stimulus_file file, const char *text, size_t size)
{
	struct piece *piece = &stimulus->pieces[file];

	if (piece->count + size > piece->capacity) {
		piece->capacity = 2 * (piece->count + size);
		piece->text = mem_realloc(piece->text, piece->capacity, 1);
	}
	memcpy(piece->text + piece->count, text, size);
	piece->count += size;
}

/* In hexadecimal without leading zeros, and the end of the line. */
static void put_row(struct stimulus *stimulus, enum stimulus_file file, const struct row *row)
{
	static const char digits[] = "0123456789abcdef";
	unsigned digit = (row->bits + 3) / 4;
	bool begun = false;

	while (digit--) {
		const unsigned value = row->words[digit / 16] >> 4 * (digit % 16) & 15;

		begun |= value || !digit;
		if (begun)
			put(stimulus, file, &digits[value], 1);
	}
	put(stimulus, file, "\n", 1);
	if (stimulus->pieces[file].count >= PIECE_BYTES)
		flush(stimulus, file);
}

static void put_held(struct stimulus *stimulus)
{
	char text[24];

	if (!stimulus->held)
		return;
	put(stimulus, STIMULUS_VECTORS, text,
	    (size_t)snprintf(text, sizeof(text), "%llu ", (unsigned long long)stimulus->held));
	put_row(stimulus, STIMULUS_VECTORS, &stimulus->last);
	stimulus->held = 0;
}

void stimulus_clear(struct stimulus *stimulus)
{
	memset(stimulus->vector.words, 0, words_of(stimulus->vector.bits) * sizeof(uint64_t));
}

void stimulus_set(struct stimulus *stimulus, size_t input, uint64_t value)
{
	stimulus_set_field(stimulus, input, 0, value);
}

void stimulus_set_field(struct stimulus *stimulus, size_t input, unsigned field, uint64_t value)
{
	const struct circuit_shape *shape = &stimulus->circuit->shape;

	BUG_ON(input >= shape->input_count || field >= shape->inputs[input].count);
	const unsigned bits = shape->inputs[input].bits;
	row_set(&stimulus->vector, stimulus->input_at[input] + field * bits, bits, value);
}

void stimulus_emit(struct stimulus *stimulus, uint64_t cycles)
{
	const size_t bytes = words_of(stimulus->vector.bits) * sizeof(uint64_t);

	if (stimulus->held && memcmp(stimulus->vector.words, stimulus->last.words, bytes) != 0)
		put_held(stimulus);
	memcpy(stimulus->last.words, stimulus->vector.words, bytes);
	stimulus->held += cycles;
	stimulus->unchecked += cycles;
}

void stimulus_check(struct stimulus *stimulus)
{
	const struct circuit_shape *shape = &stimulus->circuit->shape;
	unsigned at = 0;

	put_held(stimulus);
	put(stimulus, STIMULUS_VECTORS, "0 0\n", 4);
	stimulus->circuit->kind->words(stimulus->model, stimulus->words);
	for (size_t i = 0; i < shape->word_count; i++) {
		row_set(&stimulus->expected, at, shape->words[i].bits, stimulus->words[i]);
		at += shape->words[i].bits;
	}
	put_row(stimulus, STIMULUS_EXPECTED, &stimulus->expected);
	stimulus->unchecked = 0;
}

static void init(struct stimulus *stimulus, const struct circuit *circuit)
{
	const struct circuit_shape *shape = &circuit->shape;
	unsigned inputs = 0, words = 0;

	stimulus->circuit = circuit;
	stimulus->input_at = mem_alloc_array(shape->input_count, sizeof(*stimulus->input_at));
	for (size_t i = 0; i < shape->input_count; i++) {
		stimulus->input_at[i] = inputs;
		inputs += shape->inputs[i].bits * shape->inputs[i].count;
	}
	for (size_t i = 0; i < shape->word_count; i++)
		words += shape->words[i].bits;
	stimulus->vector = row_create(inputs);
	stimulus->last = row_create(inputs);
	stimulus->expected = row_create(words);
	stimulus->words = mem_alloc_array(shape->word_count, sizeof(uint64_t));
	stimulus->model = circuit->kind->create(circuit->machine);
}

struct stimuli *stimuli_create(const struct circuit *circuits, size_t count, stimulus_sink *sink,
			       void *context)
{
	struct stimuli *stimuli = mem_alloc(sizeof(*stimuli));

	stimuli->items = mem_alloc_array(count, sizeof(*stimuli->items));
	stimuli->count = count;
	for (size_t i = 0; i < count; i++) {
		stimuli->items[i] =
			(struct stimulus){.number = i, .sink = sink, .context = context};
		init(&stimuli->items[i], &circuits[i]);
	}
	return stimuli;
}

uint32_t stimuli_events(const struct stimuli *stimuli)
{
	uint32_t events = 0;

	for (size_t i = 0; i < stimuli->count; i++)
		events |= stimuli->items[i].circuit->kind->events;
	return events;
}

void stimuli_cycle(void *context, const struct cycle *cycle)
{
	struct stimuli *stimuli = context;

	for (size_t i = 0; i < stimuli->count; i++) {
		struct stimulus *stimulus = &stimuli->items[i];
		const struct circuit_kind *kind = stimulus->circuit->kind;

		kind->cycle(stimulus->model, cycle, stimulus);
		if (!kind->checks_itself && stimulus->unchecked >= CHECK_CYCLES)
			stimulus_check(stimulus);
	}
}

void stimuli_end(struct stimuli *stimuli)
{
	for (size_t i = 0; i < stimuli->count; i++) {
		struct stimulus *stimulus = &stimuli->items[i];
		const struct circuit_kind *kind = stimulus->circuit->kind;

		if (kind->end)
			kind->end(stimulus->model, stimulus);
		if (!kind->checks_itself)
			stimulus_check(stimulus);
		put_held(stimulus);
		flush(stimulus, STIMULUS_VECTORS);
		flush(stimulus, STIMULUS_EXPECTED);
	}
}

void stimuli_destroy(struct stimuli *stimuli)
{
	if (!stimuli)
		return;
	for (size_t i = 0; i < stimuli->count; i++) {
		struct stimulus *stimulus = &stimuli->items[i];

		stimulus->circuit->kind->destroy(stimulus->model);
		free(stimulus->vector.words);
		free(stimulus->last.words);
		free(stimulus->expected.words);
		free(stimulus->input_at);
		free(stimulus->words);
		for (unsigned k = 0; k < STIMULUS_FILES; k++)
			free(stimulus->pieces[k].text);
	}
	free(stimuli->items);
	free(stimuli);
}
