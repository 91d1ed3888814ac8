#include "image/debug.h"

static void note(const struct debug *debug, bool reads)
{
	if (debug->options.note)
		debug->options.note(debug->options.context, reads);
}

void debug_init(struct debug *debug, const struct debug_options *options)
{
	*debug = (struct debug){.options = *options};
}

void debug_release(struct debug *debug)
{
	symbols_free(debug->symbols);
	symbols_free(debug->objects);
	symbols_free(debug->tls);
	types_free(debug->types);
	lines_free(debug->lines);
	inlined_free(debug->inlined);
	*debug = (struct debug){0};
}

const struct symbols *debug_symbols(struct debug *debug, struct err *err)
{
	const struct debug_options *options = &debug->options;

	if (debug->symbols)
		return debug->symbols;
	note(debug, true);
	debug->symbols = symbols_read(options->bytes, options->size, options->name, err);
	note(debug, false);
	if (debug->symbols && options->raw_names)
		symbols_show_raw(debug->symbols);
	return debug->symbols;
}

static struct symbols *read_kind(const struct debug *debug, enum symbols_kind kind)
{
	const struct debug_options *options = &debug->options;
	struct symbols *read =
		symbols_read_kind(kind, options->bytes, options->size, options->name, NULL);

	if (read && options->raw_names)
		symbols_show_raw(read);
	return read;
}

static void read_objects(struct debug *debug)
{
	if (debug->objects_tried)
		return;
	debug->objects_tried = true;
	note(debug, true);
	debug->objects = read_kind(debug, SYMBOLS_OBJECTS);
	debug->tls = read_kind(debug, SYMBOLS_TLS);
	note(debug, false);
}

const struct symbols *debug_objects(struct debug *debug)
{
	read_objects(debug);
	return debug->objects;
}

const struct symbols *debug_tls(struct debug *debug)
{
	read_objects(debug);
	return debug->tls;
}

static struct types *find_types(struct debug *debug)
{
	const struct debug_options *options = &debug->options;

	if (!debug->types_tried)
		debug->types = types_read(options->bytes, options->size, options->name, NULL);
	debug->types_tried = true;
	return debug->types;
}

const struct type *debug_type_of_variable(struct debug *debug, uint64_t address, bool is_tls)
{
	const struct type *type = NULL;

	note(debug, true);
	struct types *types = find_types(debug);
	if (types)
		type = types_of_variable(types, address, is_tls);
	note(debug, false);
	return type;
}

struct typed debug_type_of_access(struct debug *debug, const struct type_code *code, uint64_t pc)
{
	struct typed typed = {NULL, 0};

	note(debug, true);
	struct types *types = find_types(debug);
	if (types)
		typed = types_of_access(types, code, pc);
	note(debug, false);
	return typed;
}

const struct lines *debug_lines(struct debug *debug)
{
	const struct debug_options *options = &debug->options;

	if (debug->lines_tried)
		return debug->lines;
	debug->lines_tried = true;
	note(debug, true);
	debug->lines = lines_read(options->bytes, options->size, options->name, NULL);
	note(debug, false);
	return debug->lines;
}

size_t debug_inlined(struct debug *debug, uint64_t address, const struct inlined_call **calls)
{
	const struct debug_options *options = &debug->options;
	size_t count = 0;

	note(debug, true);
	if (!debug->inlined_tried) {
		debug->inlined_tried = true;
		debug->inlined = inlined_read(options->bytes, options->size, options->name, NULL);
		if (debug->inlined && options->raw_names)
			inlined_show_raw(debug->inlined);
	}
	if (debug->inlined)
		count = inlined_find(debug->inlined, address, calls);
	note(debug, false);
	return count;
}

const char *debug_function(struct debug *debug, uint64_t address, const struct symbol **symbol)
{
	const struct symbols *symbols = debug_symbols(debug, NULL);
	const struct symbol *found = symbols ? symbols_find(symbols, address) : NULL;

	if (found && symbol)
		*symbol = found;
	return found ? symbols_shown(symbols, found) : NULL;
}
