/*
 * jail.h - gives up what a process that runs a guest does not need.
 *
 * After jail_enter() the process can compute, use the descriptors it has and
 * its memory, and, only if there are mounts, work with files below them; it
 * cannot open anything else, start a process, trace one, or use the network.
 * Two locks, each enough by itself: a seccomp filter, and Landlock where the
 * kernel has it. It also leaves no core file.
 *
 * The guest's memory has a limit of its own (--memory), for which address space
 * is reserved. Beside that, and what the process has already, it can take
 * JAIL_TOOL_BYTES for itself: decoded instructions, caches, counters, the
 * result. Beyond that allocation fails, which ends the run with a sentence.
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

/* For the rest of the process's life. False if the filter cannot be put in
 * place, in which case no guest should be run. */
bool jail_enter(const struct mount *mounts, size_t mount_count, struct err *err);

#endif
