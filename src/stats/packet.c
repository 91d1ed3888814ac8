#include "stats/packet.h"

#include <string.h>

#include <nettle/hmac.h>
#include <nettle/memops.h>

#include "stats/module.h"

#define MAGIC	       "CSTP"
#define VERSION	       1
#define CHECKSUM_BYTES 4
#define SATURATED_BIT  (UINT64_C(1) << 63)
#define TEXT_MOST      255

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
};

const char *packet_fault_name(enum packet_fault fault)
{
	return fault_names[fault];
}

/* The CRC-32 of IEEE 802.3, a bit at a time: packets are few and short. */
static uint32_t checksum(const uint8_t *bytes, size_t size)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < size; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
	}
	return ~crc;
}

static void sign(const struct packet_key *key, const uint8_t *bytes, size_t size,
		 uint8_t digest[SHA256_DIGEST_SIZE])
{
	struct hmac_sha256_ctx context;

	hmac_sha256_set_key(&context, key->size, key->bytes);
	hmac_sha256_update(&context, size, bytes);
	hmac_sha256_digest(&context, SHA256_DIGEST_SIZE, digest);
}

static uint64_t get(const uint8_t *at, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = bytes; i-- > 0;)
		value = value << 8 | at[i];
	return value;
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
	if (get(at + 8, 4) != size || size > PACKET_BYTES_MOST)
		return PACKET_WRONG_LENGTH;
	end -= CHECKSUM_BYTES;
	if (get(at + end, 4) != checksum(at, end))
		return PACKET_WRONG_CHECKSUM;
	*p = (struct packet){
		.kind = (enum packet_kind)at[5],
		.flags = (uint16_t)get(at + 6, 2),
		.epoch = (uint32_t)get(at + 12, 4),
		.run = get(at + 16, 8),
		.sequence = get(at + 24, 8),
		.cycle = get(at + 32, 8),
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
	p->body_bytes = end - PACKET_HEADER_BYTES;
	return PACKET_GOOD;
}

/* What is left of a body. */
struct body {
	const uint8_t *at;
	size_t left;
	bool is_wrong;
};

static struct body body_of(const struct packet *p)
{
	return (struct body){p->body, p->body_bytes, false};
}

static uint64_t take(struct body *body, unsigned bytes)
{
	if (body->is_wrong || body->left < bytes) {
		body->is_wrong = true;
		return 0;
	}
	uint64_t value = get(body->at, bytes);
	body->at += bytes;
	body->left -= bytes;
	return value;
}

/* A text of printable ASCII without blanks, or with them, of 1 to `most` bytes. */
static void take_text(struct body *body, char *text, size_t most, bool has_blanks)
{
	size_t length = take(body, 2);

	text[0] = 0;
	if (body->is_wrong || length > most || length > body->left) {
		body->is_wrong = true;
		return;
	}
	for (size_t i = 0; i < length; i++)
		if (body->at[i] < (has_blanks ? ' ' : '!') || body->at[i] == 0x7f)
			body->is_wrong = true;
	memcpy(text, body->at, length);
	text[length] = 0;
	body->at += length;
	body->left -= length;
}

static bool is_whole(const struct body *body)
{
	return !body->is_wrong && !body->left;
}

bool packet_read_counts(const struct packet *p, struct packet_counts *c)
{
	struct body body = body_of(p);

	*c = (struct packet_counts){
		.number = take(&body, 8), .start = take(&body, 8), .cycles = take(&body, 8)};
	c->first = (uint32_t)take(&body, 4);
	c->all = (uint32_t)take(&body, 4);
	c->count = (uint16_t)take(&body, 2);
	if (body.is_wrong || c->all > STATS_COUNTERS_MOST || c->count > PACKET_COUNTS_MOST ||
	    c->first > c->all || c->count > c->all - c->first ||
	    (c->number | c->start | c->cycles | p->run | p->cycle) > INT64_MAX)
		return false;
	for (unsigned i = 0; i < c->count; i++) {
		uint64_t value = take(&body, 8), total = take(&body, 8);

		c->counts[i] =
			(struct packet_count){value, total & ~SATURATED_BIT, total & SATURATED_BIT};
		body.is_wrong |= value > INT64_MAX;
	}
	return is_whole(&body);
}

bool packet_read_names(const struct packet *p, struct packet_names *n)
{
	struct body body = body_of(p);
	char name[TEXT_MOST + 1];

	*n = (struct packet_names){.first = (uint32_t)take(&body, 4)};
	n->all = (uint32_t)take(&body, 4);
	n->period_cycles = (uint32_t)take(&body, 4);
	n->width_bits = (uint32_t)take(&body, 4);
	n->count = (uint16_t)take(&body, 2);
	if (body.is_wrong || n->all > STATS_COUNTERS_MOST || n->first > n->all ||
	    n->count > n->all - n->first || p->run > INT64_MAX)
		return false;
	for (unsigned i = 0; i < n->count && !body.is_wrong; i++) {
		take_text(&body, name, TEXT_MOST, true);
		stats_wish_add(&n->names, name);
	}
	return is_whole(&body);
}

bool packet_read_configure(const struct packet *p, struct stats_wish *wish)
{
	struct body body = body_of(p);
	char pair[1024];

	*wish = (struct stats_wish){.at = take(&body, 8)};
	wish->period_cycles = (uint32_t)take(&body, 4);
	unsigned count = (unsigned)take(&body, 2);
	for (unsigned i = 0; i < count && !body.is_wrong; i++) {
		take_text(&body, pair, sizeof(pair) - 1, false);
		body.is_wrong |= !pair[0];
		stats_wish_add(wish, pair);
	}
	return is_whole(&body) && wish->period_cycles && count;
}

bool packet_read_acknowledge(const struct packet *p, uint64_t *sequence)
{
	struct body body = body_of(p);

	*sequence = take(&body, 8);
	return is_whole(&body);
}

bool packet_read_answer(const struct packet *p, uint64_t *sequence, bool *is_accepted, char *text)
{
	struct body body = body_of(p);

	*sequence = take(&body, 8);
	*is_accepted = take(&body, 2) == 0;
	take_text(&body, text, TEXT_MOST, true);
	return is_whole(&body);
}

static void put(struct packet_writer *w, uint64_t value, unsigned bytes)
{
	if (w->size + bytes > sizeof(w->bytes)) {
		w->is_too_long = true;
		return;
	}
	for (unsigned i = 0; i < bytes; i++)
		w->bytes[w->size++] = (uint8_t)(value >> 8 * i);
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

void packet_put_answer(struct packet_writer *w, uint64_t sequence, bool is_accepted,
		       const char *text)
{
	put(w, sequence, 8);
	put(w, is_accepted ? 0 : 1, 2);
	put_text(w, text, TEXT_MOST);
}

bool packet_end(struct packet_writer *w, const struct packet_key *key)
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	size_t end = w->size, all = end + (key->bytes ? sizeof(digest) : 0) + CHECKSUM_BYTES;

	if (w->is_too_long || all > sizeof(w->bytes))
		return false;
	if (key->bytes)
		w->bytes[6] |= PACKET_SIGNED;
	for (unsigned i = 0; i < 4; i++)
		w->bytes[8 + i] = (uint8_t)(all >> 8 * i);
	if (key->bytes) {
		sign(key, w->bytes, end, digest);
		put_bytes(w, digest, sizeof(digest));
	}
	put(w, checksum(w->bytes, w->size), 4);
	return true;
}
