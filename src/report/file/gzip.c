#include "report/file/gzip.h"

#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/err.h"

/* Window bits of zlib that ask for the format of gzip. */
#define GZIP_FORMAT (MAX_WBITS + 16)
#define MEMORY	    8 /* zlib's usual level */
#define PIECE	    (UINT32_C(1) << 20)

bool gzip_is_name(const char *path)
{
	const size_t length = strlen(path);

	return length >= 3 && strcmp(path + length - 3, ".gz") == 0;
}

void *gzip_pack(const void *bytes, size_t count, size_t *packed)
{
	struct bytes out = {0};
	z_stream stream = {0};
	int status = Z_OK;

	if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_FORMAT, MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		BUG("deflateInit2");
	stream.next_in = bytes;
	/* zlib counts in 32 bits. */
	while (status != Z_STREAM_END) {
		if (!stream.avail_in && count) {
			stream.avail_in = count < PIECE ? (uInt)count : PIECE;
			count -= stream.avail_in;
		}
		stream.next_out = bytes_room(&out, PIECE);
		stream.avail_out = PIECE;
		status = deflate(&stream, count ? Z_NO_FLUSH : Z_FINISH);
		BUG_ON(status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR);
		out.count += PIECE - stream.avail_out;
	}
	deflateEnd(&stream);
	*packed = out.count;
	return out.bytes;
}
