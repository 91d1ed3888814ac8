/*
 * file_operations.h - what each kind of descriptor does: one row of operations per kind.
 *
 * The system calls on descriptors look up the row and know nothing else about a kind. An operation
 * that cannot be done now returns wait_for(): the thread sleeps until the file is notified, and the
 * call is made again. Invariant: whatever makes a file ready for something calls file_notify with
 * it, so a thread that waits never misses a change.
 *
 * Host files and the three standard descriptors are always ready. Their input comes from outside of
 * virtual time: a program that asks gets it, however long the host has to wait, and the program's
 * clock does not see the difference. That keeps polling deterministic.
 */
#ifndef LINUX_FILE_OPERATIONS_H
#define LINUX_FILE_OPERATIONS_H

#include <poll.h>
#include <sys/uio.h>

#include "linux/process.h"

#define NO_OFFSET (-1)
/* Longer transfers are done in pieces. */
#define TRANSFER_BYTES (1 << 20)

struct file_operations {
	const char *name; /* what a link to the descriptor would show */
	uint32_t mode;	  /* for stat; 0: the host knows */
	bool has_offset;  /* pread and pwrite work */
	bool has_poll;	  /* epoll accepts it */
	bool is_stream;	  /* a blocking write ends when all is written */
	bool is_record;	  /* a buffer that is accessible in part is EFAULT */
	/* Bytes transferred, or a negative errno. NULL: EINVAL. */
	int64_t (*read)(struct process *process, struct file *file, void *to, size_t bytes,
			int64_t offset);
	int64_t (*write)(struct process *process, struct file *file, const void *from, size_t bytes,
			 int64_t offset);
	/* The position after lseek. NULL: ESPIPE. */
	int64_t (*seek)(struct file *file, int64_t offset, int whence);
	/* Every event that holds now. */
	short (*ready)(struct process *process, struct file *file);
	/* Frees the object. NULL: nothing to free. */
	void (*close)(struct file *file);
};

/* fd_host.c */
extern const struct file_operations file_host, file_standard, file_null, file_zero, file_random,
	file_full, file_directory;
/* content.c */
extern const struct file_operations file_content, file_text;
/* fd_pipe.c */
extern const struct file_operations file_pipe_read, file_pipe_write, file_pipe_both;
bool file_is_pipe(const struct file *file);
/* Opens a FIFO; path is the guest's name for it. 0 with a new file in *out, and process->restart
 * set if the call must wait for someone to open the other end; or a negative errno. */
int64_t fifo_open(struct process *process, struct node *node, uint32_t flags, const char *path,
		  struct file **out);
/* The same call, made again. 0, with process->restart set if it must wait on. */
int64_t fifo_wait(struct process *process, struct file *file);
/* Where a call that opens a FIFO keeps its file while it waits; no call that waits for a
 * descriptor uses that number. */
#define FIFO_PINNED	1
#define FIFO_DESCRIPTOR UINT64_MAX
/* fd_event.c, fd_timer.c, fd_signal.c, fd_epoll.c, fd_socket.c, fd_perf.c, fd_notify.c */
extern const struct file_operations file_event, file_timer, file_signal, file_epoll, file_socket,
	file_perf, file_notify_kind;

const struct file_operations *file_operations(const struct file *file);

/* sys_file.c: checks the access mode first. */
int64_t file_read(struct process *process, struct file *file, void *to, size_t bytes,
		  int64_t offset);
int64_t file_write(struct process *process, struct file *file, const void *from, size_t bytes,
		   int64_t offset);
/* Raises SIGPIPE and returns -EPIPE. */
int64_t file_broken_pipe(struct process *process);
/* fd_host.c: where a host file is read and written next. */
int64_t file_position(const struct file *file);
/* 0 or a negative errno. */
int64_t file_set_position(struct file *file, int64_t position);
/* Charges a memory file for bytes that are about to be written. */
bool file_charge_growth(struct file *file, uint64_t offset, uint64_t bytes);
/* For files without a position, of which the kernel says that it is always 0. */
int64_t file_seek_nowhere(struct file *file, int64_t offset, int whence);
int64_t file_truncate(struct file *file, int64_t bytes);
/* Whether a file may become so long: 0, or SIGXFSZ and -EFBIG. */
int file_check_size(struct process *process, int fd, uint64_t bytes);
/* sys_file.c */
/* A new file without a host descriptor; it takes over the object. */
struct file *file_create_object(enum file_kind kind, void *object, uint32_t flags);
/* Installs two files and tells their numbers; 0, or a negative errno (both are released then). */
int64_t file_open_pair(struct process *process, struct file *first, struct file *second,
		       bool close_on_exec, uint64_t address);

/* locks.c: the commands of fcntl on locks. */
int64_t lock_range(struct process *process, struct file *file, int command, uint64_t address);

/* ranges.c: a list of buffers as readv takes it: its bytes, or a negative errno. All lie in the
 * address space then; whether they are mapped is another matter. */
#define RANGES_BYTES_MAX 0x7ffff000
int64_t ranges_read(struct process *process, uint64_t address, uint64_t count,
		    struct iovec ranges[1024]);
enum ranges_way { RANGES_GET, RANGES_PUT, RANGES_ASK };
/* Copies out of the ranges, from the byte `skip` on, into a buffer, or into them, or asks only
 * whether it could be put. The bytes before the first that cannot be accessed. */
size_t ranges_move(struct process *process, const struct iovec *ranges, size_t count, size_t skip,
		   uint8_t *buffer, size_t bytes, enum ranges_way way);
/* One read or write between a file and the ranges. Data passes through a buffer of this process, so
 * that the host kernel never gets a guest address. A blocking write to a stream ends when all is
 * written; what is done by then is kept with the thread while it waits, also if the descriptor does
 * not block any more when it goes on. */
int64_t ranges_transfer(struct process *process, struct file *file, const struct iovec *ranges,
			size_t count, int64_t offset, bool is_write);

/* wait.c: how a call that waits ends when a handler has run. */
enum wait_restart {
	RESTART_AFTER_HANDLER, /* made again if the handler has SA_RESTART, else EINTR */
	RESTART_NEVER,	       /* EINTR */
};

/* Begins a wait of the current thread for up to `capacity` files until `deadline_ns` (or NEVER_NS);
 * the call is made again when it ends. False, and no wait, if --memory forbids so many. */
bool wait_begin(struct process *process, size_t capacity, uint64_t deadline_ns,
		enum wait_restart restart);
/* Adds a file, of which the thread keeps a reference while it waits. */
void wait_add(struct process *process, struct file *file, short events);
/* Waits for one file. Returns 0, with process->restart set, or -ENOMEM. */
int64_t wait_until(struct process *process, struct file *file, short events, uint64_t deadline_ns,
		   enum wait_restart restart);
/* Waits for one file without a deadline. Returns 0, with process->restart set. */
int64_t wait_for(struct process *process, struct file *file, short events);
/* Keeps what the descriptors among the arguments stand for until the call has ended. */
void wait_pin(struct process *process, const uint64_t argument[6], uint64_t number);
void wait_unpin(struct thread *thread);
/* Ends the watches of a thread that no longer waits. */
void wait_end(struct thread *thread);
/* The deadline of a call with a timeout from now on: the one it began with if it is made again. */
uint64_t wait_deadline(struct process *process, uint64_t timeout_ns);
/* The same where the deadline is known already. */
uint64_t wait_same_deadline(const struct thread *thread, uint64_t deadline_ns);

/* fd_pipe.c: the size of a new one. */
#define PIPE_BYTES 65536
size_t pipe_used(const struct file *file);
/* The bytes of the pages that are free; none where nobody can read. */
size_t pipe_room(const struct file *file);
int64_t pipe_size(const struct file *file);
/* The size after it, or a negative errno. */
int64_t pipe_resize(struct file *file, uint32_t bytes);
/* Puts pages into a pipe to which nothing is added; they begin and end as those of memory at
 * `address` do. The bytes for which there was room. */
size_t pipe_give(struct file *file, const void *from, size_t bytes, uint64_t address);
/* Moves pages from one pipe to another, or copies them if the first `keeps` them. How many
 * bytes. */
size_t pipe_move(struct file *in, struct file *out, size_t bytes, bool keeps);

/* fd_socket.c: the bytes that wait to be read. */
int32_t socket_unread(const struct file *file);

/* timers.c: arms a timer, or stops it where the value is 0. */
void timer_set(struct process *process, struct guest_timer *timer, int clock, uint64_t interval_ns,
	       uint64_t value_ns, bool is_absolute, int tid);

/* sys_time.c */
int time_read(struct process *process, uint64_t address, uint64_t *ns);
/* The same for a pointer that may be NULL, which is NEVER_NS. */
int time_read_timeout(struct process *process, uint64_t address, uint64_t *ns);
uint64_t time_add(uint64_t a, uint64_t b);
void time_write(struct process *process, uint64_t address, uint64_t ns);
/* The clock behind a number that may name the CPU time of one thread, told in *tid; -EINVAL if
 * there is none. */
int time_clock(struct process *process, int clock, int *tid);
/* An absolute time of the guest's clock as virtual time. */
uint64_t time_from_clock(int clock, uint64_t ns);
/* interval and value, as struct itimerspec has them. False if one is no time. */
bool time_read_interval(const int64_t spec[4], uint64_t *interval_ns, uint64_t *value_ns);
void time_make_interval(int64_t spec[4], uint64_t interval_ns, uint64_t left_ns);

/* signals.c: installs a signal mask for the time of a call, once; 0 or a negative errno. */
int64_t signal_begin_mask(struct process *process, uint64_t address, uint64_t bytes);
/* The mask from before, unless the call ends by a signal. */
void signal_end_mask(struct process *process);

#endif
