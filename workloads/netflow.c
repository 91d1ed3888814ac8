/*
 * netflow - vehicle scheduling by network simplex, in the character of mcf.
 *
 * SPEC's mcf schedules the buses of a city: every timetabled trip must be
 * driven once, a bus may go on from the end of one trip to the start of a
 * later one, and buses cost money. It is a minimum cost flow problem, solved
 * by a primal network simplex whose arcs are made as they are needed. So is
 * this one, with the same structures:
 *
 *   nodes   one for the end and one for the start of every trip, and the
 *           depot, threaded into the basis tree by parent, child and sibling
 *           pointers, each holding its potential, its basic arc and the flow
 *   arcs    64 byte records with pointers to tail, head and the next arc of
 *           the same trip, in the order in which they were generated, which
 *           is no order of the trips
 *
 * Pricing goes round the trips, a few at a time, follows the list of each,
 * reads the potentials of both ends of every arc through its pointers, and
 * keeps a basket of candidates; a pivot climbs from
 * both ends to the common ancestor, re-roots the subtree cut off and walks it
 * to shift its potentials. Nearly every one of these reads is a cache miss
 * whose address came from memory. When no arc prices out, the connections not
 * yet in the network are priced from the timetable and the best are added.
 *
 * Checked: flow is conserved and no arc flows backwards; no arc, in the
 * network or out of it, has a negative reduced cost; primal and dual
 * objectives agree (so the schedule is optimal); and following the buses
 * covers every trip exactly once.
 */
#include "workload.h"

enum {
	BASKET_FULL = 6,	   /* candidates worth sorting */
	BASKET_MAX = 100,	   /* a group can add this many to them */
	GROUP_TRIPS = 2,	   /* whose arcs are one pricing group */
	DAY_MINUTES = 1200,	   /* trips start within this */
	TOWN_SIDE = 60,		   /* minutes to drive across */
	BUS_COST = 5000,	   /* paid once per bus, on leaving the depot */
	FIRST_CONNECTIONS = 36,	   /* per trip, in the network from the start */
	ADDED_PER_ROUND = 4,	   /* per trip and round of generation */
	LONGEST_WAIT_MINUTES = 120 /* no generated connection waits longer */
};

enum direction { UP, DOWN }; /* of a basic arc, as seen from the node below it */

struct arc;
struct trip;

struct node {
	int64_t potential;
	struct node *parent;
	struct node *child;
	struct node *sibling;
	struct node *sibling_before;
	struct arc *basic_arc; /* to the parent */
	int64_t flow;	       /* on the basic arc */
	enum direction direction;
	int32_t depth;
	int64_t balance; /* what the node supplies; negative is demand */
	int64_t net;	 /* scratch of the check */
};

struct arc {
	struct node *tail;
	struct node *head;
	int64_t cost;
	int64_t flow;		/* written back from the tree when the solve is over */
	struct trip *from_trip; /* NULL: the depot */
	struct trip *to_trip;
	struct arc *next; /* of those priced with the same trip */
	int32_t basic;
	int32_t round; /* of generation that made it */
};

struct trip {
	int32_t start_minute, end_minute;
	int16_t from_x, from_y, to_x, to_y;
	struct node *start; /* demands a bus */
	struct node *end;   /* supplies one */
	struct arc *arcs;   /* its connections, and its arcs from and to the depot */
	struct trip *ring;  /* next to be priced */
};

struct candidate {
	struct arc *arc;
	int64_t reduced_cost;
};

struct network {
	struct trip *trips; /* by start time */
	struct node *nodes; /* the depot is node 0 */
	struct arc *arcs;
	int trip_count, node_count, arc_count, arc_limit;

	struct candidate basket[BASKET_MAX];
	int basket_count;
	struct trip *turn; /* next to be priced */

	uint64_t pivots, degenerate_pivots;
};

static int64_t reduced_cost(const struct arc *a)
{
	return a->cost - a->tail->potential + a->head->potential;
}

static int distance(int ax, int ay, int bx, int by)
{
	return abs(ax - bx) + abs(ay - by);
}

static int trip_order(const void *a, const void *b)
{
	const struct trip *s = a, *t = b;

	if (s->start_minute != t->start_minute)
		return s->start_minute < t->start_minute ? -1 : 1;
	if (s->end_minute != t->end_minute)
		return s->end_minute < t->end_minute ? -1 : 1;
	return (s->from_x > t->from_x) - (s->from_x < t->from_x);
}

static void timetable_make(struct network *net, struct workload *w)
{
	for (int i = 0; i < net->trip_count; i++) {
		struct trip *t = &net->trips[i];

		t->from_x = (int16_t)workload_below(w, TOWN_SIDE);
		t->from_y = (int16_t)workload_below(w, TOWN_SIDE);
		t->to_x = (int16_t)workload_below(w, TOWN_SIDE);
		t->to_y = (int16_t)workload_below(w, TOWN_SIDE);
		t->start_minute = (int32_t)workload_below(w, DAY_MINUTES);
		t->end_minute = t->start_minute + 5 +
				distance(t->from_x, t->from_y, t->to_x, t->to_y) +
				(int32_t)workload_below(w, 20);
	}
	qsort(net->trips, (size_t)net->trip_count, sizeof(*net->trips), trip_order);
}

/* The first trip that starts at or after the minute. */
static int trip_after(const struct network *net, int minute)
{
	int low = 0, high = net->trip_count;

	while (low < high) {
		int middle = (low + high) / 2;

		if (net->trips[middle].start_minute < minute)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Cost of driving u after t with the same bus, or -1 if it cannot be done. */
static int64_t connection_cost(const struct trip *t, const struct trip *u)
{
	int drive = distance(t->to_x, t->to_y, u->from_x, u->from_y);
	int wait = u->start_minute - t->end_minute - drive;

	if (wait < 0)
		return -1;
	return 20 * drive + 3 * wait;
}

/* The arc is priced together with the trip's others. */
static struct arc *arc_add(struct network *net, struct trip *with, struct node *tail,
			   struct node *head, int64_t cost)
{
	struct arc *a = &net->arcs[net->arc_count++];

	a->tail = tail;
	a->head = head;
	a->cost = cost;
	a->next = with->arcs;
	with->arcs = a;
	return a;
}

static void connection_add(struct network *net, struct trip *from, struct trip *to, int64_t cost,
			   int round)
{
	struct arc *a = arc_add(net, from, from->end, to->start, cost);

	a->from_trip = from;
	a->to_trip = to;
	a->round = round;
}

static void tree_hang(struct node *n, struct node *parent)
{
	n->parent = parent;
	n->sibling_before = NULL;
	n->sibling = parent->child;
	if (n->sibling)
		n->sibling->sibling_before = n;
	parent->child = n;
}

static void tree_cut(struct node *n)
{
	if (n->sibling_before)
		n->sibling_before->sibling = n->sibling;
	else
		n->parent->child = n->sibling;
	if (n->sibling)
		n->sibling->sibling_before = n->sibling_before;
}

static void first_basic(struct node *n, struct node *depot, struct arc *a, enum direction direction)
{
	a->basic = 1;
	n->basic_arc = a;
	n->direction = direction;
	n->potential = direction == UP ? a->cost : -a->cost;
	n->flow = 1;
	n->depth = 1;
	tree_hang(n, depot);
}

/* Every node hangs on the depot by its own arc: one bus per trip. */
static void first_basis(struct network *net)
{
	struct node *depot = &net->nodes[0];

	for (int i = 0; i < net->trip_count; i++) {
		struct trip *t = &net->trips[i];
		struct arc *out = arc_add(net, t, depot, t->start, BUS_COST);
		struct arc *in = arc_add(net, t, t->end, depot, 200);

		out->to_trip = t;
		in->from_trip = t;
		first_basic(t->start, depot, out, DOWN);
		first_basic(t->end, depot, in, UP);
	}
}

/* Deals the connections out one per trip and pass, so that a trip's lie far apart. */
static void first_connections(struct network *net)
{
	int *cursor = workload_alloc(sizeof(*cursor) * (size_t)net->trip_count);

	for (int i = 0; i < net->trip_count; i++)
		cursor[i] = trip_after(net, net->trips[i].end_minute);
	for (int pass = 0; pass < FIRST_CONNECTIONS; pass++) {
		struct trip *t = net->turn;

		do {
			int *to = &cursor[t - net->trips];
			int64_t cost = -1;

			while (*to < net->trip_count && cost < 0)
				cost = connection_cost(t, &net->trips[(*to)++]);
			if (cost >= 0)
				connection_add(net, t, &net->trips[*to - 1], cost, 0);
			t = t->ring;
		} while (t != net->turn);
	}
	free(cursor);
}

static uint32_t *shuffled(struct workload *w, int count)
{
	uint32_t *order = workload_alloc(sizeof(*order) * (size_t)count);

	for (int i = 0; i < count; i++) {
		uint32_t j = workload_below(w, (uint32_t)i + 1);

		order[i] = order[j];
		order[j] = (uint32_t)i;
	}
	return order;
}

static struct network *network_create(struct workload *w, int trip_count)
{
	struct network *net = workload_alloc(sizeof(*net));
	uint32_t *order;

	net->trip_count = trip_count;
	net->node_count = 2 * trip_count + 1;
	net->arc_limit = trip_count * (FIRST_CONNECTIONS + 40);
	net->trips = workload_alloc(sizeof(*net->trips) * (size_t)trip_count);
	net->nodes = workload_alloc(sizeof(*net->nodes) * (size_t)net->node_count);
	net->arcs = workload_alloc(sizeof(*net->arcs) * (size_t)net->arc_limit);
	timetable_make(net, w);

	/* Nodes lie anywhere: a timetable is not entered in the order of its times. */
	order = shuffled(w, 2 * trip_count);
	for (int i = 0; i < trip_count; i++) {
		net->trips[i].start = &net->nodes[1 + order[2 * i]];
		net->trips[i].end = &net->nodes[1 + order[2 * i + 1]];
		net->trips[i].start->balance = -1;
		net->trips[i].end->balance = 1;
	}
	free(order);
	order = shuffled(w, trip_count);
	for (int i = 0; i < trip_count; i++)
		net->trips[order[i]].ring = &net->trips[order[(i + 1) % trip_count]];
	net->turn = &net->trips[order[0]];
	free(order);
	first_basis(net);
	first_connections(net);
	return net;
}

static void network_destroy(struct network *net)
{
	free(net->trips);
	free(net->nodes);
	free(net->arcs);
	free(net);
}

static int candidate_better(const struct candidate *a, const struct candidate *b)
{
	if (a->reduced_cost != b->reduced_cost)
		return a->reduced_cost < b->reduced_cost;
	return a->arc < b->arc;
}

/* Most negative first. */
static void basket_sort(struct candidate *c, int low, int high)
{
	while (low < high) {
		struct candidate pivot = c[(low + high) / 2], swap;
		int i = low, j = high;

		while (i <= j) {
			while (candidate_better(&c[i], &pivot))
				i++;
			while (candidate_better(&pivot, &c[j]))
				j--;
			if (i <= j) {
				swap = c[i];
				c[i++] = c[j];
				c[j--] = swap;
			}
		}
		if (j - low < high - i) {
			basket_sort(c, low, j);
			low = i;
		} else {
			basket_sort(c, i, high);
			high = j;
		}
	}
}

static void price_trip(struct network *net, const struct trip *t)
{
	for (struct arc *a = t->arcs; a; a = a->next) {
		int64_t cost;

		if (a->basic)
			continue;
		cost = reduced_cost(a);
		if (cost < 0 && net->basket_count < BASKET_MAX)
			net->basket[net->basket_count++] = (struct candidate){a, cost};
	}
}

/*
 * The arc to enter, or NULL if the basis is optimal: what is left of the best
 * candidates of last time, and those of as many further trips as fill the basket.
 */
static struct arc *price(struct network *net)
{
	int kept = 0, trips_seen = 0;

	for (int i = 0; i < net->basket_count && i < BASKET_FULL; i++) {
		struct arc *a = net->basket[i].arc;
		int64_t cost = a->basic ? 0 : reduced_cost(a);

		if (cost < 0)
			net->basket[kept++] = (struct candidate){a, cost};
	}
	net->basket_count = kept;
	while (net->basket_count < BASKET_FULL && trips_seen < net->trip_count) {
		for (int i = 0; i < GROUP_TRIPS; i++, trips_seen++) {
			price_trip(net, net->turn);
			net->turn = net->turn->ring;
		}
	}
	if (net->basket_count == 0)
		return NULL;
	basket_sort(net->basket, 0, net->basket_count - 1);
	return net->basket[0].arc;
}

struct ratio {
	struct node *leaving; /* its basic arc blocks */
	struct node *join;
	int64_t amount;
	int on_head_side;
};

/*
 * The node whose basic arc leaves: the last blocking arc of the cycle as it is
 * driven from the join (Cunningham 1976), which keeps the tree strongly
 * feasible and so cannot cycle.
 */
static struct ratio ratio_test(const struct arc *entering)
{
	struct ratio r = {.amount = INT64_MAX};
	struct node *t = entering->tail, *h = entering->head;
	int64_t head_amount = INT64_MAX;
	struct node *head_leaving = NULL;

	while (t != h) {
		if (t->depth >= h->depth) {
			if (t->direction == UP && t->flow < r.amount) {
				r.amount = t->flow;
				r.leaving = t;
			}
			t = t->parent;
		} else {
			if (h->direction == DOWN && h->flow <= head_amount) {
				head_amount = h->flow;
				head_leaving = h;
			}
			h = h->parent;
		}
	}
	r.join = t;
	if (head_leaving && head_amount <= r.amount) {
		r.amount = head_amount;
		r.leaving = head_leaving;
		r.on_head_side = 1;
	}
	return r;
}

static void push_flow(const struct arc *entering, const struct ratio *r)
{
	for (struct node *n = entering->tail; n != r->join; n = n->parent)
		n->flow += n->direction == UP ? -r->amount : r->amount;
	for (struct node *n = entering->head; n != r->join; n = n->parent)
		n->flow += n->direction == UP ? r->amount : -r->amount;
}

/* Turns the path from n up to top over, so that n is the root of the subtree cut off. */
static void reroot(struct node *n, const struct node *top, struct node *new_parent,
		   struct arc *new_arc, int64_t new_flow, enum direction new_direction)
{
	for (;;) {
		struct node *old_parent = n->parent;
		struct arc *old_arc = n->basic_arc;
		int64_t old_flow = n->flow;
		enum direction old_direction = n->direction;

		tree_cut(n);
		tree_hang(n, new_parent);
		n->basic_arc = new_arc;
		n->flow = new_flow;
		n->direction = new_direction;
		if (n == top) {
			old_arc->basic = 0;
			return;
		}
		new_parent = n;
		new_arc = old_arc;
		new_flow = old_flow;
		new_direction = old_direction == UP ? DOWN : UP;
		n = old_parent;
	}
}

/* Walks the subtree in preorder without a stack. */
static void shift_subtree(struct node *root, int64_t by)
{
	struct node *n = root;

	for (;;) {
		n->potential += by;
		n->depth = n->parent->depth + 1;
		if (n->child) {
			n = n->child;
			continue;
		}
		while (n != root && !n->sibling)
			n = n->parent;
		if (n == root)
			return;
		n = n->sibling;
	}
}

static void pivot(struct network *net, struct arc *entering)
{
	struct ratio r = ratio_test(entering);
	int64_t cost = reduced_cost(entering);

	if (r.amount)
		push_flow(entering, &r);
	else
		net->degenerate_pivots++;
	entering->basic = 1;
	if (r.on_head_side) {
		reroot(entering->head, r.leaving, entering->tail, entering, r.amount, DOWN);
		shift_subtree(entering->head, -cost);
	} else {
		reroot(entering->tail, r.leaving, entering->head, entering, r.amount, UP);
		shift_subtree(entering->tail, cost);
	}
	net->pivots++;
}

static void simplex(struct network *net)
{
	struct arc *entering;

	net->basket_count = 0;
	while ((entering = price(net)) != NULL)
		pivot(net, entering);
}

/* Adds the few best connections that price out; returns how many, over all trips. */
static int generate_connections(struct network *net, int round)
{
	int added = 0;

	for (int from = 0; from < net->trip_count; from++) {
		struct trip *t = &net->trips[from];
		int64_t best_cost[ADDED_PER_ROUND];
		struct trip *best[ADDED_PER_ROUND];
		int count = 0;

		for (int to = trip_after(net, t->end_minute); to < net->trip_count; to++) {
			struct trip *u = &net->trips[to];
			int64_t cost, reduced;
			int i;

			if (u->start_minute > t->end_minute + LONGEST_WAIT_MINUTES)
				break;
			cost = connection_cost(t, u);
			if (cost < 0)
				continue;
			reduced = cost - t->end->potential + u->start->potential;
			if (reduced >= 0 ||
			    (count == ADDED_PER_ROUND && reduced >= best_cost[count - 1]))
				continue;
			if (count < ADDED_PER_ROUND)
				count++;
			for (i = count - 1; i > 0 && best_cost[i - 1] > reduced; i--) {
				best_cost[i] = best_cost[i - 1];
				best[i] = best[i - 1];
			}
			best_cost[i] = reduced;
			best[i] = u;
		}
		for (int i = 0; i < count && net->arc_count < net->arc_limit; i++) {
			connection_add(net, t, best[i], connection_cost(t, best[i]), round);
			added++;
		}
	}
	return added;
}

static void write_back_flows(struct network *net)
{
	for (int i = 0; i < net->arc_count; i++)
		net->arcs[i].flow = 0;
	for (int i = 1; i < net->node_count; i++)
		net->nodes[i].basic_arc->flow = net->nodes[i].flow;
}

static void check_flow(const struct workload *w, struct network *net)
{
	int conserved = 1, forward = 1;

	for (int i = 0; i < net->node_count; i++)
		net->nodes[i].net = net->nodes[i].balance;
	for (int i = 0; i < net->arc_count; i++) {
		const struct arc *a = &net->arcs[i];

		forward &= a->flow >= 0;
		a->tail->net -= a->flow;
		a->head->net += a->flow;
	}
	for (int i = 0; i < net->node_count; i++)
		conserved &= net->nodes[i].net == 0;
	workload_check(w, forward, "no arc flows backwards");
	workload_check(w, conserved, "flow is conserved at every node");
}

static int64_t check_optimal(const struct workload *w, const struct network *net)
{
	int64_t primal = 0, dual = 0;
	int priced = 1, slack = 1;

	for (int i = 0; i < net->arc_count; i++) {
		const struct arc *a = &net->arcs[i];
		int64_t cost = reduced_cost(a);

		primal += a->cost * a->flow;
		priced &= cost >= 0;
		slack &= cost == 0 || a->flow == 0;
	}
	for (int i = 0; i < net->node_count; i++)
		dual += net->nodes[i].balance * net->nodes[i].potential;
	workload_check(w, priced, "no arc has a negative reduced cost");
	workload_check(w, slack, "arcs with flow have reduced cost zero");
	workload_check(w, primal == dual, "primal and dual objective agree");
	return primal;
}

/* Drives every bus along its trips; returns the number of buses. */
static int check_schedule(const struct workload *w, const struct network *net)
{
	struct trip **next = workload_alloc(sizeof(*next) * (size_t)net->trip_count);
	uint8_t *driven = workload_alloc((size_t)net->trip_count);
	int buses = 0, covered = 0, possible = 1;

	for (int i = 0; i < net->arc_count; i++) {
		const struct arc *a = &net->arcs[i];

		if (a->flow && a->from_trip)
			next[a->from_trip - net->trips] = a->to_trip;
	}
	for (int i = 0; i < net->arc_count; i++) {
		const struct arc *a = &net->arcs[i];

		if (!a->flow || a->from_trip)
			continue;
		buses++;
		for (struct trip *t = a->to_trip, *then; t && possible; t = then) {
			then = next[t - net->trips];
			possible &= !driven[t - net->trips]++;
			possible &= !then || connection_cost(t, then) >= 0;
			covered++;
		}
	}
	workload_check(w, possible, "every bus reaches its next trip in time");
	workload_check(w, covered == net->trip_count, "every trip is driven once");
	free(next);
	free(driven);
	return buses;
}

int main(int argc, char **argv)
{
	static const int trips[] = {82, 740, 4100};
	struct workload w = workload_begin("netflow", argc, argv);
	struct network *net = network_create(&w, trips[w.size]);
	int round = 0, added;
	uint32_t late = 0; /* connections used that were not there at first */
	int64_t cost;

	do {
		simplex(net);
		added = generate_connections(net, ++round);
	} while (added);
	workload_check(&w, net->arc_count < net->arc_limit, "every connection found its room");
	write_back_flows(net);
	check_flow(&w, net);
	cost = check_optimal(&w, net);
	workload_digest(&w, (uint64_t)cost);
	workload_digest(&w, (uint64_t)check_schedule(&w, net));
	workload_digest(&w, net->pivots);
	workload_digest(&w, net->degenerate_pivots);
	for (int i = 0; i < net->arc_count; i++)
		late += net->arcs[i].flow > 0 && net->arcs[i].round > 0;
	workload_digest(&w, (uint64_t)net->arc_count << 32 | late);
	network_destroy(net);
	return workload_end(&w);
}
