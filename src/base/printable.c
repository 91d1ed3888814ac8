#include "base/printable.h"

#include <stdbool.h>
#include <string.h>

/* Length of the well-formed UTF-8 sequence of two or more bytes at text, with
 * its code point; 0 if there is none. */
static size_t utf8_sequence(const uint8_t *text, size_t length, uint32_t *code)
{
	static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t need = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;

	if (text[0] < 0xc2 || text[0] > 0xf4 || need > length)
		return 0;
	*code = text[0] & (0xffu >> (need + 1));
	for (size_t i = 1; i < need; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (text[i] & 0x3f);
	}
	bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
	return *code < lowest[need] || *code > 0x10ffff || surrogate ? 0 : need;
}

static bool disturbs_text(uint32_t code)
{
	return code < 0xa0 || code == 0x61c || code == 0x200e || code == 0x200f ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

size_t printable_copy(char *out, size_t limit, const uint8_t *text, size_t length)
{
	size_t used = 0;

	for (size_t i = 0; i < length && used < limit;) {
		uint32_t code;
		size_t sequence;

		if (text[i] < 0x80) {
			out[used++] = text[i] >= ' ' && text[i] != 0x7f ? (char)text[i] : '?';
			i++;
			continue;
		}
		sequence = utf8_sequence(text + i, length - i, &code);
		if (!sequence || disturbs_text(code)) {
			out[used++] = '?';
			i += sequence ? sequence : 1;
			continue;
		}
		if (sequence > limit - used)
			break;
		memcpy(out + used, text + i, sequence);
		used += sequence;
		i += sequence;
	}
	out[used] = 0;
	return used;
}
