/* What a program stored to a shared mapping of a file, when the file can be read no more. */
#include "../test.h"
#include "../replace.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "linux/shared.h"
#include "linux/syscall.h"

static bool cannot_read;
static unsigned writes;

REPLACED(pread);
REPLACED(pwrite);

static ssize_t read_unless_told(int fd, void *to, size_t bytes, off_t offset)
{
	if (!cannot_read)
		return __real_pread(fd, to, bytes, offset);
	errno = EIO;
	return -1;
}
REPLACE(pread, read_unless_told);

static ssize_t write_and_count(int fd, const void *from, size_t bytes, off_t offset)
{
	writes++;
	return __real_pwrite(fd, from, bytes, offset);
}
REPLACE(pwrite, write_and_count);

/* A process with a file of two pages, and no program. */
static struct process *start(int fd, uint64_t *number)
{
	struct process *process = mem_alloc(sizeof(*process));
	struct err err;

	assert_true(memory_init(&process->memory, UINT64_C(1) << 30, &err));
	process->memory.shared_store = shared_before_store;
	process->memory.shared_decoded = shared_was_decoded;
	process->memory.shared_context = process;
	process->mmap_below = UINT64_C(1) << 32;
	files_init(&process->files, NULL, 0, "/");
	struct file *file = file_create(FILE_HOST, fd, "/f");
	file->flags = O_RDWR;
	*number = (uint64_t)files_install(&process->files, file, 0, false);
	return process;
}

/* What lies between the bytes that are stored is read before they are written: without it nothing
 * is, from the first byte of a page or from a later one. */
TEST(a_page_that_cannot_be_read_is_not_written)
{
	static const uint64_t places[] = {0, 100};

	for (unsigned i = 0; i < 4; i++) {
		const int fd = memfd_create("f", 0);
		uint8_t in_file[4] = {0};
		uint64_t number;

		assert_int_equal(ftruncate(fd, 2 * GUEST_PAGE_BYTES), 0);
		struct process *process = start(fd, &number);
		const int64_t at = sys_mmap(process, (const uint64_t[6]){0, 2 * GUEST_PAGE_BYTES,
									 PROT_READ | PROT_WRITE,
									 MAP_SHARED, number, 0});
		assert_true(at > 0);
		const uint64_t place = (uint64_t)at + places[i / 2];
		assert_true(memory_write(&process->memory, place, "kept", 4));
		cannot_read = i % 2;
		writes = 0;
		assert_int_equal(
			sys_msync(process,
				  (const uint64_t[6]){(uint64_t)at, 2 * GUEST_PAGE_BYTES, MS_SYNC}),
			cannot_read ? -EIO : 0);
		assert_int_equal(writes, !cannot_read);
		cannot_read = false;
		assert_int_equal(pread(fd, in_file, 4, (off_t)places[i / 2]), 4);
		assert_memory_equal(in_file, i % 2 ? "\0\0\0\0" : "kept", 4);
		mapping_release_all(process);
		files_release(&process->files);
		memory_release(&process->memory);
		free(process);
	}
}
