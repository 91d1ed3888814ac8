/*
 * link.h - UDP sockets of the statistics module: addresses as the user writes them, the key, and
 * the rule that what is not loopback needs a key.
 *
 * HOST is a numeric IPv4 or IPv6 address ([::1]:PORT) or localhost; no name service is asked.
 */
#ifndef STATS_LINK_H
#define STATS_LINK_H

#include <sys/socket.h>

#include "base/err.h"
#include "stats/packet.h"

struct link_address {
	struct sockaddr_storage address;
	socklen_t bytes;
};

/* Reads HOST:PORT, or PORT alone for 127.0.0.1. False with a sentence; also if it is not loopback
 * and there is no key. */
bool link_address_read(struct link_address *address, const char *text, const struct packet_key *key,
		       struct err *err);
/* Writes HOST:PORT, by which two addresses are the same or not. */
#define LINK_TEXT_BYTES 80
void link_address_text(const struct link_address *address, char text[LINK_TEXT_BYTES]);

/* The key is the bytes of a file. False with a sentence if there are too few, or more than a key
 * may have: none is left out. *is_open says whether other users may read or write the file. */
bool link_key_read(struct packet_key *key, const char *path, bool *is_open, struct err *err);
void link_key_release(struct packet_key *key);

/* A socket that does not block, bound to an address or connected to it, above the standard
 * descriptors; -1 with a sentence. */
int link_listen(const struct link_address *address, struct err *err);
int link_connect(const struct link_address *address, struct err *err);

/* A number for a run, from 1 to INT64_MAX, that nobody can guess. */
uint64_t link_run(void);
double link_seconds(void);

#endif
