/*
 * heapsort.h - a workload, read once for all tests of a program, and a machine to run it on: the
 * default one, called m and said to have two changes.
 */
#ifndef TESTS_UNIT_JOB_HEAPSORT_H
#define TESTS_UNIT_JOB_HEAPSORT_H

#include "../test.h"

#include "image/image.h"
#include "job/job.h"

static char heapsort_name[] = "heapsort", heapsort_size[] = "test";
static char *heapsort_argv[] = {heapsort_name, heapsort_size, NULL};
static struct program program = {.name = heapsort_name,
				 .argv = heapsort_argv,
				 .argc = 2,
				 .seed = 1,
				 .memory_bytes = UINT64_C(1) << 30};
static const char *const heapsort_changes[] = {"a=1", "b=2"};
static struct job_machine machine = {.name = "m", .changes = heapsort_changes, .change_count = 2};

static int heapsort_load(void **unused)
{
	const char *build = getenv("BUILD");
	char path[512];
	struct err err;

	(void)unused;
	snprintf(path, sizeof(path), "%s/workloads/heapsort", build ? build : "build");
	config_default(&machine.config);
	return program_read(&program, path, &err) ? 0 : -1;
}

static int heapsort_unload(void **unused)
{
	(void)unused;
	free(program.image);
	return 0;
}

TEST_GROUP(heapsort_load, heapsort_unload)

#endif
