/* The collector on packets made here, through a pair of sockets: what it stores, acknowledges and
 * drops, and every line that it shows of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <sys/socket.h>

#include "cmd/cmd_collect.c"

static char said[1024];

const char *args_get(const struct args *args, enum option_id id)
{
	(void)args;
	(void)id;
	return NULL;
}

bool args_get_count(const struct args *args, enum option_id id, uint64_t least, uint64_t most,
		    uint64_t *value, struct err *err)
{
	(void)args;
	(void)id;
	(void)least;
	(void)most;
	(void)value;
	(void)err;
	return true;
}

const struct command *command_named(const char *name)
{
	(void)name;
	return NULL;
}

int fail_tool(const char *sentence)
{
	snprintf(said, sizeof(said), "%s", sentence);
	return EXIT_TOOL;
}

int fail_usage(const struct command *command, const char *sentence)
{
	(void)command;
	snprintf(said, sizeof(said), "%s", sentence);
	return EXIT_USAGE;
}

int fail_with(int status, const struct command *command, const char *sentence)
{
	return status == EXIT_USAGE ? fail_usage(command, sentence) : fail_tool(sentence);
}

void print_printable(FILE *out, const char *text)
{
	fputs(text, out);
}

static struct collector *c;
static int sender;
static char directory[64], path[128];
static struct packet_writer writer;

static int enter(void **state)
{
	int pair[2];
	struct err err;

	(void)state;
	snprintf(directory, sizeof(directory), "/tmp/collect.XXXXXX");
	if (!mkdtemp(directory) || socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) != 0)
		return -1;
	snprintf(path, sizeof(path), "%s/x.db", directory);
	c = mem_alloc(sizeof(*c));
	c->store = store_open(path, true, &err);
	c->fd = pair[0];
	sender = pair[1];
	return c->store ? 0 : -1;
}

static int leave(void **state)
{
	char command[256];

	(void)state;
	store_close(c->store);
	close(c->fd);
	close(sender);
	free(c);
	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	return system(command);
}

static void send_packet(void)
{
	assert_true(packet_end(&writer, &(struct packet_key){0}));
	assert_int_equal(send(sender, writer.bytes, writer.size, 0), writer.size);
}

/* The names are ended by 0, one after the other. */
static void send_names(uint64_t run, uint32_t epoch, uint32_t all, const char *names)
{
	packet_begin(&writer, &(struct packet){.kind = PACKET_NAMES, .run = run, .epoch = epoch});
	packet_put_names(&writer, 0, all, 100, 32, &names);
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

		assert_int_equal(packet_read(&packet, bytes, (size_t)got, &(struct packet_key){0}),
				 PACKET_GOOD);
		assert_int_equal(packet.kind, PACKET_ACKNOWLEDGE);
		assert_true(packet_read_acknowledge(&packet, &sequence));
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%llx:%llu ",
				       (unsigned long long)packet.run,
				       (unsigned long long)sequence);
	}
	return text;
}

/* What show() prints. */
static const char *shown(int *status)
{
	static char text[8192];
	char name[160];
	int kept = dup(STDOUT_FILENO);

	snprintf(name, sizeof(name), "%s/out", directory);
	fflush(stdout);
	assert_non_null(freopen(name, "w", stdout));
	*status = show(path);
	fflush(stdout);
	dup2(kept, STDOUT_FILENO);
	close(kept);
	FILE *file = fopen(name, "r");
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	return text;
}

static void runs_are_stored_and_shown(void **state)
{
	struct err err;
	int status;

	(void)state;
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
	assert_true(receive(c, &err));
	assert_string_equal(acknowledged(), "12:71 12:72 ");
	assert_int_equal(c->pending_count, 0);
	assert_string_equal(
		shown(&status),
		"run 0000000000000002: stopped by a limit, complete to cycle 40, 1 intervals received\n"
		"run 0000000000000012: complete to cycle 175, 3 intervals received\n"
		"run 000000000000001f: incomplete after cycle 433, 2 intervals received, 2 missing\n"
		"intervals:\n"
		"  0000000000000002  epoch 0  cycle 5  35 cycles  c  10\n"
		"  0000000000000012  epoch 0  cycle 0  100 cycles  a  10\n"
		"  0000000000000012  epoch 0  cycle 0  100 cycles  b  11\n"
		"  0000000000000012  epoch 0  cycle 100  50 cycles  a  10\n"
		"  0000000000000012  epoch 0  cycle 100  50 cycles  b  11\n"
		"  0000000000000012  epoch 1  cycle 150  25 cycles  c  10\n"
		"  000000000000001f  epoch 0  cycle 0  100 cycles  c  10\n"
		"  000000000000001f  epoch 0  cycle 0  100 cycles  (name not received)  11\n"
		"  000000000000001f  epoch 0  cycle 300  100 cycles  c  10\n"
		"  000000000000001f  epoch 0  cycle 300  100 cycles  (name not received)  11\n"
		"totals:\n"
		"  0000000000000002  epoch 0  c  100\n"
		"  0000000000000012  epoch 0  a  100\n"
		"  0000000000000012  epoch 0  b  >=101\n"
		"  0000000000000012  epoch 1  c  100\n"
		"  000000000000001f  epoch 0  c  100\n"
		"  000000000000001f  epoch 0  (name not received)  >=101\n");
	assert_int_equal(status, 0);
}

static void packets_that_are_none_are_counted(void **state)
{
	struct err err;
	int status;

	(void)state;
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
	assert_true(receive(c, &err));
	assert_string_equal(acknowledged(), "");
	for (int i = 0; i < PACKET_FAULTS; i++)
		assert_int_equal(c->dropped[i], 0);
	packet_begin(&writer, &(struct packet){.kind = PACKET_NAMES});
	send_packet();
	assert_true(receive(c, &err));
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
	int at = snprintf(wanted, sizeof(wanted), "intervals:\ntotals:\n");
	for (int i = 0; i < 3; i++)
		at += snprintf(wanted + at, sizeof(wanted) - (size_t)at, "dropped: %d packets %s\n",
			       strcmp(rows[i], packet_fault_name(PACKET_UNEXPECTED)) == 0 ? 1 : 2,
			       rows[i]);
	assert_string_equal(shown(&status), wanted);
}

/* No more than 512 packets at once. */
static void packets_are_taken_by_512(void **state)
{
	struct err err;
	int taken = 0, sent = 0;

	(void)state;
	packet_begin(&writer, &(struct packet){.kind = PACKET_QUERY});
	assert_true(packet_end(&writer, &(struct packet_key){0}));
	/* As many as the socket holds, again and again. */
	for (; sent < 1200; sent++)
		if (send(sender, writer.bytes, writer.size, MSG_DONTWAIT) < 0)
			break;
	while (sent > 0) {
		assert_true(receive(c, &err));
		taken += sent < 512 ? sent : 512;
		sent -= 512;
	}
	char wanted[128];
	int status;
	snprintf(wanted, sizeof(wanted), "intervals:\ntotals:\ndropped: %d packets %s\n", taken,
		 packet_fault_name(PACKET_UNEXPECTED));
	assert_string_equal(shown(&status), wanted);
}

static void runs_that_are_wanted_end_it(void **state)
{
	struct err err;
	int pipes[2];

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	for (uint64_t run = 1; run <= 2; run++) {
		send_names(run, 0, 1, "c");
		send_counts((struct packet){.run = run,
					    .cycle = 44,
					    .flags = PACKET_LAST_OF_EPOCH | PACKET_FINAL},
			    (struct packet_counts){.number = 0, .cycles = 35, .all = 1}, 1);
	}
	c->wanted = 2;
	assert_true(collect(c, pipes[0], &err));
	assert_int_equal(c->finished, 2);
	/* Those that were there before do not count: a signal ends it. */
	assert_int_equal(write(pipes[1], "x", 1), 1);
	assert_true(collect(c, pipes[0], &err));
	close(pipes[0]);
	close(pipes[1]);
}

static void databases_that_are_none_are_refused(void **state)
{
	int status;

	(void)state;
	snprintf(path, sizeof(path), "%s/none.db", directory);
	assert_string_equal(shown(&status), "");
	assert_int_equal(status, 125);
	assert_string_not_equal(said, "");
}

#define COLLECTING(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		COLLECTING(runs_are_stored_and_shown),
		COLLECTING(packets_that_are_none_are_counted),
		COLLECTING(packets_are_taken_by_512),
		COLLECTING(runs_that_are_wanted_end_it),
		COLLECTING(databases_that_are_none_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
