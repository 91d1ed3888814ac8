/*
 * parts.h - creates the parts of a machine from a configuration: the only code that converts the
 * words and numbers of a struct config to parameters of src/mem and src/pred, which do not know
 * that struct.
 */
#ifndef MACHINE_PARTS_H
#define MACHINE_PARTS_H

#include "base/err.h"
#include "config/config.h"
#include "mem/hierarchy.h"
#include "pred/predictor.h"

struct hierarchy_parameters parts_hierarchy_parameters(const struct config *config);
/* NULL with a sentence if the configuration's values are not possible. The caller destroys the
 * part. */
struct hierarchy *parts_hierarchy(const struct config *config, struct err *err);
/* `in_flight` is the most branches predicted and not yet committed or squashed. */
struct predictor *parts_predictor(const struct config *config, uint32_t in_flight, struct err *err);

#endif
