/*
 * results.h - results in a store (store.h): what `run`, `judge`, `stat` and every other command
 * has found, each as the bytes that --json writes and as rows that SQL can ask for.
 *
 * A result is kept once: adding the same bytes again gives the number that they have. A number is
 * never given to another result, also after its own was removed. It is there whole, with all its
 * rows, or not at all: each call is a transaction of its own, waits for other writers for as long
 * as STORE_WAIT_MS says, and is on the disk when it returns. Which rows a result has follows from
 * its layout alone (value/layout.h, store/rows.h); one of a schema that this version does not know
 * is kept without rows.
 *
 * A handle belongs to one thread, and none is kept open while a process forks: any number of
 * threads and processes have one each on the same file. Those opened to be read see the file as it
 * was when they were opened, or when results_refresh was called.
 *
 * Results hold no time and no version; the receipt has them. Not here: what a result looks like
 * (report/), and which of them a command needs (cmd/).
 */
#ifndef STORE_RESULTS_H
#define STORE_RESULTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/store.h"

/* A longer one is refused; results of commands are far below it. */
#define RESULT_BYTES_MOST (256 << 20)

/* What is known of a result besides itself. All zero is allowed. */
struct result_receipt {
	const char *key;     /* of the job (job/key.h), by which it is found; NULL: none */
	const char *version; /* of the tool that made it; NULL: not known */
	uint64_t received;   /* in seconds since 1970; 0: now */
	bool is_step; /* a simulation of `judge`, `sweep` and the like, and no end in itself */
	const char *const *tags;
	size_t tag_count;
};

/* Adds a result, or finds it, and says its number. `bytes` is its text; NULL: as --json writes it.
 * A key that the file knows already then names this result; a step that is given as a result of its
 * own is one from then on. False with a sentence, for example because the disk is full; then
 * nothing of it is there. */
bool results_add(struct store *store, const json_t *result, const char *bytes, size_t count,
		 const struct result_receipt *receipt, int64_t *id, struct err *err);

/* The bytes of a store that has this result, added in the same way, and nothing else; to be freed.
 * NULL with a sentence. */
void *results_alone(const json_t *result, const struct result_receipt *receipt, size_t *count,
		    struct err *err);

/* The bytes that were added, with a 0 behind them, to be freed. They are those that were added:
 * their SHA-256 is compared. NULL with a sentence: there is none of that number, or it is damaged.
 */
char *results_get(struct store *store, int64_t id, size_t *count, struct err *err);
/* The number of the result of an equal job, 0 if there is none. False with a sentence. */
bool results_find(struct store *store, const char *key, int64_t *id, struct err *err);
/* What collect has received of a run, as a result of schema cyclestack-collected-1, owned by the
 * caller. NULL with a sentence. */
json_t *results_collected(struct store *store, uint64_t run, struct err *err);

/* The number of a result, or a run that collect received, as commands write it: 12 or
 * run:0123456789abcdef. False if the text is neither. */
struct result_name {
	int64_t id;   /* 0: a run of collect */
	uint64_t run; /* if the number is 0 */
};
bool result_name_read(struct result_name *name, const char *text);
/* The text of either; NULL with a sentence. To be freed. */
char *results_text(struct store *store, const struct result_name *name, size_t *count,
		   struct err *err);

/* Which results: those that are as all members say that are not NULL or 0. Names are exact, or
 * have * and ? in them, which stand for any characters and any one. */
struct results_filter {
	const char *command, *schema, *program, *arguments, *machine, *tag, *version;
	const char *not_tag;	/* those without this tag */
	uint64_t since, before; /* received from then on, and until then */
	int64_t above, below;	/* of larger and of smaller numbers, for pages of a list */
	bool with_steps, with_collected;
	size_t most; /* 0: all */
};

/* A result in a list. Texts are valid during the call, and never NULL. */
struct result_row {
	const char *name; /* as result_name_read takes it */
	int64_t id;	  /* 0: a run of collect */
	const char *command, *schema;
	const char *program;   /* several are separated by commas */
	const char *arguments; /* of the program, separated by spaces; of a workload its size */
	const char *machine, *changes;
	const char *version, *tags, *sha256;
	uint64_t received, bytes; /* bytes as they were added */
	bool is_partial, is_step;
};
/* In the order of their numbers, or from the last one back. False with a sentence. */
bool results_each(struct store *store, const struct results_filter *filter, bool is_backwards,
		  void (*each)(void *context, const struct result_row *row), void *context,
		  struct err *err);

/* A number in a result. */
struct result_value {
	const char *program, *arguments, *machine;
	const char *member; /* where it is in the layout: programs.methods.max_error */
	const char *of;	    /* what it is of, from the outside in, separated by /: fmt */
	const char *name;   /* its own: max_error, or l1d.misses */
	double value;
	const char *unit, *meaning;
};
bool results_each_value(struct store *store, int64_t id,
			void (*each)(void *context, const struct result_value *value),
			void *context, struct err *err);

bool results_tag(struct store *store, int64_t id, const char *tag, struct err *err);
bool results_untag(struct store *store, int64_t id, const char *tag, struct err *err);
/* Whether a text can be a tag: letters, digits and -_.:+/ and at most 64 of them. */
bool results_is_tag(const char *tag);
/* Removes the results; what is not there is no failure. */
bool results_remove(struct store *store, const int64_t *ids, size_t count, struct err *err);
/* Gives back to the file system what removed results took. */
bool results_compact(struct store *store, struct err *err);

/* What a query says, a row at a time. */
enum result_cell_kind { RESULT_NULL, RESULT_WHOLE, RESULT_NUMBER, RESULT_TEXT, RESULT_BYTES };
struct result_cell {
	enum result_cell_kind kind;
	int64_t whole;
	double number;
	const char *text; /* of RESULT_BYTES too */
	size_t bytes;
};
struct results_reader {
	/* Before the first row, and also if there is none. */
	void (*begin)(void *context, const char *const *columns, size_t count);
	/* False: no more of them are wanted. */
	bool (*row)(void *context, const struct result_cell *cells, size_t count);
	void *context;
};
/* One SELECT over the tables and views of schema.h. Nothing else is executed: no file is opened or
 * written and no setting changed, whatever the text says. It ends with a sentence after so many
 * seconds; 0: never. */
bool results_query(struct store *store, const char *sql, double seconds,
		   const struct results_reader *reader, struct err *err);

/* What a handle that reads sees from now on. */
bool results_refresh(struct store *store, struct err *err);

#endif
