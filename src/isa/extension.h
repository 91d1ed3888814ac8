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

#include "isa/profile.h"

#define EXTENSION_WHY_BYTES 224

/* The extension an encoding belongs to, of those that such a machine does not execute; NULL if it
 * belongs to none. */
const char *extension_of(uint32_t raw, enum config_profile profile);

/* "0x02000057 belongs to V (vector); executed are ...": a clause without a full stop. The upper
 * half of `raw` is ignored where the lower is a compressed instruction. Returns `why`. */
char *extension_explain(uint32_t raw, enum config_profile profile, char why[EXTENSION_WHY_BYTES]);

#endif
