#include "rtl/circuit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"

const struct circuit_kind *const circuit_kinds[] = {
	&circuit_power5, &circuit_fmt, &circuit_sfmt, &circuit_vclk, NULL,
};

const struct circuit_kind *circuit_kind_named(const char *name)
{
	for (size_t i = 0; circuit_kinds[i]; i++)
		if (strcmp(circuit_kinds[i]->name, name) == 0)
			return circuit_kinds[i];
	return NULL;
}

#define WRITE_NAME(name, format)                                                  \
	do {                                                                      \
		va_list values;                                                   \
		va_start(values, format);                                         \
		int length = vsnprintf(name, CIRCUIT_NAME_BYTES, format, values); \
		va_end(values);                                                   \
		BUG_ON(length <= 0 || length >= CIRCUIT_NAME_BYTES);              \
	} while (0)

size_t circuit_add_input(struct circuit_shape *shape, unsigned bits, unsigned count,
			 const char *name, ...)
{
	struct circuit_input *input =
		ARRAY_PUSH(shape->inputs, shape->input_count, shape->input_capacity);

	BUG_ON(!bits || bits > 64 || !count);
	input->bits = bits;
	input->count = count;
	WRITE_NAME(input->name, name);
	return shape->input_count - 1;
}

size_t circuit_add_word(struct circuit_shape *shape, unsigned bits, bool is_inner, const char *name,
			...)
{
	BUG_ON(!bits || bits > 64 ||
	       (!is_inner && shape->word_count && shape->words[shape->word_count - 1].is_inner));
	struct circuit_word *word =
		ARRAY_PUSH(shape->words, shape->word_count, shape->word_capacity);
	word->bits = bits;
	word->is_inner = is_inner;
	WRITE_NAME(word->name, name);
	return shape->word_count - 1;
}

void circuit_add_constant(struct circuit_shape *shape, uint64_t value, const char *name, ...)
{
	struct circuit_constant *constant =
		ARRAY_PUSH(shape->constants, shape->constant_count, shape->constant_capacity);

	constant->value = value;
	WRITE_NAME(constant->name, name);
}

void circuit_add_table(struct circuit_shape *shape, unsigned bits, size_t count,
		       const uint32_t *values, const char *name)
{
	const size_t digits = bits / 4;

	BUG_ON(!count || !bits || bits % 4 || bits > 32);
	struct circuit_table *table =
		ARRAY_PUSH(shape->tables, shape->table_count, shape->table_capacity);
	snprintf(table->name, sizeof(table->name), "%s", name);
	table->bits = bits * (unsigned)count;
	table->digits = mem_alloc_array(count * digits + 1, 1);
	for (size_t i = 0; i < count; i++) {
		char text[16];

		snprintf(text, sizeof(text), "%0*x", (int)digits, values[i]);
		memcpy(table->digits + (count - 1 - i) * digits, text, digits);
	}
}

void circuit_shape_release(struct circuit_shape *shape)
{
	for (size_t i = 0; i < shape->table_count; i++)
		free(shape->tables[i].digits);
	free(shape->tables);
	free(shape->inputs);
	free(shape->words);
	free(shape->constants);
	*shape = (struct circuit_shape){0};
}

unsigned circuit_bits_for(uint64_t most)
{
	return most ? bits_log2(most) + 1 : 1;
}

bool circuit_init(struct circuit *circuit, const struct circuit_kind *kind,
		  const struct circuit_machine *machine, struct err *err)
{
	*circuit = (struct circuit){.kind = kind, .machine = machine};
	return kind->shape(machine, &circuit->shape, err) ||
	       err_prefix(err, "the circuit %s", kind->name);
}

void circuit_release(struct circuit *circuit)
{
	circuit_shape_release(&circuit->shape);
}
