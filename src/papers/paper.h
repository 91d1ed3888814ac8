/*
 * paper.h - papers to reproduce, as data over one engine: what a paper states, which measurements
 * its reproduction needs, and how these become documents (doc/doc.h) and verdicts on its
 * claims (claim.h).
 *
 * A new paper needs a file paper_NAME.c of some 300 to 600 lines: its programs, parameters,
 * statements and claims as rows, its tables and bars as rows of paths (paper_table.h), and a small
 * function for each drawing that a table cannot give. Besides that, a row in paper.c, a unit test
 * in which each claim fails (some 150 lines), and, if it needs a new measurement, a function and a
 * row in cmd/cmd_reproduce.c (some 20 lines).
 *
 * Only what a paper's text and tables state is here, each with its section; numbers that are only
 * in a drawing are not here, and the figure says so. Our workloads are named beside the programs
 * they stand for: they have the same character but are not the same programs, so numbers of single
 * programs are no targets.
 *
 * A result (schema cyclestack-reproduce-1) is one JSON object; its document (reproduce.c) is a
 * pure function of a paper and a result.
 */
#ifndef PAPERS_PAPER_H
#define PAPERS_PAPER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "config/config.h"
#include "doc/doc.h"
#include "papers/claim.h"
#include "papers/paper_table.h"

struct judge_report;

#define PAPER_STATEMENTS_MOST 6
#define PAPER_NAME_BYTES      64 /* a program's name with its size */
/* Programs that execute fewer instructions are too short to judge claims by: starting up weighs,
 * and data may fit the caches. Of chen2008's ten, 8 have fewer than 10 long misses for a
 * thousand instructions at size test (a million instructions), none at size small (30 million). */
#define PAPER_LEAST_INSTRUCTIONS 10000000

/* A program of the paper and the workload that stands for it. Lists of these and of the following
 * structs end with a row of NULLs. */
struct paper_program {
	const char *name, *ours;
	/* The number that the paper's tables give for it; stated_as of the paper names it. */
	double stated;
};

/* A parameter of the paper's machine: our name for it, and its value in our notation. */
struct paper_parameter {
	const char *what, *key, *value;
};

struct paper_statement {
	const char *text, *section;
};

struct paper_figure {
	const char *id;	   /* such as figure-1 or table-1 */
	const char *label; /* such as Figure 1; a word for additions */
	const char *title;
	const char *shows;
	struct paper_statement statements[PAPER_STATEMENTS_MOST]; /* ends with a row of NULLs */
	bool is_figure_only; /* further numbers are in the drawing and are not repeated here */
	bool has_picture;    /* its drawing can be written to a file */
	/* What our measurements give: a table, or the doc that `build` adds. */
	const struct paper_table *table;
	void (*build)(struct doc *doc, const struct paper_figure *figure, const json_t *result);
	const char *of; /* the event or kind that its doc shows, as `build` names it */
	/* What a page shows in place of it: parts of the judgement, if it is one; or NULL. */
	void (*judged)(const struct judge_report *judge, const struct paper_figure *figure);
};

struct paper {
	const char *name; /* such as eyerman2006 */
	const char *short_title;
	const char *const *authors; /* ends with NULL */
	const char *title, *venue;
	int year;
	const struct paper_program *programs; /* in the paper's order */
	const char *stated_as; /* the name of the member for `stated`; NULL if unused */
	const char *example;   /* the workload that some figures use as an example; or NULL */
	const char *machine;   /* the preset of the paper's machine */
	const struct paper_parameter *parameters;
	const struct paper_figure *figures;   /* in the paper's order */
	const struct paper_figure *additions; /* figures and tables that the paper does not have */
	const struct claim *claims;
	/* The measurements, by the names of the table in cmd/cmd_reproduce.c; each becomes a
	 * member of the result. Claims are about the "programs" of the first one, if the paper has
	 * programs. */
	const char *const *needs;
	/* Adds members that follow from the measurements; may be NULL. */
	void (*derive)(json_t *result);
	/* The judgement that a page shows, with the names and methods that it should have; the
	 * caller owns it. NULL if the paper has none. */
	json_t *(*judgement)(const json_t *result);
};

extern const struct paper *const papers[]; /* ends with NULL */

/* NULL with a sentence that lists the known papers. */
const struct paper *paper_find(const char *name, struct err *err);
/* Writes "@OURS:SIZE". */
void paper_program_name(char name[PAPER_NAME_BYTES], const char *ours, const char *size);

/* The result: what the paper states, the machine of `config` beside the paper's, the measurements
 * (an object with a member for each of its needs) and what is derived from them. The caller owns
 * it. */
json_t *paper_result(const struct paper *paper, const char *size, const struct config *config,
		     const json_t *measured, bool is_partial);
/* The claims, decided from a result's measurements; the caller owns them. */
json_t *paper_claims(const struct paper *paper, const json_t *result);

/* False with a sentence if the JSON is not a result of this paper that can be shown. */
bool paper_check_result(const struct paper *paper, const json_t *result, struct err *err);

/* The doc of a figure; the caller releases it. */
void paper_build(struct doc *doc, const struct paper_figure *figure, const json_t *result);
/* For a figure of any paper: our parameters beside the paper's. */
extern const struct paper_table paper_machine_table;
/* The result's entry for the workload of that name; NULL if it stands for no program of the
 * paper. */
const json_t *paper_program_entry(const json_t *result, const char *name);
/* Both names, such as "twolf: annealer" for @annealer:test, so that they are not confused; or the
 * name alone. */
const char *paper_both_names(struct doc *doc, const json_t *result, const char *name);
/* The paper's row for the workload "@OURS:SIZE"; NULL if it stands for no program of the paper. */
const struct paper_program *paper_program_of(const struct paper_program *programs,
					     const char *name);

#endif
