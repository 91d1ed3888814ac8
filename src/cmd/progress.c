#include "cmd/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress_start(struct progress *progress, uint64_t limit)
{
	*progress = (struct progress){.is_shown = isatty(STDERR_FILENO), .limit = limit};
	progress->started = progress->last = now_seconds();
}

void progress_update(struct progress *progress, uint64_t instructions)
{
	double now = now_seconds();
	double seconds = now - progress->last;

	if (!progress->is_shown || now - progress->started < 1 || seconds <= 0)
		return;
	double mips = (double)(instructions - progress->last_instructions) / seconds * 1e-6;
	fprintf(stderr, "\r\033[K%.1f M instructions, %.0f MIPS", (double)instructions * 1e-6,
		mips);
	if (progress->limit && mips > 0 && progress->limit > instructions)
		fprintf(stderr, ", at most %.0f s to go",
			(double)(progress->limit - instructions) * 1e-6 / mips);
	/* Output of the program must not be appended to the line. */
	fputc('\r', stderr);
	fflush(stderr);
	progress->has_line = true;
	progress->last = now;
	progress->last_instructions = instructions;
}

void progress_count(struct progress *progress, size_t done, size_t all, const char *what)
{
	if (!progress->is_shown)
		return;
	fprintf(stderr, "\r\033[K%zu of %zu %s\r", done, all, what);
	fflush(stderr);
	progress->has_line = true;
}

void progress_end(struct progress *progress)
{
	if (progress->has_line)
		fputs("\r\033[K", stderr);
	progress->has_line = false;
}
