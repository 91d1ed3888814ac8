#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/array.h"
#include "cmd/command.h"
#include "job/worker.h"
#include "stats/link.h"
#include "store/store.h"

#define PACKETS_AT_ONCE 512

struct collector {
	struct store *store;
	struct packet_key key;
	int fd;
	uint64_t wanted, finished; /* runs; wanted 0: until it is interrupted */
	uint64_t run;		   /* the last one that finished */
	uint64_t dropped[PACKET_FAULTS];
	/* Acknowledgements are sent when what they are for has been committed. */
	struct pending {
		struct link_address to;
		uint64_t run, sequence;
	} pending[PACKETS_AT_ONCE];
	size_t pending_count;
	uint8_t bytes[PACKET_BYTES_MOST + 1];
	struct packet_writer writer;
};

static bool take_names(struct collector *c, const struct packet *packet, bool *is_good,
		       struct err *err)
{
	struct packet_names names;
	bool ok = true;

	*is_good = packet_read_names(packet, &names);
	for (unsigned i = 0; ok && *is_good && i < names.count; i++)
		ok = store_put_name(c->store, packet->run, packet->epoch, names.first + i,
				    names.names.pairs[i], err);
	stats_wish_release(&names.names);
	return ok;
}

static bool take_counts(struct collector *c, const struct packet *packet, bool *is_good,
			struct err *err)
{
	struct packet_counts counts;

	*is_good = packet_read_counts(packet, &counts);
	if (!*is_good)
		return true;
	const struct store_interval interval = {
		.run = packet->run,
		.number = counts.number,
		.start = counts.start,
		.cycles = counts.cycles,
		.dispatched = packet->cycle,
		.epoch = packet->epoch,
		.counters = counts.all,
		.is_last_of_epoch = packet->flags & PACKET_LAST_OF_EPOCH,
		.is_final = packet->flags & PACKET_FINAL,
		.is_partial = packet->flags & PACKET_PARTIAL,
	};
	bool ok = store_put_interval(c->store, &interval, err);
	for (unsigned i = 0; ok && i < counts.count; i++)
		ok = store_put_count(c->store, &interval, counts.first + i, counts.counts[i].value,
				     counts.counts[i].total, counts.counts[i].is_saturated, err);
	return ok;
}

static bool take(struct collector *c, size_t size, const struct link_address *from, struct err *err)
{
	struct packet packet;
	bool is_good = true, ok = true;
	enum packet_fault fault = packet_read(&packet, c->bytes, size, &c->key);

	if (fault == PACKET_GOOD && packet.kind == PACKET_NAMES)
		ok = take_names(c, &packet, &is_good, err);
	else if (fault == PACKET_GOOD && packet.kind == PACKET_COUNTS)
		ok = take_counts(c, &packet, &is_good, err);
	else if (fault == PACKET_GOOD)
		fault = PACKET_UNEXPECTED;
	if (!is_good)
		fault = PACKET_WRONG_BODY;
	c->dropped[fault] += fault != PACKET_GOOD;
	if (ok && fault == PACKET_GOOD && packet.flags & PACKET_WANTS_ACKNOWLEDGE)
		c->pending[c->pending_count++] =
			(struct pending){*from, packet.run, packet.sequence};
	return ok;
}

static void acknowledge(struct collector *c)
{
	for (size_t i = 0; i < c->pending_count; i++) {
		packet_begin(&c->writer, &(struct packet){.kind = PACKET_ACKNOWLEDGE,
							  .run = c->pending[i].run});
		packet_put_acknowledge(&c->writer, c->pending[i].sequence);
		if (packet_end(&c->writer, &c->key))
			(void)!sendto(c->fd, c->writer.bytes, c->writer.size, MSG_NOSIGNAL,
				      (const struct sockaddr *)&c->pending[i].to.address,
				      c->pending[i].to.bytes);
	}
	c->pending_count = 0;
}

/* Everything that has arrived, as one transaction; then its acknowledgements. */
static bool receive(struct collector *c, struct err *err)
{
	bool ok = store_begin(c->store, err);

	for (int i = 0; ok && i < PACKETS_AT_ONCE; i++) {
		struct link_address from = {.bytes = sizeof(from.address)};
		ssize_t got = recvfrom(c->fd, c->bytes, sizeof(c->bytes), MSG_DONTWAIT,
				       (struct sockaddr *)&from.address, &from.bytes);

		if (got < 0)
			break;
		ok = take(c, (size_t)got, &from, err);
	}
	for (int fault = 0; ok && fault < PACKET_FAULTS; fault++) {
		if (c->dropped[fault])
			ok = store_add_dropped(c->store,
					       packet_fault_name((enum packet_fault)fault),
					       c->dropped[fault], err);
		c->dropped[fault] = 0;
	}
	if (!ok) {
		store_rollback(c->store);
		return false;
	}
	if (!store_commit(c->store, err))
		return false;
	acknowledge(c);
	return true;
}

/* A run is whole when its final interval and the last one of each epoch before are there with all
 * their counters, and all names. */
static const char whole_runs[] =
	"SELECT count(*) FROM intervals f WHERE is_final AND counters = (SELECT count(*) FROM counts c "
	"WHERE c.run = f.run AND c.epoch = f.epoch AND c.number = f.number) AND counters = (SELECT "
	"count(*) FROM names n WHERE n.run = f.run AND n.epoch = f.epoch)";

static void take_number(void *context, const struct store_row *row)
{
	*(uint64_t *)context = (uint64_t)row->numbers[0];
}

static bool collect(struct collector *c, int signals, struct err *err)
{
	uint64_t before = 0;

	if (!store_query(c->store, whole_runs, 0, 0, take_number, &before, err))
		return false;
	for (;;) {
		struct pollfd sources[2] = {{c->fd, POLLIN, 0}, {signals, POLLIN, 0}};

		if (poll(sources, 2, -1) < 0 && errno != EINTR)
			return err_set_errno(err, errno, "cannot wait for packets");
		if (sources[1].revents) {
			struct signalfd_siginfo info;

			/* Or the signal would come when it is no longer blocked. */
			(void)!read(signals, &info, sizeof(info));
			return true;
		}
		if (!sources[0].revents)
			continue;
		if (!receive(c, err))
			return false;
		if (c->wanted &&
		    !store_query(c->store, whole_runs, 0, 0, take_number, &c->finished, err))
			return false;
		if (c->wanted && c->finished - before >= c->wanted) {
			/* A repeated final packet whose acknowledgement was lost. */
			for (int i = 0; i < 10 && poll(sources, 1, 100) > 0; i++)
				if (!receive(c, err))
					return false;
			return true;
		}
	}
}

static void show_run(void *context, const struct store_row *row)
{
	uint64_t missing = (uint64_t)row->numbers[3];

	(void)context;
	printf("run %016llx: %s cycle %lld, %lld intervals received", (long long)row->numbers[0],
	       row->numbers[4]
		       ? (row->numbers[5] ? "stopped by a limit, complete to" : "complete to")
		       : "incomplete after",
	       (long long)row->numbers[1], (long long)row->numbers[2]);
	if (missing)
		printf(", %llu missing", (unsigned long long)missing);
	putchar('\n');
}

static void show_total(void *context, const struct store_row *row)
{
	(void)context;
	printf("  %016llx  epoch %lld  ", (long long)row->numbers[0], (long long)row->numbers[1]);
	print_printable(stdout, row->texts[2] ? row->texts[2] : "(name not received)");
	printf("  %s%lld\n", row->numbers[4] ? ">=" : "", (long long)row->numbers[3]);
}

static void show_interval(void *context, const struct store_row *row)
{
	(void)context;
	printf("  %016llx  epoch %lld  cycle %lld  %lld cycles  ", (long long)row->numbers[0],
	       (long long)row->numbers[1], (long long)row->numbers[2], (long long)row->numbers[3]);
	print_printable(stdout, row->texts[4] ? row->texts[4] : "(name not received)");
	printf("  %lld\n", (long long)row->numbers[5]);
}

static void show_dropped(void *context, const struct store_row *row)
{
	(void)context;
	printf("dropped: %lld packets %s\n", (long long)row->numbers[1], row->texts[0]);
}

/* The final interval, or the last one received, says how far a run is known; it is complete with
 * the last interval of every epoch, which has the totals. Numbers of an epoch's intervals begin at
 * 0, so that what is missing up to the last one received can be counted. */
static const char runs_query[] =
	"SELECT run, max(CASE WHEN is_final THEN start + cycles ELSE dispatched END * (is_final = (SELECT "
	"max(is_final) FROM intervals j WHERE j.run = i.run))), count(*), (SELECT sum(last + 1 - got) FROM "
	"(SELECT max(number) AS last, count(*) AS got FROM intervals k WHERE k.run = i.run GROUP BY epoch)), "
	"max(is_final AND counters = (SELECT count(*) FROM counts c WHERE c.run = i.run AND c.epoch = i.epoch "
	"AND c.number = i.number)) AND NOT EXISTS (SELECT 1 FROM intervals e WHERE e.run = i.run GROUP BY "
	"e.epoch HAVING NOT max(e.is_last)), max(is_partial) FROM intervals i GROUP BY run ORDER BY run";
static const char totals_query[] =
	"SELECT c.run, c.epoch, n.name, max(c.total), max(c.is_saturated) FROM counts c LEFT JOIN names n "
	"USING(run, epoch, counter) GROUP BY c.run, c.epoch, c.counter ORDER BY c.run, c.epoch, c.counter";
static const char intervals_query[] =
	"SELECT c.run, c.epoch, i.start, i.cycles, n.name, c.value FROM counts c JOIN intervals i USING(run, "
	"epoch, number) LEFT JOIN names n USING(run, epoch, counter) ORDER BY c.run, c.epoch, c.number, "
	"c.counter";

static int show(const char *path)
{
	struct err err;
	struct store *store = store_open(path, false, &err);
	bool ok = store;

	if (ok) {
		ok = store_query(store, runs_query, 0, 0, show_run, NULL, &err);
		puts("intervals:");
		ok = ok && store_query(store, intervals_query, 0, 0, show_interval, NULL, &err);
		puts("totals:");
		ok = ok && store_query(store, totals_query, 0, 0, show_total, NULL, &err) &&
		     store_query(store, "SELECT reason, packets FROM dropped ORDER BY reason", 0, 0,
				 show_dropped, NULL, &err);
	}
	store_close(store);
	return ok ? 0 : fail_tool(err.text);
}

static bool open_collector(struct collector *c, const struct args *args, int *status,
			   struct err *err)
{
	const char *key = args_get(args, OPTION_KEY), *where = args_get(args, OPTION_LISTEN);
	struct link_address address;

	*status = EXIT_USAGE;
	if (!where)
		return err_set(err, "where should it listen? Give --listen [HOST:]PORT, or --show");
	if (!args_get_count(args, OPTION_RUNS, 1, INT64_MAX, &c->wanted, err) ||
	    (key && !link_key_read(&c->key, key, err)) ||
	    !link_address_read(&address, where, &c->key, err))
		return false;
	*status = EXIT_TOOL;
	c->store = store_open(args_get(args, OPTION_DATABASE), true, err);
	c->fd = c->store ? link_listen(&address, err) : -1;
	return c->fd >= 0;
}

int cmd_collect(const struct args *args)
{
	struct collector *c = mem_alloc(sizeof(*c));
	struct err err;
	sigset_t before;
	int status, signals = -1;

	c->fd = -1;
	if (args->rest_count || !args_get(args, OPTION_DATABASE)) {
		free(c);
		return fail_usage(command_named("collect"),
				  args->rest_count ? "it runs no program: give options only"
						   : "which file? Give --database FILE, a SQLite "
						     "file");
	}
	if (args_get(args, OPTION_SHOW)) {
		free(c);
		return show(args_get(args, OPTION_DATABASE));
	}
	/* A write past the limit for files is then an error like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	if (!open_collector(c, args, &status, &err)) {
		status = fail_with(status, command_named("collect"), err.text);
	} else if ((signals = worker_watch_signals(&before, &err)) < 0) {
		status = fail_tool(err.text);
	} else {
		if (!args_get(args, OPTION_QUIET))
			fputs("cyclestack: listening\n", stderr);
		status = collect(c, signals, &err) ? 0 : fail_tool(err.text);
		close(signals);
		sigprocmask(SIG_SETMASK, &before, NULL);
	}
	if (c->fd >= 0)
		close(c->fd);
	store_close(c->store);
	link_key_release(&c->key);
	free(c);
	return status;
}
