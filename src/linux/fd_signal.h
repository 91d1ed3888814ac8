/*
 * fd_signal.h - signals that are read through a descriptor (signalfd4).
 *
 * Invariant: the process's list holds every open one, so that signal_raise can notify it. What a
 * reader gets are the pending signals of its own thread and of the process.
 */
#ifndef LINUX_FD_SIGNAL_H
#define LINUX_FD_SIGNAL_H

#include "linux/process.h"

struct signal_file {
	struct signal_file *next, **link;
	struct file *file;
	uint64_t set;
};

#endif
