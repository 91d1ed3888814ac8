/*
 * quadtree - stands for Olden perimeter: the length of the outline of the
 * regions in a black and white image stored as a quadtree.
 *
 * As in perimeter the tree is built recursively, testing squares against
 * round shapes; every node points to its four quadrants and to its parent and
 * knows which quadrant it is; for each black leaf the neighbours on all four
 * sides are found by climbing parent pointers to a common ancestor and
 * descending again mirrored, and a larger or smaller neighbour is then
 * examined along the shared side. Nodes are malloc'd one by one in an order
 * unrelated to the tree, as after a long life of the heap, so that each step
 * up or down is a dependent load somewhere in a megabyte or more.
 *
 * A fixed map and one that is drawn anew each round are overlaid (a new tree:
 * what both cover) and the outlines of all three measured. The drawn map is
 * surveyed along every row and column, in scattered order, from the root down
 * to the leaves on the line. Then it is edited: leaves picked at random change
 * their colour, and the length of the outline is kept up to date from each
 * leaf's neighbours alone. Nodes go back to the heap for the next round.
 *
 * Checked: the perimeter equals the colour changes met by the survey, sampled
 * lines equal the shapes themselves pixel by pixel, the outline kept through
 * all edits equals the one measured afterwards, areas obey inclusion and
 * exclusion, and parents and children agree.
 */
#include "workload.h"

enum quadrant { NORTH_WEST, NORTH_EAST, SOUTH_WEST, SOUTH_EAST };
enum side { NORTH, EAST, SOUTH, WEST };
enum colour { WHITE, BLACK, GREY };

struct node {
	struct node *child[4]; /* all NULL in a leaf */
	struct node *parent;
	unsigned char colour;
	unsigned char quadrant; /* which child of its parent this is */
};

#define MAX_DISCS     16
#define SAMPLED_LINES 8
#define MAX_DEPTH     16 /* log2 of the largest image, and to spare */

struct disc {
	int x, y, radius;
};

struct map {
	int size; /* side of the image, a power of two */
	int discs;
	struct disc disc[MAX_DISCS];
	struct node *root;
};

/* Nodes not in use: allocated ahead, handed out in shuffled order, taken back. */
struct heap {
	struct node **free;
	int count, capacity;
};

struct plan {
	int size, discs, nodes, edits, rounds;
};

static const struct plan plans[] = {
	[SIZE_TEST] = {64, 7, 1000, 300, 1},
	[SIZE_SMALL] = {1024, 9, 24000, 36000, 1},
	[SIZE_REF] = {4096, 11, 110000, 220000, 3},
};

static const enum quadrant mirror_across[4][4] = {
	[NORTH] = {SOUTH_WEST, SOUTH_EAST, NORTH_WEST, NORTH_EAST},
	[EAST] = {NORTH_EAST, NORTH_WEST, SOUTH_EAST, SOUTH_WEST},
	[SOUTH] = {SOUTH_WEST, SOUTH_EAST, NORTH_WEST, NORTH_EAST},
	[WEST] = {NORTH_EAST, NORTH_WEST, SOUTH_EAST, SOUTH_WEST},
};

/* Does a quadrant touch its parent's side? */
static const unsigned char touches[4][4] = {
	[NORTH] = {1, 1, 0, 0},
	[EAST] = {0, 1, 0, 1},
	[SOUTH] = {0, 0, 1, 1},
	[WEST] = {1, 0, 1, 0},
};

/* The two quadrants along a side. */
static const enum quadrant along[4][2] = {
	[NORTH] = {NORTH_WEST, NORTH_EAST},
	[EAST] = {NORTH_EAST, SOUTH_EAST},
	[SOUTH] = {SOUTH_WEST, SOUTH_EAST},
	[WEST] = {NORTH_WEST, SOUTH_WEST},
};

static enum side opposite(enum side s)
{
	return (enum side)(s ^ 2);
}

static void heap_init(struct heap *h, struct workload *w, int nodes)
{
	h->free = workload_alloc((size_t)nodes * sizeof(*h->free));
	h->count = h->capacity = nodes;
	for (int i = 0; i < nodes; i++)
		h->free[i] = workload_alloc(sizeof(**h->free));
	for (int i = nodes - 1; i > 0; i--) {
		int j = (int)workload_below(w, (uint32_t)i + 1);
		struct node *swap = h->free[i];

		h->free[i] = h->free[j];
		h->free[j] = swap;
	}
}

static struct node *heap_take(struct heap *h, struct node *parent, int quadrant, int colour)
{
	struct node *n = h->count ? h->free[--h->count] : workload_alloc(sizeof(*n));

	n->parent = parent;
	n->quadrant = (unsigned char)quadrant;
	n->colour = (unsigned char)colour;
	return n;
}

/* Takes back a whole tree. */
static void heap_give(struct heap *h, struct node *n)
{
	if (n->child[0])
		for (int q = 0; q < 4; q++) {
			heap_give(h, n->child[q]);
			n->child[q] = NULL;
		}
	if (h->count < h->capacity)
		h->free[h->count++] = n;
	else
		free(n);
}

static int64_t square(int64_t x)
{
	return x * x;
}

/*
 * A square of pixels against one disc: BLACK if covered, WHITE if missed,
 * GREY if partly covered or not sure. Pixels count by their centres, so
 * coordinates are doubled.
 */
static enum colour disc_classify(const struct disc *d, int x, int y, int size)
{
	int64_t left = 2 * (x - d->x) + 1, right = left + 2 * (size - 1);
	int64_t top = 2 * (y - d->y) + 1, bottom = top + 2 * (size - 1);
	int64_t reach = 4 * square(d->radius);
	int64_t near_x = left > 0 ? left : right < 0 ? right : 0;
	int64_t near_y = top > 0 ? top : bottom < 0 ? bottom : 0;
	int64_t far_x = -left > right ? left : right;
	int64_t far_y = -top > bottom ? top : bottom;

	if (square(near_x) + square(near_y) > reach)
		return WHITE;
	return square(far_x) + square(far_y) <= reach ? BLACK : GREY;
}

static int is_leaf(const struct node *n)
{
	return n->colour != GREY;
}

/* A grey node whose quadrants came out as leaves of one colour becomes that leaf. */
static void node_merge(struct heap *h, struct node *n)
{
	int colour = n->child[0]->colour;

	if (colour == GREY)
		return;
	for (int q = 1; q < 4; q++)
		if (n->child[q]->colour != colour)
			return;
	for (int q = 0; q < 4; q++) {
		heap_give(h, n->child[q]);
		n->child[q] = NULL;
	}
	n->colour = (unsigned char)colour;
}

/* Only the discs whose rim crosses a square matter to its quadrants. */
static struct node *build(struct heap *h, const struct disc *const *discs, int count,
			  struct node *parent, int quadrant, int x, int y, int size)
{
	const struct disc *crossing[MAX_DISCS];
	int half = size / 2, crossings = 0;
	struct node *n;

	for (int i = 0; i < count; i++) {
		enum colour c = disc_classify(discs[i], x, y, size);

		if (c == BLACK)
			return heap_take(h, parent, quadrant, BLACK);
		if (c == GREY)
			crossing[crossings++] = discs[i];
	}
	if (!crossings)
		return heap_take(h, parent, quadrant, WHITE);
	n = heap_take(h, parent, quadrant, GREY);
	for (int q = 0; q < 4; q++)
		n->child[q] = build(h, crossing, crossings, n, q, x + (q & 1) * half,
				    y + (q >> 1) * half, half);
	node_merge(h, n);
	return n;
}

static void map_init(struct map *m, struct workload *w, struct heap *h, int size, int discs)
{
	const struct disc *all[MAX_DISCS];

	m->size = size;
	m->discs = discs;
	for (int i = 0; i < discs; i++) {
		m->disc[i].x = (int)workload_below(w, (uint32_t)size);
		m->disc[i].y = (int)workload_below(w, (uint32_t)size);
		m->disc[i].radius = size / 16 + (int)workload_below(w, (uint32_t)size / 8);
		all[i] = &m->disc[i];
	}
	m->root = build(h, all, discs, NULL, 0, 0, 0, size);
}

static struct node *copy(struct heap *h, const struct node *n, struct node *parent, int quadrant)
{
	struct node *c = heap_take(h, parent, quadrant, n->colour);

	if (!is_leaf(n))
		for (int q = 0; q < 4; q++)
			c->child[q] = copy(h, n->child[q], c, q);
	return c;
}

/* What both trees cover. */
static struct node *overlay(struct heap *h, const struct node *a, const struct node *b,
			    struct node *parent, int quadrant)
{
	struct node *n;

	if (a->colour == WHITE || b->colour == WHITE)
		return heap_take(h, parent, quadrant, WHITE);
	if (a->colour == BLACK)
		return copy(h, b, parent, quadrant);
	if (b->colour == BLACK)
		return copy(h, a, parent, quadrant);
	n = heap_take(h, parent, quadrant, GREY);
	for (int q = 0; q < 4; q++)
		n->child[q] = overlay(h, a->child[q], b->child[q], n, q);
	node_merge(h, n);
	return n;
}

/* The node of at least this one's size beyond one of its sides; NULL outside the image. */
static const struct node *neighbour(const struct node *n, enum side side)
{
	unsigned char climbed[MAX_DEPTH];
	int depth = 0;

	for (; n->parent && touches[side][n->quadrant]; n = n->parent)
		climbed[depth++] = n->quadrant;
	if (!n->parent)
		return NULL;
	/* The common ancestor is found; go down on the other side of the border. */
	n = n->parent->child[mirror_across[side][n->quadrant]];
	while (depth > 0 && !is_leaf(n))
		n = n->child[mirror_across[side][climbed[--depth]]];
	return n;
}

/* Length of white along one side of a grey square. */
static int white_within(const struct node *n, enum side side, int size)
{
	int white = 0;

	size /= 2;
	for (int i = 0; i < 2; i++) {
		const struct node *part = n->child[along[side][i]];

		if (part->colour == GREY)
			white += white_within(part, side, size);
		else if (part->colour == WHITE)
			white += size;
	}
	return white;
}

/* Length of white that a node of this size faces beyond one of its sides. */
static int white_beyond(const struct node *n, enum side side, int size)
{
	const struct node *other = neighbour(n, side);

	/* The world outside the image is white. */
	if (!other || other->colour == WHITE)
		return size;
	return other->colour == BLACK ? 0 : white_within(other, opposite(side), size);
}

static int white_around(const struct node *n, int size)
{
	return white_beyond(n, NORTH, size) + white_beyond(n, EAST, size) +
	       white_beyond(n, SOUTH, size) + white_beyond(n, WEST, size);
}

static long perimeter(const struct node *n, int size)
{
	long total = 0;

	if (!is_leaf(n)) {
		for (int q = 0; q < 4; q++)
			total += perimeter(n->child[q], size / 2);
		return total;
	}
	return n->colour == BLACK ? white_around(n, size) : 0;
}

/* A leaf with the side of its square, which the tree itself does not store. */
struct leaf {
	struct node *node;
	int size;
};

static int collect_leaves(struct node *n, int size, struct leaf *table, int count)
{
	if (is_leaf(n)) {
		if (table)
			table[count] = (struct leaf){n, size};
		return count + 1;
	}
	for (int q = 0; q < 4; q++)
		count = collect_leaves(n->child[q], size / 2, table, count);
	return count;
}

/* Changes a leaf's colour; returns by how much the outline grows. */
static long flip(struct leaf leaf)
{
	long white = white_around(leaf.node, leaf.size), all = 4 * (long)leaf.size;

	leaf.node->colour ^= WHITE ^ BLACK;
	return leaf.node->colour == BLACK ? 2 * white - all : all - 2 * white;
}

static long edit(struct workload *w, struct map *m, int edits)
{
	int count = collect_leaves(m->root, m->size, NULL, 0);
	struct leaf *table = workload_alloc((size_t)count * sizeof(*table));
	long growth = 0;

	collect_leaves(m->root, m->size, table, 0);
	for (int i = 0; i < edits; i++)
		growth += flip(table[workload_below(w, (uint32_t)count)]);
	free(table);
	return growth;
}

static int64_t black_area(const struct node *n, int64_t size)
{
	int64_t area = 0;

	if (is_leaf(n))
		return n->colour == BLACK ? size * size : 0;
	for (int q = 0; q < 4; q++)
		area += black_area(n->child[q], size / 2);
	return area;
}

/* Area of the union, walked on both trees at once and without making one. */
static int64_t union_area(const struct node *a, const struct node *b, int64_t size)
{
	int64_t area = 0;

	if (a->colour == BLACK || b->colour == BLACK)
		return size * size;
	if (is_leaf(a))
		return black_area(b, size);
	if (is_leaf(b))
		return black_area(a, size);
	for (int q = 0; q < 4; q++)
		area += union_area(a->child[q], b->child[q], size / 2);
	return area;
}

/* What a walk along a row or column meets; the outside is white. */
struct survey {
	int last; /* colour before the present square */
	long changes;
	int64_t black; /* pixels */
};

/* Walks the part of a line that crosses one square; `line` counts from the square's edge. */
static void survey_square(struct survey *s, const struct node *n, int size, int line, int vertical)
{
	int half = size / 2, far = line >= half;
	int first = vertical ? far : 2 * far;

	if (is_leaf(n)) {
		s->changes += n->colour != s->last;
		s->black += n->colour == BLACK ? size : 0;
		s->last = n->colour;
		return;
	}
	line -= far * half;
	survey_square(s, n->child[first], half, line, vertical);
	survey_square(s, n->child[first + (vertical ? 2 : 1)], half, line, vertical);
}

static void survey_line(struct survey *s, const struct map *m, int line, int vertical)
{
	s->last = WHITE;
	survey_square(s, m->root, m->size, line, vertical);
	s->changes += s->last == BLACK;
}

static int pixel_black(const struct map *m, int x, int y)
{
	for (int i = 0; i < m->discs; i++)
		if (square(2 * (x - m->disc[i].x) + 1) + square(2 * (y - m->disc[i].y) + 1) <=
		    4 * square(m->disc[i].radius))
			return 1;
	return 0;
}

/* The same from the discs themselves, pixel by pixel. */
static void survey_pixels(struct survey *s, const struct map *m, int line, int vertical)
{
	s->last = WHITE;
	for (int at = 0; at < m->size; at++) {
		int black = vertical ? pixel_black(m, line, at) : pixel_black(m, at, line);

		s->changes += black != s->last;
		s->black += black;
		s->last = black;
	}
	s->changes += s->last == BLACK;
}

/* Every row and column once; the odd factor scatters them over the map. */
static struct survey survey_all(const struct map *m)
{
	struct survey s = {0};

	for (int i = 0; i < m->size; i++) {
		int line = i * 389 & (m->size - 1);

		survey_line(&s, m, line, 0);
		survey_line(&s, m, line, 1);
	}
	return s;
}

static void check_survey(struct workload *w, const struct map *m, long outline)
{
	struct survey whole = survey_all(m);

	workload_check(w, whole.changes == outline,
		       "perimeter equals the colour changes met on all lines");
	workload_check(w, whole.black == 2 * black_area(m->root, m->size),
		       "area equals the black met on all lines");
	for (int i = 0; i < SAMPLED_LINES; i++) {
		int line = (int)workload_below(w, (uint32_t)m->size);
		struct survey tree = {0}, pixels = {0};

		survey_line(&tree, m, line, i & 1);
		survey_pixels(&pixels, m, line, i & 1);
		workload_check(w, tree.changes == pixels.changes && tree.black == pixels.black,
			       "a surveyed line equals the shapes, pixel by pixel");
	}
}

static int well_formed(const struct node *n)
{
	if (is_leaf(n))
		return !n->child[0] && !n->child[1] && !n->child[2] && !n->child[3];
	for (int q = 0; q < 4; q++) {
		const struct node *c = n->child[q];

		if (c->parent != n || c->quadrant != q || !well_formed(c))
			return 0;
	}
	return 1;
}

static void check_maps(struct workload *w, const struct map *a, const struct map *b,
		       const struct map *both)
{
	int64_t area_a = black_area(a->root, a->size), area_b = black_area(b->root, b->size);
	int64_t area_both = black_area(both->root, both->size);

	workload_check(w, well_formed(a->root) && well_formed(b->root) && well_formed(both->root),
		       "parents and children agree");
	workload_check(w, union_area(a->root, b->root, a->size) == area_a + area_b - area_both,
		       "areas obey inclusion and exclusion");
	workload_digest(w, (uint64_t)area_a);
	workload_digest(w, (uint64_t)area_b);
	workload_digest(w, (uint64_t)area_both);
}

static void round_run(struct workload *w, struct heap *h, const struct map *fixed,
		      const struct plan *plan)
{
	struct map drawn, both = {.size = plan->size};
	long outline[3];

	map_init(&drawn, w, h, plan->size, plan->discs);
	both.root = overlay(h, fixed->root, drawn.root, NULL, 0);
	check_maps(w, fixed, &drawn, &both);
	outline[0] = perimeter(fixed->root, plan->size);
	outline[1] = perimeter(drawn.root, plan->size);
	outline[2] = perimeter(both.root, plan->size);
	for (int i = 0; i < 3; i++)
		workload_digest(w, (uint64_t)outline[i]);
	check_survey(w, &drawn, outline[1]);
	outline[1] += edit(w, &drawn, plan->edits);
	workload_check(w, perimeter(drawn.root, plan->size) == outline[1],
		       "outline kept through all edits equals the one measured");
	workload_digest(w, (uint64_t)outline[1]);
	heap_give(h, both.root);
	heap_give(h, drawn.root);
}

int main(int argc, char **argv)
{
	struct workload w = workload_begin("quadtree", argc, argv);
	const struct plan *plan = &plans[w.size];
	/* Static: like the original, leaves all nodes to the end of the process. */
	static struct heap heap;
	struct map fixed;

	heap_init(&heap, &w, plan->nodes);
	map_init(&fixed, &w, &heap, plan->size, plan->discs / 4 + 1);
	for (int i = 0; i < plan->rounds; i++)
		round_run(&w, &heap, &fixed, plan);
	heap_give(&heap, fixed.root);
	return workload_end(&w);
}
