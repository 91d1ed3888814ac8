/* A cache without sets holds the lines used last, as a plain list says. */
#include "../test.h"
#include "base/rng.h"
#include "measure/shadow.h"

#define MOST 64

struct list {
	uint64_t lines[MOST];
	unsigned count, room;
};

static bool list_touch(struct list *list, uint64_t line)
{
	unsigned at = 0;

	while (at < list->count && list->lines[at] != line)
		at++;
	bool held = at < list->count;
	if (!held && list->count < list->room)
		list->count++;
	if (at == list->count)
		at--;
	memmove(list->lines + 1, list->lines, at * sizeof(*list->lines));
	list->lines[0] = line;
	return held;
}

TEST(equals_a_list)
{
	struct rng rng = {5};

	for (unsigned room = 1; room <= MOST; room++) {
		struct list list = {.room = room};
		struct shadow shadow;
		unsigned hits = 0;

		shadow_init(&shadow, room);
		for (unsigned i = 0; i < 3000; i++) {
			uint64_t line = rng_below(&rng, 2 + room * 3 / 2) * 0x1001;
			bool held = list_touch(&list, line);

			hits += held;
			assert_int_equal(shadow_touch(&shadow, line), held);
		}
		assert_true(hits > 100 && hits < 2900);
		shadow_release(&shadow);
	}
}
