/*
 * assets.h - the files of this folder that every page contains, as bytes of the program.
 *
 * They are separate files (a style sheet, scripts, a drawing), so that editors recognise them and
 * a browser's messages name their lines; the assembler includes them. Nothing is read at run time:
 * the program writes the same page wherever it is installed.
 *
 * The compiler cannot tell make that assets.o depends on these files: the Makefile lists them.
 */
#ifndef REPORT_PAGE_ASSETS_H
#define REPORT_PAGE_ASSETS_H

#include <stddef.h>

struct page_asset {
	const char *bytes; /* not terminated by NUL */
	size_t size;
};

struct page_asset page_asset_style(void);     /* page.css */
struct page_asset page_asset_patterns(void);  /* patterns.svg: the fills the style sheet names */
struct page_asset page_asset_common(void);    /* common.js: elements, numbers, tables */
struct page_asset page_asset_charts(void);    /* charts.js: stacked bars, stacks over time */
struct page_asset page_asset_functions(void); /* functions.js: functions, lines, instructions */
struct page_asset page_asset_run(void);	      /* run.js: the page of a run */
struct page_asset page_asset_judge(void);     /* judge.js: the page of a judgement */
/* For the page of a reproduction: the first runs before judge.js and passes it the judgement in
 * its result, if there is one; the second runs last, moves what judge.js draws under the paper's
 * figures and shows the values of plots. */
struct page_asset page_asset_reproduce_data(void);
struct page_asset page_asset_reproduce_figures(void);

#endif
