/*
 * reproduce_claims.h - the claims of Eyerman et al. (2006), each held against our numbers.
 *
 * Pure functions of a judgement (schema cyclestack-judge-1). A claim has a test that could
 * come out either way and that stands beside its verdict; where the paper says "small" or
 * "far above", the test says which number that was taken to mean. A claim about single
 * programs holds if it does on every program that has such events, or on more than half of them if
 * the paper says "many".
 */
#ifndef REPORT_PAPERS_REPRODUCE_CLAIMS_H
#define REPORT_PAPERS_REPRODUCE_CLAIMS_H

#include <jansson.h>

/* [{"id", "claim", "section", "test", "ours" (what came out, in words), "holds": true, false
 * or null where nothing could be measured, "on", "of" (programs, if it is about those)}]; the
 * caller owns it. */
json_t *reproduce_claims(const json_t *judge);

/* What clearing the shared table loses: {"programs": [{"name", "iside" (simulated I-side
 * cycles), "older_lost", "younger_lost", "wrong_path_kept": {"cycles", "of_run", "of_iside"
 * (null without I-side cycles)}}], "total": the same of all programs, "answer": in words}. The
 * caller owns it. */
json_t *reproduce_clearing(const json_t *judge);

#endif
