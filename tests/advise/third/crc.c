/* bottleneck: dependence chain or pointer chase */
#include <stdint.h>
#include <stdio.h>

#define COUNT 2048

static uint32_t table[256];
static uint8_t bytes[COUNT];

/* Each step looks up what the one before has found; the table stays in the first cache. */
__attribute__((noinline)) static uint32_t pass(uint32_t crc)
{
	for (unsigned i = 0; i < COUNT; i++)
		crc = table[(crc ^ bytes[i]) & 0xff] ^ crc >> 8; /* HERE */
	return crc;
}

int main(void)
{
	uint32_t crc = ~0u;

	for (unsigned i = 0; i < 256; i++) {
		uint32_t c = i;

		for (unsigned k = 0; k < 8; k++)
			c = c >> 1 ^ (0xedb88320 & -(c & 1));
		table[i] = c;
	}
	for (unsigned i = 0; i < COUNT; i++)
		bytes[i] = i * 37;
	for (unsigned round = 0; round < 25; round++)
		crc = pass(crc);
	printf("%08x\n", ~crc);
	return 0;
}
