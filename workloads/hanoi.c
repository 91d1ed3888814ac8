/*
 * hanoi - the towers of Hanoi, solved in five ways with every move checked.
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

enum { PEGS_MAX = 4, DISKS_MAX = 24, SEARCH_DISKS = 6, SEARCH_POSITIONS = 729 };

struct disk {
	int size;
	struct disk *below;
};

struct peg {
	struct disk *top;
	int height;
};

struct towers {
	const struct workload *w;
	struct peg pegs[PEGS_MAX];
	struct disk disks[DISKS_MAX];
	int peg_count, disk_count;
	uint64_t moves;
	uint64_t trail; /* folds the moves, so that ways can be compared */
};

/* --- The towers themselves --- */

static void peg_put(struct peg *p, struct disk *d)
{
	d->below = p->top;
	p->top = d;
	p->height++;
}

/* The disks stand on the pegs given, largest first; without a list, all on peg 0. */
static struct towers towers_make(const struct workload *w, int disk_count, int peg_count,
				 const uint8_t *where)
{
	struct towers t = {.w = w, .disk_count = disk_count, .peg_count = peg_count};

	for (int i = 0; i < disk_count; i++)
		t.disks[i].size = i;
	return where ? t : t;
}

/* Links point into the structure, so they are made once it lies where it stays. */
static void towers_stack(struct towers *t, const uint8_t *where)
{
	for (int i = t->disk_count; i-- > 0;)
		peg_put(&t->pegs[where ? where[i] : 0], &t->disks[i]);
}

static void towers_move(struct towers *t, int from, int to)
{
	struct disk *d = t->pegs[from].top;

	workload_check(t->w, d != NULL, "a move takes a disk");
	workload_check(t->w, !t->pegs[to].top || t->pegs[to].top->size > d->size,
		       "no disk lies on a smaller one");
	t->pegs[from].top = d->below;
	t->pegs[from].height--;
	peg_put(&t->pegs[to], d);
	t->moves++;
	t->trail = (t->trail ^ (uint64_t)(from * 4 + to + 1)) * UINT64_C(0x100000001b3);
}

