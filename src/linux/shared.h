/*
 * shared.h - what files mapped with MAP_SHARED contain: one file, one content.
 *
 * All shared mappings of a file, by whatever name or descriptor it was opened (the host's device
 * and inode decide), show the same pages of the pool (guest/memory.h), so they agree by
 * construction. Pages are read from the file when they are mapped. Before the guest first stores to
 * one, a copy of it is kept; what differs from the copy is what the guest wrote. That, and nothing
 * else, goes to the file: before any call reads or changes the file, at msync and munmap, and when
 * the process ends, in whatever way. After a call has changed the file the pages are read again. So
 * read, write, truncate and the mappings agree after every system call, and a store on a wrong path
 * that was undone writes nothing.
 *
 * Mapping the host's file itself would be coherent too, but stores on a wrong path would reach it
 * at once, and a file that became shorter would kill the tool.
 *
 * Invariant: a page that is present is within the file, is shown by some mapping and is charged to
 * the memory limit twice, for its content and for the copy. Whole pages past the end of the file
 * are absent: the guest gets SIGBUS. A file grows and the limit is reached: the new pages stay
 * absent. MAP_SHARED | MAP_ANONYMOUS is a content without a file.
 *
 * MAP_PRIVATE mappings are copies made by mmap; later changes of the file do not reach them.
 *
 * Not modelled: other processes of the host that change the file while it is mapped; the mappings
 * do not see it, but bytes that the guest did not write are not overwritten.
 */
#ifndef LINUX_SHARED_H
#define LINUX_SHARED_H

#include <stdbool.h>
#include <stdint.h>

struct file;
struct file_mapping;
struct process;
struct shared_file;

/* The content of the file, found or made; NULL with *failed = a negative errno. With `file` NULL a
 * new content of so many zeroes. Every mapping counts: shared_drop ends
 * what shared_get began. */
struct shared_file *shared_get(struct process *process, struct file *file, uint64_t bytes,
			       int64_t *failed);
/* The content that mappings of a file without a host descriptor show: found, or made of so many
 * zeroes; -EINVAL if there is one of another size. The file stays open while it is mapped. */
struct shared_file *shared_get_kept(struct process *process, struct file *file, uint64_t bytes,
				    int64_t *failed);
/* The file whose content it is; NULL: none. */
const struct file *shared_file_of(const struct shared_file *s);
/* Where that is, and its size; NULL and 0 if it is not mapped. */
uint8_t *shared_content(const struct process *process, const struct file *file);
uint64_t shared_kept_bytes(const struct process *process, const struct file *file);
void shared_drop(struct process *process, struct shared_file *shared);
/* One more mapping of it, to be dropped like the first. */
void shared_share(struct process *process, struct shared_file *shared);
/* Shows a part of it at a free range of the guest's. 0 or a negative errno. The mapping must be
 * added, and then refreshed, before anything else happens. */
int64_t shared_show(struct process *process, struct shared_file *shared, uint64_t address,
		    uint64_t bytes, uint64_t offset);
/* Brings the guest's permissions on a shared mapping up to date. */
void shared_refresh(struct process *process, const struct file_mapping *mapping);
/* The mapping has gone from the list of mappings: gives up what no other one shows. */
void shared_forget(struct process *process, const struct file_mapping *mapping);
/* Writes to the file what the guest stored. False if something could not be written. */
bool shared_write_back(struct process *process, struct shared_file *shared);
bool shared_is_present(const struct shared_file *shared, uint64_t offset);

/* Whether some mapping of the file behind the descriptor may be written. */
bool shared_is_writable(const struct process *process, int fd);

/* To be called before a call reads or changes the file behind a descriptor of the host's. */
void shared_flush(struct process *process, int fd);
/* To be called after a call has changed it: so many bytes at the offset, or up to the descriptor's
 * position, or up to the end of the file; and possibly its size. */
#define SHARED_AT_POSITION (-1)
#define SHARED_AT_END	   (-2)
void shared_changed(struct process *process, int fd, int64_t offset, int64_t bytes);

/* The memory's callbacks. */
void shared_before_store(void *process, uint64_t address);
void shared_was_decoded(void *process, uint64_t address);

#endif
