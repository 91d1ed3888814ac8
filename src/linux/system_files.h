/*
 * system_files.h - what a program can read of /proc and /sys about itself and its processor.
 *
 * Each name is a row with a function that writes the text; a row with a wildcard stands for a
 * number of names: one for each cache of the machine, thread, or event that its counters have. The
 * text is made when a file is opened, from the configuration and the state of the process alone, so
 * it is the same in every run; a file that is open keeps the text that it was opened with.
 *
 * Without a configuration (exec) the processor has no caches, and counts instructions only.
 *
 * Not modelled: everything else in /proc and /sys; writing.
 */
#ifndef LINUX_SYSTEM_FILES_H
#define LINUX_SYSTEM_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct file;
struct process;

/* The process's number, as getpid answers. */
#define SYSTEM_SELF "/proc/1000"

/* Whether a file of that name exists; absolute and without links. */
bool system_file_exists(const struct process *process, const char *path);
/* Calls for the path of every file, up to a call that answers false. */
void system_files_each(const struct process *process, bool (*call)(void *context, const char *path),
		       void *context);
/* Opens one that exists: 0, or -ENOMEM at the memory limit, or where the text is too long. */
int system_file_open(struct process *process, const char *path, struct file **out);

#endif
