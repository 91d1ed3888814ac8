/* Names of source files, the directories they are looked for in, and their lines. */
#include "../test.h"
#include "../directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "report/source.h"

TEST(names_are_resolved_as_text)
{
	static const struct {
		const char *directory, *name, *path;
	} cases[] = {
		{"", "a.c", "a.c"},
		{"/b", "a.c", "/b/a.c"},
		{"/b/", "a.c", "/b/a.c"},
		{"/", "a.c", "/a.c"},
		{"/b", "/x/a.c", "/x/a.c"},
		{"b", "a.c", "b/a.c"},
		{"/b/c", "../a.c", "/b/a.c"},
		{"/b", "../a.c", "/a.c"},
		{"/b", "../../a.c", "/a.c"},
		{"", "../a.c", "../a.c"},
		{"", "../../a.c", "../../a.c"},
		{"", "x/../../a.c", "../a.c"},
		{"", "x/y/../a.c", "x/a.c"},
		{"", "xy/../a.c", "a.c"},
		{"", "..x/../a.c", "a.c"},
		{"", "x./../.y/a.c", ".y/a.c"},
		{"", "./x//y/./a.c", "x/y/a.c"},
		{"", "/..", "/"},
		{"", "x/..", ""},
		{"", "x/y/..", "x"},
		{"/x", "..", "/"},
		{"/x/y", "..", "/x"},
		{"/x", "", "/x"},
		{"", "", ""},
		{"", "a/../b/../c", "c"},
		{"", "..", ".."},
		{"", "abc/...", "abc/..."},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		char *path = source_path(cases[i].directory, cases[i].name);

		assert_string_equal(path, cases[i].path);
		free(path);
	}
}

/* The first line of what is found below the directories, which are separated by spaces. */
static void is_found(const char *directories, const char *name, const char *line)
{
	struct source_roots roots = {0};
	struct source source;
	struct err err;
	char *copy = mem_strdup(directories), *rest = copy;

	for (char *directory; (directory = strsep(&rest, " "));)
		if (*directory && !source_roots_add(&roots, directory, &err))
			fail_msg("%s", err.text);
	source_open(&source, &roots, name);
	if (strcmp(source_line(&source, 1), line ? line : "") != 0)
		fail_msg("%s below %s: %s", name, directories, source_line(&source, 1));
	assert_int_equal(source.count > 0, line != NULL);
	source_close(&source);
	source_roots_release(&roots);
	free(copy);
}

static void make_tree(void)
{
	assert_int_equal(mkdir("one", 0700), 0);
	assert_int_equal(mkdir("one/src", 0700), 0);
	assert_int_equal(mkdir("two", 0700), 0);
	write_file("outside.c", "outside");
	write_file("one/sort.c", "one/sort.c");
	write_file("one/src/sort.c", "one/src/sort.c");
	write_file("two/sort.c", "two/sort.c");
	write_file("two/other.c", "two/other.c");
	assert_int_equal(symlink("../outside.c", "one/link.c"), 0);
	assert_int_equal(symlink("sort.c", "one/inside.c"), 0);
	assert_int_equal(mkfifo("one/pipe.c", 0600), 0);
}

IN_DIRECTORY(the_longest_tail_of_the_first_directory_is_taken)
{
	make_tree();
	is_found("one", "/build/a/src/sort.c", "one/src/sort.c");
	is_found("one", "src/sort.c", "one/src/sort.c");
	is_found("one", "lib/sort.c", "one/sort.c");
	is_found("one", "sort.c", "one/sort.c");
	is_found("one two", "sort.c", "one/sort.c");
	is_found("two one", "src/sort.c", "two/sort.c");
	is_found("one two", "other.c", "two/other.c");
	is_found("one", "other.c", NULL);
	is_found("one", "src", NULL);
	is_found("one", "src/", NULL);
	is_found("one", "", NULL);
	is_found("", "sort.c", NULL);
	/* Nothing leads out of the directory, and what is no file is not read. */
	is_found("one", "../outside.c", NULL);
	is_found("one", "link.c", NULL);
	is_found("one", "inside.c", "one/sort.c");
	is_found("one", "pipe.c", NULL);
}

IN_DIRECTORY(directories_may_stand_for_others)
{
	make_tree();
	is_found("/build=one", "/build/src/sort.c", "one/src/sort.c");
	is_found("/build/=one", "/build/src/sort.c", "one/src/sort.c");
	is_found("/build//=one", "/build/sort.c", "one/sort.c");
	/* By what follows, and nothing shorter. */
	is_found("/build=one", "/build/lib/sort.c", NULL);
	is_found("/build=one", "/builder/sort.c", NULL);
	is_found("/build=one", "/other/build/sort.c", NULL);
	is_found("/build=one", "/build", NULL);
	is_found("src=two", "src/sort.c", "two/sort.c");
	is_found("/=one", "/src/sort.c", "one/src/sort.c");
	is_found("/=one", "src/sort.c", NULL);
	is_found("/build=one two", "/build/other.c", "two/other.c");
}

IN_DIRECTORY(what_is_no_directory_is_refused)
{
	struct source_roots roots = {0};
	struct err err;

	make_tree();
	assert_false(source_roots_add(&roots, "absent", &err));
	assert_string_equal(err.text, "--source absent: No such file or directory");
	assert_false(source_roots_add(&roots, "x=one/sort.c", &err));
	assert_string_equal(err.text, "--source x=one/sort.c: Not a directory");
	assert_int_equal(roots.count, 0);
	source_roots_release(&roots);
}

IN_DIRECTORY(the_working_directory_counts_unless_it_is_the_root)
{
	struct source_roots roots = {0};
	struct source source;
	int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	make_tree();
	source_roots_add_working_directory(&roots);
	assert_int_equal(roots.count, 1);
	source_open(&source, &roots, "/x/one/sort.c");
	assert_string_equal(source_line(&source, 1), "one/sort.c");
	source_close(&source);
	source_roots_release(&roots);
	roots = (struct source_roots){0};
	assert_int_equal(chdir("/"), 0);
	source_roots_add_working_directory(&roots);
	assert_int_equal(fchdir(here), 0);
	close(here);
	assert_int_equal(roots.count, 0);
	source_roots_release(&roots);
}

IN_DIRECTORY(lines_count_from_one)
{
	struct source_roots roots = {0};
	struct source source;
	struct err err;

	write_file("text", "first\r\n\r\n\nr\rest\nlast\r");
	assert_true(source_roots_add(&roots, ".", &err));
	source_open(&source, &roots, "text");
	assert_int_equal(source.count, 5);
	assert_string_equal(source_line(&source, -1), "");
	assert_string_equal(source_line(&source, 0), "");
	assert_string_equal(source_line(&source, 1), "first");
	assert_string_equal(source_line(&source, 2), "");
	assert_string_equal(source_line(&source, 3), "");
	assert_string_equal(source_line(&source, 4), "r\rest");
	assert_string_equal(source_line(&source, 5), "last");
	assert_string_equal(source_line(&source, 6), "");
	source_close(&source);
	source_roots_release(&roots);
}

IN_DIRECTORY(the_whole_text_is_printable_and_keeps_lines_and_tabs)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{"a\n\tb\t\tc\n", "a\n\tb\t\tc\n"},
		{"a\r\nb", "a\nb"},
		{"\033[31m\xff\tz\n\n", "?[31m?\tz\n\n"},
		{"", ""},
	};
	struct source_roots roots = {0};
	struct source source;
	struct err err;

	assert_true(source_roots_add(&roots, ".", &err));
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		write_file("text", cases[i].text);
		source_open(&source, &roots, "text");
		char *shown = source_printable(&source);
		assert_non_null(shown);
		assert_string_equal(shown, cases[i].shown);
		free(shown);
		source_close(&source);
	}
	source_open(&source, &roots, "none");
	assert_null(source_printable(&source));
	source_close(&source);
	source_roots_release(&roots);
}

IN_DIRECTORY(files_have_a_largest_size)
{
	struct source_roots roots = {0};
	struct source source;
	struct err err;

	write_file("text", "first\n");
	assert_true(source_roots_add(&roots, ".", &err));
	assert_int_equal(truncate("text", 16 << 20), 0);
	source_open(&source, &roots, "text");
	assert_string_equal(source_line(&source, 1), "first");
	source_close(&source);
	assert_int_equal(truncate("text", (16 << 20) + 1), 0);
	source_open(&source, &roots, "text");
	assert_int_equal(source.count, 0);
	source_close(&source);
	source_roots_release(&roots);
}

static unsigned open_files(void)
{
	DIR *directory = opendir("/proc/self/fd");
	unsigned count = 0;

	assert_non_null(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

IN_DIRECTORY(nothing_stays_open)
{
	make_tree();
	const unsigned before = open_files();
	is_found("one two", "sort.c", "one/sort.c");
	is_found("one two", "pipe.c", NULL);
	is_found("x=one two", "x/sort.c", "one/sort.c");
	assert_int_equal(open_files(), before);
}

/* Who closed standard input gets its number for other files. */
IN_DIRECTORY(a_descriptor_may_be_zero)
{
	int kept = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 100);

	if (kept < 0)
		skip();
	make_tree();
	close(STDIN_FILENO);
	is_found("one two", "other.c", "two/other.c");
	is_found("two", "sort.c", "two/sort.c");
	struct source_roots roots = {0};
	struct source source;
	struct err err;
	open("outside.c", O_RDONLY | O_CLOEXEC);
	assert_true(source_roots_add(&roots, "one", &err));
	close(STDIN_FILENO);
	source_open(&source, &roots, "sort.c");
	assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
	close(kept);
	assert_string_equal(source_line(&source, 1), "one/sort.c");
	source_close(&source);
	source_roots_release(&roots);
}
