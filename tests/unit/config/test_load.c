#include "../test.h"

#include <unistd.h>

#include "config/config.h"
#include "config/scan.h"

struct refusal {
	const char *text, *sentence;
};

static void assert_refused(const char *text, size_t bytes, const char *sentence)
{
	struct config config, before;
	struct err err = {.text = ""};

	config_reset(&config);
	config_put(&config, CONFIG_rob_size, 77);
	memcpy(&before, &config, sizeof(config));
	assert_false(config_load_text(&config, text, bytes, "m.cfg", NULL, &err));
	assert_string_equal(err.text, sentence);
	assert_memory_equal(&config, &before, sizeof(config));
}

static void assert_all_refused(const struct refusal *refusals)
{
	for (; refusals->text; refusals++)
		assert_refused(refusals->text, strlen(refusals->text), refusals->sentence);
}

TEST(load_reads_groups_over_what_is_there)
{
	static const char text[] = "// comments of each kind\n"
				   "# here\n"
				   "/* and { here */\n"
				   "rob = { size = 256; };\n"
				   "l1d: { mshrs = \"unlimited\", replacement = \"pl\" \"ru\" }\n"
				   "l2 = { mshrs = 0x10; size_bytes = 2097152L; };\n"
				   "ideal = { dtlb = TRUE; };\n";
	struct config config, wanted;
	struct err err;

	config_reset(&config);
	config.commit_width = 2;
	config.l1d_mshrs = 3;
	memcpy(&wanted, &config, sizeof(config));
	wanted.rob_size = 256;
	wanted.l1d_mshrs = UNLIMITED;
	wanted.l1d_replacement = REPLACE_PLRU;
	wanted.l2_mshrs = 16;
	wanted.l2_size = 2097152;
	wanted.ideal_dtlb = true;
	assert_true(config_load_text(&config, text, strlen(text), "m.cfg", NULL, &err));
	assert_memory_equal(&config, &wanted, sizeof(config));
	assert_true(config_load_text(&config, "", 0, "m.cfg", NULL, &err));
	assert_memory_equal(&config, &wanted, sizeof(config));
}

TEST(unknown_keys_name_the_nearest)
{
	static const struct refusal refusals[] = {
		{"rob = { sise = 3; };",
		 "m.cfg:1: there is no parameter \"rob.sise\"; did you mean rob.size?"},
		{"\n\nrop = {\n\tsize = 3;\n};",
		 "m.cfg:4: there is no parameter \"rop.size\"; did you mean rob.size?"},
		{"size = 3;", "m.cfg:1: there is no parameter \"size\"; did you mean rob.size?"},
		{"base_on = \"leon2\";",
		 "m.cfg:1: there is no parameter \"base_on\"; did you mean based_on?"},
		{"robb = { };", "m.cfg:1: there is no parameter \"robb\"; did you mean rob.size?"},
		{"a = { b = { c = 1; }; };", "m.cfg:1: there is no parameter \"a.b.c\""},
		{"rob = { size = { x = 1; }; };",
		 "m.cfg:1: rob.size must be a whole number from 4 to 1024, not a group"},
		{"rob = 3;", "m.cfg:1: rob is a group of parameters and has no value itself: write "
			     "rob = { NAME = VALUE; };"},
		{NULL, NULL},
	};

	assert_all_refused(refusals);
}

TEST(wrong_types_say_what_was_expected)
{
	static const struct refusal refusals[] = {
		{"rob = { size = \"many\"; };",
		 "m.cfg:1: rob.size must be a whole number from 4 to 1024, not the text \"many\""},
		{"rob = { size = 128.5; };",
		 "m.cfg:1: rob.size must be a whole number from 4 to 1024, not the fraction 128.5"},
		{"rob = { size = true; };",
		 "m.cfg:1: rob.size must be a whole number from 4 to 1024, not true"},
		{"rob = { size = [128]; };",
		 "m.cfg:1: rob.size must be a whole number from 4 to 1024, not a list"},
		{"rob = { size = (128); };",
		 "m.cfg:1: rob.size must be a whole number from 4 to 1024, not a list"},
		{"rob = { size = \"unlimited\"; };",
		 "m.cfg:1: rob.size must be a whole number from 4 to 1024, not the text "
		 "\"unlimited\""},
		{"l1d = { mshrs = \"none\"; };",
		 "m.cfg:1: l1d.mshrs must be a whole number from 1 to 1024 or \"unlimited\", not the "
		 "text \"none\""},
		{"l1d = { write = 1; };",
		 "m.cfg:1: l1d.write must be \"back\", \"through\" or \"live\", not 1"},
		{"l1d = { write = \"bakc\"; };",
		 "m.cfg:1: l1d.write must be \"back\", \"through\" or \"live\", not the text \"bakc\"; did you "
		 "mean \"back\"?"},
		{"ideal = { l1i = 1; };", "m.cfg:1: ideal.l1i must be true or false, not 1"},
		{"ideal = { l1i = \"\\x1b[2J\"; };",
		 "m.cfg:1: ideal.l1i must be true or false, not the text \"?[2J\""},
		{NULL, NULL},
	};

	assert_all_refused(refusals);
}

TEST(values_out_of_range_are_refused)
{
	static const struct refusal refusals[] = {
		{"rob = { size = 3; };",
		 "m.cfg:1: rob.size must be a whole number from 4 to 1024, not 3"},
		{"rob = { size = 1025; };",
		 "m.cfg:1: rob.size must be a whole number from 4 to 1024, not 1025"},
		{"rob = { size = -128; };",
		 "m.cfg:1: rob.size must be a whole number from 4 to 1024, not -128"},
		/* 128 and a multiple of 2^32 */
		{"rob = { size = 4294967424; };",
		 "m.cfg:1: rob.size must be a whole number from 4 to 1024, not 4294967424"},
		{"rob = { size = 0x100000080; };",
		 "m.cfg:1: rob.size must be a whole number from 4 to 1024, not 0x100000080"},
		{"rob = { size = 18446744073709551744L; };",
		 "m.cfg:1: rob.size must be a whole number from 4 to 1024, not "
		 "18446744073709551744"},
		{"l1d = { mshrs = 0; };",
		 "m.cfg:1: l1d.mshrs must be a whole number from 1 to 1024 or \"unlimited\", not 0"},
		{"l1d = { mshrs = 4294967295L; };",
		 "m.cfg:1: l1d.mshrs must be a whole number from 1 to 1024 or \"unlimited\", not "
		 "4294967295"},
		{NULL, NULL},
	};

	assert_all_refused(refusals);
}

TEST(duplicates_are_refused)
{
	static const struct refusal refusals[] = {
		{"rob = {\n size = 64;\n size = 64;\n};",
		 "m.cfg:3: rob.size is given twice, the first time on line 2"},
		{"rob = { size = 64; };\n\nrob = { size = 64; };",
		 "m.cfg:3: rob is given twice, the first time on line 1"},
		{NULL, NULL},
	};

	assert_all_refused(refusals);
}

TEST(syntax_errors_have_their_line)
{
	static const char help[] = " here or shortly before; a file is made of NAME = VALUE; and "
				   "NAME = { ... };";
	static const char *const cases[][2] = {
		{"rob = { size = ; };", "m.cfg:1: syntax error"},
		{"rob = {\n size = 64;\n", "m.cfg:3: syntax error"},
		{"rob = { size = 64; };\n}\n", "m.cfg:2: syntax error"},
		{"hello", "m.cfg:1: syntax error"},
	};
	static const struct refusal dotted[] = {
		{"rob = { size = 64k; };",
		 "m.cfg:1: a number with a unit is written in quotes: \"32KB\""},
		{"# a\nrob.size = 64;",
		 "m.cfg:2: keys are not dotted in a file: write rob = { size = 128; }; for rob.size"},
		{NULL, NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char sentence[256];

		snprintf(sentence, sizeof(sentence), "%s%s", cases[i][1], help);
		assert_refused(cases[i][0], strlen(cases[i][0]), sentence);
	}
	assert_all_refused(dotted);
}

TEST(impossible_machines_have_the_line_that_made_them_so)
{
	static const struct refusal refusals[] = {
		{"l1d = {\n ways = 3;\n};",
		 "m.cfg:2: l1d.size_bytes (16384) cannot be divided into "
		 "3 equal ways (l1d.ways)"},
		{"l1d = {\n size_bytes = 12288;\n ways = 3;\n replacement = \"plru\";\n};",
		 "m.cfg:4: l1d.replacement = plru needs l1d.ways to be a power of two, not 3"},
		{"l2 = { line_bytes = 16; };\nl1d = { line_bytes = 8; };",
		 "m.cfg:1: l1i.line_bytes (32) must not be above l2.line_bytes (16): an L2 line holds "
		 "whole L1 lines"},
		{NULL, NULL},
	};

	assert_all_refused(refusals);
}

TEST(the_first_mistake_is_reported)
{
	static const struct refusal refusals[] = {
		{"rob = { size = 3; };\nlsq = { sise = 3; };",
		 "m.cfg:1: rob.size must be a whole number from 4 to 1024, not 3"},
		{"lsq = { sise = 3; };\nrob = { size = 3; };",
		 "m.cfg:1: there is no parameter \"lsq.sise\"; did you mean lsq.size?"},
		{"rob = { size = 3; };\nlsq = { size = ; };",
		 "m.cfg:1: rob.size must be a whole number from 4 to 1024, not 3"},
		/* Rules are looked at in another order than these lines. */
		{"btb = { sets = 3; };\nl1i = { line_bytes = 48; };",
		 "m.cfg:1: btb.sets must be a power of two, not 3"},
		{"l1i = { line_bytes = 48; };\nbtb = { sets = 3; };",
		 "m.cfg:1: l1i.line_bytes must be a power of two, not 48"},
		{"rob = { size = 3; };\nbased_on = \"eyerman2006\";",
		 "m.cfg:1: rob.size must be a whole number from 4 to 1024, not 3"},
		{"based_on = \"eyerman2006\";\nrob = { size = 3; };",
		 "m.cfg:1: there are no presets here to start from"},
		{NULL, NULL},
	};

	assert_all_refused(refusals);
}

TEST(other_files_are_out_of_reach)
{
	static const char sentence[] = "files cannot be included; to start from a preset, say "
				       "based_on = \"NAME\";";
	static const char *const cases[] = {"@include \"/etc/hostname\"\n",
					    "\n  \t@include \"a.cfg\"\n",
					    "rob = { size = 64;\n@include \"a.cfg\"\n};",
					    "/* */ @include \"x\"",
					    "/*/ */ @include \"x\"",
					    "a = \"\\\\\"; @include \"x\""};
	static const unsigned lines[] = {1, 2, 2, 1, 1, 1};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[256];

		snprintf(text, sizeof(text), "m.cfg:%u: %s", lines[i], sentence);
		assert_refused(cases[i], strlen(cases[i]), text);
	}
	/* In comments and strings it is only text. */
	struct config config;
	struct err err = {.text = ""};
	static const char harmless[] =
		"# @include \"x\"\n/*\n@include \"x\"\n*/\nrob = { size = 64; };";

	config_reset(&config);
	assert_true(config_load_text(&config, harmless, strlen(harmless), "m.cfg", NULL, &err));
	assert_refused("based_on = \"../x\";", 18, "m.cfg:1: only a file can start from a file");
	assert_refused("based_on = \"x\";", 15, "m.cfg:1: there are no presets here to start from");
	assert_refused("based_on = 3;", 13,
		       "m.cfg:1: based_on must be the name of a preset or file in quotes, not 3");
}

TEST(hostile_sizes_are_refused)
{
	size_t bytes = CONFIG_FILE_BYTES + 1;
	char *text = malloc(bytes), sentence[128];

	memset(text, '#', bytes);
	assert_refused(text, bytes, "m.cfg: the file is longer than 1048576 bytes");
	struct config config;
	struct err err = {.text = ""};
	config_reset(&config);
	text[bytes - 2] = '\n';
	assert_true(config_load_text(&config, text, bytes - 1, "m.cfg", NULL, &err));

	/* One name beside the other, which libconfig would compare with each other. */
	size_t used = 0;
	for (int i = 0; i < 100000; i++)
		used += (size_t)sprintf(text + used, "a%d=1;", i);
	snprintf(sentence, sizeof(sentence), "m.cfg:1: there are more than %d settings",
		 SCAN_MOST_SETTINGS);
	assert_refused(text, used, sentence);

	for (used = 0; used < 400000; used += 4)
		memcpy(text + used, "a={\n", 4);
	assert_refused(text, used, "m.cfg:9: groups are nested more than 8 deep");
	memset(text, '(', 100000);
	memcpy(text, "a =", 3);
	assert_refused(text, 100000, "m.cfg:1: groups are nested more than 8 deep");
	memset(text, 'a', 500000);
	text[500000] = '=';
	text[500001] = '1';
	assert_refused(
		text, 500002,
		"m.cfg:1: there is no parameter \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		"aaaaaaaaaaaaaaa...\"");
	assert_refused("rob = { size = 64; };\0rob = {", 28, "m.cfg: this is not a text file");
	free(text);
}

/* A directory with the given presets, and its removal. */
static char *write_presets(const char *const (*presets)[2], size_t count)
{
	char *directory = strdup(P_tmpdir "/cyclestack-presets-XXXXXX");

	assert_non_null(mkdtemp(directory));
	for (size_t i = 0; i < count; i++) {
		char path[256];

		snprintf(path, sizeof(path), "%s/%s", directory, presets[i][0]);
		FILE *out = fopen(path, "w");
		assert_non_null(out);
		fputs(presets[i][1], out);
		fclose(out);
	}
	return directory;
}

static void remove_presets(char *directory, const char *const (*presets)[2], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char path[256];

		snprintf(path, sizeof(path), "%s/%s", directory, presets[i][0]);
		unlink(path);
	}
	rmdir(directory);
	free(directory);
}

TEST(files_start_from_presets)
{
	static const char *const presets[][2] = {
		{"small.cfg", "rob = { size = 16; };\nlsq = { size = 8; };"},
		{"tiny.cfg", "based_on = \"small\";\nlsq = { size = 4; };"},
		{"ring.cfg", "based_on = \"ring\";"},
		{"broken.cfg", "rob = { size = 16; };\nrob.size = 1;"},
		{"not a preset.cfg", ""},
		{"readme.txt", ""},
	};
	enum { COUNT = sizeof(presets) / sizeof(presets[0]) };
	char *directory = write_presets(presets, COUNT), wanted[512];
	struct config config;
	struct err err = {.text = ""};

	config_reset(&config);
	config.commit_width = 1;
	static const char good[] = "rob = { size = 32; };\nbased_on = \"tiny\";";
	assert_true(config_load_text(&config, good, strlen(good), "m.cfg", directory, &err));
	assert_int_equal(config.rob_size, 32);
	assert_int_equal(config.lsq_size, 4);
	/* What was there before is not part of the preset. */
	assert_int_equal(config.commit_width, 4);

	assert_true(config_load_preset(&config, "small", directory, &err));
	assert_int_equal(config.rob_size, 16);
	assert_false(config_load_preset(&config, "smal", directory, &err));
	assert_string_equal(err.text,
			    "there is no preset \"smal\", only broken, ring, small, tiny; "
			    "did you mean small?");
	assert_false(config_load_preset(&config, "../small", directory, &err));
	assert_string_equal(err.text, "there is no preset \"../small\", only broken, ring, small, "
				      "tiny");
	assert_false(config_load_preset(&config, "", directory, &err));
	assert_false(config_load_preset(&config, "ring", directory, &err));
	assert_non_null(strstr(err.text,
			       "machines are based on each other more than 8 deep, or in a "
			       "circle"));
	static const char broken[] = "\nbased_on = \"broken\";";
	assert_false(config_load_text(&config, broken, strlen(broken), "m.cfg", directory, &err));
	snprintf(
		wanted, sizeof(wanted),
		"m.cfg:2: %s/broken.cfg:2: keys are not dotted in a file: write rob = { size = 128; "
		"}; for rob.size",
		directory);
	assert_string_equal(err.text, wanted);

	char **names = config_presets(directory, &err);
	assert_non_null(names);
	static const char *const known[] = {"broken", "ring", "small", "tiny"};
	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(names[i], known[i]);
		free(names[i]);
	}
	assert_null(names[4]);
	free(names);
	remove_presets(directory, presets, COUNT);
	assert_null(config_presets("no such directory", &err));
	assert_string_equal(err.text, "no such directory: No such file or directory");
}

TEST(files_start_from_files_beside_them)
{
	static const char *const files[][2] = {
		{"base.cfg", "rob = { size = 16; };"},
		{"inner.cfg", "based_on = \"base.cfg\";\nlsq = { size = 4; };"},
		{"outer.cfg", "based_on = \"./inner.cfg\";\nfetch = { width = 2; };"},
		{"ring.cfg", "based_on = \"ring.cfg\";"},
		{"none.cfg", "\nbased_on = \"no-such.cfg\";"},
		{"device.cfg", "based_on = \"/dev/zero\";"},
	};
	enum { COUNT = sizeof(files) / sizeof(files[0]) };
	char *directory = write_presets(files, COUNT), path[512], wanted[2048];
	struct config_left_out left_out;
	struct config config;
	struct err err = {.text = ""};

	config_reset(&config);
	snprintf(path, sizeof(path), "%s/outer.cfg", directory);
	assert_true(config_load_file(&config, path, NULL, &left_out, &err));
	assert_int_equal(config.rob_size, 16);
	assert_int_equal(config.lsq_size, 4);
	assert_int_equal(config.fetch_width, 2);
	assert_int_equal(left_out.count, 0);
	snprintf(path, sizeof(path), "%s/ring.cfg", directory);
	assert_false(config_load_file(&config, path, NULL, NULL, &err));
	assert_non_null(strstr(err.text, "in a circle"));
	snprintf(path, sizeof(path), "%s/none.cfg", directory);
	assert_false(config_load_file(&config, path, NULL, NULL, &err));
	snprintf(wanted, sizeof(wanted),
		 "%s:2: cannot start from %s/no-such.cfg: No such file or directory", path,
		 directory);
	assert_string_equal(err.text, wanted);
	snprintf(path, sizeof(path), "%s/device.cfg", directory);
	assert_false(config_load_file(&config, path, NULL, NULL, &err));
	snprintf(wanted, sizeof(wanted), "%s:1: cannot start from /dev/zero: it is not a file",
		 path);
	assert_string_equal(err.text, wanted);
	remove_presets(directory, files, COUNT);
}

TEST(what_a_file_leaves_out_is_counted)
{
	static const char *const files[][2] = {
		{"some.cfg",
		 "core = { kind = \"ooo\"; max_branches = 4; };\ncache = { levels = 1; };"},
	};
	char *directory = write_presets(files, 1), path[512];
	struct config_left_out left_out;
	struct config config;
	struct err err = {.text = ""};
	size_t wanted = 0;

	config_reset(&config);
	snprintf(path, sizeof(path), "%s/some.cfg", directory);
	assert_true(config_load_file(&config, path, NULL, &left_out, &err));
	/* Nobody expects anything to be ideal, or other instructions, that is not said. */
	for (enum config_id id = 0; id < CONFIG_COUNT; id++)
		wanted += config_applies(&config, id) && id != CONFIG_isa_profile &&
			  strncmp(config_rows[id].key, "ideal.", 6) != 0;
	assert_int_equal(left_out.count, wanted - 3);
	assert_int_equal(left_out.first, CONFIG_fetch_width);
	remove_presets(directory, files, 1);
}

TEST(files_that_cannot_be_read_are_said_so)
{
	struct config config;
	struct err err;

	config_reset(&config);
	assert_false(config_load_file(&config, "./no-such.cfg", NULL, NULL, &err));
	assert_string_equal(err.text, "./no-such.cfg: No such file or directory");
	assert_false(config_load_file(&config, ".", NULL, NULL, &err));
	assert_string_equal(err.text, ".: Is a directory");
}
