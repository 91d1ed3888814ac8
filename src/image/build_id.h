/*
 * build_id.h - the build id of an ELF file, which names the file that its debugging information was
 * split off to.
 *
 * The note is looked for in the segments of notes, and in the sections of notes, since a file of
 * debugging information has only these. Every offset is checked; a file that is no 64-bit
 * little-endian ELF, or is broken, has no build id. This is the one thing that is read of a program
 * outside the jail.
 */
#ifndef IMAGE_BUILD_ID_H
#define IMAGE_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_BYTES_MOST 64

struct build_id {
	uint8_t bytes[BUILD_ID_BYTES_MOST];
	size_t count; /* at least 2 */
};

/* The longest name of a file by a build id, with its NUL. */
#define BUILD_ID_PATH_BYTES (2 * BUILD_ID_BYTES_MOST + 24)

/* "/.build-id/xx/yyyy.debug", into BUILD_ID_PATH_BYTES. */
void build_id_path(const struct build_id *id, char *path);

/* False if there is none. */
bool build_id_read(struct build_id *id, const uint8_t *bytes, size_t size);

#endif
