/* A set of observers: what it checks can fail, and what it hands out is that of the kind asked
 * for. */
#include "../test.h"
#include "base/array.h"
#include "machine/observer.h"

/* A kind whose stack and check are what a test says. */
static struct stack said;
static bool holds;

static void *create(const struct config *config, uint32_t slots)
{
	(void)config;
	(void)slots;
	return calloc(1, 1);
}

static void cycle(void *observer, const struct cycle *c)
{
	(void)observer;
	(void)c;
}

static void read_stack(const void *observer, uint64_t cycles, struct stack *stack)
{
	(void)observer;
	(void)cycles;
	*stack = said;
}

static bool check(const void *observer, uint64_t cycles, struct err *err)
{
	(void)observer;
	(void)cycles;
	return holds || err_set(err, "it does not hold");
}

static uint64_t bits(const struct config *config)
{
	(void)config;
	return 77;
}

static void describe(const struct observer_kind *kind, void *observer, json_t *result)
{
	(void)observer;
	json_object_set_new(observer_member(result, "found"), kind->name, json_integer(5));
}

static const struct observer_kind charging = {.name = "charging",
					      .charges_base = true,
					      .create = create,
					      .cycle = cycle,
					      .read = read_stack,
					      .bits = bits,
					      .destroy = free};
static const struct observer_kind deriving = {
	.name = "deriving", .create = create, .cycle = cycle, .read = read_stack, .destroy = free};
static const struct observer_kind viewing = {.name = "viewing",
					     .create = create,
					     .cycle = cycle,
					     .check = check,
					     .describe = describe,
					     .destroy = free};

static struct config machine(unsigned levels)
{
	struct config config;

	config_reset(&config);
	config.cache_levels = levels;
	return config;
}

/* No cycle has been seen, so components must add up to 0. */
static void expect(const struct observer_kind *kind, unsigned levels, struct stack stack,
		   const char *sentence)
{
	const struct observer_kind *kinds[] = {&viewing, kind, NULL};
	struct config config = machine(levels);
	struct observers *set = observers_create(&config, kinds);
	struct err err = {.text = ""};

	said = stack;
	holds = true;
	assert_int_equal(observers_check(set, &err), !*sentence);
	assert_string_equal(err.text, sentence);
	observers_destroy(set);
}

TEST(stacks_that_cannot_be_are_noticed)
{
	expect(&charging, 2, (struct stack){{0}}, "");
	expect(&charging, 2, (struct stack){{[COMPONENT_BASE] = 3}},
	       "internal error: the components of charging add up to 3 instead of 0; please report "
	       "this");
	/* The base may be negative only if it is what is left. */
	const struct stack negative = {{[COMPONENT_BASE] = -3, [COMPONENT_L1D] = 3}};
	expect(&deriving, 2, negative, "");
	expect(&charging, 2, negative,
	       "internal error: charging charges -3 cycles to base; please report this");
	expect(&deriving, 2, (struct stack){{[COMPONENT_BASE] = 4, [COMPONENT_L1D] = -4}},
	       "internal error: deriving charges -4 cycles to l1d; please report this");
	/* A machine without an L3, page walks and a channel that can be busy. */
	static const enum component absent[] = {COMPONENT_L3I, COMPONENT_L3D, COMPONENT_WALK,
						COMPONENT_BANDWIDTH};
	for (size_t i = 0; i < ARRAY_COUNT(absent); i++) {
		struct stack stack = {{[COMPONENT_BASE] = -1}};
		char sentence[160];

		stack.cycles[absent[i]] = 1;
		snprintf(sentence, sizeof(sentence),
			 "internal error: deriving charges cycles to %s, which this machine does "
			 "not have; please report this",
			 component_rows[absent[i]].name);
		expect(&deriving, 2, stack, sentence);
	}
	expect(&deriving, 3, (struct stack){{[COMPONENT_BASE] = -1, [COMPONENT_L3D] = 1}}, "");
}

TEST(a_kinds_own_check_is_asked)
{
	const struct observer_kind *kinds[] = {&charging, &viewing, NULL};
	struct config config = machine(2);
	struct observers *set = observers_create(&config, kinds);
	struct err err = {.text = ""};

	said = (struct stack){{0}};
	holds = false;
	assert_false(observers_check(set, &err));
	assert_string_equal(err.text, "it does not hold");
	holds = true;
	assert_true(observers_check(set, &err));
	observers_destroy(set);
	observers_destroy(NULL);
}

TEST(machines_have_the_components_of_their_parts)
{
	struct config config = machine(1);

	assert_false(observer_has_component(&config, COMPONENT_WALK));
	config.tlb_miss = TLB_MISS_WALK;
	assert_true(observer_has_component(&config, COMPONENT_WALK));
	assert_false(observer_has_component(&config, COMPONENT_BANDWIDTH));
	config.memory_line = 1;
	assert_true(observer_has_component(&config, COMPONENT_BANDWIDTH));
	config.memory_line = 0;
	config.memory_kind = MEMORY_DRAM;
	assert_true(observer_has_component(&config, COMPONENT_BANDWIDTH));
	assert_false(observer_has_component(&config, COMPONENT_L2D));
	assert_true(observer_has_component(&config, COMPONENT_L1D));
}

static json_int_t number(json_t *object, const char *name)
{
	assert_true(json_is_integer(json_object_get(object, name)));
	return json_integer_value(json_object_get(object, name));
}

TEST(a_result_has_what_each_kind_found)
{
	const struct observer_kind *kinds[] = {&charging, &deriving, &viewing, NULL};
	struct config config = machine(2);
	struct observers *set = observers_create(&config, kinds);
	json_t *result = json_object();
	struct stack stack;

	said = (struct stack){{[COMPONENT_BASE] = 11, [COMPONENT_L2D] = 22}};
	observers_describe(set, result);
	json_t *stacks = json_object_get(result, "stacks");
	assert_int_equal(json_object_size(stacks), 2);
	json_t *components = json_object_get(json_object_get(stacks, "charging"), "components");
	assert_int_equal(number(components, "base"), 11);
	assert_int_equal(number(components, "l2d"), 22);
	assert_int_equal(number(components, "l1d"), 0);
	assert_null(json_object_get(components, "l3d"));
	assert_null(json_object_get(components, "walk"));
	assert_int_equal(number(json_object_get(stacks, "charging"), "bits"), 77);
	assert_true(json_is_null(json_object_get(json_object_get(stacks, "deriving"), "bits")));
	assert_int_equal(number(json_object_get(result, "found"), "viewing"), 5);

	assert_true(observers_read(set, &charging, &stack));
	assert_int_equal(stack.cycles[COMPONENT_L2D], 22);
	assert_false(observers_read(set, &viewing, &stack));
	assert_non_null(observers_find(set, &viewing));
	assert_ptr_not_equal(observers_find(set, &charging), observers_find(set, &deriving));
	assert_int_equal(observers_cycles(set), 0);
	observers_destroy(set);
	set = observers_create(&config, kinds + 1);
	assert_null(observers_find(set, &charging));
	assert_false(observers_read(set, &charging, &stack));
	observers_destroy(set);
	json_decref(result);
}
