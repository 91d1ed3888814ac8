/* The claims of danalis2017: each holds on an inspection made for it, and fails when that changes.
 */
#include "../test.h"
#include "base/array.h"
#include "papers/paper_danalis2017.h"
#include "value/member.h"

/* Slopes of the events of one category, on the points of the paper. */
struct row {
	const char *category;
	double plain, random, work, kernels[7];
};

static const struct row good[] = {
	{"conditional branches, executed", 2, 2.5, 2, {2, 2, 2, 2, 2.5, 2, 1}},
	{"conditional branches, retired", 2, 2, 2, {2, 2, 2, 2, 2, 2, 1}},
	{"conditional branches taken, retired", 1.5, 1.5, 1.5, {1.5, 1, 2, 1.5, 1.5, 1, 1}},
	{"direct jumps, retired", 0, 0, 0, {0, 0, 0, 0, 0, 1, 0}},
	{"branches mispredicted", 0, 0.5, 0.5, {0, 0, 0, 0.5, 0.5, 0, 0}},
	{"data cache reads, level 1, misses", 0, 0, 0, {0}},
};
#define ROWS ARRAY_COUNT(good)

/* What is not in the rows. */
struct others {
	double beyond_naive, below, above, in_order, offset;
};

static const struct others usual = {0.01, 0, 1, 1, 0.2};

static void set(json_t *slopes, const char *point, double value)
{
	json_object_set_new(slopes, point, json_real(value));
}

static json_t *event_of(const struct row *row, size_t code, const struct others *others)
{
	json_t *slopes = json_object();
	char point[32];

	set(slopes, "branch_plain", row->plain);
	set(slopes, "branch_random", row->random);
	set(slopes, "branch_random_work", row->work);
	for (int k = 0; k < 7; k++) {
		snprintf(point, sizeof(point), "branch_%c", 'a' + k);
		set(slopes, point, row->kernels[k]);
	}
	for (int k = 3; k <= 8; k++) {
		snprintf(point, sizeof(point), "branch_k:%d", k);
		set(slopes, point, 1.0 / k + others->beyond_naive);
	}
	set(slopes, "read:64:16384", others->below);
	set(slopes, "read:64:131072", others->above);
	set(slopes, "order:36864", others->in_order);
	set(slopes, "order:1:36864", others->offset);
	return json_pack("{s:i, s:i, s:s, s:s, s:[], s:f, s:f, s:o, s:{}}", "type", 4, "code",
			 (int)code, "name", "event", "verdict", row->category, "also", "confidence",
			 1.0, "margin", 1.0, "slopes", slopes, "plateaus");
}

static json_t *result_of(const struct row rows[ROWS], const struct others *others)
{
	json_t *events = json_array();
	struct config config;

	for (size_t i = 0; i < ROWS; i++)
		json_array_append_new(events, event_of(&rows[i], i, others));
	json_t *measured =
		json_pack("{s:{s:s, s:s, s:{s:i, s:i, s:[i, i], s:[i], s:[i], s:[i], s:b}, s:o}}",
			  "inspection", "schema", "cyclestack-inspect-1", "on", "sim", "machine",
			  "line_bytes", 64, "page_bytes", 4096, "data_bytes", 32768, 262144,
			  "instruction_bytes", 32768, "data_pages", 64, "instruction_pages", 64,
			  "tells_executed", 1, "events", events);
	assert_non_null(measured);
	config_reset(&config);
	assert_true(config_settle(&config, NULL));
	json_t *result = paper_result(&paper_danalis2017, "small", &config, measured, false);
	json_decref(measured);
	return result;
}

/* All claims hold but the one that is named. */
static void expect(const struct row rows[ROWS], const struct others *others, const char *wrong)
{
	json_t *result = result_of(rows, others), *claim;
	struct err err = {.text = ""};
	size_t i;

	if (!paper_check_result(&paper_danalis2017, result, &err))
		fail_msg("%s", err.text);
	assert_int_equal(json_array_size(json_object_get(result, "claims")), 8);
	json_array_foreach(json_object_get(result, "claims"), i, claim)
	{
		bool holds = json_is_true(json_object_get(claim, "holds"));

		if (holds != (strcmp(member_text(claim, "id"), wrong) != 0))
			fail_msg("%s: %s", wrong, member_text(claim, "id"));
	}
	json_decref(result);
}

TEST(every_claim_can_hold)
{
	expect(good, &usual, "none");
}

TEST(every_claim_can_fail)
{
	static const struct {
		size_t row;
		struct row with;
		const char *wrong;
	} changes[] = {
		{1, {.plain = 2, .random = 2.5, .work = 2}, "retired"},
		{4, {.plain = 0.2, .random = 0.5, .work = 0.5}, "mispredicted"},
		{0, {.plain = 2, .random = 2, .work = 2}, "executed"},
		{0, {.plain = 2.2, .random = 2.5, .work = 2}, "executed"},
		{0, {.plain = 1.8, .random = 2.5, .work = 2}, "executed"},
		{0, {.plain = 2, .random = 2.5, .work = 4}, "redundant-work"},
	};
	struct row rows[ROWS];
	struct others others = usual;

	for (size_t i = 0; i < ARRAY_COUNT(changes); i++) {
		struct row *row = &rows[changes[i].row];

		memcpy(rows, good, sizeof(good));
		row->plain = changes[i].with.plain;
		row->random = changes[i].with.random;
		row->work = changes[i].with.work;
		expect(rows, &usual, changes[i].wrong);
	}
	memcpy(rows, good, sizeof(good));
	rows[3].kernels[5] = 0;
	expect(rows, &usual, "table-1");
	others.beyond_naive = -0.01;
	expect(good, &others, "not-naive");
	others = usual;
	others.above = 0.8;
	expect(good, &others, "sharp");
	others = usual;
	others.offset = 0.9;
	expect(good, &others, "offset");
}

/* Where the paper has none, 0.05 is as near as it may be. */
TEST(claims_hold_at_their_limits)
{
	struct row rows[ROWS];
	struct others others = usual;

	memcpy(rows, good, sizeof(good));
	rows[3].kernels[0] = 0.05;
	rows[4].plain = 0.05;
	expect(rows, &usual, "none");
	rows[3].kernels[0] = 0.0501;
	expect(rows, &usual, "table-1");
	rows[3].kernels[0] = 0;
	rows[4].plain = 0.0501;
	expect(rows, &usual, "mispredicted");
	/* As many as if `not taken` were predicted always. */
	others.beyond_naive = 0;
	expect(good, &others, "not-naive");
	others = usual;
	others.below = 0.05;
	others.above = 0.95;
	expect(good, &others, "none");
	others.below = 0.0501;
	expect(good, &others, "sharp");
	others = usual;
	others.offset = 0.5;
	expect(good, &others, "offset");
}

/* Of several events of executed branches the one closest to execution is shown. */
TEST(the_fewest_executed_are_shown)
{
	struct row rows[ROWS];

	memcpy(rows, good, sizeof(good));
	rows[5] = rows[0];
	rows[0].random = 9;
	rows[0].work = 9;
	rows[0].kernels[4] = 9;
	json_t *result = result_of(rows, &usual), *claim;
	size_t i;
	json_array_foreach(json_object_get(result, "claims"), i, claim)
	{
		if (strcmp(member_text(claim, "id"), "redundant-work") == 0)
			assert_true(json_is_true(json_object_get(claim, "holds")));
	}
	json_decref(result);
}

TEST(every_figure_has_content)
{
	json_t *result = result_of(good, &usual);

	for (const struct paper_figure *f = paper_danalis2017.figures; f->id; f++) {
		struct doc doc;

		doc_init(&doc, "reproduce");
		paper_build(&doc, f, result);
		if (!doc.root.first)
			fail_msg("%s", f->id);
		doc_release(&doc);
	}
	json_decref(result);
}
