/*
 * Random sequences of steps between a real sender and a real collector, beside a small model of
 * what must then be stored: packets lost, doubled and late; a collector killed before it commits or
 * before it acknowledges, a disk that is full and a database that is locked when it commits; keys
 * that come and go; epochs; a second run with the number of the first.
 *
 * The model knows for each interval whether it has arrived in a transaction that was committed.
 */
#include "../test.h"

#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../replace.h"
#include "base/array.h"
#include "base/rng.h"
#include "stats/receiver.h"
#include "stats/sender.h"

#define STEPS	      80
#define RUNS	      4
#define INTERVALS     200 /* that one sequence can have */
#define COUNTERS_MOST 3
#define ON_THE_WAY    64

/* A locked database is said at once. */
static int never_busy(sqlite3 *db, int ms)
{
	(void)db;
	(void)ms;
	return SQLITE_OK;
}
REPLACE(sqlite3_busy_timeout, never_busy);

/* A collector that is killed does not come to commit. */
REPLACED(store_commit);
static bool is_killed;

static bool commit_unless_killed(struct store *store, struct err *err)
{
	return is_killed ? err_set(err, "killed") : __real_store_commit(store, err);
}
REPLACE(store_commit, commit_unless_killed);

struct interval {
	uint64_t run, epoch, number;
	uint64_t sequence; /* 0: none has arrived */
	unsigned sender;   /* which of the bench's */
	uint32_t counters;
	struct packet_count counts[COUNTERS_MOST];
	bool must_arrive, is_stored, is_in_transaction;
};

struct source {
	struct stats_sender *sender;
	struct packet_key key;
	int network; /* the other end of the sender's socket */
	uint64_t run, cycle;
	uint32_t epoch, number, counters;
	uint64_t totals[COUNTERS_MOST];
	bool is_over;
};

struct on_the_way {
	uint8_t bytes[1500];
	size_t size;
	unsigned sender;
};

struct bench {
	struct rng rng;
	char directory[64], path[96];
	struct collector collector;
	struct receiver *receiver;
	struct store *store;
	struct packet_key key; /* the collector's */
	int fd;		       /* its socket */
	int network;	       /* the other end of the collector's socket */
	struct source sources[RUNS];
	unsigned source_count;
	struct interval intervals[INTERVALS];
	unsigned interval_count;
	struct on_the_way held[ON_THE_WAY];
	unsigned held_count;
	uint64_t dropped, dropped_in_transaction;
	bool has_key;
	double seconds;
	/* What has happened at all, over all sequences. */
	unsigned *happened;
};

enum { FULL, LOCKED, KILLED, UNACKNOWLEDGED, WRONG_KEY, SAME_RUN, LATE, LOST, HAPPENINGS };

static struct bench *bench;
static int next_connection;
static uint8_t key_bytes[] = "a key of sixteen";
static const struct packet_key key = {key_bytes, 16}, none = {NULL, 0};

static int connect_here(const struct link_address *to, struct err *err)
{
	(void)to;
	(void)err;
	return next_connection;
}
REPLACE(link_connect, connect_here);

/* Time passes only where a sender waits for its ticket, which does not come meanwhile. */
static bool is_waiting;

static double the_time(void)
{
	bench->seconds += is_waiting ? 0.25 : 0;
	return bench->seconds;
}
REPLACE(link_seconds, the_time);

static int do_not_wait(struct pollfd *sources, nfds_t count, int ms)
{
	(void)sources;
	(void)count;
	(void)ms;
	return 0;
}
REPLACE(poll, do_not_wait);

static unsigned below(struct bench *b, unsigned count)
{
	return (unsigned)rng_below(&b->rng, count);
}

static void close_collector(struct bench *b)
{
	receiver_destroy(b->receiver);
	store_close(b->store);
	close(b->fd);
	close(b->network);
}

static void open_collector_again(struct bench *b)
{
	struct err err;
	int pair[2];

	if (b->receiver)
		close_collector(b);
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair),
			 0);
	b->fd = pair[0];
	b->network = pair[1];
	b->store = store_open(b->path, true, &err);
	assert_non_null(b->store);
	b->key = b->has_key ? key : none;
	assert_true(collector_init(&b->collector, b->store, &b->key, UINT64_C(1) << 40, &err));
	b->receiver = receiver_create(&b->collector, b->fd, NULL);
	/* What had arrived and was not committed is gone with it. */
	for (unsigned i = 0; i < b->interval_count; i++)
		b->intervals[i].is_in_transaction = false;
	b->dropped_in_transaction = 0;
}

static void begin_run(struct bench *b)
{
	static const char names[] = "a\0b\0c";
	struct err err;
	int pair[2];

	if (b->source_count == RUNS)
		return;
	struct source *s = &b->sources[b->source_count];
	bool is_same = b->source_count && !below(b, 3);

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair),
			 0);
	next_connection = pair[0];
	*s = (struct source){.network = pair[1],
			     .key = b->key,
			     .run = is_same ? b->sources[0].run : b->source_count + 1,
			     .counters = 1 + below(b, COUNTERS_MOST)};
	/* Of the same program, or its counters would be others. */
	if (is_same)
		s->counters = b->sources[0].counters;
	s->sender = stats_sender_open(NULL, &s->key, s->run, &err);
	is_waiting = true;
	stats_sender_about(s->sender, "program", "machine");
	is_waiting = false;
	stats_sender_names(s->sender, 0, s->counters, 100, 32, names);
	b->happened[SAME_RUN] += is_same;
	b->source_count++;
}

/* Counts one interval and sends it; sometimes it is the last of its epoch, or of the run. */
static void count_interval(struct bench *b, struct source *s, bool ends)
{
	static const char names[] = "d\0e\0f";
	bool ends_epoch = ends || !below(b, 5);
	struct packet header = {.epoch = s->epoch, .cycle = s->cycle + 100};
	struct packet_counts counts = {.number = s->number, .start = s->cycle, .cycles = 100};

	if (s->is_over || b->interval_count == INTERVALS)
		return;
	header.flags =
		(uint16_t)((ends_epoch ? PACKET_LAST_OF_EPOCH : 0) | (ends ? PACKET_FINAL : 0));
	struct interval *i = &b->intervals[b->interval_count++];
	*i = (struct interval){.run = s->run,
			       .epoch = s->epoch,
			       .number = s->number++,
			       .sender = (unsigned)(s - b->sources),
			       .counters = s->counters,
			       .must_arrive = ends_epoch};
	for (unsigned k = 0; k < s->counters; k++) {
		uint64_t value = below(b, 1000);

		s->totals[k] += value;
		i->counts[k] = (struct packet_count){value, s->totals[k], false};
	}
	s->cycle += 100;
	stats_sender_counts(s->sender, &header, &counts, i->counts, s->counters);
	s->is_over = ends;
	if (ends_epoch && !ends) {
		s->epoch++;
		s->number = 0;
		memset(s->totals, 0, sizeof(s->totals));
		stats_sender_names(s->sender, s->epoch, s->counters, 100, 32, names);
	}
}

/* Whether an interval with the same place is stored, or has arrived: the first one stays. */
static bool is_taken(const struct bench *b, const struct interval *i, bool has_arrived)
{
	for (unsigned k = 0; k < b->interval_count; k++) {
		const struct interval *other = &b->intervals[k];

		if ((other->is_stored || (has_arrived && other->is_in_transaction)) &&
		    other->run == i->run && other->epoch == i->epoch && other->number == i->number)
			return true;
	}
	return false;
}

/* A packet arrives: if it is good, its interval is in the transaction. */
static void deliver(struct bench *b, const struct on_the_way *p)
{
	struct packet packet;

	if (send(b->network, p->bytes, p->size, MSG_DONTWAIT) < 0)
		return;
	const bool is_read = packet_read(&packet, p->bytes, p->size, &b->key) == PACKET_GOOD;
	/* It asks for a ticket, and leaves nothing behind. */
	if (is_read && b->has_key && packet.kind == PACKET_ABOUT && !packet.ticket)
		return;
	if (!is_read ||
	    (b->has_key && packet.ticket != collector_ticket(&b->collector, packet.run))) {
		b->dropped_in_transaction++;
		b->happened[WRONG_KEY]++;
		return;
	}
	if (packet.kind != PACKET_COUNTS)
		return;
	struct packet_counts counts;
	assert_true(packet_read_counts(&packet, &counts));
	for (unsigned i = 0; i < b->interval_count; i++) {
		struct interval *at = &b->intervals[i];

		if (at->sender != p->sender || at->epoch != packet.epoch ||
		    at->number != counts.number)
			continue;
		at->sequence = packet.sequence;
		if (!is_taken(b, at, true))
			at->is_in_transaction = true;
	}
}

/* What the senders have sent goes to the collector, or not, or twice, or behind others. */
static void pass_on(struct bench *b, bool is_good)
{
	for (unsigned s = 0; s < b->source_count; s++) {
		struct on_the_way p = {.sender = s};
		ssize_t got;

		while ((got = recv(b->sources[s].network, p.bytes, sizeof(p.bytes), 0)) > 0) {
			unsigned fate = is_good ? 9 : below(b, 10);

			p.size = (size_t)got;
			if (fate < 2) {
				b->happened[LOST]++;
			} else if (fate < 4 && b->held_count < ON_THE_WAY) {
				b->held[b->held_count++] = p;
			} else {
				deliver(b, &p);
				if (fate < 6)
					deliver(b, &p);
			}
		}
	}
	while (b->held_count && (is_good || below(b, 2))) {
		unsigned which = below(b, b->held_count);

		b->happened[LATE]++;
		deliver(b, &b->held[which]);
		b->held[which] = b->held[--b->held_count];
	}
}

static void commit_model(struct bench *b)
{
	for (unsigned i = 0; i < b->interval_count; i++) {
		b->intervals[i].is_stored |= b->intervals[i].is_in_transaction;
		b->intervals[i].is_in_transaction = false;
	}
	b->dropped += b->dropped_in_transaction;
	b->dropped_in_transaction = 0;
}

/* Whether a second run has this number too: then sequences do not tell which is meant. */
static bool is_shared(const struct bench *b, uint64_t run)
{
	unsigned count = 0;

	for (unsigned s = 0; s < b->source_count; s++)
		count += b->sources[s].run == run;
	return count > 1;
}

/* Acknowledgements go back; whatever has one must be stored. */
static void pass_back(struct bench *b, bool is_good)
{
	uint8_t bytes[512];
	ssize_t got;

	while ((got = recv(b->network, bytes, sizeof(bytes), 0)) > 0) {
		struct packet packet;
		uint64_t sequence;

		assert_int_equal(packet_read(&packet, bytes, (size_t)got, &b->key), PACKET_GOOD);
		assert_true(packet_read_acknowledge(&packet, &sequence));
		for (unsigned i = 0; i < b->interval_count; i++)
			if (b->intervals[i].run == packet.run &&
			    b->intervals[i].sequence == sequence)
				assert_true(is_taken(b, &b->intervals[i], false) ||
					    is_shared(b, packet.run));
		for (unsigned s = 0; s < b->source_count; s++)
			if (b->sources[s].run == packet.run && (is_good || below(b, 4)))
				(void)!send(b->sources[s].network, bytes, (size_t)got, 0);
	}
}

/* By a connection of its own: what is committed, and nothing else. */
static uint64_t number_of(struct bench *b, const char *sql)
{
	sqlite3 *database = NULL;
	sqlite3_stmt *statement = NULL;

	assert_int_equal(sqlite3_open_v2(b->path, &database, SQLITE_OPEN_READONLY, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
	const uint64_t value = sqlite3_step(statement) == SQLITE_ROW
				       ? (uint64_t)sqlite3_column_int64(statement, 0)
				       : 0;
	sqlite3_finalize(statement);
	sqlite3_close(database);
	return value;
}

static uint64_t whole_runs_of(struct bench *b)
{
	return number_of(b, "SELECT count(*) FROM runs WHERE is_whole");
}

/* What is stored is what the model says, to the row. */
static void check_stored(struct bench *b)
{
	uint64_t stored = 0, counts = 0;
	char sql[300];

	for (unsigned i = 0; i < b->interval_count; i++) {
		const struct interval *at = &b->intervals[i];

		if (!at->is_stored)
			continue;
		stored++;
		counts += at->counters;
		for (unsigned k = 0; k < at->counters; k++) {
			snprintf(
				sql, sizeof(sql),
				"SELECT count(*) FROM counts WHERE run = %llu AND epoch = %llu AND "
				"number = %llu AND counter = %u AND value = %llu AND total = %llu",
				(unsigned long long)at->run, (unsigned long long)at->epoch,
				(unsigned long long)at->number, k,
				(unsigned long long)at->counts[k].value,
				(unsigned long long)at->counts[k].total);
			assert_int_equal(number_of(b, sql), 1);
		}
	}
	assert_int_equal(number_of(b, "SELECT count(*) FROM intervals"), stored);
	assert_int_equal(number_of(b, "SELECT count(*) FROM counts"), counts);
	assert_int_equal(number_of(b, "SELECT total(packets) FROM dropped"), b->dropped);
}

static void collect_well(struct bench *b)
{
	struct err err;

	if (!receiver_receive(b->receiver, &err))
		fail_msg("%s", err.text);
	commit_model(b);
}

/* A commit that fails: the collector ends, as the command does, and is started again. */
static void collect_badly(struct bench *b, unsigned why)
{
	struct rlimit limit, small;
	sqlite3 *other = NULL;
	struct err err;
	bool ok;

	getrlimit(RLIMIT_FSIZE, &limit);
	small = limit;
	small.rlim_cur = 1;
	if (why == LOCKED) {
		assert_int_equal(sqlite3_open(b->path, &other), SQLITE_OK);
		assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL),
				 SQLITE_OK);
	} else {
		setrlimit(RLIMIT_FSIZE, &small);
	}
	ok = receiver_receive(b->receiver, &err);
	setrlimit(RLIMIT_FSIZE, &limit);
	sqlite3_close(other);
	/* Nothing new to write is written to a full disk. */
	if (ok)
		commit_model(b);
	b->happened[why] += !ok;
	assert_true(!ok || why == FULL);
	pass_back(b, false);
	open_collector_again(b);
}

/* Killed with a transaction under way: what store_close leaves is what is on the disk. */
static void kill_before_commit(struct bench *b)
{
	struct err err;

	for (unsigned i = 0; i < b->interval_count; i++)
		b->happened[KILLED] += b->intervals[i].is_in_transaction;
	is_killed = true;
	assert_false(receiver_receive(b->receiver, &err));
	is_killed = false;
	assert_string_equal(err.text, "killed");
	open_collector_again(b);
}

static void change_key(struct bench *b)
{
	b->has_key = !b->has_key;
	open_collector_again(b);
	for (unsigned s = 0; s < b->source_count; s++)
		if (below(b, 2))
			b->sources[s].key = b->key;
}

static void one_step(struct bench *b)
{
	struct source *s = b->source_count ? &b->sources[below(b, b->source_count)] : NULL;

	switch (below(b, 16)) {
	case 0: begin_run(b); break;
	case 1:
		if (s)
			count_interval(b, s, !below(b, 4));
		break;
	case 2: collect_badly(b, FULL); break;
	case 3: collect_badly(b, LOCKED); break;
	case 4: kill_before_commit(b); break;
	case 5: /* killed before it acknowledges */
		collect_well(b);
		b->happened[UNACKNOWLEDGED]++;
		open_collector_again(b);
		break;
	case 6:
		if (!below(b, 3))
			change_key(b);
		break;
	case 7:
		b->seconds += 1;
		for (unsigned i = 0; i < b->source_count; i++)
			stats_sender_tick(b->sources[i].sender);
		break;
	case 8:
	case 9: pass_on(b, false); break;
	case 10:
		collect_well(b);
		pass_back(b, false);
		check_stored(b);
		break;
	default:
		if (s)
			count_interval(b, s, false);
		pass_on(b, false);
		break;
	}
}

/* The network recovers: everything that must arrive does, and the totals are right. */
static void finish(struct bench *b)
{
	bool is_over = false;

	/* Packets that were signed for another key cannot arrive any more. */
	for (unsigned s = 0; s < b->source_count; s++) {
		count_interval(b, &b->sources[s], true);
		b->sources[s].key = b->key;
	}
	for (int i = 0; i < 20 && !is_over; i++) {
		is_over = true;
		b->seconds += 1;
		for (unsigned s = 0; s < b->source_count; s++)
			is_over &= stats_sender_finish(b->sources[s].sender, 0);
		pass_on(b, true);
		collect_well(b);
		pass_back(b, true);
	}
	check_stored(b);
}

static void check_totals(struct bench *b)
{
	for (unsigned i = 0; i < b->interval_count; i++) {
		const struct interval *at = &b->intervals[i];
		char sql[200];

		if (!at->is_stored || !at->must_arrive || is_shared(b, at->run))
			continue;
		for (unsigned k = 0; k < at->counters; k++) {
			snprintf(sql, sizeof(sql),
				 "SELECT max(total) FROM counts WHERE run = %llu AND epoch = %llu "
				 "AND counter = %u",
				 (unsigned long long)at->run, (unsigned long long)at->epoch, k);
			assert_int_equal(number_of(b, sql), at->counts[k].total);
		}
	}
	/* Without a change of key nothing that must arrive is missing; of two runs with one number
	 * an acknowledgement may be taken by the other. */
	for (unsigned i = 0; !b->dropped && i < b->interval_count; i++)
		assert_true(!b->intervals[i].must_arrive || is_taken(b, &b->intervals[i], false) ||
			    is_shared(b, b->intervals[i].run));
	if (!b->dropped && !is_shared(b, b->sources[0].run))
		assert_int_equal(whole_runs_of(b), b->source_count);
}

static void one_sequence(uint64_t seed, unsigned happened[HAPPENINGS])
{
	char command[128];

	bench = mem_alloc(sizeof(*bench));
	bench->rng.state = seed;
	bench->happened = happened;
	snprintf(bench->directory, sizeof(bench->directory), P_tmpdir "/steps.XXXXXX");
	assert_non_null(mkdtemp(bench->directory));
	snprintf(bench->path, sizeof(bench->path), "%s/db", bench->directory);
	open_collector_again(bench);
	begin_run(bench);
	for (int i = 0; i < STEPS; i++)
		one_step(bench);
	finish(bench);
	check_totals(bench);
	for (unsigned s = 0; s < bench->source_count; s++) {
		stats_sender_close(bench->sources[s].sender);
		close(bench->sources[s].network);
	}
	close_collector(bench);
	snprintf(command, sizeof(command), "rm -rf '%s'", bench->directory);
	assert_int_equal(system(command), 0);
	free(bench);
}

TEST(whatever_happens_totals_are_right)
{
	unsigned happened[HAPPENINGS] = {0};
	uint64_t sequences = getenv("CI") ? 120 : 25;

	signal(SIGXFSZ, SIG_IGN);
	for (uint64_t seed = 1; seed <= sequences; seed++)
		one_sequence(seed, happened);
	/* Everything has happened, so that nothing was left out unnoticed. */
	for (unsigned i = 0; i < HAPPENINGS; i++)
		if (happened[i] < 10)
			fail_msg("only %u times: %u", happened[i], i);
}
