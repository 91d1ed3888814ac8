/*
 * heapsort - sorting by binary heap, the classic kernel, as a small program.
 *
 * It stands for the heapsort benchmark (Williams and Floyd 1964) that runs on
 * every small machine: a loop that sifts elements down a binary heap, jumping
 * from a parent to a child twice as far on. Here a ledger of records is sorted
 * in the ways a program would: its bare keys in place; its records through an
 * array of pointers with a comparison function passed in; fixed size records
 * by moving their bytes, for any size, as qsort does; the keys again bottom up
 * (sinking the hole to a leaf and then climbing, which asks one comparison per
 * level instead of two); and a part of it as a schedule that is taken from the
 * front and refilled.
 *
 * The loads of a sift depend on the comparison before them; which child is
 * larger is a coin toss, so one branch per level cannot be predicted. The top
 * of the heap stays in the cache and the leaves do not.
 *
 * Checked: each result is in order and is a permutation of the input (by count
 * and sums of hashes), all ways agree with each other, and the schedule hands
 * its events out in order of time without losing one.
 */
#include "workload.h"

enum { NAME_BYTES = 16 };

struct record {
	uint64_t key;
	uint32_t account;
	int32_t amount;
	char name[NAME_BYTES];
};

struct ledger {
	struct record *records;
	size_t count;
};

/* What a permutation leaves alone. */
struct fingerprint {
	size_t count;
	uint64_t sum, mixed;
};

static uint64_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	return x ^ (x >> 32);
}

static void fingerprint_add(struct fingerprint *f, uint64_t key)
{
	f->count++;
	f->sum += key;
	f->mixed += mix(key);
}

static int fingerprint_equal(const struct fingerprint *a, const struct fingerprint *b)
{
	return a->count == b->count && a->sum == b->sum && a->mixed == b->mixed;
}

static void keys_sift(uint64_t *keys, size_t hole, size_t count)
{
	uint64_t sinking = keys[hole];
	size_t child;

	while ((child = 2 * hole + 1) < count) {
		if (child + 1 < count && keys[child + 1] > keys[child])
			child++;
		if (keys[child] <= sinking)
			break;
		keys[hole] = keys[child];
		hole = child;
	}
	keys[hole] = sinking;
}

static void keys_sort(uint64_t *keys, size_t count)
{
	for (size_t i = count / 2; i-- > 0;)
		keys_sift(keys, i, count);
	for (size_t last = count; last-- > 1;) {
		uint64_t largest = keys[0];

		keys[0] = keys[last];
		keys[last] = largest;
		keys_sift(keys, 0, last);
	}
}

/* Bottom up: most elements belong near the leaves they come from. */
static void keys_sink_and_climb(uint64_t *keys, size_t root, size_t count)
{
	uint64_t sinking = keys[root];
	size_t hole = root, child, parent;

	while ((child = 2 * hole + 2) < count) {
		if (keys[child - 1] > keys[child])
			child--;
		keys[hole] = keys[child];
		hole = child;
	}
	if (child == count) {
		keys[hole] = keys[child - 1];
		hole = child - 1;
	}
	while (hole > root && keys[parent = (hole - 1) / 2] < sinking) {
		keys[hole] = keys[parent];
		hole = parent;
	}
	keys[hole] = sinking;
}

static void keys_sort_bottom_up(uint64_t *keys, size_t count)
{
	for (size_t i = count / 2; i-- > 0;)
		keys_sink_and_climb(keys, i, count);
	for (size_t last = count; last-- > 1;) {
		uint64_t largest = keys[0];

		keys[0] = keys[last];
		keys[last] = largest;
		keys_sink_and_climb(keys, 0, last);
	}
}

typedef int record_order(const struct record *, const struct record *);

static int by_key(const struct record *a, const struct record *b)
{
	return (a->key > b->key) - (a->key < b->key);
}

/* Names repeat, so ties are settled by the key. */
static int by_name(const struct record *a, const struct record *b)
{
	int order = strcmp(a->name, b->name);

	return order ? order : by_key(a, b);
}

static int by_account(const struct record *a, const struct record *b)
{
	if (a->account != b->account)
		return a->account < b->account ? -1 : 1;
	if (a->amount != b->amount)
		return a->amount > b->amount ? -1 : 1;
	return by_key(a, b);
}

static void pointers_sift(const struct record **heap, size_t hole, size_t count,
			  record_order *order)
{
	const struct record *sinking = heap[hole];
	size_t child;

	while ((child = 2 * hole + 1) < count) {
		if (child + 1 < count && order(heap[child + 1], heap[child]) > 0)
			child++;
		if (order(heap[child], sinking) <= 0)
			break;
		heap[hole] = heap[child];
		hole = child;
	}
	heap[hole] = sinking;
}

static void pointers_sort(const struct record **heap, size_t count, record_order *order)
{
	for (size_t i = count / 2; i-- > 0;)
		pointers_sift(heap, i, count, order);
	for (size_t last = count; last-- > 1;) {
		const struct record *largest = heap[0];

		heap[0] = heap[last];
		heap[last] = largest;
		pointers_sift(heap, 0, last, order);
	}
}

static void bytes_swap(uint8_t *a, uint8_t *b, size_t size)
{
	for (; size >= 8; size -= 8, a += 8, b += 8) {
		uint64_t x, y;

		memcpy(&x, a, 8);
		memcpy(&y, b, 8);
		memcpy(a, &y, 8);
		memcpy(b, &x, 8);
	}
	for (; size > 0; size--, a++, b++) {
		uint8_t x = *a;

		*a = *b;
		*b = x;
	}
}

static void bytes_sift(uint8_t *base, size_t parent, size_t count, size_t size,
		       int (*order)(const void *, const void *))
{
	size_t child;

	while ((child = 2 * parent + 1) < count) {
		if (child + 1 < count && order(base + (child + 1) * size, base + child * size) > 0)
			child++;
		if (order(base + child * size, base + parent * size) <= 0)
			return;
		bytes_swap(base + child * size, base + parent * size, size);
		parent = child;
	}
}

static void bytes_sort(void *array, size_t count, size_t size,
		       int (*order)(const void *, const void *))
{
	uint8_t *base = array;

	for (size_t i = count / 2; i-- > 0;)
		bytes_sift(base, i, count, size, order);
	for (size_t last = count; last-- > 1;) {
		bytes_swap(base, base + last * size, size);
		bytes_sift(base, 0, last, size, order);
	}
}

static int by_amount(const void *a, const void *b)
{
	const struct record *r = a, *s = b;

	if (r->amount != s->amount)
		return r->amount < s->amount ? -1 : 1;
	return by_key(r, s);
}

/* A schedule is a heap used as a priority queue. */
struct event {
	uint64_t time;
	uint32_t number;
};

struct schedule {
	struct event *heap; /* earliest first; equal times by number */
	size_t count;
};

static int event_before(const struct event *a, const struct event *b)
{
	return a->time != b->time ? a->time < b->time : a->number < b->number;
}

static void schedule_put(struct schedule *s, struct event e)
{
	size_t hole = s->count++;

	while (hole > 0 && event_before(&e, &s->heap[(hole - 1) / 2])) {
		s->heap[hole] = s->heap[(hole - 1) / 2];
		hole = (hole - 1) / 2;
	}
	s->heap[hole] = e;
}

static struct event schedule_take(struct schedule *s)
{
	struct event first = s->heap[0], last = s->heap[--s->count];
	size_t hole = 0, child;

	while ((child = 2 * hole + 1) < s->count) {
		if (child + 1 < s->count && event_before(&s->heap[child + 1], &s->heap[child]))
			child++;
		if (!event_before(&s->heap[child], &last))
			break;
		s->heap[hole] = s->heap[child];
		hole = child;
	}
	s->heap[hole] = last;
	return first;
}

/* Every event that happens brings the next one, until the given number happened. */
static void schedule_run(struct workload *w, size_t pending, size_t happenings)
{
	struct schedule s = {.heap = workload_alloc(sizeof(struct event) * (pending + 1))};
	uint64_t now = 0, log = 0, time_put = 0, time_taken = 0;
	uint32_t number = 0;

	for (size_t i = 0; i < pending; i++) {
		struct event e = {workload_below(w, 1000), number++};

		time_put += e.time;
		schedule_put(&s, e);
	}
	for (size_t i = 0; i < happenings; i++) {
		struct event e = schedule_take(&s), next;

		workload_check(w, e.time >= now, "events happen in order of time");
		now = e.time;
		time_taken += e.time;
		log = log * 31 + e.number;
		next = (struct event){now + 1 + mix(e.number * 77 + now) % 1000, number++};
		time_put += next.time;
		schedule_put(&s, next);
	}
	while (s.count > 0)
		time_taken += schedule_take(&s).time;
	workload_check(w, time_put == time_taken, "no event is lost");
	workload_digest(w, log);
	free(s.heap);
}

static struct ledger ledger_create(struct workload *w, size_t count)
{
	static const char *const syllables[] = {"ba", "ro", "ti", "ne", "ka", "lu", "so", "mi"};
	struct ledger l = {workload_alloc(sizeof(struct record) * count), count};

	for (size_t i = 0; i < count; i++) {
		struct record *r = &l.records[i];
		uint64_t draw = workload_random(w);

		/* The lower bits make keys unique, so that every order is total. */
		r->key = (draw & ~UINT64_C(0xfffff)) | i;
		r->account = (uint32_t)(draw >> 7) % 1000;
		r->amount = (int32_t)(draw >> 20) % 100000;
		for (int k = 0; k < 3; k++)
			memcpy(r->name + 2 * k, syllables[draw >> (30 + 4 * k) & 7], 2);
	}
	return l;
}

static struct fingerprint ledger_fingerprint(const struct ledger *l)
{
	struct fingerprint f = {0};

	for (size_t i = 0; i < l->count; i++)
		fingerprint_add(&f, l->records[i].key);
	return f;
}

static uint64_t *ledger_keys(const struct ledger *l)
{
	uint64_t *keys = workload_alloc(sizeof(*keys) * l->count);

	for (size_t i = 0; i < l->count; i++)
		keys[i] = l->records[i].key;
	return keys;
}

static void check_keys(struct workload *w, const uint64_t *keys, const struct fingerprint *expected)
{
	struct fingerprint f = {0};
	int ordered = 1;

	for (size_t i = 0; i < expected->count; i++) {
		ordered &= i == 0 || keys[i - 1] <= keys[i];
		fingerprint_add(&f, keys[i]);
	}
	workload_check(w, ordered, "keys are in order");
	workload_check(w, fingerprint_equal(&f, expected), "keys are the ones given");
}

static void sort_pointers(struct workload *w, const struct ledger *l, record_order *order,
			  const struct fingerprint *expected)
{
	const struct record **pointers = workload_alloc(sizeof(struct record *) * l->count);
	struct fingerprint f = {0};
	int ordered = 1;

	for (size_t i = 0; i < l->count; i++)
		pointers[i] = &l->records[i];
	pointers_sort(pointers, l->count, order);
	for (size_t i = 0; i < l->count; i++) {
		ordered &= i == 0 || order(pointers[i - 1], pointers[i]) < 0;
		fingerprint_add(&f, pointers[i]->key);
	}
	workload_check(w, ordered, "pointers are in order");
	workload_check(w, fingerprint_equal(&f, expected), "every record is pointed at once");
	workload_digest(w, pointers[l->count / 3]->key);
	free(pointers);
}

int main(int argc, char **argv)
{
	static const size_t records[] = {260, 5200, 66000};
	struct workload w = workload_begin("heapsort", argc, argv);
	struct ledger l = ledger_create(&w, records[w.size]);
	struct fingerprint expected = ledger_fingerprint(&l);
	uint64_t *keys = ledger_keys(&l), *again = ledger_keys(&l);
	int ordered = 1;

	keys_sort(keys, l.count);
	check_keys(&w, keys, &expected);
	keys_sort_bottom_up(again, l.count);
	workload_check(&w, memcmp(keys, again, sizeof(*keys) * l.count) == 0,
		       "both ways of sorting keys agree");
	sort_pointers(&w, &l, by_key, &expected);
	sort_pointers(&w, &l, by_name, &expected);
	sort_pointers(&w, &l, by_account, &expected);

	bytes_sort(l.records, l.count, sizeof(l.records[0]), by_amount);
	for (size_t i = 1; i < l.count; i++)
		ordered &= by_amount(&l.records[i - 1], &l.records[i]) < 0;
	workload_check(&w, ordered, "records are in order");
	keys_sort(keys, l.count);
	free(again);
	again = ledger_keys(&l);
	keys_sort_bottom_up(again, l.count);
	workload_check(&w, memcmp(keys, again, sizeof(*keys) * l.count) == 0,
		       "moved records have the same keys");
	for (size_t i = 0; i < l.count; i += 64)
		workload_digest(&w, keys[i] ^ (uint64_t)l.records[i].amount);
	schedule_run(&w, l.count / 4, l.count);
	free(keys);
	free(again);
	free(l.records);
	return workload_end(&w);
}
