#include "config/config.h"
#include "count/exact.h"
#include "count/sites.h"
#include "job/job.h"
#include "job/key.h"
#include "job/parts.h"
#include "job/places.h"

static const struct part_places *places_of(const struct job_part *part)
{
	return (const struct part_places *)part;
}

/* NULL if it does not observe. */
static struct exact *exact_of(const struct job_simulation *run)
{
	return run->observers ? observers_find(run->observers, &count_exact) : NULL;
}

static bool admit(const struct job_part *part, struct process *process, struct err *err)
{
	const struct part_places *places = places_of(part);

	for (size_t i = 0; i < places->annotate_count; i++) {
		const struct symbols *symbols = debug_symbols(&process->debug, NULL);

		/* What the program does not have may be in a library that it will map. */
		if (process->elf.interp && symbols && !symbols_know(symbols, places->annotate[i]))
			continue;
		if (!job_find_function(process, "annotate", places->annotate[i], err))
			return false;
	}
	return true;
}

static bool begin(struct job_part_run *self, const struct job_watch *watch, struct err *err)
{
	struct exact *exact = exact_of(self->run);

	(void)watch;
	(void)err;
	if (exact)
		exact_set_interval(exact, places_of(self->part)->interval);
	return true;
}

/* NULL if nothing counts what happens at instructions. */
static const struct sites *sites_of(const struct job_simulation *run)
{
	const struct sites *sites = observers_find(run->observers, &count_sites);

	return sites ? sites : observers_find(run->observers, &count_sites_in_order);
}

static void describe(struct job_part_run *self, json_t *result)
{
	struct exact *exact = exact_of(self->run);

	if (exact)
		places_describe(exact, sites_of(self->run), places_of(self->part), self->run->job,
				self->run->process, result);
}

static bool add_key(const struct job_part *part, struct job_key *key)
{
	const struct part_places *places = places_of(part);

	job_key_number(key, places->interval);
	job_key_texts(key, places->annotate, places->annotate_count);
	job_key_number(key, places->annotates_hottest);
	job_key_number(key, places->hot);
	job_key_number(key, places->annotates_hot);
	return true;
}

static const struct job_part_kind kind = {
	.name = "places",
	.admit = admit,
	.begin = begin,
	.describe = describe,
	.key = add_key,
};

const struct job_part *part_places_init(struct part_places *places)
{
	*places = (struct part_places){.part = {.kind = &kind}};
	return &places->part;
}

void part_places_observe_sites(struct part_places *places, const struct config *config)
{
	static const struct observer_kind *const out_of_order[] = {&count_sites, NULL};
	static const struct observer_kind *const in_order[] = {&count_sites_in_order, NULL};

	places->part.observers = config->core_kind == CORE_OOO ? out_of_order : in_order;
}
