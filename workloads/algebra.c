/*
 * algebra - stands for gap (SPEC CPU2000 254.gap), computational group theory.
 *
 * Like GAP it keeps every object (permutation, list, vector, big integer) in
 * a bag that is reached through a handle and may move: storage is bumped from
 * one arena, and a generational collector marks young bags from a root stack
 * and a list of changed old ones, slides the survivors down and tells the
 * handles. On top stand a randomised Schreier-Sims algorithm with explicit
 * transversals, the product replacement of random elements, integers of
 * sixteen-bit digits, and orbits of subspaces over the field of two elements
 * kept in a hash table of handles with Schreier vectors. Every access goes
 * handle, bag, element; the orbit is some megabytes of small bags visited in
 * hashed order, the permutations are short arrays indexed by each other.
 *
 * Checked: the orders of projective groups, of M24 and of Rubik's cube's group against their
 * formulas, membership of random elements, the size of the orbit against the Gaussian binomial, and
 * traced-back words on orbit points.
 */
#include "algebra_bags.h"

enum { MAX_LEVELS = 64, MAX_DEGREE = 200 };

static uint16_t *perm_images(bag p)
{
	return bag_body(p);
}

static bag perm_new(int degree)
{
	return bag_new(KIND_PERM, (size_t)degree * sizeof(uint16_t));
}

static bag perm_product(bag p, bag q, int degree)
{
	bag result = perm_new(degree);
	const uint16_t *a = perm_images(p), *b = perm_images(q);
	uint16_t *c = perm_images(result);

	for (int i = 0; i < degree; i++)
		c[i] = b[a[i]];
	return result;
}

static bag perm_inverse(bag p, int degree)
{
	bag result = perm_new(degree);
	const uint16_t *a = perm_images(p);
	uint16_t *c = perm_images(result);

	for (int i = 0; i < degree; i++)
		c[a[i]] = (uint16_t)i;
	return result;
}

static int perm_first_moved(bag p, int degree)
{
	const uint16_t *a = perm_images(p);
	int i = 0;

	while (i < degree && a[i] == i)
		i++;
	return i;
}

/*
 * A stabiliser chain. Each level has its base point, the strong generators
 * that first move it, and per point of its orbit the inverse of an element
 * that takes the base point there.
 */
struct level {
	int point, orbit_size;
	uint16_t orbit[MAX_DEGREE];
	bag generators, back;
};

struct chain {
	int degree, n_levels;
	struct level level[MAX_LEVELS];
};

static void chain_add_level(struct chain *c, int point)
{
	struct level *l = &c->level[c->n_levels++];

	l->point = point;
	l->orbit_size = 1;
	l->orbit[0] = (uint16_t)point;
	l->generators = list_new(8);
	l->back = list_new((uint32_t)c->degree);
	list_fill(l->back, (uint32_t)c->degree);
}

/* Divides by transversal elements as long as possible; what is left sits at *stopped. */
static bag chain_sift(const struct chain *c, bag g, int *stopped)
{
	int scope = scope_begin(), k;

	for (k = 0; k < c->n_levels; k++) {
		const struct level *l = &c->level[k];
		int image = perm_images(g)[l->point];
		bag back;

		if (image == l->point)
			continue;
		back = list_get(l->back, (uint32_t)image);
		if (!back)
			break;
		g = perm_product(g, back, c->degree);
	}
	*stopped = k;
	return scope_end(scope, g);
}

static void orbit_try(struct chain *c, struct level *l, int point, bag g)
{
	int image = perm_images(g)[point], scope = scope_begin();
	bag inverse, back;

	if (image == l->point || list_get(l->back, (uint32_t)image))
		return;
	inverse = perm_inverse(g, c->degree);
	back = point == l->point
		       ? inverse
		       : perm_product(inverse, list_get(l->back, (uint32_t)point), c->degree);
	list_set(l->back, (uint32_t)image, back);
	l->orbit[l->orbit_size++] = (uint16_t)image;
	scope_end(scope, 0);
}

/* Old points need only the new generator, new points every generator from here down. */
static void level_extend(struct chain *c, int k, bag fresh)
{
	struct level *l = &c->level[k];
	int known = l->orbit_size;

	for (int i = 0; i < l->orbit_size; i++) {
		if (i < known) {
			orbit_try(c, l, l->orbit[i], fresh);
			continue;
		}
		for (int deeper = k; deeper < c->n_levels; deeper++) {
			bag generators = c->level[deeper].generators;

			for (uint32_t j = 0; j < list_size(generators); j++)
				orbit_try(c, l, l->orbit[i], list_get(generators, j));
		}
	}
}

static int chain_insert(struct chain *c, bag g)
{
	int stopped, scope;
	bag residue = chain_sift(c, g, &stopped);

	if (stopped == c->n_levels) {
		int moved = perm_first_moved(residue, c->degree);

		if (moved == c->degree)
			return 0;
		chain_add_level(c, moved);
	}
	scope = scope_begin();
	list_append(c->level[stopped].generators, residue);
	for (int k = stopped; k >= 0; k--)
		level_extend(c, k, residue);
	scope_end(scope, 0);
	return 1;
}

/* Product replacement (Celler et al., 1995). */
struct random_source {
	bag pool;
	uint32_t size;
	bag last;
};

static bag random_element(struct workload *w, struct random_source *r, int degree)
{
	int scope = scope_begin();
	uint32_t i = workload_below(w, r->size), j = workload_below(w, r->size - 1);
	bag a = list_get(r->pool, i), b, product;

	j += j >= i;
	b = list_get(r->pool, j);
	if (workload_random(w) & 1)
		b = perm_inverse(b, degree);
	product = workload_random(w) & 1 ? perm_product(a, b, degree) : perm_product(b, a, degree);
	list_set(r->pool, i, product);
	list_set(r->pool, r->size, perm_product(list_get(r->pool, r->size), product, degree));
	return scope_end(scope, list_get(r->pool, r->size));
}

static void random_source_init(struct workload *w, struct random_source *r, bag generators,
			       int degree)
{
	uint32_t n = list_size(generators);

	r->size = n > 5 ? n + 2 : 7;
	r->pool = list_new(r->size + 1);
	for (uint32_t i = 0; i <= r->size; i++)
		list_append(r->pool, list_get(generators, i % n));
	for (int i = 0; i < 30; i++) {
		int scope = scope_begin();

		random_element(w, r, degree);
		scope_end(scope, 0);
	}
}

/* Integers are little-endian lists of sixteen-bit digits. */
static bag integer_times(bag number, uint32_t factor)
{
	size_t digits = bag_header(number)->bytes - sizeof(struct bag_header);
	bag result = bag_new(KIND_INTEGER, digits + 8);
	const uint16_t *from = bag_body(number);
	uint16_t *to = bag_body(result);
	uint64_t carry = 0;

	digits /= sizeof(uint16_t);
	for (size_t i = 0; i < digits + 4; i++) {
		carry += i < digits ? (uint64_t)from[i] * factor : 0;
		to[i] = (uint16_t)carry;
		carry >>= 16;
	}
	return result;
}

static bag integer_one(void)
{
	bag one = bag_new(KIND_INTEGER, 8);

	memset(bag_body(one), 0, 8);
	*(uint16_t *)bag_body(one) = 1;
	return one;
}

static int integer_equal(bag a, bag b)
{
	const uint16_t *x = bag_body(a), *y = bag_body(b);
	size_t n = (bag_header(a)->bytes - sizeof(struct bag_header)) / sizeof(*x);
	size_t m = (bag_header(b)->bytes - sizeof(struct bag_header)) / sizeof(*y);

	for (size_t i = 0; i < n || i < m; i++)
		if ((i < n ? x[i] : 0) != (i < m ? y[i] : 0))
			return 0;
	return 1;
}

static bag integer_product_of(const uint32_t *factor, int n)
{
	int scope = scope_begin();
	bag product = integer_one();

	for (int i = 0; i < n; i++)
		product = integer_times(product, factor[i]);
	return scope_end(scope, product);
}

/* A group for the workshop: degree, generators, and what its order should be. */
struct group {
	int degree;
	bag generators;
	uint32_t factor[100];
	int n_factors;
};

/* The shuffle hides the structure: every generator is conjugated by it. */
static void group_add(struct group *g, const uint16_t *shuffle, const int *image)
{
	int scope = scope_begin();
	bag p = perm_new(g->degree);

	for (int i = 0; i < g->degree; i++)
		perm_images(p)[shuffle[i]] = shuffle[image[i]];
	list_append(g->generators, p);
	scope_end(scope, 0);
}

static void group_times(struct group *g, uint32_t factor)
{
	g->factor[g->n_factors++] = factor;
}

static int power_modulo(int base, int exponent, int p)
{
	int result = 1;

	for (; exponent > 0; exponent >>= 1) {
		if (exponent & 1)
			result = result * base % p;
		base = base * base % p;
	}
	return result;
}

/* On the projective line 0 .. p-1, infinity = p: x+1, -1/x, and root^2 x or M24's cubing map. */
static void make_projective(struct group *g, const uint16_t *shuffle, int p, int root, int mathieu)
{
	int image[MAX_DEGREE];

	for (int which = 0; which < 3; which++) {
		for (int x = 0; x < p; x++) {
			int square = power_modulo(x, (p - 1) / 2, p) <= 1;
			int cube = x * x % p * x % p;

			if (which == 0)
				image[x] = (x + 1) % p;
			else if (which == 1)
				image[x] = x ? p - power_modulo(x, p - 2, p) : p;
			else if (mathieu)
				image[x] = cube * (square ? power_modulo(9, p - 2, p) : 9) % p;
			else
				image[x] = root * root % p * x % p;
		}
		image[p] = which == 1 ? 0 : p;
		group_add(g, shuffle, image);
	}
	if (mathieu) {
		static const uint32_t order[] = {24, 23, 22, 21, 20, 48};

		for (int i = 0; i < 6; i++)
			group_times(g, order[i]);
	} else {
		group_times(g, (uint32_t)p);
		group_times(g, (uint32_t)(p + 1));
		group_times(g, (uint32_t)(p - 1) / 2);
	}
}

/* Rubik's cube: a facelet is a cell of the 3x3x3 cube and the axis its sticker looks along. */
static void make_cube(struct group *g, const uint16_t *shuffle)
{
	int name[3][3][3][3], image[54], n = 0;

	for (int axis = 0; axis < 3; axis++)
		for (int cell = 0; cell < 27; cell++) {
			int at[3] = {cell % 3, cell / 3 % 3, cell / 9};
			int centre = (at[0] == 1) + (at[1] == 1) + (at[2] == 1) == 2;

			name[at[0]][at[1]][at[2]][axis] = at[axis] != 1 && !centre ? n++ : -1;
		}
	for (int axis = 0; axis < 3; axis++)
		for (int layer = 0; layer < 3; layer += 2) {
			int u = (axis + 1) % 3, v = (axis + 2) % 3;

			for (int code = 0; code < 81; code++) {
				int at[3] = {code % 3, code / 3 % 3, code / 9 % 3},
				    look = code / 27;
				int from = name[at[0]][at[1]][at[2]][look], to[3];

				if (from < 0)
					continue;
				image[from] = from;
				if (at[axis] != layer)
					continue;
				to[axis] = layer;
				to[u] = 2 - at[v];
				to[v] = at[u];
				look = look == u ? v : look == v ? u : axis;
				image[from] = name[to[0]][to[1]][to[2]][look];
			}
			group_add(g, shuffle, image);
		}
	for (uint32_t i = 2; i <= 8; i++)
		group_times(g, i);
	for (uint32_t i = 3; i <= 12; i++)
		group_times(g, i);
	group_times(g, 2187);
	group_times(g, 2048);
}

enum { FAMILY_PROJECTIVE, FAMILY_MATHIEU, FAMILY_CUBE };

struct task {
	int family, prime, root;
};

static void group_make(struct workload *w, struct group *g, const struct task *t)
{
	static const int cube_degree = 48;
	uint16_t shuffle[MAX_DEGREE];

	g->degree = t->family == FAMILY_CUBE ? cube_degree : t->prime + 1;
	g->n_factors = 0;
	g->generators = list_new(6);
	for (int i = 0; i < g->degree; i++) {
		uint32_t j = workload_below(w, (uint32_t)i + 1);

		shuffle[i] = shuffle[j];
		shuffle[j] = (uint16_t)i;
	}
	if (t->family == FAMILY_CUBE)
		make_cube(g, shuffle);
	else
		make_projective(g, shuffle, t->prime, t->root, t->family == FAMILY_MATHIEU);
}

/* Order by random Schreier-Sims: done once many random elements in a row sift through. */
static void run_task(struct workload *w, const struct task *t)
{
	struct chain *c = workload_alloc(sizeof(*c));
	struct random_source r;
	struct group g;
	uint32_t lengths[MAX_LEVELS];
	int scope = scope_begin(), quiet = 0, stopped;
	bag random, found, expected;

	group_make(w, &g, t);
	c->degree = g.degree;
	random_source_init(w, &r, g.generators, g.degree);
	/* The chain's lists outlive the scopes of single insertions. */
	for (uint32_t i = 0; i < list_size(g.generators); i++)
		chain_insert(c, list_get(g.generators, i));
	while (quiet < 16) {
		int levels = c->n_levels, inner = scope_begin();

		quiet = chain_insert(c, random_element(w, &r, g.degree)) ? 0 : quiet + 1;
		if (c->n_levels == levels)
			scope_end(inner, 0);
	}
	for (int k = 0; k < c->n_levels; k++)
		lengths[k] = (uint32_t)c->level[k].orbit_size;
	found = integer_product_of(lengths, c->n_levels);
	expected = integer_product_of(g.factor, g.n_factors);
	workload_check(w, integer_equal(found, expected),
		       "the product of orbit lengths is the group's order");
	random = chain_sift(c, random_element(w, &r, g.degree), &stopped);
	workload_check(w, perm_first_moved(random, g.degree) == g.degree,
		       "a random element of the group sifts to the identity");
	for (int k = 0; k < c->n_levels; k++)
		workload_digest(w, (uint64_t)c->level[k].point << 32 | lengths[k]);
	scope_end(scope, 0);
	free(c);
}

/* A plane of GF(2)^d is a bag of two vectors in reduced echelon form. */
struct action {
	uint32_t row[2][12];
	/* Sums of six rows at a time, so that an image takes two lookups. */
	uint32_t sums[2][2][64];
};

static uint32_t vector_image(const struct action *a, int generator, uint32_t v)
{
	return a->sums[generator][0][v & 63] ^ a->sums[generator][1][v >> 6];
}

static const uint32_t *plane_basis(bag plane)
{
	return bag_body(plane);
}

static bag plane_new(uint32_t x, uint32_t y)
{
	bag plane = bag_new(KIND_VECTORS, 2 * sizeof(uint32_t));
	uint32_t *basis = bag_body(plane);

	if ((x ^ y) < x && (x ^ y) < y)
		y ^= x;
	basis[0] = x > y ? x : y;
	basis[1] = x > y ? y : x;
	if ((x ^ y) < basis[0])
		basis[0] = x ^ y;
	return plane;
}

static int plane_equal(bag p, bag q)
{
	const uint32_t *a = plane_basis(p), *b = plane_basis(q);

	return a[0] == b[0] && a[1] == b[1];
}

static bag plane_image(const struct action *a, int generator, bag plane)
{
	const uint32_t *basis = plane_basis(plane);

	return plane_new(vector_image(a, generator, basis[0]),
			 vector_image(a, generator, basis[1]));
}

/* The slot where the plane is, or the empty one where it belongs; entries are 1 + orbit index. */
static uint32_t find_slot(const uint32_t *table, uint32_t mask, bag points, bag plane)
{
	const uint32_t *basis = plane_basis(plane);
	uint64_t h = (uint64_t)basis[0] << 32 | basis[1];
	uint32_t slot;

	h *= UINT64_C(0x9e3779b97f4a7c15);
	slot = (uint32_t)(h >> 40) & mask;
	while (table[slot] && !plane_equal(list_get(points, table[slot] - 1), plane))
		slot = (slot + 1) & mask;
	return slot;
}

/* A cycle of the coordinates and one transvection generate GL(d, 2); both are then disguised. */
static void action_make(struct workload *w, struct action *a, int d)
{
	memset(a, 0, sizeof(*a));
	for (int i = 0; i < d; i++) {
		a->row[0][i] = 1u << (i + 1) % d;
		a->row[1][i] = 1u << i | (i == 0 ? 2u : 0u);
	}
	for (int k = 0; k < 4 * d; k++) {
		int i = (int)workload_below(w, (uint32_t)d),
		    j = (int)workload_below(w, (uint32_t)d);

		if (i == j)
			continue;
		for (int g = 0; g < 2; g++) {
			a->row[g][i] ^= a->row[g][j];
			for (int r = 0; r < d; r++)
				a->row[g][r] ^= (a->row[g][r] >> i & 1) << j;
		}
	}
	for (int g = 0; g < 2; g++)
		for (int i = 0; i < d; i++)
			for (int k = 0; k < 1 << i % 6; k++)
				a->sums[g][i / 6][k | 1 << i % 6] =
					a->sums[g][i / 6][k] ^ a->row[g][i];
}

static void run_orbit(struct workload *w, int d, int traces)
{
	struct action a;
	uint32_t n = 1u << d, expected = (n - 1) * (n / 2 - 1) / 3, mask = 1;
	uint32_t *table, *parent;
	int scope = scope_begin();
	bag points = list_new(64);

	while (mask < 2 * expected)
		mask = 2 * mask + 1;
	table = workload_alloc(((size_t)mask + 1) * sizeof(*table));
	parent = workload_alloc((size_t)expected * sizeof(*parent));
	action_make(w, &a, d);
	list_append(points, plane_new(1u << (d - 1), 1));
	table[find_slot(table, mask, points, list_get(points, 0))] = 1;
	for (uint32_t i = 0; i < list_size(points); i++)
		for (int g = 0; g < 2; g++) {
			int inner = scope_begin();
			bag image = plane_image(&a, g, list_get(points, i));
			uint32_t slot = find_slot(table, mask, points, image);

			if (!table[slot]) {
				workload_check(w, list_size(points) < expected,
					       "the orbit is not larger than the set of planes");
				parent[list_size(points)] = 2 * i + (uint32_t)g;
				list_append(points, image);
				table[slot] = list_size(points);
			}
			scope_end(inner, 0);
		}
	workload_check(w, list_size(points) == expected, "the orbit is the set of all planes");
	for (int t = 0; t < traces; t++) {
		uint32_t at = workload_below(w, expected), word[512];
		int length = 0, inner = scope_begin();
		bag plane = list_get(points, 0), end = list_get(points, at);

		for (; at != 0 && length < 512; at = parent[at] / 2)
			word[length++] = parent[at] % 2;
		workload_digest(w, (uint64_t)length << 32 | plane_basis(end)[0]);
		while (length > 0)
			plane = plane_image(&a, (int)word[--length], plane);
		workload_check(w, plane_equal(plane, end), "the traced word leads to its plane");
		scope_end(inner, 0);
	}
	free(table);
	free(parent);
	scope_end(scope, 0);
}

int main(int argc, char **argv)
{
	static const struct task tasks[] = {{FAMILY_PROJECTIVE, 29, 2},
					    {FAMILY_MATHIEU, 23, 0},
					    {FAMILY_CUBE, 0, 0},
					    {FAMILY_PROJECTIVE, 101, 2},
					    {FAMILY_PROJECTIVE, 61, 2}};
	static const struct {
		int first, last, repeat, orbits, dimension, traces;
		size_t room, nursery;
		uint32_t handles;
	} plan[] = {{0, 2, 1, 1, 6, 10, 200000, 20000, 2000},
		    {1, 4, 1, 1, 9, 20, 2200000, 1000000, 60000},
		    {1, 5, 35, 3, 10, 2000, 10000000, 2000000, 300000}};
	struct workload w = workload_begin("algebra", argc, argv);

	heap_init(plan[w.size].room, plan[w.size].nursery, plan[w.size].handles);
	for (int i = 0; i < plan[w.size].orbits; i++)
		run_orbit(&w, plan[w.size].dimension, plan[w.size].traces);
	for (int i = 0; i < plan[w.size].repeat; i++)
		for (int t = plan[w.size].first; t < plan[w.size].last; t++)
			run_task(&w, &tasks[t]);
	workload_check(&w, heap.collections > 0, "storage was collected at least once");
	workload_digest(&w, heap.collections);
	workload_digest(&w, heap.survivors);
	heap_release();
	return workload_end(&w);
}
