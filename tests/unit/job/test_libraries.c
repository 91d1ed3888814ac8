/* Code of libraries: which file an address belongs to, where its debugging information is looked
 * for, and which function a name means. Files and their symbols are made up. */
#include "../replace.h"
#include "../test.h"
#include "../image/image.h"
#include "base/array.h"
#include "image/debug.h"
#include "job/libraries.h"

#define A  UINT64_C(0x7000000)
#define LD UINT64_C(0x8000000)
#define B  UINT64_C(0x9000000)

static char a_path[] = "/lib/a.so", ld_path[] = "/lib/ld.so", b_path[] = "/lib/b.so",
	    text_path[] = "/lib/text", gone_path[] = "/lib/gone";

/* b.so begins in its second half; the last of a.so's bytes are not mapped. */
static struct file_mapping mappings[] = {
	{.start = A, .bytes = 0x1d0, .path = a_path},
	{.start = LD, .bytes = 0x200, .path = ld_path},
	{.start = B, .bytes = 0x100, .offset = 0x100, .path = b_path},
	{.start = 0xa000000, .bytes = 0x100, .path = text_path},
	{.start = 0xb000000, .bytes = 0x100, .path = gone_path},
};

static struct process process;

/* Where files were looked for, each with a blank; by --debug-dir, its number first. */
static char asked[1024];
/* The place that has the debugging information, counted from 1, and those with a wrong one. */
static unsigned asked_debug, right_place, wrong_place;

/* A library; its build id ends in `last`, unless that is 0. */
static uint8_t *make_library(uint8_t last, size_t *bytes)
{
	struct image image = image_program();

	if (last) {
		image_segment(&image, 3, PT_NOTE, PF_R, 0x190, 0, 20, 20);
		image_put(&image, 0x190, 4, 4);
		image_put(&image, 0x194, 3, 4);
		image_put(&image, 0x198, NT_GNU_BUILD_ID, 4);
		memcpy(image.bytes + 0x19c, "GNU", 4);
		image_put(&image, 0x1a0, 0xbbaa | (uint32_t)last << 16, 4);
	}
	*bytes = image.size;
	return image.bytes;
}

static uint8_t *debug_at_this_place(size_t *bytes)
{
	asked_debug++;
	return asked_debug == right_place   ? make_library(0xcc, bytes)
	       : asked_debug == wrong_place ? make_library(0xdd, bytes)
					    : NULL;
}

static uint8_t *read_file(struct process *of, const char *path, size_t *bytes)
{
	const size_t used = strlen(asked);

	assert_ptr_equal(of, &process);
	snprintf(asked + used, sizeof(asked) - used, "%s ", path);
	if (strstr(path, ".debug"))
		return debug_at_this_place(bytes);
	if (strcmp(path, gone_path) == 0)
		return NULL;
	if (strcmp(path, text_path) != 0)
		return make_library(strcmp(path, b_path) == 0 ? 0xcc : 0, bytes);
	*bytes = 5;
	return (uint8_t *)mem_strdup("text");
}
REPLACE(process_read_file, read_file);

static uint8_t *read_debug_file(struct process *of, size_t mount, const char *path, size_t *bytes)
{
	const size_t used = strlen(asked);

	assert_ptr_equal(of, &process);
	snprintf(asked + used, sizeof(asked) - used, "%zu:%s ", mount, path);
	return debug_at_this_place(bytes);
}
REPLACE(process_read_debug_file, read_debug_file);

/* The symbols of a file are told by its name. */
static const struct {
	const char *path;
	struct symbol symbol;
} known[] = {
	{a_path, {"f", 0x10020, 8}},	 {a_path, {"beyond", 0x111f0, 4}},
	{ld_path, {"g", 0x50, 4}},	 {b_path, {"f", 0x10120, 4}},
	{b_path, {"early", 0x10010, 4}}, {b_path, {"nowhere", 0x50000, 4}},
};

static const struct symbols *symbols_of(struct debug *debug, struct err *err)
{
	assert_null(err);
	for (size_t i = 0; i < ARRAY_COUNT(known); i++)
		if (strcmp(known[i].path, debug->options.name) == 0)
			return (const void *)known[i].path;
	return NULL;
}
REPLACE(debug_symbols, symbols_of);

static const struct symbol *select_one(const struct symbols *symbols, const char *wanted,
				       struct err *err)
{
	assert_null(err);
	for (size_t i = 0; i < ARRAY_COUNT(known); i++)
		if (strcmp(known[i].path, (const void *)symbols) == 0 &&
		    strcmp(known[i].symbol.name, wanted) == 0)
			return &known[i].symbol;
	return NULL;
}
REPLACE(symbols_select, select_one);

static int begin(void **unused)
{
	(void)unused;
	process.mappings = mappings;
	process.mapping_count = ARRAY_COUNT(mappings);
	process.elf.interp = ld_path;
	process.interp_base = LD;
	process.options.debug_mount_count = 0;
	asked[0] = '\0';
	asked_debug = right_place = wrong_place = 0;
	return 0;
}

#define LIBRARIES(test) TEST_WITH(test, begin, NULL)

LIBRARIES(addresses_are_those_of_the_file)
{
	static const struct {
		uint64_t pc, address; /* 0: not known */
	} rows[] = {
		{A, 0x10000},	{A + 0x1bf, 0x101bf}, {A + 0x1c0, 0x111c0}, {A + 0x1cf, 0x111cf},
		{A + 0x1d0, 0}, {A - 1, 0},	      {LD + 0x30, 0x30},    {LD + 0x1f0, 0x1f0},
		{B, 0x10100},	{B + 0xd0, 0x111d0},  {0xa000010, 0},	    {0xb000010, 0},
		{0xc000000, 0},
	};
	struct libraries libraries = {0};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const struct frame_range *frame;
		uint64_t address = 0;
		struct debug *debug =
			libraries_find(&libraries, &process, rows[i].pc, &address, &frame);

		if (!debug != !rows[i].address || (debug && address != rows[i].address))
			fail_msg("%#llx is %#llx", (unsigned long long)rows[i].pc,
				 (unsigned long long)address);
		if (debug)
			assert_null(frame);
	}
	/* Each file was read once, be it that there is none. */
	assert_int_equal(libraries.count, ARRAY_COUNT(mappings));
	assert_string_equal(asked, "/lib/a.so /lib/ld.so /lib/b.so "
				   "/usr/lib/debug/.build-id/aa/bbcc.debug /lib/text /lib/gone ");
	libraries_release(&libraries);
	assert_int_equal(libraries.count, 0);
}

/* The directories of --debug-dir come first, each by itself and as a system root. */
LIBRARIES(debugging_information_is_looked_for_by_the_build_id)
{
	static const char *const places[] = {
		"/lib/b.so ",
		"0:.build-id/aa/bbcc.debug ",
		"0:usr/lib/debug/.build-id/aa/bbcc.debug ",
		"1:.build-id/aa/bbcc.debug ",
		"1:usr/lib/debug/.build-id/aa/bbcc.debug ",
		"/usr/lib/debug/.build-id/aa/bbcc.debug ",
	};

	for (unsigned place = 1; place <= 6; place++) {
		struct libraries libraries = {0};
		const struct frame_range *frame;
		char wanted[512] = "";
		uint64_t address;

		begin(NULL);
		process.options.debug_mount_count = 2;
		right_place = place;
		wrong_place = place - 1;
		struct debug *debug = libraries_find(&libraries, &process, B, &address, &frame);
		for (unsigned i = 0; i <= place && i < ARRAY_COUNT(places); i++)
			strcat(wanted, places[i]);
		assert_string_equal(asked, wanted);
		/* Where none has it, the file itself is read; addresses are always its own. */
		assert_string_equal(debug->options.name, b_path);
		assert_int_equal(address, 0x10100);
		libraries_release(&libraries);
	}
}

LIBRARIES(names_mean_functions_of_all_files_or_of_one)
{
	static const struct {
		const char *wanted, *files;
	} rows[] = {
		{"f", "/lib/a.so /lib/b.so "},
		{"f@a.so", "/lib/a.so "},
		{"f@b.so", "/lib/b.so "},
		{"f@.so", ""},
		{"f@lib/a.so", ""},
		{"@a.so", ""},
		{"g", "/lib/ld.so "},
		{"g@a.so", ""},
		{"none", ""},
	};
	struct libraries libraries = {0};
	const struct frame_range *frame;
	uint64_t address;

	for (size_t i = 0; i < ARRAY_COUNT(mappings); i++)
		libraries_find(&libraries, &process, mappings[i].start, &address, &frame);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const struct symbol *symbol;
		char files[64] = "";
		struct debug *debug;
		size_t next = 0;

		while ((debug = libraries_select(&libraries, &next, rows[i].wanted, &symbol))) {
			snprintf(files + strlen(files), sizeof(files) - strlen(files), "%s ",
				 debug->options.name);
			assert_memory_equal(symbol->name, rows[i].wanted, 1);
		}
		assert_string_equal(files, rows[i].files);
		assert_int_equal(next, ARRAY_COUNT(mappings));
	}
	libraries_release(&libraries);
}

LIBRARIES(functions_are_located_where_they_are_mapped)
{
	static const struct {
		const char *wanted;
		uint64_t entry, end; /* 0: it is nowhere */
	} rows[] = {
		{"f", A + 0x20, A + 0x28},
		{"f@b.so", B + 0x20, B + 0x24},
		{"g", LD + 0x50, LD + 0x54},
		{"beyond", 0, 0},
		{"early", 0, 0},
		{"nowhere", 0, 0},
		{"none", 0, 0},
	};
	struct libraries libraries = {0};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		uint64_t entry = 0, end = 0;

		assert_int_equal(
			libraries_locate(&libraries, &process, rows[i].wanted, &entry, &end),
			rows[i].entry != 0);
		if (rows[i].entry && (entry != rows[i].entry || end != rows[i].end))
			fail_msg("%s is at %#llx", rows[i].wanted, (unsigned long long)entry);
	}
	/* A program without a loader of its own has none in the way. */
	process.elf.interp = NULL;
	uint64_t entry, end;
	assert_false(libraries_locate(&libraries, &process, "g", &entry, &end));
	libraries_release(&libraries);
}
