/* inotify descriptors: notify.h says what they tell. */
#include "linux/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>

#include "base/array.h"
#include "linux/file_operations.h"
#include "linux/path.h"
#include "linux/syscall.h"

/* As many as one user has by default. */
#define INSTANCES_MAX 128
#define WATCHES_MAX   65536
#define EVENTS_MAX    16384
#define WATCH_BITS    (IN_ALL_EVENTS | IN_ONESHOT | IN_EXCL_UNLINK)

struct notify_watch {
	int number;
	uint32_t mask;
	uint64_t inode; /* as the guest knows it */
};

struct notify_event {
	int watch;
	uint32_t mask, cookie;
	char *name; /* NULL: none */
};

struct notify {
	struct process *process;
	struct file *file;
	struct notify *next, **link; /* of all of the process */
	struct notify_watch *watches;
	size_t count, capacity;
	int last;
	struct notify_event *events; /* those before `first` are read already */
	size_t first, event_count, event_capacity;
};

static size_t name_bytes(const char *name)
{
	return name ? bits_align_up(strlen(name) + 1, sizeof(struct inotify_event)) : 0;
}

static uint64_t event_charge(const struct notify_event *event)
{
	return sizeof(*event) + (event->name ? strlen(event->name) + 1 : 0);
}

static size_t queued(const struct notify *notify)
{
	return notify->event_count - notify->first;
}

static bool is_same(const struct notify_event *one, const struct notify_event *other)
{
	return one->watch == other->watch && one->mask == other->mask &&
	       !one->name == !other->name && (!one->name || strcmp(one->name, other->name) == 0);
}

/* Puts an event at the end of the queue; one that is there already as the last is not told twice.
 */
static void enqueue(struct notify *notify, struct notify_event event)
{
	struct memory *memory = &notify->process->memory;
	const struct notify_event lost = {.watch = -1, .mask = IN_Q_OVERFLOW};

	if (queued(notify) && !(event.mask & IN_IGNORED) &&
	    is_same(&notify->events[notify->event_count - 1], &event))
		return;
	if (queued(notify) >= EVENTS_MAX || !memory_charge_host(memory, event_charge(&event))) {
		if (queued(notify) && is_same(&notify->events[notify->event_count - 1], &lost))
			return;
		event = lost;
		if (!memory_charge_host(memory, event_charge(&event)))
			return;
	}
	if (notify->first == notify->event_count)
		notify->first = notify->event_count = 0;
	if (event.name)
		event.name = mem_strdup(event.name);
	*ARRAY_PUSH(notify->events, notify->event_count, notify->event_capacity) = event;
	file_notify(notify->file, POLLIN | POLLRDNORM);
}

static void drop_first(struct notify *notify)
{
	struct notify_event *event = &notify->events[notify->first++];

	memory_uncharge_host(&notify->process->memory, event_charge(event));
	free(event->name);
}

static void remove_watch(struct notify *notify, size_t index)
{
	enqueue(notify,
		(struct notify_event){.watch = notify->watches[index].number, .mask = IN_IGNORED});
	notify->watches[index] = notify->watches[--notify->count];
	memory_uncharge_host(&notify->process->memory, sizeof(struct notify_watch));
}

/* Tells the watchers of one file. */
static void tell(struct process *process, uint64_t inode, uint32_t events, uint32_t cookie,
		 const char *name)
{
	for (struct notify *notify = process->notifies; notify; notify = notify->next) {
		for (size_t i = 0; i < notify->count; i++) {
			const struct notify_watch watch = notify->watches[i];

			if (watch.inode != inode)
				continue;
			if (watch.mask & events & IN_ALL_EVENTS) {
				uint32_t mask = events & (watch.mask | ~(uint32_t)IN_ALL_EVENTS);

				enqueue(notify, (struct notify_event){watch.number, mask, cookie,
								      (char *)(uintptr_t)name});
				if (watch.mask & IN_ONESHOT)
					remove_watch(notify, i);
			}
			break;
		}
	}
}

/* What is no more is watched no more. */
static void tell_gone(struct process *process, uint64_t inode)
{
	tell(process, inode, IN_DELETE_SELF, 0, NULL);
	for (struct notify *notify = process->notifies; notify; notify = notify->next)
		for (size_t i = 0; i < notify->count; i++)
			if (notify->watches[i].inode == inode) {
				remove_watch(notify, i);
				break;
			}
}

/* Tells the watchers of the directory that holds the path's last name. */
static void tell_directory(struct process *process, const char *path, uint32_t events,
			   uint32_t cookie)
{
	char directory[PATH_BYTES];
	struct stat info;

	if (path[0] != '/' || strlen(path) >= sizeof(directory))
		return;
	strcpy(directory, path);
	char *slash = strrchr(directory, '/');
	slash[slash == directory] = 0;
	if (stat_path(process, directory, &info) == 0)
		tell(process, info.st_ino, events, cookie, strrchr(path, '/') + 1);
}

struct notify_target notify_look(struct process *process, const char *path)
{
	struct stat info;

	if (!process->notifies || stat_path(process, path, &info) != 0)
		return (struct notify_target){0};
	return (struct notify_target){.is_known = true,
				      .inode = info.st_ino,
				      .is_directory = S_ISDIR(info.st_mode),
				      .has_other_names = info.st_nlink > 1};
}

static uint32_t directory_bit(bool is_directory)
{
	return is_directory ? IN_ISDIR : 0;
}

void notify_path(struct process *process, const char *path, uint32_t events)
{
	const struct notify_target what = notify_look(process, path);

	if (!what.is_known)
		return;
	events |= directory_bit(what.is_directory);
	tell_directory(process, path, events, 0);
	tell(process, what.inode, events, 0, NULL);
}

void notify_file(struct process *process, const struct file *file, uint32_t events)
{
	struct stat info;

	/* What has no name has no directory, and cannot be watched. */
	if (!process->notifies || file->path[0] != '/' || file->flags & O_PATH ||
	    (file->kind != FILE_HOST && file->kind != FILE_DIRECTORY && !file->node) ||
	    stat_file(process, file, &info) != 0)
		return;
	events |= directory_bit(S_ISDIR(info.st_mode));
	tell_directory(process, file->path, events, 0);
	tell(process, info.st_ino, events, 0, NULL);
}

void notify_made(struct process *process, const char *path, bool is_second)
{
	const struct notify_target what = notify_look(process, path);

	if (!what.is_known)
		return;
	if (is_second)
		tell(process, what.inode, IN_ATTRIB, 0, NULL);
	tell_directory(process, path, IN_CREATE | directory_bit(what.is_directory), 0);
}

/* Whether a descriptor is open to the file, other than by `but`. */
static bool is_open(struct process *process, uint64_t inode, const struct file *but)
{
	struct stat info;

	for (uint64_t i = 0; i < FILES_MAX; i++) {
		const struct file *file = files_get_any(&process->files, i);

		if (file && file != but && (file->kind == FILE_HOST || file->node) &&
		    stat_file(process, file, &info) == 0 && info.st_ino == inode)
			return true;
	}
	return false;
}

static void tell_unlinked(struct process *process, const struct notify_target *what)
{
	if ((what->is_directory || !what->has_other_names) && !is_open(process, what->inode, NULL))
		tell_gone(process, what->inode);
}

void notify_removed(struct process *process, const char *path, const struct notify_target *what)
{
	if (!what->is_known)
		return;
	if (!what->is_directory)
		tell(process, what->inode, IN_ATTRIB, 0, NULL);
	tell_unlinked(process, what);
	tell_directory(process, path, IN_DELETE | directory_bit(what->is_directory), 0);
}

void notify_moved(struct process *process, const char *from, const char *to,
		  const struct notify_target *what, const struct notify_target *replaced)
{
	if (!what->is_known)
		return;
	const uint32_t bit = directory_bit(what->is_directory), cookie = ++process->notify_cookie;
	const bool is_replaced = replaced->is_known && replaced->inode != what->inode;
	tell_directory(process, from, IN_MOVED_FROM | bit, cookie);
	tell_directory(process, to, IN_MOVED_TO | bit, cookie);
	if (is_replaced)
		tell(process, replaced->inode, IN_ATTRIB | directory_bit(replaced->is_directory), 0,
		     NULL);
	tell(process, what->inode, IN_MOVE_SELF, 0, NULL);
	if (is_replaced)
		tell_unlinked(process, replaced);
}

void notify_closed(struct process *process, const struct file *file)
{
	struct stat info;

	if (!process->notifies)
		return;
	notify_file(process, file,
		    (file->flags & O_ACCMODE) == O_RDONLY ? IN_CLOSE_NOWRITE : IN_CLOSE_WRITE);
	if (file->kind != FILE_DIRECTORY && stat_file(process, file, &info) == 0 &&
	    !info.st_nlink && !is_open(process, info.st_ino, file))
		tell_gone(process, info.st_ino);
}

int32_t notify_unread(const struct file *file)
{
	const struct notify *notify = file->object;
	size_t bytes = 0;

	for (size_t i = notify->first; i < notify->event_count; i++)
		bytes += sizeof(struct inotify_event) + name_bytes(notify->events[i].name);
	return (int32_t)bytes;
}

/* As many whole events as there is room for. */
static int64_t notify_read(struct process *process, struct file *file, void *to, size_t bytes,
			   int64_t offset)
{
	struct notify *notify = file->object;
	size_t done = 0;

	(void)offset;
	if (!queued(notify))
		return file->flags & O_NONBLOCK ? -EAGAIN : wait_for(process, file, POLLIN);
	while (queued(notify)) {
		const struct notify_event *event = &notify->events[notify->first];
		const size_t padded = name_bytes(event->name);
		const struct inotify_event head = {.wd = event->watch,
						   .mask = event->mask,
						   .cookie = event->cookie,
						   .len = (uint32_t)padded};

		if (sizeof(head) + padded > bytes - done)
			break;
		memcpy((uint8_t *)to + done, &head, sizeof(head));
		done += sizeof(head);
		memset((uint8_t *)to + done, 0, padded);
		if (event->name)
			memcpy((uint8_t *)to + done, event->name, strlen(event->name));
		done += padded;
		drop_first(notify);
	}
	return done ? (int64_t)done : -EINVAL;
}

static short notify_ready(struct process *process, struct file *file)
{
	(void)process;
	return queued(file->object) ? POLLIN | POLLRDNORM : 0;
}

static void notify_close(struct file *file)
{
	struct notify *notify = file->object;

	while (queued(notify))
		drop_first(notify);
	memory_uncharge_host(&notify->process->memory,
			     sizeof(*notify) + notify->count * sizeof(struct notify_watch));
	*notify->link = notify->next;
	if (notify->next)
		notify->next->link = notify->link;
	notify->process->notify_count--;
	free(notify->events);
	free(notify->watches);
	free(notify);
}

const struct file_operations file_notify_kind = {.name = "anon_inode:inotify",
						 .mode = 0600,
						 .has_poll = true,
						 .read = notify_read,
						 .seek = file_seek_nowhere,
						 .ready = notify_ready,
						 .close = notify_close};

int64_t sys_inotify_init1(struct process *process, const uint64_t argument[6])
{
	const uint32_t flags = (uint32_t)argument[0];

	if (flags & ~(uint32_t)(IN_CLOEXEC | IN_NONBLOCK))
		return -EINVAL;
	if (process->notify_count >= INSTANCES_MAX)
		return -EMFILE;
	if (!memory_charge_host(&process->memory, sizeof(struct notify)))
		return -ENOMEM;
	struct notify *notify = mem_alloc(sizeof(*notify));
	struct file *file =
		file_create_object(FILE_NOTIFY, notify, O_RDONLY | (flags & O_NONBLOCK));
	*notify = (struct notify){.process = process,
				  .file = file,
				  .next = process->notifies,
				  .link = &process->notifies};
	if (notify->next)
		notify->next->link = &notify->next;
	process->notifies = notify;
	process->notify_count++;
	return files_install(&process->files, file, 0, flags & IN_CLOEXEC);
}

static int find_notify(struct process *process, uint64_t descriptor, struct notify **found)
{
	const struct file *file = files_get(&process->files, descriptor);

	if (!file)
		return -EBADF;
	if (file->kind != FILE_NOTIFY)
		return -EINVAL;
	*found = file->object;
	return 0;
}

int64_t sys_inotify_add_watch(struct process *process, const uint64_t argument[6])
{
	const uint32_t mask = (uint32_t)argument[2];
	const int flags = mask & IN_DONT_FOLLOW ? AT_SYMLINK_NOFOLLOW : 0;
	struct notify *notify;
	struct stat info;

	if (!(mask & IN_ALL_EVENTS) || (mask & IN_MASK_ADD && mask & IN_MASK_CREATE))
		return -EINVAL;
	int failed = find_notify(process, argument[0], &notify);
	if (!failed)
		failed = stat_at(process, (uint64_t)AT_FDCWD, argument[1], flags, &info);
	if (failed)
		return failed;
	if (mask & IN_ONLYDIR && !S_ISDIR(info.st_mode))
		return -ENOTDIR;
	for (size_t i = 0; i < notify->count; i++) {
		struct notify_watch *watch = &notify->watches[i];

		if (watch->inode != info.st_ino)
			continue;
		if (mask & IN_MASK_CREATE)
			return -EEXIST;
		watch->mask = (mask & WATCH_BITS) | (mask & IN_MASK_ADD ? watch->mask : 0);
		return watch->number;
	}
	if (notify->count >= WATCHES_MAX ||
	    !memory_charge_host(&process->memory, sizeof(struct notify_watch)))
		return -ENOSPC;
	*ARRAY_PUSH(notify->watches, notify->count, notify->capacity) =
		(struct notify_watch){++notify->last, mask & WATCH_BITS, info.st_ino};
	return notify->last;
}

int64_t sys_inotify_rm_watch(struct process *process, const uint64_t argument[6])
{
	struct notify *notify;
	int failed = find_notify(process, argument[0], &notify);

	if (failed)
		return failed;
	for (size_t i = 0; i < notify->count; i++) {
		if (notify->watches[i].number != (int)argument[1])
			continue;
		remove_watch(notify, i);
		return 0;
	}
	return -EINVAL;
}
