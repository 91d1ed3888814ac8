#include "stats/packet.h"

#include <string.h>

#include <nettle/hmac.h>
#include <nettle/memops.h>

#include "base/bytes.h"
#include "base/crc32.h"
#include "base/printable.h"
#include "stats/module.h"

#define MAGIC	       "CSTP"
#define VERSION	       1
#define CHECKSUM_BYTES 4
#define SATURATED_BIT  (UINT64_C(1) << 63)
#define TICKET_BYTES   8
#define TEXT_MOST      (PACKET_TEXT_BYTES - 1)

static const char *const fault_names[PACKET_FAULTS] = {
	[PACKET_GOOD] = "good",
	[PACKET_TOO_SHORT] = "too short",
	[PACKET_NOT_OURS] = "not of this format",
	[PACKET_WRONG_VERSION] = "of another version",
	[PACKET_WRONG_LENGTH] = "of another length than it says",
	[PACKET_WRONG_CHECKSUM] = "with a wrong checksum",
	[PACKET_UNKNOWN_KIND] = "of an unknown kind",
	[PACKET_UNSIGNED] = "not signed",
	[PACKET_WRONG_SIGNATURE] = "with a wrong signature",
	[PACKET_WRONG_BODY] = "with a malformed body",
	[PACKET_REPLAYED] = "old, or of another run",
	[PACKET_UNEXPECTED] = "of a kind that is not expected here",
	[PACKET_FOREIGN] = "of a run that another sender began",
	[PACKET_BEYOND] = "beyond the limit of the database's size",
};

const char *packet_fault_name(enum packet_fault fault)
{
	return fault_names[fault];
}

static void sign(const struct packet_key *key, const uint8_t *bytes, size_t size,
		 uint8_t digest[SHA256_DIGEST_SIZE])
{
	struct hmac_sha256_ctx context;

	hmac_sha256_set_key(&context, key->size, key->bytes);
	hmac_sha256_update(&context, size, bytes);
	hmac_sha256_digest(&context, SHA256_DIGEST_SIZE, digest);
}

enum packet_fault packet_read(struct packet *p, const void *bytes, size_t size,
			      const struct packet_key *key)
{
	const uint8_t *at = bytes;
	uint8_t digest[SHA256_DIGEST_SIZE];
	size_t end = size;

	if (size < PACKET_HEADER_BYTES + CHECKSUM_BYTES)
		return PACKET_TOO_SHORT;
	if (memcmp(at, MAGIC, 4) != 0)
		return PACKET_NOT_OURS;
	if (at[4] != VERSION)
		return PACKET_WRONG_VERSION;
	if (bytes_load(at + 8, 4) != size || size > PACKET_BYTES_MOST)
		return PACKET_WRONG_LENGTH;
	end -= CHECKSUM_BYTES;
	if (bytes_load(at + end, 4) != crc32_add(0, at, end))
		return PACKET_WRONG_CHECKSUM;
	*p = (struct packet){
		.kind = (enum packet_kind)at[5],
		.flags = (uint16_t)bytes_load(at + 6, 2),
		.epoch = (uint32_t)bytes_load(at + 12, 4),
		.run = bytes_load(at + 16, 8),
		.sequence = bytes_load(at + 24, 8),
		.cycle = bytes_load(at + 32, 8),
		.body = at + PACKET_HEADER_BYTES,
	};
	if (!at[5] || at[5] >= PACKET_KINDS || p->flags & ~(unsigned)PACKET_FLAGS)
		return PACKET_UNKNOWN_KIND;
	if (key->bytes && !(p->flags & PACKET_SIGNED))
		return PACKET_UNSIGNED;
	if (p->flags & PACKET_SIGNED) {
		if (!key->bytes || end < PACKET_HEADER_BYTES + sizeof(digest))
			return PACKET_WRONG_SIGNATURE;
		end -= sizeof(digest);
		sign(key, at, end, digest);
		if (!memeql_sec(digest, at + end, sizeof(digest)))
			return PACKET_WRONG_SIGNATURE;
	}
	if (p->flags & PACKET_TICKETED) {
		if (end < PACKET_HEADER_BYTES + TICKET_BYTES)
			return PACKET_WRONG_LENGTH;
		end -= TICKET_BYTES;
		p->ticket = bytes_load(at + end, TICKET_BYTES);
	}
	p->body_bytes = end - PACKET_HEADER_BYTES;
	return PACKET_GOOD;
}

static struct reader body_of(const struct packet *p)
{
	return reader_of(p->body, p->body_bytes);
}

/* A text of printable ASCII without blanks, or with them, of 1 to `most` bytes. */
static void take_text(struct reader *body, char *text, size_t most, bool has_blanks)
{
	size_t length = reader_u16(body);
	const uint8_t *bytes = reader_take(body, length);

	text[0] = 0;
	if (!bytes || length > most) {
		body->bad = true;
		return;
	}
	for (size_t i = 0; i < length; i++)
		if (bytes[i] < (has_blanks ? ' ' : '!') || bytes[i] == 0x7f)
			body->bad = true;
	memcpy(text, bytes, length);
	text[length] = 0;
}

bool packet_read_counts(const struct packet *p, struct packet_counts *c)
{
	struct reader body = body_of(p);

	*c = (struct packet_counts){.number = reader_u64(&body),
				    .start = reader_u64(&body),
				    .cycles = reader_u64(&body)};
	c->first = reader_u32(&body);
	c->all = reader_u32(&body);
	c->count = reader_u16(&body);
	if (body.bad || c->all > STATS_COUNTERS_MOST || c->count > PACKET_COUNTS_MOST ||
	    c->first > c->all || c->count > c->all - c->first ||
	    (c->number | c->start | c->cycles | p->run | p->cycle) > INT64_MAX ||
	    c->start > INT64_MAX - c->cycles)
		return false;
	for (unsigned i = 0; i < c->count; i++) {
		uint64_t value = reader_u64(&body), total = reader_u64(&body);

		c->counts[i] =
			(struct packet_count){value, total & ~SATURATED_BIT, total & SATURATED_BIT};
		body.bad |= value > INT64_MAX;
	}
	return reader_is_done(&body);
}

bool packet_read_names(const struct packet *p, struct packet_names *n)
{
	struct reader body = body_of(p);
	char name[TEXT_MOST + 1];

	*n = (struct packet_names){.first = reader_u32(&body)};
	n->all = reader_u32(&body);
	n->period_cycles = reader_u32(&body);
	n->width_bits = reader_u32(&body);
	n->count = reader_u16(&body);
	if (body.bad || n->all > STATS_COUNTERS_MOST || n->first > n->all ||
	    n->count > n->all - n->first || p->run > INT64_MAX)
		return false;
	for (unsigned i = 0; i < n->count && !body.bad; i++) {
		take_text(&body, name, TEXT_MOST, true);
		stats_wish_add(&n->names, name);
	}
	return reader_is_done(&body);
}

bool packet_read_configure(const struct packet *p, struct stats_wish *wish)
{
	struct reader body = body_of(p);
	char pair[1024];

	*wish = (struct stats_wish){.at = reader_u64(&body)};
	wish->period_cycles = reader_u32(&body);
	unsigned count = reader_u16(&body);
	for (unsigned i = 0; i < count && !body.bad; i++) {
		take_text(&body, pair, sizeof(pair) - 1, false);
		body.bad |= !pair[0];
		stats_wish_add(wish, pair);
	}
	return reader_is_done(&body) && wish->period_cycles && count;
}

bool packet_read_acknowledge(const struct packet *p, uint64_t *sequence)
{
	struct reader body = body_of(p);

	*sequence = reader_u64(&body);
	return reader_is_done(&body);
}

bool packet_read_answer(const struct packet *p, uint64_t *sequence, bool *is_accepted, char *text)
{
	struct reader body = body_of(p);

	*sequence = reader_u64(&body);
	*is_accepted = reader_u16(&body) == 0;
	take_text(&body, text, TEXT_MOST, true);
	return reader_is_done(&body);
}

bool packet_read_about(const struct packet *p, struct packet_about *about)
{
	struct reader body = body_of(p);

	take_text(&body, about->program, TEXT_MOST, true);
	take_text(&body, about->machine, TEXT_MOST, true);
	return reader_is_done(&body) && p->run <= INT64_MAX;
}

static void put_bytes(struct packet_writer *w, const void *bytes, size_t size)
{
	if (w->size + size > sizeof(w->bytes)) {
		w->is_too_long = true;
		return;
	}
	memcpy(w->bytes + w->size, bytes, size);
	w->size += size;
}

static void put(struct packet_writer *w, uint64_t value, unsigned count)
{
	uint8_t bytes[8];

	bytes_store(bytes, value, count);
	put_bytes(w, bytes, count);
}

static void put_text(struct packet_writer *w, const char *text, size_t most)
{
	size_t length = strlen(text);

	length = length < most ? length : most;
	put(w, length, 2);
	put_bytes(w, text, length);
}

void packet_begin(struct packet_writer *w, const struct packet *header)
{
	w->size = 0;
	w->ticket = header->ticket;
	w->is_too_long = false;
	put_bytes(w, MAGIC, 4);
	put(w, VERSION, 1);
	put(w, header->kind, 1);
	put(w, header->flags, 2);
	put(w, 0, 4); /* the length; set at the end */
	put(w, header->epoch, 4);
	put(w, header->run, 8);
	put(w, header->sequence, 8);
	put(w, header->cycle, 8);
}

void packet_put_counts(struct packet_writer *w, const struct packet_counts *c)
{
	put(w, c->number, 8);
	put(w, c->start, 8);
	put(w, c->cycles, 8);
	put(w, c->first, 4);
	put(w, c->all, 4);
	put(w, c->count, 2);
	for (unsigned i = 0; i < c->count; i++) {
		put(w, c->counts[i].value, 8);
		put(w, c->counts[i].total | (c->counts[i].is_saturated ? SATURATED_BIT : 0), 8);
	}
}

uint16_t packet_put_names(struct packet_writer *w, uint32_t first, uint32_t all,
			  uint32_t period_cycles, uint32_t width_bits, const char **names)
{
	size_t bytes = 0, length;
	uint16_t count = 0;

	for (const char *n = *names; first + count < all; n += strlen(n) + 1, count++) {
		length = strlen(n) < TEXT_MOST ? strlen(n) : TEXT_MOST;
		if (bytes + length + 2 > PACKET_NAMES_BYTES)
			break;
		bytes += length + 2;
	}
	put(w, first, 4);
	put(w, all, 4);
	put(w, period_cycles, 4);
	put(w, width_bits, 4);
	put(w, count, 2);
	for (unsigned i = 0; i < count; i++) {
		put_text(w, *names, TEXT_MOST);
		*names += strlen(*names) + 1;
	}
	return count;
}

void packet_put_configure(struct packet_writer *w, const struct stats_wish *wish)
{
	put(w, wish->at, 8);
	put(w, wish->period_cycles, 4);
	put(w, wish->pair_count, 2);
	for (size_t i = 0; i < wish->pair_count; i++)
		put_text(w, wish->pairs[i], UINT16_MAX);
	w->is_too_long |= wish->pair_count > UINT16_MAX;
}

void packet_put_acknowledge(struct packet_writer *w, uint64_t sequence)
{
	put(w, sequence, 8);
}

static void put_printable(struct packet_writer *w, const char *text)
{
	char copy[TEXT_MOST + 1];

	printable_copy(copy, TEXT_MOST, (const uint8_t *)text, strlen(text));
	put_text(w, copy, TEXT_MOST);
}

void packet_put_answer(struct packet_writer *w, uint64_t sequence, bool is_accepted,
		       const char *text)
{
	put(w, sequence, 8);
	put(w, is_accepted ? 0 : 1, 2);
	put_printable(w, text);
}

void packet_put_about(struct packet_writer *w, const char *program, const char *machine)
{
	put_printable(w, program);
	put_printable(w, machine);
}

bool packet_end(struct packet_writer *w, const struct packet_key *key)
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	size_t all = w->size + (w->ticket ? TICKET_BYTES : 0) + (key->bytes ? sizeof(digest) : 0) +
		     CHECKSUM_BYTES;

	if (w->is_too_long || all > sizeof(w->bytes))
		return false;
	w->bytes[6] |=
		(uint8_t)((key->bytes ? PACKET_SIGNED : 0) | (w->ticket ? PACKET_TICKETED : 0));
	bytes_store(w->bytes + 8, all, 4);
	if (w->ticket)
		put(w, w->ticket, TICKET_BYTES);
	if (key->bytes) {
		sign(key, w->bytes, w->size, digest);
		put_bytes(w, digest, sizeof(digest));
	}
	put(w, crc32_add(0, w->bytes, w->size), 4);
	return true;
}
