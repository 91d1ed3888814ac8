/*
 * colour.h - the colours of a document: those of components, of methods, and a few for everything
 * else, by name, so that a page's style sheet, a picture and a terminal each have their own shade.
 *
 * A colour that is all zero is none.
 */
#ifndef DOC_COLOUR_H
#define DOC_COLOUR_H

#include <stdbool.h>

enum doc_colour_kind {
	DOC_NO_COLOUR,
	DOC_COMPONENT, /* of a stack's component (value/component.h): `index` is its number */
	DOC_METHOD,    /* of one of several that are compared: `index` chooses among them */
	DOC_INK,
	DOC_MUTED,
	DOC_GRID,  /* lines of a grid */
	DOC_PALE,  /* an area in the background */
	DOC_OTHER, /* what has no colour of its own, such as a name that is not known */
	DOC_WARN,
	DOC_CHANGED, /* how much something has changed: `index` below DOC_CHANGES */
};

struct doc_colour {
	enum doc_colour_kind kind;
	unsigned index;
};

#define DOC_METHOD_COLOURS 15

/* From much less over equal to much more: colours that differ in lightness from the one in the
 * middle, and in hue from each other. */
#define DOC_CHANGES	 7
#define DOC_CHANGE_EQUAL 3

/* How something changed from `before` to `after`, neither below 0: by a fiftieth of the larger is
 * still equal. */
struct doc_colour doc_changed(double before, double after);

/* The colour of a component by its number, or of its name: DOC_OTHER if that is not known. */
struct doc_colour doc_component(int component);
struct doc_colour doc_component_named(const char *name);
struct doc_colour doc_method(unsigned index);

/* Six hexadecimal digits after #; for pictures in files. */
const char *doc_colour_rgb(struct doc_colour colour);
/* The class of a page's style sheet: "l1d", "m-3", "ink". */
const char *doc_colour_class(struct doc_colour colour);
/* Of the 256 a terminal has. */
unsigned doc_colour_terminal(struct doc_colour colour);
/* Whether text on it is light. */
bool doc_colour_is_dark(struct doc_colour colour);
/* The letter that stands for a component in a bar of text; '#' for all else. */
char doc_colour_letter(struct doc_colour colour);

#endif
