/*
 * ssor - stands for SPEC CPU2000 173.applu: implicit flow in a box by
 * symmetric successive over-relaxation.
 *
 * Five conserved fields (density, three momenta, energy) live on a 3D grid.
 * Each pseudo-time step computes the right-hand side by sweeps along x, y and
 * z lines, writes the 5x5 Jacobian blocks of every point to memory (diagonal,
 * factored at once, and six neighbours) and relaxes the linear system with
 * pairs of sweeps, one up through the grid and one down. As in applu the
 * blocks far outgrow a small second level cache and are streamed by each
 * sweep, the y and z lines stride across memory, and nearly everything is
 * floating point in short fixed loops with few branches. Unlike applu, which
 * rebuilds the blocks of a plane before each sweep through it, the blocks are
 * kept for the few sweeps of one step.
 *
 * The forcing term is made so that a known polynomial field is the steady
 * state. Checked: the flux Jacobian against finite differences, the solved
 * linear system without its matrix (the directional derivative of the
 * right-hand side), and that each step brings the field nearer to the known
 * one.
 */
#include <math.h>
#include "workload.h"

#define FIELDS 5
#define GAMMA1 0.4  /* ratio of specific heats, less one */
#define TAU    0.6  /* pseudo-time step, in units of the grid spacing */
#define EPS    0.35 /* viscosity, same units */
#define DRAG   0.05 /* body force, a fraction of the x flux */
#define OMEGA  1.1  /* over-relaxation */

struct block {
	double at[FIELDS][FIELDS];
};

/* One point's equation: D x + sum of L x + sum of U x = b. */
struct row {
	struct block factor; /* D = LU, inverses of the pivots on the diagonal */
	struct block lower[3];
	struct block upper[3];
};

struct grid {
	int nx, ny, nz;
	int stride[3]; /* distance between neighbours along x, y, z, in points */
	double (*u)[FIELDS];
	double (*rhs)[FIELDS];
	double (*forcing)[FIELDS];
	double (*delta)[FIELDS]; /* the step's change of u; stays 0 on the walls */
	struct row *row;
	double (*line)[FIELDS]; /* fluxes along one grid line */
};

struct plan {
	int nx, ny, nz, steps, sweeps;
	double tolerance; /* of the linear system after those sweeps, relative */
};

static const struct plan plans[] = {
	[SIZE_TEST] = {6, 6, 7, 1, 4, 1e-2},
	[SIZE_SMALL] = {14, 14, 12, 2, 8, 1e-4},
	[SIZE_REF] = {20, 20, 20, 9, 8, 1e-4},
};

static int grid_point(const struct grid *g, int x, int y, int z)
{
	return x * g->stride[0] + y * g->stride[1] + z * g->stride[2];
}

static void grid_init(struct grid *g, const struct plan *plan)
{
	size_t points = (size_t)plan->nx * plan->ny * plan->nz;
	int longest = plan->nx;

	if (plan->ny > longest)
		longest = plan->ny;
	if (plan->nz > longest)
		longest = plan->nz;
	*g = (struct grid){.nx = plan->nx, .ny = plan->ny, .nz = plan->nz};
	g->stride[0] = 1;
	g->stride[1] = plan->nx;
	g->stride[2] = plan->nx * plan->ny;
	g->u = workload_alloc(points * sizeof(*g->u));
	g->rhs = workload_alloc(points * sizeof(*g->rhs));
	g->forcing = workload_alloc(points * sizeof(*g->forcing));
	g->delta = workload_alloc(points * sizeof(*g->delta));
	g->row = workload_alloc(points * sizeof(*g->row));
	g->line = workload_alloc((size_t)longest * sizeof(*g->line));
}

static void grid_release(struct grid *g)
{
	free(g->u);
	free(g->rhs);
	free(g->forcing);
	free(g->delta);
	free(g->row);
	free(g->line);
}

/* The steady state the forcing is made for: smooth, subsonic, never empty. */
static void exact_field(const struct grid *g, int x, int y, int z, double out[FIELDS])
{
	double xi = (double)x / (g->nx - 1);
	double eta = (double)y / (g->ny - 1);
	double zeta = (double)z / (g->nz - 1);

	out[0] = 1.0 + 0.2 * xi * (1.0 - eta) + 0.1 * zeta * zeta;
	out[1] = 0.30 + 0.10 * eta * zeta - 0.05 * xi;
	out[2] = 0.10 + 0.15 * xi * xi - 0.10 * zeta;
	out[3] = 0.05 + 0.10 * xi * eta;
	out[4] = 2.0 + 0.3 * eta - 0.2 * xi * zeta;
}

/* Euler flux of one state along an axis. */
static void flux(const double u[FIELDS], int axis, double out[FIELDS])
{
	double inv = 1.0 / u[0];
	double speed = u[1 + axis] * inv;
	double kinetic = 0.5 * inv * (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
	double pressure = GAMMA1 * (u[4] - kinetic);

	out[0] = u[1 + axis];
	for (int i = 1; i < 4; i++)
		out[i] = u[i] * speed;
	out[1 + axis] += pressure;
	out[4] = (u[4] + pressure) * speed;
}

/* block = scale * (d flux / d u) + shift * identity */
static void flux_jacobian(const double u[FIELDS], int axis, double scale, double shift,
			  struct block *block)
{
	double inv = 1.0 / u[0];
	double v[3] = {u[1] * inv, u[2] * inv, u[3] * inv};
	double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
	double half = 0.5 * GAMMA1 * square;
	double enthalpy = u[4] * inv * (1.0 + GAMMA1) - half;
	double speed = scale * v[axis];

	for (int j = 0; j < FIELDS; j++)
		block->at[0][j] = 0.0;
	block->at[0][1 + axis] = scale;
	for (int i = 0; i < 3; i++) {
		double *row = block->at[1 + i];

		row[0] = -v[i] * speed;
		row[1] = 0.0;
		row[2] = 0.0;
		row[3] = 0.0;
		row[4] = 0.0;
		row[1 + i] = speed;
		row[1 + axis] += scale * v[i];
	}
	block->at[1 + axis][0] += scale * half;
	for (int j = 0; j < 3; j++) {
		block->at[1 + axis][1 + j] -= scale * GAMMA1 * v[j];
		block->at[4][1 + j] = -GAMMA1 * speed * v[j];
	}
	block->at[1 + axis][4] += scale * GAMMA1;
	block->at[4][0] = speed * (half - enthalpy);
	block->at[4][1 + axis] += scale * enthalpy;
	block->at[4][4] = (1.0 + GAMMA1) * speed;
	for (int i = 0; i < FIELDS; i++)
		block->at[i][i] += shift;
}

/* Adds the central flux difference and the viscous term of one line of interior points. */
static void rhs_line(struct grid *g, int first, int stride, int count, int axis)
{
	const double(*u)[FIELDS] = (const double(*)[FIELDS])g->u;

	for (int i = 0; i < count; i++)
		flux(u[first + i * stride], axis, g->line[i]);
	for (int i = 1; i < count - 1; i++) {
		int here = first + i * stride;

		for (int m = 0; m < FIELDS; m++) {
			double bend = u[here + stride][m] - 2.0 * u[here][m] + u[here - stride][m];

			g->rhs[here][m] +=
				EPS * bend - 0.5 * (g->line[i + 1][m] - g->line[i - 1][m]);
		}
	}
}

/* rhs = forcing - operator(u), on interior points; each direction is one sweep over the grid. */
static void rhs_compute(struct grid *g)
{
	for (int z = 1; z < g->nz - 1; z++)
		for (int y = 1; y < g->ny - 1; y++) {
			for (int x = 1; x < g->nx - 1; x++) {
				int here = grid_point(g, x, y, z);
				double along[FIELDS];

				flux(g->u[here], 0, along);
				for (int m = 0; m < FIELDS; m++)
					g->rhs[here][m] = g->forcing[here][m] - DRAG * along[m];
			}
			rhs_line(g, grid_point(g, 0, y, z), g->stride[0], g->nx, 0);
		}
	for (int z = 1; z < g->nz - 1; z++)
		for (int x = 1; x < g->nx - 1; x++)
			rhs_line(g, grid_point(g, x, 0, z), g->stride[1], g->ny, 1);
	for (int y = 1; y < g->ny - 1; y++)
		for (int x = 1; x < g->nx - 1; x++)
			rhs_line(g, grid_point(g, x, y, 0), g->stride[2], g->nz, 2);
}

/* LU without pivoting: the diagonal blocks are dominant by construction. */
static void block_factor(struct block *a)
{
	for (int k = 0; k < FIELDS; k++) {
		double inv = 1.0 / a->at[k][k];

		a->at[k][k] = inv;
		for (int i = k + 1; i < FIELDS; i++) {
			double factor = a->at[i][k] *= inv;

			for (int j = k + 1; j < FIELDS; j++)
				a->at[i][j] -= factor * a->at[k][j];
		}
	}
}

static void block_solve(const struct block *lu, double x[FIELDS])
{
	const double(*a)[FIELDS] = lu->at;

	x[1] -= a[1][0] * x[0];
	x[2] -= a[2][0] * x[0] + a[2][1] * x[1];
	x[3] -= a[3][0] * x[0] + a[3][1] * x[1] + a[3][2] * x[2];
	x[4] -= a[4][0] * x[0] + a[4][1] * x[1] + a[4][2] * x[2] + a[4][3] * x[3];
	x[4] *= a[4][4];
	x[3] = (x[3] - a[3][4] * x[4]) * a[3][3];
	x[2] = (x[2] - a[2][3] * x[3] - a[2][4] * x[4]) * a[2][2];
	x[1] = (x[1] - a[1][2] * x[2] - a[1][3] * x[3] - a[1][4] * x[4]) * a[1][1];
	x[0] = (x[0] - a[0][1] * x[1] - a[0][2] * x[2] - a[0][3] * x[3] - a[0][4] * x[4]) * a[0][0];
}

/* b -= a x */
static void block_subtract(const struct block *a, const double x[FIELDS], double b[FIELDS])
{
	for (int i = 0; i < FIELDS; i++)
		b[i] -= a->at[i][0] * x[0] + a->at[i][1] * x[1] + a->at[i][2] * x[2] +
			a->at[i][3] * x[3] + a->at[i][4] * x[4];
}

static __attribute__((noinline)) void rows_build(struct grid *g)
{
	for (int z = 1; z < g->nz - 1; z++)
		for (int y = 1; y < g->ny - 1; y++)
			for (int x = 1; x < g->nx - 1; x++) {
				int here = grid_point(g, x, y, z);
				struct row *row = &g->row[here];

				flux_jacobian(g->u[here], 0, TAU * DRAG, 1.0 + 6.0 * TAU * EPS,
					      &row->factor);
				block_factor(&row->factor);
				for (int axis = 0; axis < 3; axis++) {
					int s = g->stride[axis];

					flux_jacobian(g->u[here - s], axis, -0.5 * TAU, -TAU * EPS,
						      &row->lower[axis]);
					flux_jacobian(g->u[here + s], axis, 0.5 * TAU, -TAU * EPS,
						      &row->upper[axis]);
				}
			}
}

static void relax_point(struct grid *g, int here)
{
	const struct row *row = &g->row[here];
	double *delta = g->delta[here];
	double x[FIELDS];

	for (int m = 0; m < FIELDS; m++)
		x[m] = TAU * g->rhs[here][m];
	for (int axis = 0; axis < 3; axis++) {
		block_subtract(&row->lower[axis], g->delta[here - g->stride[axis]], x);
		block_subtract(&row->upper[axis], g->delta[here + g->stride[axis]], x);
	}
	block_solve(&row->factor, x);
	for (int m = 0; m < FIELDS; m++)
		delta[m] += OMEGA * (x[m] - delta[m]);
}

static __attribute__((noinline)) void sweep_up(struct grid *g)
{
	for (int z = 1; z < g->nz - 1; z++)
		for (int y = 1; y < g->ny - 1; y++)
			for (int x = 1; x < g->nx - 1; x++)
				relax_point(g, grid_point(g, x, y, z));
}

static __attribute__((noinline)) void sweep_down(struct grid *g)
{
	for (int z = g->nz - 2; z > 0; z--)
		for (int y = g->ny - 2; y > 0; y--)
			for (int x = g->nx - 2; x > 0; x--)
				relax_point(g, grid_point(g, x, y, z));
}

/* u += factor * delta; delta is 0 on the walls, which therefore stay. */
static void grid_move(struct grid *g, double factor)
{
	int points = g->nx * g->ny * g->nz;

	for (int i = 0; i < points; i++)
		for (int m = 0; m < FIELDS; m++)
			g->u[i][m] += factor * g->delta[i][m];
}

static double grid_error(const struct grid *g)
{
	double sum = 0.0;

	for (int z = 1; z < g->nz - 1; z++)
		for (int y = 1; y < g->ny - 1; y++)
			for (int x = 1; x < g->nx - 1; x++) {
				const double *u = g->u[grid_point(g, x, y, z)];
				double exact[FIELDS];

				exact_field(g, x, y, z, exact);
				for (int m = 0; m < FIELDS; m++)
					sum += (u[m] - exact[m]) * (u[m] - exact[m]);
			}
	return sqrt(sum);
}

/* Sets u to the exact field, derives the forcing from it, then disturbs the interior. */
static void grid_prepare(struct grid *g, struct workload *w)
{
	for (int z = 0; z < g->nz; z++)
		for (int y = 0; y < g->ny; y++)
			for (int x = 0; x < g->nx; x++)
				exact_field(g, x, y, z, g->u[grid_point(g, x, y, z)]);
	rhs_compute(g);
	for (int z = 1; z < g->nz - 1; z++)
		for (int y = 1; y < g->ny - 1; y++)
			for (int x = 1; x < g->nx - 1; x++) {
				int here = grid_point(g, x, y, z);
				double kick = 0.2 * workload_unit(w) - 0.1;

				for (int m = 0; m < FIELDS; m++) {
					g->forcing[here][m] = -g->rhs[here][m];
					g->u[here][m] += kick * (m & 1 ? 0.5 : 1.0);
				}
			}
}

static void check_jacobian(struct workload *w)
{
	for (int axis = 0; axis < 3; axis++) {
		double u[FIELDS] = {1.1, 0.3, 0.2, -0.1, 2.2};
		struct block block;

		for (int m = 0; m < FIELDS; m++)
			u[m] += 0.1 * workload_unit(w);
		flux_jacobian(u, axis, 1.0, 0.0, &block);
		for (int n = 0; n < FIELDS; n++) {
			double high[FIELDS], low[FIELDS], kept = u[n];

			u[n] = kept + 1e-5;
			flux(u, axis, high);
			u[n] = kept - 1e-5;
			flux(u, axis, low);
			u[n] = kept;
			for (int m = 0; m < FIELDS; m++)
				workload_check(
					w, fabs((high[m] - low[m]) / 2e-5 - block.at[m][n]) < 1e-7,
					"flux Jacobian equals finite differences");
		}
	}
}

/*
 * How far delta is from solving its system, relative to the right-hand side,
 * found without the stored blocks: the operator's derivative along delta is
 * taken from two evaluations of the right-hand side.
 */
static double linear_residual(struct grid *g)
{
	const double h = 1e-4;
	int points = g->nx * g->ny * g->nz;
	double(*left)[FIELDS] = workload_alloc((size_t)points * sizeof(*left));
	double residual = 0.0, whole = 0.0;

	for (int i = 0; i < points; i++)
		for (int m = 0; m < FIELDS; m++) {
			double b = TAU * g->rhs[i][m];

			left[i][m] = b - g->delta[i][m];
			whole += b * b;
		}
	for (int side = 1; side >= -1; side -= 2) {
		grid_move(g, side * h);
		rhs_compute(g);
		for (int i = 0; i < points; i++)
			for (int m = 0; m < FIELDS; m++)
				left[i][m] += side * TAU / (2.0 * h) * g->rhs[i][m];
		grid_move(g, -side * h);
	}
	for (int i = 0; i < points; i++)
		for (int m = 0; m < FIELDS; m++)
			residual += left[i][m] * left[i][m];
	free(left);
	return sqrt(residual / whole);
}

static void step(struct grid *g, int sweeps)
{
	rhs_compute(g);
	rows_build(g);
	memset(g->delta, 0, (size_t)g->nx * g->ny * g->nz * sizeof(*g->delta));
	for (int i = 0; i < sweeps; i += 2) {
		sweep_up(g);
		sweep_down(g);
	}
}

int main(int argc, char **argv)
{
	struct workload w = workload_begin("ssor", argc, argv);
	const struct plan *plan = &plans[w.size];
	struct grid g;
	double error;

	check_jacobian(&w);
	grid_init(&g, plan);
	grid_prepare(&g, &w);
	error = grid_error(&g);
	workload_digest_double(&w, error);
	for (int i = 0; i < plan->steps; i++) {
		double now;

		step(&g, plan->sweeps);
		if (i == 0) {
			double residual = linear_residual(&g);

			workload_check(&w, residual < plan->tolerance,
				       "sweeps solve the linear system");
			workload_digest_double(&w, residual);
		}
		grid_move(&g, 1.0);
		now = grid_error(&g);
		workload_check(&w, now < 0.97 * error, "each step approaches the steady state");
		workload_digest_double(&w, now);
		error = now;
	}
	for (int z = 0; z < g.nz; z++)
		for (int m = 0; m < FIELDS; m++)
			workload_digest_double(&w, g.u[grid_point(&g, g.nx / 2, g.ny / 3, z)][m]);
	grid_release(&g);
	return workload_end(&w);
}
