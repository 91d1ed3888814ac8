/*
 * circuit.h - the counters as hardware: what the generator knows of a circuit, and the table of
 * them.
 *
 * A kind of circuit is a file circuit_<name>.c, a row in circuit.c and a template in templates/
 * with the body of its module. For a machine it has a shape: inputs, words (what it has counted)
 * and constants, from which verilog.h writes the module's head and a test bench. Its model is the C
 * observer that is judged elsewhere (src/count, src/stats), never another one: `cycle` turns a
 * record into values of the inputs (stimulus.h) and gives the same record to the model; `words`
 * reads the model. Circuit and model must show the same words at every check.
 *
 * Every module has the ports clock, reset, valid, ready and idle. A clock edge at which valid and
 * ready are 1 takes one vector of inputs. Words are compared when idle is 1, so a circuit may need
 * any number of clock cycles. Reset is synchronous and clears everything.
 *
 * Inner words are state that software cannot read, such as rows of instructions in flight: they are
 * ports only if the macro COSIMULATE is defined, and cost nothing in synthesis.
 *
 * Not modelled: how the core's own signals reach the circuit, and how software reads the words.
 */
#ifndef RTL_CIRCUIT_H
#define RTL_CIRCUIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "config/config.h"
#include "signal/cycle.h"

#define CIRCUIT_NAME_BYTES 32

struct stats_settings;
struct stimulus;

/* What a circuit is made for. */
struct circuit_machine {
	const struct config *config;
	/* Of the statistics module: the settings of each epoch, and how many ranges and counters it
	 * has, at least as many as any of them need; NULL and 0 for other kinds. */
	const struct stats_settings *stats;
	const uint64_t *stats_at; /* the cycle of each epoch's settings; that of the first is 0 */
	size_t stats_count, stats_ranges, stats_counters;
};

/* `count` equal fields of `bits` bits, 1 to 64, the first in the lowest bits. */
struct circuit_input {
	char name[CIRCUIT_NAME_BYTES];
	unsigned bits, count;
};

struct circuit_word {
	char name[CIRCUIT_NAME_BYTES];
	unsigned bits; /* 1 to 64 */
	bool is_inner;
};

struct circuit_constant {
	char name[CIRCUIT_NAME_BYTES];
	uint64_t value;
};

/* A constant of many bits, in hexadecimal. */
struct circuit_table {
	char name[CIRCUIT_NAME_BYTES];
	unsigned bits;
	char *digits;
};

/* Lists in the order in which they were added. The module's input `vector` of a test bench is all
 * inputs, the first in the lowest bits; its outputs `words` and `inner` likewise. */
struct circuit_shape {
	struct circuit_input *inputs;
	struct circuit_word *words;
	struct circuit_constant *constants;
	struct circuit_table *tables;
	size_t input_count, input_capacity, word_count, word_capacity, constant_count,
		constant_capacity, table_count, table_capacity;
};

/* Each returns the number that the item has in its list. Names are taken as by printf; they are
 * identifiers of Verilog. Inner words come after all others. */
size_t circuit_add_input(struct circuit_shape *shape, unsigned bits, unsigned count,
			 const char *name, ...) __attribute__((format(printf, 4, 5)));
size_t circuit_add_word(struct circuit_shape *shape, unsigned bits, bool is_inner, const char *name,
			...) __attribute__((format(printf, 4, 5)));
void circuit_add_constant(struct circuit_shape *shape, uint64_t value, const char *name, ...)
	__attribute__((format(printf, 3, 4)));
/* A constant of `count` values of `bits` bits, 4 to 32 and a multiple of 4, the first in the lowest
 * bits. */
void circuit_add_table(struct circuit_shape *shape, unsigned bits, size_t count,
		       const uint32_t *values, const char *name);
void circuit_shape_release(struct circuit_shape *shape);
/* Bits that numbers from 0 to `most` need; at least 1. */
unsigned circuit_bits_for(uint64_t most);

struct circuit_kind {
	const char *name; /* of the module and of its files */
	const char *summary;
	uint32_t events; /* kinds of events that the model and the inputs need, as EVENT_BITs */
	/* Names of templates, ends with NULL: the body of the module, then complete modules that
	 * it uses. */
	const char *const *templates;
	const char *common; /* a template before the body, which several kinds share; or NULL */
	/* Adds to an empty shape. False with a sentence if there is no such circuit for this
	 * machine. */
	bool (*shape)(const struct circuit_machine *machine, struct circuit_shape *shape,
		      struct err *err);
	/* The model, and what turning records into inputs needs to remember. */
	void *(*create)(const struct circuit_machine *machine);
	/* Emits the vectors of a record and lets the model see it. */
	void (*cycle)(void *model, const struct cycle *cycle, struct stimulus *stimulus);
	/* The model's words, in the order of the shape. */
	void (*words)(const void *model, uint64_t *words);
	/* At the end of the run, before the last check. May be NULL. */
	void (*end)(void *model, struct stimulus *stimulus);
	/* It emits its checks itself; otherwise there is one from time to time. */
	bool checks_itself;
	void (*destroy)(void *model);
};

/* Circuits of counter architectures, which `judge --rtl` writes; ends with NULL. */
extern const struct circuit_kind *const circuit_kinds[];
extern const struct circuit_kind circuit_power5, circuit_fmt, circuit_sfmt, circuit_vclk;
/* The statistics module and its naive alternative, which `stat --rtl` writes; ends with NULL. */
extern const struct circuit_kind *const circuit_stats_kinds[];
/* NULL if there is none of that name. */
const struct circuit_kind *circuit_kind_named(const char *name);

/* A circuit of a kind for a machine. The machine must live as long as it. */
struct circuit {
	const struct circuit_kind *kind;
	const struct circuit_machine *machine;
	struct circuit_shape shape;
};

/* False with a sentence that names the circuit; release either way. */
bool circuit_init(struct circuit *circuit, const struct circuit_kind *kind,
		  const struct circuit_machine *machine, struct err *err);
void circuit_release(struct circuit *circuit);

#endif
