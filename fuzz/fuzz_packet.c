/*
 * Any bytes as a packet, at the configuration port, at the collector and at the readers of bodies:
 * dropped with one fault and without effect, or read. The first byte says whether the rest gets a
 * right length and checksum first, so that the bodies are reached, and whether the right ticket;
 * and whether the collector has a key, which signs it then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "stats/collector.h"
#include "stats/control.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void read_bodies(const struct packet *packet)
{
	struct packet_counts counts;
	struct packet_names names;
	struct stats_wish wish;
	uint64_t sequence;
	char text[256];
	bool is_accepted;

	packet_read_counts(packet, &counts);
	packet_read_names(packet, &names);
	stats_wish_release(&names.names);
	packet_read_configure(packet, &wish);
	stats_wish_release(&wish);
	struct packet_about about;
	packet_read_about(packet, &about);
	packet_read_acknowledge(packet, &sequence);
	packet_read_answer(packet, &sequence, &is_accepted, text);
}

enum { HAS_FRAME = 1, HAS_TICKET = 2, HAS_KEY = 4 };
#define TICKET 70

/* A database for all packets; each of them is taken back. */
static struct store *open_store(void)
{
	char path[] = P_tmpdir "/fuzz_packet.XXXXXX";
	struct err err;
	int fd = mkstemp(path);

	BUG_ON(fd < 0);
	close(fd);
	struct store *store = store_open(path, true, &err);
	BUG_ON(!store);
	/* What is open stays usable, and nothing is left behind. */
	static const char *const beside[] = {"", "-wal", "-shm"};
	for (size_t i = 0; i < ARRAY_COUNT(beside); i++) {
		char name[sizeof(path) + 8];

		snprintf(name, sizeof(name), "%s%s", path, beside[i]);
		unlink(name);
	}
	return store;
}

/* Twice: the second time nothing may come of it but what came of it before. */
static void collect(const uint8_t *bytes, size_t size, const struct packet_key *key)
{
	static struct store *store;
	struct collector *collector = mem_alloc(sizeof(*collector));
	const struct link_address from = {.bytes = 0};
	struct err err;

	if (!store)
		store = open_store();
	BUG_ON(!collector_init(collector, store, key, UINT64_C(1) << 30, &err));
	BUG_ON(!collector_begin(collector, &err));
	for (int i = 0; i < 2; i++)
		BUG_ON(!collector_take(collector, bytes, size, &from, 1000, &err));
	for (int i = 0; i < PACKET_FAULTS; i++)
		BUG_ON(collector->dropped[i] % 2);
	store_rollback(store);
	free(collector);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct packet_key none;
	static uint8_t key_bytes[] = "a key of sixteen";
	struct packet_key key = {NULL, 0};
	struct packet_writer *writer = mem_alloc(sizeof(*writer));
	struct stats_wish first = {0};
	struct stats_control control = {.key = &none, .run = 7, .ticket = TICKET, .first = &first};
	struct packet packet;

	if (size > 1 && size < PACKET_BYTES_MOST && bytes[0] & HAS_FRAME) {
		if (bytes[0] & HAS_KEY)
			key = (struct packet_key){key_bytes, sizeof(key_bytes) - 1};
		writer->ticket = bytes[0] & HAS_TICKET ? TICKET : 0;
		writer->size = size - 1;
		memcpy(writer->bytes, bytes + 1, writer->size);
		if (writer->size < 12 || !packet_end(writer, &key))
			writer->size = 0;
		bytes = writer->bytes;
		size = writer->size;
	}
	uint8_t *copy = mem_alloc(size + 1);
	memcpy(copy, bytes, size);
	control.key = &key;
	if (packet_read(&packet, copy, size, &key) == PACKET_GOOD)
		read_bodies(&packet);
	enum packet_fault fault = stats_control_take(&control, copy, size, writer);
	BUG_ON(fault != PACKET_GOOD && (control.has_first || control.accepted));
	BUG_ON(fault != PACKET_GOOD && control.faults[fault] != 1);
	BUG_ON(control.accepted && control.ticket == TICKET);
	collect(copy, size, &key);
	stats_wish_release(&first);
	free(copy);
	free(writer);
	return 0;
}
