/*
 * plot_signal SIGNAL CYCLES PROGRAM [ARGUMENT...]: simulates a RISC-V program and plots a signal
 * over time: one line for every so many cycles, with what the signal added up to in them.
 *
 * `rob.used` is best read per cycle, as the mean number of entries in use; `l1d.misses` as a sum.
 * Both are printed. An empty SIGNAL alone lists all signals.
 */
#include <cyclestack.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 50 /* of the longest bar */

struct point {
	uint64_t first_cycle, cycles, value;
};

struct plot {
	struct point *points;
	size_t count, capacity;
	bool is_cut; /* memory ran out */
};

static void add_point(void *context, const struct cs_sample *sample)
{
	struct plot *plot = context;

	if (plot->count == plot->capacity) {
		size_t capacity = plot->capacity ? 2 * plot->capacity : 1024;
		struct point *points = realloc(plot->points, capacity * sizeof(*points));

		plot->is_cut |= !points;
		if (!points)
			return;
		plot->points = points;
		plot->capacity = capacity;
	}
	plot->points[plot->count++] =
		(struct point){sample->first_cycle, sample->cycles, sample->values[0]};
}

static void show_warning(void *context, const char *text)
{
	(void)context;
	fprintf(stderr, "warning: %s\n", text);
}

static double rate(const struct point *point)
{
	return (double)point->value / (double)point->cycles;
}

static void print_plot(const struct plot *plot, const char *signal, uint64_t sum)
{
	double most = 0;

	for (size_t i = 0; i < plot->count; i++)
		if (rate(&plot->points[i]) > most)
			most = rate(&plot->points[i]);
	fprintf(stderr, "%12s %12s %9s  %s\n", "cycle", "sum", "per cycle", signal);
	for (size_t i = 0; i < plot->count; i++) {
		const struct point *point = &plot->points[i];

		fprintf(stderr, "%12" PRIu64 " %12" PRIu64 " %9.3f  ", point->first_cycle,
			point->value, rate(point));
		for (int k = 0; k < (int)(most > 0 ? rate(point) / most * COLUMNS + 0.5 : 0); k++)
			fputc('*', stderr);
		fputc('\n', stderr);
	}
	fprintf(stderr, "%12s %12" PRIu64 "%s\n", "all", sum,
		plot->is_cut ? "; the plot is cut short: no memory" : "");
}

static int list_signals(void)
{
	struct cs_description signal = {.size = sizeof(signal)};

	for (size_t i = 0; cs_describe_signal(i, &signal); i++)
		printf("%-32s %-12s %s\n", signal.name, signal.unit, signal.meaning);
	return 0;
}

int main(int argc, char **argv)
{
	struct plot plot = {0};
	struct cs_observer observer = {.size = sizeof(observer),
				       .context = &plot,
				       .on_sample = add_point,
				       .on_warning = show_warning};
	char error[1024];
	uint64_t status = 1, sum = 0;
	size_t subscription;

	if (argc == 2 && !*argv[1])
		return list_signals();
	if (argc < 4) {
		fprintf(stderr, "usage: plot_signal SIGNAL CYCLES PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	struct cs_machine *machine = cs_open(argv[3], error, sizeof(error));
	if (!machine) {
		fprintf(stderr, "plot_signal: %s\n", error);
		return 1;
	}
	observer.sample_cycles = strtoull(argv[2], NULL, 0);
	bool ok = cs_attach(machine, &observer) &&
		  cs_subscribe(machine, argv[1], 0, UINT64_MAX, &subscription);
	for (int i = 4; ok && i < argc; i++)
		ok = cs_configure(machine, "argv", argv[i]);
	ok = ok && cs_start(machine);
	if (ok && cs_simulate(machine, UINT64_MAX, UINT64_MAX) == CS_FAILED)
		ok = false;
	if (ok && cs_sum(machine, subscription, &sum))
		print_plot(&plot, argv[1], sum);
	if (!ok || !cs_value(machine, "status", &status))
		fprintf(stderr, "plot_signal: %s\n", cs_error(machine));
	free(plot.points);
	cs_close(machine);
	return (int)status;
}
