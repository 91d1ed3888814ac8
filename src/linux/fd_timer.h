/*
 * fd_timer.h - a timer that is read through a descriptor (timerfd_create).
 *
 * Invariant: the process's list holds every open one, so that timers_run sees it. Setting the clock
 * is not possible, so no timer is ever cancelled by that (TFD_TIMER_CANCEL_ON_SET is accepted).
 */
#ifndef LINUX_FD_TIMER_H
#define LINUX_FD_TIMER_H

#include "linux/process.h"

struct timer_file {
	struct timer_file *next, **link;
	struct file *file;
	struct guest_timer timer;
	int clock;
	uint64_t expirations; /* since the last read or setting */
};

#endif
