/* What each category is expected to count at each probe of a machine that is made up, worked out
 * from the rules of category.h, and when an event fits. */
#include "../test.h"

#include <math.h>

#include "base/array.h"
#include "classify/category.h"

#define K *1024ull
#define M *1024ull * 1024

/* Caches of 32 KB and 256 KB, TLBs of 16 and 128 pages; instructions: 16 KB and 128 KB, 8 pages. */
static struct readings_point points[] = {
	/* 0 */ {"branch_random", 0, 0},
	{"branch_f", 0, 0},
	{"branch_indirect_random", 0, 0},
	{"branch_call", 0, 0},
	{"branch_call_indirect", 0, 0},
	{"load", 0, 0},
	{"store", 0, 0},
	{"multiply", 0, 0},
	{"divide", 0, 0},
	{"fp_add", 0, 0},
	/* 10 */ {"fp_multiply", 0, 0},
	{"fp_divide", 0, 0},
	{"stream", 0, 0},
	{"branch_plain", 0, 0},
	{"pair", 0, 65536},
	{"pair", 0, 8},
	{"pair", 0, 64},
	{"pair", 0, 512},
	{"read", 64, 16 K},
	{"read", 64, 64 K},
	/* 20 */ {"read", 64, 128 K},
	{"read", 64, 512 K},
	{"read", 64, 8 M},
	{"write", 64, 16 K},
	{"write", 64, 128 K},
	{"write", 64, 1 M},
	{"page", 4096, 32 K},
	{"page", 4096, 256 K},
	{"page", 4096, 4 M},
	{"page", 4096, 1 M},
	/* 30 */ {"write", 4096, 32 K},
	{"write", 4096, 128 K},
	{"write", 4096, 4 M},
	{"code", 64, 8 K},
	{"code", 64, 32 K},
	{"code", 64, 48 K},
	{"code", 64, 4 M},
	{"codepage", 4096, 4 * 4096},
	{"codepage", 4096, 64 * 4096},
	{"codepage", 4096, 1024 * 4096},
	/* 40 */ {"codeline", 8, 64 K},
	{"codefar", 64, 256 K},
	{"apart", 64, 1 M},
	{"apart", 64, 512 K},
	{"apart", 4096, 4 M},
	{"branch_k", 0, 3},
	{"something_else", 0, 0},
	{"write", 64, 256 K},
};

static size_t reads[] = {18, 19, 20, 21, 22}, writes[] = {23, 24, 47, 25},
	      pages[] = {26, 27, 29, 28}, page_writes[] = {30, 31, 32}, code[] = {33, 34, 35, 36},
	      code_pages[] = {37, 38, 39};

static struct geometry geometry = {
	.sweeps =
		{
			[SWEEP_READ] = {reads, 5, 64, 2, {32 K, 256 K}, {0, 2, 4}},
			[SWEEP_WRITE] = {writes, 4, 64, 2, {32 K, 256 K}, {0, 1, 3}},
			[SWEEP_PAGE] = {pages, 4, 4096, 2, {64 K, 512 K}, {0, 1, 3}},
			[SWEEP_PAGE_WRITE] = {page_writes, 3, 4096, 2, {64 K, 512 K}, {0, 1, 2}},
			[SWEEP_CODE] = {code, 4, 64, 2, {16 K, 128 K}, {0, 2, 3}},
			[SWEEP_CODE_PAGE] = {code_pages, 3, 4096, 1, {8 * 4096}, {0, 2}},
		},
	.line_bytes = 64,
	.page_bytes = 4096,
};

static const struct readings readings = {.points = points, .point_count = ARRAY_COUNT(points)};

/* The row of a category, with | between the groups of columns. */
static void describe(char *text, const struct categories *categories,
		     const struct category *category)
{
	static const size_t ends[] = {13, 16, 19, 22, 25, 28, 30, 33, 35, 37};
	size_t group = 0;

	*text = 0;
	for (size_t k = 0; k < categories->probe_count; k++) {
		double expected = category->expected[k];

		if (group < ARRAY_COUNT(ends) && k == ends[group]) {
			strcat(text, " |");
			group++;
		}
		sprintf(text + strlen(text), isnan(expected) ? " -" : " %g", expected);
		if (isnan(expected) &&
		    (isfinite(category->most[k]) || isfinite(category->least[k])))
			sprintf(text + strlen(text), "(%g,%g)", category->least[k],
				category->most[k]);
	}
}

/* By probe: its point, tolerance, the number of probes that weigh as one, whether it may be
 * exceeded, its sweep, whether it is of code, between plateaus, a pair, far; its plateau or
 * distance. */
static const struct {
	size_t point;
	double tolerance, same;
	bool may_exceed;
	enum sweep sweep;
	bool is_code, is_between, is_pair, is_far;
	size_t plateau;
} probes[] = {
	{0, 0.12, 1, true, SWEEPS, false, false, false, false, 0},
	{1, 0.12, 1, false, SWEEPS, false, false, false, false, 0},
	{2, 0.12, 1, true, SWEEPS, false, false, false, false, 0},
	{3, 0.12, 1, false, SWEEPS, false, false, false, false, 0},
	{4, 0.12, 1, false, SWEEPS, false, false, false, false, 0},
	{5, 0.12, 1, false, SWEEPS, false, false, false, false, 0},
	{6, 0.12, 1, false, SWEEPS, false, false, false, false, 0},
	{7, 0.12, 1, false, SWEEPS, false, false, false, false, 0},
	{8, 0.12, 1, false, SWEEPS, false, false, false, false, 0},
	{9, 0.12, 1, false, SWEEPS, false, false, false, false, 0},
	{10, 0.12, 1, false, SWEEPS, false, false, false, false, 0},
	{11, 0.12, 1, false, SWEEPS, false, false, false, false, 0},
	{12, 0.12, 1, false, SWEEPS, false, false, false, false, 0},
	{18, 0.2, 3, false, SWEEP_READ, false, false, false, false, 0},
	{20, 0.2, 3, false, SWEEP_READ, false, false, false, false, 1},
	{22, 0.2, 3, false, SWEEP_READ, false, false, false, false, 2},
	{23, 0.2, 6, false, SWEEP_WRITE, false, false, false, false, 0},
	{24, 0.2, 6, false, SWEEP_WRITE, false, false, false, false, 1},
	{25, 0.2, 6, false, SWEEP_WRITE, false, false, false, false, 2},
	{26, 0.2, 3, false, SWEEP_PAGE, false, false, false, false, 0},
	{27, 0.2, 3, false, SWEEP_PAGE, false, false, false, false, 1},
	{28, 0.2, 3, false, SWEEP_PAGE, false, false, false, false, 2},
	{30, 0.2, 6, false, SWEEP_PAGE_WRITE, false, false, false, false, 0},
	{31, 0.2, 6, false, SWEEP_PAGE_WRITE, false, false, false, false, 1},
	{32, 0.2, 6, false, SWEEP_PAGE_WRITE, false, false, false, false, 2},
	{33, 0.3, 7, false, SWEEP_CODE, true, false, false, false, 0},
	{35, 0.45, 7, false, SWEEP_CODE, true, false, false, false, 1},
	{36, 0.3, 7, false, SWEEP_CODE, true, false, false, false, 2},
	{37, 0.2, 7, false, SWEEP_CODE_PAGE, true, false, false, false, 0},
	{39, 0.2, 7, false, SWEEP_CODE_PAGE, true, false, false, false, 1},
	{14, 0.35, 3, false, SWEEPS, false, false, true, false, 2},
	{15, 0.35, 3, false, SWEEPS, false, false, true, false, 0},
	{17, 0.35, 3, false, SWEEPS, false, false, true, false, 1},
	{40, 0.3, 7, false, SWEEPS, true, false, false, false, 0},
	{41, 0.3, 7, false, SWEEPS, true, false, false, true, 0},
	{42, 0.2, 2, false, SWEEP_WRITE, false, false, false, false, 2},
	{44, 0.2, 2, false, SWEEP_PAGE_WRITE, false, false, false, false, 2},
	{19, 0.2, 3, false, SWEEP_READ, false, true, false, false, 0},
	{21, 0.2, 3, false, SWEEP_READ, false, true, false, false, 0},
	{47, 0.2, 6, false, SWEEP_WRITE, false, true, false, false, 0},
	{34, 0.3, 7, false, SWEEP_CODE, true, true, false, false, 0},
	{29, 0.2, 3, false, SWEEP_PAGE, false, true, false, false, 0},
	{38, 0.3, 7, false, SWEEP_CODE_PAGE, true, true, false, false, 0},
};

/* What an iteration does of what columns of kernels/expected.txt count. Groups of columns: the
 * kernels; read, write, page and write by page by plateau; code and codepage by plateau; pairs at
 * 65536, 8 and 512 bytes; codeline and codefar; stores apart; then the sizes between plateaus. A
 * round of code that has N jumps has one branch, one call and one return. */
static const struct {
	const char *name, *retired;
	bool has_jumps;
	const char *expected;
} sums[] = {
	{"conditional branches", ", retired", false,
	 "2 2 1 1 1 1 1 1 1 1 1 1 1 | 1 1 1 | 1 1 1 | - - - | 1 1 1 | 0.0078125 0.00130208 1.52588e-05 | 0.25 0.000976562 | 1 1 1 | 0.00012207 0.000244141 | 1 1 | - - - - - -"},
	{"conditional branches taken", ", retired", false,
	 "1.5 1 1 1 1 1 1 1 1 1 1 1 1 | 1 1 1 | 1 1 1 | - - - | 1 1 1 | 0.0078125 0.00130208 1.52588e-05 | 0.25 0.000976562 | 1 1 1 | 0.00012207 0.000244141 | 1 1 | - - - - - -"},
	{"conditional branches not taken", ", retired", false,
	 "0.5 1 0 0 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 0 0 | - - - | 0 0 0 | 0 0 0 | 0 0 | 0 0 0 | 0 0 | 0 0 | - - - - - -"},
	{"direct jumps", ", retired", true,
	 "0 1 0 0 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 0 0 | - - - | 0 0 0 | 0.992188 0.998698 0.999985 | 0.75 0.999023 | 0 0 0 | 0.999878 0.999756 | 0 0 | - - - - - -"},
	{"direct calls", ", retired", false,
	 "0 0 0 1 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 0 0 | - - - | 0 0 0 | 0 0 0 | 0 0 | 0 0 0 | 0 0 | 0 0 | - - - - - -"},
	{"direct jumps and calls", ", retired", true,
	 "0 1 0 1 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 0 0 | - - - | 0 0 0 | 0.992188 0.998698 0.999985 | 0.75 0.999023 | 0 0 0 | 0.999878 0.999756 | 0 0 | - - - - - -"},
	{"indirect jumps", ", retired", false,
	 "0 0 1 0 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 0 0 | - - - | 0 0 0 | 0 0 0 | 0 0 | 0 0 0 | 0 0 | 0 0 | - - - - - -"},
	{"indirect calls", ", retired", false,
	 "0 0 0 0 1 0 0 0 0 0 0 0 0 | 0 0 0 | 0 0 0 | - - - | 0 0 0 | 0.0078125 0.00130208 1.52588e-05 | 0.25 0.000976562 | 0 0 0 | 0.00012207 0.000244141 | 0 0 | - - - - - -"},
	{"indirect jumps and calls", ", retired", false,
	 "0 0 1 0 1 0 0 0 0 0 0 0 0 | 0 0 0 | 0 0 0 | - - - | 0 0 0 | 0.0078125 0.00130208 1.52588e-05 | 0.25 0.000976562 | 0 0 0 | 0.00012207 0.000244141 | 0 0 | - - - - - -"},
	{"returns", ", retired", false,
	 "0 0 0 1 1 0 0 0 0 0 0 0 0 | 0 0 0 | 0 0 0 | - - - | 0 0 0 | 0.0078125 0.00130208 1.52588e-05 | 0.25 0.000976562 | 0 0 0 | 0.00012207 0.000244141 | 0 0 | - - - - - -"},
	{"indirect jumps, calls and returns", ", retired", false,
	 "0 0 1 1 2 0 0 0 0 0 0 0 0 | 0 0 0 | 0 0 0 | - - - | 0 0 0 | 0.015625 0.00260417 3.05176e-05 | 0.5 0.00195312 | 0 0 0 | 0.000244141 0.000488281 | 0 0 | - - - - - -"},
	{"all branches but direct jumps and calls", ", retired", false,
	 "2 2 2 2 3 1 1 1 1 1 1 1 1 | 1 1 1 | 1 1 1 | - - - | 1 1 1 | 0.0234375 0.00390625 4.57764e-05 | 0.75 0.00292969 | 1 1 1 | 0.000366211 0.000732422 | 1 1 | - - - - - -"},
	{"taken branches but direct jumps and calls", ", retired", false,
	 "1.5 1 2 2 3 1 1 1 1 1 1 1 1 | 1 1 1 | 1 1 1 | - - - | 1 1 1 | 0.0234375 0.00390625 4.57764e-05 | 0.75 0.00292969 | 1 1 1 | 0.000366211 0.000732422 | 1 1 | - - - - - -"},
	{"all branches", ", retired", true,
	 "2 3 2 3 3 1 1 1 1 1 1 1 1 | 1 1 1 | 1 1 1 | - - - | 1 1 1 | 1.01562 1.0026 1.00003 | 1.5 1.00195 | 1 1 1 | 1.00024 1.00049 | 1 1 | - - - - - -"},
	{"all taken branches", ", retired", true,
	 "1.5 2 2 3 3 1 1 1 1 1 1 1 1 | 1 1 1 | 1 1 1 | - - - | 1 1 1 | 1.01562 1.0026 1.00003 | 1.5 1.00195 | 1 1 1 | 1.00024 1.00049 | 1 1 | - - - - - -"},
	{"loads", "", false,
	 "0 0 0 0 0 4 0 0 0 0 0 0 1 | 1 1 1 | 0 0 0 | - - - | 0 0 0 | - - - | - - | 2 2 2 | - - | 0 0 | - - - - - -"},
	{"stores", "", false,
	 "0 0 0 0 0 0 4 0 0 0 0 0 0 | 0 0 0 | 1 1 1 | - - - | 1 1 1 | - - - | - - | 0 0 0 | - - | 1 1 | - - - - - -"},
	{"loads and stores", "", false,
	 "0 0 0 0 0 4 4 0 0 0 0 0 1 | 1 1 1 | 1 1 1 | - - - | 1 1 1 | - - - | - - | 2 2 2 | - - | 1 1 | - - - - - -"},
	{"integer multiplications", "", false,
	 "0 0 0 0 0 0 0 4 0 0 0 0 0 | 0 0 0 | 3 3 3 | - - - | 3 3 3 | 0 0 0 | 0 0 | 2 2 2 | 0 0 | 4 4 | - - - - - -"},
	{"integer divisions", "", false,
	 "0 0 0 0 0 0 0 0 4 0 0 0 0 | 0 0 0 | 0 0 0 | - - - | 0 0 0 | 0 0 0 | 0 0 | 0 0 0 | 0 0 | 64 64 | - - - - - -"},
	{"floating-point additions", "", false,
	 "0 0 0 0 0 0 0 0 0 4 0 0 0 | 0 0 0 | 0 0 0 | - - - | 0 0 0 | 0 0 0 | 0 0 | 0 0 0 | 0 0 | 0 0 | - - - - - -"},
	{"floating-point multiplications", "", false,
	 "0 0 0 0 0 0 0 0 0 0 4 0 0 | 0 0 0 | 0 0 0 | - - - | 0 0 0 | 0 0 0 | 0 0 | 0 0 0 | 0 0 | 0 0 | - - - - - -"},
	{"floating-point divisions", "", false,
	 "0 0 0 0 0 0 0 0 0 0 0 4 0 | 0 0 0 | 0 0 0 | - - - | 0 0 0 | 0 0 0 | 0 0 | 0 0 0 | 0 0 | 0 0 | - - - - - -"},
	{"floating-point operations", "", false,
	 "0 0 0 0 0 0 0 0 0 4 4 4 0 | 0 0 0 | 0 0 0 | - - - | 0 0 0 | 0 0 0 | 0 0 | 0 0 0 | 0 0 | 0 0 | - - - - - -"},
};

/* Mispredictions, caches and TLBs; (least,most) where no number is expected. */
static const struct {
	const char *name, *expected;
} others
	[] =
		{
			{"branches mispredicted",
			 "0.5 0 0.75 0 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 0 0 | - - - | 0 0 0 | - - - | - - | 0 0 0 | - - | 0 0 | - - - - - -"},
			{"conditional branches mispredicted",
			 "0.5 0 0 0 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 0 0 | - - - | 0 0 0 | - - - | - - | 0 0 0 | - - | 0 0 | - - - - - -"},
			{"indirect jumps mispredicted",
			 "0 0 0.75 0 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 0 0 | - - - | 0 0 0 | - - - | - - | 0 0 0 | - - | 0 0 | - - - - - -"},
			{"data cache reads, level 1, accesses",
			 "0 0 0 0 0 4 0 0 0 0 0 0 -(-inf,1) | 1 1 1 | 0 0 0 | - - - | - - - | - - - | - - | 2 2 2 | - - | 0 - | -(0.75,1.25) -(0.75,1.25) -(-inf,0) - - -"},
			{"data cache reads, level 1, hits",
			 "0 0 0 0 0 4 0 0 0 0 0 0 -(-inf,1) | 1 0 0 | 0 0 0 | - - - | - - - | - - - | - - | 0 1 0 | - - | 0 - | -(-0.25,0.25) -(-0.25,0.25) -(-inf,0) - - -"},
			{"data cache reads, level 1, misses",
			 "0 0 0 0 0 0 0 0 0 0 0 0 -(-inf,1) | 0 1 1 | 0 0 0 | - - - | - - - | - - - | - - | 2 1 2 | - - | 0 - | -(0.75,1.25) -(0.75,1.25) -(-inf,0) - - -"},
			{"data cache reads, level 2, accesses",
			 "0 0 0 0 0 0 0 0 0 0 0 0 -(-inf,1) | 0 1 1 | 0 0 0 | - - - | - - - | - - - | - - | 2 1 2 | - - | 0 - | -(0.75,1.25) -(0.75,1.25) -(-inf,0) - - -"},
			{"data cache reads, level 2, hits",
			 "0 0 0 0 0 0 0 0 0 0 0 0 -(-inf,1) | 0 1 0 | 0 0 0 | - - - | - - - | - - - | - - | 0 0 0 | - - | 0 - | -(0.75,1.25) -(-0.25,0.25) -(-inf,0) - - -"},
			{"data cache reads, level 2, misses",
			 "0 0 0 0 0 0 0 0 0 0 0 0 -(-inf,1) | 0 0 1 | 0 0 0 | - - - | - - - | - - - | - - | 2 1 2 | - - | 0 - | -(-0.25,0.25) -(0.75,1.25) -(-inf,0) - - -"},
			{"data cache writes, level 1, accesses",
			 "0 0 0 0 0 0 4 0 0 0 0 0 0 | 0 0 0 | 1 1 1 | - - - | - - - | - - - | - - | 0 0 0 | - - | 1 - | -(-inf,0) -(-inf,0) -(-inf,1) - - -"},
			{"data cache writes, level 1, hits",
			 "0 0 0 0 0 0 4 0 0 0 0 0 0 | 0 0 0 | 1 0 0 | - - - | - - - | - - - | - - | 0 0 0 | - - | 0 - | -(-inf,0) -(-inf,0) -(-inf,1) - - -"},
			{"data cache writes, level 1, misses",
			 "0 0 0 0 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 1 1 | - - - | - - - | - - - | - - | 0 0 0 | - - | 1 - | -(-inf,0) -(-inf,0) -(-inf,1) - - -"},
			{"data cache writes, level 2, accesses",
			 "0 0 0 0 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 1 1 | - - - | - - - | - - - | - - | 0 0 0 | - - | 1 - | -(-inf,0) -(-inf,0) -(-inf,1) - - -"},
			{"data cache writes, level 2, hits",
			 "0 0 0 0 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 1 0 | - - - | - - - | - - - | - - | 0 0 0 | - - | 0 - | -(-inf,0) -(-inf,0) -(-inf,1) - - -"},
			{"data cache writes, level 2, misses",
			 "0 0 0 0 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 0 1 | - - - | - - - | - - - | - - | 0 0 0 | - - | 1 - | -(-inf,0) -(-inf,0) -(-inf,1) - - -"},
			{"data cache accesses, level 1, accesses",
			 "0 0 0 0 0 4 4 0 0 0 0 0 -(-inf,1) | 1 1 1 | 1 1 1 | - - - | - - - | - - - | - - | 2 2 2 | - - | 1 - | -(0.75,1.25) -(0.75,1.25) -(-inf,1) - - -"},
			{"data cache accesses, level 1, hits",
			 "0 0 0 0 0 4 4 0 0 0 0 0 -(-inf,1) | 1 0 0 | 1 0 0 | - - - | - - - | - - - | - - | 0 1 0 | - - | 0 - | -(-0.25,0.25) -(-0.25,0.25) -(-inf,1) - - -"},
			{"data cache accesses, level 1, misses",
			 "0 0 0 0 0 0 0 0 0 0 0 0 -(-inf,1) | 0 1 1 | 0 1 1 | - - - | - - - | - - - | - - | 2 1 2 | - - | 1 - | -(0.75,1.25) -(0.75,1.25) -(-inf,1) - - -"},
			{"data cache accesses, level 2, accesses",
			 "0 0 0 0 0 0 0 0 0 0 0 0 -(-inf,1) | 0 1 1 | 0 1 1 | - - - | - - - | - - - | - - | 2 1 2 | - - | 1 - | -(0.75,1.25) -(0.75,1.25) -(-inf,1) - - -"},
			{"data cache accesses, level 2, hits",
			 "0 0 0 0 0 0 0 0 0 0 0 0 -(-inf,1) | 0 1 0 | 0 1 0 | - - - | - - - | - - - | - - | 0 0 0 | - - | 0 - | -(0.75,1.25) -(-0.25,0.25) -(-inf,1) - - -"},
			{"data cache accesses, level 2, misses",
			 "0 0 0 0 0 0 0 0 0 0 0 0 -(-inf,1) | 0 0 1 | 0 0 1 | - - - | - - - | - - - | - - | 2 1 2 | - - | 1 - | -(-0.25,0.25) -(0.75,1.25) -(-inf,1) - - -"},
			{"data TLB reads, level 1, accesses",
			 "0 0 0 0 0 4 0 0 0 0 0 0 -(-inf,1) | 1 1 1 | 0 0 0 | 1 1 1 | 0 0 0 | - - - | - - | 2 2 2 | - - | 0 0 | 1 1 0 - -(0.75,1.25) -"},
			{"data TLB reads, level 1, hits", "0 0 0 0 0 4 0 0 0 0 0 0 -(-inf,1) | 1 -(-inf,1) 0 | 0 0 0 | 1 0 0 | 0 0 0 | - - - | - - | 0 1 1 | - - | 0 0 | -(-inf,1) -(-inf,1) 0 - -(-0.25,0.25) -"},
			{"data TLB reads, level 1, misses",
			 "0 0 0 0 0 0 0 0 0 0 0 0 -(-inf,1) | 0 -(-inf,1) 1 | 0 0 0 | 0 1 1 | 0 0 0 | - - - | - - | 2 1 1 | - - | 0 0 | -(-inf,1) -(-inf,1) 0 - -(0.75,1.25) -"},
			{"data TLB reads, level 2, accesses",
			 "0 0 0 0 0 0 0 0 0 0 0 0 -(-inf,1) | 0 -(-inf,1) 1 | 0 0 0 | 0 1 1 | 0 0 0 | - - - | - - | 2 1 1 | - - | 0 0 | -(-inf,1) -(-inf,1) 0 - -(0.75,1.25) -"},
			{"data TLB reads, level 2, hits",
			 "0 0 0 0 0 0 0 0 0 0 0 0 -(-inf,1) | 0 -(-inf,1) 0 | 0 0 0 | 0 1 0 | 0 0 0 | - - - | - - | 0 0 0 | - - | 0 0 | -(-inf,1) -(-inf,1) 0 - -(-0.25,0.25) -"},
			{"data TLB reads, level 2, misses",
			 "0 0 0 0 0 0 0 0 0 0 0 0 -(-inf,1) | 0 0 1 | 0 0 0 | 0 0 1 | 0 0 0 | - - - | - - | 2 1 1 | - - | 0 0 | 0 -(-inf,1) 0 - -(0.75,1.25) -"},
			{"data TLB writes, level 1, accesses",
			 "0 0 0 0 0 0 4 0 0 0 0 0 0 | 0 0 0 | 1 1 1 | 0 0 0 | 1 1 1 | - - - | - - | 0 0 0 | - - | 1 1 | 0 0 1 - -(-inf,0) -"},
			{"data TLB writes, level 1, hits",
			 "0 0 0 0 0 0 4 0 0 0 0 0 0 | 0 0 0 | 1 -(-inf,1) 0 | 0 0 0 | 1 0 0 | - - - | - - | 0 0 0 | - - | 0 0 | 0 0 -(-inf,1) - -(-inf,0) -"},
			{"data TLB writes, level 1, misses",
			 "0 0 0 0 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 -(-inf,1) 1 | 0 0 0 | 0 1 1 | - - - | - - | 0 0 0 | - - | 1 1 | 0 0 -(-inf,1) - -(-inf,0) -"},
			{"data TLB writes, level 2, accesses",
			 "0 0 0 0 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 -(-inf,1) 1 | 0 0 0 | 0 1 1 | - - - | - - | 0 0 0 | - - | 1 1 | 0 0 -(-inf,1) - -(-inf,0) -"},
			{"data TLB writes, level 2, hits",
			 "0 0 0 0 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 -(-inf,1) -(-inf,1) | 0 0 0 | 0 1 0 | - - - | - - | 0 0 0 | - - | -(-inf,1) 0 | 0 0 -(-inf,1) - -(-inf,0) -"},
			{"data TLB writes, level 2, misses",
			 "0 0 0 0 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 0 -(-inf,1) | 0 0 0 | 0 0 1 | - - - | - - | 0 0 0 | - - | -(-inf,1) 1 | 0 0 0 - -(-inf,0) -"},
			{"data TLB accesses, level 1, accesses",
			 "0 0 0 0 0 4 4 0 0 0 0 0 -(-inf,1) | 1 1 1 | 1 1 1 | 1 1 1 | 1 1 1 | - - - | - - | 2 2 2 | - - | 1 1 | 1 1 1 - -(0.75,1.25) -"},
			{"data TLB accesses, level 1, hits",
			 "0 0 0 0 0 4 4 0 0 0 0 0 -(-inf,1) | 1 -(-inf,1) 0 | 1 -(-inf,1) 0 | 1 0 0 | 1 0 0 | - - - | - - | 0 1 1 | - - | 0 0 | -(-inf,1) -(-inf,1) -(-inf,1) - -(-0.25,0.25) -"},
			{"data TLB accesses, level 1, misses",
			 "0 0 0 0 0 0 0 0 0 0 0 0 -(-inf,1) | 0 -(-inf,1) 1 | 0 -(-inf,1) 1 | 0 1 1 | 0 1 1 | - - - | - - | 2 1 1 | - - | 1 1 | -(-inf,1) -(-inf,1) -(-inf,1) - -(0.75,1.25) -"},
			{"data TLB accesses, level 2, accesses",
			 "0 0 0 0 0 0 0 0 0 0 0 0 -(-inf,1) | 0 -(-inf,1) 1 | 0 -(-inf,1) 1 | 0 1 1 | 0 1 1 | - - - | - - | 2 1 1 | - - | 1 1 | -(-inf,1) -(-inf,1) -(-inf,1) - -(0.75,1.25) -"},
			{"data TLB accesses, level 2, hits",
			 "0 0 0 0 0 0 0 0 0 0 0 0 -(-inf,1) | 0 -(-inf,1) 0 | 0 -(-inf,1) -(-inf,1) | 0 1 0 | 0 1 0 | - - - | - - | 0 0 0 | - - | -(-inf,1) 0 | -(-inf,1) -(-inf,1) -(-inf,1) - -(-0.25,0.25) -"},
			{"data TLB accesses, level 2, misses",
			 "0 0 0 0 0 0 0 0 0 0 0 0 -(-inf,1) | 0 0 1 | 0 0 -(-inf,1) | 0 0 1 | 0 0 1 | - - - | - - | 2 1 1 | - - | -(-inf,1) 1 | 0 -(-inf,1) 0 - -(0.75,1.25) -"},
			{"instruction cache, level 1, misses",
			 "0 0 0 0 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 0 0 | 0 0 0 | 0 0 0 | 0 1 1 | 0 1 | 0 0 0 | 0 1 | 0 0 | - - - -(0.75,1.25) - -"},
			{"instruction cache, level 2, accesses",
			 "0 0 0 0 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 0 0 | 0 0 0 | 0 0 0 | 0 1 1 | 0 1 | 0 0 0 | 0 1 | 0 0 | - - - -(0.75,1.25) - -"},
			{"instruction cache, level 2, hits",
			 "0 0 0 0 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 0 0 | 0 0 0 | 0 0 0 | 0 1 0 | 0 - | 0 0 0 | 0 0 | 0 0 | - - - -(0.75,1.25) - -"},
			{"instruction cache, level 2, misses",
			 "0 0 0 0 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 0 0 | 0 0 0 | 0 0 0 | 0 0 1 | 0 - | 0 0 0 | 0 1 | 0 0 | - - - -(-0.25,0.25) - 0"},
			{"instruction TLB, level 1, misses", "0 0 0 0 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 0 0 | 0 0 0 | 0 0 0 | 0 -(-inf,1) -(-inf,1) | 0 1 | 0 0 0 | 0 -(-inf,1) | 0 0 | - - - -(-inf,1) - -(0.75,1.25)"},
			{"instruction TLB, level 2, accesses",
			 "0 0 0 0 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 0 0 | 0 0 0 | 0 0 0 | 0 -(-inf,1) -(-inf,1) | 0 1 | 0 0 0 | 0 -(-inf,1) | 0 0 | - - - -(-inf,1) - -(0.75,1.25)"},
			{"instruction TLB, level 2, hits",
			 "0 0 0 0 0 0 0 0 0 0 0 0 0 | 0 0 0 | 0 0 0 | 0 0 0 | 0 0 0 | 0 -(-inf,1) -(-inf,1) | 0 1 | 0 0 0 | 0 -(-inf,1) | 0 0 | - - - -(-inf,1) - -(0.75,1.25)"},
};

static const struct category *named(const struct categories *categories, const char *name)
{
	for (size_t i = 0; i < categories->count; i++)
		if (strcmp(categories->list[i].name, name) == 0)
			return &categories->list[i];
	fail_msg("there is no category %s", name);
	return NULL;
}

static void check_row(const struct categories *categories, const char *name, const char *expected)
{
	char text[4096];

	describe(text, categories, named(categories, name));
	if (strcmp(text + 1, expected) != 0)
		fail_msg("%s:\n%s, expected\n%s", name, text + 1, expected);
}

TEST(every_probe_is_what_its_point_says)
{
	static struct categories categories;

	categories_init(&categories, &readings, &geometry, PREDICTION_LEARNED, NULL, false);
	assert_int_equal(categories.probe_count, ARRAY_COUNT(probes));
	for (size_t k = 0; k < ARRAY_COUNT(probes); k++) {
		const struct probe *probe = &categories.probes[k];

		assert_int_equal(probe->point, probes[k].point);
		assert_true(probe->tolerance == probes[k].tolerance);
		assert_true(probe->weight == 1 / probes[k].same);
		assert_int_equal(probe->may_exceed, probes[k].may_exceed);
		assert_int_equal(probe->sweep, probes[k].sweep);
		assert_int_equal(probe->is_code, probes[k].is_code);
		assert_int_equal(probe->is_between, probes[k].is_between);
		assert_int_equal(probe->is_pair, probes[k].is_pair);
		assert_int_equal(probe->is_far, probes[k].is_far);
		assert_int_equal(probe->plateau, probes[k].plateau);
	}
	categories_release(&categories);
	assert_null(categories.list);
}

static bool has_category(const struct geometry *of, const char *name)
{
	static struct categories categories;
	bool has = false;

	categories_init(&categories, &readings, of, PREDICTION_LEARNED, NULL, false);
	for (size_t i = 0; i < categories.count; i++)
		has |= strcmp(categories.list[i].name, name) == 0;
	categories_release(&categories);
	return has;
}

/* A level beyond those that jumps have shown is one that loads have shown, or none. */
TEST(what_the_machine_was_not_found_to_have_is_no_category)
{
	static const struct {
		enum sweep data, code;
		const char *name;
	} rows[] = {
		{SWEEP_READ, SWEEP_CODE, "instruction cache, level 2, hits"},
		{SWEEP_READ, SWEEP_CODE, "instruction cache, level 2, accesses"},
		{SWEEP_PAGE, SWEEP_CODE_PAGE, "instruction TLB, level 2, accesses"},
		{SWEEP_PAGE, SWEEP_CODE_PAGE, "instruction TLB, level 2, hits"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct geometry small = geometry;

		small.sweeps[rows[i].code].levels = 1;
		small.sweeps[rows[i].data].levels = 1;
		assert_false(has_category(&small, rows[i].name));
		small.sweeps[rows[i].data].levels = 2;
		assert_true(has_category(&small, rows[i].name));
		small.sweeps[rows[i].code].levels = 0;
		assert_false(has_category(&small, rows[i].name));
	}
}

TEST(every_category_has_its_slopes)
{
	static struct categories categories;
	char name[128];

	categories_init(&categories, &readings, &geometry, PREDICTION_LEARNED, NULL, false);
	assert_int_equal(categories.count, 2 * ARRAY_COUNT(sums) + ARRAY_COUNT(others));
	for (size_t i = 0; i < ARRAY_COUNT(sums); i++)
		for (int executed = 0; executed < 2; executed++) {
			sprintf(name, "%s%s", sums[i].name,
				executed ? ", executed" : sums[i].retired);
			check_row(&categories, name, sums[i].expected);
			/* The first of equals is the verdict. */
			const struct category *category = &categories.list[2 * i + executed];
			assert_string_equal(category->name, name);
			assert_int_equal(category->is_executed, executed);
			assert_int_equal(category->has_jumps, sums[i].has_jumps);
		}
	for (size_t i = 0; i < ARRAY_COUNT(others); i++) {
		const struct category *category = &categories.list[2 * ARRAY_COUNT(sums) + i];

		assert_string_equal(category->name, others[i].name);
		assert_false(category->is_executed || category->has_jumps);
		check_row(&categories, others[i].name, others[i].expected);
	}
	categories_release(&categories);
}

/* The kernel store has 4 stores; each goes to the second level, and fits there. */
TEST(stores_may_be_written_through)
{
	static const struct {
		const char *name;
		double store, writes[3], apart;
	} rows[] = {
		{"data cache writes, level 1, accesses", 4, {1, 1, 1}, 1},
		{"data cache writes, level 1, hits", 4, {1, 0, 0}, 0},
		{"data cache writes, level 1, misses", 0, {0, 1, 1}, 1},
		{"data cache writes, level 2, accesses", 4, {1, 1, 1}, 1},
		{"data cache writes, level 2, hits", 4, {1, 1, 0}, 0},
		{"data cache writes, level 2, misses", 0, {0, 0, 1}, 1},
		{"data cache accesses, level 2, hits", 4, {1, 1, 0}, 0},
		{"data cache reads, level 2, accesses", 0, {0, 0, 0}, 0},
		{"data TLB writes, level 2, accesses", 0, {0, NAN, 1}, 1},
	};
	static struct categories categories;

	categories_init(&categories, &readings, &geometry, PREDICTION_LEARNED, NULL, true);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const double *expected = named(&categories, rows[i].name)->expected;

		assert_true(expected[6] == rows[i].store);
		for (size_t k = 0; k < 3; k++)
			assert_true(expected[16 + k] == rows[i].writes[k] ||
				    (isnan(expected[16 + k]) && isnan(rows[i].writes[k])));
		assert_true(expected[35] == rows[i].apart);
		/* Loads are as ever. */
		assert_true(expected[5] == 0 || strstr(rows[i].name, "level 1, "));
	}
	assert_true(named(&categories, "data cache accesses, level 2, accesses")->expected[5] == 0);
	categories_release(&categories);
}

static struct readings_point branches[] = {
	{"branch_random", 0, 0},   {"branch_f", 0, 0},
	{"branch_indirect", 0, 0}, {"branch_indirect_random", 0, 0},
	{"branch_call", 0, 0},	   {"branch_call_indirect", 0, 0},
	{"branch_g", 0, 0},
};
static const struct readings of_branches = {.points = branches,
					    .point_count = ARRAY_COUNT(branches)};
static const struct geometry no_geometry;

TEST(mispredictions_are_by_kind_of_predictor)
{
	static const struct {
		enum prediction kind;
		const char *all, *conditional, *indirect;
	} rows[] = {
		{PREDICTION_LEARNED, " 0.5 0 0 0.75 0 0 0", " 0.5 0 0 0 0 0 0",
		 " 0 0 0 0.75 0 0 0"},
		/* The branch that ends the loop is taken, and goes back. */
		{PREDICTION_STATIC, " 0.5 0 0 0.75 0 0 0", " 0.5 0 0 0 0 0 0", " 0 0 0 0.75 0 0 0"},
		{PREDICTION_TAKEN, " 0.5 1 0 0.75 0 0 0", " 0.5 1 0 0 0 0 0", " 0 0 0 0.75 0 0 0"},
		{PREDICTION_NOT_TAKEN, " 1.5 1 1 1.75 1 1 1", " 1.5 1 1 1 1 1 1",
		 " 0 0 0 0.75 0 0 0"},
		{PREDICTION_NONE, " 1.5 1 2 1.75 2 3 1", " 1.5 1 1 1 1 1 1", " 0 0 1 0.75 0 1 0"},
	};
	static struct categories categories;
	char text[1024];

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		categories_init(&categories, &of_branches, &no_geometry, rows[i].kind, NULL, false);
		describe(text, &categories, named(&categories, "branches mispredicted"));
		assert_string_equal(text, rows[i].all);
		describe(text, &categories,
			 named(&categories, "conditional branches mispredicted"));
		assert_string_equal(text, rows[i].conditional);
		describe(text, &categories, named(&categories, "indirect jumps mispredicted"));
		assert_string_equal(text, rows[i].indirect);
		/* No sweeps, no caches. */
		assert_int_equal(categories.count, 2 * ARRAY_COUNT(sums) + 3);
		categories_release(&categories);
	}
}

/* Where more than 0.05 branches an iteration are mispredicted, and there is one beside that of the
 * loop. */
TEST(wrong_paths_are_where_branches_are_mispredicted)
{
	static const double wrong[] = {0.05, 0.06, 0, 1, 0.06, 0.04, 1};
	static const bool may_exceed[] = {false, true, false, true, true, false, false};
	static const bool by_table[] = {true, false, false, true, false, false, false};
	static struct categories categories;
	double wrong_code[ARRAY_COUNT(points)] = {0};

	categories_init(&categories, &of_branches, &no_geometry, PREDICTION_LEARNED, wrong, false);
	for (size_t k = 0; k < ARRAY_COUNT(branches); k++)
		assert_int_equal(categories.probes[k].may_exceed, may_exceed[k]);
	categories_release(&categories);
	categories_init(&categories, &of_branches, &no_geometry, PREDICTION_LEARNED, NULL, false);
	for (size_t k = 0; k < ARRAY_COUNT(branches); k++)
		assert_int_equal(categories.probes[k].may_exceed, by_table[k]);
	categories_release(&categories);
	/* Of sweeps, those of code. */
	for (size_t p = 0; p < ARRAY_COUNT(points); p++)
		wrong_code[p] = p == 22 || p == 36 || p == 39;
	categories_init(&categories, &readings, &geometry, PREDICTION_LEARNED, wrong_code, false);
	for (size_t k = 0; k < categories.probe_count; k++)
		assert_int_equal(categories.probes[k].may_exceed,
				 categories.probes[k].point == 36 ||
					 categories.probes[k].point == 39);
	categories_release(&categories);
}

/* A pair in 512 MB says nothing of a cache of more than an eighth of that, and of accesses to the
 * level after it. */
TEST(pairs_say_nothing_of_large_caches)
{
	static const struct {
		uint64_t capacity[2], unit;
		const char *name;
		double expected;
	} rows[] = {
		{{32 K, 64 M}, 64, "data cache reads, level 2, misses", 2},
		{{32 K, 64 M + 1}, 64, "data cache reads, level 2, misses", NAN},
		{{32 K, 64 M + 1}, 64, "data cache reads, level 2, hits", NAN},
		{{32 K, 64 M + 1}, 64, "data cache reads, level 2, accesses", 2},
		{{64 M, 128 M}, 64, "data cache reads, level 2, accesses", 2},
		{{64 M + 1, 128 M}, 64, "data cache reads, level 2, accesses", NAN},
		{{64 M + 1, 128 M}, 64, "data cache reads, level 1, misses", NAN},
		{{64 M + 1, 128 M}, 64, "data cache reads, level 1, accesses", 2},
		/* A sweep of pages by 16 KB, of pages of 4 KB: a quarter of the bytes are its
		   reach. */
		{{32 K, 256 M}, 16384, "data TLB reads, level 2, misses", 2},
		{{32 K, 256 M + 4}, 16384, "data TLB reads, level 2, misses", NAN},
	};
	static struct categories categories;

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct geometry large = geometry;

		for (enum sweep sweep = 0; sweep < SWEEP_CODE; sweep++) {
			large.sweeps[sweep].unit = rows[i].unit;
			memcpy(large.sweeps[sweep].capacity, rows[i].capacity,
			       sizeof(rows[i].capacity));
		}
		categories_init(&categories, &readings, &large, PREDICTION_LEARNED, NULL, false);
		double expected = 17;
		for (size_t k = 0; k < categories.probe_count; k++)
			if (categories.probes[k].point == 14)
				expected = named(&categories, rows[i].name)->expected[k];
		if (isnan(rows[i].expected) ? !isnan(expected) : expected != rows[i].expected)
			fail_msg("row %zu: %g", i, expected);
		categories_release(&categories);
	}
}

/* The last plateau is near its edge below four times the capacity; of code every one is. */
TEST(edges_are_not_sharp)
{
	static const struct {
		uint64_t capacity; /* the last of reads and of code, whose largest buffers are 8 MB
				      and 4 MB */
		double read, code;
	} rows[] = {
		{2 M, 0.2, 0.45},
		{2 M + 1, 0.45, 0.45},
		{1 M, 0.2, 0.3},
		{1 M + 1, 0.2, 0.45},
	};
	static struct categories categories;

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct geometry edge = geometry;

		edge.sweeps[SWEEP_READ].capacity[1] = edge.sweeps[SWEEP_CODE].capacity[1] =
			rows[i].capacity;
		/* Not the last: 128 KB are less than four times it, and of code 48 KB are. */
		edge.sweeps[SWEEP_READ].capacity[0] = 64 K;
		categories_init(&categories, &readings, &edge, PREDICTION_LEARNED, NULL, false);
		assert_true(categories.probes[14].tolerance == 0.2);
		assert_true(categories.probes[15].tolerance == rows[i].read);
		assert_true(categories.probes[25].tolerance == 0.3);
		assert_true(categories.probes[26].tolerance == 0.45);
		assert_true(categories.probes[27].tolerance == rows[i].code);
		categories_release(&categories);
	}
}

/* Four probes of points 3, 2, 1 and 0, of which the third and fourth may be exceeded and the second
 * is of code; what is expected there, between what it is where nothing is expected, and what is
 * found. */
TEST(events_fit_categories)
{
	static const struct {
		bool is_executed, has_jumps;
		double expected[4], least, most, found[4], score, rank;
	} rows[] = {
		{false, false, {1, 0, 2, 1}, 0, 1, {1, 0, 2, 1}, 1, 1},
		/* 0.125 and a twentieth of what is expected. */
		{false, false, {1, 0, 2, 1}, 0, 1, {1, 0.125, 2, 1}, -0.03125, -0.03125},
		{false, false, {1, 0, 2, 1}, 0, 1, {1, 0.126, 2, 1}, 0, 0},
		{false, false, {1, 0, 2, 1}, 0, 1, {1, -0.126, 2, 1}, 0, 0},
		{false, false, {1, 0, 2, 1}, 0, 1, {1, 0, 2.2226, 1}, -0.09910152, -0.09910152},
		{false, false, {1, 0, 2, 1}, 0, 1, {1, 0, 2.23, 1}, 0, 0},
		{false, false, {1, 0, 2, 1}, 0, 1, {1, 0, 1.77, 1}, 0, 0},
		{false, false, {1, 0, 2, 1}, 0, 1, {0.875, 0, 2, 1.125}, -0.0625, -0.0625},
		/* What was not counted says nothing; what counts nothing anywhere fits nothing. */
		{false, false, {1, 0, 2, 1}, 0, 1, {NAN, 0, NAN, 1}, 1, 1},
		{false, false, {0, 0, 0, 0}, 0, 1, {0, 0, 0, 0}, 0, 0},
		{false, false, {0, 0, 0, 1}, 0, 1, {0, 0, 0, 1}, 1, 1},
		/* Between 0 and 1 where no number is expected, by the tolerance. */
		{false, false, {NAN, 0, 2, 1}, 0, 1, {1.125, 0, 2, 1}, 1, 1},
		{false, false, {NAN, 0, 2, 1}, 0, 1, {1.126, 0, 2, 1}, 0, 0},
		{false, false, {NAN, 0, 2, 1}, 0, 1, {-0.125, 0, 2, 1}, 1, 1},
		{false, false, {NAN, 0, 2, 1}, 0, 1, {-0.126, 0, 2, 1}, 0, 0},
		{false, false, {NAN, 0, 2, 1}, 0, 1, {NAN, 0, 2, 1}, 1, 1},
		/* What retires is never exceeded; what is executed must be somewhere, by 0.12. */
		{false, false, {1, 0, 2, 1}, 0, 1, {1, 0, 2, 2}, 0, 0},
		{true, false, {1, 0, 2, 1}, 0, 1, {1, 0, 2, 1}, 0, 0},
		{true, false, {1, 0, 2, 1}, 0, 1, {1, 0, 2, 1.11}, 0, 0},
		{true, false, {1, 0, 2, 1}, 0, 1, {1, 0, 2, 1.12109375}, 1, 1},
		{true, false, {1, 0, 2, 1}, 0, 1, {1, 0, 2, 1.125}, 1, 1},
		{true, false, {1, 0, 2, 1}, 0, 1, {1, 0, 2, 1.126}, 1, 0.9},
		{true, false, {1, 0, 2, 1}, 0, 1, {1, 0, 2.5, 1.5}, 1, 0.81},
		{true, false, {1, 0, 2, 1}, 0, 1, {1, 0, 2, 40.9}, 1, 0.9},
		{true, false, {1, 0, 2, 1}, 0, 1, {1, 0, 2, 41}, 0, 0},
		{true, false, {1, 0, 2, 1}, 0, 1, {1, 0, 2.5, 0.875}, -0.03125, 0},
		{true, false, {1, 0, 2, 1}, 0, 1, {1, 0, 2.5, 0.8}, 0, 0},
		/* Not where nothing is expected, nor where it may not be. */
		{true, false, {1, 0, 2, 0}, 0, 1, {1, 0, 2.5, 1}, 0, 0},
		{true, false, {1, 0, 2, 1}, 0, 1, {2, 0, 2.5, 1}, 0, 0},
		{true, false, {1, 0, 2, 1}, 0, 1, {1, 1, 2.5, 1}, 0, 0},
		/* Of code, if jumps are counted, even where none is expected. */
		{true, true, {1, 0, 2, 1}, 0, 1, {1, 1, 2, 1}, 1, 0.9},
		{false, true, {1, 0, 2, 1}, 0, 1, {1, 1, 2, 1}, 0, 0},
		/* In half of the kernels at most: of four 2, of three not 2. */
		{true, true, {1, 0, 2, 1}, 0, 1, {1, 1, 3, 1}, 1, 0.81},
		{true, true, {1, 0, 2, 1}, 0, 1, {1, 1, 3, 2}, 0, 0},
		{true, false, {1, 0, 2, 1}, 0, 1, {1, NAN, 3, 2}, 0, 0},
		/* In 0.7 of those that have what is counted: of 3 two, of 2 not two. */
		{true, false, {0, 0, 2, 1}, 0, 1, {0, 0, 3, 2}, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		static struct categories categories;
		static struct category category;
		double values[8] = {9, 9, 9, 9};
		const struct slopes slopes = {2, 4, values, NULL};
		double score = rows[i].score < 0 ? exp(rows[i].score) : rows[i].score;
		double rank = rows[i].rank < 0 ? exp(rows[i].rank) : rows[i].rank;

		categories.probe_count = 4;
		category.is_executed = rows[i].is_executed;
		category.has_jumps = rows[i].has_jumps;
		for (size_t k = 0; k < 4; k++) {
			categories.probes[k] = (struct probe){.point = 3 - k,
							      .tolerance = 0.125,
							      .weight = 1,
							      .may_exceed = k > 1,
							      .is_code = k == 1};
			category.expected[k] = rows[i].expected[k];
			category.least[k] = rows[i].least;
			category.most[k] = rows[i].most;
			values[4 + 3 - k] = rows[i].found[k];
		}
		if (rows[i].score < 0 && !(rows[i].rank < 0))
			rank = 0.9 * score;
		struct fit fit = category_fit(&categories, &category, &slopes, 1);
		if (fabs(fit.score - score) > 1e-12 || fabs(fit.rank - rank) > 1e-12)
			fail_msg("row %zu: %g, %g, expected %g, %g", i, fit.score, fit.rank, score,
				 rank);
	}
}

/* Weights: a probe of which there are ten in a kernel is a tenth of one. */
TEST(kernels_weigh_the_same)
{
	static const struct {
		double weights[4], rank;
	} rows[] = {
		{{1, 1, 1, 1}, 0.81},
		/* 2 of 3.5 are more than half. */
		{{1, 0.5, 1, 1}, 0},
		/* 1.1 of 3.1, and 1.1 of 2.1. */
		{{1, 1, 1, 0.1}, 0.81},
		/* 1.1 of 2.6, but 1.1 of 1.5 are more than 0.7. */
		{{0.4, 1.1, 1, 0.1}, 0},
		{{0.5, 1.1, 1, 0.1}, 0.81},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		static struct categories categories;
		static struct category category = {.is_executed = true, .expected = {1, 0, 2, 1}};
		double values[] = {1, 0, 3, 2};
		const struct slopes slopes = {1, 4, values, NULL};

		categories.probe_count = 4;
		for (size_t k = 0; k < 4; k++)
			categories.probes[k] = (struct probe){.point = k,
							      .tolerance = 0.125,
							      .weight = rows[i].weights[k],
							      .may_exceed = k > 1};
		assert_true(fabs(category_fit(&categories, &category, &slopes, 0).rank -
				 rows[i].rank) < 1e-12);
	}
}

TEST(nothing_is_nothing_at_every_point)
{
	double values[] = {0.02, -0.02, NAN, 0, 0, 0.021, 0, 0, -0.021};
	const struct slopes slopes = {3, 3, values, NULL};

	assert_true(category_is_zero(&slopes, 0));
	assert_false(category_is_zero(&slopes, 1));
	assert_false(category_is_zero(&slopes, 2));
}
