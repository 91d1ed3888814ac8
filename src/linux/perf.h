/*
 * perf.h - performance events of the guest: what perf_event_open makes, and the counters they are
 * put on.
 *
 * An event counts for one thread, or for the processor. Events form groups, which are put on the
 * counters together or not at all: pinned groups first, then the others in the order of a list,
 * until one does not fit. Where some do not fit, the list is rotated from time to time, and
 * time_enabled and time_running tell how much of an event's time it was counted.
 *
 * The counters are those of a processor that the process does not know: struct counting_unit is the
 * driver's view of it. Invariant: a count changes only by the difference of two readings of a
 * counter, so counts add up whatever happens in between.
 *
 * On a core with time, calls on events are made in an empty core (syscall_reads_counters), so they
 * find the counts of all older instructions and of no younger ones. Changes of threads and
 * rotations take effect at the end of a cycle: the counts of the cycle belong to the thread that
 * was executed when it began.
 *
 * Not modelled: sampling, inheritance by threads created later, events in the kernel: a guest has
 * only user mode, so an event that excludes it counts nothing.
 */
#ifndef LINUX_PERF_H
#define LINUX_PERF_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file;
struct process;
struct shared_file;

/* Counters are numbered as their CSRs: cycle 0, instret 2, hpmcounter3 3, and on to those that have
 * no CSR. */
#define COUNTER_NONE	(-1)
#define PERF_NAME_BYTES 64

struct counting_unit {
	void *context;
	/* The number of an event of types HARDWARE, HW_CACHE and RAW, 0 or more; -EINVAL if type
	 * and config mean nothing, -ENOENT if this processor does not count it. */
	int (*find)(void *context, uint32_t type, uint64_t config);
	/* The code and name of one of the events of type RAW, numbered from 0 in the order of their
	 * codes; -1 if there are not so many. */
	int (*list)(void *context, size_t index, char name[PERF_NAME_BYTES]);
	/* Whether it can be counted now. */
	bool (*can_count)(void *context, int event);
	/* Puts an event on a free counter and returns its number, or COUNTER_NONE. An event that
	 * does not count user mode takes a counter too. */
	int (*start)(void *context, int event, bool counts_user);
	void (*stop)(void *context, int counter);
	/* What the counter's CSR shows. */
	uint64_t (*read)(void *context, int counter);
	/* The first event has been made. May be NULL. */
	void (*begin)(void *context);
	uint64_t rotation_ns; /* how long a group stays on the counters while others wait */
	bool is_timed;	      /* a core with time executes, and calls perf_end_cycle */
};

/* What a process keeps of its events. */
struct perf {
	struct counting_unit unit;	 /* find is NULL: there is none */
	struct perf_event *first, *last; /* all events; the order in which groups are tried */
	size_t count;
	uint64_t last_id;
	int tid;	       /* the thread whose events can be on the counters */
	int entered_tid;       /* the thread that the core executes */
	uint64_t rotate_at_ns; /* NEVER_NS: everything fits */
	bool is_due;	       /* counters are to be arranged at the end of the cycle */
};

enum perf_state { PERF_EXIT = -3, PERF_ERROR = -2, PERF_OFF = -1, PERF_INACTIVE = 0, PERF_ACTIVE };

/* Software events are numbered after the unit's. */
#define PERF_SOFTWARE 0x10000

struct perf_event {
	struct process *process;
	struct file *file;
	struct perf_event *next;
	struct perf_event *leader;	 /* itself, unless it is in the group of another */
	struct perf_event *next_sibling; /* in the group, the leader comes first */
	struct perf_event_attr attr;
	uint64_t id;
	int tid;       /* 0: of the processor */
	int owner_tid; /* the thread that opened it */
	int number;    /* of the unit, or PERF_SOFTWARE + config */
	enum perf_state state;
	int counter;		   /* while it is on one, else COUNTER_NONE */
	uint64_t count, read_last; /* and the last reading of the counter */
	uint64_t enabled_ns, running_ns, updated_ns;
};

/* perf.c */
/* The processor's counters: from now on, or of another kind than before. */
void perf_set_unit(struct process *process, const struct counting_unit *unit);
/* To be called at the end of a cycle in which instructions have committed, or perf.is_due. */
void perf_end_cycle(struct process *process);
/* To be called where no core with time executes, after the process was called. */
void perf_end_call(struct process *process);
/* Puts it at the end of the list and on a counter. The caller has made it and charged it. */
void perf_event_add(struct process *process, struct perf_event *event, struct perf_event *leader);
/* Takes it from the list, and frees it. Others of its group become groups of their own. */
void perf_event_remove(struct process *process, struct perf_event *event);
/* Brings count and times up to date. */
void perf_event_update(struct process *process, struct perf_event *event);
void perf_event_enable(struct process *process, struct perf_event *event);
void perf_event_disable(struct process *process, struct perf_event *event);
void perf_event_reset(struct process *process, struct perf_event *event);
/* Arranges what the calls above have changed. */
void perf_arrange(struct process *process);
/* The thread ends: its events never count again. */
void perf_thread_ends(struct process *process, int tid);
/* prctl: all events that the current thread has opened. */
void perf_set_owned(struct process *process, bool is_enabled);

/* fd_perf.c */
struct perf_event *perf_event_of(const struct file *file); /* NULL if it is no such file */
int64_t perf_ioctl(struct process *process, struct file *file, uint32_t request, uint64_t argument);
/* What mmap shows of it: NULL with *failed = a negative errno. */
struct shared_file *perf_content(struct process *process, struct file *file, uint64_t bytes,
				 uint64_t offset, int64_t *failed);
/* Writes the page that the guest has mapped, if it has. */
void perf_event_show(struct process *process, const struct perf_event *event);
/* The bytes that read gives. */
uint64_t perf_read_bytes(const struct perf_event *event);

#endif
