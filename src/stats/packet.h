/*
 * packet.h - the packets of the statistics module: configuration to it, results from it. The format
 * is described byte by byte in docs/packets.md.
 *
 * Every packet has a version, its length, a checksum and, with a key, an HMAC-SHA256. It may have a
 * ticket: a number that its receiver gave out, by which a packet that was recorded earlier is told.
 * What arrives is hostile: packet_read accepts a packet as a whole or names the one fault it has,
 * and the readers of bodies accept no byte too few or too many. Nothing here keeps state or opens a
 * socket.
 */
#ifndef STATS_PACKET_H
#define STATS_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/request.h"

#define PACKET_BYTES_MOST   65000
#define PACKET_HEADER_BYTES 40
#define PACKET_COUNTS_MOST  64 /* in a packet; more counters take several packets */
#define PACKET_NAMES_BYTES  1200
#define PACKET_KEY_LEAST    16

enum packet_kind {
	PACKET_NAMES = 1, /* the names of an epoch's counters */
	PACKET_COUNTS,	  /* an interval */
	PACKET_ACKNOWLEDGE,
	PACKET_CONFIGURE,
	PACKET_ANSWER, /* to PACKET_CONFIGURE */
	PACKET_QUERY,  /* which run is this? */
	PACKET_STATUS, /* this one; the header says it, and the ticket for PACKET_CONFIGURE */
	PACKET_ABOUT,  /* what is run where; without a ticket: asks for one */
	PACKET_KINDS
};

enum packet_flag {
	PACKET_SIGNED = 1,
	PACKET_LAST_OF_EPOCH = 2,
	PACKET_FINAL = 4,
	PACKET_WANTS_ACKNOWLEDGE = 8,
	PACKET_PARTIAL = 16, /* with FINAL: a limit ended the run */
	PACKET_TICKETED = 32,
	PACKET_FLAGS = 63
};

enum packet_fault {
	PACKET_GOOD,
	PACKET_TOO_SHORT,
	PACKET_NOT_OURS,
	PACKET_WRONG_VERSION,
	PACKET_WRONG_LENGTH,
	PACKET_WRONG_CHECKSUM,
	PACKET_UNKNOWN_KIND,
	PACKET_UNSIGNED,	/* a key is required */
	PACKET_WRONG_SIGNATURE, /* or there is no key to check it with */
	PACKET_WRONG_BODY,
	PACKET_REPLAYED, /* an old one, or of another run */
	PACKET_UNEXPECTED,
	PACKET_FOREIGN, /* of a run that another sender began */
	PACKET_BEYOND,	/* the database has reached its limit */
	PACKET_FAULTS
};
const char *packet_fault_name(enum packet_fault fault);

struct packet_key {
	uint8_t *bytes; /* NULL: none */
	size_t size;
};

struct packet {
	enum packet_kind kind;
	uint16_t flags;
	uint32_t epoch;
	uint64_t run, sequence, cycle;
	uint64_t ticket;     /* 0: none */
	const uint8_t *body; /* within what was read */
	size_t body_bytes;
};

/* The fault that the bytes have, or PACKET_GOOD. */
enum packet_fault packet_read(struct packet *packet, const void *bytes, size_t size,
			      const struct packet_key *key);

struct packet_count {
	uint64_t value, total;
	bool is_saturated;
};

struct packet_counts {
	uint64_t number, start, cycles;
	uint32_t first, all; /* the first counter in the packet; the counters of the epoch */
	uint16_t count;
	struct packet_count counts[PACKET_COUNTS_MOST];
};

struct packet_names {
	uint32_t first, all, period_cycles, width_bits;
	uint16_t count;
	struct stats_wish names; /* its pairs; to be released */
};

#define PACKET_TEXT_BYTES 256

struct packet_about {
	char program[PACKET_TEXT_BYTES], machine[PACKET_TEXT_BYTES];
};

/* The readers of bodies; false if a body is not as it has to be. */
bool packet_read_counts(const struct packet *packet, struct packet_counts *counts);
bool packet_read_names(const struct packet *packet, struct packet_names *names);
bool packet_read_configure(const struct packet *packet, struct stats_wish *wish);
bool packet_read_acknowledge(const struct packet *packet, uint64_t *sequence);
bool packet_read_about(const struct packet *packet, struct packet_about *about);
/* `text` has PACKET_TEXT_BYTES. */
bool packet_read_answer(const struct packet *packet, uint64_t *sequence, bool *is_accepted,
			char *text);

/* A packet that is being written: header, body, then packet_end. */
struct packet_writer {
	uint8_t bytes[PACKET_BYTES_MOST];
	size_t size;
	uint64_t ticket; /* that packet_end puts; 0: none */
	bool is_too_long;
};

void packet_begin(struct packet_writer *writer, const struct packet *header);
void packet_put_counts(struct packet_writer *writer, const struct packet_counts *counts);
/* Puts as many of the NUL-ended names from `first` on as fit; returns how many. */
uint16_t packet_put_names(struct packet_writer *writer, uint32_t first, uint32_t all,
			  uint32_t period_cycles, uint32_t width_bits, const char **names);
void packet_put_configure(struct packet_writer *writer, const struct stats_wish *wish);
void packet_put_acknowledge(struct packet_writer *writer, uint64_t sequence);
void packet_put_answer(struct packet_writer *writer, uint64_t sequence, bool is_accepted,
		       const char *text);
/* Longer texts are cut; bytes that are not printable become '?'. */
void packet_put_about(struct packet_writer *writer, const char *program, const char *machine);
/* Puts the ticket, and signs it if there is a key. False if it became too long. */
bool packet_end(struct packet_writer *writer, const struct packet_key *key);

#endif
