/*
 * control.h - the configuration port of a run: packets that say what is to be counted from now on.
 *
 * A packet is accepted if it is whole, signed where there is a key, names this run, and has the
 * ticket that the answer to a query told. The ticket is a new one after each change, whether it
 * was accepted or refused: no packet, recorded in this run or in another, has an effect twice or
 * later, and no number in a packet can lock later ones out. Everything else is counted by its fault
 * and dropped: it changes nothing. What was accepted goes to the worker, which may still refuse
 * what the program does not have. A run that has nothing to count yet cannot begin with what the
 * program does not have: its first wish is checked before it is accepted, and refused with a
 * sentence otherwise, and the run waits for another.
 *
 * Run and ticket are told to everybody who asks: without a key every sender on this machine can
 * change what is counted. The run has another number here than at the collector, so that it
 * cannot speak for the run there.
 */
#ifndef STATS_CONTROL_H
#define STATS_CONTROL_H

#include "stats/link.h"

struct stats_control {
	int fd; /* 0: none */
	const struct packet_key *key;
	uint64_t run, ticket, cycle;	     /* neither run nor ticket is 0 */
	uint64_t last_sequence, last_ticket; /* of the last one accepted */
	uint32_t epoch;
	struct stats_mailbox *mailbox;
	/* Before the program starts: the first wish goes here instead, if the check lets it pass.
	 * False with a sentence: it is refused. */
	struct stats_wish *first;
	bool (*check_first)(void *context, const struct stats_wish *wish, struct err *err);
	void *context;
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
