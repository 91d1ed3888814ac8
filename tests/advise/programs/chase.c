/* bottleneck: pointer chase */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NODES 32768

struct node {
	struct node *next;
	uint64_t value, pad[6];
};

static struct node nodes[NODES];
static uint32_t order[NODES];

int main(void)
{
	uint64_t state = 1, sum = 0;

	for (uint32_t i = 0; i < NODES; i++)
		order[i] = i;
	for (uint32_t i = NODES - 1; i > 0; i--) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		uint32_t j = (state >> 33) % i, swap = order[i];
		order[i] = order[j];
		order[j] = swap;
	}
	for (uint32_t i = 0; i < NODES; i++)
		nodes[order[i]].next = &nodes[order[(i + 1) % NODES]];
	struct node *at = nodes;
	for (unsigned i = 0; i < 25000; i++) {
		sum += i ^ (uintptr_t)at;
		at = at->next; /* HERE */
	}
	printf("%d\n", (int)(sum & 1));
	return 0;
}
