/*
 * process.h - a guest process.
 *
 * A process is the state that Linux keeps for a user program: address space,
 * threads, descriptors, signals, time. It does not execute instructions; its
 * caller (process_run, or a simulated core) executes until the cpu stops and
 * passes the stop to process_handle().
 *
 * Deterministic: time advances one nanosecond per committed instruction (plus
 * what sleeping skips), random numbers come from the seed, threads take turns
 * of a fixed number of instructions, directory listings are sorted, and the
 * three inherited descriptors look like pipes whatever they are. Nothing the
 * guest sees depends on the host's paths, environment or clock, except the
 * contents of the files and input it reads.
 *
 * Not modelled: other processes (fork and exec are refused by name), so sockets lead only to the
 * process itself; priorities, so a mutex with priority inheritance goes to who waits longest.
 *
 * The struct is shared by the files of src/linux; others use the functions.
 */
#ifndef LINUX_PROCESS_H
#define LINUX_PROCESS_H

#include <signal.h>
#include <sys/resource.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/rng.h"
#include "config/config.h"
#include "guest/memory.h"
#include "isa/cpu.h"
#include "image/debug.h"
#include "image/elf.h"
#include "linux/files.h"
#include "linux/inodes.h"
#include "linux/locks.h"
#include "linux/perf.h"
#include "linux/shared.h"

struct process;

struct process_options {
	const char *program;  /* the name used in messages */
	const uint8_t *image; /* the ELF's bytes; must outlive the process */
	size_t image_bytes;
	/* A file with the program's symbols and debugging information, which must outlive the
	 * process; NULL: they are read from the image. */
	const uint8_t *debug;
	size_t debug_bytes;
	bool raw_names;		    /* functions are named as in the file */
	const char *const *argv;    /* NULL-terminated */
	const char *const *env;	    /* NULL-terminated NAME=VALUE, or NULL */
	const char *cwd;	    /* the guest's working directory; NULL = "/" */
	const struct mount *mounts; /* descriptors already open */
	size_t mount_count;
	/* Directories in which the tool finds debugging information of libraries; the guest does
	 * not see them. */
	const struct mount *debug_mounts;
	size_t debug_mount_count;
	uint64_t seed;
	uint64_t memory_limit_bytes;
	const char *const *denied; /* system calls to answer with ENOSYS, or NULL */
	size_t denied_count;
	bool silent; /* standard output is discarded, which the guest cannot detect */
	enum config_profile profile; /* the instructions the processor has */
	bool strict;		     /* an unknown system call ends the run */
	bool keeps_mtime;	     /* stat tells the host's times of modification */
	bool stdin_is_file;	     /* descriptor 0 is a regular file, and the guest may know it */
	/* What its instructions are translated into; must outlive the process. NULL: they are
	 * interpreted. */
	const struct code_cache *code_cache;
	/* Receives each sentence meant for the user; may be NULL. */
	void (*warn)(void *context, const char *sentence);
	void *warn_context;
	/* Told when reading symbols and debugging information begins and ends; may be NULL. */
	void (*note_reading)(void *context, bool reads);
	void *reading_context;
};

enum thread_state {
	THREAD_RUNNABLE,
	THREAD_FUTEX,	/* until woken, or until wake_at_ns */
	THREAD_SLEEP,	/* until wake_at_ns */
	THREAD_FILE,	/* until a watched file is notified, or wake_at_ns; then the call is made
			   again */
	THREAD_SIGNAL,	/* until a signal comes */
	THREAD_SIGWAIT, /* until one of wait_set is pending; then the call is made again */
	THREAD_DEAD,
};

#define NEVER_NS UINT64_MAX
/* The latest time that a program can sleep to, some 292 years after it began. From there on
 * instructions still advance the clock, and cannot make it begin again from 0. */
#define LATEST_NS (NEVER_NS / 2)
/* What the guest's clock of the day shows at virtual time 0: the year 2000. */
#define GUEST_EPOCH_SECONDS 946684800
/* The guest's user and group; there is no other. */
#define GUEST_USER_ID 0

/* What a thread in THREAD_FUTEX waits for. */
enum futex_wait {
	FUTEX_WAITS,	     /* a wake-up */
	FUTEX_WAITS_REQUEUE, /* being moved to a PI futex */
	FUTEX_WAITS_LOCK,    /* the ownership of a PI futex */
};

/* Signals sent and not yet taken. */
struct signal_queue {
	uint64_t pending; /* their numbers as bits */
	siginfo_t *items; /* standard signals at most once each, real-time ones as sent */
	size_t count, capacity;
};

struct thread {
	struct hart hart; /* valid while another thread runs */
	int tid;
	enum thread_state state;
	uint64_t wake_at_ns;
	uint64_t remain_address; /* receives the remaining time of an interrupted sleep; 0: none */
	struct thread_watch *watches; /* on the files that the thread waits for */
	size_t watch_count, watch_capacity;
	struct memory *watches_charged_to;
	uint64_t call_argument; /* what was in a0 before the call that waits */
	uint64_t futex_address;
	uint32_t futex_bitset;
	uint64_t futex_order; /* when it began to wait: the longest is woken first */
	enum futex_wait futex_kind;
	uint64_t futex_lock; /* the PI futex that FUTEX_WAIT_REQUEUE_PI is to be moved to */
	uint64_t clear_tid;  /* guest address, or 0 */
	uint64_t robust_list;
	uint64_t signal_mask;
	uint64_t saved_mask; /* the mask before rt_sigsuspend */
	bool has_saved_mask;
	struct signal_queue signals;	       /* sent to this thread */
	uint64_t wait_set;		       /* the signals that rt_sigtimedwait waits for */
	struct pinned_file pinned[PINNED_MAX]; /* while the call waits */
	bool is_restarting;		       /* the ecall will be repeated, or end with EINTR */
	bool never_restarts;		       /* it ends with EINTR whatever the handler's flags */
	bool was_notified;	      /* a watched file woke it: the call comes before signals */
	uint64_t restart_deadline_ns; /* the deadline of a restarted call; 0: none yet */
	uint64_t progress_bytes;      /* what a restarted write has written */
	char name[16];
	uint64_t altstack, altstack_bytes;
	uint32_t altstack_flags;
	uint64_t instructions; /* committed by this thread */
	/* What is known to be its stack and nothing else: [low, high); equal: nothing. */
	uint64_t stack_low, stack_high;
};

struct guest_sigaction {
	uint64_t handler;
	uint64_t flags;
	uint64_t mask;
};

/* A timer on one of the guest's clocks; at_ns 0 = off. */
struct guest_timer {
	uint64_t at_ns, interval_ns;
	uint64_t before; /* how often it ran out before virtual time began */
	uint64_t tried;	 /* the value of process.idle_round when it last ran out */
};

/* What timer_create makes. */
struct posix_timer {
	struct guest_timer timer;
	int clock;
	int clock_tid; /* of the thread whose time a CPU-time clock counts */
	int tid;       /* of the thread that is signalled */
	int notify;    /* SIGEV_SIGNAL ... */
	int number;
	uint64_t value;
	bool is_queued;	  /* its signal is in a queue */
	uint64_t overrun; /* expirations since the signal was queued */
	int last_overrun; /* what timer_getoverrun tells */
};

struct notify;
struct timer_file;
struct signal_file;
struct socket;

/* A stretch of the address space that came from a file, or is shared. */
struct file_mapping {
	uint64_t start, bytes, offset;
	char *path;
	struct shared_file *shared; /* NULL: a copy */
	unsigned protection;	    /* of a shared one, as the guest asked for it */
	bool may_write;		    /* of a shared one: the descriptor allowed it */
	uint64_t valid_bytes;	    /* of a copy: what lies after is past the end of the file */
};

enum process_state {
	PROCESS_RUNNING,
	PROCESS_EXITED, /* status is the exit status */
	PROCESS_KILLED, /* status is the signal */
	PROCESS_FAILED, /* error says why: deadlock, refused under strict */
};

struct process {
	struct process_options options;
	/* The processor that files describe; NULL: one without caches. */
	const struct config *machine;
	char *name; /* the first argument, which the caller's options need not keep */
	struct memory memory;
	struct cpu cpu;
	struct elf elf;
	uint64_t bias; /* added to the ELF's addresses */
	uint64_t interp_base;
	uint64_t brk_start, brk;
	uint64_t mmap_below;
	uint64_t initial_sp, stack_low; /* of the first thread */
	/* Where its arguments, environment and auxiliary vector are, as the loader put them. */
	uint64_t arguments_start, environment_start, environment_end, auxv_start, auxv_bytes;
	uint64_t sigreturn_address;
	struct debug debug; /* of the program's own code, at addresses without the bias */

	struct thread **threads;
	size_t thread_count, thread_capacity;
	struct thread *current;
	int next_tid;
	/* A copy that only looks ahead: it ends before the first system call that may have an
	 * effect outside it, or a fault. How many of these the process has come to so far. */
	bool is_ahead;
	uint64_t outside_count;
	uint64_t slice_ends; /* the end of the current time slice, in cpu.instructions */
	uint64_t slept_ns;   /* virtual time that no instruction accounts for */
	uint64_t mark;	     /* cpu.instructions when they were last added to the current thread */

	struct guest_sigaction actions[65];
	struct signal_queue signals;	   /* sent to the process: any thread may take them */
	struct guest_timer timers[3];	   /* ITIMER_REAL, _VIRTUAL, _PROF */
	struct posix_timer **posix_timers; /* by number; NULL where deleted */
	size_t posix_timer_count, posix_timer_capacity;
	uint64_t idle_round; /* counts the choices of a thread to run */
	struct timer_file *timer_files;
	struct signal_file *signal_files;
	struct notify *notifies; /* the inotify descriptors */
	size_t notify_count;
	uint32_t notify_cookie; /* of the last file that was moved */
	struct socket *sockets; /* all of them */
	size_t socket_count;
	unsigned sockets_bound; /* counts the names the kernel chose */
	unsigned rights_queued; /* descriptors that are in messages */
	uint64_t epoll_round;	/* counts the events that event polls are told of */
	unsigned epoll_depth;	/* how many tell one another now */
	uint64_t futex_waits;	/* counts them, for their order */
	struct rlimit limits[16];
	struct files files;
	struct inodes inodes;
	struct locks locks;
	struct perf perf;
	uint64_t context_switches, access_faults;
	uint32_t group_count; /* supplementary groups, all of them 0 */
	uint32_t personality; /* as set */
	int niceness;
	struct file_mapping *mappings;
	size_t mapping_count, mapping_capacity;
	uint64_t mapping_path_bytes; /* of host memory that the names of their files take */
	struct shared_file **shared; /* the content of files that are mapped shared */
	size_t shared_count, shared_capacity;
	size_t shared_mappings; /* how many mappings show them */
	struct rng rng;

	enum process_state state;
	int status;
	struct err error;
	bool is_calling; /* within a system call, whose ecall has been counted already */
	bool restart;	 /* set by a system call that must be made again later */

	bool warned_open;
	bool warned_memory;
	bool warned_fork;
	bool warned_exec;
	bool warned_network;
	bool warned_read_only;
	uint64_t unknown_calls; /* system calls answered with ENOSYS */
	uint64_t harmless_calls;
	uint64_t syscall_count;
	uint64_t syscall_counts[512];
	bool syscall_denied[512];
};

/* Loads the program and prepares its stack. NULL with a sentence otherwise. */
struct process *process_create(const struct process_options *options, struct err *err);
void process_destroy(struct process *process);

/* The bytes of a file that the guest sees under this name, to be freed; NULL if there is none or it
 * cannot be read whole. */
uint8_t *process_read_file(struct process *process, const char *path, size_t *bytes);
/* The same for a file in the directory of number `mount` among those of debugging information. */
uint8_t *process_read_debug_file(struct process *process, size_t mount, const char *path,
				 size_t *bytes);

/* Runs functionally until the process ends or cpu.instructions reaches limit.
 * True while it is still running. */
bool process_run(struct process *process, uint64_t limit);

/* From now on the process only looks ahead (is_ahead), in a copy of its host process. */
void process_look_ahead(struct process *process);
/* Whether a copy of the host process has a copy of all that the program can change: not if memory
 * is shared with files or between mappings. */
bool process_can_look_ahead(const struct process *process);
/* Handles what stopped the cpu: system calls, faults, the end of a time slice. Afterwards
 * either the state is not PROCESS_RUNNING or cpu.hart is the thread to run next. */
void process_handle(struct process *process, enum cpu_stop stop);

/* The instruction count at which process_handle(STOP_LIMIT) is due next. */
uint64_t process_slice_end(const struct process *process);

/* The core is empty and goes on with the current thread, whose number is returned. */
uint32_t process_enter_thread(struct process *process);

/* Where the part of the current thread's stack begins that ends at `sp`; nobody reads what is there
 * before it is written, for there is no red zone. `sp` itself if that is in no known stack. */
static inline uint64_t process_dead_low(const struct process *process, uint64_t sp)
{
	const struct thread *thread = process->current;

	return sp > thread->stack_low && sp <= thread->stack_high ? thread->stack_low : sp;
}

/* 0..255, or 128+n if killed by signal n; 125 if it failed. */
int process_exit_status(const struct process *process);

/* "0x10234 in main+0x14", or the bare address. Returns `text`. */
char *process_describe_pc(struct process *process, uint64_t pc, char *text, size_t bytes);

/* ---- for the files of src/linux ---- */

void process_warn(struct process *process, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Ends the run with PROCESS_FAILED and a sentence. */
void process_fail(struct process *process, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
uint64_t process_now_ns(const struct process *process);
void process_charge_thread(struct process *process);

/* loader.c */
bool loader_load(struct process *process, struct err *err);
/* Builds the initial stack of the ABI; sets sp and pc. */
bool loader_build_stack(struct process *process, struct err *err);

/* thread.c */
struct thread *thread_add(struct process *process);
void thread_free(struct thread *thread);
void thread_exit_current(struct process *process);
/* Chooses the thread to run next; advances virtual time if all sleep; fails the process with a
 * "deadlock" sentence if no thread can ever run. */
void thread_schedule(struct process *process);
struct thread *thread_find(struct process *process, int tid);

/* fd_socket.c: releases what is left when all descriptors are closed: sockets whose messages hold
 * each other's descriptors. */
void sockets_release(struct process *process);

/* sys_futex.c */
int futex_wake(struct process *process, uint64_t address, uint32_t count, uint32_t bitset);
/* The locks of a thread that ends go to who waits for them. */
void futex_thread_ends(struct process *process, struct thread *thread);

/* timers.c */
/* Lets the timers that have run out take effect; the time of the next, for the length of a slice.
 */
uint64_t timers_run(struct process *process);
/* The next timer that may wake a thread while all wait: none that ran out in this round already,
 * since nothing has changed that decides whom it wakes. */
uint64_t timers_next_idle(const struct process *process);
uint64_t timer_clock(struct process *process, int clock, int tid);
uint64_t timer_left(const struct guest_timer *timer, uint64_t now);
/* Shortens the slice of the current thread to the next timer. */
void timers_changed(struct process *process);

/* sys_process.c */
void limits_init(struct process *process);

/* signals.c */
/* To one thread, or to the process if `thread` is NULL. False if the signal is a real-time one and
 * the limit on queued ones is reached. */
bool signal_raise(struct process *process, struct thread *thread, int number,
		  const siginfo_t *info);
/* Delivers what is pending and not blocked to the current thread. */
void signal_deliver(struct process *process);
/* The signals that are pending and that the thread would take if its mask were `mask`. */
uint64_t signal_pending(const struct process *process, const struct thread *thread, uint64_t mask);
bool signal_is_pending(const struct process *process, const struct thread *thread);
/* Removes the oldest signal of that number, of the thread before that of the process. */
siginfo_t signal_take(struct process *process, struct thread *thread, int number);

/* mappings.c */
/* Adds a copy of `mapping`, with a path of its own. */
void mapping_add(struct process *process, const struct file_mapping *mapping);
/* The mapping that holds the address, or NULL; of shared ones only, if so asked. */
const struct file_mapping *mapping_find(const struct process *process, uint64_t address,
					bool is_shared);
/* The lowest mapping that holds part of the range, or NULL. */
const struct file_mapping *mapping_first(const struct process *process, uint64_t start,
					 uint64_t bytes);
/* Writes back what was stored to shared mappings in the range; false if something could not be
 * written. */
bool mapping_write_back(struct process *process, uint64_t start, uint64_t bytes);
void mapping_remove(struct process *process, uint64_t start, uint64_t bytes);
/* What was mapped at `from` is at `to`; nothing was mapped there. Not for shared mappings. */
void mapping_move(struct process *process, uint64_t from, uint64_t to, uint64_t bytes);
/* mprotect of a mapped range: 0; -EACCES if part of it is shared and must not become writable;
 * -ENOMEM at the memory limit. */
int64_t mapping_protect(struct process *process, uint64_t start, uint64_t bytes,
			unsigned protection);
/* True if the guest may access this address in one of these ways, but the file it came from ends
 * before. */
bool mapping_is_past_end(const struct process *process, uint64_t address, unsigned ways);
/* Writes everything back and forgets it. */
void mapping_release_all(struct process *process);

#endif
