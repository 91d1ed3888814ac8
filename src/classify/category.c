#include "classify/category.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "classify/expected.h"

#define TOLERANCE_KERNEL  0.12
#define TOLERANCE_PLATEAU 0.2
#define TOLERANCE_PAIR	  0.35 /* some accesses to a large buffer hit in a large cache */
#define PAIR_CACHE_MOST	  (8.0 * 1024 * 1024)
#define WRONG_LEAST	  0.05
#define TOLERANCE_EDGE	  0.45 /* of a size less than four times a capacity: edges are not sharp */
#define EXCESS_LEAST	  0.12 /* branches an iteration that are executed but do not retire */
#define EXCESS_MOST	  40
#define ZERO_MOST	  0.02

/* What the classifier calls the columns of kernels/expected.txt and their sums. */
static const struct {
	const char *name;
	const char *columns[7];
	bool is_negative_taken; /* less the branches taken */
	bool may_be_executed;
} sums[] = {
	{"conditional branches", {"cond"}, false, true},
	{"conditional branches taken", {"taken"}, false, true},
	{"conditional branches not taken", {"cond"}, true, true},
	{"direct jumps", {"jump"}, false, true},
	{"direct calls", {"call"}, false, true},
	{"direct jumps and calls", {"jump", "call"}, false, true},
	{"indirect jumps", {"indirect"}, false, true},
	{"indirect calls", {"icall"}, false, true},
	{"indirect jumps and calls", {"indirect", "icall"}, false, true},
	{"returns", {"return"}, false, true},
	{"indirect jumps, calls and returns", {"indirect", "icall", "return"}, false, true},
	{"all branches but direct jumps and calls",
	 {"cond", "indirect", "icall", "return"},
	 false,
	 true},
	{"taken branches but direct jumps and calls",
	 {"taken", "indirect", "icall", "return"},
	 false,
	 true},
	{"all branches", {"cond", "jump", "call", "icall", "indirect", "return"}, false, true},
	{"all taken branches",
	 {"taken", "jump", "call", "icall", "indirect", "return"},
	 false,
	 true},
	{"loads", {"load"}, false, false},
	{"stores", {"store"}, false, false},
	{"loads and stores", {"load", "store"}, false, false},
	{"integer multiplications", {"multiply"}, false, false},
	{"integer divisions", {"divide"}, false, false},
	{"floating-point additions", {"fp_add"}, false, false},
	{"floating-point multiplications", {"fp_multiply"}, false, false},
	{"floating-point divisions", {"fp_divide"}, false, false},
	{"floating-point operations", {"fp_add", "fp_multiply", "fp_divide"}, false, false},
};

static double table(const struct readings *readings, size_t point, const char *column)
{
	double value;

	return expected_find(readings->points[point].kernel, column, &value) ? value : NAN;
}

static struct category *add(struct categories *categories, const char *format, const char *a,
			    unsigned level, const char *b)
{
	struct category *category =
		ARRAY_PUSH(categories->list, categories->count, categories->room);

	*category = (struct category){0};
	snprintf(category->name, sizeof(category->name), format, a, level, b);
	return category;
}

static void add_probe(struct categories *categories, size_t point, enum sweep sweep, size_t plateau,
		      double wrong)
{
	if (categories->probe_count == PROBES_MOST)
		return;
	categories->probes[categories->probe_count++] = (struct probe){
		.point = point,
		.tolerance = sweep == SWEEPS ? TOLERANCE_KERNEL : TOLERANCE_PLATEAU,
		.may_exceed = wrong > WRONG_LEAST,
		.sweep = sweep,
		.plateau = plateau,
	};
}

static bool is_swept(const char *kernel)
{
	static const char *const others[] = {"pair",  "stream",	  "block",
					     "order", "branch_k", "branch_plain"};

	for (size_t i = 0; i < SWEEPS; i++)
		if (strcmp(kernel, sweep_kernels[i]) == 0)
			return true;
	for (size_t i = 0; i < ARRAY_COUNT(others); i++)
		if (strcmp(kernel, others[i]) == 0)
			return true;
	return false;
}

/* What predictors make of branch_plain depends on their kind, so that it is no probe. */
static void add_probes(struct categories *categories, const struct readings *readings,
		       const struct geometry *geometry, const double *wrong)
{
	double ignored;

	for (size_t p = 0; p < readings->point_count; p++) {
		const char *kernel = readings->points[p].kernel;

		if (is_swept(kernel) || !expected_find(kernel, "cond", &ignored))
			continue;
		add_probe(categories, p, SWEEPS, 0,
			  wrong ? wrong[p]
				: table(readings, p, "wrong") + table(readings, p, "wrongi"));
	}
	for (enum sweep sweep = 0; sweep < SWEEPS; sweep++) {
		const struct sweep_points *points = &geometry->sweeps[sweep];

		for (size_t i = 0; points->count && i <= points->levels; i++)
			add_probe(categories, points->points[points->plateau[i]], sweep, i, 0);
		/* Jumps reach 1 MB, which may be little beyond the last capacity found. */
		if (points->count && points->levels &&
		    readings->points[points->points[points->plateau[points->levels]]].value <
			    4 * points->capacity[points->levels - 1])
			categories->probes[categories->probe_count - 1].tolerance = TOLERANCE_EDGE;
	}
}

/* The least distance of a pair, one beyond every line, one beyond every page. */
static const uint64_t pair_distances[] = {8, 512, 65536};

static void add_pairs(struct categories *categories, const struct readings *readings)
{
	for (size_t p = 0; p < readings->point_count; p++)
		for (size_t i = 0; i < ARRAY_COUNT(pair_distances); i++)
			if (strcmp(readings->points[p].kernel, "pair") == 0 &&
			    readings->points[p].value == pair_distances[i]) {
				add_probe(categories, p, SWEEPS, i, 0);
				categories->probes[categories->probe_count - 1].is_pair = true;
				categories->probes[categories->probe_count - 1].tolerance =
					TOLERANCE_PAIR;
			}
}

static bool is_code(enum sweep sweep)
{
	return sweep == SWEEP_CODE || sweep == SWEEP_CODE_PAGE;
}

static void add_sums(struct categories *categories, const struct readings *readings)
{
	for (size_t i = 0; i < ARRAY_COUNT(sums); i++)
		for (int executed = 0; executed <= sums[i].may_be_executed; executed++) {
			const char *stage = executed		      ? ", executed"
					    : sums[i].may_be_executed ? ", retired"
								      : "";
			struct category *category =
				add(categories, "%s%.0u%s", sums[i].name, 0, stage);

			category->is_executed = executed;
			for (size_t k = 0; k < categories->probe_count; k++) {
				size_t point = categories->probes[k].point;
				double sum = 0;

				for (size_t c = 0; sums[i].columns[c]; c++)
					sum += table(readings, point, sums[i].columns[c]);
				if (sums[i].is_negative_taken)
					sum -= table(readings, point, "taken");
				category->expected[k] =
					is_code(categories->probes[k].sweep) ? NAN : sum;
			}
		}
}

/* Mispredictions: as the table says, with a predictor that learns; or for one that does not, of
 * branches that jump forward when taken. */
static void add_mispredictions(struct categories *categories, const struct readings *readings)
{
	static const struct {
		const char *name;
		bool conditional, indirect, is_static;
	} rows[] = {
		{"branches mispredicted", true, true, false},
		{"conditional branches mispredicted", true, false, false},
		{"indirect jumps mispredicted", false, true, false},
		{"branches mispredicted", true, true, true},
		{"conditional branches mispredicted", true, false, true},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct category *category = add(categories, "%s%.0u%s", rows[i].name, 0, "");

		for (size_t k = 0; k < categories->probe_count; k++) {
			size_t point = categories->probes[k].point;
			double forward = table(readings, point, "taken") - 1;
			double sum = 0;

			if (rows[i].conditional)
				sum += rows[i].is_static ? forward
							 : table(readings, point, "wrong");
			if (rows[i].indirect)
				sum += table(readings, point, "wrongi");
			category->expected[k] = is_code(categories->probes[k].sweep) ? NAN : sum;
		}
	}
}

enum role { ROLE_ACCESS, ROLE_HIT, ROLE_MISS, ROLES };
static const char *const role_names[ROLES] = {"accesses", "hits", "misses"};

/* How often an access that finds the first `exceeded` levels too small has the role at a level, the
 * first being 1. */
static double role_at(enum role role, size_t level, size_t exceeded)
{
	return role == ROLE_ACCESS ? exceeded + 1 >= level
	       : role == ROLE_HIT  ? exceeded + 1 == level
				   : exceeded >= level;
}

struct side {
	const char *name;	  /* before the level */
	enum sweep reads, writes; /* SWEEPS: none */
	bool counts_reads, counts_writes;
};

static const struct side sides[] = {
	{"data cache reads, level", SWEEP_READ, SWEEP_WRITE, true, false},
	{"data cache writes, level", SWEEP_READ, SWEEP_WRITE, false, true},
	{"data cache accesses, level", SWEEP_READ, SWEEP_WRITE, true, true},
	{"data TLB reads, level", SWEEP_PAGE, SWEEP_PAGE_WRITE, true, false},
	{"data TLB writes, level", SWEEP_PAGE, SWEEP_PAGE_WRITE, false, true},
	{"data TLB accesses, level", SWEEP_PAGE, SWEEP_PAGE_WRITE, true, true},
	{"instruction cache, level", SWEEP_CODE, SWEEPS, true, false},
	{"instruction TLB, level", SWEEP_CODE_PAGE, SWEEPS, true, false},
};

/* What a pair of loads at one of the distances does: the second hits in what the first brought in
 * if it is in the same line or page. Nearly all else misses in caches that are much smaller than
 * the buffer; of a larger one nothing is said. */
static double pair_slope(const struct side *side, enum role role, size_t level,
			 const struct geometry *geometry, size_t distance)
{
	const struct sweep_points *sweep = &geometry->sweeps[side->reads];
	bool is_page = side->reads == SWEEP_PAGE;
	double lines = distance >= (is_page ? 2 : 1) ? 2 : 1;
	double page = is_page ? (double)geometry->page_bytes / (double)sweep->unit : 1;

	if (!side->counts_reads)
		return 0;
	if (level == 1 && role == ROLE_ACCESS)
		return 2;
	/* The levels that decide are the one before, for accesses, and the level itself. */
	if ((double)sweep->capacity[level - 1 - (role == ROLE_ACCESS)] * page > PAIR_CACHE_MOST)
		return NAN;
	if (role == ROLE_HIT)
		return level == 1 ? 2 - lines : 0;
	return lines;
}

/* What a TLB does in a buffer of which every line is accessed, in random order: nothing is said of
 * sizes near its reach. */
static double tlb_slope(const struct side *side, enum role role, size_t level,
			const struct readings *readings, const struct geometry *geometry,
			const struct probe *probe)
{
	const struct sweep_points *sweep = &geometry->sweeps[SWEEP_PAGE];
	double bytes = (double)readings->points[probe->point].value;
	size_t exceeded = 0;

	if (!(probe->sweep == SWEEP_READ ? side->counts_reads : side->counts_writes))
		return 0;
	for (; exceeded < sweep->levels; exceeded++) {
		if (bytes <= 0.75 * (double)sweep->capacity[exceeded])
			break;
		if (bytes < 16 * (double)sweep->capacity[exceeded])
			return NAN;
	}
	return role_at(role, level, exceeded);
}

/* The slope of a data role on a probe outside of the sweeps of its side. */
static double outside(const struct side *side, enum role role, size_t level,
		      const struct readings *readings, const struct geometry *geometry,
		      const struct probe *probe)
{
	if (side->reads == SWEEP_PAGE &&
	    (probe->sweep == SWEEP_READ || probe->sweep == SWEEP_WRITE))
		return tlb_slope(side, role, level, readings, geometry, probe);
	if (probe->sweep != SWEEPS)
		return is_code(side->reads) && !is_code(probe->sweep) ? 0 : NAN;
	if (is_code(side->reads))
		return 0;
	if (probe->is_pair)
		return pair_slope(side, role, level, geometry, probe->plateau);
	double loads = table(readings, probe->point, "load");
	double stores = table(readings, probe->point, "store");
	double accesses = (side->counts_reads ? loads : 0) + (side->counts_writes ? stores : 0);

	return role_at(role, level, 0) * accesses;
}

static void add_side(struct categories *categories, const struct side *side,
		     const struct readings *readings, const struct geometry *geometry)
{
	size_t levels = geometry->sweeps[side->reads].levels;

	/* Jumps reach no further than some caches of instructions: what is beyond the last level
	 * found is accessed, and hit. */
	size_t beyond = is_code(side->reads) && levels && levels < GEOMETRY_LEVELS_MOST;

	for (size_t level = 1; level <= levels + beyond; level++)
		for (enum role role = 0; role < ROLES; role++) {
			if (level > levels && role == ROLE_MISS)
				continue;
			/* What hits in the first level of instructions is every fetch. */
			if (is_code(side->reads) && level == 1 && role != ROLE_MISS)
				continue;
			struct category *category = add(categories, "%s %u, %s", side->name,
							(unsigned)level, role_names[role]);

			for (size_t k = 0; k < categories->probe_count; k++) {
				const struct probe *probe = &categories->probes[k];
				double value = role_at(role, level, probe->plateau);

				if (probe->sweep == side->reads)
					category->expected[k] = side->counts_reads ? value : 0;
				else if (probe->sweep == side->writes)
					category->expected[k] = side->counts_writes ? value : 0;
				else
					category->expected[k] = outside(side, role, level, readings,
									geometry, probe);
			}
		}
}

void categories_init(struct categories *categories, const struct readings *readings,
		     const struct geometry *geometry, const double *wrong)
{
	*categories = (struct categories){0};
	add_probes(categories, readings, geometry, wrong);
	add_pairs(categories, readings);
	add_sums(categories, readings);
	add_mispredictions(categories, readings);
	for (size_t i = 0; i < ARRAY_COUNT(sides); i++)
		add_side(categories, &sides[i], readings, geometry);
}

void categories_release(struct categories *categories)
{
	free(categories->list);
	*categories = (struct categories){0};
}

double category_score(const struct categories *categories, const struct category *category,
		      const struct slopes *slopes, size_t event)
{
	double score = 1, excess = 0;
	bool says_something = false; /* beyond that there is nothing to count */

	for (size_t k = 0; k < categories->probe_count; k++) {
		const struct probe *probe = &categories->probes[k];
		double expected = category->expected[k];
		double found = slopes_at(slopes, event, probe->point);

		if (isnan(expected) || isnan(found))
			continue;
		says_something |= expected > 0;
		if (category->is_executed && probe->may_exceed && found > expected &&
		    found < expected + EXCESS_MOST) {
			excess = fmax(excess, found - expected);
			continue;
		}
		if (fabs(found - expected) > probe->tolerance + expected / 20)
			return 0;
		score *= slope_goodness(found, expected);
	}
	if (!says_something || (category->is_executed && excess < EXCESS_LEAST))
		return 0;
	return score;
}

bool category_is_zero(const struct slopes *slopes, size_t event)
{
	for (size_t p = 0; p < slopes->point_count; p++)
		if (fabs(slopes_at(slopes, event, p)) > ZERO_MOST)
			return false;
	return true;
}
