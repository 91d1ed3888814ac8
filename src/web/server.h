/*
 * server.h - the state of a server: runs, uploads, tasks, behind one lock.
 *
 * Two threads share it. One speaks HTTP (http.h), asks through api.h and never waits; the other
 * starts processes, reads what they say, and ends them (server_run). No guest, no upload and no
 * result is read in either: that is done by this program, started again (child.h).
 *
 * Everything that must survive is in the directory of the state before it is answered: a server
 * that was killed goes on with its queue, has all finished results, and marks as interrupted what
 * was under way.
 */
#ifndef WEB_SERVER_H
#define WEB_SERVER_H

#include <pthread.h>

#include "web/limits.h"
#include "web/request.h"
#include "web/run.h"
#include "web/task.h"

struct http;

struct server_options {
	struct web_limits limits;
	unsigned jobs;	     /* runs at a time */
	const char *state;   /* the directory of uploads and runs */
	const char *store;   /* that results go to as well; NULL: none */
	const char *presets; /* the directory of machines */
	const char *groups;  /* that of groups of signals */
	const char *version; /* of this program */
	struct web_door door;
};

struct server {
	struct server_options options;
	pthread_mutex_t lock;
	int wake;			/* an eventfd: something has changed */
	int state, runs_fd, uploads_fd; /* directories */
	struct packet_key key;		/* of packets */
	char *key_path;
	struct run **runs; /* by ascending id */
	size_t run_count, run_capacity;
	uint64_t next_run;
	uint64_t next_upload; /* names files that are not whole yet */
	struct tasks tasks;
	uint64_t disk_bytes; /* what is on the disk, nearly */
	bool is_ending;
	/* Of http.c: begins again with what waits, after something has changed. */
	void (*stir)(void *context);
	void *context;
};

/* Reads what an earlier server has left. NULL with a sentence, for example because one is at work
 * in the directory. */
struct server *server_create(const struct server_options *options, struct err *err);
void server_destroy(struct server *server);
/* Until `signals`, a signalfd, has something other than the end of a child. False with a
 * sentence. */
bool server_run(struct server *server, int signals, struct err *err);

/* The rest is called with the lock held. */
void server_wake(struct server *server);
struct run *server_find(const struct server *server, uint64_t id);
/* Takes the order. NULL with a sentence and the status of the answer. */
struct run *server_enqueue(struct server *server, json_t *order, unsigned *status, struct err *err);
void server_stop(struct server *server, struct run *run);
/* Only of one that is over. */
void server_delete(struct server *server, struct run *run);
/* Whether so many bytes more fit. */
bool server_has_room(const struct server *server, uint64_t bytes);

/* queue.c: the runs of a server. */
void queue_tick(struct server *server, double now);
void queue_collect(struct server *server);
/* Reads what one of its children has said. */
void queue_receive(struct server *server, struct run *run);
void queue_end_all(struct server *server);

#endif
