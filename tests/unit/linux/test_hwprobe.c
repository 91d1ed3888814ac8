/* riscv_hwprobe tells what is executed: the instructions whose bits it sets decode, and those of
 * the bits it leaves clear do not. */
#include "../test.h"

#include <errno.h>

#include "base/array.h"
#include "isa/profile.h"
#include "linux/syscall.h"

#define ADDRESS UINT64_C(0x10000)

struct pair {
	int64_t key;
	uint64_t value;
};

/* Bits of key 4 of Linux, each with an instruction of its extension. */
static const struct {
	unsigned bit;
	uint32_t raw;
} extensions[] = {
	{0, 0x02b57553},  /* F and D: fadd.d */
	{1, 0x00000001},  /* C: c.nop */
	{2, 0x0d0572d7},  /* V: vsetvli */
	{3, 0x20c5a533},  /* Zba: sh1add */
	{4, 0x60051513},  /* Zbb: clz */
	{5, 0x48c59533},  /* Zbs: bclr */
	{6, 0x0045200f},  /* Zicboz: cbo.zero */
	{7, 0x0ac59533},  /* Zbc: clmul */
	{8, 0x08c5c533},  /* Zbkb: pack */
	{10, 0x28c5c533}, /* Zbkx: xperm8 */
	{11, 0x3ac58533}, /* Zknd: aes64ds */
	{12, 0x32c58533}, /* Zkne: aes64es */
	{13, 0x10059513}, /* Zknh: sha256sum0 */
	{14, 0xb0c58533}, /* Zksed: sm4ed */
	{15, 0x10859513}, /* Zksh: sm3p0 */
	{27, 0x04b57553}, /* Zfh: fadd.h */
	{28, 0x40257553}, /* Zfhmin: fcvt.s.h */
	{32, 0xf0180553}, /* Zfa: fli.s */
	{34, 0x28c5a52f}, /* Zacas: amocas.w */
	{35, 0x0ec5d533}, /* Zicond: czero.eqz */
	{42, 0x81c5c573}, /* Zimop: mop.r.0 */
	{44, 0x00009c61}, /* Zcb: c.zext.b */
	{47, 0x00006081}, /* Zcmop: c.mop.1 */
	{48, 0x00d00073}, /* Zawrs: wrs.nto */
	{55, 0x0015200f}, /* Zicbom: cbo.clean */
};

static int64_t probe(struct process *process, struct pair *pairs, uint64_t count,
		     const uint64_t rest[4])
{
	const uint64_t argument[6] = {ADDRESS, count, rest[0], rest[1], rest[2], 0};

	assert_true(memory_write(&process->memory, ADDRESS, pairs, count * sizeof(*pairs)));
	int64_t answer = sys_riscv_hwprobe(process, argument);
	assert_true(memory_read(&process->memory, pairs, ADDRESS, count * sizeof(*pairs)));
	return answer;
}

TEST(test_what_is_told_is_what_is_executed)
{
	struct process *process = mem_alloc(sizeof(*process));
	const uint64_t everywhere[4] = {0};
	struct pair pairs[] = {{4, 99}, {3, 99}, {0, 99}, {1000, 99}, {-7, 99}};
	struct err err;

	assert_true(memory_init(&process->memory, UINT64_C(1) << 30, &err));
	assert_true(
		memory_map(&process->memory, ADDRESS, GUEST_PAGE_BYTES, PAGE_READ | PAGE_WRITE));
	process->cpu.code = code_create(&process->memory);
	assert_non_null(process->cpu.code);
	for (enum config_profile p = PROFILE_MAX;; p--) {
		const uint64_t features = profile_features(p);
		struct pair blocks[] = {{4, 99}, {6, 99}, {12, 99}};

		process->cpu.code->features = features;
		assert_int_equal(probe(process, blocks, ARRAY_COUNT(blocks), everywhere), 0);
		for (size_t i = 0; i < ARRAY_COUNT(extensions); i++)
			assert_int_equal(blocks[0].value >> extensions[i].bit & 1,
					 insn_decode_for(extensions[i].raw, features).op !=
						 OP_ILLEGAL);
		/* The sizes of cache blocks, where there are instructions on them. */
		for (size_t i = 1; i < ARRAY_COUNT(blocks); i++) {
			const bool has = p >= PROFILE_RVA22U64;

			assert_int_equal(blocks[i].key, has ? (i == 1 ? 6 : 12) : -1);
			assert_int_equal(blocks[i].value, has ? 64 : 0);
		}
		if (p == PROFILE_RV64GCB)
			break;
	}
	assert_int_equal(probe(process, pairs, ARRAY_COUNT(pairs), everywhere), 0);
	assert_int_equal(pairs[1].value, 1);
	assert_int_equal(pairs[2].value, 0);
	assert_int_equal(pairs[3].key, -1);
	assert_int_equal(pairs[4].key, -1);
	assert_int_equal(pairs[4].value, 0);

	const uint64_t flags[4] = {0, 0, 8}, nowhere[4] = {8, 0}, none[4] = {8, ADDRESS + 512};
	const uint64_t beyond[6] = {ADDRESS + GUEST_PAGE_BYTES - 8, 1};
	const uint64_t many[6] = {ADDRESS, UINT64_MAX};
	assert_int_equal(probe(process, pairs, 1, flags), -EINVAL);
	assert_int_equal(probe(process, pairs, 1, nowhere), -EFAULT);
	assert_int_equal(probe(process, pairs, 1, none), -EINVAL);
	assert_int_equal(sys_riscv_hwprobe(process, beyond), -EFAULT);
	assert_int_equal(sys_riscv_hwprobe(process, many), -EINVAL);
	code_destroy(process->cpu.code);
	memory_release(&process->memory);
	free(process);
}
