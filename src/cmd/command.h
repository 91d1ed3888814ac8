/*
 * command.h - commands and options as tables, and the result of parsing a command line.
 *
 * main.c finds the command by name and calls it with parsed arguments; help, man pages and shell
 * completion are made from the same rows. Commands are the only part of the program that prints to
 * the terminal and chooses an exit status.
 */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/nearest.h"

enum option_id {
#define OPTION(id, name, value, fallback, help) OPTION_##id,
#include "cmd/options.def"
	OPTION_COUNT
};

struct option_row {
	const char *name;
	const char *value;    /* the name of its value in --help; NULL for a switch */
	const char *fallback; /* the default shown by --help; NULL if there is none */
	const char *help;
};

extern const struct option_row option_rows[OPTION_COUNT];

/* Whether the value may be left out, and is attached by = if it is given. */
static inline bool option_value_is_optional(const struct option_row *row)
{
	return row->value && row->value[0] == '[' && row->value[1] == '=';
}
/* The letter of the option, or 0; the option of a letter, or OPTION_COUNT. */
char option_letter(enum option_id id);
enum option_id option_of_letter(char letter);

/* Exit statuses of the tool itself. */
enum {
	EXIT_NEGATIVE = 1, /* a verdict that the user requested is negative */
	EXIT_USAGE = 2,
	EXIT_PARTIAL = 124, /* a limit was reached */
	EXIT_TOOL = 125,
	EXIT_INTERRUPTED = 130,
};

/* What they mean, for help and man pages. */
struct status_row {
	const char *status, *meaning;
};

extern const struct status_row status_rows[]; /* the last row has a NULL status */

struct command;

struct args {
	const struct command *command;
	bool has_usual_store; /* --store was not given: it is that of CYCLESTACK_STORE */
	const char **values[OPTION_COUNT]; /* in the order of the command line */
	size_t counts[OPTION_COUNT];
	char **rest; /* the program and its arguments, or the operands; NULL-terminated */
	size_t rest_count;
};

struct command {
	const char *name;
	const char *summary;  /* follows "cyclestack NAME: " */
	const char *operands; /* shown in the usage line */
	const char *detail;   /* paragraphs of help */
	const char *example;
	const enum option_id *options; /* ends with OPTION_COUNT */
	bool shows_components;	       /* help says what each is */
	/* Everything after so many operands belongs to the program; 0: there is no program. */
	size_t stops_at_operand;
	/* An option that it does not have is an operand: it may be what is asked about. */
	bool takes_options_as_words;
	bool stores_results; /* what it has measured goes into the store of --store */
	bool stores_if_told; /* but not into that of the environment */
	int (*run)(const struct args *args);
};

extern const struct command commands[]; /* the last row has a NULL name */
/* NULL if there is no command of that name. */
const struct command *command_named(const char *name);

/* False with a sentence that names the option and the nearest known one. */
bool args_parse(struct args *args, const struct command *command, int argc, char **argv,
		struct err *err);
void args_release(struct args *args);

/* The last value given, or NULL. The value of a switch, or one that was left out, is "". */
const char *args_get(const struct args *args, enum option_id id);

/* Numbers; false with a sentence if the value is not a number in the range. If the option was not
 * given, *value is not changed. */
bool args_get_count(const struct args *args, enum option_id id, uint64_t least, uint64_t most,
		    uint64_t *value, struct err *err);
bool args_get_bytes(const struct args *args, enum option_id id, uint64_t least, uint64_t most,
		    uint64_t *value, struct err *err);
/* Of an option whose value may be left out, *value is not changed then either. */
bool args_get_seconds(const struct args *args, enum option_id id, double *value, struct err *err);

/* A percentage such as 1% or 0.25, exactly: in millionths of a percent. */
bool args_get_percent(const struct args *args, enum option_id id, uint64_t *millionths,
		      struct err *err);

/* Prints "cyclestack: SENTENCE" to standard error; returns the exit status. */
int fail_usage(const struct command *command, const char *sentence);
int fail_tool(const char *sentence);
/* The same by the kind of the error. */
int fail_err(const struct command *command, const struct err *err);
void say_warning(void *unused, const char *sentence);
/* Text from outside, such as a path: on one line, without control characters. */
void print_printable(FILE *out, const char *text);

/* help.c */
/* Stands in a help text for the names of observer_kinds but the first. */
#define HELP_OBSERVERS "{observers}"
/* The help text of an option, complete. */
void help_of_option(char *text, size_t bytes, enum option_id id);
void help_print_overview(FILE *out);
void help_print_command(FILE *out, const struct command *command);
/* generate.c */
bool generate_man(const char *directory, struct err *err);
bool generate_completion(const char *shell, struct err *err);
/* DIRECTORY/SCHEMA.json for every result. */
bool generate_schemas(const char *directory, struct err *err);
/* version.c */
const char *version_text(void);
const char *version_commit(void);

/* installed.c: the directory `name` that is part of the installation: the one the environment
 * variable names, beside the executable, or under its prefix's share directory. */
bool installed_directory(const char *name, const char *variable, char *path, size_t bytes,
			 struct err *err);

/* config_path.c: the directory that holds the presets, or false with a sentence. */
bool presets_directory(char *path, size_t bytes, struct err *err);
/* The first line of a preset in that directory, without its comment sign; empty if there is none.
 */
void preset_about(const char *directory, const char *name, char *text, size_t bytes);
/* The machine called `name`: a file if it has a / or a ., else a preset. False with a sentence. */
struct config;
struct config_left_out;
bool config_open(struct config *config, const char *name, struct config_left_out *left_out,
		 struct err *err);
/* To standard error: what was left out, and what is doubtful (config/doubt.h). */
void config_say_doubts(const struct config *config, const char *name,
		       const struct config_left_out *left_out);
/* The machine of --config and --set, checked and settled; without either, the default machine. */
bool config_from_args(struct config *config, const struct args *args, struct err *err);

/* The known name nearest to `text`. */
struct nearest nearest_command(const char *text);

int cmd_exec(const struct args *args);
int cmd_run(const struct args *args);
int cmd_stat(const struct args *args);
int cmd_collect(const struct args *args);
int cmd_configure(const struct args *args);
int cmd_judge(const struct args *args);
int cmd_advise(const struct args *args);
int cmd_sweep(const struct args *args);
int cmd_reproduce(const struct args *args);
int cmd_diff(const struct args *args);
int cmd_show(const struct args *args);
int cmd_results(const struct args *args);
int cmd_pipeview(const struct args *args);
int cmd_signals(const struct args *args);
int cmd_explain(const struct args *args);
int cmd_workloads(const struct args *args);
/* measure_workloads.c: a table of the NULL-terminated names. */
int measure_workloads(const struct args *args, char **names);
int cmd_config(const struct args *args);
int cmd_trace(const struct args *args);
int cmd_model(const struct args *args);
int cmd_inspect(const struct args *args);
int cmd_serve(const struct args *args);

#endif
