#include "stats/collector.h"

#include <nettle/hmac.h>
#include <string.h>

#include "base/bytes.h"
#include "base/printable.h"

#define ROOM_BEYOND 8 /* an eighth of the limit is left for the ends of runs */

bool collector_init(struct collector *c, struct store *store, const struct packet_key *key,
		    uint64_t size_most, struct err *err)
{
	uint64_t bytes;

	*c = (struct collector){.store = store, .key = key, .size_most = size_most};
	if (!store_limit(store, size_most + size_most / ROOM_BEYOND, err) ||
	    !store_size(store, &bytes, err))
		return false;
	c->is_full = bytes >= size_most;
	return true;
}

uint64_t collector_ticket(const struct collector *c, uint64_t run)
{
	struct hmac_sha256_ctx context;
	uint8_t bytes[8];

	bytes_store(bytes, run, sizeof(bytes));
	hmac_sha256_set_key(&context, STORE_SECRET_BYTES, store_secret(c->store));
	hmac_sha256_update(&context, sizeof(bytes), bytes);
	hmac_sha256_digest(&context, sizeof(bytes), bytes);
	return bytes_load(bytes, sizeof(bytes)) | 1; /* never 0, which is none */
}

/* A body of one of the kinds that runs send. */
struct body {
	struct packet_names names;
	struct packet_counts counts;
	struct packet_about about;
};

static enum packet_fault read_body(const struct packet *packet, struct body *body)
{
	bool is_good;

	switch (packet->kind) {
	case PACKET_NAMES: is_good = packet_read_names(packet, &body->names); break;
	case PACKET_COUNTS: is_good = packet_read_counts(packet, &body->counts); break;
	case PACKET_ABOUT: is_good = packet_read_about(packet, &body->about); break;
	default: return PACKET_UNEXPECTED;
	}
	return is_good && packet->run ? PACKET_GOOD : PACKET_WRONG_BODY;
}

static bool put_names(struct collector *c, const struct packet *packet,
		      const struct packet_names *names, struct err *err)
{
	char name[PACKET_TEXT_BYTES];
	bool ok = true;

	for (unsigned i = 0; ok && i < names->count; i++) {
		const char *text = names->names.pairs[i];

		printable_copy(name, sizeof(name) - 1, (const uint8_t *)text, strlen(text));
		ok = store_put_name(c->store, packet->run, packet->epoch, names->first + i, name,
				    err);
	}
	return ok;
}

static bool put_counts(struct collector *c, const struct packet *packet,
		       const struct packet_counts *counts, struct err *err)
{
	const struct store_interval interval = {
		.run = packet->run,
		.number = counts->number,
		.start = counts->start,
		.cycles = counts->cycles,
		.dispatched = packet->cycle,
		.epoch = packet->epoch,
		.counters = counts->all,
		.is_last_of_epoch = packet->flags & PACKET_LAST_OF_EPOCH,
		.is_final = packet->flags & PACKET_FINAL,
		.is_partial = packet->flags & PACKET_PARTIAL,
	};
	bool ok = store_put_interval(c->store, &interval, err);

	for (unsigned i = 0; ok && i < counts->count; i++)
		ok = store_put_count(c->store, &interval, counts->first + i,
				     counts->counts[i].value, counts->counts[i].total,
				     counts->counts[i].is_saturated, err);
	return ok;
}

static bool put_about(struct collector *c, const struct packet *packet,
		      const struct packet_about *about, struct err *err)
{
	char texts[2][PACKET_TEXT_BYTES];
	const char *const from[] = {about->program, about->machine};

	for (int i = 0; i < 2; i++)
		printable_copy(texts[i], PACKET_TEXT_BYTES - 1, (const uint8_t *)from[i],
			       strlen(from[i]));
	return store_put_about(c->store, packet->run, texts[0], texts[1], err);
}

static bool put_body(struct collector *c, const struct packet *packet, const struct body *body,
		     struct err *err)
{
	switch (packet->kind) {
	case PACKET_NAMES: return put_names(c, packet, &body->names, err);
	case PACKET_COUNTS: return put_counts(c, packet, &body->counts, err);
	default: return put_about(c, packet, &body->about, err);
	}
}

/* Whether a full database has room for it. */
static bool is_wanted(const struct packet *packet, enum store_known known)
{
	return known != STORE_NEW_RUN && (packet->kind != PACKET_COUNTS ||
					  packet->flags & (PACKET_LAST_OF_EPOCH | PACKET_FINAL));
}

static void add_answer(struct collector *c, const struct packet *packet,
		       const struct link_address *to, uint64_t ticket)
{
	c->answers[c->answer_count++] =
		(struct collector_answer){*to, packet->run, packet->sequence, ticket};
}

static bool put_packet(struct collector *c, const struct packet *packet, const struct body *body,
		       const struct link_address *from, uint64_t now, enum packet_fault *fault,
		       struct err *err)
{
	char sender[LINK_TEXT_BYTES];
	enum store_known known;

	link_address_text(from, sender);
	if (!store_find_run(c->store, packet->run, sender, &known, err))
		return false;
	/* With a key the ticket says whose packet it is, also if the sender's address changes. */
	if (known == STORE_FOREIGN_RUN && !c->key->bytes)
		*fault = PACKET_FOREIGN;
	else if (c->is_full && !is_wanted(packet, known))
		*fault = PACKET_BEYOND;
	if (*fault != PACKET_GOOD)
		return true;
	const bool is_new = known == STORE_NEW_RUN;
	const uint64_t before = store_changes(c->store);
	if ((is_new && !store_put_run(c->store, packet->run, sender, now, err)) ||
	    !put_body(c, packet, body, err))
		return false;
	/* What was there already tells nothing of when the run was heard of. */
	if (!is_new && store_changes(c->store) != before &&
	    !store_put_run(c->store, packet->run, sender, now, err))
		return false;
	if (packet->kind != PACKET_COUNTS || packet->flags & PACKET_FINAL)
		c->ending[c->ending_count++] = packet->run;
	if (packet->flags & PACKET_WANTS_ACKNOWLEDGE)
		add_answer(c, packet, from, 0);
	return true;
}

/* Whether it asks for a ticket; an answer is all that it causes. */
static bool is_request(const struct collector *c, const struct packet *packet)
{
	return c->key->bytes && packet->kind == PACKET_ABOUT && !packet->ticket;
}

bool collector_take(struct collector *c, const void *bytes, size_t size,
		    const struct link_address *from, uint64_t now, struct err *err)
{
	struct body body = {.names = {.count = 0}};
	struct packet packet;
	bool ok = true;
	enum packet_fault fault = packet_read(&packet, bytes, size, c->key);

	BUG_ON(c->answer_count >= COLLECTOR_PACKETS_MOST);
	if (fault == PACKET_GOOD)
		fault = read_body(&packet, &body);
	if (fault == PACKET_GOOD && is_request(c, &packet))
		add_answer(c, &packet, from, collector_ticket(c, packet.run));
	else if (fault == PACKET_GOOD && c->key->bytes &&
		 packet.ticket != collector_ticket(c, packet.run))
		fault = PACKET_REPLAYED;
	else if (fault == PACKET_GOOD)
		ok = put_packet(c, &packet, &body, from, now, &fault, err);
	stats_wish_release(&body.names.names);
	c->dropped[fault] += fault != PACKET_GOOD;
	return ok;
}

bool collector_begin(struct collector *c, struct err *err)
{
	c->answer_count = c->ending_count = 0;
	return store_begin(c->store, err);
}

/* What the batch is besides its packets. */
static bool put_rest(struct collector *c, uint64_t *finished, struct err *err)
{
	bool ok = true, is_newly_whole;

	for (int fault = 0; ok && fault < PACKET_FAULTS; fault++) {
		if (c->dropped[fault])
			ok = store_add_dropped(c->store,
					       packet_fault_name((enum packet_fault)fault),
					       c->dropped[fault], err);
	}
	for (size_t i = 0; ok && i < c->ending_count; i++) {
		ok = store_finish_run(c->store, c->ending[i], &is_newly_whole, err);
		*finished += ok && is_newly_whole;
	}
	return ok;
}

bool collector_end(struct collector *c, struct err *err)
{
	uint64_t finished = 0, bytes;

	/* Whatever can fail does so before the batch is committed. */
	if (!put_rest(c, &finished, err) || !store_size(c->store, &bytes, err)) {
		store_rollback(c->store);
		return false;
	}
	if (!store_commit(c->store, err))
		return false;
	memset(c->dropped, 0, sizeof(c->dropped));
	c->finished += finished;
	c->is_full = bytes >= c->size_most;
	return true;
}

bool collector_answer(const struct collector *c, const struct collector_answer *answer,
		      struct packet_writer *writer)
{
	packet_begin(writer, &(struct packet){.kind = PACKET_ACKNOWLEDGE,
					      .run = answer->run,
					      .ticket = answer->ticket});
	packet_put_acknowledge(writer, answer->sequence);
	return packet_end(writer, c->key);
}
