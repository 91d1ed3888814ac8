/* Waiting for files: the watches of a thread. */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "linux/file_operations.h"
#include "linux/syscall.h"

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

bool wait_begin(struct process *process, size_t capacity, uint64_t deadline_ns,
		enum wait_restart restart)
{
	struct thread *thread = process->current;

	wait_end(thread);
	if (!memory_charge_host(&process->memory, capacity * sizeof(*thread->watches)))
		return false;
	thread->watch_capacity = capacity;
	thread->watches_charged_to = &process->memory;
	if (capacity)
		thread->watches = mem_alloc_array(capacity, sizeof(*thread->watches));
	thread->state = THREAD_FILE;
	thread->wake_at_ns = deadline_ns;
	thread->never_restarts = restart == RESTART_NEVER;
	thread->was_notified = false;
	process->restart = true;
	return true;
}

void wait_add(struct process *process, struct file *file, short events)
{
	struct thread *thread = process->current;
	struct thread_watch *one = &thread->watches[thread->watch_count++];

	*one = (struct thread_watch){{.events = events, .wake = wake_thread}, thread};
	file->references++;
	file_watch(file, &one->watch, false);
}

int64_t wait_until(struct process *process, struct file *file, short events, uint64_t deadline_ns,
		   enum wait_restart restart)
{
	if (!wait_begin(process, 1, deadline_ns, restart))
		return -ENOMEM;
	wait_add(process, file, events);
	return 0;
}

int64_t wait_for(struct process *process, struct file *file, short events)
{
	return wait_until(process, file, events, NEVER_NS, RESTART_AFTER_HANDLER);
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
	if (thread->watch_capacity)
		memory_uncharge_host(thread->watches_charged_to,
				     thread->watch_capacity * sizeof(*watches));
	thread->watch_capacity = 0;
}

static void pin(struct process *process, struct pinned_file *pinned, uint64_t descriptor)
{
	struct file *file = descriptor < FILES_MAX ? files_get(&process->files, descriptor) : NULL;

	if (!file)
		return;
	file->references++;
	*pinned = (struct pinned_file){descriptor, file};
}

void wait_pin(struct process *process, const uint64_t argument[6], uint64_t number)
{
	struct thread *thread = process->current;

	if (thread->pinned[0].file)
		return;
	pin(process, &thread->pinned[0], argument[0]);
	if (number == SYSCALL_splice || number == SYSCALL_tee)
		pin(process, &thread->pinned[1], argument[number == SYSCALL_splice ? 2 : 1]);
}

void wait_unpin(struct thread *thread)
{
	for (int i = 0; i < PINNED_MAX; i++) {
		struct file *file = thread->pinned[i].file;

		thread->pinned[i].file = NULL;
		if (file)
			file_release(file);
	}
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

uint64_t wait_same_deadline(const struct thread *thread, uint64_t deadline_ns)
{
	return thread->is_restarting && thread->restart_deadline_ns ? thread->restart_deadline_ns
								    : deadline_ns;
}
