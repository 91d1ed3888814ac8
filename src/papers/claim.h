/*
 * claim.h - what a paper claims, each with a test that our numbers could fail.
 *
 * A claim is a row. Its test is shown in words beside the verdict; where the paper says "small" or
 * "far above", the test states the number chosen for it. A claim about single programs holds if it
 * holds on every program that has such events, or on more than half of them if the paper says
 * "many". If no program was measured, no claim is decided.
 *
 * Tests of a common form are decided by the claim_decide_* functions below, from the members of
 * the row; others by a function of the paper. `programs` are those of the paper's first
 * measurement.
 *
 * A claim that does not hold has a reason: why our programs or our machine differ from the paper's.
 * tools/measure-claims puts each reason to a test.
 */
#ifndef PAPERS_CLAIM_H
#define PAPERS_CLAIM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define CLAIM_OURS_BYTES 1536

enum claim_verdict { CLAIM_UNDECIDED, CLAIM_HOLDS, CLAIM_FAILS };

struct claim_outcome {
	enum claim_verdict verdict;
	char ours[CLAIM_OURS_BYTES]; /* our finding, in words */
	/* `on` and `of` are set: the number of programs on which it holds, of how many. */
	bool is_counted;
	size_t on, of;
};

struct claim;

/* Decides the claim and describes our finding. */
typedef void claim_decide(struct claim_outcome *outcome, const struct claim *claim,
			  const json_t *result, const json_t *programs);
/* A value of a program; `path` is that of the claim. */
typedef double claim_value(const json_t *program, const char *path);

struct claim {
	const char *id, *section, *claim, *test;
	claim_decide *decide;
	/* Members that `decide` may use. */
	const char *path;	    /* path of the values, in the result or in a program (path.h) */
	const char *words;	    /* words before the values in our finding */
	const char *const *methods; /* the methods that the values belong to: CLAIM_METHODS */
	claim_value *value; /* computes the value of a program; path_number if `path` leads to it */
	const char *events; /* path of a count: only programs in which it is above 0 are tested */
	bool (*holds_on)(const json_t *values);
	double limit;
	bool is_most;	    /* more than half of the programs are enough */
	const char *reason; /* shown if it does not hold; NULL: it is said that none is known */
};

#define CLAIM_METHODS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The values at `path`, one for each method, decrease from each to the next. */
claim_decide claim_decide_falling;
/* Each of these values is above the limit. */
claim_decide claim_decide_above;
/* The second value exceeds the first by at most the limit. */
claim_decide claim_decide_little_more;
/* `value` of each program is below the limit; names the programs where it is not. */
claim_decide claim_decide_each_below;
/* `value` of each program is at most the limit; names the program with the largest. */
claim_decide claim_decide_each_within;
/* `holds_on` is true for the values at `path` of each program; gives their means. */
claim_decide claim_decide_each;

/* The claim with its outcome: {"id", "claim", "section", "test", "ours", "holds": true, false or
 * null, "on", "of" (if counted), "reason" (if it does not hold)}. The caller owns it. */
json_t *claim_object(const struct claim *claim, const struct claim_outcome *outcome);

/* Appends to our finding; text that is too long is cut. */
void claim_say(struct claim_outcome *outcome, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Appends a program's name, without @ and size, between two strings. */
void claim_say_program(struct claim_outcome *outcome, const char *before, const json_t *program,
		       const char *after);

void claim_set(struct claim_outcome *outcome, bool holds);
/* Decides by the number of programs it holds on; undecided if no program has such events. */
void claim_set_counted(struct claim_outcome *outcome, const struct claim *claim, size_t on,
		       size_t of);

/* The program with the largest value, of equal ones the first; NULL if there are no programs. */
const json_t *claim_largest(const json_t *programs, claim_value *value, const char *path);
/* The number of programs on which the value is at most the limit. */
size_t claim_count_within(const json_t *programs, claim_value *value, const char *path,
			  double limit);

#endif
