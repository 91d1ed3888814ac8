#include <math.h>
#include <string.h>

#include "base/array.h"
#include "doc/doc_svg.h"
#include "doc/doc_svg_parts.h"
#include "doc/markup.h"
#include "doc/picture.h"

#define ROW	     18
#define TOP	     4
#define LEAST_PIXELS 0.3  /* what is narrower is not drawn */
#define LEAST_LABEL  24.0 /* what is narrower has no name */
#define MOST_LEVELS  100

/* Names that do not fit lose their end. */
static void draw_label(struct picture *picture, double x, double y, double width, const char *name)
{
	size_t room = (size_t)((width - 6) / PICTURE_LETTER), length = strlen(name);
	char text[256];

	if (room > sizeof(text) - 4)
		room = sizeof(text) - 4;
	if (length <= room)
		snprintf(text, sizeof(text), "%s", name);
	else
		snprintf(text, sizeof(text), "%.*s..", (int)(room > 2 ? room - 2 : 0), name);
	picture_text(picture, x + 3, y + ROW - 5, PICTURE_START, 11,
		     (struct doc_colour){DOC_INK, 0}, text);
}

static void draw_node(struct picture *picture, const struct doc_flame *flame,
		      const struct doc_node *node, double x, double scale)
{
	double y = TOP + ROW * (double)node->level, width = node->value * scale;
	double whole = flame->nodes[0].value;
	char value[MARKUP_VALUE_BYTES], share[MARKUP_VALUE_BYTES],
		words[2 * MARKUP_VALUE_BYTES + 2];

	markup_value(value, DOC_COUNT, 0, false, node->value);
	markup_value(share, DOC_PERCENT, 2, false, whole > 0 ? node->value / whole : 0);
	snprintf(words, sizeof(words), "%s, %s", value, share);
	fputs("<g class=\"node\">", picture->out);
	picture_rect_about(picture, x, y, width, ROW - 1, node->colour, node->name, flame->unit,
			   node->words ? node->words : words);
	if (width >= LEAST_LABEL)
		draw_label(picture, x, y, width, node->name);
	fputs("</g>\n", picture->out);
}

static unsigned deepest(const struct doc_flame *flame)
{
	unsigned level = 0;

	for (size_t i = 0; i < flame->count; i++)
		if (flame->nodes[i].level > level)
			level = flame->nodes[i].level;
	return level < MOST_LEVELS ? level : MOST_LEVELS;
}

/* Each node begins where its elder sibling ends, or where its parent begins. */
void doc_svg_flame(FILE *out, const struct doc_flame *flame, bool is_page)
{
	double width = DOC_SVG_PAGE_WIDTH, next[MOST_LEVELS + 2] = {0};
	double whole = flame->count && flame->nodes[0].value > 0 ? flame->nodes[0].value : 1;
	struct picture picture;

	picture_begin(&picture, out, is_page, width, 2 * TOP + ROW * ((double)deepest(flame) + 1),
		      flame->title, NULL);
	for (size_t i = 0; i < flame->count; i++) {
		const struct doc_node *node = &flame->nodes[i];

		if (node->level > MOST_LEVELS)
			continue;
		double x = next[node->level], scale = width / whole;

		if (node->value * scale >= LEAST_PIXELS)
			draw_node(&picture, flame, node, x, scale);
		next[node->level] = x + node->value * scale;
		next[node->level + 1] = x;
	}
	picture_end(&picture);
}
