/* insn_text.h - the text of an instruction of the program, as results have it. */
#ifndef JOB_INSN_TEXT_H
#define JOB_INSN_TEXT_H

#include "guest/memory.h"
#include "isa/insn.h"

/* Writes the instruction at `pc`, as memory is now, with spaces for tabs; "(unreadable)" if nothing
 * is mapped there. Returns it, decoded; what is unreadable is illegal. */
struct insn insn_text_read(const struct memory *memory, uint64_t pc, char text[INSN_TEXT_BYTES]);

#endif
