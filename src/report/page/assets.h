/*
 * assets.h - the files of this folder that every page carries, as bytes of the
 * program.
 *
 * They are kept as real files (a style sheet, scripts, a drawing), so that an
 * editor knows what they are and a browser's messages name their lines; the
 * assembler takes them in. Nothing is looked up at run time: the program writes
 * the same page wherever it is installed.
 *
 * A change of one of the files must rebuild assets.o, which the compiler cannot
 * tell make: the Makefile says so.
 */
#ifndef REPORT_PAGE_ASSETS_H
#define REPORT_PAGE_ASSETS_H

#include <stddef.h>

struct page_asset {
	const char *bytes; /* no NUL behind them */
	size_t size;
};

struct page_asset page_asset_style(void);     /* page.css */
struct page_asset page_asset_patterns(void);  /* patterns.svg: the fills the style sheet names */
struct page_asset page_asset_common(void);    /* common.js: elements, numbers, tables */
struct page_asset page_asset_charts(void);    /* charts.js: stacked bars, stacks over time */
struct page_asset page_asset_functions(void); /* functions.js: functions, lines, instructions */
struct page_asset page_asset_run(void);	      /* run.js: the page of a run */
struct page_asset page_asset_judge(void);     /* judge.js: the page of a judgement */
/* The page of a reproduction: before judge.js, to give it its result, if that has a judgement; and
 * at the end, to put what it draws under the paper's figures and say the values of plots. */
struct page_asset page_asset_reproduce_data(void);
struct page_asset page_asset_reproduce_figures(void);

#endif
