#include "report/file/folded.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/printable.h"
#include "report/file/file.h"
#include "value/profile.h"

static void put_frame(FILE *out, const char *text)
{
	size_t length = strlen(text);
	char *copy = mem_alloc(length + 1);

	printable_copy(copy, length, (const uint8_t *)text, length);
	for (char *p = copy; (p = strchr(p, ';'));)
		*p = ',';
	fputs(*copy ? copy : "?", out);
	free(copy);
}

static void put_line(FILE *out, const struct profile *profile, const char *function,
		     const struct profile_line *line)
{
	for (int i = 0; i < CAUSE_COUNT; i++) {
		if (!line->slots.causes[i])
			continue;
		put_frame(out, profile->program);
		fputc(';', out);
		put_frame(out, function);
		fputc(';', out);
		put_frame(out, line->file);
		fprintf(out, ":%lld;%s %lld\n", (long long)line->line, cause_rows[i].name,
			(long long)line->slots.causes[i]);
	}
}

bool folded_write(FILE *out, const json_t *result, struct err *err)
{
	struct profile profile;

	if (!profile_read(&profile, result, err))
		return false;
	for (size_t i = 0; i < profile.function_count; i++)
		for (size_t k = 0; k < profile.functions[i].line_count; k++)
			put_line(out, &profile, profile.functions[i].name,
				 &profile.functions[i].lines[k]);
	profile_release(&profile);
	return report_finish(out, "the folded stacks", err);
}
