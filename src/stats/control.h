/*
 * control.h - the configuration port of a run: packets that say what is to be counted from now on.
 *
 * A packet is accepted if it is whole, signed where there is a key, meant for this run, and newer
 * than the last one accepted; with a key it must name the run, so that no packet of an earlier run
 * can be sent again. Everything else is counted by its fault and dropped: it changes nothing. What
 * was accepted goes to the worker, which may still refuse what the program does not have.
 */
#ifndef STATS_CONTROL_H
#define STATS_CONTROL_H

#include "stats/link.h"

struct stats_control {
	int fd; /* 0: none */
	const struct packet_key *key;
	uint64_t run, last_sequence, cycle;
	uint32_t epoch;
	struct stats_mailbox *mailbox;
	/* Before the program starts: the first wish goes here instead. */
	struct stats_wish *first;
	bool has_first;
	uint64_t accepted, faults[PACKET_FAULTS];
};

/* Handles everything that has arrived. */
void stats_control_receive(struct stats_control *control);
/* The same for one packet, without a socket; the answer, if any, is left in *writer (size 0: none).
 */
enum packet_fault stats_control_take(struct stats_control *control, const void *bytes, size_t size,
				     struct packet_writer *writer);

#endif
