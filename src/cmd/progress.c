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

void progress_start(struct progress *progress, const struct args *args, uint64_t total,
		    bool is_limit)
{
	*progress = (struct progress){
		.is_shown = isatty(STDERR_FILENO) && !args_get(args, OPTION_QUIET),
		.is_limit = is_limit,
		.total = total,
	};
	progress->began = progress->started = now_seconds();
}

static void put_time(double seconds)
{
	long whole = (long)(seconds + 0.5);

	if (whole < 100)
		fprintf(stderr, "%ld s", whole);
	else if (whole < 6000)
		fprintf(stderr, "%ld min", (whole + 30) / 60);
	else
		fprintf(stderr, "%ld h %ld min", whole / 3600, whole % 3600 / 60);
}

/* ", 23 %, 40 s left": `done` of `all` since `started`, which was at `already`. */
static void put_share(const struct progress *progress, double already, double done, double all)
{
	double elapsed = now_seconds() - progress->started;

	if (done > all) /* a total that was measured on another build of the program */
		return;
	fprintf(stderr, ", %.0f %%", 100 * done / all);
	if (done <= already)
		return;
	fputs(progress->is_limit ? ", at most " : ", ", stderr);
	put_time((all - done) / (done - already) * elapsed);
	fputs(" left", stderr);
}

static void end_line(struct progress *progress)
{
	/* Output of the program must not be appended to the line. */
	fputc('\r', stderr);
	fflush(stderr);
	progress->has_line = true;
}

void progress_update(struct progress *progress, uint64_t instructions)
{
	double now = now_seconds();

	/* Where the core takes over from --skip the count begins anew. */
	if (instructions < progress->last_instructions)
		progress->started = now;
	progress->last_instructions = instructions;
	if (!progress->is_shown || now - progress->started < 1)
		return;
	double mips = (double)instructions / (now - progress->started) * 1e-6;
	fprintf(stderr, "\r\033[K%.1f M instructions", (double)instructions * 1e-6);
	if (progress->total)
		put_share(progress, 0, (double)instructions, (double)progress->total);
	fprintf(stderr, ", %.1f MIPS", mips);
	end_line(progress);
}

void progress_count(struct progress *progress, size_t done, size_t all, const char *what)
{
	if (!progress->has_count)
		progress->already = done;
	progress->has_count = true;
	if (!progress->is_shown || now_seconds() - progress->started < 1)
		return;
	fprintf(stderr, "\r\033[K%zu of %zu %s", done, all, what);
	put_share(progress, (double)progress->already, (double)done, (double)all);
	end_line(progress);
}

void progress_end(struct progress *progress)
{
	if (progress->has_line)
		fputs("\r\033[K", stderr);
	progress->has_line = false;
}

double progress_seconds(const struct progress *progress)
{
	return now_seconds() - progress->began;
}
