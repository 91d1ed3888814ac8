#include "cmd/spool.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "report/file/gzip.h"

bool spool_open(struct spool *spool, struct err *err)
{
	*spool = (struct spool){.file = tmpfile()};
	return spool->file ? true : err_set_errno(err, errno, "a temporary file");
}

void spool_add(void *context, const void *bytes, size_t size)
{
	struct spool *spool = context;

	if (!spool->failed && fwrite(bytes, 1, size, spool->file) != size)
		spool->failed = errno;
	spool->bytes += size;
}

uint64_t spool_bytes(const struct spool *spool)
{
	return spool->bytes;
}

static bool write_bytes(struct report_target *target, const void *bytes, size_t size,
			struct err *err)
{
	size_t packed_bytes;

	if (!gzip_is_name(target->path))
		return report_write_file(target, bytes, size, err);
	void *packed = gzip_pack(bytes, size, &packed_bytes);
	const bool ok = report_write_file(target, packed, packed_bytes, err);

	free(packed);
	return ok;
}

bool spool_map(struct spool *spool, const char **bytes, size_t *size, struct err *err)
{
	*bytes = "";
	*size = spool->bytes;
	if (!spool->failed && fflush(spool->file) != 0)
		spool->failed = errno;
	if (spool->failed)
		return err_set_errno(err, spool->failed, "a temporary file");
	if (!spool->bytes)
		return true;
	void *mapped = mmap(NULL, spool->bytes, PROT_READ, MAP_SHARED, fileno(spool->file), 0);
	if (mapped == MAP_FAILED)
		return err_set_errno(err, errno, "a temporary file");
	*bytes = mapped;
	return true;
}

void spool_unmap(const struct spool *spool, const char *bytes)
{
	union {
		const char *read;
		void *mapped;
	} block = {bytes};

	if (spool->bytes)
		munmap(block.mapped, spool->bytes);
}

bool spool_write(struct spool *spool, struct report_target *target, struct err *err)
{
	const char *bytes;
	size_t size;

	if (!spool_map(spool, &bytes, &size, err))
		return false;
	const bool ok = write_bytes(target, bytes, size, err);

	spool_unmap(spool, bytes);
	return ok;
}

void spool_close(struct spool *spool)
{
	if (spool->file)
		fclose(spool->file);
	spool->file = NULL;
}
