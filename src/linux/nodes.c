#include "linux/nodes.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bits.h"
#include "guest/memory.h"

#define ROOT_MODE 01777
/* What an entry and the block of its name take beside the name. */
#define ENTRY_BYTES (sizeof(struct node_entry) + 16)

static struct node *new_node(struct nodes *nodes, mode_t mode)
{
	struct node *node = mem_alloc(sizeof(*node));

	*node = (struct node){.nodes = nodes, .mode = mode, .fd = -1, .opens = 1};
	return node;
}

void nodes_init(struct nodes *nodes, struct memory *memory)
{
	*nodes = (struct nodes){.memory = memory};
	nodes->root = new_node(nodes, S_IFDIR | ROOT_MODE);
}

static void free_node(struct node *node)
{
	if (node->fd >= 0)
		close(node->fd);
	free(node->target);
	free(node->entries);
	free(node);
}

struct node *node_create(struct nodes *nodes, mode_t mode, unsigned sealing, const char *target,
			 int *failed)
{
	const uint64_t bytes = sizeof(struct node) + (target ? strlen(target) + 1 : 0);
	int fd = -1;

	*failed = -ENOSPC;
	if (nodes->count >= NODES_MAX || !memory_charge_host(nodes->memory, bytes))
		return NULL;
	if (S_ISREG(mode)) {
		fd = memfd_create("guest", MFD_CLOEXEC | sealing);
		*failed = fd < 0 ? -errno : 0;
	}
	if (S_ISREG(mode) && fd < 0) {
		memory_uncharge_host(nodes->memory, bytes);
		return NULL;
	}
	struct node *node = new_node(nodes, mode);
	node->fd = fd;
	node->target = target ? mem_strdup(target) : NULL;
	nodes->count++;
	*failed = 0;
	return node;
}

void node_open(struct node *node)
{
	node->opens++;
}

static void free_unused(struct node *node)
{
	struct nodes *nodes = node->nodes;

	if (node->names || node->opens)
		return;
	node_charge(node, 0);
	memory_uncharge_host(nodes->memory,
			     sizeof(struct node) + (node->target ? strlen(node->target) + 1 : 0));
	nodes->count--;
	free_node(node);
}

void node_close(struct node *node)
{
	node->opens--;
	free_unused(node);
}

bool node_charge(struct node *node, uint64_t bytes)
{
	struct memory *memory = node->nodes->memory;

	if (bytes > INT64_MAX / 2)
		return false;
	const uint64_t have = node->charged_bytes, want = bits_align_up(bytes, GUEST_PAGE_BYTES);
	if (want > have && !memory_charge_host(memory, want - have))
		return false;
	if (want < have)
		memory_uncharge_host(memory, have - want);
	node->charged_bytes = want;
	return true;
}

uint64_t node_size(const struct node *node)
{
	struct stat info;

	if (node->target)
		return strlen(node->target);
	return node->fd >= 0 && fstat(node->fd, &info) == 0 && info.st_size > 0
		       ? (uint64_t)info.st_size
		       : 0;
}

static struct node_entry *find_entry(const struct node *directory, const char *name, size_t bytes)
{
	for (size_t i = 0; i < directory->entry_count; i++) {
		struct node_entry *entry = &directory->entries[i];

		if (strncmp(entry->name, name, bytes) == 0 && !entry->name[bytes])
			return entry;
	}
	return NULL;
}

/* The directory that holds the last name of a path below the root, and that name. */
static int find_parent(const struct nodes *nodes, const char *path, struct node **directory,
		       const char **leaf)
{
	const char *name = path + strlen(NODES_PATH);

	*directory = nodes->root;
	if (!*name)
		return -EBUSY;
	for (name++;; name++) {
		const size_t bytes = strcspn(name, "/");

		if (!name[bytes]) {
			*leaf = name;
			return bytes > NAME_MAX ? -ENAMETOOLONG : 0;
		}
		const struct node_entry *entry = find_entry(*directory, name, bytes);
		if (!entry)
			return -ENOENT;
		if (!S_ISDIR(entry->node->mode))
			return -ENOTDIR;
		*directory = entry->node;
		name += bytes;
	}
}

struct node *nodes_find(const struct nodes *nodes, const char *path)
{
	struct node *directory;
	const char *leaf;

	if (!path[strlen(NODES_PATH)])
		return nodes->root;
	if (find_parent(nodes, path, &directory, &leaf))
		return NULL;
	const struct node_entry *entry = find_entry(directory, leaf, strlen(leaf));
	return entry ? entry->node : NULL;
}

/* A directory that has no name any more takes no new ones. */
static bool is_removed(const struct node *directory)
{
	return directory != directory->nodes->root && !directory->names;
}

int nodes_link(struct nodes *nodes, struct node *node, const char *path)
{
	struct node *directory;
	const char *leaf;
	int failed = find_parent(nodes, path, &directory, &leaf);

	if (failed)
		return failed == -EBUSY ? -EEXIST : failed;
	if (find_entry(directory, leaf, strlen(leaf)))
		return -EEXIST;
	if (is_removed(directory))
		return -ENOENT;
	if (!memory_charge_host(nodes->memory, ENTRY_BYTES + strlen(leaf) + 1))
		return -ENOSPC;
	*ARRAY_PUSH(directory->entries, directory->entry_count, directory->entry_capacity) =
		(struct node_entry){mem_strdup(leaf), node};
	node->names++;
	return 0;
}

int nodes_make(struct nodes *nodes, const char *path, mode_t mode, const char *target,
	       struct node **out)
{
	int failed;
	struct node *node = node_create(nodes, mode, 0, target, &failed);

	if (!node)
		return failed;
	failed = nodes_link(nodes, node, path);
	if (out && !failed)
		*out = node;
	node_close(node);
	return failed;
}

static void drop_entry(struct nodes *nodes, struct node *directory, struct node_entry *entry)
{
	struct node *node = entry->node;

	memory_uncharge_host(nodes->memory, ENTRY_BYTES + strlen(entry->name) + 1);
	free(entry->name);
	*entry = directory->entries[--directory->entry_count];
	node->names--;
	free_unused(node);
}

int nodes_remove(struct nodes *nodes, const char *path, bool is_directory)
{
	struct node *directory;
	const char *leaf;
	int failed = find_parent(nodes, path, &directory, &leaf);

	if (failed)
		return failed;
	struct node_entry *entry = find_entry(directory, leaf, strlen(leaf));
	if (!entry)
		return -ENOENT;
	if (S_ISDIR(entry->node->mode) != is_directory)
		return is_directory ? -ENOTDIR : -EISDIR;
	if (entry->node->entry_count)
		return -ENOTEMPTY;
	drop_entry(nodes, directory, entry);
	return 0;
}

/* Whether one entry may take the place of another. */
static int check_replacing(const struct node *from, const struct node *to)
{
	if (S_ISDIR(from->mode) && !S_ISDIR(to->mode))
		return -ENOTDIR;
	if (!S_ISDIR(from->mode) && S_ISDIR(to->mode))
		return -EISDIR;
	return to->entry_count ? -ENOTEMPTY : 0;
}

static bool is_below(const char *directory, const char *path)
{
	const size_t bytes = strlen(directory);

	return strncmp(path, directory, bytes) == 0 && path[bytes] == '/';
}

int nodes_rename(struct nodes *nodes, const char *from, const char *to, unsigned flags)
{
	struct node *from_directory, *to_directory;
	const char *from_leaf, *to_leaf;
	int failed = find_parent(nodes, from, &from_directory, &from_leaf);

	if (!failed)
		failed = find_parent(nodes, to, &to_directory, &to_leaf);
	if (failed)
		return failed;
	struct node_entry *old = find_entry(from_directory, from_leaf, strlen(from_leaf));
	struct node_entry *new = find_entry(to_directory, to_leaf, strlen(to_leaf));
	if (!old)
		return -ENOENT;
	struct node *node = old->node;
	if (new &&flags & RENAME_NOREPLACE)
		return -EEXIST;
	if (!new &&flags & RENAME_EXCHANGE)
		return -ENOENT;
	if (is_below(from, to))
		return -EINVAL;
	if (is_below(to, from))
		return flags & RENAME_EXCHANGE ? -EINVAL : -ENOTEMPTY;
	/* Two names of one file stay. */
	if (new &&new->node == node)
		return 0;
	if (flags & RENAME_EXCHANGE) {
		old->node = new->node;
		new->node = node;
		return 0;
	}
	failed = new ? check_replacing(node, new->node) : 0;
	if (failed)
		return failed;
	if (new) {
		struct node *replaced = new->node;

		new->node = node;
		node->names++;
		replaced->names--;
		free_unused(replaced);
	} else {
		failed = nodes_link(nodes, node, to);
		if (failed)
			return failed;
	}
	/* The list of the directory may have moved. */
	drop_entry(nodes, from_directory, find_entry(from_directory, from_leaf, strlen(from_leaf)));
	return 0;
}

/* The deepest names first. */
void nodes_release(struct nodes *nodes)
{
	struct node *directory = nodes->root;

	if (!directory)
		return;
	while (directory->entry_count) {
		struct node *last = directory->entries[directory->entry_count - 1].node;

		while (last->entry_count) {
			directory = last;
			last = directory->entries[directory->entry_count - 1].node;
		}
		drop_entry(nodes, directory, &directory->entries[directory->entry_count - 1]);
		directory = nodes->root;
	}
	free_node(nodes->root);
	*nodes = (struct nodes){0};
}
