/*
 * collector.h - takes the packets of runs into a store: what `collect` does without its socket.
 *
 * Without a key a run belongs to the address that its first packet came from: packets of the same
 * run from another address are foreign, are counted, and change nothing. With a key a run's packets
 * must have the ticket that the collector gave its sender. The ticket is made from the run's number
 * and the secret of the database, so that it is the same after a restart, and another one in every
 * other database: a packet that was recorded for one collector changes nothing at another, and at
 * the same one it is there already.
 *
 * When the database has reached its limit, new runs and plain intervals are dropped; what ends
 * the runs that are known is still stored, up to an eighth beyond the limit.
 */
#ifndef STATS_COLLECTOR_H
#define STATS_COLLECTOR_H

#include "stats/link.h"
#include "store/store.h"

#define COLLECTOR_PACKETS_MOST 512 /* of a batch */

struct collector {
	struct store *store;
	const struct packet_key *key;
	uint64_t size_most; /* of the database, in bytes */
	bool is_full;
	uint64_t finished; /* runs that have become whole */
	uint64_t dropped[PACKET_FAULTS];
	/* Of the batch: acknowledgements, to be sent when what they are for has been committed, and
	 * runs that may have become whole. */
	struct collector_answer {
		struct link_address to;
		uint64_t run, sequence, ticket;
	} answers[COLLECTOR_PACKETS_MOST];
	uint64_t ending[COLLECTOR_PACKETS_MOST];
	size_t answer_count, ending_count;
};

/* Store and key must outlive it. False with a sentence. */
bool collector_init(struct collector *collector, struct store *store, const struct packet_key *key,
		    uint64_t size_most, struct err *err);

/* A batch is a transaction: begin, take at most COLLECTOR_PACKETS_MOST packets, end. Each is false
 * with a sentence if the database fails; then nothing of the batch is there. `now` is in seconds
 * since 1970. */
bool collector_begin(struct collector *collector, struct err *err);
bool collector_take(struct collector *collector, const void *bytes, size_t size,
		    const struct link_address *from, uint64_t now, struct err *err);
bool collector_end(struct collector *collector, struct err *err);
/* What a packet of this run must carry if there is a key; never 0. */
uint64_t collector_ticket(const struct collector *collector, uint64_t run);
/* Writes an answer of the batch that has ended. */
bool collector_answer(const struct collector *collector, const struct collector_answer *answer,
		      struct packet_writer *writer);

#endif
