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
 * is readable and writable in the host range. PAGE_STORE is set where the guest may write, the page
 * is filled and no decoded instructions depend on the bytes; stores to pages with PAGE_WRITE but
 * not PAGE_STORE take the slow path, which calls memory_before_store first.
 *
 * Memory is paid for when it is filled, as by a kernel that overcommits: a page that can be
 * accessed and was never written shows zeroes and takes no memory of the host. Its first store
 * takes the slow path, which fills it, or refuses at the limit. What can be accessed may be
 * MEMORY_OVERCOMMIT times as much as what may be filled, so that the host's tables for it stay
 * small.
 *
 * A second reserved range, the pool, holds pages that several guest pages can show at once: the
 * host maps the same page at each of their places, so that what is stored through one is there at
 * all others, and loads and stores cost what they always cost. Such guest pages have PAGE_SHARED.
 * Who owns the pool's pages is told before the first store to a page without PAGE_STORE, and when
 * instructions of one are decoded.
 *
 * Deliberately not modelled: swap, huge pages. The struct is open because the interpreter's inner
 * loop reads it.
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
#define MEMORY_POOL_BYTES GUEST_SPACE_BYTES
/* The address space that a guest reserves at most: its own, two bytes for each of its pages, and
 * the pool. */
#define MEMORY_RESERVED_BYTES \
	(GUEST_SPACE_BYTES + 2 * (GUEST_SPACE_BYTES >> GUEST_PAGE_BITS) + MEMORY_POOL_BYTES)
/* The table of pages ends where the space begins: translated code reaches both from one address. */
#define MEMORY_TABLE_BYTES (GUEST_SPACE_BYTES >> GUEST_PAGE_BITS)
#define MEMORY_OVERCOMMIT  16

enum page_flags {
	PAGE_READ = 1,
	PAGE_STORE = 2,
	PAGE_EXEC = 4,
	PAGE_WRITE = 8,
	PAGE_DECODED = 16,
	PAGE_MAPPED = 32,
	PAGE_CHARGED = 64, /* was accessible or filled since it was mapped; any other page holds
			      zeroes */
	PAGE_SHARED = 128, /* shows a page of the pool, which is charged by its owner */
};

#define PAGE_PROTECTION (PAGE_READ | PAGE_WRITE | PAGE_EXEC)

struct pool_extent {
	uint64_t start, bytes;
};

struct memory {
	uint8_t *base;	     /* host address of guest address 0 */
	uint8_t *pages;	     /* page_flags of each guest page; just before base */
	bool *filled;	     /* which guest pages have been written since they were zero */
	bool *open_granules; /* which pieces of the host range are accessible */
	uint64_t charged_bytes;
	uint64_t filled_bytes;
	uint64_t limit_bytes; /* the limit on filled_bytes */
	bool is_exhausted;    /* a write on the guest's behalf was refused by the limit */
	uint64_t hint_below;  /* no free range of hint_bytes or more lies above this */
	uint64_t hint_bytes;
	uint64_t refused_bytes; /* what the limit last forbade; 0: nothing since it was cleared */
	uint8_t *pool;		/* host address of the pool; NULL until it is needed */
	struct pool_extent *extents; /* what is taken of the pool, by address */
	size_t extent_count, extent_capacity;
	/* Upper bits that are ignored in the addresses of the functions that access memory on the
	 * guest's behalf (memory_read to memory_read_string). */
	unsigned masked_bits;
	unsigned host_moves; /* pieces of the host range that were moved as a whole */
	/* Called before bytes of a PAGE_DECODED page change or lose their
	 * mapping; the page's PAGE_DECODED bit is already clear. */
	void (*code_changed)(void *context, uint64_t address, uint64_t bytes);
	void *code_context;
	/* The owner of shared pages: the guest is about to store to one without PAGE_STORE, or
	 * instructions of one are being decoded. Both are given the page's address. */
	void (*shared_store)(void *context, uint64_t address);
	void (*shared_decoded)(void *context, uint64_t address);
	void *shared_context;
};

/* Reserves the address space. Fails where the host refuses so large a range
 * (ulimit -v, vm.overcommit_memory = 2). */
bool memory_init(struct memory *memory, uint64_t limit_bytes, struct err *err);
void memory_release(struct memory *memory);

/* Maps zeroed pages over [address, address+bytes), replacing what was there.
 * Both page-aligned and inside the space; protection of PAGE_READ|WRITE|EXEC.
 * False if the limit on what can be accessed or the host forbids it; nothing has changed then. */
bool memory_map(struct memory *memory, uint64_t address, uint64_t bytes, unsigned protection);
void memory_unmap(struct memory *memory, uint64_t address, uint64_t bytes);
/* False if part of the range is not mapped or the limit forbids it (check with
 * memory_is_mapped which); nothing has changed then. */
bool memory_protect(struct memory *memory, uint64_t address, uint64_t bytes, unsigned protection);
/* Pays for mapped pages that are to be filled, although the guest may not access them. False if the
 * limit forbids it; nothing has changed then. */
bool memory_charge(struct memory *memory, uint64_t address, uint64_t bytes);
/* Counts memory of the host that the guest makes the simulator fill against the limit. */
bool memory_charge_host(struct memory *memory, uint64_t bytes);
void memory_uncharge_host(struct memory *memory, uint64_t bytes);
/* Moves mapped pages that are not shared, with their protection, to a free range; memory for both
 * is not needed at any time. False if the host forbids it; nothing has changed then. */
bool memory_move(struct memory *memory, uint64_t to, uint64_t from, uint64_t bytes);
/* Contents become zero, mapping and protection stay. */
void memory_zero(struct memory *memory, uint64_t address, uint64_t bytes);

/* Takes zeroed pages of the pool; *at is their place in it. False if there are not so many. */
bool memory_pool_take(struct memory *memory, uint64_t bytes, uint64_t *at);
void memory_pool_free(struct memory *memory, uint64_t at, uint64_t bytes);
/* Pages of the pool become zero, and use no host memory. */
void memory_pool_clear(struct memory *memory, uint64_t at, uint64_t bytes);
/* Shows pages of the pool at a range that is free, or that shows others; the guest may not access
 * them until memory_protect_shared. memory_unmap ends it. False if the host forbids it. */
bool memory_show(struct memory *memory, uint64_t address, uint64_t bytes, uint64_t at);
/* Sets the protection of shared pages, which memory_protect leaves alone. The next store to each
 * of them takes the slow path. */
void memory_protect_shared(struct memory *memory, uint64_t address, uint64_t bytes,
			   unsigned protection);
/* From now on stores to this shared page take the fast path, if the guest may write to it; decoded
 * instructions of it are forgotten. Or no longer take it. */
void memory_open_stores(struct memory *memory, uint64_t address);
void memory_close_stores(struct memory *memory, uint64_t address);

/* True if every page of the (page-aligned) range is mapped, or none is. */
bool memory_is_mapped(const struct memory *memory, uint64_t address, uint64_t bytes);
bool memory_is_free(const struct memory *memory, uint64_t address, uint64_t bytes);
/* The first page at or after the address that is mapped; GUEST_SPACE_BYTES if there is none. */
uint64_t memory_next_mapped(const struct memory *memory, uint64_t at);

/* The highest free range of `bytes` that ends at or below `below` and starts
 * at or above `above`; 0 if there is none. */
uint64_t memory_find_free(struct memory *memory, uint64_t bytes, uint64_t above, uint64_t below);

static inline uint64_t memory_unmasked(const struct memory *memory, uint64_t address)
{
	return (uint64_t)((int64_t)(address << memory->masked_bits) >> memory->masked_bits);
}

/* Copies in and out as the kernel would on the guest's behalf: false, and
 * nothing copied, if any byte lacks the permission, or the limit forbids to fill a page, which
 * is_exhausted tells. Any address and size. */
bool memory_read(const struct memory *memory, void *to, uint64_t address, uint64_t bytes);
bool memory_write(struct memory *memory, uint64_t address, const void *from, uint64_t bytes);

/* The longest prefix of [address, address+bytes) with the permission. */
/* Whether a range lies in the guest's address space, mapped or not. */
static inline bool memory_is_range(uint64_t address, uint64_t bytes)
{
	return bytes <= GUEST_SPACE_BYTES && address <= GUEST_SPACE_BYTES - bytes;
}

/* The same of the address space that a program has on hardware (Sv39), of which the guest has a
 * part: what the kernel looks at before it touches a buffer. */
static inline bool memory_is_user_range(uint64_t address, uint64_t bytes)
{
	const uint64_t limit = UINT64_C(1) << 47;

	return bytes <= limit && address <= limit - bytes;
}

uint64_t memory_readable(const struct memory *memory, uint64_t address, uint64_t bytes);
uint64_t memory_writable(const struct memory *memory, uint64_t address, uint64_t bytes);

/* Copies a NUL-terminated string into `to`. Returns its length, -1 if a byte
 * cannot be read, -2 if it does not fit in `bytes` with its NUL. */
int64_t memory_read_string(const struct memory *memory, char *to, uint64_t address, size_t bytes);

/* Writes bytes regardless of the guest's own permission and the limit (loading a program);
 * the pages must be mapped. */
void memory_load(struct memory *memory, uint64_t address, const void *from, uint64_t bytes);

/* To be called before a store of the guest's to a page without PAGE_STORE; further stores to these
 * pages take the fast path. False, and nothing has changed, if the limit forbids to fill them. */
bool memory_before_store(struct memory *memory, uint64_t address, uint64_t bytes);
/* Calls code_changed for the decoded pages of the range. */
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
