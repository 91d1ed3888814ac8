#include "rtl/stats_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct packed_head {
	uint64_t ranges, counters, epochs;
};

struct packed_epoch {
	uint64_t at, period_cycles, width_bits, range_count, counter_count;
};

struct packed_selection {
	uint32_t signal, range, thread;
};

void stats_plan_add(struct stats_plan *plan, const struct stats_settings *settings, uint64_t at)
{
	struct stats_range *ranges = mem_alloc_array(settings->range_count, sizeof(*ranges));
	struct stats_selection *counters =
		mem_alloc_array(settings->counter_count, sizeof(*counters));
	size_t count = plan->count;

	if (settings->range_count)
		memcpy(ranges, settings->ranges, settings->range_count * sizeof(*ranges));
	if (settings->counter_count)
		memcpy(counters, settings->counters, settings->counter_count * sizeof(*counters));
	*ARRAY_PUSH(plan->at, count, plan->at_capacity) = at;
	struct stats_settings *copy =
		ARRAY_PUSH(plan->settings, plan->count, plan->settings_capacity);
	*copy = *settings;
	copy->ranges = ranges;
	copy->counters = counters;
	*ARRAY_PUSH(plan->arrays, plan->array_count, plan->array_capacity) = ranges;
	*ARRAY_PUSH(plan->arrays, plan->array_count, plan->array_capacity) = counters;
	if (plan->ranges < settings->range_count)
		plan->ranges = settings->range_count;
	if (plan->counters < settings->counter_count)
		plan->counters = settings->counter_count;
}

void stats_plan_release(struct stats_plan *plan)
{
	for (size_t i = 0; i < plan->array_count; i++)
		free(plan->arrays[i]);
	free(plan->arrays);
	free(plan->settings);
	free(plan->at);
	*plan = (struct stats_plan){0};
}

struct buffer {
	uint8_t *bytes;
	size_t count, capacity;
};

static void append(struct buffer *buffer, const void *bytes, size_t size)
{
	if (buffer->count + size > buffer->capacity) {
		buffer->capacity = 2 * (buffer->count + size);
		buffer->bytes = mem_realloc(buffer->bytes, buffer->capacity, 1);
	}
	if (size)
		memcpy(buffer->bytes + buffer->count, bytes, size);
	buffer->count += size;
}

void *stats_plan_pack(const struct stats_plan *plan, size_t *size)
{
	const struct packed_head head = {plan->ranges, plan->counters, plan->count};
	struct buffer buffer = {0};

	append(&buffer, &head, sizeof(head));
	for (size_t i = 0; i < plan->count; i++) {
		const struct stats_settings *s = &plan->settings[i];
		const struct packed_epoch epoch = {plan->at[i], s->period_cycles, s->width_bits,
						   s->range_count, s->counter_count};

		append(&buffer, &epoch, sizeof(epoch));
		append(&buffer, s->ranges, s->range_count * sizeof(*s->ranges));
		for (size_t k = 0; k < s->counter_count; k++) {
			const struct packed_selection selection = {
				(uint32_t)(s->counters[k].signal - signal_rows),
				s->counters[k].range, s->counters[k].thread};

			append(&buffer, &selection, sizeof(selection));
		}
	}
	*size = buffer.count;
	return buffer.bytes;
}

struct reader {
	const uint8_t *at;
	size_t left;
};

static bool take(struct reader *reader, void *to, size_t size)
{
	if (size > reader->left)
		return false;
	memcpy(to, reader->at, size);
	reader->at += size;
	reader->left -= size;
	return true;
}

static bool take_selections(struct reader *reader, struct stats_selection *counters, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct packed_selection packed;

		if (!take(reader, &packed, sizeof(packed)) || packed.signal >= signal_count())
			return false;
		counters[i] = (struct stats_selection){&signal_rows[packed.signal], packed.range,
						       packed.thread};
	}
	return true;
}

static bool take_epoch(struct stats_plan *plan, struct reader *reader)
{
	struct packed_epoch epoch;
	struct err ignored;

	if (!take(reader, &epoch, sizeof(epoch)) || epoch.range_count > STATS_RANGES_MOST ||
	    !epoch.counter_count || epoch.counter_count > STATS_COUNTERS_MOST ||
	    epoch.period_cycles > UINT32_MAX || epoch.width_bits > STATS_WIDTH_MOST)
		return false;
	struct stats_range *ranges = mem_alloc_array(epoch.range_count, sizeof(*ranges));
	struct stats_selection *counters = mem_alloc_array(epoch.counter_count, sizeof(*counters));
	const struct stats_settings settings = {
		.period_cycles = (uint32_t)epoch.period_cycles,
		.width_bits = (unsigned)epoch.width_bits,
		.ranges = ranges,
		.range_count = epoch.range_count,
		.counters = counters,
		.counter_count = epoch.counter_count,
	};
	bool ok = take(reader, ranges, epoch.range_count * sizeof(*ranges)) &&
		  take_selections(reader, counters, epoch.counter_count) &&
		  stats_settings_check(&settings, &ignored) &&
		  (!plan->count || settings.width_bits == plan->settings[0].width_bits);
	if (ok)
		stats_plan_add(plan, &settings, epoch.at);
	free(ranges);
	free(counters);
	return ok;
}

bool stats_plan_unpack(struct stats_plan *plan, const void *bytes, size_t size)
{
	struct reader reader = {bytes, size};
	struct packed_head head;

	*plan = (struct stats_plan){0};
	if (!take(&reader, &head, sizeof(head)) || !head.epochs ||
	    head.epochs > STATS_PLAN_EPOCHS_MOST || head.ranges > STATS_RANGES_MOST ||
	    head.counters > STATS_COUNTERS_MOST)
		return false;
	while (plan->count < head.epochs)
		if (!take_epoch(plan, &reader))
			return false;
	if (reader.left || head.ranges < plan->ranges || head.counters < plan->counters)
		return false;
	plan->ranges = head.ranges;
	plan->counters = head.counters;
	return true;
}

struct circuit_machine stats_plan_machine(const struct stats_plan *plan,
					  const struct config *config)
{
	return (struct circuit_machine){
		.config = config,
		.stats = plan->settings,
		.stats_at = plan->at,
		.stats_count = plan->count,
		.stats_ranges = plan->ranges,
		.stats_counters = plan->counters,
	};
}

bool stats_plan_circuits(struct circuit circuits[STATS_PLAN_CIRCUITS_MOST], size_t *count,
			 const struct circuit_machine *machine, struct err *err)
{
	struct err ignored;

	*count = 0;
	if (machine->stats_count > STATS_PLAN_EPOCHS_MOST)
		return err_set(err, "--rtl writes the settings of at most %d epochs, not %zu",
			       STATS_PLAN_EPOCHS_MOST, machine->stats_count);
	for (size_t i = 0; circuit_stats_kinds[i]; i++) {
		const bool is_first = i == 0;

		if (circuit_init(&circuits[*count], circuit_stats_kinds[i], machine,
				 is_first ? err : &ignored))
			(*count)++;
		else
			circuit_release(&circuits[*count]);
		if (is_first && !*count)
			return false;
	}
	return true;
}
