/* bottleneck: unpredictable branch on data */
#include <stdint.h>
#include <stdio.h>

#define COUNT 6000

static int32_t values[COUNT];

static void sort(int32_t *low, int32_t *high)
{
	while (high - low > 1) {
		int32_t pivot = low[(high - low - 1) / 2], *l = low - 1, *h = high;

		for (;;) {
			do
				l++;
			while (*l < pivot); /* HERE */
			do
				h--;
			while (*h > pivot); /* HERE */
			if (l >= h)
				break;
			int32_t swap = *l;
			*l = *h;
			*h = swap;
		}
		sort(low, h + 1);
		low = h + 1;
	}
}

int main(void)
{
	uint32_t state = 17;

	for (unsigned i = 0; i < COUNT; i++) {
		state = state * 1664525u + 1013904223u;
		values[i] = (int32_t)(state >> 1);
	}
	sort(values, values + COUNT);
	printf("%d %d\n", values[0], values[COUNT / 2]);
	return 0;
}
