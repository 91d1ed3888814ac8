/*
 * scan.h - a scan of a config file before libconfig reads it, for what libconfig
 * does not limit or does not report.
 *
 * libconfig opens included files, recurses as deep as the file nests, compares each
 * name with all names before it, lets numbers wrap around at 32 bits, and does not
 * say which name occurred twice. The scan refuses the first three and notes the
 * rest. It follows libconfig's tokens but is no parser: on text that is not well
 * formed its only guarantee is that it terminates.
 */
#ifndef CONFIG_SCAN_H
#define CONFIG_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define SCAN_MOST_DEPTH	   8
#define SCAN_MOST_SETTINGS 1024
#define SCAN_KEY_BYTES	   96
#define SCAN_NUMBER_BYTES  32

/* One name followed by = or :. */
struct scan_setting {
	char key[SCAN_KEY_BYTES]; /* dotted; cut if longer */
	unsigned line;
	bool in_list;			/* names inside a list may repeat */
	char number[SCAN_NUMBER_BYTES]; /* the value, if it is a number that libconfig would
					   truncate */
};

struct scan {
	struct scan_setting *settings;
	size_t count, capacity;
	unsigned dotted_line; /* the first line with a name like rob.size; 0: none */
	unsigned unit_line;   /* the first with a number like 32k; 0: none */
};

/* False with a sentence that begins "NAME:LINE: ". Release either way. */
bool scan_text(struct scan *scan, const char *text, size_t bytes, const char *name,
	       struct err *err);
void scan_release(struct scan *scan);

/* The setting of that key, or NULL. */
const struct scan_setting *scan_find(const struct scan *scan, const char *key);
/* The first setting whose key occurred before; *first is the earlier one. NULL if there is
 * none. */
const struct scan_setting *scan_duplicate(const struct scan *scan,
					  const struct scan_setting **first);

#endif
