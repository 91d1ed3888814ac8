/*
 * speed.c - speed of what the analytical model is made of: bench/model builds it. Prints a row.
 *
 * Times are processor time of this process. Labelling and the skeleton are measured over steps in
 * memory, in pieces of PIECE steps; a design point by evaluating a finished skeleton again and
 * again; the simulation is `run` of the same instructions on the same machine, nothing observed.
 */
#include <time.h>

#include "load.h"
#include "model/curve.h"
#include "model/kept.h"
#include "model/model.h"
#include "trace/file.h"
#include "trace/record.h"

#define PIECE  65536
#define POINTS 20

enum phase { PHASE_RECORD, PHASE_READ, PHASE_LABEL, PHASE_SKELETON, PHASE_CURVE, PHASES };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct measured {
	double seconds[PHASES];
	double bits, run;
	double kept;	  /* a design point by both, from a file */
	double points[2]; /* a design point by swam-mlp and by the timeline */
	uint64_t instructions, misses;
};

/* The trace of the workload, in memory. */
static const struct bytes *record(struct measured *m, struct trace_writer *writer,
				  struct process *process)
{
	struct recorder *recorder = recorder_create(process);
	double start = now();

	recorder_run(recorder, UINT64_MAX, trace_writer_add, writer);
	const struct bytes *bytes = trace_writer_finish(writer, "{}");
	m->seconds[PHASE_RECORD] = now() - start;
	m->instructions = process->cpu.instructions;
	m->bits = 8 * (double)bytes->count / (double)m->instructions;
	recorder_destroy(recorder);
	return bytes;
}

static void pass(struct measured *m, const struct config *config, const struct bytes *bytes)
{
	struct err err = {.text = ""};
	struct trace_reader *reader = trace_reader_open(bytes->bytes, bytes->count, "trace", &err);
	struct labeller *labeller = labeller_create(config, &err);
	struct curve *curve = curve_create(config, config->rob_size, false);
	const struct skeleton_options options = {.window_most = config->rob_size,
						 .forward_most = config->rob_size,
						 .pending_hits = true,
						 .store_fills_miss = true};
	struct skeleton_builder *builder = skeleton_builder_create(&options);
	struct trace_step *steps = mem_alloc_array(PIECE, sizeof(*steps));
	struct label *labels = mem_alloc_array(PIECE, sizeof(*labels));
	size_t count = 1;

	if (!reader || !labeller)
		fail(err.text);
	while (count) {
		double times[PHASES + 1];

		times[PHASE_READ] = now();
		if (!trace_reader_next(reader, steps, PIECE, &count, &err))
			fail(err.text);
		times[PHASE_LABEL] = now();
		labeller_next(labeller, steps, labels, count);
		times[PHASE_SKELETON] = now();
		skeleton_builder_add(builder, steps, labels, count);
		times[PHASE_CURVE] = now();
		curve_add(curve, steps, labels, count);
		times[PHASES] = now();
		for (unsigned k = PHASE_READ; k < PHASES; k++)
			m->seconds[k] += times[k + 1] - times[k];
	}
	const struct skeleton *skeleton = skeleton_builder_result(builder);
	const struct technique *const techniques[] = {&technique_default, &technique_timeline};
	m->misses = skeleton->count;
	for (unsigned t = 0; t < 2; t++) {
		double start = now();

		for (unsigned i = 0; i < POINTS; i++) {
			struct design_point point = model_design_point(config);
			struct technique_result result;

			point.mshrs = i % 2 ? 16 : MSHRS_UNLIMITED;
			point.memory_latency_cycles += i;
			technique_evaluate(techniques[t], &point, skeleton, &result, NULL);
		}
		m->points[t] = (now() - start) / POINTS;
	}
	free(steps);
	free(labels);
	skeleton_builder_destroy(builder);
	curve_destroy(curve);
	labeller_destroy(labeller);
	trace_reader_close(reader);
}

static bool feed(void *model, const struct trace_step *steps, size_t count)
{
	return model_add(model, steps, count);
}

/* A design point of both techniques from a file of --save-skeleton: reading and checking it too. */
static void use_kept(struct measured *m, const struct config *config, const struct bytes *bytes)
{
	const struct technique techniques[] = {technique_default, technique_timeline};
	const struct kept_key key = {"speed"};
	struct err err = {.text = ""};
	struct trace_reader *reader = trace_reader_open(bytes->bytes, bytes->count, "trace", &err);
	struct model *model = model_create(config, 1, techniques, 2, false, &err);

	if (!reader || !model || !trace_reader_run(reader, feed, model, &err))
		fail(err.text);
	struct bytes kept = kept_write(model, &key);
	model_destroy(model);
	double start = now();
	model = model_create(config, 1, techniques, 2, false, &err);
	if (!kept_read(model, kept.bytes, kept.count, &key, "kept", &err))
		fail(err.text);
	for (size_t t = 0; t < 2; t++) {
		struct model_components components;
		struct technique_result result;

		model_evaluate(model, 0, t, &components, &result, NULL);
	}
	m->kept = now() - start;
	model_destroy(model);
	free(kept.bytes);
	trace_reader_close(reader);
}

static double simulate(const char *elf, const char *size)
{
	struct cs_machine *m = load_machine(elf, size);

	if (!cs_start(m))
		fail(cs_error(m));
	double start = now();
	while (cs_simulate(m, UINT64_MAX, 10000000) == CS_RUNNING)
		;
	double seconds = now() - start;
	cs_close(m);
	return seconds;
}

/* speed ELF NAME SIZE */
int main(int argc, char **argv)
{
	struct measured m = {.instructions = 0};
	struct config config;
	size_t bytes;

	if (argc != 4)
		fail("expects ELF NAME SIZE");
	load_config(&config, "ideal.branch=true");
	uint8_t *image = read_whole(argv[1], &bytes);
	struct process *process = load_process(image, bytes, argv[2], argv[3]);
	struct trace_writer *writer = trace_writer_create("{}");
	const struct bytes *trace = record(&m, writer, process);
	pass(&m, &config, trace);
	use_kept(&m, &config, trace);
	m.run = simulate(argv[1], argv[3]);
	double millions = (double)m.instructions / 1e6;
	printf("> %-11s %8.1f %6.1f %6.2f", argv[2], millions, millions / m.seconds[PHASE_RECORD],
	       m.bits);
	for (unsigned k = PHASE_READ; k < PHASES; k++)
		printf(" %7.1f", millions / m.seconds[k]);
	for (unsigned t = 0; t < 2; t++)
		printf(" %9.0f %7.0f", millions / m.points[t], m.run / m.points[t]);
	printf(" %9.0f %5.0f", millions / m.kept, m.run / m.kept);
	printf(" %6.1f\n", millions / m.run);
	trace_writer_destroy(writer);
	process_destroy(process);
	free(image);
	return 0;
}
