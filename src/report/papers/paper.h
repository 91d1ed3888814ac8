/*
 * paper.h - papers to reproduce, as data over one engine: what a paper states, which measurements
 * its reproduction needs, and how these become content (content.h) and verdicts on its claims
 * (claim.h).
 *
 * A new paper costs a file paper_NAME.c of some 300 to 600 lines: its programs, parameters,
 * statements and claims as rows, its tables and bars as rows of paths (paper_table.h), and a small
 * function for each drawing that a table cannot give. Besides that, a row in paper.c, a unit test
 * that breaks each claim (some 150 lines), and, if it measures what no paper before it did, a
 * function and a row in cmd/cmd_reproduce.c (some 20 lines).
 *
 * Only what a paper's text and tables say is here, each with its section; what is in a drawing
 * and nowhere else is not, and the figure says so. Our workloads are named beside the programs
 * they stand for: they are of the same character, not the same programs, so numbers of single
 * programs are no targets.
 *
 * A result (schema cyclestack-reproduce-1) is one JSON object; text, page and pictures are pure
 * functions of a paper and a result.
 */
#ifndef REPORT_PAPERS_PAPER_H
#define REPORT_PAPERS_PAPER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "config/config.h"
#include "report/papers/claim.h"
#include "report/papers/content.h"
#include "report/papers/paper_table.h"

#define PAPER_STATEMENTS_MOST 6
#define PAPER_NAME_BYTES      64 /* of a program with its size */

/* A program of the paper and ours in its place. Lists of these, and of what follows, end with a
 * row of NULLs. */
struct paper_program {
	const char *name, *ours;
	double stated; /* the number that the paper's tables give for it: stated_as of the paper */
};

/* A parameter of the paper's machine: how we call it, and its value as ours is written. */
struct paper_parameter {
	const char *what, *key, *value;
};

struct paper_statement {
	const char *text, *section;
};

struct paper_figure {
	const char *id;	   /* figure-1, table-1 */
	const char *label; /* Figure 1; of additions a word */
	const char *title;
	const char *shows;
	struct paper_statement statements[PAPER_STATEMENTS_MOST]; /* ends with NULLs */
	bool is_figure_only; /* further numbers are in the drawing and not repeated here */
	bool has_picture;    /* its drawing is worth a file of its own */
	/* What our measurements give: a table, or what `build` adds. */
	const struct paper_table *table;
	void (*build)(struct content *content, const struct paper_figure *figure,
		      const json_t *result);
	const char *of; /* what its content is about, in the words of `build`: an event, a kind */
	/* The part of the judgement's page that a script puts in place of the content: the id of
	 * a section, perhaps a colon and one of its headings; or NULL. */
	const char *script_part;
};

struct paper {
	const char *name; /* eyerman2006 */
	const char *short_title;
	const char *const *authors; /* ends with NULL */
	const char *title, *venue;
	int year;
	const struct paper_program *programs; /* in the paper's order */
	const char *stated_as;		      /* a member's name for `stated`; NULL if unused */
	const char *example;		      /* of our programs, if figures take one; or NULL */
	const struct paper_parameter *parameters;
	const struct paper_figure *figures;   /* in the paper's order */
	const struct paper_figure *additions; /* what we show beyond it */
	const struct claim *claims;
	/* What must be measured, by the names of the table in cmd/cmd_reproduce.c; each becomes a
	 * member of the result. The first one's "programs" are what claims are about. */
	const char *const *needs;
	/* Adds members that follow from the measurements; may be NULL. */
	void (*derive)(json_t *result);
};

extern const struct paper *const papers[]; /* ends with NULL */

/* NULL with a sentence that lists what there is. */
const struct paper *paper_find(const char *name, struct err *err);
/* "@OURS:SIZE" */
void paper_program_name(char name[PAPER_NAME_BYTES], const char *ours, const char *size);

/* The result: what the paper states, the machine of `config` beside the paper's, the measurements
 * (an object with a member for each of its needs) and what follows from them. The caller owns
 * it. */
json_t *paper_result(const struct paper *paper, const char *size, const struct config *config,
		     const json_t *measured, bool is_partial);
/* The claims, decided from a result's measurements; the caller owns them. */
json_t *paper_claims(const struct paper *paper, const json_t *result);

/* False with a sentence if that is no result of the paper that could be shown. */
bool paper_check_result(const struct paper *paper, const json_t *result, struct err *err);

/* The content of a figure; the caller releases it. */
void paper_build(struct content *content, const struct paper_figure *figure, const json_t *result);
/* For any paper's figure: our parameters beside the paper's. */
extern const struct paper_table paper_machine_table;
/* The result's entry for a program of that name; NULL if it stands for none of the paper's. */
const json_t *paper_program_entry(const json_t *result, const char *name);
/* "twolf: annealer" for @annealer:test, so that nobody takes one for the other; or the name. */
const char *paper_both_names(struct content *content, const json_t *result, const char *name);
/* The paper's row for a program called "@OURS:SIZE"; NULL if it stands for none. */
const struct paper_program *paper_program_of(const struct paper_program *programs,
					     const char *name);

#endif
