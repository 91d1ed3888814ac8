#include "cmd/outcome.h"

#include <stdio.h>

#include "cmd/command.h"

int outcome_partial(enum worker_stop stop, uint64_t instructions)
{
	const char *why = stop == WORKER_INTERRUPTED ? "interrupted"
			  : stop == WORKER_TIMEOUT   ? "stopped by --timeout"
						     : "stopped by --max-insns";

	fprintf(stderr, "cyclestack: %s after %llu instructions: the result is partial\n", why,
		(unsigned long long)instructions);
	return stop == WORKER_INTERRUPTED ? EXIT_INTERRUPTED : EXIT_PARTIAL;
}
