/*
 * outputs.h - the files a command line asks for: opened before anything runs, written afterwards.
 *
 * Opening them first says what cannot be written before long work, and keeps a hostile program
 * from choosing where a result goes (report/file/file.h). Whatever a command does, it ends by
 * closing them, which says of a file from before that this run did not write it, unless there was
 * no run because the command line was wrong.
 *
 * Standard output belongs to one thing at a time: to a result written to "-", else to the program
 * and, after it, to the report. A program's output that gives way goes to standard error.
 */
#ifndef CMD_OUTPUTS_H
#define CMD_OUTPUTS_H

#include "cmd/command.h"
#include "job/job.h"
#include "report/file/file.h"
#include "report/text/terminal.h"

struct outputs {
	struct report_target targets[OPTION_COUNT]; /* of the options that name a file */
	bool is_quiet;				    /* --quiet: no report */
	int output, errors;			    /* of the program; 0: not opened */
};

/* False with a sentence if one of them cannot be written, or if two get in each other's way, which
 * begins with an option. Close either way. */
bool outputs_open(struct outputs *outputs, const struct args *args, struct err *err);
/* With the exit status that the command has. */
void outputs_close(struct outputs *outputs, int status);

/* Empties the files of --stdout and --stderr and tells the job to use them, or whatever else its
 * program's output should go to. To be called when nothing else can go wrong. */
bool outputs_direct(struct outputs *outputs, struct job *job, struct err *err);

/* Prints the report, with a context of the caller's, to where --report says: by default to standard
 * output, if that is free. False with a sentence. */
typedef void outputs_printer(FILE *out, const struct terminal *terminal, const void *context);
bool outputs_write_report(struct outputs *outputs, outputs_printer *print, const void *context,
			  struct err *err);
/* Writes the result where --json says, if it was given. False with a sentence. */
bool outputs_write_json(struct outputs *outputs, const json_t *result, struct err *err);
/* For a command without long work: opens, writes an object of this schema with the members of
 * `body`, which it takes, and closes. False with a sentence. */
bool outputs_write_only_json(const struct args *args, const char *schema, json_t *body,
			     struct err *err);

/* For commands that fill a directory: it is made if it is not there. -1 with a sentence. */
int outputs_open_directory(const char *path, struct err *err);
/* Writes a file of it, whole or not at all. False with a sentence. */
typedef void outputs_entry_writer(FILE *out, const void *context);
bool outputs_write_entry(int directory, const char *name, outputs_entry_writer *write,
			 const void *context, struct err *err);

#endif
