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
#define PAIR_CACHE_MOST	  (64.0 * 1024 * 1024) /* an eighth of the buffer */
#define WRONG_LEAST	  0.05
#define TOLERANCE_LINES	  0.3  /* of jumps, some of which follow each other in a line */
#define TOLERANCE_EDGE	  0.45 /* of a size less than four times a capacity: edges are not sharp */
/* Added to the tolerance for sizes of twice a capacity and of half the next one. */
#define OFF_BETWEEN	  0.25
#define EXCESS_LEAST	  0.12 /* branches an iteration that are executed but do not retire */
#define EXCESS_MOST	  40
#define EXCEEDED_MOST	  0.5 /* of the kernels */
#define EXCEEDED_COUNTING 0.7 /* of those that have what is counted */
#define EXCEEDED_RANK	  0.9 /* for each probe that exceeds */
#define ZERO_MOST	  0.02

/* What the classifier calls the columns of kernels/expected.txt and their sums. */
static const struct {
	const char *name;
	const char *columns[7];
	bool is_negative_taken; /* less the branches taken */
	const char *retired;	/* what is behind the name unless wrong paths are included */
} sums[] = {
	{"conditional branches", {"cond"}, false, ", retired"},
	{"conditional branches taken", {"taken"}, false, ", retired"},
	{"conditional branches not taken", {"cond"}, true, ", retired"},
	{"direct jumps", {"jump"}, false, ", retired"},
	{"direct calls", {"call"}, false, ", retired"},
	{"direct jumps and calls", {"jump", "call"}, false, ", retired"},
	{"indirect jumps", {"indirect"}, false, ", retired"},
	{"indirect calls", {"icall"}, false, ", retired"},
	{"indirect jumps and calls", {"indirect", "icall"}, false, ", retired"},
	{"returns", {"return"}, false, ", retired"},
	{"indirect jumps, calls and returns", {"indirect", "icall", "return"}, false, ", retired"},
	{"all branches but direct jumps and calls",
	 {"cond", "indirect", "icall", "return"},
	 false,
	 ", retired"},
	{"taken branches but direct jumps and calls",
	 {"taken", "indirect", "icall", "return"},
	 false,
	 ", retired"},
	{"all branches",
	 {"cond", "jump", "call", "icall", "indirect", "return"},
	 false,
	 ", retired"},
	{"all taken branches",
	 {"taken", "jump", "call", "icall", "indirect", "return"},
	 false,
	 ", retired"},
	{"loads", {"load"}, false, ""},
	{"stores", {"store"}, false, ""},
	{"loads and stores", {"load", "store"}, false, ""},
	{"integer multiplications", {"multiply"}, false, ""},
	{"integer divisions", {"divide"}, false, ""},
	{"floating-point additions", {"fp_add"}, false, ""},
	{"floating-point multiplications", {"fp_multiply"}, false, ""},
	{"floating-point divisions", {"fp_divide"}, false, ""},
	{"floating-point operations", {"fp_add", "fp_multiply", "fp_divide"}, false, ""},
};

/* The kernels of code.c jump once an iteration, but for the last of a round, which returns to where
 * a loop calls the next round. How many loads the loop has is for the compiler to say. */
static double code_table(const struct readings_point *point, const char *column)
{
	double rounds = (double)point->unit / (double)point->value;
	static const char *const once_a_round[] = {"cond", "taken", "icall", "return"};

	if (strcmp(column, "jump") == 0)
		return 1 - rounds;
	for (size_t i = 0; i < ARRAY_COUNT(once_a_round); i++)
		if (strcmp(column, once_a_round[i]) == 0)
			return rounds;
	return strcmp(column, "load") == 0 || strcmp(column, "store") == 0 ? NAN : 0;
}

static double table(const struct readings *readings, size_t point, const char *column)
{
	const struct readings_point *at = &readings->points[point];
	double value;

	if (strncmp(at->kernel, "code", strlen("code")) == 0)
		return code_table(at, column);
	return expected_find(at->kernel, column, &value) ? value : NAN;
}

static struct category *add(struct categories *categories, const char *format, const char *a,
			    unsigned level, const char *b)
{
	struct category *category =
		ARRAY_PUSH(categories->list, categories->count, categories->room);

	*category = (struct category){0};
	for (size_t k = 0; k < PROBES_MOST; k++) {
		category->least[k] = -INFINITY;
		category->most[k] = INFINITY;
	}
	snprintf(category->name, sizeof(category->name), format, a, level, b);
	return category;
}

static bool is_code(enum sweep sweep)
{
	return sweep == SWEEP_CODE || sweep == SWEEP_CODE_PAGE;
}

/* The probe, to be changed until the next one is added. */
static struct probe *add_probe(struct categories *categories, size_t point, enum sweep sweep,
			       size_t plateau, double wrong)
{
	BUG_ON(categories->probe_count == PROBES_MOST);
	struct probe *probe = &categories->probes[categories->probe_count++];

	*probe = (struct probe){
		.point = point,
		.tolerance = sweep == SWEEPS ? TOLERANCE_KERNEL : TOLERANCE_PLATEAU,
		.may_exceed = wrong > WRONG_LEAST,
		.is_code = is_code(sweep),
		.sweep = sweep,
		.plateau = plateau,
	};
	return probe;
}

static bool is_swept(const char *kernel)
{
	static const char *const others[] = {"pair",  "half",  "whole",	   "block",
					     "order", "apart", "branch_k", "branch_plain"};

	for (size_t i = 0; i < SWEEPS; i++)
		if (strcmp(kernel, sweep_kernels[i]) == 0)
			return true;
	for (size_t i = 0; i < ARRAY_COUNT(others); i++)
		if (strcmp(kernel, others[i]) == 0)
			return true;
	return false;
}

/* Whether there is a branch besides the one that ends the loop. Nothing follows that one. */
static bool has_branches(const struct readings *readings, size_t point)
{
	return table(readings, point, "cond") + table(readings, point, "indirect") +
		       table(readings, point, "return") >
	       1;
}

static void add_plateaus(struct categories *categories, const struct readings *readings,
			 const struct geometry *geometry, enum sweep sweep, const double *wrong)
{
	const struct sweep_points *points = &geometry->sweeps[sweep];

	for (size_t i = 0; points->count && i <= points->levels; i++) {
		size_t point = points->points[points->plateau[i]];
		struct probe *probe = add_probe(categories, point, sweep, i,
						wrong && is_code(sweep) ? wrong[point] : 0);

		/* The line behind the one jumped to may have been prefetched. */
		if (sweep == SWEEP_CODE)
			probe->tolerance = TOLERANCE_LINES;
		/* Jumps reach 4 MB, which may be little beyond the last capacity found. */
		if (i && (i == points->levels || sweep == SWEEP_CODE) &&
		    (double)readings->points[point].value < 4 * (double)points->capacity[i - 1])
			probe->tolerance = TOLERANCE_EDGE;
	}
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
			  !has_branches(readings, p) ? 0
			  : wrong		     ? wrong[p]
				  : table(readings, p, "wrong") + table(readings, p, "wrongi"));
	}
	for (enum sweep sweep = 0; sweep < SWEEPS; sweep++)
		add_plateaus(categories, readings, geometry, sweep, wrong);
}

/* Jumps that follow each other in few lines and fewer pages. */
static void add_lines(struct categories *categories, const struct readings *readings)
{
	for (size_t p = 0; p < readings->point_count; p++)
		if (strcmp(readings->points[p].kernel, "codeline") == 0) {
			struct probe *probe = add_probe(categories, p, SWEEPS, 0, 0);

			probe->is_code = true;
			probe->tolerance = TOLERANCE_LINES;
		}
}

/* Stores to the largest buffer of the sweep, which are far from each other in time. */
static void add_apart_stores(struct categories *categories, const struct readings *readings,
			     const struct geometry *geometry, size_t p, enum sweep sweep)
{
	const struct sweep_points *points = &geometry->sweeps[sweep];
	const struct readings_point *point = &readings->points[p];

	if (points->count && point->unit == points->unit &&
	    point->value == readings->points[points->points[points->count - 1]].value)
		add_probe(categories, p, sweep, points->levels, 0);
}

/* Jumps that are far from each other, and stores that are. */
static void add_apart(struct categories *categories, const struct readings *readings,
		      const struct geometry *geometry)
{
	for (size_t p = 0; p < readings->point_count; p++) {
		const struct readings_point *point = &readings->points[p];

		if (strcmp(point->kernel, "codefar") == 0) {
			struct probe *probe = add_probe(categories, p, SWEEPS, 0, 0);

			probe->is_code = probe->is_far = true;
			probe->tolerance = TOLERANCE_LINES;
		}
		if (strcmp(point->kernel, "apart") == 0) {
			add_apart_stores(categories, readings, geometry, p, SWEEP_WRITE);
			add_apart_stores(categories, readings, geometry, p, SWEEP_PAGE_WRITE);
		}
	}
}

/* The sizes of a sweep that are no plateau tell misses of a TLB from misses of a cache: the former
 * depend on how many pages the lines are in. */
static void add_between(struct categories *categories, const struct geometry *geometry,
			enum sweep sweep)
{
	const struct sweep_points *points = &geometry->sweeps[sweep];

	for (size_t i = 0; i < points->count; i++) {
		bool is_plateau = false;

		for (size_t level = 0; level <= points->levels; level++)
			is_plateau |= points->plateau[level] == i;
		if (is_plateau)
			continue;
		struct probe *probe = add_probe(categories, points->points[i], sweep, 0, 0);

		probe->is_between = true;
		if (is_code(sweep))
			probe->tolerance = TOLERANCE_LINES;
	}
}

/* Three distances of a pair: the least, one larger than every line, one larger than every page. */
static const uint64_t pair_distances[] = {8, 512, 65536};

static void add_pairs(struct categories *categories, const struct readings *readings)
{
	for (size_t p = 0; p < readings->point_count; p++)
		for (size_t i = 0; i < ARRAY_COUNT(pair_distances); i++)
			if (strcmp(readings->points[p].kernel, "pair") == 0 &&
			    readings->points[p].value == pair_distances[i]) {
				struct probe *probe = add_probe(categories, p, SWEEPS, i, 0);

				probe->is_pair = true;
				probe->tolerance = TOLERANCE_PAIR;
			}
}

static void add_sums(struct categories *categories, const struct readings *readings)
{
	for (size_t i = 0; i < ARRAY_COUNT(sums); i++)
		for (int executed = 0; executed <= 1; executed++) {
			struct category *category = add(categories, "%s%.0u%s", sums[i].name, 0,
							executed ? ", executed" : sums[i].retired);

			category->is_executed = executed;
			for (size_t c = 0; sums[i].columns[c]; c++)
				category->has_jumps |= strcmp(sums[i].columns[c], "jump") == 0;
			for (size_t k = 0; k < categories->probe_count; k++) {
				size_t point = categories->probes[k].point;
				double sum = 0;

				for (size_t c = 0; sums[i].columns[c]; c++)
					sum += table(readings, point, sums[i].columns[c]);
				if (sums[i].is_negative_taken)
					sum -= table(readings, point, "taken");
				category->expected[k] =
					categories->probes[k].is_between ? NAN : sum;
			}
		}
}

/* How many conditional branches a predictor of the kind gets wrong; below, how many indirect
 * jumps. */
static double wrong_branches(enum prediction kind, const struct readings *readings, size_t point)
{
	switch (kind) {
	case PREDICTION_LEARNED: return table(readings, point, "wrong");
	case PREDICTION_STATIC: return table(readings, point, "taken") - 1;
	case PREDICTION_TAKEN:
		return table(readings, point, "cond") - table(readings, point, "taken");
	default: return table(readings, point, "taken");
	}
}

/* Where there are several targets, going straight on is right as often as any other guess. */
static double wrong_indirect(enum prediction kind, const struct readings *readings, size_t point)
{
	double guessed = table(readings, point, "wrongi");

	if (kind != PREDICTION_NONE)
		return guessed;
	return (guessed > 0 ? guessed : table(readings, point, "indirect")) +
	       table(readings, point, "icall");
}

static const struct {
	const char *name;
	bool conditional, indirect, returns;
} mispredictions[] = {
	{CATEGORY_MISPREDICTED, true, true, true},
	{"conditional branches mispredicted", true, false, false},
	{"indirect jumps mispredicted", false, true, false},
};

static void add_mispredictions(struct categories *categories, const struct readings *readings,
			       enum prediction kind)
{
	for (size_t i = 0; i < ARRAY_COUNT(mispredictions); i++) {
		struct category *category =
			add(categories, "%s%.0u%s", mispredictions[i].name, 0, "");

		for (size_t k = 0; k < categories->probe_count; k++) {
			size_t point = categories->probes[k].point;
			double sum = mispredictions[i].conditional
					     ? wrong_branches(kind, readings, point)
					     : 0;

			if (mispredictions[i].indirect)
				sum += wrong_indirect(kind, readings, point);
			if (mispredictions[i].returns && kind == PREDICTION_NONE)
				sum += table(readings, point, "return");
			category->expected[k] =
				categories->probes[k].is_code || categories->probes[k].is_between
					? NAN
					: sum;
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
	/* Two levels decide: the one before, for accesses, and the level itself. */
	if ((double)sweep->capacity[level - 1 - (role == ROLE_ACCESS)] * page > PAIR_CACHE_MOST)
		return NAN;
	if (role == ROLE_HIT)
		return level == 1 ? 2 - lines : 0;
	return lines;
}

/* The slope of a role at a level, if an access exceeds each level whose capacity is at most
 * 1 / `surely` of the bytes and none whose capacity is at least 1 / `hardly` of them; NAN if it
 * depends on one in between. */
static double slope_of_size(const struct sweep_points *sweep, double bytes, double hardly,
			    double surely, enum role role, size_t level)
{
	size_t least = 0, most = 0; /* levels that are exceeded */

	while (least < sweep->levels && bytes >= surely * (double)sweep->capacity[least])
		least++;
	while (most < sweep->levels && bytes > hardly * (double)sweep->capacity[most])
		most++;
	for (size_t exceeded = least; exceeded < most; exceeded++)
		if (role_at(role, level, exceeded) != role_at(role, level, most))
			return NAN;
	return role_at(role, level, most);
}

/* What a TLB does in a buffer whose lines are all accessed, in random order. Nothing is said of
 * sizes near its reach; nor of jumps beyond its reach, which stay in one part of the buffer for a
 * while. */
static double tlb_slope(const struct side *side, enum role role, size_t level,
			const struct readings *readings, const struct geometry *geometry,
			const struct probe *probe)
{
	if (!(probe->sweep == SWEEP_WRITE ? side->counts_writes : side->counts_reads))
		return 0;
	return slope_of_size(&geometry->sweeps[side->reads],
			     (double)readings->points[probe->point].value, 0.75,
			     is_code(probe->sweep) ? INFINITY : 16, role, level);
}

/* Whether the side is a TLB, and the sweep goes line by line over what it translates. */
static bool is_by_line(const struct side *side, enum sweep sweep)
{
	return side->reads == SWEEP_PAGE ? sweep == SWEEP_READ || sweep == SWEEP_WRITE
					 : side->reads == SWEEP_CODE_PAGE && sweep == SWEEP_CODE;
}

/* What an instruction cache does with one jump in each page. Each jump is in a line of its own,
 * which may be in any set. Nothing is said of about as many jumps as the cache has lines; nor of a
 * sixteenth as many, which compete where a set has one line. */
static double lines_slope(const struct side *side, enum role role, size_t level,
			  const struct readings *readings, const struct geometry *geometry,
			  const struct probe *probe)
{
	const struct sweep_points *sweep = &geometry->sweeps[side->reads];
	const struct readings_point *point = &readings->points[probe->point];

	return slope_of_size(sweep,
			     (double)point->value / (double)point->unit * (double)sweep->unit,
			     1.0 / 16, 4, role, level);
}

/* What jumps do that exceed every cache. Where the last level found is not the last, nobody knows
 * whether they exceed the one after it: only its misses say so. */
static double far_slope(const struct side *side, enum role role, size_t level,
			const struct geometry *geometry)
{
	size_t levels = geometry->sweeps[side->reads].levels;

	if (side->reads != SWEEP_CODE || (level > levels && role == ROLE_HIT))
		return NAN;
	return role != ROLE_HIT;
}

/* The slope of a role on a probe outside of the sweeps of its side; of stores that fit in the first
 * level, the first `written` levels are passed. */
static double outside(const struct side *side, enum role role, size_t level,
		      const struct readings *readings, const struct geometry *geometry,
		      const struct probe *probe, size_t written)
{
	if (is_by_line(side, probe->sweep))
		return tlb_slope(side, role, level, readings, geometry, probe);
	if (is_code(side->reads) && probe->is_far)
		return far_slope(side, role, level, geometry);
	if (side->reads == SWEEP_CODE && probe->sweep == SWEEP_CODE_PAGE)
		return lines_slope(side, role, level, readings, geometry, probe);
	if (probe->is_between)
		return NAN;
	if (is_code(side->reads))
		return probe->sweep == SWEEPS || !probe->is_code ? 0 : NAN;
	if (probe->sweep != SWEEPS || probe->is_code)
		return NAN;
	if (probe->is_pair)
		return pair_slope(side, role, level, geometry, probe->plateau);
	/* How many of the loads of a stream miss depends on the prefetcher. */
	if (strcmp(readings->points[probe->point].kernel, "stream") == 0)
		return side->counts_reads ? NAN : 0;
	double loads = table(readings, probe->point, "load");
	double stores = table(readings, probe->point, "store");

	return (side->counts_reads ? role_at(role, level, 0) * loads : 0) +
	       (side->counts_writes ? role_at(role, level, written) * stores : 0);
}

/* No access misses, hits or goes to a level more than once. Walks of the page table access caches,
 * but not TLBs. */
static double most_of(const struct side *side, const struct probe *probe)
{
	bool is_tlb = side->reads == SWEEP_PAGE;

	if (is_code(side->reads) || probe->is_code)
		return is_code(side->reads) && (probe->is_far ||
						(side->reads == SWEEP_CODE_PAGE && probe->is_code))
			       ? 1
			       : INFINITY;
	/* A stream. */
	if (probe->sweep == SWEEPS && !probe->is_pair)
		return side->counts_reads;
	switch (probe->sweep) {
	case SWEEP_READ: return side->counts_reads;
	case SWEEP_WRITE: return side->counts_writes;
	case SWEEP_PAGE: return is_tlb ? side->counts_reads : INFINITY;
	case SWEEP_PAGE_WRITE: return is_tlb ? side->counts_writes : INFINITY;
	default: return INFINITY;
	}
}

static bool has_far(const struct categories *categories)
{
	for (size_t k = 0; k < categories->probe_count; k++)
		if (categories->probes[k].is_far)
			return true;
	return false;
}

/* What a size between plateaus gives. If it is far from the capacities on both sides, it gives
 * about what the plateau between them does. */
static void bound_between(struct category *category, size_t k, const struct sweep_points *points,
			  double bytes, enum role role, size_t level)
{
	for (size_t i = 1; i <= points->levels; i++)
		if (bytes >= 2 * (double)points->capacity[i - 1] &&
		    (i == points->levels || bytes <= (double)points->capacity[i] / 2)) {
			category->least[k] = role_at(role, level, i) - OFF_BETWEEN;
			category->most[k] = role_at(role, level, i) + OFF_BETWEEN;
		}
}

static void add_side(struct categories *categories, const struct side *side,
		     const struct readings *readings, const struct geometry *geometry,
		     bool is_through)
{
	size_t levels = geometry->sweeps[side->reads].levels;

	/* A buffer of jumps is no larger than some caches: what is beyond the last level found is
	 * accessed, hit, and missed only by jumps that compete for its sets. Such a level is one
	 * that data have shown. */
	size_t beyond =
		is_code(side->reads) && levels &&
		levels < geometry->sweeps[side->reads == SWEEP_CODE ? SWEEP_READ : SWEEP_PAGE]
				 .levels;

	for (size_t level = 1; level <= levels + beyond; level++)
		for (enum role role = 0; role < ROLES; role++) {
			if (level > levels && role == ROLE_MISS &&
			    (side->reads != SWEEP_CODE || !has_far(categories)))
				continue;
			/* What hits in the first level of instructions is every fetch. */
			if (is_code(side->reads) && level == 1 && role != ROLE_MISS)
				continue;
			struct category *category = add(categories, "%s %u, %s", side->name,
							(unsigned)level, role_names[role]);

			for (size_t k = 0; k < categories->probe_count; k++) {
				const struct probe *probe = &categories->probes[k];
				double *expected = &category->expected[k];
				/* Levels that a store passes in any case. */
				size_t written =
					is_through && level > 1 && side->writes == SWEEP_WRITE;
				bool reads = probe->sweep == side->reads;

				category->most[k] = most_of(side, probe);
				if (!probe->is_between && reads)
					*expected = side->counts_reads *
						    role_at(role, level, probe->plateau);
				else if (!probe->is_between && probe->sweep == side->writes &&
					 probe->sweep != SWEEPS)
					*expected =
						side->counts_writes *
						role_at(role, level,
							probe->plateau > written ? probe->plateau
										 : written);
				else
					*expected = outside(side, role, level, readings, geometry,
							    probe, written);
				if (probe->is_between && reads && side->counts_reads)
					bound_between(category, k, &geometry->sweeps[probe->sweep],
						      (double)readings->points[probe->point].value,
						      role, level);
			}
		}
}

/* Each kernel weighs the same, however many probes it has; those of jumps through a buffer are one.
 */
static void weigh_probes(struct categories *categories, const struct readings *readings)
{
	for (size_t i = 0; i < categories->probe_count; i++) {
		struct probe *probe = &categories->probes[i];
		size_t same = 0;

		for (size_t k = 0; k < categories->probe_count; k++) {
			const struct probe *other = &categories->probes[k];

			same += !other->is_between &&
				((probe->is_code && other->is_code) ||
				 strcmp(readings->points[probe->point].kernel,
					readings->points[other->point].kernel) == 0);
		}
		probe->weight = 1 / (double)(same ? same : 1);
	}
}

void categories_init(struct categories *categories, const struct readings *readings,
		     const struct geometry *geometry, enum prediction prediction,
		     const double *wrong, bool is_through)
{
	*categories = (struct categories){0};
	add_probes(categories, readings, geometry, wrong);
	add_pairs(categories, readings);
	add_lines(categories, readings);
	add_apart(categories, readings, geometry);
	add_between(categories, geometry, SWEEP_READ);
	add_between(categories, geometry, SWEEP_WRITE);
	add_between(categories, geometry, SWEEP_CODE);
	add_between(categories, geometry, SWEEP_PAGE);
	add_between(categories, geometry, SWEEP_CODE_PAGE);
	weigh_probes(categories, readings);
	add_sums(categories, readings);
	add_mispredictions(categories, readings, prediction);
	for (size_t i = 0; i < ARRAY_COUNT(sides); i++)
		add_side(categories, &sides[i], readings, geometry, is_through);
}

void categories_release(struct categories *categories)
{
	free(categories->list);
	*categories = (struct categories){0};
}

struct fit category_fit(const struct categories *categories, const struct category *category,
			const struct slopes *slopes, size_t event)
{
	struct fit fit = {1, 1};
	double excess = 0;
	/* The weights of kernels: `compared` and `exceeded` are of all kernels, the other two of
	 * those that have what the category counts. */
	double compared = 0, exceeded = 0, counting = 0, exceeded_counting = 0;

	for (size_t k = 0; k < categories->probe_count; k++) {
		const struct probe *probe = &categories->probes[k];
		double expected = category->expected[k];
		double found = slopes_at(slopes, event, probe->point);
		/* Fetch goes straight on behind a jump that a small target buffer has forgotten,
		 * and so reaches other jumps. */
		bool may_exceed = (probe->may_exceed && expected > 0) ||
				  (probe->is_code && category->has_jumps);

		if (isnan(expected) && (found > category->most[k] + probe->tolerance ||
					found < category->least[k] - probe->tolerance))
			return (struct fit){0};
		if (isnan(expected) || isnan(found))
			continue;
		double counts = expected > 0 ? probe->weight : 0;
		counting += counts;
		compared += probe->weight;
		if (category->is_executed && may_exceed && found > expected &&
		    found < expected + EXCESS_MOST) {
			excess = fmax(excess, found - expected);
			if (found - expected > probe->tolerance) {
				exceeded += probe->weight;
				exceeded_counting += counts;
				fit.rank *= EXCEEDED_RANK;
			}
			continue;
		}
		if (fabs(found - expected) > probe->tolerance + expected / 20)
			return (struct fit){0};
		fit.score *= slope_goodness(found, expected);
	}
	/* More is executed than retires, but not everywhere. */
	if (!(counting > 0) || (category->is_executed && excess < EXCESS_LEAST) ||
	    exceeded > EXCEEDED_MOST * compared || exceeded_counting > EXCEEDED_COUNTING * counting)
		return (struct fit){0};
	fit.rank *= fit.score;
	return fit;
}

bool category_is_zero(const struct slopes *slopes, size_t event)
{
	for (size_t p = 0; p < slopes->point_count; p++)
		if (fabs(slopes_at(slopes, event, p)) > ZERO_MOST)
			return false;
	return true;
}

bool category_name_at(size_t i, char name[CATEGORY_NAME_BYTES])
{
	const size_t by_side = GEOMETRY_LEVELS_MOST * ROLES;

	if (i < ARRAY_COUNT(sums)) {
		snprintf(name, CATEGORY_NAME_BYTES, "%s%s", sums[i].name, sums[i].retired);
		return true;
	}
	i -= ARRAY_COUNT(sums);
	if (i < ARRAY_COUNT(mispredictions)) {
		snprintf(name, CATEGORY_NAME_BYTES, "%s", mispredictions[i].name);
		return true;
	}
	i -= ARRAY_COUNT(mispredictions);
	if (i >= ARRAY_COUNT(sides) * by_side)
		return false;
	snprintf(name, CATEGORY_NAME_BYTES, "%s %zu, %s", sides[i / by_side].name,
		 i % by_side / ROLES + 1, role_names[i % ROLES]);
	return true;
}
