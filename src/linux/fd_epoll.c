/* Event polls: a list of watched files, and a queue of those that may be ready. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/array.h"
#include "linux/file_operations.h"
#include "linux/syscall.h"

#define ITEMS_MAX    8192
#define NESTING_MAX  4
#define EVENTS_MAX   (INT32_MAX / sizeof(struct guest_event))
#define CONTROL_BITS (EPOLLWAKEUP | EPOLLONESHOT | EPOLLET | EPOLLEXCLUSIVE)
#define EXCLUSIVE_BITS \
	(EPOLLIN | EPOLLOUT | EPOLLERR | EPOLLHUP | EPOLLWAKEUP | EPOLLET | EPOLLEXCLUSIVE)

struct guest_event {
	uint32_t events, pad;
	uint64_t data;
};

struct item {
	struct watch watch; /* first: a watch is its item */
	struct epoll *epoll;
	int descriptor;
	uint32_t events;
	uint64_t data;
	bool is_queued;
	struct item *next_queued, *next;
};

struct epoll {
	struct file *file;
	struct process *process;
	struct memory *memory; /* that items are charged to */
	uint64_t told;	       /* process->epoll_round when those that watch it were last woken */
	struct item *items;
	size_t item_count;
	uint64_t round; /* of the search that found `nesting` */
	int nesting;
	struct item *first_queued, **last_queued;
};

/* NULL if the file is no event poll. */
static struct epoll *epoll_of(const struct file *file)
{
	return file->kind == FILE_EPOLL ? file->object : NULL;
}

static void queue_item(struct item *item)
{
	if (item->is_queued)
		return;
	item->is_queued = true;
	item->next_queued = NULL;
	*item->epoll->last_queued = item;
	item->epoll->last_queued = &item->next_queued;
}

static struct item *unqueue_first(struct epoll *epoll)
{
	struct item *item = epoll->first_queued;

	epoll->first_queued = item->next_queued;
	if (!epoll->first_queued)
		epoll->last_queued = &epoll->first_queued;
	item->is_queued = false;
	return item;
}

static void unqueue(struct item *item)
{
	struct epoll *epoll = item->epoll;

	if (!item->is_queued)
		return;
	for (struct item **at = &epoll->first_queued; *at; at = &(*at)->next_queued)
		if (*at == item) {
			*at = item->next_queued;
			if (!*at)
				epoll->last_queued = at;
			break;
		}
	item->is_queued = false;
}

/* Who watches the event poll is told of every event, also of one more for an item that is queued.
 * Where event polls watch each other along many ways, each is told once of one event, which bounds
 * the work. */
static void tell(struct epoll *epoll)
{
	struct process *process = epoll->process;

	if (!process->epoll_depth)
		process->epoll_round++;
	if (epoll->told == process->epoll_round)
		return;
	epoll->told = process->epoll_round;
	process->epoll_depth++;
	file_notify(epoll->file, POLLIN);
	process->epoll_depth--;
}

static void item_wakes(struct watch *watch, short events)
{
	struct item *item = (struct item *)watch;

	/* After a one-shot event nothing is reported until the item is changed. */
	if (!(item->events & ~(uint32_t)CONTROL_BITS) || !((uint32_t)events & item->events))
		return;
	queue_item(item);
	tell(item->epoll);
}

static void remove_item(struct item *item)
{
	struct item **at = &item->epoll->items;

	while (*at != item)
		at = &(*at)->next;
	*at = item->next;
	item->epoll->item_count--;
	unqueue(item);
	file_unwatch(&item->watch);
	memory_uncharge_host(item->epoll->memory, sizeof(*item));
	free(item);
}

static void file_of_item_closes(struct watch *watch)
{
	remove_item((struct item *)watch);
}

static uint32_t item_ready(struct process *process, const struct item *item)
{
	struct file *file = item->watch.file;

	return (uint32_t)(unsigned short)file_operations(file)->ready(process, file) & item->events;
}

static short epoll_ready(struct process *process, struct file *file)
{
	struct epoll *epoll = file->object;

	for (struct item *item = epoll->first_queued, *next; item; item = next) {
		next = item->next_queued;
		if (item_ready(process, item))
			return POLLIN | POLLRDNORM;
		unqueue(item);
	}
	return 0;
}

static void epoll_close(struct file *file)
{
	struct epoll *epoll = file->object;

	while (epoll->items)
		remove_item(epoll->items);
	free(epoll);
}

const struct file_operations file_epoll = {.name = "anon_inode:[eventpoll]",
					   .mode = 0600,
					   .has_poll = true,
					   .seek = file_seek_nowhere,
					   .ready = epoll_ready,
					   .close = epoll_close};

int64_t sys_epoll_create1(struct process *process, const uint64_t argument[6])
{
	if ((uint32_t)argument[0] & ~(uint32_t)EPOLL_CLOEXEC)
		return -EINVAL;
	struct epoll *epoll = mem_alloc(sizeof(*epoll));
	epoll->last_queued = &epoll->first_queued;
	epoll->process = process;
	epoll->memory = &process->memory;
	epoll->file = file_create_object(FILE_EPOLL, epoll, O_RDWR);
	return files_install(&process->files, epoll->file, 0, argument[0] & EPOLL_CLOEXEC);
}

/* The length of the longest chain of event polls that begins here; more than NESTING_MAX if it
 * leads to `target`. `round` is a number not used before: an event poll is looked at once in a
 * round. */
static int nesting_below(struct epoll *epoll, const struct epoll *target, uint64_t round)
{
	int longest = 0;

	if (epoll == target)
		return NESTING_MAX + 1;
	if (epoll->round == round)
		return epoll->nesting;
	for (const struct item *item = epoll->items; item && longest <= NESTING_MAX;
	     item = item->next) {
		struct epoll *inner = epoll_of(item->watch.file);
		int below = inner ? 1 + nesting_below(inner, target, round) : 0;

		if (below > longest)
			longest = below;
	}
	epoll->round = round;
	epoll->nesting = longest;
	return longest;
}

/* The same for those that watch this one, one through another. */
static int nesting_above(struct epoll *epoll, uint64_t round)
{
	int longest = 0;

	if (epoll->round == round)
		return epoll->nesting;
	for (const struct watch *watch = epoll->file->watches; watch; watch = watch->next) {
		if (watch->wake != item_wakes)
			continue;
		int above = 1 + nesting_above(((const struct item *)watch)->epoll, round);

		if (above > longest)
			longest = above;
	}
	epoll->round = round;
	epoll->nesting = longest;
	return longest;
}

static int64_t add_item(struct process *process, struct epoll *epoll, struct file *file,
			int descriptor, const struct guest_event *event)
{
	if (epoll->item_count >= ITEMS_MAX)
		return -ENOSPC;
	if (!memory_charge_host(epoll->memory, sizeof(struct item)))
		return -ENOMEM;
	struct item *item = mem_alloc(sizeof(*item));
	*item = (struct item){.epoll = epoll,
			      .descriptor = descriptor,
			      .events = event->events | EPOLLERR | EPOLLHUP,
			      .data = event->data};
	item->watch.events = (short)(event->events & 0x7fff);
	item->watch.wake = item_wakes;
	item->watch.closed = file_of_item_closes;
	item->next = epoll->items;
	epoll->items = item;
	epoll->item_count++;
	file_watch(file, &item->watch, item->events & EPOLLEXCLUSIVE);
	if (item_ready(process, item)) {
		queue_item(item);
		tell(epoll);
	}
	return 0;
}

static int64_t change_item(struct process *process, struct item *item,
			   const struct guest_event *event)
{
	if (item->events & EPOLLEXCLUSIVE)
		return -EINVAL;
	item->events = event->events | EPOLLERR | EPOLLHUP;
	item->data = event->data;
	item->watch.events = (short)(event->events & 0x7fff);
	/* That an item is queued already is no event. */
	if (item_ready(process, item) && !item->is_queued) {
		queue_item(item);
		tell(item->epoll);
	}
	return 0;
}

static int64_t check_nesting(const struct process *process, struct epoll *outer,
			     struct epoll *inner)
{
	uint64_t round = 2 * process->syscall_count;
	int below = nesting_below(inner, outer, round);

	return below > NESTING_MAX || below + nesting_above(outer, round + 1) >= NESTING_MAX
		       ? -ELOOP
		       : 0;
}

int64_t sys_epoll_ctl(struct process *process, const uint64_t argument[6])
{
	struct file *outer = files_get(&process->files, argument[0]);
	struct file *file = files_get(&process->files, argument[2]);
	int operation = (int)argument[1], descriptor = (int)argument[2];
	struct guest_event event = {0};

	if (operation != EPOLL_CTL_DEL &&
	    !memory_read(&process->memory, &event, argument[3], sizeof(event)))
		return -EFAULT;
	if (!outer || !file)
		return -EBADF;
	if (!file_operations(file)->has_poll)
		return -EPERM;
	if (outer == file || !epoll_of(outer))
		return -EINVAL;
	if (operation != EPOLL_CTL_DEL && event.events & EPOLLEXCLUSIVE &&
	    (operation == EPOLL_CTL_MOD ||
	     (operation == EPOLL_CTL_ADD &&
	      (epoll_of(file) || event.events & ~(uint32_t)EXCLUSIVE_BITS))))
		return -EINVAL;
	if (operation == EPOLL_CTL_ADD && epoll_of(file)) {
		int64_t failed = check_nesting(process, outer->object, file->object);

		if (failed)
			return failed;
	}
	struct epoll *epoll = outer->object;
	struct item *item = epoll->items;
	while (item && (item->watch.file != file || item->descriptor != descriptor))
		item = item->next;
	switch (operation) {
	case EPOLL_CTL_ADD:
		return item ? -EEXIST : add_item(process, epoll, file, descriptor, &event);
	case EPOLL_CTL_DEL:
		if (!item)
			return -ENOENT;
		remove_item(item);
		return 0;
	case EPOLL_CTL_MOD: return item ? change_item(process, item, &event) : -ENOENT;
	default: return -EINVAL;
	}
}

/* Reports queued items that are ready: an edge once, a level until it is gone, a one-shot event and
 * then no more. Returns their number or -EFAULT. */
static int64_t report(struct process *process, struct epoll *epoll, uint64_t address, size_t most)
{
	struct item *kept = NULL, **last_kept = &kept;
	size_t count = 0;
	bool faulted = false;

	while (epoll->first_queued && count < most && !faulted) {
		struct item *item = unqueue_first(epoll);
		struct guest_event event = {item_ready(process, item), 0, item->data};

		if (!event.events)
			continue;
		faulted = !memory_write(&process->memory, address + count * sizeof(event), &event,
					sizeof(event));
		if (faulted) {
			/* It stays first in the queue. */
			item->is_queued = true;
			item->next_queued = epoll->first_queued;
			epoll->first_queued = item;
			if (!item->next_queued)
				epoll->last_queued = &item->next_queued;
			break;
		}
		count++;
		if (item->events & EPOLLONESHOT) {
			item->events &= CONTROL_BITS;
		} else if (!(item->events & EPOLLET)) {
			item->next_queued = NULL;
			*last_kept = item;
			last_kept = &item->next_queued;
		}
	}
	while (kept) {
		struct item *item = kept;

		kept = item->next_queued;
		queue_item(item);
	}
	return count ? (int64_t)count : faulted ? -EFAULT : 0;
}

static int64_t epoll_wait_now(struct process *process, const uint64_t argument[6],
			      uint64_t timeout_ns)
{
	struct file *file = files_get(&process->files, argument[0]);
	int most = (int)argument[2];

	if (!file)
		return -EBADF;
	if (most <= 0 || (size_t)most > EVENTS_MAX)
		return -EINVAL;
	if (argument[1] > GUEST_SPACE_BYTES)
		return -EFAULT;
	if (!epoll_of(file))
		return -EINVAL;
	int64_t count = report(process, file->object, argument[1], (size_t)most);
	if (count || !timeout_ns || wait_deadline(process, timeout_ns) <= process_now_ns(process))
		return count;
	return wait_until(process, file, POLLIN, process->current->restart_deadline_ns,
			  RESTART_NEVER);
}

static int64_t epoll_wait_masked(struct process *process, const uint64_t argument[6],
				 uint64_t timeout_ns)
{
	int64_t failed = signal_begin_mask(process, argument[4], argument[5]);

	if (failed)
		return failed;
	int64_t result = epoll_wait_now(process, argument, timeout_ns);
	if (!process->restart)
		signal_end_mask(process);
	return result;
}

int64_t sys_epoll_pwait(struct process *process, const uint64_t argument[6])
{
	int32_t timeout_ms = (int32_t)argument[3];

	return epoll_wait_masked(process, argument,
				 timeout_ms < 0 ? NEVER_NS : (uint64_t)timeout_ms * 1000000);
}

int64_t sys_epoll_pwait2(struct process *process, const uint64_t argument[6])
{
	uint64_t timeout_ns;
	int failed = time_read_timeout(process, argument[3], &timeout_ns);

	return failed ? failed : epoll_wait_masked(process, argument, timeout_ns);
}
