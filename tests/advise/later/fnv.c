/* bottleneck: long latency chain */
#include <stdint.h>
#include <stdio.h>

static unsigned char text[2048];

static uint64_t hash_of(const unsigned char *from, const unsigned char *end)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; from < end; from++)
		hash = (hash ^ *from) * 0x100000001b3; /* HERE */
	return hash;
}

int main(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < sizeof(text); i++)
		text[i] = (unsigned char)(i * 7);
	for (unsigned round = 0; round < 50; round++) {
		text[round] ^= 1;
		sum += hash_of(text, text + sizeof(text));
	}
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}
