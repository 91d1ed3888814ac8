/* The claims of Chen and Aamodt, tested with made-up measurements in which they hold or fail. */
#include "../test.h"
#include "papers/paper_chen2008.h"

/* Two programs, and the mean errors that the paper states. */
static json_t *as_published(void)
{
	static const char *const text =
		"{'misses': {'programs': ["
		" {'name': '@netflow:test', 'misses_per_1000': 90.1, 'errors': {"
		"  'plain_with_none': {'unlimited': 0.01}, 'plain_with_quarter': {'unlimited': -0.2},"
		"  'plain_with_half': {'unlimited': -0.3}, 'plain_with_three_quarters':"
		"  {'unlimited': -0.4}, 'plain_with_full': {'unlimited': -0.5}}},"
		" {'name': '@lattice:test', 'misses_per_1000': 17.5, 'errors': {"
		"  'plain_with_none': {'unlimited': 0.9}, 'plain_with_quarter': {'unlimited': 0.7},"
		"  'plain_with_half': {'unlimited': 0.5}, 'plain_with_three_quarters':"
		"  {'unlimited': 0.3}, 'plain_with_full': {'unlimited': 0.1}}}],"
		" 'summary': {'mean_error_unlimited': {'plain_without_none': 0.712,"
		"  'plain_with_none': 0.665, 'plain_without_distance': 0.397,"
		"  'plain_with_distance': 0.293, 'swam': 0.103},"
		"  'mean_error_mshrs_16': {'plain_unaware': 0.326, 'plain_with_distance': 0.26,"
		"   'swam': 0.098, 'swam_mlp': 0.093},"
		"  'mean_error_mshrs_8': {'plain_unaware': 0.324, 'plain_with_distance': 0.239,"
		"   'swam': 0.128, 'swam_mlp': 0.092}}}}";
	char *json = strdup(text);

	for (char *p = json; *p; p++)
		if (*p == '\'')
			*p = '"';
	json_t *result = json_loads(json, 0, NULL);
	free(json);
	assert_non_null(result);
	return result;
}

static bool holds(const json_t *result, const char *id)
{
	json_t *claims = paper_claims(&paper_chen2008, result), *claim;
	bool found = false, is_true = false;
	size_t i;

	json_array_foreach(claims, i, claim)
	{
		if (strcmp(json_string_value(json_object_get(claim, "id")), id) != 0)
			continue;
		found = true;
		is_true = json_is_true(json_object_get(claim, "holds"));
	}
	json_decref(claims);
	assert_true(found);
	return is_true;
}

TEST(all_hold_as_published)
{
	json_t *result = as_published(), *claims = paper_claims(&paper_chen2008, result), *claim;
	size_t i;

	json_array_foreach(claims, i, claim)
	{
		if (!json_is_true(json_object_get(claim, "holds")))
			fail_msg("%s", json_string_value(json_object_get(claim, "id")));
	}
	assert_int_equal(json_array_size(claims), 11);
	json_decref(claims);
	json_decref(result);
}

/* Sets the number at "a.b.c" of the measurements. */
static void set(json_t *result, const char *where, const char *means, const char *name,
		double value)
{
	json_t *object = json_object_get(json_object_get(result, "misses"), where);

	json_object_set_new(json_object_get(object, means), name, json_real(value));
}

TEST(each_can_fail)
{
	static const struct {
		const char *claim, *means, *name;
		double value;
	} rows[] = {
		{"pending", "mean_error_unlimited", "plain_with_none", 0.72},
		{"pending-distance", "mean_error_unlimited", "plain_with_distance", 0.4},
		{"distance", "mean_error_unlimited", "plain_with_distance", 0.7},
		{"swam", "mean_error_unlimited", "swam", 0.3},
		{"swam-mean", "mean_error_unlimited", "swam", 0.104},
		{"order-16", "mean_error_mshrs_16", "swam", 0.27},
		{"order-8", "mean_error_mshrs_8", "plain_unaware", 0.2},
		{"mean-16", "mean_error_mshrs_16", "swam_mlp", 0.094},
		{"mean-8", "mean_error_mshrs_8", "swam_mlp", 0.093},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *result = as_published();

		set(result, "summary", rows[i].means, rows[i].name, rows[i].value);
		assert_false(holds(result, rows[i].claim));
		json_decref(result);
	}
	json_t *result = as_published();
	json_t *programs = json_object_get(json_object_get(result, "misses"), "programs");
	json_object_set_new(json_array_get(programs, 1), "misses_per_1000", json_real(9.9));
	assert_false(holds(result, "rates"));
	json_object_set(json_array_get(programs, 1), "errors",
			json_object_get(json_array_get(programs, 0), "errors"));
	assert_false(holds(result, "no-fixed"));
	json_decref(result);
}
