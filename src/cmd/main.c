#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/printable.h"
#include "cmd/command.h"
#include "report/layout_text.h"

void print_printable(FILE *out, const char *text)
{
	size_t length = strlen(text);
	char *copy = mem_alloc(length + 1);

	printable_copy(copy, length, (const uint8_t *)text, length);
	fputs(copy, out);
	free(copy);
}

/* Sentences name files, paths and symbols that a hostile program or file chose. */
static void say(const char *sentence)
{
	fputs("cyclestack: ", stderr);
	print_printable(stderr, sentence);
}

int fail_usage(const struct command *command, const char *sentence)
{
	say(sentence);
	fprintf(stderr, " (see: cyclestack %s%s--help)\n", command ? command->name : "",
		command ? " " : "");
	return EXIT_USAGE;
}

int fail_tool(const char *sentence)
{
	say_warning(NULL, sentence);
	return EXIT_TOOL;
}

int fail_err(const struct command *command, const struct err *err)
{
	switch (err->kind) {
	case ERR_USAGE: return fail_usage(command, err->text);
	case ERR_STOPPED: say_warning(NULL, err->text); return EXIT_INTERRUPTED;
	default: return fail_tool(err->text);
	}
}

void say_warning(void *unused, const char *sentence)
{
	(void)unused;
	say(sentence);
	fputc('\n', stderr);
}

static int run_command(const struct command *command, int argc, char **argv)
{
	struct args args;
	struct err err;
	double seconds;
	int status;

	if (!args_parse(&args, command, argc, argv, &err)) {
		status = fail_usage(command, err.text);
	} else if (args_get(&args, OPTION_HELP)) {
		help_print_command(stdout, command);
		status = 0;
	} else if (!args_get_seconds(&args, OPTION_PROGRESS, &seconds, &err)) {
		status = fail_usage(command, err.text);
	} else {
		status = command->run(&args);
	}
	args_release(&args);
	return status;
}

/* Handles the options that need no command; -1 if argv[1] is none of them. */
static int run_global_option(int argc, char **argv)
{
	struct err err;

	if (strcmp(argv[1], "help") == 0 && argc > 2 && command_named(argv[2])) {
		help_print_command(stdout, command_named(argv[2]));
		return 0;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		help_print_overview(stdout);
		return 0;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0 ||
	    strcmp(argv[1], "-v") == 0) {
		printf("cyclestack %s (%s)\n", version_text(), version_commit());
		return 0;
	}
	if (strcmp(argv[1], "--generate-man") == 0 && argc == 3)
		return generate_man(argv[2], &err) ? 0 : fail_tool(err.text);
	if (strcmp(argv[1], "--generate-completion") == 0 && argc == 3)
		return generate_completion(argv[2], &err) ? 0 : fail_usage(NULL, err.text);
	if (strcmp(argv[1], "--generate-schemas") == 0 && argc == 3)
		return generate_schemas(argv[2], &err) ? 0 : fail_tool(err.text);
	if (strcmp(argv[1], "--generate-layouts") == 0 && argc == 2) {
		layout_text_print(stdout);
		return 0;
	}
	return -1;
}

/* A descriptor that this program opens must not become one of the three standard ones, which the
 * guest uses. Those that are closed get /dev/null, opened the wrong way round, so that using them
 * still fails. */
static bool open_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return false;
	return true;
}

int main(int argc, char **argv)
{
	char text[256];
	int status;

	if (!open_standard_descriptors())
		return fail_tool("a standard descriptor is closed, and /dev/null cannot be opened "
				 "in its place");
	if (argc < 2) {
		help_print_overview(stderr);
		return EXIT_USAGE;
	}
	/* Without memory a result would have holes; this says so and ends instead. */
	json_set_alloc_funcs(mem_alloc, free);
	/* A limit on the size of files is an error of writing, to be said and cleaned up after. */
	signal(SIGXFSZ, SIG_IGN);
	status = run_global_option(argc, argv);
	if (status < 0 && command_named(argv[1]))
		status = run_command(command_named(argv[1]), argc - 2, argv + 2);
	if (status < 0) {
		struct nearest nearest = nearest_command(argv[1]);

		snprintf(text, sizeof(text), "there is no command \"%.100s\"%s", argv[1],
			 nearest_ask(&nearest, "; did you mean ", "?").text);
		return fail_usage(NULL, text);
	}
	/* If a report is lost to a full disk or a closed pipe, the exit status must show it; a
	 * status that does already came with its sentence. */
	if ((fflush(stdout) != 0 || ferror(stdout)) && status != EXIT_TOOL)
		status = fail_tool("cannot write to standard output");
	return status;
}
