/* Files of split-off debugging information: found by the build id of the program, and used only if
 * it is theirs too. The files are made by hand. */
#include "../directory.h"

#include <sys/stat.h>

#include "../image/image.h"
#include "job/debug_file.h"

/* A file with a build id of three bytes, aa bb and the last; without one: 0. */
static struct image with_id(uint8_t last)
{
	struct image_sections sections = image_sections_begin();
	struct image note = {0};

	image_number(&note, 4, 4);
	image_number(&note, 3, 4);
	image_number(&note, NT_GNU_BUILD_ID, 4);
	image_add(&note, "GNU", 4);
	image_number(&note, 0xbbaa | (uint32_t)last << 16, 4);
	if (last)
		image_section(&sections, ".note.gnu.build-id", SHT_NOTE, note.bytes, note.size);
	image_release(&note);
	return image_sections_end(&sections);
}

static void write_image(const char *path, uint8_t last)
{
	struct image image = with_id(last);
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(image.bytes, 1, image.size, out), image.size);
	fclose(out);
	image_release(&image);
}

/* Looks beneath a directory for what belongs to a program whose id ends so. */
static bool find(uint8_t last, const char *directory, struct program *program, struct err *err)
{
	struct image image = with_id(last);

	program->image = image.bytes;
	program->image_bytes = image.size;
	const bool ok = debug_file_find(program, directory, err);
	program->image = NULL;
	image_release(&image);
	return ok;
}

static void make_directories(void)
{
	mkdir("d", 0777);
	mkdir("d/.build-id", 0777);
	mkdir("d/.build-id/aa", 0777);
	mkdir("d/usr", 0777);
	mkdir("d/usr/lib", 0777);
	mkdir("d/usr/lib/debug", 0777);
	mkdir("d/usr/lib/debug/.build-id", 0777);
	mkdir("d/usr/lib/debug/.build-id/aa", 0777);
}

IN_DIRECTORY(files_are_found_by_the_build_id)
{
	struct program program = {0};
	struct err err;

	/* Nothing is there, not even the directory. */
	assert_true(find(0xcc, "d", &program, &err));
	assert_null(program.debug);
	make_directories();
	assert_true(find(0xcc, "d", &program, &err));
	assert_null(program.debug);
	write_image("d/usr/lib/debug/.build-id/aa/bbcc.debug", 0xcc);
	assert_true(find(0xcc, "d", &program, &err));
	assert_non_null(program.debug);
	assert_true(program.debug_bytes > 64);
	/* A program that has a file keeps it; one without an id has none. */
	uint8_t *before = program.debug;
	write_image("d/.build-id/aa/bbcc.debug", 0xdd);
	assert_true(find(0xcc, "elsewhere", &program, &err));
	assert_ptr_equal(program.debug, before);
	free(program.debug);
	program.debug = NULL;
	assert_true(find(0, "d", &program, &err));
	assert_null(program.debug);
}

IN_DIRECTORY(files_of_another_program_are_refused)
{
	static const char name[] = "d/.build-id/aa/bbcc.debug";
	struct program program = {0};
	struct err err;

	make_directories();
	/* The first that is there decides, be it that the second were right. */
	write_image("d/usr/lib/debug/.build-id/aa/bbcc.debug", 0xcc);
	for (int i = 0; i < 2; i++) {
		write_image(name, i ? 0xdd : 0);
		assert_false(find(0xcc, "d", &program, &err));
		assert_string_equal(err.text,
				    "d/.build-id/aa/bbcc.debug does not have the build id "
				    "that its name says; remove it or put it right");
		assert_null(program.debug);
	}
	unlink(name);
	mkdir(name, 0777);
	assert_false(find(0xcc, "d", &program, &err));
	assert_non_null(strstr(err.text, name));
	assert_null(program.debug);
	rmdir(name);
	write_image(name, 0xcc);
	assert_true(find(0xcc, "d", &program, &err));
	assert_non_null(program.debug);
	free(program.debug);
}
