/*
 * The runs of a server: starts them in the order in which they came, as many as the limits allow,
 * takes in what they say, and settles them when they end.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "web/order.h"
#include "web/place.h"
#include "web/server.h"

#define GRACE_SECONDS	   30  /* beyond the time of a run, and after it was asked to stop */
#define STATUS_INTERRUPTED 130 /* as docs/ have it: the partial result was written */
#define EVENTS_KEPT_MOST   16  /* runs that are over and whose events are still there */

static double clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void tell_state(struct run *run)
{
	events_add(&run->events, "state", run_json(run, true));
}

static void save(struct server *server, struct run *run)
{
	struct err err;
	char name[32];

	run_directory(run, name);
	server->disk_bytes -= run->bytes < server->disk_bytes ? run->bytes : server->disk_bytes;
	if (!run_save(run, server->runs_fd, &err))
		said_add(&run->said, err.text);
	run->bytes = place_bytes(server->runs_fd, name);
	server->disk_bytes += run->bytes;
}

static void forget_events(struct server *server)
{
	size_t kept = 0;

	for (size_t i = server->run_count; i-- > 0;) {
		struct run *run = server->runs[i];

		if (run_is_over(run) && run->events.count && ++kept > EVENTS_KEPT_MOST)
			events_release(&run->events);
	}
}

static void end_run(struct server *server, struct run *run, enum run_state state)
{
	run->state = state;
	run->ended = clock_now();
	if (run->live) {
		run->packets = live_received(run->live);
		run->packets_lost = live_lost(run->live);
	}
	live_destroy(run->live);
	run->live = NULL;
	child_release(&run->child);
	for (int i = 0; i < 2; i++) {
		if (run->captures[i].fd >= 0)
			close(run->captures[i].fd);
		run->captures[i].fd = -1;
	}
	save(server, run);
	tell_state(run);
	forget_events(server);
}

static bool open_captures(struct run *run, int directory, struct err *err)
{
	static const char *const names[2] = {"output", "errors"};

	for (int i = 0; i < 2; i++) {
		run->captures[i] = (struct run_capture){
			.fd = openat(directory, names[i],
				     O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600)};
		if (run->captures[i].fd < 0)
			return err_set_errno(err, errno, "cannot write the program's output");
	}
	return true;
}

static bool start_child(struct server *server, struct run *run, struct err *err)
{
	const struct server_options *options = &server->options;
	char name[32];

	run_directory(run, name);
	if (order_is(run->order, "stat")) {
		run->live = live_create(&server->key, err);
		if (!run->live)
			return false;
	}
	const struct order_place place = {
		.key = run->live ? server->key_path : NULL,
		.to = run->live ? live_port(run->live) : 0,
		.listen = run->live ? live_configure_port(run->live) : 0,
		.limits = &options->limits,
		.store = options->store,
	};
	const int directory = place_open_directory(server->runs_fd, name, err);
	if (directory < 0)
		return false;
	char **arguments = order_arguments(run->order, &place);
	bool ok = open_captures(run, directory, err) &&
		  child_start(&run->child, arguments, directory, options->limits.file, err);
	order_arguments_free(arguments);
	close(directory);
	return ok;
}

static void start(struct server *server, struct run *run, double now)
{
	const struct order_command *command = order_command(run->order);
	struct err err;

	if (!command) {
		said_add(&run->said, "another version took this order: this one does not know its "
				     "command");
		end_run(server, run, RUN_FAILED);
		return;
	}

	run->state = RUN_RUNNING;
	run->started = clock_now();
	run->memory = order_memory(run->order, &server->options.limits);
	run->kill_at = now + GRACE_SECONDS +
		       (double)json_integer_value(json_object_get(run->order, "seconds"));
	/* The order's time is that of each of its machines. */
	if (command->is_many)
		run->kill_at = now + GRACE_SECONDS + (double)server->options.limits.seconds;
	/* Should the server be killed now, the run is known to have begun. */
	save(server, run);
	if (start_child(server, run, &err)) {
		tell_state(run);
		return;
	}
	said_add(&run->said, err.text);
	end_run(server, run, RUN_FAILED);
}

static void start_some(struct server *server, double now)
{
	const struct server_options *options = &server->options;
	uint64_t memory = 0;
	unsigned running = 0;

	for (size_t i = 0; i < server->run_count; i++) {
		if (server->runs[i]->state != RUN_RUNNING)
			continue;
		running++;
		memory += server->runs[i]->memory;
	}
	for (size_t i = 0; i < server->run_count && running < options->jobs; i++) {
		struct run *run = server->runs[i];

		if (run->state != RUN_QUEUED)
			continue;
		const uint64_t needs = order_memory(run->order, &options->limits);
		/* One that needs all the memory is not overtaken, or it might wait for ever. */
		if (running && memory + needs > options->limits.memory_total)
			return;
		start(server, run, now);
		running += run->state == RUN_RUNNING;
		memory += needs;
	}
}

void queue_tick(struct server *server, double now)
{
	for (size_t i = 0; i < server->run_count; i++) {
		struct run *run = server->runs[i];

		if (run->state != RUN_RUNNING)
			continue;
		if (now > run->kill_at) {
			said_add(&run->said,
				 "it did not end in time and was killed: there is no result");
			run->kill_at = now + GRACE_SECONDS;
			child_signal(&run->child, SIGKILL);
		}
		for (; run->said_told < run->said.count; run->said_told++)
			events_add(&run->events, "said",
				   json_pack("{s:s, s:b}", "text",
					     run->said.items[run->said_told].text, "contained",
					     run->said.items[run->said_told].is_contained));
		if (run->said.has_progress) {
			run->said.has_progress = false;
			events_add(&run->events, "progress",
				   json_pack("{s:s, s:f}", "text", run->said.progress, "share",
					     run->said.share));
		}
	}
	if (!server->is_ending)
		start_some(server, now);
}

static void capture(struct server *server, struct run *run, int which, int fd)
{
	struct run_capture *c = &run->captures[which];
	char bytes[65536], sentence[160];

	/* A program that prints without end gets no more of the time than that. */
	for (int i = 0; i < 16; i++) {
		const ssize_t got = read(fd, bytes, sizeof(bytes));

		if (got <= 0)
			return;
		const uint64_t room = server->options.limits.output - c->bytes;
		const size_t kept = (uint64_t)got < room ? (size_t)got : (size_t)room;
		if (kept && write(c->fd, bytes, kept) == (ssize_t)kept)
			c->bytes += kept;
		if (kept < (size_t)got && !c->is_cut) {
			c->is_cut = true;
			snprintf(
				sentence, sizeof(sentence),
				"The program printed more than the %llu bytes that are kept of its "
				"%s: the rest was thrown away.",
				(unsigned long long)server->options.limits.output,
				which ? "error output" : "output");
			said_add_contained(&run->said, sentence);
		}
	}
}

void queue_receive(struct server *server, struct run *run)
{
	const int *pipes = run->child.pipes;
	char bytes[4096];
	ssize_t got;

	if (pipes[CHILD_OUTPUT] >= 0)
		capture(server, run, 0, pipes[CHILD_OUTPUT]);
	if (pipes[CHILD_GUEST_ERRORS] >= 0)
		capture(server, run, 1, pipes[CHILD_GUEST_ERRORS]);
	for (int i = 0; i < 16 && pipes[CHILD_ERRORS] >= 0; i++) {
		got = read(pipes[CHILD_ERRORS], bytes, sizeof(bytes));
		if (got <= 0)
			break;
		said_take(&run->said, bytes, (size_t)got);
	}
	if (run->live)
		live_receive(run->live, &run->events);
}

static bool has_result(const struct server *server, const struct run *run)
{
	char name[64];
	uint64_t bytes;

	snprintf(name, sizeof(name), "%llu/result.json", (unsigned long long)run->id);
	const int fd = place_open_file(server->runs_fd, name, &bytes);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void settle(struct server *server, struct run *run, int status)
{
	for (int i = 0; i < 64; i++)
		queue_receive(server, run);
	said_end(&run->said);
	run->status = status;
	if (!has_result(server, run))
		end_run(server, run, run->is_stopping ? RUN_STOPPED : RUN_FAILED);
	else
		end_run(server, run,
			run->said.is_partial || (run->is_stopping && status == STATUS_INTERRUPTED)
				? RUN_PARTIAL
				: RUN_DONE);
}

void queue_collect(struct server *server)
{
	for (size_t i = 0; i < server->run_count; i++) {
		struct run *run = server->runs[i];
		int status;

		if (run->state != RUN_RUNNING)
			continue;
		if (child_has_ended(&run->child, &status))
			settle(server, run, status);
	}
}

void server_stop(struct server *server, struct run *run)
{
	if (run->state == RUN_QUEUED) {
		said_add(&run->said, "it was stopped before it had begun");
		end_run(server, run, RUN_STOPPED);
	} else if (run->state == RUN_RUNNING) {
		const double latest = link_seconds() + GRACE_SECONDS;

		run->is_stopping = true;
		if (run->kill_at > latest)
			run->kill_at = latest;
		child_signal(&run->child, SIGINT);
	}
}

void queue_end_all(struct server *server)
{
	for (size_t i = 0; i < server->run_count; i++) {
		struct run *run = server->runs[i];

		if (run->state != RUN_RUNNING)
			continue;
		child_signal(&run->child, SIGKILL);
		said_add(&run->said, "the server ended while this was simulated: run it again");
		end_run(server, run, RUN_INTERRUPTED);
	}
}
