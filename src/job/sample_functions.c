#include "job/sample_functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "job/origin.h"

#define FUNCTIONS_SHOWN 100
#define LEAST_SHARE	0.001

/* Slots that a function has in a slice. */
struct charged {
	uint32_t slice, function, slots;
};

/* An instruction, by the number of its row: its function plus 1, and its slots until now. */
struct seen {
	uint32_t function;
	uint64_t slots;
};

struct sample_functions {
	struct process *process;
	struct libraries libraries;
	struct origin *functions;
	uint64_t *slots; /* of each, in the slice that ends */
	size_t count, capacity, slot_capacity;
	struct seen *seen;
	size_t seen_count;
	struct charged *charged;
	size_t charged_count, charged_capacity;
	uint32_t slice;
};

struct sample_functions *sample_functions_create(struct process *process)
{
	struct sample_functions *f = mem_alloc(sizeof(*f));

	f->process = process;
	return f;
}

void sample_functions_destroy(struct sample_functions *f)
{
	if (!f)
		return;
	libraries_release(&f->libraries);
	free(f->functions);
	free(f->slots);
	free(f->seen);
	free(f->charged);
	free(f);
}

/* The number of the function of an instruction. */
static uint32_t find_function(struct sample_functions *f, uint64_t pc)
{
	const struct origin origin = origin_of_function(&f->libraries, f->process, pc);

	for (size_t i = 0; i < f->count; i++)
		if (origin_same_function(&f->functions[i], &origin))
			return (uint32_t)i;
	*ARRAY_PUSH(f->functions, f->count, f->capacity) = origin;
	if (f->count > f->slot_capacity) {
		f->slots = mem_realloc(f->slots, f->capacity, sizeof(*f->slots));
		f->slot_capacity = f->capacity;
	}
	f->slots[f->count - 1] = 0;
	return (uint32_t)f->count - 1;
}

static uint64_t total(const uint64_t *slots)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		sum += slots[i];
	return sum;
}

static void make_room(struct sample_functions *f, size_t rows)
{
	if (rows <= f->seen_count)
		return;
	f->seen = mem_realloc(f->seen, rows, sizeof(*f->seen));
	memset(f->seen + f->seen_count, 0, (rows - f->seen_count) * sizeof(*f->seen));
	f->seen_count = rows;
}

void sample_functions_end_slice(struct sample_functions *f, struct exact *exact)
{
	size_t count;
	const struct ledger_row *rows = exact_charged_rows(exact, &count);

	make_room(f, count);
	for (size_t i = 0; i < count; i++) {
		struct seen *seen = &f->seen[i];
		const uint64_t slots = total(rows[i].slots);

		if (slots == seen->slots)
			continue;
		if (!seen->function)
			seen->function = find_function(f, rows[i].pc) + 1;
		f->slots[seen->function - 1] += slots - seen->slots;
		seen->slots = slots;
	}
	for (size_t i = 0; i < f->count; i++) {
		if (!f->slots[i])
			continue;
		*ARRAY_PUSH(f->charged, f->charged_count, f->charged_capacity) =
			(struct charged){f->slice, (uint32_t)i, (uint32_t)f->slots[i]};
		f->slots[i] = 0;
	}
	f->slice++;
}

static int by_function(const void *left, const void *right)
{
	const struct charged *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return (a->slice > b->slice) - (a->slice < b->slice);
}

struct estimated {
	size_t function;
	struct sample_estimate slots;
};

static int by_value(const void *left, const void *right)
{
	const struct estimated *a = left, *b = right;

	if (a->slots.value != b->slots.value)
		return a->slots.value < b->slots.value ? 1 : -1;
	return (a->function > b->function) - (a->function < b->function);
}

/* The slots of every function in the whole program; returns their sum. */
static double estimate_all(const struct sample_functions *f, const struct sample_units *slices,
			   struct estimated *estimates)
{
	struct charged *charged = mem_alloc_array(f->charged_count + 1, sizeof(*charged));
	uint32_t *sums = mem_alloc_array(slices->count, sizeof(*sums));
	double all = 0;
	size_t at = 0;

	if (f->charged_count)
		memcpy(charged, f->charged, f->charged_count * sizeof(*charged));
	qsort(charged, f->charged_count, sizeof(*charged), by_function);
	for (size_t i = 0; i < f->count; i++) {
		memset(sums, 0, slices->count * sizeof(*sums));
		for (; at < f->charged_count && charged[at].function == i; at++)
			if (charged[at].slice < slices->count)
				sums[charged[at].slice] = charged[at].slots;
		estimates[i] = (struct estimated){i, sample_estimate(slices, sums, 1)};
		all += estimates[i].slots.value;
	}
	free(sums);
	free(charged);
	return all;
}

json_t *sample_functions_json(const struct sample_functions *f, const struct sample_units *slices,
			      double cycles)
{
	struct estimated *estimates = mem_alloc_array(f->count + 1, sizeof(*estimates));
	const double all = estimate_all(f, slices, estimates);
	json_t *list = json_array();

	qsort(estimates, f->count, sizeof(*estimates), by_value);
	for (size_t i = 0; i < f->count && i < FUNCTIONS_SHOWN; i++) {
		const struct sample_estimate *slots = &estimates[i].slots;

		if (slots->value < LEAST_SHARE * all || all <= 0)
			break;
		json_array_append_new(
			list, json_pack("{s:o, s:{s:f, s:f}}", "name",
					origin_name(&f->functions[estimates[i].function]), "cycles",
					"value", slots->value / all * cycles, "error",
					slots->error / all * cycles + SAMPLE_BIAS * cycles));
	}
	free(estimates);
	return list;
}
