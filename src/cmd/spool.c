#include "cmd/spool.h"

#include <errno.h>
#include <sys/mman.h>

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

bool spool_write(struct spool *spool, struct report_target *target, struct err *err)
{
	if (!spool->failed && fflush(spool->file) != 0)
		spool->failed = errno;
	if (spool->failed)
		return err_set_errno(err, spool->failed, "a temporary file");
	if (!spool->bytes)
		return report_write_file(target, "", 0, err);
	void *bytes = mmap(NULL, spool->bytes, PROT_READ, MAP_SHARED, fileno(spool->file), 0);
	if (bytes == MAP_FAILED)
		return err_set_errno(err, errno, "a temporary file");
	const bool ok = report_write_file(target, bytes, spool->bytes, err);
	munmap(bytes, spool->bytes);
	return ok;
}

void spool_close(struct spool *spool)
{
	if (spool->file)
		fclose(spool->file);
	spool->file = NULL;
}
