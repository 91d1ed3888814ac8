#include "doc/colour.h"

#include "value/component.h"

/* Colours that differ in lightness too, after Okabe and Ito (2008). */
static const struct {
	const char *rgb, *name;
	unsigned terminal;
} methods[DOC_METHOD_COLOURS] = {
	{"#59626d", "m-0", 242}, {"#0b62b0", "m-1", 25},   {"#d55e00", "m-2", 166},
	{"#009e73", "m-3", 36},	 {"#e69f00", "m-4", 178},  {"#cc79a7", "m-5", 175},
	{"#56b4e9", "m-6", 74},	 {"#875faf", "m-7", 97},   {"#8b1a1a", "m-8", 88},
	{"#87875f", "m-9", 101}, {"#44c7c7", "m-10", 80},  {"#f4a582", "m-11", 216},
	{"#1b2f8a", "m-12", 18}, {"#b9c7d0", "m-13", 250}, {"#7a4419", "m-14", 94},
};

static const struct {
	const char *rgb, *name;
	unsigned terminal;
} others[] = {
	[DOC_NO_COLOUR] = {"none", "none", 250}, [DOC_INK] = {"#1b1f24", "ink", 232},
	[DOC_MUTED] = {"#59626d", "muted", 242}, [DOC_GRID] = {"#dfe3e8", "grid", 254},
	[DOC_PALE] = {"#b9d7f0", "pale", 153},	 [DOC_OTHER] = {"#7b8490", "other", 245},
	[DOC_WARN] = {"#a3261a", "warn", 160},
};

static const struct {
	const char *rgb, *name;
	unsigned terminal;
} changes[DOC_CHANGES] = {
	{"#1f66ad", "change-0", 25},  {"#5ba0d0", "change-1", 74},  {"#a3cbe6", "change-2", 152},
	{"#c6cbd3", "change-3", 251}, {"#f6c29b", "change-4", 216}, {"#e9843f", "change-5", 208},
	{"#b3391b", "change-6", 130},
};

struct doc_colour doc_changed(double before, double after)
{
	static const double bounds[DOC_CHANGE_EQUAL] = {0.02, 0.1, 0.5};
	const double larger = after > before ? after : before;
	unsigned steps = 0;

	while (steps < DOC_CHANGE_EQUAL && larger > 0 &&
	       (after > before ? after - before : before - after) > bounds[steps] * larger)
		steps++;
	return (struct doc_colour){DOC_CHANGED, after > before ? DOC_CHANGE_EQUAL + steps
							       : DOC_CHANGE_EQUAL - steps};
}

struct doc_colour doc_component(int component)
{
	if (component < 0 || component >= COMPONENT_COUNT)
		return (struct doc_colour){DOC_OTHER, 0};
	return (struct doc_colour){DOC_COMPONENT, (unsigned)component};
}

struct doc_colour doc_component_named(const char *name)
{
	return doc_component(component_named(name));
}

struct doc_colour doc_method(unsigned index)
{
	return (struct doc_colour){DOC_METHOD, index % DOC_METHOD_COLOURS};
}

const char *doc_colour_rgb(struct doc_colour colour)
{
	if (colour.kind == DOC_COMPONENT)
		return component_rows[colour.index].rgb;
	if (colour.kind == DOC_CHANGED)
		return changes[colour.index].rgb;
	return colour.kind == DOC_METHOD ? methods[colour.index].rgb : others[colour.kind].rgb;
}

const char *doc_colour_class(struct doc_colour colour)
{
	if (colour.kind == DOC_COMPONENT)
		return component_rows[colour.index].name;
	if (colour.kind == DOC_CHANGED)
		return changes[colour.index].name;
	return colour.kind == DOC_METHOD ? methods[colour.index].name : others[colour.kind].name;
}

unsigned doc_colour_terminal(struct doc_colour colour)
{
	if (colour.kind == DOC_COMPONENT)
		return component_rows[colour.index].colour;
	if (colour.kind == DOC_CHANGED)
		return changes[colour.index].terminal;
	return colour.kind == DOC_METHOD ? methods[colour.index].terminal
					 : others[colour.kind].terminal;
}

bool doc_colour_is_dark(struct doc_colour colour)
{
	return colour.kind == DOC_COMPONENT ? component_rows[colour.index].is_dark : true;
}

char doc_colour_letter(struct doc_colour colour)
{
	return colour.kind == DOC_COMPONENT ? component_rows[colour.index].letter : '#';
}
