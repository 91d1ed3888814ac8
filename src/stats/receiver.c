#include "stats/receiver.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "base/array.h"

struct receiver {
	struct collector *collector;
	int fd;
	void (*full)(void);
	bool was_full;
	uint8_t bytes[PACKET_BYTES_MOST + 1];
	struct packet_writer writer;
};

static void tell_if_full(struct receiver *r)
{
	if (r->collector->is_full && !r->was_full && r->full)
		r->full();
	r->was_full = r->collector->is_full;
}

struct receiver *receiver_create(struct collector *collector, int fd, void (*full)(void))
{
	struct receiver *r = mem_alloc(sizeof(*r));

	r->collector = collector;
	r->fd = fd;
	r->full = full;
	tell_if_full(r);
	return r;
}

void receiver_destroy(struct receiver *r)
{
	free(r);
}

static void send_answers(struct receiver *r)
{
	for (size_t i = 0; i < r->collector->answer_count; i++) {
		const struct collector_answer *answer = &r->collector->answers[i];

		if (collector_answer(r->collector, answer, &r->writer))
			(void)!sendto(
				r->fd, r->writer.bytes, r->writer.size, MSG_DONTWAIT | MSG_NOSIGNAL,
				(const struct sockaddr *)&answer->to.address, answer->to.bytes);
	}
}

bool receiver_receive(struct receiver *r, struct err *err)
{
	bool ok = collector_begin(r->collector, err);

	for (int i = 0; ok && i < COLLECTOR_PACKETS_MOST; i++) {
		struct link_address from = {.bytes = sizeof(from.address)};
		ssize_t got = recvfrom(r->fd, r->bytes, sizeof(r->bytes), MSG_DONTWAIT,
				       (struct sockaddr *)&from.address, &from.bytes);

		if (got < 0)
			break;
		ok = collector_take(r->collector, r->bytes, (size_t)got, &from,
				    (uint64_t)time(NULL), err);
	}
	if (!ok) {
		store_rollback(r->collector->store);
		return false;
	}
	if (!collector_end(r->collector, err))
		return false;
	send_answers(r);
	tell_if_full(r);
	return true;
}

/* A repeated final packet whose acknowledgement was lost. */
static bool receive_repeated(struct receiver *r, struct err *err)
{
	struct pollfd source = {r->fd, POLLIN, 0};

	for (int i = 0; i < 10 && poll(&source, 1, 100) > 0; i++)
		if (!receiver_receive(r, err))
			return false;
	return true;
}

bool receiver_run(struct receiver *r, uint64_t wanted, int signals, struct err *err)
{
	const uint64_t before = r->collector->finished;

	for (;;) {
		struct pollfd sources[2] = {{r->fd, POLLIN, 0}, {signals, POLLIN, 0}};

		if (poll(sources, 2, -1) < 0 && errno != EINTR)
			return err_set_errno(err, errno, "cannot wait for packets");
		if (sources[1].revents)
			return true;
		if (!sources[0].revents)
			continue;
		if (!receiver_receive(r, err))
			return false;
		if (wanted && r->collector->finished - before >= wanted)
			return receive_repeated(r, err);
	}
}
