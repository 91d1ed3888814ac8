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
					      .cycle = c->cycle,
					      .ticket = kind == PACKET_STATUS ? c->ticket : 0});
	if (kind == PACKET_ANSWER)
		packet_put_answer(writer, packet->sequence, is_accepted, text);
	if (!packet_end(writer, c->key))
		writer->size = 0;
}

/* False with a sentence. */
static bool accept_wish(struct stats_control *c, struct stats_wish *wish, struct err *err)
{
	if (!c->first)
		return (c->mailbox && stats_mailbox_post(c->mailbox, wish)) ||
		       err_set(err, "the change before it has not been taken yet: try again");
	if (c->check_first && !c->check_first(c->context, wish, err))
		return false;
	stats_wish_release(c->first);
	*c->first = *wish;
	*wish = (struct stats_wish){0};
	c->first = NULL;
	c->has_first = true;
	return true;
}

/* Whether it is the last one that was accepted: the answer to it may have been lost. */
static bool is_last(const struct stats_control *c, const struct packet *packet)
{
	return packet->run == c->run && packet->ticket && packet->ticket == c->last_ticket &&
	       packet->sequence == c->last_sequence;
}

static enum packet_fault take_configure(struct stats_control *c, const struct packet *packet,
					struct packet_writer *writer)
{
	struct stats_wish wish = {0};
	enum packet_fault fault = PACKET_GOOD;

	if (packet->run != c->run || !packet->ticket || packet->ticket != c->ticket)
		fault = PACKET_REPLAYED;
	else if (!packet_read_configure(packet, &wish))
		fault = PACKET_WRONG_BODY;
	if (fault == PACKET_GOOD) {
		struct err err;
		bool is_accepted = accept_wish(c, &wish, &err);

		answer(c, packet, writer, PACKET_ANSWER, is_accepted, is_accepted ? "" : err.text);
		if (is_accepted) {
			c->last_sequence = packet->sequence;
			c->last_ticket = c->ticket;
			c->accepted++;
		}
		c->ticket = link_run();
	} else if (fault == PACKET_REPLAYED && packet->run == c->run) {
		answer(c, packet, writer, PACKET_ANSWER, is_last(c, packet),
		       is_last(c, packet) ? "" : "its ticket has been used: try again");
	}
	stats_wish_release(&wish);
	return fault;
}

enum packet_fault stats_control_take(struct stats_control *c, const void *bytes, size_t size,
				     struct packet_writer *writer)
{
	struct packet packet;
	enum packet_fault fault = packet_read(&packet, bytes, size, c->key);

	writer->size = 0;
	if (fault == PACKET_GOOD && packet.kind == PACKET_QUERY) {
		fault = packet.body_bytes ? PACKET_WRONG_BODY : PACKET_GOOD;
		if (fault == PACKET_GOOD)
			answer(c, &packet, writer, PACKET_STATUS, true, "");
	} else if (fault == PACKET_GOOD) {
		fault = packet.kind == PACKET_CONFIGURE ? take_configure(c, &packet, writer)
							: PACKET_UNEXPECTED;
	}
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
