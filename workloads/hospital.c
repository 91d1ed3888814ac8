/*
 * hospital - stands for Olden health: a health service simulated as a tree of
 * villages with four children each, every one with its own hospital.
 *
 * As in health a recursive walk over the tree advances each hospital by one
 * tick: patients in treatment, in assessment and in the waiting queue sit on
 * doubly linked lists of cells that point to patient records; cells are taken
 * off one list and hung on another, and patients a village cannot help are
 * handed up to its parent. Lists are long (the service starts with a backlog)
 * and all of them are walked at every tick; cells and records come from
 * malloc in an order unrelated to where they end up and are recycled through
 * free lists, so the walk is a chain of dependent loads over megabytes, with
 * branches on what each record says.
 *
 * Checked: nobody is lost, the time on all records adds up to the ticks
 * during which patients were present, staff in use equals patients being
 * treated in each village, and the lists are sound in both directions.
 */
#include "workload.h"

#define CHILDREN      4
#define ASSESS_TICKS  3
#define URGENT	      6	  /* severity from which a waiting patient is sent up */
#define WORSEN_PERIOD 128 /* ticks between two steps of severity */

struct village;

struct patient {
	struct village *home;
	uint32_t id;
	int time;      /* ticks since arrival */
	int time_left; /* ticks until assessment or treatment ends */
	int severity;
	int hospitals; /* visited */
	uint64_t notes;
	struct patient *next_free;
};

struct cell {
	struct cell *forward, *back;
	struct patient *patient;
};

/* Circular through `head`, whose patient is NULL. */
struct list {
	struct cell head;
	int length;
};

struct village {
	struct village *child[CHILDREN];
	struct village *parent;
	struct list waiting, assessing, treating;
	struct list leaving; /* to be handed to the parent */
	int staff, staff_free;
	int level;
	uint64_t random;
	long discharged;
};

/* Records and cells not in use. */
struct pool {
	struct patient *patients;
	struct cell *cells;
};

struct service {
	struct pool pool;
	struct village *root;
	int villages;
	uint32_t admitted;
	long present;
	long discharged;
	long referred;
	long time_of_discharged;
	uint64_t discharge_notes;
};

struct plan {
	int levels, backlog, ticks;
};

static const struct plan plans[] = {
	[SIZE_TEST] = {3, 450, 60},
	[SIZE_SMALL] = {5, 16000, 50},
	[SIZE_REF] = {6, 60000, 310},
};

static void list_init(struct list *l)
{
	l->head.forward = l->head.back = &l->head;
	l->head.patient = NULL;
	l->length = 0;
}

static void list_append(struct list *l, struct cell *c)
{
	c->forward = &l->head;
	c->back = l->head.back;
	c->back->forward = c;
	l->head.back = c;
	l->length++;
}

static void list_remove(struct list *l, struct cell *c)
{
	c->back->forward = c->forward;
	c->forward->back = c->back;
	l->length--;
}

static struct patient *pool_take_patient(struct pool *p)
{
	struct patient *taken = p->patients;

	if (!taken)
		return workload_alloc(sizeof(*taken));
	p->patients = taken->next_free;
	return taken;
}

static void pool_give_patient(struct pool *p, struct patient *given)
{
	given->next_free = p->patients;
	p->patients = given;
}

static struct cell *pool_take_cell(struct pool *p)
{
	struct cell *taken = p->cells;

	if (!taken)
		return workload_alloc(sizeof(*taken));
	p->cells = taken->forward;
	return taken;
}

static void pool_give_cell(struct pool *p, struct cell *given)
{
	given->forward = p->cells;
	p->cells = given;
}

static void shuffle(struct workload *w, void **item, int count)
{
	for (int i = count - 1; i > 0; i--) {
		int j = (int)workload_below(w, (uint32_t)i + 1);
		void *swap = item[i];

		item[i] = item[j];
		item[j] = swap;
	}
}

/* Fills the pool as a long-running service would leave it: in no order at all. */
static void pool_init(struct pool *p, struct workload *w, int count)
{
	void **patients = workload_alloc((size_t)count * sizeof(*patients));
	void **cells = workload_alloc((size_t)count * sizeof(*cells));

	p->patients = NULL;
	p->cells = NULL;
	for (int i = 0; i < count; i++) {
		patients[i] = workload_alloc(sizeof(struct patient));
		cells[i] = workload_alloc(sizeof(struct cell));
	}
	shuffle(w, patients, count);
	shuffle(w, cells, count);
	for (int i = 0; i < count; i++) {
		pool_give_patient(p, patients[i]);
		pool_give_cell(p, cells[i]);
	}
	free(patients);
	free(cells);
}

static void pool_release(struct pool *p)
{
	for (struct patient *n = p->patients, *next; n; n = next) {
		next = n->next_free;
		free(n);
	}
	for (struct cell *c = p->cells, *next; c; c = next) {
		next = c->forward;
		free(c);
	}
}

/* Each village draws its own numbers, so its fate does not depend on the walk's order. */
static uint32_t village_random(struct village *v)
{
	v->random = v->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(v->random >> 33);
}

static struct village *village_create(struct service *s, struct workload *w, struct village *parent,
				      int level)
{
	struct village *v = workload_alloc(sizeof(*v));

	v->parent = parent;
	v->level = level;
	v->staff = v->staff_free = 1 << (level - 1);
	v->random = workload_random(w);
	list_init(&v->waiting);
	list_init(&v->assessing);
	list_init(&v->treating);
	list_init(&v->leaving);
	s->villages++;
	if (level > 1)
		for (int i = 0; i < CHILDREN; i++)
			v->child[i] = village_create(s, w, v, level - 1);
	return v;
}

static void list_give_back(struct list *l, struct pool *p)
{
	for (struct cell *c = l->head.forward, *next; c != &l->head; c = next) {
		next = c->forward;
		pool_give_patient(p, c->patient);
		pool_give_cell(p, c);
	}
}

static void village_destroy(struct village *v, struct pool *p)
{
	if (!v)
		return;
	for (int i = 0; i < CHILDREN; i++)
		village_destroy(v->child[i], p);
	list_give_back(&v->waiting, p);
	list_give_back(&v->assessing, p);
	list_give_back(&v->treating, p);
	free(v);
}

/* Hands a newcomer to the staff if there is any, else to the queue. */
static void village_receive(struct village *v, struct cell *c)
{
	c->patient->hospitals++;
	if (v->staff_free > 0) {
		v->staff_free--;
		c->patient->time_left = ASSESS_TICKS;
		list_append(&v->assessing, c);
	} else {
		list_append(&v->waiting, c);
	}
}

static void village_admit(struct service *s, struct village *v)
{
	struct patient *p = pool_take_patient(&s->pool);
	struct cell *c = pool_take_cell(&s->pool);
	uint32_t draw = village_random(v);

	*p = (struct patient){.home = v, .id = s->admitted++, .severity = (int)(draw & 3)};
	p->notes = draw;
	c->patient = p;
	s->present++;
	village_receive(v, c);
}

static void village_discharge(struct service *s, struct village *v, struct cell *c)
{
	struct patient *p = c->patient;

	s->present--;
	s->discharged++;
	s->time_of_discharged += p->time;
	s->discharge_notes += p->notes * (uint64_t)p->hospitals;
	v->discharged++;
	pool_give_patient(&s->pool, p);
	pool_give_cell(&s->pool, c);
}

static void village_treat(struct service *s, struct village *v)
{
	for (struct cell *c = v->treating.head.forward, *next; c != &v->treating.head; c = next) {
		struct patient *p = c->patient;

		next = c->forward;
		p->time++;
		if (--p->time_left > 0)
			continue;
		list_remove(&v->treating, c);
		v->staff_free++;
		village_discharge(s, v, c);
	}
}

/* Three in four are treated here, the longer the worse they are; the rest go up. */
static void village_assess(struct service *s, struct village *v)
{
	for (struct cell *c = v->assessing.head.forward, *next; c != &v->assessing.head; c = next) {
		struct patient *p = c->patient;

		next = c->forward;
		p->time++;
		if (--p->time_left > 0)
			continue;
		list_remove(&v->assessing, c);
		p->notes = p->notes * 31 + (uint64_t)v->level;
		if (!v->parent || village_random(v) % 4 != 0) {
			p->time_left = 6 + 2 * p->severity;
			list_append(&v->treating, c);
		} else {
			v->staff_free++;
			s->referred++;
			list_append(&v->leaving, c);
		}
	}
}

static void village_queue(struct service *s, struct village *v)
{
	for (struct cell *c = v->waiting.head.forward, *next; c != &v->waiting.head; c = next) {
		struct patient *p = c->patient;

		next = c->forward;
		p->time++;
		if (((uint32_t)p->time + p->id) % WORSEN_PERIOD == 0)
			p->severity++;
		if (v->staff_free > 0) {
			list_remove(&v->waiting, c);
			v->staff_free--;
			p->time_left = ASSESS_TICKS;
			list_append(&v->assessing, c);
		} else if (p->severity >= URGENT && v->parent) {
			list_remove(&v->waiting, c);
			p->severity = URGENT - 1;
			s->referred++;
			list_append(&v->leaving, c);
		}
	}
}

/*
 * One tick of a village and of all below it. Arrivals come last, so that each
 * patient present at the start of the tick is looked at exactly once.
 */
static void village_tick(struct service *s, struct village *v)
{
	if (v->level > 1)
		for (int i = 0; i < CHILDREN; i++)
			village_tick(s, v->child[i]);
	village_treat(s, v);
	village_assess(s, v);
	village_queue(s, v);
	if (v->level > 1)
		for (int i = 0; i < CHILDREN; i++) {
			struct list *up = &v->child[i]->leaving;

			while (up->head.forward != &up->head) {
				struct cell *c = up->head.forward;

				list_remove(up, c);
				village_receive(v, c);
			}
		}
	if (village_random(v) % 100 < 15)
		village_admit(s, v);
}

static struct village *village_any(struct service *s, struct workload *w)
{
	struct village *v = s->root;

	/* One in five stops on the way down, so the leaves get most but not all. */
	for (uint64_t draw = workload_random(w); v->level > 1; draw >>= 8) {
		if ((draw & 63) < 13)
			break;
		v = v->child[draw >> 6 & 3];
	}
	return v;
}

static void service_init(struct service *s, struct workload *w, const struct plan *plan)
{
	*s = (struct service){0};
	pool_init(&s->pool, w, plan->backlog + plan->backlog / 8);
	s->root = village_create(s, w, NULL, plan->levels);
	for (int i = 0; i < plan->backlog; i++)
		village_admit(s, village_any(s, w));
}

static void service_release(struct service *s)
{
	village_destroy(s->root, &s->pool);
	pool_release(&s->pool);
}

struct census {
	long patients;
	long time;
	uint64_t notes;
	int sound;
};

static void census_take_list(struct census *t, const struct list *l)
{
	const struct cell *previous = &l->head;
	int length = 0;

	for (const struct cell *c = l->head.forward; c != &l->head; c = c->forward) {
		t->sound &= c->back == previous;
		t->patients++;
		t->time += c->patient->time;
		t->notes += c->patient->notes * (c->patient->id | 1);
		length++;
		previous = c;
	}
	t->sound &= l->head.back == previous && length == l->length;
}

static void census_take(struct census *t, const struct village *v)
{
	if (v->level > 1)
		for (int i = 0; i < CHILDREN; i++)
			census_take(t, v->child[i]);
	census_take_list(t, &v->waiting);
	census_take_list(t, &v->assessing);
	census_take_list(t, &v->treating);
	census_take_list(t, &v->leaving);
	t->sound &= v->staff - v->staff_free == v->assessing.length + v->treating.length;
	t->sound &= v->staff_free >= 0 && v->leaving.length == 0;
}

int main(int argc, char **argv)
{
	struct workload w = workload_begin("hospital", argc, argv);
	const struct plan *plan = &plans[w.size];
	struct census census = {.sound = 1};
	long patient_ticks = 0;
	struct service s;

	service_init(&s, &w, plan);
	for (int t = 0; t < plan->ticks; t++) {
		patient_ticks += s.present;
		village_tick(&s, s.root);
	}
	census_take(&census, s.root);
	workload_check(&w, census.sound, "lists are sound and staff match patients");
	workload_check(&w, census.patients == s.present && s.admitted == s.present + s.discharged,
		       "nobody is lost");
	workload_check(&w, census.time + s.time_of_discharged == patient_ticks,
		       "time on the records equals time spent in the service");
	workload_check(&w, s.discharged > 0 && s.referred > 0, "the service works at all");
	workload_digest(&w, (uint64_t)s.admitted);
	workload_digest(&w, (uint64_t)s.discharged);
	workload_digest(&w, (uint64_t)s.referred);
	workload_digest(&w, (uint64_t)s.time_of_discharged);
	workload_digest(&w, s.discharge_notes);
	workload_digest(&w, census.notes);
	service_release(&s);
	return workload_end(&w);
}
