/*
 * jail.h - gives up what a process that runs a guest does not need.
 *
 * After jail_enter() the process can compute and use its memory and the descriptors it has; it
 * cannot name a file in any call, map a file or executable memory, start, signal or trace a process
 * other than itself, or use the network. A seccomp filter alone sees to that. Only with mounts are
 * there calls that name files, and those that change files only if a mount is writable; which files
 * they reach is for Landlock to say, since a filter cannot read names. Without Landlock a
 * taken-over process with mounts could open whatever its user can: job/start.c refuses that unless
 * told otherwise. It also leaves no core file.
 *
 * The guest's memory has a limit of its own (--memory), for which address space is reserved. Beside
 * that, and what the process has already, it can take JAIL_TOOL_BYTES for itself: decoded
 * instructions, caches, counters, the result. Beyond that allocation fails, which ends the run with
 * a sentence.
 *
 * Does not hide from a process with mounts where symbolic links lead (readlink), nor keep it from
 * changing modes and times in a read-only mount if another one is writable, nor from writing to one
 * whose directory lies within that of a writable one: Landlock adds rights up.
 */
#ifndef JOB_JAIL_H
#define JOB_JAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "linux/files.h"

#define JAIL_TOOL_BYTES (UINT64_C(4) << 30)

/* From now on the calling process is killed when its parent ends, however that ends; at once if it
 * has ended. To be called first in a child of `parent`. */
void jail_die_with(pid_t parent);

/* Whether this kernel has Landlock and lets us use it. */
bool jail_has_landlock(void);

/* For the rest of the process's life. With `copies` it can make copies of itself, wait for them and
 * let them die with it; a copy is in the same jail. False with a sentence if the filter, or
 * Landlock where the kernel has it, cannot be put in place, in which case no guest should be run.
 */
bool jail_enter(const struct mount *mounts, size_t mount_count, bool copies, struct err *err);

/* The same for another thread of a process that will enter the jail, which only computes: it can
 * use memory, wait for and wake other threads, write sentences to standard error and end; no file,
 * no other descriptor. To be called in that thread. */
bool jail_enter_thread(struct err *err);

/* Closes every descriptor but 0, 1, 2, those of the mounts and `kept`. To be called before a guest
 * runs, in the jail or before. */
void jail_close_descriptors(const struct mount *mounts, size_t mount_count, int kept);

#endif
