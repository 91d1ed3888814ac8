/*
 * main_memory.h - what is behind the last cache: when a line that is asked for there arrives.
 *
 * A line takes `latency_cycles`, the way to memory and back, and with banks the time of its row. It
 * occupies the one channel for `line_cycles`; a request that finds the channel taken waits for the
 * first free stretch, and what it waits is its queue_cycles. Reads, prefetches, page walks,
 * written-back lines and written-through stores all occupy the channel.
 *
 * Banks. Address bits pick, from the lowest: the byte within a row, the bank, the row. A bank holds
 * one row open. A line of the open row takes row_hit_cycles, one of a bank without an open row
 * row_closed_cycles, any other row_conflict_cycles; what that is beyond row_hit_cycles is the time
 * in which the bank opens the row and takes no other request. The channel is occupied when the
 * row's time is over.
 *
 * Invariant: which row is open depends on the sequence of requests only, never on time, so a row
 * hit is one in every idealised run. A request that does not occupy (an ideal switch hides its
 * time) finds neither channel nor bank taken and takes none.
 *
 * Deliberately not modelled: refresh, several channels, a queue that can be full, reordering by the
 * controller other than the use of free stretches, turning the channel round between reads and
 * writes.
 */
#ifndef MEM_MAIN_MEMORY_H
#define MEM_MAIN_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "mem/schedule.h"

enum memory_row { ROW_NONE, ROW_HIT, ROW_CLOSED, ROW_CONFLICT }; /* ROW_NONE: no banks */

struct main_memory_parameters {
	uint32_t latency_cycles;
	uint32_t line_cycles;
	uint32_t banks;	    /* 0: none, every line takes the latency alone; else a power of two */
	uint32_t row_bytes; /* a power of two */
	uint32_t row_hit_cycles, row_closed_cycles, row_conflict_cycles;
	bool closes_rows; /* a row is closed after each line */
};

struct main_memory_bank {
	uint64_t open_row; /* number + 1; 0: none */
	struct schedule taken;
};

struct main_memory {
	struct main_memory_parameters p;
	struct schedule channel;
	struct main_memory_bank *banks;
	uint8_t row_bits, bank_bits;
};

struct main_memory_answer {
	uint64_t done_at;
	uint64_t queue_cycles; /* how much earlier it would be done if nothing had been taken */
	enum memory_row row;
};

/* False with a sentence if the parameters describe no memory. */
bool main_memory_check(const struct main_memory_parameters *parameters, struct err *err);
/* The parameters must have passed main_memory_check. */
void main_memory_init(struct main_memory *memory, const struct main_memory_parameters *parameters);
void main_memory_release(struct main_memory *memory);
/* Other times from now on; banks and rows must be the same. What is taken stays so. */
void main_memory_change_times(struct main_memory *memory,
			      const struct main_memory_parameters *parameters);

/* A line asked for or written by an access of cycle `now`; the request arrives in cycle `at`. Calls
 * come in order of `now`, but for those that do not occupy. */
void main_memory_request(struct main_memory *memory, uint64_t now, uint64_t at, uint64_t address,
			 bool occupies, struct main_memory_answer *answer);

/* Whether every line takes the latency alone, so that no request changes anything. */
static inline bool main_memory_is_never_busy(const struct main_memory *memory)
{
	return !(memory->p.banks | memory->p.line_cycles);
}

#endif
