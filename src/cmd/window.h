/* window.h - --window FROM:TO, the first and the last of some cycles. */
#ifndef CMD_WINDOW_H
#define CMD_WINDOW_H

#include "cmd/command.h"

/* The option was given. False with a sentence if it is not two whole numbers in order. */
bool window_from_args(const struct args *args, uint64_t *from, uint64_t *to, struct err *err);

#endif
