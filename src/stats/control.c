#include "stats/control.h"

#include <stdlib.h>

#include "base/array.h"

#define PACKETS_AT_ONCE 256

static void answer(struct stats_control *c, const struct packet *packet,
		   struct packet_writer *writer, enum packet_kind kind, bool is_accepted,
		   const char *text)
{
	packet_begin(writer, &(struct packet){.kind = kind,
					      .epoch = c->epoch,
					      .run = c->run,
					      .sequence = packet->sequence,
					      .cycle = c->cycle});
	if (kind == PACKET_ANSWER)
		packet_put_answer(writer, packet->sequence, is_accepted, text);
	if (!packet_end(writer, c->key))
		writer->size = 0;
}

static bool accept_wish(struct stats_control *c, struct stats_wish *wish)
{
	if (c->first) {
		stats_wish_release(c->first);
		*c->first = *wish;
		*wish = (struct stats_wish){0};
		c->first = NULL;
		c->has_first = true;
		return true;
	}
	return c->mailbox && stats_mailbox_post(c->mailbox, wish);
}

enum packet_fault stats_control_take(struct stats_control *c, const void *bytes, size_t size,
				     struct packet_writer *writer)
{
	struct packet packet;
	struct stats_wish wish = {0};
	enum packet_fault fault = packet_read(&packet, bytes, size, c->key);

	writer->size = 0;
	if (fault == PACKET_GOOD && packet.kind == PACKET_QUERY) {
		fault = packet.body_bytes ? PACKET_WRONG_BODY : PACKET_GOOD;
		if (fault == PACKET_GOOD)
			answer(c, &packet, writer, PACKET_STATUS, true, "");
	} else if (fault == PACKET_GOOD && packet.kind != PACKET_CONFIGURE) {
		fault = PACKET_UNEXPECTED;
	} else if (fault == PACKET_GOOD) {
		bool is_ours = packet.run == c->run || (!packet.run && !c->key->bytes);

		if (!is_ours || packet.sequence <= c->last_sequence)
			fault = PACKET_REPLAYED;
		else if (!packet_read_configure(&packet, &wish))
			fault = PACKET_WRONG_BODY;
	}
	if (fault == PACKET_GOOD && packet.kind == PACKET_CONFIGURE) {
		bool is_accepted = accept_wish(c, &wish);

		if (is_accepted) {
			c->last_sequence = packet.sequence;
			c->accepted++;
		}
		answer(c, &packet, writer, PACKET_ANSWER, is_accepted,
		       is_accepted ? "" : "the change before it has not been taken yet: try again");
	}
	/* The answer to the last packet may have been lost. */
	if (fault == PACKET_REPLAYED && packet.run == c->run && packet.sequence == c->last_sequence)
		answer(c, &packet, writer, PACKET_ANSWER, true, "");
	stats_wish_release(&wish);
	if (fault != PACKET_GOOD)
		c->faults[fault]++;
	return fault;
}

void stats_control_receive(struct stats_control *c)
{
	struct packet_writer *writer = mem_alloc(sizeof(*writer));
	uint8_t *bytes = mem_alloc(PACKET_BYTES_MOST + 1);

	for (int i = 0; i < PACKETS_AT_ONCE; i++) {
		struct link_address from = {.bytes = sizeof(from.address)};
		ssize_t got = recvfrom(c->fd, bytes, PACKET_BYTES_MOST + 1, MSG_DONTWAIT,
				       (struct sockaddr *)&from.address, &from.bytes);

		if (got < 0)
			break;
		stats_control_take(c, bytes, (size_t)got, writer);
		if (writer->size)
			(void)!sendto(c->fd, writer->bytes, writer->size,
				      MSG_DONTWAIT | MSG_NOSIGNAL,
				      (const struct sockaddr *)&from.address, from.bytes);
	}
	free(bytes);
	free(writer);
}
