#include "cmd/progress.h"

#include <stdio.h>
#include <unistd.h>

#define LINE_SECONDS 10

void progress_start(struct progress *progress, const struct args *args, uint64_t total,
		    bool is_limit)
{
	const bool is_terminal = isatty(STDERR_FILENO), is_quiet = args_get(args, OPTION_QUIET);
	const bool has_lines = args_get(args, OPTION_PROGRESS) && (!is_terminal || is_quiet);
	double seconds = LINE_SECONDS;
	struct err ignored; /* main.c has said what is wrong */

	args_get_seconds(args, OPTION_PROGRESS, &seconds, &ignored);
	*progress = (struct progress){
		.is_shown = has_lines || (is_terminal && !is_quiet),
		.every = has_lines ? seconds : 0,
		.is_limit = is_limit,
		.total = total,
	};
	progress->began = progress->started = progress->said = experiment_now();
}

/* Whether something is to be said now. */
static bool begin_line(struct progress *progress, double now)
{
	if (!progress->is_shown)
		return false;
	if (!progress->every) {
		if (now - progress->started >= 1)
			fputs("\r\033[K", stderr);
		return now - progress->started >= 1;
	}
	if (now - progress->said < progress->every)
		return false;
	progress->said = now;
	fputs("cyclestack: ", stderr);
	return true;
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

/* ", 23 %, 40 s left"; the time is negative if it is not known. */
static void put_share(const struct progress *progress, double share, double seconds_left)
{
	fprintf(stderr, ", %.0f %%", 100 * share);
	if (seconds_left < 0)
		return;
	fputs(progress->is_limit ? ", at most " : ", ", stderr);
	put_time(seconds_left);
	fputs(" left", stderr);
}

/* Nothing if the total was measured on another build of the program. */
static void put_total(const struct progress *progress, double elapsed)
{
	const double done = (double)progress->last_instructions, all = (double)progress->total;

	if (all > 0 && done <= all)
		put_share(progress, done / all, done > 0 ? (all - done) / done * elapsed : -1);
}

static void end_line(struct progress *progress)
{
	/* Output of the program must not be appended to the line. */
	fputc(progress->every ? '\n' : '\r', stderr);
	fflush(stderr);
	progress->has_line = !progress->every;
}

void progress_update(struct progress *progress, uint64_t instructions)
{
	double now = experiment_now();

	/* Where the core takes over from --skip the count begins anew. */
	if (instructions < progress->last_instructions)
		progress->started = now;
	progress->last_instructions = instructions;
	if (!begin_line(progress, now))
		return;
	const double elapsed = now - progress->started;
	double mips = elapsed > 0 ? (double)instructions / elapsed * 1e-6 : 0;
	fprintf(stderr, "%.1f M instructions", (double)instructions * 1e-6);
	put_total(progress, elapsed);
	fprintf(stderr, ", %.1f MIPS", mips);
	end_line(progress);
}

void progress_count(struct progress *progress, const struct experiment_progress *count,
		    const char *what)
{
	if (!begin_line(progress, experiment_now()))
		return;
	fprintf(stderr, "%zu of %zu %s", count->done, count->all, what);
	put_share(progress, (double)count->done / (double)count->all, count->seconds_left);
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
	return experiment_now() - progress->began;
}
