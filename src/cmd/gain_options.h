/* gain_options.h - --within and --gain-budget: how closely what would go away is measured. */
#ifndef CMD_GAIN_OPTIONS_H
#define CMD_GAIN_OPTIONS_H

#include "cmd/command.h"
#include "job/parts.h"

/* Sets what the options say, or what holds without them. *is_none: nothing is to be measured. False
 * with a sentence. */
bool gain_options_from_args(struct gain_options *options, bool *is_none, const struct args *args,
			    struct err *err);

#endif
