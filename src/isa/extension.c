#include "isa/extension.h"

#include <stdio.h>

#include "base/array.h"
#include "isa/cpu.h"
#include "isa/insn.h"

struct extension {
	uint32_t match, mask;
	const char *name;
};

static const struct extension extensions[] = {
#define EXTENSION(match, mask, name) {match, mask, name},
#include "isa/extensions.def"
#undef EXTENSION
};

/* The control registers whose absence says that an extension is missing. */
static const char *extension_of_csr(unsigned number)
{
	switch (number) {
	case 0x008:
	case 0x009:
	case 0x00a:
	case 0x00f:
	case 0xc20:
	case 0xc21:
	case 0xc22: return "V (vector)";
	case 0x011: return "Zicfiss (shadow stack)";
	case 0x015: return "Zkr (entropy source)";
	case 0x017: return "Zcmt (table jumps)";
	default: return NULL;
	}
}

/* The name of the first extension of the set. */
static const char *first_of(uint64_t features)
{
	return feature_rows[__builtin_ctzll(features)].text;
}

/* The extensions that an encoding needs and the machine lacks; 0: none is known. */
static uint64_t lacking(uint32_t raw, uint64_t features)
{
	const struct insn insn = insn_decode(raw);
	uint64_t needs = insn_kinds[insn.op].needs;

	if (insn.bytes == 2)
		needs |= insn_compressed_needs((uint16_t)raw);
	return needs & ~features;
}

const char *extension_of(uint32_t raw, enum config_profile profile)
{
	const uint64_t features = profile_features(profile), lacks = lacking(raw, features);
	struct insn insn = insn_decode_for(raw, features);

	if (insn.unit == UNIT_CSR)
		return extension_of_csr((unsigned)insn.imm);
	if (insn.op != OP_ILLEGAL)
		return NULL;
	if (lacks)
		return first_of(lacks);
	if (insn.bytes == 2)
		raw &= 0xffff;
	for (size_t i = 0; i < ARRAY_COUNT(extensions); i++)
		/* Every mask covers the two bits that tell a half word from a word. */
		if ((raw & extensions[i].mask) == extensions[i].match)
			return extensions[i].name;
	return NULL;
}

/* "; isa.profile = rva23u64 has it", of the first profile that has. */
static void say_who_has(uint32_t raw, char *text, size_t bytes)
{
	const uint64_t needs = lacking(raw, 0);

	for (enum config_profile p = PROFILE_RV64GCB; needs; p++) {
		/* The last one has all extensions. */
		BUG_ON(p > PROFILE_MAX);
		if (!(needs & ~profile_features(p))) {
			snprintf(text, bytes, "; isa.profile = %s has it", profile_name(p));
			return;
		}
	}
}

char *extension_explain(uint32_t raw, enum config_profile profile, char why[EXTENSION_WHY_BYTES])
{
	const char *extension = extension_of(raw, profile), *executed = profile_text(profile);
	struct insn insn = insn_decode_for(raw, profile_features(profile));
	int digits = insn.bytes * 2;
	unsigned shown = insn.bytes == 2 ? raw & 0xffff : raw;
	int used = 0;

	if (extension)
		used = snprintf(why, EXTENSION_WHY_BYTES, "0x%0*x belongs to %s; executed are %s",
				digits, shown, extension, executed);
	else if (insn.unit == UNIT_CSR)
		snprintf(why, EXTENSION_WHY_BYTES,
			 "0x%0*x accesses control register 0x%03x in a way no program may", digits,
			 shown, (unsigned)insn.imm);
	else if (insn.op != OP_ILLEGAL)
		snprintf(why, EXTENSION_WHY_BYTES, "0x%0*x asks for a reserved rounding mode",
			 digits, shown);
	else
		snprintf(why, EXTENSION_WHY_BYTES,
			 "0x%0*x is no instruction of a known extension; executed are %s", digits,
			 shown, executed);
	if (extension && insn.unit != UNIT_CSR)
		say_who_has(raw, why + used, EXTENSION_WHY_BYTES - (size_t)used);
	return why;
}
