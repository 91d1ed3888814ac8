#include "mem/prefetch.h"

/*
 * Tracks the 16 pages used last. In each it notes the last line and whether the moves
 * from line to line go up or down; from the second move in one direction on, it names
 * the lines up to LINES_AHEAD in that direction, up to the end of the page, and none
 * twice while the direction stays the same.
 */
enum { PAGES = 16, CONFIDENT = 2, LINES_AHEAD = 8 };

struct stream {
	uint64_t page;	/* number + 1; 0: empty */
	int64_t line;	/* last one seen, within the page */
	int64_t named;	/* furthest one named */
	int direction;	/* +1, -1; 0: not yet known */
	unsigned moves; /* moves in that direction, up to CONFIDENT */
};

/* Most recently used page first. */
struct tracker {
	struct stream streams[PAGES];
};

static struct stream *track(struct tracker *tracker, uint64_t page, int64_t line)
{
	struct stream found = {.page = page + 1, .line = line};
	unsigned at = 0;

	while (at < PAGES - 1 && tracker->streams[at].page != page + 1)
		at++;
	if (tracker->streams[at].page == page + 1)
		found = tracker->streams[at];
	for (; at > 0; at--)
		tracker->streams[at] = tracker->streams[at - 1];
	tracker->streams[0] = found;
	return &tracker->streams[0];
}

static void learn(struct stream *stream, int64_t line)
{
	int direction = line > stream->line ? 1 : -1;

	if (direction == stream->direction) {
		stream->moves += stream->moves < CONFIDENT;
	} else {
		stream->direction = direction;
		stream->moves = 1;
		stream->named = line;
	}
	stream->line = line;
	/* The program may already be past the lines named. */
	if ((stream->named - line) * direction < 0)
		stream->named = line;
}

static unsigned observe(struct prefetcher *prefetcher, const struct prefetch_access *access,
			uint64_t *lines)
{
	int64_t line_bytes = (int64_t)prefetcher->line_bytes;
	uint64_t page = access->address / prefetcher->page_bytes;
	int64_t line = (int64_t)(access->address % prefetcher->page_bytes) / line_bytes;
	struct stream *stream = track(prefetcher->state, page, line);
	unsigned count = 0;

	if (line == stream->line)
		return 0;
	learn(stream, line);
	while (stream->moves >= CONFIDENT && count < PREFETCH_MOST_LINES) {
		int64_t next = stream->named + stream->direction;

		if ((next - line) * stream->direction > LINES_AHEAD)
			break;
		stream->named = next;
		count = prefetch_name_line(prefetcher, access->address,
					   page * prefetcher->page_bytes +
						   (uint64_t)(next * line_bytes),
					   lines, count);
	}
	return count;
}

CONFIG_PART(prefetch_stream) = {.name = "stream",
				.state_bytes = sizeof(struct tracker),
				.sees_hits = true,
				.observe = observe};
