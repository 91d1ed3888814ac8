/*
 * Names of functions of any bytes: demangling them and comparing them with a
 * text ends soon, and what is shown is printable and has its length.
 *
 * The input is a name, a NUL and a text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "image/build_id.h"
#include "image/names.h"

#define TEXT_MOST 64 /* a pattern of many stars is slow by itself */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_shown(const char *raw)
{
	char *name = name_demangle(raw);

	for (size_t i = 0; name && i < strlen(name); i++)
		BUG_ON((uint8_t)name[i] < ' ' || name[i] == 0x7f);
	BUG_ON(name && strlen(name) > NAME_BYTES);
	free(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct build_id id;
	char *raw = mem_alloc(size + 2);

	memcpy(raw, bytes, size);
	if (strlen(raw) > NAME_BYTES)
		raw[NAME_BYTES] = '\0';
	char *text = raw + strlen(raw) + 1;
	if (text > raw + size)
		text = raw + size;
	if (strlen(text) > TEXT_MOST)
		text[TEXT_MOST] = '\0';
	check_shown(raw);
	for (enum name_way way = NAME_RAW; way < NAME_WAYS; way++)
		name_fits(raw, text, way);
	BUG_ON(!name_fits(raw, raw, NAME_RAW));
	if (build_id_read(&id, bytes, size))
		BUG_ON(id.count < 2 || id.count > BUILD_ID_BYTES_MOST);
	free(raw);
	return 0;
}
