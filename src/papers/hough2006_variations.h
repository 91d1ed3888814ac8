/*
 * hough2006_variations.h - the measurement of hough2006: every program on the machines of its
 * figure 5, twice each, and with a data cache that writes back and one that writes through.
 */
#ifndef PAPERS_HOUGH2006_VARIATIONS_H
#define PAPERS_HOUGH2006_VARIATIONS_H

#include "papers/measurement.h"

/* Concludes {"programs", "machines", "storage"} and what the request has of a synthesis; nothing
 * if the user interrupted. NULL with a sentence. */
struct plan *hough2006_variations(const struct measurement_request *request, struct err *err);

#endif
