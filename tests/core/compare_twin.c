/*
 * compare_twin [options] PROGRAM [ARGUMENT...]: runs a core and its slow twin side
 * by side on one program and stops at the first cycle in which they differ.
 *
 *   -c FILE         a configuration, instead of the default of every parameter
 *   -s KEY=VALUE    changes a parameter; any number of times
 *   -t KEY=VALUE    changes a parameter of the twin only: then they must differ
 *   -n COUNT        stops after so many instructions (default: at the program's end)
 *   -k              the fast core does not skip cycles
 *   -f FUNCTION     both are warmed up to a call of it and run until that has returned: which
 *   -m COUNT        call; without it all of them, one after the other, with warming in between
 *   -r              prints how often rare things met (meetings.h)
 *
 * Status 0: every cycle was equal, and so were the counters of cores, caches, TLBs and predictor,
 * the counts add up, and the program behaved as it does without a core. Status 1: otherwise; the
 * difference is printed. Status 2: it could not be run.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "core/core.h"
#include "image/symbols.h"
#include "machine/parts.h"
#include "machine/warm.h"
#include "meetings.h"
#include "twin.h"

#define GUEST_MEMORY_BYTES (UINT64_C(1) << 32)

/* One of the two cores, or the functional run: a process, and parts if it has a core. */
struct side {
	struct process *process;
	struct hierarchy *hierarchy;
	struct predictor *predictor;
	int output[2]; /* standard output and error, in memory */
	struct warm warm;
	struct warm_function function;
	uint64_t skipped; /* instructions that the core has not executed */
};

/* What is compared, by the options. */
struct wish {
	struct config config, twin_config;
	uint64_t limit;
	bool skips, counts_meetings;
	const char *function;
	uint64_t call; /* EVERY_CALL, or the number of one */
};

#define EVERY_CALL 0

struct image {
	const uint8_t *bytes;
	size_t count;
	const char *const *argv;
};

/* Sums over the records of the fast core. */
struct sums {
	uint64_t cycles, records, fetched, useful_fetched, fed, dispatched, issued, committed;
	uint64_t squashed, commit_events;
};

static _Noreturn void give_up(const char *sentence)
{
	fprintf(stderr, "compare_twin: %s\n", sentence);
	exit(2);
}

static struct image open_image(char **argv)
{
	struct stat info;
	int fd = open(argv[0], O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &info) != 0)
		give_up(strerror(errno));
	void *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		give_up(strerror(errno));
	close(fd);
	return (struct image){bytes, (size_t)info.st_size, (const char *const *)argv};
}

static struct side make_side(const struct image *image)
{
	struct process_options options = {
		.program = image->argv[0],
		.image = image->bytes,
		.image_bytes = image->count,
		.argv = image->argv,
		.seed = 1,
		.memory_limit_bytes = GUEST_MEMORY_BYTES,
	};
	struct side side = {0};
	struct err err;

	side.process = process_create(&options, &err);
	if (!side.process)
		give_up(err.text);
	for (int i = 0; i < 2; i++) {
		side.output[i] = memfd_create("guest", MFD_CLOEXEC);
		if (side.output[i] < 0)
			give_up(strerror(errno));
		files_get(&side.process->files, (uint64_t)i + 1)->fd = side.output[i];
	}
	return side;
}

static const struct core_kind *kind_of(const struct config *config)
{
	struct err err;
	const struct core_kind *kind = core_kind_of(config, &err);

	if (!kind)
		give_up(err.text);
	return kind;
}

static void add_parts(struct side *side, const struct config *config)
{
	struct err err;

	side->hierarchy = parts_hierarchy(config, &err);
	if (!side->hierarchy)
		give_up(err.text);
	side->predictor = parts_predictor(config, kind_of(config)->in_flight(config), &err);
	if (!side->predictor)
		give_up(err.text);
}

static void release_side(struct side *side)
{
	process_destroy(side->process);
	hierarchy_destroy(side->hierarchy);
	predictor_destroy(side->predictor);
	for (int i = 0; i < 2; i++)
		close(side->output[i]);
}

#define CYCLE_FIELDS(FIELD)      \
	FIELD(number)            \
	FIELD(fetched)           \
	FIELD(fed)               \
	FIELD(dispatched)        \
	FIELD(issued)            \
	FIELD(committed)         \
	FIELD(useful_fetched)    \
	FIELD(useful_dispatched) \
	FIELD(useful_issued)     \
	FIELD(again_dispatched)  \
	FIELD(fetch_stall)       \
	FIELD(dispatch_stall)    \
	FIELD(head_state)        \
	FIELD(excess)            \
	FIELD(head_late)         \
	FIELD(wrong_path)        \
	FIELD(squashed)          \
	FIELD(buffer_used)       \
	FIELD(rob_used)          \
	FIELD(iq_used)           \
	FIELD(lsq_used)          \
	FIELD(store_buffer_used) \
	FIELD(width)             \
	FIELD(is_fronted)        \
	FIELD(front_waits)       \
	FIELD(thread)            \
	FIELD(head_pc)           \
	FIELD(fetch_pc)          \
	FIELD(event_count)       \
	FIELD(event_kinds)

static bool same_event(const struct cycle_event *a, const struct cycle_event *b)
{
	return a->kind == b->kind && a->detail == b->detail && a->wrong_path == b->wrong_path &&
	       a->mispredicted == b->mispredicted && a->insn_class == b->insn_class &&
	       a->again == b->again && a->amount == b->amount && a->slot == b->slot &&
	       a->pc == b->pc;
}

static bool same_cycle(const struct cycle *a, const struct cycle *b)
{
	bool same = true;

#define FIELD(name) same &= a->name == b->name;
	CYCLE_FIELDS(FIELD)
#undef FIELD
	for (uint32_t i = 0; same && i < a->event_count; i++)
		same = same_event(&a->events[i], &b->events[i]);
	for (unsigned i = 0; same && i < a->useful_dispatched; i++)
		same = a->useful_pcs[i] == b->useful_pcs[i];
	return same;
}

static void print_field(const char *name, uint64_t fast, uint64_t twin)
{
	printf("  %-18s %12" PRIu64 " %12" PRIu64 "%s\n", name, fast, twin,
	       fast == twin ? "" : "  <--");
}

static void print_event(const struct cycle *cycle, uint32_t i)
{
	static const char *const kinds[EVENT_KINDS] = {
		"commit",	 "branch fetch", "branch dispatch", "mispredict",   "replay",
		"fetch miss",	 "load miss",	 "store miss",	    "plain commit", "fetch",
		"dispatch",	 "issue",	 "squash",	    "misfetch",	    "forward",
		"thread switch", "fetch access", "load access",	    "store access",
	};

	if (i >= cycle->event_count) {
		printf("  %-50s", "-");
		return;
	}
	const struct cycle_event *e = &cycle->events[i];
	char text[64];

	snprintf(text, sizeof(text), "%s %u%s slot %" PRIu32 " pc 0x%" PRIx64, kinds[e->kind],
		 e->detail, e->wrong_path ? " wrong" : "", e->slot, e->pc);
	printf("  %-50s", text);
}

static void print_difference(const struct cycle *fast, const struct cycle *twin,
			     const struct cycle *record)
{
	printf("cycle %" PRIu64 " differs (the core's record stands for %" PRIu64 " from %" PRIu64
	       " on)\n  %-18s %12s %12s\n",
	       twin->number, record->repeat, record->number, "", "core", "twin");
#define FIELD(name) print_field(#name, fast->name, twin->name);
	CYCLE_FIELDS(FIELD)
#undef FIELD
	printf("  head_pc, core 0x%" PRIx64 ", twin 0x%" PRIx64 "\n", fast->head_pc, twin->head_pc);
	for (uint32_t i = 0; i < fast->event_count || i < twin->event_count; i++) {
		print_event(fast, i);
		print_event(twin, i);
		printf("%s\n", i < fast->event_count && i < twin->event_count &&
					       same_event(&fast->events[i], &twin->events[i])
				       ? ""
				       : "  <--");
	}
}

static void add_up(struct sums *sums, const struct cycle *cycle)
{
	sums->records++;
	sums->cycles += cycle->repeat;
	sums->fetched += cycle->repeat * cycle->fetched;
	sums->useful_fetched += cycle->repeat * cycle->useful_fetched;
	sums->fed += cycle->repeat * cycle->fed;
	sums->dispatched += cycle->repeat * cycle->dispatched;
	sums->issued += cycle->repeat * cycle->issued;
	sums->committed += cycle->repeat * cycle->committed;
	sums->squashed += cycle->repeat * cycle->squashed;
	for (uint32_t i = 0; i < cycle->event_count; i++)
		sums->commit_events +=
			cycle->repeat * (cycle->events[i].kind == EVENT_COMMIT ||
					 cycle->events[i].kind == EVENT_COMMIT_PLAIN);
}

/* Compares the cycles of one record of the core, one by one, with those of the twin. */
static bool same_record(const struct cycle *record, struct twin *twin)
{
	for (uint64_t i = 0; i < record->repeat; i++) {
		const struct cycle *slow = twin_step(twin);
		struct cycle fast = *record;

		if (!slow) {
			printf("cycle %" PRIu64 ": the twin has ended, the core has not\n",
			       record->number + i);
			return false;
		}
		fast.number += i;
		if (!same_cycle(&fast, slow)) {
			print_difference(&fast, slow, record);
			return false;
		}
	}
	return true;
}

static bool expect(bool condition, const char *what, uint64_t left, uint64_t right)
{
	if (!condition)
		printf("does not hold: %s (%" PRIu64 " and %" PRIu64 ")\n", what, left, right);
	return condition;
}

static bool check_sums(const struct sums *s, const struct core_totals *n, const struct twin *twin,
		       uint64_t executed)
{
	uint64_t left = twin_in_flight(twin) - twin_to_fetch_again(twin),
		 useful_left = twin_useful_in_flight(twin);
	bool ok = true;

	ok &= expect(s->cycles == n->cycles, "cycles = sum of repeats", n->cycles, s->cycles);
	ok &= expect(s->fetched == s->committed + s->squashed + left,
		     "fetched = committed + squashed + in flight", s->fetched,
		     s->committed + s->squashed + left);
	ok &= expect(s->fed <= s->fetched, "fed <= fetched", s->fed, s->fetched);
	ok &= expect(s->dispatched <= s->fed, "dispatched <= fed", s->dispatched, s->fed);
	ok &= expect(s->issued <= s->dispatched, "issued <= dispatched", s->issued, s->dispatched);
	ok &= expect(s->committed <= s->issued, "committed <= issued", s->committed, s->issued);
	ok &= expect(s->commit_events == s->committed, "commit events = committed",
		     s->commit_events, s->committed);
	ok &= expect(s->useful_fetched == executed, "fetched on the right path = executed",
		     s->useful_fetched, executed);
	ok &= expect(s->committed + useful_left == executed,
		     "committed + in flight on the right path = executed",
		     s->committed + useful_left, executed);
#define SAME(name) ok &= expect(s->name == n->name, "records = counter: " #name, s->name, n->name);
	SAME(fetched)
	SAME(dispatched)
	SAME(issued)
	SAME(committed)
	SAME(squashed)
#undef SAME
	return ok;
}

static bool check_counters(const struct core_totals *fast, const struct twin_counters *slow)
{
	bool ok = true;

#define COUNTER(name) \
	ok &= expect(fast->name == slow->name, "core = twin: " #name, fast->name, slow->name);
	TWIN_COUNTERS(COUNTER)
#undef COUNTER
	return ok;
}

static void write_state(void *context, const void *bytes, size_t count)
{
	fwrite(bytes, 1, count, context);
}

static bool check_parts(const struct side *fast, const struct side *slow)
{
	static const char *const caches[CACHE_COUNT] = {"l1i", "l1d", "l2", "l3"};
	static const char *const sides[SIDE_COUNT] = {"instructions", "data"};
	struct hierarchy_counters a, b;
	char *states[2];
	size_t sizes[2];
	bool ok = true;
	char what[80];

	hierarchy_count(fast->hierarchy, &a);
	hierarchy_count(slow->hierarchy, &b);
	for (int c = 0; c < CACHE_COUNT; c++)
		for (int s = 0; s < SIDE_COUNT; s++) {
			const struct cache_counters *x = &a.cache[c][s], *y = &b.cache[c][s];

			snprintf(what, sizeof(what), "core = twin: %s, %s, accesses", caches[c],
				 sides[s]);
			ok &= expect(x->accesses == y->accesses, what, x->accesses, y->accesses);
			snprintf(what, sizeof(what), "core = twin: %s, %s, misses", caches[c],
				 sides[s]);
			ok &= expect(x->misses == y->misses, what, x->misses, y->misses);
		}
	ok &= expect(a.blocked == b.blocked, "core = twin: attempts without an MSHR", a.blocked,
		     b.blocked);
	ok &= expect(!memcmp(&a, &b, sizeof(a)), "core = twin: all counters of caches and TLBs", 0,
		     0);

	const struct predictor *predictors[2] = {fast->predictor, slow->predictor};
	for (int i = 0; i < 2; i++) {
		FILE *out = open_memstream(&states[i], &sizes[i]);

		if (!out)
			give_up(strerror(errno));
		predictor_state(predictors[i], write_state, out);
		fclose(out);
	}
	ok &= expect(sizes[0] == sizes[1] && !memcmp(states[0], states[1], sizes[0]),
		     "core = twin: state of the predictor, bytes", sizes[0], sizes[1]);
	free(states[0]);
	free(states[1]);
	return ok;
}

static bool same_output(int a, int b)
{
	off_t bytes = lseek(a, 0, SEEK_END);

	if (bytes != lseek(b, 0, SEEK_END))
		return false;
	for (off_t at = 0; at < bytes;) {
		char x[4096], y[4096];
		ssize_t got = pread(a, x, sizeof(x), at);

		if (got <= 0 || pread(b, y, (size_t)got, at) != got || memcmp(x, y, (size_t)got))
			return false;
		at += got;
	}
	return true;
}

/* The program must have behaved as it does without a core, as far as it has run. */
static bool check_program(const struct image *image, const struct side *core, const char *name)
{
	struct side plain = make_side(image);
	uint64_t executed = core->process->cpu.instructions;
	char what[80];
	bool ok = true;

	/* A process that a signal ends has stopped after its last instruction. */
	process_run(plain.process, core->process->state == PROCESS_RUNNING ? executed : UINT64_MAX);
	snprintf(what, sizeof(what), "%s = functional run: state", name);
	ok &= expect(plain.process->state == core->process->state, what, core->process->state,
		     plain.process->state);
	snprintf(what, sizeof(what), "%s = functional run: instructions", name);
	ok &= expect(plain.process->cpu.instructions == executed, what, executed,
		     plain.process->cpu.instructions);
	snprintf(what, sizeof(what), "%s = functional run: exit status", name);
	ok &= expect(process_exit_status(core->process) == process_exit_status(plain.process), what,
		     (uint64_t)process_exit_status(core->process),
		     (uint64_t)process_exit_status(plain.process));
	for (int i = 0; i < 2; i++) {
		snprintf(what, sizeof(what), "%s = functional run: what was written to %s, bytes",
			 name, i ? "stderr" : "stdout");
		ok &= expect(same_output(core->output[i], plain.output[i]), what,
			     (uint64_t)lseek(core->output[i], 0, SEEK_END),
			     (uint64_t)lseek(plain.output[i], 0, SEEK_END));
	}
	release_side(&plain);
	return ok;
}

static void find_function(const struct image *image, const char *name, struct side *side)
{
	struct err err;
	struct symbols *symbols = symbols_read(image->bytes, image->count, image->argv[0], &err);
	const struct symbol *symbol = symbols ? symbols_by_name(symbols, name) : NULL;

	if (!symbol)
		give_up("the program has no such function");
	side->function = (struct warm_function){.entry = symbol->address + side->process->bias,
						.end = symbol->address + symbol->bytes +
						       side->process->bias};
	symbols_free(symbols);
}

/* Warms to a call of the function; false if there is none. */
static bool reach_call(struct side *side, uint64_t calls)
{
	uint64_t before = side->process->cpu.instructions;
	bool is_there =
		warm_run_to_call(&side->warm, side->process, &side->function, calls, UINT64_MAX);

	side->skipped += side->process->cpu.instructions - before;
	return is_there;
}

static void begin_at_call(struct side *side, const struct image *image, const struct wish *wish)
{
	if (!wish->function)
		return;
	find_function(image, wish->function, side);
	warm_init(&side->warm, side->hierarchy, side->predictor);
	if (!reach_call(side, wish->call == EVERY_CALL ? 1 : wish->call))
		give_up("the function is not called so often");
}

static void watch_call(struct core *core, const struct side *fast, struct twin *twin,
		       const struct side *slow, const struct wish *wish)
{
	uint64_t site = fast->warm.last_pc, return_to = fast->process->cpu.hart.r[REG_RA];

	if (slow->warm.last_pc != site || slow->process->cpu.hart.r[REG_RA] != return_to)
		give_up("core and twin are not at the same call");
	if (wish->call == EVERY_CALL) {
		core_measure_call(core, site, return_to);
		twin_measure_call(twin, site, return_to);
	} else {
		core_end_at_return(core, site, return_to);
		twin_end_at_return(twin, site, return_to);
	}
}

/* A call has returned: the next one, if every call is measured and there is another. */
static bool next_call(struct core *core, struct side *fast, struct twin *twin, struct side *slow,
		      const struct wish *wish)
{
	bool are_there = true;

	for (int i = 0; i < 2 && wish->call == EVERY_CALL; i++) {
		struct side *side = i ? slow : fast;

		warm_interrupt(&side->warm);
		are_there &= reach_call(side, side->function.calls + 1);
		warm_resume(&side->warm);
	}
	if (wish->call != EVERY_CALL || !are_there)
		return false;
	watch_call(core, fast, twin, slow, wish);
	return true;
}

static bool compare(const struct wish *wish, const struct image *image)
{
	struct side fast = make_side(image), slow = make_side(image);
	const struct config *config = &wish->config, *twin_config = &wish->twin_config;
	struct meetings meetings;
	struct sums sums = {0};
	bool ok = true, is_over = false;
	uint64_t calls = 0;

	add_parts(&fast, config);
	add_parts(&slow, twin_config);
	begin_at_call(&fast, image, wish);
	begin_at_call(&slow, image, wish);
	const struct core_kind *kind = kind_of(config);
	struct core *core = kind->create(config, fast.process, fast.hierarchy, fast.predictor);
	struct twin *twin = twin_create(twin_config, slow.process, slow.hierarchy, slow.predictor,
					kind_of(config)->in_flight(config));
	meetings_init(&meetings, config);
	core_set_skipping(core, wish->skips);
	core_want_events(core,
			 EVENT_BIT(EVENT_KINDS) - 1 + (wish->counts_meetings ? EVENTS_RETIRED : 0));
	if (wish->function)
		watch_call(core, &fast, twin, &slow, wish);
	while (ok && !is_over && sums.committed < wish->limit) {
		const struct cycle *record = kind->step(core);

		if (record) {
			add_up(&sums, record);
			meetings_cycle(&meetings, record);
			ok = same_record(record, twin) &&
			     expect(core->has_returned == twin_has_returned(twin),
				    "core = twin: the call has returned", core->has_returned,
				    twin_has_returned(twin));
		} else {
			is_over = true;
			ok = expect(!twin_step(twin), "the core has ended, the twin has not: cycle",
				    sums.cycles, twin_count(twin)->cycles);
		}
		if (ok && core->has_returned) {
			calls++;
			meetings_region(&meetings);
			if (!next_call(core, &fast, twin, &slow, wish))
				break;
		}
	}
	if (ok) {
		ok &= check_sums(&sums, &core->totals, twin,
				 fast.process->cpu.instructions - fast.skipped);
		ok &= check_counters(&core->totals, twin_count(twin));
		ok &= check_parts(&fast, &slow);
		ok &= check_program(image, &fast, "core");
		ok &= check_program(image, &slow, "twin");
		ok &= expect(!is_over || !twin_in_flight(twin), "nothing is left in flight",
			     twin_in_flight(twin), 0);
	}
	if (wish->counts_meetings)
		meetings_print(&meetings);
	if (wish->function)
		printf("calls %" PRIu64 "\n", calls);
	printf("%s: %" PRIu64 " instructions%s, %" PRIu64 " cycles in %" PRIu64 " records, %" PRIu64
	       " squashed, %" PRIu64 " replays, %" PRIu64 " loads held\n",
	       ok ? "equal" : "DIFFERENT", sums.committed, is_over ? " to the end" : "",
	       sums.cycles, sums.records, sums.squashed, core->totals.replays,
	       core->totals.held_loads);
	twin_destroy(twin);
	kind->destroy(core);
	release_side(&fast);
	release_side(&slow);
	return ok;
}

int main(int argc, char **argv)
{
	struct wish wish = {.limit = UINT64_MAX, .skips = true};
	const char *only_twin = NULL;
	struct err err;
	int option;

	config_reset(&wish.config);
	while ((option = getopt(argc, argv, "+c:s:t:n:kf:m:r")) != -1) {
		bool ok = true;

		switch (option) {
		case 'c': ok = config_load_file(&wish.config, optarg, NULL, NULL, &err); break;
		case 's': ok = config_set(&wish.config, optarg, &err); break;
		case 't': only_twin = optarg; break;
		case 'n': wish.limit = strtoull(optarg, NULL, 0); break;
		case 'k': wish.skips = false; break;
		case 'f': wish.function = optarg; break;
		case 'm': wish.call = strtoull(optarg, NULL, 0); break;
		case 'r': wish.counts_meetings = true; break;
		default: return 2;
		}
		if (!ok)
			give_up(err.text);
	}
	wish.twin_config = wish.config;
	if ((only_twin && !config_set(&wish.twin_config, only_twin, &err)) ||
	    !config_settle(&wish.config, &err) || !config_settle(&wish.twin_config, &err))
		give_up(err.text);
	if (optind == argc)
		give_up("which program?");
	struct image image = open_image(argv + optind);
	return compare(&wish, &image) ? 0 : 1;
}
