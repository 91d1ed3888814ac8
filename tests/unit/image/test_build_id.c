/* Build ids of files made by hand, and of a compiled program as readelf has it; and that reading
 * debugging information opens no file, whatever it refers to. */
#include "../test.h"
#include "image.h"
#include "toolchain.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "image/build_id.h"
#include "image/debug.h"

#define NOTE_AT 0x190

/* In place of the C library's: libdw opens files by these. What a build for coverage opens for
 * itself is opened. */
static bool watches;
static unsigned opened;

int open(const char *path, int flags, ...);
int open64(const char *path, int flags, ...);

int open(const char *path, int flags, ...)
{
	if (!watches)
		return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0666);
	opened++;
	return -1;
}

int open64(const char *path, int flags, ...)
{
	return open(path, flags);
}

/* A program with a note of three bytes, with the given type and owner, behind another note. */
static struct image with_note(uint32_t type, const char *owner, uint32_t bytes)
{
	struct image image = image_program();
	const uint32_t other[] = {4, 1, 5};

	image_segment(&image, 3, PT_NOTE, PF_R, NOTE_AT, 0, 20 + 20, 20 + 20);
	for (unsigned i = 0; i < 3; i++)
		image_put(&image, NOTE_AT + 4 * i, other[i], 4);
	image_put(&image, NOTE_AT + 20, strlen(owner) + 1, 4);
	image_put(&image, NOTE_AT + 24, bytes, 4);
	image_put(&image, NOTE_AT + 28, type, 4);
	memcpy(image.bytes + NOTE_AT + 32, owner, strlen(owner));
	image_put(&image, NOTE_AT + 36, 0xccbbaa, 4);
	return image;
}

static bool has_id(struct image image, struct build_id *id)
{
	uint8_t *exact = malloc(image.size);

	memcpy(exact, image.bytes, image.size);
	bool has = build_id_read(id, exact, image.size);
	free(exact);
	image_release(&image);
	return has;
}

TEST(notes_are_found)
{
	struct build_id id;

	assert_true(has_id(with_note(3, "GNU", 3), &id));
	assert_int_equal(id.count, 3);
	assert_memory_equal(id.bytes, "\xaa\xbb\xcc", 3);
	assert_true(has_id(with_note(3, "GNU", 2), &id));
	assert_int_equal(id.count, 2);
	assert_false(has_id(with_note(3, "GNU", 1), &id));
	assert_false(has_id(with_note(3, "GNU", 5), &id));
	assert_false(has_id(with_note(4, "GNU", 3), &id));
	assert_false(has_id(with_note(3, "Go!", 3), &id));
	assert_false(has_id(image_program(), &id));
}

TEST(broken_files_have_none)
{
	struct image image = with_note(3, "GNU", 3);
	struct build_id id;

	for (size_t size = 0; size < image.size; size++) {
		uint8_t *exact = malloc(size ? size : 1);

		memcpy(exact, image.bytes, size);
		assert_int_equal(build_id_read(&id, exact, size), size >= NOTE_AT + 40);
		free(exact);
	}
	image_put(&image, offsetof(Elf64_Ehdr, e_phoff), UINT64_MAX - 8, 8);
	image_put(&image, offsetof(Elf64_Ehdr, e_shoff), UINT64_MAX, 8);
	image_put(&image, offsetof(Elf64_Ehdr, e_shnum), UINT16_MAX, 2);
	assert_false(has_id(image, &id));
}

/* The note with that many bytes, of a file whose section of notes no segment loads. */
static struct image with_section(const char *owner, uint32_t owner_bytes, uint32_t bytes)
{
	struct image_sections sections = image_sections_begin();
	struct image note = {0};

	image_number(&note, owner_bytes, 4);
	image_number(&note, bytes, 4);
	image_number(&note, NT_GNU_BUILD_ID, 4);
	image_add(&note, owner, (owner_bytes + 3) & ~3u);
	for (uint32_t i = 0; i < ((bytes + 3) & ~3u); i++)
		image_number(&note, i + 1, 1);
	image_section(&sections, ".note.gnu.build-id", SHT_NOTE, note.bytes, note.size);
	image_release(&note);
	return image_sections_end(&sections);
}

TEST(notes_are_found_by_their_section_too)
{
	struct build_id id;

	assert_true(has_id(with_section("GNU", 4, 20), &id));
	assert_int_equal(id.count, 20);
	assert_int_equal(id.bytes[19], 20);
	assert_true(has_id(with_section("GNU", 4, BUILD_ID_BYTES_MOST), &id));
	assert_int_equal(id.count, BUILD_ID_BYTES_MOST);
	assert_false(has_id(with_section("GNU", 4, BUILD_ID_BYTES_MOST + 1), &id));
	/* An owner that only begins so. */
	assert_false(has_id(with_section("GNU\0\0\0\0", 5, 20), &id));
}

TEST(other_kinds_of_files_have_none)
{
	static const struct {
		size_t at;
		uint8_t byte;
	} rows[] = {{EI_MAG1, 'F'}, {EI_CLASS, ELFCLASS32}, {EI_DATA, ELFDATA2MSB}};
	struct build_id id;

	for (unsigned i = 0; i < 3; i++) {
		struct image image = with_note(3, "GNU", 3);

		image_put(&image, rows[i].at, rows[i].byte, 1);
		assert_false(has_id(image, &id));
		assert_int_equal(id.count, 0);
	}
}

/* The first byte is a folder. */
TEST(a_build_id_names_a_file)
{
	struct build_id id = {.bytes = {0x0a, 0xff, 0x00, 0x7b}, .count = 4};
	char path[BUILD_ID_PATH_BYTES];

	build_id_path(&id, path);
	assert_string_equal(path, "/.build-id/0a/ff007b.debug");
	id.count = BUILD_ID_BYTES_MOST;
	build_id_path(&id, path);
	assert_int_equal(strlen(path), 2 * BUILD_ID_BYTES_MOST + 18);
}

static const char *const build[] = {
	"echo 'int main(void) { return 0; }' >main.c && " TOOLCHAIN_PREFIX
	"gcc -g -Wl,--build-id main.c -o main",
	TOOLCHAIN_PREFIX "objcopy --only-keep-debug main split",
	TOOLCHAIN_PREFIX "readelf -n main | sed -n 's/.*Build ID: //p'",
};

#define TOOLCHAIN_TEST(test) TEST_WITH(test, toolchain_setup, toolchain_teardown)

TOOLCHAIN_TEST(compiled_programs_have_that_of_readelf)
{
	static const char *const files[] = {"main", "split"};
	char *wanted = NULL, text[2 * BUILD_ID_BYTES_MOST + 2];
	struct build_id id;
	size_t size;

	if (!*test_state)
		skip();
	for (unsigned i = 0; i < 3; i++) {
		free(wanted);
		wanted = toolchain_run(*test_state, "%s", build[i]);
	}
	for (unsigned i = 0; i < 2; i++) {
		uint8_t *bytes = toolchain_load(*test_state, files[i], &size);

		assert_true(build_id_read(&id, bytes, size));
		for (size_t k = 0; k < id.count; k++)
			snprintf(text + 2 * k, 3, "%02x", id.bytes[k]);
		strcat(text, "\n");
		assert_string_equal(text, wanted);
		free(bytes);
	}
	free(wanted);
}

/* A unit of DWARF 4 whose name and directory stand in a second file (DW_FORM_GNU_strp_alt), with
 * the link to it. */
static const char refers_elsewhere[] =
	".text\n.globl _start\n_start: nop\n.Lend:\n"
	".section .debug_abbrev,\"\",@progbits\n"
	".byte 1, 0x11, 0, 0x03, 0xa1, 0x3e, 0x1b, 0xa1, 0x3e, 0x11, 0x01, 0x12, 0x07, 0x10, 0x17\n"
	".byte 0, 0, 0\n"
	".section .debug_info,\"\",@progbits\n"
	".4byte 2f-1f\n1: .2byte 4\n.4byte 0\n.byte 8, 1\n.4byte 0\n.4byte 0\n"
	".8byte _start\n.8byte 4\n.4byte 0\n2:\n"
	".section .gnu_debugaltlink,\"\",@progbits\n.asciz \"/usr/lib/debug/other\"\n"
	".8byte 0x1122334455667788\n"
	".section .debug_line,\"\",@progbits\n"
	".4byte 4f-3f\n3: .2byte 4\n.4byte 6f-5f\n5: .byte 1, 1, 1, 0xfb, 14, 13\n"
	".byte 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1\n.byte 0\n.asciz \"a.s\"\n.byte 0, 0, 0, 0\n"
	"6: .byte 0, 9, 2\n.8byte _start\n.byte 1, 2, 4, 0, 1, 1\n4:\n";

TOOLCHAIN_TEST(no_other_file_is_opened)
{
	struct debug_options options = {.name = "main"};
	const struct inlined_call *calls;
	struct debug debug;

	if (!*test_state)
		skip();
	FILE *file = toolchain_open(*test_state, "main.s", "w");
	fputs(refers_elsewhere, file);
	fclose(file);
	free(toolchain_run(*test_state,
			   TOOLCHAIN_PREFIX "gcc -nostdlib -static -Wl,--no-relax main.s -o main"));
	uint8_t *bytes = toolchain_load(*test_state, "main", &options.size);
	options.bytes = bytes;
	debug_init(&debug, &options);
	watches = true;
	assert_non_null(debug_lines(&debug));
	assert_int_equal(lines_count(debug_lines(&debug)), 1);
	debug_inlined(&debug, lines_at(debug_lines(&debug), 0)->start, &calls);
	watches = false;
	assert_int_equal(opened, 0);
	debug_release(&debug);
	free(bytes);
}
