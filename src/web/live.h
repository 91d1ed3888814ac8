/*
 * live.h - the server's end of the packets of one run of stat: what arrives becomes events.
 *
 * A run has a socket of its own on this machine and a key that only the server and the run know, so
 * nobody else's packet changes anything. Lost packets are counted by the gaps in their numbers.
 * Kept are the names of the counters of the epoch under way and one interval, of which all packets
 * have not come yet.
 */
#ifndef WEB_LIVE_H
#define WEB_LIVE_H

#include "stats/link.h"
#include "web/events.h"

struct live;

/* NULL with a sentence. The key must outlive it. */
struct live *live_create(const struct packet_key *key, struct err *err);
void live_destroy(struct live *live); /* NULL is allowed */

int live_fd(const struct live *live);
/* Where the run sends, and where it is to listen for configurations: a port that was free. */
unsigned live_port(const struct live *live);
unsigned live_configure_port(const struct live *live);
/* Everything that has arrived, and its answers. */
void live_receive(struct live *live, struct events *events);
uint64_t live_received(const struct live *live);
uint64_t live_lost(const struct live *live);
/* The last "epoch" as JSON, for who begins to watch later: NULL if there was none. */
json_t *live_epoch_json(const struct live *live);

#endif
