/*
 * category.h - what an event may turn out to count, as the slopes it would have then.
 *
 * A probe is a point of the readings that categories say something about: every kernel of
 * kernels/expected.txt, and the plateaus of the sweeps (geometry.h). A category has an expected
 * slope for each probe, or NAN where what it would be depends on more than the category. Which
 * categories there are depends on the machine: one set for each level of cache and TLB found.
 *
 * Branches executed, wrong paths included, are those that retire and k times the mispredicted ones;
 * k differs from core to core and from kernel to kernel, so that a slope above the expected one is
 * as good, where branches are mispredicted (`may_exceed`), as long as it is above in one of them.
 * Categories with equal slopes on all probes cannot be told apart on the machine: events of one are
 * then reported as the first with the others beside it.
 */
#ifndef CLASSIFY_CATEGORY_H
#define CLASSIFY_CATEGORY_H

#include "classify/geometry.h"

/* A probe for each point, and one for each plateau. */
#define POINTS_MOST	    480
#define PROBES_MOST	    (POINTS_MOST + SWEEPS * (GEOMETRY_LEVELS_MOST + 1))
#define CATEGORY_NAME_BYTES 64

struct probe {
	size_t point;	  /* of the readings */
	double tolerance; /* a slope further from the expected one than this, and than a twentieth
			   * of it, speaks against a category */
	double weight;	  /* by kernel */
	bool may_exceed;
	enum sweep sweep; /* SWEEPS: it is of no sweep */
	bool is_code;	  /* jumps through a buffer of instructions */
	bool is_between;  /* of a sweep, but no plateau */
	bool is_pair;
	bool is_far;	/* jumps that exceed every cache by competing for few sets */
	size_t plateau; /* of the sweep; of a pair, the number of its distance */
};

struct category {
	char name[CATEGORY_NAME_BYTES];
	double expected[PROBES_MOST];
	/* Between which a slope is, by its tolerance, where none is expected. */
	double least[PROBES_MOST], most[PROBES_MOST];
	bool is_executed; /* wrong paths included */
	bool has_jumps;	  /* direct jumps are among what it counts */
};

struct categories {
	struct probe probes[PROBES_MOST];
	struct category *list;
	size_t probe_count, count, room;
};

/* How the machine predicts branches: it learns; forward branches are not taken and others are; all
 * are taken; none is; it does not, and fetch goes straight on behind jumps and returns too. */
enum prediction {
	PREDICTION_LEARNED,
	PREDICTION_STATIC,
	PREDICTION_TAKEN,
	PREDICTION_NOT_TAKEN,
	PREDICTION_NONE,
	PREDICTIONS
};

#define CATEGORY_MISPREDICTED "branches mispredicted"
#define CATEGORY_LEVEL_2      "data cache accesses, level 2, accesses"

/* `wrong` has, for each point, how many branches are mispredicted an iteration; NULL: as the table
 * says. With `is_through` every store goes to the second level. */
void categories_init(struct categories *categories, const struct readings *readings,
		     const struct geometry *geometry, enum prediction prediction,
		     const double *wrong, bool is_through);
void categories_release(struct categories *categories);

/* Name i of all that categories may have, whatever the machine, but those of wrong paths; false if
 * there are not as many. */
bool category_name_at(size_t i, char name[CATEGORY_NAME_BYTES]);

/* How well an event fits a category. */
struct fit {
	double score; /* the product of the goodness on all probes; 0: a probe speaks against it */
	double rank;  /* the score, less where the event exceeds the category: the highest decides
		       * between categories */
};
struct fit category_fit(const struct categories *categories, const struct category *category,
			const struct slopes *slopes, size_t event);
/* Whether the event counts nothing on any point. */
bool category_is_zero(const struct slopes *slopes, size_t event);

#endif
