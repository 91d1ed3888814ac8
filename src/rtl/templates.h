/*
 * templates.h - the files of templates/, as bytes of the program: a row in templates.c for each.
 *
 * They are separate files, so that editors recognise them and they can be read as what they are.
 * The Makefile lists them as what templates.o depends on.
 */
#ifndef RTL_TEMPLATES_H
#define RTL_TEMPLATES_H

#include <stddef.h>

struct rtl_template {
	const char *bytes; /* not terminated by NUL */
	size_t size;
};

/* The template of that name, which there must be: that of the file without its suffix. */
struct rtl_template template_named(const char *name);

#endif
