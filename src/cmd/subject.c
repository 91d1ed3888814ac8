#include "cmd/subject.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cmd/guest.h"
#include "cmd/program.h"

/* Splits "program argument argument"; the words point into `text`. */
static char **split(char *text, size_t *count)
{
	char **words = NULL, *rest = NULL;
	size_t capacity = 0;

	*count = 0;
	for (char *word = strtok_r(text, " \t\n", &rest); word;
	     word = strtok_r(NULL, " \t\n", &rest))
		*ARRAY_PUSH(words, *count, capacity) = word;
	*ARRAY_PUSH(words, *count, capacity) = NULL;
	--*count;
	return words;
}

bool subject_open(struct subject *subject, unsigned *at_once, const struct args *args,
		  struct err *err)
{
	*subject = (struct subject){0};
	if (!machine_from_args(&subject->machine, args, err) || !jobs_from_args(at_once, args, err))
		return false;
	if (!args->rest_count)
		return err_usage(err, "which programs? Give RISC-V ELF files or workloads such as "
				      "@chess");
	subject->programs = mem_alloc_array(args->rest_count, sizeof(*subject->programs));
	for (size_t i = 0; i < args->rest_count; i++) {
		char *text = mem_strdup(args->rest[i]);
		struct args one = *args;

		one.rest = split(text, &one.rest_count);
		bool ok = program_open(&subject->programs[subject->program_count++], &one, err);
		free(one.rest);
		free(text);
		if (!ok)
			return false;
	}
	return true;
}

void subject_release(struct subject *subject)
{
	for (size_t i = 0; i < subject->program_count; i++)
		program_release(&subject->programs[i]);
	free(subject->programs);
}
