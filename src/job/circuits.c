#include "job/circuits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "job/jail.h"
#include "job/stat.h"
#include "trace/cycles.h"
#include "trace/cycles_check.h"

struct job_circuits {
	struct stimuli *stimuli;
	void (*send)(void *context, const void *bytes, size_t size);
	void *context;
	uint8_t *piece;
	size_t capacity;
	/* Of the statistics module; empty for others. */
	struct stats_plan plan;
	struct circuit_machine machine;
	struct circuit circuits[STATS_PLAN_CIRCUITS_MOST];
	size_t count;
};

struct piece_head {
	uint32_t circuit, file;
};

static void send_bytes(struct job_circuits *circuits, size_t circuit, uint32_t file,
		       const void *bytes, size_t size)
{
	const struct piece_head head = {(uint32_t)circuit, file};

	if (circuits->capacity < sizeof(head) + size) {
		circuits->capacity = sizeof(head) + size;
		circuits->piece = mem_realloc(circuits->piece, circuits->capacity, 1);
	}
	memcpy(circuits->piece, &head, sizeof(head));
	memcpy(circuits->piece + sizeof(head), bytes, size);
	if (circuits->send)
		circuits->send(circuits->context, circuits->piece, sizeof(head) + size);
}

static void send_piece(void *context, size_t circuit, enum stimulus_file file, const void *bytes,
		       size_t size)
{
	send_bytes(context, circuit, file, bytes, size);
}

static struct job_circuits *create(const struct job_watch *watch)
{
	struct job_circuits *circuits = mem_alloc(sizeof(*circuits));

	circuits->send = watch->send;
	circuits->context = watch->context;
	return circuits;
}

static void observe(struct job_circuits *circuits, const struct circuit *list, size_t count,
		    struct simulation *simulation, uint32_t events)
{
	circuits->stimuli = stimuli_create(list, count, send_piece, circuits);
	simulation_attach(simulation,
			  (struct observer){stimuli_cycle, circuits->stimuli,
					    events | stimuli_events(circuits->stimuli)});
}

struct job_circuits *job_circuits_begin(const struct circuit *list, size_t count,
					struct simulation *simulation,
					const struct job_watch *watch)
{
	struct job_circuits *circuits = create(watch);

	observe(circuits, list, count, simulation, 0);
	return circuits;
}

struct job_circuits *job_circuits_begin_stat(const struct stats_request *request,
					     const struct job_simulation *run,
					     const struct job_watch *watch, struct err *err)
{
	struct job_circuits *circuits = create(watch);
	uint32_t events = 0;
	size_t size;

	bool ok = job_stat_plan(request, run->process, &circuits->plan, err);
	circuits->machine = stats_plan_machine(&circuits->plan, &run->job->machine->config);
	if (!ok ||
	    !stats_plan_circuits(circuits->circuits, &circuits->count, &circuits->machine, err)) {
		job_circuits_end(circuits);
		return NULL;
	}
	void *bytes = stats_plan_pack(&circuits->plan, &size);
	send_bytes(circuits, 0, CIRCUITS_PLAN, bytes, size);
	free(bytes);
	for (size_t i = 0; i < circuits->plan.count; i++)
		events |= stats_events(&circuits->plan.settings[i]);
	observe(circuits, circuits->circuits, circuits->count, run->simulation, events);
	return circuits;
}

void job_circuits_finish(struct job_circuits *circuits)
{
	stimuli_end(circuits->stimuli);
}

void job_circuits_end(struct job_circuits *circuits)
{
	if (!circuits)
		return;
	stimuli_destroy(circuits->stimuli);
	for (size_t i = 0; i < circuits->count; i++)
		circuit_release(&circuits->circuits[i]);
	stats_plan_release(&circuits->plan);
	free(circuits->piece);
	free(circuits);
}

/* Whether the description names this machine. */
static bool is_of_machine(const struct cycles_reader *cycles, const struct job_machine *machine,
			  struct err *err)
{
	char hash[65];
	size_t bytes;
	const char *text = cycles_reader_description(cycles, &bytes);
	json_t *about = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL);
	const char *given = json_string_value(
		json_object_get(json_object_get(about, "configuration"), "sha256"));

	config_hash(&machine->config, hash);
	const bool is_same = given && strcmp(given, hash) == 0;
	json_decref(about);
	return is_same ||
	       err_set(err, "the cycles were recorded on another machine than that of --config and "
			    "--set");
}

static bool is_short(const struct cycle *cycle, const struct circuits_reading *reading,
		     struct err *err)
{
	return !reading->repeat_most || cycle->repeat <= reading->repeat_most ||
	       err_set(err,
		       "the record of cycle %" PRIu64 " stands for %" PRIu64
		       " cycles: at most %" PRIu64 " can be counted in intervals",
		       cycle->number, cycle->repeat, reading->repeat_most);
}

static bool feed(struct cycles_reader *cycles, const struct circuits_reading *reading,
		 struct stimuli *stimuli, struct worker *worker, struct err *err)
{
	struct cycles_check *check = cycles_check_create(&reading->machine->config);
	const struct cycle *cycle = NULL;
	bool ok;

	do {
		ok = cycles_reader_next(cycles, &cycle, err) &&
		     (!cycle ||
		      (cycles_check_record(check, cycle, err) && is_short(cycle, reading, err)) ||
		      err_prefix(err, "%s", reading->name));
		if (ok && cycle)
			stimuli_cycle(stimuli, cycle);
	} while (ok && cycle && !worker_should_stop(worker));
	cycles_check_destroy(check);
	return ok;
}

static void send_to_parent(void *worker, const void *bytes, size_t size)
{
	worker_send_data(worker, bytes, size);
}

/* In the worker. */
static void read_body(struct worker *worker, void *context)
{
	const struct circuits_reading *reading = context;
	struct job_circuits circuits = {.send = send_to_parent, .context = worker};
	struct err err;

	jail_close_descriptors(NULL, 0, worker->to_parent);
	struct cycles_reader *cycles =
		cycles_reader_open(reading->bytes, reading->size, reading->name, &err);
	circuits.stimuli = stimuli_create(reading->circuits, reading->count, send_piece, &circuits);
	if (cycles &&
	    (is_of_machine(cycles, reading->machine, &err) ||
	     err_prefix(&err, "%s", reading->name)) &&
	    feed(cycles, reading, circuits.stimuli, worker, &err)) {
		stimuli_end(circuits.stimuli);
		worker_send_result(worker, "", 0);
	} else {
		worker_send_error(worker, &err);
	}
	stimuli_destroy(circuits.stimuli);
	cycles_reader_close(cycles);
	free(circuits.piece);
}

static void pass_data(void *context, const void *bytes, size_t size)
{
	const struct circuits_reading *reading = context;

	reading->data(reading->context, bytes, size);
}

bool circuits_read_start(const struct circuits_reading *reading, enum worker_stop *stop,
			 struct err *err)
{
	struct worker_report report = {0};
	union {
		const struct circuits_reading *given;
		void *context;
	} reading_of = {reading};
	const struct worker_task task = {
		.body = read_body, .data = pass_data, .context = reading_of.context};
	const bool ok = worker_run(&task, &report, err);

	*stop = report.stop;
	free(report.result);
	return ok;
}

bool circuits_piece_read(struct circuits_piece *piece, size_t circuits, const void *bytes,
			 size_t size)
{
	struct piece_head head;

	if (size < sizeof(head))
		return false;
	memcpy(&head, bytes, sizeof(head));
	*piece = (struct circuits_piece){head.circuit, head.file,
					 (const char *)bytes + sizeof(head), size - sizeof(head)};
	return head.circuit < circuits && head.file <= CIRCUITS_PLAN;
}
