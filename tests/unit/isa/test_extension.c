/* An encoding that is not executed is told by the extension it belongs to; the rows are
 * encodings of the manuals with operands filled in by hand. */
#include "../test.h"
#include "base/array.h"
#include "isa/extension.h"
#include "isa/insn.h"

struct row {
	uint32_t raw;
	const char *name; /* how the extension's name begins; NULL: none is known */
};

static const struct row rows[] = {
	{0x0d0572d7, "V"}, /* vsetvli t0, a0, e32, m1, ta, ma */
	{0x02056407, "V"}, /* vle32.v v8, (a0) */
	{0x02058427, "V"}, /* vse8.v v8, (a1) */
	{0x02860457, "V"}, /* vadd.vv v8, v8, v12 */
	{0x0e000fd7, "V"},
	{0xc2202573, "V"},	 /* csrr a0, vlenb */
	{0xc2102573, "V"},	 /* csrr a0, vtype */
	{0xc2002573, "V"},	 /* csrr a0, vl */
	{0x00802573, "V"},	 /* csrr a0, vstart */
	{0x00902573, "V"},	 /* csrr a0, vxsat */
	{0x00a02573, "V"},	 /* csrr a0, vxrm */
	{0x00f02573, "V"},	 /* csrr a0, vcsr */
	{0x01102573, "Zicfiss"}, /* csrr a0, ssp */
	{0x01502573, "Zkr"},	 /* csrr a0, seed */
	{0x01702573, "Zcmt"},	 /* csrr a0, jvt */
	{0xc2302573, NULL},
	{0x00b02573, NULL},
	{0x00e02573, NULL},
	{0x01002573, NULL},
	{0x01602573, NULL},
	{0xa2852077, "Zvk"},		/* vaesdm.vs */
	{0x0ec5d533, "Zicond"},		/* czero.eqz a0, a1, a2 */
	{0x0ec5f533, "Zicond"},		/* czero.nez a0, a1, a2 */
	{0x00051507, "Zfhmin"},		/* flh fa0, 0(a0) */
	{0x00a51027, "Zfhmin"},		/* fsh fa0, 0(a0) */
	{0x04b57553, "Zfh"},		/* fadd.h fa0, fa0, fa1 */
	{0x64b57543, "Zfh"},		/* fmadd.h fa0, fa0, fa1, fa2 */
	{0x40257553, "Zfhmin"},		/* fcvt.s.h fa0, fa0 */
	{0x42257553, "Zfhmin"},		/* fcvt.d.h fa0, fa0 */
	{0x06b57553, "Q"},		/* fadd.q fa0, fa0, fa1 */
	{0x00054507, "Q"},		/* flq fa0, 0(a0) */
	{0xf0180553, "Zfa"},		/* fli.s fa0, 1.0 */
	{0x28b52553, "Zfa"},		/* fminm.s fa0, fa0, fa1 */
	{0x40457553, "Zfa"},		/* fround.s fa0, fa0 */
	{0x08c5c533, "Zbkb"},		/* pack a0, a1, a2 */
	{0x08c5c53b, "Zbkb"},		/* packw a0, a1, a2 */
	{0x6875d513, "Zbkb"},		/* brev8 a0, a1 */
	{0x28c5c533, "Zbkx"},		/* xperm8 a0, a1, a2 */
	{0x28c5a533, "Zbkx"},		/* xperm4 a0, a1, a2 */
	{0x32c58533, "Zkne"},		/* aes64es a0, a1, a2 */
	{0x36c58533, "Zkne"},		/* aes64esm a0, a1, a2 */
	{0x3ac58533, "Zknd"},		/* aes64ds a0, a1, a2 */
	{0x10059513, "Zknh"},		/* sha256sum0 a0, a1 */
	{0x10759513, "Zknh"},		/* sha512sig1 a0, a1 */
	{0x10859513, "Zksh"},		/* sm3p0 a0, a1 */
	{0xb0c58533, "Zksed"},		/* sm4ed a0, a1, a2, 2 */
	{0x0005200f, "Zicbom"},		/* cbo.inval (a0) */
	{0x0045200f, "Zicboz"},		/* cbo.zero (a0) */
	{0x28c5a52f, "Zacas"},		/* amocas.w a0, a2, (a1) */
	{0x00c5852f, "Zabha"},		/* amoadd.b a0, a2, (a1) */
	{0x00d00073, "Zawrs"},		/* wrs.nto */
	{0x60054573, "H"},		/* hlv.b a0, (a0) */
	{0x22000073, "H"},		/* hfence.vvma */
	{0x30200073, "the privileged"}, /* mret */
	{0x0000000b, "custom-0"},
	{0xffffffab, "custom-1"},
	{0x1234565b, "custom-2"},
	{0x7fffff7b, "custom-3"},
	{0x00008000, "Zcb"}, /* c.lbu s0, 0(s0) */
	{0x00009c61, "Zcb"}, /* c.zext.b s0 */
	{0x00000000, "no extension"},
	{0x0000001f, "no known extension: it is longer"},
	{0xffffffff, "no known extension: it is longer"},
	/* Those that are executed, and those that mean nothing, have none. */
	{0x00000013, NULL},
	{0x0c5c533b, NULL},
	{0x20c5a533, NULL},
	{0x0000006b, NULL},
	{0x30002573, NULL}, /* csrr a0, mstatus */
};

TEST(test_the_extension_is_named)
{
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const char *name = extension_of(rows[i].raw, PROFILE_RV64GCB);

		if (!rows[i].name) {
			if (name)
				fail_msg("%08x is said to be of %s", rows[i].raw, name);
			continue;
		}
		if (!name || strncmp(name, rows[i].name, strlen(rows[i].name)) != 0)
			fail_msg("%08x: %s, not %s", rows[i].raw, name ? name : "none",
				 rows[i].name);
	}
}

/* Whether an instruction of the table is executed, or its extension is named, on each machine. */
TEST(test_an_instruction_is_executed_or_has_an_extension)
{
	for (enum config_profile p = PROFILE_RV64GCB; p <= PROFILE_MAX; p++)
		for (unsigned op = 0; op < OP_ILLEGAL; op++) {
			/* With a second source other than x0: packw of x0 is zext.h. */
			const uint32_t raw =
				insn_kinds[op].match | (~insn_kinds[op].mask & UINT32_C(2) << 20);
			const uint64_t lacks = insn_kinds[op].needs & ~profile_features(p);

			if (insn_kinds[op].unit == UNIT_CSR)
				continue;
			assert_int_equal(insn_decode_for(raw, profile_features(p)).op,
					 lacks ? OP_ILLEGAL : op);
			assert_int_equal(extension_of(raw, p) != NULL, lacks != 0);
		}
}

/* Rows of the profiles' own tables: mandatory extensions, and some that are not. */
TEST(test_profiles_have_what_their_tables_say)
{
	static const struct {
		uint32_t raw;
		const char *in; /* g, 0, 2, 3, m: the words of isa.profile in their order */
	} cases[] = {
		{0x20c5a533, "g-23m"}, /* Zba: sh1add */
		{0x60051513, "g-23m"}, /* Zbb: clz */
		{0x48c59533, "g-23m"}, /* Zbs: bclr */
		{0x0ac59533, "g---m"}, /* Zbc: clmul */
		{0x0045200f, "--23m"}, /* Zicboz: cbo.zero */
		{0x0015200f, "--23m"}, /* Zicbom: cbo.clean */
		{0x40257553, "--23m"}, /* Zfhmin: fcvt.s.h */
		{0x04b57553, "----m"}, /* Zfh: fadd.h */
		{0xf0180553, "---3m"}, /* Zfa: fli.s */
		{0xf4180553, "----m"}, /* Zfa with Zfh: fli.h */
		{0x0ec5d533, "---3m"}, /* Zicond: czero.eqz */
		{0x81c5c573, "---3m"}, /* Zimop: mop.r.0 */
		{0x6081, "---3m"},     /* Zcmop: c.mop.1 */
		{0x9c61, "---3m"},     /* Zcb: c.zext.b */
		{0x9c65, "---3m"},     /* Zcb: c.sext.b */
		{0x00d00073, "---3m"}, /* Zawrs: wrs.nto */
		{0x28c5a52f, "----m"}, /* Zacas: amocas.w */
		{0x08c5c533, "----m"}, /* Zbkb: pack */
		{0x0100000f, "g023m"}, /* a hint: pause */
		{0x0015e013, "g023m"}, /* a hint: prefetch.r 0(a1) */
		{0x00200033, "g023m"}, /* a hint: ntl.p1 */
		{0x00000017, "g023m"}, /* lpad 0, which is auipc to x0 */
		{0x482525af, "-----"}, /* Zicfiss, which no thread can switch on: ssamoswap.w */
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		for (enum config_profile p = PROFILE_RV64GCB; p <= PROFILE_MAX; p++)
			if ((insn_decode_for(cases[i].raw, profile_features(p)).op != OP_ILLEGAL) !=
			    (cases[i].in[p] != '-'))
				fail_msg("%08x on %s", cases[i].raw, profile_name(p));
}

TEST(test_the_sentence_says_why)
{
	static const struct {
		uint32_t raw;
		enum config_profile profile;
		const char *sentence;
	} cases[] = {
		{0x0d0572d7, PROFILE_RV64GCB,
		 "0x0d0572d7 belongs to V (vector); executed are RV64GC, Zba, Zbb, Zbc and Zbs"},
		/* A control register: no profile has the extension. */
		{0xc2202573, PROFILE_RV64GCB,
		 "0xc2202573 belongs to V (vector); executed are RV64GC, Zba, Zbb, Zbc and Zbs"},
		{0xdead8000, PROFILE_RV64GCB,
		 "0x8000 belongs to Zcb (more compressed instructions); executed are RV64GC, Zba, "
		 "Zbb, Zbc and Zbs; isa.profile = rva23u64 has it"},
		{0x20c5a533, PROFILE_RVA20U64,
		 "0x20c5a533 belongs to Zba (address generation); executed are those of rva20u64; "
		 "isa.profile = rv64gcb has it"},
		{0x0000006b, PROFILE_RV64GCB,
		 "0x0000006b is no instruction of a known extension; executed are RV64GC, Zba, "
		 "Zbb, Zbc and Zbs"},
		{0x30002573, PROFILE_RV64GCB,
		 "0x30002573 accesses control register 0x300 in a way no program may"},
		{0x00b55553, PROFILE_RV64GCB, "0x00b55553 asks for a reserved rounding mode"},
	};
	char why[EXTENSION_WHY_BYTES];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		assert_string_equal(extension_explain(cases[i].raw, cases[i].profile, why),
				    cases[i].sentence);
}
