/*
 * names.h - what a page must know of components, causes and counter architectures: taken from
 * the tables of value/component.h and count/count.h, so that neither the scripts nor the style
 * sheet repeats them.
 *
 * The order is that of the tables. Everything returned belongs to the caller.
 */
#ifndef REPORT_PAGE_NAMES_H
#define REPORT_PAGE_NAMES_H

#include <jansson.h>

/* {"components": [[name, meaning]...], "methods": [[name, meaning]...]} */
json_t *page_names(void);

/* {cause: component...}, what each cause rolls up to with so many levels of cache. */
json_t *page_causes(unsigned levels);

/* Rules of a style sheet: for each component its colour as a variable, and the fill, swatch and
 * words in it. */
char *page_component_style(void);

#endif
