#include <string.h>

#include "config/config.h"

#define COMMENT_COLUMN 40

static size_t group_bytes(enum config_id id)
{
	return strcspn(config_rows[id].key, ".");
}

static bool is_same_group(enum config_id a, enum config_id b)
{
	return group_bytes(a) == group_bytes(b) &&
	       strncmp(config_rows[a].key, config_rows[b].key, group_bytes(a)) == 0;
}

static void dump_parameter(const struct config *config, enum config_id id, FILE *out)
{
	const struct config_row *row = &config_rows[id];
	char value[CONFIG_TEXT_BYTES];
	bool is_text = row->words || row->type == CONFIG_IS_LIST ||
		       (row->type == CONFIG_IS_COUNT && config_get(config, id) == UNLIMITED);
	const char *quote = is_text ? "\"" : "";

	config_value_text(config, id, value);
	int used =
		fprintf(out, "\t%s = %s%s%s;", row->key + group_bytes(id) + 1, quote, value, quote);
	/* The tab is one byte and eight columns. */
	fprintf(out, "%*s# %s\n", used + 7 < COMMENT_COLUMN ? COMMENT_COLUMN - 7 - used : 1, "",
		row->help);
}

void config_dump(const struct config *config, FILE *out)
{
	bool is_done[CONFIG_COUNT] = {false};

	fputs("# A complete machine; each parameter with its meaning.\n", out);
	for (enum config_id first = 0; first < CONFIG_COUNT; first++) {
		if (is_done[first] || !config_is_named(config, first))
			continue;
		fprintf(out, "%.*s = {\n", (int)group_bytes(first), config_rows[first].key);
		for (enum config_id id = first; id < CONFIG_COUNT; id++)
			if (is_same_group(first, id) && config_is_named(config, id)) {
				dump_parameter(config, id, out);
				is_done[id] = true;
			}
		fputs("};\n", out);
	}
}
