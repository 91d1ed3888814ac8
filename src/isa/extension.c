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

const char *extension_of(uint32_t raw)
{
	struct insn insn = insn_decode(raw);

	if (insn.unit == UNIT_CSR)
		return extension_of_csr((unsigned)insn.imm);
	if (insn.op != OP_ILLEGAL)
		return NULL;
	if (insn.bytes == 2)
		raw &= 0xffff;
	for (size_t i = 0; i < ARRAY_COUNT(extensions); i++)
		/* Every mask covers the two bits that tell a half word from a word. */
		if ((raw & extensions[i].mask) == extensions[i].match)
			return extensions[i].name;
	return NULL;
}

char *extension_explain(uint32_t raw, char why[EXTENSION_WHY_BYTES])
{
	const char *extension = extension_of(raw);
	struct insn insn = insn_decode(raw);
	int digits = insn.bytes * 2;
	unsigned shown = insn.bytes == 2 ? raw & 0xffff : raw;

	if (extension)
		snprintf(why, EXTENSION_WHY_BYTES, "0x%0*x belongs to %s; executed are %s", digits,
			 shown, extension, EXTENSION_IMPLEMENTED);
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
			 shown, EXTENSION_IMPLEMENTED);
	return why;
}
