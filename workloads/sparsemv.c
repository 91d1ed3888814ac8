/*
 * sparsemv - stands for SPEC CPU2000 183.equake: waves from an earthquake's
 * source through a valley, by explicit finite elements on an irregular mesh.
 *
 * The ground is a box of nodes joined along the edges of a tetrahedral mesh
 * and numbered in no useful order, as a mesh generator leaves them. The
 * stiffness matrix holds one 3x3 block per edge, upper triangle only, in
 * compressed rows; displacements, velocities and forces are tables of
 * pointers to separately allocated 3-vectors. As in equake nearly all time
 * goes to the symmetric sparse matrix-vector product, which streams blocks
 * and gathers and scatters vectors through column numbers, followed by plain
 * loops of the time integration over all nodes. Stiffness, source and the
 * layers of the ground are synthetic; the mesh is not a real valley.
 *
 * Checked: internal forces sum to zero, the centre of mass follows its own
 * scalar equation of motion, and the last product equals the forces summed
 * edge by edge without the matrix.
 */
#include <math.h>
#include "workload.h"

#define STEP	0.08 /* time step */
#define DAMPING 0.04 /* mass-proportional */
#define SHEAR	0.15 /* sideways stiffness of an edge, relative to its axis */

struct edge {
	int a, b;
	double stiffness;
	double axis[3]; /* unit vector from a to b */
};

struct mesh {
	int side;
	int nodes;
	int edges;
	struct edge *edge;
	double (*position)[3];
	double *mass;
};

struct block {
	double at[3][3];
};

/* Symmetric; row i holds its diagonal block first, then those with column > i. */
struct matrix {
	int rows;
	int *first;
	int *column;
	struct block *block;
};

typedef double *vector;

struct quake {
	struct mesh mesh;
	struct matrix stiffness;
	vector *before, *now, *after; /* displacements at three times */
	vector *velocity;
	vector *force;
	int source;
	double slip[3]; /* direction the source pushes */
};

struct plan {
	int side, steps;
};

static const struct plan plans[] = {
	[SIZE_TEST] = {5, 6},
	[SIZE_SMALL] = {13, 13},
	[SIZE_REF] = {20, 85},
};

static vector *vectors_create(int count)
{
	vector *v = workload_alloc((size_t)count * sizeof(*v));

	for (int i = 0; i < count; i++)
		v[i] = workload_alloc(3 * sizeof(**v));
	return v;
}

static void vectors_destroy(vector *v, int count)
{
	for (int i = 0; i < count; i++)
		free(v[i]);
	free(v);
}

static int *shuffled_numbers(struct workload *w, int count)
{
	int *number = workload_alloc((size_t)count * sizeof(*number));

	for (int i = 0; i < count; i++) {
		int j = (int)workload_below(w, (uint32_t)i + 1);

		number[i] = number[j];
		number[j] = i;
	}
	return number;
}

static void mesh_add_edge(struct mesh *m, int a, int b)
{
	struct edge *e = &m->edge[m->edges++];
	double depth = 0.5 * (m->position[a][2] + m->position[b][2]) / m->side;
	double length = 0.0;

	e->a = a < b ? a : b;
	e->b = a < b ? b : a;
	for (int d = 0; d < 3; d++) {
		e->axis[d] = m->position[e->b][d] - m->position[e->a][d];
		length += e->axis[d] * e->axis[d];
	}
	length = sqrt(length);
	for (int d = 0; d < 3; d++)
		e->axis[d] /= length;
	/* Soft sediment on top, rock below a third of the depth. */
	e->stiffness = (depth < 0.33 ? 0.4 + depth : 2.0 + depth) / length;
}

/* Nodes of a jittered box; each cube is cut into six tetrahedra along its main diagonal. */
static void mesh_init(struct mesh *m, struct workload *w, int side)
{
	int *number;

	m->side = side;
	m->nodes = side * side * side;
	m->edges = 0;
	m->edge = workload_alloc((size_t)m->nodes * 7 * sizeof(*m->edge));
	m->position = workload_alloc((size_t)m->nodes * sizeof(*m->position));
	m->mass = workload_alloc((size_t)m->nodes * sizeof(*m->mass));
	number = shuffled_numbers(w, m->nodes);
	for (int i = 0; i < m->nodes; i++) {
		uint64_t jitter = workload_random(w);
		double *p = m->position[number[i]];
		int cell[3] = {i % side, i / side % side, i / side / side};

		for (int d = 0; d < 3; d++) {
			p[d] = cell[d] + (double)(jitter & 1023) / 4096.0;
			jitter >>= 10;
		}
		m->mass[number[i]] = 1.0 + (double)(jitter & 1023) / 2048.0;
	}
	for (int i = 0; i < m->nodes; i++)
		for (int step = 1; step < 8; step++) {
			int x = i % side + (step & 1);
			int y = i / side % side + (step >> 1 & 1);
			int z = i / side / side + (step >> 2);

			if (x < side && y < side && z < side)
				mesh_add_edge(m, number[i], number[(z * side + y) * side + x]);
		}
	free(number);
}

static void mesh_release(struct mesh *m)
{
	free(m->edge);
	free(m->position);
	free(m->mass);
}

/* The force on one end of an edge per displacement of the other, as a 3x3 block. */
static void edge_block(const struct edge *e, struct block *out)
{
	for (int i = 0; i < 3; i++) {
		double along = (1.0 - SHEAR) * e->stiffness * e->axis[i];

		for (int j = 0; j < 3; j++)
			out->at[i][j] = along * e->axis[j];
		out->at[i][i] += SHEAR * e->stiffness;
	}
}

static void matrix_init(struct matrix *k, int rows, int blocks)
{
	k->rows = rows;
	k->first = workload_alloc(((size_t)rows + 1) * sizeof(*k->first));
	k->column = workload_alloc((size_t)blocks * sizeof(*k->column));
	k->block = workload_alloc((size_t)blocks * sizeof(*k->block));
}

static void matrix_release(struct matrix *k)
{
	free(k->first);
	free(k->column);
	free(k->block);
}

static void block_add(struct block *sum, const struct block *b, double factor)
{
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			sum->at[i][j] += factor * b->at[i][j];
}

static void matrix_assemble(struct matrix *k, const struct mesh *m)
{
	int *fill = workload_alloc((size_t)m->nodes * sizeof(*fill));
	int total = 0;

	matrix_init(k, m->nodes, m->nodes + m->edges);
	for (int e = 0; e < m->edges; e++)
		fill[m->edge[e].a]++;
	for (int i = 0; i < m->nodes; i++) {
		k->first[i] = total;
		k->column[total] = i;
		total += 1 + fill[i];
		fill[i] = k->first[i] + 1;
	}
	k->first[m->nodes] = total;
	for (int e = 0; e < m->edges; e++) {
		const struct edge *edge = &m->edge[e];
		int at = fill[edge->a]++;
		struct block block;

		edge_block(edge, &block);
		k->column[at] = edge->b;
		block_add(&k->block[at], &block, -1.0);
		block_add(&k->block[k->first[edge->a]], &block, 1.0);
		block_add(&k->block[k->first[edge->b]], &block, 1.0);
	}
	free(fill);
}

/* out = K v; a block serves its own row and, transposed, its column's. */
static __attribute__((noinline)) void matrix_product(const struct matrix *k, vector *v, vector *out)
{
	for (int i = 0; i < k->rows; i++)
		out[i][0] = out[i][1] = out[i][2] = 0.0;
	for (int i = 0; i < k->rows; i++) {
		int at = k->first[i], end = k->first[i + 1];
		const struct block *b = &k->block[at];
		double x = v[i][0], y = v[i][1], z = v[i][2];
		double sx = b->at[0][0] * x + b->at[0][1] * y + b->at[0][2] * z;
		double sy = b->at[1][0] * x + b->at[1][1] * y + b->at[1][2] * z;
		double sz = b->at[2][0] * x + b->at[2][1] * y + b->at[2][2] * z;

		for (at++, b++; at < end; at++, b++) {
			const double *u = v[k->column[at]];
			double *o = out[k->column[at]];

			sx += b->at[0][0] * u[0] + b->at[0][1] * u[1] + b->at[0][2] * u[2];
			sy += b->at[1][0] * u[0] + b->at[1][1] * u[1] + b->at[1][2] * u[2];
			sz += b->at[2][0] * u[0] + b->at[2][1] * u[1] + b->at[2][2] * u[2];
			o[0] += b->at[0][0] * x + b->at[1][0] * y + b->at[2][0] * z;
			o[1] += b->at[0][1] * x + b->at[1][1] * y + b->at[2][1] * z;
			o[2] += b->at[0][2] * x + b->at[1][2] * y + b->at[2][2] * z;
		}
		out[i][0] += sx;
		out[i][1] += sy;
		out[i][2] += sz;
	}
}

/* A smooth pulse: rises and dies within two time units. */
static double source_strength(double time)
{
	double s = time * (2.0 - time);

	return s > 0.0 ? 5.0 * s * s : 0.0;
}

static void quake_init(struct quake *q, struct workload *w, int side)
{
	double length = 0.0, nearest = 1e9;

	mesh_init(&q->mesh, w, side);
	matrix_assemble(&q->stiffness, &q->mesh);
	q->before = vectors_create(q->mesh.nodes);
	q->now = vectors_create(q->mesh.nodes);
	q->after = vectors_create(q->mesh.nodes);
	q->velocity = vectors_create(q->mesh.nodes);
	q->force = vectors_create(q->mesh.nodes);
	for (int d = 0; d < 3; d++) {
		q->slip[d] = workload_unit(w) - 0.3;
		length += q->slip[d] * q->slip[d];
	}
	for (int d = 0; d < 3; d++)
		q->slip[d] /= sqrt(length);
	/* The source is the node nearest to the middle, a little below it. */
	for (int i = 0; i < q->mesh.nodes; i++) {
		double distance = 0.0;

		for (int d = 0; d < 3; d++) {
			double off = q->mesh.position[i][d] - (0.5 + 0.1 * (d == 2)) * side;

			distance += off * off;
		}
		if (distance < nearest) {
			nearest = distance;
			q->source = i;
		}
	}
}

static void quake_release(struct quake *q)
{
	vectors_destroy(q->before, q->mesh.nodes);
	vectors_destroy(q->now, q->mesh.nodes);
	vectors_destroy(q->after, q->mesh.nodes);
	vectors_destroy(q->velocity, q->mesh.nodes);
	vectors_destroy(q->force, q->mesh.nodes);
	matrix_release(&q->stiffness);
	mesh_release(&q->mesh);
}

/* Central differences with the damping split between both sides. */
static void quake_integrate(struct quake *q, double push)
{
	const double half = 0.5 * DAMPING * STEP;
	vector *spare = q->before;

	for (int d = 0; d < 3; d++)
		q->force[q->source][d] -= push * q->slip[d];
	for (int i = 0; i < q->mesh.nodes; i++) {
		double kick = STEP * STEP / q->mesh.mass[i];

		for (int d = 0; d < 3; d++)
			q->after[i][d] = (2.0 * q->now[i][d] - (1.0 - half) * q->before[i][d] -
					  kick * q->force[i][d]) /
					 (1.0 + half);
	}
	for (int i = 0; i < q->mesh.nodes; i++)
		for (int d = 0; d < 3; d++)
			q->velocity[i][d] = (q->after[i][d] - q->before[i][d]) / (2.0 * STEP);
	q->before = q->now;
	q->now = q->after;
	q->after = spare;
}

static double quake_shaking(const struct quake *q)
{
	double energy = 0.0;

	for (int i = 0; i < q->mesh.nodes; i++) {
		const double *v = q->velocity[i];

		energy += 0.5 * q->mesh.mass[i] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
	}
	return energy;
}

static double forces_sum(const struct quake *q)
{
	double sum[3] = {0};

	for (int i = 0; i < q->mesh.nodes; i++)
		for (int d = 0; d < 3; d++)
			sum[d] += q->force[i][d];
	return fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2]);
}

/* Mass-weighted displacement along the slip, which only the source can move. */
static double mass_moment(const struct quake *q)
{
	double sum = 0.0;

	for (int i = 0; i < q->mesh.nodes; i++)
		for (int d = 0; d < 3; d++)
			sum += q->mesh.mass[i] * q->now[i][d] * q->slip[d];
	return sum;
}

/* Largest difference between the product in q->force and forces taken edge by edge. */
static double matrix_free_difference(struct quake *q)
{
	vector *sum = vectors_create(q->mesh.nodes);
	double worst = 0.0;

	for (int e = 0; e < q->mesh.edges; e++) {
		const struct edge *edge = &q->mesh.edge[e];
		double stretch[3], along = 0.0;

		for (int d = 0; d < 3; d++) {
			stretch[d] = q->now[edge->b][d] - q->now[edge->a][d];
			along += stretch[d] * edge->axis[d];
		}
		for (int d = 0; d < 3; d++) {
			double pull = edge->stiffness *
				      ((1.0 - SHEAR) * along * edge->axis[d] + SHEAR * stretch[d]);

			sum[edge->a][d] -= pull;
			sum[edge->b][d] += pull;
		}
	}
	for (int i = 0; i < q->mesh.nodes; i++)
		for (int d = 0; d < 3; d++)
			if (fabs(sum[i][d] - q->force[i][d]) > worst)
				worst = fabs(sum[i][d] - q->force[i][d]);
	vectors_destroy(sum, q->mesh.nodes);
	return worst;
}

int main(int argc, char **argv)
{
	struct workload w = workload_begin("sparsemv", argc, argv);
	const struct plan *plan = &plans[w.size];
	const double half = 0.5 * DAMPING * STEP;
	double moment_before = 0.0, moment = 0.0;
	struct quake q;

	quake_init(&q, &w, plan->side);
	for (int t = 1; t <= plan->steps; t++) {
		double push = source_strength(t * STEP), next;

		matrix_product(&q.stiffness, q.now, q.force);
		workload_check(&w, forces_sum(&q) < 1e-9, "internal forces sum to zero");
		quake_integrate(&q, push);
		next = (2.0 * moment - (1.0 - half) * moment_before + STEP * STEP * push) /
		       (1.0 + half);
		moment_before = moment;
		moment = next;
		if (t % 4 == 0)
			workload_digest_double(&w, quake_shaking(&q));
	}
	workload_check(&w, moment > 0.0 && fabs(mass_moment(&q) - moment) < 1e-9 * moment,
		       "the centre of mass follows its equation of motion");
	matrix_product(&q.stiffness, q.now, q.force);
	workload_check(&w, matrix_free_difference(&q) < 1e-11,
		       "product equals forces summed edge by edge");
	for (int d = 0; d < 3; d++) {
		workload_digest_double(&w, q.now[q.source][d]);
		workload_digest_double(&w, q.velocity[0][d]);
	}
	quake_release(&q);
	return workload_end(&w);
}
