/*
 * doubt.h - machines that can be simulated but are hardly meant: a parameter that
 * another one makes useless, or a structure behind another that is smaller or slower.
 * A doubt is a sentence for people and never an error; check.h has the rules that must
 * hold. Every preset is without doubts.
 */
#ifndef CONFIG_DOUBT_H
#define CONFIG_DOUBT_H

#include "config/config.h"

#define DOUBT_MOST 32 /* sentences */

struct doubt {
	char text[256];
};

/* Writes a sentence for each, in the order of the rules; returns how many. */
size_t doubt_all(const struct config *config, struct doubt doubts[DOUBT_MOST]);

#endif
