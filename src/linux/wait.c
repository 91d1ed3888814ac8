/* Waiting for files: the watches of a thread. */
#include <stdlib.h>

#include "base/array.h"
#include "linux/file_operations.h"

struct thread_watch {
	struct watch watch; /* first: a watch is its thread_watch */
	struct thread *thread;
};

static void wake_thread(struct watch *watch, short events)
{
	struct thread *thread = ((struct thread_watch *)watch)->thread;

	(void)events;
	if (thread->state != THREAD_FILE)
		return;
	thread->state = THREAD_RUNNABLE;
	thread->wake_at_ns = NEVER_NS;
	thread->was_notified = true;
}

void wait_begin(struct process *process, size_t capacity, uint64_t deadline_ns,
		enum wait_restart restart)
{
	struct thread *thread = process->current;

	wait_end(thread);
	if (capacity)
		thread->watches = mem_alloc_array(capacity, sizeof(*thread->watches));
	thread->state = THREAD_FILE;
	thread->wake_at_ns = deadline_ns;
	thread->never_restarts = restart == RESTART_NEVER;
	thread->was_notified = false;
	process->restart = true;
}

void wait_add(struct process *process, struct file *file, short events)
{
	struct thread *thread = process->current;
	struct thread_watch *one = &thread->watches[thread->watch_count++];

	*one = (struct thread_watch){{.events = events, .wake = wake_thread}, thread};
	file->references++;
	file_watch(file, &one->watch);
}

int64_t wait_for(struct process *process, struct file *file, short events)
{
	wait_begin(process, 1, NEVER_NS, RESTART_AFTER_HANDLER);
	wait_add(process, file, events);
	return 0;
}

void wait_end(struct thread *thread)
{
	struct thread_watch *watches = thread->watches;
	size_t count = thread->watch_count;

	thread->watches = NULL;
	thread->watch_count = 0;
	for (size_t i = 0; i < count; i++)
		file_unwatch(&watches[i].watch);
	for (size_t i = 0; i < count; i++)
		file_release(watches[i].watch.file);
	free(watches);
}

uint64_t wait_deadline(struct process *process, uint64_t timeout_ns)
{
	struct thread *thread = process->current;

	if (!thread->restart_deadline_ns)
		thread->restart_deadline_ns =
			timeout_ns == NEVER_NS ? NEVER_NS
					       : time_add(process_now_ns(process), timeout_ns);
	return thread->restart_deadline_ns;
}
