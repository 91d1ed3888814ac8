#include "stats/sender.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

#define REPEAT_SECONDS	0.1
#define DOUBT_SECONDS	1 /* without an acknowledgement the ticket is asked for again */
#define PACKETS_AT_ONCE 256

/* A packet that waits for its acknowledgement, without ticket and signature. */
struct waiting {
	uint64_t sequence;
	double sent_at;
	uint8_t *bytes;
	size_t size;
};

struct stats_sender {
	int fd;
	const struct packet_key *key;
	uint64_t run, sequence;
	/* Of the collector; 0: none yet. Asked for by the ABOUT of that number, at that time. */
	uint64_t ticket, asked;
	double asked_at, heard_at; /* heard: the last acknowledgement */
	char *program, *machine;   /* NULL: nothing is known of them */
	struct waiting *waiting;
	size_t waiting_count, waiting_capacity;
	struct packet_writer writer;
};

struct stats_sender *stats_sender_open(const struct link_address *to, const struct packet_key *key,
				       uint64_t run, struct err *err)
{
	int fd = link_connect(to, err);

	if (fd < 0)
		return NULL;
	struct stats_sender *s = mem_alloc(sizeof(*s));
	s->fd = fd;
	s->key = key;
	s->run = run;
	return s;
}

void stats_sender_close(struct stats_sender *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->waiting_count; i++)
		free(s->waiting[i].bytes);
	free(s->waiting);
	free(s->program);
	free(s->machine);
	close(s->fd);
	free(s);
}

static void begin(struct stats_sender *s, struct packet header)
{
	header.run = s->run;
	header.sequence = ++s->sequence;
	packet_begin(&s->writer, &header);
}

/* Ends and sends what was written. A packet that the network does not take is lost, as any other
 * may be; so is one that the collector would drop. */
static void send_written(struct stats_sender *s)
{
	if (s->key->bytes && !s->ticket)
		return;
	s->writer.ticket = s->ticket;
	if (packet_end(&s->writer, s->key))
		(void)!send(s->fd, s->writer.bytes, s->writer.size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void end(struct stats_sender *s, bool must_arrive)
{
	if (s->writer.is_too_long)
		return;
	if (must_arrive) {
		struct waiting *w = ARRAY_PUSH(s->waiting, s->waiting_count, s->waiting_capacity);

		*w = (struct waiting){s->sequence, link_seconds(), mem_alloc(s->writer.size),
				      s->writer.size};
		memcpy(w->bytes, s->writer.bytes, w->size);
	}
	send_written(s);
}

static void put_about(struct stats_sender *s)
{
	begin(s, (struct packet){.kind = PACKET_ABOUT, .flags = PACKET_WANTS_ACKNOWLEDGE});
	packet_put_about(&s->writer, s->program, s->machine);
}

/* Each has a number of its own, so that no answer to an earlier one is taken for that to it. */
static void ask_for_ticket(struct stats_sender *s, double now)
{
	put_about(s);
	s->asked = s->sequence;
	s->asked_at = now;
	if (packet_end(&s->writer, s->key))
		(void)!send(s->fd, s->writer.bytes, s->writer.size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void stats_sender_about(struct stats_sender *s, const char *program, const char *machine)
{
	double until = link_seconds() + SENDER_TICKET_SECONDS;

	s->program = mem_strdup(program);
	s->machine = mem_strdup(machine);
	put_about(s);
	end(s, true);
	while (s->key->bytes && !s->ticket && link_seconds() < until) {
		struct pollfd source = {s->fd, POLLIN, 0};

		stats_sender_tick(s);
		poll(&source, 1, (int)(REPEAT_SECONDS * 1000 / 4));
		stats_sender_tick(s);
	}
}

void stats_sender_names(struct stats_sender *s, uint32_t epoch, uint32_t count,
			uint32_t period_cycles, uint32_t width_bits, const char *names)
{
	uint32_t first = 0;

	do {
		begin(s, (struct packet){.kind = PACKET_NAMES,
					 .epoch = epoch,
					 .flags = PACKET_WANTS_ACKNOWLEDGE});
		first += packet_put_names(&s->writer, first, count, period_cycles, width_bits,
					  &names);
		end(s, true);
	} while (first < count);
}

void stats_sender_counts(struct stats_sender *s, const struct packet *header,
			 const struct packet_counts *counts, const struct packet_count *values,
			 uint32_t count)
{
	bool must_arrive = header->flags & (PACKET_LAST_OF_EPOCH | PACKET_FINAL);
	uint32_t first = 0;

	do {
		struct packet_counts part = *counts;
		struct packet of = *header;
		uint32_t left = count - first;

		of.kind = PACKET_COUNTS;
		of.flags |= must_arrive ? PACKET_WANTS_ACKNOWLEDGE : 0;
		part.first = first;
		part.all = count;
		part.count = (uint16_t)(left < PACKET_COUNTS_MOST ? left : PACKET_COUNTS_MOST);
		memcpy(part.counts, values + first, part.count * sizeof(*values));
		begin(s, of);
		packet_put_counts(&s->writer, &part);
		end(s, must_arrive);
		first += part.count;
	} while (first < count);
}

static void acknowledge(struct stats_sender *s, uint64_t sequence)
{
	for (size_t i = 0; i < s->waiting_count; i++) {
		if (s->waiting[i].sequence != sequence)
			continue;
		free(s->waiting[i].bytes);
		s->waiting[i] = s->waiting[--s->waiting_count];
		return;
	}
}

/* Takes an answer of the collector. Every packet that waits is sent at once under a new ticket. */
static void take_answer(struct stats_sender *s, const uint8_t *bytes, size_t size)
{
	struct packet packet;
	uint64_t sequence;

	if (packet_read(&packet, bytes, size, s->key) != PACKET_GOOD ||
	    packet.kind != PACKET_ACKNOWLEDGE || packet.run != s->run ||
	    !packet_read_acknowledge(&packet, &sequence))
		return;
	s->heard_at = link_seconds();
	acknowledge(s, sequence);
	if (!packet.ticket || sequence != s->asked || packet.ticket == s->ticket)
		return;
	s->ticket = packet.ticket;
	for (size_t i = 0; i < s->waiting_count; i++)
		s->waiting[i].sent_at = -1;
}

static void repeat(struct stats_sender *s, struct waiting *w, double now)
{
	w->sent_at = now;
	memcpy(s->writer.bytes, w->bytes, w->size);
	s->writer.size = w->size;
	s->writer.is_too_long = false;
	send_written(s);
}

/* Whether the collector may not have given the ticket: there is none, or it keeps silent. */
static bool wants_ticket(const struct stats_sender *s, double now)
{
	if (!s->key->bytes || !s->program)
		return false;
	if (!s->ticket)
		return now - s->asked_at >= REPEAT_SECONDS || !s->asked;
	return s->waiting_count && now - s->heard_at >= DOUBT_SECONDS &&
	       now - s->asked_at >= DOUBT_SECONDS;
}

void stats_sender_tick(struct stats_sender *s)
{
	uint8_t bytes[256];
	double now = link_seconds();

	/* An error is that of an earlier packet: nobody listens there yet. A collector that sends
	 * without end gets no more of the time than that. */
	for (int errors = 0, packets = 0; errors < 8 && packets < PACKETS_AT_ONCE; packets++) {
		ssize_t got = recv(s->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

		if (got < 0)
			errors++;
		else
			take_answer(s, bytes, (size_t)got);
	}
	if (wants_ticket(s, now))
		ask_for_ticket(s, now);
	for (size_t i = 0; i < s->waiting_count; i++)
		if (now - s->waiting[i].sent_at >= REPEAT_SECONDS || s->waiting[i].sent_at < 0)
			repeat(s, &s->waiting[i], now);
}

bool stats_sender_finish(struct stats_sender *s, double seconds)
{
	double until = link_seconds() + seconds;

	for (;;) {
		struct pollfd source = {s->fd, POLLIN, 0};

		stats_sender_tick(s);
		if (!s->waiting_count || link_seconds() >= until)
			return !s->waiting_count;
		poll(&source, 1, (int)(REPEAT_SECONDS * 1000 / 4));
	}
}
