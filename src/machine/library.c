#include "cyclestack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/number.h"
#include "isa/insn.h"
#include "image/image.h"
#include "linux/process.h"
#include "linux/syscall.h"

#define MEMORY_LEAST (UINT64_C(1) << 20)
#define MEMORY_MOST  (UINT64_C(1) << 37)
#define SYSCALLS     ARRAY_COUNT(((struct process *)0)->syscall_counts)

enum value_kind {
	VALUE_INSTRUCTIONS,
	VALUE_STATUS,
	VALUE_MEMORY,
	VALUE_THREADS,
	VALUE_SYSCALLS,
	VALUE_UNKNOWN_SYSCALLS,
	VALUE_SYSCALL,
	VALUE_PC,
	VALUE_REGISTER,
	VALUE_FCSR,
};

struct value_row {
	char *name;
	enum value_kind kind;
	unsigned index;
};

/* A growing list of owned strings with a NULL behind the last. */
struct texts {
	char **items;
	size_t count, capacity;
};

struct cs_machine {
	char *name;
	uint8_t *image;
	size_t image_bytes;

	struct texts argv, env, denied;
	char *cwd;
	struct mount *mounts;
	size_t mount_count, mount_capacity;
	uint64_t seed, memory_bytes;
	bool strict;

	struct cs_observer *observers;
	size_t observer_count, observer_capacity;
	bool wants_instructions;
	bool is_stepping; /* observers are being called */

	struct value_row *values;
	size_t value_count, value_capacity;

	struct process *process; /* NULL before cs_start */
	struct err err;
};

unsigned cs_api_version(void)
{
	return CYCLESTACK_API_VERSION;
}

static void texts_add(struct texts *texts, const char *text)
{
	*ARRAY_PUSH(texts->items, texts->count, texts->capacity) = mem_strdup(text);
	*ARRAY_PUSH(texts->items, texts->count, texts->capacity) = NULL;
	texts->count--;
}

static void texts_release(struct texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		free(texts->items[i]);
	free(texts->items);
}

static void add_value(struct cs_machine *machine, enum value_kind kind, unsigned index,
		      const char *prefix, const char *name)
{
	char text[64];

	snprintf(text, sizeof(text), "%s%s", prefix, name);
	*ARRAY_PUSH(machine->values, machine->value_count, machine->value_capacity) =
		(struct value_row){mem_strdup(text), kind, index};
}

static void list_values(struct cs_machine *machine)
{
	char text[32];

	add_value(machine, VALUE_INSTRUCTIONS, 0, "", "instructions");
	add_value(machine, VALUE_STATUS, 0, "", "status");
	add_value(machine, VALUE_MEMORY, 0, "", "memory_bytes");
	add_value(machine, VALUE_THREADS, 0, "", "threads");
	add_value(machine, VALUE_SYSCALLS, 0, "", "syscalls");
	add_value(machine, VALUE_UNKNOWN_SYSCALLS, 0, "", "unknown_syscalls");
	add_value(machine, VALUE_PC, 0, "", "pc");
	for (unsigned i = 0; i < REG_SINK; i++) {
		snprintf(text, sizeof(text), "%u", i % REG_FP);
		add_value(machine, VALUE_REGISTER, i, i < REG_FP ? "x" : "f", text);
	}
	add_value(machine, VALUE_FCSR, 0, "", "fcsr");
	for (unsigned i = 0; i < SYSCALLS; i++) {
		const char *name = syscall_name(i, text);

		/* One without a row has only a number. */
		if (name != text)
			add_value(machine, VALUE_SYSCALL, i, "syscalls.", name);
	}
}

/* Takes over the image. */
static struct cs_machine *open_machine(uint8_t *image, size_t image_bytes, const char *name,
				       struct err *err)
{
	struct elf elf;

	/* The loader reads it again; a file that is no program is known by now. */
	elf_init(&elf);
	if (!elf_parse(&elf, image, image_bytes, name, err)) {
		free(image);
		return NULL;
	}
	elf_release(&elf);

	struct cs_machine *machine = mem_alloc(sizeof(*machine));
	const char *slash = strrchr(name, '/');
	machine->name = mem_strdup(name);
	machine->image = image;
	machine->image_bytes = image_bytes;
	machine->cwd = mem_strdup("/");
	machine->seed = 1;
	machine->memory_bytes = UINT64_C(4) << 30;
	/* Without its directory: the stack, and with it every address on it, would
	 * depend on where the file lies. */
	texts_add(&machine->argv, slash ? slash + 1 : name);
	list_values(machine);
	return machine;
}

static void give_error(const struct err *err, char *error, size_t error_bytes)
{
	if (error && error_bytes)
		snprintf(error, error_bytes, "%s", err->text);
}

struct cs_machine *cs_open(const char *path, char *error, size_t error_bytes)
{
	struct err err = {0};
	size_t bytes = 0;
	uint8_t *image = image_read(path, &bytes, &err);
	struct cs_machine *machine = image ? open_machine(image, bytes, path, &err) : NULL;

	if (!machine)
		give_error(&err, error, error_bytes);
	return machine;
}

struct cs_machine *cs_open_image(const void *image, size_t image_bytes, const char *name,
				 char *error, size_t error_bytes)
{
	struct err err = {0};
	uint8_t *copy = mem_alloc(image_bytes ? image_bytes : 1);

	if (image_bytes)
		memcpy(copy, image, image_bytes);
	struct cs_machine *machine = open_machine(copy, image_bytes, name, &err);
	if (!machine)
		give_error(&err, error, error_bytes);
	return machine;
}

void cs_close(struct cs_machine *machine)
{
	if (!machine)
		return;
	process_destroy(machine->process);
	for (size_t i = 0; i < machine->mount_count; i++) {
		mount_close(&machine->mounts[i]);
	}
	for (size_t i = 0; i < machine->value_count; i++)
		free(machine->values[i].name);
	texts_release(&machine->argv);
	texts_release(&machine->env);
	texts_release(&machine->denied);
	free(machine->values);
	free(machine->observers);
	free(machine->mounts);
	free(machine->cwd);
	free(machine->image);
	free(machine->name);
	free(machine);
}

const char *cs_error(const struct cs_machine *machine)
{
	return machine->err.text;
}

static bool parse_number(struct cs_machine *machine, const char *key, const char *text,
			 uint64_t thousand, uint64_t least, uint64_t most, uint64_t *value)
{
	return number_parse(text, thousand, least, most, value, &machine->err) ||
	       err_prefix(&machine->err, "%s", key);
}

static bool set_mount(struct cs_machine *machine, const char *key, const char *value)
{
	struct mount mount;

	if (!mount_parse(&mount, value, &machine->err))
		return err_prefix(&machine->err, "%s", key);
	*ARRAY_PUSH(machine->mounts, machine->mount_count, machine->mount_capacity) = mount;
	return true;
}

static bool set_sysroot(struct cs_machine *machine, const char *key, const char *value)
{
	struct mount mount;

	if (!mount_open(&mount, "/", value, true, &machine->err))
		return err_prefix(&machine->err, "%s", key);
	*ARRAY_PUSH(machine->mounts, machine->mount_count, machine->mount_capacity) = mount;
	return true;
}

static bool set_argv(struct cs_machine *machine, const char *key, const char *value)
{
	(void)key;
	texts_add(&machine->argv, value);
	return true;
}

static bool set_argv0(struct cs_machine *machine, const char *key, const char *value)
{
	(void)key;
	free(machine->argv.items[0]);
	machine->argv.items[0] = mem_strdup(value);
	return true;
}

static bool set_env(struct cs_machine *machine, const char *key, const char *value)
{
	if (!strchr(value, '=') || value[0] == '=')
		return err_set(&machine->err, "%s: \"%s\" is not NAME=VALUE", key, value);
	texts_add(&machine->env, value);
	return true;
}

static bool set_cwd(struct cs_machine *machine, const char *key, const char *value)
{
	if (value[0] != '/' || strlen(value) >= PATH_BYTES)
		return err_set(&machine->err, "%s: \"%s\" is not an absolute path", key, value);
	free(machine->cwd);
	machine->cwd = mem_strdup(value);
	return true;
}

static bool set_seed(struct cs_machine *machine, const char *key, const char *value)
{
	return parse_number(machine, key, value, 1000, 0, UINT64_MAX, &machine->seed);
}

static bool set_memory(struct cs_machine *machine, const char *key, const char *value)
{
	return parse_number(machine, key, value, 1024, MEMORY_LEAST, MEMORY_MOST,
			    &machine->memory_bytes);
}

static bool set_deny(struct cs_machine *machine, const char *key, const char *value)
{
	if (syscall_number(value) < 0)
		return err_set(&machine->err, "%s: there is no system call \"%s\" on RISC-V Linux",
			       key, value);
	texts_add(&machine->denied, value);
	return true;
}

static bool set_strict(struct cs_machine *machine, const char *key, const char *value)
{
	bool is_yes = strcmp(value, "yes") == 0;

	if (!is_yes && strcmp(value, "no") != 0)
		return err_set(&machine->err, "%s: \"%s\" is neither yes nor no", key, value);
	machine->strict = is_yes;
	return true;
}

static const struct setting {
	const char *key;
	bool (*set)(struct cs_machine *machine, const char *key, const char *value);
} settings[] = {
	{"argv", set_argv},   {"argv0", set_argv0},
	{"env", set_env},     {"cwd", set_cwd},
	{"mount", set_mount}, {"sysroot", set_sysroot},
	{"seed", set_seed},   {"memory.limit_bytes", set_memory},
	{"deny", set_deny},   {"strict", set_strict},
};

bool cs_configure(struct cs_machine *machine, const char *key, const char *value)
{
	char keys[256] = "";
	size_t used = 0;

	if (machine->process)
		return err_set(&machine->err, "%s: settings are made before the machine is started",
			       key);
	for (size_t i = 0; i < ARRAY_COUNT(settings); i++) {
		if (strcmp(settings[i].key, key) == 0)
			return settings[i].set(machine, key, value);
		used += (size_t)snprintf(keys + used, sizeof(keys) - used, "%s%s", i ? ", " : "",
					 settings[i].key);
	}
	return err_set(&machine->err, "there is no setting \"%s\"; there are %s", key, keys);
}

bool cs_attach(struct cs_machine *machine, const struct cs_observer *observer)
{
	if (observer->size != sizeof(*observer))
		return err_set(&machine->err,
			       "an observer of %zu bytes was made for another version of the "
			       "library; this one's has %zu",
			       observer->size, sizeof(*observer));
	if (machine->is_stepping)
		return err_set(&machine->err, "an observer cannot attach another");
	if (machine->process && machine->process->state != PROCESS_RUNNING)
		return err_set(&machine->err, "%s has ended: there is nothing to observe",
			       machine->name);
	*ARRAY_PUSH(machine->observers, machine->observer_count, machine->observer_capacity) =
		*observer;
	machine->wants_instructions |= observer->on_instruction != NULL;
	return true;
}

#define NOTIFY(machine, event, ...)                                                    \
	do {                                                                           \
		for (size_t i = 0; i < (machine)->observer_count; i++) {               \
			const struct cs_observer *observer = &(machine)->observers[i]; \
                                                                                       \
			if (observer->event)                                           \
				observer->event(observer->context, __VA_ARGS__);       \
		}                                                                      \
	} while (0)

static void forward_warning(void *context, const char *sentence)
{
	struct cs_machine *machine = context;

	NOTIFY(machine, on_warning, sentence);
}

bool cs_start(struct cs_machine *machine)
{
	struct process_options options = {
		.program = machine->name,
		.image = machine->image,
		.image_bytes = machine->image_bytes,
		.argv = (const char *const *)machine->argv.items,
		.env = (const char *const *)machine->env.items,
		.cwd = machine->cwd,
		.mounts = machine->mounts,
		.mount_count = machine->mount_count,
		.seed = machine->seed,
		.memory_limit_bytes = machine->memory_bytes,
		.denied = (const char *const *)machine->denied.items,
		.denied_count = machine->denied.count,
		.strict = machine->strict,
		.warn = forward_warning,
		.warn_context = machine,
	};

	if (machine->process || machine->is_stepping)
		return err_set(&machine->err, "%s is started already", machine->name);
	machine->is_stepping = true;
	machine->process = process_create(&options, &machine->err);
	machine->is_stepping = false;
	return machine->process;
}

static unsigned bytes_at(const struct cpu *cpu, uint64_t pc)
{
	uint64_t fault_address;
	const struct insn *insn = code_at(cpu->code, pc, &fault_address);

	return insn ? insn->bytes : 0;
}

/* One instruction if someone watches them, else as many as the process runs
 * before it must be asked, but not past the limit. */
static void run_piece(struct cs_machine *machine, uint64_t limit)
{
	struct process *process = machine->process;
	struct cpu *cpu = &process->cpu;
	uint64_t slice_end = process_slice_end(process), pc = cpu->hart.pc;
	uint64_t instructions = cpu->instructions, calls = process->syscall_count;
	enum cpu_stop stop = STOP_LIMIT;
	unsigned bytes = 0;

	if (!machine->wants_instructions) {
		stop = cpu_run(cpu, slice_end < limit ? slice_end : limit);
	} else if (instructions < slice_end) {
		/* Asked before: a store may empty the slot it is decoded into. */
		bytes = bytes_at(cpu, pc);
		stop = cpu_step(cpu);
	}
	uint64_t number = cpu->hart.r[17];
	if (stop != STOP_LIMIT || cpu->instructions >= slice_end)
		process_handle(process, stop);
	/* A call that has to wait is taken back, and counted when it is made again. */
	if (machine->wants_instructions && cpu->instructions > instructions)
		NOTIFY(machine, on_instruction, pc, bytes);
	if (process->syscall_count > calls)
		NOTIFY(machine, on_syscall, number);
}

static enum cs_state state_of(const struct cs_machine *machine)
{
	if (!machine->process)
		return CS_READY;
	switch (machine->process->state) {
	case PROCESS_RUNNING: return CS_RUNNING;
	case PROCESS_EXITED: return CS_EXITED;
	case PROCESS_KILLED: return CS_KILLED;
	default: return CS_FAILED;
	}
}

enum cs_state cs_step(struct cs_machine *machine, uint64_t instructions)
{
	struct process *process = machine->process;

	if (!process) {
		err_set(&machine->err, "%s is not started", machine->name);
		return CS_READY;
	}
	if (machine->is_stepping)
		err_set(&machine->err, "an observer cannot step the machine it observes");
	if (machine->is_stepping || process->state != PROCESS_RUNNING || !instructions)
		return state_of(machine);

	/* No run gets there; the interpreter counts down from a signed number. */
	uint64_t left = INT64_MAX - process->cpu.instructions;
	uint64_t limit = process->cpu.instructions + (instructions < left ? instructions : left);
	machine->is_stepping = true;
	while (process->state == PROCESS_RUNNING && process->cpu.instructions < limit)
		run_piece(machine, limit);
	if (process->state == PROCESS_FAILED)
		machine->err = process->error;
	else if (process->state != PROCESS_RUNNING)
		NOTIFY(machine, on_exit, process_exit_status(process));
	machine->is_stepping = false;
	return state_of(machine);
}

static bool read_value(struct cs_machine *machine, const struct value_row *row, uint64_t *out)
{
	const struct process *process = machine->process;
	const struct hart *hart = &process->cpu.hart;
	uint64_t alive = 0;

	switch (row->kind) {
	case VALUE_INSTRUCTIONS: *out = process->cpu.instructions; return true;
	case VALUE_STATUS:
		if (process->state == PROCESS_RUNNING)
			return err_set(&machine->err, "%s is still running", machine->name);
		*out = (uint64_t)process_exit_status(process);
		return true;
	case VALUE_MEMORY: *out = process->memory.charged_bytes; return true;
	case VALUE_THREADS:
		for (size_t i = 0; i < process->thread_count; i++)
			alive += process->threads[i]->state != THREAD_DEAD;
		*out = alive;
		return true;
	case VALUE_SYSCALLS: *out = process->syscall_count; return true;
	case VALUE_UNKNOWN_SYSCALLS: *out = process->unknown_calls; return true;
	case VALUE_SYSCALL: *out = process->syscall_counts[row->index]; return true;
	case VALUE_PC: *out = hart->pc; return true;
	case VALUE_REGISTER: *out = hart->r[row->index]; return true;
	case VALUE_FCSR: *out = hart->frm << 5 | hart->fflags; return true;
	}
	BUG("value %d", row->kind);
}

bool cs_value(struct cs_machine *machine, const char *name, uint64_t *out)
{
	if (!machine->process)
		return err_set(&machine->err, "%s is not started", machine->name);
	for (size_t i = 0; i < machine->value_count; i++)
		if (strcmp(machine->values[i].name, name) == 0)
			return read_value(machine, &machine->values[i], out);
	return err_set(&machine->err, "there is no value \"%s\"", name);
}

const char *cs_value_name(const struct cs_machine *machine, size_t i)
{
	return i < machine->value_count ? machine->values[i].name : NULL;
}

bool cs_describe_pc(struct cs_machine *machine, uint64_t pc, char *text, size_t bytes)
{
	if (!machine->process)
		return err_set(&machine->err, "%s is not started", machine->name);
	process_describe_pc(machine->process, pc, text, bytes);
	return true;
}

bool cs_disassemble(struct cs_machine *machine, uint64_t pc, char *text, size_t bytes)
{
	char whole[INSN_TEXT_BYTES];
	uint32_t raw = 0;
	uint16_t half;

	if (!machine->process)
		return err_set(&machine->err, "%s is not started", machine->name);
	const struct memory *memory = &machine->process->memory;
	for (unsigned i = 0; i < 4 && (i == 0 || !insn_is_compressed(raw)); i += 2) {
		if (pc % 2 || !memory_allows(memory, pc + i, PAGE_EXEC))
			return err_set(&machine->err, "%s cannot execute at 0x%llx", machine->name,
				       (unsigned long long)pc);
		memcpy(&half, memory->base + pc + i, sizeof(half));
		raw |= (uint32_t)half << 8 * i;
	}
	struct insn insn = insn_decode(raw);
	snprintf(text, bytes, "%s", insn_disassemble(&insn, raw, pc, whole));
	return true;
}
