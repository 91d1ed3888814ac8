/* Packets into a database: whose they are, which are old, and what a full one takes. */
#include "../test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <unistd.h>

#include "base/array.h"
#include "stats/collector.h"

static uint8_t key_bytes[] = "a key of sixteen";
static const struct packet_key key = {key_bytes, 16}, none = {NULL, 0};

struct bench {
	char directory[64], file[80];
	struct collector *collector;
	struct packet_writer *writer;
	struct store *store;
};

static void open_bench(struct bench *b, const struct packet_key *with, uint64_t size_most)
{
	struct err err;

	b->collector = mem_alloc(sizeof(*b->collector));
	b->writer = mem_alloc(sizeof(*b->writer));
	b->store = store_open(b->file, true, &err);
	assert_non_null(b->store);
	assert_true(collector_init(b->collector, b->store, with, size_most, &err));
}

static void close_bench(struct bench *b)
{
	store_close(b->store);
	free(b->collector);
	free(b->writer);
}

static void make_bench(struct bench *b, const struct packet_key *with, uint64_t size_most)
{
	snprintf(b->directory, sizeof(b->directory), P_tmpdir "/collector.XXXXXX");
	assert_non_null(mkdtemp(b->directory));
	snprintf(b->file, sizeof(b->file), "%s/db", b->directory);
	open_bench(b, with, size_most);
}

static void remove_bench(struct bench *b)
{
	char command[128];

	close_bench(b);
	snprintf(command, sizeof(command), "rm -rf '%s'", b->directory);
	assert_int_equal(system(command), 0);
}

static struct link_address from(in_port_t port)
{
	struct link_address a = {.bytes = sizeof(struct sockaddr_in)};
	struct sockaddr_in *four = (struct sockaddr_in *)&a.address;

	*four = (struct sockaddr_in){.sin_family = AF_INET,
				     .sin_port = htons(port),
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	return a;
}

/* Takes what was written, alone in its batch; the fault that it was counted under. */
static enum packet_fault take(struct bench *b, in_port_t port)
{
	const struct link_address sender = from(port);
	enum packet_fault fault = PACKET_GOOD;
	struct err err;

	assert_true(packet_end(b->writer, b->collector->key));
	assert_true(collector_begin(b->collector, &err));
	assert_true(collector_take(b->collector, b->writer->bytes, b->writer->size, &sender, 1000,
				   &err));
	for (int i = 0; i < PACKET_FAULTS; i++)
		if (b->collector->dropped[i])
			fault = (enum packet_fault)i;
	assert_true(collector_end(b->collector, &err));
	return fault;
}

static void write_about(struct bench *b, uint64_t run, uint64_t ticket)
{
	packet_begin(b->writer, &(struct packet){.kind = PACKET_ABOUT,
						 .flags = PACKET_WANTS_ACKNOWLEDGE,
						 .run = run,
						 .ticket = ticket,
						 .sequence = 1});
	packet_put_about(b->writer, "program", "machine");
}

static void write_names(struct bench *b, uint64_t run, uint64_t ticket)
{
	const char *names = "cycles";

	packet_begin(b->writer,
		     &(struct packet){.kind = PACKET_NAMES, .run = run, .ticket = ticket});
	packet_put_names(b->writer, 0, 1, 100, 32, &names);
}

static void write_counts(struct bench *b, uint64_t run, uint64_t number, uint16_t flags,
			 uint64_t ticket)
{
	const struct packet_counts counts = {
		.number = number, .cycles = 1, .all = 1, .count = 1, .counts = {{1, 1, false}}};

	packet_begin(b->writer,
		     &(struct packet){
			     .kind = PACKET_COUNTS, .flags = flags, .run = run, .ticket = ticket});
	packet_put_counts(b->writer, &counts);
}

TEST(without_a_key_a_run_belongs_to_an_address)
{
	struct bench b;

	make_bench(&b, &none, UINT64_C(1) << 30);
	write_about(&b, 7, 0);
	assert_int_equal(take(&b, 5000), PACKET_GOOD);
	assert_int_equal(b.collector->answer_count, 1);
	assert_int_equal(b.collector->answers[0].ticket, 0);
	write_names(&b, 7, 0);
	assert_int_equal(take(&b, 5001), PACKET_FOREIGN);
	write_counts(&b, 7, 0, PACKET_FINAL | PACKET_WANTS_ACKNOWLEDGE, 0);
	assert_int_equal(take(&b, 5001), PACKET_FOREIGN);
	assert_int_equal(b.collector->answer_count, 0);
	write_names(&b, 7, 0);
	assert_int_equal(take(&b, 5000), PACKET_GOOD);
	assert_int_equal(b.collector->finished, 0);
	/* The same after a restart. */
	close_bench(&b);
	open_bench(&b, &none, UINT64_C(1) << 30);
	write_counts(&b, 7, 0, PACKET_FINAL, 0);
	assert_int_equal(take(&b, 5001), PACKET_FOREIGN);
	write_counts(&b, 7, 0, PACKET_FINAL, 0);
	assert_int_equal(take(&b, 5000), PACKET_GOOD);
	assert_int_equal(b.collector->finished, 1);
	write_counts(&b, 7, 1, PACKET_FINAL, 0);
	assert_int_equal(take(&b, 5000), PACKET_GOOD);
	assert_int_equal(b.collector->finished, 1);
	/* No run has number 0; nobody asks a collector. */
	write_about(&b, 0, 0);
	assert_int_equal(take(&b, 5000), PACKET_WRONG_BODY);
	packet_begin(b.writer, &(struct packet){.kind = PACKET_QUERY, .run = 7});
	assert_int_equal(take(&b, 5000), PACKET_UNEXPECTED);
	remove_bench(&b);
}

TEST(with_a_key_packets_have_the_ticket_of_this_database)
{
	struct packet packet;
	struct bench b, other;

	make_bench(&b, &key, UINT64_C(1) << 30);
	make_bench(&other, &key, UINT64_C(1) << 30);
	write_about(&b, 7, 0);
	assert_int_equal(take(&b, 5000), PACKET_GOOD);
	assert_int_equal(b.collector->answer_count, 1);
	const uint64_t ticket = b.collector->answers[0].ticket;
	assert_true(ticket);
	assert_true(collector_answer(b.collector, &b.collector->answers[0], b.writer));
	assert_int_equal(packet_read(&packet, b.writer->bytes, b.writer->size, &key), PACKET_GOOD);
	assert_int_equal(packet.ticket, ticket);
	assert_int_equal(packet.run, 7);
	/* Nothing is known of the run yet: the request may have been a recorded one. */
	struct err err;
	enum store_known known;
	assert_true(store_find_run(b.store, 7, "", &known, &err));
	assert_int_equal(known, STORE_NEW_RUN);
	write_counts(&b, 7, 0, PACKET_FINAL, 0);
	assert_int_equal(take(&b, 5000), PACKET_REPLAYED);
	write_counts(&b, 7, 0, PACKET_FINAL, ticket);
	assert_int_equal(take(&b, 5000), PACKET_GOOD);
	/* Of another run, and in another database. */
	write_counts(&b, 8, 0, PACKET_FINAL, ticket);
	assert_int_equal(take(&b, 5000), PACKET_REPLAYED);
	write_counts(&other, 7, 0, PACKET_FINAL, ticket);
	assert_int_equal(take(&other, 5000), PACKET_REPLAYED);
	assert_true(store_find_run(other.store, 7, "", &known, &err));
	assert_int_equal(known, STORE_NEW_RUN);
	/* After a restart it is the same, and the address may have changed. */
	close_bench(&b);
	open_bench(&b, &key, UINT64_C(1) << 30);
	write_counts(&b, 7, 1, 0, ticket);
	assert_int_equal(take(&b, 6000), PACKET_GOOD);
	remove_bench(&b);
	remove_bench(&other);
}

TEST(a_full_database_keeps_what_ends_its_runs)
{
	struct bench b;
	uint64_t run;

	make_bench(&b, &none, 262144);
	assert_false(b.collector->is_full);
	for (run = 1; run < 10000 && !b.collector->is_full; run++) {
		write_counts(&b, run, 0, 0, 0);
		assert_int_equal(take(&b, 5000), PACKET_GOOD);
	}
	assert_true(b.collector->is_full);
	write_counts(&b, run, 0, 0, 0); /* a new one */
	assert_int_equal(take(&b, 5000), PACKET_BEYOND);
	write_counts(&b, 1, 1, 0, 0); /* a plain interval */
	assert_int_equal(take(&b, 5000), PACKET_BEYOND);
	write_about(&b, 1, 0);
	assert_int_equal(take(&b, 5000), PACKET_GOOD);
	write_names(&b, 1, 0);
	assert_int_equal(take(&b, 5000), PACKET_GOOD);
	write_counts(&b, 1, 1, PACKET_LAST_OF_EPOCH | PACKET_FINAL, 0);
	assert_int_equal(take(&b, 5000), PACKET_GOOD);
	assert_int_equal(b.collector->finished, 1);
	remove_bench(&b);
}
