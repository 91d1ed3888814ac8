/*
 * check.h - the rules that hold between parameters, and quoting of text from a
 * hostile file. The reader of config files uses both to report the line that breaks
 * a rule.
 *
 * A violation names the parameters its sentence is about. Only parameters that
 * apply to the machine are checked; each value must already be within the
 * limits of its row.
 */
#ifndef CONFIG_CHECK_H
#define CONFIG_CHECK_H

#include "config/config.h"

#define CHECK_QUOTE_BYTES     96
#define CHECK_MOST_VIOLATIONS 64
#define CHECK_MOST_LINES      (UINT32_C(1) << 24) /* the most lines one cache may have */

struct check_violation {
	enum config_id ids[3]; /* unused places are CONFIG_COUNT */
	char text[256];
};

/* Writes a violation for each broken rule, in the order of the rules; returns how many. */
size_t check_rules(const struct config *config,
		   struct check_violation violations[CHECK_MOST_VIOLATIONS]);

/* Copies at most 60 bytes of `text`, with unprintable characters replaced. */
void check_quote(const char *text, size_t bytes, char quoted[CHECK_QUOTE_BYTES]);

#endif
