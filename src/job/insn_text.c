#include "job/insn_text.h"

#include <stdio.h>
#include <string.h>

struct insn insn_text_read(const struct memory *memory, uint64_t pc, char text[INSN_TEXT_BYTES])
{
	struct insn insn = {.op = OP_ILLEGAL, .unit = UNIT_SYSTEM, .rd = REG_SINK};
	uint32_t raw = 0;

	snprintf(text, INSN_TEXT_BYTES, "(unreadable)");
	/* The last instruction of a page may be a compressed one of 2 bytes. */
	if (memory_read(memory, &raw, pc, sizeof(raw)) || memory_read(memory, &raw, pc, 2)) {
		insn = insn_decode(raw);
		insn_disassemble(&insn, raw, pc, text);
	}
	for (char *tab = strchr(text, '\t'); tab; tab = strchr(tab, '\t'))
		*tab = ' ';
	return insn;
}
