/*
 * special.h - names that exist without a mount.
 *
 * The root and every directory on the way to a mount, /dev with its devices, and /proc and /sys
 * with what a program looks for there about itself and its processor: its descriptors, its file,
 * and the texts of system_files.h. A file of that name in a mount comes first. All of them are
 * read-only, but for the files under /dev/shm (nodes.h), which the program makes.
 */
#ifndef LINUX_SPECIAL_H
#define LINUX_SPECIAL_H

#include <stddef.h>
#include <stdint.h>

#include "linux/files.h"

enum special_kind {
	SPECIAL_NONE,
	SPECIAL_DIRECTORY,
	SPECIAL_DEVICE,
	SPECIAL_LINK,
	SPECIAL_DESCRIPTOR, /* /proc/self/fd/N: a link to what is open */
	SPECIAL_PROGRAM,    /* /proc/self/exe: a link to the program's file */
	SPECIAL_TEXT,	    /* system_files.h */
	SPECIAL_NODE,	    /* a file or FIFO of nodes.h */
};

struct special {
	enum special_kind kind;
	const char *target;    /* of a link */
	enum file_kind device; /* of a device */
	uint32_t descriptor;
	struct node *node; /* whatever it is, under NODES_PATH */
};

/* Neither a directory nor a link to something. */
static inline bool special_is_plain(enum special_kind kind)
{
	return kind == SPECIAL_DEVICE || kind == SPECIAL_TEXT || kind == SPECIAL_NODE;
}

/* What the name is; absolute and without links, ".." and ".". */
struct special special_find(const struct files *files, const char *path);
/* Calls for each name directly below a directory, mounts included; some may come twice. */
void special_list(const struct files *files, const char *directory,
		  void (*call)(void *context, const char *name), void *context);

#endif
