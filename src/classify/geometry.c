#include "classify/geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define MISSES	     0.6 /* an access that mostly misses */
#define HITS	     0.4
#define STEP_LEAST   0.5
#define BEGINS	     0.3
#define PAGE_BEGINS  4
#define LINE_LEAST   0.2
#define DOUBLES_LOW  1.6
#define DOUBLES_HIGH 2.4
/* More misses with the other half of a block than without it, over all numbers of blocks; at some
 * of them one in four is expected. */
#define HALF_LEAST 0.1
/* Of two accesses to a block each of which may miss. */
#define BLOCK_EVENTS 3
#define VOICES_LEAST 4 /* one in so many is enough */
#define STAYS_MOST   1.3
#define GOES_LEAST   1.7

const char *const sweep_kernels[SWEEPS] = {
	[SWEEP_READ] = "read",	      [SWEEP_WRITE] = "write", [SWEEP_PAGE] = "page",
	[SWEEP_PAGE_WRITE] = "write", [SWEEP_CODE] = "code",   [SWEEP_CODE_PAGE] = "codepage",
};

static bool is_page_sweep(enum sweep sweep)
{
	return sweep == SWEEP_PAGE || sweep == SWEEP_PAGE_WRITE || sweep == SWEEP_CODE_PAGE;
}

#define ANY_UNIT UINT64_MAX

/* The points of a kernel with this unit, sorted by value. */
static size_t *points_of(const struct readings *readings, const char *kernel, uint64_t unit,
			 size_t *count)
{
	size_t *points = mem_alloc_array(readings->point_count, sizeof(*points));

	*count = 0;
	for (size_t p = 0; p < readings->point_count; p++) {
		const struct readings_point *point = &readings->points[p];
		size_t i = *count;

		if (strcmp(point->kernel, kernel) != 0 || (unit != ANY_UNIT && point->unit != unit))
			continue;
		for (; i > 0 && readings->points[points[i - 1]].value > point->value; i--)
			points[i] = points[i - 1];
		points[i] = p;
		++*count;
	}
	return points;
}

/* The unit with the most points of the kernel, among units below or from GEOMETRY_PAGE_LEAST on. */
static uint64_t main_unit(const struct readings *readings, enum sweep sweep)
{
	uint64_t best = 0;
	size_t most = 0;

	for (size_t p = 0; p < readings->point_count; p++) {
		const struct readings_point *point = &readings->points[p];
		size_t count;

		if (strcmp(point->kernel, sweep_kernels[sweep]) != 0 ||
		    (point->unit >= GEOMETRY_PAGE_LEAST) != is_page_sweep(sweep))
			continue;
		free(points_of(readings, point->kernel, point->unit, &count));
		if (count > most) {
			most = count;
			best = point->unit;
		}
	}
	return best;
}

static double mean_of(const struct slopes *slopes, size_t event, const size_t *points, size_t from,
		      size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += slopes_at(slopes, event, points[i]) / (double)(to - from);
	return sum;
}

static double spread_of(const struct slopes *slopes, size_t event, const size_t *points,
			size_t from, size_t to, double mean)
{
	double sum = 0;

	for (size_t i = from; i < to; i++) {
		double d = slopes_at(slopes, event, points[i]) - mean;

		sum += d * d;
	}
	return sum;
}

/* The distance at which the event steps: two means with the least squares between them. */
static uint64_t line_of(const struct readings *readings, const struct slopes *slopes, size_t event,
			const size_t *points, size_t count)
{
	double least = INFINITY, low = 0, high = 0;
	size_t split = 0;

	for (size_t i = 1; i < count; i++) {
		double a = mean_of(slopes, event, points, 0, i);
		double b = mean_of(slopes, event, points, i, count);
		double spread = spread_of(slopes, event, points, 0, i, a) +
				spread_of(slopes, event, points, i, count, b);

		if (spread < least) {
			least = spread;
			split = i;
			low = a;
			high = b;
		}
	}
	if (!split || sqrt(least / (double)count) > 0.15)
		return 0;
	/* What page walks miss changes slowly, as they touch fewer pages with every distance. */
	double step = slopes_at(slopes, event, points[split]) -
		      slopes_at(slopes, event, points[split - 1]);
	if (fabs(step) < STEP_LEAST * fabs(high - low))
		return 0;
	bool doubles = low > LINE_LEAST && high > DOUBLES_LOW * low && high < DOUBLES_HIGH * low &&
		       low < 1.3;
	bool ends = low > MISSES && low < 1.3 && high < HITS;
	return doubles || ends ? readings->points[points[split]].value : 0;
}

static size_t count_of(const struct geometry *geometry, size_t event_count, uint64_t line)
{
	size_t count = 0;

	for (size_t i = 0; i < event_count; i++)
		count += geometry->line[i] == line;
	return count;
}

/* Most events of pages are about pages of the TLB; some are about rows of memory, or about what
 * page walks find together. */
static uint64_t find_page(const struct geometry *geometry, size_t event_count)
{
	uint64_t page = 0;
	size_t most = 0;

	for (size_t e = 0; e < event_count; e++) {
		uint64_t line = geometry->line[e];
		size_t count = count_of(geometry, event_count, line);

		if (line >= GEOMETRY_PAGE_LEAST &&
		    (count > most || (count == most && line < page))) {
			most = count;
			page = line;
		}
	}
	return page;
}

/* The largest block that several events have: what one alone shows may be anything, as when cycles
 * lost or entries in use double at some distance. Where there are few events, one is enough. */
static uint64_t find_block(const struct geometry *geometry, size_t event_count)
{
	uint64_t largest[2] = {0};

	for (size_t e = 0; e < event_count; e++) {
		uint64_t line = geometry->line[e];
		bool are_several = count_of(geometry, event_count, line) >= BLOCK_EVENTS;

		for (size_t k = 0; k <= are_several; k++)
			if (line < GEOMETRY_PAGE_LEAST && line > largest[k])
				largest[k] = line;
	}
	return largest[1] ? largest[1] : largest[0];
}

static void find_lines(struct geometry *geometry, const struct readings *readings,
		       const struct slopes *slopes)
{
	size_t count, *points = points_of(readings, "pair", 0, &count);

	geometry->line = mem_alloc_array(readings->event_count, sizeof(*geometry->line));
	for (size_t e = 0; e < readings->event_count; e++) {
		uint64_t line = line_of(readings, slopes, e, points, count);

		geometry->line[e] = line;
	}
	geometry->block_bytes = find_block(geometry, readings->event_count);
	geometry->page_bytes = find_page(geometry, readings->event_count);
	free(points);
}

/* What an event says of the halves of its block: nothing, that they are one line, or two. */
enum halves { HALVES_UNKNOWN, HALVES_ONE, HALVES_TWO };

/* The points of kernels half and whole with one unit, by the number of blocks. */
struct half_points {
	size_t *half, *whole, count;
};

/* The first point at which the first halves do not stay in the event's cache either. */
static size_t first_gone(const struct slopes *slopes, size_t event,
			 const struct half_points *points)
{
	size_t i = 0;

	while (i < points->count && !(slopes_at(slopes, event, points->whole[i]) > GOES_LEAST))
		i++;
	return i;
}

/* The point from which on accesses to the first halves reach the event's cache: they are gone from
 * the smaller ones, and from those with smaller blocks, which are nearer to the core. */
static size_t first_reaching(const struct geometry *geometry, const struct slopes *slopes,
			     size_t event_count, size_t event, const struct half_points *points)
{
	size_t gone = first_gone(slopes, event, points), from = 0;

	for (size_t e = 0; e < event_count; e++) {
		uint64_t line = geometry->line[e];
		size_t other =
			line && line < GEOMETRY_PAGE_LEAST ? first_gone(slopes, e, points) : 0;

		if ((other < gone || line < geometry->line[event]) && other > from)
			from = other;
	}
	return from;
}

static enum halves halves_of(const struct geometry *geometry, const struct slopes *slopes,
			     size_t event_count, size_t event, const struct half_points *points)
{
	size_t i = first_reaching(geometry, slopes, event_count, event, points);
	bool stays = false, goes = false;
	double more = 0;

	for (; i < points->count; i++) {
		double without = slopes_at(slopes, event, points->whole[i]);

		stays |= without < STAYS_MOST;
		goes |= stays && without > GOES_LEAST;
		more += slopes_at(slopes, event, points->half[i]) - without;
	}
	if (more > HALF_LEAST)
		return HALVES_TWO;
	/* Somewhere between the two the first halves stay and others go. */
	return stays && goes ? HALVES_ONE : HALVES_UNKNOWN;
}

static struct half_points half_points_of(const struct readings *readings, uint64_t unit)
{
	struct half_points points;
	size_t count;

	points.half = points_of(readings, "half", unit, &points.count);
	points.whole = points_of(readings, "whole", unit, &count);
	if (count < points.count)
		points.count = count;
	return points;
}

/* What an event says of the cache it is about. */
struct line_voice {
	uint64_t line; /* 0: nothing shows whether its block is a line or several */
	size_t gone;   /* as first_gone says: events of one cache have the same */
};

static struct line_voice voice_of(const struct geometry *geometry, const struct readings *readings,
				  const struct slopes *slopes, size_t event)
{
	struct line_voice voice = {0};
	uint64_t block = geometry->line[event];
	enum halves halves = HALVES_TWO;

	if (!block || block > geometry->block_bytes)
		return voice;
	for (; halves == HALVES_TWO; block /= 2) {
		const struct half_points points = half_points_of(readings, block);

		halves = halves_of(geometry, slopes, readings->event_count, event, &points);
		if (halves != HALVES_UNKNOWN)
			voice.line = halves == HALVES_ONE ? block : block / 2;
		if (block == geometry->line[event])
			voice.gone = first_gone(slopes, event, &points);
		free(points.half);
		free(points.whole);
	}
	return voice;
}

/* The line of the event's cache. Misses that are seen say more than those that are not: some
 * events, as those of prefetches, do not see these misses. */
static uint64_t agreed_line(const struct geometry *geometry, const struct line_voice *voices,
			    size_t event_count, size_t event)
{
	uint64_t line = voices[event].line;
	size_t all = 0, less = 0;

	for (size_t e = 0; e < event_count; e++) {
		if (!voices[e].line || voices[e].gone > voices[event].gone ||
		    geometry->line[e] != geometry->line[event])
			continue;
		all++;
		less += voices[e].line < voices[event].line;
		if (voices[e].line < line)
			line = voices[e].line;
	}
	return less && VOICES_LEAST * less >= all ? line : voices[event].line;
}

/* The largest line that is found. */
static void find_line(struct geometry *geometry, const struct readings *readings,
		      const struct slopes *slopes)
{
	struct line_voice *voices = mem_alloc_array(readings->event_count, sizeof(*voices));

	for (size_t e = 0; e < readings->event_count; e++)
		voices[e] = voice_of(geometry, readings, slopes, e);
	for (size_t e = 0; e < readings->event_count; e++) {
		uint64_t line = agreed_line(geometry, voices, readings->event_count, e);

		if (line > geometry->line_bytes)
			geometry->line_bytes = line;
	}
	free(voices);
	if (!geometry->line_bytes)
		geometry->line_bytes = geometry->block_bytes;
}

/* The place at which the event steps from (nearly) 0 to 1 per access; 0: it does not step that
 * way. Of jumps through somewhat more than a cache has, a prefetcher of the next line saves some.
 */
static size_t rising_step(const struct slopes *slopes, size_t event, enum sweep which,
			  const struct sweep_points *sweep)
{
	double least = which == SWEEP_CODE ? BEGINS : STEP_LEAST;
	size_t at = 0;

	for (size_t i = 0; i < sweep->count; i++) {
		double value = slopes_at(slopes, event, sweep->points[i]);

		if (isnan(value) || value < -0.2 || value > 1.4)
			return 0;
		if (value < least)
			at = i + 1;
	}
	if (at == 0 || slopes_at(slopes, event, sweep->points[0]) > 0.15 ||
	    slopes_at(slopes, event, sweep->points[sweep->count - 1]) < MISSES)
		return 0;
	return at;
}

static uint64_t value_at(const struct readings *readings, const struct sweep_points *sweep,
			 size_t place)
{
	return readings->points[sweep->points[place]].value;
}

/* Whether the event counts jumps, as misses of a branch target buffer do. Then it counts each of
 * the many jumps in one line (kernel codeline); an instruction cache misses once there. */
static bool counts_jumps(const struct readings *readings, const struct slopes *slopes, size_t event)
{
	for (size_t p = 0; p < readings->point_count; p++)
		if (strcmp(readings->points[p].kernel, "codeline") == 0 &&
		    slopes_at(slopes, event, p) > STEP_LEAST)
			return true;
	return false;
}

/* The first place at which the event counts; the number of places if there is none. Later places
 * may count less again, as those of hits do. */
static size_t beginning(const struct slopes *slopes, size_t event, const struct sweep_points *sweep)
{
	size_t i = 0;

	while (i < sweep->count && !(slopes_at(slopes, event, sweep->points[i]) >= BEGINS))
		i++;
	return i;
}

/* Whether what the event counts begins at about as many bytes with a jump in each page as with one
 * in each line. Then it is about pages. What is about lines begins with many more bytes where there
 * is one in each page, if it begins at all, even where a set has one line and lines compete early.
 */
static bool counts_pages(const struct geometry *geometry, const struct readings *readings,
			 const struct slopes *slopes, size_t event)
{
	const struct sweep_points *lines = &geometry->sweeps[SWEEP_CODE];
	const struct sweep_points *pages = &geometry->sweeps[SWEEP_CODE_PAGE];
	size_t line = beginning(slopes, event, lines), page = beginning(slopes, event, pages);

	return page < pages->count &&
	       (line == lines->count ||
		value_at(readings, pages, page) <= PAGE_BEGINS * value_at(readings, lines, line));
}

/* Whether the event may speak for the capacities of the sweep. */
static bool is_witness(const struct geometry *geometry, const struct readings *readings,
		       const struct slopes *slopes, size_t event, enum sweep sweep)
{
	uint64_t line = geometry->line[event];

	/* A line of data is no line of instructions. */
	if (sweep == SWEEP_CODE || sweep == SWEEP_CODE_PAGE)
		return line == 0 && !counts_jumps(readings, slopes, event) &&
		       counts_pages(geometry, readings, slopes, event) == is_page_sweep(sweep);
	/* Entries of a page table are shared by pages, so that walks miss at larger distances. */
	return is_page_sweep(sweep) ? line && line == geometry->page_bytes
				    : line && line < GEOMETRY_PAGE_LEAST;
}

/* Steps at neighbouring sizes are one capacity, at the size with the most of them and what the
 * kernel uses besides. */
static void cluster_steps(struct sweep_points *sweep, const size_t *steps, uint64_t besides,
			  const struct readings *readings)
{
	for (size_t i = 1; i < sweep->count && sweep->levels < GEOMETRY_LEVELS_MOST; i++) {
		size_t last = i, most = i;

		if (!steps[i])
			continue;
		while (last + 1 < sweep->count && steps[last + 1])
			last++;
		for (size_t k = i; k <= last; k++)
			if (steps[k] > steps[most])
				most = k;
		sweep->capacity[sweep->levels++] = value_at(readings, sweep, most - 1) + besides;
		i = last;
	}
}

static void find_plateaus(struct sweep_points *sweep, const struct readings *readings)
{
	for (size_t level = 0; level <= sweep->levels; level++) {
		/* The first size and the last are in the middle of nothing. */
		double low = level ? (double)sweep->capacity[level - 1] : 0;
		double high = level < sweep->levels ? (double)sweep->capacity[level] : 0;
		double middle = !level ? high / 2
				: level < sweep->levels
					? sqrt(low * high)
					: (double)value_at(readings, sweep, sweep->count - 1);
		size_t best = 0;

		for (size_t i = 1; i < sweep->count; i++)
			if (fabs(log((double)value_at(readings, sweep, i) / middle)) <
			    fabs(log((double)value_at(readings, sweep, best) / middle)))
				best = i;
		sweep->plateau[level] = best;
	}
}

static void find_points(struct sweep_points *sweep, enum sweep which,
			const struct readings *readings)
{
	sweep->unit = main_unit(readings, which);
	/* The large buffers of jumps have fewer of them. */
	sweep->points = points_of(readings, sweep_kernels[which],
				  which == SWEEP_CODE ? ANY_UNIT : sweep->unit, &sweep->count);
	if (sweep->count < 2)
		sweep->count = 0;
}

static void find_capacities(struct geometry *geometry, enum sweep which,
			    const struct readings *readings, const struct slopes *slopes)
{
	struct sweep_points *sweep = &geometry->sweeps[which];

	size_t *steps = mem_alloc_array(sweep->count, sizeof(*steps));
	for (size_t e = 0; e < readings->event_count; e++)
		if (is_witness(geometry, readings, slopes, e, which))
			steps[rising_step(slopes, e, which, sweep)]++;
	steps[0] = 0;
	/* The loop that starts each round of jumps is in a page of its own. */
	cluster_steps(sweep, steps, which == SWEEP_CODE_PAGE ? sweep->unit : 0, readings);
	free(steps);
	find_plateaus(sweep, readings);
}

/* Stores go to the caches that loads have shown. */
static void copy_levels(struct sweep_points *to, const struct sweep_points *from,
			const struct readings *readings)
{
	if (!to->count)
		return;
	to->levels = from->levels;
	memcpy(to->capacity, from->capacity, sizeof(to->capacity));
	find_plateaus(to, readings);
}

void geometry_find(struct geometry *geometry, const struct readings *readings,
		   const struct slopes *slopes)
{
	*geometry = (struct geometry){0};
	find_lines(geometry, readings, slopes);
	if (geometry->block_bytes)
		find_line(geometry, readings, slopes);
	for (enum sweep sweep = 0; sweep < SWEEPS; sweep++)
		find_points(&geometry->sweeps[sweep], sweep, readings);
	for (enum sweep sweep = 0; sweep < SWEEPS; sweep++)
		find_capacities(geometry, sweep, readings, slopes);
	copy_levels(&geometry->sweeps[SWEEP_WRITE], &geometry->sweeps[SWEEP_READ], readings);
	copy_levels(&geometry->sweeps[SWEEP_PAGE_WRITE], &geometry->sweeps[SWEEP_PAGE], readings);
}

void geometry_release(struct geometry *geometry)
{
	for (enum sweep sweep = 0; sweep < SWEEPS; sweep++)
		free(geometry->sweeps[sweep].points);
	free(geometry->line);
	*geometry = (struct geometry){0};
}
