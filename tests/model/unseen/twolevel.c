/* Sums through two levels of indices, divides now and then, and writes back: misses that follow
 * misses. */
#include "../../../workloads/workload.h"

#define ITEMS 65536
#define TURNS 4

int main(int argc, char **argv)
{
	struct workload w = workload_begin("twolevel", argc, argv);
	uint32_t *first = malloc(ITEMS * sizeof(*first)), *second = malloc(ITEMS * sizeof(*second));
	double *values = malloc(ITEMS * sizeof(*values));
	double sum = 0, check = 0;

	for (unsigned i = 0; i < ITEMS; i++) {
		first[i] = second[i] = i;
		values[i] = i;
	}
	for (unsigned i = ITEMS - 1; i > 0; i--) {
		unsigned a = (unsigned)(workload_random(&w) % (i + 1));
		unsigned b = (unsigned)(workload_random(&w) % (i + 1));
		uint32_t t = first[i];

		first[i] = first[a];
		first[a] = t;
		t = second[i];
		second[i] = second[b];
		second[b] = t;
	}
	for (unsigned turn = 0; turn < TURNS; turn++)
		for (unsigned i = 0; i < ITEMS; i++) {
			double *v = &values[second[first[i]]];

			sum += i % 16 ? *v : *v / 3 * 3;
			*v += 1;
		}
	for (unsigned turn = 0; turn < TURNS; turn++)
		check += (double)ITEMS * (ITEMS - 1) / 2 + (double)turn * ITEMS;
	int bad = sum < check - 1 || sum > check + 1;
	printf("twolevel %s\n", bad ? "WRONG" : "ok");
	return bad;
}
