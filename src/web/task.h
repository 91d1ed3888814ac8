/*
 * task.h - short commands of this program whose output is an answer: lists, the page of a diff, the
 * functions of an upload. So many run at a time, the others wait, and output that cannot change is
 * kept, up to a number of bytes.
 *
 * Who holds a task keeps it alive. All functions are called with the server's lock held.
 */
#ifndef WEB_TASK_H
#define WEB_TASK_H

#include "web/child.h"

enum task_state { TASK_WAITS, TASK_RUNS, TASK_ENDED };

struct task {
	enum task_state state;
	char **arguments; /* owned */
	char *key;	  /* what the output depends on */
	bool is_kept;	  /* its output cannot change */
	struct child child;
	double began;
	char *text; /* its standard output */
	size_t bytes, capacity;
	char errors[4096];
	size_t error_bytes;
	int status;
	bool is_too_long;
	unsigned holders;
	uint64_t used_at; /* by which the oldest is known */
	void **waiters;	  /* connections to be told when it ends */
	size_t waiter_count, waiter_capacity;
};

struct tasks {
	struct task **items;
	size_t count, capacity;
	uint64_t now; /* rises with each use */
	unsigned at_once;
	size_t waiting_most;
	int directory; /* in which they run */
	void (*tell)(void *waiter);
};

#define TASK_OUTPUT_MOST  (UINT64_C(256) << 20)
#define TASK_KEPT_MOST	  (UINT64_C(128) << 20)
#define TASK_SECONDS_MOST 180

void tasks_release(struct tasks *tasks);
/* Held by the caller. Takes the arguments. NULL: too many wait. */
struct task *tasks_begin(struct tasks *tasks, char **arguments, bool is_kept);
void tasks_drop(struct tasks *tasks, struct task *task);
/* The waiter is told once, when the task ends. */
void task_wait(struct task *task, void *waiter);
void task_forget_waiter(struct task *task, void *waiter);
/* Starts what can be started, ends what takes too long; to be called now and then. */
void tasks_tick(struct tasks *tasks);
/* What can be read of a task that runs. */
void task_receive(struct task *task);
/* After a child has ended. */
void tasks_collect(struct tasks *tasks);
/* The sentence of a task that failed. */
void task_sentence(const struct task *task, char *text, size_t bytes);

#endif
