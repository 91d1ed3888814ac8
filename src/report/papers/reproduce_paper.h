/*
 * reproduce_paper.h - what a paper states, to stand beside our results: Eyerman, Eeckhout,
 * Karkhanis and Smith (2006).
 *
 * Only what its text and tables say, each with its section; what is in a drawing and nowhere
 * else is not here, and the figure says so. Our workloads are named beside the programs they
 * stand for: they are of the same character, not the same programs, so numbers of single
 * programs are no targets.
 */
#ifndef REPORT_PAPERS_REPRODUCE_PAPER_H
#define REPORT_PAPERS_REPRODUCE_PAPER_H

#include <stdbool.h>
#include <stddef.h>

#define REPRODUCE_PAPER "eyerman2006"

/* A program of the paper and ours in its place; table 1's overlap, in percent. */
struct paper_program {
	const char *name, *ours;
	double overlap_percent;
	bool has_negative_base; /* by the naive method: named in section 5.2 */
};

struct paper_statement {
	const char *text, *section;
};

#define PAPER_STATEMENTS_MOST 6

struct paper_figure {
	const char *id;	   /* figure-1, table-1 */
	const char *label; /* Figure 1 */
	const char *title;
	const char *shows;
	struct paper_statement statements[PAPER_STATEMENTS_MOST]; /* ends with NULLs */
	bool is_figure_only; /* further numbers are in the drawing and not repeated here */
};

/* A parameter of table 2: how we call it, and the paper's value as ours is written. */
struct paper_parameter {
	const char *what, *key, *value;
};

extern const char *const paper_authors[]; /* ends with NULL */
extern const char *const paper_title, *const paper_venue;
extern const int paper_year;
extern const struct paper_program paper_programs[]; /* in the paper's order; ends with NULL */
extern const struct paper_figure paper_figures[];   /* in its order; ends with NULL */
extern const struct paper_parameter paper_parameters[];

/* Of a program called "@NAME:SIZE"; NULL if it stands for none. */
const struct paper_program *paper_program_of(const char *name);

#endif
