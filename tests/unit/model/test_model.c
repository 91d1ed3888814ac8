/* The whole model on real programs: labels count what the measuring run counts, points do not
 * depend on each other, and the terms are what their parts say. */
#include "../test.h"
#include "base/array.h"
#include "base/crc32.h"
#include "base/rng.h"
#include "image/image.h"
#include "job/model_explain.h"
#include "model/kept.h"
#include "model/model.h"
#include "measure/measure.h"
#include "trace/record.h"

#define PREFIX 400000 /* instructions */

struct loaded {
	uint8_t *image;
	size_t bytes;
};

static struct loaded load(const char *name)
{
	const char *build = getenv("BUILD");
	struct loaded loaded = {0};
	char path[512];
	struct err err;

	snprintf(path, sizeof(path), "%s/workloads/%s", build ? build : "build", name);
	loaded.image = image_read(path, &loaded.bytes, &err);
	return loaded;
}

static struct process *start(const struct loaded *loaded, const char *const *argv)
{
	const struct process_options options = {.program = argv[0],
						.image = loaded->image,
						.image_bytes = loaded->bytes,
						.argv = argv,
						.seed = 1,
						.memory_limit_bytes = UINT64_C(1) << 30,
						.silent = true};
	struct err err;
	struct process *process = process_create(&options, &err);

	assert_non_null(process);
	return process;
}

static struct config machine(uint32_t rob_size, uint32_t mshrs, uint32_t l2_bytes)
{
	struct config config;

	config_reset(&config);
	config.rob_size = rob_size;
	config.l2_mshrs = mshrs;
	config.l2_size = l2_bytes;
	return config;
}

struct split {
	struct model *model;
	size_t most;
};

static bool add_in_parts(void *context, const struct trace_step *steps, size_t count)
{
	struct split *split = context;

	for (size_t i = 0; i < count; i += split->most)
		model_add(split->model, steps + i,
			  count - i < split->most ? count - i : split->most);
	return true;
}

static const struct technique techniques[2] = {
	{.windows = WINDOWS_SWAM_MLP,
	 .compensation = COMPENSATION_DISTANCE,
	 .pending_hits = true,
	 .mshr_aware = true,
	 .store_fills_miss = true},
	{.windows = WINDOWS_TIMELINE,
	 .pending_hits = true,
	 .mshr_aware = true,
	 .store_fills_miss = true,
	 .store_addresses = true,
	 .store_mshrs = true,
	 .base_times = true},
};

static struct model *run(const struct loaded *loaded, const char *name, const struct config *points,
			 size_t count, size_t part, uint64_t most)
{
	const char *const argv[] = {name, "test", NULL};
	struct process *process = start(loaded, argv);
	struct recorder *recorder = recorder_create(process);
	struct err err = {.text = ""};
	struct split split = {model_create(points, count, techniques, 2, true, &err), part};

	assert_non_null(split.model);
	assert_true(recorder_run(recorder, most, add_in_parts, &split));
	recorder_destroy(recorder);
	process_destroy(process);
	return split.model;
}

TEST(labels_count_what_the_measuring_run_counts)
{
	static const char *const names[] = {"netflow", "heapsort", "chess"};

	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		const char *const argv[] = {names[i], "test", NULL};
		struct loaded loaded = load(names[i]);
		const struct config config = machine(128, UNLIMITED, 131072);
		struct measurement measured;
		struct model_events events;
		struct err err;

		if (!loaded.image)
			skip();
		struct process *process = start(&loaded, argv);
		assert_true(measure_run(process, &config, &config, NULL, NULL, &measured, &err));
		process_destroy(process);
		struct model *model = run(&loaded, names[i], &config, 1, 1000, INT64_MAX);
		model_events(model, 0, &events);
		assert_int_equal(model_instructions(model), measured.instructions);
		assert_int_equal(events.mispredictions, measured.mispredictions);
		assert_int_equal(events.fetch_misses, measured.l1i_misses);
		assert_int_equal(events.store_misses, measured.long_misses - measured.long_loads);
		/* Loads of blocks that stores fetch are misses of the technique only. */
		uint64_t loads = 0;
		const struct skeleton *skeleton = model_skeleton(model, 0, 0);
		for (size_t k = 0; k < skeleton->count; k++)
			loads += !skeleton->distances[skeleton->misses[k].first];
		assert_int_equal(loads, measured.long_loads);
		model_destroy(model);
		free(loaded.image);
	}
}

TEST(a_point_is_what_it_is_alone)
{
	const struct config points[] = {machine(64, 4, 131072), machine(256, UNLIMITED, 131072),
					machine(64, 4, 1048576), machine(1024, 16, 131072)};
	struct loaded loaded = load("netflow");

	if (!loaded.image)
		skip();
	struct model *all = run(&loaded, "netflow", points, ARRAY_COUNT(points), 777, PREFIX);
	assert_int_equal(model_labellings(all), 2);
	for (size_t i = 0; i < ARRAY_COUNT(points); i++) {
		struct model *one = run(&loaded, "netflow", &points[i], 1, 1, PREFIX);
		struct model_components a, b;
		struct technique_result x, y;

		for (size_t t = 2; t-- > 0;) {
			model_evaluate(all, i, t, &a, &x, NULL);
			model_evaluate(one, 0, t, &b, &y, NULL);
			assert_memory_equal(&a, &b, sizeof(a));
			assert_memory_equal(&x, &y, sizeof(x));
		}
		assert_float_equal(a.cpi, a.base + a.branch + a.icache + a.dmiss, 1e-12);
		assert_true(a.base >= 1.0 / points[i].dispatch_width);
		model_evaluate(one, 0, 1, &b, &y, NULL);
		assert_true(b.dmiss > 0 && b.dmiss < 3 * a.dmiss + 1);
		json_t *explanation = model_explain(one, 0, 1, &technique_timeline, NULL);
		assert_int_equal(json_array_size(json_object_get(explanation, "windows")), 10);
		json_decref(explanation);
		model_destroy(one);
	}
	model_destroy(all);
	free(loaded.image);
}

/* A model that was kept and read answers as the one that has read the trace. */
TEST(what_was_kept_answers_the_same)
{
	const struct config points[] = {machine(64, 4, 131072), machine(256, UNLIMITED, 131072),
					machine(64, 4, 1048576)};
	const struct kept_key key = {"a trace"};
	struct loaded loaded = load("netflow");
	struct err err = {.text = ""};

	if (!loaded.image)
		skip();
	struct model *model = run(&loaded, "netflow", points, ARRAY_COUNT(points), 777, 20000);
	struct bytes bytes = kept_write(model, &key);
	struct model *again = model_create(points, ARRAY_COUNT(points), techniques, 2, true, &err);
	assert_true(kept_read(again, bytes.bytes, bytes.count, &key, "kept", &err));
	for (size_t i = 0; i < ARRAY_COUNT(points); i++)
		for (size_t t = 0; t < 2; t++) {
			struct model_components a, b;
			struct technique_result x, y;

			model_evaluate(model, i, t, &a, &x, NULL);
			model_evaluate(again, i, t, &b, &y, NULL);
			assert_true(a.dmiss > 0);
			assert_memory_equal(&a, &b, sizeof(a));
			assert_memory_equal(&x, &y, sizeof(x));
		}
	struct bytes twice = kept_write(again, &key);
	assert_int_equal(twice.count, bytes.count);
	assert_memory_equal(twice.bytes, bytes.bytes, bytes.count);
	free(twice.bytes);
	free(bytes.bytes);
	model_destroy(model);
	model_destroy(again);
	free(loaded.image);
}

#define KEPT_TOOL  (8 + KEPT_TRACE_BYTES) /* which version wrote it is only told */
#define KEPT_CRC   112
#define KEPT_STATE 116

static void use_if_sound(const struct config *config, const struct bytes *bytes,
			 const struct kept_key *key, bool *is_taken)
{
	struct err err = {.text = ""};
	struct model *model = model_create(config, 1, &technique_timeline, 1, true, &err);
	struct model_components components;
	struct technique_result result;

	*is_taken = kept_read(model, bytes->bytes, bytes->count, key, "kept", &err);
	assert_true(*is_taken || strlen(err.text) > 10);
	if (*is_taken) {
		model_evaluate(model, 0, 0, &components, &result, NULL);
		json_decref(model_explain(model, 0, 0, &technique_timeline, NULL));
	}
	model_destroy(model);
}

/* What a model kept is read back or refused; bytes changed on purpose, their check value put right,
 * do no harm. */
TEST(a_damaged_state_is_refused_or_harmless)
{
	const struct config config = machine(128, UNLIMITED, 131072);
	struct rng rng = {5};
	struct kept_key key = {"a trace"}, other = {"another"};
	struct loaded loaded = load("netflow");
	bool is_taken;

	if (!loaded.image)
		skip();
	struct model *model = run(&loaded, "netflow", &config, 1, 777, 20000);
	struct bytes bytes = kept_write(model, &key);
	model_destroy(model);
	use_if_sound(&config, &bytes, &key, &is_taken);
	assert_true(is_taken);
	use_if_sound(&config, &bytes, &other, &is_taken);
	assert_false(is_taken);
	for (unsigned i = 0; i < 600; i++) {
		size_t at = i < 300 ? i : rng_below(&rng, bytes.count);
		uint8_t before = bytes.bytes[at];
		uint32_t crc;

		bytes.bytes[at] ^= (uint8_t)(1U << rng_below(&rng, 8));
		use_if_sound(&config, &bytes, &key, &is_taken);
		assert_int_equal(is_taken, at >= KEPT_TOOL && at < 8 + KEPT_KEY_BYTES);
		crc = crc32_add(0, bytes.bytes + KEPT_STATE, bytes.count - KEPT_STATE);
		uint32_t old;
		memcpy(&old, bytes.bytes + KEPT_CRC, sizeof(old));
		memcpy(bytes.bytes + KEPT_CRC, &crc, sizeof(crc));
		use_if_sound(&config, &bytes, &key, &is_taken);
		memcpy(bytes.bytes + KEPT_CRC, &old, sizeof(old));
		bytes.bytes[at] = before;
	}
	for (size_t cut = 0; cut < bytes.count; cut += 1 + cut / 8) {
		struct bytes part = {bytes.bytes, cut, cut};

		use_if_sound(&config, &part, &key, &is_taken);
		assert_false(is_taken);
	}
	free(bytes.bytes);
	free(loaded.image);
}

TEST(a_machine_that_cannot_be_modelled_is_refused)
{
	struct config config = machine(64, 4, 131072);
	struct err err;

	config.core_kind = CORE_INORDER;
	assert_null(model_create(&config, 1, &technique_default, 1, false, &err));
	config = machine(64, 4, 131072);
	struct model *model = model_create(&config, 1, &technique_default, 1, false, &err);
	struct model_components components;
	struct technique_result result;

	/* Nothing executed, nothing lost. */
	model_evaluate(model, 0, 0, &components, &result, NULL);
	assert_true(components.cpi == 0 && result.misses == 0);
	model_destroy(model);
}
