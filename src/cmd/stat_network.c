#include "cmd/stat_network.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cmd/key.h"
#include "job/parts.h"
#include "job/worker.h"

#define PATIENCE_SECONDS 10

struct refusal {
	bool is_there;
	char text[ERR_TEXT_BYTES];
};

static void take_refusal(void *context, const void *bytes, size_t size)
{
	struct refusal *refusal = context;
	struct stat_frame frame;

	if (!stat_frame_read(&frame, bytes, size) || frame.head.kind != STAT_FRAME_REFUSED)
		return;
	refusal->is_there = true;
	snprintf(refusal->text, sizeof(refusal->text), "%s", frame.text);
}

static void fail_waiting(struct stat_network *n, const struct err *why)
{
	n->has_failed = true;
	n->why = *why;
}

/* Begins the job with the wish in a jailed worker and ends it after one instruction: only a worker
 * may read the program's file, which says what can be counted. */
static bool check_first(void *context, const struct stats_wish *wish, struct err *err)
{
	struct stat_network *n = context;
	struct stats_request request = *n->request;
	struct part_stat part;
	const struct job_part *const parts[] = {part_stat_init(&part, &request), NULL};
	struct refusal refusal = {0};
	const struct job_listener listener = {.data = take_refusal, .context = &refusal};
	struct job job = *n->job;
	struct worker_report report = {0};
	json_t *result = NULL;

	request.first = *wish;
	request.first_is_foreign = request.is_watched = true;
	request.mailbox = NULL;
	job.parts = parts;
	job.max_instructions = 1;
	job.is_silent = true;
	if (n->has_failed)
		return err_set(err, "the run ends");
	if (job_start(&job, &listener, &result, &report, err)) {
		if (!result)
			fail_waiting(n, &(struct err){
						.text = "interrupted before a configuration came"});
		json_decref(result);
		return !n->has_failed || err_set(err, "the run ends");
	}
	if (!refusal.is_there) {
		fail_waiting(n, err);
		return false;
	}
	err_set(err, "a configuration was refused: %s", refusal.text);
	say_warning(NULL, err->text);
	return err_set(err, "%s", refusal.text);
}

static bool wait_for_first(struct stat_network *n, struct err *err)
{
	sigset_t before;
	int signals = worker_watch_signals(&before, err);
	bool ok = signals >= 0;

	while (ok && !n->control.has_first && !n->has_failed) {
		struct pollfd sources[2] = {{n->control.fd, POLLIN, 0}, {signals, POLLIN, 0}};

		poll(sources, 2, -1);
		if (sources[1].revents)
			ok = err_set(err, "interrupted before a configuration came");
		else if (sources[0].revents)
			stats_control_receive(&n->control);
	}
	if (signals >= 0)
		worker_unwatch_signals(signals, &before);
	if (ok && n->has_failed) {
		*err = n->why;
		return false;
	}
	return ok;
}

static bool listen_there(struct stat_network *n, const char *where, struct stats_request *request,
			 struct err *err)
{
	struct link_address address;

	n->mailbox = stats_mailbox_create(err);
	if (!n->mailbox || !link_address_read(&address, where, &n->key, err))
		return false;
	int fd = link_listen(&address, err);
	if (fd < 0)
		return err_prefix(err, "--listen %s", where);
	n->control.fd = fd;
	n->control.key = &n->key;
	n->control.mailbox = n->mailbox;
	request->mailbox = n->mailbox;
	if (request->first.pair_count)
		return true;
	n->control.first = &request->first;
	n->control.check_first = check_first;
	n->control.context = n;
	request->first_is_foreign = true;
	return wait_for_first(n, err);
}

bool stat_network_open(struct stat_network *n, const struct args *args, const struct job *job,
		       struct stats_request *request, struct err *err)
{
	const char *to = args_get(args, OPTION_TO), *from = args_get(args, OPTION_LISTEN);
	struct link_address address;

	*n = (struct stat_network){.is_open = to || from, .job = job, .request = request};
	if (args_get(args, OPTION_KEY) && !n->is_open)
		return err_set(err, "--key is for --to and --listen");
	if (!key_from_args(&n->key, args, err) ||
	    (to && !link_address_read(&address, to, &n->key, err)))
		return false;
	n->control.run = link_run();
	n->control.ticket = link_run();
	if (to)
		n->sender = stats_sender_open(&address, &n->key, link_run(), err);
	return (!to || n->sender) && (!from || listen_there(n, from, request, err));
}

void stat_network_begin(struct stat_network *n, const struct program *program,
			const struct job_machine *machine)
{
	char text[PACKET_TEXT_BYTES];
	size_t used;

	if (!n->sender)
		return;
	snprintf(text, sizeof(text), "%s", machine->name);
	for (size_t i = 0; i < machine->change_count; i++) {
		used = strlen(text);
		snprintf(text + used, sizeof(text) - used, " %s", machine->changes[i]);
	}
	stats_sender_about(n->sender, program->argc ? program->argv[0] : program->name, text);
}

static void send_interval(struct stat_network *n, const struct stat_frame *frame)
{
	const struct stat_frame_head *head = &frame->head;
	const struct packet packet = {
		.epoch = head->epoch,
		.cycle = head->dispatched,
		.flags = (uint16_t)((head->flags & STAT_FLAG_LAST ? PACKET_LAST_OF_EPOCH : 0) |
				    (head->flags & STAT_FLAG_FINAL ? PACKET_FINAL : 0) |
				    (head->flags & STAT_FLAG_PARTIAL ? PACKET_PARTIAL : 0)),
	};
	const struct packet_counts counts = {
		.number = head->number, .start = head->start, .cycles = head->cycles};
	struct packet_count *values = mem_alloc_array(head->count + 1, sizeof(*values));

	for (uint32_t i = 0; i < head->count; i++)
		values[i] = (struct packet_count){frame->counts[i].value & INT64_MAX,
						  frame->counts[i].total & INT64_MAX,
						  frame->counts[i].is_saturated};
	stats_sender_counts(n->sender, &packet, &counts, values, head->count);
	free(values);
	n->is_ended |= head->flags & STAT_FLAG_FINAL;
}

void stat_network_take(struct stat_network *n, const struct stat_frame *frame)
{
	if (frame->head.kind == STAT_FRAME_REFUSED) {
		struct err err;

		err_set(&err, "a configuration was refused: %s", frame->text);
		say_warning(NULL, err.text);
		return;
	}
	n->control.epoch = frame->head.epoch;
	n->control.cycle = frame->head.dispatched;
	if (!n->sender)
		return;
	if (frame->head.kind == STAT_FRAME_EPOCH)
		stats_sender_names(n->sender, frame->head.epoch, frame->head.count,
				   frame->head.period_cycles, frame->head.width_bits, frame->text);
	else
		send_interval(n, frame);
	stats_sender_tick(n->sender);
}

void stat_network_tick(struct stat_network *n)
{
	if (n->sender)
		stats_sender_tick(n->sender);
}

void stat_network_receive(struct stat_network *n)
{
	stats_control_receive(&n->control);
}

void stat_network_finish(struct stat_network *n)
{
	struct err err;

	if (n->control.fd)
		stats_control_receive(&n->control);
	if (n->sender && n->is_ended && !stats_sender_finish(n->sender, PATIENCE_SECONDS)) {
		err_set(&err,
			"the collector did not acknowledge the final packet within %d seconds: what "
			"it has is incomplete",
			PATIENCE_SECONDS);
		say_warning(NULL, err.text);
	}
	for (int i = 0; i < PACKET_FAULTS; i++)
		if (n->control.faults[i]) {
			err_set(&err, "%llu packets at the configuration port were dropped: %s",
				(unsigned long long)n->control.faults[i],
				packet_fault_name((enum packet_fault)i));
			say_warning(NULL, err.text);
		}
}

void stat_network_close(struct stat_network *n)
{
	stats_sender_close(n->sender);
	if (n->control.fd)
		close(n->control.fd);
	stats_mailbox_destroy(n->mailbox);
	link_key_release(&n->key);
}
