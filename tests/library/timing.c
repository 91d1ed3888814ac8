/*
 * timing DIRECTORY PRESETS SKIPPED LIMIT PROGRAM [ARGUMENT...]: what cyclestack.h promises of
 * simulations, on one program; see promises.h. DIRECTORY holds results of the tool: whole.json (all
 * counters), skip.json (--cold --skip SKIPPED), limit.json (--max-insns LIMIT), other.json (bigcore
 * of PRESETS with rob.size=96).
 */
#include <elf.h>
#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "promises.h"

#define SIGNALS_MOST 1024
#define STALLS_MOST  64
#define CALLS_MOST   512

/* With all counters, as the tool has by default. */
static struct cs_machine *counted(const struct test *test)
{
	struct cs_machine *machine = prepare(test);

	if (!cs_configure(machine, "counters", "all"))
		give_up(test, "counters are taken", cs_error(machine));
	return machine;
}

static char *read_file(const struct test *test, const char *name)
{
	char path[4096], *text = NULL;
	size_t bytes = 0, got;

	snprintf(path, sizeof(path), "%s/%s", test->tool->directory, name);
	FILE *in = fopen(path, "rb");
	if (!in)
		give_up(test, "the tool's result is there", path);
	do {
		text = realloc(text, bytes + 65537);
		got = text ? fread(text + bytes, 1, 65536, in) : 0;
		bytes += got;
	} while (got);
	fclose(in);
	if (!text)
		give_up(test, "there is memory", path);
	text[bytes] = '\0';
	return text;
}

/* Where two texts part. */
static void check_text(const struct test *test, const char *name, const char *got,
		       const char *wanted)
{
	size_t i = 0;

	while (got && got[i] && got[i] == wanted[i])
		i++;
	size_t from = i > 40 ? i - 40 : 0;
	check(test, got && strcmp(got, wanted) == 0, name, "at byte %zu: %.80s instead of %.80s", i,
	      got ? got + from : "nothing", wanted + from);
}

/* The preset bigcore with the change that other.json has. */
static bool choose_other(const struct test *test, struct cs_machine *machine)
{
	return cs_configure(machine, "presets", test->tool->presets) &&
	       cs_set_machine(machine, "bigcore") && cs_set_parameter(machine, "rob.size", "96");
}

/* The machine's result is that of the tool in the file. Closes the machine. */
static void check_result(const struct test *test, const char *name, struct cs_machine *machine,
			 const char *file)
{
	char *wanted = read_file(test, file);
	const char *got = cs_result_json(machine);

	if (!got)
		check(test, false, name, "%s", cs_error(machine));
	else
		check_text(test, name, got, wanted);
	free(wanted);
	cs_close(machine);
}

static void test_pieces(const struct test *test)
{
	struct cs_machine *machine = start(test, counted(test));
	uint64_t before = 0, after = 0;
	bool steps = true;

	while (cs_simulate(machine, 997, UINT64_MAX) == CS_RUNNING)
		continue;
	check_result(test, "pieces of some cycles make the tool's result", machine, "whole.json");
	machine = start(test, counted(test));
	while (cs_simulate(machine, UINT64_MAX, 1009) == CS_RUNNING) {
		cs_value(machine, "instructions", &after);
		/* With the rest of the cycle: no machine here commits 16. */
		steps &= after >= before + 1009 && after < before + 1009 + 16;
		before = after;
	}
	check(test, steps, "a piece ends with the cycle that commits its last instruction",
	      "%" PRIu64 " after %" PRIu64, after, before);
	check_result(test, "pieces of some instructions make the tool's result", machine,
		     "whole.json");
}

static void test_starts_and_ends(const struct test *test)
{
	struct cs_machine *machine = start(test, counted(test));
	uint64_t instructions = 0;

	cs_step(machine, strtoull(test->tool->skipped, NULL, 10));
	cs_simulate(machine, UINT64_MAX, UINT64_MAX);
	check_result(test, "steps before the simulation are skipped", machine, "skip.json");

	machine = counted(test);
	cs_configure(machine, "max_instructions", test->tool->limit);
	start(test, machine);
	enum cs_state state = cs_simulate(machine, UINT64_MAX, UINT64_MAX);
	check(test, state == CS_LIMITED && cs_simulate(machine, 1, 1) == CS_LIMITED,
	      "a simulation ends at its limit", "state %d", state);
	check(test,
	      cs_value(machine, "instructions", &instructions) &&
		      instructions == strtoull(test->tool->limit, NULL, 10) &&
		      !cs_value(machine, "status", &instructions),
	      "the limit is exact and the program has no status", "%" PRIu64, instructions);
	check_result(test, "the result at a limit is the tool's", machine, "limit.json");
}

static void test_machines(const struct test *test)
{
	struct cs_machine *machine = counted(test);
	char path[4096];

	bool ok = choose_other(test, machine);
	check(test, ok, "a preset is chosen and changed", "%s", cs_error(machine));
	cs_simulate(start(test, machine), UINT64_MAX, UINT64_MAX);
	check_result(test, "a preset with a change is the tool's machine", machine, "other.json");

	machine = counted(test);
	snprintf(path, sizeof(path), "%s/midcore.cfg", test->tool->presets);
	ok = cs_set_parameter(machine, "rob.size", "16") && cs_set_machine(machine, path);
	check(test, ok, "a file is a machine", "%s", cs_error(machine));
	cs_simulate(start(test, machine), UINT64_MAX, UINT64_MAX);
	const char *json = cs_result_json(machine);
	check(test, json && strstr(json, "\"changes\": []"),
	      "the result of a file names no changes made before", "%s", cs_error(machine));
	uint64_t by_file = 0, by_default = 0, by_text = 0;
	cs_counted(machine, "cycles", &by_file);
	cs_close(machine);
	machine = start(test, counted(test));
	cs_simulate(machine, UINT64_MAX, UINT64_MAX);
	cs_counted(machine, "cycles", &by_default);
	check(test, by_file && by_file == by_default,
	      "a file replaces what was set; without one the machine is midcore",
	      "%" PRIu64 " and %" PRIu64, by_file, by_default);
	check_result(test, "the machine built in gives the tool's result", machine, "whole.json");

	static const char text[] = "rob = { size = 16; };\n";
	machine = counted(test);
	ok = cs_set_machine_text(machine, "small", text, sizeof(text) - 1);
	check(test, ok, "a text is a machine", "%s", cs_error(machine));
	cs_simulate(start(test, machine), UINT64_MAX, UINT64_MAX);
	cs_counted(machine, "cycles", &by_text);
	check(test, by_text > by_default, "its parameters are those of the text",
	      "%" PRIu64 " and %" PRIu64, by_text, by_default);
	cs_close(machine);
}

/* What observers were told of a simulation. */
struct seen {
	struct cs_machine *machine;
	uint64_t cycles, next_cycle, committed, instructions, syscalls, exits;
	uint64_t sample_cycles, samples, short_samples;
	uint64_t sampled[3 * SIGNALS_MOST]; /* by subscription */
	uint64_t calls[CALLS_MOST];	    /* by number */
	struct {
		const char *name;
		uint64_t cycles;
	} stalls[STALLS_MOST];
	size_t stall_count, subscription_count;
	size_t cycles_subscription;
	bool is_wrong;
};

static void count_stall(struct seen *seen, const char *name, uint64_t cycles)
{
	size_t i = 0;

	if (!name)
		return;
	while (i < seen->stall_count && strcmp(seen->stalls[i].name, name) != 0)
		i++;
	if (i == STALLS_MOST) {
		seen->is_wrong = true;
		return;
	}
	seen->stall_count += i == seen->stall_count;
	seen->stalls[i].name = name;
	seen->stalls[i].cycles += cycles;
}

static void see_cycle(void *context, const struct cs_cycle *cycle)
{
	struct seen *seen = context;
	uint64_t sum = 0;

	seen->is_wrong |= cycle->size != sizeof(*cycle) || !cycle->repeat ||
			  cycle->number != seen->next_cycle ||
			  !cycle->head_pc != (!cycle->head_state && !cycle->committed) ||
			  (!cycle->fetch_stall && !cycle->fetched) ||
			  (!cycle->dispatch_stall && cycle->dispatched < cycle->dispatch_width);
	seen->next_cycle = cycle->number + cycle->repeat;
	seen->cycles += cycle->repeat;
	seen->committed += cycle->committed * cycle->repeat;
	count_stall(seen, cycle->fetch_stall, cycle->repeat);
	count_stall(seen, cycle->dispatch_stall, cycle->repeat);
	count_stall(seen, cycle->head_state, cycle->repeat);
	if (seen->subscription_count)
		seen->is_wrong |= !cs_sum(seen->machine, seen->cycles_subscription, &sum) ||
				  sum != seen->cycles;
}

static void see_sample(void *context, const struct cs_sample *sample)
{
	struct seen *seen = context;

	seen->is_wrong |= sample->size != sizeof(*sample) ||
			  sample->value_count != seen->subscription_count ||
			  sample->first_cycle != seen->sample_cycles || seen->short_samples ||
			  (sample->value_count &&
			   sample->values[seen->cycles_subscription] != sample->cycles);
	seen->sample_cycles += sample->cycles;
	seen->samples++;
	seen->short_samples += sample->cycles != 1013;
	for (size_t i = 0; i < sample->value_count; i++)
		seen->sampled[i] += sample->values[i];
}

static void see_instruction(void *context, uint64_t pc, unsigned bytes)
{
	struct seen *seen = context;

	seen->is_wrong |= pc % 2 || (bytes != 2 && bytes != 4);
	seen->instructions++;
}

static void see_syscall(void *context, uint64_t number)
{
	struct seen *seen = context;

	if (number < CALLS_MOST)
		seen->calls[number]++;
	seen->syscalls++;
	/* Refused: the machine is the one that is calling. */
	seen->is_wrong |= cs_result_json(seen->machine) ||
			  cs_subscribe(seen->machine, "cycles", 0, UINT64_MAX, &(size_t){0});
}

static void see_exit(void *context, int status)
{
	struct seen *seen = context;

	(void)status;
	seen->exits++;
	seen->is_wrong |=
		cs_simulate(seen->machine, 1, 1) == CS_RUNNING || !*cs_error(seen->machine);
}

/* The sum of a signal everywhere; subscriptions are made three for each signal: everywhere, below
 * an address and from there on. */
static uint64_t sum_named(struct cs_machine *machine, const char *name)
{
	struct cs_description signal = {.size = sizeof(signal)};
	uint64_t sum = UINT64_MAX;

	for (size_t i = 0; cs_describe_signal(i, &signal); i++)
		if (strcmp(signal.name, name) == 0)
			cs_sum(machine, 3 * i, &sum);
	return sum;
}

static void check_sums(const struct test *test, struct cs_machine *machine, const struct seen *seen)
{
	struct cs_description row = {.size = sizeof(row)};
	const char *bad = NULL;
	uint64_t whole = 0, below = 0, above = 0, value = 0, split = 0;
	size_t count = 0;

	for (size_t i = 0; cs_describe_signal(i, &row); i++) {
		cs_sum(machine, 3 * i, &whole);
		cs_sum(machine, 3 * i + 1, &below);
		cs_sum(machine, 3 * i + 2, &above);
		split += below && above;
		if (!bad && whole != below + above)
			bad = row.name;
	}
	check(test, !bad, "the halves of the code add up, for every signal", "%s", bad ? bad : "");
	check(test, split > 50, "both halves of the code are executed", "%" PRIu64 " signals",
	      split);
	bad = NULL;
	for (size_t i = 0; !bad && cs_describe_signal(i, &row); i++)
		for (size_t k = 3 * i; k < 3 * i + 3; k++)
			if (!cs_sum(machine, k, &whole) || whole != seen->sampled[k])
				bad = row.name;
	check(test, !bad && seen->samples > 2, "samples add up, for every signal", "%s",
	      bad ? bad : "too few");
	bad = NULL;
	for (; cs_describe_counted(count, &row); count++) {
		/* The one value that is not named by its signal. */
		const char *name = strcmp(row.name, "instructions") == 0 ? "committed" : row.name;

		if (!bad &&
		    (!cs_counted(machine, row.name, &value) || value != sum_named(machine, name)))
			bad = row.name;
	}
	check(test, !bad && count > 50, "every counted value is the sum of its signal", "%s of %zu",
	      bad ? bad : "few", count);
}

static void check_stalls(const struct test *test, struct cs_machine *machine,
			 const struct seen *seen, size_t least)
{
	const char *bad = NULL;

	for (size_t i = 0; i < seen->stall_count; i++)
		if (strcmp(seen->stalls[i].name, "fetch.done") != 0 &&
		    sum_named(machine, seen->stalls[i].name) != seen->stalls[i].cycles)
			bad = seen->stalls[i].name;
	check(test, !bad && seen->stall_count >= least,
	      "a record names its stalls as the signals that count them", "%s of %zu",
	      bad ? bad : "few", seen->stall_count);
}

static void subscribe_all(const struct test *test, struct cs_machine *machine, struct seen *seen)
{
	struct cs_description signal = {.size = sizeof(signal)};
	uint64_t pc = 0;
	size_t number;

	/* The entry of the program: its own code and that of its libraries lie around it. */
	if (!cs_value(machine, "pc", &pc))
		give_up(test, "a started program has a pc", cs_error(machine));
	for (size_t i = 0; i < SIGNALS_MOST && cs_describe_signal(i, &signal); i++) {
		if (!cs_subscribe(machine, signal.name, 0, UINT64_MAX, &number) ||
		    number != 3 * i || !cs_subscribe(machine, signal.name, 0, pc, &number) ||
		    !cs_subscribe(machine, signal.name, pc, UINT64_MAX, &number))
			give_up(test, "every signal can be subscribed to", cs_error(machine));
		if (strcmp(signal.name, "cycles") == 0)
			seen->cycles_subscription = 3 * i;
		seen->subscription_count = number + 1;
	}
}

/* Numbers as in Linux. */
static void check_calls(const struct test *test, struct cs_machine *machine,
			const struct seen *seen)
{
	static const struct {
		const char *value;
		unsigned number;
	} rows[] = {
		{"syscalls.write", 64}, {"syscalls.exit_group", 94}, {"syscalls.futex", 98},
		{"syscalls.brk", 214},	{"syscalls.mmap", 222},	     {"syscalls.clone", 220},
		{"syscalls.exit", 93},
	};
	const char *bad = NULL;
	uint64_t value = 0, all = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!cs_value(machine, rows[i].value, &value) ||
		    value != seen->calls[rows[i].number])
			bad = rows[i].value;
		all += value;
	}
	check(test, !bad && all, "an observer is told the system calls' numbers", "%s",
	      bad ? bad : "none");
}

static void test_observed(const struct test *test)
{
	struct cs_machine *machine = counted(test);
	struct seen *seen = calloc(1, sizeof(*seen));
	struct cs_observer observer = {
		.size = sizeof(observer),
		.context = seen,
		.on_instruction = see_instruction,
		.on_syscall = see_syscall,
		.on_exit = see_exit,
		.on_cycle = see_cycle,
		.on_sample = see_sample,
		.sample_cycles = 1013,
	};
	uint64_t value = 0, instructions = 0;

	if (!seen)
		give_up(test, "there is memory", "no");
	seen->machine = machine;
	start(test, machine);
	if (!cs_attach(machine, &observer))
		give_up(test, "an observer attaches", cs_error(machine));
	subscribe_all(test, machine, seen);
	while (cs_simulate(machine, 100003, UINT64_MAX) == CS_RUNNING)
		continue;
	cs_counted(machine, "cycles", &value);
	cs_counted(machine, "instructions", &instructions);
	check(test, seen->cycles == value && !seen->is_wrong && seen->committed == instructions,
	      "an observer sees every cycle once", "%" PRIu64 " of %" PRIu64 "%s", seen->cycles,
	      value, seen->is_wrong ? ", something wrong" : "");
	check(test, seen->sample_cycles == value, "samples cover every cycle",
	      "%" PRIu64 " of %" PRIu64, seen->sample_cycles, value);
	check(test, seen->instructions == instructions, "an observer sees every instruction once",
	      "%" PRIu64 " of %" PRIu64, seen->instructions, instructions);
	cs_value(machine, "syscalls", &value);
	check(test, seen->syscalls == value && value, "an observer sees every system call once",
	      "%" PRIu64 " of %" PRIu64, seen->syscalls, value);
	check(test, seen->exits == 1, "an observer sees the end once", "%" PRIu64 " times",
	      seen->exits);
	check_calls(test, machine, seen);
	check_sums(test, machine, seen);
	check_stalls(test, machine, seen, 15);
	check_result(test, "observers and subscriptions change nothing", machine, "whole.json");
	free(seen);
}

/* On a machine that is short of everything, so that all kinds of stalls occur. */
static void test_stalls(const struct test *test)
{
	static const char text[] = "core = { max_branches = 2; };\n"
				   "rob = { size = 32; };\n"
				   "issue_queue = { size = 6; };\n"
				   "lsq = { size = 8; };\n"
				   "store = { buffer = 1; };\n"
				   "cache = { levels = 3; };\n"
				   "l1d = { mshrs = 1; };\n";
	struct cs_machine *machine = prepare(test);
	struct seen *seen = calloc(1, sizeof(*seen));
	struct cs_observer observer = {
		.size = sizeof(observer), .context = seen, .on_cycle = see_cycle};

	if (!seen || !cs_set_machine_text(machine, "scarce", text, sizeof(text) - 1) ||
	    !cs_attach(machine, &observer))
		give_up(test, "a machine is short of everything", cs_error(machine));
	seen->machine = machine;
	start(test, machine);
	subscribe_all(test, machine, seen);
	cs_simulate(machine, UINT64_MAX, UINT64_MAX);
	check_stalls(test, machine, seen, 24);
	cs_close(machine);
	free(seen);
}

/* Everything that a result has adds up. */
static bool adds_up(struct cs_machine *machine)
{
	struct cs_description counter = {.size = sizeof(counter)};
	struct cs_component component = {.size = sizeof(component)};
	struct cs_function function = {.size = sizeof(function)};
	uint64_t cycles = 0, slots = 0, part = 0, per_cycle = 0, last = UINT64_MAX;
	size_t count = 0, methods = 0, functions = 0;
	bool ok = cs_counted(machine, "cycles", &cycles) && cs_functions(machine, &functions);

	for (size_t i = 0; cs_describe_counter(i, &counter); i++) {
		int64_t sum = 0;

		if (strcmp(counter.category, "method") != 0 ||
		    !cs_stack(machine, counter.name, &count))
			continue;
		for (size_t k = 0; k < count; k++) {
			ok &= cs_component(machine, counter.name, k, &component);
			sum += component.cycles;
		}
		ok &= sum == (int64_t)cycles && count > 5;
		methods++;
	}
	for (size_t i = 0; i < functions; i++) {
		uint64_t sum = 0;

		ok &= cs_function(machine, i, &function) && function.slots <= last;
		cs_stack(machine, "exact", &count);
		for (size_t k = 0; k < count; k++) {
			ok &= cs_component(machine, "exact", k, &component) &&
			      cs_function_slots(machine, i, component.name, &part);
			sum += part;
		}
		ok &= sum == function.slots;
		slots += sum;
		last = function.slots;
		per_cycle = function.slots_per_cycle;
	}
	return ok && methods > 5 && functions && per_cycle && slots == per_cycle * cycles;
}

static void test_results(const struct test *test)
{
	struct cs_machine *machine = start(test, counted(test));
	const char *text;

	cs_simulate(machine, 20000, UINT64_MAX);
	check(test, adds_up(machine), "stacks and functions add up in the middle of a run", "%s",
	      cs_error(machine));
	text = cs_result_json(machine);
	check(test, text && strstr(text, "\"partial\": true"),
	      "a result in the middle of a run is partial", "%s", cs_error(machine));
	/* Twice at one place, and where windows of the beginning have been simulated before. */
	for (unsigned i = 0; i < 3; i++) {
		cs_simulate(machine, i < 2 ? 250000 * (uint64_t)i : 1, UINT64_MAX);
		check(test, cs_result_json(machine), "a result is read again", "%s",
		      cs_error(machine));
	}
	cs_simulate(machine, UINT64_MAX, UINT64_MAX);
	check(test, adds_up(machine), "stacks and functions add up at the end", "%s",
	      cs_error(machine));
	check_result(test, "reading a result in between changes nothing", machine, "whole.json");

	machine = start(test, prepare(test));
	size_t count;
	uint64_t value = 0;
	cs_simulate(machine, UINT64_MAX, UINT64_MAX);
	check(test, cs_counted(machine, "cycles", &value) && value,
	      "without counters there are counted values", "%s", cs_error(machine));
	check(test,
	      !cs_stack(machine, "exact", &count) &&
		      strcmp(cs_error(machine),
			     "no counters were configured: there are no stacks") == 0,
	      "without counters there are no stacks", "%s", cs_error(machine));
	cs_close(machine);
}

/* A machine in a thread of its own. */
struct lane {
	struct cs_machine *machine;
	pthread_t thread;
	char *json;
};

static void *simulate_lane(void *context)
{
	struct lane *lane = context;

	while (cs_simulate(lane->machine, 4999, UINT64_MAX) == CS_RUNNING)
		continue;
	lane->json = cs_result_json(lane->machine) ? strdup(cs_result_json(lane->machine)) : NULL;
	return NULL;
}

static void test_threads(const struct test *test)
{
	static const char *const files[2] = {"whole.json", "other.json"};
	struct lane lanes[2];

	for (int i = 0; i < 2; i++) {
		lanes[i] = (struct lane){.machine = counted(test)};
		if (i == 1 && !choose_other(test, lanes[i].machine))
			give_up(test, "a preset is chosen", cs_error(lanes[i].machine));
		start(test, lanes[i].machine);
	}
	for (int i = 0; i < 2; i++)
		if (pthread_create(&lanes[i].thread, NULL, simulate_lane, &lanes[i]))
			give_up(test, "a thread is made", "no");
	for (int i = 0; i < 2; i++) {
		char *wanted = read_file(test, files[i]);

		pthread_join(lanes[i].thread, NULL);
		check_text(test, "in two threads each machine runs as alone", lanes[i].json,
			   wanted);
		free(wanted);
		free(lanes[i].json);
		cs_close(lanes[i].machine);
	}
}

/* A program that makes a system call which does not exist. */
static size_t make_failing(unsigned char image[4096])
{
	static const uint32_t code[] = {
		0x3e800893, /* li a7, 1000 */
		0x00000073, /* ecall */
	};
	const uint64_t base = 0x10000;
	const size_t at = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), bytes = at + sizeof(code);
	const Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_vaddr = base,
		.p_filesz = bytes,
		.p_memsz = bytes,
		.p_align = 4096,
	};
	const Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_RISCV,
		.e_version = EV_CURRENT,
		.e_entry = base + at,
		.e_phoff = sizeof(header),
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(segment),
		.e_phnum = 1,
		.e_flags = EF_RISCV_RVC | EF_RISCV_FLOAT_ABI_DOUBLE,
	};

	memcpy(image, &header, sizeof(header));
	memcpy(image + sizeof(header), &segment, sizeof(segment));
	memcpy(image + at, code, sizeof(code));
	return bytes;
}

static void test_failure(const struct test *test)
{
	unsigned char image[4096];
	char error[1024] = "";
	struct cs_machine *machine =
		cs_open_image(image, make_failing(image), "failing", error, sizeof(error));
	uint64_t status = 0;

	if (!machine || !cs_configure(machine, "strict", "yes"))
		give_up(test, "a program that fails opens", error);
	start(test, machine);
	enum cs_state state = cs_simulate(machine, UINT64_MAX, UINT64_MAX);
	check(test, state == CS_FAILED && strstr(cs_error(machine), "is not implemented"),
	      "a program that cannot go on fails with a sentence", "state %d, %s", state,
	      cs_error(machine));
	check(test,
	      !cs_result_json(machine) && strstr(cs_error(machine), "is not implemented") &&
		      !cs_counted(machine, "cycles", &status) &&
		      cs_simulate(machine, 1, 1) == CS_FAILED,
	      "a simulation that failed has no result", "%s", cs_error(machine));
	cs_close(machine);
}

static void refuse(const struct test *test, struct cs_machine *machine, bool accepted,
		   const char *sentence)
{
	char name[256];

	snprintf(name, sizeof(name), "refused: %.200s", sentence);
	check(test, !accepted && strcmp(cs_error(machine), sentence) == 0, name, "%s",
	      accepted ? "accepted" : cs_error(machine));
}

static void refuse_size(const struct test *test, struct cs_machine *machine, bool accepted,
			const char *what, size_t size, size_t own)
{
	char sentence[256];

	snprintf(sentence, sizeof(sentence),
		 "%s of %zu bytes was made for another version of the library; this one's has %zu",
		 what, size, own);
	refuse(test, machine, accepted, sentence);
}

static void refuse_settings(const struct test *test, struct cs_machine *machine)
{
	struct cs_observer sampler = {.size = sizeof(sampler), .on_sample = see_sample};
	struct cs_observer large = {.size = sizeof(large) + 8};
	size_t number;

	refuse(test, machine, cs_set_parameter(machine, "rob.sise", "1"),
	       "there is no parameter \"rob.sise\"; did you mean rob.size?");
	refuse(test, machine, cs_set_parameter(machine, "rob.size", "many"),
	       "rob.size must be a whole number from 4 to 1024, not \"many\"");
	refuse(test, machine, cs_set_machine(machine, "/nowhere/at/all.cfg"),
	       "/nowhere/at/all.cfg: No such file or directory");
	check(test, !cs_set_machine(machine, "bigcore") && *cs_error(machine),
	      "refused: a preset without a directory of presets", "accepted");
	refuse(test, machine, cs_set_machine_text(machine, "mine", "rob = { size = 2; };", 20),
	       "mine:1: rob.size must be a whole number from 4 to 1024, not 2");
	refuse(test, machine, cs_configure(machine, "time", "seconds"),
	       "time: \"seconds\" is neither insns nor cycles");
	refuse(test, machine, cs_configure(machine, "max_instructions", "0"),
	       "max_instructions: \"0\" is not a number from 1 to 9223372036854775807 (suffixes k, "
	       "M, G)");
	check(test,
	      !cs_configure(machine, "counters", "exakt") &&
		      strstr(cs_error(machine), "counters: there is no \"exakt\"; there are all, "
						"exact, "),
	      "refused: a counter that does not exist", "%s", cs_error(machine));
	refuse(test, machine, cs_subscribe(machine, "robe.used", 0, UINT64_MAX, &number),
	       "there is no signal \"robe.used\"");
	refuse(test, machine, cs_subscribe(machine, "rob.used", 16, 16, &number),
	       "rob.used: no address is at or above 0x10 and below 0x10");
	refuse(test, machine, cs_attach(machine, &sampler), "a sample of 0 cycles has no end");
	refuse_size(test, machine, cs_attach(machine, &large), "an observer", large.size,
		    sizeof(large));
}

static void refuse_order(const struct test *test, struct cs_machine *machine)
{
	struct cs_observer observer = {.size = sizeof(observer)};
	struct cs_component component = {.size = 8};
	struct cs_function function = {.size = 8};
	char sentence[4096];
	uint64_t value;
	size_t number;

	snprintf(sentence, sizeof(sentence), "%s is not started", test->argv[0]);
	refuse(test, machine, cs_simulate(machine, 1, 1) != CS_READY, sentence);
	refuse(test, machine, cs_sum(machine, 0, &value),
	       "there is no subscription 0; there are 0");
	refuse(test, machine, cs_result_json(machine), "nothing has been simulated");
	start(test, machine);
	refuse(test, machine, cs_counted(machine, "cycles", &value), "nothing has been simulated");
	refuse(test, machine, cs_set_parameter(machine, "rob.size", "128"),
	       "rob.size: settings are made before the machine is started");
	refuse(test, machine, cs_set_machine(machine, "bigcore"),
	       "bigcore: settings are made before the machine is started");
	cs_simulate(machine, 1000, UINT64_MAX);
	refuse(test, machine, cs_attach(machine, &observer),
	       "observers attach before the simulation begins");
	refuse(test, machine, cs_subscribe(machine, "cycles", 0, UINT64_MAX, &number),
	       "cycles: subscriptions are made before the simulation begins");
	snprintf(sentence, sizeof(sentence), "%s is being simulated: cs_simulate continues it",
		 test->argv[0]);
	refuse(test, machine, cs_step(machine, 1) != CS_RUNNING, sentence);
	refuse(test, machine, cs_counted(machine, "speed", &value),
	       "there is no counted value \"speed\"");
	refuse(test, machine, cs_stack(machine, "fmt", &number),
	       "no stack of \"fmt\" was asked for with counters");
	refuse(test, machine, cs_function_slots(machine, 0, "l9d", &value),
	       "there is no component \"l9d\"");
	refuse_size(test, machine, cs_component(machine, "exact", 0, &component), "a component",
		    component.size, sizeof(component));
	refuse_size(test, machine, cs_function(machine, 0, &function), "a function", function.size,
		    sizeof(function));
	component.size = sizeof(component);
	refuse(test, machine, cs_component(machine, "exact", 99, &component),
	       "exact has no component 99");
	function.size = sizeof(function);
	check(test, !cs_function(machine, SIZE_MAX, &function),
	      "refused: a function that is not there", "accepted");
}

static void test_refusals(const struct test *test)
{
	struct cs_description small = {.size = 8};
	struct cs_observer first = {.size = offsetof(struct cs_observer, on_cycle)};
	struct cs_machine *machine = prepare(test);

	check(test, !cs_describe_signal(0, &small) && !small.name,
	      "refused: a description of another size", "%s", small.name);
	check(test, cs_attach(machine, &first), "an observer of version 1 attaches", "%s",
	      cs_error(machine));
	refuse_settings(test, machine);
	cs_configure(machine, "counters", "exact");
	refuse_order(test, machine);
	cs_close(machine);
	machine = prepare(test);
	check(test,
	      cs_set_parameter(machine, "l1d.size_bytes", "100") && !cs_start(machine) &&
		      *cs_error(machine) && cs_simulate(machine, 1, 1) == CS_READY,
	      "parameters that describe no machine do not start", "%s", cs_error(machine));
	cs_close(machine);
}

int main(int argc, char **argv)
{
	if (argc < 6)
		return 2;
	const struct tool tool = {argv[1], argv[2], argv[3], argv[4]};
	const struct test test = {fdopen(3, "w"), argv + 5, &tool};

	if (!test.report)
		return 2;
	test_machines(&test);
	test_pieces(&test);
	test_starts_and_ends(&test);
	test_observed(&test);
	test_stalls(&test);
	test_results(&test);
	test_threads(&test);
	test_failure(&test);
	test_refusals(&test);
	return fclose(test.report) ? 1 : 0;
}
