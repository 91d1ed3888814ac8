/* Sizes of a machine from slopes that are written down: each threshold, one below and one above it,
 * ties, and the places of plateaus worked out on paper. Counts that are powers of two make means
 * exact. */
#include "../test.h"

#include <math.h>

#include "base/array.h"
#include "classify/geometry.h"

#define EVENTS_MOST 12
#define POINTS	    64

static struct readings_point points[POINTS];
static double values[EVENTS_MOST * POINTS];
static struct readings readings;
static struct slopes slopes;
static struct geometry geometry;

static void begin(size_t events)
{
	geometry_release(&geometry);
	memset(points, 0, sizeof(points));
	memset(values, 0, sizeof(values));
	readings = (struct readings){.points = points, .event_count = events};
	slopes = (struct slopes){.event_count = events, .values = values};
}

static void add_point(const char *kernel, uint64_t unit, uint64_t value)
{
	struct readings_point *point = &points[readings.point_count++];

	assert_true(readings.point_count <= POINTS);
	strcpy(point->kernel, kernel);
	point->unit = unit;
	point->value = value;
	slopes.point_count = readings.point_count;
}

/* Sizes that double, `count` of them. */
static void add_sizes(const char *kernel, uint64_t unit, uint64_t first, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_point(kernel, unit, first << i);
}

/* After all points: the slopes of an event on the points of a kernel, in their order. */
static void set(size_t event, const char *kernel, const double *list)
{
	for (size_t p = 0; p < readings.point_count; p++)
		if (strcmp(points[p].kernel, kernel) == 0)
			values[event * readings.point_count + p] = *list++;
}

static void find(void)
{
	geometry_find(&geometry, &readings, &slopes);
}

/* Pairs at 16, 32, 64 and 128 bytes. */
TEST(lines_are_where_an_event_steps)
{
	static const struct {
		double slopes[4];
		uint64_t line;
	} rows[] = {
		{{1, 1, 2, 2}, 64},
		{{1, 2, 2, 2}, 32},
		{{1, 1, 1, 2}, 128},
		{{1, 1, 1, 1}, 0},
		{{2, 2, 1, 1}, 0},
		/* It doubles: by more than 1.6 and less than 2.4, from more than 0.2 and less
		   than 1.3. */
		{{1, 1, 1.6, 1.6}, 0},
		{{1, 1, 1.625, 1.625}, 64},
		{{1, 1, 2.4, 2.4}, 0},
		{{1, 1, 2.375, 2.375}, 64},
		{{0.2, 0.2, 0.4, 0.4}, 0},
		{{0.25, 0.25, 0.5, 0.5}, 64},
		{{1.3, 1.3, 2.6, 2.6}, 0},
		{{1.25, 1.25, 2.5, 2.5}, 64},
		/* Its hits end: from more than 0.6 and less than 1.3 to less than 0.4. */
		{{1, 1, 0, 0}, 64},
		{{0.6, 0.6, 0, 0}, 0},
		{{0.625, 0.625, 0, 0}, 64},
		{{1, 1, 0.4, 0.4}, 0},
		{{1, 1, 0.375, 0.375}, 64},
		{{1.3, 1.3, 0, 0}, 0},
		{{1.25, 1.25, 0, 0}, 64},
		{{1, 0, 0, 0}, 32},
		/* The root of the mean square is at most 0.15 on both sides of the step. */
		{{0.875, 1.125, 1.875, 2.125}, 64},
		{{0.84, 1.16, 1.84, 2.16}, 0},
		{{1.16, 0.84, 2.16, 1.84}, 0},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		begin(1);
		/* Points of other kernels, and pairs of another unit, are none of its. */
		add_point("read", 0, 24);
		add_sizes("pair", 0, 16, 4);
		set(0, "pair", rows[i].slopes);
		add_point("pair", 1, 24);
		find();
		if (geometry.line[0] != rows[i].line)
			fail_msg("row %zu: %llu", i, (unsigned long long)geometry.line[0]);
		assert_int_equal(geometry.line_bytes, rows[i].line);
		assert_int_equal(geometry.page_bytes, 0);
	}
	begin(1);
	find();
	assert_int_equal(geometry.line[0], 0);
	begin(1);
	add_point("pair", 0, 64);
	set(0, "pair", (double[]){1});
	find();
	assert_int_equal(geometry.line[0], 0);
}

/* With eight pairs: what rises slowly is no line, although its two halves are as 1 to 2. */
TEST(slow_changes_are_no_lines)
{
	static const struct {
		double slopes[8];
		uint64_t line;
	} rows[] = {
		/* Means 1.0375 and 1.9125; the step of 0.5 is more than half of 0.875. */
		{{1, 1, 1, 1.15, 1.65, 2, 2, 2}, 256},
		/* Means 1.05 and 1.9; the step of 0.4 is less than half of 0.85. */
		{{1, 1, 1, 1.2, 1.6, 2, 2, 2}, 0},
		/* The same of hits that end. */
		{{1, 1, 1, 0.85, 0.35, 0, 0, 0}, 256},
		{{1, 1, 1, 0.8, 0.4, 0, 0, 0}, 0},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		begin(1);
		add_sizes("pair", 0, 16, 8);
		set(0, "pair", rows[i].slopes);
		find();
		assert_int_equal(geometry.line[0], rows[i].line);
	}
}

/* Events that double at each of these distances: the largest below 1024 is the line; of the others
 * the one of most events, and of equally many the smallest, is the page. */
TEST(the_largest_line_and_the_commonest_page)
{
	static const struct {
		uint64_t lines[5], line, page;
	} rows[] = {
		{{64, 128, 32}, 128, 0},	{{512, 0, 0}, 512, 0},
		{{1024, 0, 0}, 0, 1024},	{{4096, 8192, 8192}, 0, 8192},
		{{8192, 4096, 0}, 0, 4096},	{{4096, 8192, 0}, 0, 4096},
		{{64, 64, 64, 2048}, 64, 2048}, {{8192, 8192, 4096, 4096, 64}, 64, 4096},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		begin(5);
		add_sizes("pair", 0, 16, 12); /* to 32768 */
		for (size_t e = 0; e < 5; e++) {
			double list[12];

			for (size_t k = 0; k < 12; k++)
				list[k] = rows[i].lines[e] && UINT64_C(16) << k >= rows[i].lines[e]
						  ? 2
						  : 1;
			set(e, "pair", list);
		}
		find();
		for (size_t e = 0; e < 5; e++)
			assert_int_equal(geometry.line[e], rows[i].lines[e]);
		assert_int_equal(geometry.line_bytes, rows[i].line);
		assert_int_equal(geometry.page_bytes, rows[i].page);
	}
}

/* Where three events agree, a larger block of fewer is none. */
TEST(a_block_has_several_events)
{
	for (size_t outliers = 1; outliers <= 3; outliers++) {
		begin(3 + outliers);
		add_sizes("pair", 0, 16, 8);
		for (size_t e = 0; e < 3 + outliers; e++)
			set(e, "pair",
			    e < 3 ? (double[]){1, 1, 2, 2, 2, 2, 2, 2}
				  : (double[]){1, 1, 1, 1, 2, 2, 2, 2});
		find();
		assert_int_equal(geometry.block_bytes, outliers < 3 ? 64 : 256);
		assert_int_equal(geometry.line_bytes, outliers < 3 ? 64 : 256);
	}
}

/* Events whose block is 128 bytes, by what they count with 16 to 128 blocks: with a second place in
 * the same half (whole) and in the other half. */
TEST(a_line_is_a_block_or_a_part_of_it)
{
	static const double stays_and_goes[] = {1, 1, 1.5, 2}, stays[] = {1, 1, 1, 1},
			    goes[] = {2, 2, 2, 2}, ends[] = {2, 2, 1, 1};
	static const struct {
		const double *whole;
		double more[2][4]; /* with the other half of 128 bytes, and of 64 */
		uint64_t line;
	} rows[] = {
		/* One line: the other half stays and goes with the first. */
		{stays_and_goes, {{0}, {0}}, 128},
		{stays_and_goes, {{0, 0.04, 0.04, 0}, {0}}, 128},
		/* Two lines, of which one stays longer; four. */
		{stays_and_goes, {{0, 0.06, 0.06, 0}, {0}}, 64},
		{stays_and_goes, {{0, 0, 0.25, 0}, {0, 0, 0.25, 0}}, 32},
		{stays, {{0, 0, 0, 0.25}, {0}}, 64},
		/* Nothing shows it: then a line is what a miss brings in. */
		{stays, {{0}, {0}}, 128},
		{goes, {{0}, {0}}, 128},
		{ends, {{0, -0.25, 0, 0}, {0}}, 128},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		begin(1);
		add_sizes("pair", 0, 16, 8);
		add_sizes("whole", 128, 16, 4);
		add_sizes("whole", 64, 16, 4);
		add_sizes("half", 128, 16, 4);
		add_sizes("half", 64, 16, 4);
		double list[2][8];
		for (size_t k = 0; k < 8; k++) {
			list[0][k] = rows[i].whole[k % 4];
			list[1][k] = list[0][k] + rows[i].more[k / 4][k % 4];
		}
		set(0, "pair", (double[]){1, 1, 1, 2, 2, 2, 2, 2});
		set(0, "whole", list[0]);
		set(0, "half", list[1]);
		find();
		assert_int_equal(geometry.block_bytes, 128);
		if (geometry.line_bytes != rows[i].line)
			fail_msg("row %zu: %llu", i, (unsigned long long)geometry.line_bytes);
	}
}

/* A second cache holds more: what its events show counts from where the first holds nothing. */
TEST(the_second_cache_is_asked_where_the_first_has_nothing)
{
	for (unsigned late = 0; late < 2; late++) {
		begin(2);
		add_sizes("pair", 0, 16, 8);
		add_sizes("whole", 128, 16, 6);
		add_sizes("half", 128, 16, 6);
		set(0, "pair", (double[]){1, 1, 2, 2, 2, 2, 2, 2});
		set(1, "pair", (double[]){1, 1, 1, 2, 2, 2, 2, 2});
		set(0, "whole", (double[]){1, 1, 2, 2, 2, 2});
		set(0, "half", (double[]){1, 1.25, 2, 2, 2, 2});
		set(1, "whole", (double[]){1, 1, 1, 1, 2, 2});
		set(1, "half",
		    late ? (double[]){1, 1, 1, 1.25, 2, 2} : (double[]){1, 1.25, 1, 1, 2, 2});
		find();
		assert_int_equal(geometry.line_bytes, late ? 64 : 128);
	}
}

/* Of the events of one cache those that see more misses are right, if they are not too few. */
TEST(events_of_one_cache_agree)
{
	for (size_t others = 3; others < 5; others++) {
		begin(1 + others);
		add_sizes("pair", 0, 16, 8);
		add_sizes("whole", 128, 16, 4);
		add_sizes("half", 128, 16, 4);
		for (size_t e = 0; e < 1 + others; e++) {
			set(e, "pair", (double[]){1, 1, 1, 2, 2, 2, 2, 2});
			set(e, "whole", (double[]){1, 1, 2, 2});
			set(e, "half", e ? (double[]){1, 1, 2, 2} : (double[]){1, 1.25, 2, 2});
		}
		find();
		assert_int_equal(geometry.line_bytes, others == 3 ? 64 : 128);
	}
}

/* Jumps through large buffers are fewer; their points are part of the sweep. */
TEST(a_sweep_of_jumps_has_points_of_several_units)
{
	begin(1);
	add_sizes("code", 64, 4096, 4);
	add_sizes("code", 256, 65536, 4);
	set(0, "code", (double[]){0, 0, 0, 0, 0, 0.3, 0.9, 1});
	find();
	assert_int_equal(geometry.sweeps[SWEEP_CODE].count, 8);
	assert_int_equal(geometry.sweeps[SWEEP_CODE].unit, 64);
	assert_int_equal(geometry.sweeps[SWEEP_CODE].levels, 1);
	assert_int_equal(geometry.sweeps[SWEEP_CODE].capacity[0], 65536);
}

/* The unit of most points, the first of equals; lines below 1024 and pages from there on; sorted by
 * value. */
TEST(a_sweep_is_of_one_unit)
{
	static const struct {
		const char *kernel;
		uint64_t unit, value;
	} all[] = {
		{"read", 64, 4096},    {"read", 32, 512},     {"read", 64, 1024},
		{"read", 32, 256},     {"read", 64, 2048},    {"read", 1024, 7},
		{"read", 1024, 8},     {"read", 1024, 9},     {"read", 1024, 10},
		{"write", 1023, 20},   {"write", 1023, 10},   {"write", 1024, 50},
		{"write", 1024, 40},   {"write", 1024, 30},   {"page", 64, 1},
		{"page", 64, 2},       {"page", 2048, 5},     {"code", 64, 9},
		{"codepage", 4096, 3}, {"codepage", 4096, 2}, {"codepage", 8192, 5},
		{"codepage", 8192, 4},
	};
	static const struct {
		enum sweep sweep;
		uint64_t unit;
		size_t count, places[3];
	} rows[] = {
		{SWEEP_READ, 64, 3, {2, 4, 0}},
		{SWEEP_WRITE, 1023, 2, {10, 9}},
		{SWEEP_PAGE_WRITE, 1024, 3, {13, 12, 11}},
		{SWEEP_PAGE, 2048, 0, {0}},
		{SWEEP_CODE, 64, 0, {0}},
		{SWEEP_CODE_PAGE, 4096, 2, {19, 18}},
	};

	begin(1);
	for (size_t i = 0; i < ARRAY_COUNT(all); i++)
		add_point(all[i].kernel, all[i].unit, all[i].value);
	find();
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const struct sweep_points *sweep = &geometry.sweeps[rows[i].sweep];

		assert_int_equal(sweep->unit, rows[i].unit);
		assert_int_equal(sweep->count, rows[i].count);
		for (size_t k = 0; k < rows[i].count; k++)
			assert_int_equal(sweep->points[k], rows[i].places[k]);
		/* Nothing steps: one plateau, of no size in the middle. */
		assert_int_equal(sweep->levels, 0);
		assert_int_equal(sweep->plateau[0], 0);
	}
}

static const double line_of_64[] = {1, 1, 2, 2}, page_of_4096[] = {1, 1, 1, 2}, no_line[4];

/* Pairs of which the third is at 64 bytes and the last at 4096. */
static void add_pairs(void)
{
	add_sizes("pair", 0, 16, 3);
	add_point("pair", 0, 4096);
}

TEST(capacities_are_where_misses_begin)
{
	static const struct {
		double slopes[4];
		uint64_t capacity; /* 0: none */
	} rows[] = {
		{{0, 0, 1, 1}, 2000},	 {{0, 1, 1, 1}, 1000},	  {{0, 0, 0, 1}, 4000},
		{{1, 1, 1, 1}, 0},	 {{0, 0, 0, 0}, 0},	  {{1, 1, 0, 0}, 0},
		{{0, 0, 0.5, 1}, 2000},	 {{0, 0, 0.49, 1}, 4000}, {{0, 1, 0, 1}, 4000},
		{{-0.2, 0, 1, 1}, 2000}, {{-0.21, 0, 1, 1}, 0},	  {{0, 0, 1.4, 1}, 2000},
		{{0, 0, 1.41, 1}, 0},	 {{0.15, 0, 1, 1}, 2000}, {{0.16, 0, 1, 1}, 0},
		{{0, 0, 1, 0.6}, 2000},	 {{0, 0, 1, 0.59}, 0},	  {{0, 0, 1, 0.4}, 0},
		{{0, 0.3, 1, 1}, 2000},	 {{0, NAN, 1, 1}, 0},	  {{NAN, 0, 1, 1}, 0},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		begin(2);
		add_pairs();
		add_sizes("read", 64, 1000, 4);
		add_sizes("write", 64, 1000, 4);
		add_sizes("page", 4096, 1000, 4);
		set(0, "pair", line_of_64);
		set(0, "read", rows[i].slopes);
		set(0, "page", (double[]){0, 1, 1, 1}); /* no witness of pages */
		set(1, "pair", page_of_4096);
		set(1, "page", rows[i].slopes);
		set(1, "read", (double[]){0, 1, 1, 1}); /* no witness of lines */
		find();
		const enum sweep sweeps[] = {SWEEP_READ, SWEEP_WRITE, SWEEP_PAGE};
		for (size_t k = 0; k < 3; k++) {
			const struct sweep_points *sweep = &geometry.sweeps[sweeps[k]];

			if (sweep->levels != !!rows[i].capacity ||
			    (sweep->levels && sweep->capacity[0] != rows[i].capacity))
				fail_msg("row %zu, sweep %zu: %zu levels", i, k, sweep->levels);
		}
		/* There are no stores by page. */
		assert_int_equal(geometry.sweeps[SWEEP_PAGE_WRITE].levels, 0);
	}
}

/* Ten sizes; so many events step before each of them. */
TEST(neighbouring_steps_are_one_capacity)
{
	static const struct {
		size_t steps[10]; /* events whose first size of one an access is this */
		size_t levels;
		uint64_t capacity[3];
	} rows[] = {
		{{0, 1}, 1, {1}},
		{{0, 0, 1, 2, 1}, 1, {4}},
		{{0, 0, 2, 2}, 1, {2}},
		{{0, 0, 1, 1, 2}, 1, {8}},
		{{0, 1, 0, 1, 0, 2, 1}, 3, {1, 4, 16}},
		{{0, 1, 0, 1, 0, 1, 0, 1}, 3, {1, 4, 16}},
		{{0, 0, 0, 0, 0, 0, 0, 0, 1, 2}, 1, {256}},
		{{0, 2, 1, 0, 0, 0, 0, 0, 0, 1}, 2, {1, 256}},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		size_t event = 0;

		begin(EVENTS_MOST);
		add_pairs();
		add_sizes("read", 64, 1, 10);
		for (size_t first = 1; first < 10; first++)
			for (size_t k = 0; k < rows[i].steps[first]; k++, event++) {
				double list[10];

				for (size_t size = 0; size < 10; size++)
					list[size] = size >= first;
				set(event, "pair", line_of_64);
				set(event, "read", list);
			}
		find();
		assert_int_equal(geometry.sweeps[SWEEP_READ].levels, rows[i].levels);
		for (size_t k = 0; k < rows[i].levels; k++)
			assert_int_equal(geometry.sweeps[SWEEP_READ].capacity[k],
					 rows[i].capacity[k]);
	}
}

/* Capacities of 2^3 and 2^7 of sizes 1 to 2^12: plateaus at 2^2, at 2^5, the middle of the two by
 * their ratio, and at the largest. Stores have sizes of their own: 2^4 is no nearer to 2^5 than
 * 2^6, and is the first. */
TEST(plateaus_are_in_the_middle)
{
	begin(2);
	add_pairs();
	add_sizes("read", 64, 1, 13);
	add_sizes("write", 64, 1, 5);  /* 1 to 2^4 */
	add_sizes("write", 64, 64, 3); /* 2^6 to 2^8 */
	for (size_t event = 0; event < 2; event++) {
		double list[13];

		for (size_t size = 0; size < 13; size++)
			list[size] = size > (event ? 7 : 3);
		set(event, "pair", line_of_64);
		set(event, "read", list);
	}
	find();
	const struct sweep_points *reads = &geometry.sweeps[SWEEP_READ];
	const struct sweep_points *writes = &geometry.sweeps[SWEEP_WRITE];
	assert_int_equal(reads->levels, 2);
	assert_int_equal(reads->capacity[0], 8);
	assert_int_equal(reads->capacity[1], 128);
	assert_int_equal(reads->plateau[0], 2);
	assert_int_equal(reads->plateau[1], 5);
	assert_int_equal(reads->plateau[2], 12);
	assert_int_equal(writes->levels, 2);
	assert_int_equal(writes->capacity[0], 8);
	assert_int_equal(writes->capacity[1], 128);
	assert_int_equal(writes->plateau[0], 2);
	assert_int_equal(writes->plateau[1], 4);
	assert_int_equal(writes->plateau[2], 7);
}

/* Jumps through sizes of 64-byte lines, 4096 to 2^19 bytes, and of pages, 4 to 512 pages. An event
 * is given by the first size at which it is one a jump, 8 for none. */
#define CODE_SIZES 8

static void add_code(void)
{
	add_point("codeline", 8, 2048);
	add_pairs();
	add_sizes("code", 64, 4096, CODE_SIZES);
	add_sizes("codepage", 4096, UINT64_C(4) * 4096, CODE_SIZES);
	add_point("codeline", 8, 8192);
}

static void set_steps(size_t event, size_t code, size_t page)
{
	double list[CODE_SIZES];

	for (size_t i = 0; i < CODE_SIZES; i++)
		list[i] = i >= code;
	set(event, "code", list);
	for (size_t i = 0; i < CODE_SIZES; i++)
		list[i] = i >= page;
	set(event, "codepage", list);
}

TEST(code_has_witnesses_of_its_own)
{
	static const struct {
		size_t code, page;
		const double *pair;
		double codeline;
		uint64_t lines, pages; /* the capacity found; 0: none */
	} rows[] = {
		/* Misses begin beyond 2^14 bytes, which are 256 lines; with as many pages they
		   would not. */
		{3, 8, no_line, 0, 16384, 0},
		/* A line of data, or one miss for each jump, is not about lines of instructions. */
		{3, 8, line_of_64, 0, 0, 0},
		{3, 8, no_line, 0.5, 16384, 0},
		{3, 8, no_line, 0.51, 0, 0},
		/* Of pages, the loop that starts the rounds has one besides. */
		{8, 3, no_line, 0.5, 0, 17 * 4096},
		{8, 3, no_line, 0.51, 0, 0},
		{8, 3, page_of_4096, 0, 0, 0},
		/* One a jump from 32 pages (2^17 bytes) on, and from 2^13, 2^14, 2^15, 2^16 or 2^17
		 * bytes of lines on: about pages if 2^17 is at most four times the latter. */
		{1, 3, no_line, 0, 4096, 0},
		{2, 3, no_line, 0, 8192, 0},
		{3, 3, no_line, 0, 0, 17 * 4096},
		{4, 3, no_line, 0, 0, 17 * 4096},
		{5, 3, no_line, 0, 0, 17 * 4096},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		begin(1);
		add_code();
		set_steps(0, rows[i].code, rows[i].page);
		set(0, "pair", rows[i].pair);
		set(0, "codeline",
		    (double[]){i % 2 ? 0 : rows[i].codeline, i % 2 ? rows[i].codeline : 0});
		find();
		const struct sweep_points *lines = &geometry.sweeps[SWEEP_CODE];
		const struct sweep_points *pages = &geometry.sweeps[SWEEP_CODE_PAGE];
		if (lines->levels != !!rows[i].lines || pages->levels != !!rows[i].pages ||
		    (lines->levels && lines->capacity[0] != rows[i].lines) ||
		    (pages->levels && pages->capacity[0] != rows[i].pages))
			fail_msg("row %zu: lines %zu, %llu; pages %zu, %llu", i, lines->levels,
				 (unsigned long long)lines->capacity[0], pages->levels,
				 (unsigned long long)pages->capacity[0]);
	}
}

/* Hits begin and end again: where they begin decides whether an event is about lines or pages. */
TEST(hits_that_end_begin_somewhere)
{
	static const double hits[] = {0, 0, 0, 0.3, 1, 0, 0, 0, 0};

	/* Misses of pages from 2^17 bytes on, hits of lines from a quarter of that on: about pages.
	 */
	begin(1);
	add_code();
	set_steps(0, 8, 3);
	set(0, "code", hits);
	find();
	assert_int_equal(geometry.sweeps[SWEEP_CODE].levels, 0);
	assert_int_equal(geometry.sweeps[SWEEP_CODE_PAGE].levels, 1);
	/* From 2^14 bytes on they are not. */
	begin(1);
	add_code();
	set_steps(0, 8, 3);
	set(0, "code", hits + 1);
	find();
	assert_int_equal(geometry.sweeps[SWEEP_CODE_PAGE].levels, 0);
	/* Misses of lines from 2^15 bytes on, hits of pages from 2^16 bytes on: about pages. */
	begin(1);
	add_code();
	set_steps(0, 3, 8);
	set(0, "codepage", hits);
	find();
	assert_int_equal(geometry.sweeps[SWEEP_CODE].levels, 0);
	/* Four times as many bytes at most: from 5 * 2^15 on they are not. */
	begin(1);
	add_sizes("code", 64, 4096, CODE_SIZES);
	add_sizes("codepage", 4096, UINT64_C(5) * 4096, CODE_SIZES);
	set_steps(0, 3, 3);
	find();
	assert_int_equal(geometry.sweeps[SWEEP_CODE].levels, 1);
	/* Hits that are never so many. */
	begin(1);
	add_code();
	set_steps(0, 3, 8);
	set(0, "codepage", (double[]){0.29, 0.29, 0.29, 0.29, 0.29, 0.29, 0.29, 0.29});
	find();
	assert_int_equal(geometry.sweeps[SWEEP_CODE].levels, 1);
	geometry_release(&geometry);
	assert_null(geometry.line);
}
