/* The circuit of the statistics module: its ports by machine and signal, how a record becomes
 * beats, and the whole text of the stimulus of a small run, worked out on paper. */
#include "../test.h"
#include "base/array.h"
#include "rtl/stats_layout.h"
#include "rtl/stats_plan.h"
#include "rtl/stimulus.h"

static struct config config;
static const struct stats_range ranges[] = {{0x100, 0x1ff}, {0x300, 0x3ff}};

static void make_machine(bool is_in_order)
{
	config_reset(&config);
	config.fetch_width = 5;
	config.dispatch_width = 7;
	config.issue_width = 9;
	config.commit_width = 3;
	config.memory_ports = 4;
	config.inorder_issue_width = 2;
	if (is_in_order)
		config.core_kind = CORE_INORDER;
}

/* A machine whose settings count these, each in a range, or in all code. */
static struct stats_selection selections[8];
static struct stats_settings settings;
static struct circuit_machine machine;

static void select_signals(const char *const *names, uint32_t range)
{
	settings = (struct stats_settings){.period_cycles = 10,
					   .width_bits = 8,
					   .ranges = ranges,
					   .range_count = 1,
					   .counters = selections};
	for (size_t i = 0; names[i]; i++) {
		selections[i] = (struct stats_selection){signal_find(names[i]), range, 0};
		assert_non_null(selections[i].signal);
		settings.counter_count++;
	}
	machine = (struct circuit_machine){.config = &config,
					   .stats = &settings,
					   .stats_at = (const uint64_t[]){0},
					   .stats_count = 1,
					   .stats_ranges = 1,
					   .stats_counters = settings.counter_count};
}

TEST(stages_have_ports)
{
	static const struct {
		const char *name;
		size_t ports, in_order;
		bool is_flag, has_value;
	} rows[] = {
		{"committed", 3, 2, true, true},
		{"fetched", 5, 2, true, true},
		{"dispatched", 7, 2, true, true},
		{"issued", 9, 2, true, true},
		{"squashed", 7, 2, true, true},
		{"thread_switches", 1, 1, true, false},
		{"branches.recovered", 1, 1, true, false},
		{"l1d.loads", 4, 4, true, false},
		{"l1i.misses", 1, 1, true, false},
		{"cycles", 1, 1, true, false},
		{"fetch.l1i", 1, 1, true, false},
		{"rob.used", 1, 1, false, false},
		{"fetch_buffer.used", 1, 1, false, false},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		for (int is_in_order = 0; is_in_order < 2; is_in_order++)
			for (int always = 0; always < 2; always++) {
				struct stats_layout layout;
				size_t ports = is_in_order ? rows[i].in_order : rows[i].ports;
				bool is_flag = rows[i].is_flag;

				/* What is counted in all code is the number of the cycle, not its
				 * events. */
				if (always && rows[i].has_value) {
					ports = 1;
					is_flag = false;
				}
				make_machine(is_in_order);
				select_signals((const char *const[]){rows[i].name, NULL},
					       always ? STATS_ALWAYS : 0);
				stats_layout_init(&layout, &machine);
				if (layout.port_count != ports)
					fail_msg("%s: %zu ports", rows[i].name, layout.port_count);
				assert_int_equal(layout.signal_count, 1);
				assert_int_equal(layout.flag_count, is_flag ? ports : 0);
				assert_int_equal(layout.count_count, is_flag ? 0 : ports);
				assert_int_equal(layout.amount_bits, is_flag ? 1 : 10);
				for (size_t p = 0; p < ports; p++) {
					assert_int_equal(layout.places[p].flag,
							 is_flag ? p : 0xffff);
					assert_int_equal(layout.places[p].count,
							 is_flag ? 0xffff : p);
					assert_int_equal(stats_layout_most(&layout, p, 0),
							 is_flag ? 1 : 1023);
				}
				stats_layout_release(&layout);
				assert_null(layout.places);
			}
}

/* A signal that several counters select is one; of loads there are four ports, and a fetch's is
 * another. */
TEST(signals_share_ports)
{
	struct stats_layout layout;

	make_machine(false);
	select_signals((const char *const[]){"rob.used", "cycles", "fetch.l1i", "rob.used", NULL},
		       0);
	stats_layout_init(&layout, &machine);
	assert_int_equal(layout.signal_count, 3);
	assert_int_equal(layout.port_count, 2);
	static const struct stats_place places[] = {{0xffff, 0},      {0, 0xffff},
						    {0xffff, 0xffff}, {0xffff, 0xffff},
						    {0xffff, 0xffff}, {1, 0xffff}};
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(layout.places[i].flag, places[i].flag);
		assert_int_equal(layout.places[i].count, places[i].count);
	}
	assert_int_equal(layout.flag_count, 2);
	assert_int_equal(layout.count_count, 1);
	assert_int_equal(layout.amount_bits, 10);
	assert_int_equal(stats_layout_signal(&layout, signal_find("rob.used")), 0);
	assert_int_equal(stats_layout_signal(&layout, signal_find("cycles")), 1);
	assert_int_equal(stats_layout_signal(&layout, signal_find("fetch.l1i")), 2);
	assert_int_equal(stats_layout_most(&layout, 0, 2), 0);
	stats_layout_release(&layout);
	/* One in all code, another in a range: then its events are counted. */
	select_signals((const char *const[]){"committed", "committed", NULL}, 0);
	selections[0].range = STATS_ALWAYS;
	stats_layout_init(&layout, &machine);
	assert_int_equal(layout.port_count, 3);
	stats_layout_release(&layout);
}

/* Three ports of commits; five commit, two of them at one pc, and 1030 entries are in use. */
TEST(what_is_left_over_comes_in_further_beats)
{
	static const struct cycle_event events[] = {
		{.kind = EVENT_COMMIT, .pc = 10},	{.kind = EVENT_COMMIT_PLAIN, .pc = 20},
		{.kind = EVENT_COMMIT_PLAIN, .pc = 10}, {.kind = EVENT_FETCH, .pc = 20},
		{.kind = EVENT_COMMIT_PLAIN, .pc = 30}, {.kind = EVENT_COMMIT, .pc = 40},
	};
	const struct cycle c = {
		.event_count = 6, .events = events, .rob_used = 1030, .fetch_pc = 50};
	struct stats_layout layout;
	struct stats_beats beats = {0};

	make_machine(false);
	select_signals((const char *const[]){"committed", "rob.used", NULL}, 0);
	stats_layout_init(&layout, &machine);
	assert_int_equal(layout.port_count, 4);
	for (int repeat = 0; repeat < 2; repeat++) {
		stats_beats_make(&beats, &layout, &c);
		assert_int_equal(beats.count, 2);
		static const struct {
			bool is_used;
			uint64_t pc;
			uint32_t committed, entries;
		} ports[] = {
			/* The oldest, which is the next to be fetched; then 10, 20 and 10 again. */
			{true, 50, 0, 1023}, {true, 10, 1, 0}, {true, 20, 1, 0}, {true, 10, 1, 0},
			{true, 50, 0, 7},    {true, 30, 1, 0}, {true, 40, 1, 0}, {false, 0, 0, 0},
		};
		for (size_t p = 0; p < 8; p++) {
			assert_int_equal(beats.ports[p].is_used, ports[p].is_used);
			assert_int_equal(beats.ports[p].pc, ports[p].pc);
			assert_int_equal(beats.amounts[2 * p], ports[p].committed);
			assert_int_equal(beats.amounts[2 * p + 1], ports[p].entries);
		}
	}
	/* The oldest is at the head, if there is one. Nothing happens in one beat. */
	const struct cycle quiet = {.rob_used = 1, .head_pc = 60, .fetch_pc = 50};
	stats_beats_make(&beats, &layout, &quiet);
	assert_int_equal(beats.count, 1);
	assert_int_equal(beats.ports[0].pc, 60);
	assert_int_equal(beats.amounts[1], 1);
	assert_false(beats.ports[1].is_used);
	const struct cycle empty = {.head_pc = 60};
	stats_beats_make(&beats, &layout, &empty);
	assert_int_equal(beats.count, 1);
	assert_false(beats.ports[0].is_used);
	stats_beats_release(&beats);
	assert_null(beats.ports);
	stats_layout_release(&layout);
}

static void describe(char *text, const struct circuit_kind *kind)
{
	struct circuit circuit;
	struct err err = {.text = ""};

	*text = 0;
	assert_true(circuit_init(&circuit, kind, &machine, &err));
	const struct circuit_shape *shape = &circuit.shape;
	for (size_t i = 0; i < shape->input_count; i++)
		sprintf(text + strlen(text), "%s %u*%u; ", shape->inputs[i].name,
			shape->inputs[i].bits, shape->inputs[i].count);
	for (size_t i = 0; i < shape->constant_count; i++)
		sprintf(text + strlen(text), "%s %d; ", shape->constants[i].name,
			(int)shape->constants[i].value);
	for (size_t i = 0; i < shape->table_count; i++)
		sprintf(text + strlen(text), "%s %u %s; ", shape->tables[i].name,
			shape->tables[i].bits, shape->tables[i].digits);
	for (size_t i = 0; i < shape->word_count; i++)
		sprintf(text + strlen(text), "%s%s %u; ", shape->words[i].is_inner ? "inner " : "",
			shape->words[i].name, shape->words[i].bits);
	circuit_release(&circuit);
}

#define INPUTS                                                                                 \
	"write 1*1; write_kind 2*1; write_index 12*1; write_data 64*1; cycle 1*1; start 1*1; " \
	"ended 1*1; "

TEST(shapes_follow_from_the_settings)
{
	char text[4096];

	make_machine(false);
	/* The port of the oldest has rob.used as an amount, and cycles as a flag. */
	select_signals((const char *const[]){"rob.used", "cycles", NULL}, 0);
	selections[1].range = STATS_ALWAYS;
	machine.stats_ranges = 2;
	machine.stats_counters = 3;
	describe(text, circuit_stats_kinds[0]);
	assert_string_equal(
		text, INPUTS
		"flags 1*1; counts 10*1; pcs 64*1; thread 32*1; FLAGS 1; COUNTS 1; "
		"AMOUNT_BITS 10; PORTS 1; SIGNALS 2; RANGES 2; COUNTERS 3; WIDTH 8; PC_BITS 64; "
		"THREADS 0; FLAG_OF 32 0000ffff; COUNT_OF 32 ffff0000; counter_0 8; "
		"counter_1 8; counter_2 8; is_due 1; inner dispatches 32; ");
	/* Words by range, the last for all code: rob.used in the first, cycles everywhere, and the
	 * spare one as the first: 0, 2 * 2 + 1 and 0. */
	describe(text, circuit_stats_kinds[1]);
	assert_non_null(strstr(text, "WORD_OF 96 000000000000000500000000; "));
	/* No ranges are one that holds nothing, no amounts one input. */
	select_signals((const char *const[]){"cycles", NULL}, STATS_ALWAYS);
	settings.range_count = machine.stats_ranges = 0;
	selections[0].thread = 9;
	describe(text, circuit_stats_kinds[0]);
	assert_string_equal(
		text, INPUTS
		"flags 1*1; counts 1*1; pcs 64*1; thread 32*1; FLAGS 1; COUNTS 1; "
		"AMOUNT_BITS 1; PORTS 1; SIGNALS 1; RANGES 1; COUNTERS 1; WIDTH 8; PC_BITS 64; "
		"THREADS 1; FLAG_OF 16 0000; COUNT_OF 16 ffff; counter_0 8; is_due 1; "
		"inner dispatches 32; ");
}

TEST(circuits_that_there_are_not)
{
	struct circuit circuits[STATS_PLAN_CIRCUITS_MOST];
	struct err err = {.text = ""};
	size_t count;

	make_machine(false);
	select_signals((const char *const[]){"rob.used", "cycles", NULL}, 0);
	assert_true(stats_plan_circuits(circuits, &count, &machine, &err));
	assert_int_equal(count, 2);
	for (size_t i = 0; i < count; i++)
		circuit_release(&circuits[i]);
	/* 32768 bits less 64: 511 counters of 64 bits would be as many, of 63 there are 519. */
	settings.width_bits = 63;
	machine.stats_counters = 519;
	assert_true(stats_plan_circuits(circuits, &count, &machine, &err));
	for (size_t i = 0; i < count; i++)
		circuit_release(&circuits[i]);
	machine.stats_counters = 520;
	assert_false(stats_plan_circuits(circuits, &count, &machine, &err));
	assert_int_equal(count, 0);
	assert_string_equal(err.text,
			    "the circuit stats: 520 counters of 63 bits are more than a test "
			    "bench can read: at most 32704 bits");
	settings.width_bits = 8;
	machine.stats_counters = 4088; /* exactly 32704 bits */
	assert_true(stats_plan_circuits(circuits, &count, &machine, &err));
	for (size_t i = 0; i < count; i++)
		circuit_release(&circuits[i]);
	/* 501 ports of loads with a flag each, and the oldest's with two flags and an amount of 10
	 * bits: 501 * 65 + 64 + 12 and 128 are one bit more than 32768. */
	config.memory_ports = 501;
	select_signals(
		(const char *const[]){"l1d.loads", "rob.used", "cycles", "commit.none", NULL}, 0);
	assert_false(stats_plan_circuits(circuits, &count, &machine, &err));
	assert_string_equal(err.text,
			    "the circuit stats: 4 signals at 502 ports are more than a test bench "
			    "can read: count fewer signals at a time");
	select_signals((const char *const[]){"l1d.loads", "rob.used", "cycles", NULL}, 0);
	assert_true(stats_plan_circuits(circuits, &count, &machine, &err));
	for (size_t i = 0; i < count; i++)
		circuit_release(&circuits[i]);
	config.memory_ports = 4;
	select_signals((const char *const[]){"rob.used", "cycles", NULL}, 0);
	/* With threads, or settings that change, there is none with fixed selections. */
	machine.stats_counters = 2;
	selections[1].thread = 5;
	assert_true(stats_plan_circuits(circuits, &count, &machine, &err));
	assert_int_equal(count, 1);
	assert_string_equal(circuits[0].kind->name, "stats");
	circuit_release(&circuits[0]);
	assert_false(circuit_init(&circuits[0], circuit_stats_kinds[1], &machine, &err));
	circuit_release(&circuits[0]);
	assert_string_equal(err.text,
			    "the circuit stats_naive: it has no selections that could change or "
			    "name a thread");
	selections[1].thread = 0;
	struct stats_settings epochs[2] = {settings, settings};
	machine.stats = epochs;
	machine.stats_at = (const uint64_t[]){0, 5};
	machine.stats_count = 2;
	assert_true(stats_plan_circuits(circuits, &count, &machine, &err));
	assert_int_equal(count, 1);
	circuit_release(&circuits[0]);
	machine.stats_count = 257;
	assert_false(stats_plan_circuits(circuits, &count, &machine, &err));
	assert_string_equal(err.text, "--rtl writes the settings of at most 256 epochs, not 257");
}

static char *kept[STIMULUS_FILES];

static void keep(void *context, size_t circuit, enum stimulus_file file, const void *bytes,
		 size_t size)
{
	size_t before = kept[file] ? strlen(kept[file]) : 0;

	(void)context;
	assert_int_equal(circuit, 0);
	kept[file] = mem_realloc(kept[file], before + size + 1, 1);
	memcpy(kept[file] + before, bytes, size);
	kept[file][before + size] = 0;
}

/* Lines of the stimulus, each as "N: fields that are not 0". */
static void read_vectors(char *text, const struct circuit_shape *shape)
{
	*text = 0;
	for (const char *line = kept[STIMULUS_VECTORS]; *line; line = strchr(line, '\n') + 1) {
		const char *digits = strchr(line, ' ') + 1;
		const size_t length = strcspn(digits, "\n");
		unsigned at = 0;

		sprintf(text + strlen(text), "%d:", atoi(line));
		for (size_t i = 0; i < shape->input_count; i++)
			for (unsigned field = 0; field < shape->inputs[i].count; field++) {
				uint64_t value = 0;

				for (unsigned bit = 0; bit < shape->inputs[i].bits; bit++, at++)
					if (at / 4 < length) {
						const char digit = digits[length - 1 - at / 4];
						const unsigned four =
							(unsigned)(digit <= '9' ? digit - '0'
										: digit - 'a' + 10);

						value |= (uint64_t)(four >> at % 4 & 1) << bit;
					}
				if (value)
					sprintf(text + strlen(text), " %s%.0u=%llx",
						shape->inputs[i].name, field,
						(unsigned long long)value);
			}
		strcat(text, "\n");
	}
}

/* Two counters: cycles in all code and commits in 100 to 1ff, of thread 7; a period of 3 cycles,
 * and from cycle 4 on one of 2 with rob.used alone. */
TEST(a_run_is_text)
{
	static const struct cycle_event commits[] = {{.kind = EVENT_COMMIT, .pc = 0x100},
						     {.kind = EVENT_COMMIT, .pc = 0x200}};
	const struct cycle records[] = {
		{.number = 0, .repeat = 2, .thread = 7, .head_pc = 0x50},
		{.number = 2,
		 .repeat = 1,
		 .thread = 7,
		 .head_pc = 0x100,
		 .committed = 2,
		 .event_count = 2,
		 .event_kinds = EVENT_BIT(EVENT_COMMIT),
		 .events = commits},
		{.number = 3, .repeat = 3, .thread = 8, .head_pc = 0x60, .rob_used = 5},
	};
	const struct stats_selection first[] = {{signal_find("cycles"), STATS_ALWAYS, 0},
						{signal_find("committed"), 0, 7}};
	const struct stats_selection second[] = {{signal_find("rob.used"), STATS_ALWAYS, 0}};
	const struct stats_settings epochs[] = {{3, 8, ranges, 1, first, 2},
						{2, 8, ranges, 0, second, 1}};
	struct circuit circuit;
	struct err err = {.text = ""};
	char text[8192];

	make_machine(false);
	config.commit_width = 2;
	machine = (struct circuit_machine){.config = &config,
					   .stats = epochs,
					   .stats_at = (const uint64_t[]){0, 4},
					   .stats_count = 2,
					   .stats_ranges = 1,
					   .stats_counters = 2};
	assert_true(circuit_init(&circuit, circuit_stats_kinds[0], &machine, &err));
	struct stimuli *stimuli = stimuli_create(&circuit, 1, keep, NULL);
	for (size_t i = 0; i < ARRAY_COUNT(records); i++)
		stimuli_cycle(stimuli, &records[i]);
	stimuli_end(stimuli);
	stimuli_destroy(stimuli);
	read_vectors(text, &circuit.shape);
	/* Registers: the period, the range, the selections as thread, range and signal, where 1 is
	 * all code. */
	assert_string_equal(
		text, "1: write=1 write_data=3\n"
		      "1: write=1 write_kind=1 write_data=100\n"
		      "1: write=1 write_kind=2 write_data=1ff\n"
		      "1: write=1 write_kind=3 write_data=10000\n"
		      "1: write=1 write_kind=3 write_index=1 write_data=700000001\n"
		      "1: cycle=1 start=1 flags=1 pcs=50 thread=7\n"
		      "1: cycle=1 flags=1 pcs=50 thread=7\n"
		      "1: cycle=1 flags=1 flags1=1 flags2=1 pcs=100 pcs1=100 pcs2=200 thread=7\n"
		      "0:\n"
		      "1: cycle=1 flags=1 counts=5 pcs=60 thread=8\n"
		      "0:\n"
		      "1: write=1 write_data=2\n"
		      "1: write=1 write_kind=1 write_data=1\n"
		      "1: write=1 write_kind=2\n"
		      "1: write=1 write_kind=3 write_data=10002\n"
		      "1: write=1 write_kind=3 write_index=1 write_data=10002\n"
		      "1: cycle=1 start=1 flags=1 counts=5 pcs=60 thread=8\n"
		      "1: cycle=1 flags=1 counts=5 pcs=60 thread=8\n"
		      "0:\n"
		      "1: cycle=1 ended=1 flags=1 counts=5 pcs=60 thread=8\n"
		      "0:\n"
		      "3: cycle=1 ended=1 flags=1 counts=5 pcs=60 thread=8\n"
		      "0:\n");
	/* Counters of 8 bits, whether the timer is 0, how often it was: 3 cycles and 1 commit; 1
	 * cycle, cut short; 10 entries, in the spare counter too; nothing. */
	assert_string_equal(kept[STIMULUS_EXPECTED], "10103\n20001\n50a0a\n60000\n60000\n");
	free(kept[0]);
	free(kept[1]);
	circuit_release(&circuit);
}

/* A program that ends before its first cycle: the timer runs to 0, and nothing was counted. */
TEST(a_run_without_cycles_is_text)
{
	struct circuit circuit;
	struct err err = {.text = ""};
	char text[4096];

	make_machine(false);
	select_signals((const char *const[]){"cycles", NULL}, STATS_ALWAYS);
	assert_true(circuit_init(&circuit, circuit_stats_kinds[0], &machine, &err));
	struct stimuli *stimuli = stimuli_create(&circuit, 1, keep, NULL);
	kept[0] = kept[1] = NULL;
	stimuli_end(stimuli);
	stimuli_destroy(stimuli);
	read_vectors(text, &circuit.shape);
	assert_string_equal(text, "1: write=1 write_data=a\n"
				  "1: write=1 write_kind=1 write_data=100\n"
				  "1: write=1 write_kind=2 write_data=1ff\n"
				  "1: write=1 write_kind=3 write_data=10000\n"
				  "1: cycle=1 start=1 ended=1\n"
				  "9: cycle=1 ended=1\n"
				  "0:\n"
				  "1: cycle=1 ended=1\n"
				  "0:\n"
				  "11: cycle=1 ended=1\n"
				  "0:\n");
	/* The timer is 0 after ten cycles, and has been so once from then on. */
	assert_string_equal(kept[STIMULUS_EXPECTED], "100\n200\n200\n");
	free(kept[0]);
	free(kept[1]);
	circuit_release(&circuit);
}
