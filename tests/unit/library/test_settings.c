/* The library on a program of 16 instructions in hand-made bytes: each setting reaches what it is
 * for, each value is what the program left there, each record and description is whole. */
#include "../test.h"
#include "../image/image.h"
#include "count/count.h"
#include "value/counted.h"
#include "library/library.h"

#define START (IMAGE_TEXT + 0x180)

/* 214 instructions are executed. */
static const uint8_t code[] = {
	0x93, 0x02, 0x40, 0x06, /* 00 li t0,100 */
	0xfd, 0x12,		/* 04 addi t0,t0,-1 */
	0xe3, 0x9f, 0x02, 0xfe, /* 06 bnez t0,04 */
	0x13, 0x03, 0x50, 0x06, /* 0a li t1,0x65 */
	0x73, 0x10, 0x33, 0x00, /* 0e csrw fcsr,t1 */
	0x93, 0x08, 0xc0, 0x0a, /* 12 li a7,172: getpid */
	0x73, 0x00, 0x00, 0x00, /* 16 ecall */
	0x73, 0x00, 0x00, 0x00, /* 1a ecall */
	0x93, 0x08, 0x70, 0x3e, /* 1e li a7,999, which is none */
	0x73, 0x00, 0x00, 0x00, /* 22 ecall */
	0x11, 0x63,		/* 26 lui t1,4 */
	0x1b, 0x03, 0x53, 0x04, /* 28 addiw t1,t1,0x45 */
	0xd3, 0x04, 0x03, 0xf2, /* 2c fmv.d.x fs1,t1 */
	0x1d, 0x45,		/* 30 li a0,7 */
	0x93, 0x08, 0xd0, 0x05, /* 32 li a7,93: exit */
	0x73, 0x00, 0x00, 0x00, /* 36 ecall */
};

static struct cs_machine *open_named(const char *name)
{
	struct image image = image_program();
	char error[256] = "";

	memcpy(image.bytes + 0x180, code, sizeof(code));
	struct cs_machine *machine =
		cs_open_image(image.bytes, image.size, name, error, sizeof(error));
	assert_string_equal(error, "");
	assert_non_null(machine);
	image_release(&image);
	return machine;
}

static void set(struct cs_machine *machine, const char *key, const char *value)
{
	if (!cs_configure(machine, key, value))
		fail_msg("%s", cs_error(machine));
}

static void refuses(struct cs_machine *machine, const char *key, const char *value,
		    const char *sentence)
{
	assert_false(cs_configure(machine, key, value));
	assert_string_equal(cs_error(machine), sentence);
}

TEST(settings_reach_the_program)
{
	struct cs_machine *machine = open_named("some/where/small");
	struct program *program = &machine->program;
	char path[5000];

	assert_string_equal(program->name, "some/where/small");
	assert_string_equal(machine->argv.items[0], "small");
	assert_string_equal(program->cwd, "/");
	assert_int_equal(program->seed, 1);
	assert_int_equal(program->memory_bytes, INT64_C(4294967296));
	assert_int_equal(machine->job.max_instructions, INT64_MAX);
	assert_ptr_equal(machine->job.parts, machine->parts);
	assert_false(machine->job.by_cycles);
	assert_string_equal(machine->target_name, "midcore");
	set(machine, "argv", "one");
	set(machine, "argv", "two");
	set(machine, "argv0", "zero");
	set(machine, "env", "A=b");
	set(machine, "env", "C=");
	set(machine, "cwd", "/here");
	set(machine, "mount", "/data=/proc");
	set(machine, "mount", "/more=/sys:ro");
	set(machine, "sysroot", "/dev");
	set(machine, "seed", "9");
	set(machine, "memory.limit_bytes", "48M");
	set(machine, "deny", "getpid");
	set(machine, "deny", "write");
	set(machine, "strict", "yes");
	set(machine, "raw_names", "yes");
	set(machine, "debug_dir", "/none/x");
	set(machine, "presets", "somewhere");
	set(machine, "time", "cycles");
	set(machine, "max_instructions", "3k");
	assert_int_equal(program->mount_count, 3);
	assert_string_equal(program->mounts[0].guest, "/data");
	assert_string_equal(program->mounts[0].host, "/proc");
	assert_false(program->mounts[0].read_only);
	assert_string_equal(program->mounts[1].guest, "/more");
	assert_true(program->mounts[1].read_only);
	assert_string_equal(program->mounts[2].guest, "/");
	assert_string_equal(program->mounts[2].host, "/dev");
	assert_true(program->mounts[2].read_only);
	assert_int_equal(program->seed, 9);
	assert_int_equal(program->memory_bytes, 48 << 20);
	assert_true(program->strict);
	assert_true(program->raw_names);
	assert_null(program->debug);
	assert_string_equal(program->cwd, "/here");
	assert_string_equal(machine->presets, "somewhere");
	assert_true(machine->job.by_cycles);
	assert_int_equal(machine->job.max_instructions, 3000);
	set(machine, "strict", "no");
	assert_false(program->strict);
	set(machine, "time", "insns");
	assert_false(machine->job.by_cycles);
	refuses(machine, "time", "hours", "time: \"hours\" is neither insns nor cycles");
	refuses(machine, "strict", "maybe", "strict: \"maybe\" is neither yes nor no");
	refuses(machine, "env", "=b", "env: \"=b\" is not NAME=VALUE");
	refuses(machine, "env", "b", "env: \"b\" is not NAME=VALUE");
	refuses(machine, "cwd", "here", "cwd: \"here\" is not an absolute path");
	refuses(machine, "deny", "sing", "deny: there is no system call \"sing\" on RISC-V Linux");
	refuses(machine, "sysroot", "/none/x",
		"sysroot: cannot mount /none/x: No such file or directory");
	refuses(machine, "max_instructions", "0",
		"max_instructions: \"0\" is not a number from 1 to 9223372036854775807 (suffixes k, "
		"M, G)");
	refuses(machine, "memory.limit_bytes", "1048575",
		"memory.limit_bytes: \"1048575\" is not a number from 1048576 to 137438953472 "
		"(suffixes k, M, G)");
	refuses(machine, "memory.limit_bytes", "137438953473",
		"memory.limit_bytes: \"137438953473\" is not a number from 1048576 to 137438953472 "
		"(suffixes k, M, G)");
	set(machine, "memory.limit_bytes", "1048576");
	set(machine, "memory.limit_bytes", "137438953472");
	set(machine, "seed", "0");
	/* A path of 4095 bytes is the longest. */
	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[4095] = 0;
	set(machine, "cwd", path);
	path[4095] = 'x';
	path[4096] = 0;
	assert_false(cs_configure(machine, "cwd", path));
	set(machine, "cwd", "/");
	set(machine, "memory.limit_bytes", "64M");
	assert_true(cs_start(machine));
	assert_int_equal(program->argc, 3);
	assert_string_equal(program->argv[0], "zero");
	assert_string_equal(program->argv[1], "one");
	assert_string_equal(program->argv[2], "two");
	assert_null(program->argv[3]);
	assert_string_equal(program->env[0], "A=b");
	assert_string_equal(program->env[1], "C=");
	assert_null(program->env[2]);
	assert_int_equal(program->denied_count, 2);
	assert_string_equal(program->denied[0], "getpid");
	assert_string_equal(program->denied[1], "write");
	refuses(machine, "seed", "2", "seed: settings are made before the machine is started");
	assert_false(cs_set_machine(machine, "midcore"));
	assert_string_equal(cs_error(machine),
			    "midcore: settings are made before the machine is started");
	assert_false(cs_set_machine_text(machine, "text", "", 0));
	assert_string_equal(cs_error(machine),
			    "text: settings are made before the machine is started");
	assert_false(cs_set_parameter(machine, "rob.size", "64"));
	assert_string_equal(cs_error(machine),
			    "rob.size: settings are made before the machine is started");
	assert_false(cs_start(machine));
	assert_string_equal(cs_error(machine), "some/where/small is started already");
	cs_close(machine);
}

TEST(mounts_that_do_not_agree_are_refused)
{
	struct cs_machine *machine = open_named("small");

	set(machine, "mount", "/data=/proc");
	refuses(machine, "mount", "/again=/proc:ro",
		"/proc is mounted at /again read-only and at /data writable: mount it in one way, or "
		"a directory within it");
	refuses(machine, "sysroot", "/proc",
		"/proc is mounted at / read-only and at /data writable: mount it in one way, or "
		"a directory within it");
	/* What was refused is not there. */
	assert_int_equal(machine->program.mount_count, 1);
	assert_true(cs_start(machine));
	cs_close(machine);
	machine = open_named("small");
	assert_false(cs_configure(machine, "sysroot", "/none/x"));
	assert_non_null(strstr(cs_error(machine), "/none/x"));
	for (int i = 0; i < 12; i++) {
		char mount[64];

		snprintf(mount, sizeof(mount), "/data%d=/proc", i);
		set(machine, "mount", mount);
	}
	set(machine, "sysroot", "/sys");
	assert_int_equal(machine->program.mount_count, 13);
	cs_close(machine);
}

TEST(counters_come_once_and_with_exact)
{
	struct cs_machine *machine = open_named("small");

	assert_null(machine->kinds);
	set(machine, "counters", "fmt");
	set(machine, "counters", "fmt");
	set(machine, "counters", "exact");
	assert_int_equal(machine->kind_count, 2);
	assert_ptr_equal(machine->kinds[0], &count_exact);
	assert_ptr_equal(machine->kinds[1], &count_fmt);
	assert_null(machine->kinds[2]);
	assert_false(machine->has_usual_kinds);
	assert_false(cs_configure(machine, "counters", "fm"));
	assert_ptr_equal(
		strstr(cs_error(machine), "counters: there is no \"fm\"; there are all, exact, "),
		cs_error(machine));
	assert_string_equal(strrchr(cs_error(machine), ','), ", pipeline");
	set(machine, "counters", "all");
	set(machine, "counters", "fmt");
	assert_true(machine->has_usual_kinds);
	assert_int_equal(machine->kind_count, 2);
	assert_true(cs_start(machine));
	/* Every usual one, once; those that were asked for first. */
	size_t usual = 0;
	for (size_t i = 0; observer_kinds[i]; i++)
		usual += observer_kinds[i]->is_usual;
	assert_int_equal(machine->kind_count, usual);
	for (size_t i = 0; i < usual; i++)
		assert_true(machine->kinds[i]->is_usual);
	assert_ptr_equal(machine->kinds[1], &count_fmt);
	cs_close(machine);
}

TEST(parameters_are_of_the_machine_chosen_last)
{
	static const char text[] = "based_on = \"midcore\";\nrob = { size = 48; };\n";
	struct cs_machine *machine = open_named("small");

	assert_true(cs_set_parameter(machine, "rob.size", "64"));
	assert_int_equal(machine->target.config.rob_size, 64);
	assert_string_equal(machine->changes.items[0], "rob.size=64");
	assert_false(cs_set_parameter(machine, "rob.sise", "64"));
	assert_int_equal(machine->changes.count, 1);
	assert_false(cs_set_machine(machine, "midcore"));
	set(machine, "presets", "configs");
	assert_true(cs_set_machine_text(machine, "my\nown", text, sizeof(text) - 1));
	assert_int_equal(machine->changes.count, 0);
	assert_int_equal(machine->target.config.rob_size, 48);
	assert_string_equal(machine->target_name, "my?own");
	assert_true(cs_set_machine(machine, "configs/leon2.cfg"));
	assert_string_equal(machine->target_name, "leon2.cfg");
	assert_int_equal(machine->target.config.core_kind, CORE_INORDER);
	assert_true(cs_set_machine(machine, "midcore"));
	assert_string_equal(machine->target_name, "midcore");
	assert_true(cs_set_parameter(machine, "rob.size", "80"));
	assert_true(cs_start(machine));
	assert_string_equal(machine->target.name, "midcore");
	assert_int_equal(machine->target.change_count, 1);
	assert_string_equal(machine->target.changes[0], "rob.size=80");
	cs_close(machine);
	/* A text that is none leaves the machine as it was. */
	machine = open_named("small");
	assert_true(cs_set_parameter(machine, "rob.size", "80"));
	assert_false(cs_set_machine_text(machine, "text", "rob = { size = ", 15));
	assert_int_equal(machine->target.config.rob_size, 80);
	assert_int_equal(machine->changes.count, 1);
	/* Nor can what counts out-of-order cores count others. */
	set(machine, "presets", "configs");
	set(machine, "counters", "fmt");
	assert_true(cs_set_machine(machine, "leon2"));
	assert_false(cs_start(machine));
	assert_non_null(strstr(cs_error(machine), "fmt"));
	assert_null(machine->process);
	/* Of all of them those that fit are taken. */
	cs_close(machine);
	machine = open_named("small");
	set(machine, "presets", "configs");
	set(machine, "counters", "all");
	assert_true(cs_set_machine(machine, "leon2"));
	assert_true(cs_start(machine));
	for (size_t i = 0; i < machine->kind_count; i++)
		assert_true(observer_fits(machine->kinds[i], &machine->target.config));
	cs_close(machine);
	/* What cannot be simulated does not start. */
	machine = open_named("small");
	assert_true(cs_set_parameter(machine, "l1d.size_bytes", "3000"));
	assert_false(cs_start(machine));
	assert_int_equal(cs_step(machine, 0), CS_READY);
	cs_close(machine);
}

static uint64_t value_of(struct cs_machine *machine, const char *name)
{
	uint64_t value = 0;

	if (!cs_value(machine, name, &value))
		fail_msg("%s: %s", name, cs_error(machine));
	return value;
}

TEST(values_are_what_the_program_left)
{
	static const struct {
		const char *name;
		uint64_t value;
	} rows[] = {
		{"instructions", 214},
		{"status", 7},
		{"threads", 1},
		{"syscalls", 4},
		{"unknown_syscalls", 1},
		{"syscalls.getpid", 2},
		{"syscalls.exit", 1},
		{"syscalls.write", 0},
		{"pc", START + 0x36},
		{"x0", 0},
		{"x5", 0},
		{"x6", 0x4045},
		{"x10", 7},
		{"x17", 93},
		{"f9", 0x4045},
		{"f8", 0},
		{"fcsr", 0x65},
	};
	struct cs_machine *machine = open_named("small");
	uint64_t value = 5;
	size_t count = 0;

	assert_false(cs_value(machine, "pc", &value));
	assert_string_equal(cs_error(machine), "small is not started");
	assert_true(cs_start(machine));
	assert_false(cs_value(machine, "status", &value));
	assert_string_equal(cs_error(machine), "small is still running");
	assert_false(cs_value(machine, "x32", &value));
	assert_string_equal(cs_error(machine), "there is no value \"x32\"");
	assert_int_equal(value, 5);
	assert_int_equal(value_of(machine, "pc"), START);
	assert_int_equal(value_of(machine, "threads"), 1);
	assert_int_equal(cs_step(machine, 3), CS_RUNNING);
	assert_int_equal(value_of(machine, "instructions"), 3);
	assert_int_equal(value_of(machine, "x5"), 99);
	assert_int_equal(cs_step(machine, 0), CS_RUNNING);
	assert_int_equal(value_of(machine, "instructions"), 3);
	uint64_t memory = value_of(machine, "memory_bytes");
	assert_true(memory > 0 && memory == machine->process->memory.charged_bytes);
	assert_int_equal(cs_step(machine, UINT64_MAX), CS_EXITED);
	assert_int_equal(cs_step(machine, 1), CS_EXITED);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		if (value_of(machine, rows[i].name) != rows[i].value)
			fail_msg("%s is %llu", rows[i].name,
				 (unsigned long long)value_of(machine, rows[i].name));
	static const char *const first[] = {"instructions", "status",	"memory_bytes",
					    "threads",	    "syscalls", "unknown_syscalls",
					    "pc",	    "x0"};
	for (; count < ARRAY_COUNT(first); count++)
		assert_string_equal(cs_value_name(machine, count), first[count]);
	assert_string_equal(cs_value_name(machine, 7 + 31), "x31");
	assert_string_equal(cs_value_name(machine, 7 + 32), "f0");
	assert_string_equal(cs_value_name(machine, 7 + 63), "f31");
	assert_string_equal(cs_value_name(machine, 7 + 64), "fcsr");
	for (count = 7 + 65; cs_value_name(machine, count); count++)
		assert_int_equal(strncmp(cs_value_name(machine, count), "syscalls.", 9), 0);
	assert_int_equal(count, machine->value_count);
	cs_close(machine);
}

TEST(code_is_shown_where_it_can_be_executed)
{
	struct cs_machine *machine = open_named("small");
	char text[80];

	assert_false(cs_disassemble(machine, START, text, sizeof(text)));
	assert_string_equal(cs_error(machine), "small is not started");
	assert_false(cs_describe_pc(machine, START, text, sizeof(text)));
	assert_true(cs_start(machine));
	assert_true(cs_disassemble(machine, START, text, sizeof(text)));
	assert_string_equal(text, "li\tt0,100");
	assert_true(cs_disassemble(machine, START + 4, text, sizeof(text)));
	assert_string_equal(text, "add\tt0,t0,-1");
	assert_true(cs_disassemble(machine, START + 6, text, sizeof(text)));
	assert_string_equal(text, "bnez\tt0,0x10184");
	assert_true(cs_disassemble(machine, START + 0x36, text, 4));
	assert_string_equal(text, "eca");
	assert_false(cs_disassemble(machine, START + 1, text, sizeof(text)));
	assert_string_equal(cs_error(machine), "small cannot execute at 0x10181");
	assert_false(cs_disassemble(machine, 0x20000000, text, sizeof(text)));
	assert_string_equal(cs_error(machine), "small cannot execute at 0x20000000");
	/* The last two bytes of a page hold a short instruction, and half of a long one. */
	uint16_t half = 0x12fd;
	memcpy(machine->process->memory.base + IMAGE_TEXT + 0xffe, &half, 2);
	assert_true(cs_disassemble(machine, IMAGE_TEXT + 0xffe, text, sizeof(text)));
	assert_string_equal(text, "add\tt0,t0,-1");
	half = 0x0293;
	memcpy(machine->process->memory.base + IMAGE_TEXT + 0xffe, &half, 2);
	assert_false(cs_disassemble(machine, IMAGE_TEXT + 0xffe, text, sizeof(text)));
	assert_true(cs_describe_pc(machine, START, text, sizeof(text)));
	assert_string_equal(text, "0x10180");
	cs_close(machine);
}

/* Everything that observers were told, as text. */
struct told {
	struct cs_machine *machine;
	char text[8192];
	unsigned instructions, bytes;
};

static void add(struct told *told, const char *format, ...)
{
	size_t length = strlen(told->text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(told->text + length, sizeof(told->text) - length, format, ap);
	va_end(ap);
}

static void hear_instruction(void *context, uint64_t pc, unsigned bytes)
{
	struct told *told = context;

	told->instructions++;
	told->bytes += bytes;
	if (pc >= START + 0x12)
		add(told, "%llx/%u ", (unsigned long long)pc - START, bytes);
}

static void hear_syscall(void *context, uint64_t number)
{
	add(context, "call %llu ", (unsigned long long)number);
}

static void hear_warning(void *context, const char *text)
{
	(void)text;
	add(context, "warning ");
}

static void hear_exit(void *context, int status)
{
	struct told *told = context;

	add(told, "exit %d", status);
	assert_int_equal(cs_step(told->machine, 1), CS_EXITED);
	assert_string_equal(cs_error(told->machine),
			    "an observer cannot step the machine it observes");
	assert_false(cs_attach(told->machine,
			       &(struct cs_observer){.size = sizeof(struct cs_observer)}));
	assert_string_equal(cs_error(told->machine), "an observer cannot attach another");
}

TEST(observers_are_told_in_order)
{
	struct told told = {0};
	struct cs_observer observer = {
		.size = sizeof(observer),
		.context = &told,
		.on_instruction = hear_instruction,
		.on_syscall = hear_syscall,
		.on_warning = hear_warning,
		.on_exit = hear_exit,
	};
	struct cs_machine *machine = told.machine = open_named("small");

	observer.size--;
	assert_false(cs_attach(machine, &observer));
	char wanted[160];
	snprintf(wanted, sizeof(wanted),
		 "an observer of %zu bytes was made for another version of the library; this one's "
		 "has %zu",
		 sizeof(observer) - 1, sizeof(observer));
	assert_string_equal(cs_error(machine), wanted);
	observer.size++;
	assert_true(cs_attach(machine, &observer));
	/* One that wants nothing takes nothing from the others. */
	assert_true(cs_attach(machine, &(struct cs_observer){.size = sizeof(observer)}));
	assert_true(cs_start(machine));
	assert_int_equal(cs_step(machine, UINT64_MAX), CS_EXITED);
	assert_string_equal(told.text,
			    "12/4 16/4 call 172 1a/4 call 172 1e/4 warning 22/4 call 999 26/2 28/4 "
			    "2c/4 30/2 32/4 36/4 call 93 exit 7");
	assert_int_equal(told.instructions, 214);
	assert_int_equal(told.bytes, 4 * 214 - 2 * 102);
	assert_false(cs_attach(machine, &observer));
	assert_string_equal(cs_error(machine), "small has ended: there is nothing to observe");
	cs_close(machine);
}

struct samples {
	char text[4096];
	uint64_t cycles, first, last;
	unsigned count;
};

static void take_sample(void *context, const struct cs_sample *sample)
{
	struct samples *samples = context;

	assert_int_equal(sample->size, sizeof(*sample));
	assert_int_equal(sample->first_cycle, samples->cycles);
	assert_int_equal(sample->value_count, 2);
	/* The first subscription counts cycles, all of them. */
	assert_int_equal(sample->values[0], sample->cycles);
	samples->first += sample->values[1];
	samples->cycles += sample->cycles;
	samples->last = sample->cycles;
	samples->count++;
}

TEST(simulations_are_sampled_and_limited)
{
	struct samples samples = {0};
	struct cs_observer observer = {
		.size = sizeof(observer), .context = &samples, .on_sample = take_sample};
	struct cs_machine *machine = open_named("small");
	size_t cycles, committed, none;
	uint64_t sum, value;

	assert_int_equal(cs_simulate(machine, 1, 1), CS_READY);
	assert_string_equal(cs_error(machine), "small is not started");
	assert_false(cs_attach(machine, &observer));
	assert_string_equal(cs_error(machine), "a sample of 0 cycles has no end");
	observer.sample_cycles = 7;
	assert_true(cs_attach(machine, &observer));
	assert_true(cs_subscribe(machine, "cycles", 0, UINT64_MAX, &cycles));
	assert_true(cs_subscribe(machine, "committed", START + 4, START + 6, &committed));
	assert_int_equal(cycles, 0);
	assert_int_equal(committed, 1);
	assert_false(cs_subscribe(machine, "cycle", 0, 1, &none));
	assert_string_equal(cs_error(machine), "there is no signal \"cycle\"");
	assert_false(cs_subscribe(machine, "cycles", 16, 16, &none));
	assert_string_equal(cs_error(machine),
			    "cycles: no address is at or above 0x10 and below 0x10");
	assert_false(cs_sum(machine, 0, &sum));
	assert_string_equal(cs_error(machine), "nothing has been simulated");
	assert_false(cs_sum(machine, 2, &sum));
	assert_string_equal(cs_error(machine), "there is no subscription 2; there are 2");
	assert_null(cs_result_json(machine));
	assert_string_equal(cs_error(machine), "nothing has been simulated");
	set(machine, "max_instructions", "101");
	assert_true(cs_start(machine));
	assert_int_equal(cs_simulate(machine, 0, 5), CS_RUNNING);
	assert_int_equal(cs_simulate(machine, 5, 0), CS_RUNNING);
	assert_null(machine->run.simulation);
	assert_int_equal(cs_simulate(machine, UINT64_MAX, 9), CS_RUNNING);
	value = value_of(machine, "instructions");
	assert_true(value >= 9 && value < 9 + 4);
	assert_false(cs_subscribe(machine, "cycles", 0, 1, &none));
	assert_string_equal(cs_error(machine),
			    "cycles: subscriptions are made before the simulation begins");
	assert_false(cs_attach(machine, &observer));
	assert_string_equal(cs_error(machine), "observers attach before the simulation begins");
	assert_int_equal(cs_step(machine, 1), CS_RUNNING);
	assert_string_equal(cs_error(machine),
			    "small is being simulated: cs_simulate continues it");
	assert_false(cs_stack(machine, "exact", &none));
	assert_string_equal(cs_error(machine), "no counters were configured: there are no stacks");
	assert_int_equal(cs_simulate(machine, UINT64_MAX, UINT64_MAX), CS_LIMITED);
	assert_int_equal(value_of(machine, "instructions"), 101);
	assert_false(cs_value(machine, "status", &value));
	assert_true(cs_sum(machine, committed, &sum));
	assert_int_equal(sum, 50);
	assert_int_equal(samples.first, 50);
	assert_true(cs_sum(machine, cycles, &sum));
	assert_int_equal(samples.cycles, sum);
	assert_int_equal(samples.count, (sum + 6) / 7);
	assert_int_equal(samples.last, (sum - 1) % 7 + 1);
	assert_true(cs_counted(machine, "cycles", &value));
	assert_int_equal(value, sum);
	assert_false(cs_counted(machine, "cycle", &value));
	assert_string_equal(cs_error(machine), "there is no counted value \"cycle\"");
	cs_close(machine);
}

/* Without an observer, and with one address or all of them. */
TEST(subscriptions_alone_are_summed)
{
	static const struct {
		const char *signal;
		uint64_t low, high, sum;
	} rows[] = {
		{"committed", START + 4, START + 6, 100},
		{"committed", START + 4, START + 10, 200},
		{"committed", START, START + 1, 1},
		{"committed", 0, UINT64_MAX, 214},
		{"branches.conditional", START + 6, START + 7, 100},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct cs_machine *machine = open_named("small");
		size_t subscription;
		uint64_t sum;

		assert_true(cs_subscribe(machine, rows[i].signal, rows[i].low, rows[i].high,
					 &subscription));
		assert_true(cs_start(machine));
		assert_int_equal(cs_simulate(machine, UINT64_MAX, UINT64_MAX), CS_EXITED);
		assert_true(cs_sum(machine, subscription, &sum));
		assert_int_equal(sum, rows[i].sum);
		cs_close(machine);
	}
}

TEST(simulated_calls_are_told_by_number)
{
	struct told told = {0};
	struct cs_observer observer = {.size = sizeof(observer),
				       .context = &told,
				       .on_instruction = hear_instruction,
				       .on_syscall = hear_syscall};
	struct cs_machine *machine = open_named("small");

	assert_true(cs_attach(machine, &observer));
	assert_true(cs_start(machine));
	assert_int_equal(cs_step(machine, 1), CS_RUNNING);
	assert_int_equal(cs_simulate(machine, UINT64_MAX, UINT64_MAX), CS_EXITED);
	assert_int_equal(told.instructions, 214);
	assert_int_equal(told.bytes, 4 * 214 - 2 * 102);
	assert_int_equal(value_of(machine, "instructions"), 214);
	char *calls[4] = {strstr(told.text, "call 172"), NULL, NULL, NULL};
	calls[1] = strstr(calls[0] + 1, "call 172");
	calls[2] = strstr(calls[1], "call 999");
	calls[3] = strstr(calls[2], "call 93 ");
	assert_non_null(calls[3]);
	assert_null(strstr(calls[3] + 1, "call"));
	cs_close(machine);
}

TEST(stacks_have_their_components)
{
	struct cs_machine *machine = open_named("small");
	struct cs_component component = {.size = sizeof(component)};
	struct cs_function function = {.size = sizeof(function)};
	size_t count, functions;
	uint64_t cycles, slots, of_components = 0;
	int64_t sum = 0;

	set(machine, "counters", "naive");
	assert_true(cs_start(machine));
	assert_int_equal(cs_simulate(machine, UINT64_MAX, UINT64_MAX), CS_EXITED);
	assert_true(cs_counted(machine, "cycles", &cycles));
	assert_false(cs_stack(machine, "fmt", &count));
	assert_string_equal(cs_error(machine), "no stack of \"fmt\" was asked for with counters");
	assert_true(cs_stack(machine, "exact", &count));
	assert_true(count > 5 && count <= COMPONENT_COUNT);
	for (size_t i = 0; i < count; i++) {
		assert_true(cs_component(machine, "exact", i, &component));
		int row = component_named(component.name);
		assert_true(row >= 0);
		assert_string_equal(component.meaning, component_rows[row].meaning);
		assert_int_equal(component.size, sizeof(component));
		sum += component.cycles;
	}
	assert_int_equal(sum, cycles);
	assert_false(cs_component(machine, "exact", count, &component));
	char wanted[64];
	snprintf(wanted, sizeof(wanted), "exact has no component %zu", count);
	assert_string_equal(cs_error(machine), wanted);
	component.size = 3;
	assert_false(cs_component(machine, "exact", 0, &component));
	assert_true(cs_functions(machine, &functions));
	assert_int_equal(functions, 1);
	assert_true(cs_function(machine, 0, &function));
	assert_string_equal(function.file, "");
	assert_int_equal(function.line, 0);
	assert_int_equal(function.executed, 214);
	assert_int_equal(function.slots_per_cycle, 4);
	assert_int_equal(function.slots, 4 * cycles);
	for (int i = 0; i < COMPONENT_COUNT; i++) {
		assert_true(cs_function_slots(machine, 0, component_rows[i].name, &slots));
		of_components += slots;
	}
	assert_int_equal(of_components, function.slots);
	assert_false(cs_function_slots(machine, 0, "bases", &slots));
	assert_string_equal(cs_error(machine), "there is no component \"bases\"");
	assert_false(cs_function_slots(machine, 1, "base", &slots));
	assert_string_equal(cs_error(machine), "there is no function 1; there are 1");
	assert_false(cs_function(machine, 1, &function));
	const char *json = cs_result_json(machine);
	assert_non_null(json);
	assert_int_equal(json[strlen(json) - 1], '\n');
	assert_int_equal(json[strlen(json) - 2], '}');
	assert_ptr_equal(cs_result_json(machine), json);
	cs_close(machine);
}

TEST(records_are_copied_field_by_field)
{
	const struct cycle c = {.number = 1001,
				.repeat = 1002,
				.fetch_pc = 1003,
				.head_pc = 1004,
				.fetch_stall = FETCH_L2I,
				.dispatch_stall = DISPATCH_LSQ,
				.head_state = HEAD_L3D,
				.thread = 5,
				.fetched = 6,
				.fed = 7,
				.dispatched = 8,
				.issued = 9,
				.committed = 10,
				.squashed = 11,
				.buffer_used = 12,
				.rob_used = 13,
				.iq_used = 14,
				.lsq_used = 15,
				.store_buffer_used = 16,
				.width = 17,
				.wrong_path = 1};
	struct cs_cycle got = library_cycle(&c);

	assert_int_equal(got.size, sizeof(got));
	assert_int_equal(got.number, 1001);
	assert_int_equal(got.repeat, 1002);
	assert_int_equal(got.fetch_pc, 1003);
	assert_int_equal(got.head_pc, 1004);
	assert_string_equal(got.fetch_stall, "fetch.l2i");
	assert_string_equal(got.dispatch_stall, "dispatch.lsq");
	assert_string_equal(got.head_state, "head.l3d");
	assert_int_equal(got.thread, 5);
	assert_int_equal(got.fetched, 6);
	assert_int_equal(got.fed, 7);
	assert_int_equal(got.dispatched, 8);
	assert_int_equal(got.issued, 9);
	assert_int_equal(got.committed, 10);
	assert_int_equal(got.squashed, 11);
	assert_int_equal(got.fetch_buffer_used, 12);
	assert_int_equal(got.rob_used, 13);
	assert_int_equal(got.iq_used, 14);
	assert_int_equal(got.lsq_used, 15);
	assert_int_equal(got.store_buffer_used, 16);
	assert_int_equal(got.dispatch_width, 17);
	assert_true(got.wrong_path);
	struct cs_cycle nothing = library_cycle(&(struct cycle){0});
	assert_null(nothing.fetch_stall);
	assert_null(nothing.dispatch_stall);
	assert_null(nothing.head_state);
	assert_false(nothing.wrong_path);
}

TEST(descriptions_are_those_of_the_tables)
{
	struct cs_description out = {.size = sizeof(out)};
	size_t i;

	for (i = 0; cs_describe_signal(i, &out); i++) {
		assert_int_equal(out.size, sizeof(out));
		assert_string_equal(out.name, signal_rows[i].name);
		assert_string_equal(out.unit, signal_rows[i].unit);
		assert_string_equal(out.meaning, signal_rows[i].meaning);
		assert_string_equal(out.source, signal_source_name(signal_rows[i].source));
		assert_string_equal(out.category, signal_category_name(signal_rows[i].category));
		assert_string_equal(out.owner, signal_owner_name(signal_rows[i].owner));
	}
	assert_int_equal(i, signal_count());
	for (i = 0; cs_describe_counted(i, &out); i++) {
		assert_string_equal(out.name, counted_rows[i].name);
		assert_string_equal(out.unit, counted_rows[i].unit);
		assert_string_equal(out.meaning, counted_rows[i].meaning);
		assert_null(out.source);
	}
	assert_null(counted_rows[i].name);
	assert_false(cs_describe_counted(i + 1, &out));
	for (i = 0; cs_describe_counter(i, &out); i++) {
		assert_string_equal(out.name, observer_kinds[i]->name);
		assert_string_equal(out.meaning, observer_kinds[i]->summary);
		if (strcmp(out.name, "exact") == 0)
			assert_string_equal(out.source, "oracle");
		if (strcmp(out.name, "fmt") == 0 || strcmp(out.name, "naive") == 0)
			assert_string_equal(out.source, "hw");
		assert_string_equal(out.category, i < observer_methods() ? "method" : "view");
	}
	assert_null(observer_kinds[i]);
	assert_true(i > 10);
	assert_int_equal(cs_api_version(), 2);
	out.size--;
	assert_false(cs_describe_signal(0, &out));
	assert_false(cs_describe_counted(0, &out));
	assert_false(cs_describe_counter(0, &out));
}

TEST(programs_that_are_none_do_not_open)
{
	char error[32] = "as it was";

	assert_null(cs_open("/nowhere", error, 12));
	assert_string_equal(error, "cannot open");
	assert_null(cs_open("/nowhere", error, 0));
	assert_null(cs_open("/nowhere", NULL, 9));
	assert_string_equal(error, "cannot open");
	assert_null(cs_open_image("x", 1, "one", NULL, 5));
	assert_null(cs_open_image(NULL, 0, "none", error, 7));
	assert_string_equal(error, "none: ");
	cs_close(NULL);
}
