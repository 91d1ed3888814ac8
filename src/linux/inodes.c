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
	for (size_t i = 0; inodes->fifo_count && i < inodes->capacity; i++)
		if (inodes->slots[i].fifo)
			node_close(inodes->slots[i].fifo);
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

	if (inode && inode->fifo) {
		node_close(inode->fifo);
		inodes->fifo_count--;
	}
	if (inode && inodes->last == before)
		*inode = (struct inode){.device = device, .host = host, .number = ++inodes->last};
	return inode;
}

static struct inode *find_fifo(const struct inodes *inodes, const struct stat *info)
{
	struct inode *inode =
		inodes->fifo_count ? slot_of(inodes, info->st_dev, info->st_ino) : NULL;

	return inode && inode->fifo ? inode : NULL;
}

struct node *inode_fifo(const struct inodes *inodes, const struct stat *info)
{
	const struct inode *inode = find_fifo(inodes, info);

	return inode ? inode->fifo : NULL;
}

bool inode_set_fifo(struct inodes *inodes, const struct stat *info, struct node *fifo)
{
	struct inode *inode = inode_get(inodes, info->st_dev, info->st_ino);

	if (!inode)
		return false;
	BUG_ON(inode->fifo);
	inode->fifo = fifo;
	fifo->host_device = info->st_dev;
	fifo->host_inode = info->st_ino;
	inodes->fifo_count++;
	return true;
}

void inode_drop_fifo(struct inodes *inodes, const struct stat *info)
{
	struct inode *inode = find_fifo(inodes, info);

	if (!inode)
		return;
	node_close(inode->fifo);
	inode->fifo = NULL;
	inodes->fifo_count--;
}

/* By rule, from what is known of mode, links and size. */
static void describe(struct stat *info, uint64_t number, const struct timespec times[3])
{
	const bool is_directory = S_ISDIR(info->st_mode);

	if (is_directory)
		info->st_size = BLOCK_BYTES;
	*info = (struct stat){
		.st_dev = 1,
		.st_ino = number,
		.st_mode = info->st_mode,
		.st_nlink = is_directory ? 1 : info->st_nlink,
		.st_size = info->st_size,
		.st_blksize = BLOCK_BYTES,
		.st_blocks = S_ISLNK(info->st_mode) ? 0
						    : (info->st_size + BLOCK_BYTES - 1) /
							      BLOCK_BYTES * (BLOCK_BYTES / 512),
		.st_atim = times[0],
		.st_mtim = times[1],
		.st_ctim = times[2],
	};
}

int inode_describe(struct inodes *inodes, bool keeps_mtime, struct stat *info)
{
	const struct inode *inode = inode_get(inodes, info->st_dev, info->st_ino);
	const struct timespec zero = {0}, time = keeps_mtime ? info->st_mtim : zero;

	if (!inode)
		return -ENOMEM;
	if (inode->fifo) {
		info->st_mode = S_IFIFO | (info->st_mode & ~(mode_t)S_IFMT);
		info->st_size = 0;
	}
	describe(info, inode->number,
		 (const struct timespec[]){inode->has_times[0] ? inode->times[0] : time,
					   inode->has_times[1] ? inode->times[1] : time, time});
	return 0;
}

int inode_describe_node(struct inodes *inodes, struct node *node, struct stat *info)
{
	*info = (struct stat){.st_dev = node->host_device,
			      .st_ino = node->host_inode,
			      .st_mode = node->mode,
			      .st_nlink = node->host_inode ? 1 : node->names,
			      .st_size = (off_t)node_size(node)};
	if (node->host_inode)
		return inode_describe(inodes, false, info);
	if (!node->number)
		node->number = ++inodes->last;
	describe(info, node->number,
		 (const struct timespec[]){node->times[0], node->times[1], {0}});
	return 0;
}
