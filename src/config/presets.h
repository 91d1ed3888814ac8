/*
 * presets.h - presets by name: NAME.cfg in a directory. A name has letters, digits,
 * dashes and underscores only, so that it cannot lead out of the directory.
 */
#ifndef CONFIG_PRESETS_H
#define CONFIG_PRESETS_H

#include "base/err.h"

/* The preset's path, to be freed; NULL with a sentence that lists the presets there
 * are, if it is none of them. `directory` may be NULL: there are none. */
char *presets_find(const char *directory, const char *name, struct err *err);

#endif
