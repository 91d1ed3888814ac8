/* Receiver and collector on packets made here, through a pair of sockets: what it stores,
 * acknowledges and drops, and every row that is shown of it. */
#include "../test.h"
#include "../replace.h"

#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "doc/doc_csv.h"
#include "report/collected.h"
#include "stats/receiver.h"

static struct collector collector;
static struct receiver *receiver;
static struct store *stored;
static const struct packet_key no_key;
static int socket_of_receiver, sender;
static char directory[64], path[128];
static struct packet_writer writer;

/* Packets are received at 00:16:40 on the first day. */
static time_t time_of_test(time_t *unused)
{
	(void)unused;
	return 1000;
}
REPLACE(time, time_of_test);

static int enter(void **state)
{
	int pair[2];
	struct err err;

	(void)state;
	snprintf(directory, sizeof(directory), "/tmp/collect.XXXXXX");
	if (!mkdtemp(directory) || socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) != 0)
		return -1;
	snprintf(path, sizeof(path), "%s/x.db", directory);
	stored = store_open(path, true, &err);
	socket_of_receiver = pair[0];
	sender = pair[1];
	if (!stored || !collector_init(&collector, stored, &no_key, 1 << 30, &err))
		return -1;
	receiver = receiver_create(&collector, socket_of_receiver, NULL);
	return 0;
}

static int leave(void **state)
{
	char command[256];

	(void)state;
	receiver_destroy(receiver);
	store_close(stored);
	close(socket_of_receiver);
	close(sender);
	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	return system(command);
}

static void send_packet(void)
{
	assert_true(packet_end(&writer, &no_key));
	assert_int_equal(send(sender, writer.bytes, writer.size, 0), writer.size);
}

/* The names are ended by 0, one after the other. */
static void send_names(uint64_t run, uint32_t epoch, uint32_t all, const char *names)
{
	packet_begin(&writer, &(struct packet){.kind = PACKET_NAMES, .run = run, .epoch = epoch});
	packet_put_names(&writer, 0, all, 100, 32, &names);
	send_packet();
}

static void send_about(uint64_t run)
{
	packet_begin(&writer, &(struct packet){.kind = PACKET_ABOUT, .run = run});
	packet_put_about(&writer, "program", "machine");
	send_packet();
}

/* An interval of `count` counters from the first on, of `all`: counter i counts 10 + i, in all
 * 100 + i; the second is saturated. */
static void send_counts(struct packet packet, struct packet_counts counts, uint16_t count)
{
	packet.kind = PACKET_COUNTS;
	counts.count = count;
	for (uint16_t i = 0; i < count; i++)
		counts.counts[i] = (struct packet_count){
			10u + counts.first + i, 100u + counts.first + i, counts.first + i == 1};
	packet_begin(&writer, &packet);
	packet_put_counts(&writer, &counts);
	send_packet();
}

/* The sequences that are acknowledged, with their runs. */
static const char *acknowledged(void)
{
	static char text[512];
	uint8_t bytes[2048];
	ssize_t got;
	size_t at = 0;

	text[0] = 0;
	while ((got = recv(sender, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0) {
		struct packet packet;
		uint64_t sequence;

		assert_int_equal(packet_read(&packet, bytes, (size_t)got, &no_key), PACKET_GOOD);
		assert_int_equal(packet.kind, PACKET_ACKNOWLEDGE);
		assert_true(packet_read_acknowledge(&packet, &sequence));
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%llx:%llu ",
				       (unsigned long long)packet.run,
				       (unsigned long long)sequence);
	}
	return text;
}

/* The tables of what is stored, as CSV without their titles; or why there are none. */
static const char *shown(struct err *err)
{
	static const char *const tables[] = {"runs-table", "intervals-table", "totals-table",
					     "dropped-table"};
	static char text[8192];
	struct store *store = store_open(path, false, err);
	struct doc doc;

	doc_init(&doc, "collect");
	text[0] = '\0';
	const bool ok = store && collected_build(&doc, store, err);
	for (size_t i = 0; ok && i < ARRAY_COUNT(tables); i++) {
		char *csv = NULL;
		size_t bytes;
		FILE *out = open_memstream(&csv, &bytes);
		const bool is_there = doc_csv_write(out, &doc, tables[i], err);

		fclose(out);
		if (is_there)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s",
				 strchr(csv, '\n') + 1);
		free(csv);
	}
	doc_release(&doc);
	store_close(store);
	return text;
}

#define RECEIVED	 ",unknown,1970-01-01 00:16:40,1970-01-01 00:16:40\n"
#define NOTHING_KNOWN	 ",," RECEIVED
#define COLLECTING(test) TEST_WITH(test, enter, leave)

COLLECTING(runs_are_stored_and_shown)
{
	struct err err;

	send_about(0x12);
	send_names(0x12, 0, 2, "a\0b");
	send_names(0x12, 1, 1, "c");
	send_names(0x1f, 0, 1, "c");
	send_names(0x2, 0, 1, "c");
	send_counts((struct packet){.run = 0x12, .cycle = 107},
		    (struct packet_counts){.number = 0, .start = 0, .cycles = 100, .all = 2}, 2);
	send_counts((struct packet){.run = 0x12,
				    .cycle = 157,
				    .sequence = 71,
				    .flags = PACKET_LAST_OF_EPOCH | PACKET_WANTS_ACKNOWLEDGE},
		    (struct packet_counts){.number = 1, .start = 100, .cycles = 50, .all = 2}, 2);
	send_counts((struct packet){.run = 0x12,
				    .epoch = 1,
				    .cycle = 180,
				    .sequence = 72,
				    .flags = PACKET_LAST_OF_EPOCH | PACKET_FINAL |
					     PACKET_WANTS_ACKNOWLEDGE},
		    (struct packet_counts){.number = 0, .start = 150, .cycles = 25, .all = 1}, 1);
	send_counts((struct packet){.run = 0x1f, .cycle = 103},
		    (struct packet_counts){.number = 0, .start = 0, .cycles = 100, .all = 2}, 2);
	send_counts((struct packet){.run = 0x1f, .cycle = 433},
		    (struct packet_counts){.number = 3, .start = 300, .cycles = 100, .all = 2}, 2);
	send_counts((struct packet){.run = 0x2,
				    .cycle = 44,
				    .flags = PACKET_LAST_OF_EPOCH | PACKET_FINAL | PACKET_PARTIAL},
		    (struct packet_counts){.number = 0, .start = 5, .cycles = 35, .all = 1}, 1);
	assert_true(receiver_receive(receiver, &err));
	assert_string_equal(acknowledged(), "12:71 12:72 ");
	/* Once. */
	assert_true(receiver_receive(receiver, &err));
	assert_string_equal(acknowledged(), "");
	assert_string_equal(
		shown(&err),
		"0000000000000002,\"stopped by a limit, complete to\",40,1,0" NOTHING_KNOWN
		"0000000000000012,complete to,175,3,0,program,machine" RECEIVED
		"000000000000001f,incomplete after,433,2,2" NOTHING_KNOWN
		"0000000000000002,0,5,35,c,10\n"
		"0000000000000012,0,0,100,a,10\n"
		"0000000000000012,0,0,100,b,11\n"
		"0000000000000012,0,100,50,a,10\n"
		"0000000000000012,0,100,50,b,11\n"
		"0000000000000012,1,150,25,c,10\n"
		"000000000000001f,0,0,100,c,10\n"
		"000000000000001f,0,0,100,(name not received),11\n"
		"000000000000001f,0,300,100,c,10\n"
		"000000000000001f,0,300,100,(name not received),11\n"
		"0000000000000002,0,c,100,\n"
		"0000000000000012,0,a,100,\n"
		"0000000000000012,0,b,101,at least\n"
		"0000000000000012,1,c,100,\n"
		"000000000000001f,0,c,100,\n"
		"000000000000001f,0,(name not received),101,at least\n");
}

COLLECTING(packets_that_are_none_are_counted)
{
	struct err err;

	/* Two too short, one of a kind that is not for a collector, one whose body is cut off. */
	assert_int_equal(send(sender, "x", 1, 0), 1);
	assert_int_equal(send(sender, "", 0, 0), 0);
	packet_begin(&writer, &(struct packet){.kind = PACKET_QUERY,
					       .sequence = 5,
					       .flags = PACKET_WANTS_ACKNOWLEDGE});
	send_packet();
	packet_begin(&writer, &(struct packet){.kind = PACKET_COUNTS,
					       .sequence = 6,
					       .flags = PACKET_WANTS_ACKNOWLEDGE});
	send_packet();
	assert_true(receiver_receive(receiver, &err));
	assert_string_equal(acknowledged(), "");
	/* What is stored once is not added again. */
	packet_begin(&writer, &(struct packet){.kind = PACKET_NAMES});
	send_packet();
	assert_true(receiver_receive(receiver, &err));
	char wanted[512];
	const char *rows[3] = {packet_fault_name(PACKET_TOO_SHORT),
			       packet_fault_name(PACKET_WRONG_BODY),
			       packet_fault_name(PACKET_UNEXPECTED)};
	/* In the order of the reasons. */
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 2; k++)
			if (strcmp(rows[k], rows[k + 1]) > 0) {
				const char *other = rows[k];

				rows[k] = rows[k + 1];
				rows[k + 1] = other;
			}
	for (int i = 0, at = 0; i < 3; i++)
		at += snprintf(wanted + at, sizeof(wanted) - (size_t)at, "%s,%d\n", rows[i],
			       strcmp(rows[i], packet_fault_name(PACKET_UNEXPECTED)) == 0 ? 1 : 2);
	assert_string_equal(shown(&err), wanted);
}

/* No more than 512 packets at once. */
COLLECTING(packets_are_taken_by_512)
{
	struct err err;
	int taken = 0, sent = 0;

	packet_begin(&writer, &(struct packet){.kind = PACKET_QUERY});
	assert_true(packet_end(&writer, &no_key));
	/* As many as the socket holds, again and again. */
	for (; sent < 1200; sent++)
		if (send(sender, writer.bytes, writer.size, MSG_DONTWAIT) < 0)
			break;
	while (sent > 0) {
		assert_true(receiver_receive(receiver, &err));
		taken += sent < 512 ? sent : 512;
		sent -= 512;
	}
	char wanted[128];
	snprintf(wanted, sizeof(wanted), "%s,%d\n", packet_fault_name(PACKET_UNEXPECTED), taken);
	assert_string_equal(shown(&err), wanted);
}

COLLECTING(runs_that_are_wanted_end_it)
{
	struct err err;
	int pipes[2];

	assert_int_equal(pipe(pipes), 0);
	for (uint64_t run = 1; run <= 2; run++) {
		send_about(run);
		send_names(run, 0, 1, "c");
		send_counts((struct packet){.run = run,
					    .cycle = 44,
					    .flags = PACKET_LAST_OF_EPOCH | PACKET_FINAL},
			    (struct packet_counts){.number = 0, .cycles = 35, .all = 1}, 1);
	}
	assert_true(receiver_run(receiver, 2, pipes[0], &err));
	/* Those that were there before do not count: a signal ends it. */
	assert_int_equal(write(pipes[1], "x", 1), 1);
	assert_true(receiver_run(receiver, 2, pipes[0], &err));
	close(pipes[0]);
	close(pipes[1]);
}

COLLECTING(databases_that_are_none_are_refused)
{
	struct err err = {.text = ""};

	snprintf(path, sizeof(path), "%s/none.db", directory);
	assert_string_equal(shown(&err), "");
	assert_string_not_equal(err.text, "");
}
