#include "web/server.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "web/place.h"

#define TICK_MS		100
#define TASKS_WAIT_MOST 256
#define KEY_BYTES	32

void server_wake(struct server *server)
{
	const uint64_t one = 1;

	(void)!write(server->wake, &one, sizeof(one));
}

/* Nobody else may be able to write there, or read uploads of others. */
static bool open_state(struct server *server, struct err *err)
{
	const char *path = server->options.state;
	struct stat info;

	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return err_set_errno(err, errno, "cannot make the directory %s", path);
	server->state = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (server->state < 0 || fstat(server->state, &info) != 0)
		return err_set_errno(err, errno, "cannot open the directory %s", path);
	if (info.st_uid != geteuid() || info.st_mode & (S_IRWXG | S_IRWXO))
		return err_set(err,
			       "the directory %s must be yours and closed to others: chmod 700 "
			       "would make it so",
			       path);
	const int lock =
		openat(server->state, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) != 0) {
		err_set(err, "another server works in %s: end it, or give another --store", path);
		if (lock >= 0)
			close(lock);
		return false;
	}
	/* The lock is held until this process ends. */
	server->runs_fd = place_open_directory(server->state, "runs", err);
	server->uploads_fd =
		server->runs_fd < 0 ? -1 : place_open_directory(server->state, "uploads", err);
	return server->uploads_fd >= 0;
}

static bool make_key(struct server *server, struct err *err)
{
	uint8_t bytes[KEY_BYTES];
	bool is_open;

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return err_set_errno(err, errno, "no random numbers");
	server->key_path = mem_format("%s/key", server->options.state);
	char *real = NULL;
	bool ok = place_write(server->state, "key", bytes, sizeof(bytes), false, err) &&
		  ((real = realpath(server->key_path, NULL)) ||
		   err_set_errno(err, errno, "%s", server->key_path));
	free(server->key_path);
	server->key_path = real;
	return ok && link_key_read(&server->key, real, &is_open, err);
}

static int by_id(const void *a, const void *b)
{
	const struct run *const *left = a, *const *right = b;

	return ((*left)->id > (*right)->id) - ((*left)->id < (*right)->id);
}

/* What was under way when the last server ended is over. */
static void settle(struct server *server, struct run *run)
{
	struct err err;

	if (run->state != RUN_RUNNING)
		return;
	char name[64];
	uint64_t bytes;
	snprintf(name, sizeof(name), "%llu/result.json", (unsigned long long)run->id);
	const int fd = place_open_file(server->runs_fd, name, &bytes);
	run->state = fd >= 0 ? RUN_DONE : RUN_INTERRUPTED;
	if (fd >= 0)
		close(fd);
	said_add(&run->said, fd >= 0 ? "the server ended when the result had just been written"
				     : "the server ended while this was simulated: run it again");
	run->ended = (double)time(NULL);
	run_save(run, server->runs_fd, &err);
}

static bool load_runs(struct server *server, struct err *err)
{
	const int fd = openat(server->state, "runs", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd >= 0 ? fdopendir(fd) : NULL;

	if (!list)
		return err_set_errno(err, errno, "cannot read the runs");
	for (struct dirent *entry; (entry = readdir(list));) {
		struct run *run = run_load(server->runs_fd, entry->d_name);

		if (run) {
			*ARRAY_PUSH(server->runs, server->run_count, server->run_capacity) = run;
			server->disk_bytes += run->bytes;
		} else if (entry->d_name[0] != '.') {
			/* A server was killed before it had told anybody of this run. */
			place_remove(server->runs_fd, entry->d_name);
		}
	}
	closedir(list);
	if (server->run_count)
		qsort(server->runs, server->run_count, sizeof(*server->runs), by_id);
	for (size_t i = 0; i < server->run_count; i++)
		settle(server, server->runs[i]);
	return true;
}

/* Numbers are not given out again, also if the last run was deleted. */
static void load_next(struct server *server)
{
	size_t bytes;
	char *text = place_read(server->state, "next", 32, &bytes);
	const uint64_t kept = text ? strtoull(text, NULL, 10) : 0;
	const uint64_t last = server->run_count ? server->runs[server->run_count - 1]->id : 0;

	server->next_run = kept > last ? kept : last + 1;
	free(text);
}

static void clean_uploads(struct server *server)
{
	const int fd = openat(server->state, "uploads", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd >= 0 ? fdopendir(fd) : NULL;

	for (struct dirent *entry; list && (entry = readdir(list));)
		if (strncmp(entry->d_name, "new-", 4) == 0)
			place_remove(server->uploads_fd, entry->d_name);
	if (list)
		closedir(list);
	server->disk_bytes += place_bytes(server->state, "uploads");
}

struct server *server_create(const struct server_options *options, struct err *err)
{
	struct server *server = mem_alloc(sizeof(*server));

	server->options = *options;
	server->state = server->runs_fd = server->uploads_fd = -1;
	pthread_mutex_init(&server->lock, NULL);
	server->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (server->wake < 0)
		err_set_errno(err, errno, "cannot wait for events");
	if (server->wake < 0 || !open_state(server, err) || !make_key(server, err) ||
	    !load_runs(server, err)) {
		server_destroy(server);
		return NULL;
	}
	load_next(server);
	clean_uploads(server);
	server->tasks = (struct tasks){
		.at_once = (unsigned)options->limits.tasks,
		.waiting_most = TASKS_WAIT_MOST,
		.directory = server->state,
	};
	return server;
}

void server_destroy(struct server *server)
{
	tasks_release(&server->tasks);
	for (size_t i = 0; i < server->run_count; i++)
		run_destroy(server->runs[i]);
	free(server->runs);
	link_key_release(&server->key);
	free(server->key_path);
	const int fds[] = {server->wake, server->runs_fd, server->uploads_fd, server->state};
	for (size_t i = 0; i < ARRAY_COUNT(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	pthread_mutex_destroy(&server->lock);
	free(server);
}

struct run *server_find(const struct server *server, uint64_t id)
{
	size_t low = 0, high = server->run_count;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (server->runs[middle]->id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < server->run_count && server->runs[low]->id == id ? server->runs[low] : NULL;
}

bool server_has_room(const struct server *server, uint64_t bytes)
{
	return server->disk_bytes + bytes <= server->options.limits.disk;
}

static bool may_enqueue(const struct server *server, unsigned *status, struct err *err)
{
	const struct web_limits *limits = &server->options.limits;
	size_t waiting = 0;

	for (size_t i = 0; i < server->run_count; i++)
		waiting += server->runs[i]->state == RUN_QUEUED;
	*status = 429;
	if (waiting >= limits->queue)
		return err_set(err, "%llu runs wait, which is the limit: try again later",
			       (unsigned long long)limits->queue);
	*status = 507;
	if (server->run_count >= limits->runs)
		return err_set(err, "%llu runs are kept, which is the limit: delete some",
			       (unsigned long long)limits->runs);
	if (!server_has_room(server, 1 << 20))
		return err_set(err, "the results take all the room that they may have: delete "
				    "some runs or uploads");
	return true;
}

static bool save_new(struct server *server, const struct run *run, unsigned *status,
		     struct err *err)
{
	char next[32];

	snprintf(next, sizeof(next), "%llu\n", (unsigned long long)run->id + 1);
	*status = 507;
	if (!place_write(server->state, "next", next, strlen(next), false, err))
		return false;
	*status = 422;
	if (!run_save_order(run, server->runs_fd, server->uploads_fd, err))
		return false;
	*status = 507;
	return run_save(run, server->runs_fd, err);
}

struct run *server_enqueue(struct server *server, json_t *order, unsigned *status, struct err *err)
{
	char name[32];

	if (!may_enqueue(server, status, err)) {
		json_decref(order);
		return NULL;
	}
	struct run *run = run_create(server->next_run, order);
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	run->created = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
	run_directory(run, name);
	if (!save_new(server, run, status, err)) {
		place_remove(server->runs_fd, name);
		run_destroy(run);
		return NULL;
	}
	server->next_run++;
	run->bytes = place_bytes(server->runs_fd, name);
	server->disk_bytes += run->bytes;
	*ARRAY_PUSH(server->runs, server->run_count, server->run_capacity) = run;
	server_wake(server);
	return run;
}

void server_delete(struct server *server, struct run *run)
{
	char name[32];

	run_directory(run, name);
	place_remove(server->runs_fd, name);
	server->disk_bytes -= run->bytes < server->disk_bytes ? run->bytes : server->disk_bytes;
	for (size_t i = 0; i < server->run_count; i++)
		if (server->runs[i] == run) {
			server->run_count--;
			memmove(server->runs + i, server->runs + i + 1,
				(server->run_count - i) * sizeof(*server->runs));
			break;
		}
	run_destroy(run);
}

/* What poll waits for, and whose it is. */
struct sources {
	struct pollfd *items;
	size_t count, capacity;
};

static void add_source(struct sources *sources, int fd)
{
	if (fd >= 0)
		*ARRAY_PUSH(sources->items, sources->count, sources->capacity) =
			(struct pollfd){.fd = fd, .events = POLLIN};
}

static void list_sources(struct server *server, int signals, struct sources *sources)
{
	sources->count = 0;
	add_source(sources, signals);
	add_source(sources, server->wake);
	for (size_t i = 0; i < server->run_count; i++) {
		const struct run *run = server->runs[i];

		if (run->state != RUN_RUNNING)
			continue;
		for (int k = 0; k < CHILD_PIPES; k++)
			add_source(sources, run->child.pipes[k]);
		if (run->live)
			add_source(sources, live_fd(run->live));
	}
	for (size_t i = 0; i < server->tasks.count; i++) {
		const struct task *task = server->tasks.items[i];

		if (task->state == TASK_RUNS)
			for (int k = 0; k < CHILD_PIPES; k++)
				add_source(sources, task->child.pipes[k]);
	}
}

static void receive_all(struct server *server)
{
	uint64_t count;

	(void)!read(server->wake, &count, sizeof(count));
	for (size_t i = 0; i < server->run_count; i++)
		if (server->runs[i]->state == RUN_RUNNING)
			queue_receive(server, server->runs[i]);
	for (size_t i = 0; i < server->tasks.count; i++)
		if (server->tasks.items[i]->state == TASK_RUNS)
			task_receive(server->tasks.items[i]);
}

/* Whether one of them asks to end. */
static bool take_signals(int signals)
{
	struct signalfd_siginfo info;
	bool ends = false;

	while (read(signals, &info, sizeof(info)) == sizeof(info))
		ends |= info.ssi_signo != SIGCHLD;
	return ends;
}

bool server_run(struct server *server, int signals, struct err *err)
{
	struct sources sources = {0};
	bool ok = true, ends = false;

	while (ok && !ends) {
		pthread_mutex_lock(&server->lock);
		queue_tick(server, link_seconds());
		tasks_tick(&server->tasks);
		list_sources(server, signals, &sources);
		pthread_mutex_unlock(&server->lock);
		if (server->stir)
			server->stir(server->context);
		if (poll(sources.items, sources.count, TICK_MS) < 0 && errno != EINTR)
			ok = err_set_errno(err, errno, "cannot wait for events");
		pthread_mutex_lock(&server->lock);
		ends = take_signals(signals);
		receive_all(server);
		queue_collect(server);
		tasks_collect(&server->tasks);
		pthread_mutex_unlock(&server->lock);
	}
	free(sources.items);
	pthread_mutex_lock(&server->lock);
	server->is_ending = true;
	queue_end_all(server);
	pthread_mutex_unlock(&server->lock);
	return ok;
}
