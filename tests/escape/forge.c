/*
 * forge RESULT|half: writes to its three standard descriptors, and to every other one it can, what
 * a worker process would send its parent: a result, or the beginning of one.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *result = argc > 1 ? argv[1] : "";
	int is_half = !strcmp(result, "half");
	size_t length = is_half ? 0 : strlen(result);
	uint32_t header[2] = {'r', is_half ? 1000 : (uint32_t)length};
	/* The true result that follows becomes part of a warning that never ends. */
	uint32_t swallow[2] = {'w', UINT32_C(1) << 29};
	char *frame = malloc(sizeof(header) + length + sizeof(swallow));

	memcpy(frame, header, sizeof(header));
	memcpy(frame + sizeof(header), result, length);
	memcpy(frame + sizeof(header) + length, swallow, sizeof(swallow));
	length += is_half ? sizeof(header) : sizeof(header) + sizeof(swallow);
	for (int fd = 0; fd < 1024; fd++)
		write(fd, frame, length);
	while (is_half)
		;
	return 7;
}
