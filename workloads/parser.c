/*
 * parser - stands for parser (SPEC CPU2000 197.parser), the link grammar
 * parser of English by Sleator and Temperley (1991).
 *
 * A dictionary of words is kept in a binary tree, each with a formula of
 * connectors. For every sentence the formulas of its words are expanded into
 * disjuncts, those that cannot match anything are pruned, the linkages are
 * counted by the cubic algorithm with a hash table of subproblems, and some
 * are extracted, priced and compared. As in the original everything lives in
 * small linked records from a pool that is reset per sentence, connectors are
 * matched as strings, and most of the time goes into loops over candidate
 * disjuncts whose tests succeed or fail as the words have it: branches are
 * hard to predict, calls are recursive, loads chase pointers.
 *
 * Checked: sentences made from the grammar have a linkage; every linkage
 * extracted is planar, connected and uses each connector of its disjuncts in
 * order; and where there are few, all that were counted exist and differ.
 */
#include "parser_dictionary.h"

/* A clause while a formula is being expanded: connectors, the last listed first. */
struct item {
	const struct formula *connector;
	const struct item *next;
};

struct clause {
	const struct item *items;
	struct clause *next;
	int cost;
};

static const struct item *join(struct parser *p, const struct item *later, const struct item *front)
{
	struct item *copy;

	if (!later)
		return front;
	copy = pool_new(&p->sentence, sizeof(*copy));
	copy->connector = later->connector;
	copy->next = join(p, later->next, front);
	return copy;
}

static struct clause *clause_new(struct parser *p, const struct item *items, int cost,
				 struct clause *next)
{
	struct clause *c = pool_new(&p->sentence, sizeof(*c));

	c->items = items;
	c->cost = cost;
	c->next = next;
	return c;
}

static struct clause *expand(struct parser *p, const struct formula *f)
{
	struct clause *result = NULL, *crossed;
	struct item *item;

	switch (f->kind) {
	case FORMULA_CONNECTOR:
		item = pool_new(&p->sentence, sizeof(*item));
		item->connector = f;
		return clause_new(p, item, f->cost, NULL);
	case FORMULA_AND:
		result = clause_new(p, NULL, f->cost, NULL);
		for (const struct formula *part = f->first; part; part = part->next) {
			struct clause *added = expand(p, part);

			crossed = NULL;
			for (struct clause *a = result; a; a = a->next)
				for (struct clause *b = added; b; b = b->next)
					crossed = clause_new(p, join(p, b->items, a->items),
							     a->cost + b->cost, crossed);
			result = crossed;
		}
		return result;
	default:
		for (const struct formula *part = f->first; part; part = part->next)
			for (struct clause *c = expand(p, part); c; c = c->next)
				result = clause_new(p, c->items, c->cost + f->cost, result);
		return result;
	}
}

static struct disjunct *clause_to_disjunct(struct parser *p, const struct clause *c)
{
	struct disjunct *d = pool_new(&p->sentence, sizeof(*d));
	struct connector **left = &d->left, **right = &d->right;

	d->cost = c->cost;
	for (const struct item *i = c->items; i; i = i->next) {
		struct connector *new = pool_new(&p->sentence, sizeof(*new));
		struct connector ***link = i->connector->direction == '-' ? &left : &right;

		new->name = i->connector->name;
		new->multi = i->connector->multi;
		new->id = ++p->n_connectors;
		**link = new;
		*link = &new->next;
	}
	return d;
}

static int list_equal(const struct connector *a, const struct connector *b)
{
	while (a && b && a->multi == b->multi && strcmp(a->name, b->name) == 0) {
		a = a->next;
		b = b->next;
	}
	return !a && !b;
}

/* All entries of the word contribute; a disjunct found twice is kept once, at its lower cost. */
static void find_disjuncts(struct parser *p, int at)
{
	const struct dictionary_node *n = p->root;

	p->disjuncts[at] = NULL;
	while (n) {
		int order = strcmp(p->word[at], n->word);

		for (struct clause *c = order ? NULL : expand(p, n->formula); c; c = c->next) {
			struct disjunct *d = clause_to_disjunct(p, c), *twin = p->disjuncts[at];

			while (twin && !(list_equal(twin->left, d->left) &&
					 list_equal(twin->right, d->right)))
				twin = twin->next;
			if (twin) {
				twin->cost = twin->cost < d->cost ? twin->cost : d->cost;
				continue;
			}
			d->next = p->disjuncts[at];
			p->disjuncts[at] = d;
		}
		n = order < 0 ? n->left : n->right;
	}
}

/* Capitals must agree; then small letters, where a star or the end fits anything. */
static int match(const struct connector *a, const struct connector *b)
{
	const char *s = a->name, *t = b->name;

	while ((*s >= 'A' && *s <= 'Z') || (*t >= 'A' && *t <= 'Z')) {
		if (*s != *t)
			return 0;
		s++;
		t++;
	}
	for (; *s && *t; s++, t++)
		if (*s != *t && *s != '*' && *t != '*')
			return 0;
	return 1;
}

static uint32_t base_of(const struct connector *c)
{
	uint32_t hash = 0;

	for (const char *s = c->name; *s >= 'A' && *s <= 'Z'; s++)
		hash = hash * 5 + (uint32_t)(*s - 'A');
	return hash % BASES;
}

static int all_seen(struct connector *const *seen, const struct connector *c)
{
	for (; c; c = c->next) {
		const struct connector *s = seen[base_of(c)];

		while (s && !match(s, c))
			s = s->next;
		if (!s)
			return 0;
	}
	return 1;
}

static void remember(struct parser *p, struct connector **seen, const struct connector *c)
{
	for (; c; c = c->next) {
		struct connector *copy, *known = seen[base_of(c)];

		while (known && strcmp(known->name, c->name) != 0)
			known = known->next;
		if (known)
			continue;
		copy = pool_new(&p->sentence, sizeof(*copy));
		*copy = *c;
		copy->next = seen[base_of(c)];
		seen[base_of(c)] = copy;
	}
}

/* Drops disjuncts with a connector that nothing on its side offers; one pass each way. */
static int prune_pass(struct parser *p, int rightwards)
{
	struct connector *seen[BASES] = {NULL};
	int dropped = 0;

	for (int i = 0; i < p->n_words; i++) {
		int at = rightwards ? i : p->n_words - 1 - i;
		struct disjunct **link = &p->disjuncts[at];

		while (*link) {
			if (all_seen(seen, rightwards ? (*link)->left : (*link)->right)) {
				link = &(*link)->next;
				continue;
			}
			*link = (*link)->next;
			dropped++;
		}
		for (struct disjunct *d = p->disjuncts[at]; d; d = d->next)
			remember(p, seen, rightwards ? d->right : d->left);
	}
	p->pruned += (uint64_t)dropped;
	return dropped;
}

static void prune(struct parser *p)
{
	while (prune_pass(p, 1) + prune_pass(p, 0) > 0)
		;
}

static uint64_t count(struct parser *p, int l, int r, const struct connector *le,
		      const struct connector *re);

/* A link between two connectors can use either up or, if it is multiple, leave it there. */
static uint64_t count_linked(struct parser *p, int l, int r, const struct connector *le,
			     const struct connector *re)
{
	uint64_t total = count(p, l, r, le->next, re->next);

	if (le->multi)
		total += count(p, l, r, le, re->next);
	if (re->multi)
		total += count(p, l, r, le->next, re);
	if (le->multi && re->multi)
		total += count(p, l, r, le, re);
	return total;
}

/* How the words between l and r can be linked so that le of l and re of r are used up. */
static uint64_t count(struct parser *p, int l, int r, const struct connector *le,
		      const struct connector *re)
{
	uint32_t hash = ((uint32_t)l * 31 + (uint32_t)r * 1021 + (uint32_t)(le ? le->id : 0) * 89 +
			 (uint32_t)(re ? re->id : 0) * 4001) %
			BUCKETS;
	struct count_entry *e;
	uint64_t total = 0;

	if (r == l + 1)
		return !le && !re;
	if (!le && !re)
		return 0;
	for (e = p->bucket[hash]; e; e = e->next)
		if (e->le == le && e->re == re && e->l == l && e->r == r)
			return e->count;
	for (int w = l + 1; w < r; w++)
		for (const struct disjunct *d = p->disjuncts[w]; d; d = d->next) {
			uint64_t left = 0, right = 0;

			if (le && d->left && match(le, d->left))
				left = count_linked(p, l, w, le, d->left);
			if (re && d->right && (left || !le) && match(d->right, re))
				right = count_linked(p, w, r, d->right, re);
			if (left)
				total += left * (right + count(p, w, r, d->right, re));
			else if (right)
				total += right * count(p, l, w, NULL, d->left);
		}
	e = pool_new(&p->sentence, sizeof(*e));
	*e = (struct count_entry){le, re, p->bucket[hash], total, (int16_t)l, (int16_t)r};
	p->bucket[hash] = e;
	p->entries++;
	return total;
}

static void extract(struct parser *p, int l, int r, const struct connector *le,
		    const struct connector *re, uint64_t index);

static void extract_linked(struct parser *p, int l, int r, const struct connector *le,
			   const struct connector *re, uint64_t index)
{
	p->link[p->n_links++] = (struct link){l, r, le, re};
	for (int keep = 0; keep < 4; keep++) {
		const struct connector *a = keep & 1 ? le : le->next, *b = keep & 2 ? re : re->next;
		uint64_t n;

		if (((keep & 1) && !le->multi) || ((keep & 2) && !re->multi))
			continue;
		n = count(p, l, r, a, b);
		if (index < n) {
			extract(p, l, r, a, b, index);
			return;
		}
		index -= n;
	}
}

/* Follows count's enumeration to the linkage with the given index. */
static void extract(struct parser *p, int l, int r, const struct connector *le,
		    const struct connector *re, uint64_t index)
{
	for (int w = l + 1; w < r; w++)
		for (const struct disjunct *d = p->disjuncts[w]; d; d = d->next) {
			uint64_t left = 0, right = 0, rest;

			if (le && d->left && match(le, d->left))
				left = count_linked(p, l, w, le, d->left);
			if (re && d->right && (left || !le) && match(d->right, re))
				right = count_linked(p, w, r, d->right, re);
			if (!left && !right)
				continue;
			rest = left ? right + count(p, w, r, d->right, re)
				    : count(p, l, w, NULL, d->left);
			if (index >= (left ? left : right) * rest) {
				index -= (left ? left : right) * rest;
				continue;
			}
			p->chosen[w] = d;
			if (!left) {
				extract_linked(p, w, r, d->right, re, index / rest);
				extract(p, l, w, NULL, d->left, index % rest);
				return;
			}
			extract_linked(p, l, w, le, d->left, index / rest);
			index %= rest;
			if (index < right)
				extract_linked(p, w, r, d->right, re, index);
			else
				extract(p, w, r, d->right, re, index - right);
			return;
		}
}

/* The total, and if wanted the linkage with the given index; word 0 is the wall. */
static uint64_t parse(struct parser *p, int wanted, uint64_t index)
{
	uint64_t total = 0;

	p->n_links = 0;
	for (const struct disjunct *d = p->disjuncts[0]; d; d = d->next) {
		uint64_t n = d->left ? 0 : count(p, 0, p->n_words, d->right, NULL);

		if (wanted && index >= total && index - total < n) {
			p->chosen[0] = d;
			extract(p, 0, p->n_words, d->right, NULL, index - total);
			return n;
		}
		total += n;
	}
	return total;
}

/* Walks one side of a word's disjunct along its links, farthest first. */
static int side_is_used(const struct parser *p, int w, const struct connector *c, int leftwards)
{
	int step = leftwards ? 1 : -1, used = 0;

	for (int other = leftwards ? 0 : p->n_words - 1; other != w; other += step)
		for (int i = 0; i < p->n_links; i++) {
			const struct link *k = &p->link[i];
			const struct connector *own = leftwards ? k->rc : k->lc;

			if ((leftwards ? k->r : k->l) != w || (leftwards ? k->l : k->r) != other)
				continue;
			if (own != c && used && c) {
				c = c->next;
				used = 0;
			}
			if (own != c || (used && !c->multi))
				return 0;
			used = 1;
		}
	return used ? !c->next : !c;
}

static int is_planar(const struct parser *p)
{
	for (int i = 0; i < p->n_links; i++)
		for (int j = 0; j < p->n_links; j++)
			if (p->link[i].l < p->link[j].l && p->link[j].l < p->link[i].r &&
			    p->link[i].r < p->link[j].r)
				return 0;
	return 1;
}

static int is_connected(const struct parser *p)
{
	uint64_t reached = 1, before;

	do {
		before = reached;
		for (int i = 0; i < p->n_links; i++)
			if ((reached >> p->link[i].l & 1) || (reached >> p->link[i].r & 1))
				reached |= UINT64_C(1) << p->link[i].l | UINT64_C(1)
										 << p->link[i].r;
	} while (reached != before);
	return reached == (UINT64_C(1) << p->n_words) - 1;
}

static void check_linkage(struct parser *p)
{
	workload_check(p->w, is_planar(p), "links do not cross");
	workload_check(p->w, is_connected(p), "the linkage connects all words");
	for (int i = 0; i < p->n_links; i++)
		workload_check(p->w, match(p->link[i].lc, p->link[i].rc),
			       "linked connectors match");
	for (int w = 0; w < p->n_words; w++)
		workload_check(p->w,
			       side_is_used(p, w, p->chosen[w]->left, 1) &&
				       side_is_used(p, w, p->chosen[w]->right, 0),
			       "each connector is used in order");
}

/* Costs of the disjuncts, and long links are dear. */
static int linkage_price(const struct parser *p)
{
	int price = 0;

	for (int w = 0; w < p->n_words; w++)
		price += 10 * p->chosen[w]->cost;
	for (int i = 0; i < p->n_links; i++)
		price += p->link[i].r - p->link[i].l - 1;
	return price;
}

static uint64_t linkage_name(const struct parser *p)
{
	uint64_t name = 0;

	for (int i = 0; i < p->n_links; i++) {
		uint64_t ends = (uint64_t)p->link[i].lc->id << 32 | (uint64_t)p->link[i].rc->id;

		ends ^= (uint64_t)(p->link[i].l * MAX_WORDS + p->link[i].r) << 20;
		ends *= UINT64_C(0x9e3779b97f4a7c15);
		name += ends ^ ends >> 29;
	}
	return name;
}

static void parse_sentence(struct parser *p)
{
	enum { LOOK_AT = 12 };
	uint64_t total, seen[LOOK_AT];
	int best = INT32_MAX;

	p->sentence.used = 0;
	p->n_connectors = 0;
	memset(p->bucket, 0, sizeof(p->bucket));
	for (int i = 0; i < p->n_words; i++)
		find_disjuncts(p, i);
	prune(p);
	total = parse(p, 0, 0);
	workload_check(p->w, total > 0, "a grammatical sentence has a linkage");
	for (int i = 0; i < LOOK_AT && (uint64_t)i < total; i++) {
		int price;

		parse(p, 1, total <= LOOK_AT ? (uint64_t)i : total / LOOK_AT * (uint64_t)i);
		check_linkage(p);
		price = linkage_price(p);
		best = price < best ? price : best;
		seen[i] = linkage_name(p);
		for (int j = 0; j < i; j++)
			workload_check(p->w, seen[i] != seen[j], "linkages counted apart differ");
	}
	p->linkages += total;
	workload_digest(p->w, total);
	workload_digest(p->w, (uint64_t)best);
}

int main(int argc, char **argv)
{
	static const struct {
		int sentences, limit, scale;
	} plan[] = {{3, 6, 8}, {44, 14, 1}, {720, 14, 1}};
	struct workload w = workload_begin("parser", argc, argv);
	struct parser *p = workload_alloc(sizeof(*p));
	struct lexicon x;
	struct speaker s = {
		.p = p, .x = &x, .scale = plan[w.size].scale, .limit = plan[w.size].limit};

	p->w = &w;
	p->formulas.room = 1 << 20;
	p->formulas.data = workload_alloc(p->formulas.room);
	p->sentence.room = 64 << 20;
	p->sentence.data = workload_alloc(p->sentence.room);
	make_dictionary(p, &x, plan[w.size].scale);
	for (int i = 0; i < plan[w.size].sentences; i++) {
		say_sentence(&s);
		parse_sentence(p);
	}
	workload_digest(&w, p->entries);
	workload_digest(&w, p->pruned);
	workload_digest(&w, p->linkages);
	for (int c = 0; c < CLASSES; c++)
		free(x.word[c]);
	free(p->formulas.data);
	free(p->sentence.data);
	free(p);
	return workload_end(&w);
}
