/*
 * outputs.h - the files a command line asks for: opened before anything runs, written afterwards.
 *
 * Opening them first says what cannot be written before long work, and keeps a hostile program
 * from choosing where a result goes (report/file/file.h). Whatever a command does, it ends by
 * closing them, which says of a file from before that this run did not write it.
 */
#ifndef CMD_OUTPUTS_H
#define CMD_OUTPUTS_H

#include "cmd/command.h"
#include "report/file/file.h"

struct outputs {
	struct report_target targets[OPTION_COUNT]; /* of the options that name a file */
};

/* False with a sentence if one of them cannot be written. Close either way. */
bool outputs_open(struct outputs *outputs, const struct args *args, struct err *err);
void outputs_close(struct outputs *outputs);

/* Whether one of them is standard output, where no text should be mixed with it. */
bool outputs_on_stdout(const struct outputs *outputs);

/* Writes the result where --json says, if it was given. False with a sentence. */
bool outputs_write_json(struct outputs *outputs, const json_t *result, struct err *err);
/* For a command without long work: opens, writes an object of this schema with the members of
 * `body`, which it takes, and closes. False with a sentence. */
bool outputs_write_only_json(const struct args *args, const char *schema, json_t *body,
			     struct err *err);

#endif
