/*
 * claim.h - what a paper claims, each with a test that our numbers could fail.
 *
 * A claim is a row. Its test stands beside its verdict in words; where the paper says "small" or
 * "far above", the test says which number that was taken to mean. A claim about single programs
 * holds if it does on every program that has such events, or on more than half of them if the
 * paper says "many". Without any program measured no claim is decided.
 *
 * Tests of a shape that recurs are decided by the claim_decide_* below, from the members of the
 * row; others by a function of the paper. `programs` are those of the paper's first measurement.
 */
#ifndef REPORT_PAPERS_CLAIM_H
#define REPORT_PAPERS_CLAIM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define CLAIM_OURS_BYTES 1536

enum claim_verdict { CLAIM_UNDECIDED, CLAIM_HOLDS, CLAIM_FAILS };

struct claim_outcome {
	enum claim_verdict verdict;
	char ours[CLAIM_OURS_BYTES]; /* what came out, in words */
	bool is_counted;	     /* on how many programs, of how many */
	size_t on, of;
};

struct claim;

/* Says what came out. */
typedef void claim_decide(struct claim_outcome *outcome, const struct claim *claim,
			  const json_t *result, const json_t *programs);
/* A value of a program; `path` is the claim's. */
typedef double claim_value(const json_t *program, const char *path);

struct claim {
	const char *id, *section, *claim, *test;
	claim_decide *decide;
	/* For `decide`, as far as it uses them. */
	const char *path;	    /* of values, in the result or in a program (path.h) */
	const char *words;	    /* before the values in what came out */
	const char *const *methods; /* whose values they are: CLAIM_METHODS */
	claim_value *value;	    /* of a program; path_number if it stands there */
	const char *events;	    /* path: only programs with more than 0 count */
	bool (*holds_on)(const json_t *values);
	double limit;
	bool is_most; /* more than half of the programs are enough */
};

#define CLAIM_METHODS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The values at `path`, one for each method, fall from each to the next. */
claim_decide claim_decide_falling;
/* Each of them is above the limit. */
claim_decide claim_decide_above;
/* The second is at most by the limit above the first. */
claim_decide claim_decide_little_more;
/* `value` of each program is below the limit; names those where it is not. */
claim_decide claim_decide_each_below;
/* `value` of each program is at most the limit; names the largest. */
claim_decide claim_decide_each_within;
/* `holds_on` the values at `path` of each program; says their means. */
claim_decide claim_decide_each;

/* The claim with its outcome: {"id", "claim", "section", "test", "ours", "holds": true, false or
 * null, "on", "of" (if counted)}. The caller owns it. */
json_t *claim_object(const struct claim *claim, const struct claim_outcome *outcome);

/* Appends to what came out; what is too long is cut. */
void claim_say(struct claim_outcome *outcome, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A program's name without @ and size, between two texts. */
void claim_say_program(struct claim_outcome *outcome, const char *before, const json_t *program,
		       const char *after);

void claim_set(struct claim_outcome *outcome, bool holds);
/* By the number of programs it holds on; undecided if there is none that it is about. */
void claim_set_counted(struct claim_outcome *outcome, const struct claim *claim, size_t on,
		       size_t of);

/* The program where the value is largest, of equals the first; NULL if there are none. */
const json_t *claim_largest(const json_t *programs, claim_value *value, const char *path);
/* On how many programs it is at most the limit. */
size_t claim_count_within(const json_t *programs, claim_value *value, const char *path,
			  double limit);

#endif
