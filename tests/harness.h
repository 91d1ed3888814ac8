/*
 * harness.h - for the C programs of tests that run a guest program themselves (tests/harness.sh
 * builds them): a silent process of it that starts as the tool would start it, and the code that
 * its symbols span.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <string.h>

#include "image/symbols.h"
#include "linux/process.h"

/* argv[0] is the program's path, of which the last part becomes its name. The image must outlive
 * the process. NULL with a sentence. */
static inline struct process *harness_process(char **argv, const uint8_t *image, size_t bytes,
					      struct err *err)
{
	char *slash = strrchr(argv[0], '/');

	if (slash)
		argv[0] = slash + 1;
	const struct process_options options = {
		.program = argv[0],
		.image = image,
		.image_bytes = bytes,
		.argv = (const char *const *)argv,
		.seed = 1,
		.memory_limit_bytes = UINT64_C(4) << 30,
		.silent = true,
	};
	return process_create(&options, err);
}

/* The address after the last byte of any function. */
static inline uint64_t harness_code_end(const struct symbols *symbols)
{
	uint64_t end = symbols_at(symbols, 0)->address;

	for (size_t i = 0; i < symbols_count(symbols); i++) {
		const struct symbol *s = symbols_at(symbols, i);

		end = s->address + s->bytes > end ? s->address + s->bytes : end;
	}
	return end;
}

#endif
