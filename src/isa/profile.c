#include "isa/profile.h"

#include "base/err.h"

/* The profiles of a row of features.def. */
enum { GC = 1, RVA22 = 2, RVA23 = 4, MAX = 8 };

const struct feature_row feature_rows[FEATURE_COUNT] = {
#define FEATURE(id, name, bit, profiles, text) {name, bit, text},
#include "isa/features.def"
#undef FEATURE
};

static const unsigned profiles_of[FEATURE_COUNT] = {
#define FEATURE(id, name, bit, profiles, text) (profiles),
#include "isa/features.def"
#undef FEATURE
};

struct profile {
	const char *name, *text;
	unsigned bit;
};

static const struct profile profiles[] = {
	[PROFILE_RV64GCB] = {"rv64gcb", "RV64GC, Zba, Zbb, Zbc and Zbs", GC},
	[PROFILE_RVA20U64] = {"rva20u64", "those of rva20u64", 0},
	[PROFILE_RVA22U64] = {"rva22u64", "those of rva22u64", RVA22},
	[PROFILE_RVA23U64] = {"rva23u64", "those of rva23u64 without vectors", RVA23},
	[PROFILE_MAX] = {"max", "all that isa.profile can have", MAX},
};

uint64_t profile_features(enum config_profile profile)
{
	uint64_t features = 0;

	for (unsigned i = 0; i < FEATURE_COUNT; i++)
		if (profiles_of[i] & profiles[profile].bit)
			features |= UINT64_C(1) << i;
	return features;
}

const char *profile_name(enum config_profile profile)
{
	return profiles[profile].name;
}

const char *profile_text(enum config_profile profile)
{
	return profiles[profile].text;
}
