/* A collector whose database fails: each call of it in turn. Nothing of the batch is stored or
 * acknowledged then, and what is sent again is stored as if nothing had happened. Besides, how a
 * receiver waits, and when it says that the database is full. */
#include "../directory.h"
#include "../replace.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "stats/receiver.h"

/* The call of the store that fails, counted from 1; 0: none. */
static unsigned fails_at, calls;

static bool fails(struct err *err)
{
	return ++calls == fails_at && !err_set(err, "the store failed");
}

#define FAILING(name, parameters, arguments)                         \
	REPLACED(name);                                              \
	static bool name##_or_fail parameters                        \
	{                                                            \
		return fails(err) ? false : __real_##name arguments; \
	}                                                            \
	REPLACE(name, name##_or_fail)

FAILING(store_limit, (struct store * s, uint64_t most, struct err *err), (s, most, err));
FAILING(store_size, (struct store * s, uint64_t *bytes, struct err *err), (s, bytes, err));
FAILING(store_begin, (struct store * s, struct err *err), (s, err));
FAILING(store_find_run,
	(struct store * s, uint64_t run, const char *sender, enum store_known *known,
	 struct err *err),
	(s, run, sender, known, err));
FAILING(store_put_run,
	(struct store * s, uint64_t run, const char *sender, uint64_t now, struct err *err),
	(s, run, sender, now, err));
FAILING(store_put_about,
	(struct store * s, uint64_t run, const char *program, const char *machine, struct err *err),
	(s, run, program, machine, err));
FAILING(store_put_name,
	(struct store * s, uint64_t run, uint32_t epoch, uint32_t counter, const char *name,
	 struct err *err),
	(s, run, epoch, counter, name, err));
FAILING(store_put_interval,
	(struct store * s, const struct store_interval *interval, struct err *err),
	(s, interval, err));
FAILING(store_put_count,
	(struct store * s, const struct store_interval *interval, uint32_t counter, uint64_t value,
	 uint64_t total, bool is_saturated, struct err *err),
	(s, interval, counter, value, total, is_saturated, err));
FAILING(store_add_dropped,
	(struct store * s, const char *reason, uint64_t packets, struct err *err),
	(s, reason, packets, err));
FAILING(store_finish_run, (struct store * s, uint64_t run, bool *is_newly_whole, struct err *err),
	(s, run, is_newly_whole, err));

/* A commit that fails takes everything back, as that of the store does. */
REPLACED(store_commit);

static bool store_commit_or_fail(struct store *s, struct err *err)
{
	if (!fails(err))
		return __real_store_commit(s, err);
	store_rollback(s);
	return false;
}
REPLACE(store_commit, store_commit_or_fail);

static const struct packet_key no_key;
static struct packet_writer writer;
static struct collector collector;
static struct receiver *receiver;
static struct store *stored;
static int sender, listener;
static unsigned times_full;

static void count_full(void)
{
	times_full++;
}

static void open_all(const char *path, uint64_t most)
{
	struct err err;
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair), 0);
	listener = pair[0];
	sender = pair[1];
	stored = store_open(path, true, &err);
	assert_non_null(stored);
	assert_true(collector_init(&collector, stored, &no_key, most, &err));
	receiver = receiver_create(&collector, listener, count_full);
}

static void close_all(void)
{
	receiver_destroy(receiver);
	store_close(stored);
	close(listener);
	close(sender);
}

static void send_packet(void)
{
	assert_true(packet_end(&writer, &no_key));
	assert_int_equal(send(sender, writer.bytes, writer.size, 0), writer.size);
}

static void send_about(uint64_t run)
{
	packet_begin(&writer, &(struct packet){.kind = PACKET_ABOUT, .run = run});
	packet_put_about(&writer, "program", "machine");
	send_packet();
}

static void send_names(uint64_t run)
{
	packet_begin(&writer, &(struct packet){.kind = PACKET_NAMES, .run = run});
	packet_put_names(&writer, 0, 2, 100, 32, &(const char *){"a\0b"});
	send_packet();
}

static void send_end(uint64_t run)
{
	const struct packet_counts counts = {
		.cycles = 50, .all = 2, .count = 2, .counts = {{1, 11, false}, {2, 12, true}}};

	packet_begin(&writer, &(struct packet){.kind = PACKET_COUNTS,
					       .run = run,
					       .sequence = 40 + run,
					       .flags = PACKET_FINAL | PACKET_LAST_OF_EPOCH |
							PACKET_WANTS_ACKNOWLEDGE});
	packet_put_counts(&writer, &counts);
	send_packet();
}

/* All that a batch can have: a run from its beginning to its end, and a packet that is none. */
static void send_batch(void)
{
	send_about(5);
	send_names(5);
	send_end(5);
	assert_int_equal(send(sender, "x", 1, 0), 1);
}

/* The sequence that is acknowledged so often. */
static uint64_t acknowledged(unsigned times)
{
	struct packet packet;
	uint64_t sequence = 0;
	uint8_t bytes[2048];
	ssize_t got;

	for (; times; times--) {
		got = recv(sender, bytes, sizeof(bytes), MSG_DONTWAIT);
		assert_true(got > 0);
		assert_int_equal(packet_read(&packet, bytes, (size_t)got, &no_key), PACKET_GOOD);
		assert_true(packet_read_acknowledge(&packet, &sequence));
	}
	assert_int_equal(recv(sender, bytes, sizeof(bytes), MSG_DONTWAIT), -1);
	return sequence;
}

static char seen[512];

static void see(const char *format, ...)
{
	const size_t used = strlen(seen);
	va_list ap;

	va_start(ap, format);
	vsnprintf(seen + used, sizeof(seen) - used, format, ap);
	va_end(ap);
}

static void see_run(void *unused, const struct store_run *run)
{
	(void)unused;
	see("run %d %s %s %s\n", (int)run->run, run->is_complete ? "whole" : "part",
	    run->program ? run->program : "?", run->machine ? run->machine : "?");
}

static void see_total(void *unused, const struct store_value *total)
{
	(void)unused;
	see("%s %d%s\n", total->name ? total->name : "?", (int)total->value,
	    total->is_saturated ? "+" : "");
}

static void see_dropped(void *unused, const char *reason, uint64_t packets)
{
	(void)unused;
	see("%s %d\n", reason, (int)packets);
}

/* What another reader finds in the file. */
static const char *all_rows(const char *path)
{
	struct err err;
	struct store *store = store_open(path, false, &err);

	assert_non_null(store);
	seen[0] = '\0';
	assert_true(store_each_run(store, see_run, NULL, &err));
	assert_true(store_each_total(store, see_total, NULL, &err));
	assert_true(store_each_dropped(store, see_dropped, NULL, &err));
	store_close(store);
	return seen;
}

IN_DIRECTORY(a_batch_at_which_the_store_fails_is_as_if_it_had_not_come)
{
	char wanted[512], path[32];
	struct err err;
	unsigned step;

	for (step = 1;; step++) {
		snprintf(path, sizeof(path), "%u.db", step);
		open_all(path, 1 << 30);
		send_batch();
		calls = 0;
		fails_at = step;
		const bool is_done = receiver_receive(receiver, &err);
		fails_at = 0;
		if (is_done)
			break;
		assert_string_equal(err.text, "the store failed");
		assert_int_equal(acknowledged(0), 0);
		assert_string_equal(all_rows(path), "");
		assert_int_equal(collector.finished, 0);
		/* Nobody acknowledged it, so it is sent again. Packets before the one at which the
		 * store failed were dropped or not; those behind it have not been read. */
		for (bool is_read = true; is_read;) {
			uint8_t byte[2048];

			is_read = recv(listener, byte, sizeof(byte), MSG_DONTWAIT) >= 0;
		}
		const uint64_t dropped = collector.dropped[PACKET_TOO_SHORT];
		send_batch();
		assert_true(receiver_receive(receiver, &err));
		assert_int_equal(acknowledged(1), 45);
		snprintf(wanted, sizeof(wanted),
			 "run 5 whole program machine\na 11\nb 12+\n%s %d\n",
			 packet_fault_name(PACKET_TOO_SHORT), (int)dropped + 1);
		assert_string_equal(all_rows(path), wanted);
		assert_int_equal(collector.finished, 1);
		assert_int_equal(collector.dropped[PACKET_TOO_SHORT], 0);
		close_all();
	}
	close_all();
	/* begin; the run, three times; what it is; two names; an interval of two counts; what was
	 * dropped; the end, three times; size and commit. */
	assert_true(step > 15);
}

/* A packet that adds to a run that is known renews when it was heard of. */
IN_DIRECTORY(a_known_run_is_not_renewed_if_the_store_fails)
{
	struct err err;
	unsigned step;

	open_all("db", 1 << 30);
	send_end(5);
	assert_true(receiver_receive(receiver, &err));
	for (step = 1;; step++) {
		send_names(5);
		calls = 0;
		fails_at = step;
		if (receiver_receive(receiver, &err))
			break;
		assert_string_equal(all_rows("db"), "run 5 whole ? ?\n? 11\n? 12+\n");
	}
	fails_at = 0;
	assert_string_equal(all_rows("db"), "run 5 whole ? ?\na 11\nb 12+\n");
	assert_int_equal(step, calls + 1);
	close_all();
}

IN_DIRECTORY(a_store_that_cannot_be_limited_is_not_collected_into)
{
	struct err err;

	stored = store_open("db", true, &err);
	calls = 0;
	for (unsigned step = 1; step <= 2; step++) {
		calls = 0;
		fails_at = step;
		assert_false(collector_init(&collector, stored, &no_key, 1 << 20, &err));
		assert_string_equal(err.text, "the store failed");
	}
	fails_at = 0;
	assert_true(collector_init(&collector, stored, &no_key, 1 << 20, &err));
	store_close(stored);
}

/* Once each time that it becomes full, be it full when the receiver begins. */
IN_DIRECTORY(a_full_database_is_told_once)
{
	struct err err;

	times_full = 0;
	open_all("db", 300000);
	assert_int_equal(times_full, 0);
	for (uint64_t run = 1; !collector.is_full; run++) {
		assert_int_equal(times_full, 0);
		assert_true(run < 2000);
		send_end(run);
		assert_true(receiver_receive(receiver, &err));
		assert_int_equal(acknowledged(1), 40 + run);
	}
	assert_int_equal(times_full, 1);
	send_end(1);
	assert_true(receiver_receive(receiver, &err));
	assert_int_equal(times_full, 1);
	close_all();
	open_all("db", 300000);
	assert_int_equal(times_full, 2);
	/* Nobody need be told. */
	receiver_destroy(receiver);
	receiver = receiver_create(&collector, listener, NULL);
	send_end(1);
	assert_true(receiver_receive(receiver, &err));
	assert_int_equal(times_full, 2);
	close_all();
}

/* The errors of poll(2), in turn, up to 0; then it is as it is. */
static const int *errors;
/* A run that is sent when it has been asked so often; 0: none. */
static uint64_t run_to_send;
static unsigned polls_before;

REPLACED(poll);

static void send_run(uint64_t run)
{
	send_about(run);
	send_names(run);
	send_end(run);
}

static int poll_as_told(struct pollfd *sources, nfds_t count, int ms)
{
	if (errors && *errors) {
		errno = *errors++;
		return -1;
	}
	if (run_to_send && !polls_before--) {
		send_run(run_to_send);
		run_to_send = 0;
	}
	return __real_poll(sources, count, ms);
}
REPLACE(poll, poll_as_told);

IN_DIRECTORY(receiving_waits_for_whole_runs)
{
	static const int interrupted[] = {EINTR, EINTR, 0}, broken[] = {EINTR, ENOMEM, 0};
	struct err err;
	int pipes[2];

	assert_int_equal(pipe(pipes), 0);
	open_all("db", 1 << 30);
	/* A signal that only interrupts the waiting ends nothing; a first run is not two. */
	errors = interrupted;
	send_run(1);
	run_to_send = 2;
	polls_before = 1;
	assert_true(receiver_run(receiver, 2, pipes[0], &err));
	assert_int_equal(collector.finished, 2);
	errors = broken;
	assert_false(receiver_run(receiver, 1, pipes[0], &err));
	assert_string_equal(err.text, "cannot wait for packets: Cannot allocate memory");
	errors = NULL;
	/* Without a number whatever becomes whole ends nothing, but a signal does, and at once. */
	send_run(3);
	assert_int_equal(write(pipes[1], "x", 1), 1);
	assert_true(receiver_run(receiver, 0, pipes[0], &err));
	assert_int_equal(collector.finished, 2);
	assert_true(receiver_receive(receiver, &err));
	assert_int_equal(collector.finished, 3);
	close(pipes[0]);
	close(pipes[1]);
	close_all();
}

/* A sender that did not hear of its end repeats it: it is acknowledged again, until nothing comes
 * for a tenth of a second. A store that fails then is told. */
IN_DIRECTORY(packets_after_the_last_run_are_acknowledged)
{
	struct err err;
	int pipes[2];

	assert_int_equal(pipe(pipes), 0);
	open_all("db", 1 << 30);
	send_run(1);
	run_to_send = 1;
	polls_before = 1;
	assert_true(receiver_run(receiver, 1, pipes[0], &err));
	assert_int_equal(run_to_send, 0);
	assert_int_equal(acknowledged(2), 41);
	assert_int_equal(collector.finished, 1);
	/* Of the run that ends it nothing fails, but of what is repeated everything does. */
	send_run(2);
	calls = 0;
	assert_true(receiver_receive(receiver, &err));
	assert_int_equal(acknowledged(1), 42);
	send_run(3);
	run_to_send = 3;
	polls_before = 1;
	fails_at = calls + 1;
	calls = 0;
	assert_false(receiver_run(receiver, 1, pipes[0], &err));
	assert_string_equal(err.text, "the store failed");
	fails_at = 0;
	assert_int_equal(acknowledged(1), 43);
	assert_int_equal(collector.finished, 3);
	close(pipes[0]);
	close(pipes[1]);
	close_all();
}
