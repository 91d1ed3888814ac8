/*
 * syscall.h - the table of system calls.
 *
 * A handler gets the six argument registers, all of them hostile, and returns
 * what goes into a0: a value, or a negative errno. A handler that must wait
 * puts the thread to sleep and sets process->restart; the ecall is repeated
 * when the thread wakes.
 */
#ifndef LINUX_SYSCALL_H
#define LINUX_SYSCALL_H

#include <stdint.h>

#include "linux/process.h"

typedef int64_t syscall_handler(struct process *process, const uint64_t argument[6]);

/* Makes the call in a7 on the current thread's behalf and stores its answer,
 * unless the call itself replaced the registers (rt_sigreturn) or the thread. */
void syscall_handle(struct process *process);

/* Whether the next instruction, a system call, changes and reads nothing but the process itself and
 * its private memory, so that a copy of the host process can make it. */
bool syscall_stays_inside(const struct process *process);

/* Whether the call that the current thread is about to make reads what the processor counts: a call
 * on performance events, or any while clocks advance by cycles. */
bool syscall_reads_counters(const struct process *process);

/* "read", or "number 1234". Static or in `text`. */
const char *syscall_name(uint64_t number, char text[32]);

/* The number of a system call, or -1 if no row has that name. */
int syscall_number(const char *name);

enum syscall_number {
#define DONE(number, name)     SYSCALL_##name = number,
#define HARMLESS(number, name) DONE(number, name)
#define MISSING(number, name)  DONE(number, name)
#include "linux/syscalls.def"
#undef DONE
#undef HARMLESS
#undef MISSING
};

#define DONE(number, name)     syscall_handler sys_##name;
#define HARMLESS(number, name) /* no function */
#define MISSING(number, name)  /* no function */
#include "linux/syscalls.def"
#undef DONE
#undef HARMLESS
#undef MISSING

/* Returned by a handler after which a0 must stay as the handler left it. */
#define SYSCALL_NO_RESULT INT64_MIN

#endif
