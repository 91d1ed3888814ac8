/*
 * seqsearch - a DNA query against a database by seed and extend, in the
 * character of BLASTN.
 *
 * As BLASTN does (Altschul et al. 1990, 1997) it packs the database four bases
 * to a byte, makes a lookup table of all words of eight bases of the query,
 * and scans the database a byte at a time, testing first a bitmap and then the
 * table. A hit is widened to eleven equal bases, dropped if its diagonal has
 * been explored that far, and extended without gaps until the score falls too
 * far below its best; what scores enough is aligned with affine gaps both ways
 * in a band that follows the score, with a traceback. Both strands are
 * searched, results are culled and ranked by expectation.
 *
 * The scan streams through the database with an unpredictable table access
 * and a rare branch; extensions are short loops that end when the data says;
 * alignments are small dynamic programs.
 *
 * The database is random, with pieces of the query planted in it, damaged by
 * substitutions and gaps around an intact core. Checked: the core of every
 * plant is in an alignment; every alignment, walked again base by base, has
 * the score it claims; and for some of them a plain Smith-Waterman of the
 * region does not score below it.
 */
#include "workload.h"

enum {
	WORD = 8,
	WORDS = 1 << (2 * WORD),
	SEED = 11, /* equal bases that make a hit */
	MATCH = 2,
	MISMATCH = -3,
	GAP_OPEN = 5,
	GAP_EXTEND = 2,
	DROP_UNGAPPED = 20,
	DROP_GAPPED = 30,
	UNGAPPED_ENOUGH = 30,
	GAPPED_ENOUGH = 36,
	REACH = 600, /* an alignment extends at most so far each way */
	CORE = 24,   /* bases of a plant left intact */
	NEVER = -1000000
};

struct sequence {
	uint32_t first; /* base of the database; a multiple of four */
	uint32_t length;
};

struct database {
	uint8_t *packed; /* the first base of four in the upper bits */
	uint32_t base_count;
	struct sequence *sequences;
	uint32_t sequence_count;
};

struct plant {
	uint32_t sequence, core; /* where the core begins in the sequence */
	int strand;
};

struct query {
	uint8_t *bases;
	int length;
	uint64_t present[WORDS / 64]; /* words it has */
	uint16_t head[WORDS];	      /* a place of the word plus one, 0 for none */
	uint16_t *next;		      /* the next place of the same word plus one */
};

struct alignment {
	uint32_t sequence;
	int strand;
	int query_from, query_to, from, to; /* half open */
	int score, gaps, equal;
	double expectation;
	struct alignment *next;
};

/* The part of a dynamic program that was filled in, for the traceback. */
struct band {
	uint8_t *choices;
	int row_start[REACH + 1], row_first[REACH + 1];
	int best[REACH + 2], down[REACH + 2];
};

struct half {
	int score, query_length, length, gaps, equal;
};

struct search {
	const struct database *db;
	struct query *query;
	int strand;
	uint32_t *diagonals; /* how far each was explored, plus the epoch */
	uint32_t diagonal_mask, epoch;
	uint8_t *unpacked; /* the sequence at hand, one base to a byte */
	uint32_t unpacked_sequence;
	struct band band;
	struct alignment *found;
	uint64_t words_hit, seeds, ungapped, gapped;
};

static int base_at(const struct database *db, uint32_t at)
{
	return db->packed[at >> 2] >> (6 - 2 * (at & 3)) & 3;
}

static void base_put(struct database *db, uint32_t at, int base)
{
	int shift = 6 - 2 * (int)(at & 3);

	db->packed[at >> 2] = (uint8_t)((db->packed[at >> 2] & ~(3 << shift)) | base << shift);
}

static uint8_t *reverse_complement(const uint8_t *bases, int length)
{
	uint8_t *other = workload_alloc((size_t)length);

	for (int i = 0; i < length; i++)
		other[i] = (uint8_t)(3 - bases[length - 1 - i]);
	return other;
}

static struct database *database_create(struct workload *w, uint32_t base_count)
{
	struct database *db = workload_alloc(sizeof(*db));
	uint32_t at = 0;

	db->base_count = base_count & ~UINT32_C(31);
	db->packed = workload_alloc(db->base_count / 4 + 8);
	db->sequences = workload_alloc(sizeof(*db->sequences) * (db->base_count / 1024 + 2));
	for (uint32_t i = 0; i < db->base_count / 4; i += 8) {
		uint64_t bases = workload_random(w);

		/* Some stretches are poor in the two middle bases. */
		if (i >> 10 & 1)
			bases |= (bases >> 1 & bases << 1) & UINT64_C(0x1111111111111111);
		memcpy(db->packed + i, &bases, 8);
	}
	while (at < db->base_count) {
		uint32_t length = 1024 + (workload_below(w, 6000) & ~UINT32_C(3));

		if (length > db->base_count - at || db->base_count - at - length < 1024)
			length = db->base_count - at;
		db->sequences[db->sequence_count++] = (struct sequence){at, length};
		at += length;
	}
	return db;
}

static void database_destroy(struct database *db)
{
	free(db->packed);
	free(db->sequences);
	free(db);
}

/* Copies damaged query bases to the sequence, from the core outwards. */
static void plant_arm(struct workload *w, struct database *db, uint32_t at, int step,
		      const uint8_t *bases, int count)
{
	for (int i = 0; i < count; i++) {
		uint32_t draw = workload_below(w, 100);

		if (draw == 0)
			continue; /* the base is lost */
		if (draw == 1) {
			base_put(db, at, (int)workload_below(w, 4)); /* one comes in */
			at += (uint32_t)step;
		}
		base_put(db, at, draw < 8 ? (int)workload_below(w, 4) : bases[step * i]);
		at += (uint32_t)step;
	}
}

static struct plant plant_make(struct workload *w, struct database *db, uint8_t *const strands[2],
			       int query_length, uint32_t sequence)
{
	const struct sequence *s = &db->sequences[sequence];
	struct plant p = {.sequence = sequence, .strand = (int)workload_below(w, 2)};
	int arm = 20 + (int)workload_below(w, (uint32_t)query_length / 12);
	int from = arm + (int)workload_below(w, (uint32_t)(query_length - CORE - 2 * arm));
	const uint8_t *bases = strands[p.strand] + from;

	p.core = 300 + workload_below(w, s->length - 600 - CORE);
	for (int i = 0; i < CORE; i++)
		base_put(db, s->first + p.core + (uint32_t)i, bases[i]);
	plant_arm(w, db, s->first + p.core + CORE, 1, bases + CORE, arm);
	plant_arm(w, db, s->first + p.core - 1, -1, bases - 1, arm);
	return p;
}

static struct query *query_create(const uint8_t *bases, int length)
{
	struct query *q = workload_alloc(sizeof(*q));
	uint32_t word = 0;

	q->length = length;
	q->bases = workload_alloc((size_t)length);
	q->next = workload_alloc(sizeof(*q->next) * (size_t)length);
	memcpy(q->bases, bases, (size_t)length);
	for (int i = 0; i < length; i++) {
		int place = i - WORD + 1;

		word = (word << 2 | bases[i]) & (WORDS - 1);
		if (place < 0)
			continue;
		q->next[place] = q->head[word];
		q->head[word] = (uint16_t)(place + 1);
		q->present[word >> 6] |= UINT64_C(1) << (word & 63);
	}
	return q;
}

static void query_destroy(struct query *q)
{
	free(q->bases);
	free(q->next);
	free(q);
}

enum { FROM_EQUAL, FROM_LEFT, FROM_ABOVE, FROM_MASK = 3, LEFT_GOES_ON = 4, ABOVE_GOES_ON = 8 };

static int max(int a, int b)
{
	return a > b ? a : b;
}

/*
 * Fills the band row by row, a row per query base; cells that fall too far
 * below the best so far die, and with them what only they could reach. Returns
 * the best score and its cell.
 */
static int band_fill(struct band *b, const uint8_t *q, int query_length, const uint8_t *s,
		     int length, int step, int *best_row, int *best_column)
{
	int top = 0, first = 0, last = 0, used = 0;

	*best_row = *best_column = 0;
	b->row_start[0] = b->row_first[0] = 0;
	for (int j = 0; j <= length; j++) {
		b->best[j] = j ? -GAP_OPEN - GAP_EXTEND * j : 0;
		b->down[j] = NEVER;
		if (b->best[j] < -DROP_GAPPED)
			break;
		b->choices[used++] = FROM_LEFT | (j > 1 ? LEFT_GOES_ON : 0);
		last = j;
	}
	b->best[last + 1] = b->down[last + 1] = NEVER;
	for (int i = 1; i <= query_length && first <= last; i++) {
		int base = q[step * (i - 1)], left = NEVER, row_last = -1, row_first = -1;
		int diagonal = first > 0 ? b->best[first - 1] : NEVER;
		int before = NEVER; /* best of the cell to the left in this row */

		if (used + REACH + 2 > (REACH + 2) * (REACH + 1))
			break;
		b->row_start[i] = used;
		b->row_first[i] = first;
		if (first > 0)
			b->best[first - 1] = NEVER;
		for (int j = first; j <= length; j++) {
			int above = j <= last ? b->best[j] : NEVER;
			int going_down = j <= last ? b->down[j] : NEVER;
			int equal = NEVER, value;
			uint8_t choice = FROM_EQUAL;

			if (j > 0 && diagonal > NEVER)
				equal = diagonal + (s[step * (j - 1)] == base ? MATCH : MISMATCH);
			if (going_down - GAP_EXTEND >= above - GAP_OPEN - GAP_EXTEND) {
				going_down -= GAP_EXTEND;
				choice |= ABOVE_GOES_ON;
			} else {
				going_down = above - GAP_OPEN - GAP_EXTEND;
			}
			if (left - GAP_EXTEND >= before - GAP_OPEN - GAP_EXTEND) {
				left -= GAP_EXTEND;
				choice |= LEFT_GOES_ON;
			} else {
				left = before - GAP_OPEN - GAP_EXTEND;
			}
			value = equal;
			if (left > value) {
				value = left;
				choice = (uint8_t)((choice & ~FROM_MASK) | FROM_LEFT);
			}
			if (going_down > value) {
				value = going_down;
				choice = (uint8_t)((choice & ~FROM_MASK) | FROM_ABOVE);
			}
			diagonal = above;
			if (value < top - DROP_GAPPED) {
				value = going_down = NEVER;
			} else {
				if (row_first < 0)
					row_first = j;
				row_last = j;
				if (value > top) {
					top = value;
					*best_row = i;
					*best_column = j;
				}
			}
			b->choices[used++] = choice;
			b->best[j] = before = value;
			b->down[j] = going_down;
			if (j > last && value == NEVER)
				break;
		}
		if (row_first < 0)
			break;
		first = row_first;
		last = row_last;
		b->best[last + 1] = b->down[last + 1] = NEVER;
	}
	return top;
}

/* One half of an alignment, away from the seed; the score is that of the path walked. */
static struct half extend_gapped(struct band *b, const uint8_t *q, int query_length,
				 const uint8_t *s, int length, int step, int *claimed)
{
	struct half h = {0};
	int i, j, state = FROM_EQUAL;

	query_length = query_length < REACH ? query_length : REACH;
	length = length < REACH ? length : REACH;
	*claimed = band_fill(b, q, query_length, s, length, step, &i, &j);
	h.query_length = i;
	h.length = j;
	while (i > 0 || j > 0) {
		int choice = b->choices[b->row_start[i] + j - b->row_first[i]];

		if (state == FROM_EQUAL)
			state = choice & FROM_MASK;
		if (state == FROM_EQUAL) {
			int same = q[step * (i - 1)] == s[step * (j - 1)];

			h.score += same ? MATCH : MISMATCH;
			h.equal += same;
			i--;
			j--;
			continue;
		}
		h.score -= GAP_EXTEND;
		if (!(choice & (state == FROM_LEFT ? LEFT_GOES_ON : ABOVE_GOES_ON))) {
			h.score -= GAP_OPEN;
			h.gaps++;
			i -= state == FROM_ABOVE;
			j -= state == FROM_LEFT;
			state = FROM_EQUAL;
			continue;
		}
		i -= state == FROM_ABOVE;
		j -= state == FROM_LEFT;
	}
	return h;
}

static const uint8_t *sequence_unpacked(struct search *h, uint32_t number)
{
	const struct sequence *s = &h->db->sequences[number];

	if (h->unpacked_sequence == number + 1)
		return h->unpacked;
	for (uint32_t i = 0; i < s->length; i += 4) {
		uint8_t four = h->db->packed[(s->first + i) >> 2];

		h->unpacked[i] = four >> 6;
		h->unpacked[i + 1] = four >> 4 & 3;
		h->unpacked[i + 2] = four >> 2 & 3;
		h->unpacked[i + 3] = four & 3;
	}
	h->unpacked_sequence = number + 1;
	return h->unpacked;
}

/* K m n e^(-lambda S), with e^-x by squaring so that every machine agrees. */
static double expectation(int score, double space)
{
	double x = 0.62 * score, y = -x / 1024, power;

	power = 1 + y * (1 + y * (0.5 + y / 6));
	for (int i = 0; i < 10; i++)
		power *= power;
	return 0.41 * space * power;
}

static int already_found(const struct search *h, uint32_t sequence, int query_at, int at)
{
	for (const struct alignment *a = h->found; a && a->sequence == sequence; a = a->next)
		if (a->strand == h->strand && query_at >= a->query_from && query_at < a->query_to &&
		    at >= a->from && at < a->to)
			return 1;
	return 0;
}

static void align(struct workload *w, struct search *h, uint32_t sequence, int query_at, int at)
{
	const struct sequence *s = &h->db->sequences[sequence];
	const struct query *q = h->query;
	const uint8_t *bases = sequence_unpacked(h, sequence);
	int claimed_right, claimed_left;
	struct half right = extend_gapped(&h->band, q->bases + query_at, q->length - query_at,
					  bases + at, (int)s->length - at, 1, &claimed_right);
	struct half left = extend_gapped(&h->band, q->bases + query_at - 1, query_at,
					 bases + at - 1, at, -1, &claimed_left);
	struct alignment *a;

	h->gapped++;
	workload_check(w, right.score == claimed_right && left.score == claimed_left,
		       "an alignment has the score it claims");
	if (right.score + left.score < GAPPED_ENOUGH)
		return;
	a = workload_alloc(sizeof(*a));
	*a = (struct alignment){
		.sequence = sequence,
		.strand = h->strand,
		.query_from = query_at - left.query_length,
		.query_to = query_at + right.query_length,
		.from = at - left.length,
		.to = at + right.length,
		.score = left.score + right.score,
		.gaps = left.gaps + right.gaps,
		.equal = left.equal + right.equal,
		.next = h->found,
	};
	a->expectation = expectation(a->score, (double)q->length * h->db->base_count);
	h->found = a;
}

/* From a hit outwards without gaps; the end is where the best score was. */
static int extend_ungapped(const struct search *h, const struct sequence *s, int query_at, int at,
			   int *end)
{
	const struct query *q = h->query;
	int score = 0, best = 0, total;

	*end = at;
	for (int i = query_at, j = at; i < q->length && j < (int)s->length; i++, j++) {
		score += q->bases[i] == base_at(h->db, s->first + (uint32_t)j) ? MATCH : MISMATCH;
		if (score > best) {
			best = score;
			*end = j + 1;
		} else if (score < best - DROP_UNGAPPED) {
			break;
		}
	}
	total = best;
	score = best = 0;
	for (int i = query_at - 1, j = at - 1; i >= 0 && j >= 0; i--, j--) {
		score += q->bases[i] == base_at(h->db, s->first + (uint32_t)j) ? MATCH : MISMATCH;
		best = max(best, score);
		if (score < best - DROP_UNGAPPED)
			break;
	}
	return total + best;
}

/* A word of the query is at this place of the sequence: is there more to it? */
static void hit(struct workload *w, struct search *h, uint32_t sequence, int query_at, int at)
{
	const struct sequence *s = &h->db->sequences[sequence];
	const struct query *q = h->query;
	uint32_t *explored = &h->diagonals[(uint32_t)(at - query_at) & h->diagonal_mask];
	int left = 0, right = WORD, end;

	if (*explored > h->epoch + (uint32_t)at)
		return;
	while (left < 3 && query_at > left && at > left &&
	       q->bases[query_at - left - 1] ==
		       base_at(h->db, s->first + (uint32_t)(at - left - 1)))
		left++;
	while (left + right < SEED && query_at + right < q->length && at + right < (int)s->length &&
	       q->bases[query_at + right] == base_at(h->db, s->first + (uint32_t)(at + right)))
		right++;
	if (left + right < SEED)
		return;
	h->seeds++;
	if (already_found(h, sequence, query_at, at))
		return;
	h->ungapped++;
	if (extend_ungapped(h, s, query_at, at, &end) >= UNGAPPED_ENOUGH)
		align(w, h, sequence, query_at + WORD / 2, at + WORD / 2);
	*explored = h->epoch + (uint32_t)end;
}

static void scan_sequence(struct workload *w, struct search *h, uint32_t number)
{
	const struct sequence *s = &h->db->sequences[number];
	const struct query *q = h->query;
	const uint8_t *bytes = h->db->packed + s->first / 4;
	uint32_t word = bytes[0];

	for (uint32_t i = 1; i < s->length / 4; i++) {
		word = (word << 8 | bytes[i]) & (WORDS - 1);
		if (!(q->present[word >> 6] >> (word & 63) & 1))
			continue;
		for (int place = q->head[word]; place; place = q->next[place - 1]) {
			h->words_hit++;
			hit(w, h, number, place - 1, (int)(4 * i) - 4);
		}
	}
}

/* Searches one strand of the query and adds to what was found. */
static void search_strand(struct workload *w, struct search *h, const uint8_t *bases, int length,
			  int strand)
{
	h->query = query_create(bases, length);
	h->strand = strand;
	for (uint32_t i = 0; i < h->db->sequence_count; i++) {
		scan_sequence(w, h, i);
		/* Later sequences find every diagonal unexplored. */
		h->epoch += h->db->sequences[i].length + (uint32_t)length;
	}
	query_destroy(h->query);
}

static int alignment_order(const void *a, const void *b)
{
	const struct alignment *s = *(struct alignment *const *)a;
	const struct alignment *t = *(struct alignment *const *)b;

	if (s->score != t->score)
		return s->score > t->score ? -1 : 1;
	if (s->sequence != t->sequence)
		return s->sequence < t->sequence ? -1 : 1;
	if (s->strand != t->strand)
		return s->strand - t->strand;
	return s->from != t->from ? s->from - t->from : s->query_from - t->query_from;
}

/* All alignments, best first. */
static struct alignment **ranked(const struct search *h, size_t *count)
{
	struct alignment **list;

	*count = 0;
	for (struct alignment *a = h->found; a; a = a->next)
		++*count;
	list = workload_alloc(sizeof(struct alignment *) * (*count + 1));
	*count = 0;
	for (struct alignment *a = h->found; a; a = a->next)
		list[(*count)++] = a;
	qsort(list, *count, sizeof(struct alignment *), alignment_order);
	return list;
}

/* Best local score of two stretches, by the plain recurrences in full. */
static int smith_waterman(const uint8_t *q, int query_length, const struct database *db,
			  uint32_t first, int length)
{
	int *best = workload_alloc(sizeof(*best) * (size_t)(length + 1));
	int *down = workload_alloc(sizeof(*down) * (size_t)(length + 1));
	int top = 0;

	for (int i = 0; i < query_length; i++) {
		int diagonal = 0, left = NEVER;

		for (int j = 1; j <= length; j++) {
			int same = q[i] == base_at(db, first + (uint32_t)j - 1);
			int value = diagonal + (same ? MATCH : MISMATCH);

			down[j] = max(i ? down[j] : NEVER, best[j] - GAP_OPEN) - GAP_EXTEND;
			left = max(left, best[j - 1] - GAP_OPEN) - GAP_EXTEND;
			value = max(max(value, 0), max(down[j], left));
			diagonal = best[j];
			best[j] = value;
			top = max(top, value);
		}
	}
	free(best);
	free(down);
	return top;
}

static int plant_found(const struct plant *p, struct alignment *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i]->sequence == p->sequence && list[i]->strand == p->strand &&
		    list[i]->from <= (int)p->core && list[i]->to >= (int)p->core + CORE)
			return 1;
	return 0;
}

static void check_results(struct workload *w, const struct search *h, uint8_t *const strands[2],
			  const struct plant *plants, size_t plant_count, size_t samples)
{
	size_t count;
	struct alignment **list = ranked(h, &count);

	for (size_t i = 0; i < plant_count; i++)
		workload_check(w, plant_found(&plants[i], list, count), "every plant is found");
	for (size_t i = 0; i < samples && count > 0; i++) {
		const struct alignment *a = list[count - 1 - i * count / samples];
		int full = smith_waterman(
			strands[a->strand] + a->query_from, a->query_to - a->query_from, h->db,
			h->db->sequences[a->sequence].first + (uint32_t)a->from, a->to - a->from);

		workload_check(w, full >= a->score, "no alignment beats the full recurrences");
	}
	for (size_t i = 0; i < count; i++) {
		const struct alignment *a = list[i];

		workload_digest(w, (uint64_t)a->sequence << 32 | (uint32_t)a->score);
		workload_digest(w, (uint64_t)a->from << 32 | (uint32_t)a->query_from);
		workload_digest(w, (uint64_t)a->gaps << 32 | (uint32_t)a->equal);
		workload_digest_double(w, a->expectation);
	}
	free(list);
}

int main(int argc, char **argv)
{
	static const uint32_t sizes[] = {30000, 1300000, 20000000};
	static const int query_lengths[] = {240, 1200, 1200};
	static const size_t samples[] = {1, 3, 20};
	struct workload w = workload_begin("seqsearch", argc, argv);
	struct database *db = database_create(&w, sizes[w.size]);
	int length = query_lengths[w.size];
	size_t plant_count = 1 + db->sequence_count / 6;
	struct plant *plants = workload_alloc(sizeof(*plants) * plant_count);
	struct search *h = workload_alloc(sizeof(*h));
	uint8_t *strands[2];

	strands[0] = workload_alloc((size_t)length);
	for (int i = 0; i < length; i++)
		strands[0][i] = (uint8_t)workload_below(&w, 4);
	strands[1] = reverse_complement(strands[0], length);
	for (size_t i = 0; i < plant_count; i++)
		plants[i] = plant_make(&w, db, strands, length,
				       (uint32_t)(i * db->sequence_count / plant_count));

	h->db = db;
	for (h->diagonal_mask = 1; h->diagonal_mask < (uint32_t)length + 8192;)
		h->diagonal_mask *= 2;
	h->diagonals = workload_alloc(sizeof(*h->diagonals) * h->diagonal_mask--);
	h->unpacked = workload_alloc(16384);
	h->band.choices = workload_alloc((size_t)(REACH + 2) * (REACH + 2));
	for (int strand = 0; strand < 2; strand++)
		search_strand(&w, h, strands[strand], length, strand);
	check_results(&w, h, strands, plants, plant_count, samples[w.size]);
	workload_digest(&w, h->words_hit);
	workload_digest(&w, h->seeds);
	workload_digest(&w, h->ungapped);
	workload_digest(&w, h->gapped);

	for (struct alignment *a = h->found, *next; a; a = next) {
		next = a->next;
		free(a);
	}
	free(h->band.choices);
	free(h->unpacked);
	free(h->diagonals);
	free(h);
	free(plants);
	free(strands[0]);
	free(strands[1]);
	database_destroy(db);
	return workload_end(&w);
}
