/*
 * stencil - stands for SPEC CPU2000 171.swim: the shallow-water equations by
 * finite differences on a staggered, periodic grid (Sadourny, 1975).
 *
 * Thirteen two-dimensional arrays hold velocities, heights, mass fluxes,
 * vorticity and Bernoulli height at up to three times. Each step makes three
 * passes in the manner of swim: fluxes from the present state, the new state
 * from the old one and the fluxes, and a time filter over three states; after
 * each pass the rims are copied round. Every pass streams many arrays at once,
 * and the rows are so long (a channel round the globe rather than a square)
 * that a small second level cache forgets one row before the next needs it.
 * Long predictable loops, several loads per arithmetic operation, no pointers
 * to chase.
 *
 * Checked: the mass of water never changes, its energy hardly, and sampled
 * cells are computed again directly from velocities and heights without the
 * intermediate arrays.
 */
#include <math.h>
#include <stddef.h>
#include "workload.h"

#define SPACING 1.0e5 /* metres between like points */
#define TIME	90.0  /* seconds per step */
#define FILTER	0.001 /* weight of the Robert-Asselin time filter */
#define DEPTH	5.0e4 /* mean geopotential height */

/* A periodic field with a rim of one cell on each side. */
struct field {
	int rows, columns, stride;
	double *cell; /* cell (0, 0) lies past the rim */
	double *block;
};

struct state {
	struct field u, v, p;
};

struct ocean {
	int rows, columns;
	struct state old, now, new;
	struct field flux_x, flux_y; /* mass through the cell's west and south side */
	struct field vorticity;	     /* potential, at the south-west corner */
	struct field head;	     /* height plus kinetic energy */
};

struct plan {
	int rows, columns, steps;
};

static const struct plan plans[] = {
	[SIZE_TEST] = {12, 130, 3},
	[SIZE_SMALL] = {20, 2200, 4},
	[SIZE_REF] = {48, 4100, 15},
};

static void field_init(struct field *f, int rows, int columns)
{
	f->rows = rows;
	f->columns = columns;
	f->stride = columns + 2;
	f->block = workload_alloc((size_t)(rows + 2) * f->stride * sizeof(*f->block));
	f->cell = f->block + f->stride + 1;
}

static double *field_row(const struct field *f, int row)
{
	return f->cell + (ptrdiff_t)row * f->stride;
}

/* Copies the outermost rows and columns to the opposite rims. */
static void field_wrap(struct field *f)
{
	size_t bytes = (size_t)f->stride * sizeof(double);

	for (int i = 0; i < f->rows; i++) {
		double *row = field_row(f, i);

		row[-1] = row[f->columns - 1];
		row[f->columns] = row[0];
	}
	memcpy(field_row(f, -1) - 1, field_row(f, f->rows - 1) - 1, bytes);
	memcpy(field_row(f, f->rows) - 1, field_row(f, 0) - 1, bytes);
}

static double field_sum(const struct field *f)
{
	double total = 0.0;

	for (int i = 0; i < f->rows; i++) {
		const double *row = field_row(f, i);
		double sum = 0.0;

		for (int j = 0; j < f->columns; j++)
			sum += row[j];
		total += sum;
	}
	return total;
}

static void state_init(struct state *s, int rows, int columns)
{
	field_init(&s->u, rows, columns);
	field_init(&s->v, rows, columns);
	field_init(&s->p, rows, columns);
}

static void state_wrap(struct state *s)
{
	field_wrap(&s->u);
	field_wrap(&s->v);
	field_wrap(&s->p);
}

static void state_copy(struct state *to, const struct state *from)
{
	size_t bytes = (size_t)(from->u.rows + 2) * from->u.stride * sizeof(double);

	memcpy(to->u.block, from->u.block, bytes);
	memcpy(to->v.block, from->v.block, bytes);
	memcpy(to->p.block, from->p.block, bytes);
}

static void state_release(struct state *s)
{
	free(s->u.block);
	free(s->v.block);
	free(s->p.block);
}

/* One full sine wave over `count` points, by turning a vector step by step. */
static double *wave_create(int count, int waves, double phase)
{
	double *wave = workload_alloc((size_t)count * sizeof(*wave));
	double angle = 6.283185307179586 * waves / count, square = angle * angle;
	double sine = angle * (1.0 - square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0)));
	double cosine = 1.0 - square / 2.0 * (1.0 - square / 12.0 * (1.0 - square / 30.0));
	double scale = 1.0 / sqrt(1.0 + phase * phase);
	double x = scale, y = phase * scale;

	for (int i = 0; i < count; i++) {
		double turned = x * cosine - y * sine;

		wave[i] = y;
		y = x * sine + y * cosine;
		x = turned;
	}
	return wave;
}

/* Currents from a stream function of two waves, under a gently sloping surface. */
static void ocean_fill(struct ocean *o, struct workload *w)
{
	int waves = 1 + (int)workload_below(w, 3);
	double phase = workload_unit(w);
	double *east = wave_create(o->columns, waves, phase);
	double *north = wave_create(o->rows, 1, 1.0 - phase);
	double current = 10.0 + 5.0 * workload_unit(w);
	double slope = 0.04 * DEPTH * (1.0 + workload_unit(w));

	for (int i = 0; i < o->rows; i++) {
		double *u = field_row(&o->now.u, i);
		double *v = field_row(&o->now.v, i);
		double *p = field_row(&o->now.p, i);
		double drift = north[(i + 1) % o->rows] - north[i];

		for (int j = 0; j < o->columns; j++) {
			int next = j + 1 < o->columns ? j + 1 : 0;

			u[j] = -current * drift * east[j];
			v[j] = current * north[i] * (east[next] - east[j]);
			p[j] = DEPTH + slope * north[i] * east[j];
		}
	}
	state_wrap(&o->now);
	state_copy(&o->old, &o->now);
	free(east);
	free(north);
}

static void ocean_init(struct ocean *o, int rows, int columns)
{
	o->rows = rows;
	o->columns = columns;
	state_init(&o->old, rows, columns);
	state_init(&o->now, rows, columns);
	state_init(&o->new, rows, columns);
	field_init(&o->flux_x, rows, columns);
	field_init(&o->flux_y, rows, columns);
	field_init(&o->vorticity, rows, columns);
	field_init(&o->head, rows, columns);
}

static void ocean_release(struct ocean *o)
{
	state_release(&o->old);
	state_release(&o->now);
	state_release(&o->new);
	free(o->flux_x.block);
	free(o->flux_y.block);
	free(o->vorticity.block);
	free(o->head.block);
}

/* First pass: fluxes, vorticity and head of the present state. */
static __attribute__((noinline)) void ocean_fluxes(struct ocean *o)
{
	for (int i = 0; i < o->rows; i++) {
		const double *u = field_row(&o->now.u, i), *us = field_row(&o->now.u, i - 1);
		const double *v = field_row(&o->now.v, i), *vn = field_row(&o->now.v, i + 1);
		const double *p = field_row(&o->now.p, i), *ps = field_row(&o->now.p, i - 1);
		double *fx = field_row(&o->flux_x, i), *fy = field_row(&o->flux_y, i);
		double *z = field_row(&o->vorticity, i), *h = field_row(&o->head, i);

		for (int j = 0; j < o->columns; j++) {
			fx[j] = 0.5 * (p[j] + p[j - 1]) * u[j];
			fy[j] = 0.5 * (p[j] + ps[j]) * v[j];
			z[j] = 4.0 / SPACING * ((v[j] - v[j - 1]) - (u[j] - us[j])) /
			       (p[j] + p[j - 1] + ps[j] + ps[j - 1]);
			h[j] = p[j] + 0.25 * (u[j] * u[j] + u[j + 1] * u[j + 1] + v[j] * v[j] +
					      vn[j] * vn[j]);
		}
	}
	field_wrap(&o->flux_x);
	field_wrap(&o->flux_y);
	field_wrap(&o->vorticity);
	field_wrap(&o->head);
}

/* Second pass: leapfrog over `span` seconds from the old state to the new. */
static __attribute__((noinline)) void ocean_leap(struct ocean *o, double span)
{
	const double eighth = span / 8.0, gradient = span / SPACING;

	for (int i = 0; i < o->rows; i++) {
		const double *uo = field_row(&o->old.u, i), *vo = field_row(&o->old.v, i);
		const double *po = field_row(&o->old.p, i);
		const double *fx = field_row(&o->flux_x, i), *fxs = field_row(&o->flux_x, i - 1);
		const double *fy = field_row(&o->flux_y, i), *fyn = field_row(&o->flux_y, i + 1);
		const double *z = field_row(&o->vorticity, i);
		const double *zn = field_row(&o->vorticity, i + 1);
		const double *h = field_row(&o->head, i), *hs = field_row(&o->head, i - 1);
		double *u = field_row(&o->new.u, i), *v = field_row(&o->new.v, i);
		double *p = field_row(&o->new.p, i);

		for (int j = 0; j < o->columns; j++) {
			u[j] = uo[j] +
			       eighth * (z[j] + zn[j]) * (fy[j] + fy[j - 1] + fyn[j] + fyn[j - 1]) -
			       gradient * (h[j] - h[j - 1]);
			v[j] = vo[j] -
			       eighth * (z[j] + z[j + 1]) *
				       (fx[j] + fx[j + 1] + fxs[j] + fxs[j + 1]) -
			       gradient * (h[j] - hs[j]);
			p[j] = po[j] - gradient * ((fx[j + 1] - fx[j]) + (fyn[j] - fy[j]));
		}
	}
	state_wrap(&o->new);
}

/* Third pass: damps the leapfrog's two-step wobble, then moves time on. */
static __attribute__((noinline)) void ocean_filter(struct ocean *o)
{
	struct state spare;

	for (int i = 0; i < o->rows; i++) {
		const double *u0 = field_row(&o->old.u, i), *u2 = field_row(&o->new.u, i);
		const double *v0 = field_row(&o->old.v, i), *v2 = field_row(&o->new.v, i);
		const double *p0 = field_row(&o->old.p, i), *p2 = field_row(&o->new.p, i);
		double *u1 = field_row(&o->now.u, i), *v1 = field_row(&o->now.v, i);
		double *p1 = field_row(&o->now.p, i);

		for (int j = 0; j < o->columns; j++) {
			u1[j] += FILTER * (u2[j] - 2.0 * u1[j] + u0[j]);
			v1[j] += FILTER * (v2[j] - 2.0 * v1[j] + v0[j]);
			p1[j] += FILTER * (p2[j] - 2.0 * p1[j] + p0[j]);
		}
	}
	state_wrap(&o->now);
	spare = o->old;
	o->old = o->now;
	o->now = o->new;
	o->new = spare;
}

/* The budget of the present state; needs the flux pass to have run on it. */
static double ocean_energy(const struct ocean *o)
{
	double energy = 0.0;

	for (int i = 0; i < o->rows; i++) {
		const double *p = field_row(&o->now.p, i), *h = field_row(&o->head, i);
		double sum = 0.0;

		for (int j = 0; j < o->columns; j++)
			sum += p[j] * (h[j] - 0.5 * p[j]);
		energy += sum;
	}
	return energy;
}

/* Reads a field with wrapped coordinates and without relying on its rim. */
static double at(const struct field *f, int i, int j)
{
	return field_row(f, (i + f->rows) % f->rows)[(j + f->columns) % f->columns];
}

static double flux_west(const struct state *s, int i, int j)
{
	return 0.5 * (at(&s->p, i, j) + at(&s->p, i, j - 1)) * at(&s->u, i, j);
}

static double flux_south(const struct state *s, int i, int j)
{
	return 0.5 * (at(&s->p, i, j) + at(&s->p, i - 1, j)) * at(&s->v, i, j);
}

static double corner_vorticity(const struct state *s, int i, int j)
{
	double turn =
		(at(&s->v, i, j) - at(&s->v, i, j - 1)) - (at(&s->u, i, j) - at(&s->u, i - 1, j));
	double height = at(&s->p, i, j) + at(&s->p, i, j - 1) + at(&s->p, i - 1, j) +
			at(&s->p, i - 1, j - 1);

	return turn / SPACING / (0.25 * height);
}

static double cell_head(const struct state *s, int i, int j)
{
	double west = at(&s->u, i, j), east = at(&s->u, i, j + 1);
	double south = at(&s->v, i, j), north = at(&s->v, i + 1, j);

	return at(&s->p, i, j) + 0.25 * (west * west + east * east + south * south + north * north);
}

static int nearly(double a, double b)
{
	return fabs(a - b) <= 1e-11 * (1.0 + fabs(a) + fabs(b));
}

/* Recomputes one cell of the new state from its definition. */
static int cell_holds(const struct ocean *o, double span, int i, int j)
{
	const struct state *s = &o->now;
	double turn_u = 0.5 * (corner_vorticity(s, i, j) + corner_vorticity(s, i + 1, j));
	double turn_v = 0.5 * (corner_vorticity(s, i, j) + corner_vorticity(s, i, j + 1));
	double cross_u = 0.25 * (flux_south(s, i, j) + flux_south(s, i, j - 1) +
				 flux_south(s, i + 1, j) + flux_south(s, i + 1, j - 1));
	double cross_v = 0.25 * (flux_west(s, i, j) + flux_west(s, i, j + 1) +
				 flux_west(s, i - 1, j) + flux_west(s, i - 1, j + 1));
	double rise_x = (cell_head(s, i, j) - cell_head(s, i, j - 1)) / SPACING;
	double rise_y = (cell_head(s, i, j) - cell_head(s, i - 1, j)) / SPACING;
	double outflow = (flux_west(s, i, j + 1) - flux_west(s, i, j) + flux_south(s, i + 1, j) -
			  flux_south(s, i, j)) /
			 SPACING;

	return nearly(at(&o->new.u, i, j),
		      at(&o->old.u, i, j) + span * (turn_u * cross_u - rise_x)) &&
	       nearly(at(&o->new.v, i, j),
		      at(&o->old.v, i, j) - span * (turn_v * cross_v + rise_y)) &&
	       nearly(at(&o->new.p, i, j), at(&o->old.p, i, j) - span * outflow);
}

int main(int argc, char **argv)
{
	struct workload w = workload_begin("stencil", argc, argv);
	const struct plan *plan = &plans[w.size];
	double mass, energy = 0.0, span = TIME; /* the first leap is only half as long */
	struct ocean o;

	ocean_init(&o, plan->rows, plan->columns);
	ocean_fill(&o, &w);
	mass = field_sum(&o.now.p);
	for (int step = 0; step < plan->steps; step++) {
		ocean_fluxes(&o);
		if (step == 0)
			energy = ocean_energy(&o);
		ocean_leap(&o, span);
		for (int i = 0; i < 8; i++) {
			int row = (int)workload_below(&w, (uint32_t)o.rows);
			int column = (int)workload_below(&w, (uint32_t)o.columns);

			workload_check(&w, cell_holds(&o, span, row, column),
				       "a cell equals its definition");
		}
		ocean_filter(&o);
		span = 2.0 * TIME;
		workload_digest_double(&w, at(&o.now.u, step, 7 * step));
		workload_digest_double(&w, at(&o.now.v, step, 5 * step));
	}
	ocean_fluxes(&o);
	workload_check(&w, fabs(field_sum(&o.now.p) / mass - 1.0) < 1e-12, "mass is conserved");
	workload_check(&w, fabs(ocean_energy(&o) / energy - 1.0) < 1e-3, "energy is kept");
	workload_digest_double(&w, ocean_energy(&o));
	ocean_release(&o);
	return workload_end(&w);
}
