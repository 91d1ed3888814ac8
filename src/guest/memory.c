#include "guest/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/array.h"

#define PAGE_COUNT (GUEST_SPACE_BYTES >> GUEST_PAGE_BITS)
/* The host range becomes accessible in pieces of this size and stays so: a guest that unmaps
 * many small ranges must not exhaust the host's number of mappings. */
#define GRANULE_BITS 24
/* A range of at least this size is moved by the host's tables, not copied. Each such move may cost
 * two of the 65,530 mappings that a host process has, so there is a limit to them. */
#define MOVE_BYTES	(UINT64_C(1) << 20)
#define HOST_MOVES_MAX	8192
#define HOST_PROTECTION (PROT_READ | PROT_WRITE)
#define HOST_FLAGS	(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)
#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

bool memory_init(struct memory *memory, uint64_t limit_bytes, struct err *err)
{
	*memory = (struct memory){.limit_bytes = limit_bytes};
	memory->open_granules = mem_alloc_array(GUEST_SPACE_BYTES >> GRANULE_BITS,
						sizeof(memory->open_granules[0]));
	uint8_t *pages =
		mmap(NULL, MEMORY_TABLE_BYTES + GUEST_SPACE_BYTES, PROT_NONE, HOST_FLAGS, -1, 0);
	if (pages == MAP_FAILED)
		return err_set_errno(err, errno,
				     "cannot reserve %d GB of address space for the guest "
				     "(is `ulimit -v` set?)",
				     1 << (GUEST_SPACE_BITS - 30));
	void *filled = mmap(NULL, PAGE_COUNT, HOST_PROTECTION, HOST_FLAGS, -1, 0);
	if (filled == MAP_FAILED || mprotect(pages, MEMORY_TABLE_BYTES, HOST_PROTECTION) != 0) {
		int reason = errno;
		munmap(pages, MEMORY_TABLE_BYTES + GUEST_SPACE_BYTES);
		if (filled != MAP_FAILED)
			munmap(filled, PAGE_COUNT);
		return err_set_errno(err, reason, "cannot reserve the guest's page table");
	}
	memory->base = pages + MEMORY_TABLE_BYTES;
	memory->pages = pages;
	memory->filled = filled;
	return true;
}

void memory_release(struct memory *memory)
{
	free(memory->open_granules);
	if (memory->base) {
		munmap(memory->pages, MEMORY_TABLE_BYTES + GUEST_SPACE_BYTES);
		munmap(memory->filled, PAGE_COUNT);
	}
	if (memory->pool)
		munmap(memory->pool, MEMORY_POOL_BYTES);
	free(memory->extents);
	*memory = (struct memory){0};
}

static void check_range(uint64_t address, uint64_t bytes)
{
	BUG_ON(address % GUEST_PAGE_BYTES || bytes % GUEST_PAGE_BYTES);
	BUG_ON(bytes > GUEST_SPACE_BYTES || address > GUEST_SPACE_BYTES - bytes);
}

void memory_code_changes(struct memory *memory, uint64_t address, uint64_t bytes)
{
	uint64_t first = address >> GUEST_PAGE_BITS;
	uint64_t last = (address + bytes - 1) >> GUEST_PAGE_BITS;

	for (uint64_t page = first; page <= last; page++) {
		uint8_t flags = memory->pages[page];

		if (!(flags & PAGE_DECODED))
			continue;
		flags &= (uint8_t)~PAGE_DECODED;
		/* Who owns a shared page decides about stores to it. */
		if (flags & PAGE_WRITE && !(flags & PAGE_SHARED) && memory->filled[page])
			flags |= PAGE_STORE;
		memory->pages[page] = flags;
		if (memory->code_changed)
			memory->code_changed(memory->code_context, page << GUEST_PAGE_BITS,
					     GUEST_PAGE_BYTES);
	}
}

void memory_mark_decoded(struct memory *memory, uint64_t address)
{
	uint8_t *flags = &memory->pages[address >> GUEST_PAGE_BITS];

	*flags = (uint8_t)((*flags | PAGE_DECODED) & ~PAGE_STORE);
	if (*flags & PAGE_SHARED && memory->shared_decoded)
		memory->shared_decoded(memory->shared_context,
				       bits_align_down(address, GUEST_PAGE_BYTES));
}

static bool within_limit(struct memory *memory, uint64_t more, uint64_t fewer)
{
	uint64_t kept = memory->filled_bytes - fewer;
	bool is_within = more <= memory->limit_bytes && kept <= memory->limit_bytes - more;

	if (!is_within)
		memory->refused_bytes = more;
	return is_within;
}

/* The pages of the range that the guest's own memory must be found for. */
static uint64_t count_unfilled(const struct memory *memory, uint64_t first, uint64_t last)
{
	uint64_t count = 0;

	for (uint64_t page = first; page <= last; page++)
		count += !memory->filled[page] && !(memory->pages[page] & PAGE_SHARED);
	return count;
}

static void fill(struct memory *memory, uint64_t first, uint64_t last)
{
	for (uint64_t page = first; page <= last; page++) {
		uint8_t flags = memory->pages[page];

		if (memory->filled[page] || flags & PAGE_SHARED)
			continue;
		memory->filled[page] = true;
		memory->filled_bytes += GUEST_PAGE_BYTES;
		if ((flags & (PAGE_WRITE | PAGE_DECODED)) == PAGE_WRITE)
			memory->pages[page] |= PAGE_STORE;
	}
}

/* The pages of the range hold zeroes again. */
static void forget_filled(struct memory *memory, uint64_t address, uint64_t bytes)
{
	const uint64_t first = address >> GUEST_PAGE_BITS, count = bytes >> GUEST_PAGE_BITS;

	for (uint64_t page = first; page < first + count; page++) {
		if (!memory->filled[page])
			continue;
		memory->filled[page] = false;
		memory->filled_bytes -= GUEST_PAGE_BYTES;
		if (!(memory->pages[page] & PAGE_SHARED))
			memory->pages[page] &= (uint8_t)~PAGE_STORE;
	}
}

static void prepare_store(struct memory *memory, uint64_t address, uint64_t bytes)
{
	const uint64_t first = address >> GUEST_PAGE_BITS;
	const uint64_t last = (address + bytes - 1) >> GUEST_PAGE_BITS;

	for (uint64_t page = first; page <= last; page++)
		if ((memory->pages[page] & (PAGE_SHARED | PAGE_STORE)) == PAGE_SHARED &&
		    memory->shared_store)
			memory->shared_store(memory->shared_context, page << GUEST_PAGE_BITS);
	fill(memory, first, last);
	memory_code_changes(memory, address, bytes);
}

bool memory_before_store(struct memory *memory, uint64_t address, uint64_t bytes)
{
	uint64_t more = count_unfilled(memory, address >> GUEST_PAGE_BITS,
				       (address + bytes - 1) >> GUEST_PAGE_BITS)
			<< GUEST_PAGE_BITS;

	if (more && !within_limit(memory, more, 0))
		return false;
	prepare_store(memory, address, bytes);
	return true;
}

static uint8_t flags_for(unsigned protection)
{
	unsigned flags = PAGE_MAPPED | (protection & PAGE_PROTECTION);

	/* The RISC-V page tables have no write-only pages. */
	if (flags & PAGE_WRITE)
		flags |= PAGE_READ | PAGE_STORE;
	return (uint8_t)flags;
}

/* Bytes of the range in pages that have the flag. */
static uint64_t count_flagged(const struct memory *memory, uint64_t address, uint64_t bytes,
			      unsigned flag)
{
	const uint8_t *page = memory->pages + (address >> GUEST_PAGE_BITS);
	uint64_t count = 0;

	for (uint64_t i = 0; i < bytes >> GUEST_PAGE_BITS; i++)
		count += !!(page[i] & flag);
	return count << GUEST_PAGE_BITS;
}

static void set_flags(struct memory *memory, uint64_t address, uint64_t bytes, unsigned flags)
{
	memset(memory->pages + (address >> GUEST_PAGE_BITS), (int)flags, bytes >> GUEST_PAGE_BITS);
}

/* Writing zeros to untouched pages would make the host allocate them, so only pages that are
 * not zero are written. */
static void clear_flags(struct memory *memory, uint64_t address, uint64_t bytes)
{
	const uint64_t block = 4096;
	uint8_t *page = memory->pages + (address >> GUEST_PAGE_BITS);
	uint64_t left = bytes >> GUEST_PAGE_BITS;

	while (left) {
		uint64_t part = left < block ? left : block;

		for (uint64_t i = 0; i < part; i++) {
			if (page[i]) {
				memset(page + i, 0, part - i);
				break;
			}
		}
		page += part;
		left -= part;
	}
}

static bool open_granules(struct memory *memory, uint64_t address, uint64_t bytes)
{
	for (uint64_t g = address >> GRANULE_BITS; g <= (address + bytes - 1) >> GRANULE_BITS;
	     g++) {
		if (memory->open_granules[g])
			continue;
		if (mprotect(memory->base + (g << GRANULE_BITS), UINT64_C(1) << GRANULE_BITS,
			     PROT_READ | PROT_WRITE) != 0)
			return false;
		memory->open_granules[g] = true;
	}
	return true;
}

/* What can be accessed may be a multiple of what may be filled. */
static bool may_open(struct memory *memory, uint64_t more, uint64_t fewer)
{
	const uint64_t most = memory->limit_bytes * MEMORY_OVERCOMMIT;
	bool is_within = more <= most && memory->charged_bytes - fewer <= most - more;

	if (!is_within)
		memory->refused_bytes = more;
	return is_within;
}

bool memory_charge_host(struct memory *memory, uint64_t bytes)
{
	if (!within_limit(memory, bytes, 0))
		return false;
	memory->charged_bytes += bytes;
	memory->filled_bytes += bytes;
	return true;
}

void memory_uncharge_host(struct memory *memory, uint64_t bytes)
{
	memory->charged_bytes -= bytes;
	memory->filled_bytes -= bytes;
}

/* Puts fresh memory of the host at a part of the range, whatever was there. */
static void renew(struct memory *memory, uint64_t address, uint64_t bytes)
{
	if (mmap(memory->base + address, bytes, HOST_PROTECTION, HOST_FLAGS | MAP_FIXED, -1, 0) ==
	    MAP_FAILED)
		BUG("mmap: errno %d", errno);
}

/* Ends the showing of pages of the pool. */
static void hide(struct memory *memory, uint64_t address, uint64_t bytes)
{
	const uint8_t *page = memory->pages + (address >> GUEST_PAGE_BITS);
	uint64_t count = bytes >> GUEST_PAGE_BITS;

	for (uint64_t i = 0, end; i < count; i = end) {
		bool is_shared = page[i] & PAGE_SHARED;

		for (end = i + 1; end < count && !(page[end] & PAGE_SHARED) == !is_shared;)
			end++;
		if (is_shared)
			renew(memory, address + (i << GUEST_PAGE_BITS),
			      (end - i) << GUEST_PAGE_BITS);
	}
}

bool memory_map(struct memory *memory, uint64_t address, uint64_t bytes, unsigned protection)
{
	check_range(address, bytes);
	if (!bytes)
		return true;
	unsigned charge = protection & PAGE_PROTECTION ? PAGE_CHARGED : 0;
	uint64_t more = charge ? bytes : 0;
	uint64_t fewer = count_flagged(memory, address, bytes, PAGE_CHARGED);
	if (!may_open(memory, more, fewer))
		return false;
	if (!open_granules(memory, address, bytes))
		return false;
	memory_code_changes(memory, address, bytes);
	hide(memory, address, bytes);
	forget_filled(memory, address, bytes);
	if (fewer)
		madvise(memory->base + address, bytes, MADV_DONTNEED);
	memory->charged_bytes += more - fewer;
	set_flags(memory, address, bytes, (flags_for(protection) & ~PAGE_STORE) | charge);
	return true;
}

void memory_unmap(struct memory *memory, uint64_t address, uint64_t bytes)
{
	check_range(address, bytes);
	/* The hint stays good where nothing becomes free. */
	if (memory_is_free(memory, address, bytes))
		return;
	memory_code_changes(memory, address, bytes);
	uint64_t charged = count_flagged(memory, address, bytes, PAGE_CHARGED);
	memory->charged_bytes -= charged;
	hide(memory, address, bytes);
	forget_filled(memory, address, bytes);
	clear_flags(memory, address, bytes);
	memory->hint_below = memory->hint_bytes = 0;
	if (charged)
		madvise(memory->base + address, bytes, MADV_DONTNEED);
}

bool memory_protect(struct memory *memory, uint64_t address, uint64_t bytes, unsigned protection)
{
	check_range(address, bytes);
	if (!memory_is_mapped(memory, address, bytes))
		return false;
	if (!bytes)
		return true;
	uint64_t charged = count_flagged(memory, address, bytes, PAGE_CHARGED | PAGE_SHARED);
	uint64_t more = protection & PAGE_PROTECTION ? bytes - charged : 0;
	if (!may_open(memory, more, 0))
		return false;
	memory_code_changes(memory, address, bytes);
	memory->charged_bytes += more;
	for (uint64_t page = address >> GUEST_PAGE_BITS;
	     page < (address + bytes) >> GUEST_PAGE_BITS; page++) {
		unsigned keep = memory->pages[page] & PAGE_CHARGED, flags = flags_for(protection);

		if (memory->pages[page] & PAGE_SHARED)
			continue;
		if (protection & PAGE_PROTECTION)
			keep = PAGE_CHARGED;
		if (!memory->filled[page])
			flags &= ~(unsigned)PAGE_STORE;
		memory->pages[page] = (uint8_t)(flags | keep);
	}
	return true;
}

bool memory_charge(struct memory *memory, uint64_t address, uint64_t bytes)
{
	const uint64_t first = address >> GUEST_PAGE_BITS, count = bytes >> GUEST_PAGE_BITS;

	check_range(address, bytes);
	if (!count)
		return true;
	uint64_t more = bytes - count_flagged(memory, address, bytes, PAGE_CHARGED);
	uint64_t unfilled = count_unfilled(memory, first, first + count - 1) << GUEST_PAGE_BITS;
	if (!within_limit(memory, unfilled, 0) || !may_open(memory, more, 0))
		return false;
	memory->charged_bytes += more;
	for (uint64_t i = 0; i < count; i++)
		memory->pages[first + i] |= PAGE_CHARGED;
	fill(memory, first, first + count - 1);
	return true;
}

/* True if the host moved the range by its tables; both stay mapped. */
static bool move_by_host(struct memory *memory, uint64_t to, uint64_t from, uint64_t bytes)
{
	if (bytes < MOVE_BYTES || memory->host_moves >= HOST_MOVES_MAX)
		return false;
	if (mremap(memory->base + from, bytes, bytes,
		   MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP,
		   memory->base + to) == MAP_FAILED) {
		/* What was there may be gone. */
		renew(memory, to, bytes);
		return false;
	}
	memory->host_moves++;
	return true;
}

/* Copies piece by piece, and gives up each piece when it has been copied. */
static void move_by_copy(struct memory *memory, uint64_t to, uint64_t from, uint64_t bytes)
{
	for (uint64_t done = 0, piece; done < bytes; done += piece) {
		piece = bytes - done < MOVE_BYTES ? bytes - done : MOVE_BYTES;
		for (uint64_t at = done; at < done + piece; at += GUEST_PAGE_BYTES)
			if (memory->pages[(from + at) >> GUEST_PAGE_BITS] & PAGE_CHARGED)
				memcpy(memory->base + to + at, memory->base + from + at,
				       GUEST_PAGE_BYTES);
		madvise(memory->base + from + done, piece, MADV_DONTNEED);
	}
}

bool memory_move(struct memory *memory, uint64_t to, uint64_t from, uint64_t bytes)
{
	check_range(to, bytes);
	check_range(from, bytes);
	if (!bytes)
		return true;
	if (!open_granules(memory, to, bytes))
		return false;
	memory_code_changes(memory, from, bytes);
	if (!move_by_host(memory, to, from, bytes))
		move_by_copy(memory, to, from, bytes);
	memcpy(memory->pages + (to >> GUEST_PAGE_BITS), memory->pages + (from >> GUEST_PAGE_BITS),
	       bytes >> GUEST_PAGE_BITS);
	for (uint64_t i = 0; i < bytes >> GUEST_PAGE_BITS; i++) {
		bool *was = &memory->filled[(from >> GUEST_PAGE_BITS) + i];

		if (*was)
			memory->filled[(to >> GUEST_PAGE_BITS) + i] = true;
		if (*was)
			*was = false;
	}
	clear_flags(memory, from, bytes);
	memory->hint_below = memory->hint_bytes = 0;
	return true;
}

void memory_zero(struct memory *memory, uint64_t address, uint64_t bytes)
{
	check_range(address, bytes);
	if (!bytes)
		return;
	memory_code_changes(memory, address, bytes);
	forget_filled(memory, address, bytes);
	madvise(memory->base + address, bytes, MADV_DONTNEED);
}

static bool all_pages(const struct memory *memory, uint64_t address, uint64_t bytes, bool mapped)
{
	if (bytes > GUEST_SPACE_BYTES || address > GUEST_SPACE_BYTES - bytes)
		return false;
	const uint8_t *page = memory->pages + (address >> GUEST_PAGE_BITS);
	for (uint64_t i = 0; i < bytes >> GUEST_PAGE_BITS; i++)
		if (!!(page[i] & PAGE_MAPPED) != mapped)
			return false;
	return true;
}

bool memory_is_mapped(const struct memory *memory, uint64_t address, uint64_t bytes)
{
	return all_pages(memory, address, bytes, true);
}

bool memory_is_free(const struct memory *memory, uint64_t address, uint64_t bytes)
{
	return all_pages(memory, address, bytes, false);
}

uint64_t memory_next_mapped(const struct memory *memory, uint64_t at)
{
	uint64_t page = at >> GUEST_PAGE_BITS, word;

	_Static_assert(PAGE_COUNT % sizeof(word) == 0, "aligned words stay within the table");
	while (page < PAGE_COUNT && !(memory->pages[page] & PAGE_MAPPED)) {
		word = 1;
		/* Most of the space is not mapped. */
		if (page % sizeof(word) == 0)
			memcpy(&word, memory->pages + page, sizeof(word));
		page += word ? 1 : sizeof(word);
	}
	return page << GUEST_PAGE_BITS;
}

uint64_t memory_find_free(struct memory *memory, uint64_t bytes, uint64_t above, uint64_t below)
{
	uint64_t wanted = bytes >> GUEST_PAGE_BITS;
	uint64_t run = 0;

	/* A guest that maps a million small pieces one after the other would
	 * otherwise walk over all earlier ones each time. */
	if (memory->hint_bytes && bytes >= memory->hint_bytes && memory->hint_below < below)
		below = memory->hint_below;
	for (uint64_t page = below >> GUEST_PAGE_BITS; page-- > above >> GUEST_PAGE_BITS;) {
		run = memory->pages[page] & PAGE_MAPPED ? 0 : run + 1;
		if (run == wanted) {
			memory->hint_below = (page << GUEST_PAGE_BITS) + bytes;
			memory->hint_bytes = bytes;
			return page << GUEST_PAGE_BITS;
		}
	}
	return 0;
}

static uint64_t allowed_prefix(const struct memory *memory, uint64_t address, uint64_t bytes,
			       unsigned flag)
{
	uint64_t done = 0;

	while (done < bytes && memory_allows(memory, address + done, flag)) {
		uint64_t in_page = GUEST_PAGE_BYTES - ((address + done) % GUEST_PAGE_BYTES);
		done += in_page < bytes - done ? in_page : bytes - done;
	}
	return done;
}

uint64_t memory_readable(const struct memory *memory, uint64_t address, uint64_t bytes)
{
	return allowed_prefix(memory, memory_unmasked(memory, address), bytes, PAGE_READ);
}

uint64_t memory_writable(const struct memory *memory, uint64_t address, uint64_t bytes)
{
	return allowed_prefix(memory, memory_unmasked(memory, address), bytes, PAGE_WRITE);
}

bool memory_read(const struct memory *memory, void *to, uint64_t address, uint64_t bytes)
{
	address = memory_unmasked(memory, address);
	if (memory_readable(memory, address, bytes) != bytes)
		return false;
	if (bytes)
		memcpy(to, memory->base + address, bytes);
	return true;
}

bool memory_write(struct memory *memory, uint64_t address, const void *from, uint64_t bytes)
{
	address = memory_unmasked(memory, address);
	if (memory_writable(memory, address, bytes) != bytes)
		return false;
	if (bytes && !memory_before_store(memory, address, bytes)) {
		memory->is_exhausted = true;
		return false;
	}
	if (bytes)
		memcpy(memory->base + address, from, bytes);
	return true;
}

int64_t memory_read_string(const struct memory *memory, char *to, uint64_t address, size_t bytes)
{
	address = memory_unmasked(memory, address);
	uint64_t readable = memory_readable(memory, address, bytes);
	if (readable == 0)
		return -1;
	const uint8_t *from = memory->base + address;
	const uint8_t *end = memchr(from, 0, readable);

	if (!end)
		return readable < bytes ? -1 : -2;
	memcpy(to, from, (size_t)(end - from) + 1);
	return end - from;
}

void memory_load(struct memory *memory, uint64_t address, const void *from, uint64_t bytes)
{
	if (!bytes)
		return;
	prepare_store(memory, address, bytes);
	memcpy(memory->base + address, from, bytes);
}

bool memory_show(struct memory *memory, uint64_t address, uint64_t bytes, uint64_t at)
{
	check_range(address, bytes);
	BUG_ON(at % GUEST_PAGE_BYTES || at > MEMORY_POOL_BYTES - bytes);
	if (!open_granules(memory, address, bytes))
		return false;
	memory_code_changes(memory, address, bytes);
	if (mremap(memory->pool + at, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
		   memory->base + address) == MAP_FAILED) {
		renew(memory, address, bytes);
		clear_flags(memory, address, bytes);
		return false;
	}
	set_flags(memory, address, bytes, PAGE_MAPPED | PAGE_SHARED);
	return true;
}

void memory_protect_shared(struct memory *memory, uint64_t address, uint64_t bytes,
			   unsigned protection)
{
	check_range(address, bytes);
	memory_code_changes(memory, address, bytes);
	set_flags(memory, address, bytes, (flags_for(protection) & ~PAGE_STORE) | PAGE_SHARED);
}

void memory_open_stores(struct memory *memory, uint64_t address)
{
	memory_code_changes(memory, address, 1);
	if (memory_allows(memory, address, PAGE_WRITE))
		memory->pages[address >> GUEST_PAGE_BITS] |= PAGE_STORE;
}

void memory_close_stores(struct memory *memory, uint64_t address)
{
	memory->pages[address >> GUEST_PAGE_BITS] &= (uint8_t)~PAGE_STORE;
}
