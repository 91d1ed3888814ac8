/*
 * keep.h - a sink for stimuli that keeps what it is handed.
 */
#ifndef TESTS_RTL_KEEP_H
#define TESTS_RTL_KEEP_H

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "rtl/stimulus.h"

/* What a sink was handed, by circuit and file. */
static char *kept[2][STIMULUS_FILES];

static inline void keep(void *context, size_t circuit, enum stimulus_file file, const void *bytes,
			size_t size)
{
	size_t before = kept[circuit][file] ? strlen(kept[circuit][file]) : 0;

	assert_ptr_equal(context, kept);
	kept[circuit][file] = mem_realloc(kept[circuit][file], before + size + 1, 1);
	memcpy(kept[circuit][file] + before, bytes, size);
	kept[circuit][file][before + size] = 0;
}

static inline void forget(void)
{
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < STIMULUS_FILES; k++) {
			free(kept[i][k]);
			kept[i][k] = NULL;
		}
}

#endif
