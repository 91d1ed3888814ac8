#include "cmd/stat_live.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "doc/text_bar.h"

#define DRAW_SECONDS 0.2

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void stat_live_start(struct stat_live *live, const struct args *args)
{
	*live = (struct stat_live){
		.is_shown = isatty(STDERR_FILENO) && !args_get(args, OPTION_QUIET),
		.began = now_seconds(),
	};
	terminal_init(&live->terminal, stderr);
}

static void take_epoch(struct stat_live *live, const struct stat_frame *frame)
{
	const char *name = frame->text;

	live->count = frame->head.count < STAT_LIVE_ROWS ? frame->head.count : STAT_LIVE_ROWS;
	live->recent_count = 0;
	for (size_t i = 0; i < live->count; i++, name += strlen(name) + 1) {
		snprintf(live->names[i], sizeof(live->names[i]), "%.63s", name);
		live->totals[i] = 0;
	}
}

void stat_live_take(struct stat_live *live, const struct stat_frame *frame)
{
	if (frame->head.kind == STAT_FRAME_EPOCH)
		take_epoch(live, frame);
	if (frame->head.kind != STAT_FRAME_INTERVAL || frame->head.count < live->count)
		return;
	bool is_full = live->recent_count == STAT_LIVE_COLUMNS;
	for (size_t i = 0; i < live->count; i++) {
		double *recent = live->recent[i];

		if (is_full)
			memmove(recent, recent + 1, (STAT_LIVE_COLUMNS - 1) * sizeof(*recent));
		recent[is_full ? STAT_LIVE_COLUMNS - 1 : live->recent_count] =
			(double)frame->counts[i].value;
		live->totals[i] = frame->counts[i].total;
	}
	live->recent_count += !is_full;
}

static void erase(struct stat_live *live)
{
	if (live->lines)
		fprintf(stderr, "\033[%uA\033[J", live->lines);
	live->lines = 0;
}

void stat_live_draw(struct stat_live *live)
{
	double now = now_seconds();

	if (!live->is_shown || !live->recent_count || now - live->began < 1 ||
	    now - live->drawn < DRAW_SECONDS)
		return;
	live->drawn = now;
	erase(live);
	for (size_t i = 0; i < live->count && live->lines + 2 < live->terminal.height; i++) {
		char total[TERMINAL_NUMBER_BYTES];
		unsigned used = 28 + 1 + 7 + 1;

		terminal_put(stderr, &live->terminal, live->names[i], 28);
		fprintf(stderr, " %7s ", terminal_short(total, (double)live->totals[i]));
		text_bar_spark(stderr, &live->terminal, live->recent[i], live->recent_count,
			       live->terminal.width > used + STAT_LIVE_COLUMNS
				       ? STAT_LIVE_COLUMNS
				       : live->terminal.width - used - 1);
		fputc('\n', stderr);
		live->lines++;
	}
	fflush(stderr);
}

void stat_live_end(struct stat_live *live)
{
	erase(live);
	fflush(stderr);
}
