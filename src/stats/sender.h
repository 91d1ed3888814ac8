/*
 * sender.h - sends what the module hands out to a collector, as packets.
 *
 * Intervals are sent once: a lost one is a gap, and costs no total, because each packet has running
 * totals. What nothing later repeats is sent until it is acknowledged: names, the last interval of
 * each epoch, the final one, and what is run where.
 *
 * With a key the collector gives out a ticket, which every packet has from then on: the collector
 * knows by it that a packet is none that was recorded earlier. Until it has come, intervals are
 * not sent; it is asked for again while nothing is acknowledged.
 */
#ifndef STATS_SENDER_H
#define STATS_SENDER_H

#include "stats/link.h"

struct stats_sender;

/* NULL with a sentence. The key must outlive it. */
struct stats_sender *stats_sender_open(const struct link_address *to, const struct packet_key *key,
				       uint64_t run, struct err *err);
void stats_sender_close(struct stats_sender *sender); /* NULL is allowed */

/* What is run where; the first thing to be sent. With a key it waits for the ticket, at most for
 * SENDER_TICKET_SECONDS. */
#define SENDER_TICKET_SECONDS 1
void stats_sender_about(struct stats_sender *sender, const char *program, const char *machine);
/* `names` are ended by NUL, one after the other. */
void stats_sender_names(struct stats_sender *sender, uint32_t epoch, uint32_t count,
			uint32_t period_cycles, uint32_t width_bits, const char *names);
/* `header` has epoch, cycle and flags; `counts` has everything but first, count and counts. */
void stats_sender_counts(struct stats_sender *sender, const struct packet *header,
			 const struct packet_counts *counts, const struct packet_count *values,
			 uint32_t count);
/* Takes acknowledgements and repeats what has none. To be called now and then. */
void stats_sender_tick(struct stats_sender *sender);
/* Does the same until everything is acknowledged, and returns true; or for `seconds`, and returns
 * false. */
bool stats_sender_finish(struct stats_sender *sender, double seconds);

#endif
