#include "job/circuits.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct job_circuits {
	struct stimuli *stimuli;
	void (*send)(void *context, const void *bytes, size_t size);
	void *context;
	uint8_t *piece;
	size_t capacity;
};

struct piece_head {
	uint32_t circuit, file;
};

static void send_piece(void *context, size_t circuit, enum stimulus_file file, const void *bytes,
		       size_t size)
{
	struct job_circuits *circuits = context;
	const struct piece_head head = {(uint32_t)circuit, file};

	if (circuits->capacity < sizeof(head) + size) {
		circuits->capacity = 2 * (sizeof(head) + size);
		circuits->piece = mem_realloc(circuits->piece, circuits->capacity, 1);
	}
	memcpy(circuits->piece, &head, sizeof(head));
	memcpy(circuits->piece + sizeof(head), bytes, size);
	if (circuits->send)
		circuits->send(circuits->context, circuits->piece, sizeof(head) + size);
}

struct job_circuits *job_circuits_begin(const struct job *job, struct simulation *simulation,
					const struct job_watch *watch)
{
	struct job_circuits *circuits = mem_alloc(sizeof(*circuits));

	circuits->send = watch->send;
	circuits->context = watch->context;
	circuits->stimuli = stimuli_create(job->circuits, job->circuit_count, send_piece, circuits);
	simulation_attach(simulation, (struct observer){stimuli_cycle, circuits->stimuli,
							stimuli_events(circuits->stimuli)});
	return circuits;
}

void job_circuits_finish(struct job_circuits *circuits)
{
	stimuli_end(circuits->stimuli);
}

void job_circuits_end(struct job_circuits *circuits)
{
	if (!circuits)
		return;
	stimuli_destroy(circuits->stimuli);
	free(circuits->piece);
	free(circuits);
}

bool circuits_piece_read(struct circuits_piece *piece, size_t circuits, const void *bytes,
			 size_t size)
{
	struct piece_head head;

	if (size < sizeof(head))
		return false;
	memcpy(&head, bytes, sizeof(head));
	*piece = (struct circuits_piece){head.circuit, head.file,
					 (const char *)bytes + sizeof(head), size - sizeof(head)};
	return head.circuit < circuits && head.file < STIMULUS_FILES;
}
