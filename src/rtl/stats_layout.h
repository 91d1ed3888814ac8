/*
 * stats_layout.h - the inputs of the statistics module as a circuit: which signals it can select,
 * at which ports their amounts come, and how a record becomes beats of these ports.
 *
 * A port has a pc, and a signal an amount at some ports. A signal over the state of a cycle has the
 * port of the oldest instruction or of the fetch pc. A signal over events has the ports of the
 * stage that its kinds of events come from: as many as the machine commits, dispatches, issues in
 * a cycle, and so on. Events of one instruction and stage share a port.
 *
 * A cycle may have more events than ports, as when hundreds of instructions are squashed, or an
 * amount that its bits do not hold. What is left over comes in further beats of the same cycle, in
 * which the timer stands still: the counts are the same for any number of ports, which decides
 * only how often a core must hold events back. A STEP signal that is counted in all code alone has
 * its value of the cycle, without events, as in stats/module.h.
 */
#ifndef RTL_STATS_LAYOUT_H
#define RTL_STATS_LAYOUT_H

#include "rtl/circuit.h"
#include "stats/module.h"

#define STATS_NOWHERE 0xffffu /* a place without an input */

/* One signal at one port. */
struct stats_place {
	uint32_t flag, count; /* the number of its input of 1 bit or of amount_bits; NOWHERE */
};

struct stats_layout {
	const struct signal_row **signals;
	bool *is_by_value; /* by signal: its value in the cycle, not its events */
	size_t signal_count;
	unsigned *port_groups; /* by port */
	size_t port_count;
	struct stats_place *places; /* port * signal_count + signal */
	size_t flag_count, count_count;
	unsigned amount_bits;
};

void stats_layout_init(struct stats_layout *layout, const struct circuit_machine *machine);
void stats_layout_release(struct stats_layout *layout);
/* The number of a signal that one of the settings selects. */
size_t stats_layout_signal(const struct stats_layout *layout, const struct signal_row *signal);
/* The largest amount of a place; 0 if the signal has none at the port. */
uint64_t stats_layout_most(const struct stats_layout *layout, size_t port, size_t signal);

struct stats_port {
	bool is_used;
	uint64_t pc;
};

/* The beats of one cycle of a record. */
struct stats_beats {
	size_t count, capacity;	  /* at least one */
	struct stats_port *ports; /* beat * port_count + port */
	uint32_t *amounts;	  /* (beat * port_count + port) * signal_count + signal */
};

void stats_beats_make(struct stats_beats *beats, const struct stats_layout *layout,
		      const struct cycle *cycle);
void stats_beats_release(struct stats_beats *beats);

#endif
