/*
 * crc32.h - the cyclic redundancy check of IEEE 802.3 (polynomial 0xedb88320, reflected), which
 * finds every error of up to 32 neighbouring bits. It protects against damage, not against
 * somebody who changes bytes on purpose.
 */
#ifndef BASE_CRC32_H
#define BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Continues a check value over more bytes; the value of no bytes is 0. */
uint32_t crc32_add(uint32_t crc, const void *bytes, size_t count);

#endif
