/*
 * sample.h - results of `run` for the tests of the reports: random, but with the properties of
 * real results (slots add up from lines to functions to the run, stacks to the cycles). Names are
 * long, empty, not ASCII and hostile; `scale` makes the numbers small or huge.
 */
#ifndef TESTS_REPORT_SAMPLE_H
#define TESTS_REPORT_SAMPLE_H

#include "../test.h"

#include <jansson.h>

#include "base/array.h"
#include "base/rng.h"
#include "value/component.h"
#include "doc/terminal.h"

#define SAMPLE_WIDTH 4 /* slots per cycle */

static const char *const sample_names[] = {
	"main",
	"sort_records",
	"_ZN4base9allocator8allocateEmmRKNS_6policyEPKcS5_NS_4flagILi3EEENS_4flagILi4EEE",
	"gr\303\266\303\237e_\346\227\245\346\234\254_und_noch_viel_l\303\244nger_als_das",
	"two;frames\nand a line",
	"quote\"d, with comma",
	"\033[31mred\033[0m",
	"(7) looks like a number",
	"",
};

struct sample {
	struct rng rng;
	int64_t scale;
	unsigned levels;
};

static inline int64_t sample_number(struct sample *s)
{
	return (int64_t)(rng_below(&s->rng, (uint64_t)s->scale));
}

static inline bool sample_has_cause(const struct sample *s, int cause)
{
	if (cause == CAUSE_L2I || cause == CAUSE_L2D)
		return s->levels >= 2;
	if (cause == CAUSE_L3I || cause == CAUSE_L3D)
		return s->levels >= 3;
	return true;
}

/* Slots by cause as JSON, without zeros. */
static inline json_t *sample_slots(const int64_t slots[CAUSE_COUNT])
{
	json_t *object = json_object();

	for (int i = 0; i < CAUSE_COUNT; i++)
		if (slots[i])
			json_object_set_new(object, cause_rows[i].name, json_integer(slots[i]));
	return object;
}

static inline void sample_add(int64_t sum[CAUSE_COUNT], const int64_t more[CAUSE_COUNT])
{
	for (int i = 0; i < CAUSE_COUNT; i++)
		sum[i] += more[i];
}

static inline json_t *sample_function(struct sample *s, size_t number, int64_t whole[CAUSE_COUNT])
{
	int64_t sum[CAUSE_COUNT] = {0}, executed = 0;
	const char *file = number % 4 == 3 ? "" : number % 4 == 2 ? "lib/in;line.h" : "src/sort.c";
	json_t *lines = json_array();
	char name[32];

	for (int64_t k = 0; k < 1 + (int64_t)(number % 5); k++) {
		int64_t slots[CAUSE_COUNT] = {0}, times = sample_number(s);

		for (int i = 0; i < CAUSE_COUNT; i++)
			if (sample_has_cause(s, i) && rng_next(&s->rng) % 3)
				slots[i] = sample_number(s);
		sample_add(sum, slots);
		executed += times;
		json_array_append_new(
			lines,
			json_pack("{s:s, s:I, s:I, s:o}", "file",
				  k % 3 == 2 ? "include/list.h" : file, "line",
				  (json_int_t)(*file ? 10 * (int64_t)number + k + 1 : 0),
				  "executed", (json_int_t)times, "slots", sample_slots(slots)));
	}
	sample_add(whole, sum);
	snprintf(name, sizeof(name), "function_%zu", number);
	return json_pack("{s:s, s:s, s:I, s:I, s:o, s:o}", "name",
			 number < ARRAY_COUNT(sample_names) ? sample_names[number] : name, "file",
			 file, "line", (json_int_t)(*file ? 10 * number : 0), "executed",
			 (json_int_t)executed, "slots", sample_slots(sum), "lines", lines);
}

static inline json_t *sample_components(const struct stack *cycles, unsigned levels)
{
	json_t *object = json_object();

	for (int i = 0; i < COMPONENT_COUNT; i++) {
		bool l2 = i == COMPONENT_L2I || i == COMPONENT_L2D,
		     l3 = i == COMPONENT_L3I || i == COMPONENT_L3D;

		if ((!l2 || levels >= 2) && (!l3 || levels >= 3))
			json_object_set_new(object, component_rows[i].name,
					    json_integer(cycles->cycles[i]));
	}
	return object;
}

/* Stacks of all methods; one of them has a negative base. */
static inline json_t *sample_stacks(const struct sample *s, const struct stack *exact,
				    int64_t cycles)
{
	static const char *const names[] = {"naive", "naive-nonspec", "power5",
					    "fmt",   "fmt-published", "sfmt"};
	json_t *stacks = json_object();

	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		struct stack other = *exact;

		if (i == 0) {
			other.cycles[COMPONENT_BRANCH] += other.cycles[COMPONENT_BASE] + cycles;
			other.cycles[COMPONENT_BASE] = -cycles;
		}
		json_object_set_new(stacks, names[i],
				    json_pack("{s:o, s:I}", "components",
					      sample_components(&other, s->levels), "bits",
					      (json_int_t)(1000 * i)));
	}
	json_object_set_new(
		stacks, "exact",
		json_pack("{s:o, s:n}", "components", sample_components(exact, s->levels), "bits"));
	return stacks;
}

static inline json_t *sample_annotation(const json_t *function)
{
	static const char *const texts[] = {"addi a0,a0,1", "ld a5,-1976(s0)",
					    "bne a5,a4,0x10430 <sort_records+0x120>"};
	json_t *list = json_array(), *lines = json_object_get(function, "lines");

	for (size_t i = 0; i < json_array_size(lines); i++) {
		json_t *line = json_array_get(lines, i);
		char pc[32];

		snprintf(pc, sizeof(pc), "0x%zx", 0x10436 + 4 * i);
		json_array_append_new(list, json_pack("{s:s, s:s, s:O, s:O, s:O, s:O}", "pc", pc,
						      "text", texts[i % ARRAY_COUNT(texts)], "file",
						      json_object_get(line, "file"), "line",
						      json_object_get(line, "line"), "executed",
						      json_object_get(line, "executed"), "slots",
						      json_object_get(line, "slots")));
	}
	return json_pack("{s:O, s:o}", "function", json_object_get(function, "name"),
			 "instructions", list);
}

/* The caller owns the result. */
static inline json_t *sample_result(uint64_t seed, int64_t scale, unsigned levels, size_t functions)
{
	struct sample s = {.rng = {seed}, .scale = scale, .levels = levels};
	int64_t whole[CAUSE_COUNT] = {0}, half[CAUSE_COUNT], total = 0, executed = 0;
	json_t *list = json_array(), *threads = json_array(), *intervals = json_array();
	struct stack exact;

	for (size_t i = 0; i < functions; i++)
		json_array_append_new(list, sample_function(&s, i, whole));
	for (size_t i = 0; i < functions; i++)
		executed +=
			json_integer_value(json_object_get(json_array_get(list, i), "executed"));
	for (int i = 0; i < CAUSE_COUNT; i++) {
		total += whole[i];
		half[i] = whole[i] / 2;
	}
	int64_t missing = (SAMPLE_WIDTH - total % SAMPLE_WIDTH) % SAMPLE_WIDTH;
	whole[CAUSE_BASE] += missing; /* the reports add a function for it */
	int64_t cycles = (total + missing) / SAMPLE_WIDTH;
	stack_roll_up(&exact, whole, levels);
	for (int i = 0; i < COMPONENT_COUNT; i++)
		exact.cycles[i] /= SAMPLE_WIDTH;
	exact.cycles[COMPONENT_BASE] += cycles - stack_sum(&exact);
	for (int i = 0; i < 2; i++)
		json_array_append_new(
			threads, json_pack("{s:i, s:o}", "id", i + 1, "slots", sample_slots(half)));
	for (int64_t i = 0; i < 60; i++) {
		int64_t part[CAUSE_COUNT], sum = 0;

		for (int k = 0; k < CAUSE_COUNT; k++)
			sum += part[k] = whole[k] / 120 * (1 + i % 2);
		json_array_append_new(intervals, json_pack("{s:I, s:I, s:o}", "instructions",
							   (json_int_t)(executed / 60), "cycles",
							   (json_int_t)(sum / SAMPLE_WIDTH),
							   "slots", sample_slots(part)));
	}
	total += missing;
	json_t *result = json_pack(
		"{s:s, s:{s:s, s:[s, s], s:s}, s:{s:s, s:[s], s:s}, s:i, s:b, s:i, s:{s:I, s:I, s:i}}",
		"schema", "cyclestack-run-2", "program", "name", "sort;er", "arguments", "-n",
		"two words\n", "sha256", "00112233445566778899", "configuration", "name",
		"eyerman2006", "changes", "rob.size=256", "sha256", "aabbccddeeff00112233",
		"skipped_instructions", 0, "partial", 0, "status", 0, "values", "cycles",
		(json_int_t)cycles, "instructions", (json_int_t)executed, "l1d.misses", 7);
	json_object_set_new(result, "stacks", sample_stacks(&s, &exact, cycles));
	json_object_set_new(result, "topdown",
			    json_pack("{s:i, s:{s:I, s:I}, s:{s:I, s:I}}", "slots_per_cycle",
				      SAMPLE_WIDTH, "level1", "retiring", (json_int_t)(total / 2),
				      "backend_bound", (json_int_t)(total - total / 2), "level2",
				      "memory_bound", (json_int_t)(total / 4), "core_bound",
				      (json_int_t)(total / 8)));
	json_object_set_new(result, "stages",
			    json_pack("{s:o, s:o}", "dispatch", sample_components(&exact, levels),
				      "commit", sample_components(&exact, levels)));
	json_object_set_new(result, "annotation", sample_annotation(json_array_get(list, 4)));
	json_object_set_new(result, "exact",
			    json_pack("{s:i, s:o, s:o, s:o, s:o}", "slots_per_cycle", SAMPLE_WIDTH,
				      "causes", sample_slots(whole), "functions", list, "threads",
				      threads, "intervals", intervals));
	assert_non_null(result);
	return result;
}

/* Reads a temporary file back and closes it. The caller owns the text. */
static inline char *sample_read(FILE *out)
{
	long bytes = ftell(out);
	char *text = mem_alloc((size_t)bytes + 1);

	assert_true(bytes >= 0);
	rewind(out);
	assert_int_equal(fread(text, 1, (size_t)bytes, out), bytes);
	fclose(out);
	return text;
}

/* Total slots of the run. */
static inline int64_t sample_total(const json_t *result)
{
	json_t *causes = json_object_get(json_object_get(result, "exact"), "causes"), *value;
	const char *name;
	int64_t total = 0;

	json_object_foreach(causes, name, value) total += json_integer_value(value);
	return total;
}

#endif
