#include <stdarg.h>
#include <stdio.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/err.h"
#include "isa/cpu.h"
#include "isa/insn.h"

/* The text is that of objdump of binutils 2.40, including its peculiarities: an immediate form
 * is called by its register form's name ("add a0,a0,1"), and encodings with reserved fields
 * that the machine executes are shown as data. Only encodings longer than four bytes differ:
 * here they are four bytes. */

#define ROUND_DYNAMIC 7

/* Encodings that have a name of their own; they are tried first. One operand letter is added
 * to those of insns.def: w, the encoding itself. */
struct special {
	uint32_t match, mask;
	const char *mnemonic, *operands;
};

static const struct special specials[] = {
	{0x0000, 0xffff, "unimp", ""},
	{0x0001, 0xffff, "nop", ""},
	{0x0001, 0xef83, "c.nop", "i"},
	{0x4001, 0xef83, "c.li", "d,i"},
	{0x6001, 0xffff, ".2byte", "w"},
	{0x6101, 0xffff, "add\tsp,sp,0", ""}, /* reserved, whatever the text says */
	{0x6001, 0xef83, "c.lui", "d,u"},
	{0x8001, 0xfc7f, "c.srli64", "d"},
	{0x8401, 0xfc7f, "c.srai64", "d"},
	{0x0002, 0xf07f, "c.slli64", "d"},
	{0x0002, 0xef83, "c.slli", "d,h"},
	{0x8002, 0xffff, ".2byte", "w"},
	{0x8002, 0xff83, "c.mv", "d,t"},
	{0x9002, 0xffff, "ebreak", ""},
	{0x9002, 0xff83, "c.add", "d,t"},
	{0x0ff0000f, 0xffffffff, "fence", ""},
	{0x8330000f, 0xffffffff, "fence.tso", ""},
	{0x0000000f, 0xf00fffff, "fence", "f"},
	{0x0000100f, 0xffffffff, "fence.i", ""},
	{0xc0001073, 0xffffffff, "unimp", ""},
	{0x00200073, 0xffffffff, "uret", ""},
	{0x10200073, 0xffffffff, "sret", ""},
	{0x20200073, 0xffffffff, "hret", ""},
	{0x30200073, 0xffffffff, "mret", ""},
	{0x7b200073, 0xffffffff, "dret", ""},
	{0x10500073, 0xffffffff, "wfi", ""},
	{0x10400073, 0xffffffff, "sfence.vm", ""},
	{0x10400073, 0xfff07fff, "sfence.vm", "s"},
	{0x12000073, 0xffffffff, "sfence.vma", ""},
	{0x12000073, 0xfff07fff, "sfence.vma", "s"},
	{0x12000073, 0xfe007fff, "sfence.vma", "s,t"},
};

/* Conditions on an instruction; a row of the table applies where all of its conditions hold. */
enum condition {
	D0 = 1 << 0, /* rd is zero */
	D1 = 1 << 1, /* rd is ra */
	S0 = 1 << 2, /* rs1 is zero */
	S1 = 1 << 3, /* rs1 is ra */
	T0 = 1 << 4, /* rs2 is zero */
	ST = 1 << 5, /* rs1 is rs2 */
	IM = 1 << 6, /* the immediate is the row's */
	R0 = 1 << 7, /* the rounding mode is 0 */
	HW = 1 << 8, /* a half word: compressed */
};

struct alias {
	uint16_t op;
	uint16_t conditions;
	int32_t imm;
	const char *mnemonic, *operands;
};

/* The first row that applies is used; if none does, the row of insns.def is. */
static const struct alias aliases[] = {
	{OP_ILLEGAL, HW, 0, ".2byte", "w"},
	{OP_ILLEGAL, 0, 0, ".4byte", "w"},
	{OP_FENCE, 0, 0, ".4byte", "w"},
	{OP_FENCE_I, 0, 0, ".4byte", "w"},
	{OP_FCVT_S_H, R0, 0, "fcvt.s.h", "D,S"},
	{OP_FCVT_S_H, 0, 0, ".4byte", "w"},
	{OP_FCVT_D_H, R0, 0, "fcvt.d.h", "D,S"},
	{OP_FCVT_D_H, 0, 0, ".4byte", "w"},
	{OP_FCVT_D_S, R0, 0, "fcvt.d.s", "D,S"},
	{OP_FCVT_D_S, 0, 0, ".4byte", "w"},
	{OP_FCVT_D_W, R0, 0, "fcvt.d.w", "D,s"},
	{OP_FCVT_D_W, 0, 0, ".4byte", "w"},
	{OP_FCVT_D_WU, R0, 0, "fcvt.d.wu", "D,s"},
	{OP_FCVT_D_WU, 0, 0, ".4byte", "w"},

	{OP_JAL, D0, 0, "j", "a"},
	{OP_JAL, D1, 0, "jal", "a"},
	{OP_JALR, D0 | S1 | IM, 0, "ret", ""},
	{OP_JALR, D0 | IM, 0, "jr", "s"},
	{OP_JALR, D0, 0, "jr", "i(s)"},
	{OP_JALR, D1 | IM, 0, "jalr", "s"},
	{OP_JALR, D1, 0, "jalr", "i(s)"},
	{OP_JALR, IM, 0, "jalr", "d,s"},
	{OP_BEQ, T0, 0, "beqz", "s,p"},
	{OP_BNE, T0, 0, "bnez", "s,p"},
	{OP_BLT, T0, 0, "bltz", "s,p"},
	{OP_BLT, S0, 0, "bgtz", "t,p"},
	{OP_BGE, S0, 0, "blez", "t,p"},
	{OP_BGE, T0, 0, "bgez", "s,p"},

	{OP_ADDI, D0 | S0 | IM | HW, 0, "c.mop.", ""},
	{OP_ADDI, D0 | S0 | IM, 0, "nop", ""},
	{OP_ADDI, S0, 0, "li", "d,i"},
	{OP_ADDI, HW, 0, "add", "d,s,i"},
	{OP_ADDI, IM, 0, "mv", "d,s"},
	{OP_ADDI, 0, 0, "add", "d,s,i"},
	{OP_SLTIU, IM, 1, "seqz", "d,s"},
	{OP_XORI, IM, -1, "not", "d,s"},
	{OP_XORI, 0, 0, "xor", "d,s,i"},
	{OP_ORI, 0, 0, "or", "d,s,i"},
	{OP_ANDI, IM, 255, "zext.b", "d,s"},
	{OP_ANDI, 0, 0, "and", "d,s,i"},
	{OP_SLLI, 0, 0, "sll", "d,s,h"},
	{OP_SRLI, 0, 0, "srl", "d,s,h"},
	{OP_SRAI, 0, 0, "sra", "d,s,h"},
	{OP_ADD, HW | S0, 0, "mv", "d,t"},
	{OP_SUB, S0, 0, "neg", "d,t"},
	{OP_SLT, T0, 0, "sltz", "d,s"},
	{OP_SLT, S0, 0, "sgtz", "d,t"},
	{OP_SLTU, S0, 0, "snez", "d,t"},
	{OP_ADDIW, IM, 0, "sext.w", "d,s"},
	{OP_ADDIW, 0, 0, "addw", "d,s,i"},
	{OP_SLLIW, 0, 0, "sllw", "d,s,h"},
	{OP_SRLIW, 0, 0, "srlw", "d,s,h"},
	{OP_SRAIW, 0, 0, "sraw", "d,s,h"},
	{OP_SUBW, S0, 0, "negw", "d,t"},
	{OP_ADD_UW, T0, 0, "zext.w", "d,s"},
	{OP_RORI, 0, 0, "ror", "d,s,h"},
	{OP_RORIW, 0, 0, "rorw", "d,s,h"},
	{OP_BCLRI, 0, 0, "bclr", "d,s,h"},
	{OP_BEXTI, 0, 0, "bext", "d,s,h"},
	{OP_BINVI, 0, 0, "binv", "d,s,h"},
	{OP_BSETI, 0, 0, "bset", "d,s,h"},

	{OP_FSGNJ_H, ST, 0, "fmv.h", "D,S"},
	{OP_FSGNJN_H, ST, 0, "fneg.h", "D,S"},
	{OP_FSGNJX_H, ST, 0, "fabs.h", "D,S"},
	{OP_FSGNJ_S, ST, 0, "fmv.s", "D,S"},
	{OP_FSGNJN_S, ST, 0, "fneg.s", "D,S"},
	{OP_FSGNJX_S, ST, 0, "fabs.s", "D,S"},
	{OP_FSGNJ_D, ST, 0, "fmv.d", "D,S"},
	{OP_FSGNJN_D, ST, 0, "fneg.d", "D,S"},
	{OP_FSGNJX_D, ST, 0, "fabs.d", "D,S"},

	{OP_CSRRW, D0 | IM, CSR_FFLAGS, "fsflags", "s"},
	{OP_CSRRW, IM, CSR_FFLAGS, "fsflags", "d,s"},
	{OP_CSRRW, D0 | IM, CSR_FRM, "fsrm", "s"},
	{OP_CSRRW, IM, CSR_FRM, "fsrm", "d,s"},
	{OP_CSRRW, D0 | IM, CSR_FCSR, "fscsr", "s"},
	{OP_CSRRW, IM, CSR_FCSR, "fscsr", "d,s"},
	{OP_CSRRW, D0, 0, "csrw", "c,s"},
	{OP_CSRRWI, IM, CSR_FFLAGS, "fsflagsi", "d,z"},
	{OP_CSRRWI, IM, CSR_FRM, "fsrmi", "d,z"},
	{OP_CSRRWI, D0, 0, "csrw", "c,z"},
	{OP_CSRRWI, 0, 0, "csrrw", "d,c,z"},
	{OP_CSRRS, S0 | IM, CSR_FFLAGS, "frflags", "d"},
	{OP_CSRRS, S0 | IM, CSR_FRM, "frrm", "d"},
	{OP_CSRRS, S0 | IM, CSR_FCSR, "frcsr", "d"},
	{OP_CSRRS, S0 | IM, CSR_CYCLE, "rdcycle", "d"},
	{OP_CSRRS, S0 | IM, CSR_TIME, "rdtime", "d"},
	{OP_CSRRS, S0 | IM, CSR_INSTRET, "rdinstret", "d"},
	{OP_CSRRS, S0, 0, "csrr", "d,c"},
	{OP_CSRRS, D0, 0, "csrs", "c,s"},
	{OP_CSRRSI, D0, 0, "csrs", "c,z"},
	{OP_CSRRSI, 0, 0, "csrrs", "d,c,z"},
	{OP_CSRRC, D0, 0, "csrc", "c,s"},
	{OP_CSRRCI, D0, 0, "csrc", "c,z"},
	{OP_CSRRCI, 0, 0, "csrrc", "d,c,z"},
};

static const char *const register_names[REG_COUNT] = {
	"zero", "ra",  "sp",  "gp",   "tp",   "t0",  "t1",  "t2",   "s0",   "s1",   "a0",
	"a1",	"a2",  "a3",  "a4",   "a5",   "a6",  "a7",  "s2",   "s3",   "s4",   "s5",
	"s6",	"s7",  "s8",  "s9",   "s10",  "s11", "t3",  "t4",   "t5",   "t6",   "ft0",
	"ft1",	"ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1",  "fa0",  "fa1",
	"fa2",	"fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4",  "fs5",  "fs6",
	"fs7",	"fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11", "zero",
};

struct csr_names {
	uint16_t first, count;
	uint8_t index;
	const char *prefix, *suffix;
};

static const struct csr_names csr_rows[] = {
#define CSR(number, name)			  {number, 1, 0, name, NULL},
#define CSRS(first, count, prefix, index, suffix) {first, count, index, prefix, suffix},
#include "isa/csrs.def"
#undef CSR
#undef CSRS
};

struct writer {
	char *text;
	size_t used;
};

static void __attribute__((format(printf, 2, 3)))
put(struct writer *writer, const char *format, ...)
{
	size_t room = INSN_TEXT_BYTES - writer->used;
	va_list ap;

	va_start(ap, format);
	int bytes = vsnprintf(writer->text + writer->used, room, format, ap);
	va_end(ap);
	BUG_ON(bytes < 0 || (size_t)bytes >= room);
	writer->used += (size_t)bytes;
}

static void put_csr(struct writer *writer, unsigned number)
{
	const char *name = csr_name(number);

	if (name) {
		put(writer, "%s", name);
		return;
	}
	for (size_t i = 0; i < ARRAY_COUNT(csr_rows); i++) {
		const struct csr_names *row = &csr_rows[i];

		if (number - row->first >= row->count)
			continue;
		if (row->suffix)
			put(writer, "%s%u%s", row->prefix, row->index + number - row->first,
			    row->suffix);
		else
			put(writer, "%s", row->prefix);
		return;
	}
	put(writer, "0x%x", number);
}

static void put_fence_set(struct writer *writer, unsigned set)
{
	if (!set)
		put(writer, "unknown");
	for (unsigned i = 0; i < 4; i++)
		if (set & 8 >> i)
			put(writer, "%c", "iorw"[i]);
}

static void put_operand(struct writer *writer, const struct insn *insn, uint32_t raw, uint64_t pc,
			char operand)
{
	static const char *const rounding_modes[] = {"rne", "rtz",     "rdn",	  "rup",
						     "rmm", "unknown", "unknown", "dyn"};
	/* Of fli, as the assembler takes them. */
	static const char *const constants[] = {
		"-1.0", "min",	  "0x1p-16", "0x1p-15", "0x1p-8",  "0x1p-7",  "0.0625", "0.125",
		"0.25", "0.3125", "0.375",   "0.4375",	"0.5",	   "0.625",   "0.75",	"0.875",
		"1.0",	"1.25",	  "1.5",     "1.75",	"2.0",	   "2.5",     "3.0",	"4.0",
		"8.0",	"16.0",	  "128.0",   "256.0",	"32768.0", "65536.0", "inf",	"nan",
	};
	uint64_t target = pc + (uint64_t)(int64_t)insn->imm;

	switch (operand) {
	case 'd':
	case 'e':
	case 'D': put(writer, "%s", register_names[insn->rd]); break;
	case 's':
	case 'S': put(writer, "%s", register_names[insn->rs1]); break;
	case 't':
	case 'T': put(writer, "%s", register_names[insn->rs2]); break;
	case 'R': put(writer, "%s", register_names[insn->rs3]); break;
	case 'i':
	case 'j': put(writer, "%d", insn->imm); break;
	case 'k': put(writer, "%s", constants[insn->imm & 31]); break;
	case 'h': put(writer, "0x%x", (unsigned)insn->imm); break;
	case 'u': put(writer, "0x%x", (uint32_t)insn->imm >> 12); break;
	case 'p':
	case 'a': put(writer, "0x%llx", (unsigned long long)target); break;
	case 'c': put_csr(writer, (unsigned)insn->imm); break;
	case 'z': put(writer, "%u", insn->rm); break;
	case 'm': put(writer, "%s", rounding_modes[insn->rm]); break;
	case 'f':
		put_fence_set(writer, insn->imm >> 4 & 15);
		put(writer, ",");
		put_fence_set(writer, insn->imm & 15);
		break;
	case 'w': put(writer, "0x%x", raw); break;
	case ',':
	case '(':
	case ')': put(writer, "%c", operand); break;
	default: BUG("operand letter '%c'", operand);
	}
}

static bool alias_holds(const struct alias *alias, const struct insn *insn)
{
	unsigned holds = (insn->rd == REG_SINK ? D0 : 0) | (insn->rd == REG_RA ? D1 : 0) |
			 (insn->rs1 == 0 ? S0 : 0) | (insn->rs1 == REG_RA ? S1 : 0) |
			 (insn->rs2 == 0 ? T0 : 0) | (insn->rs1 == insn->rs2 ? ST : 0) |
			 (insn->imm == alias->imm ? IM : 0) | (insn->rm == 0 ? R0 : 0) |
			 (insn->bytes == 2 ? HW : 0);

	return alias->op == insn->op && (holds & alias->conditions) == alias->conditions;
}

static void find_form(const struct insn *insn, uint32_t raw, const char **mnemonic,
		      const char **operands)
{
	for (size_t i = 0; i < ARRAY_COUNT(specials); i++) {
		const struct special *special = &specials[i];

		/* Every mask covers the two bits that tell a half word from a word. */
		if ((raw & special->mask) == special->match) {
			*mnemonic = special->mnemonic;
			*operands = special->operands;
			return;
		}
	}
	*mnemonic = insn_kinds[insn->op].mnemonic;
	*operands = insn_kinds[insn->op].operands;
	for (size_t i = 0; i < ARRAY_COUNT(aliases); i++) {
		if (alias_holds(&aliases[i], insn)) {
			*mnemonic = aliases[i].mnemonic;
			*operands = aliases[i].operands;
			return;
		}
	}
}

/* May-be-operations have a number, which is part of their name. */
static void put_number(struct writer *writer, const struct insn *insn, uint32_t raw)
{
	const uint64_t high = bits_field(raw, 30, 1), middle = bits_field(raw, 26, 2);

	if (insn->op == OP_MOP_R)
		put(writer, "%u", (unsigned)(high << 4 | middle << 2 | bits_field(raw, 20, 2)));
	if (insn->op == OP_MOP_RR)
		put(writer, "%u", (unsigned)(high << 2 | middle));
	if (insn->op != OP_ILLEGAL && insn->bytes == 2 && (raw & 0xf8ff) == 0x6081)
		put(writer, "%u", (unsigned)bits_field(raw, 7, 5));
}

char *insn_disassemble(const struct insn *insn, uint32_t raw, uint64_t pc,
		       char text[INSN_TEXT_BYTES])
{
	static const char *const orderings[] = {"", ".rl", ".aq", ".aqrl"};
	struct writer writer = {text, 0};
	struct insn shown = *insn;
	const char *mnemonic, *operands;

	if (insn->bytes == 2)
		raw &= 0xffff;
	if (insn->op == OP_ILLEGAL) {
		/* Some encodings that do not decode have names and operands nevertheless. */
		shown.rs1 = (uint8_t)bits_field(raw, 15, 5);
		shown.rs2 = (uint8_t)bits_field(raw, 20, 5);
	}
	find_form(insn, raw, &mnemonic, &operands);
	put(&writer, "%s", mnemonic);
	put_number(&writer, insn, raw);
	if (insn_kinds[insn->op].unit == UNIT_AMO)
		put(&writer, "%s", orderings[insn->rm & 3]);
	if (*operands)
		put(&writer, "\t");
	for (const char *p = operands; *p; p++) {
		if (p[0] == ',' && p[1] == 'm' && insn->rm == ROUND_DYNAMIC)
			break;
		put_operand(&writer, &shown, raw, pc, *p);
	}
	return text;
}
