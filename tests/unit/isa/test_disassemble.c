#include "../test.h"
#include "base/array.h"
#include "isa/insn.h"

#define PC 0x10000

struct row {
	uint32_t raw;
	const char *text;
};

static const struct row words[] = {
	{0x00000013, "nop"},
	{0xffb00513, "li\ta0,-5"},
	{0x00058513, "mv\ta0,a1"},
	{0xff010113, "add\tsp,sp,-16"},
	{0xfff5c513, "not\ta0,a1"},
	{0x0075c513, "xor\ta0,a1,7"},
	{0x0075e513, "or\ta0,a1,7"},
	{0xff85f513, "and\ta0,a1,-8"},
	{0x0ff5f513, "zext.b\ta0,a1"},
	{0x0015b513, "seqz\ta0,a1"},
	{0x0025b513, "sltiu\ta0,a1,2"},
	{0x03f59513, "sll\ta0,a1,0x3f"},
	{0x0015d513, "srl\ta0,a1,0x1"},
	{0x4205d513, "sra\ta0,a1,0x20"},
	{0x0005851b, "sext.w\ta0,a1"},
	{0x0015851b, "addw\ta0,a1,1"},
	{0x01f5951b, "sllw\ta0,a1,0x1f"},
	{0x0035d51b, "srlw\ta0,a1,0x3"},
	{0x4035d51b, "sraw\ta0,a1,0x3"},
	{0x40b00533, "neg\ta0,a1"},
	{0x40b0053b, "negw\ta0,a1"},
	{0x00b03533, "snez\ta0,a1"},
	{0x0005a533, "sltz\ta0,a1"},
	{0x00b02533, "sgtz\ta0,a1"},
	{0x00b00533, "add\ta0,zero,a1"},
	{0x02050063, "beqz\ta0,0x10020"},
	{0xfe0510e3, "bnez\ta0,0xffe0"},
	{0x02054063, "bltz\ta0,0x10020"},
	{0x02a04063, "bgtz\ta0,0x10020"},
	{0x02055063, "bgez\ta0,0x10020"},
	{0x02a05063, "blez\ta0,0x10020"},
	{0x02a00063, "beq\tzero,a0,0x10020"},
	{0x02b57063, "bgeu\ta0,a1,0x10020"},
	{0x0010006f, "j\t0x10800"},
	{0x801ff0ef, "jal\t0xf800"},
	{0x001002ef, "jal\tt0,0x10800"},
	{0x00008067, "ret"},
	{0x00078067, "jr\ta5"},
	{0x01078067, "jr\t16(a5)"},
	{0x000780e7, "jalr\ta5"},
	{0xffc780e7, "jalr\t-4(a5)"},
	{0x000782e7, "jalr\tt0,a5"},
	{0x008782e7, "jalr\tt0,8(a5)"},
	{0xfffff537, "lui\ta0,0xfffff"},
	{0x00001517, "auipc\ta0,0x1"},
	{0xff843503, "ld\ta0,-8(s0)"},
	{0x7ea13fa3, "sd\ta0,2047(sp)"},
	/* A constant, and three operands of which one is read and written. */
	{0xf0180553, "fli.s\tfa0,1.0"},
	{0xf01f8553, "fli.s\tfa0,nan"},
	{0x28c5a52f, "amocas.w\ta0,a2,(a1)"},
	/* May-be-operations by their number. */
	{0x81c5c573, "mop.r.0\ta0,a1"},
	{0x81d5c573, "mop.r.1\ta0,a1"},
	{0x85e5c573, "mop.r.6\ta0,a1"},
	{0x89c5c573, "mop.r.8\ta0,a1"},
	{0xc1c5c573, "mop.r.16\ta0,a1"},
	{0xcdf5c573, "mop.r.31\ta0,a1"},
	{0x82c5c573, "mop.rr.0\ta0,a1,a2"},
	{0x8ec5c573, "mop.rr.3\ta0,a1,a2"},
	{0xc2c5c573, "mop.rr.4\ta0,a1,a2"},
	{0xcec5c573, "mop.rr.7\ta0,a1,a2"},
	{0x00853507, "fld\tfa0,8(a0)"},
	{0xffffae27, "fsw\tft11,-4(t6)"},
	{0x20b58553, "fmv.s\tfa0,fa1"},
	{0x20b59553, "fneg.s\tfa0,fa1"},
	{0x20b5a553, "fabs.s\tfa0,fa1"},
	{0x22b58553, "fmv.d\tfa0,fa1"},
	{0x22b59553, "fneg.d\tfa0,fa1"},
	{0x22b5a553, "fabs.d\tfa0,fa1"},
	{0x22c58553, "fsgnj.d\tfa0,fa1,fa2"},
	{0x02c5f553, "fadd.d\tfa0,fa1,fa2"},
	{0x02c59553, "fadd.d\tfa0,fa1,fa2,rtz"},
	{0x68c5b543, "fmadd.s\tfa0,fa1,fa2,fa3,rup"},
	{0xc2051553, "fcvt.w.d\ta0,fa0,rtz"},
	{0xd2050553, "fcvt.d.w\tfa0,a0"},
	{0xd2150553, "fcvt.d.wu\tfa0,a0"},
	{0x42058553, "fcvt.d.s\tfa0,fa1"},
	{0xd2250553, "fcvt.d.l\tfa0,a0,rne"},
	{0xe0050553, "fmv.x.w\ta0,fa0"},
	{0xf2050553, "fmv.d.x\tfa0,a0"},
	{0x5805c553, "fsqrt.s\tfa0,fa1,rmm"},
	{0x1405a52f, "lr.w.aq\ta0,(a1)"},
	{0x1ac5b52f, "sc.d.rl\ta0,a2,(a1)"},
	{0x06c5a52f, "amoadd.w.aqrl\ta0,a2,(a1)"},
	{0x08c5b02f, "amoswap.d\tzero,a2,(a1)"},
	{0x0ff0000f, "fence"},
	{0x0310000f, "fence\trw,w"},
	{0x8330000f, "fence.tso"},
	{0x0000100f, "fence.i"},
	{0x00000073, "ecall"},
	{0x00100073, "ebreak"},
	{0xc0001073, "unimp"},
	{0x00102573, "frflags\ta0"},
	{0x00151073, "fsflags\ta0"},
	{0x00159573, "fsflags\ta0,a1"},
	{0x0011d573, "fsflagsi\ta0,3"},
	{0x00202573, "frrm\ta0"},
	{0x00259573, "fsrm\ta0,a1"},
	{0x00259073, "fsrm\ta1"},
	{0x0020d573, "fsrmi\ta0,1"},
	{0x00302573, "frcsr\ta0"},
	{0x00359073, "fscsr\ta1"},
	{0x00359573, "fscsr\ta0,a1"},
	{0xc0002573, "rdcycle\ta0"},
	{0xc0102573, "rdtime\ta0"},
	{0xc0202573, "rdinstret\ta0"},
	{0xc0302573, "csrr\ta0,hpmcounter3"},
	{0x30051073, "csrw\tmstatus,a0"},
	{0x80059573, "csrrw\ta0,0x800,a1"},
	{0x00352073, "csrs\tfcsr,a0"},
	{0x00353073, "csrc\tfcsr,a0"},
	{0x0031d073, "csrw\tfcsr,3"},
	{0x0031d573, "csrrw\ta0,fcsr,3"},
	{0x0010e073, "csrs\tfflags,1"},
	{0x0010f073, "csrc\tfflags,1"},
	{0x0015a573, "csrrs\ta0,fflags,a1"},
	{0x00116573, "csrrs\ta0,fflags,2"},
	{0x00117573, "csrrc\ta0,fflags,2"},
	{0xb1f02573, "csrr\ta0,mhpmcounter31"},
	{0x3ef02573, "csrr\ta0,pmpaddr63"},
	{0x10500073, "wfi"},
	{0x30200073, "mret"},
	{0x10200073, "sret"},
	{0x12000073, "sfence.vma"},
	{0x12050073, "sfence.vma\ta0"},
	{0x12b50073, "sfence.vma\ta0,a1"},
};

static const struct row half_words[] = {
	{0x0001, "nop"},
	{0x0808, "add\ta0,sp,16"},
	{0x7139, "add\tsp,sp,-64"},
	{0x0505, "add\ta0,a0,1"},
	{0x852e, "mv\ta0,a1"},
	{0x952e, "add\ta0,a0,a1"},
	{0x557d, "li\ta0,-1"},
	{0x757d, "lui\ta0,0xfffff"},
	{0x893d, "and\ta0,a0,15"},
	{0x0532, "sll\ta0,a0,0xc"},
	{0x2501, "sext.w\ta0,a0"},
	{0x8082, "ret"},
	{0x8782, "jr\ta5"},
	{0x9782, "jalr\ta5"},
	{0x9002, "ebreak"},
	{0xc105, "beqz\ta0,0x10020"},
	{0xb7c5, "j\t0xffe0"},
	{0x6522, "ld\ta0,8(sp)"},
	{0xa588, "fsd\tfa0,8(a1)"},
	{0x0015, "c.nop\t5"},
	{0x4005, "c.li\tzero,1"},
	{0x802a, "c.mv\tzero,a0"},
	{0x902a, "c.add\tzero,a0"},
	{0x0502, "c.slli64\ta0"},
};

/* What means nothing to this machine, or to objdump. */
static const struct row data[] = {
	{0x0000, "unimp"},
	{0x0004, ".2byte\t0x4"},
	{0x8002, ".2byte\t0x8002"},
	{0x6001, ".2byte\t0x6001"},
	{0x0000000b, ".4byte\t0xb"},
	{0x0ff0008f, ".4byte\t0xff0008f"},
	{0xd20071d3, ".4byte\t0xd20071d3"},
	{0xd2157553, ".4byte\t0xd2157553"},
	{0x4205f553, ".4byte\t0x4205f553"},
	{0x0000000f, "fence\tunknown,unknown"},
	{0x02005053, "fadd.d\tft0,ft0,ft0,unknown"},
	{0x0000001f, ".4byte\t0x1f"},
	{0xffffffff, ".4byte\t0xffffffff"},
};

static void check_rows(const struct row *rows, size_t count)
{
	char text[INSN_TEXT_BYTES];

	for (size_t i = 0; i < count; i++) {
		struct insn insn = insn_decode(rows[i].raw);

		memset(text, '?', sizeof(text));
		assert_ptr_equal(insn_disassemble(&insn, rows[i].raw, PC, text), text);
		assert_string_equal(text, rows[i].text);
	}
}

TEST(test_words_read_as_objdump_writes_them)
{
	check_rows(words, ARRAY_COUNT(words));
}

TEST(test_half_words_read_as_what_they_abbreviate)
{
	check_rows(half_words, ARRAY_COUNT(half_words));
}

TEST(test_data_reads_as_data)
{
	check_rows(data, ARRAY_COUNT(data));
}

TEST(test_upper_half_after_a_half_word_does_not_matter)
{
	char text[INSN_TEXT_BYTES], wanted[INSN_TEXT_BYTES];

	for (uint32_t half = 0; half < 0x10000; half++) {
		if (!insn_is_compressed(half))
			continue;
		struct insn insn = insn_decode(half | 0xdead0000);

		insn_disassemble(&insn, half, PC, wanted);
		assert_string_equal(insn_disassemble(&insn, half | 0xdead0000, PC, text), wanted);
	}
}

TEST(test_targets_wrap_around_the_address_space)
{
	struct insn insn = insn_decode(0xfe0002e3);
	char text[INSN_TEXT_BYTES];

	assert_string_equal(insn_disassemble(&insn, 0xfe0002e3, 4, text),
			    "beqz\tzero,0xffffffffffffffe8");
}
