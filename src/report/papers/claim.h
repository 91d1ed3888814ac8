/*
 * claim.h - what a paper claims, each with a test that our numbers could fail.
 *
 * A claim is a row. Its test stands beside its verdict in words; where the paper says "small" or
 * "far above", the test says which number that was taken to mean. A claim about single programs
 * holds if it does on every program that has such events, or on more than half of them if the
 * paper says "many". Without any program measured no claim is decided.
 *
 * The functions below are the shapes that tests often have; `programs` are those of the paper's
 * first measurement.
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

struct claim {
	const char *id, *claim, *section, *test;
	/* Says what came out. */
	void (*decide)(struct claim_outcome *outcome, const struct claim *claim,
		       const json_t *result);
	/* For `decide`, as far as it uses them. */
	const char *of;		    /* a method, an event */
	const char *const *methods; /* that the words name; ends with NULL */
	bool (*holds_on)(const json_t *program, const char *of);
	double limit;
	bool is_most; /* more than half of the programs are enough */
};

/* The claim with its outcome: {"id", "claim", "section", "test", "ours", "holds": true, false or
 * null, "on", "of" (if counted)}. The caller owns it. */
json_t *claim_object(const struct claim *claim, const struct claim_outcome *outcome);

/* Appends to what came out; what is too long is cut. */
void claim_say(struct claim_outcome *outcome, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A program's name without @ and size. */
void claim_say_program(struct claim_outcome *outcome, const json_t *program);
/* As the last words: " (annealer)". */
void claim_say_where(struct claim_outcome *outcome, const json_t *program);

void claim_set(struct claim_outcome *outcome, bool holds);
/* By the number of programs it holds on; undecided if there is none that it is about. */
void claim_set_counted(struct claim_outcome *outcome, const struct claim *claim, size_t on,
		       size_t of);

/* Says every named value as a percentage with so many places: "naive 77.14 %, fmt 5.16 %". */
void claim_say_percents(struct claim_outcome *outcome, const char *const *names,
			const json_t *values, int places);

/* A value of a program, and the program where it is largest; NULL if there are none. */
typedef double claim_value(const json_t *program, const char *of);
const json_t *claim_largest(const json_t *programs, claim_value *value, const char *of);
/* On how many programs it is at most the limit. */
size_t claim_count_within(const json_t *programs, claim_value *value, const char *of, double limit);

#endif
