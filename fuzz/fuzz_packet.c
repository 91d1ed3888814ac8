/*
 * Any bytes as a packet, at the configuration port and at the readers of bodies: dropped with one
 * fault and without effect, or read. The first byte says whether the rest gets a right length and
 * checksum first, so that the bodies are reached.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
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
	packet_read_acknowledge(packet, &sequence);
	packet_read_answer(packet, &sequence, &is_accepted, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct packet_key none;
	struct packet_writer *writer = mem_alloc(sizeof(*writer));
	struct stats_wish first = {0};
	struct stats_control control = {.key = &none, .run = 7, .first = &first};
	struct packet packet;

	if (size > 1 && size < PACKET_BYTES_MOST && bytes[0] & 1) {
		writer->size = size - 1;
		memcpy(writer->bytes, bytes + 1, writer->size);
		if (writer->size < 12 || !packet_end(writer, &none))
			writer->size = 0;
		bytes = writer->bytes;
		size = writer->size;
	}
	uint8_t *copy = mem_alloc(size + 1);
	memcpy(copy, bytes, size);
	if (packet_read(&packet, copy, size, &none) == PACKET_GOOD)
		read_bodies(&packet);
	enum packet_fault fault = stats_control_take(&control, copy, size, writer);
	BUG_ON(fault != PACKET_GOOD && (control.has_first || control.accepted));
	BUG_ON(fault != PACKET_GOOD && control.faults[fault] != 1);
	stats_wish_release(&first);
	free(copy);
	free(writer);
	return 0;
}
