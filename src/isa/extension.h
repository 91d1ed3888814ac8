/*
 * extension.h - why an encoding is not executed, for the message about a
 * program that was stopped by it. Of encodings that do decode, the ones that
 * can stop a program are accesses to control registers it may not use, and
 * floating point in a rounding mode that does not exist.
 */
#ifndef ISA_EXTENSION_H
#define ISA_EXTENSION_H

#include <stddef.h>
#include <stdint.h>

#define EXTENSION_WHY_BYTES 160

/* What is executed, for messages. */
#define EXTENSION_IMPLEMENTED "RV64GC, Zba, Zbb, Zbc and Zbs"

/* The extension an encoding belongs to, of those not executed; NULL if it belongs to none. */
const char *extension_of(uint32_t raw);

/* "0x02000057 belongs to V (vector); ... are executed": a clause without a full stop. The upper
 * half of `raw` is ignored where the lower is a compressed instruction. Returns `why`. */
char *extension_explain(uint32_t raw, char why[EXTENSION_WHY_BYTES]);

#endif
