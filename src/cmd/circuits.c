#include "cmd/circuits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cmd/guest.h"
#include "cmd/subject.h"
#include "cmd/outputs.h"
#include "image/image.h"
#include "job/parts.h"
#include "rtl/verilog.h"
#include "trace/cycles.h"

#define NAME_BYTES 96
/* By these the tool knows what it wrote. */
#define OWN_SOURCE   "Written by cyclestack "
#define OWN_MAKEFILE "# The circuits of this directory: "

/* What a file is written from. */
struct source {
	const struct circuit *circuits;
	size_t count;
	const char *about;
};

static void write_module(FILE *out, const void *context)
{
	const struct source *source = context;

	verilog_write_module(out, source->circuits, source->about);
}

static void write_bench(FILE *out, const void *context)
{
	const struct source *source = context;

	verilog_write_bench(out, source->circuits, source->about);
}

static void write_makefile(FILE *out, const void *context)
{
	const struct source *source = context;

	verilog_write_makefile(out, source->circuits, source->count);
}

/* A line for the comment of a file; names come from the user. */
static void describe(const struct job_machine *machine, char *about, size_t bytes)
{
	char hash[65];

	config_hash(&machine->config, hash);
	snprintf(about, bytes, OWN_SOURCE "%s for the machine %s, sha256 %s.", version_text(),
		 machine->name, hash);
	for (char *p = about; *p; p++)
		if ((unsigned char)*p < ' ' || (unsigned char)*p > '~')
			*p = '?';
}

/* Stimulus is data without a comment: it belongs to the source beside it. */
static bool may_write_stimulus(int directory, const char *kind, struct err *err)
{
	char source[NAME_BYTES], name[NAME_BYTES];
	bool ok = true;

	snprintf(source, sizeof(source), "%s.v", kind);
	for (size_t i = 0; ok && i < STIMULUS_FILES; i++) {
		snprintf(name, sizeof(name), "%s%s", kind, stimulus_suffixes[i]);
		if (faccessat(directory, source, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
			ok = outputs_may_write_entry(directory, name, OWN_SOURCE, err);
	}
	return ok;
}

static bool may_write(int directory, const char *kind, struct err *err)
{
	char source[NAME_BYTES], bench[NAME_BYTES];

	snprintf(source, sizeof(source), "%s.v", kind);
	snprintf(bench, sizeof(bench), "%s_tb.v", kind);
	return outputs_may_write_entry(directory, source, OWN_SOURCE, err) &&
	       outputs_may_write_entry(directory, bench, OWN_SOURCE, err) &&
	       may_write_stimulus(directory, kind, err);
}

bool circuits_may_write(const char *path, const struct circuit *circuits, size_t count,
			struct err *err)
{
	const int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	/* One that is not there will be made; what else is wrong is said then. */
	if (directory < 0)
		return true;
	bool ok = outputs_may_write_entry(directory, "Makefile", OWN_MAKEFILE, err);
	for (size_t i = 0; ok && i < count; i++)
		ok = may_write(directory, circuits[i].kind->name, err);
	close(directory);
	return ok || err_prefix(err, "%s", path);
}

bool circuits_write(const char *path, const struct circuit *circuits, size_t count,
		    const struct job_machine *machine, struct err *err)
{
	const int directory = outputs_open_directory(path, err);
	char about[512], name[NAME_BYTES];
	struct source all = {circuits, count, about};

	if (directory < 0)
		return false;
	describe(machine, about, sizeof(about));
	bool ok = outputs_write_entry(directory, "Makefile", write_makefile, &all, err);
	for (size_t i = 0; ok && i < count; i++) {
		const struct source one = {&circuits[i], 1, about};

		snprintf(name, sizeof(name), "%s.v", circuits[i].kind->name);
		ok = outputs_write_entry(directory, name, write_module, &one, err);
		snprintf(name, sizeof(name), "%s_tb.v", circuits[i].kind->name);
		ok = ok && outputs_write_entry(directory, name, write_bench, &one, err);
	}
	close(directory);
	return ok || err_prefix(err, "%s", path);
}

/* The files that a run fills. */
struct filling {
	const struct circuit *circuits;
	size_t count;
	int directory;
	FILE **files;		 /* STIMULUS_FILES for each circuit */
	struct stats_plan *plan; /* of the statistics module; NULL for others */
	bool has_failed;
	struct err err;
};

static void name_of(const struct filling *filling, size_t i, const char *suffix,
		    char name[NAME_BYTES])
{
	snprintf(name, NAME_BYTES, "%s%s%s", filling->circuits[i / STIMULUS_FILES].kind->name,
		 stimulus_suffixes[i % STIMULUS_FILES], suffix);
}

static bool fail_file(const char *name, struct err *err)
{
	return err_set_errno(err, errno, "%s", name);
}

static bool open_files(struct filling *filling, struct err *err)
{
	char name[NAME_BYTES];

	for (size_t i = 0; i < filling->count * STIMULUS_FILES; i++) {
		name_of(filling, i, ".new", name);
		unlinkat(filling->directory, name, 0);
		int fd = openat(filling->directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
				0666);

		filling->files[i] = fd >= 0 ? fdopen(fd, "w") : NULL;
		if (!filling->files[i])
			return fail_file(name, err);
	}
	return true;
}

/* Gives the files their names, or removes them; those of a circuit that there is not are empty. */
static bool close_files(struct filling *filling, bool ok, struct err *err)
{
	char aside[NAME_BYTES], name[NAME_BYTES];

	for (size_t i = 0; i < filling->count * STIMULUS_FILES; i++) {
		name_of(filling, i, ".new", aside);
		name_of(filling, i, "", name);
		if (!filling->files[i])
			continue;
		const bool is_empty = ftell(filling->files[i]) == 0;
		if (fclose(filling->files[i]) != 0 && ok)
			ok = fail_file(aside, err);
		if (ok && !is_empty &&
		    renameat(filling->directory, aside, filling->directory, name) != 0)
			ok = fail_file(name, err);
		if (!ok || is_empty)
			unlinkat(filling->directory, aside, 0);
	}
	return ok;
}

static void take_piece(void *context, const void *bytes, size_t size)
{
	struct filling *filling = context;
	struct circuits_piece piece;
	char name[NAME_BYTES];

	if (filling->has_failed)
		return;
	if (!circuits_piece_read(&piece, filling->count, bytes, size) ||
	    (piece.file == CIRCUITS_PLAN &&
	     (!filling->plan || filling->plan->count ||
	      !stats_plan_unpack(filling->plan, piece.text, piece.size)))) {
		filling->has_failed = true;
		err_tool(&filling->err, "internal error: the worker sent what is no stimulus");
		return;
	}
	if (piece.file == CIRCUITS_PLAN)
		return;
	const size_t i = piece.circuit * (size_t)STIMULUS_FILES + piece.file;
	if (fwrite(piece.text, 1, piece.size, filling->files[i]) != piece.size) {
		name_of(filling, i, ".new", name);
		filling->has_failed = true;
		fail_file(name, &filling->err);
	}
}

/* Makes the stimulus: by running a job, or from recorded cycles. */
struct stimulus_source {
	const struct job *job;
	const struct args *args;
	const struct circuits_reading *reading; /* NULL: the job is run */
	struct stats_plan *plan;		/* of the statistics module, or NULL */
};

static bool stimulate(struct filling *filling, const struct stimulus_source *source,
		      struct err *err)
{
	const struct guest_watcher watcher = {.data = take_piece, .context = filling};
	struct worker_report report = {0};
	bool has_result = true;

	if (source->reading) {
		struct circuits_reading reading = *source->reading;

		reading.data = take_piece;
		reading.context = filling;
		if (!circuits_read_start(&reading, &report.stop, err))
			return false;
	} else {
		json_t *result = NULL;

		if (!guest_run_watched(source->job, source->args, &watcher, &result, &report, err))
			return false;
		has_result = result;
		json_decref(result);
	}
	if (filling->has_failed)
		*err = filling->err;
	else if (!has_result || report.stop != WORKER_GO_ON)
		err_set(err, "the run was stopped before its end: there is no stimulus");
	else
		return true;
	return false;
}

static bool fill(const char *path, const struct circuit *circuits, size_t count,
		 const struct stimulus_source *source, struct err *err)
{
	struct filling filling = {
		.circuits = circuits,
		.count = count,
		.directory = outputs_open_directory(path, err),
		.files = mem_alloc_array(count * STIMULUS_FILES, sizeof(FILE *)),
		.plan = source->plan,
	};
	bool ok = filling.directory >= 0 && open_files(&filling, err) &&
		  stimulate(&filling, source, err);

	ok = close_files(&filling, ok, err);
	if (filling.directory >= 0)
		close(filling.directory);
	free(filling.files);
	return ok;
}

bool circuits_stimulate(const char *path, const struct circuit *circuits, size_t count,
			const struct job *job, const struct args *args, struct err *err)
{
	const struct stimulus_source source = {.job = job, .args = args};

	return fill(path, circuits, count, &source, err);
}

/* All that the statistics module may need: which there are is known later. */
static void list_stats(struct circuit circuits[STATS_PLAN_CIRCUITS_MOST])
{
	for (size_t i = 0; i < STATS_PLAN_CIRCUITS_MOST; i++)
		circuits[i] = (struct circuit){.kind = circuit_stats_kinds[i]};
}

bool circuits_may_write_stat(const char *path, struct err *err)
{
	struct circuit stats[STATS_PLAN_CIRCUITS_MOST];

	list_stats(stats);
	return circuits_may_write(path, stats, STATS_PLAN_CIRCUITS_MOST, err);
}

bool circuits_stimulate_stat(const char *path, const struct job *job, const struct args *args,
			     struct stats_plan *plan, struct err *err)
{
	const struct stimulus_source source = {.job = job, .args = args, .plan = plan};
	struct circuit stats[STATS_PLAN_CIRCUITS_MOST];

	list_stats(stats);
	return fill(path, stats, STATS_PLAN_CIRCUITS_MOST, &source, err);
}

bool circuits_is_cycles_file(const char *path)
{
	uint8_t magic[CYCLES_MAGIC_BYTES];
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const ssize_t got = fd >= 0 ? read(fd, magic, sizeof(magic)) : -1;

	if (fd >= 0)
		close(fd);
	return got > 0 && cycles_is_file(magic, (size_t)got);
}

bool circuits_stimulate_from_file(const char *path, const char *file,
				  const struct circuit *circuits, size_t count,
				  const struct job_machine *machine, uint64_t repeat_most,
				  struct err *err)
{
	struct circuits_reading reading = {
		.name = file,
		.machine = machine,
		.circuits = circuits,
		.count = count,
		.repeat_most = repeat_most,
	};
	uint8_t *bytes = image_read(file, &reading.size, err);
	const struct stimulus_source source = {.reading = &reading};

	reading.bytes = bytes;
	const bool ok = bytes && fill(path, circuits, count, &source, err);
	free(bytes);
	return ok;
}

/* The kinds of --counters; by default all that fit the machine. */
static bool choose(struct circuit *circuits, size_t *count, const struct circuit_machine *machine,
		   const char *list, struct err *err)
{
	char *copy = mem_strdup(list ? list : ""), *rest = NULL;
	bool ok = true;

	for (size_t i = 0; ok && !list && circuit_kinds[i]; i++)
		ok = circuit_init(&circuits[(*count)++], circuit_kinds[i], machine, err);
	for (char *name = strtok_r(copy, ",", &rest); ok && name;
	     name = strtok_r(NULL, ",", &rest)) {
		const struct circuit_kind *kind = circuit_kind_named(name);
		char known[256] = "";

		for (size_t i = 0; circuit_kinds[i]; i++)
			snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s",
				 i ? ", " : "", circuit_kinds[i]->name);
		for (size_t i = 0; i < *count; i++)
			if (circuits[i].kind == kind)
				ok = err_set(err, "--counters: %s is named twice", name);
		if (ok)
			ok = kind ? circuit_init(&circuits[(*count)++], kind, machine, err)
				  : err_set(err,
					    "--counters: there is no circuit \"%s\"; there are %s",
					    name, known);
	}
	free(copy);
	return ok && (*count || err_set(err, "--counters names no circuit"));
}

int judge_circuits(const struct args *args)
{
	const char *path = args_get(args, OPTION_RTL);
	struct subject subject = {0};
	struct circuit circuits[32] = {{0}};
	size_t count = 0;
	unsigned at_once;
	struct err err;
	bool ok = args->rest_count <= 1 ||
		  err_usage(&err, "--rtl makes stimulus from one program: give one, or none");

	const bool is_file = ok && args->rest_count && circuits_is_cycles_file(args->rest[0]);
	ok = ok && (args->rest_count && !is_file ? subject_open(&subject, &at_once, args, &err)
						 : machine_from_args(&subject.machine, args, &err));
	const struct circuit_machine machine = {.config = &subject.machine.config};
	ok = ok && (choose(circuits, &count, &machine, args_get(args, OPTION_COUNTERS), &err) ||
		    err_as_usage(&err));
	ok = ok && circuits_may_write(path, circuits, count, &err) &&
	     circuits_write(path, circuits, count, &subject.machine, &err);
	if (ok && is_file)
		ok = circuits_stimulate_from_file(path, args->rest[0], circuits, count,
						  &subject.machine, 0, &err);
	if (ok && subject.program_count) {
		struct part_circuits part;
		const struct job_part *const parts[] = {part_circuits_init(&part, circuits, count),
							NULL};
		const struct job job = {
			.program = subject.programs,
			.machine = &subject.machine,
			.max_instructions = subject.programs[0].max_instructions,
			.is_silent = true,
			.parts = parts,
		};
		ok = circuits_stimulate(path, circuits, count, &job, args, &err);
	}
	const int status = ok ? 0 : fail_err(command_named("judge"), &err);
	for (size_t i = 0; i < count; i++)
		circuit_release(&circuits[i]);
	subject_release(&subject);
	return status;
}
