/*
 * Any bytes as a config file: reading them either fails with one printable sentence
 * and changes nothing, or yields a machine that passes its checks and that its dump
 * reads back to. The same bytes are also tried as --set takes them.
 */
#include <stdlib.h>
#include <string.h>

#include "config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
const char *__lsan_default_suppressions(void);

/* libconfig 1.5 forgets the text of the word at which a syntax error was found. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libconfig.so";
}

static void check_sentence(const char *text)
{
	BUG_ON(!*text);
	for (; *text; text++)
		BUG_ON(*text < ' ' || *text > '~');
}

static void check_ranges(const struct config *config)
{
	for (enum config_id id = 0; id < CONFIG_COUNT; id++) {
		const struct config_row *row = &config_rows[id];
		uint32_t value = config_get(config, id);

		BUG_ON((value < row->least || value > row->most) &&
		       !(row->type == CONFIG_IS_COUNT && value == UNLIMITED));
	}
}

static void check_dump(const struct config *config)
{
	struct config again;
	char hash[65], hash_again[65], *text;
	struct err err;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	config_dump(config, out);
	fclose(out);
	config_reset(&again);
	BUG_ON(!config_load_text(&again, text, bytes, "dump", NULL, &err));
	free(text);
	config_hash(config, hash);
	config_hash(&again, hash_again);
	BUG_ON(strcmp(hash, hash_again));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct config config, before;
	struct err err = {0};

	config_reset(&config);
	memcpy(&before, &config, sizeof(config));
	if (config_load_text(&config, (const char *)bytes, size, "input", NULL, &err)) {
		check_ranges(&config);
		BUG_ON(!config_check(&config, NULL));
		check_dump(&config);
	} else {
		BUG_ON(strncmp(err.text, "input:", 6));
		check_sentence(err.text);
		BUG_ON(memcmp(&config, &before, sizeof(config)));
	}

	char *assignment = malloc(size + 1);
	memcpy(assignment, bytes, size);
	assignment[size] = 0;
	config_reset(&config);
	if (config_set(&config, assignment, &err))
		check_ranges(&config);
	else
		check_sentence(err.text);
	free(assignment);
	return 0;
}
