/* Sorts by counting into places all over memory: stores that miss, and counters that are read back.
 */
#include "../../../workloads/workload.h"

#define ITEMS  300000
#define PLACES 65536

int main(int argc, char **argv)
{
	struct workload w = workload_begin("scatter", argc, argv);
	uint32_t *items = malloc(ITEMS * sizeof(*items)), *sorted = malloc(ITEMS * sizeof(*sorted));
	uint32_t *starts = calloc(PLACES + 1, sizeof(*starts));
	uint64_t before = 0, after = 0;
	int bad = 0;

	for (unsigned i = 0; i < ITEMS; i++) {
		items[i] = (uint32_t)workload_random(&w);
		before += items[i];
	}
	for (unsigned i = 0; i < ITEMS; i++)
		starts[items[i] % PLACES + 1]++;
	for (unsigned i = 0; i < PLACES; i++)
		starts[i + 1] += starts[i];
	for (unsigned i = 0; i < ITEMS; i++)
		sorted[starts[items[i] % PLACES]++] = items[i];
	for (unsigned i = 0; i < ITEMS; i++) {
		after += sorted[i];
		bad |= i && sorted[i - 1] % PLACES > sorted[i] % PLACES;
	}
	bad |= before != after;
	printf("scatter %s\n", bad ? "WRONG" : "ok");
	return bad;
}
