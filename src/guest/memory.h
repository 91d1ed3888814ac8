/*
 * memory.h - the guest's address space.
 *
 * Guest addresses 0 .. 2^38-1 (the user half of Sv39) lie in one reserved,
 * inaccessible host range, so that a checked guest address becomes a host
 * address by one addition. One byte per 4 KB page holds the guest's
 * permissions; every access checks it first, so no guest address is ever used
 * unchecked and no host signal handler is needed. Pages are not touched, and
 * use no host memory, until the guest maps them.
 *
 * Invariant: unmapped pages hold zeroes; a page whose PAGE_READ, PAGE_STORE or PAGE_EXEC bit is set
 * is readable and writable in the host range. PAGE_STORE is set where the guest may write and no
 * decoded instructions depend on the bytes; stores to pages with PAGE_WRITE but not PAGE_STORE take
 * the slow path, which calls code_changed first.
 *
 * Deliberately not modelled: files mapped shared between processes, swap, huge
 * pages. The struct is open because the interpreter's inner loop reads it.
 */
#ifndef GUEST_MEMORY_H
#define GUEST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bits.h"
#include "base/err.h"

#define GUEST_PAGE_BITS	  12
#define GUEST_PAGE_BYTES  (UINT64_C(1) << GUEST_PAGE_BITS)
#define GUEST_SPACE_BITS  38
#define GUEST_SPACE_BYTES (UINT64_C(1) << GUEST_SPACE_BITS)
/* The address space that memory_init reserves: the guest's, and a byte for each of its pages. */
#define MEMORY_RESERVED_BYTES (GUEST_SPACE_BYTES + (GUEST_SPACE_BYTES >> GUEST_PAGE_BITS))

enum page_flags {
	PAGE_READ = 1,
	PAGE_STORE = 2,
	PAGE_EXEC = 4,
	PAGE_WRITE = 8,
	PAGE_DECODED = 16,
	PAGE_MAPPED = 32,
	PAGE_CHARGED = 64, /* was accessible or filled since it was mapped, so it counts against
			      the limit; any other page holds zeroes */
};

#define PAGE_PROTECTION (PAGE_READ | PAGE_WRITE | PAGE_EXEC)

struct memory {
	uint8_t *base;	     /* host address of guest address 0 */
	uint8_t *pages;	     /* page_flags of each guest page */
	bool *open_granules; /* which pieces of the host range are accessible */
	uint64_t charged_bytes;
	uint64_t limit_bytes; /* the limit on charged_bytes */
	uint64_t hint_below;  /* no free range of hint_bytes or more lies above this */
	uint64_t hint_bytes;
	/* Called before bytes of a PAGE_DECODED page change or lose their
	 * mapping; the page's PAGE_DECODED bit is already clear. */
	void (*code_changed)(void *context, uint64_t address, uint64_t bytes);
	void *code_context;
};

/* Reserves the address space. Fails where the host refuses so large a range
 * (ulimit -v, vm.overcommit_memory = 2). */
bool memory_init(struct memory *memory, uint64_t limit_bytes, struct err *err);
void memory_release(struct memory *memory);

/* Maps zeroed pages over [address, address+bytes), replacing what was there.
 * Both page-aligned and inside the space; protection of PAGE_READ|WRITE|EXEC.
 * False if the limit or the host forbids it; nothing has changed then. */
bool memory_map(struct memory *memory, uint64_t address, uint64_t bytes, unsigned protection);
void memory_unmap(struct memory *memory, uint64_t address, uint64_t bytes);
/* False if part of the range is not mapped or the limit forbids it (check with
 * memory_is_mapped which); nothing has changed then. */
bool memory_protect(struct memory *memory, uint64_t address, uint64_t bytes, unsigned protection);
/* Charges mapped pages that are to be filled although the guest may not access them. False if the
 * limit forbids it; nothing has changed then. */
bool memory_charge(struct memory *memory, uint64_t address, uint64_t bytes);
/* Copies between mapped pages that do not overlap, whatever the guest's permissions; only pages
 * that may hold something are copied, and charged. False if the limit forbids it; part may have
 * been copied then. */
bool memory_copy(struct memory *memory, uint64_t to, uint64_t from, uint64_t bytes);
/* Counts memory of the host that the guest makes the simulator fill against the limit. */
static inline bool memory_charge_host(struct memory *memory, uint64_t bytes)
{
	if (bytes > memory->limit_bytes || memory->charged_bytes > memory->limit_bytes - bytes)
		return false;
	memory->charged_bytes += bytes;
	return true;
}

static inline void memory_uncharge_host(struct memory *memory, uint64_t bytes)
{
	memory->charged_bytes -= bytes;
}

/* Contents become zero, mapping and protection stay. */
void memory_zero(struct memory *memory, uint64_t address, uint64_t bytes);

/* True if every page of the (page-aligned) range is mapped, or none is. */
bool memory_is_mapped(const struct memory *memory, uint64_t address, uint64_t bytes);
bool memory_is_free(const struct memory *memory, uint64_t address, uint64_t bytes);

/* The highest free range of `bytes` that ends at or below `below` and starts
 * at or above `above`; 0 if there is none. */
uint64_t memory_find_free(struct memory *memory, uint64_t bytes, uint64_t above, uint64_t below);

/* Copies in and out as the kernel would on the guest's behalf: false, and
 * nothing copied, if any byte lacks the permission. Any address and size. */
bool memory_read(const struct memory *memory, void *to, uint64_t address, uint64_t bytes);
bool memory_write(struct memory *memory, uint64_t address, const void *from, uint64_t bytes);

/* The longest prefix of [address, address+bytes) with the permission. */
uint64_t memory_readable(const struct memory *memory, uint64_t address, uint64_t bytes);
uint64_t memory_writable(const struct memory *memory, uint64_t address, uint64_t bytes);

/* Copies a NUL-terminated string into `to`. Returns its length, -1 if a byte
 * cannot be read, -2 if it does not fit in `bytes` with its NUL. */
int64_t memory_read_string(const struct memory *memory, char *to, uint64_t address, size_t bytes);

/* Writes bytes regardless of the guest's own permission (loading a program);
 * the pages must be mapped and charged. */
void memory_load(struct memory *memory, uint64_t address, const void *from, uint64_t bytes);

/* Calls code_changed for a store that the guest is about to make here; further stores to these
 * pages take the fast path. */
void memory_code_changes(struct memory *memory, uint64_t address, uint64_t bytes);
/* Marks the page of address as one whose instructions have been decoded. */
void memory_mark_decoded(struct memory *memory, uint64_t address);

static inline bool memory_allows(const struct memory *memory, uint64_t address, unsigned flag)
{
	return LIKELY(address < GUEST_SPACE_BYTES) &&
	       LIKELY(memory->pages[address >> GUEST_PAGE_BITS] & flag);
}

/* An access of 1..8 bytes at any alignment: both ends allowed. */
static inline bool memory_allows_access(const struct memory *memory, uint64_t address,
					unsigned bytes, unsigned flag)
{
	return memory_allows(memory, address, flag) &&
	       (LIKELY((address & (GUEST_PAGE_BYTES - 1)) <= GUEST_PAGE_BYTES - bytes) ||
		memory_allows(memory, address + bytes - 1, flag));
}

#endif
