/*
 * order.h - what a client wants run: the body of POST /runs, checked, and the command line that it
 * becomes. Every byte of it may be hostile.
 *
 * The only texts of a client that become names of files are those of files to mount, of which
 * each must be letters, digits, dots, dashes and underscores and begin with none of the latter
 * three. Uploads are named by the SHA-256 of their content, presets, groups and workloads by words.
 * Everything else is an argument of its own on a command line that no shell reads, behind an
 * option that takes it as text, or behind the program.
 *
 * Not here: whether the machine, the counters and the program exist; the command says that.
 */
#ifndef WEB_ORDER_H
#define WEB_ORDER_H

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"
#include "web/limits.h"

/* A command that can be ordered, and what its command line takes. */
struct order_command {
	const char *name;
	bool has_machine; /* --config, --set, --reuse and --quiet: time is simulated, or predicted
			   */
	bool is_many;	  /* it simulates several machines, some of them at a time: --jobs */
	bool is_silent;	  /* the program reads and prints nothing: no --stdin, no --stderr */
	bool is_one_text; /* the program and its arguments are one text */
	bool has_grid;
};

#define ORDER_ARGUMENTS_MOST 256
#define ORDER_FILES_MOST     64
#define ORDER_PAIRS_MOST     4096
#define ORDER_SETS_MOST	     512
#define ORDER_TEXT_MOST	     4096
#define ORDER_NAME_MOST	     64
#define UPLOAD_ID_BYTES	     64 /* hexadecimal digits */

/* Whether a text is the name of an upload; of a preset, group or command. */
bool order_is_upload(const char *text);
bool order_is_word(const char *text);
/* Whether it may be the name of a file to mount. */
bool order_is_file_name(const char *text);

/* A copy of an order with everything that it may leave out, owned by the caller; NULL with a
 * sentence, and *field is the member that it is about, if there is one ("set.rob.size"). */
#define ORDER_FIELD_BYTES 128
json_t *order_read(const json_t *body, const struct web_limits *limits,
		   char field[ORDER_FIELD_BYTES], struct err *err);
/* The same of the body of POST /runs/ID/counters: {"counters", "groups", "every"}. */
json_t *order_read_counters(const json_t *body, char field[ORDER_FIELD_BYTES], struct err *err);
/* The same of the object {KEY: VALUE} of "set" alone; its keys need not be parameters. */
bool order_check_set(const json_t *set, char field[ORDER_FIELD_BYTES], struct err *err);

/* The command line, to be freed with order_arguments_free: for a process in the directory of the
 * run, where an uploaded program is ORDER_PROGRAM. `to` and `listen` are the ports of packets. */
#define ORDER_PROGRAM "program"
struct order_place {
	const char *key; /* the file of the packets' key */
	unsigned to, listen;
	const struct web_limits *limits;
	const char *store; /* NULL: none */
};
char **order_arguments(const json_t *order, const struct order_place *place);
/* The same for `configure`, to a run that listens at that port. */
char **order_configure_arguments(const json_t *counters, const char *key, unsigned port);
void order_arguments_free(char **arguments);

/* Memory that the run may fill, with all that it simulates at a time. */
uint64_t order_memory(const json_t *order, const struct web_limits *limits);
bool order_is(const json_t *order, const char *command);
/* Of an order that was read; NULL if it was made by a version that knows other commands. */
const struct order_command *order_command(const json_t *order);

#endif
