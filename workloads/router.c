/*
 * router - negotiated congestion routing of an FPGA, in the character of vpr.
 *
 * SPEC's vpr places a circuit on an FPGA and routes it; this is the routing,
 * which is most of the time. The chip is a graph of routing resources: output
 * pins, wire segments in channels between the blocks, input pins, and sinks,
 * joined by programmable switches. Each net is routed by a best-first search
 * over that graph from everything it has reached so far to its next sink, with
 * a binary heap of pointers to elements taken from a free list. At first nets
 * may share wires; what is overused becomes dearer from round to round, and
 * the nets that use it are ripped up and routed again, until none is shared
 * (McMurchie and Ebeling 1995). If they cannot agree, the channels are widened.
 *
 * Heap and cost comparisons decide by data that no predictor has seen, so
 * mispredicted branches weigh, and the searches wander over a graph of some
 * 2 MB whose nodes, edge lists and heap elements lie apart.
 *
 * Checked: a few routes through the empty chip against a breadth-first search;
 * at the end every net is a tree of existing edges that joins its source to
 * all its sinks, and the use of every resource, counted anew, is what the
 * nodes say and within its capacity.
 */
#include "workload.h"

enum { SINKS_MAX = 5, SINK_CAPACITY = 4, EDGES_MAX = 64, REACH = 6, ROUNDS_MAX = 30, SAMPLES = 4 };

enum node_type { OUTPUT_PIN, WIRE_ACROSS, WIRE_UP, INPUT_PIN, SINK };

struct node {
	float path_cost;   /* to here in the search at hand; FAR outside of it */
	float history;	   /* grows while the node is overused */
	int32_t came_from; /* in the search at hand */
	int32_t *edges;
	int16_t edge_count, x, y; /* twice the coordinates of its centre */
	int16_t use, capacity;
	uint8_t type;
};

struct element {
	float estimate, path_cost; /* of the whole way and of the way so far */
	int32_t node, came_from;
	struct element *next_free;
};

struct trace {
	struct trace *next;
	int32_t node, from; /* from is -1 at the source */
};

struct net {
	int32_t source;
	int32_t sinks[SINKS_MAX];
	int sink_count;
	struct trace *route;
};

struct chip {
	int side, tracks; /* blocks along an edge; wires per channel */
	int node_count;
	struct node *nodes;
	int32_t *edges;
	struct net *nets;
	int net_count;

	struct element **heap; /* from 1 on */
	int heap_count, heap_room;
	struct element *free_elements;
	int32_t *touched; /* nodes whose path_cost is not FAR */
	int touched_count;
	float sharing_price;
	uint64_t searches, popped, pushed;
};

#define FAR 1e30f

/* Wires first, then six nodes for each block: its output, four inputs and its sink. */
enum { PER_BLOCK = 6 };

static int across_number(const struct chip *c, int x, int y, int track)
{
	return (y * c->side + x) * c->tracks + track;
}

static int up_number(const struct chip *c, int x, int y, int track)
{
	return ((c->side + 1) * c->side + y * (c->side + 1) + x) * c->tracks + track;
}

static int block_number(const struct chip *c, int x, int y)
{
	return 2 * (c->side + 1) * c->side * c->tracks + (y * c->side + x) * PER_BLOCK;
}

static int output_of(int block)
{
	return block;
}

static int input_of(int block, int edge)
{
	return block + 1 + edge;
}

static int sink_of(int block)
{
	return block + 5;
}

/* Where a wire across meets wires up, the track shifts by an amount that depends on the corner. */
static int turned(const struct chip *c, int corner_x, int corner_y, int track, int to_up)
{
	int shift = (corner_x + 2 * corner_y) % c->tracks;

	return to_up ? (track + shift) % c->tracks : (track + c->tracks - shift) % c->tracks;
}

/* The wires that meet at a corner, as seen from one of them. */
static int corner_edges(const struct chip *c, int cx, int cy, int self, int track, int is_up,
			int32_t *out)
{
	int across = is_up ? turned(c, cx, cy, track, 0) : track;
	int up = is_up ? track : turned(c, cx, cy, track, 1);
	int candidates[4] = {
		cx > 0 ? across_number(c, cx - 1, cy, across) : -1,
		cx < c->side ? across_number(c, cx, cy, across) : -1,
		cy > 0 ? up_number(c, cx, cy - 1, up) : -1,
		cy < c->side ? up_number(c, cx, cy, up) : -1,
	};
	int count = 0;

	for (int i = 0; i < 4; i++)
		if (candidates[i] >= 0 && candidates[i] != self)
			out[count++] = candidates[i];
	return count;
}

/* An input pin can be reached from two tracks of three, which ones depends on the block. */
static int input_edge(const struct chip *c, int x, int y, int edge, int track, int32_t *out)
{
	if (x < 0 || y < 0 || x >= c->side || y >= c->side || (track + x + y + edge) % 3 == 0)
		return 0;
	*out = input_of(block_number(c, x, y), edge);
	return 1;
}

/* The lists lie one after the other in the graph's one array of edges. */
static int32_t *node_make(struct chip *c, int number, enum node_type type, int x, int y,
			  int capacity, const int32_t *edges, int count, int32_t *at)
{
	struct node *n = &c->nodes[number];

	n->type = (uint8_t)type;
	n->x = (int16_t)x;
	n->y = (int16_t)y;
	n->capacity = (int16_t)capacity;
	n->path_cost = FAR;
	n->history = 1;
	n->edges = at;
	n->edge_count = (int16_t)count;
	memcpy(at, edges, sizeof(*at) * (size_t)count);
	return at + count;
}

static int32_t *wires_make(struct chip *c, int32_t *at)
{
	int32_t list[EDGES_MAX];
	int count, self;

	for (int y = 0; y <= c->side; y++)
		for (int x = 0; x < c->side; x++)
			for (int t = 0; t < c->tracks; t++) {
				self = across_number(c, x, y, t);
				count = corner_edges(c, x, y, self, t, 0, list);
				count += corner_edges(c, x + 1, y, self, t, 0, list + count);
				count += input_edge(c, x, y, 0, t, list + count);
				count += input_edge(c, x, y - 1, 1, t, list + count);
				at = node_make(c, self, WIRE_ACROSS, 2 * x + 1, 2 * y, 1, list,
					       count, at);
			}
	for (int y = 0; y < c->side; y++)
		for (int x = 0; x <= c->side; x++)
			for (int t = 0; t < c->tracks; t++) {
				self = up_number(c, x, y, t);
				count = corner_edges(c, x, y, self, t, 1, list);
				count += corner_edges(c, x, y + 1, self, t, 1, list + count);
				count += input_edge(c, x, y, 2, t, list + count);
				count += input_edge(c, x - 1, y, 3, t, list + count);
				at = node_make(c, self, WIRE_UP, 2 * x, 2 * y + 1, 1, list, count,
					       at);
			}
	return at;
}

static int32_t *blocks_make(struct chip *c, int32_t *at)
{
	for (int y = 0; y < c->side; y++)
		for (int x = 0; x < c->side; x++) {
			int block = block_number(c, x, y), count = 0;
			int cx = 2 * x + 1, cy = 2 * y + 1;
			int32_t list[EDGES_MAX], sink = sink_of(block);

			for (int t = (x + y) % 2; t < c->tracks && count + 4 < EDGES_MAX; t += 2) {
				list[count++] = across_number(c, x, y, t);
				list[count++] = across_number(c, x, y + 1, t);
				list[count++] = up_number(c, x, y, t);
				list[count++] = up_number(c, x + 1, y, t);
			}
			at = node_make(c, output_of(block), OUTPUT_PIN, cx, cy, 1, list, count, at);
			for (int edge = 0; edge < 4; edge++)
				at = node_make(c, input_of(block, edge), INPUT_PIN, cx, cy, 1,
					       &sink, 1, at);
			at = node_make(c, sink, SINK, cx, cy, SINK_CAPACITY, list, 0, at);
		}
	return at;
}

static void graph_make(struct chip *c, int tracks)
{
	size_t wires = 2 * (size_t)(c->side + 1) * (size_t)c->side * (size_t)tracks;
	size_t blocks = (size_t)(c->side * c->side);

	c->tracks = tracks;
	c->node_count = (int)(wires + blocks * PER_BLOCK);
	c->nodes = workload_alloc(sizeof(*c->nodes) * (size_t)c->node_count);
	c->edges = workload_alloc(sizeof(*c->edges) *
				  (8 * wires + blocks * (4 + 2 * ((size_t)tracks + 1))));
	c->touched = workload_alloc(sizeof(*c->touched) * (size_t)c->node_count);
	blocks_make(c, wires_make(c, c->edges));
}

static void graph_release(struct chip *c)
{
	free(c->nodes);
	free(c->edges);
	free(c->touched);
}

static int nearby(struct workload *w, const struct chip *c, int at)
{
	int to = at + (int)workload_below(w, 2 * REACH + 1) - REACH;

	return to < 0 ? -to : to >= c->side ? 2 * c->side - 2 - to : to;
}

static void circuit_make(struct workload *w, struct chip *c)
{
	int blocks = c->side * c->side;
	uint8_t *wanted = workload_alloc((size_t)blocks);
	int *order = workload_alloc(sizeof(*order) * (size_t)blocks);

	for (int i = 0; i < blocks; i++) {
		int j = (int)workload_below(w, (uint32_t)i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (int i = 0; i < c->net_count; i++) {
		struct net *n = &c->nets[i];
		uint32_t draw = workload_below(w, 10);
		int want = draw < 5 ? 1 : draw < 8 ? 2 : draw < 9 ? 3 : SINKS_MAX;
		int x = order[i] % c->side, y = order[i] / c->side;

		n->source = order[i];
		for (int tries = 0; tries < 20 && n->sink_count < want; tries++) {
			int block = nearby(w, c, y) * c->side + nearby(w, c, x), known = 0;

			for (int k = 0; k < n->sink_count; k++)
				known |= n->sinks[k] == block;
			if (known || block == order[i] || wanted[block] == SINK_CAPACITY - 1)
				continue;
			wanted[block]++;
			n->sinks[n->sink_count++] = block;
		}
	}
	free(wanted);
	free(order);
}

static int node_of_block(const struct chip *c, int block, int sink)
{
	int first = block_number(c, block % c->side, block / c->side);

	return sink ? sink_of(first) : output_of(first);
}

static void heap_push(struct chip *c, int node, int came_from, float path_cost, float estimate)
{
	struct element *e = c->free_elements;
	int at;

	if (e)
		c->free_elements = e->next_free;
	else
		e = workload_alloc(sizeof(*e));
	*e = (struct element){estimate, path_cost, node, came_from, NULL};
	if (c->heap_count + 1 >= c->heap_room) {
		c->heap_room = c->heap_room ? 2 * c->heap_room : 256;
		c->heap = realloc(c->heap, sizeof(struct element *) * (size_t)c->heap_room);
		if (!c->heap)
			abort();
	}
	for (at = ++c->heap_count; at > 1 && c->heap[at / 2]->estimate > estimate; at /= 2)
		c->heap[at] = c->heap[at / 2];
	c->heap[at] = e;
	c->pushed++;
}

static struct element *heap_pop(struct chip *c)
{
	struct element *top, *last;
	int at = 1, child;

	if (c->heap_count == 0)
		return NULL;
	top = c->heap[1];
	last = c->heap[c->heap_count--];
	while ((child = 2 * at) <= c->heap_count) {
		if (child < c->heap_count &&
		    c->heap[child + 1]->estimate < c->heap[child]->estimate)
			child++;
		if (c->heap[child]->estimate >= last->estimate)
			break;
		c->heap[at] = c->heap[child];
		at = child;
	}
	c->heap[at] = last;
	c->popped++;
	return top;
}

static void element_free(struct chip *c, struct element *e)
{
	e->next_free = c->free_elements;
	c->free_elements = e;
}

static void heap_empty(struct chip *c)
{
	while (c->heap_count > 0)
		element_free(c, c->heap[c->heap_count--]);
}

/* What one more net would pay for the node. */
static float node_price(const struct chip *c, const struct node *n)
{
	float price = n->type == SINK ? 0 : n->type == INPUT_PIN ? 0.95f : 1;
	int over = n->use + 1 - n->capacity;

	price *= n->history;
	if (over > 0)
		price *= 1 + (float)over * c->sharing_price;
	return price;
}

/* No fewer wires than this are left to the target; prices are at least one each. */
static float still_to_go(const struct node *n, const struct node *target)
{
	int distance = abs(n->x - target->x) + abs(n->y - target->y);

	return distance > 1 ? (float)(distance / 2) : 0;
}

static void reach(struct chip *c, struct node *n, int number, float cost, int came_from)
{
	if (n->path_cost == FAR)
		c->touched[c->touched_count++] = number;
	n->path_cost = cost;
	n->came_from = came_from;
}

static void search_forget(struct chip *c)
{
	heap_empty(c);
	for (int i = 0; i < c->touched_count; i++)
		c->nodes[c->touched[i]].path_cost = FAR;
	c->touched_count = 0;
}

static void expand(struct chip *c, int number, const struct node *target, int target_number)
{
	const struct node *n = &c->nodes[number];

	for (int i = 0; i < n->edge_count; i++) {
		int to = n->edges[i];
		const struct node *m = &c->nodes[to];
		float cost;

		/* Pins lead only into their own block. */
		if (m->type == INPUT_PIN && (m->x != target->x || m->y != target->y))
			continue;
		if (m->type == SINK && to != target_number)
			continue;
		cost = n->path_cost + node_price(c, m);
		if (cost < m->path_cost)
			heap_push(c, to, number, cost, cost + still_to_go(m, target));
	}
}

/* The cheapest way from the route to the sink; its nodes' came_from lead back. 0: none. */
static int search(struct chip *c, const struct net *net, int sink)
{
	const struct node *target = &c->nodes[sink];
	struct element *e;

	for (const struct trace *t = net->route; t; t = t->next)
		if (c->nodes[t->node].type != SINK)
			heap_push(c, t->node, -1, 0, still_to_go(&c->nodes[t->node], target));
	c->searches++;
	while ((e = heap_pop(c)) != NULL) {
		int number = e->node, came_from = e->came_from;
		float cost = e->path_cost;
		struct node *n = &c->nodes[number];

		element_free(c, e);
		if (cost >= n->path_cost)
			continue;
		reach(c, n, number, cost, came_from);
		if (number == sink)
			return 1;
		expand(c, number, target, sink);
	}
	return 0;
}

static void trace_add(struct chip *c, struct net *net, int node, int from)
{
	struct trace *t = workload_alloc(sizeof(*t));

	t->node = node;
	t->from = from;
	t->next = net->route;
	net->route = t;
	c->nodes[node].use++;
}

static void rip_up(struct chip *c, struct net *net)
{
	for (struct trace *t = net->route, *next; t; t = next) {
		next = t->next;
		c->nodes[t->node].use--;
		free(t);
	}
	net->route = NULL;
}

static int route_net(struct chip *c, struct net *net)
{
	trace_add(c, net, node_of_block(c, net->source, 0), -1);
	for (int i = 0; i < net->sink_count; i++) {
		int sink = node_of_block(c, net->sinks[i], 1);
		int found = search(c, net, sink);

		for (int at = sink; found && c->nodes[at].came_from >= 0;
		     at = c->nodes[at].came_from)
			trace_add(c, net, at, c->nodes[at].came_from);
		search_forget(c);
		if (!found)
			return 0;
	}
	return 1;
}

static int net_shares(const struct chip *c, const struct net *net)
{
	for (const struct trace *t = net->route; t; t = t->next)
		if (c->nodes[t->node].use > c->nodes[t->node].capacity)
			return 1;
	return net->route == NULL;
}

static int raise_history(struct chip *c)
{
	int overused = 0;

	for (int i = 0; i < c->node_count; i++) {
		struct node *n = &c->nodes[i];

		if (n->use > n->capacity) {
			n->history += (float)(n->use - n->capacity);
			overused++;
		}
	}
	return overused;
}

/* Returns the number of rounds it took, or 0 if they did not agree. */
static int route_all(struct chip *c)
{
	c->sharing_price = 0.5f;
	for (int round = 1; round <= ROUNDS_MAX; round++) {
		for (int i = 0; i < c->net_count; i++) {
			struct net *net = &c->nets[i];

			if (!net_shares(c, net))
				continue;
			rip_up(c, net);
			if (!route_net(c, net))
				return 0;
		}
		if (raise_history(c) == 0)
			return round;
		c->sharing_price *= 1.6f;
	}
	return 0;
}

static void rip_up_all(struct chip *c)
{
	for (int i = 0; i < c->net_count; i++)
		rip_up(c, &c->nets[i]);
}

/* Steps from the node to the sink by plain breadth-first search. */
static int shortest_steps(const struct chip *c, int from, int sink)
{
	int32_t *queue = workload_alloc(sizeof(*queue) * (size_t)c->node_count);
	int32_t *steps = workload_alloc(sizeof(*steps) * (size_t)c->node_count);
	int head = 0, tail = 0, result;

	queue[tail++] = from;
	steps[from] = 1;
	while (head < tail && !steps[sink]) {
		const struct node *n = &c->nodes[queue[head]];

		for (int i = 0; i < n->edge_count; i++)
			if (!steps[n->edges[i]]) {
				steps[n->edges[i]] = steps[queue[head]] + 1;
				queue[tail++] = n->edges[i];
			}
		head++;
	}
	result = steps[sink] - 1;
	free(queue);
	free(steps);
	return result;
}

static void check_search(const struct workload *w, struct chip *c)
{
	for (int i = 0; i < SAMPLES && i < c->net_count; i++) {
		struct net probe = {.source = c->nets[i].source, .sink_count = 1};
		int steps = -1;

		if (c->nets[i].sink_count == 0)
			continue;
		probe.sinks[0] = c->nets[i].sinks[0];
		workload_check(w, route_net(c, &probe), "a net alone can be routed");
		for (const struct trace *t = probe.route; t; t = t->next)
			steps++;
		workload_check(w,
			       steps == shortest_steps(c, node_of_block(c, probe.source, 0),
						       node_of_block(c, probe.sinks[0], 1)),
			       "a net alone takes a shortest way");
		rip_up(c, &probe);
	}
}

static int has_edge(const struct chip *c, int from, int to)
{
	for (int i = 0; i < c->nodes[from].edge_count; i++)
		if (c->nodes[from].edges[i] == to)
			return 1;
	return 0;
}

static void check_routes(const struct workload *w, const struct chip *c)
{
	int16_t *use = workload_alloc(sizeof(*use) * (size_t)c->node_count);
	int32_t *owner = workload_alloc(sizeof(*owner) * (size_t)c->node_count);
	int trees = 1, complete = 1, legal = 1;

	for (int i = 0; i < c->net_count; i++) {
		const struct net *net = &c->nets[i];

		for (const struct trace *t = net->route; t; t = t->next) {
			trees &= owner[t->node] != i + 1;
			owner[t->node] = i + 1;
			use[t->node]++;
		}
		/* No node twice and every one from a node of the same net: a tree. */
		for (const struct trace *t = net->route; t; t = t->next)
			trees &= t->from < 0
					 ? t->node == node_of_block(c, net->source, 0)
					 : owner[t->from] == i + 1 && has_edge(c, t->from, t->node);
		for (int k = 0; k < net->sink_count; k++)
			complete &= owner[node_of_block(c, net->sinks[k], 1)] == i + 1;
	}
	for (int i = 0; i < c->node_count; i++)
		legal &= use[i] == c->nodes[i].use && use[i] <= c->nodes[i].capacity;
	workload_check(w, trees, "every route is a tree of existing edges");
	workload_check(w, complete, "every route reaches all its sinks");
	workload_check(w, legal, "no resource is overused");
	free(use);
	free(owner);
}

int main(int argc, char **argv)
{
	static const int sides[] = {7, 44, 80};
	static const int tracks[] = {3, 4, 4};
	static const int nets[] = {8, 225, 2300};
	struct workload w = workload_begin("router", argc, argv);
	struct chip c = {.side = sides[w.size], .net_count = nets[w.size]};
	int width = tracks[w.size], rounds;

	c.nets = workload_alloc(sizeof(*c.nets) * (size_t)c.net_count);
	circuit_make(&w, &c);
	graph_make(&c, width);
	check_search(&w, &c);
	while ((rounds = route_all(&c)) == 0) {
		rip_up_all(&c);
		graph_release(&c);
		width += 2;
		workload_check(&w, width < 32, "the circuit can be routed");
		graph_make(&c, width);
	}
	check_routes(&w, &c);
	workload_digest(&w, (uint64_t)width);
	workload_digest(&w, (uint64_t)rounds);
	workload_digest(&w, c.searches);
	workload_digest(&w, c.popped);
	workload_digest(&w, c.pushed);
	for (int i = 0; i < c.net_count; i++)
		for (const struct trace *t = c.nets[i].route; t; t = t->next)
			workload_digest(&w, (uint64_t)t->node);
	rip_up_all(&c);
	graph_release(&c);
	for (struct element *e = c.free_elements, *next; e; e = next) {
		next = e->next_free;
		free(e);
	}
	free(c.heap);
	free(c.nets);
	return workload_end(&w);
}
