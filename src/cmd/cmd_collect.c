#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "cmd/command.h"
#include "cmd/key.h"
#include "cmd/outputs.h"
#include "job/worker.h"
#include "report/collected.h"
#include "stats/receiver.h"

#define SIZE_USUAL (UINT64_C(4) << 30)
#define SIZE_LEAST 262144 /* its tables alone take half of that */

/* A database is a store of results like any other. */
static const char *path_of(const struct args *args)
{
	const char *path = args_get(args, OPTION_DATABASE);

	return path ? path : args_get(args, OPTION_STORE);
}

static bool show_store(struct outputs *outputs, const struct args *args, struct store *store,
		       struct err *err)
{
	struct doc doc;

	doc_init(&doc, "collect");
	bool ok = collected_build(&doc, store, err) &&
		  outputs_show_doc(outputs, args, &doc, "totals-table", err);
	doc_release(&doc);
	return ok;
}

static int show(const struct args *args)
{
	struct outputs outputs;
	struct err err;
	struct store *store = NULL;
	bool ok = outputs_open(&outputs, args, &err) &&
		  (store = store_open(path_of(args), false, &err)) &&
		  show_store(&outputs, args, store, &err);
	int status = ok ? 0 : fail_tool(err.text);

	store_close(store);
	outputs_close(&outputs, status);
	return status;
}

/* What a command line opens. */
struct opened {
	struct collector collector;
	struct store *store;
	struct packet_key key;
	int fd;		 /* negative: none */
	uint64_t wanted; /* runs; 0: until it is interrupted */
};

static bool open_all(struct opened *opened, const struct args *args, struct err *err)
{
	const char *where = args_get(args, OPTION_LISTEN);
	uint64_t size_most = SIZE_USUAL;
	struct link_address address;

	if (!where)
		return err_usage(err,
				 "where should it listen? Give --listen [HOST:]PORT, or --show");
	if (!args_get_count(args, OPTION_RUNS, 1, INT64_MAX, &opened->wanted, err) ||
	    !args_get_bytes(args, OPTION_LIMIT_SIZE, SIZE_LEAST, INT64_MAX / 2, &size_most, err) ||
	    !key_from_args(&opened->key, args, err) ||
	    !link_address_read(&address, where, &opened->key, err))
		return err_as_usage(err);
	opened->store = store_open(path_of(args), true, err);
	if (!opened->store ||
	    !collector_init(&opened->collector, opened->store, &opened->key, size_most, err))
		return false;
	opened->fd = link_listen(&address, err);
	return opened->fd >= 0;
}

static void say_full(void)
{
	say_warning(NULL, "the database has reached --limit-size: of the runs that it has totals "
			  "are still stored, everything else is dropped and counted");
}

/* Receives until it is interrupted or has what it wants; the exit status. */
static int listen_to(struct opened *opened, const struct args *args)
{
	struct err err;
	sigset_t before;
	int signals = worker_watch_signals(&before, &err);

	if (signals < 0)
		return fail_tool(err.text);
	if (!args_get(args, OPTION_QUIET))
		fputs("cyclestack: listening\n", stderr);
	struct receiver *receiver = receiver_create(&opened->collector, opened->fd, say_full);
	bool ok = receiver_run(receiver, opened->wanted, signals, &err);
	const int status = ok ? 0 : fail_tool(err.text);
	receiver_destroy(receiver);
	worker_unwatch_signals(signals, &before);
	return status;
}

int cmd_collect(const struct args *args)
{
	struct err err;

	if (args->rest_count || !path_of(args))
		return fail_usage(command_named("collect"),
				  args->rest_count ? "it runs no program: give options only"
						   : "which file? Give --database FILE, a SQLite "
						     "file");
	if (args_get(args, OPTION_SHOW))
		return show(args);
	/* A write past the limit for files is then an error like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	struct opened *opened = mem_alloc(sizeof(*opened));
	opened->fd = -1;
	const int status = open_all(opened, args, &err) ? listen_to(opened, args)
							: fail_err(command_named("collect"), &err);
	if (opened->fd >= 0)
		close(opened->fd);
	store_close(opened->store);
	link_key_release(&opened->key);
	free(opened);
	return status;
}
