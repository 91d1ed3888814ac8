/*
 * printable.h - text from hostile files, made safe to print on a terminal.
 *
 * Keeps printable ASCII and well-formed UTF-8; control characters (C0, DEL and
 * C1), characters that reverse or break the line they are in (bidirectional
 * controls, line and paragraph separators), and bytes that are not UTF-8 become
 * '?'. Does not know about characters without a glyph or of zero width.
 */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stddef.h>
#include <stdint.h>

/* Copies at most `limit` bytes of text to out (of limit + 1 bytes), cutting at
 * a whole character, and ends it with NUL. Returns the length without it,
 * which is never more than `length`. */
size_t printable_copy(char *out, size_t limit, const uint8_t *text, size_t length);

#endif
