#include "library/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "image/image.h"

/* The machine that config_default describes, as results of the tool name it. */
#define DEFAULT_MACHINE CONFIG_DEFAULT

unsigned cs_api_version(void)
{
	return CYCLESTACK_API_VERSION;
}

void texts_add(struct texts *texts, const char *text)
{
	*ARRAY_PUSH(texts->items, texts->count, texts->capacity) = mem_strdup(text);
	*ARRAY_PUSH(texts->items, texts->count, texts->capacity) = NULL;
	texts->count--;
}

void texts_release(struct texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		free(texts->items[i]);
	free(texts->items);
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
	machine->program = (struct program){
		.name = mem_strdup(name),
		.image = image,
		.image_bytes = image_bytes,
		.cwd = mem_strdup("/"),
		.seed = 1,
		.memory_bytes = UINT64_C(4) << 30,
	};
	program_hash(&machine->program);
	/* Without its directory: the stack, and with it every address on it, would
	 * depend on where the file lies. */
	texts_add(&machine->argv, slash ? slash + 1 : name);
	config_default(&machine->target.config);
	machine->target_name = mem_strdup(DEFAULT_MACHINE);
	machine->job = (struct job){
		.program = &machine->program,
		.machine = &machine->target,
		.max_instructions = INT64_MAX,
		.parts = machine->parts,
	};
	library_list_values(machine);
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
	library_drop_result(machine);
	job_end(&machine->run);
	process_destroy(machine->process);
	/* The program only borrows its arguments. */
	machine->program.argv = NULL;
	machine->program.argc = 0;
	program_release(&machine->program);
	texts_release(&machine->argv);
	texts_release(&machine->env);
	texts_release(&machine->denied);
	texts_release(&machine->changes);
	for (size_t i = 0; i < machine->observer_count; i++)
		free(machine->observers[i].sums_before);
	library_release_values(machine);
	free(machine->observers);
	free(machine->subscriptions);
	free(machine->sample_values);
	free(machine->kinds);
	free(machine->target_name);
	free(machine->presets);
	free(machine);
}

const char *cs_error(const struct cs_machine *machine)
{
	return machine->err.text;
}

bool library_fits(struct cs_machine *machine, const char *what, size_t size, size_t own)
{
	return size == own ||
	       err_set(&machine->err,
		       "%s of %zu bytes was made for another version of the library; this one's "
		       "has %zu",
		       what, size, own);
}

static void forward_warning(void *context, const char *sentence)
{
	struct cs_machine *machine = context;

	NOTIFY(machine, on_warning, sentence);
}

/* What was configured, as jobs and processes take it. */
static void gather_settings(struct cs_machine *machine)
{
	struct program *program = &machine->program;

	program->argv = machine->argv.items;
	program->argc = machine->argv.count;
	free(program->env);
	program->env = mem_alloc_array(machine->env.count + 1, sizeof(char *));
	for (size_t i = 0; i < machine->env.count; i++)
		program->env[i] = machine->env.items[i];
	program->denied = (const char *const *)machine->denied.items;
	program->denied_count = machine->denied.count;
	machine->target.name = machine->target_name;
	machine->target.changes = (const char *const *)machine->changes.items;
	machine->target.change_count = machine->changes.count;
	machine->parts[0] = part_counters_init(&machine->counters, machine->kinds);
	machine->parts[1] = part_gain_init(&machine->gain, 1);
	machine->parts[2] = part_places_init(&machine->places);
	machine->parts[3] = part_pipeline_init(&machine->pipeline);
}

bool cs_start(struct cs_machine *machine)
{
	if (machine->process || machine->is_stepping)
		return err_set(&machine->err, "%s is started already", machine->program.name);
	if (!config_settle(&machine->target.config, &machine->err) ||
	    !core_kind_of(&machine->target.config, &machine->err) || !library_choose_kinds(machine))
		return false;
	gather_settings(machine);
	struct process_options options = program_process_options(&machine->program);
	options.profile = machine->target.config.isa_profile;
	options.warn = forward_warning;
	options.warn_context = machine;
	machine->is_stepping = true;
	machine->process = process_create(&options, &machine->err);
	machine->is_stepping = false;
	return machine->process;
}
