/*
 * timeline.h - long data misses on a time axis, visiting misses only: a refinement of the windows
 * of Chen and Aamodt (2008).
 *
 * Windows that follow each other leave out what their paper says they leave out: a window of
 * instructions slides, so the end of one overlaps the beginning of the next. Here each load miss m
 * has the times at which it enters the window, gets its data and leaves:
 *
 *   enters   after the miss before it at the pace of the base machine, and when instruction
 *            m - rob_size has left
 *   issues   then, and when the miss it depends on has its data, later by as much as on the base
 *            machine, and when an MSHR is free (store misses take one when they leave)
 *   leaves   after the miss before it at the machine's width, when it has its data, and when the
 *            work of the base machine up to it has been done since the last wait
 *
 * What it takes longer than the base machine is lost to long misses. Of the misses that m depends
 * on, the latest one counts. Not modelled: what waits between misses for units or for branches.
 */
#ifndef MODEL_TIMELINE_H
#define MODEL_TIMELINE_H

#include "model/technique.h"

/* The cycles lost; the observer may be NULL. The skeleton's labels must have had base times. */
double timeline_cycles(const struct technique *technique, const struct design_point *point,
		       const struct skeleton *skeleton, const struct technique_observer *observer);

#endif
