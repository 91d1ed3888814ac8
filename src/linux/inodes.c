#include "linux/inodes.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

#define FIRST_CAPACITY 256
#define BLOCK_BYTES    4096

void inodes_init(struct inodes *inodes, struct memory *memory)
{
	*inodes = (struct inodes){.memory = memory};
}

void inodes_release(struct inodes *inodes)
{
	free(inodes->slots);
	*inodes = (struct inodes){0};
}

static struct inode *slot_of(const struct inodes *inodes, uint64_t device, uint64_t host)
{
	uint64_t hash =
		(host ^ device * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);
	size_t i = (hash >> 32) & (inodes->capacity - 1);

	while (inodes->slots[i].number &&
	       (inodes->slots[i].device != device || inodes->slots[i].host != host))
		i = (i + 1) & (inodes->capacity - 1);
	return &inodes->slots[i];
}

static bool grow(struct inodes *inodes)
{
	const struct inodes old = *inodes;
	size_t capacity = old.capacity ? 2 * old.capacity : FIRST_CAPACITY;

	if (!memory_charge_host(inodes->memory,
				(capacity - old.capacity) * sizeof(inodes->slots[0])))
		return false;
	inodes->slots = mem_alloc_array(capacity, sizeof(inodes->slots[0]));
	inodes->capacity = capacity;
	for (size_t i = 0; i < old.capacity; i++)
		if (old.slots[i].number)
			*slot_of(inodes, old.slots[i].device, old.slots[i].host) = old.slots[i];
	free(old.slots);
	return true;
}

struct inode *inode_get(struct inodes *inodes, uint64_t device, uint64_t host)
{
	if (2 * inodes->count >= inodes->capacity && !grow(inodes))
		return NULL;
	struct inode *inode = slot_of(inodes, device, host);
	if (!inode->number) {
		*inode = (struct inode){.device = device, .host = host, .number = ++inodes->last};
		inodes->count++;
	}
	return inode;
}

struct inode *inode_create(struct inodes *inodes, uint64_t device, uint64_t host)
{
	uint64_t before = inodes->last;
	struct inode *inode = inode_get(inodes, device, host);

	if (inode && inodes->last == before)
		*inode = (struct inode){.device = device, .host = host, .number = ++inodes->last};
	return inode;
}

int inode_describe(struct inodes *inodes, bool keeps_mtime, struct stat *info)
{
	const struct inode *inode = inode_get(inodes, info->st_dev, info->st_ino);
	const struct timespec zero = {0}, time = keeps_mtime ? info->st_mtim : zero;
	bool is_directory = S_ISDIR(info->st_mode);

	if (!inode)
		return -ENOMEM;
	if (is_directory)
		info->st_size = BLOCK_BYTES;
	*info = (struct stat){
		.st_dev = 1,
		.st_ino = inode->number,
		.st_mode = info->st_mode,
		.st_nlink = is_directory ? 1 : info->st_nlink,
		.st_size = info->st_size,
		.st_blksize = BLOCK_BYTES,
		.st_blocks = S_ISLNK(info->st_mode) ? 0
						    : (info->st_size + BLOCK_BYTES - 1) /
							      BLOCK_BYTES * (BLOCK_BYTES / 512),
		.st_atim = inode->has_times[0] ? inode->times[0] : time,
		.st_mtim = inode->has_times[1] ? inode->times[1] : time,
		.st_ctim = time,
	};
	return 0;
}
