/*
 * hanoi - the towers of Hanoi, solved in six ways with every move checked.
 *
 * It stands for the recursive towers benchmark that small machines are
 * measured with: deep recursion, hardly any data, and an unending stream of
 * calls and returns. A plain recursion alone would be a few instructions, so
 * here the towers are real: disks are linked into stacks, every move is made
 * on them and refused if it is not allowed, and the solvers differ in kind:
 * the recursion; the walk that moves the smallest disk every other time; the
 * bits of a counter; an agenda of goals on an explicit stack, as the recursion
 * would be compiled; from an arbitrary position to another, where both ways of
 * moving the largest disk must be weighed; and four pegs by splitting the
 * tower (Frame and Stewart 1941).
 *
 * Returns go through a deep call stack, the branches of the walk follow
 * patterns, those of the arbitrary positions do not; the data fits anywhere.
 *
 * Checked: no move puts a larger disk on a smaller one; all ways make the same
 * moves or, with four pegs, as many as the split predicts; the counts are the
 * known ones; and the number of moves between arbitrary positions is the one
 * a breadth-first search of all positions finds, where that is small enough.
 */
#include "workload.h"

enum { PEGS_MAX = 4, DISKS_MAX = 24, SEARCH_DISKS = 5, SEARCH_POSITIONS = 243 };

struct disk {
	int size;
	int peg; /* it is on */
	struct disk *below;
};

struct towers {
	const struct workload *w;
	struct disk *tops[PEGS_MAX];
	struct disk disks[DISKS_MAX]; /* smallest first */
	int disk_count;
	uint64_t moves;
	uint64_t trail; /* folds the moves, so that ways can be compared */
};

static void disk_put(struct towers *t, struct disk *d, int peg)
{
	d->peg = peg;
	d->below = t->tops[peg];
	t->tops[peg] = d;
}

/* Each disk on the peg given for it; without a list, all on peg 0. */
static struct towers *towers_create(const struct workload *w, int disk_count, const uint8_t *where)
{
	struct towers *t = workload_alloc(sizeof(*t));

	t->w = w;
	t->disk_count = disk_count;
	for (int i = disk_count; i-- > 0;) {
		t->disks[i].size = i;
		disk_put(t, &t->disks[i], where ? where[i] : 0);
	}
	return t;
}

static void towers_move(struct towers *t, int from, int to)
{
	struct disk *d = t->tops[from];

	workload_check(t->w, d != NULL, "a move takes a disk");
	workload_check(t->w, !t->tops[to] || t->tops[to]->size > d->size,
		       "no disk lies on a smaller one");
	t->tops[from] = d->below;
	disk_put(t, d, to);
	t->moves++;
	t->trail = (t->trail ^ (uint64_t)(from * 4 + to + 1)) * UINT64_C(0x100000001b3);
}

static void check_all_on(const struct towers *t, int peg)
{
	int count = 0;

	for (const struct disk *d = t->tops[peg]; d; d = d->below) {
		workload_check(t->w, d->size == count, "disks lie in order");
		count++;
	}
	workload_check(t->w, count == t->disk_count, "the whole tower has moved");
}

static void by_recursion(struct towers *t, int count, int from, int to)
{
	int spare = 3 - from - to;

	if (count == 0)
		return;
	by_recursion(t, count - 1, from, spare);
	towers_move(t, from, to);
	by_recursion(t, count - 1, spare, to);
}

static void solve_by_recursion(struct towers *t)
{
	by_recursion(t, t->disk_count, 0, 2);
}

/* The smallest disk goes round; between its moves only one other is possible. */
static void solve_by_walk(struct towers *t)
{
	int step = t->disk_count % 2 ? 2 : 1, smallest = 0;

	for (;;) {
		int next = (smallest + step) % 3, a = smallest, b = 3 - a - next;

		towers_move(t, smallest, next);
		smallest = next;
		if (!t->tops[a] && !t->tops[b])
			return;
		if (!t->tops[b] || (t->tops[a] && t->tops[a]->size < t->tops[b]->size))
			towers_move(t, a, b);
		else
			towers_move(t, b, a);
	}
}

/* The bits of the number of a move say where it goes. */
static void solve_by_counter(struct towers *t)
{
	static const int names[2][3] = {{0, 2, 1}, {0, 1, 2}};
	const int *name = names[t->disk_count % 2];

	for (uint32_t m = 1; m < UINT32_C(1) << t->disk_count; m++)
		towers_move(t, name[(m & (m - 1)) % 3], name[((m | (m - 1)) + 1) % 3]);
}

struct goal {
	int count, from, to;
	struct goal *next;
};

static void goal_push(struct goal **agenda, struct goal **unused, int count, int from, int to)
{
	struct goal *g = *unused;

	if (g)
		*unused = g->next;
	else
		g = workload_alloc(sizeof(*g));
	*g = (struct goal){count, from, to, *agenda};
	*agenda = g;
}

/* A goal for many disks is replaced by goals for fewer, until it is a move. */
static void solve_by_agenda(struct towers *t)
{
	struct goal *agenda = NULL, *unused = NULL, *g;

	goal_push(&agenda, &unused, t->disk_count, 0, 2);
	while ((g = agenda) != NULL) {
		int count = g->count, from = g->from, to = g->to, spare = 3 - from - to;

		agenda = g->next;
		g->next = unused;
		unused = g;
		if (count == 1) {
			towers_move(t, from, to);
			continue;
		}
		goal_push(&agenda, &unused, count - 1, spare, to);
		goal_push(&agenda, &unused, 1, from, to);
		goal_push(&agenda, &unused, count - 1, from, spare);
	}
	for (; unused; unused = g) {
		g = unused->next;
		free(unused);
	}
}

/* All ways make the same moves; returns the fold of them. */
static uint64_t compare_ways(const struct workload *w, int disks)
{
	static void (*const ways[])(struct towers *) = {solve_by_recursion, solve_by_walk,
							solve_by_counter, solve_by_agenda};
	uint64_t trail = 0;

	for (int i = 0; i < 4; i++) {
		struct towers *t = towers_create(w, disks, NULL);

		ways[i](t);
		check_all_on(t, 2);
		workload_check(w, t->moves == (UINT64_C(1) << disks) - 1, "2^n - 1 moves");
		workload_check(w, i == 0 || t->trail == trail, "all ways make the same moves");
		trail = t->trail;
		free(t);
	}
	return trail;
}

/* Moves needed to bring the smallest disks from where they are to one peg. */
static uint64_t gather_cost(const uint8_t *where, int count, int peg)
{
	uint64_t cost = 0;

	while (count-- > 0)
		if (where[count] != peg) {
			cost += UINT64_C(1) << count;
			peg = 3 - peg - where[count];
		}
	return cost;
}

static void gather(struct towers *t, int count, int peg)
{
	int at, spare;

	if (count == 0)
		return;
	at = t->disks[count - 1].peg;
	if (at == peg) {
		gather(t, count - 1, peg);
		return;
	}
	spare = 3 - at - peg;
	gather(t, count - 1, spare);
	towers_move(t, at, peg);
	by_recursion(t, count - 1, spare, peg);
}

/* The smallest disks are together on the peg and go each to its own. */
static void scatter(struct towers *t, int count, int peg, const uint8_t *where)
{
	for (; count > 0; count--) {
		int to = where[count - 1], spare = 3 - peg - to;

		if (to == peg)
			continue;
		by_recursion(t, count - 1, peg, spare);
		towers_move(t, peg, to);
		peg = spare;
	}
}

/* The fewest moves; the largest disk that must move does so once or, rarely, twice. */
static uint64_t rearrange(struct towers *t, const uint8_t *from, const uint8_t *to)
{
	int top = t->disk_count - 1, spare;
	uint64_t once, twice;

	while (top >= 0 && from[top] == to[top])
		top--;
	if (top < 0)
		return 0;
	spare = 3 - from[top] - to[top];
	once = gather_cost(from, top, spare) + 1 + gather_cost(to, top, spare);
	twice = gather_cost(from, top, to[top]) + (UINT64_C(1) << top) + 1 +
		gather_cost(to, top, from[top]);
	if (once <= twice) {
		gather(t, top, spare);
		towers_move(t, from[top], to[top]);
		scatter(t, top, spare, to);
		return once;
	}
	gather(t, top, to[top]);
	towers_move(t, from[top], spare);
	by_recursion(t, top, to[top], from[top]);
	towers_move(t, spare, to[top]);
	scatter(t, top, from[top], to);
	return twice;
}

/* Positions as numbers in base three. */
static int position_number(const uint8_t *where)
{
	int number = 0;

	for (int i = SEARCH_DISKS; i-- > 0;)
		number = 3 * number + where[i];
	return number;
}

/* The distance of two positions by looking at all of them, nearest first. */
static int searched_distance(const uint8_t *from, const uint8_t *to)
{
	int distance[SEARCH_POSITIONS] = {0}, queue[SEARCH_POSITIONS];
	int head = 0, tail = 0, goal = position_number(to);

	queue[tail++] = position_number(from);
	distance[queue[0]] = 1;
	while (head < tail && !distance[goal]) {
		int number = queue[head++], power = 1, taken = 0;

		/* A disk may move if no smaller one is on its peg or on the goal. */
		for (int i = 0; i < SEARCH_DISKS; i++, power *= 3) {
			int peg = number / power % 3;

			if (!(taken >> peg & 1))
				for (int p = 0; p < 3; p++) {
					int next = number + (p - peg) * power;

					if (taken >> p & 1 || distance[next])
						continue;
					distance[next] = distance[number] + 1;
					queue[tail++] = next;
				}
			taken |= 1 << peg;
		}
	}
	return distance[goal] - 1;
}

static void random_position(struct workload *w, uint8_t *where, int disks)
{
	for (int i = 0; i < disks; i++)
		where[i] = (uint8_t)workload_below(w, 3);
}

static uint64_t rearrange_at_random(struct workload *w, int disks)
{
	uint8_t from[DISKS_MAX], to[DISKS_MAX];
	struct towers *t;
	uint64_t expected, moves;

	random_position(w, from, disks);
	random_position(w, to, disks);
	t = towers_create(w, disks, from);
	expected = rearrange(t, from, to);
	workload_check(w, t->moves == expected, "as many moves as foreseen");
	for (int i = 0; i < disks; i++)
		workload_check(w, t->disks[i].peg == to[i], "every disk is where it should be");
	if (disks == SEARCH_DISKS)
		workload_check(w, t->moves == (uint64_t)searched_distance(from, to),
			       "no shorter way was overlooked");
	moves = t->moves ^ t->trail;
	free(t);
	return moves;
}

/* Fewest moves for up to so many disks, and how many to set aside for it. */
struct split {
	uint64_t moves[DISKS_MAX + 1];
	int aside[DISKS_MAX + 1];
};

static void split_make(struct split *s)
{
	s->moves[0] = 0;
	s->aside[0] = 0;
	for (int n = 1; n <= DISKS_MAX; n++) {
		s->moves[n] = UINT64_MAX;
		for (int k = 0; k < n; k++) {
			uint64_t moves = 2 * s->moves[k] + (UINT64_C(1) << (n - k)) - 1;

			if (moves < s->moves[n]) {
				s->moves[n] = moves;
				s->aside[n] = k;
			}
		}
	}
}

static void three_pegs(struct towers *t, int count, int from, int to, int spare)
{
	if (count == 0)
		return;
	three_pegs(t, count - 1, from, spare, to);
	towers_move(t, from, to);
	three_pegs(t, count - 1, spare, to, from);
}

/* The upper disks go aside with all pegs, the lower ones must do without that peg. */
static void four_pegs(struct towers *t, const struct split *s, int count, int from, int to,
		      int spare, int other)
{
	int aside = s->aside[count];

	if (count == 0)
		return;
	four_pegs(t, s, aside, from, other, to, spare);
	three_pegs(t, count - aside, from, to, spare);
	four_pegs(t, s, aside, other, to, from, spare);
}

static uint64_t solve_four_pegs(const struct workload *w, int disks)
{
	struct towers *t = towers_create(w, disks, NULL);
	struct split s;
	uint64_t trail;

	split_make(&s);
	four_pegs(t, &s, disks, 0, 3, 1, 2);
	check_all_on(t, 3);
	workload_check(w, t->moves == s.moves[disks], "four pegs need what the split foresees");
	trail = t->trail;
	free(t);
	return trail;
}

int main(int argc, char **argv)
{
	static const int disks[] = {11, 16, 20};
	static const int rearranged_disks[] = {9, 12, 15};
	static const int rearrangements[] = {8, 60, 120};
	static const int searches[] = {2, 20, 100};
	struct workload w = workload_begin("hanoi", argc, argv);

	workload_digest(&w, compare_ways(&w, disks[w.size]));
	workload_digest(&w, compare_ways(&w, disks[w.size] - 1));
	for (int i = 0; i < rearrangements[w.size]; i++)
		workload_digest(&w, rearrange_at_random(&w, rearranged_disks[w.size]));
	for (int i = 0; i < searches[w.size]; i++)
		workload_digest(&w, rearrange_at_random(&w, SEARCH_DISKS));
	for (int n = 1; n <= disks[w.size]; n++)
		workload_digest(&w, solve_four_pegs(&w, n));
	return workload_end(&w);
}
