/*
 * nodes.h - files that only this run has: what memfd_create makes, and what is under /dev/shm.
 *
 * A node is a file, a directory, a link or a FIFO. It lives while a directory names it or a
 * descriptor has it open. The bytes of a regular one are in a file of the host's memory without a
 * name there, so whatever works on descriptors of the host works on it; all openings share that
 * one descriptor, and each keeps a position of its own. A FIFO may also stand for an empty file of
 * a mount (inodes.h).
 *
 * Everything is charged to --memory: nodes, names, and the size of files, rounded up to pages. The
 * number of nodes is bounded.
 *
 * Not modelled: times that change with reading and writing, and owners.
 */
#ifndef LINUX_NODES_H
#define LINUX_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct memory;
struct pipe_ring;

/* Where the nodes with names are. */
#define NODES_PATH "/dev/shm"
/* Each regular one takes a descriptor of the host. */
#define NODES_MAX 4096

struct node_entry {
	char *name;
	struct node *node;
};

struct node {
	struct nodes *nodes;
	uint64_t number;	  /* as the guest knows it; 0: it has not asked */
	struct timespec times[2]; /* of access and modification, as the guest set them */
	mode_t mode;		  /* type and permissions */
	unsigned names;		  /* directory entries that are this */
	unsigned opens;		  /* descriptors and waiting calls that have it */
	int fd;			  /* of a regular one; else -1 */
	uint64_t charged_bytes;
	char *target;		    /* of a link */
	struct node_entry *entries; /* of a directory */
	size_t entry_count, entry_capacity;
	struct pipe_ring *pipe; /* of a FIFO, while it is open */
	/* Of the file that stands for a FIFO in a mount, by which stat knows it; 0: none. */
	uint64_t host_device, host_inode;
	bool may_be_named; /* linkat may give it a first name: O_TMPFILE */
};

struct nodes {
	struct memory *memory;
	struct node *root;
	size_t count;
};

void nodes_init(struct nodes *nodes, struct memory *memory);
/* When nothing has one open any more. */
void nodes_release(struct nodes *nodes);

/* A node without a name, to be closed by node_close; NULL with a negative errno in *failed.
 * `sealing` is MFD_ALLOW_SEALING or 0; `target` is that of a link. */
struct node *node_create(struct nodes *nodes, mode_t mode, unsigned sealing, const char *target,
			 int *failed);
void node_open(struct node *node);
void node_close(struct node *node);
/* Charges a regular one for the size that it has from now on; false at the limit. */
bool node_charge(struct node *node, uint64_t bytes);
uint64_t node_size(const struct node *node);

/* Paths are absolute, at or below NODES_PATH, without links, "." and "..". */
struct node *nodes_find(const struct nodes *nodes, const char *path);
/* 0 or a negative errno. */
int nodes_link(struct nodes *nodes, struct node *node, const char *path);
int nodes_remove(struct nodes *nodes, const char *path, bool is_directory);
int nodes_rename(struct nodes *nodes, const char *from, const char *to, unsigned flags);
/* Makes a node with a name. */
int nodes_make(struct nodes *nodes, const char *path, mode_t mode, const char *target,
	       struct node **out);

#endif
