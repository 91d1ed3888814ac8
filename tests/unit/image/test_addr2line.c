/*
 * Functions, lines and inlined calls of compiled programs, address by address, as addr2line -i -f
 * -C has them; names of all functions as nm -C has them. The programs are all workloads and a C++
 * program made of templates.
 */
#include "../test.h"

#include <dirent.h>
#include <inttypes.h>
#include <unistd.h>

#include "toolchain.h"
#include "image/debug.h"
#include "image/image.h"

#define MOST_ADDRESSES 4000 /* of one program */

struct frame {
	const char *function, *file;
	unsigned line;
};

/* How many frames were compared, how many of them are inlined, and what differs. */
struct tally {
	unsigned addresses, frames, inlined, other_names, other_files;
};

/* Ours, the innermost first as addr2line prints them. */
static size_t our_frames(struct debug *debug, uint64_t address, struct frame *frames)
{
	const struct inlined_call *calls = NULL;
	size_t count = debug_inlined(debug, address, &calls), used = 0;
	const char *function = debug_function(debug, address, NULL);
	struct source_line line = {.file = "?"};

	assert_non_null(function);
	lines_find(debug_lines(debug), address, &line);
	struct frame frame = {NULL, line.file, line.line};
	while (count--) {
		frame.function = calls[count].name;
		frames[used++] = frame;
		frame = (struct frame){NULL, calls[count].file, calls[count].line};
	}
	frame.function = function;
	frames[used++] = frame;
	return used;
}

/* addr2line knows clones and partial copies of C functions under the function's name. */
static bool is_name(const char *ours, const char *theirs)
{
	size_t length = strlen(theirs);

	return strncmp(ours, theirs, length) == 0 &&
	       (!ours[length] || ours[length] == '.' || strncmp(ours + length, " [clone", 7) == 0);
}

static bool is_end(const char *path, const char *end)
{
	size_t all = strlen(path), length = strlen(end);

	return all >= length && strcmp(path + all - length, end) == 0;
}

static void compare_frame(const char *program, uint64_t address, const struct frame *ours,
			  const char *function, char *place, struct tally *tally)
{
	char *colon = strrchr(place, ':');

	assert_non_null(colon);
	*colon = 0;
	unsigned number = (unsigned)strtoul(colon + 1, NULL, 10);
	if (ours->line != number)
		fail_msg("%s 0x%" PRIx64 ": addr2line has %s in %s:%u, we %s in %s:%u", program,
			 address, function, place, number, ours->function, ours->file, ours->line);
	tally->other_names += !is_name(ours->function, function);
	tally->other_files += !is_end(place, ours->file);
}

/* Every so many of the addresses with a line. */
static size_t choose_addresses(struct debug *debug, uint64_t *addresses)
{
	const struct lines *lines = debug_lines(debug);
	uint64_t known = 0, seen = 0, step;
	size_t count = 0;

	assert_non_null(lines);
	for (size_t i = 0; i < lines_count(lines); i++)
		known += (lines_at(lines, i)->end - lines_at(lines, i)->start) / 2;
	step = known / MOST_ADDRESSES + 1;
	for (size_t i = 0; i < lines_count(lines); i++)
		for (uint64_t at = lines_at(lines, i)->start; at < lines_at(lines, i)->end; at += 2)
			if (seen++ % step == 0 && count < MOST_ADDRESSES)
				addresses[count++] = at;
	return count;
}

static void compare_program(const struct toolchain *toolchain, const char *tool, const char *path,
			    struct debug *debug, struct tally *tally)
{
	uint64_t *addresses = mem_alloc_array(MOST_ADDRESSES, sizeof(*addresses));
	size_t count = choose_addresses(debug, addresses);
	FILE *file = toolchain_open(toolchain, "addresses", "w");
	struct frame frames[INLINED_MOST + 1];

	assert_true(count > 20);
	for (size_t i = 0; i < count; i++)
		fprintf(file, "0x%" PRIx64 "\n", addresses[i]);
	fclose(file);
	char *text = toolchain_run(toolchain, "%s -a -i -f -C -e %s @addresses", tool, path);
	char *rest = text, *function = toolchain_line(&rest);
	for (size_t i = 0; i < count; i++) {
		size_t ours = our_frames(debug, addresses[i], frames), k = 0;

		/* The line with the address comes first. */
		assert_non_null(function);
		while ((function = toolchain_line(&rest)) && strncmp(function, "0x", 2) != 0) {
			char *place = toolchain_line(&rest);

			assert_non_null(place);
			if (k == ours)
				fail_msg("%s 0x%" PRIx64 ": addr2line has %s more", path,
					 addresses[i], function);
			compare_frame(path, addresses[i], &frames[k++], function, place, tally);
		}
		assert_int_equal(k, ours);
		tally->addresses++;
		tally->frames += (unsigned)ours;
		tally->inlined += (unsigned)ours - 1;
	}
	free(text);
	free(addresses);
}

/* Of every function the name that nm shows at its address is one that we show. */
static unsigned compare_names(const struct toolchain *toolchain, const char *path,
			      struct debug *debug)
{
	const struct symbols *symbols = debug_symbols(debug, NULL);
	char *raw = toolchain_run(toolchain, TOOLCHAIN_PREFIX "nm -p --defined-only %s", path);
	char *shown = toolchain_run(toolchain, TOOLCHAIN_PREFIX "nm -p -C --defined-only %s", path);
	char *raw_rest = raw, *shown_rest = shown, *line, *other;
	unsigned mangled = 0;

	while ((line = toolchain_line(&raw_rest)) && (other = toolchain_line(&shown_rest))) {
		const struct symbol *symbol;
		int at = 0;

		sscanf(line, "%*x %*c %n", &at);
		symbol = at ? symbols_by_name(symbols, line + at) : NULL;
		if (!symbol)
			continue;
		assert_string_equal(symbols_shown(symbols, symbol), other + at);
		mangled += strcmp(line, other) != 0;
	}
	free(raw);
	free(shown);
	return mangled;
}

static unsigned check_program(const struct toolchain *toolchain, const char *path,
			      struct tally *tally)
{
	struct debug_options options = {.name = path};
	struct debug debug;
	struct err err;
	uint8_t *bytes = image_read(path, &options.size, &err);

	if (!bytes)
		fail_msg("%s", err.text);
	options.bytes = bytes;
	debug_init(&debug, &options);
	compare_program(toolchain, TOOLCHAIN_PREFIX "addr2line", path, &debug, tally);
	if (system("command -v llvm-addr2line >/dev/null") == 0) {
		struct tally second = {0};

		compare_program(toolchain, "llvm-addr2line", path, &debug, &second);
		assert_int_equal(second.other_files, 0);
	}
	unsigned mangled = compare_names(toolchain, path, &debug);
	debug_release(&debug);
	free(bytes);
	return mangled;
}

#define TOOLCHAIN_TEST(test) TEST_WITH(test, toolchain_setup, toolchain_teardown)

TOOLCHAIN_TEST(workloads_are_as_addr2line_has_them)
{
	const char *build = getenv("BUILD");
	char folder[512], here[512], path[1600];
	struct tally tally = {0};
	unsigned programs = 0;
	struct dirent *entry;

	snprintf(folder, sizeof(folder), "%s/workloads", build ? build : "build");
	DIR *list = *test_state ? opendir(folder) : NULL;
	if (!list)
		skip();
	assert_non_null(getcwd(here, sizeof(here)));
	while ((entry = readdir(list))) {
		if (strchr(entry->d_name, '.'))
			continue;
		snprintf(path, sizeof(path), "%s%s%s/%s", folder[0] == '/' ? "" : here,
			 folder[0] == '/' ? "" : "/", folder, entry->d_name);
		check_program(*test_state, path, &tally);
		programs++;
	}
	closedir(list);
	print_message("# %u workloads: %u addresses, %u frames, %u of them inlined\n", programs,
		      tally.addresses, tally.frames, tally.inlined);
	assert_true(programs >= 10);
	assert_int_equal(tally.other_names, 0);
	assert_true(tally.other_files * 10 < tally.frames);
	assert_true(tally.inlined > 1000);
}

static const char cpp_source[] =
	"#include <algorithm>\n#include <cstdio>\n#include <map>\n#include <string>\n"
	"#include <vector>\n"
	"namespace ns {\n"
	"template <class T> struct Box {\n\tT v;\n"
	"\t__attribute__((noinline)) T heavy(T n) const\n\t{\n\t\tT s = 0;\n"
	"\t\tfor (T i = 0; i < n; i++)\n\t\t\ts += (s ^ i) % (v + 3);\n\t\treturn s;\n\t}\n"
	"\tT twice(T n) const { return heavy(n) + heavy(n + 1); }\n"
	"\tbool operator<(const Box &other) const { return v < other.v; }\n};\n"
	"static inline int inner(int x)\n{\n\tint s = x;\n"
	"\tfor (int i = 0; i < 50; i++)\n\t\ts = s * 31 + i;\n\treturn s;\n}\n"
	"static inline int middle(int x) { return inner(x) + inner(x + 1); }\n"
	"__attribute__((noinline)) int outer(int x) { return middle(x) ^ 5; }\n}\n"
	"int main(int count, char **texts)\n{\n"
	"\tstd::vector<ns::Box<int>> list;\n\tstd::map<std::string, long> map;\n"
	"\tfor (int i = 0; i < 30; i++)\n\t\tlist.push_back({i * 7919 % 31});\n"
	"\tstd::sort(list.begin(), list.end());\n"
	"\tfor (int i = 0; i < count; i++)\n"
	"\t\tmap[texts[i]] += ns::Box<long>{i}.twice(ns::outer(i));\n"
	"\tstd::sort(list.begin(), list.end(),\n"
	"\t\t  [](const ns::Box<int> &a, const ns::Box<int> &b) { return a.v > b.v; });\n"
	"\tstd::printf(\"%d %zu\\n\", list[3].twice(3), map.size());\n}\n";

static void check_cpp(const struct toolchain *toolchain, const char *flags, const char *source)
{
	struct tally tally = {0};
	char path[512];

	if (!toolchain || system("command -v " TOOLCHAIN_PREFIX "g++ >/dev/null"))
		skip();
	FILE *file = toolchain_open(toolchain, "main.cc", "w");
	fputs(cpp_source, file);
	fclose(file);
	free(toolchain_run(toolchain, TOOLCHAIN_PREFIX "g++ %s %s -o main", flags, source));
	snprintf(path, sizeof(path), "%s/main", toolchain->directory);
	unsigned mangled = check_program(toolchain, path, &tally);
	print_message("# %s: %u addresses, %u frames, %u of them inlined, %u other names, %u other "
		      "files; %u mangled names\n",
		      flags, tally.addresses, tally.frames, tally.inlined, tally.other_names,
		      tally.other_files, mangled);
	assert_true(tally.inlined > 500);
	assert_true(tally.other_names * 20 < tally.frames);
	assert_true(tally.other_files * 10 < tally.frames);
	assert_true(mangled > 10);
}

TOOLCHAIN_TEST(cpp_of_dwarf_5)
{
	check_cpp(*test_state, "-O2 -g -static", "main.cc");
}

TOOLCHAIN_TEST(cpp_of_dwarf_4_position_independent)
{
	check_cpp(*test_state, "-O3 -gdwarf-4 -pie", "main.cc");
}

TOOLCHAIN_TEST(cpp_compressed)
{
	check_cpp(*test_state, "-O2 -g -gz -static", "main.cc");
}

TOOLCHAIN_TEST(cpp_with_exceptions)
{
	char here[512], source[600];

	assert_non_null(getcwd(here, sizeof(here)));
	snprintf(source, sizeof(source), "%s/tests/languages/exceptions.cc", here);
	check_cpp(*test_state, "-O2 -g -static", source);
}
