/* A program as results name it and as a process gets it; its instructions as text. */
#include "../test.h"

#include <unistd.h>

#include "job/insn_text.h"
#include "job/program.h"

#define PAGE GUEST_PAGE_BYTES

TEST(instructions_are_read_as_memory_is)
{
	static const uint8_t code[] = {0x33, 0x05, 0xb5,
				       0x00, 0x01, 0x45}; /* add; c.li at the end */
	char text[INSN_TEXT_BYTES], wanted[INSN_TEXT_BYTES];
	struct memory memory;
	struct err err;

	assert_true(memory_init(&memory, 1 << 20, &err));
	assert_true(memory_map(&memory, 16 * PAGE, PAGE, PAGE_READ | PAGE_WRITE));
	assert_true(memory_write(&memory, 17 * PAGE - 6, code, 6));
	struct insn insn = insn_text_read(&memory, 17 * PAGE - 6, text),
		    same = insn_decode(0x00b50533);
	assert_int_equal(insn.op, same.op);
	assert_int_equal(insn.rd, 10);
	assert_int_equal(insn.rs2, 11);
	insn_disassemble(&same, 0x00b50533, 17 * PAGE - 6, wanted);
	for (char *c = wanted; *c; c++)
		*c = *c == '\t' ? ' ' : *c;
	assert_string_equal(text, wanted);
	assert_memory_equal(text, "add ", 4);
	/* Two bytes at the end of what is mapped. */
	insn = insn_text_read(&memory, 17 * PAGE - 2, text);
	assert_int_equal(insn.bytes, 2);
	assert_int_equal(insn.rd, 10);
	assert_null(strchr(text, '\t'));
	assert_string_not_equal(text, "(unreadable)");
	/* Nothing is there. */
	insn = insn_text_read(&memory, 17 * PAGE, text);
	assert_string_equal(text, "(unreadable)");
	assert_int_equal(insn.op, OP_ILLEGAL);
	assert_int_equal(insn.unit, UNIT_SYSTEM);
	assert_int_equal(insn.rd, REG_SINK);
	memory_release(&memory);
}

TEST(a_process_gets_what_the_program_says)
{
	static char name[] = "p", cwd[] = "/c";
	static char *argv[] = {name, NULL};
	static const char *env[] = {"A=1", NULL};
	static const char *const denied[] = {"x", "y", "z"};
	static struct mount mounts[2];
	struct program program = {.name = name,
				  .image = (uint8_t *)name,
				  .image_bytes = 11,
				  .argv = argv,
				  .env = env,
				  .mounts = mounts,
				  .mount_count = 2,
				  .cwd = cwd,
				  .seed = 12,
				  .memory_bytes = 13,
				  .denied = denied,
				  .denied_count = 3};

	for (unsigned i = 0; i < 3; i++) {
		program.strict = i == 0;
		program.keeps_mtime = i == 1;
		program.stdin_is_file = i == 2;
		const struct process_options options = program_process_options(&program);
		assert_ptr_equal(options.program, name);
		assert_ptr_equal(options.image, name);
		assert_int_equal(options.image_bytes, 11);
		assert_ptr_equal(options.argv, argv);
		assert_ptr_equal(options.env, env);
		assert_ptr_equal(options.cwd, cwd);
		assert_ptr_equal(options.mounts, mounts);
		assert_int_equal(options.mount_count, 2);
		assert_int_equal(options.seed, 12);
		assert_int_equal(options.memory_limit_bytes, 13);
		assert_ptr_equal(options.denied, denied);
		assert_int_equal(options.denied_count, 3);
		assert_int_equal(options.strict, i == 0);
		assert_int_equal(options.keeps_mtime, i == 1);
		assert_int_equal(options.stdin_is_file, i == 2);
		assert_false(options.silent);
	}
}

TEST(a_program_has_a_name_and_a_hash)
{
	char path[] = "/tmp/program-XXXXXX";
	int fd = mkstemp(path);
	struct program program = {.argc = 3};
	struct err err;

	assert_int_equal(write(fd, "abc", 3), 3);
	close(fd);
	assert_true(program_read(&program, path, &err));
	assert_int_equal(program.image_bytes, 3);
	assert_string_equal(program.hash,
			    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f2"
			    "0015ad");
	unlink(path);
	program.argv = calloc(4, sizeof(char *));
	program.argv[0] = strdup("name");
	program.argv[1] = strdup("one");
	program.argv[2] = strdup("t\xffwo");
	json_t *json = program_json(&program);
	char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
	assert_string_equal(
		text, "{\"arguments\":[\"one\",\"t?wo\"],\"name\":\"name\",\"sha256\":"
		      "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"}");
	free(text);
	json_decref(json);
	program_release(&program);
	struct program nothing = {.argc = 0};
	assert_false(program_read(&nothing, path, &err));
}
