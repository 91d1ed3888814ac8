/*
 * usual.h - the usual observers but for `exact`, in one pass over the records: what several read of
 * a record is found once, and each event is told apart once.
 *
 * Each of them is as it is alone, to the bit, and knows nothing of the others.
 */
#ifndef COUNT_USUAL_H
#define COUNT_USUAL_H

#include "machine/observer.h"

extern const struct observer_group count_usual;

#endif
