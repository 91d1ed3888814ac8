/*
 * lattice - stands for SPEC CPU2006 470.lbm: an incompressible fluid in a
 * closed box by the lattice Boltzmann method with 19 velocities (D3Q19),
 * stirred by a moving lid and obstructed by boulders.
 *
 * As in lbm a cell is an array of structures element of twenty doubles (19
 * populations and a word of flags), there are two whole grids between which
 * each step streams and collides in one fused pass, and the work per cell is
 * one long stretch of straight-line floating point between gathers from 19
 * neighbours. Here populations are pulled from the neighbours rather than
 * pushed to them, so the poor locality across planes falls on loads: one
 * plane of cells is larger than a small second level cache. Branches depend on
 * the flags only, and are taken near walls and boulders.
 *
 * Checked: mass is conserved, sampled cells are computed again from tables by
 * a slow, general routine, and the fluid next to the lid moves with it.
 */
#include <math.h>
#include "workload.h"

#define WIDTH	   32 /* cells along x and y, walls included */
#define PLANE	   (WIDTH * WIDTH)
#define DIRECTIONS 19
#define RELAXATION 1.6
#define LID_SPEED  0.06

/* Opposite directions are neighbours in number: 2k - 1 and 2k. */
static const int direction[DIRECTIONS][3] = {
	{0, 0, 0},					/* rest */
	{1, 0, 0}, {-1, 0, 0},	{0, 1, 0},  {0, -1, 0}, /* faces */
	{0, 0, 1}, {0, 0, -1},				/* faces */
	{1, 1, 0}, {-1, -1, 0}, {-1, 1, 0}, {1, -1, 0}, /* edges */
	{1, 0, 1}, {-1, 0, -1}, {-1, 0, 1}, {1, 0, -1}, /* edges */
	{0, 1, 1}, {0, -1, -1}, {0, -1, 1}, {0, 1, -1}, /* edges */
};

#define WEIGHT_REST (1.0 / 3.0)
#define WEIGHT_FACE (1.0 / 18.0)
#define WEIGHT_EDGE (1.0 / 36.0)

enum kind { FLUID, WALL, LID };

struct cell {
	double f[DIRECTIONS]; /* populations after collision */
	uint32_t kind;
	uint32_t blocked; /* bit i: what direction i would bring comes from a solid cell */
};

struct grid {
	int planes;
	int room;		/* side of the square that the walls leave open */
	int offset[DIRECTIONS]; /* cells from here to the neighbour in a direction */
	struct cell *from, *to;
};

struct plan {
	int planes, room, boulders, steps;
};

static const struct plan plans[] = {
	[SIZE_TEST] = {6, 11, 1, 2},
	[SIZE_SMALL] = {16, WIDTH - 2, 4, 5},
	[SIZE_REF] = {64, WIDTH - 2, 20, 20},
};

static int opposite(int i)
{
	return i == 0 ? 0 : ((i - 1) ^ 1) + 1;
}

static double weight_of(int i)
{
	return i == 0 ? WEIGHT_REST : i < 7 ? WEIGHT_FACE : WEIGHT_EDGE;
}

static int cell_number(int x, int y, int z)
{
	return z * PLANE + y * WIDTH + x;
}

static void grid_wall(struct grid *g)
{
	for (int z = 0; z < g->planes; z++)
		for (int y = 0; y < WIDTH; y++)
			for (int x = 0; x < WIDTH; x++) {
				struct cell *c = &g->from[cell_number(x, y, z)];

				if (z == g->planes - 1)
					c->kind = LID;
				else if (x < 1 || y < 1 || z < 1 || x > g->room || y > g->room)
					c->kind = WALL;
				else
					c->kind = FLUID;
			}
}

/* Boulders keep a cell away from the lid, whose push would otherwise not balance. */
static void grid_boulder(struct grid *g, struct workload *w)
{
	double radius = 2.0 + 2.0 * workload_unit(w);
	double cx = g->room * workload_unit(w);
	double cy = g->room * workload_unit(w);
	double cz = g->planes * workload_unit(w);
	int low = (int)(cz - radius), high = (int)(cz + radius) + 1;

	for (int z = low < 1 ? 1 : low; z <= high && z < g->planes - 2; z++)
		for (int y = 1; y <= g->room; y++)
			for (int x = 1; x <= g->room; x++) {
				double dx = x - cx, dy = y - cy, dz = z - cz;

				if (dx * dx + dy * dy + dz * dz < radius * radius)
					g->from[cell_number(x, y, z)].kind = WALL;
			}
}

/* Tells every fluid cell which of its neighbours are solid. */
static void grid_block(struct grid *g)
{
	for (int n = PLANE; n < (g->planes - 1) * PLANE; n++) {
		struct cell *c = &g->from[n];

		if (c->kind != FLUID)
			continue;
		for (int i = 1; i < DIRECTIONS; i++)
			if (c[-g->offset[i]].kind != FLUID)
				c->blocked |= 1u << i;
	}
}

/* Fluid at rest with a slight random unevenness of pressure. */
static void grid_init(struct grid *g, struct workload *w, const struct plan *plan)
{
	size_t bytes = (size_t)plan->planes * PLANE * sizeof(*g->from);

	g->planes = plan->planes;
	g->room = plan->room;
	g->from = workload_alloc(bytes);
	g->to = workload_alloc(bytes);
	for (int i = 0; i < DIRECTIONS; i++)
		g->offset[i] = cell_number(direction[i][0], direction[i][1], direction[i][2]);
	grid_wall(g);
	for (int i = 0; i < plan->boulders; i++)
		grid_boulder(g, w);
	grid_block(g);
	for (int n = 0; n < plan->planes * PLANE; n++) {
		struct cell *c = &g->from[n];
		double density;

		g->to[n].kind = c->kind;
		g->to[n].blocked = c->blocked;
		if (c->kind != FLUID)
			continue;
		density = 1.0 + 0.01 * workload_unit(w);
		c->f[0] = WEIGHT_REST * density;
		for (int i = 1; i < 7; i++)
			c->f[i] = WEIGHT_FACE * density;
		for (int i = 7; i < DIRECTIONS; i++)
			c->f[i] = WEIGHT_EDGE * density;
	}
}

/* What the lid adds to a population it throws back in direction i. */
static double lid_push(int i)
{
	return 6.0 * weight_of(i) * direction[i][0] * LID_SPEED;
}

/* Gathers beside a wall: a blocked direction brings back the cell's own opposite population. */
static __attribute__((noinline)) void gather_blocked(const struct grid *g, const struct cell *c,
						     double f[DIRECTIONS])
{
	f[0] = c->f[0];
	for (int i = 1; i < DIRECTIONS; i++) {
		const struct cell *source = c - g->offset[i];

		if (!(c->blocked >> i & 1))
			f[i] = source->f[i];
		else if (source->kind == LID)
			f[i] = c->f[opposite(i)] + lid_push(i);
		else
			f[i] = c->f[opposite(i)];
	}
}

#define PULL(i, dx, dy, dz) (f[i] = (c - ((dz)*PLANE + (dy)*WIDTH + (dx)))->f[i])

static inline void gather_free(const struct cell *c, double f[DIRECTIONS])
{
	PULL(0, 0, 0, 0);
	PULL(1, 1, 0, 0);
	PULL(2, -1, 0, 0);
	PULL(3, 0, 1, 0);
	PULL(4, 0, -1, 0);
	PULL(5, 0, 0, 1);
	PULL(6, 0, 0, -1);
	PULL(7, 1, 1, 0);
	PULL(8, -1, -1, 0);
	PULL(9, -1, 1, 0);
	PULL(10, 1, -1, 0);
	PULL(11, 1, 0, 1);
	PULL(12, -1, 0, -1);
	PULL(13, -1, 0, 1);
	PULL(14, 1, 0, -1);
	PULL(15, 0, 1, 1);
	PULL(16, 0, -1, -1);
	PULL(17, 0, -1, 1);
	PULL(18, 0, 1, -1);
}

/* Relaxes a direction and its opposite together: they share all but a sign. */
static inline void relax_pair(struct cell *to, const double f[DIRECTIONS], int i, double density,
			      double along, double rest)
{
	double even = density * (rest + 4.5 * along * along);
	double odd = density * 3.0 * along;

	to->f[i] = (1.0 - RELAXATION) * f[i] + RELAXATION * (even + odd);
	to->f[i + 1] = (1.0 - RELAXATION) * f[i + 1] + RELAXATION * (even - odd);
}

static inline void collide(struct cell *to, const double f[DIRECTIONS])
{
	double e1 = f[1] - f[2], e3 = f[3] - f[4], e5 = f[5] - f[6];
	double e7 = f[7] - f[8], e9 = f[9] - f[10], e11 = f[11] - f[12];
	double e13 = f[13] - f[14], e15 = f[15] - f[16], e17 = f[17] - f[18];
	double density = f[0] + (f[1] + f[2]) + (f[3] + f[4]) + (f[5] + f[6]) + (f[7] + f[8]) +
			 (f[9] + f[10]) + (f[11] + f[12]) + (f[13] + f[14]) + (f[15] + f[16]) +
			 (f[17] + f[18]);
	double inverse = 1.0 / density;
	double ux = (e1 + e7 - e9 + e11 - e13) * inverse;
	double uy = (e3 + e7 + e9 + e15 - e17) * inverse;
	double uz = (e5 + e11 + e13 + e15 + e17) * inverse;
	double rest = 1.0 - 1.5 * (ux * ux + uy * uy + uz * uz);
	double face = WEIGHT_FACE * density, edge = WEIGHT_EDGE * density;

	to->f[0] = (1.0 - RELAXATION) * f[0] + RELAXATION * WEIGHT_REST * density * rest;
	relax_pair(to, f, 1, face, ux, rest);
	relax_pair(to, f, 3, face, uy, rest);
	relax_pair(to, f, 5, face, uz, rest);
	relax_pair(to, f, 7, edge, ux + uy, rest);
	relax_pair(to, f, 9, edge, uy - ux, rest);
	relax_pair(to, f, 11, edge, ux + uz, rest);
	relax_pair(to, f, 13, edge, uz - ux, rest);
	relax_pair(to, f, 15, edge, uy + uz, rest);
	relax_pair(to, f, 17, edge, uz - uy, rest);
}

static __attribute__((noinline)) void grid_step(struct grid *g)
{
	const struct cell *c = g->from + PLANE;
	const struct cell *end = g->from + (size_t)(g->planes - 1) * PLANE;
	struct cell *to = g->to + PLANE;

	for (; c < end; c++, to++) {
		double f[DIRECTIONS];

		if (c->kind != FLUID)
			continue;
		if (c->blocked)
			gather_blocked(g, c, f);
		else
			gather_free(c, f);
		collide(to, f);
	}
}

static void grid_swap(struct grid *g)
{
	struct cell *spare = g->from;

	g->from = g->to;
	g->to = spare;
}

static double cell_density(const struct cell *c)
{
	double sum = 0.0;

	for (int i = 0; i < DIRECTIONS; i++)
		sum += c->f[i];
	return sum;
}

static double cell_velocity(const struct cell *c, int axis)
{
	double sum = 0.0;

	for (int i = 0; i < DIRECTIONS; i++)
		sum += direction[i][axis] * c->f[i];
	return sum / cell_density(c);
}

static double grid_mass(const struct grid *g)
{
	double mass = 0.0;

	for (int n = 0; n < g->planes * PLANE; n++)
		if (g->from[n].kind == FLUID)
			mass += cell_density(&g->from[n]);
	return mass;
}

/* The next state of one cell from the method's definition; `to` must agree with it. */
static int cell_holds(const struct grid *g, int x, int y, int z)
{
	const struct cell *c = &g->from[cell_number(x, y, z)];
	struct cell pulled = {.kind = FLUID};
	double density, u[3], square = 0.0;

	for (int i = 0; i < DIRECTIONS; i++) {
		const struct cell *source = &g->from[cell_number(
			x - direction[i][0], y - direction[i][1], z - direction[i][2])];

		if (source->kind == FLUID)
			pulled.f[i] = source->f[i];
		else
			pulled.f[i] = c->f[opposite(i)] + (source->kind == LID ? lid_push(i) : 0.0);
	}
	density = cell_density(&pulled);
	for (int axis = 0; axis < 3; axis++) {
		u[axis] = cell_velocity(&pulled, axis);
		square += u[axis] * u[axis];
	}
	for (int i = 0; i < DIRECTIONS; i++) {
		double along = 0.0, balance;

		for (int axis = 0; axis < 3; axis++)
			along += direction[i][axis] * u[axis];
		balance = weight_of(i) * density *
			  (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * square);
		if (!(fabs(pulled.f[i] + RELAXATION * (balance - pulled.f[i]) -
			   g->to[cell_number(x, y, z)].f[i]) < 1e-14))
			return 0;
	}
	return 1;
}

static void check_samples(struct workload *w, const struct grid *g)
{
	for (int tries = 0; tries < 16; tries++) {
		int x = 1 + (int)workload_below(w, (uint32_t)g->room);
		int y = 1 + (int)workload_below(w, (uint32_t)g->room);
		int z = 1 + (int)workload_below(w, (uint32_t)g->planes - 2);

		if (g->from[cell_number(x, y, z)].kind == FLUID)
			workload_check(w, cell_holds(g, x, y, z), "a cell equals its definition");
	}
}

/* Mean speed along x of the fluid right under the lid. */
static double lid_wake(const struct grid *g)
{
	double sum = 0.0;

	for (int y = 1; y <= g->room; y++)
		for (int x = 1; x <= g->room; x++)
			sum += cell_velocity(&g->from[cell_number(x, y, g->planes - 2)], 0);
	return sum / (g->room * g->room);
}

int main(int argc, char **argv)
{
	struct workload w = workload_begin("lattice", argc, argv);
	const struct plan *plan = &plans[w.size];
	struct grid g;
	double mass, wake;

	grid_init(&g, &w, plan);
	mass = grid_mass(&g);
	workload_digest_double(&w, mass);
	for (int step = 0; step < plan->steps; step++) {
		grid_step(&g);
		check_samples(&w, &g);
		grid_swap(&g);
	}
	workload_check(&w, fabs(grid_mass(&g) / mass - 1.0) < 1e-12, "mass is conserved");
	wake = lid_wake(&g);
	workload_check(&w, wake > 0.0 && wake < LID_SPEED, "the lid drags the fluid along");
	workload_digest_double(&w, wake);
	for (int z = 1; z < g.planes - 1; z++)
		for (int axis = 0; axis < 3; axis++) {
			const struct cell *c = &g.from[cell_number(g.room / 2, g.room / 3, z)];

			if (c->kind == FLUID)
				workload_digest_double(&w, cell_velocity(c, axis));
		}
	free(g.from);
	free(g.to);
	return workload_end(&w);
}
