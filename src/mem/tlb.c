#include "mem/tlb.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"

bool tlb_check(const struct tlb_parameters *p, const char *name, struct err *err)
{
	if (!p->ways || !p->entries || p->entries % p->ways ||
	    !bits_is_power_of_two(p->entries / p->ways))
		return err_set(err,
			       "%s: %" PRIu32 " entries in %" PRIu32
			       " ways do not make a number of sets that is a power of two",
			       name, p->entries, p->ways);
	return true;
}

void tlb_init(struct tlb *tlb, const struct tlb_parameters *p, uint64_t page_bytes)
{
	*tlb = (struct tlb){
		.entries = mem_alloc_array(p->entries, sizeof(*tlb->entries)),
		.set_mask = p->entries / p->ways - 1,
		.ways = p->ways,
		.page_bits = (uint8_t)bits_log2(page_bytes),
	};
}

void tlb_release(struct tlb *tlb)
{
	free(tlb->entries);
	*tlb = (struct tlb){0};
}

struct tlb_entry *tlb_touch(struct tlb *tlb, uint64_t address, bool *hit)
{
	uint64_t page = address >> tlb->page_bits;
	struct tlb_entry *entries = tlb->entries + (page & tlb->set_mask) * tlb->ways;
	struct tlb_entry found = {.key = page + 1};
	unsigned way = 0;

	while (way < tlb->ways && entries[way].key != page + 1)
		way++;
	*hit = way < tlb->ways;
	if (*hit)
		found = entries[way];
	else
		way--;
	for (; way > 0; way--)
		entries[way] = entries[way - 1];
	entries[0] = found;
	return entries;
}
