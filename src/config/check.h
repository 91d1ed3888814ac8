/*
 * check.h - the rules that parameters keep together, for the reader, which wants to
 * say on which line one was broken; and quoting what a hostile file says.
 *
 * A violation names the parameters its sentence is about. Only parameters that
 * apply to the machine are looked at; each alone is taken to be within its row.
 */
#ifndef CONFIG_CHECK_H
#define CONFIG_CHECK_H

#include "config/config.h"

#define CHECK_QUOTE_BYTES     96
#define CHECK_MOST_VIOLATIONS 64
#define CHECK_MOST_LINES      (UINT32_C(1) << 24) /* in one cache */

struct check_violation {
	enum config_id ids[3]; /* CONFIG_COUNT: fewer */
	char text[256];
};

/* Writes the rules that are broken, in the order of the rules; returns how many. */
size_t check_rules(const struct config *config,
		   struct check_violation violations[CHECK_MOST_VIOLATIONS]);

/* At most 60 bytes of `text`, what a terminal would not print replaced. */
void check_quote(const char *text, size_t bytes, char quoted[CHECK_QUOTE_BYTES]);

#endif
