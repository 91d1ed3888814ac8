/*
 * names.h - what the scripts of a page must know of components, causes and counter
 * architectures: taken from report/stack.h, so that it stands in one place.
 */
#ifndef REPORT_PAGE_NAMES_H
#define REPORT_PAGE_NAMES_H

#include <jansson.h>

/* {"components": [[name, meaning]...], "causes": [[name, component or null for the last cache
 * level, meaning]...], "methods": [[name, meaning]...]}; the caller owns it. */
json_t *page_names(void);

#endif
