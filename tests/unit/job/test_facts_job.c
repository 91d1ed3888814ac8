/* Facts of whole programs: executions and outcomes equal those of one instruction after the other,
 * the same in a worker as here, and every time. */
#include "base/array.h"
#include "heapsort.h"
#include "job/facts_job.h"
#include "value/layout.h"

#define CODE_BYTES (UINT64_C(1) << 20)
#define PART	   300000

struct count {
	uint64_t executed, taken, low, high; /* of its addresses */
};

static struct process *start(void)
{
	struct process_options options = program_process_options(&program);
	struct err err;

	options.silent = true;
	return process_create(&options, &err);
}

/* One instruction at a time, with their counts by address. */
static uint64_t count_plainly(struct count *counts, uint64_t limit)
{
	struct process *process = start();
	struct cpu *cpu = &process->cpu;

	assert_non_null(process);
	while (process->state == PROCESS_RUNNING && cpu->instructions < limit) {
		uint64_t pc = cpu->hart.pc, before = cpu->instructions, fault;
		const struct insn *slot = code_at(cpu->code, pc, &fault);

		assert_non_null(slot);
		const struct insn insn = *slot;
		uint64_t address = cpu->hart.r[insn.rs1] + (uint64_t)(int64_t)insn.imm;
		enum cpu_stop stop = cpu_step(cpu);
		struct count *count = pc < CODE_BYTES ? &counts[pc / 2] : NULL;
		if (count) {
			count->taken += stop == STOP_LIMIT && cpu->hart.pc != pc + insn.bytes;
			count->low =
				!count->executed || address < count->low ? address : count->low;
			count->high = address > count->high ? address : count->high;
			count->executed++;
		}
		if (stop != STOP_LIMIT || cpu->instructions >= process_slice_end(process))
			process_handle(process, stop);
		assert_true(cpu->instructions <= before + 1);
	}
	uint64_t instructions = cpu->instructions;
	process_destroy(process);
	return instructions;
}

static uint64_t member(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	assert_true(json_is_integer(value));
	return (uint64_t)json_integer_value(value);
}

static json_t *facts_here(const struct facts_request *request)
{
	const struct job_watch watch = {0};
	struct process *process = start();
	struct err err = {.text = ""};
	json_t *result = facts_describe_process(request, process, &watch, &err);

	assert_string_equal(err.text, "");
	assert_non_null(result);
	assert_true(layout_check(result, layout_facts, &err));
	process_destroy(process);
	return result;
}

TEST(executions_equal_a_plain_count)
{
	struct count *counts = mem_alloc_array(CODE_BYTES / 2, sizeof(*counts));
	const struct facts_request request = {
		.program = &program, .config = &machine.config, .max_instructions = PART};
	uint64_t instructions = count_plainly(counts, PART), sum = 0, branches = 0, loads = 0;
	json_t *facts = facts_here(&request), *place;
	size_t i;

	assert_int_equal(member(facts, "instructions"), instructions);
	json_array_foreach(json_object_get(facts, "places"), i, place)
	{
		const json_t *branch = json_object_get(place, "branch");
		const json_t *memory = json_object_get(place, "memory");
		uint64_t pc = strtoull(json_string_value(json_object_get(place, "pc")), NULL, 16);
		uint64_t executed = member(place, "executed");

		assert_true(pc < CODE_BYTES);
		sum += executed;
		assert_int_equal(executed, counts[pc / 2].executed);
		if (branch) {
			branches++;
			assert_int_equal(member(branch, "outcomes"), executed);
			assert_int_equal(member(branch, "taken"), counts[pc / 2].taken);
		}
		if (memory && executed == 1) {
			loads++;
			assert_int_equal(counts[pc / 2].low, counts[pc / 2].high);
			assert_int_equal(member(memory, "accesses"), 1);
		}
		if (memory) {
			uint64_t span = counts[pc / 2].high / 64 - counts[pc / 2].low / 64 + 1;

			assert_int_equal(member(memory, "accesses"), executed);
			assert_true(member(memory, "lines") <= 2 * span + 2);
		}
	}
	assert_int_equal(sum + member(facts, "left_out"), instructions);
	assert_int_equal(member(facts, "left_out"), 0);
	assert_true(branches > 50 && loads > 5);
	json_decref(facts);
	free(counts);
}

static void ignore(void *context, uint64_t instructions)
{
	(void)context;
	(void)instructions;
}

TEST(a_worker_says_the_same_each_time)
{
	struct facts_charge charges[3] = {
		{.pc = 0x10000}, {.pc = 0x10000, .slots = {[CAUSE_L2D] = 5}}, {.pc = 0}};
	const struct job_listener listener = {.progress = ignore};
	struct facts_request request = {.program = &program,
					.config = &machine.config,
					.charges = charges,
					.charge_count = 3,
					.skip = 1000,
					.max_instructions = 50000};
	struct worker_report report;
	json_t *here, *result;
	struct err err = {.text = ""};

	/* The first charge is of an instruction that is executed. */
	request.charge_count = 0;
	here = facts_here(&request);
	const json_t *first = json_array_get(json_object_get(here, "places"), 0);
	charges[0].pc = charges[1].pc =
		strtoull(json_string_value(json_object_get(first, "pc")), NULL, 16);
	json_decref(here);
	request.charge_count = 3;
	here = facts_here(&request);
	assert_int_equal(member(here, "instructions"), 50000);
	for (unsigned i = 0; i < 2; i++) {
		assert_true(facts_start(&request, &listener, &result, &report, &err));
		assert_non_null(result);
		assert_true(json_equal(result, here));
		json_decref(result);
	}
	const json_t *places = json_object_get(here, "places");
	assert_int_equal(json_array_size(places), 3);
	assert_true(member(json_array_get(places, 0), "executed") > 0);
	assert_null(json_object_get(json_array_get(places, 2), "executed"));
	json_decref(here);
}

TEST(what_is_no_answer_is_refused)
{
	const struct facts_request request = {.charge_count = 1};
	struct err err;

	assert_null(facts_read(&request, "{", 1, &err));
	assert_null(facts_read(&request, "[]", 2, &err));
	assert_null(facts_read(&request, "{\"places\": [7]}", 15, &err));
	const char none[] =
		"{\"instructions\": 1, \"left_out\": 0, \"places\": [], \"code\": "
		"{\"bytes\": 1, \"lines\": 1, \"pages\": 1, \"busiest_lines\": 1, "
		"\"busiest_pages\": 1, \"fetches\": 1, \"misses\": 0, \"conflicts\": 0}}";
	assert_null(facts_read(&request, none, strlen(none), &err));
	assert_string_equal(err.text, "it has not the places that were asked for");
	const struct facts_request any = {.charge_count = 0};
	json_t *answer = facts_read(&any, none, strlen(none), &err);
	assert_non_null(answer);
	json_decref(answer);
}
