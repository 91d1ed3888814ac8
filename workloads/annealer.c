/*
 * annealer - standard cell placement by simulated annealing, in the character
 * of twolf.
 *
 * SPEC's twolf (TimberWolfSC) places the cells of a chip in rows so that the
 * wires are short: it picks cells at random, tries to exchange two, to move
 * one elsewhere or to mirror one, works out what that does to the half
 * perimeter of every net that touches them, to overlaps within the rows and to
 * the lengths of the rows, and takes or undoes the step by a draw against the
 * temperature. So does this one, on the same kind of structure: cells with
 * linked lists of pins, nets with linked lists of pins, and rows divided into
 * bins with linked lists of cells. At the end the rows are sorted and pushed
 * together, so that cells no longer overlap.
 *
 * Cells are drawn at random and nets lead from each to random others, so the
 * walk through pins and cells (some 2 MB) is short chains of dependent loads
 * with hardly any locality; whether a step is taken is a branch nobody can
 * predict, and the boxes of nets are built by comparisons just as random.
 *
 * Checked: the costs kept up step by step against a recomputation from
 * nothing; every cell in exactly the bin it should be in; the wires shorter
 * than they were; after the final packing no overlap in any row.
 */
#include "workload.h"

enum {
	BIN_WIDTH = 64,
	WIDTH_MIN = 12,
	WIDTH_STEPS = 8, /* widths are WIDTH_MIN + 4 * (0 .. WIDTH_STEPS - 1) */
	WIDTH_MAX = WIDTH_MIN + 4 * (WIDTH_STEPS - 1),
	ROW_HEIGHT = 32,
	OVERLAP_WEIGHT = 3,
	ROW_WEIGHT = 4,
	TEMPERATURES = 40,
	NETS_MAX = 64 /* that one step can touch */
};

struct net;
struct cell;

struct pin {
	struct pin *next_of_net;
	struct pin *next_of_cell;
	struct net *net;
	struct cell *cell;
	int32_t dx, dy; /* from the centre of the cell as drawn */
};

struct net {
	struct pin *pins;
	int32_t length;	      /* half perimeter of the box around its pins */
	int32_t trial_length; /* if the step at hand is taken */
	uint32_t stamp;	      /* of the last step that touched it */
	int32_t pin_count;
	int32_t weight;
};

struct cell {
	struct pin *pins;
	struct cell *next_in_bin, *before_in_bin;
	int32_t x; /* centre */
	int32_t row;
	int32_t width;
	int32_t mirrored;
	int32_t number;
	int32_t taken; /* steps that moved it */
};

struct row {
	struct cell **bins; /* heads of their lists */
	int32_t length;	    /* of its cells together */
};

struct chip {
	struct cell *cells;
	struct net *nets;
	struct pin *pins;
	struct row *rows;
	int cell_count, net_count, pin_count, row_count, bin_count;
	int32_t row_width; /* of the chip; what rows should be filled to */

	int64_t wire, overlap, uneven;
	uint32_t stamp;
	struct net *touched[NETS_MAX];
	int touched_count;
};

struct place {
	int32_t x, row, mirrored;
};

struct tally {
	uint64_t tried, taken, uphill;
};

static int bin_of(const struct chip *chip, int32_t x)
{
	int bin = x / BIN_WIDTH;

	return bin < 0 ? 0 : bin >= chip->bin_count ? chip->bin_count - 1 : bin;
}

static void bin_enter(struct chip *chip, struct cell *c)
{
	struct cell **head = &chip->rows[c->row].bins[bin_of(chip, c->x)];

	c->before_in_bin = NULL;
	c->next_in_bin = *head;
	if (*head)
		(*head)->before_in_bin = c;
	*head = c;
	chip->rows[c->row].length += c->width;
}

static void bin_leave(struct chip *chip, struct cell *c)
{
	if (c->before_in_bin)
		c->before_in_bin->next_in_bin = c->next_in_bin;
	else
		chip->rows[c->row].bins[bin_of(chip, c->x)] = c->next_in_bin;
	if (c->next_in_bin)
		c->next_in_bin->before_in_bin = c->before_in_bin;
	chip->rows[c->row].length -= c->width;
}

static void pin_connect(struct workload *w, struct chip *chip, struct net *n, struct cell *c)
{
	struct pin *p = &chip->pins[chip->pin_count++];

	p->net = n;
	p->cell = c;
	p->dx = (int32_t)workload_below(w, (uint32_t)c->width) - c->width / 2;
	p->dy = (int32_t)workload_below(w, ROW_HEIGHT) - ROW_HEIGHT / 2;
	p->next_of_net = n->pins;
	n->pins = p;
	p->next_of_cell = c->pins;
	c->pins = p;
	n->pin_count++;
}

/* Mostly two to four pins, now and then a wide net, as in a real netlist. */
static int net_degree(struct workload *w)
{
	uint32_t draw = workload_below(w, 100);

	return draw < 40 ? 2 : draw < 65 ? 3 : draw < 85 ? 4 : draw < 97 ? 5 : 10;
}

static void netlist_make(struct workload *w, struct chip *chip)
{
	for (int i = 0; i < chip->net_count; i++) {
		struct net *n = &chip->nets[i];
		int degree = net_degree(w);
		int driver = i % chip->cell_count;

		n->weight = 1 + (workload_below(w, 8) == 0);
		pin_connect(w, chip, n, &chip->cells[driver]);
		for (int k = 1; k < degree; k++) {
			/* Three of four lead to the module of the driver, the rest anywhere. */
			int module = driver & ~127;
			int other = workload_below(w, 4)
					    ? module + (int)workload_below(w, 128)
					    : (int)workload_below(w, (uint32_t)chip->cell_count);

			pin_connect(w, chip, n, &chip->cells[other % chip->cell_count]);
		}
	}
}

static struct chip *chip_create(struct workload *w, int cell_count, int row_count)
{
	struct chip *chip = workload_alloc(sizeof(*chip));
	int32_t total = 0;

	chip->cell_count = cell_count;
	chip->row_count = row_count;
	chip->net_count = cell_count + cell_count / 10;
	chip->cells = workload_alloc(sizeof(*chip->cells) * (size_t)cell_count);
	chip->nets = workload_alloc(sizeof(*chip->nets) * (size_t)chip->net_count);
	chip->pins = workload_alloc(sizeof(*chip->pins) * (size_t)chip->net_count * 10);
	chip->rows = workload_alloc(sizeof(*chip->rows) * (size_t)row_count);
	for (int i = 0; i < cell_count; i++) {
		struct cell *c = &chip->cells[i];

		c->number = i;
		c->width = WIDTH_MIN + 4 * (int32_t)workload_below(w, WIDTH_STEPS);
		total += c->width;
	}
	chip->row_width = total / row_count + WIDTH_MAX;
	chip->bin_count = chip->row_width / BIN_WIDTH + 1;
	for (int i = 0; i < row_count; i++)
		chip->rows[i].bins =
			workload_alloc(sizeof(struct cell *) * (size_t)chip->bin_count);
	for (int i = 0; i < cell_count; i++) {
		struct cell *c = &chip->cells[i];

		c->row = (int32_t)workload_below(w, (uint32_t)row_count);
		c->x = (int32_t)workload_below(w, (uint32_t)chip->row_width);
		bin_enter(chip, c);
	}
	netlist_make(w, chip);
	return chip;
}

static void chip_destroy(struct chip *chip)
{
	for (int i = 0; i < chip->row_count; i++)
		free(chip->rows[i].bins);
	free(chip->rows);
	free(chip->pins);
	free(chip->nets);
	free(chip->cells);
	free(chip);
}

static int32_t net_length(const struct net *n)
{
	int32_t left = INT32_MAX, right = INT32_MIN, low = INT32_MAX, high = INT32_MIN;

	for (const struct pin *p = n->pins; p; p = p->next_of_net) {
		const struct cell *c = p->cell;
		int32_t x = c->mirrored ? c->x - p->dx : c->x + p->dx;
		int32_t y = c->row * ROW_HEIGHT + p->dy;

		if (x < left)
			left = x;
		if (x > right)
			right = x;
		if (y < low)
			low = y;
		if (y > high)
			high = y;
	}
	return n->weight * (right - left + high - low);
}

static int32_t cells_overlap(const struct cell *a, const struct cell *b)
{
	int32_t apart = a->x < b->x ? b->x - a->x : a->x - b->x;
	int32_t room = (a->width + b->width) / 2;

	return a->row == b->row && apart < room ? room - apart : 0;
}

/* With all others of its row: those that reach it begin at most a bin away. */
static int32_t overlap_of(const struct chip *chip, const struct cell *c)
{
	const struct row *row = &chip->rows[c->row];
	int first = bin_of(chip, c->x - WIDTH_MAX), last = bin_of(chip, c->x + WIDTH_MAX);
	int32_t sum = 0;

	for (int i = first; i <= last; i++)
		for (const struct cell *d = row->bins[i]; d; d = d->next_in_bin)
			if (d != c)
				sum += cells_overlap(c, d);
	return sum;
}

static int32_t row_unevenness(const struct chip *chip, int32_t row)
{
	return abs(chip->rows[row].length - (chip->row_width - WIDTH_MAX));
}

static int64_t total_wire(const struct chip *chip)
{
	int64_t sum = 0;

	for (int i = 0; i < chip->net_count; i++)
		sum += net_length(&chip->nets[i]);
	return sum;
}

static int64_t total_overlap(const struct chip *chip)
{
	int64_t sum = 0;

	for (int i = 0; i < chip->cell_count; i++)
		sum += overlap_of(chip, &chip->cells[i]);
	return sum / 2;
}

static int64_t total_unevenness(const struct chip *chip)
{
	int64_t sum = 0;

	for (int i = 0; i < chip->row_count; i++)
		sum += row_unevenness(chip, i);
	return sum;
}

/* e to the x for x <= 0, the same on every machine. */
static double exp_negative(double x)
{
	double y = x / 256, power;

	if (x < -30)
		return 0;
	power = 1 + y * (1 + y * (0.5 + y * (1.0 / 6 + y * (1.0 / 24))));
	for (int i = 0; i < 8; i++)
		power *= power;
	return power;
}

static void touch_nets(struct chip *chip, const struct cell *c)
{
	for (const struct pin *p = c->pins; p; p = p->next_of_cell) {
		struct net *n = p->net;

		if (n->stamp != chip->stamp && chip->touched_count < NETS_MAX) {
			n->stamp = chip->stamp;
			chip->touched[chip->touched_count++] = n;
		}
	}
}

static struct place place_of(const struct cell *c)
{
	return (struct place){c->x, c->row, c->mirrored};
}

static void cell_put(struct chip *chip, struct cell *c, struct place place)
{
	bin_leave(chip, c);
	c->x = place.x;
	c->row = place.row;
	c->mirrored = place.mirrored;
	bin_enter(chip, c);
}

struct costs {
	int64_t overlap, uneven;
};

/* What the one or two cells of a step take part in, in the rows it concerns. */
static struct costs local_costs(const struct chip *chip, const struct cell *a, const struct cell *b,
				int32_t row, int32_t other_row)
{
	struct costs costs = {overlap_of(chip, a), row_unevenness(chip, row)};

	if (b)
		costs.overlap += overlap_of(chip, b) - cells_overlap(a, b);
	if (other_row != row)
		costs.uneven += row_unevenness(chip, other_row);
	return costs;
}

/* Puts a, and b if there is one, at their new places if the draw allows it. */
static void step(struct workload *w, struct chip *chip, struct cell *a, struct place to,
		 struct cell *b, double temperature, struct tally *tally)
{
	struct place a_old = place_of(a), b_old = {0};
	int32_t row = a->row, other_row = to.row;
	struct costs before = local_costs(chip, a, b, row, other_row), after;
	int64_t wire = 0, change;

	chip->stamp++;
	chip->touched_count = 0;
	touch_nets(chip, a);
	if (b) {
		b_old = place_of(b);
		touch_nets(chip, b);
		cell_put(chip, b, (struct place){a_old.x, a_old.row, b_old.mirrored});
	}
	cell_put(chip, a, to);

	for (int i = 0; i < chip->touched_count; i++) {
		struct net *n = chip->touched[i];

		n->trial_length = net_length(n);
		wire += n->trial_length - n->length;
	}
	after = local_costs(chip, a, b, row, other_row);
	change = wire + OVERLAP_WEIGHT * (after.overlap - before.overlap) +
		 ROW_WEIGHT * (after.uneven - before.uneven);
	tally->tried++;
	if (change > 0 && workload_unit(w) >= exp_negative(-(double)change / temperature)) {
		cell_put(chip, a, a_old);
		if (b)
			cell_put(chip, b, b_old);
		return;
	}
	for (int i = 0; i < chip->touched_count; i++)
		chip->touched[i]->length = chip->touched[i]->trial_length;
	chip->wire += wire;
	chip->overlap += after.overlap - before.overlap;
	chip->uneven += after.uneven - before.uneven;
	a->taken++;
	tally->taken++;
	tally->uphill += change > 0;
}

static int32_t clamp(int32_t value, int32_t low, int32_t high)
{
	return value < low ? low : value > high ? high : value;
}

static struct cell *random_cell(struct workload *w, struct chip *chip)
{
	return &chip->cells[workload_below(w, (uint32_t)chip->cell_count)];
}

/* A place within the range, which shrinks as the chip cools. */
static struct place random_place(struct workload *w, const struct chip *chip, const struct cell *c,
				 double range)
{
	int32_t reach_x = 1 + (int32_t)(range * chip->row_width);
	int32_t reach_y = 1 + (int32_t)(range * chip->row_count);
	struct place to = place_of(c);

	to.x += (int32_t)workload_below(w, 2 * (uint32_t)reach_x + 1) - reach_x;
	to.row += (int32_t)workload_below(w, 2 * (uint32_t)reach_y + 1) - reach_y;
	to.x = clamp(to.x, 0, chip->row_width - 1);
	to.row = clamp(to.row, 0, chip->row_count - 1);
	return to;
}

static void random_step(struct workload *w, struct chip *chip, double temperature, double range,
			struct tally tallies[3])
{
	struct cell *a = random_cell(w, chip), *b;
	uint32_t draw = workload_below(w, 16);
	struct place to;

	if (draw < 8) {
		b = random_cell(w, chip);
		if (a == b)
			return;
		to = place_of(b);
		to.mirrored = a->mirrored;
		step(w, chip, a, to, b, temperature, &tallies[0]);
	} else if (draw < 14) {
		step(w, chip, a, random_place(w, chip, a, range), NULL, temperature, &tallies[1]);
	} else {
		to = place_of(a);
		to.mirrored = !to.mirrored;
		step(w, chip, a, to, NULL, temperature, &tallies[2]);
	}
}

static void anneal(struct workload *w, struct chip *chip, int steps, struct tally tallies[3])
{
	double temperature = 2.0 * (double)chip->wire / chip->net_count, range = 1.0;

	for (int stage = 0; stage < TEMPERATURES; stage++) {
		uint64_t taken = tallies[0].taken + tallies[1].taken + tallies[2].taken;
		double share;

		for (int i = 0; i < steps / TEMPERATURES; i++)
			random_step(w, chip, temperature, range, tallies);
		taken = tallies[0].taken + tallies[1].taken + tallies[2].taken - taken;
		share = (double)taken / (steps / TEMPERATURES);
		/* Fast where nearly all or hardly any steps are taken, slow between. */
		temperature *= share > 0.8 ? 0.6 : share > 0.15 ? 0.85 : 0.7;
		if (range > 0.02)
			range *= 0.92;
	}
}

/* Merge sort of a list by x, then by number. */
static struct cell *list_sort(struct cell *list)
{
	struct cell *half = list, *end = list, *a, *b, *sorted = NULL, **tail = &sorted;

	if (!list || !list->next_in_bin)
		return list;
	while (end->next_in_bin && end->next_in_bin->next_in_bin) {
		half = half->next_in_bin;
		end = end->next_in_bin->next_in_bin;
	}
	b = half->next_in_bin;
	half->next_in_bin = NULL;
	a = list_sort(list);
	b = list_sort(b);
	while (a && b) {
		struct cell **from =
			a->x < b->x || (a->x == b->x && a->number < b->number) ? &a : &b;

		*tail = *from;
		tail = &(*tail)->next_in_bin;
		*from = *tail;
	}
	*tail = a ? a : b;
	return sorted;
}

/* One list per row, in bin 0, each cell against its left neighbour. */
static void pack_rows(struct chip *chip)
{
	for (int r = 0; r < chip->row_count; r++) {
		struct row *row = &chip->rows[r];
		struct cell *all = NULL;
		int32_t edge = 0;

		for (int b = chip->bin_count - 1; b >= 0; b--) {
			struct cell *list = list_sort(row->bins[b]), **tail = &list;

			while (*tail)
				tail = &(*tail)->next_in_bin;
			*tail = all;
			all = list;
			row->bins[b] = NULL;
		}
		row->bins[0] = list_sort(all);
		for (struct cell *c = row->bins[0]; c; c = c->next_in_bin) {
			c->x = edge + c->width / 2;
			edge += c->width;
		}
	}
}

static void check_bins(const struct workload *w, const struct chip *chip)
{
	int seen = 0, right = 1;

	for (int r = 0; r < chip->row_count; r++) {
		int32_t length = 0;

		for (int b = 0; b < chip->bin_count; b++)
			for (struct cell *c = chip->rows[r].bins[b]; c; c = c->next_in_bin) {
				right &= c->row == r && bin_of(chip, c->x) == b;
				length += c->width;
				seen++;
			}
		right &= length == chip->rows[r].length;
	}
	workload_check(w, right && seen == chip->cell_count, "every cell is in its bin");
}

static void check_packed(const struct workload *w, const struct chip *chip)
{
	int seen = 0, apart = 1;

	for (int r = 0; r < chip->row_count; r++)
		for (struct cell *c = chip->rows[r].bins[0]; c; c = c->next_in_bin) {
			const struct cell *d = c->next_in_bin;

			seen++;
			apart &= !d || c->x - c->width / 2 + c->width <= d->x - d->width / 2;
		}
	workload_check(w, apart && seen == chip->cell_count, "packed rows do not overlap");
}

int main(int argc, char **argv)
{
	static const int cells[] = {240, 8000, 12000};
	static const int rows[] = {6, 38, 46};
	static const int steps[] = {480, 13000, 300000};
	struct workload w = workload_begin("annealer", argc, argv);
	struct chip *chip = chip_create(&w, cells[w.size], rows[w.size]);
	struct tally tallies[3] = {{0}};
	int64_t first_wire;

	for (int i = 0; i < chip->net_count; i++) {
		chip->nets[i].length = net_length(&chip->nets[i]);
		chip->wire += chip->nets[i].length;
	}
	chip->overlap = total_overlap(chip);
	chip->uneven = total_unevenness(chip);
	first_wire = chip->wire;

	anneal(&w, chip, steps[w.size], tallies);
	workload_check(&w, chip->wire == total_wire(chip), "wire length kept up step by step");
	workload_check(&w, chip->overlap == total_overlap(chip), "overlap kept up step by step");
	workload_check(&w, chip->uneven == total_unevenness(chip), "row lengths kept up");
	workload_check(&w, chip->wire < first_wire, "annealing shortens the wires");
	check_bins(&w, chip);
	workload_digest(&w, (uint64_t)chip->wire);
	workload_digest(&w, (uint64_t)chip->overlap);
	for (int i = 0; i < 3; i++) {
		workload_digest(&w, tallies[i].tried);
		workload_digest(&w, tallies[i].taken);
		workload_digest(&w, tallies[i].uphill);
	}
	pack_rows(chip);
	check_packed(&w, chip);
	workload_digest(&w, (uint64_t)total_wire(chip));
	chip_destroy(chip);
	return workload_end(&w);
}
