/*
 * inodes.h - the numbers and times by which the guest knows files.
 *
 * The host's devices, inodes, owners and times would make a program's course depend on which copy
 * of a directory it runs in. So a file gets a number when the guest first asks for one: 1, 2, 3 ...
 * in that order. The host's device and inode decide which names are the same file. A file that the
 * guest creates gets a new number, since the host may use an inode again.
 *
 * What stat tells, by rule: device 1; owner and group 0; blocks of 4096 bytes, as many as the size
 * needs; a directory has the size 4096 and one link, as where links of directories are not counted;
 * other files have the host's size, mode and number of links. Times are 0, or all three the host's
 * modification time (--mtime keep), until the guest sets them.
 *
 * A FIFO that the guest makes in a mount is an empty file on the host, and a FIFO only for this
 * run.
 *
 * Not modelled: times that change with reading and writing.
 */
#ifndef LINUX_INODES_H
#define LINUX_INODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "guest/memory.h"
#include "linux/nodes.h"

struct inode {
	uint64_t device, host;	  /* of the host */
	uint64_t number;	  /* 0: the slot is empty */
	struct timespec times[2]; /* of access and modification, if the guest set them */
	bool has_times[2];
	struct node *fifo; /* that the guest sees in place of the file, or NULL */
};

struct inodes {
	struct inode *slots; /* a hash table with open addressing */
	size_t count, capacity;
	uint64_t last;
	size_t fifo_count;
	struct memory *memory; /* the table is charged to its limit */
};

/* Names that no host directory holds are files of this device. */
#define INODE_DEVICE_NONE UINT64_MAX

void inodes_init(struct inodes *inodes, struct memory *memory);
void inodes_release(struct inodes *inodes);
/* The file's entry; valid until the next call. NULL if the memory limit is reached. */
struct inode *inode_get(struct inodes *inodes, uint64_t device, uint64_t host);
/* The same for a file that was just created. */
struct inode *inode_create(struct inodes *inodes, uint64_t device, uint64_t host);
/* The FIFO that the file of the host stands for, or NULL. */
struct node *inode_fifo(const struct inodes *inodes, const struct stat *info);
/* Makes the file one, and takes over the caller's hold on it. False at the memory limit. */
bool inode_set_fifo(struct inodes *inodes, const struct stat *info, struct node *fifo);
/* The file is about to go. */
void inode_drop_fifo(struct inodes *inodes, const struct stat *info);
/* Puts what the guest is to know in place of what the host says. 0 or -ENOMEM. */
int inode_describe(struct inodes *inodes, bool keeps_mtime, struct stat *info);
/* The same of a node, which keeps its number itself: it is not needed longer than the node. */
int inode_describe_node(struct inodes *inodes, struct node *node, struct stat *info);

#endif
