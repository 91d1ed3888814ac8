/*
 * Any bytes as a file of `model --save-skeleton`, and as the state in one, which a key and a check
 * value protect in a file: reading fails with one sentence or yields a model that every technique
 * can evaluate.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/crc32.h"
#include "model/kept.h"

#define MAGIC "CYSKEL02"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const struct kept_key key = {"input"};

static void read_kept(const uint8_t *bytes, size_t size)
{
	const struct technique techniques[] = {technique_default, technique_timeline};
	struct err err = {.text = ""};
	struct config config;
	struct model_components components;
	struct technique_result result;

	config_default(&config);
	config.rob_size = 64;
	struct model *model =
		model_create(&config, 1, techniques, ARRAY_COUNT(techniques), false, &err);
	BUG_ON(!model);
	if (kept_read(model, bytes, size, &key, "input", &err))
		for (size_t i = 0; i < ARRAY_COUNT(techniques); i++)
			model_evaluate(model, 0, i, &components, &result, NULL);
	else
		BUG_ON(!err.text[0]);
	model_destroy(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const uint64_t state_bytes = size;
	const uint32_t crc = crc32_add(0, bytes, size);
	uint8_t *file = malloc(8 + sizeof(key.text) + sizeof(state_bytes) + sizeof(crc) + size);
	uint8_t *end = file;

	if (!file)
		return 0;
	end = mempcpy(end, MAGIC, 8);
	end = mempcpy(end, key.text, sizeof(key.text));
	end = mempcpy(end, &state_bytes, sizeof(state_bytes));
	end = mempcpy(end, &crc, sizeof(crc));
	if (size)
		end = mempcpy(end, bytes, size);
	read_kept(file, (size_t)(end - file));
	file[7] = '1'; /* the format before */
	read_kept(file, (size_t)(end - file));
	free(file);
	read_kept(bytes, size);
	return 0;
}
