#include "web/live.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/array.h"
#include "base/printable.h"

#define PACKETS_AT_ONCE 512
#define WINDOW_BITS	65536 /* of packet numbers, in which one that comes twice is known */
#define COUNTERS_MOST	65536

struct live {
	int fd;
	unsigned port, configure_port;
	const struct packet_key *key;
	uint64_t ticket, run; /* run 0: none yet */
	uint64_t highest, received;
	uint64_t window[WINDOW_BITS / 64];
	/* Of the epoch under way. */
	bool has_epoch, told_epoch;
	uint32_t epoch, period_cycles;
	char **names;
	size_t count, named;
	/* The interval under way. */
	struct packet_counts interval;
	uint64_t *values;
	size_t valued;
	uint8_t bytes[PACKET_BYTES_MOST + 1];
	struct packet_writer writer;
};

static int bind_somewhere(unsigned *port, struct err *err)
{
	struct link_address address;
	struct sockaddr_in bound;
	socklen_t bytes = sizeof(bound);
	const struct packet_key none = {NULL, 0};

	if (!link_address_read(&address, "127.0.0.1:0", &none, err))
		return -1;
	const int fd = link_listen(&address, err);
	if (fd < 0)
		return -1;
	getsockname(fd, (struct sockaddr *)&bound, &bytes);
	*port = ntohs(bound.sin_port);
	return fd;
}

struct live *live_create(const struct packet_key *key, struct err *err)
{
	struct live *live = mem_alloc(sizeof(*live));
	const int most = 4 << 20;

	live->key = key;
	live->ticket = link_run();
	live->fd = bind_somewhere(&live->port, err);
	const int other = live->fd < 0 ? -1 : bind_somewhere(&live->configure_port, err);
	if (other < 0) {
		live_destroy(live);
		return NULL;
	}
	close(other);
	setsockopt(live->fd, SOL_SOCKET, SO_RCVBUF, &most, sizeof(most));
	return live;
}

static void forget_epoch(struct live *live)
{
	for (size_t i = 0; i < live->count; i++)
		free(live->names[i]);
	free(live->names);
	free(live->values);
	live->names = NULL;
	live->values = NULL;
	live->count = live->named = live->valued = 0;
	live->has_epoch = live->told_epoch = false;
}

void live_destroy(struct live *live)
{
	if (!live)
		return;
	forget_epoch(live);
	if (live->fd >= 0)
		close(live->fd);
	free(live);
}

int live_fd(const struct live *live)
{
	return live->fd;
}

unsigned live_port(const struct live *live)
{
	return live->port;
}

unsigned live_configure_port(const struct live *live)
{
	return live->configure_port;
}

uint64_t live_received(const struct live *live)
{
	return live->received;
}

uint64_t live_lost(const struct live *live)
{
	return live->highest > live->received ? live->highest - live->received : 0;
}

/* False if a packet of this number was here before. */
static bool count_packet(struct live *live, uint64_t sequence)
{
	/* A run that skips more than the window has gone mad: it is counted as if it had not. */
	if (!sequence || sequence > live->highest + WINDOW_BITS)
		return true;
	while (live->highest < sequence) {
		live->highest++;
		live->window[live->highest % WINDOW_BITS / 64] &=
			~(UINT64_C(1) << live->highest % 64);
	}
	if (live->highest - sequence >= WINDOW_BITS)
		return false;
	uint64_t *word = &live->window[sequence % WINDOW_BITS / 64];
	const uint64_t bit = UINT64_C(1) << sequence % 64;
	if (*word & bit)
		return false;
	*word |= bit;
	live->received++;
	return true;
}

json_t *live_epoch_json(const struct live *live)
{
	if (!live->told_epoch)
		return NULL;
	json_t *names = json_array();
	for (size_t i = 0; i < live->count; i++)
		json_array_append_new(names, json_string(live->names[i]));
	return json_pack("{s:I, s:I, s:o}", "epoch", (json_int_t)live->epoch, "every",
			 (json_int_t)live->period_cycles, "counters", names);
}

static void begin_epoch(struct live *live, uint32_t epoch, uint32_t all)
{
	if (live->has_epoch && live->epoch == epoch && live->count == all)
		return;
	forget_epoch(live);
	live->has_epoch = true;
	live->epoch = epoch;
	live->count = all;
	live->names = mem_alloc_array(all + 1, sizeof(*live->names));
	live->values = mem_alloc_array(all + 1, sizeof(*live->values));
}

static void take_names(struct live *live, const struct packet *packet, struct events *events)
{
	struct packet_names names = {0};
	char text[PACKET_TEXT_BYTES];

	if (packet_read_names(packet, &names) && names.all && names.all <= COUNTERS_MOST &&
	    !(live->has_epoch && packet->epoch < live->epoch)) {
		begin_epoch(live, packet->epoch, names.all);
		live->period_cycles = names.period_cycles;
		for (unsigned i = 0; i < names.count && names.first + i < live->count; i++) {
			const char *name = names.names.pairs[i];

			printable_copy(text, sizeof(text) - 1, (const uint8_t *)name, strlen(name));
			if (!live->names[names.first + i]) {
				live->names[names.first + i] = mem_strdup(text);
				live->named++;
			}
		}
		if (live->named == live->count && !live->told_epoch) {
			live->told_epoch = true;
			events_add(events, "epoch", live_epoch_json(live));
		}
	}
	stats_wish_release(&names.names);
}

static void tell_interval(struct live *live, bool is_final, struct events *events)
{
	json_t *values = json_array();

	for (size_t i = 0; i < live->count; i++)
		json_array_append_new(values, json_integer((json_int_t)live->values[i]));
	events_add(events, "interval",
		   json_pack("{s:I, s:I, s:I, s:I, s:o, s:b, s:I, s:I}", "epoch",
			     (json_int_t)live->epoch, "number", (json_int_t)live->interval.number,
			     "start", (json_int_t)live->interval.start, "cycles",
			     (json_int_t)live->interval.cycles, "values", values, "final", is_final,
			     "packets", (json_int_t)live->received, "lost",
			     (json_int_t)live_lost(live)));
}

static void take_counts(struct live *live, const struct packet *packet, struct events *events)
{
	struct packet_counts counts;

	if (!packet_read_counts(packet, &counts) || !live->has_epoch ||
	    packet->epoch != live->epoch || counts.all != live->count)
		return;
	if (counts.number != live->interval.number || counts.start != live->interval.start ||
	    !live->valued) {
		live->interval = counts;
		live->valued = 0;
	}
	for (unsigned i = 0; i < counts.count && counts.first + i < live->count; i++)
		live->values[counts.first + i] = counts.counts[i].value;
	live->valued += counts.count;
	if (live->valued < live->count || !live->told_epoch)
		return;
	tell_interval(live, packet->flags & PACKET_FINAL, events);
	live->valued = 0;
}

static void answer(struct live *live, const struct packet *packet, const struct link_address *to,
		   uint64_t ticket)
{
	packet_begin(
		&live->writer,
		&(struct packet){.kind = PACKET_ACKNOWLEDGE, .run = packet->run, .ticket = ticket});
	packet_put_acknowledge(&live->writer, packet->sequence);
	if (packet_end(&live->writer, live->key))
		(void)!sendto(live->fd, live->writer.bytes, live->writer.size,
			      MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)&to->address,
			      to->bytes);
}

static void take(struct live *live, size_t size, const struct link_address *from,
		 struct events *events)
{
	struct packet packet;

	if (packet_read(&packet, live->bytes, size, live->key) != PACKET_GOOD || !packet.run ||
	    (live->run && packet.run != live->run))
		return;
	const bool asks = packet.kind == PACKET_ABOUT && !packet.ticket;
	if (!asks && packet.ticket != live->ticket)
		return;
	live->run = packet.run;
	const bool is_new = count_packet(live, packet.sequence);
	if (asks) {
		answer(live, &packet, from, live->ticket);
		return;
	}
	if (is_new && packet.kind == PACKET_NAMES)
		take_names(live, &packet, events);
	else if (is_new && packet.kind == PACKET_COUNTS)
		take_counts(live, &packet, events);
	if (packet.flags & PACKET_WANTS_ACKNOWLEDGE)
		answer(live, &packet, from, 0);
}

void live_receive(struct live *live, struct events *events)
{
	for (int i = 0; i < PACKETS_AT_ONCE; i++) {
		struct link_address from = {.bytes = sizeof(from.address)};
		const ssize_t got =
			recvfrom(live->fd, live->bytes, sizeof(live->bytes), MSG_DONTWAIT,
				 (struct sockaddr *)&from.address, &from.bytes);

		if (got < 0)
			return;
		take(live, (size_t)got, &from, events);
	}
}
