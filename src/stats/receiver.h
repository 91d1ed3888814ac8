/*
 * receiver.h - gives a collector (stats/collector.h) the packets that arrive at a socket, and sends
 * its answers.
 *
 * Packets that have arrived are one batch, and acknowledged when it is committed: what a sender no
 * longer repeats is on the disk.
 *
 * Does not open or close the socket or the collector's store and key: they must outlive it.
 */
#ifndef STATS_RECEIVER_H
#define STATS_RECEIVER_H

#include "stats/collector.h"

struct receiver;

/* `full` is called each time the database has reached its limit; or NULL. */
struct receiver *receiver_create(struct collector *collector, int fd, void (*full)(void));
void receiver_destroy(struct receiver *receiver);

/* Everything that has arrived, at most a batch, and then its answers. Does not wait. False with a
 * sentence if it cannot be stored: then nothing of it is. */
bool receiver_receive(struct receiver *receiver, struct err *err);
/* Receives until so many runs have become whole; 0: until there is something to read from
 * `signals`, a signalfd(2), which ends it in any case. False with a sentence. */
bool receiver_run(struct receiver *receiver, uint64_t wanted, int signals, struct err *err);

#endif
