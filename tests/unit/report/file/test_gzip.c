/* What is packed is what zlib's own reader of gzip files unpacks, of any length, and the same bytes
 * each time. */
#include "report/file/gzip.h"

#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "../../test.h"
#include "base/array.h"
#include "base/rng.h"

static void check_packed(const uint8_t *bytes, size_t count)
{
	size_t packed_bytes, again_bytes;
	uint8_t *packed = gzip_pack(bytes, count, &packed_bytes);
	uint8_t *again = gzip_pack(bytes, count, &again_bytes);
	uint8_t *unpacked = mem_alloc(count + 1);
	FILE *file = tmpfile();

	assert_int_equal(packed_bytes, again_bytes);
	assert_memory_equal(packed, again, packed_bytes);
	assert_non_null(file);
	assert_int_equal(fwrite(packed, 1, packed_bytes, file), packed_bytes);
	rewind(file);
	gzFile in = gzdopen(dup(fileno(file)), "rb");
	assert_int_equal(gzread(in, unpacked, (unsigned)count + 1), count);
	assert_false(gzdirect(in));
	assert_int_equal(gzclose(in), Z_OK);
	assert_memory_equal(unpacked, bytes, count);
	fclose(file);
	free(packed);
	free(again);
	free(unpacked);
}

TEST(what_is_packed_is_unpacked)
{
	static const size_t counts[] = {0, 1, 1000, 1 << 20, (1 << 20) + 1, 3000000};
	struct rng rng = {1};

	for (size_t i = 0; i < ARRAY_COUNT(counts); i++) {
		uint8_t *bytes = mem_alloc(counts[i] + 1);

		for (size_t k = 0; k < counts[i]; k++)
			bytes[k] = i % 2 ? (uint8_t)rng_next(&rng) : (uint8_t) "T:1:45"[k % 6];
		check_packed(bytes, counts[i]);
		free(bytes);
	}
}

TEST(a_name_that_ends_in_gz_is_packed)
{
	assert_true(gzip_is_name("a.gz"));
	assert_true(gzip_is_name(".gz"));
	assert_false(gzip_is_name("gz"));
	assert_false(gzip_is_name("a.gz.bb"));
	assert_false(gzip_is_name(""));
}
