#include "stats/sender.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

#define REPEAT_SECONDS 0.1

/* A packet that waits for its acknowledgement. */
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
	close(s->fd);
	free(s);
}

static void begin(struct stats_sender *s, struct packet header)
{
	header.run = s->run;
	header.sequence = ++s->sequence;
	packet_begin(&s->writer, &header);
}

/* A packet that the network does not take is lost, as any other may be. */
static void end(struct stats_sender *s, bool must_arrive)
{
	if (!packet_end(&s->writer, s->key))
		return;
	(void)!send(s->fd, s->writer.bytes, s->writer.size, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (!must_arrive)
		return;
	struct waiting *w = ARRAY_PUSH(s->waiting, s->waiting_count, s->waiting_capacity);
	*w = (struct waiting){s->sequence, link_seconds(), mem_alloc(s->writer.size),
			      s->writer.size};
	memcpy(w->bytes, s->writer.bytes, w->size);
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

void stats_sender_tick(struct stats_sender *s)
{
	uint8_t bytes[256];
	double now = link_seconds();

	/* An error is that of an earlier packet: nobody listens there yet. */
	for (int errors = 0; errors < 8;) {
		ssize_t got = recv(s->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		struct packet packet;
		uint64_t sequence;

		errors += got < 0;
		if (got >= 0 && packet_read(&packet, bytes, (size_t)got, s->key) == PACKET_GOOD &&
		    packet.kind == PACKET_ACKNOWLEDGE && packet.run == s->run &&
		    packet_read_acknowledge(&packet, &sequence))
			acknowledge(s, sequence);
	}
	for (size_t i = 0; i < s->waiting_count; i++) {
		if (now - s->waiting[i].sent_at < REPEAT_SECONDS)
			continue;
		s->waiting[i].sent_at = now;
		(void)!send(s->fd, s->waiting[i].bytes, s->waiting[i].size,
			    MSG_DONTWAIT | MSG_NOSIGNAL);
	}
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
