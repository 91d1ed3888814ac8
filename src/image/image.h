/*
 * image.h - the bytes of a program file. This only reads the file; elf.h parses
 * it, in the jailed worker if there is one.
 */
#ifndef IMAGE_IMAGE_H
#define IMAGE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* The whole file, to be freed; NULL with a sentence if it is no regular file, cannot
 * be read, or is over 1 GB. */
uint8_t *image_read(const char *path, size_t *bytes, struct err *err);

#endif
