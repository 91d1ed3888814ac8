/* Requests as text: pairs, groups, logs, maps and mailboxes, each rule at its limit, each sentence
 * provoked. */
#include "../test.h"
#include "base/array.h"
#include "stats/pairs.h"
#include "stats/request.h"

/* Two sections with three functions, one named by its section alone, one that is dropped. */
static const char map_text[] = "Archive member included\n"
			       " .text          0x0000000000001000       0x30 a.o\n"
			       "                0x0000000000001010                beta\n"
			       "                0x0000000000001000                alpha\n"
			       "                0x0000000000001010                beta_alias\n"
			       "                0x0000000000001030                outside\n"
			       "                0x1020 0x1 here\n"
			       " .text.gamma    0x0000000000002000       0x08 b.o\n"
			       " .text.a_very_long_name_of_a_section\n"
			       "                0x0000000000003000       0x10 c.o\n"
			       "                0x0000000000003004                delta\n"
			       " .text.dropped  0x0000000000000000       0x10 d.o\n"
			       " .data          0x0000000000004000       0x10 a.o\n"
			       "                0x0000000000004000                variable\n"
			       " .text.empty    0x0000000000005000       0x0 e.o\n";

TEST(a_map_names_functions)
{
	static const struct {
		const char *name;
		uint64_t low, high;
	} functions[] = {
		{"alpha", 0x1000, 0x100f},	{"beta", 0x1010, 0x102f},
		{"beta_alias", 0x1010, 0x102f}, {"gamma", 0x2000, 0x2007},
		{"delta", 0x3004, 0x300f},
	};
	struct stats_map map;
	struct err err;

	assert_true(stats_map_read(&map, map_text, sizeof(map_text) - 1, &err));
	assert_int_equal(map.count, ARRAY_COUNT(functions));
	/* Two names of one address have no order. */
	for (size_t i = 0; i < map.count; i++) {
		size_t k = 0;

		while (k < map.count && strcmp(map.functions[k].name, functions[i].name) != 0)
			k++;
		assert_true(k == i || ((k == 1 || k == 2) && (i == 1 || i == 2)));
		assert_int_equal(map.functions[k].low, functions[i].low);
		assert_int_equal(map.functions[k].high, functions[i].high);
	}
	stats_map_release(&map);
	assert_false(stats_map_read(&map, "nothing\n", 8, &err));
	assert_string_equal(err.text, "the map names no function in a section .text: it is not one "
				      "that GNU ld wrote with -Map");
	stats_map_release(&map);
}

TEST(pairs_mean_what_is_written)
{
	static const struct {
		const char *text;
		unsigned count;
		struct {
			const char *signal, *where;
			uint32_t thread;
			uint64_t low, high; /* 0, 0: all code */
		} pairs[3];
	} cases[] = {
		{"cycles", 1, {{"cycles", "", 0, 0, 0}}},
		{"cycles@%7", 1, {{"cycles", "%7", 7, 0, 0}}},
		{"cycles@%2147483647", 1, {{"cycles", "%2147483647", 2147483647, 0, 0}}},
		{"cycles@0x10-0x1F", 1, {{"cycles", "0x10-0x1F", 0, 0x10, 0x1f}}},
		{"cycles@0x10-0x10%3", 1, {{"cycles", "0x10-0x10%3", 3, 0x10, 0x10}}},
		{"cycles@0xffffffffffffffff-0xffffffffffffffff",
		 1,
		 {{"cycles", "0xffffffffffffffff-0xffffffffffffffff", 0, UINT64_MAX, UINT64_MAX}}},
		/* Functions are moved by where the program is loaded. */
		{"committed@alpha", 1, {{"committed", "alpha", 0, 0x101000, 0x10100f}}},
		{"committed@*lta", 1, {{"committed", "delta", 0, 0x103004, 0x10300f}}},
		{"committed@[ag]*a",
		 2,
		 {{"committed", "alpha", 0, 0x101000, 0x10100f},
		  {"committed", "gamma", 0, 0x102000, 0x102007}}},
		{"committed@gamm?%5", 1, {{"committed", "gamma%5", 5, 0x102000, 0x102007}}},
		{"fetch.l[12]i@delta",
		 2,
		 {{"fetch.l1i", "delta", 0, 0x103004, 0x10300f},
		  {"fetch.l2i", "delta", 0, 0x103004, 0x10300f}}},
	};
	struct stats_map map;
	struct err err;

	assert_true(stats_map_read(&map, map_text, sizeof(map_text) - 1, &err));
	const struct stats_places places = {.map = &map, .bias = 0x100000};
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct stats_pairs pairs = {0};

		/* Twice is once. */
		for (unsigned twice = 0; twice < 2; twice++)
			assert_true(stats_pairs_add(&pairs, cases[i].text, &places, &err));
		assert_int_equal(pairs.count, cases[i].count);
		for (unsigned k = 0; k < cases[i].count; k++) {
			const struct stats_pair *pair = &pairs.items[k];

			assert_string_equal(pair->signal->name, cases[i].pairs[k].signal);
			assert_string_equal(pair->where, cases[i].pairs[k].where);
			assert_int_equal(pair->thread, cases[i].pairs[k].thread);
			assert_int_equal(pair->piece_count, cases[i].pairs[k].high ? 1 : 0);
			if (!pair->piece_count)
				continue;
			assert_int_equal(pair->pieces[0].low, cases[i].pairs[k].low);
			assert_int_equal(pair->pieces[0].high, cases[i].pairs[k].high);
		}
		stats_pairs_release(&pairs);
	}
	stats_map_release(&map);
}

TEST(pairs_that_mean_nothing)
{
	static const char thread[] = "\"%s\": after %% the number of a thread is expected, 1 to "
				     "2147483647, as its gettid has it";
	static const char address[] = "\"%s\" is not 0xLOW-0xHIGH, two addresses";
	static const struct {
		const char *text, *sentence;
	} cases[] = {
		{"@alpha", "\"@alpha\" names no signal: it should be SIGNAL@WHERE"},
		{"", "\"\" names no signal: it should be SIGNAL@WHERE"},
		{"cycles@",
		 "\"cycles@\" says nothing after @: leave the @ out to count in all code"},
		{"cycles@alpha%", thread},
		{"cycles@alpha%x", thread},
		{"cycles@%0", thread},
		{"cycles@%2147483648", thread},
		{"zzz*", "no signal matches \"zzz*\"; `cyclestack signals` lists them"},
		{"cycles@0x10", address},
		{"cycles@0x-0x10", address},
		{"cycles@0x10-", address},
		{"cycles@0x10-10", address},
		{"cycles@0x10+0x20", address},
		{"cycles@0x10-0x20x", address},
		{"cycles@0x00000000000000001-0x2", address},
		{"cycles@0x11-0x10", "the range 0x11-0x10 ends before it begins"},
		{"cycles@alphas", "the program has no function \"alphas\"; did you mean alpha?"},
		{"cycles@qqqqqqqqqqqqqq", "the program has no function \"qqqqqqqqqqqqqq\""},
		{"cycles@qqqqqqqqqqqq*",
		 "the program has no function that matches \"qqqqqqqqqqqq*\""},
		{"cycles@a.c:7",
		 "the program has no code of line a.c:7: it was compiled without -g"},
		{"cycles@a.c:0", "\"a.c:0\" is not FILE:LINE with the number of a line"},
		{"cycles@a.c:7x", "\"a.c:7x\" is not FILE:LINE with the number of a line"},
		{"cycles@:7777777777777", "the program has no function \":7777777777777\""},
		{"cycles@a::7777777777777", "the program has no function \"a::7777777777777\""},
	};
	struct stats_map map;
	struct err err;

	assert_true(stats_map_read(&map, map_text, sizeof(map_text) - 1, &err));
	const struct stats_places places = {.map = &map};
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct stats_pairs pairs = {0};
		char sentence[300];
		const char *where = strchr(cases[i].text, '@');

		snprintf(sentence, sizeof(sentence), "%s", cases[i].sentence);
		if (cases[i].sentence == thread || cases[i].sentence == address) {
			const char *named = cases[i].sentence == thread ? cases[i].text : where + 1;
			const char *rest = strstr(cases[i].sentence, "%s") + 2;

			snprintf(sentence, sizeof(sentence), "\"%s%s", named, rest);
			char *percent = strstr(sentence + strlen(named), "%%");
			if (percent)
				memmove(percent, percent + 1, strlen(percent));
		}
		err.text[0] = 0;
		assert_false(stats_pairs_add(&pairs, cases[i].text, &places, &err));
		assert_string_equal(err.text, sentence);
		assert_int_equal(pairs.count, 0);
		stats_pairs_release(&pairs);
	}
	stats_map_release(&map);
	/* Without any places there is no function either. */
	struct stats_pairs pairs = {0};
	const struct stats_places nowhere = {0};
	assert_false(stats_pairs_add(&pairs, "cycles@alpha", &nowhere, &err));
	assert_string_equal(err.text, "the program has no function \"alpha\"");
}

TEST(long_pairs)
{
	char text[1100], sentence[200];
	const struct stats_places nowhere = {0};
	struct stats_pairs pairs = {0};
	struct err err;

	memset(text, 'x', sizeof(text));
	memcpy(text, "cycles@", 7);
	text[1024] = 0;
	assert_false(stats_pairs_add(&pairs, text, &nowhere, &err));
	snprintf(sentence, sizeof(sentence), "\"%.40s...\" is longer than 1023 bytes", text);
	assert_string_equal(err.text, sentence);
	text[1023] = 0;
	assert_false(stats_pairs_add(&pairs, text, &nowhere, &err));
	assert_memory_equal(err.text, "the program has no function \"xxx", 31);
}

/* As many as there are counters, one for each of these ranges; then one more. */
TEST(pairs_have_a_limit)
{
	const struct stats_places nowhere = {0};
	struct stats_pairs pairs = {0};
	struct stats_settings settings;
	struct err err;
	char text[64];

	for (unsigned i = 0; i < STATS_COUNTERS_MOST; i++) {
		snprintf(text, sizeof(text), "cycles@0x%x-0x%x", 2 * i, 2 * i + 1);
		assert_true(stats_pairs_add(&pairs, text, &nowhere, &err));
	}
	assert_true(stats_pairs_add(&pairs, "cycles@0x2-0x3", &nowhere, &err));
	assert_int_equal(pairs.count, STATS_COUNTERS_MOST);
	assert_true(stats_pairs_settle(&pairs, STATS_COUNTERS_MOST, STATS_COUNTERS_MOST, &settings,
				       &err));
	assert_int_equal(settings.range_count, STATS_COUNTERS_MOST);
	assert_int_equal(settings.ranges[4095].low, 8190);
	assert_int_equal(settings.counters[4095].range, 4095);
	assert_false(stats_pairs_add(&pairs, "committed", &nowhere, &err));
	assert_string_equal(err.text,
			    "\"committed\" at \"\" makes more than 4096 pairs, the most there "
			    "can be");
	stats_pairs_release(&pairs);
}

/* Whatever is asked: names are looked at no more often than that. */
TEST(looking_names_up_has_a_limit)
{
	struct stats_pairs pairs = {.looks_most = 1000};
	struct stats_map map;
	struct err err;
	unsigned added = 0;

	assert_true(stats_map_read(&map, map_text, sizeof(map_text) - 1, &err));
	const struct stats_places places = {.map = &map};
	while (added < 1000 && stats_pairs_add(&pairs, "committed@*a", &places, &err))
		added++;
	assert_in_range(added, 2, 100);
	assert_true(pairs.looks < 1200);
	assert_string_equal(err.text,
			    "\"committed\" at \"*a\": finding what these pairs name takes too "
			    "long: ask for fewer, or with fewer patterns");
	stats_pairs_release(&pairs);
	stats_map_release(&map);
}

/* Counters and ranges: a range that several use is one. */
TEST(pairs_become_settings)
{
	static const struct {
		const char *signal;
		uint32_t range, thread;
	} want[] = {
		{"cycles", STATS_ALWAYS, 0},
		{"committed", 0, 0},
		{"cycles", 0, 4},
		{"cycles", 1, 0},
		{"committed", STATS_ALWAYS, 9},
	};
	const struct stats_places nowhere = {0};
	struct stats_pairs pairs = {0};
	struct stats_settings settings = {0};
	struct err err = {.text = ""};

	assert_true(stats_pairs_add(&pairs, "cycles", &nowhere, &err));
	assert_true(stats_pairs_add(&pairs, "committed@0x10-0x1f", &nowhere, &err));
	assert_true(stats_pairs_add(&pairs, "cycles@0x10-0x1f%4", &nowhere, &err));
	assert_true(stats_pairs_add(&pairs, "cycles@0x10-0x2f", &nowhere, &err));
	assert_true(stats_pairs_add(&pairs, "committed@%9", &nowhere, &err));
	assert_false(stats_pairs_settle(&pairs, 4, 2, &settings, &err));
	assert_string_equal(err.text,
			    "this needs 5 counters and 2 ranges, and the module has 4 and 2: "
			    "give --counter-count 5 --range-count 2, or ask for less");
	assert_false(stats_pairs_settle(&pairs, 7, 1, &settings, &err));
	assert_string_equal(err.text,
			    "this needs 5 counters and 2 ranges, and the module has 7 and 1: "
			    "give --counter-count 7 --range-count 2, or ask for less");
	assert_int_equal(settings.counter_count, 0);
	assert_true(stats_pairs_settle(&pairs, 5, 2, &settings, &err));
	assert_int_equal(settings.range_count, 2);
	assert_int_equal(settings.counter_count, 5);
	assert_int_equal(settings.ranges[0].high, 0x1f);
	assert_int_equal(settings.ranges[1].high, 0x2f);
	for (unsigned i = 0; i < 5; i++) {
		assert_string_equal(settings.counters[i].signal->name, want[i].signal);
		assert_int_equal(settings.counters[i].range, want[i].range);
		assert_int_equal(settings.counters[i].thread, want[i].thread);
		assert_int_equal(pairs.items[i].first_counter, i);
	}
	/* Two pieces: two counters, and their sum. */
	const struct stats_range pieces[] = {{1, 2}, {3, 4}};
	struct stats_pair pair = {.pieces = (struct stats_range *)(uintptr_t)pieces,
				  .piece_count = 2,
				  .first_counter = 1};
	const uint64_t values[] = {100, 20, 3, 400};
	bool is_saturated = false;
	assert_int_equal(stats_pair_sum(&pair, values, 400, &is_saturated), 23);
	assert_false(is_saturated);
	assert_int_equal(stats_pair_sum(&pair, values, 3, &is_saturated), 23);
	assert_true(is_saturated);
	pair.piece_count = 0;
	is_saturated = false;
	assert_int_equal(stats_pair_sum(&pair, values, 3, &is_saturated), 20);
	assert_false(is_saturated);
	/* A signal at the places of another pair. */
	stats_pairs_add_signal(&pairs, pairs.items[0].signal, 1);
	assert_int_equal(pairs.count, 6);
	assert_string_equal(pairs.items[5].where, "0x10-0x1f");
	assert_int_equal(pairs.items[5].pieces[0].low, 0x10);
	assert_ptr_equal(stats_pairs_find(&pairs, pairs.items[1].signal, "0x10-0x1f"),
			 &pairs.items[1]);
	assert_null(stats_pairs_find(&pairs, pairs.items[1].signal, "0x10-0x2f"));
	stats_pairs_release(&pairs);
}

TEST(settings_have_limits)
{
	static struct stats_selection counters[4097];
	static struct stats_range ranges[1025];
	const struct signal_row *cycles = signal_find("cycles");
	struct stats_settings s = {
		.period_cycles = 1, .width_bits = 63, .counters = counters, .ranges = ranges};
	struct err err = {.text = ""};

	for (size_t i = 0; i < ARRAY_COUNT(counters); i++)
		counters[i] = (struct stats_selection){cycles, STATS_ALWAYS, 0};
	s.counter_count = 4096;
	s.range_count = 1024;
	assert_true(stats_settings_check(&s, &err));
	s.range_count = 1025;
	assert_false(stats_settings_check(&s, &err));
	assert_string_equal(err.text, "there are at most 4096 counters and 1024 ranges");
	s.range_count = 0;
	s.counter_count = 4097;
	assert_false(stats_settings_check(&s, &err));
	s.counter_count = 1;
	s.width_bits = 64;
	assert_false(stats_settings_check(&s, &err));
	assert_string_equal(err.text, "counters have 1 to 63 bits, not 64");
	s.width_bits = 1;
	s.period_cycles = 0;
	assert_false(stats_settings_check(&s, &err));
	assert_string_equal(err.text, "a period of 0 cycles would never end: the timer counts 1 to "
				      "4294967295");
	s.period_cycles = UINT32_MAX;
	assert_true(stats_settings_check(&s, &err));
	ranges[0] = (struct stats_range){7, 7};
	s.range_count = 1;
	assert_true(stats_settings_check(&s, &err));
	ranges[0].high = 6;
	assert_false(stats_settings_check(&s, &err));
	assert_string_equal(err.text, "the range 0x7-0x6 ends before it begins");
	ranges[0].high = 8;
	counters[0].range = 1;
	assert_false(stats_settings_check(&s, &err));
	assert_string_equal(err.text, "counter 0 selects range 1, but there are 1");
	counters[0].range = 0;
	assert_true(stats_settings_check(&s, &err));
	/* Sixty-four threads, some of them twice, and counters of no thread. */
	s.counter_count = 200;
	for (unsigned i = 0; i < 200; i++)
		counters[i].thread = i % 3 ? 1 + i % 64 : 0;
	assert_true(stats_settings_check(&s, &err));
	counters[199].thread = 65;
	assert_false(stats_settings_check(&s, &err));
	assert_string_equal(err.text, "pairs may name at most 64 threads");
	counters[199].thread = 64;
	assert_true(stats_settings_check(&s, &err));
}

TEST(groups)
{
	static const char text[] = "# a comment\n\n  committed  # another\r\n\tcycles\t\n"
				   "ipc = committed / cycles\n fetch.itlb";
	struct stats_request request = {0};
	struct err err = {.text = ""};

	assert_true(stats_request_add_group(&request, "g", "main", text, sizeof(text) - 1, &err));
	assert_true(stats_request_add_group(&request, "g", "", "cycles\n", 7, &err));
	static const char *const pairs[] = {"committed@main", "cycles@main", "fetch.itlb@main",
					    "cycles"};
	assert_int_equal(request.first.pair_count, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_string_equal(request.first.pairs[i], pairs[i]);
	assert_int_equal(request.formula_count, 1);
	assert_string_equal(request.formulas[0].text, "ipc = committed / cycles");
	assert_string_equal(request.formulas[0].where, "main");
	assert_false(stats_request_add_group(&request, "g", "", "cycles\ntwo words\n", 17, &err));
	assert_string_equal(
		err.text, "group g, line 2: \"two words\" is neither a signal nor NAME = FORMULA");
	assert_false(stats_request_add_group(&request, "g", "", "a@b", 3, &err));
	assert_string_equal(err.text,
			    "group g, line 1: \"a@b\" is neither a signal nor NAME = FORMULA");
	assert_false(
		stats_request_add_group(&request, "g", "", "\n\nx = nothing.at.all", 20, &err));
	assert_memory_equal(err.text, "group g, line 3: ", 17);
	assert_false(stats_request_add_group(&request, "g", "", "ab\0cd", 5, &err));
	assert_string_equal(err.text, "group g, line 1: more than 1023 bytes, or no text");
	/* A line of 1023 bytes, and of 1024. */
	char line[1024];
	memset(line, ' ', sizeof(line));
	memcpy(line, "cycles", 6);
	assert_true(stats_request_add_group(&request, "g", "", line, 1023, &err));
	assert_false(stats_request_add_group(&request, "g", "", line, 1024, &err));
	stats_request_release(&request);
	assert_null(request.formulas);
}

TEST(logs)
{
#define HEAD "cyclestack-stat-log-1\n"
	static const char sound[] = HEAD "0 100 cycles committed@main\n50 4294967295 cycles\n"
					 "50 1\n18446744073709551615 7 a\tb";
	static const char period[] =
		"line %d: expected a cycle, a period of 1 to 4294967295 cycles, and pairs";
	static const struct {
		const char *text, *sentence;
	} cases[] = {
		{"", "there is no epoch in it"},
		{HEAD, "there is no epoch in it"},
		{"something else\n0 1 cycles\n",
		 "it does not begin with the line cyclestack-stat-log-1"},
		{HEAD "1 100 cycles\n", "line 2: the first epoch begins at cycle 0"},
		{HEAD "0 100 cycles\n0 100 cycles\n", "line 3: epochs begin one after the other"},
		{HEAD "0 100 cycles\n9 100 cycles\n8 1 cycles\n",
		 "line 4: epochs begin one after the other"},
		{HEAD "0 0 cycles\n", period},
		{HEAD "0 4294967296 cycles\n", period},
		{HEAD "0\n", period},
		{HEAD "x 1\n", period},
		{HEAD "-0 1 cycles\n", period},
	};
	struct stats_request request = {0};
	struct err err = {.text = ""};

	/* What was there before is forgotten. */
	for (unsigned twice = 0; twice < 2; twice++)
		assert_true(stats_request_read_log(&request, sound, sizeof(sound) - 1, &err));
	assert_int_equal(request.first.at, 0);
	assert_int_equal(request.first.period_cycles, 100);
	assert_int_equal(request.first.pair_count, 2);
	assert_string_equal(request.first.pairs[1], "committed@main");
	assert_int_equal(request.change_count, 3);
	assert_int_equal(request.changes[0].at, 50);
	assert_int_equal(request.changes[0].period_cycles, UINT32_MAX);
	assert_int_equal(request.changes[1].at, 50);
	assert_int_equal(request.changes[1].period_cycles, 1);
	assert_int_equal(request.changes[1].pair_count, 0);
	assert_int_equal(request.changes[2].at, UINT64_MAX);
	assert_int_equal(request.changes[2].pair_count, 2);
	assert_string_equal(request.changes[2].pairs[1], "b");
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		char sentence[200];

		snprintf(sentence, sizeof(sentence), "%s",
			 cases[i].sentence == period ? "line 2: expected a cycle, a period of 1 to "
						       "4294967295 cycles, and pairs"
						     : cases[i].sentence);
		assert_false(stats_request_read_log(&request, cases[i].text, strlen(cases[i].text),
						    &err));
		assert_string_equal(err.text, sentence);
	}
	/* A line of 59,999 bytes, and one that is longer. */
	char *text = malloc(70000);
	memset(text, ' ', 70000);
	memcpy(text, HEAD "0 1 cycles", strlen(HEAD "0 1 cycles"));
	assert_true(stats_request_read_log(&request, text, strlen(HEAD) + 59999, &err));
	assert_false(stats_request_read_log(&request, text, strlen(HEAD) + 60000, &err));
	assert_string_equal(err.text, "line 2: the line is too long");
	free(text);
	/* So many epochs: the lines after the heading, and the heading. */
	text = malloc(70000 * 6);
	size_t at = (size_t)sprintf(text, HEAD "0 1 a\n");
	for (unsigned i = 2; i <= 65536; i++)
		at += (size_t)sprintf(text + at, "%d 1\n", 9);
	assert_false(stats_request_read_log(&request, text, at, &err));
	assert_string_equal(err.text, "line 65537: there are more than 65536 epochs");
	assert_true(stats_request_read_log(&request, text, at - 4, &err));
	assert_int_equal(request.change_count, 65534);
	free(text);
	stats_request_release(&request);
}

TEST(a_mailbox_holds_one_change)
{
	struct err err;
	struct stats_mailbox *mailbox = stats_mailbox_create(&err);
	struct stats_wish wish = {.at = 12345678901, .period_cycles = 77}, taken;
	char *text = malloc(60001);

	assert_non_null(mailbox);
	assert_false(stats_mailbox_take(mailbox, &taken));
	stats_wish_add(&wish, "one");
	stats_wish_add(&wish, "two@three");
	for (unsigned i = 0; i < 3; i++) {
		assert_true(stats_mailbox_post(mailbox, &wish));
		assert_false(stats_mailbox_post(mailbox, &wish));
		assert_true(stats_mailbox_take(mailbox, &taken));
		assert_int_equal(taken.at, 12345678901);
		assert_int_equal(taken.period_cycles, 77);
		assert_int_equal(taken.pair_count, 2);
		assert_string_equal(taken.pairs[0], "one");
		assert_string_equal(taken.pairs[1], "two@three");
		stats_wish_release(&taken);
		assert_false(stats_mailbox_take(mailbox, &taken));
	}
	/* Nothing is left of it in the next. */
	stats_wish_release(&wish);
	assert_true(stats_mailbox_post(mailbox, &wish));
	assert_true(stats_mailbox_take(mailbox, &taken));
	assert_int_equal(taken.pair_count, 0);
	/* A pair of 59,998 bytes with a blank and an end fills it. */
	memset(text, 'x', 60000);
	text[59999] = 0;
	stats_wish_add(&wish, text);
	assert_false(stats_mailbox_post(mailbox, &wish));
	assert_false(stats_mailbox_take(mailbox, &taken));
	stats_wish_release(&wish);
	text[59998] = 0;
	stats_wish_add(&wish, text);
	assert_true(stats_mailbox_post(mailbox, &wish));
	assert_true(stats_mailbox_take(mailbox, &taken));
	assert_int_equal(strlen(taken.pairs[0]), 59998);
	stats_wish_release(&taken);
	stats_wish_release(&wish);
	free(text);
	stats_mailbox_destroy(mailbox);
	stats_mailbox_destroy(NULL);
}
