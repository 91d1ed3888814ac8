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
#include "doc/terminal.h"
#include "report/file/file.h"
#include "report/report.h"

struct outputs {
	struct report_target targets[OPTION_COUNT]; /* of the options that name a file */
	bool is_quiet;				    /* --quiet: no report */
	bool is_list;				    /* in a pipe, a line for each row */
	int output, errors;			    /* of the program; 0: not opened */
	FILE *rows;				    /* see outputs_begin_rows; NULL: none */
	/* Of the job whose result is shown, by which it is found in the store; NULL: none. */
	const char *key;
	bool is_stored; /* it is from there */
};

/* False with a sentence if one of them cannot be written, or, of kind ERR_USAGE, if two get in each
 * other's way. Close either way. */
bool outputs_open(struct outputs *outputs, const struct args *args, struct err *err);
/* With the exit status that the command has. */
void outputs_close(struct outputs *outputs, int status);

/* For a report in rows, which appear while the program runs or are read by programs: the stream for
 * it, where --report says, in place of the text of outputs_show. Standard output, if it is that, is
 * then the rows' alone. *rows is NULL with --quiet. To be called before outputs_direct, by the
 * option that asks for rows. False with a sentence. */
bool outputs_begin_rows(struct outputs *outputs, enum option_id asked, FILE **rows,
			struct err *err);
/* False with a sentence unless all rows were delivered. */
bool outputs_end_rows(struct outputs *outputs, struct err *err);

/* Empties the files of --stdout and --stderr and tells the job to use them, or whatever else its
 * program's output should go to. To be called when nothing else can go wrong. */
bool outputs_direct(struct outputs *outputs, struct job *job, struct err *err);

/* Whether a result goes to standard output, where no text should be mixed with it. */
bool outputs_stdout_is_taken(const struct outputs *outputs);
/* Prints the report, with a context of the caller's, to where --report says: by default to standard
 * output, if that is free. False with a sentence. */
typedef void outputs_printer(FILE *out, const struct terminal *terminal, const void *context);
bool outputs_write_report(struct outputs *outputs, outputs_printer *print, const void *context,
			  struct err *err);
/* Writes a result in every format that the command line asks for: itself (--json), and its document
 * as text (--report), as a page (--html), as CSV (--csv, --table) and as a picture (--svg).
 * `options` may be NULL. False with a sentence. */
bool outputs_show(struct outputs *outputs, const struct args *args, const json_t *result,
		  const struct report_options *options, struct err *err);
/* The same of a document that is not made of a result; --csv writes this table. */
bool outputs_show_doc(struct outputs *outputs, const struct args *args, const struct doc *doc,
		      const char *table, struct err *err);
/* Writes the result where --json says, if it was given. False with a sentence. */
bool outputs_write_json(struct outputs *outputs, const json_t *result, struct err *err);
/* For lists, which take no long work: opens, shows and closes. The list is printed unless it is
 * asked for in another format. False with a sentence. */
bool outputs_show_list(const struct args *args, const json_t *result, struct err *err);
/* The same of what is read by people alone: in a pipe it has no longer lines than on a terminal. */
bool outputs_show_answer(const struct args *args, const json_t *result, struct err *err);
/* Whether the command line asks for a format, be it text in a file. */
bool outputs_has_format(const struct args *args);

/* For commands that fill a directory: it is made if it is not there. -1 with a sentence. */
int outputs_open_directory(const char *path, struct err *err);
/* Whether a file of that name may be written there: there is none, or one that has in its beginning
 * the text by which the tool knows its own. False with a sentence: the user chose the directory and
 * not the name. */
bool outputs_may_write_entry(int directory, const char *name, const char *own, struct err *err);
/* Writes a file of it, whole or not at all. False with a sentence. */
typedef void outputs_entry_writer(FILE *out, const void *context);
bool outputs_write_entry(int directory, const char *name, outputs_entry_writer *write,
			 const void *context, struct err *err);

#endif
