/*
 * keep_names DIRECTORY: what is kept for one job is not found for a job that differs in any member
 * that decides its result, and is found for one that differs in any other.
 *
 * Every member of struct job and struct program has a row here: one that is added to them leaves a
 * gap, which is told.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/keep.c"

/* keep.c asks for no other option than --keep, and warns of nothing here. */
static const char *directory;

const char *args_get(const struct args *args, enum option_id id)
{
	(void)args;
	return id == OPTION_KEEP ? directory : NULL;
}

void say_warning(void *unused, const char *sentence)
{
	(void)unused;
	printf("not ok - a warning: %s\n", sentence);
}

enum how {
	DECIDES,   /* another value, another result */
	NOT_FELT,  /* the result is the same */
	NOT_KEPT,  /* with a value here, nothing is kept */
	ELSEWHERE, /* held by a case of its own, below */
};

struct member {
	const char *name;
	size_t offset, bytes;
	enum how how;
};

#define ROW(type, member, how)                                                                  \
	{                                                                                       \
#member, offsetof(struct type, member), sizeof(((struct type *)0)->member), how \
	}

static const struct member of_job[] = {
	ROW(job, program, ELSEWHERE),	    ROW(job, machine, ELSEWHERE),
	ROW(job, observers, ELSEWHERE),	    ROW(job, skip, DECIDES),
	ROW(job, roi, ELSEWHERE),	    ROW(job, roi_call, DECIDES),
	ROW(job, is_cold, DECIDES),	    ROW(job, max_instructions, DECIDES),
	ROW(job, by_cycles, DECIDES),	    ROW(job, is_silent, DECIDES),
	ROW(job, output, NOT_FELT),	    ROW(job, errors, NOT_FELT),
	ROW(job, threads, NOT_FELT),	    ROW(job, is_whole, DECIDES),
	ROW(job, has_functions, DECIDES),   ROW(job, interval, DECIDES),
	ROW(job, annotate, ELSEWHERE),	    ROW(job, annotate_count, ELSEWHERE),
	ROW(job, has_window, DECIDES),	    ROW(job, window_from, DECIDES),
	ROW(job, window_to, DECIDES),	    ROW(job, stat, NOT_KEPT),
	ROW(job, what_if, NOT_FELT),	    ROW(job, what_if_count, NOT_KEPT),
	ROW(job, circuits, NOT_FELT),	    ROW(job, circuit_count, NOT_KEPT),
	ROW(job, records_cycles, NOT_KEPT),
};

static const struct member of_program[] = {
	ROW(program, name, NOT_FELT),
	ROW(program, image, NOT_FELT), /* its hash is named instead */
	ROW(program, image_bytes, NOT_FELT),
	ROW(program, hash, DECIDES),
	ROW(program, argv, ELSEWHERE),
	ROW(program, argc, ELSEWHERE),
	ROW(program, env, ELSEWHERE),
	ROW(program, mounts, NOT_FELT),
	ROW(program, mount_count, NOT_KEPT),
	ROW(program, cwd, ELSEWHERE),
	ROW(program, seed, DECIDES),
	ROW(program, memory_bytes, DECIDES),
	ROW(program, max_instructions, NOT_FELT), /* the job's is named instead */
	ROW(program, usual_instructions, NOT_FELT),
	ROW(program, timeout_seconds, NOT_FELT),
	ROW(program, strict, DECIDES),
	ROW(program, keeps_mtime, DECIDES),
	ROW(program, stdin_is_file, DECIDES),
	ROW(program, may_lack_landlock, NOT_FELT),
	ROW(program, denied, ELSEWHERE),
	ROW(program, denied_count, ELSEWHERE),
};

static unsigned points, failures;

static void point(bool holds, const char *title, const char *name)
{
	failures += !holds;
	printf("%s %u - %s %s\n", holds ? "ok" : "not ok", ++points, title, name);
}

/* No member without a row: between two rows there is no more than padding. */
static void check_rows(const char *type, const struct member *rows, size_t count, size_t bytes)
{
	size_t end = 0, gaps = 0;

	for (size_t i = 0; i < count; i++) {
		gaps += rows[i].offset < end || rows[i].offset - end >= 8;
		end = rows[i].offset + rows[i].bytes;
	}
	gaps += bytes - end >= 8;
	point(!gaps, "every member has a row:", type);
}

static bool is_found(struct keep *keep, const struct job *job)
{
	size_t bytes = 0;
	char *text = keep->shelf.find(keep, job, &bytes);
	bool is_whole = text && bytes == 4 && memcmp(text, "text", 4) == 0;

	free(text);
	return is_whole;
}

/* Changes the member's lowest byte while asking. */
static void check_member(struct keep *keep, const struct job *job, void *changed,
			 const struct member *row)
{
	unsigned char *byte = (unsigned char *)changed + row->offset;

	if (row->how == ELSEWHERE)
		return;
	*byte ^= 1;
	point(is_found(keep, job) == (row->how == NOT_FELT),
	      row->how == NOT_FELT ? "found, whatever is" : "not found with another", row->name);
	if (row->how == NOT_KEPT) {
		size_t before = keep->count;

		keep->shelf.keep(keep, job, "text", 4);
		point(keep->count == before, "not kept with any", row->name);
	}
	*byte ^= 1;
}

/* What a name is made of that is not a plain number: each is changed through its pointer. */
static void check_texts(struct keep *keep, struct job *job, struct program *program,
			struct job_machine *machine)
{
	struct job same = *job;
	struct program same_program = *program;
	struct job_machine same_machine = *machine;
	const struct observer_kind kinds[] = {{.name = "one"}, {.name = "two"}};
	const struct observer_kind *const lists[][3] = {
		{&kinds[0]}, {&kinds[1]}, {&kinds[0], &kinds[1]}};
	const char *texts[] = {"a", "b", NULL};
	char *words[] = {(char[]){"x"}, (char[]){"y"}, NULL};

#define WITH(title, change)                                                    \
	do {                                                                   \
		change;                                                        \
		point(!is_found(keep, job), "not found with another", title);  \
		*job = same, *program = same_program, *machine = same_machine; \
	} while (0)
	WITH("function", job->roi = "f");
	WITH("observer", job->observers = lists[1]);
	WITH("number of observers", job->observers = lists[2]);
	WITH("list of observers", job->observers = NULL);
	WITH("function to annotate", (job->annotate = texts, job->annotate_count = 1));
	WITH("machine's name", machine->name = "other");
	WITH("machine's changes", (machine->changes = texts, machine->change_count = 1));
	WITH("parameter of the machine", machine->config.rob_size ^= 1);
	WITH("argument", (program->argv = words + 1));
	WITH("number of arguments", (program->argv = words, program->argc = 2));
	WITH("environment", program->env = texts);
	WITH("denied call", (program->denied = texts, program->denied_count = 1));
	WITH("working directory", program->cwd = words[0]);
	/* Where one list ends and the next begins is part of the name. */
	WITH("place of a text", (program->argc = 0, program->env = (const char *[]){"x", NULL}));
	strcpy(keep->tool, "another tool");
	point(!is_found(keep, job), "not found with another", "tool");
}

int main(int argc, char **argv)
{
	char *words[] = {(char[]){"x"}, NULL};
	struct program program = {.argv = words, .argc = 1, .hash = "0123"};
	struct job_machine machine = {.name = "machine"};
	const struct observer_kind kind = {.name = "one"};
	const struct observer_kind *const kinds[] = {&kind, NULL};
	struct job job = {.program = &program, .machine = &machine, .observers = kinds};
	struct keep keep;
	struct err err;

	directory = argc > 1 ? argv[1] : NULL;
	if (!directory || !keep_open(&keep, NULL, &err)) {
		printf("not ok - a directory to keep things in\n");
		return 2;
	}
	config_default(&machine.config);
	check_rows("struct job", of_job, ARRAY_COUNT(of_job), sizeof(struct job));
	check_rows("struct program", of_program, ARRAY_COUNT(of_program), sizeof(struct program));
	point(!is_found(&keep, &job), "nothing is found in an", "empty directory");
	keep.shelf.keep(&keep, &job, "text", 4);
	point(is_found(&keep, &job), "what was kept is found for", "the same job");
	for (size_t i = 0; i < ARRAY_COUNT(of_job); i++)
		check_member(&keep, &job, &job, &of_job[i]);
	for (size_t i = 0; i < ARRAY_COUNT(of_program); i++)
		check_member(&keep, &job, &program, &of_program[i]);
	point(is_found(&keep, &job), "it is still found for", "the same job");
	check_texts(&keep, &job, &program, &machine);
	keep_close(&keep, true);
	printf("1..%u\n", points);
	return failures != 0;
}
