/*
 * parts.h - from a configuration to the parts of a machine: the one place where
 * the words and numbers of a struct config become parameters of src/mem and
 * src/pred, which know nothing of it.
 */
#ifndef MACHINE_PARTS_H
#define MACHINE_PARTS_H

#include "base/err.h"
#include "config/config.h"
#include "mem/hierarchy.h"
#include "pred/predictor.h"

/* NULL with a sentence if the configuration describes no such part. The caller
 * destroys them. */
struct hierarchy *parts_hierarchy(const struct config *config, struct err *err);
/* `in_flight` is the most branches predicted and not yet committed or squashed. */
struct predictor *parts_predictor(const struct config *config, uint32_t in_flight, struct err *err);

#endif
