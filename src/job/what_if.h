/*
 * what_if.h - a machine that a run is supposed to have had: the one that runs, with changes of
 * parameters that can change while a machine runs (machine/live.h).
 */
#ifndef JOB_WHAT_IF_H
#define JOB_WHAT_IF_H

#include <stdbool.h>

#include "base/err.h"
#include "config/config.h"

#define WHAT_IF_MOST 256

/* Reads "key=value,key=value,...", which are changes of the machine `run`. False with a sentence if
 * one of them is wrong or cannot be answered. */
bool what_if_read(struct config *machine, const struct config *run, const char *changes,
		  struct err *err);

#endif
