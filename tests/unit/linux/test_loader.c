/* Where a program and its stack lie in memory, and why one is refused, for programs made by hand.
 */
#include "../test.h"

#include <elf.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../image/image.h"
#include "linux/process.h"
#include "linux/syscall.h"

#define STACK_TOP UINT64_C(0x3ffffff000)

static struct process_options options_for(const struct image *image)
{
	static const char *const argv[] = {"dir/prog", "x", "yz", NULL};
	static const char *const env[] = {"A=1", "BB=22", NULL};

	return (struct process_options){.program = "prog",
					.image = image->bytes,
					.image_bytes = image->size,
					.argv = argv,
					.env = env,
					.seed = 5,
					.memory_limit_bytes = UINT64_C(1) << 30};
}

static void assert_refused(const struct process_options *options, const char *sentence)
{
	struct err err = {.text = ""};

	assert_null(process_create(options, &err));
	assert_string_equal(err.text, sentence);
}

static uint64_t word(const struct process *process, uint64_t address)
{
	uint64_t value = 0;

	assert_true(memory_read(&process->memory, &value, address, 8));
	return value;
}

static void assert_string_at(const struct process *process, uint64_t address, const char *expected)
{
	char text[100];

	assert_true(memory_read_string(&process->memory, text, address, sizeof(text)) >= 0);
	assert_string_equal(text, expected);
}

static unsigned protection(const struct process *process, uint64_t address)
{
	return process->memory.pages[address >> 12] & PAGE_PROTECTION;
}

TEST(a_program_lies_where_it_says)
{
	struct image image = image_program();
	struct process_options options = options_for(&image);
	struct err err;

	for (size_t i = 0x180; i < 0x200; i++)
		image.bytes[i] = (uint8_t)i;
	struct process *process = process_create(&options, &err);
	assert_non_null(process);
	/* Code at 0x10000; data and bss at 0x111c0 up to 0x131c0. */
	assert_int_equal(protection(process, 0x10000), PAGE_READ | PAGE_EXEC);
	assert_int_equal(protection(process, 0x11000), PAGE_READ | PAGE_WRITE);
	assert_int_equal(protection(process, 0x13fff), PAGE_READ | PAGE_WRITE);
	assert_true(memory_is_free(&process->memory, 0xf000, 4096));
	assert_true(memory_is_free(&process->memory, 0x14000, 4096));
	assert_int_equal(word(process, 0x10180), UINT64_C(0x8786858483828180));
	assert_int_equal(word(process, 0x111c0), UINT64_C(0xc7c6c5c4c3c2c1c0));
	assert_int_equal(word(process, 0x111f8), UINT64_C(0xfffefdfcfbfaf9f8));
	assert_int_equal(word(process, 0x11200), 0);
	assert_int_equal(process->brk_start, 0x14000);
	assert_int_equal(process->brk, 0x14000);
	assert_int_equal(process->cpu.hart.pc, 0x10180);
	assert_int_equal(process->bias, 0);
	/* The stack of 8 MB, a page for sigreturn 1 MB below it. */
	assert_int_equal(process->stack_low, STACK_TOP - (8 << 20));
	assert_int_equal(protection(process, STACK_TOP - 1), PAGE_READ | PAGE_WRITE);
	assert_int_equal(protection(process, STACK_TOP - (8 << 20)), PAGE_READ | PAGE_WRITE);
	assert_true(memory_is_free(&process->memory, STACK_TOP, 4096));
	assert_true(memory_is_free(&process->memory, STACK_TOP - (9 << 20), 1 << 20));
	assert_int_equal(process->sigreturn_address, STACK_TOP - (9 << 20) - 4096);
	assert_int_equal(process->mmap_below, process->sigreturn_address);
	assert_int_equal(protection(process, process->sigreturn_address), PAGE_READ | PAGE_EXEC);
	/* li a7, 139; ecall */
	assert_int_equal(word(process, process->sigreturn_address), UINT64_C(0x0000007308b00893));
	assert_int_equal(process->memory.charged_bytes, 4 * 4096 + (8 << 20) + 4096);
	/* The first thread. */
	assert_int_equal(process->current->tid, 1000);
	assert_int_equal(process->next_tid, 1001);
	assert_int_equal(process->current->stack_low, process->stack_low);
	assert_int_equal(process->current->stack_high, process->initial_sp);
	assert_string_equal(process->current->name, "prog");
	assert_int_equal(process->limits[RLIMIT_STACK].rlim_cur, 8 << 20);
	/* Below nothing and at most its own stack is dead. */
	uint64_t sp = process->initial_sp;
	assert_int_equal(process_dead_low(process, sp), process->stack_low);
	assert_int_equal(process_dead_low(process, sp + 1), sp + 1);
	assert_int_equal(process_dead_low(process, process->stack_low), process->stack_low);
	assert_int_equal(process_dead_low(process, process->stack_low + 1), process->stack_low);
	assert_int_equal(process_dead_low(process, 0x20000), 0x20000);
	process_destroy(process);
	image_release(&image);
}

TEST(the_stack_is_that_of_the_abi)
{
	struct image image = image_program();
	struct process_options options = options_for(&image);
	struct err err;
	struct process *process = process_create(&options, &err);

	assert_non_null(process);
	uint64_t sp = process->cpu.hart.r[REG_SP];
	assert_int_equal(sp, process->initial_sp);
	assert_int_equal(sp % 16, 0);
	assert_int_equal(word(process, sp), 3);
	/* From the top: 8 bytes of nothing, the name, then environment and arguments, the last
	 * first. */
	uint64_t name = STACK_TOP - 8 - 9, second = name - 6, first = second - 4;
	uint64_t yz = first - 3, x = yz - 2, program = x - 9;
	assert_int_equal(word(process, sp + 8), program);
	assert_int_equal(word(process, sp + 16), x);
	assert_int_equal(word(process, sp + 24), yz);
	assert_int_equal(word(process, sp + 32), 0);
	assert_int_equal(word(process, sp + 40), first);
	assert_int_equal(word(process, sp + 48), second);
	assert_int_equal(word(process, sp + 56), 0);
	assert_string_at(process, program, "dir/prog");
	assert_string_at(process, x, "x");
	assert_string_at(process, yz, "yz");
	assert_string_at(process, first, "A=1");
	assert_string_at(process, second, "BB=22");
	assert_string_at(process, name, "dir/prog");
	uint64_t random = (program - 16) & ~UINT64_C(15);
	const uint64_t expected[][2] = {
		{AT_PHDR, 0x10040}, {AT_PHENT, 56},	 {AT_PHNUM, 4},	      {AT_PAGESZ, 4096},
		{AT_BASE, 0},	    {AT_FLAGS, 0},	 {AT_ENTRY, 0x10180}, {AT_UID, 0},
		{AT_EUID, 0},	    {AT_GID, 0},	 {AT_EGID, 0},	      {AT_HWCAP, 0x112d},
		{AT_CLKTCK, 100},   {AT_RANDOM, random}, {AT_SECURE, 0},      {AT_EXECFN, name},
		{AT_NULL, 0},
	};
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		assert_int_equal(word(process, sp + 64 + 16 * i), expected[i][0]);
		assert_int_equal(word(process, sp + 72 + 16 * i), expected[i][1]);
	}
	assert_int_equal(sp, (random - (8 + 2 * 17) * 8) & ~UINT64_C(15));
	assert_true(word(process, random) != word(process, random + 8));
	process_destroy(process);
	image_release(&image);
}

TEST(a_program_of_any_place_gets_one)
{
	struct image image = image_program();
	struct process_options options = options_for(&image);
	struct err err;

	image_put(&image, offsetof(Elf64_Ehdr, e_type), ET_DYN, 2);
	struct process *process = process_create(&options, &err);
	assert_non_null(process);
	assert_int_equal(process->bias, UINT64_C(0x2aaaaaa000) - 0x10000);
	assert_int_equal(process->cpu.hart.pc, UINT64_C(0x2aaaaaa180));
	assert_int_equal(process->brk, UINT64_C(0x2aaaaae000));
	assert_int_equal(protection(process, UINT64_C(0x2aaaaaa000)), PAGE_READ | PAGE_EXEC);
	process_destroy(process);
	/* A shared library begins nowhere. */
	image_put(&image, offsetof(Elf64_Ehdr, e_entry), 0, 8);
	image_put(&image, IMAGE_PHDR(0, p_vaddr), 0, 8);
	image_put(&image, IMAGE_PHDR(1, p_vaddr), 0x11c0, 8);
	assert_refused(&options, "prog: a shared library, not a program: it has no entry point");
	image_release(&image);
}

TEST(what_does_not_fit_is_refused)
{
	struct image image = image_program();
	struct process_options options = options_for(&image);
	struct err err;

	/* 4 pages of the program, 2048 of the stack and one for sigreturn. */
	options.memory_limit_bytes = 2053 * 4096;
	struct process *process = process_create(&options, &err);
	assert_non_null(process);
	process_destroy(process);
	options.memory_limit_bytes = 2053 * 4096 - 1;
	assert_refused(&options, "prog: the memory limit is too low");
	options.memory_limit_bytes = 2052 * 4096 - 1;
	assert_refused(
		&options,
		"prog: the memory limit leaves no room for an 8 MB stack; raise it with --memory");
	options.memory_limit_bytes = 4 * 4096 - 1;
	assert_refused(
		&options,
		"prog: segment 1 needs 12288 bytes of memory, more than the limit allows; raise it with --memory");
	options.memory_limit_bytes = 4095;
	assert_refused(
		&options,
		"prog: segment 0 needs 4096 bytes of memory, more than the limit allows; raise it with --memory");
	/* Segments end below the stack and what guards it, from 0x10000 on. */
	options = options_for(&image);
	uint64_t most = STACK_TOP - (9 << 20) - 0x111c0;
	image_put(&image, IMAGE_PHDR(1, p_memsz), most + 1, 8);
	assert_refused(&options,
		       "prog: the program's segments reach into its stack at 0x3fff7ff000");
	image_put(&image, IMAGE_PHDR(1, p_memsz), most, 8);
	assert_refused(
		&options,
		"prog: segment 1 needs 274868396032 bytes of memory, more than the limit allows; raise it with --memory");
	image_release(&image);
	/* Arguments: each takes its bytes, its 0 and a word; together 2 MB. */
	image = image_program();
	options = options_for(&image);
	static char large[2 << 20];
	const char *argv[] = {"p", large, NULL};
	options.argv = argv;
	options.env = NULL;
	memset(large, 'l', (2 << 20) - 10 - 9);
	process = process_create(&options, &err);
	assert_non_null(process);
	process_destroy(process);
	large[(2 << 20) - 10 - 9] = 'l';
	assert_refused(&options,
		       "prog: arguments and environment take 2097153 bytes, more than 2097152");
	image_release(&image);
}

TEST(segments_that_share_a_page)
{
	struct image image = image_program();
	struct process_options options = options_for(&image);
	struct err err;

	for (size_t i = 0x180; i < 0x200; i++)
		image.bytes[i] = (uint8_t)i;
	/* The data begins in the page of the code, which keeps its bytes; the page is the data's.
	 */
	image_put(&image, IMAGE_PHDR(1, p_vaddr), 0x101c0, 8);
	struct process *process = process_create(&options, &err);
	assert_non_null(process);
	assert_int_equal(word(process, 0x10180), UINT64_C(0x8786858483828180));
	assert_int_equal(word(process, 0x101c0), UINT64_C(0xc7c6c5c4c3c2c1c0));
	assert_int_equal(protection(process, 0x10000), PAGE_READ | PAGE_WRITE);
	assert_int_equal(process->brk_start, 0x13000);
	assert_int_equal(process->memory.charged_bytes, 3 * 4096 + (8 << 20) + 4096);
	process_destroy(process);
	/* An executable stack, where that is asked for. */
	image_put(&image, IMAGE_PHDR(2, p_flags), PF_R | PF_W | PF_X, 4);
	process = process_create(&options, &err);
	assert_non_null(process);
	assert_int_equal(protection(process, STACK_TOP - 1), PAGE_READ | PAGE_WRITE | PAGE_EXEC);
	process_destroy(process);
	image_release(&image);
}

TEST(calls_can_be_denied_by_name)
{
	static const char *const denied[] = {"futex", "getpid"}, *const unknown[] = {"futex",
										     "fork"};
	struct image image = image_program();
	struct process_options options = options_for(&image);
	struct err err;

	options.denied = denied;
	options.denied_count = 2;
	struct process *process = process_create(&options, &err);
	assert_non_null(process);
	assert_true(process->syscall_denied[98]);
	assert_true(process->syscall_denied[172]);
	assert_false(process->syscall_denied[97]);
	assert_false(process->syscall_denied[173]);
	/* getpid answers ENOSYS now. */
	process->cpu.hart.r[17] = 172;
	process_handle(process, STOP_ECALL);
	assert_int_equal(process->cpu.hart.r[REG_A0], -38);
	assert_int_equal(process->cpu.hart.pc, 0x10184);
	assert_int_equal(process->syscall_counts[172], 1);
	/* getppid does not. */
	process->cpu.hart.r[17] = 173;
	process_handle(process, STOP_ECALL);
	assert_int_equal(process->cpu.hart.r[REG_A0], 1);
	assert_int_equal(process->syscall_count, 2);
	process_destroy(process);
	options.denied_count = 1;
	process = process_create(&options, &err);
	assert_false(process->syscall_denied[172]);
	process_destroy(process);
	options.denied = unknown;
	options.denied_count = 2;
	assert_refused(&options, "there is no system call \"fork\" on RISC-V Linux");
	image_release(&image);
}

TEST(an_interpreter_must_be_one)
{
	struct image image = image_program(), interp = image_program();
	struct process_options options = options_for(&image);
	char directory[] = "/tmp/loader.XXXXXX", path[100], sentence[600];
	struct mount mount;
	struct err err;

	image_segment(&image, 3, PT_INTERP, PF_R, image.size, 0, 8, 8);
	image_add(&image, "/ld.so.1", 9);
	image_put(&image, IMAGE_PHDR(3, p_filesz), 9, 8);
	options = options_for(&image);
	assert_refused(
		&options,
		"prog: dynamically linked: its interpreter /ld.so.1 is not to be found; give --sysroot DIR with a "
		"directory that holds it (on Debian /usr/riscv64-linux-gnu), or link with -static");
	assert_non_null(mkdtemp(directory));
	assert_true(mount_open(&mount, "/", directory, true, &err));
	options.mounts = &mount;
	options.mount_count = 1;
	snprintf(
		sentence, sizeof(sentence),
		"prog: dynamically linked: its interpreter /ld.so.1 is not to be found under %s; give --sysroot DIR with a "
		"directory that holds it (on Debian /usr/riscv64-linux-gnu), or link with -static",
		directory);
	assert_refused(&options, sentence);
	snprintf(path, sizeof(path), "%s/ld.so.1", directory);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_refused(&options, "prog: its interpreter /ld.so.1 cannot be read as a file");
	assert_int_equal(rmdir(path), 0);
	/* One that has a place of its own is none; one that has not is put below the stack. */
	for (int is_right = 0; is_right < 2; is_right++) {
		image_put(&interp, offsetof(Elf64_Ehdr, e_type), is_right ? ET_DYN : ET_EXEC, 2);
		FILE *out = fopen(path, "wb");
		assert_int_equal(fwrite(interp.bytes, 1, interp.size, out), interp.size);
		fclose(out);
		if (!is_right)
			assert_refused(&options, "/ld.so.1: not a program interpreter");
	}
	struct process *process = process_create(&options, &err);
	assert_non_null(process);
	/* 4 pages below the page of sigreturn; its first segment is at 0x10000 of its own. */
	uint64_t base = STACK_TOP - (9 << 20) - 5 * 4096;
	assert_int_equal(process->interp_base, base - 0x10000);
	assert_int_equal(process->cpu.hart.pc, base + 0x180);
	assert_int_equal(protection(process, base), PAGE_READ | PAGE_EXEC);
	assert_int_equal(process->mapping_count, 1);
	assert_int_equal(process->mappings[0].start, base);
	assert_int_equal(process->mappings[0].bytes, 4 * 4096);
	assert_string_equal(process->mappings[0].path, "/ld.so.1");
	uint64_t sp = process->initial_sp;
	assert_int_equal(word(process, sp + 64 + 4 * 16), AT_BASE);
	assert_int_equal(word(process, sp + 72 + 4 * 16), base - 0x10000);
	assert_int_equal(word(process, sp + 72 + 6 * 16), 0x10180);
	char where[100];
	process_describe_pc(process, base + 0x184, where, sizeof(where));
	snprintf(sentence, sizeof(sentence), "0x%llx in /ld.so.1+0x184",
		 (unsigned long long)base + 0x184);
	assert_string_equal(where, sentence);
	process_describe_pc(process, 0x10184, where, sizeof(where));
	assert_string_equal(where, "0x10184");
	process_destroy(process);
	unlink(path);
	rmdir(directory);
	mount_close(&mount);
	image_release(&image);
	image_release(&interp);
}

TEST(the_stack_of_a_thread_begins_above_its_guard)
{
	struct image image = image_program();
	struct process_options options = options_for(&image);
	const uint64_t needed =
		0x10d00 | 0x80000 | 0x100000; /* VM, THREAD, SIGHAND, SETTLS, PARENT_SETTID */
	struct err err;
	struct process *process = process_create(&options, &err);

	assert_non_null(process);
	assert_true(memory_map(&process->memory, 0x100000, 0x1000, 0));
	assert_true(memory_map(&process->memory, 0x101000, 0x4000, PAGE_READ | PAGE_WRITE));
	const uint64_t guarded[6] = {needed, 0x104800, 0x101000, 0x5555, 0};
	assert_int_equal(sys_clone(process, guarded), 1001);
	const struct thread *thread = process->threads[1];
	assert_int_equal(thread->stack_low, 0x101000);
	assert_int_equal(thread->stack_high, 0x104800);
	assert_int_equal(thread->hart.r[REG_SP], 0x104800);
	assert_int_equal(thread->hart.r[REG_TP], 0x5555);
	assert_int_equal(thread->hart.r[REG_A0], 0);
	assert_int_equal(thread->hart.pc, 0x10184);
	assert_int_equal(word(process, 0x101000) & 0xffffffff, 1001);
	/* Without a page that allows no access something else may be below it. */
	memory_unmap(&process->memory, 0x100000, 0x1000);
	const uint64_t bare[6] = {needed, 0x104800, 0x101000, 0x5555, 0};
	assert_int_equal(sys_clone(process, bare), 1002);
	assert_int_equal(process->threads[2]->stack_low, 0);
	assert_int_equal(process->threads[2]->stack_high, 0);
	process_destroy(process);
	image_release(&image);
}
