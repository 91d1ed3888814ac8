#include "library/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/printable.h"
#include "count/count.h"
#include "job/debug_file.h"
#include "linux/syscall.h"

#define MEMORY_LEAST (UINT64_C(1) << 20)
#define MEMORY_MOST  (UINT64_C(1) << 37)

static bool parse_number(struct cs_machine *machine, const char *key, const char *text,
			 enum number_of of, uint64_t least, uint64_t most, uint64_t *value)
{
	return number_parse(text, of, least, most, value, &machine->err) ||
	       err_prefix(&machine->err, "%s", key);
}

/* Takes the mount, unless it is at odds with those before it. */
static bool add_mount(struct cs_machine *machine, const struct mount *mount)
{
	struct program *program = &machine->program;

	*ARRAY_PUSH(program->mounts, program->mount_count, machine->mount_capacity) = *mount;
	if (mounts_agree(program->mounts, program->mount_count, &machine->err))
		return true;
	mount_close(&program->mounts[--program->mount_count]);
	return false;
}

static bool set_mount(struct cs_machine *machine, const char *key, const char *value)
{
	struct mount mount;

	if (!mount_parse(&mount, value, &machine->err))
		return err_prefix(&machine->err, "%s", key);
	return add_mount(machine, &mount);
}

static bool set_sysroot(struct cs_machine *machine, const char *key, const char *value)
{
	struct mount mount;

	if (!mount_open(&mount, "/", value, true, &machine->err))
		return err_prefix(&machine->err, "%s", key);
	return add_mount(machine, &mount);
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
	free(machine->program.cwd);
	machine->program.cwd = mem_strdup(value);
	return true;
}

static bool set_seed(struct cs_machine *machine, const char *key, const char *value)
{
	return parse_number(machine, key, value, NUMBER_OF_THINGS, 0, UINT64_MAX,
			    &machine->program.seed);
}

static bool set_memory(struct cs_machine *machine, const char *key, const char *value)
{
	return parse_number(machine, key, value, NUMBER_OF_BYTES, MEMORY_LEAST, MEMORY_MOST,
			    &machine->program.memory_bytes);
}

static bool set_deny(struct cs_machine *machine, const char *key, const char *value)
{
	if (syscall_number(value) < 0)
		return err_set(&machine->err, "%s: there is no system call \"%s\" on RISC-V Linux",
			       key, value);
	texts_add(&machine->denied, value);
	return true;
}

static bool parse_flag(struct cs_machine *machine, const char *key, const char *value, bool *flag)
{
	bool is_yes = strcmp(value, "yes") == 0;

	if (!is_yes && strcmp(value, "no") != 0)
		return err_set(&machine->err, "%s: \"%s\" is neither yes nor no", key, value);
	*flag = is_yes;
	return true;
}

static bool set_strict(struct cs_machine *machine, const char *key, const char *value)
{
	return parse_flag(machine, key, value, &machine->program.strict);
}

static bool set_raw_names(struct cs_machine *machine, const char *key, const char *value)
{
	return parse_flag(machine, key, value, &machine->program.raw_names);
}

static bool set_debug_dir(struct cs_machine *machine, const char *key, const char *value)
{
	return debug_file_find(&machine->program, value, &machine->err) ||
	       err_prefix(&machine->err, "%s", key);
}

static bool set_presets(struct cs_machine *machine, const char *key, const char *value)
{
	(void)key;
	free(machine->presets);
	machine->presets = mem_strdup(value);
	return true;
}

static void add_kind(struct cs_machine *machine, const struct observer_kind *kind)
{
	for (size_t i = 0; i < machine->kind_count; i++)
		if (machine->kinds[i] == kind)
			return;
	machine->kinds = mem_realloc(machine->kinds, machine->kind_count + 2,
				     sizeof(const struct observer_kind *));
	machine->kinds[machine->kind_count++] = kind;
	machine->kinds[machine->kind_count] = NULL;
}

/* Functions are of `exact`, so it comes with any other. */
static bool set_counters(struct cs_machine *machine, const char *key, const char *value)
{
	const struct observer_kind *kind = observer_kind_named(value);
	bool is_all = strcmp(value, "all") == 0;
	char known[512] = "all";

	for (size_t i = 0; observer_kinds[i]; i++)
		snprintf(known + strlen(known), sizeof(known) - strlen(known), ", %s",
			 observer_kinds[i]->name);
	if (!kind && !is_all)
		return err_set(&machine->err, "%s: there is no \"%s\"; there are %s", key, value,
			       known);
	add_kind(machine, &count_exact);
	if (kind)
		add_kind(machine, kind);
	machine->has_usual_kinds |= is_all; /* which they are depends on the machine */
	return true;
}

bool library_choose_kinds(struct cs_machine *machine)
{
	for (size_t i = 0; machine->has_usual_kinds && observer_kinds[i]; i++)
		if (observer_kinds[i]->is_usual &&
		    observer_fits(observer_kinds[i], &machine->target.config))
			add_kind(machine, observer_kinds[i]);
	return !machine->kinds ||
	       observers_fit(machine->kinds, &machine->target.config, &machine->err);
}

static bool set_time(struct cs_machine *machine, const char *key, const char *value)
{
	bool is_cycles = strcmp(value, "cycles") == 0;

	if (!is_cycles && strcmp(value, "insns") != 0)
		return err_set(&machine->err, "%s: \"%s\" is neither insns nor cycles", key, value);
	machine->job.by_cycles = is_cycles;
	return true;
}

static bool set_max_instructions(struct cs_machine *machine, const char *key, const char *value)
{
	return parse_number(machine, key, value, NUMBER_OF_THINGS, 1, INT64_MAX,
			    &machine->job.max_instructions);
}

static const struct setting {
	const char *key;
	bool (*set)(struct cs_machine *machine, const char *key, const char *value);
} settings[] = {
	{"argv", set_argv},
	{"argv0", set_argv0},
	{"env", set_env},
	{"cwd", set_cwd},
	{"mount", set_mount},
	{"sysroot", set_sysroot},
	{"seed", set_seed},
	{"memory.limit_bytes", set_memory},
	{"deny", set_deny},
	{"strict", set_strict},
	{"debug_dir", set_debug_dir},
	{"raw_names", set_raw_names},
	{"presets", set_presets},
	{"counters", set_counters},
	{"time", set_time},
	{"max_instructions", set_max_instructions},
};

static bool can_configure(struct cs_machine *machine, const char *what)
{
	return !machine->process ||
	       err_set(&machine->err, "%s: settings are made before the machine is started", what);
}

bool cs_configure(struct cs_machine *machine, const char *key, const char *value)
{
	char keys[256] = "";
	size_t used = 0;

	if (!can_configure(machine, key))
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(settings); i++) {
		if (strcmp(settings[i].key, key) == 0)
			return settings[i].set(machine, key, value);
		used += (size_t)snprintf(keys + used, sizeof(keys) - used, "%s%s", i ? ", " : "",
					 settings[i].key);
	}
	return err_set(&machine->err, "there is no setting \"%s\"; there are %s", key, keys);
}

/* Takes a configuration in place of the one before and its changes. */
static void replace_target(struct cs_machine *machine, const struct config *config,
			   const char *name)
{
	size_t length = strlen(name);

	texts_release(&machine->changes);
	machine->changes = (struct texts){0};
	machine->target.config = *config;
	free(machine->target_name);
	machine->target_name = mem_alloc(length + 1);
	printable_copy(machine->target_name, length, (const uint8_t *)name, length);
}

bool cs_set_machine(struct cs_machine *machine, const char *name)
{
	bool is_file = strpbrk(name, "/.");
	const char *slash = strrchr(name, '/');
	struct config config;

	config_reset(&config);
	if (!can_configure(machine, name) ||
	    !(is_file ? config_load_file(&config, name, machine->presets, NULL, &machine->err)
		      : config_load_preset(&config, name, machine->presets, &machine->err)))
		return false;
	replace_target(machine, &config, slash ? slash + 1 : name);
	return true;
}

bool cs_set_machine_text(struct cs_machine *machine, const char *name, const char *text,
			 size_t bytes)
{
	struct config config;

	config_reset(&config);
	if (!can_configure(machine, name) ||
	    !config_load_text(&config, text, bytes, name, machine->presets, &machine->err))
		return false;
	replace_target(machine, &config, name);
	return true;
}

bool cs_set_parameter(struct cs_machine *machine, const char *key, const char *value)
{
	size_t bytes = strlen(key) + strlen(value) + 2;

	if (!can_configure(machine, key))
		return false;
	char *assignment = mem_alloc(bytes);
	snprintf(assignment, bytes, "%s=%s", key, value);
	bool ok = config_set(&machine->target.config, assignment, &machine->err);
	if (ok)
		texts_add(&machine->changes, assignment);
	free(assignment);
	return ok;
}
