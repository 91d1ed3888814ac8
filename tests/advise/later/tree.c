/* bottleneck: pointer chase */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct tree {
	uint64_t key;
	struct tree *child[2];
	uint64_t rest[5];
};

/* The middle of the range is the root of it; nodes lie in the order in which they are made. */
static struct tree *grow(uint64_t low, uint64_t high)
{
	if (low >= high)
		return NULL;
	struct tree *t = malloc(sizeof(*t));
	t->key = (low + high) / 2;
	t->child[0] = grow(low, t->key);
	t->child[1] = grow(t->key + 1, high);
	return t;
}

static unsigned depth_of(const struct tree *t, uint64_t key)
{
	unsigned depth = 0;

	while (t->key != key) {		    /* HERE */
		t = t->child[key > t->key]; /* HERE */
		depth++;
	}
	return depth;
}

int main(void)
{
	struct tree *root = grow(0, 1 << 16);
	uint64_t state = 99, sum = 0;

	for (unsigned i = 0; i < 6000; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		sum += depth_of(root, state >> 40 & 0xffff);
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
