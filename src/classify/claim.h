/*
 * claim.h - what an event's name says it counts, and whether its verdict bears that out.
 */
#ifndef CLASSIFY_CLAIM_H
#define CLASSIFY_CLAIM_H

#include <jansson.h>
#include <stdbool.h>

/* The category that the name claims; NULL if it claims none that is known. */
const char *claim_of(const char *name);
/* Whether a category is the verdict on an event, or coincides with it here. */
bool claim_has_category(const json_t *event, const char *category);
/* Whether the verdict on the event, or a category that coincides with it here, is the claimed one.
 * On an in-order core what is dispatched retires. */
bool claim_holds(const json_t *event, const char *name, bool is_in_order);

#endif
