/* Control registers that a user program reaches: what each access reads and leaves, and which are
 * refused. */
#include "../test.h"
#include "base/array.h"
#include "isa/cpu.h"

TEST(names_are_those_of_the_manual)
{
	static const struct {
		unsigned number;
		const char *name;
	} rows[] = {{0x001, "fflags"}, {0x002, "frm"},	{0x003, "fcsr"},
		    {0xc00, "cycle"},  {0xc01, "time"}, {0xc02, "instret"}};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		assert_string_equal(csr_name(rows[i].number), rows[i].name);
	assert_null(csr_name(0x000));
	assert_null(csr_name(0x004));
	assert_null(csr_name(0xbff));
	assert_null(csr_name(0xc03));
}

TEST(accesses_change_what_they_say)
{
	static const struct {
		unsigned csr;
		enum csr_access how;
		uint64_t operand;
		bool is_write;
		uint64_t old;
		unsigned fflags, frm; /* after it; before they are 0x15 and 3 */
	} rows[] = {
		{0x001, CSR_WRITE, 0, false, 0x15, 0x15, 3},
		{0x001, CSR_WRITE, 0xfff2, true, 0x15, 0x12, 3},
		{0x001, CSR_SET, 0x2, true, 0x15, 0x17, 3},
		{0x001, CSR_CLEAR, 0x4, true, 0x15, 0x11, 3},
		{0x002, CSR_WRITE, 0, false, 3, 0x15, 3},
		{0x002, CSR_WRITE, 0xfc, true, 3, 0x15, 4},
		{0x002, CSR_SET, 0x4, true, 3, 0x15, 7},
		{0x002, CSR_CLEAR, 0x1, true, 3, 0x15, 2},
		{0x003, CSR_WRITE, 0, false, 0x75, 0x15, 3},
		{0x003, CSR_WRITE, 0xffa9, true, 0x75, 0x09, 5},
		{0x003, CSR_SET, 0x8a, true, 0x75, 0x1f, 7},
		{0x003, CSR_CLEAR, 0x21, true, 0x75, 0x14, 2},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct cpu cpu = {.hart = {.fflags = 0x15, .frm = 3}};
		uint64_t old = 99;

		assert_true(csr_access(&cpu, rows[i].csr, rows[i].how, rows[i].operand,
				       rows[i].is_write, &old));
		assert_int_equal(old, rows[i].old);
		assert_int_equal(cpu.hart.fflags, rows[i].fflags);
		assert_int_equal(cpu.hart.frm, rows[i].frm);
	}
}

static bool read_counter(void *context, unsigned csr, uint64_t *value)
{
	*value = 7000 + csr;
	return csr == *(unsigned *)context;
}

/* Without counters there is the cycle, which is the time: instructions, or a clock that began
 * later. */
TEST(counters_are_read_only)
{
	uint64_t old, clock = 500;
	unsigned known = 0xc1f;
	struct cpu cpu = {.instructions = 12345};

	assert_true(csr_access(&cpu, 0xc02, CSR_SET, 0, false, &old));
	assert_int_equal(old, 12345);
	assert_true(csr_access(&cpu, 0xc01, CSR_SET, 0, false, &old));
	assert_int_equal(old, 123); /* a tick is 100 ns */
	assert_true(csr_access(&cpu, 0xc00, CSR_SET, 0, false, &old));
	assert_int_equal(old, 12345);
	cpu.clock = &clock;
	cpu.clock_before = 2000;
	assert_true(csr_access(&cpu, 0xc00, CSR_SET, 0, false, &old));
	assert_int_equal(old, 2500);
	assert_true(csr_access(&cpu, 0xc01, CSR_SET, 0, false, &old));
	assert_int_equal(old, 25);
	for (unsigned csr = 0xc00; csr <= 0xc02; csr++)
		assert_false(csr_access(&cpu, csr, CSR_WRITE, 1, true, &old));
	assert_false(csr_access(&cpu, 0xc03, CSR_SET, 0, false, &old));
	assert_false(csr_access(&cpu, 0x000, CSR_SET, 0, false, &old));
	assert_false(csr_access(&cpu, 0x004, CSR_SET, 0, false, &old));
	/* With them, those that they know, of 32. */
	const struct cpu_counters counters = {.read = read_counter, .context = &known};
	cpu.counters = &counters;
	assert_true(csr_access(&cpu, 0xc1f, CSR_SET, 0, false, &old));
	assert_int_equal(old, 7000 + 0xc1f);
	assert_false(csr_access(&cpu, 0xc1f, CSR_SET, 0, true, &old));
	assert_false(csr_access(&cpu, 0xc1e, CSR_SET, 0, false, &old));
	known = 0xc20;
	assert_false(csr_access(&cpu, 0xc20, CSR_SET, 0, false, &old));
	known = 0xbff;
	assert_false(csr_access(&cpu, 0xbff, CSR_SET, 0, false, &old));
	/* Instructions and time do not come from them. */
	known = 0xc02;
	assert_true(csr_access(&cpu, 0xc02, CSR_SET, 0, false, &old));
	assert_int_equal(old, 12345);
}
