/*
 * blocksort - stands for bzip2 (SPEC CPU2000 256.bzip2).
 *
 * The same pipeline on the same kinds of data: run-length coding, a
 * Burrows-Wheeler transform per block, move-to-front with zero runs in
 * bijective base two, and Huffman coding with several tables chosen anew
 * every fifty symbols; then all of it backwards. Like the original it sorts
 * with a two-byte radix pass followed by a multikey quicksort whose work is
 * budgeted, and falls back to prefix doubling when a block is too short or
 * too repetitive. Compression compares bytes at positions scattered over the
 * block; decompression chases one index per byte through an array of four
 * times the block's size.
 *
 * Checked: the unpacked bytes and their CRC equal the input, following a last
 * column leads back to where it began, and text got smaller.
 */
#include "blocksort_codes.h"

enum {
	RADIX_DEPTH = 2,
	QUICK_DEPTH = 40,
	GROUP_SIZE = 50,
	MAX_TABLES = 6,
	RUN_A = 0,
	RUN_B = 1,
};

/*
 * One block on its way in: the bytes after run-length coding, a short copy of
 * the beginning behind the end so that shallow comparisons need no wrapping,
 * and the order of the block's rotations.
 */
struct block {
	uint8_t *data;
	uint32_t *order;
	uint32_t *rank;
	int size, room;
	long budget;
};

/* Four equal bytes are followed by a count of further ones. */
static size_t block_fill(struct block *b, const uint8_t *input, size_t size, uint32_t *crc,
			 const struct crc_table *crcs)
{
	size_t at = 0;

	b->size = 0;
	while (at < size && b->size + 6 <= b->room) {
		uint8_t value = input[at];
		size_t run = 1;

		while (run < 255 && at + run < size && input[at + run] == value)
			run++;
		for (size_t i = 0; i < run; i++)
			*crc = crc_update(crcs, *crc, value);
		for (size_t i = 0; i < run && i < 4; i++)
			b->data[b->size++] = value;
		if (run >= 4)
			b->data[b->size++] = (uint8_t)(run - 4);
		at += run;
	}
	for (int i = 0; i < QUICK_DEPTH + 8; i++)
		b->data[b->size + i] = b->data[i % b->size];
	return at;
}

/* True if rotation x comes before rotation y; both agree in their first depth bytes. */
static int rotation_before(struct block *b, uint32_t x, uint32_t y, int depth)
{
	uint32_t n = (uint32_t)b->size;

	x += (uint32_t)depth;
	y += (uint32_t)depth;
	for (int left = b->size; left > 0; left--) {
		if (x >= n)
			x -= n;
		if (y >= n)
			y -= n;
		if (b->data[x] != b->data[y])
			return b->data[x] < b->data[y];
		x++;
		y++;
		b->budget--;
	}
	return 0;
}

static void sort_by_insertion(struct block *b, int low, int high, int depth)
{
	uint32_t *order = b->order;

	for (int i = low + 1; i < high; i++) {
		uint32_t moving = order[i];
		int j = i;

		while (j > low && rotation_before(b, moving, order[j - 1], depth)) {
			order[j] = order[j - 1];
			j--;
		}
		order[j] = moving;
		if (b->budget < 0)
			return;
	}
}

static uint8_t median_of_three(uint8_t x, uint8_t y, uint8_t z)
{
	if (x > y) {
		uint8_t t = x;

		x = y;
		y = t;
	}
	if (y > z)
		y = x > z ? x : z;
	return y;
}

static void swap_order(uint32_t *order, int i, int j)
{
	uint32_t t = order[i];

	order[i] = order[j];
	order[j] = t;
}

static void sort_multikey(struct block *b, int low, int high, int depth)
{
	while (high - low > 1 && b->budget >= 0) {
		uint32_t *order = b->order;
		const uint8_t *key = b->data + depth;
		int less = low, more = high, at = low;
		uint8_t pivot;

		if (high - low < 16 || depth >= QUICK_DEPTH) {
			sort_by_insertion(b, low, high, depth);
			return;
		}
		pivot = median_of_three(key[order[low]], key[order[(low + high) / 2]],
					key[order[high - 1]]);
		while (at < more) {
			uint8_t c = key[order[at]];

			if (c < pivot)
				swap_order(order, less++, at++);
			else if (c > pivot)
				swap_order(order, --more, at);
			else
				at++;
		}
		b->budget -= (high - low) / 8;
		sort_multikey(b, low, less, depth);
		sort_multikey(b, more, high, depth);
		low = less;
		high = more;
		depth++;
	}
}

static void sort_main(struct block *b)
{
	uint32_t *start = workload_alloc((65536 + 1) * sizeof(*start));
	int n = b->size;

	for (int i = 0; i < n; i++)
		start[(b->data[i] << 8 | b->data[i + 1]) + 1]++;
	for (int k = 0; k < 65536; k++)
		start[k + 1] += start[k];
	for (int i = n - 1; i >= 0; i--)
		b->order[start[b->data[i] << 8 | b->data[i + 1]]++] = (uint32_t)i;
	for (int k = 0, low = 0; k < 65536 && b->budget >= 0; k++) {
		int high = (int)start[k];

		if (high - low > 1)
			sort_multikey(b, low, high, RADIX_DEPTH);
		low = high;
	}
	free(start);
}

static void sort_group_by_rank(struct block *b, int low, int high, uint32_t shift)
{
	uint32_t n = (uint32_t)b->size, *order = b->order;
	const uint32_t *rank = b->rank;

#define KEY(i) (rank[(order[i] + shift) % n])
	while (high - low > 1) {
		uint32_t pivot = KEY((low + high) / 2);
		int i = low, j = high - 1;

		while (i <= j) {
			while (KEY(i) < pivot)
				i++;
			while (KEY(j) > pivot)
				j--;
			if (i <= j)
				swap_order(order, i++, j--);
		}
		if (j + 1 - low < high - i) {
			sort_group_by_rank(b, low, j + 1, shift);
			low = i;
		} else {
			sort_group_by_rank(b, i, high, shift);
			high = j + 1;
		}
	}
#undef KEY
}

/* Prefix doubling: groups equal in their first h bytes are split by the ranks h further on. */
static void sort_doubling(struct block *b)
{
	int n = b->size, unsorted = 1;
	uint32_t count[257] = {0};
	uint32_t *fresh = workload_alloc((size_t)n * sizeof(*fresh));

	for (int i = 0; i < n; i++)
		count[b->data[i] + 1]++;
	for (int c = 0; c < 256; c++)
		count[c + 1] += count[c];
	for (int i = 0; i < n; i++)
		b->rank[i] = count[b->data[i]];
	for (int i = 0; i < n; i++)
		b->order[count[b->data[i]]++] = (uint32_t)i;
	for (uint32_t shift = 1; unsorted && shift < (uint32_t)n; shift *= 2) {
		unsorted = 0;
		for (int low = 0, high; low < n; low = high) {
			uint32_t group = b->rank[b->order[low]], name = (uint32_t)low, last = 0;

			for (high = low + 1; high < n && b->rank[b->order[high]] == group; high++)
				;
			if (high - low > 1) {
				sort_group_by_rank(b, low, high, shift);
				unsorted = 1;
			}
			for (int i = low; i < high; i++) {
				uint32_t key = b->rank[(b->order[i] + shift) % (uint32_t)n];

				if (i > low && key != last)
					name = (uint32_t)i;
				last = key;
				fresh[b->order[i]] = name;
			}
		}
		memcpy(b->rank, fresh, (size_t)n * sizeof(*fresh));
	}
	free(fresh);
}

static void block_sort(struct block *b)
{
	b->budget = 10L * b->size;
	if (b->size >= 6000)
		sort_main(b);
	if (b->size < 6000 || b->budget < 0)
		sort_doubling(b);
}

static int block_origin(const struct block *b)
{
	int i = 0;

	while (b->order[i] != 0)
		i++;
	return i;
}

struct symbols {
	uint16_t *code;
	int size;
	int alphabet;
	uint8_t used[256];
	uint32_t frequency[MAX_SYMBOLS];
};

static void symbols_put(struct symbols *s, int code)
{
	s->code[s->size++] = (uint16_t)code;
	s->frequency[code]++;
}

static void symbols_put_run(struct symbols *s, uint32_t run)
{
	while (run > 0) {
		symbols_put(s, run & 1 ? RUN_A : RUN_B);
		run = (run - 1) / 2;
	}
}

static void symbols_from_block(struct symbols *s, const struct block *b)
{
	uint8_t list[256];
	int n_used = 0;
	uint32_t run = 0;

	memset(s->used, 0, sizeof(s->used));
	memset(s->frequency, 0, sizeof(s->frequency));
	s->size = 0;
	for (int i = 0; i < b->size; i++)
		s->used[b->data[i]] = 1;
	for (int c = 0; c < 256; c++)
		if (s->used[c])
			list[n_used++] = (uint8_t)c;
	s->alphabet = n_used + 2;
	for (int i = 0; i < b->size; i++) {
		uint32_t from = b->order[i];
		uint8_t c = b->data[from ? from - 1 : (uint32_t)b->size - 1];
		int j = 0;

		if (list[0] == c) {
			run++;
			continue;
		}
		symbols_put_run(s, run);
		run = 0;
		for (uint8_t carried = list[0]; carried != c;) {
			uint8_t next = list[++j];

			list[j] = carried;
			carried = next;
		}
		list[0] = c;
		symbols_put(s, j + 1);
	}
	symbols_put_run(s, run);
	symbols_put(s, s->alphabet - 1);
}

/* Each table starts good at one range of symbols, then is refined on the groups that prefer it. */
static int choose_tables(const struct symbols *s, struct code_table *table, uint8_t *selector)
{
	int n_tables = s->size < 200	? 2
		       : s->size < 600	? 3
		       : s->size < 1200 ? 4
		       : s->size < 2400 ? 5
					: MAX_TABLES;
	uint32_t left = (uint32_t)s->size;
	int first = 0;

	for (int t = 0; t < n_tables; t++) {
		uint32_t target = left / (uint32_t)(n_tables - t), sum = 0;
		int last = first;

		while (last < s->alphabet && sum < target)
			sum += s->frequency[last++];
		for (int i = 0; i < s->alphabet; i++)
			table[t].length[i] = i >= first && i < last ? 2 : 12;
		first = last;
		left -= sum;
	}
	for (int round = 0; round < 4; round++) {
		for (int t = 0; t < n_tables; t++)
			memset(table[t].frequency, 0, sizeof(table[t].frequency));
		for (int at = 0, group = 0; at < s->size; at += GROUP_SIZE, group++) {
			int end = at + GROUP_SIZE < s->size ? at + GROUP_SIZE : s->size;
			uint32_t cost[MAX_TABLES] = {0};
			int best = 0;

			for (int i = at; i < end; i++)
				for (int t = 0; t < n_tables; t++)
					cost[t] += table[t].length[s->code[i]];
			for (int t = 1; t < n_tables; t++)
				if (cost[t] < cost[best])
					best = t;
			selector[group] = (uint8_t)best;
			for (int i = at; i < end; i++)
				table[best].frequency[s->code[i]]++;
		}
		for (int t = 0; t < n_tables; t++)
			code_table_lengths(&table[t], s->alphabet);
	}
	for (int t = 0; t < n_tables; t++)
		code_table_assign(&table[t], s->alphabet);
	return n_tables;
}

static void write_block(struct bit_stream *out, const struct block *b, const struct symbols *s,
			const struct code_table *table, int n_tables, const uint8_t *selector)
{
	bit_stream_put(out, 1, 1);
	bit_stream_put(out, (uint32_t)block_origin(b), 24);
	for (int c = 0; c < 256; c++)
		bit_stream_put(out, s->used[c], 1);
	bit_stream_put(out, (uint32_t)n_tables, 3);
	bit_stream_put(out, (uint32_t)s->size, 24);
	for (int t = 0; t < n_tables; t++) {
		int length = table[t].length[0];

		bit_stream_put(out, (uint32_t)length, 5);
		for (int i = 0; i < s->alphabet; i++) {
			for (; length < table[t].length[i]; length++)
				bit_stream_put(out, 2, 2);
			for (; length > table[t].length[i]; length--)
				bit_stream_put(out, 3, 2);
			bit_stream_put(out, 0, 1);
		}
	}
	for (int at = 0; at < s->size; at++) {
		const struct code_table *t = &table[selector[at / GROUP_SIZE]];

		if (at % GROUP_SIZE == 0)
			bit_stream_put(out, selector[at / GROUP_SIZE], 3);
		bit_stream_put(out, t->code[s->code[at]], t->length[s->code[at]]);
	}
}

static void compress(struct workload *w, const uint8_t *input, size_t size, int block_room,
		     struct bytes *packed)
{
	struct block b = {.room = block_room};
	struct bit_stream out = {.bytes = packed};
	struct symbols s = {0};
	struct crc_table crcs;
	struct code_table *table = workload_alloc(MAX_TABLES * sizeof(*table));
	uint8_t *selector = workload_alloc((size_t)block_room / GROUP_SIZE + 2);
	uint32_t crc = 0xffffffffu;

	b.data = workload_alloc((size_t)block_room + QUICK_DEPTH + 8);
	b.order = workload_alloc((size_t)block_room * sizeof(*b.order));
	b.rank = workload_alloc((size_t)block_room * sizeof(*b.rank));
	s.code = workload_alloc(((size_t)block_room + 1) * sizeof(*s.code));
	crc_table_init(&crcs);
	for (size_t at = 0; at < size;) {
		int n_tables;

		at += block_fill(&b, input + at, size - at, &crc, &crcs);
		block_sort(&b);
		symbols_from_block(&s, &b);
		n_tables = choose_tables(&s, table, selector);
		write_block(&out, &b, &s, table, n_tables, selector);
		workload_digest(w, (uint64_t)block_origin(&b));
	}
	bit_stream_put(&out, 0, 1);
	bit_stream_put(&out, crc >> 16, 16);
	bit_stream_put(&out, crc & 0xffff, 16);
	bit_stream_flush(&out);
	workload_digest(w, crc);
	free(b.data);
	free(b.order);
	free(b.rank);
	free(s.code);
	free(selector);
	free(table);
}

/* Huffman and move-to-front, backwards: fills the last column, returns its length. */
static int read_column(struct bit_stream *in, uint32_t *column, int room, int *origin)
{
	struct decode_table table[MAX_TABLES];
	const struct decode_table *current = table;
	uint8_t list[256];
	int n_used = 0, n_tables, n_symbols, n = 0;
	uint32_t run = 0, place = 1;

	*origin = (int)bit_stream_get(in, 24);
	for (int c = 0; c < 256; c++)
		if (bit_stream_get(in, 1))
			list[n_used++] = (uint8_t)c;
	n_tables = (int)bit_stream_get(in, 3);
	n_symbols = (int)bit_stream_get(in, 24);
	for (int t = 0; t < n_tables; t++)
		decode_table_read(&table[t], in, n_used + 2);
	for (int i = 0; i < n_symbols; i++) {
		int code;
		uint8_t c;

		if (i % GROUP_SIZE == 0)
			current = &table[bit_stream_get(in, 3)];
		code = decode_symbol(current, in);
		if (code == RUN_A || code == RUN_B) {
			run += place << (code == RUN_B);
			place <<= 1;
			continue;
		}
		for (; run > 0 && n < room; run--)
			column[n++] = list[0];
		place = 1;
		if (code == n_used + 1 || n >= room)
			break;
		c = list[code - 1];
		memmove(list + 1, list, (size_t)code - 1);
		list[0] = c;
		column[n++] = c;
	}
	return n;
}

/* The column's upper 24 bits become the index of the next byte of the block. */
static void link_column(uint32_t *column, int n)
{
	uint32_t start[257] = {0};

	for (int i = 0; i < n; i++)
		start[column[i] + 1]++;
	for (int c = 0; c < 256; c++)
		start[c + 1] += start[c];
	for (int i = 0; i < n; i++)
		column[start[column[i] & 0xff]++] |= (uint32_t)i << 8;
}

static int decompress(struct workload *w, struct bytes *packed, int block_room,
		      struct bytes *output)
{
	struct bit_stream in = {.bytes = packed};
	struct crc_table crcs;
	uint32_t *column = workload_alloc((size_t)block_room * sizeof(*column));
	uint32_t crc = 0xffffffffu, stored;

	crc_table_init(&crcs);
	while (bit_stream_get(&in, 1)) {
		int origin, equal = 0;
		int n = read_column(&in, column, block_room, &origin);
		uint32_t at;
		int last = -1;

		workload_check(w, origin < n, "the block's origin lies inside the block");
		link_column(column, n);
		at = column[origin] >> 8;
		for (int i = 0; i < n; i++) {
			int c = (int)(column[at] & 0xff), copies = 1;

			at = column[at] >> 8;
			if (equal == 4) {
				copies = c;
				c = last;
				equal = 0;
			} else {
				equal = c == last ? equal + 1 : 1;
				last = c;
			}
			for (; copies > 0; copies--) {
				bytes_put(output, (uint8_t)c);
				crc = crc_update(&crcs, crc, (uint8_t)c);
			}
			if (equal == 0)
				last = -1;
		}
		workload_check(w, (int)at == (int)(column[origin] >> 8),
			       "following the column returns to where it began");
	}
	stored = bit_stream_get(&in, 16) << 16;
	stored |= bit_stream_get(&in, 16);
	free(column);
	return stored == crc;
}

/* Prose over a skewed vocabulary, with now and then a table of numbers or a ruled line. */
static void write_input(struct workload *w, struct bytes *text, size_t size)
{
	enum { WORD_ROOM = 12 };
	static const char letters[] = "eeeeettttaaaooiinnsshhrrddllucmfwygpbvk";
	uint32_t words = 100 + (uint32_t)(size / 40 < 1500 ? size / 40 : 1500);
	char(*word)[WORD_ROOM] = workload_alloc(words * sizeof(*word));

	for (uint32_t i = 0; i < words; i++) {
		int length = 2 + (int)workload_below(w, 4) + (int)workload_below(w, 5);

		for (int j = 0; j < length; j++)
			word[i][j] = letters[workload_below(w, sizeof(letters) - 1)];
	}
	while (text->size < size) {
		uint32_t kind = workload_below(w, 60);

		if (kind == 0) {
			for (uint32_t i = 20 + workload_below(w, 60); i > 0; i--)
				bytes_put(text, '-');
			bytes_put(text, '\n');
		} else if (kind <= 3) {
			for (uint32_t i = 3 + workload_below(w, 6); i > 0; i--) {
				char number[16];

				snprintf(number, sizeof(number), "%6u |", workload_below(w, 5000));
				for (const char *p = number; *p; p++)
					bytes_put(text, (uint8_t)*p);
			}
			bytes_put(text, '\n');
		} else {
			for (uint32_t i = 5 + workload_below(w, 12); i > 0; i--) {
				uint32_t pick = workload_below(w, words);

				pick = pick * (workload_below(w, words) + 1) / words;
				pick = pick * (workload_below(w, words) + 1) / words;
				for (const char *p = word[pick]; *p; p++)
					bytes_put(text, (uint8_t)*p);
				bytes_put(text, i == 1 ? '.' : ' ');
			}
			bytes_put(text, workload_below(w, 8) ? ' ' : '\n');
		}
	}
	free(word);
}

int main(int argc, char **argv)
{
	static const size_t input_size[] = {1000, 42000, 640000};
	static const int block_room[] = {1200, 24000, 250000};
	struct workload w = workload_begin("blocksort", argc, argv);
	struct bytes input = {0}, packed = {0}, output = {0};

	write_input(&w, &input, input_size[w.size]);
	compress(&w, input.data, input.size, block_room[w.size], &packed);
	workload_check(&w, decompress(&w, &packed, block_room[w.size], &output),
		       "the CRC of the unpacked bytes is the stored one");
	workload_check(&w, output.size == input.size, "the unpacked size is the input's");
	workload_check(&w, memcmp(output.data, input.data, input.size) == 0,
		       "the unpacked bytes are the input");
	workload_check(&w, packed.size < input.size, "text got smaller");
	workload_digest(&w, packed.size);
	for (size_t i = 0; i < packed.size; i += 7)
		workload_digest(&w, packed.data[i]);
	free(input.data);
	free(packed.data);
	free(output.data);
	return workload_end(&w);
}
