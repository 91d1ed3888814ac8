/*
 * outcome.h - how a run that was cut short is told: one sentence and a status.
 */
#ifndef CMD_OUTCOME_H
#define CMD_OUTCOME_H

#include <stdint.h>

#include "prog/worker.h"

/* Says on standard error what stopped the run after so many instructions; returns
 * the exit status that means it. */
int outcome_partial(enum worker_stop stop, uint64_t instructions);

#endif
