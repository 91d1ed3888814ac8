/*
 * expected.h - kernels/expected.txt, kept in the program: how often an iteration of a kernel does
 * what. One table for the classifier, for the check of builds and for the tests.
 */
#ifndef CLASSIFY_EXPECTED_H
#define CLASSIFY_EXPECTED_H

#include <stdbool.h>

/* The number in the row of the kernel and the column of that name. False if there is none. */
bool expected_find(const char *kernel, const char *column, double *value);

#endif
