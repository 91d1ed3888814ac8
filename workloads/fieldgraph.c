/*
 * fieldgraph - stands for Olden em3d: an electromagnetic wave on an irregular
 * bipartite graph of electric and magnetic field nodes.
 *
 * As in em3d each kind of node forms a linked list; a node holds its value, a
 * list of coefficients and, for every incoming dependence, a pointer straight
 * to the value inside another node. A step walks the electric list and
 * subtracts from each value the weighted values it depends on, then does the
 * same for the magnetic list. Nodes are malloc'd one by one and linked in
 * another order, and dependences mostly point near but often anywhere, so the
 * walk jumps about in several megabytes; branches depend only on list ends
 * and on the nodes' varying degrees.
 *
 * The graph is built as the original does it: each node first picks the nodes
 * it influences, counting how often everyone was picked, and then arrays of
 * exactly that size are hung on the picked ones and filled.
 *
 * Checked: dependences picked equal dependences received, the field stays
 * bounded, and the last step equals the same step done from a flat list of
 * (from, to, coefficient) triples.
 */
#include <math.h>
#include "workload.h"

struct node {
	double value;
	struct node *next;
	struct node **to_nodes; /* nodes this one influences */
	double **from_values;	/* values it depends on */
	double *coefficient;	/* one per from_values entry */
	int degree;		/* entries in to_nodes */
	int from_count;
	int from_filled;
	int number; /* position in the list, for reports */
};

struct field {
	int count;
	struct node *first;
	struct node **table; /* by number */
};

struct graph {
	struct field electric, magnetic;
};

struct plan {
	int nodes; /* of each kind */
	int degree;
	int steps;
};

static const struct plan plans[] = {
	[SIZE_TEST] = {130, 6, 20},
	[SIZE_SMALL] = {3600, 8, 26},
	[SIZE_REF] = {20000, 10, 110},
};

static void shuffle(struct workload *w, struct node **table, int count)
{
	for (int i = count - 1; i > 0; i--) {
		int j = (int)workload_below(w, (uint32_t)i + 1);
		struct node *swap = table[i];

		table[i] = table[j];
		table[j] = swap;
	}
}

/* Allocation order and list order have nothing to do with each other. */
static void field_init(struct field *f, struct workload *w, int count)
{
	f->count = count;
	f->table = workload_alloc((size_t)count * sizeof(*f->table));
	for (int i = 0; i < count; i++)
		f->table[i] = workload_alloc(sizeof(**f->table));
	shuffle(w, f->table, count);
	f->first = f->table[0];
	for (int i = 0; i < count; i++) {
		struct node *n = f->table[i];

		n->number = i;
		n->value = workload_unit(w);
		n->next = i + 1 < count ? f->table[i + 1] : NULL;
	}
}

static void field_release(struct field *f)
{
	for (struct node *n = f->first, *next; n; n = next) {
		next = n->next;
		free(n->to_nodes);
		free(n->from_values);
		free(n->coefficient);
		free(n);
	}
	free(f->table);
}

static int already_chosen(const struct node *n, const struct node *other, int chosen)
{
	for (int i = 0; i < chosen; i++)
		if (n->to_nodes[i] == other)
			return 1;
	return 0;
}

/* One in four influences reaches anywhere; the rest stay within a short stretch of the list. */
static struct node *choose_other(struct workload *w, const struct node *n,
				 const struct field *other)
{
	uint64_t draw = workload_random(w);
	uint32_t reach = (uint32_t)other->count, offset;

	if (draw & 3)
		reach /= 8;
	offset = (uint32_t)(((draw >> 32) * reach) >> 32);
	return other->table[((uint32_t)n->number + offset) % (uint32_t)other->count];
}

static void field_choose_neighbours(struct field *f, struct workload *w, const struct field *other,
				    int degree)
{
	for (struct node *n = f->first; n; n = n->next) {
		/* Degrees vary by two around the mean, as in a graph read from data. */
		n->degree = degree - 2 + (int)workload_below(w, 5);
		n->to_nodes = workload_alloc((size_t)n->degree * sizeof(*n->to_nodes));
		for (int i = 0; i < n->degree; i++) {
			struct node *chosen;

			do
				chosen = choose_other(w, n, other);
			while (already_chosen(n, chosen, i));
			n->to_nodes[i] = chosen;
			chosen->from_count++;
		}
	}
}

static void field_make_room(struct field *f)
{
	for (struct node *n = f->first; n; n = n->next) {
		if (n->from_count == 0)
			continue;
		n->from_values = workload_alloc((size_t)n->from_count * sizeof(*n->from_values));
		n->coefficient = workload_alloc((size_t)n->from_count * sizeof(*n->coefficient));
	}
}

/*
 * An influence of node n on node m gets the coefficient c(n, m); both
 * directions of time use small ones, or the explicit scheme would blow up.
 */
static void field_connect(const struct field *f, struct workload *w, double strength)
{
	for (const struct node *n = f->first; n; n = n->next)
		for (int i = 0; i < n->degree; i++) {
			struct node *other = n->to_nodes[i];
			int slot = other->from_filled++;

			/* The value belongs to n for as long as the graph lives. */
			other->from_values[slot] = &f->table[n->number]->value;
			other->coefficient[slot] = strength * (workload_unit(w) - 0.5);
		}
}

static void graph_init(struct graph *g, struct workload *w, const struct plan *plan)
{
	double strength = 0.1 / plan->degree;

	field_init(&g->electric, w, plan->nodes);
	field_init(&g->magnetic, w, plan->nodes);
	field_choose_neighbours(&g->electric, w, &g->magnetic, plan->degree);
	field_choose_neighbours(&g->magnetic, w, &g->electric, plan->degree);
	field_make_room(&g->electric);
	field_make_room(&g->magnetic);
	field_connect(&g->electric, w, strength);
	field_connect(&g->magnetic, w, strength);
}

static void graph_release(struct graph *g)
{
	field_release(&g->electric);
	field_release(&g->magnetic);
}

static __attribute__((noinline)) void field_step(struct field *f)
{
	for (struct node *n = f->first; n; n = n->next) {
		double value = n->value;

		for (int i = 0; i < n->from_count; i++)
			value -= n->coefficient[i] * *n->from_values[i];
		n->value = value;
	}
}

static double field_energy(const struct field *f)
{
	double energy = 0.0;

	for (const struct node *n = f->first; n; n = n->next)
		energy += n->value * n->value;
	return energy;
}

static void check_degrees(const struct workload *w, const struct field *from,
			  const struct field *to)
{
	long picked = 0, received = 0, full = 1;

	for (const struct node *n = from->first; n; n = n->next)
		picked += n->degree;
	for (const struct node *n = to->first; n; n = n->next) {
		received += n->from_count;
		full &= n->from_filled == n->from_count;
	}
	workload_check(w, picked == received && full, "every dependence found its slot");
}

/* One dependence, with numbers in place of pointers. */
struct link {
	int from, to;
	double coefficient;
};

/*
 * Reads the dependences of one field back as triples. The k-th influence that
 * arrives at a node sits in its k-th slot, so the coefficients are found by
 * replaying the arrivals.
 */
static struct link *links_create(const struct field *from, const struct field *to, int *count)
{
	int *arrived = workload_alloc((size_t)to->count * sizeof(*arrived));
	struct link *links;
	int total = 0;

	for (const struct node *n = from->first; n; n = n->next)
		total += n->degree;
	links = workload_alloc((size_t)total * sizeof(*links));
	*count = 0;
	for (int number = 0; number < from->count; number++) {
		const struct node *n = from->table[number];

		for (int i = 0; i < n->degree; i++) {
			int target = n->to_nodes[i]->number;
			struct link *l = &links[(*count)++];

			l->from = number;
			l->to = target;
			l->coefficient = n->to_nodes[i]->coefficient[arrived[target]++];
		}
	}
	free(arrived);
	return links;
}

static double *values_create(const struct field *f)
{
	double *values = workload_alloc((size_t)f->count * sizeof(*values));

	for (int i = 0; i < f->count; i++)
		values[i] = f->table[i]->value;
	return values;
}

static void links_apply(const struct link *links, int count, const double *from, double *to)
{
	for (int i = 0; i < count; i++)
		to[links[i].to] -= links[i].coefficient * from[links[i].from];
}

static double values_difference(const double *values, const struct field *f)
{
	double worst = 0.0;

	for (const struct node *n = f->first; n; n = n->next) {
		double difference = fabs(n->value - values[n->number]);

		if (!(difference <= worst))
			worst = difference;
	}
	return worst;
}

static void graph_step(struct graph *g)
{
	field_step(&g->electric);
	field_step(&g->magnetic);
}

/* Does one step both ways and compares. */
static void checked_step(struct graph *g, const struct workload *w)
{
	int to_electric, to_magnetic;
	struct link *inward = links_create(&g->magnetic, &g->electric, &to_electric);
	struct link *outward = links_create(&g->electric, &g->magnetic, &to_magnetic);
	double *electric = values_create(&g->electric);
	double *magnetic = values_create(&g->magnetic);

	links_apply(inward, to_electric, magnetic, electric);
	links_apply(outward, to_magnetic, electric, magnetic);
	graph_step(g);
	workload_check(w,
		       values_difference(electric, &g->electric) < 1e-12 &&
			       values_difference(magnetic, &g->magnetic) < 1e-12,
		       "walking the graph equals walking a flat list of dependences");
	free(inward);
	free(outward);
	free(electric);
	free(magnetic);
}

int main(int argc, char **argv)
{
	struct workload w = workload_begin("fieldgraph", argc, argv);
	const struct plan *plan = &plans[w.size];
	struct graph g;
	double before, after;

	graph_init(&g, &w, plan);
	check_degrees(&w, &g.electric, &g.magnetic);
	check_degrees(&w, &g.magnetic, &g.electric);
	before = field_energy(&g.electric) + field_energy(&g.magnetic);
	for (int step = 1; step < plan->steps; step++)
		graph_step(&g);
	checked_step(&g, &w);
	after = field_energy(&g.electric) + field_energy(&g.magnetic);
	workload_check(&w, after < 4.0 * before, "the field stays bounded");
	workload_digest_double(&w, after);
	for (struct node *e = g.electric.first, *m = g.magnetic.first; e; e = e->next, m = m->next)
		if (e->number % 64 == 0) {
			workload_digest_double(&w, e->value);
			workload_digest_double(&w, m->value);
		}
	graph_release(&g);
	return workload_end(&w);
}
