#include "model/kept.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/crc32.h"
#include "model/state.h"

#define MAGIC	     "CYSKEL02"
#define MAGIC_BEFORE "CYSKEL01" /* has the values of parameters in their order */
#define HEADER_BYTES (8 + KEPT_KEY_BYTES + 8 + 4)
#define MANY	     (UINT64_C(1) << 40)

/* Bytes that are written or read: each part of the state has one function for both. */
struct stream {
	struct bytes *out; /* NULL: reading */
	struct reader in;  /* bad: bytes ran out or are not what is written */
	bool is_before;	   /* of the format before this one */
};

static void code(struct stream *s, void *value, size_t bytes)
{
	const uint8_t *taken = s->out ? NULL : reader_take(&s->in, bytes);

	if (s->out)
		bytes_put(s->out, value, bytes);
	else if (taken)
		memcpy(value, taken, bytes);
	else
		memset(value, 0, bytes);
}

static void code_u64(struct stream *s, uint64_t *value)
{
	code(s, value, sizeof(*value));
}

/* A number below `limit`; 0 if what is read is not. */
static uint64_t code_count(struct stream *s, uint64_t value, uint64_t limit)
{
	code_u64(s, &value);
	s->in.bad |= value >= limit;
	return s->in.bad ? 0 : value;
}

/* An array, allocated when it is read: its bytes must be there. */
static void *code_array(struct stream *s, void *array, size_t *count, size_t element_bytes)
{
	*count = code_count(s, *count, MANY);
	if (!s->out) {
		if (*count > reader_left(&s->in) / element_bytes) {
			s->in.bad = true;
			*count = 0;
		}
		array = mem_alloc_array(*count + 1, element_bytes);
	}
	if (*count)
		code(s, array, *count * element_bytes);
	return array;
}

/* Whether the format before this one lacks a parameter. */
static bool came_later(enum config_id id)
{
	switch (id) {
	case CONFIG_isa_profile:
	case CONFIG_ideal_l3i:
	case CONFIG_ideal_l3d:
	case CONFIG_ideal_dependence:
	case CONFIG_ideal_int_alu:
	case CONFIG_ideal_int_muldiv:
	case CONFIG_ideal_memory_ports:
	case CONFIG_ideal_fp_add:
	case CONFIG_ideal_fp_muldiv:
	case CONFIG_ideal_queues:
	case CONFIG_ideal_max_branches:
	case CONFIG_ideal_forwarding:
	case CONFIG_ideal_mshrs:
	case CONFIG_ideal_at: return true;
	default: return false;
	}
}

static void code_value(struct stream *s, struct config *config, enum config_id id)
{
	uint32_t value = config_get(config, id);

	code(s, &value, sizeof(value));
	/* The model is of no machine with a list that is not empty. */
	s->in.bad |= !s->out && config_rows[id].type == CONFIG_IS_LIST && value;
	if (!s->out && !s->in.bad)
		config_put(config, id, value);
}

#define KEY_BYTES 48

/* Each parameter by its name: a later version may have more of them, or in another order. */
static void code_named(struct stream *s, struct config *config, enum config_id id)
{
	char key[KEY_BYTES] = "";

	snprintf(key, sizeof(key), "%s", config_rows[id].key);
	code(s, key, sizeof(key));
	if (!s->out && memchr(key, '\0', sizeof(key)))
		id = config_find(key);
	if (!s->out && (id == CONFIG_COUNT || !memchr(key, '\0', sizeof(key)))) {
		s->in.bad = true;
		return;
	}
	code_value(s, config, id);
}

static void code_config(struct stream *s, struct config *config)
{
	if (!s->out)
		config_reset(config);
	if (s->is_before) {
		for (unsigned i = 0; i < CONFIG_COUNT; i++)
			if (!came_later((enum config_id)i))
				code_value(s, config, (enum config_id)i);
		return;
	}
	const uint64_t count = code_count(s, CONFIG_COUNT, 2 * CONFIG_COUNT);
	for (uint64_t i = 0; i < count && !s->in.bad; i++)
		code_named(s, config, (enum config_id)(s->out ? i : 0));
}

/* Whether the misses have everything that their readers rely on and that a builder sees to. */
static bool is_sound(const struct skeleton *s)
{
	const uint32_t most = s->options.window_most;

	if (!most || most > SKELETON_WINDOW_MOST ||
	    s->link_count != (s->options.links ? s->distance_count : 0))
		return false;
	for (size_t i = 0; i < s->count; i++) {
		const struct skeleton_miss *m = &s->misses[i];

		if (m->sequence >= s->instructions || (i && m->sequence <= m[-1].sequence) ||
		    m->first > s->distance_count || !m->count ||
		    m->count > s->distance_count - m->first || m->parent_distance > m->sequence)
			return false;
		for (uint32_t k = 0; k < m->count; k++) {
			uint16_t distance = s->distances[m->first + k];

			if (distance >= most || distance > m->sequence ||
			    (k && distance < s->distances[m->first + k - 1]))
				return false;
			if (k && s->options.links && !skeleton_has_link(s, m, k + 1))
				return false;
		}
	}
	for (size_t i = 0; i < s->store_count; i++)
		if (s->stores[i].sequence >= s->instructions ||
		    (i && s->stores[i].sequence <= s->stores[i - 1].sequence))
			return false;
	return true;
}

static void code_skeleton(struct stream *s, struct skeleton_builder **builder)
{
	struct skeleton k = {.count = 0};
	uint8_t switches;

	if (s->out)
		k = *skeleton_builder_result(*builder);
	switches = (uint8_t)(k.options.pending_hits | k.options.store_fills_miss << 1 |
			     k.options.store_addresses << 2 | k.options.links << 3);
	code(s, &switches, sizeof(switches));
	code(s, &k.options.window_most, sizeof(k.options.window_most));
	code(s, &k.options.forward_most, sizeof(k.options.forward_most));
	code_u64(s, &k.instructions);
	code_u64(s, &k.base_start);
	code_u64(s, &k.base_cycles);
	k.misses = code_array(s, k.misses, &k.count, sizeof(*k.misses));
	k.distances = code_array(s, k.distances, &k.distance_count, sizeof(*k.distances));
	k.links = code_array(s, k.links, &k.link_count, sizeof(*k.links));
	k.stores = code_array(s, k.stores, &k.store_count, sizeof(*k.stores));
	if (s->out)
		return;
	k.options.pending_hits = switches & 1;
	k.options.store_fills_miss = switches & 2;
	k.options.store_addresses = switches & 4;
	k.options.links = switches & 8;
	s->in.bad |= !is_sound(&k);
	*builder = skeleton_builder_of(&k);
}

static void code_skeletons(struct stream *s, struct skeleton_builder *slots[SKELETON_KINDS])
{
	for (unsigned i = 0; i < SKELETON_KINDS; i++)
		if (code_count(s, slots[i] != NULL, 2))
			code_skeleton(s, &slots[i]);
}

static void code_window(struct stream *s, struct window_state *window)
{
	code(s, &window->rob_size, sizeof(window->rob_size));
	window->mispredicts = code_count(s, window->mispredicts, 2);
	code_u64(s, &window->cycles);
	code_u64(s, &window->mispredicting_cycles);
	code_skeletons(s, window->timelines);
}

static void code_set(struct stream *s, struct curve_set *set)
{
	code_config(s, &set->config);
	set->count = code_count(s, set->count, CURVE_SIZES + 1);
	for (size_t i = 0; i < set->count; i++)
		code_window(s, &set->windows[i]);
}

static void code_geometry(struct stream *s, struct geometry *g)
{
	size_t sets = code_count(s, g->set_count, MANY);

	code_config(s, &g->config);
	code_u64(s, &g->mispredictions);
	code(s, g->fetches, sizeof(g->fetches));
	code_u64(s, &g->fetch_tlb_misses);
	code_skeletons(s, g->skeletons);
	for (size_t i = 0; i < sets && !s->in.bad; i++) {
		if (!s->out)
			*ARRAY_PUSH(g->sets, g->set_count, g->set_capacity) =
				(struct curve_set){.count = 0};
		code_set(s, &g->sets[i]);
	}
}

static void code_model(struct stream *s, struct model *model)
{
	size_t geometries = code_count(s, model->geometry_count, MANY);

	code_u64(s, &model->instructions);
	for (size_t i = 0; i < geometries && !s->in.bad; i++) {
		if (!s->out)
			*ARRAY_PUSH(model->geometries, model->geometry_count,
				    model->geometry_capacity) = (struct geometry){.set_count = 0};
		code_geometry(s, &model->geometries[i]);
	}
	s->in.bad |= reader_left(&s->in) != 0;
}

struct bytes kept_write(const struct model *model, const struct kept_key *key)
{
	struct bytes out = {0}, state = {0};
	struct stream body = {.out = &state}, whole = {.out = &out};
	struct kept_key copy = *key;

	/* Writing changes nothing of it. */
	code_model(&body, (struct model *)(uintptr_t)model);
	uint64_t bytes = state.count;
	uint32_t crc = crc32_add(0, state.bytes, state.count);
	char magic[] = MAGIC;
	code(&whole, magic, 8);
	code(&whole, copy.text, sizeof(copy.text));
	code_u64(&whole, &bytes);
	code(&whole, &crc, sizeof(crc));
	code(&whole, state.bytes, state.count);
	free(state.bytes);
	return out;
}

/* ---- using it ---- */

/* Moves skeletons to where a model needs them. */
static bool take_skeletons(struct skeleton_builder *to[SKELETON_KINDS],
			   struct skeleton_builder *from[SKELETON_KINDS], struct err *err)
{
	for (unsigned i = 0; i < SKELETON_KINDS; i++) {
		if (!to[i])
			continue;
		const struct skeleton_options *needed = &skeleton_builder_result(to[i])->options;
		const struct skeleton_options *has =
			from[i] ? &skeleton_builder_result(from[i])->options : NULL;

		if (!has)
			return err_set(err, "has no skeleton for this technique");
		if (needed->links && !has->links)
			return err_set(err, "was made without --explain");
		if (has->window_most < needed->window_most)
			return err_set(err, "was made for windows of %u instructions at most",
				       has->window_most);
		if (has->pending_hits != needed->pending_hits ||
		    has->store_fills_miss != needed->store_fills_miss ||
		    has->store_addresses != needed->store_addresses)
			return err_set(err, "is damaged: a skeleton is of another technique");
		skeleton_builder_destroy(to[i]);
		to[i] = from[i];
		from[i] = NULL;
	}
	return true;
}

static bool take_window(struct window_state *to, struct curve_set *from, struct err *err)
{
	for (size_t i = 0; i < from->count; i++) {
		struct window_state *has = &from->windows[i];

		if (has->rob_size != to->rob_size)
			continue;
		curve_destroy(to->curve);
		curve_destroy(to->mispredicting);
		to->curve = to->mispredicting = NULL;
		to->cycles = has->cycles;
		to->mispredicting_cycles = has->mispredicting_cycles;
		return take_skeletons(to->timelines, has->timelines, err);
	}
	return err_set(err, "has no base cycles for rob.size=%u", to->rob_size);
}

static bool take_set(struct curve_set *to, struct geometry *from, struct err *err)
{
	for (size_t i = 0; i < from->set_count; i++) {
		if (!curve_same_machine(&from->sets[i].config, &to->config))
			continue;
		for (size_t n = 0; n < to->count; n++)
			if (!take_window(&to->windows[n], &from->sets[i], err))
				return false;
		return true;
	}
	return err_set(err, "has no base cycles for these units, widths and latencies");
}

static bool take_geometry(struct geometry *to, struct model *kept, struct err *err)
{
	for (size_t i = 0; i < kept->geometry_count; i++) {
		struct geometry *from = &kept->geometries[i];

		if (!labeller_same_geometry(&from->config, &to->config))
			continue;
		to->mispredictions = from->mispredictions;
		memcpy(to->fetches, from->fetches, sizeof(to->fetches));
		to->fetch_tlb_misses = from->fetch_tlb_misses;
		for (size_t n = 0; n < to->set_count; n++)
			if (!take_set(&to->sets[n], from, err))
				return false;
		return take_skeletons(to->skeletons, from->skeletons, err);
	}
	return err_set(err, "was made for other caches, TLBs or predictors");
}

static bool open_kept(struct stream *s, const uint8_t *bytes, size_t count,
		      const struct kept_key *key, struct err *err)
{
	char magic[8];
	struct kept_key has;
	uint64_t size;
	uint32_t crc;

	*s = (struct stream){.in = reader_of(bytes, count)};
	code(s, magic, sizeof(magic));
	code(s, has.text, sizeof(has.text));
	code_u64(s, &size);
	code(s, &crc, sizeof(crc));
	s->is_before = memcmp(magic, MAGIC_BEFORE, sizeof(magic)) == 0;
	if (s->in.bad || (!s->is_before && memcmp(magic, MAGIC, sizeof(magic)) != 0))
		return err_set(err, "is no file of --save-skeleton");
	if (memcmp(has.text, key->text, KEPT_TRACE_BYTES) != 0)
		return err_set(err, "is of another trace");
	const size_t left = reader_left(&s->in);
	if (size != left)
		return err_set(err, "is damaged: %zu bytes follow byte %d, and %llu are expected",
			       left, HEADER_BYTES, (unsigned long long)size);
	if (crc != crc32_add(0, s->in.bytes + s->in.at, left))
		return err_set(err, "is damaged after byte %d: its check value differs",
			       HEADER_BYTES);
	return true;
}

bool kept_read(struct model *model, const uint8_t *bytes, size_t count, const struct kept_key *key,
	       const char *name, struct err *err)
{
	struct model *kept = mem_alloc(sizeof(*kept));
	struct stream s;
	bool ok = open_kept(&s, bytes, count, key, err);

	if (ok) {
		code_model(&s, kept);
		if (s.in.bad)
			ok = err_set(err, "is damaged after byte %d", HEADER_BYTES);
	}
	for (size_t i = 0; ok && i < model->geometry_count; i++)
		ok = take_geometry(&model->geometries[i], kept, err);
	model->instructions = kept->instructions;
	model_destroy(kept);
	if (ok)
		return true;
	struct err what = *err;
	return err_set(err, "%s %s; make it anew with --save-skeleton", name, what.text);
}
