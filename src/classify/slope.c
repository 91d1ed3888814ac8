#include "classify/slope.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

struct slope slope_fit(const double *x, const double *y, size_t count)
{
	double mean_x = 0, mean_y = 0, xx = 0, xy = 0, yy = 0;

	for (size_t i = 0; i < count; i++) {
		mean_x += x[i] / (double)count;
		mean_y += y[i] / (double)count;
	}
	for (size_t i = 0; i < count; i++) {
		double dx = x[i] - mean_x, dy = y[i] - mean_y;

		xx += dx * dx;
		xy += dx * dy;
		yy += dy * dy;
	}
	if (!(xx > 0) || !(yy > 0))
		return (struct slope){0};
	return (struct slope){xy / xx, xy * xy / (xx * yy)};
}

/* Orders numbers. It also orders samples, whose first member is a number. */
static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double slope_median(double *values, size_t count)
{
	if (!count)
		return NAN;
	qsort(values, count, sizeof(*values), compare);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

double slope_goodness(double found, double expected)
{
	return exp(-2 * (found - expected) * (found - expected));
}

/* The place of the event in the part, or its count if it is not there. */
static size_t place_in(const struct readings_part *part, size_t event)
{
	size_t i = 0;

	while (i < part->count && part->events[i] != event)
		i++;
	return i;
}

struct sample {
	double iterations, value;
};

/* The middle one of how far samples are from the medians of their lengths, an iteration; it is what
 * repeats differ by, without what few of them do. */
static double spread_of(const struct sample *samples, size_t count, const double *x,
			const double *medians)
{
	double *off = mem_alloc_array(count, sizeof(double));
	size_t length = 0;

	for (size_t i = 0; i < count; i++) {
		length += samples[i].iterations != x[length];
		off[i] = fabs(samples[i].value - medians[length]) / fmax(x[length], 1);
	}
	double middle = slope_median(off, count);
	free(off);
	return middle;
}

/* Slope times r2 over the samples, which are of one event at one point, and how far repeats are
 * apart. */
static double fit_samples(struct sample *samples, size_t count, double *spread)
{
	double *x = mem_alloc_array(count, sizeof(double));
	double *y = mem_alloc_array(count, sizeof(double));
	double *repeats = mem_alloc_array(count, sizeof(double));
	size_t lengths = 0;

	qsort(samples, count, sizeof(*samples), compare);
	for (size_t i = 0; i < count;) {
		size_t n = 0;

		x[lengths] = samples[i].iterations;
		for (; i < count && samples[i].iterations == x[lengths]; i++)
			repeats[n++] = samples[i].value;
		y[lengths++] = slope_median(repeats, n);
	}
	struct slope slope = slope_fit(x, y, lengths);
	*spread = spread_of(samples, count, x, y);
	free(x);
	free(y);
	free(repeats);
	return count ? slope.slope * slope.r2 : NAN;
}

void slopes_init(struct slopes *slopes, const struct readings *readings)
{
	struct sample *samples = mem_alloc_array(readings->run_count, sizeof(*samples));
	size_t *places = mem_alloc_array(readings->part_count, sizeof(*places));
	size_t *order = mem_alloc_array(readings->run_count, sizeof(*order));
	size_t *first = mem_alloc_array(readings->point_count + 2, sizeof(*first));

	*slopes = (struct slopes){
		readings->event_count, readings->point_count,
		mem_alloc_array(readings->event_count * readings->point_count, sizeof(double)),
		mem_alloc_array(readings->event_count * readings->point_count, sizeof(double))};
	/* Runs by point. */
	for (size_t r = 0; r < readings->run_count; r++)
		first[readings->runs[r].point + 2]++;
	for (size_t p = 2; p < readings->point_count + 2; p++)
		first[p] += first[p - 1];
	for (size_t r = 0; r < readings->run_count; r++)
		order[first[readings->runs[r].point + 1]++] = r;
	for (size_t e = 0; e < readings->event_count; e++) {
		for (size_t i = 0; i < readings->part_count; i++)
			places[i] = place_in(&readings->parts[i], e);
		for (size_t p = 0; p < readings->point_count; p++) {
			size_t count = 0;

			for (size_t i = first[p]; i < first[p + 1]; i++) {
				const struct readings_run *run = &readings->runs[order[i]];
				size_t place = places[run->part];

				if (place < readings->parts[run->part].count &&
				    !isnan(run->values[place]))
					samples[count++] = (struct sample){run->iterations,
									   run->values[place]};
			}
			size_t at = e * readings->point_count + p;

			slopes->values[at] = fit_samples(samples, count, &slopes->spreads[at]);
		}
	}
	free(samples);
	free(places);
	free(order);
	free(first);
}

void slopes_release(struct slopes *slopes)
{
	free(slopes->values);
	free(slopes->spreads);
	*slopes = (struct slopes){0};
}
