/*
 * profile.h - which extensions beyond RV64GC a machine has, by the profile it is built to.
 *
 * A set of extensions is a mask of FEATURE_BIT; that of no extension is RV64GC alone. An
 * instruction of the table says which it needs, all of them.
 *
 * Not here: privileged extensions, and those of the profiles that add no instruction and that no
 * program can ask for.
 */
#ifndef ISA_PROFILE_H
#define ISA_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "config/config.h"

enum feature {
#define FEATURE(id, name, bit, profiles, text) FEATURE_##id,
#include "isa/features.def"
#undef FEATURE
	FEATURE_COUNT
};

#define FEATURE_BIT(id) (UINT64_C(1) << FEATURE_##id)
/* Whatever is executed at all. */
#define FEATURES_ALL ((UINT64_C(1) << FEATURE_COUNT) - 1)

struct feature_row {
	const char *name; /* as in /proc/cpuinfo */
	int hwprobe_bit;  /* of key 4; -1: none */
	const char *text;
};

extern const struct feature_row feature_rows[FEATURE_COUNT];

uint64_t profile_features(enum config_profile profile);
/* The word of isa.profile. */
const char *profile_name(enum config_profile profile);
/* What such a machine executes, for messages. */
const char *profile_text(enum config_profile profile);

#endif
