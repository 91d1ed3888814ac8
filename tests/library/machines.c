/*
 * machines PROGRAM [ARGUMENT...]: what cyclestack.h promises, on one program.
 * Prints one line "ok NAME" or "not ok NAME: why" per promise to descriptor 3,
 * as standard output is the guest's.
 */
#include <inttypes.h>
#include <string.h>

#include "promises.h"

#define COMPARED 5

/* How a run ended; what does not depend on how it was run. */
struct outcome {
	enum cs_state state;
	uint64_t values[COMPARED];
};

static const char *const compared[COMPARED] = {"instructions", "status", "memory_bytes", "syscalls",
					       "pc"};

struct seen {
	struct cs_machine *machine;
	uint64_t instructions, bytes, syscalls, exits, warnings;
	int status;
	bool wrong;
};

static void see_instruction(void *context, uint64_t pc, unsigned bytes)
{
	struct seen *seen = context;
	uint64_t count = 0;

	seen->instructions++;
	seen->bytes += bytes;
	seen->wrong |= (bytes != 2 && bytes != 4) || pc % 2;
	/* Values can be read from here; now and then is enough. */
	if (seen->instructions % 1000 == 0)
		seen->wrong |= !cs_value(seen->machine, "instructions", &count) ||
			       count != seen->instructions;
}

static void see_syscall(void *context, uint64_t number)
{
	struct seen *seen = context;

	(void)number;
	seen->syscalls++;
}

static void see_warning(void *context, const char *text)
{
	struct seen *seen = context;

	seen->warnings++;
	seen->wrong |= !*text;
}

static void see_exit(void *context, int status)
{
	struct seen *seen = context;

	seen->exits++;
	seen->status = status;
	/* Refused: the machine is the one that is calling. */
	seen->wrong |= cs_step(seen->machine, 1) == CS_RUNNING || !*cs_error(seen->machine);
}

static struct outcome finish(struct cs_machine *machine)
{
	struct outcome outcome = {.state = cs_step(machine, 0)};

	for (int i = 0; i < COMPARED; i++)
		if (!cs_value(machine, compared[i], &outcome.values[i]))
			outcome.values[i] = UINT64_MAX;
	cs_close(machine);
	return outcome;
}

static struct outcome run(const struct test *test, uint64_t step)
{
	struct cs_machine *machine = prepare(test);

	start(test, machine);
	while (cs_step(machine, step) == CS_RUNNING)
		continue;
	return finish(machine);
}

static void check_same(const struct test *test, const char *name, const struct outcome *got,
		       const struct outcome *wanted)
{
	for (int i = 0; i < COMPARED; i++)
		if (got->values[i] != wanted->values[i]) {
			check(test, false, name, "%s is %" PRIu64 ", alone %" PRIu64, compared[i],
			      got->values[i], wanted->values[i]);
			return;
		}
	check(test, got->state == wanted->state, name, "state %d, alone %d", got->state,
	      wanted->state);
}

static void test_observed(const struct test *test, const struct outcome *alone)
{
	struct cs_machine *machine = prepare(test);
	struct seen seen = {.machine = machine};
	struct cs_observer observer = {
		.size = sizeof(observer),
		.context = &seen,
		.on_instruction = see_instruction,
		.on_syscall = see_syscall,
		.on_warning = see_warning,
		.on_exit = see_exit,
	};
	char text[80];
	uint64_t pc;

	check(test, cs_attach(machine, &observer), "an observer attaches", "%s", cs_error(machine));
	start(test, machine);
	check(test,
	      cs_value(machine, "pc", &pc) && cs_disassemble(machine, pc, text, sizeof(text)) &&
		      strlen(text) > 2 && !cs_disassemble(machine, 3, text, sizeof(text)),
	      "what can be executed can be disassembled", "%s", cs_error(machine));
	while (cs_step(machine, UINT64_MAX) == CS_RUNNING)
		continue;
	struct outcome outcome = finish(machine);
	check_same(test, "an observed run is the run unobserved", &outcome, alone);
	check(test, seen.instructions == alone->values[0] && !seen.wrong,
	      "an observer sees every instruction once", "%" PRIu64 " of %" PRIu64 "%s",
	      seen.instructions, alone->values[0], seen.wrong ? ", some wrong" : "");
	check(test, seen.bytes > 2 * seen.instructions && seen.bytes < 4 * seen.instructions,
	      "instructions of both sizes are seen", "%" PRIu64 " bytes", seen.bytes);
	check(test, seen.syscalls == alone->values[3], "an observer sees every system call once",
	      "%" PRIu64 " of %" PRIu64, seen.syscalls, alone->values[3]);
	check(test, seen.exits == 1 && (uint64_t)seen.status == alone->values[1],
	      "an observer sees the end once", "%" PRIu64 " times, status %d", seen.exits,
	      seen.status);
}

static void test_syscalls_at_full_speed(const struct test *test, const struct outcome *alone)
{
	struct cs_machine *machine = prepare(test);
	struct seen seen = {.machine = machine};
	struct cs_observer observer = {
		.size = sizeof(observer), .context = &seen, .on_syscall = see_syscall};

	cs_attach(machine, &observer);
	start(test, machine);
	cs_step(machine, UINT64_MAX);
	struct outcome outcome = finish(machine);
	check_same(test, "watching system calls changes nothing", &outcome, alone);
	check(test, seen.syscalls == alone->values[3], "full speed shows every system call",
	      "%" PRIu64 " of %" PRIu64, seen.syscalls, alone->values[3]);
}

static void test_interleaved(const struct test *test, const struct outcome *alone)
{
	struct cs_machine *a = prepare(test), *b = prepare(test);
	enum cs_state state_a = CS_RUNNING, state_b = CS_RUNNING;

	start(test, a);
	start(test, b);
	/* Steps that meet neither each other nor the ends of slices. */
	while (state_a == CS_RUNNING || state_b == CS_RUNNING) {
		state_a = cs_step(a, 7919);
		state_b = cs_step(b, 104729);
	}
	struct outcome outcome_a = finish(a), outcome_b = finish(b);
	check_same(test, "of two machines the first runs as alone", &outcome_a, alone);
	check_same(test, "of two machines the second runs as alone", &outcome_b, alone);
}

static void test_values(const struct test *test)
{
	struct cs_machine *machine = prepare(test);
	size_t count = 0;
	uint64_t value = 77;

	check(test, !cs_value(machine, "pc", &value) && value == 77,
	      "there are no values before the start", "%" PRIu64, value);
	start(test, machine);
	for (const char *name; (name = cs_value_name(machine, count)); count++)
		if (!cs_value(machine, name, &value) && strcmp(name, "status") != 0)
			break;
	check(test, !cs_value_name(machine, count) && count > 300, "every listed value can be read",
	      "%zu, %s", count, cs_error(machine));
	check(test,
	      !cs_value(machine, "status", &value) && !cs_value(machine, "speed", &value) &&
		      strcmp(cs_error(machine), "there is no value \"speed\"") == 0,
	      "a value that is not there is refused", "%s", cs_error(machine));
	cs_step(machine, 1000);
	check(test, cs_value(machine, "instructions", &value) && value == 1000,
	      "a step takes exactly as many instructions", "%" PRIu64, value);
	check(test, !cs_configure(machine, "seed", "2") && !cs_start(machine),
	      "a started machine is neither configured nor started", "accepted");
	cs_close(machine);
	cs_close(NULL);
}

static void check_setting(const struct test *test, const char *key, const char *value,
			  const char *sentence)
{
	struct cs_machine *machine = prepare(test);
	char name[128];

	snprintf(name, sizeof(name), "%s = %s is %s", key, value,
		 sentence ? "refused" : "accepted");
	bool ok = cs_configure(machine, key, value);
	check(test, sentence ? !ok && strcmp(cs_error(machine), sentence) == 0 : ok, name, "%s",
	      cs_error(machine));
	cs_close(machine);
}

static void test_settings(const struct test *test)
{
	static const struct {
		const char *key, *value, *sentence;
	} rows[] = {
		{"seed", "18446744073709551615", NULL},
		{"seed", "-1",
		 "seed: \"-1\" is not a number from 0 to 18446744073709551615 (suffixes k, M, G)"},
		{"memory.limit_bytes", "64M", NULL},
		{"memory.limit_bytes", "1k",
		 "memory.limit_bytes: \"1k\" is not a number from 1048576 to 137438953472 "
		 "(suffixes k, M, G)"},
		{"env", "A=b=c", NULL},
		{"env", "A", "env: \"A\" is not NAME=VALUE"},
		{"cwd", "data", "cwd: \"data\" is not an absolute path"},
		{"mount", "/data=/", NULL},
		{"mount", "/data/=/:ro", NULL},
		{"mount", "/=/", NULL},
		{"mount", "/a/../b=/", "mount: write GUEST of \"/a/../b=/\" without //, . and .."},
		{"mount", "/data",
		 "mount: \"/data\" is not GUEST=HOST or GUEST=HOST:ro with GUEST an absolute path, "
		 "such as /data=."},
		{"sysroot", "/nowhere/at/all",
		 "sysroot: cannot mount /nowhere/at/all: No such file or directory"},
		{"deny", "getrandom", NULL},
		{"deny", "frobnicate",
		 "deny: there is no system call \"frobnicate\" on RISC-V Linux"},
		{"strict", "yes", NULL},
		{"strict", "perhaps", "strict: \"perhaps\" is neither yes nor no"},
		{"argv0", "other", NULL},
		{"speed", "9",
		 "there is no setting \"speed\"; there are argv, argv0, env, cwd, mount, sysroot, "
		 "seed, memory.limit_bytes, deny, strict, debug_dir, raw_names, presets, "
		 "counters, time, max_instructions"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_setting(test, rows[i].key, rows[i].value, rows[i].sentence);
}

static void test_refusals(const struct test *test)
{
	char error[1024] = "";
	struct cs_observer small = {.size = 8};

	check(test,
	      !cs_open("/nowhere/at/all", error, sizeof(error)) &&
		      strcmp(error, "cannot open /nowhere/at/all: No such file or directory") == 0,
	      "a file that is missing is refused", "%s", error);
	check(test,
	      !cs_open("/", error, sizeof(error)) &&
		      strcmp(error, "/ is a directory, not a RISC-V program") == 0,
	      "a directory is refused", "%s", error);
	check(test, !cs_open(__FILE__, error, sizeof(error)) && strstr(error, "ELF"),
	      "a file that is no program is refused", "%s", error);
	check(test,
	      !cs_open_image("", 0, "nothing", error, sizeof(error)) && strstr(error, "nothing: "),
	      "an empty image is refused", "%s", error);
	check(test, !cs_open(__FILE__, error, 4) && strlen(error) == 3,
	      "a small buffer is not exceeded", "%s", error);
	check(test, !cs_open(__FILE__, NULL, 0), "the sentence may be unwanted", "opened");
	struct cs_machine *machine = prepare(test);
	check(test, !cs_attach(machine, &small), "an observer of another size is refused",
	      "accepted");
	check(test, cs_step(machine, 1) == CS_READY && *cs_error(machine),
	      "a machine that is not started does not step", "%s", cs_error(machine));
	check(test,
	      cs_configure(machine, "memory.limit_bytes", "1M") && !cs_start(machine) &&
		      *cs_error(machine),
	      "a program over its memory limit does not start", "started");
	cs_close(machine);
}

static void test_image(const struct test *test, const struct outcome *alone)
{
	FILE *in = fopen(test->argv[0], "rb");
	char error[1024] = "";
	char *image = NULL;
	size_t bytes = 0, got;

	do {
		image = realloc(image, bytes + 65536);
		got = in && image ? fread(image + bytes, 1, 65536, in) : 0;
		bytes += got;
	} while (got);
	if (in)
		fclose(in);
	struct cs_machine *machine =
		cs_open_image(image, bytes, test->argv[0], error, sizeof(error));
	free(image);
	if (!check(test, machine, "a program opens from memory", "%s", error))
		return;
	for (char **argument = test->argv + 1; *argument; argument++)
		cs_configure(machine, "argv", *argument);
	start(test, machine);
	cs_step(machine, UINT64_MAX);
	struct outcome outcome = finish(machine);
	check_same(test, "a program from memory runs as from its file", &outcome, alone);
}

int main(int argc, char **argv)
{
	struct test test = {fdopen(3, "w"), argv + 1, NULL};

	if (argc < 2 || !test.report)
		return 2;
	check(&test, cs_api_version() == CYCLESTACK_API_VERSION, "the versions agree", "%u",
	      cs_api_version());
	struct outcome alone = run(&test, UINT64_MAX);
	check(&test, alone.state == CS_EXITED || alone.state == CS_KILLED, "the program ends",
	      "state %d", alone.state);
	struct outcome again = run(&test, 997);
	check_same(&test, "small steps are as good as one", &again, &alone);
	test_observed(&test, &alone);
	test_syscalls_at_full_speed(&test, &alone);
	test_interleaved(&test, &alone);
	test_image(&test, &alone);
	test_values(&test);
	test_settings(&test);
	test_refusals(&test);
	fprintf(test.report,
		"# %" PRIu64 " instructions, status %" PRIu64 ", %" PRIu64 " system calls\n",
		alone.values[0], alone.values[1], alone.values[3]);
	return fclose(test.report) ? 1 : 0;
}
