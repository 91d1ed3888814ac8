#include "measure/shadow.h"

#include <stdlib.h>

#include "base/array.h"

struct shadow_node {
	uint64_t line;
	uint32_t newer, older; /* in the order of use */
	uint32_t next;	       /* in its bucket; 0: none */
};

void shadow_init(struct shadow *s, uint32_t lines)
{
	uint32_t buckets = 1;

	while (buckets < lines)
		buckets *= 2;
	*s = (struct shadow){.room = lines, .bucket_mask = buckets - 1};
	s->nodes = mem_alloc_array((size_t)lines + 1, sizeof(*s->nodes));
	s->buckets = mem_alloc_array(buckets, sizeof(*s->buckets));
}

void shadow_release(struct shadow *s)
{
	free(s->nodes);
	free(s->buckets);
	*s = (struct shadow){0};
}

static uint32_t *bucket_of(const struct shadow *s, uint64_t line)
{
	return &s->buckets[(line * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & s->bucket_mask];
}

static void leave_list(struct shadow *s, uint32_t at)
{
	struct shadow_node *node = &s->nodes[at];

	s->nodes[node->newer].older = node->older;
	s->nodes[node->older].newer = node->newer;
}

static void enter_front(struct shadow *s, uint32_t at)
{
	uint32_t first = s->nodes[0].older;

	s->nodes[at].newer = 0;
	s->nodes[at].older = first;
	s->nodes[first].newer = at;
	s->nodes[0].older = at;
}

static void leave_bucket(struct shadow *s, uint32_t at)
{
	uint32_t *link = bucket_of(s, s->nodes[at].line);

	while (*link != at)
		link = &s->nodes[*link].next;
	*link = s->nodes[at].next;
}

bool shadow_touch(struct shadow *s, uint64_t line)
{
	uint32_t *bucket = bucket_of(s, line), at = *bucket;

	if (s->nodes[0].older && s->nodes[s->nodes[0].older].line == line)
		return true;
	while (at && s->nodes[at].line != line)
		at = s->nodes[at].next;
	if (at) {
		leave_list(s, at);
		enter_front(s, at);
		return true;
	}
	if (s->used < s->room) {
		at = ++s->used;
	} else {
		at = s->nodes[0].newer; /* the one not used for longest */
		leave_list(s, at);
		leave_bucket(s, at);
	}
	s->nodes[at].line = line;
	s->nodes[at].next = *bucket;
	*bucket = at;
	enter_front(s, at);
	return false;
}
