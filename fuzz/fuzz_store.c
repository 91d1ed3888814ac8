/*
 * Any bytes as a store, as the packed bytes of a result, as the name of one and as a result that is
 * put into a store: each ends with one sentence, or with rows and bytes that are what was put in.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "store/content.h"
#include "store/results.h"
#include "value/layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static char path[64];

static void remove_files(void)
{
	static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
	char name[80];

	for (size_t i = 0; i < ARRAY_COUNT(ends); i++) {
		snprintf(name, sizeof(name), "%s%s", path, ends[i]);
		unlink(name);
	}
}

static void begin(void)
{
	if (!*path) {
		snprintf(path, sizeof(path), "/tmp/fuzz-store.%d", (int)getpid());
		atexit(remove_files);
	}
	remove_files();
}

struct seen {
	struct store *store;
	int64_t ids[64];
	size_t count;
	uint64_t runs[64];
	size_t run_count;
};

static void see_row(void *context, const struct result_row *row)
{
	struct seen *seen = context;
	struct result_name name;

	BUG_ON(!row->command || !row->program || !row->machine || !row->tags || !row->sha256);
	if (!row->id && result_name_read(&name, row->name) && seen->run_count < 64)
		seen->runs[seen->run_count++] = name.run;
	if (row->id && seen->count < 64)
		seen->ids[seen->count++] = row->id;
}

static void see_value(void *context, const struct result_value *value)
{
	(void)context;
	BUG_ON(!value->member || !value->of || !value->name || !value->unit || !value->meaning);
}

static void see_columns(void *context, const char *const *columns, size_t count)
{
	(void)context;
	BUG_ON(count && !columns[0]);
}

static bool see_cells(void *context, const struct result_cell *cells, size_t count)
{
	(void)cells;
	(void)count;
	return --*(int *)context > 0;
}

static void read_store(void)
{
	static const char *const queries[] = {"SELECT * FROM measured", "SELECT * FROM mpki",
					      "SELECT * FROM stacks",	"SELECT * FROM errors",
					      "SELECT * FROM settings", "SELECT * FROM collected"};
	const struct results_filter filter = {.with_steps = true, .with_collected = true};
	struct err err = {.text = ""};
	struct seen seen = {.store = store_open(path, false, &err)};

	BUG_ON(!seen.store && !*err.text);
	if (!seen.store)
		return;
	results_each(seen.store, &filter, false, see_row, &seen, &err);
	for (size_t i = 0; i < seen.count; i++) {
		size_t count;
		char *text = results_get(seen.store, seen.ids[i], &count, &err);

		BUG_ON(text && strlen(text) > count);
		free(text);
		results_each_value(seen.store, seen.ids[i], see_value, NULL, &err);
	}
	for (size_t i = 0; i < seen.run_count; i++) {
		json_t *result = results_collected(seen.store, seen.runs[i], &err);

		BUG_ON(result && !layout_check(result, &layout_collected, &err));
		json_decref(result);
	}
	for (size_t i = 0; i < ARRAY_COUNT(queries); i++) {
		int most = 1000;
		const struct results_reader reader = {see_columns, see_cells, &most};

		results_query(seen.store, queries[i], 1, &reader, &err);
	}
	store_close(seen.store);
}

static void add_result(const char *bytes, size_t size)
{
	static const struct result_receipt receipt = {.version = "1"};
	json_t *result = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, NULL);
	struct err err = {.text = ""};
	struct store *store = json_is_object(result) ? store_open(path, true, &err) : NULL;
	int64_t id;
	size_t count;

	if (store && results_add(store, result, bytes, size, &receipt, &id, &err)) {
		char *text = results_get(store, id, &count, &err);

		BUG_ON(!text || count != size || memcmp(text, bytes, size) != 0);
		free(text);
		results_each_value(store, id, see_value, NULL, &err);
		BUG_ON(!results_remove(store, &id, 1, &err));
	}
	store_close(store);
	json_decref(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char hash[CONTENT_HASH_BYTES];
	struct result_name name;

	begin();
	char *text = mem_strndup((const char *)bytes, size);
	result_name_read(&name, text);
	free(text);
	content_hash(hash, bytes, size);
	free(content_unpack(bytes, size, "zlib", size * 4, hash, NULL));
	text = content_unpack(bytes, size, "json", size, hash, NULL);
	BUG_ON(!text || memcmp(text, bytes, size) != 0);
	free(text);
	if (size && bytes[0] == '{') {
		add_result((const char *)bytes, size);
		return 0;
	}
	FILE *out = fopen(path, "w");
	BUG_ON(!out);
	fwrite(bytes, 1, size, out);
	fclose(out);
	read_store();
	return 0;
}
