/* Joins two tables by a chained hash table: independent lookups, each a short chain of misses. */
#include "../../../workloads/workload.h"

#define ROWS	20000
#define BUCKETS 16384
#define PROBES	120000

struct row {
	uint64_t key, amount;
	struct row *next;
	uint64_t unused[5];
};

int main(int argc, char **argv)
{
	struct workload w = workload_begin("hashjoin", argc, argv);
	struct row *rows = malloc(ROWS * sizeof(*rows));
	struct row **buckets = calloc(BUCKETS, sizeof(*buckets));
	uint64_t sum = 0, found = 0, check = 0;

	for (uint64_t i = 0; i < ROWS; i++) {
		uint64_t slot = i * 7919 % ROWS, key = i * 3;
		struct row **bucket = &buckets[key * UINT64_C(0x9e3779b97f4a7c15) >> 50];

		rows[slot] = (struct row){.key = key, .amount = key ^ 0x55, .next = *bucket};
		*bucket = &rows[slot];
	}
	for (unsigned i = 0; i < PROBES; i++) {
		uint64_t key = workload_random(&w) % (ROWS * 6);

		if (key % 3 == 0 && key < ROWS * 3)
			check += key ^ 0x55;
		for (struct row *r = buckets[key * UINT64_C(0x9e3779b97f4a7c15) >> 50]; r;
		     r = r->next)
			if (r->key == key) {
				sum += r->amount;
				found++;
				break;
			}
	}
	printf("hashjoin %s %llu\n", sum == check ? "ok" : "WRONG", (unsigned long long)found);
	return sum != check;
}
