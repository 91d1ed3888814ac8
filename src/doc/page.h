/*
 * page.h - what every page begins and ends with: the policy, the style sheet, the fills and the
 * script, which are files of this folder as bytes of the program.
 *
 * They are separate files, so that editors recognise them and a browser's messages name their
 * lines. Nothing is read at run time: the program writes the same page wherever it is installed.
 * The compiler cannot tell make that page.o depends on these files: the Makefile lists them.
 */
#ifndef DOC_PAGE_H
#define DOC_PAGE_H

#include <stdio.h>

/* The colours of components and methods as rules of a style sheet, to be freed. */
char *page_colours(void);
/* Everything up to and including the opening of <main>. */
void page_begin(FILE *out, const char *title);
/* The script; closes what page_begin opened. */
void page_end(FILE *out);

#endif
