/* Records of unwinding made by hand, in each form that compilers give them: which are read, and
 * which are left out. */
#include "../test.h"

#include "image.h"
#include "image/frames.h"

#define RECORDS	    0x20000 /* the address of .eh_frame */
#define USUAL	    "\x1b"  /* relative to its place, in four bytes with sign */
#define PERSONALITY "\x9b"  /* the same, by way of a pointer */

static void add_number(struct image *records, uint64_t number)
{
	image_number(records, number, 4);
}

/* Ends a record that began at `from`: its length, in steps of four bytes. */
static void end_record(struct image *records, size_t from)
{
	image_add(records, NULL, -records->size & 3);
	image_put(records, from, records->size - from - 4, 4);
}

/* What the records that name it have in common. */
static size_t add_common(struct image *records, const char *augmentation, const char *data,
			 size_t bytes)
{
	const size_t from = records->size;

	add_number(records, 0);
	add_number(records, 0);
	image_number(records, 1, 1);
	image_add(records, augmentation, strlen(augmentation) + 1);
	image_add(records, "\x01\x78\x01", 3);
	if (augmentation[0] == 'z') {
		image_number(records, bytes, 1);
		image_add(records, data, bytes);
	}
	end_record(records, from);
	return from;
}

static void add_range(struct image *records, size_t common, uint64_t start, uint64_t bytes)
{
	const size_t from = records->size;

	add_number(records, 0);
	add_number(records, records->size - common);
	add_number(records, start - (RECORDS + records->size));
	add_number(records, bytes);
	image_number(records, 0, 1);
	end_record(records, from);
}

static struct frames read_section(struct image *records, const char *name, uint32_t type)
{
	struct image_sections sections = image_sections_begin();
	struct frames frames;

	image_code_section(&sections, ".text.more", 0x18000, 0x100);
	const unsigned index = image_section(&sections, name, type, records->bytes, records->size);
	image_put(&sections.headers, IMAGE_SHDR(index, sh_addr), RECORDS, 8);
	image_put(&sections.headers, IMAGE_SHDR(index, sh_flags), SHF_ALLOC, 8);
	struct image image = image_sections_end(&sections);
	frames_read(&frames, image.bytes, image.size, "prog");
	image_release(&image);
	image_release(records);
	return frames;
}

/* Whether a function with records of that form is known. */
static bool is_known(const char *augmentation, const char *data, size_t bytes)
{
	struct image records = {0};

	add_range(&records, add_common(&records, augmentation, data, bytes), 0x10100, 0x20);
	struct frames frames = read_section(&records, ".eh_frame", SHT_PROGBITS);
	const struct frame_range *range = frames_find(&frames, 0x1011f);
	const bool known = range && range->start == 0x10100 && range->end == 0x10120;

	assert_int_equal(frames.count, known);
	frames_release(&frames);
	return known;
}

TEST(usual_records_are_read_and_others_are_not)
{
	assert_true(is_known("zR", USUAL, 1));
	assert_true(is_known("zRS", USUAL, 1));
	/* Of a signal handler, and with keys for return addresses. */
	assert_true(is_known("zSR", USUAL, 1));
	assert_true(is_known("zBR", USUAL, 1));
	/* With a table for exceptions, with or without a personality. */
	assert_true(is_known("zLR", "\x1b" USUAL, 2));
	assert_true(is_known("zPLR", PERSONALITY "pppp\x1b" USUAL, 7));
	assert_true(is_known("zPR", PERSONALITY "pppp" USUAL, 6));
	/* Addresses as such, relative to something else, or of eight bytes. */
	assert_false(is_known("zR", "\x00", 1));
	assert_false(is_known("zR", "\x0b", 1));
	assert_false(is_known("zR", "\x1c", 1));
	/* A personality that is a pointer of eight bytes. */
	assert_false(is_known("zPR",
			      "\x9c"
			      "pppppppp" USUAL,
			      10));
	/* No word about how ranges are written. */
	assert_false(is_known("", "", 0));
	assert_false(is_known("z", "", 0));
	assert_false(is_known("zS", "", 0));
	/* A letter that nobody has defined, before it. */
	assert_false(is_known("zXR", USUAL, 1));
	/* Less data than its letters need. */
	assert_false(is_known("zR", "", 0));
	assert_false(is_known("zLR", "", 0));
	assert_false(is_known("zLR", USUAL, 1));
	assert_false(is_known("zPR", PERSONALITY "ppp", 4));
	assert_false(is_known("zPR", PERSONALITY "pppp", 5));
}

/* Each outside by one byte, and each that just fits. */
TEST(ranges_lie_within_code)
{
	static const struct {
		uint64_t start, bytes;
		bool is_read;
	} rows[] = {
		{0x10000, 0x1000, true}, {0x10000, 0x1001, false}, {0x10fff, 1, true},
		{0x11000, 1, false},	 {0xffff, 1, false},	   {0x10100, 0, false},
		{0x18000, 0x100, true},	 {0x180ff, 2, false},	   {0x10800, UINT32_MAX, false},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct image records = {0};

		add_range(&records, add_common(&records, "zR", USUAL, 1), rows[i].start,
			  rows[i].bytes);
		struct frames frames = read_section(&records, ".eh_frame", SHT_PROGBITS);
		assert_int_equal(frames.count, rows[i].is_read);
		if (frames.count) {
			assert_int_equal(frames.items[0].start, rows[i].start);
			assert_int_equal(frames.items[0].end, rows[i].start + rows[i].bytes);
		}
		frames_release(&frames);
	}
}

/* Several common parts, of which a record names any before it; a record without one, or with one of
 * another form, is left out, and what follows is read. */
TEST(records_ascend_and_have_their_own_common_part)
{
	static const uint64_t starts[] = {0x10400, 0x10100, 0x10300, 0x10100, 0x10200,
					  0x10500, 0x10600, 0x10700, 0x10800, 0x10900};
	struct image records = {0};
	size_t common[12];

	for (size_t i = 0; i < ARRAY_COUNT(common); i++)
		common[i] = add_common(&records, "zR", i == 5 ? "\x1c" : USUAL, 1);
	for (size_t i = 0; i < ARRAY_COUNT(starts); i++)
		add_range(&records, common[i], starts[i], i == 3 ? 0x80 : 0x40);
	add_range(&records, common[11], 0x10a00, 4);
	/* It names a record that is no common part. */
	add_range(&records, records.size - 20, 0x10b00, 4);
	struct frames frames = read_section(&records, ".eh_frame", SHT_PROGBITS);
	assert_int_equal(frames.count, 9);
	for (size_t i = 0; i < frames.count; i++) {
		static const uint64_t wanted[] = {0x10100, 0x10200, 0x10300, 0x10400, 0x10600,
						  0x10700, 0x10800, 0x10900, 0x10a00};

		assert_int_equal(frames.items[i].start, wanted[i]);
	}
	/* Of two at one address the shorter one is kept. */
	assert_int_equal(frames.items[0].end, 0x10140);
	assert_null(frames_find(&frames, 0x10140));
	assert_null(frames_find(&frames, 0x100ff));
	assert_null(frames_find(&frames, 0x10500));
	assert_int_equal(frames_find(&frames, 0x10a03)->start, 0x10a00);
	assert_null(frames_find(&frames, 0x10a04));
	frames_release(&frames);
}

TEST(a_record_that_is_cut_ends_the_table)
{
	struct image records = {0};
	const size_t common = add_common(&records, "zR", USUAL, 1);

	add_range(&records, common, 0x10100, 4);
	const size_t cut = records.size;
	/* No length, and no second number. */
	add_number(&records, 8);
	add_number(&records, records.size - common);
	add_number(&records, 0x10200 - (RECORDS + records.size));
	add_range(&records, common, 0x10300, 4);
	struct image longer = {0};
	image_add(&longer, records.bytes, records.size);
	struct frames frames = read_section(&records, ".eh_frame", SHT_PROGBITS);
	assert_int_equal(frames.count, 2);
	assert_int_equal(frames.items[1].start, 0x10300);
	frames_release(&frames);
	image_put(&longer, cut, 0x7ffffff0, 4);
	frames = read_section(&longer, ".eh_frame", SHT_PROGBITS);
	assert_int_equal(frames.count, 1);
	frames_release(&frames);
}

TEST(records_are_in_the_section_of_that_name)
{
	for (unsigned i = 0; i < 3; i++) {
		struct image records = {0};

		add_range(&records, add_common(&records, "zR", USUAL, 1), 0x10100, 0x20);
		struct frames frames =
			read_section(&records, i == 1 ? ".eh_frame_hdr" : ".eh_frame",
				     i == 2 ? SHT_NOBITS : SHT_PROGBITS);
		assert_int_equal(frames.count, i == 0);
		frames_release(&frames);
	}
	struct image none = {0};
	struct frames frames = read_section(&none, ".eh_frame", SHT_PROGBITS);
	assert_int_equal(frames.count, 0);
	assert_null(frames_find(&frames, 0x10100));
	frames_release(&frames);
}
