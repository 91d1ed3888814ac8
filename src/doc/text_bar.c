#include "doc/text_bar.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

#define SPARK_LEVELS 8

void text_bar_segments(const double *values, size_t count, double whole, unsigned columns,
		       unsigned *segments)
{
	double *rest = mem_alloc_array(count + 1, sizeof(*rest)), sum = 0;
	unsigned used = 0;

	for (size_t i = 0; i < count; i++)
		sum += fmax(0, values[i]);
	const unsigned wanted = sum > 0 ? (unsigned)(sum / fmax(whole, sum) * columns + 0.5) : 0;
	for (size_t i = 0; i < count; i++) {
		const double share = sum > 0 ? fmax(0, values[i]) / sum * wanted : 0;

		segments[i] = (unsigned)share;
		rest[i] = share - segments[i];
		used += segments[i];
	}
	for (; used < wanted; used++) {
		size_t most = 0;

		for (size_t i = 1; i < count; i++)
			if (rest[i] > rest[most])
				most = i;
		segments[most]++;
		rest[most] = -1;
	}
	free(rest);
}

/* Letters on the colour of the part. */
static void put_segment(FILE *out, const struct terminal *terminal, const struct doc_part *part,
			unsigned columns)
{
	if (columns && terminal->colour)
		fprintf(out, "\033[48;5;%u;38;5;%um", doc_colour_terminal(part->colour),
			doc_colour_is_dark(part->colour) ? 231 : 16);
	for (unsigned i = 0; i < columns; i++)
		fputc(doc_colour_letter(part->colour), out);
	if (columns)
		terminal_plain(out, terminal);
}

unsigned text_bar_stack(FILE *out, const struct terminal *terminal, const struct doc_part *parts,
			const double *values, size_t count, double whole, unsigned columns)
{
	unsigned *segments = mem_alloc_array(count + 1, sizeof(*segments)), used = 0;

	text_bar_segments(values, count, whole, columns, segments);
	for (size_t i = 0; i < count; i++) {
		put_segment(out, terminal, &parts[i], segments[i]);
		used += segments[i];
	}
	free(segments);
	return used;
}

unsigned text_bar_one(FILE *out, const struct terminal *terminal, struct doc_colour colour,
		      double share, unsigned columns)
{
	static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	const struct doc_part part = {NULL, colour};
	char codes[32];

	share = fmax(0, fmin(1, share));
	if (!terminal->utf8) {
		const unsigned used = (unsigned)(share * columns + 0.5);

		put_segment(out, terminal, &part, used);
		return used;
	}
	const unsigned pieces = (unsigned)(share * columns * 8 + 0.5);
	snprintf(codes, sizeof(codes), "38;5;%u", doc_colour_terminal(colour));
	terminal_style(out, terminal, codes);
	for (unsigned i = 0; i < pieces / 8; i++)
		fputs("█", out);
	fputs(eighths[pieces % 8], out);
	terminal_plain(out, terminal);
	return (pieces + 7) / 8;
}

static double mean_of(const double *values, size_t first, size_t end)
{
	double sum = 0;

	for (size_t i = first; i < end; i++)
		sum += values[i];
	return end > first ? sum / (double)(end - first) : 0;
}

unsigned text_bar_spark(FILE *out, const struct terminal *terminal, const double *values,
			size_t count, unsigned columns)
{
	static const char *const bars[SPARK_LEVELS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	const size_t shown = count < columns ? count : columns;
	double most = 0;

	for (size_t i = 0; i < shown; i++)
		most = fmax(most, mean_of(values, i * count / shown, (i + 1) * count / shown));
	for (size_t i = 0; i < shown; i++) {
		const double mean = mean_of(values, i * count / shown, (i + 1) * count / shown);
		const unsigned level = most > 0 && mean > 0
					       ? (unsigned)(mean / most * (SPARK_LEVELS - 1) + 0.5)
					       : 0;

		if (terminal->utf8)
			fputs(bars[level], out);
		else
			fputc('0' + (int)level, out);
	}
	return (unsigned)shown;
}
