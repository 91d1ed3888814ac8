/*
 * Any bytes as recorded cycles, and as the records of a frame (which a check value protects in a
 * file): reading fails with one sentence, or yields records that the circuits' models can count
 * once they have passed cycles_check.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/crc32.h"
#include "rtl/stimulus.h"
#include "trace/cycles.h"
#include "trace/cycles_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void ignore(void *context, size_t circuit, enum stimulus_file file, const void *bytes,
		   size_t size)
{
	(void)context;
	(void)circuit;
	(void)file;
	(void)bytes;
	(void)size;
}

static void read_file(const uint8_t *bytes, size_t size)
{
	struct config config;
	struct err err = {.text = ""};
	struct cycles_reader *reader = cycles_reader_open(bytes, size, "input", &err);
	const struct cycle *cycle = NULL;
	bool ok = true;

	BUG_ON(!reader && !err.text[0]);
	if (!reader)
		return;
	config_default(&config);
	const struct circuit_machine machine = {.config = &config};
	struct circuit circuits[16];
	size_t count = 0;
	for (; circuit_kinds[count]; count++)
		if (!circuit_init(&circuits[count], circuit_kinds[count], &machine, &err))
			break;
	struct stimuli *stimuli = stimuli_create(circuits, count, ignore, NULL);
	struct cycles_check *check = cycles_check_create(&config);
	do {
		ok = cycles_reader_next(reader, &cycle, &err) &&
		     (!cycle || cycles_check_record(check, cycle, &err));
		if (ok && cycle)
			stimuli_cycle(stimuli, cycle);
	} while (ok && cycle);
	BUG_ON(!ok && !err.text[0]);
	stimuli_destroy(stimuli);
	cycles_check_destroy(check);
	cycles_reader_close(reader);
	for (size_t i = 0; i <= count && circuit_kinds[i]; i++)
		circuit_release(&circuits[i]);
}

static void put_number(uint8_t *at, uint64_t value, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* The bytes as a frame of a file whose check values are right. */
static void read_frame(const char *magic, const uint8_t *bytes, size_t size)
{
	const size_t header = 16, whole = header + 24 + size;
	uint8_t *file = mem_alloc(whole);

	memcpy(file, CYCLES_MAGIC, CYCLES_MAGIC_BYTES);
	put_number(file + 12, crc32_add(0, file, 12), 4);
	memcpy(file + header, magic, 4);
	put_number(file + header + 4, 1 + size / 2 % CYCLES_FRAME_RECORDS, 4);
	put_number(file + header + 8, size, 4);
	memcpy(file + header + 24, bytes, size);
	put_number(file + header + 20,
		   crc32_add(crc32_add(0, file + header, 20), file + header + 24, size), 4);
	read_file(file, whole);
	free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	read_file(bytes, size);
	read_frame("CFRM", bytes, size);
	read_frame("CFRP", bytes, size);
	return 0;
}
