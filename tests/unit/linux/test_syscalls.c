/* System calls whose hostile input comes from the host, where no guest program can arrange it. */
#include "../test.h"

#include <errno.h>

#include "base/array.h"
#include "linux/syscall.h"

#define BUFFER_ADDRESS UINT64_C(0x10000)
#define BUFFER_BYTES   UINT64_C(0x20000)

/* A process with memory and descriptors and no program. */
static struct process *start(void)
{
	struct process *process = mem_alloc(sizeof(*process));
	struct err err;

	assert_true(memory_init(&process->memory, UINT64_C(1) << 30, &err));
	assert_true(
		memory_map(&process->memory, BUFFER_ADDRESS, BUFFER_BYTES, PAGE_READ | PAGE_WRITE));
	files_init(&process->files, NULL, 0, "/");
	return process;
}

static void stop(struct process *process)
{
	files_release(&process->files);
	memory_release(&process->memory);
	free(process);
}

/* Opens a directory whose snapshot holds one name of that many bytes; returns its descriptor. */
static uint64_t open_directory_with_name(struct process *process, size_t bytes)
{
	struct file *file = file_create(FILE_HOST, -1, "/d");
	struct directory_entry *entry = mem_alloc(sizeof(*entry));

	entry->name = mem_alloc(bytes + 1);
	memset(entry->name, 'n', bytes);
	entry->inode = 7;
	file->entries = entry;
	file->entry_count = 1;
	file->listed = true;
	return (uint64_t)files_install(&process->files, file, 0, false);
}

TEST(getdents64_copies_names_of_any_length)
{
	static const size_t lengths[] = {1, 4, 5, 255, 256, 264, 1000, 4095, 60000};
	struct process *process = start();

	for (size_t i = 0; i < ARRAY_COUNT(lengths); i++) {
		size_t length = lengths[i];
		const uint64_t argument[6] = {open_directory_with_name(process, length),
					      BUFFER_ADDRESS, BUFFER_BYTES};
		const uint8_t *record = process->memory.base + BUFFER_ADDRESS;
		int64_t bytes = sys_getdents64(process, argument);
		uint16_t size;

		memcpy(&size, record + 16, 2);
		assert_int_equal(bytes, (19 + length + 8) / 8 * 8);
		assert_int_equal(size, bytes);
		assert_int_equal(strlen((const char *)record + 19), length);
		assert_int_equal(sys_getdents64(process, argument), 0);
	}
	stop(process);
}

TEST(getdents64_refuses_a_name_that_no_record_can_hold)
{
	struct process *process = start();
	const uint64_t argument[6] = {open_directory_with_name(process, 65536), BUFFER_ADDRESS,
				      BUFFER_BYTES};

	assert_int_equal(sys_getdents64(process, argument), -EOVERFLOW);
	stop(process);
}
