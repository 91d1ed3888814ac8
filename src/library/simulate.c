#include "library/library.h"

#include <stdlib.h>
#include <string.h>

#include "core/shape.h"

/* Far more than a piece ever is, and little enough to be added to any cycle. */
#define PIECE_CYCLES (UINT64_C(1) << 40)

#define COMMITS (EVENT_BIT(EVENT_COMMIT) | EVENT_BIT(EVENT_COMMIT_PLAIN))

/* The names of the signals that are 1 in such a cycle. */
static const char *const fetch_stalls[] = {
	[FETCH_NONE] = NULL,
	[FETCH_ITLB] = "fetch.itlb",
	[FETCH_L1I] = "fetch.l1i",
	[FETCH_L2I] = "fetch.l2i",
	[FETCH_L3I] = "fetch.l3i",
	[FETCH_BUFFER] = "fetch.buffer",
	[FETCH_MISFETCH] = "fetch.misfetch",
	[FETCH_BRANCHES] = "fetch.branches",
	[FETCH_NOWHERE] = "fetch.nowhere",
	[FETCH_SERIALISE] = "fetch.serialise",
	[FETCH_DONE] = "fetch.done",
};

static const char *const dispatch_stalls[] = {
	[DISPATCH_NONE] = NULL,
	[DISPATCH_EMPTY] = "dispatch.empty",
	[DISPATCH_ROB] = "dispatch.rob",
	[DISPATCH_IQ] = "dispatch.iq",
	[DISPATCH_LSQ] = "dispatch.lsq",
	[DISPATCH_SERIALISE] = "dispatch.serialise",
	[DISPATCH_BRANCHES] = "dispatch.branches",
};

static const char *const head_states[] = {
	[HEAD_EMPTY] = NULL,	     [HEAD_DONE] = "head.done", [HEAD_STORE] = "head.store",
	[HEAD_WAITS] = "head.waits", [HEAD_UNIT] = "head.unit", [HEAD_EXECUTES] = "head.executes",
	[HEAD_DTLB] = "head.dtlb",   [HEAD_L1D] = "head.l1d",	[HEAD_L2D] = "head.l2d",
	[HEAD_L3D] = "head.l3d",     [HEAD_MSHR] = "head.mshr",
};

struct cs_cycle library_cycle(const struct cycle *c)
{
	return (struct cs_cycle){
		.size = sizeof(struct cs_cycle),
		.number = c->number,
		.repeat = c->repeat,
		.fetch_pc = c->fetch_pc,
		.head_pc = c->head_pc,
		.fetch_stall = fetch_stalls[c->fetch_stall],
		.dispatch_stall = dispatch_stalls[c->dispatch_stall],
		.head_state = head_states[c->head_state],
		.thread = c->thread,
		.fetched = c->fetched,
		.fed = c->fed,
		.dispatched = c->dispatched,
		.issued = c->issued,
		.committed = c->committed,
		.squashed = c->squashed,
		.fetch_buffer_used = c->buffer_used,
		.rob_used = c->rob_used,
		.iq_used = c->iq_used,
		.lsq_used = c->lsq_used,
		.store_buffer_used = c->store_buffer_used,
		.dispatch_width = c->width,
		.wrong_path = c->wrong_path,
	};
}

static void tell_instructions(struct cs_machine *machine, const struct cycle *c)
{
	if (!machine->wants_instructions || !(c->event_kinds & COMMITS))
		return;
	for (uint32_t i = 0; i < c->event_count; i++) {
		uint64_t pc = c->events[i].pc;

		if (EVENT_BIT(c->events[i].kind) & COMMITS)
			NOTIFY(machine, on_instruction, pc, library_insn_bytes(machine, pc));
	}
}

/* A record has at most one system call: fetch stops behind it. */
static void tell_syscalls(struct cs_machine *machine)
{
	const struct process *process = machine->process;
	uint64_t number = process->cpu.hart.r[17];

	if (process->syscall_count == machine->calls_seen)
		return;
	/* Another thread may be running by now; a number without a count switches none. */
	for (size_t i = 0; i < LIBRARY_SYSCALLS; i++)
		if (process->syscall_counts[i] > machine->calls_by_number[i])
			number = i;
	bool is_new = process->syscall_count > machine->calls_seen;
	machine->calls_seen = process->syscall_count;
	memcpy(machine->calls_by_number, process->syscall_counts, sizeof(machine->calls_by_number));
	if (is_new)
		NOTIFY(machine, on_syscall, number);
}

/* Ends the sample under way, `later` cycles before the end of the record; without any, the record
 * may be NULL. */
static void give_sample(struct cs_machine *machine, struct attached *attached,
			const struct cycle *c, uint64_t later)
{
	uint64_t end = simulation_cycles(machine->run.simulation) - later;

	for (size_t i = 0; i < machine->subscription_count; i++) {
		uint64_t sum = subscription_sum(machine, &machine->subscriptions[i], c, later);

		machine->sample_values[i] = sum - attached->sums_before[i];
		attached->sums_before[i] = sum;
	}
	const struct cs_sample sample = {
		.size = sizeof(sample),
		.first_cycle = attached->sample_begins,
		.cycles = end - attached->sample_begins,
		.values = machine->sample_values,
		.value_count = machine->subscription_count,
	};
	attached->sample_begins = end;
	attached->observer.on_sample(attached->observer.context, &sample);
}

/* The samples that are complete, or at the end of the simulation all. */
static void give_samples(struct cs_machine *machine, const struct cycle *c)
{
	uint64_t now = simulation_cycles(machine->run.simulation);

	for (size_t i = 0; i < machine->observer_count; i++) {
		struct attached *attached = &machine->observers[i];
		uint64_t cycles = attached->observer.sample_cycles;

		if (!attached->observer.on_sample)
			continue;
		while (c && now - attached->sample_begins >= cycles)
			give_sample(machine, attached, c, now - attached->sample_begins - cycles);
		if (!c && now > attached->sample_begins)
			give_sample(machine, attached, NULL, 0);
	}
}

static void observe(void *context, const struct cycle *c)
{
	struct cs_machine *machine = context;

	for (size_t i = 0; i < machine->subscription_count; i++)
		subscription_add(&machine->subscriptions[i], c);
	if (machine->wants_cycles) {
		const struct cs_cycle cycle = library_cycle(c);

		NOTIFY(machine, on_cycle, &cycle);
	}
	tell_instructions(machine, c);
	give_samples(machine, c);
	tell_syscalls(machine);
}

/* Attaches to the core only what somebody needs of it. */
static void attach(struct cs_machine *machine)
{
	uint32_t events = machine->wants_instructions ? COMMITS : 0;
	bool is_needed = machine->wants_instructions;

	machine->calls_seen = machine->process->syscall_count;
	memcpy(machine->calls_by_number, machine->process->syscall_counts,
	       sizeof(machine->calls_by_number));
	machine->sample_values =
		mem_alloc_array(machine->subscription_count, sizeof(*machine->sample_values));
	for (size_t i = 0; i < machine->observer_count; i++) {
		struct attached *attached = &machine->observers[i];
		const struct cs_observer *observer = &attached->observer;

		attached->sums_before =
			mem_alloc_array(machine->subscription_count, sizeof(uint64_t));
		machine->wants_cycles |= observer->on_cycle != NULL;
		is_needed |= observer->on_cycle || observer->on_sample || observer->on_syscall;
	}
	for (size_t i = 0; i < machine->subscription_count; i++) {
		events |= subscription_events(&machine->subscriptions[i]);
		is_needed |= !machine->subscriptions[i].is_total;
	}
	if (is_needed)
		simulation_attach(machine->run.simulation,
				  (struct observer){observe, machine, events});
}

static bool begin(struct cs_machine *machine)
{
	static const struct job_watch nobody;

	if (!job_begin(&machine->run, &machine->job, machine->process, &nobody, &machine->err)) {
		machine->has_failed = true;
		return false;
	}
	attach(machine);
	return true;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* A piece that is to end at an instruction is made of pieces of cycles in which no more can commit:
 * the core itself knows no such end, which could change the cycle it is in. */
static void run_pieces(struct cs_machine *machine, uint64_t cycles, uint64_t instructions)
{
	const struct simulation *simulation = machine->run.simulation;
	const uint64_t width = shape_commit_width(&machine->target.config);
	const uint64_t cycles_before = simulation_cycles(simulation);
	const uint64_t instructions_before = simulation_instructions(simulation);

	while (!machine->is_over) {
		uint64_t passed = simulation_cycles(simulation) - cycles_before;
		uint64_t committed = simulation_instructions(simulation) - instructions_before;

		if (passed >= cycles || committed >= instructions)
			break;
		uint64_t left = instructions - committed;
		uint64_t piece = least(cycles - passed, left / width + (left % width != 0));
		machine->is_over = !job_continue(&machine->run, least(piece, PIECE_CYCLES));
	}
}

/* Says how the simulation ended. */
static void tell_end(struct cs_machine *machine)
{
	enum cs_state state = library_state(machine);

	give_samples(machine, NULL);
	if (state == CS_FAILED)
		machine->err = machine->process->error;
	else if (state != CS_LIMITED)
		NOTIFY(machine, on_exit, process_exit_status(machine->process));
}

enum cs_state cs_simulate(struct cs_machine *machine, uint64_t cycles, uint64_t instructions)
{
	enum cs_state state = library_state(machine);

	if (state == CS_READY)
		err_set(&machine->err, "%s is not started", machine->program.name);
	if (machine->is_stepping)
		err_set(&machine->err, "an observer cannot simulate the machine it observes");
	if (state != CS_RUNNING || machine->is_stepping || !cycles || !instructions)
		return state;
	library_drop_result(machine);
	machine->is_stepping = true;
	if (machine->run.simulation || begin(machine)) {
		run_pieces(machine, cycles, instructions);
		if (machine->is_over)
			tell_end(machine);
	}
	machine->is_stepping = false;
	return library_state(machine);
}
