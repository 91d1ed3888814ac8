/*
 * against.h - the design points of a model simulated, and the model's errors.
 *
 * Of each design point five are made: the whole machine; the same with perfect predictor,
 * instruction cache and I-TLB, and long data misses served by the last cache (base); and this base
 * machine with each of the three made real again. A component is the CPI that adds to base.
 */
#ifndef EXPERIMENT_AGAINST_H
#define EXPERIMENT_AGAINST_H

#include "experiment/plan.h"

/* `request` needs a program and must outlive the plan; `modelled` is its result. Concludes that
 * result, each point of it with "simulated" and "error"; nothing if the user interrupted. A
 * simulation that commits other instructions than the model saw ends the rest. */
struct plan *against_plan(const struct model_request *request, json_t *modelled);

#endif
