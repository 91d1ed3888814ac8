#include "library/library.h"

#include <string.h>

#include "count/count.h"
#include "value/component.h"
#include "value/counted.h"

static bool give(struct cs_description *out, const struct cs_description *row)
{
	if (out->size != sizeof(*out))
		return false;
	*out = *row;
	out->size = sizeof(*out);
	return true;
}

bool cs_describe_signal(size_t i, struct cs_description *out)
{
	if (i >= signal_count())
		return false;
	const struct signal_row *row = &signal_rows[i];
	return give(out, &(struct cs_description){
				 .name = row->name,
				 .unit = row->unit,
				 .meaning = row->meaning,
				 .source = signal_source_name(row->source),
				 .category = signal_category_name(row->category),
				 .owner = signal_owner_name(row->owner),
			 });
}

bool cs_describe_counted(size_t i, struct cs_description *out)
{
	const struct counted_row *row = counted_rows;

	while (i-- && row->name)
		row++;
	return row->name && give(out, &(struct cs_description){
					      .name = row->name,
					      .unit = row->unit,
					      .meaning = row->meaning,
				      });
}

bool cs_describe_counter(size_t i, struct cs_description *out)
{
	size_t count = 0;

	while (observer_kinds[count])
		count++;
	if (i >= count)
		return false;
	const struct observer_kind *kind = observer_kinds[i];
	return give(out, &(struct cs_description){
				 .name = kind->name,
				 .meaning = kind->summary,
				 .source = signal_source_name(kind->is_hardware ? SIGNAL_HW
										: SIGNAL_ORACLE),
				 .category = kind->read ? "method" : "view",
			 });
}

bool cs_subscribe(struct cs_machine *machine, const char *signal, uint64_t low, uint64_t high,
		  size_t *subscription)
{
	const struct signal_row *row = signal_find(signal);

	if (!row)
		return err_set(&machine->err, "there is no signal \"%s\"", signal);
	if (low >= high)
		return err_set(&machine->err,
			       "%s: no address is at or above 0x%llx and below 0x%llx", signal,
			       (unsigned long long)low, (unsigned long long)high);
	if (machine->run.simulation || machine->is_stepping)
		return err_set(&machine->err,
			       "%s: subscriptions are made before the simulation begins", signal);
	bool is_whole = low == 0 && high == UINT64_MAX;
	*subscription = machine->subscription_count;
	*ARRAY_PUSH(machine->subscriptions, machine->subscription_count,
		    machine->subscription_capacity) = (struct subscription){
		.signal = row,
		.low = low,
		.high = high,
		.is_whole = is_whole,
		.is_total = is_whole && row->total,
	};
	return true;
}

uint32_t subscription_events(const struct subscription *subscription)
{
	const struct signal_row *row = subscription->signal;
	bool is_by_value = subscription->is_whole ? row->value || subscription->is_total
						  : row->owner != SIGNAL_OF_EVENT;

	return is_by_value ? 0 : row->events;
}

static uint64_t sum_of(const struct subscription *s, const struct cycle *cycle)
{
	return s->is_whole ? signal_sum(s->signal, cycle)
			   : signal_sum_in(s->signal, cycle, s->low, s->high);
}

void subscription_add(struct subscription *s, const struct cycle *cycle)
{
	if (!s->is_total)
		s->sum += sum_of(s, cycle);
}

uint64_t subscription_sum(const struct cs_machine *machine, const struct subscription *s,
			  const struct cycle *cycle, uint64_t later)
{
	uint64_t sum = s->is_total ? simulation_total(machine->run.simulation, s->signal) : s->sum;

	if (!later)
		return sum;
	/* A record of several cycles has no events. */
	struct cycle rest = *cycle;
	rest.repeat = later;
	return sum - sum_of(s, &rest);
}

bool cs_sum(struct cs_machine *machine, size_t subscription, uint64_t *sum)
{
	if (subscription >= machine->subscription_count)
		return err_set(&machine->err, "there is no subscription %zu; there are %zu",
			       subscription, machine->subscription_count);
	if (!machine->run.simulation)
		return err_set(&machine->err, "nothing has been simulated");
	*sum = subscription_sum(machine, &machine->subscriptions[subscription], NULL, 0);
	return true;
}
