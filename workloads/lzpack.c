/*
 * lzpack - stands for gzip (SPEC CPU2000 164.gzip).
 *
 * Compresses a buffer in memory to a gzip member at several levels and
 * unpacks it again, as the original benchmark does: a 32 KB window, hash
 * chains threaded through an array of previous positions, lazy matching with
 * level-dependent limits, blocks of dynamic Huffman codes (themselves run
 * length and Huffman coded) or stored bytes where coding does not pay, and an
 * inflater with a table for short codes and a canonical walk for long ones.
 * The hot loops follow chains of positions and compare bytes behind them:
 * short loops with unpredictable ends over some 250 KB of window, links and
 * hash heads. The input mixes a log, a program's fixed-size records, source
 * text and noise.
 *
 * Checked: every level unpacks to the input with the right CRC and length,
 * and a higher level never needs noticeably more room than a lower one.
 */
#include "workload.h"

enum {
	WINDOW = 32768,
	HASH_BITS = 14,
	MIN_MATCH = 3,
	MAX_MATCH = 258,
	LITERALS = 286,
	DISTANCES = 30,
	END_OF_BLOCK = 256,
	MAX_BITS = 15,
	BLOCK_SYMBOLS = 6000,
	FAST_BITS = 9,
};

static const uint16_t length_base[] = {3,  4,  5,  6,	7,   8,	  9,   10,  11, 13,
				       15, 17, 19, 23,	27,  31,  35,  43,  51, 59,
				       67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t length_extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
				       2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const uint16_t distance_base[] = {
	1,   2,	  3,   4,   5,	 7,    9,    13,   17,	 25,   33,   49,   65,	  97,	 129,
	193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
static const uint8_t clen_order[] = {16, 17, 18, 0, 8,	7, 9,  6, 10, 5,
				     11, 4,  12, 3, 13, 2, 14, 1, 15};

static int distance_extra(int code)
{
	return code < 4 ? 0 : code / 2 - 1;
}

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

struct crc_table {
	uint32_t entry[256];
};

static void crc_table_init(struct crc_table *t)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int k = 0; k < 8; k++)
			c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
		t->entry[i] = c;
	}
}

static uint32_t crc_of(const struct crc_table *t, const uint8_t *data, size_t size)
{
	uint32_t crc = 0xffffffffu;

	for (size_t i = 0; i < size; i++)
		crc = crc >> 8 ^ t->entry[(crc ^ data[i]) & 0xff];
	return ~crc;
}

struct bit_writer {
	struct bytes *out;
	uint64_t held;
	int bits;
};

static void bit_writer_put(struct bit_writer *w, uint32_t value, int bits)
{
	w->held |= (uint64_t)value << w->bits;
	w->bits += bits;
	while (w->bits >= 8) {
		bytes_put(w->out, (uint8_t)w->held);
		w->held >>= 8;
		w->bits -= 8;
	}
}

static void bit_writer_align(struct bit_writer *w)
{
	if (w->bits > 0)
		bit_writer_put(w, 0, 8 - w->bits);
}

/* A Huffman code under construction. */
struct code {
	uint32_t frequency[LITERALS];
	uint8_t length[LITERALS];
	uint16_t bits[LITERALS];
	int size;
};

/* Symbols by frequency, rarest first; only used ones. */
static int code_sorted(const struct code *c, uint16_t *sorted)
{
	int n = 0;

	for (int s = 0; s < c->size; s++) {
		int at = n;

		if (!c->frequency[s])
			continue;
		while (at > 0 && c->frequency[sorted[at - 1]] > c->frequency[s]) {
			sorted[at] = sorted[at - 1];
			at--;
		}
		sorted[at] = (uint16_t)s;
		n++;
	}
	return n;
}

/* Huffman lengths by merging two queues; over-long codes are shortened as gzip does. */
static void code_lengths(struct code *c, int limit)
{
	uint32_t weight[2 * LITERALS];
	uint16_t sorted[LITERALS], parent[2 * LITERALS];
	int count[64] = {0}, depth[2 * LITERALS], n, leaf = 0, inner, nodes, excess = 0;

	memset(c->length, 0, sizeof(c->length));
	for (int s = 0; s < 2; s++)
		c->frequency[s] += c->frequency[s] == 0;
	n = code_sorted(c, sorted);
	for (int i = 0; i < n; i++)
		weight[i] = c->frequency[sorted[i]];
	inner = nodes = n;
	while (nodes < 2 * n - 1) {
		uint32_t sum = 0;

		for (int k = 0; k < 2; k++) {
			int take_leaf =
				leaf < n && (inner >= nodes || weight[leaf] <= weight[inner]);
			int child = take_leaf ? leaf++ : inner++;

			sum += weight[child];
			parent[child] = (uint16_t)nodes;
		}
		weight[nodes++] = sum;
	}
	depth[nodes - 1] = 0;
	for (int i = nodes - 2; i >= 0; i--) {
		depth[i] = depth[parent[i]] + 1;
		if (i < n) {
			if (depth[i] > limit)
				excess++;
			count[depth[i] > limit ? limit : depth[i]]++;
		}
	}
	/* Restore the Kraft sum: lengthen shorter codes, then take back what was too much. */
	if (excess) {
		int64_t kraft = 0;

		for (int l = 1; l <= limit; l++)
			kraft += (int64_t)count[l] << (limit - l);
		while (kraft > (int64_t)1 << limit) {
			int l = limit - 1;

			while (count[l] == 0)
				l--;
			count[l]--;
			count[l + 1]++;
			kraft -= (int64_t)1 << (limit - l - 1);
		}
		for (; kraft < (int64_t)1 << limit; kraft++) {
			count[limit]--;
			count[limit - 1]++;
		}
	}
	for (int l = limit, i = 0; l > 0; l--)
		for (int k = 0; k < count[l]; k++)
			c->length[sorted[i++]] = (uint8_t)l;
}

static uint16_t reversed(uint32_t value, int bits)
{
	uint32_t result = 0;

	for (; bits > 0; bits--, value >>= 1)
		result = result << 1 | (value & 1);
	return (uint16_t)result;
}

static void code_assign(struct code *c)
{
	uint32_t next[MAX_BITS + 2] = {0};
	int count[MAX_BITS + 1] = {0};

	for (int s = 0; s < c->size; s++)
		count[c->length[s]]++;
	count[0] = 0;
	for (int l = 1; l <= MAX_BITS; l++)
		next[l + 1] = (next[l] + (uint32_t)count[l]) << 1;
	for (int s = 0; s < c->size; s++)
		if (c->length[s])
			c->bits[s] = reversed(next[c->length[s]]++, c->length[s]);
}

static int length_code(int length)
{
	int code = 28;

	while (length_base[code] > length)
		code--;
	return code;
}

static int distance_code(int distance)
{
	int low = 0, high = DISTANCES - 1;

	while (low < high) {
		int middle = (low + high + 1) / 2;

		if (distance_base[middle] <= distance)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

struct level {
	int good, lazy, nice, chain;
};

struct packer {
	const uint8_t *input;
	size_t size;
	const struct level *level;
	int32_t head[1 << HASH_BITS], previous[WINDOW];
	uint16_t symbol[BLOCK_SYMBOLS], distance[BLOCK_SYMBOLS];
	int n_symbols;
	size_t block_start;
	struct code literals, distances, lengths;
	uint8_t length_to_code[MAX_MATCH + 1];
	struct bit_writer out;
};

static uint32_t hash_at(const uint8_t *p)
{
	uint32_t v = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;

	return (v * 2654435761u) >> (32 - HASH_BITS);
}

static int32_t insert(struct packer *p, size_t at)
{
	uint32_t h = hash_at(p->input + at);
	int32_t before = p->head[h];

	p->previous[at % WINDOW] = before;
	p->head[h] = (int32_t)at;
	return before;
}

static int longest_match(const struct packer *p, size_t at, int32_t candidate, int best,
			 size_t *where)
{
	const uint8_t *now = p->input + at;
	size_t left = p->size - at;
	int limit = left < MAX_MATCH ? (int)left : MAX_MATCH;
	int chain = best >= p->level->good ? p->level->chain / 4 : p->level->chain;

	while (candidate >= 0 && at - (size_t)candidate <= WINDOW - MAX_MATCH && chain-- > 0) {
		const uint8_t *then = p->input + candidate;

		if (best < limit && then[best] == now[best] && then[0] == now[0] &&
		    then[1] == now[1]) {
			int length = 2;

			while (length < limit && then[length] == now[length])
				length++;
			if (length > best) {
				best = length;
				*where = (size_t)candidate;
				if (length >= p->level->nice || length == limit)
					break;
			}
		}
		candidate = p->previous[candidate % WINDOW];
	}
	return best;
}

/* The code lengths of both codes, run-length coded into symbols 0-18 with extra bits. */
static int pack_lengths(struct packer *p, int n_literals, int n_distances, uint8_t *symbol,
			uint8_t *extra)
{
	uint8_t all[LITERALS + DISTANCES];
	int n = n_literals + n_distances, used = 0;

	memcpy(all, p->literals.length, (size_t)n_literals);
	memcpy(all + n_literals, p->distances.length, (size_t)n_distances);
	memset(p->lengths.frequency, 0, sizeof(p->lengths.frequency));
	for (int i = 0, run; i < n; i += run) {
		int value = all[i], first = i;

		for (run = 1; i + run < n && all[i + run] == value && run < (value ? 7 : 138);)
			run++;
		if (value == 0 && run >= 3) {
			symbol[used] = run < 11 ? 17 : 18;
			extra[used] = (uint8_t)(run < 11 ? run - 3 : run - 11);
		} else if (value && run >= 4) {
			p->lengths.frequency[value]++;
			symbol[used++] = (uint8_t)value;
			symbol[used] = 16;
			extra[used] = (uint8_t)(run - 4);
		} else {
			run = 1;
			symbol[used] = all[first];
		}
		p->lengths.frequency[symbol[used++]]++;
	}
	return used;
}

static void write_dynamic(struct packer *p)
{
	uint8_t symbol[LITERALS + DISTANCES], extra[LITERALS + DISTANCES];
	int n_literals = LITERALS, n_distances = DISTANCES, n_lengths = 19, used;

	while (n_literals > 257 && !p->literals.length[n_literals - 1])
		n_literals--;
	while (n_distances > 1 && !p->distances.length[n_distances - 1])
		n_distances--;
	used = pack_lengths(p, n_literals, n_distances, symbol, extra);
	code_lengths(&p->lengths, 7);
	code_assign(&p->lengths);
	while (n_lengths > 4 && !p->lengths.length[clen_order[n_lengths - 1]])
		n_lengths--;
	bit_writer_put(&p->out, (uint32_t)n_literals - 257, 5);
	bit_writer_put(&p->out, (uint32_t)n_distances - 1, 5);
	bit_writer_put(&p->out, (uint32_t)n_lengths - 4, 4);
	for (int i = 0; i < n_lengths; i++)
		bit_writer_put(&p->out, p->lengths.length[clen_order[i]], 3);
	for (int i = 0; i < used; i++) {
		int s = symbol[i];

		bit_writer_put(&p->out, p->lengths.bits[s], p->lengths.length[s]);
		if (s >= 16)
			bit_writer_put(&p->out, extra[i], s == 16 ? 2 : s == 17 ? 3 : 7);
	}
	for (int i = 0; i < p->n_symbols; i++) {
		int length = p->symbol[i], distance = p->distance[i], code;

		if (!distance) {
			bit_writer_put(&p->out, p->literals.bits[length],
				       p->literals.length[length]);
			continue;
		}
		code = p->length_to_code[length];
		bit_writer_put(&p->out, p->literals.bits[257 + code],
			       p->literals.length[257 + code]);
		bit_writer_put(&p->out, (uint32_t)(length - length_base[code]), length_extra[code]);
		code = distance_code(distance);
		bit_writer_put(&p->out, p->distances.bits[code], p->distances.length[code]);
		bit_writer_put(&p->out, (uint32_t)(distance - distance_base[code]),
			       distance_extra(code));
	}
	bit_writer_put(&p->out, p->literals.bits[END_OF_BLOCK], p->literals.length[END_OF_BLOCK]);
}

static void write_stored(struct packer *p, size_t from, size_t to)
{
	uint32_t size = (uint32_t)(to - from);

	bit_writer_align(&p->out);
	bit_writer_put(&p->out, size, 16);
	bit_writer_put(&p->out, size ^ 0xffff, 16);
	for (; from < to; from++)
		bit_writer_put(&p->out, p->input[from], 8);
}

static void flush_block(struct packer *p, size_t end, int last)
{
	uint64_t bits = 0;
	int stored;

	memset(p->literals.frequency, 0, sizeof(p->literals.frequency));
	memset(p->distances.frequency, 0, sizeof(p->distances.frequency));
	for (int i = 0; i < p->n_symbols; i++) {
		if (p->distance[i]) {
			p->literals.frequency[257 + p->length_to_code[p->symbol[i]]]++;
			p->distances.frequency[distance_code(p->distance[i])]++;
		} else {
			p->literals.frequency[p->symbol[i]]++;
		}
	}
	p->literals.frequency[END_OF_BLOCK] = 1;
	code_lengths(&p->literals, MAX_BITS);
	code_lengths(&p->distances, MAX_BITS);
	code_assign(&p->literals);
	code_assign(&p->distances);
	for (int s = 0; s < LITERALS; s++)
		bits += (uint64_t)p->literals.frequency[s] *
			(uint64_t)(p->literals.length[s] + (s >= 257 ? length_extra[s - 257] : 0));
	for (int s = 0; s < DISTANCES; s++)
		bits += (uint64_t)p->distances.frequency[s] *
			(uint64_t)(p->distances.length[s] + distance_extra(s));
	stored = bits / 8 + 60 >= end - p->block_start && end - p->block_start < 65536;
	bit_writer_put(&p->out, (uint32_t)last, 1);
	bit_writer_put(&p->out, stored ? 0 : 2, 2);
	if (stored)
		write_stored(p, p->block_start, end);
	else
		write_dynamic(p);
	p->n_symbols = 0;
	p->block_start = end;
}

static void emit(struct packer *p, int symbol, int distance, size_t end)
{
	p->symbol[p->n_symbols] = (uint16_t)symbol;
	p->distance[p->n_symbols++] = (uint16_t)distance;
	if (p->n_symbols == BLOCK_SYMBOLS)
		flush_block(p, end, 0);
}

/* A match is only taken if the next position has no longer one. */
static void deflate(struct packer *p)
{
	size_t at = 0, held_from = 0;
	int held = 0, have_literal = 0;

	for (size_t i = 0; i < 1 << HASH_BITS; i++)
		p->head[i] = -1;
	while (at < p->size) {
		int length = 0;
		size_t from = 0;

		if (at + MIN_MATCH <= p->size) {
			int32_t candidate = insert(p, at);

			if (held < p->level->lazy)
				length = longest_match(p, at, candidate,
						       held > MIN_MATCH - 1 ? held : MIN_MATCH - 1,
						       &from);
			if (length < MIN_MATCH || length <= held ||
			    (length == MIN_MATCH && at - from > 4096))
				length = 0;
		}
		if (held && !length) {
			size_t end = at - 1 + (size_t)held;

			emit(p, held, (int)(at - 1 - held_from), end);
			for (at++; at < end; at++)
				if (at + MIN_MATCH <= p->size)
					insert(p, at);
			held = have_literal = 0;
			continue;
		}
		if (have_literal)
			emit(p, p->input[at - 1], 0, at);
		have_literal = 1;
		held = length;
		held_from = from;
		at++;
	}
	if (held)
		emit(p, held, (int)(at - 1 - held_from), at);
	else if (have_literal)
		emit(p, p->input[at - 1], 0, at);
	flush_block(p, p->size, 1);
}

static void gzip(struct packer *p, const struct crc_table *crcs, struct bytes *out)
{
	static const uint8_t header[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
	uint32_t crc = crc_of(crcs, p->input, p->size);

	for (size_t i = 0; i < sizeof(header); i++)
		bytes_put(out, header[i]);
	p->out = (struct bit_writer){.out = out};
	p->n_symbols = 0;
	p->block_start = 0;
	deflate(p);
	bit_writer_align(&p->out);
	bit_writer_put(&p->out, crc, 32);
	bit_writer_put(&p->out, (uint32_t)p->size, 32);
}

struct bit_reader {
	const uint8_t *data;
	size_t size, at;
	uint64_t held;
	int bits;
};

static void bit_reader_need(struct bit_reader *r, int bits)
{
	while (r->bits < bits) {
		r->held |= (uint64_t)(r->at < r->size ? r->data[r->at] : 0) << r->bits;
		r->at++;
		r->bits += 8;
	}
}

static uint32_t bit_reader_get(struct bit_reader *r, int bits)
{
	uint32_t value;

	bit_reader_need(r, bits);
	value = (uint32_t)(r->held & ((UINT64_C(1) << bits) - 1));
	r->held >>= bits;
	r->bits -= bits;
	return value;
}

/* Short codes by table, symbol << 4 | length; longer ones bit by bit in canonical order. */
struct decoder {
	uint16_t fast[1 << FAST_BITS];
	uint16_t count[MAX_BITS + 1], sorted[LITERALS];
};

static void decoder_build(struct decoder *d, const uint8_t *length, int n)
{
	uint32_t first[MAX_BITS + 2] = {0};
	uint16_t start[MAX_BITS + 2] = {0};

	memset(d, 0, sizeof(*d));
	for (int s = 0; s < n; s++)
		d->count[length[s]]++;
	d->count[0] = 0;
	for (int l = 1; l <= MAX_BITS; l++) {
		first[l + 1] = (first[l] + d->count[l]) << 1;
		start[l + 1] = (uint16_t)(start[l] + d->count[l]);
	}
	for (int s = 0; s < n; s++) {
		int l = length[s];
		uint32_t bits;

		if (!l)
			continue;
		d->sorted[start[l]++] = (uint16_t)s;
		bits = reversed(first[l]++, l);
		for (; l <= FAST_BITS && bits < 1 << FAST_BITS; bits += 1u << l)
			d->fast[bits] = (uint16_t)(s << 4 | l);
	}
}

static int decode(const struct decoder *d, struct bit_reader *r)
{
	uint16_t entry;
	int code = 0, first = 0, index = 0;

	bit_reader_need(r, MAX_BITS);
	entry = d->fast[r->held & ((1 << FAST_BITS) - 1)];
	if (entry) {
		r->held >>= entry & 15;
		r->bits -= entry & 15;
		return entry >> 4;
	}
	for (int l = 1; l <= MAX_BITS; l++) {
		code |= (int)bit_reader_get(r, 1);
		if (code - first < d->count[l])
			return d->sorted[index + code - first];
		index += d->count[l];
		first = (first + d->count[l]) << 1;
		code <<= 1;
	}
	return END_OF_BLOCK;
}

static void read_codes(struct bit_reader *r, struct decoder *literals, struct decoder *distances)
{
	struct decoder lengths;
	uint8_t length[LITERALS + 2 + DISTANCES + 2] = {0}, clen[19] = {0};
	int n_literals = 257 + (int)bit_reader_get(r, 5),
	    n_distances = 1 + (int)bit_reader_get(r, 5);
	int n_lengths = 4 + (int)bit_reader_get(r, 4), n = 0;

	for (int i = 0; i < n_lengths; i++)
		clen[clen_order[i]] = (uint8_t)bit_reader_get(r, 3);
	decoder_build(&lengths, clen, 19);
	while (n < n_literals + n_distances) {
		int s = decode(&lengths, r), repeat = 1;
		uint8_t value = s < 16 ? (uint8_t)s : 0;

		if (s == 16) {
			value = n ? length[n - 1] : 0;
			repeat = 3 + (int)bit_reader_get(r, 2);
		} else if (s == 17) {
			repeat = 3 + (int)bit_reader_get(r, 3);
		} else if (s == 18) {
			repeat = 11 + (int)bit_reader_get(r, 7);
		}
		for (; repeat > 0 && n < n_literals + n_distances; repeat--)
			length[n++] = value;
	}
	decoder_build(literals, length, n_literals);
	decoder_build(distances, length + n_literals, n_distances);
}

static int inflate_block(struct bit_reader *r, struct bytes *out)
{
	struct decoder literals, distances;

	read_codes(r, &literals, &distances);
	for (;;) {
		int s = decode(&literals, r), length, code;
		size_t from;

		if (s == END_OF_BLOCK)
			return 1;
		if (s < END_OF_BLOCK) {
			bytes_put(out, (uint8_t)s);
			continue;
		}
		s -= 257;
		length = length_base[s] + (int)bit_reader_get(r, length_extra[s]);
		code = decode(&distances, r);
		from = distance_base[code] + bit_reader_get(r, distance_extra(code));
		if (from > out->size)
			return 0;
		for (from = out->size - from; length > 0; length--)
			bytes_put(out, out->data[from++]);
	}
}

static int gunzip(const struct bytes *packed, const struct crc_table *crcs, struct bytes *out)
{
	struct bit_reader r = {.data = packed->data, .size = packed->size, .at = 10};
	int last = 0;
	uint32_t crc;

	while (!last) {
		last = (int)bit_reader_get(&r, 1);
		if (bit_reader_get(&r, 2) == 0) {
			bit_reader_get(&r, r.bits % 8);
			for (uint32_t n = bit_reader_get(&r, 32) & 0xffff; n > 0; n--)
				bytes_put(out, (uint8_t)bit_reader_get(&r, 8));
		} else if (!inflate_block(&r, out)) {
			return 0;
		}
	}
	bit_reader_get(&r, r.bits % 8);
	crc = bit_reader_get(&r, 32);
	return bit_reader_get(&r, 32) == (uint32_t)out->size &&
	       crc == crc_of(crcs, out->data, out->size);
}

static void put_text(struct bytes *out, const char *text)
{
	while (*text)
		bytes_put(out, (uint8_t)*text++);
}

static void make_input(struct workload *w, struct bytes *input, size_t size)
{
	static const char *const places[] = {"/index",	   "/login",	 "/static/logo",
					     "/api/items", "/api/users", "/search"};
	static const char *const words[] = {"return",	  "struct",	 "while", "count",
					    "node->next", "if (",	 ")",	  " = ",
					    ";\n\t",	  "static int ", "size",  "0"};
	uint32_t clock = 0;
	char line[100];

	while (input->size < size) {
		uint32_t part = workload_below(w, 16), rows = 10 + workload_below(w, 20);

		for (uint32_t i = 0; i < rows; i++) {
			if (part < 7) {
				int host = (int)workload_below(w, 1000);
				int bytes = (int)workload_below(w, 9000);

				clock += workload_below(w, 90);
				snprintf(line, sizeof(line),
					 "10.0.%d.%d - [%02d:%02d:%02d] GET %s 200 %d\n",
					 host / 250, host % 250, (int)(clock / 3600 % 24),
					 (int)(clock / 60 % 60), (int)(clock % 60),
					 places[workload_below(w, 6)], bytes);
				put_text(input, line);
			} else if (part < 11) {
				uint64_t record = workload_below(w, 5000) * UINT64_C(0x100000001);

				for (int k = 0; k < 4; k++)
					bytes_put(input, (uint8_t)(record >> 8 * k));
				for (int k = 0; k < 12; k++)
					bytes_put(input, (uint8_t)(k == 5 ? part : k & 8));
			} else if (part < 15) {
				for (int k = 0; k < 8; k++)
					put_text(input, words[workload_below(w, 12)]);
			} else {
				for (int k = 0; k < 24; k++)
					bytes_put(input, (uint8_t)workload_random(w));
			}
		}
	}
	input->size = size;
}

int main(int argc, char **argv)
{
	static const struct level levels[] = {{4, 4, 16, 8}, {8, 16, 128, 32}, {32, 258, 258, 160}};
	static const size_t sizes[] = {3500, 40000, 640000};
	static const int first_level[] = {1, 0, 0}, last_level[] = {1, 2, 2};
	struct workload w = workload_begin("lzpack", argc, argv);
	struct packer *p = workload_alloc(sizeof(*p));
	struct bytes input = {0}, packed = {0}, output = {0};
	struct crc_table crcs;
	size_t lower = 0;

	crc_table_init(&crcs);
	make_input(&w, &input, sizes[w.size]);
	p->input = input.data;
	p->size = input.size;
	p->literals.size = LITERALS;
	p->distances.size = DISTANCES;
	p->lengths.size = 19;
	for (int length = MIN_MATCH; length <= MAX_MATCH; length++)
		p->length_to_code[length] = (uint8_t)length_code(length);
	for (int level = first_level[w.size]; level <= last_level[w.size]; level++) {
		p->level = &levels[level];
		packed.size = output.size = 0;
		gzip(p, &crcs, &packed);
		workload_check(&w, gunzip(&packed, &crcs, &output), "the CRC and length hold");
		workload_check(&w, output.size == input.size, "the unpacked size is the input's");
		workload_check(&w, memcmp(output.data, input.data, input.size) == 0,
			       "the unpacked bytes are the input");
		workload_check(&w, lower == 0 || packed.size < lower + lower / 50,
			       "a higher level does not pack worse");
		lower = packed.size;
		workload_digest(&w, packed.size);
		workload_digest(&w, crc_of(&crcs, packed.data, packed.size));
	}
	free(input.data);
	free(packed.data);
	free(output.data);
	free(p);
	return workload_end(&w);
}
