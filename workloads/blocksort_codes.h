/*
 * blocksort_codes.h - the coding tools of the blocksort workload: growing byte
 * buffers, a stream of bits, a CRC, and Huffman codes to write and to read with.
 *
 * Codes are canonical and at most MAX_LENGTH bits long; lengths are all that is
 * stored. Only blocksort.c includes this file.
 */
#ifndef BLOCKSORT_CODES_H
#define BLOCKSORT_CODES_H

#include "workload.h"

enum { MAX_SYMBOLS = 258, MAX_LENGTH = 17 };

struct bytes {
	uint8_t *data;
	size_t size, room;
};

static void bytes_put(struct bytes *b, uint8_t value)
{
	if (b->size == b->room) {
		b->room = b->room ? 2 * b->room : 4096;
		b->data = realloc(b->data, b->room);
		if (!b->data)
			abort();
	}
	b->data[b->size++] = value;
}

struct bit_stream {
	struct bytes *bytes;
	size_t position;
	uint32_t held;
	int held_bits;
};

static void bit_stream_put(struct bit_stream *s, uint32_t value, int bits)
{
	while (s->held_bits >= 8) {
		bytes_put(s->bytes, (uint8_t)(s->held >> 24));
		s->held <<= 8;
		s->held_bits -= 8;
	}
	s->held |= value << (32 - s->held_bits - bits);
	s->held_bits += bits;
}

static void bit_stream_flush(struct bit_stream *s)
{
	for (; s->held_bits > 0; s->held_bits -= 8) {
		bytes_put(s->bytes, (uint8_t)(s->held >> 24));
		s->held <<= 8;
	}
}

static uint32_t bit_stream_get(struct bit_stream *s, int bits)
{
	uint32_t value;

	while (s->held_bits < bits) {
		uint32_t next = 0;

		if (s->position < s->bytes->size)
			next = s->bytes->data[s->position++];
		s->held |= next << (24 - s->held_bits);
		s->held_bits += 8;
	}
	value = s->held >> (32 - bits);
	s->held <<= bits;
	s->held_bits -= bits;
	return value;
}

struct crc_table {
	uint32_t entry[256];
};

static void crc_table_init(struct crc_table *t)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i << 24;

		for (int k = 0; k < 8; k++)
			c = c & 0x80000000u ? c << 1 ^ 0x04c11db7u : c << 1;
		t->entry[i] = c;
	}
}

static uint32_t crc_update(const struct crc_table *t, uint32_t crc, uint8_t byte)
{
	return crc << 8 ^ t->entry[(crc >> 24 ^ byte) & 0xff];
}

struct code_table {
	uint8_t length[MAX_SYMBOLS];
	uint32_t code[MAX_SYMBOLS];
	uint32_t frequency[MAX_SYMBOLS];
};

static void heap_sift_down(int *heap, int size, int at, const uint32_t *weight)
{
	int moving = heap[at];

	for (;;) {
		int child = 2 * at + 1;

		if (child >= size)
			break;
		if (child + 1 < size && weight[heap[child + 1]] < weight[heap[child]])
			child++;
		if (weight[moving] <= weight[heap[child]])
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moving;
}

/* Huffman lengths; if a code gets too long the frequencies are flattened and it starts over. */
static void code_table_lengths(struct code_table *t, int alphabet)
{
	uint32_t weight[2 * MAX_SYMBOLS];
	int parent[2 * MAX_SYMBOLS], heap[MAX_SYMBOLS], too_long;

	for (int i = 0; i < alphabet; i++)
		weight[i] = (t->frequency[i] ? t->frequency[i] : 1) << 4;
	do {
		int size = alphabet, nodes = alphabet;

		for (int i = 0; i < alphabet; i++)
			heap[i] = i;
		for (int i = size / 2 - 1; i >= 0; i--)
			heap_sift_down(heap, size, i, weight);
		while (size > 1) {
			int a = heap[0], b;

			heap[0] = heap[--size];
			heap_sift_down(heap, size, 0, weight);
			b = heap[0];
			weight[nodes] = weight[a] + weight[b];
			parent[a] = parent[b] = nodes;
			heap[0] = nodes++;
			heap_sift_down(heap, size, 0, weight);
		}
		too_long = 0;
		for (int i = 0; i < alphabet; i++) {
			int length = 0;

			for (int node = i; node != nodes - 1; node = parent[node])
				length++;
			t->length[i] = (uint8_t)length;
			too_long |= length > MAX_LENGTH;
		}
		for (int i = 0; i < alphabet; i++)
			weight[i] = (weight[i] >> 5) + 1;
	} while (too_long);
}

static void code_table_assign(struct code_table *t, int alphabet)
{
	uint32_t next = 0;

	for (int length = 1; length <= MAX_LENGTH; length++) {
		for (int i = 0; i < alphabet; i++)
			if (t->length[i] == length)
				t->code[i] = next++;
		next <<= 1;
	}
}

/* Canonical decoding: per length the first code that is too big, and where its symbols start. */
struct decode_table {
	int32_t limit[MAX_LENGTH + 1];
	int32_t base[MAX_LENGTH + 1];
	uint16_t symbol[MAX_SYMBOLS];
	int shortest;
};

static void decode_table_read(struct decode_table *t, struct bit_stream *in, int alphabet)
{
	uint8_t lengths[MAX_SYMBOLS];
	int length = (int)bit_stream_get(in, 5), n = 0;
	int32_t code = 0;

	for (int i = 0; i < alphabet; i++) {
		while (bit_stream_get(in, 1))
			length += bit_stream_get(in, 1) ? -1 : 1;
		lengths[i] = (uint8_t)length;
	}
	t->shortest = MAX_LENGTH;
	for (int l = 1; l <= MAX_LENGTH; l++) {
		t->base[l] = n - code;
		for (int i = 0; i < alphabet; i++) {
			if (lengths[i] != l)
				continue;
			t->symbol[n++] = (uint16_t)i;
			code++;
			if (l < t->shortest)
				t->shortest = l;
		}
		t->limit[l] = code;
		code <<= 1;
	}
}

static int decode_symbol(const struct decode_table *t, struct bit_stream *in)
{
	int length = t->shortest;
	int32_t code = (int32_t)bit_stream_get(in, length);

	while (length < MAX_LENGTH && code >= t->limit[length]) {
		code = code << 1 | (int32_t)bit_stream_get(in, 1);
		length++;
	}
	return t->symbol[code + t->base[length]];
}

#endif
