/*
 * names.h - what a page needs to know of components, causes and counter architectures, taken from
 * the tables of value/component.h and count/count.h, so that neither the scripts nor the style
 * sheet repeats them.
 *
 * The order is that of the tables. The caller owns everything returned.
 */
#ifndef REPORT_PAGE_NAMES_H
#define REPORT_PAGE_NAMES_H

#include <jansson.h>

/* {"components": [[name, meaning]...], "methods": [[name, meaning]...]} */
json_t *page_names(void);

/* {cause: component...}: the component of each cause on a machine with so many levels of cache. */
json_t *page_causes(unsigned levels);

/* Rules of a style sheet: for each component its colour as a variable, and the fill, swatch and
 * text colours that use it. */
char *page_component_style(void);

#endif
