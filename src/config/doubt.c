#include "config/doubt.h"

#include "base/array.h"

/* The first is not expected above the second. */
struct expectation {
	enum config_id less, more;
	const char *otherwise; /* what it means if it is */
};

static const struct expectation expectations[] = {
	{CONFIG_dispatch_width, CONFIG_fetch_width, "so many are never fetched in a cycle"},
	{CONFIG_dispatch_width, CONFIG_decode_width, "so many are never decoded in a cycle"},
	{CONFIG_dispatch_width, CONFIG_commit_width,
	 "no more is dispatched in the long run than is committed"},
	{CONFIG_dispatch_width, CONFIG_issue_width,
	 "no more is dispatched in the long run than is issued"},
	{CONFIG_int_mul_latency, CONFIG_int_div_latency,
	 "a multiplication takes longer than a division"},
	{CONFIG_fp_mul_latency, CONFIG_fp_div_latency,
	 "a multiplication takes longer than a division"},
	{CONFIG_l1i_size, CONFIG_l2_size, "the cache behind it is smaller"},
	{CONFIG_l1d_size, CONFIG_l2_size, "the cache behind it is smaller"},
	{CONFIG_l2_size, CONFIG_l3_size, "the cache behind it is smaller"},
	{CONFIG_l1i_latency, CONFIG_memory_latency, "a hit takes longer than memory"},
	{CONFIG_l1d_latency, CONFIG_memory_latency, "a hit takes longer than memory"},
	{CONFIG_l2_latency, CONFIG_l3_latency, "a hit takes longer than in the cache behind it"},
	{CONFIG_l2_latency, CONFIG_memory_latency, "a hit takes longer than memory"},
	{CONFIG_l3_latency, CONFIG_memory_latency, "a hit takes longer than memory"},
	{CONFIG_itlb_entries, CONFIG_tlb2_entries, "the TLB behind it is smaller"},
	{CONFIG_dtlb_entries, CONFIG_tlb2_entries, "the TLB behind it is smaller"},
	{CONFIG_tlb2_latency, CONFIG_dtlb_miss, "a hit takes longer than a miss"},
	{CONFIG_tlb2_latency, CONFIG_itlb_miss, "a hit takes longer than a miss"},
};
_Static_assert(ARRAY_COUNT(expectations) <= DOUBT_MOST, "there is room for all");

/* A TLB of 0 entries is none. */
static bool is_there(const struct config *config, enum config_id id)
{
	return config_applies(config, id) && (id != CONFIG_tlb2_entries || config_get(config, id));
}

size_t doubt_all(const struct config *config, struct doubt doubts[DOUBT_MOST])
{
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_COUNT(expectations); i++) {
		const struct expectation *e = &expectations[i];
		const uint32_t less = config_get(config, e->less);
		const uint32_t more = config_get(config, e->more);

		if (is_there(config, e->less) && is_there(config, e->more) && less > more)
			snprintf(doubts[count++].text, sizeof(doubts[0].text),
				 "%s (%u) is above %s (%u): %s", config_rows[e->less].key, less,
				 config_rows[e->more].key, more, e->otherwise);
	}
	return count;
}
