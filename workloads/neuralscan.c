/*
 * neuralscan - stands for SPEC CPU2000 179.art: an adaptive resonance (ART 2)
 * neural network that learns a few objects and then looks for them in a
 * larger thermal image.
 *
 * As in art the first layer is an array of 64-byte neurons whose fields are
 * updated by many short passes, each of which touches one or two fields of
 * every neuron, so that each pass drags the whole layer through the caches;
 * the bottom-up and top-down weights are tables of row pointers walked down
 * their columns. A window slides over the image; at each place the layer
 * settles, the second layer picks a winner, and a vigilance test accepts it or
 * inhibits it and lets the next one try.
 *
 * Checked: every learned object is found exactly where it was hidden, no
 * other place is taken for one, the layer's vectors have unit length, and a
 * window that won agrees with its template when compared pixel by pixel.
 */
#include <math.h>
#include "workload.h"

#define FEED_IMAGE   0.5  /* a: share of the settled pattern fed back to the input */
#define FEED_MEMORY  0.5  /* b: share of the remembered pattern */
#define MIX_MEMORY   0.2  /* c: weight of memory in the vigilance test */
#define FEED_WINNER  0.8  /* d: output of a winning second-layer neuron */
#define VIGILANCE    0.96 /* below this a winner is inhibited */
#define MAX_SETTLING 6

struct neuron {
	double image;	    /* I: the window's pixel */
	double input;	    /* W: pixel plus feedback */
	double normal;	    /* X: normalised input */
	double pattern;	    /* V: contrast-enhanced, before normalising */
	double settled;	    /* U */
	double recall;	    /* P: settled pattern plus the winner's memory */
	double recall_unit; /* Q */
	double match;	    /* R */
};

struct network {
	int inputs;
	int outputs;
	int taught;
	double threshold; /* below this a normalised activity is noise */
	struct neuron *layer;
	double **upward;   /* [input][output] */
	double **downward; /* [input][output] */
	double *score;
	char *inhibited;
};

struct image {
	int width, height;
	unsigned char *pixel;
};

struct place {
	int x, y;
};

struct plan {
	int window;  /* side in pixels, even */
	int columns; /* places to look at, half a window apart */
	int rows;
	int objects;
};

static const struct plan plans[] = {
	[SIZE_TEST] = {20, 3, 1, 2},
	[SIZE_SMALL] = {48, 5, 3, 4},
	[SIZE_REF] = {64, 9, 8, 6},
};

static void image_init(struct image *m, int width, int height)
{
	m->width = width;
	m->height = height;
	m->pixel = workload_alloc((size_t)width * height);
}

/* A warm body: a handful of overlapping tilted ellipses on a cold ground. */
static void image_draw_object(struct image *m, struct workload *w)
{
	int blobs = 4 + (int)workload_below(w, 3);
	double side = m->width;

	for (int b = 0; b < blobs; b++) {
		double cx = side * (0.2 + 0.6 * workload_unit(w));
		double cy = side * (0.2 + 0.6 * workload_unit(w));
		double rx = side * (0.08 + 0.12 * workload_unit(w));
		double ry = side * (0.08 + 0.12 * workload_unit(w));
		double tilt = workload_unit(w) - 0.5;
		unsigned char heat = (unsigned char)(150 + workload_below(w, 100));
		int reach = (int)(1.2 * (rx + ry));
		int left = (int)cx - reach, right = (int)cx + reach;
		int top = (int)cy - reach, bottom = (int)cy + reach;

		for (int y = top < 0 ? 0 : top; y <= bottom && y < m->height; y++)
			for (int x = left < 0 ? 0 : left; x <= right && x < m->width; x++) {
				double dx = (x - cx) + tilt * (y - cy);
				double dy = (y - cy) - tilt * (x - cx);

				if (dx * dx / (rx * rx) + dy * dy / (ry * ry) < 1.0)
					m->pixel[y * m->width + x] = heat;
			}
	}
}

/* Ground clutter: faint, and shared by every place of the field. */
static void image_draw_ground(struct image *m, struct workload *w)
{
	uint64_t bits = 0;

	for (int i = 0; i < m->width * m->height; i++) {
		if (i % 16 == 0)
			bits = workload_random(w);
		m->pixel[i] = (unsigned char)(8 + (bits & 15));
		bits >>= 4;
	}
}

static void image_paste(struct image *field, const struct image *object, struct place at)
{
	for (int y = 0; y < object->height; y++)
		for (int x = 0; x < object->width; x++) {
			unsigned char heat = object->pixel[y * object->width + x];

			if (heat)
				field->pixel[(at.y + y) * field->width + at.x + x] = heat;
		}
}

static double **table_create(int rows, int columns, double value)
{
	double **table = workload_alloc((size_t)rows * sizeof(*table));

	for (int i = 0; i < rows; i++) {
		table[i] = workload_alloc((size_t)columns * sizeof(**table));
		for (int j = 0; j < columns; j++)
			table[i][j] = value;
	}
	return table;
}

static void table_destroy(double **table, int rows)
{
	for (int i = 0; i < rows; i++)
		free(table[i]);
	free(table);
}

static void network_init(struct network *n, int inputs, int outputs)
{
	double root = sqrt((double)inputs);

	n->inputs = inputs;
	n->outputs = outputs;
	n->taught = 0;
	n->threshold = 0.4 / root;
	n->layer = workload_alloc((size_t)inputs * sizeof(*n->layer));
	n->upward = table_create(inputs, outputs, 0.2 / ((1.0 - FEED_WINNER) * root));
	n->downward = table_create(inputs, outputs, 0.0);
	n->score = workload_alloc((size_t)outputs * sizeof(*n->score));
	n->inhibited = workload_alloc((size_t)outputs);
}

static void network_release(struct network *n)
{
	table_destroy(n->upward, n->inputs);
	table_destroy(n->downward, n->inputs);
	free(n->layer);
	free(n->score);
	free(n->inhibited);
}

/* Fills the input field from the window at a place and clears all activity. */
static void network_look(struct network *n, const struct image *m, struct place at, int side)
{
	struct neuron *cell = n->layer;

	for (int y = 0; y < side; y++) {
		const unsigned char *row = &m->pixel[(at.y + y) * m->width + at.x];

		for (int x = 0; x < side; x++, cell++) {
			cell->image = row[x] / 255.0;
			cell->settled = 0.0;
			cell->recall_unit = 0.0;
		}
	}
	memset(n->inhibited, 0, (size_t)n->outputs);
}

static double enhance(double activity, double threshold)
{
	return activity > threshold ? activity : 0.0;
}

static double inverse_length(double squares)
{
	return 1.0 / (sqrt(squares) + 1e-12);
}

/*
 * One round through the first layer: input, normalise, enhance, normalise,
 * recall, normalise. Returns the largest change of the settled pattern.
 */
static double layer_round(struct network *n, int winner)
{
	struct neuron *end = n->layer + n->inputs;
	double squares, scale, change = 0.0;

	squares = 0.0;
	for (struct neuron *c = n->layer; c < end; c++) {
		c->input = c->image + FEED_IMAGE * c->settled;
		squares += c->input * c->input;
	}
	scale = inverse_length(squares);
	for (struct neuron *c = n->layer; c < end; c++)
		c->normal = c->input * scale;

	squares = 0.0;
	for (struct neuron *c = n->layer; c < end; c++) {
		c->pattern = enhance(c->normal, n->threshold) +
			     FEED_MEMORY * enhance(c->recall_unit, n->threshold);
		squares += c->pattern * c->pattern;
	}
	scale = inverse_length(squares);
	for (struct neuron *c = n->layer; c < end; c++) {
		double settled = c->pattern * scale;
		double moved = fabs(settled - c->settled);

		if (moved > change)
			change = moved;
		c->settled = settled;
	}

	squares = 0.0;
	for (int i = 0; i < n->inputs; i++) {
		struct neuron *c = &n->layer[i];

		c->recall = c->settled;
		if (winner >= 0)
			c->recall += FEED_WINNER * n->downward[i][winner];
		squares += c->recall * c->recall;
	}
	scale = inverse_length(squares);
	for (struct neuron *c = n->layer; c < end; c++)
		c->recall_unit = c->recall * scale;
	return change;
}

static int layer_settle(struct network *n, int winner)
{
	int rounds = 0;
	double change;

	do {
		change = layer_round(n, winner);
		rounds++;
	} while (change > 0.2 * n->threshold && rounds < MAX_SETTLING);
	return rounds;
}

/* Every second-layer neuron weighs the whole first layer. */
static void network_score(struct network *n)
{
	for (int j = 0; j < n->outputs; j++) {
		double sum = 0.0;

		for (int i = 0; i < n->inputs; i++)
			sum += n->layer[i].recall * n->upward[i][j];
		n->score[j] = sum;
	}
}

static int network_winner(const struct network *n)
{
	int best = -1;

	for (int j = 0; j < n->outputs; j++)
		if (!n->inhibited[j] && (best < 0 || n->score[j] > n->score[best]))
			best = j;
	return best;
}

/* How well the settled pattern and the winner's memory agree: 1 is perfect. */
static double network_agreement(struct network *n)
{
	double settled = 0.0, recall = 0.0, match = 0.0, scale;

	for (int i = 0; i < n->inputs; i++) {
		settled += n->layer[i].settled * n->layer[i].settled;
		recall += n->layer[i].recall * n->layer[i].recall;
	}
	scale = 1.0 / (sqrt(settled) + MIX_MEMORY * sqrt(recall));
	for (int i = 0; i < n->inputs; i++) {
		struct neuron *c = &n->layer[i];

		c->match = (c->settled + MIX_MEMORY * c->recall) * scale;
		match += c->match * c->match;
	}
	return sqrt(match);
}

static void network_learn(struct network *n, int winner)
{
	for (int i = 0; i < n->inputs; i++) {
		double weight = n->layer[i].settled / (1.0 - FEED_WINNER);

		n->upward[i][winner] = weight;
		n->downward[i][winner] = weight;
	}
}

static void network_teach(struct network *n, const struct image *object)
{
	network_look(n, object, (struct place){0, 0}, object->width);
	layer_settle(n, -1);
	network_learn(n, n->taught++);
}

struct sighting {
	int object; /* -1: nothing known */
	int rounds;
	double score, agreement;
};

/* Lets second-layer neurons compete until one passes the vigilance test or none is left. */
static struct sighting network_recognise(struct network *n)
{
	struct sighting seen = {.object = -1};

	seen.rounds = layer_settle(n, -1);
	network_score(n);
	for (;;) {
		int winner = network_winner(n);

		/* A neuron that has learned nothing wins only over neurons that do not fit. */
		if (winner < 0 || winner >= n->taught)
			return seen;
		seen.rounds += layer_settle(n, winner);
		seen.agreement = network_agreement(n);
		if (seen.agreement >= VIGILANCE) {
			seen.object = winner;
			seen.score = n->score[winner];
			return seen;
		}
		n->inhibited[winner] = 1;
		seen.rounds += layer_settle(n, -1);
	}
}

/* The best-looking window's score once more, straight from window and template pixels. */
static double direct_cosine(const struct image *field, struct place at, const struct image *object)
{
	double both = 0.0, seen = 0.0, known = 0.0;

	for (int y = 0; y < object->height; y++)
		for (int x = 0; x < object->width; x++) {
			double f = field->pixel[(at.y + y) * field->width + at.x + x];
			double o = object->pixel[y * object->width + x];

			if (f < 60.0)
				f = 0.0;
			both += f * o;
			seen += f * f;
			known += o * o;
		}
	return both / sqrt(seen * known);
}

/* Objects go to places a whole window apart, in an order drawn from the seed. */
static void hide_objects(struct workload *w, const struct plan *plan, struct place *hidden)
{
	int across = (plan->columns + 1) / 2, down = (plan->rows + 1) / 2;
	int slots = across * down;
	int *order = workload_alloc((size_t)slots * sizeof(*order));

	for (int i = 0; i < slots; i++)
		order[i] = i;
	for (int i = 0; i < plan->objects; i++) {
		int j = i + (int)workload_below(w, (uint32_t)(slots - i));
		int slot = order[j];

		order[j] = order[i];
		hidden[i].x = slot % across * 2;
		hidden[i].y = slot / across * 2;
	}
	free(order);
}

static void check_unit_length(const struct workload *w, const struct network *n)
{
	double squares = 0.0;

	for (int i = 0; i < n->inputs; i++)
		squares += n->layer[i].settled * n->layer[i].settled;
	workload_check(w, fabs(squares - 1.0) < 1e-9, "settled pattern has unit length");
}

int main(int argc, char **argv)
{
	struct workload w = workload_begin("neuralscan", argc, argv);
	const struct plan *plan = &plans[w.size];
	int step = plan->window / 2, found = 0;
	struct image field, object[8];
	struct place hidden[8];
	struct network net;

	network_init(&net, plan->window * plan->window, plan->objects + 2);
	for (int k = 0; k < plan->objects; k++) {
		image_init(&object[k], plan->window, plan->window);
		image_draw_object(&object[k], &w);
		network_teach(&net, &object[k]);
	}
	image_init(&field, plan->window + (plan->columns - 1) * step,
		   plan->window + (plan->rows - 1) * step);
	image_draw_ground(&field, &w);
	hide_objects(&w, plan, hidden);
	for (int k = 0; k < plan->objects; k++)
		image_paste(&field, &object[k],
			    (struct place){hidden[k].x * step, hidden[k].y * step});

	for (int y = 0; y < plan->rows; y++)
		for (int x = 0; x < plan->columns; x++) {
			struct place at = {x * step, y * step};
			struct sighting seen;

			network_look(&net, &field, at, plan->window);
			seen = network_recognise(&net);
			check_unit_length(&w, &net);
			workload_digest(&w, (uint64_t)(seen.object + 1));
			workload_digest(&w, (uint64_t)seen.rounds);
			workload_digest_double(&w, seen.agreement);
			if (seen.object < 0)
				continue;
			found++;
			workload_check(&w, hidden[seen.object].x == x && hidden[seen.object].y == y,
				       "an object is seen only where it is hidden");
			workload_check(&w,
				       direct_cosine(&field, at, &object[seen.object]) > 0.999999,
				       "window and template agree pixel by pixel");
			workload_digest_double(&w, seen.score);
		}
	workload_check(&w, found == plan->objects, "every hidden object is found");

	for (int k = 0; k < plan->objects; k++)
		free(object[k].pixel);
	free(field.pixel);
	network_release(&net);
	return workload_end(&w);
}
