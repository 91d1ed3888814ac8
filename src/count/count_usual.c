/* Called one after the other, for each record or for many, the usual observers each told the kinds
 * of all events apart, in an order that the host cannot predict. In one pass they take a third of
 * the time on stencil, half of it on chess (5 M instructions on eyerman2006). */
#include "count/fmt_rule.h"
#include "count/naive.h"
#include "count/power5_rule.h"
#include "count/sfmt_rule.h"
#include "count/stages_rule.h"
#include "count/topdown_rule.h"
#include "count/usual.h"

enum place { NAIVE, NONSPEC, POWER5, FMT, PUBLISHED, SFMT, AGED, TOPDOWN, STAGES, PLACES };

static const struct observer_kind *const kinds[PLACES + 1] = {
	[NAIVE] = &count_naive,	  [NONSPEC] = &count_naive_nonspec,
	[POWER5] = &count_power5, [FMT] = &count_fmt,
	[SFMT] = &count_sfmt,	  [PUBLISHED] = &count_fmt_published,
	[AGED] = &count_afmt,	  [TOPDOWN] = &count_topdown,
	[STAGES] = &count_stages,
};

struct usual {
	struct naive *naive, *nonspec;
	struct power5 *power5;
	struct fmt *fmt, *published;
	struct sfmt *sfmt, *aged;
	struct topdown *topdown;
	struct stages *stages;
};

#define INLINE static inline __attribute__((always_inline))

/* What sfmt and afmt waited for when the record's events began; none once it has been squashed. */
struct awaited {
	uint32_t sfmt, aged;
};

INLINE void take_event(const struct usual *u, const struct cycle_event *e, struct awaited *awaited)
{
	switch ((enum cycle_event_kind)e->kind) {
	case EVENT_BRANCH_FETCH:
		branch_table_fetch(&u->fmt->table);
		branch_table_fetch(&u->published->table);
		branch_table_fetch(&u->sfmt->table);
		branch_table_fetch(&u->aged->table);
		break;
	case EVENT_BRANCH_DISPATCH:
		branch_table_dispatch(&u->fmt->table, e->slot, u->fmt->running);
		branch_table_dispatch(&u->published->table, e->slot, u->published->running);
		branch_table_dispatch(&u->sfmt->table, e->slot, u->sfmt->running);
		branch_table_dispatch(&u->aged->table, e->slot, u->aged->running);
		count_shadow_event(&u->stages->shadow, e);
		break;
	case EVENT_MISPREDICT:
		fmt_resolve(u->fmt, e->slot);
		fmt_resolve(u->published, e->slot);
		sfmt_resolve(u->sfmt, e);
		sfmt_resolve(u->aged, e);
		*awaited = (struct awaited){SFMT_NO_SLOT, SFMT_NO_SLOT};
		count_shadow_event(&u->stages->shadow, e);
		u->naive->misses[COMPONENT_BRANCH]++;
		break;
	case EVENT_REPLAY:
		fmt_replay(u->fmt, e->amount);
		fmt_replay(u->published, e->amount);
		sfmt_replay(u->sfmt, e->amount);
		sfmt_replay(u->aged, e->amount);
		*awaited = (struct awaited){SFMT_NO_SLOT, SFMT_NO_SLOT};
		count_shadow_event(&u->stages->shadow, e);
		break;
	case EVENT_COMMIT:
		if (e->detail & COMMIT_BRANCH) {
			fmt_commit(u->fmt, false, e->detail & COMMIT_MISPREDICTED);
			fmt_commit(u->published, true, e->detail & COMMIT_MISPREDICTED);
		}
		sfmt_commit(u->sfmt, e);
		sfmt_commit(u->aged, e);
		naive_add_commit(u->nonspec, e);
		break;
	case EVENT_FETCH_MISS:
		u->sfmt->awaited = u->aged->awaited = e->slot;
		naive_add(u->naive, e->detail);
		break;
	case EVENT_STORE_MISS: naive_add_commit(u->nonspec, e); __attribute__((fallthrough));
	case EVENT_LOAD_MISS: naive_add(u->naive, e->detail); break;
	default: break;
	}
}

INLINE void take(const struct usual *u, const struct cycle *c)
{
	const enum component stall = count_fetch_stall(c), head = count_head_miss(c);
	struct awaited awaited = {u->sfmt->awaited, u->aged->awaited};
	const bool is_full = count_is_full(c, u->fmt->rob_size, false);

	for (uint32_t i = 0; i < c->event_count; i++)
		take_event(u, &c->events[i], &awaited);
	power5_record(u->power5, c, stall, head);
	fmt_record(u->fmt, false, c, is_full, stall);
	fmt_record(u->published, true, c, is_full, stall);
	sfmt_deliver(u->sfmt, c, awaited.sfmt);
	sfmt_deliver(u->aged, c, awaited.aged);
	sfmt_record(u->sfmt, false, c, is_full, stall);
	sfmt_record(u->aged, true, c, is_full, stall);
	topdown_record(u->topdown, c, head);
	count_shadow_end(&u->stages->shadow, c);
	stages_record(u->stages, c, stall);
}

static void cycles(void *const *observers, const struct cycle *cycles, size_t count)
{
	const struct usual u = {
		.naive = observers[NAIVE],
		.nonspec = observers[NONSPEC],
		.power5 = observers[POWER5],
		.fmt = observers[FMT],
		.published = observers[PUBLISHED],
		.sfmt = observers[SFMT],
		.aged = observers[AGED],
		.topdown = observers[TOPDOWN],
		.stages = observers[STAGES],
	};

	for (size_t i = 0; i < count; i++)
		take(&u, &cycles[i]);
}

const struct observer_group count_usual = {.kinds = kinds, .count = PLACES, .cycles = cycles};
