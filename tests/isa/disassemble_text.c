/*
 * Two filters for comparing the disassembler with another one.
 *
 *   disassemble_text            reads lines "ADDRESS ENCODING" (hexadecimal, the
 *                               encoding in 4 or 8 digits), writes "ADDRESS<tab>TEXT"
 *   disassemble_text words N S  writes a blob of instructions: every half word that
 *                               is not the start of a word, every fence, control
 *                               register and system function, then N words made from
 *                               the rows of insns.def with random operands, then N/4
 *                               random words; S is the seed
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "isa/insn.h"
#include "isa/profile.h"

/* What objdump 2.40 names as the manuals do, of the extensions that the object is said to have; the
 * texts of all others are in tests/unit/isa. */
#define KNOWN_FEATURES                                                                      \
	(FEATURE_BIT(ZBA) | FEATURE_BIT(ZBB) | FEATURE_BIT(ZBC) | FEATURE_BIT(ZBS) |        \
	 FEATURE_BIT(ZBKB) | FEATURE_BIT(ZFH) | FEATURE_BIT(ZFHMIN) | FEATURE_BIT(ZICBOM) | \
	 FEATURE_BIT(ZICBOZ) | FEATURE_BIT(ZAWRS))

static void write_word(uint32_t word, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		putchar((int)(word >> 8 * i & 0xff));
}

static void set_field(uint32_t *word, unsigned low, unsigned width, uint32_t value)
{
	uint32_t mask = ((UINT32_C(1) << width) - 1) << low;

	*word = (*word & ~mask) | (value << low & mask);
}

/* Operands that aliases ask for are far more frequent than chance makes them. */
static uint32_t pick_operands(struct rng *rng)
{
	static const unsigned registers[] = {7, 15, 20};
	static const uint32_t immediates[] = {0, 1, 255, 0xfff, 2, 3, 0xc00, 0xc01, 0xc02, 0xc81};
	uint32_t word = (uint32_t)rng_next(rng);

	for (unsigned i = 0; i < 3; i++)
		if (rng_below(rng, 3) == 0)
			set_field(&word, registers[i], 5, (uint32_t)rng_below(rng, 2));
	if (rng_below(rng, 4) == 0)
		set_field(&word, 20, 12, immediates[rng_below(rng, 10)]);
	if (rng_below(rng, 8) == 0)
		set_field(&word, 20, 5, (uint32_t)bits_field(word, 15, 5));
	if (rng_below(rng, 3) == 0)
		set_field(&word, 12, 3, rng_below(rng, 2) ? 7 : 0);
	return word;
}

static void write_words(uint64_t count, uint64_t seed)
{
	struct rng rng = {seed};

	for (uint32_t half = 0; half < 0x10000; half++)
		if (insn_is_compressed(half))
			write_word(half, 2);
	for (uint32_t function = 0; function < 0x1000; function++) {
		write_word(function << 20 | 0x0000000f, 4);
		write_word(function << 20 | 0x00000073, 4);
		write_word(function << 20 | 0x00058073, 4);
		write_word(function << 20 | 0x00059573, 4);
	}
	for (uint64_t i = 0; i < count; i++) {
		const struct insn_kind *kind = &insn_kinds[i % OP_ILLEGAL];

		if (kind->needs & ~KNOWN_FEATURES)
			continue;
		write_word((pick_operands(&rng) & ~kind->mask) | kind->match, 4);
	}
	for (uint64_t i = 0; i < count / 4; i++) {
		uint32_t word = (uint32_t)rng_next(&rng);

		/* Not a longer encoding: the listing would lose step. */
		set_field(&word, 0, 5, 3 | (uint32_t)rng_below(&rng, 7) << 2);
		write_word(word, 4);
	}
}

static bool disassemble_lines(void)
{
	char line[256], text[INSN_TEXT_BYTES], *end;

	while (fgets(line, sizeof(line), stdin)) {
		uint64_t pc = strtoull(line, &end, 16);
		char *digits = end + strspn(end, " \t");
		uint32_t raw = (uint32_t)strtoul(digits, &end, 16);
		struct insn insn = insn_decode_for(raw, KNOWN_FEATURES);

		if (insn.bytes * 2 != end - digits) {
			fprintf(stderr, "decoded as %u bytes: %s", insn.bytes, line);
			return false;
		}
		printf("%llx\t%s\n", (unsigned long long)pc,
		       insn_disassemble(&insn, raw, pc, text));
	}
	return true;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "words") == 0) {
		write_words(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
		return 0;
	}
	return disassemble_lines() ? 0 : 1;
}
