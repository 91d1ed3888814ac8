/*
 * subject.h - the programs and the machine that a command line of `judge`, `sweep` or `reproduce`
 * names.
 */
#ifndef CMD_SUBJECT_H
#define CMD_SUBJECT_H

#include "cmd/command.h"
#include "experiment/plan.h"

/* Reads the operands of a command as programs, each optionally followed by arguments after blanks,
 * its machine, and into *at_once the value of --jobs. False with a sentence.
 * Release it in both cases. */
bool subject_open(struct subject *subject, unsigned *at_once, const struct args *args,
		  struct err *err);
void subject_release(struct subject *subject);

#endif
