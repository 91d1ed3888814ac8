/*
 * Any bytes as instructions: each decodes to registers and a length that exist,
 * a half word as what it abbreviates, has a text, and
 * where it is not executed a reason.
 */
#include <string.h>

#include "base/err.h"
#include "isa/extension.h"
#include "isa/insn.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static bool is_source(uint8_t number)
{
	return number < REG_SINK;
}

static void check_text(const struct insn *insn, uint32_t raw, uint64_t pc)
{
	char text[INSN_TEXT_BYTES], again[INSN_TEXT_BYTES];

	memset(text, 0xff, sizeof(text));
	memset(again, 0, sizeof(again));
	BUG_ON(insn_disassemble(insn, raw, pc, text) != text);
	insn_disassemble(insn, raw, pc, again);
	BUG_ON(!memchr(text, 0, sizeof(text)) || !text[0] || strcmp(text, again));
	for (const char *p = text; *p; p++)
		BUG_ON(*p != '\t' && (*p < ' ' || *p > '~'));
	BUG_ON(insn->op != OP_ILLEGAL && insn->bytes == 2 && strncmp(text, ".2byte", 6) == 0);
}

static unsigned check(uint32_t raw, uint64_t pc)
{
	struct insn insn = insn_decode(raw);

	BUG_ON(insn.bytes != (insn_is_compressed(raw) ? 2 : 4) || insn.handler);
	BUG_ON(insn.op >= OP_COUNT || insn.rd >= REG_COUNT || insn.rd == 0);
	BUG_ON(!is_source(insn.rs1) || !is_source(insn.rs2) || !is_source(insn.rs3));
	if (insn.bytes == 2) {
		uint32_t expanded = insn_expand((uint16_t)raw);
		struct insn whole = insn_decode(expanded);

		BUG_ON(!expanded != (insn.op == OP_ILLEGAL));
		whole.bytes = 2;
		BUG_ON(expanded && memcmp(&whole, &insn, sizeof(insn)));
	}
	check_text(&insn, raw, pc);
	char why[EXTENSION_WHY_BYTES];
	for (enum config_profile p = PROFILE_RV64GCB; p <= PROFILE_MAX; p++) {
		const struct insn on = insn_decode_for(raw, profile_features(p));

		BUG_ON(strlen(extension_explain(raw, p, why)) < 20);
		BUG_ON(on.op != OP_ILLEGAL && on.unit != UNIT_CSR && extension_of(raw, p));
		BUG_ON(on.op != OP_ILLEGAL && memcmp(&on, &insn, sizeof(on)));
	}
	return insn.bytes;
}

/* The first eight bytes are the address of the instructions that follow. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	uint64_t pc;
	size_t at = sizeof(pc);

	if (size < at)
		return 0;
	memcpy(&pc, bytes, sizeof(pc));
	while (size - at >= 2) {
		uint32_t raw = 0;

		memcpy(&raw, bytes + at, size - at < 4 ? 2 : 4);
		at += check(raw, pc + at);
		if (at > size)
			break;
	}
	return 0;
}
