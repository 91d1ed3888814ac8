/*
 * isolated.h - machines on which one kind of miss is alone, so that the difference of their cycles
 * an instruction is what that kind costs: base plus these differences are compared with a model's.
 *
 * Base has perfect branches and instruction cache, and long data misses that the last cache serves;
 * each of the others makes one of these real. Whatever else the machine has stays as it is.
 */
#ifndef MODEL_ISOLATED_H
#define MODEL_ISOLATED_H

#include "config/config.h"

enum isolated {
	ISOLATED_WHOLE, /* the machine itself */
	ISOLATED_BASE,
	ISOLATED_BRANCH,
	ISOLATED_ICACHE,
	ISOLATED_DMISS,
	ISOLATED_KINDS
};

/* Long data misses are served by the last cache. */
void isolated_serve_long_misses(struct config *config);
/* Makes a machine the one of that kind. */
void isolated_set(struct config *config, enum isolated kind);

#endif
