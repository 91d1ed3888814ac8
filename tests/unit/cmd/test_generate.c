/* Help, man pages and completion of two made-up commands, whole and as their tables say, with every
 * character that roff, zsh and the width of lines treat as something else. */
#include "../directory.h"

#include <unistd.h>

#include "cmd/command.h"
#include "value/component.h"

#define WORD_38 "abcdefghijklmnopqrstuvwxyz012345678901"
#define WORD_39 WORD_38 "x"
#define WORD_51 "abcdefghijklmnopqrstuvwxyz0123456789012345678901234"

const struct option_row option_rows[OPTION_COUNT] = {
	[OPTION_HELP] = {"help", NULL, NULL, ".say 'this' [a:b] \\ x-y"},
	[OPTION_REPORT] = {"re-port", "FILE-1:[x]", "-\\", "'first\n.second\nthird's"},
	/* "  --seed TWELVE_CHARS_17" has 24 columns; with 25 the help begins on the next line. */
	[OPTION_MAX_INSNS] = {"max-insns", "TWELVE_CHAR", NULL, WORD_51},
	[OPTION_SEED] = {"seed", "TWELVE_CHARS_17", "1", WORD_51 " a"},
	[OPTION_JSON] = {"json", "TWELVE_CHARS_178", NULL, WORD_51 "x b"},
};

static const enum option_id first_options[] = {OPTION_HELP, OPTION_REPORT, OPTION_COUNT};
static const enum option_id second_options[] = {OPTION_MAX_INSNS, OPTION_SEED, OPTION_JSON,
						OPTION_COUNT};

const struct command commands[] = {
	{
		.name = "one",
		.summary = "does 'one' thing: [this]",
		.operands = "-A\\B",
		.detail = "'Quoted.\n.dot-ted\nplain.'",
		.example = "cyclestack one -x",
		.options = first_options,
		.shows_components = true,
	},
	{
		.name = "two",
		.summary = "does two",
		.operands = "FILE",
		.detail = WORD_38 " " WORD_39 " " WORD_39 " " WORD_39 " a\n" WORD_38 " b",
		.example = "cyclestack two",
		.options = second_options,
	},
	{.name = NULL},
};

const struct status_row status_rows[] = {{"0", "all-right"}, {"7", ".bad"}, {NULL, NULL}};

char option_letter(enum option_id id)
{
	return id == OPTION_REPORT ? 'o' : 0;
}

const char *version_text(void)
{
	return "9.8.7";
}

/* The rows of components are those of a stack, which other tests hold. */
static const char *components(const char *format)
{
	static char text[8192];
	size_t at = 0;

	text[0] = 0;
	for (int i = 0; i < COMPONENT_COUNT; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, format, component_rows[i].name,
				       component_rows[i].meaning);
	return text;
}

/* The text that is expected, of which %s is that of components without hyphens as roff has them. */
static void expect(const char *path, const char *before, const char *between, const char *after)
{
	static char wanted[65536];

	snprintf(wanted, sizeof(wanted), "%s%s%s", before, between, after);
	file_holds(path, wanted);
}

static const char *in_roff(const char *text)
{
	static char result[16384];
	size_t at = 0;

	for (; *text; text++) {
		if (*text == '-')
			result[at++] = '\\';
		result[at++] = *text;
	}
	result[at] = 0;
	return result;
}

#define STATUSES ".SH EXIT STATUS\n.TP\n0\nall\\-right\n.TP\n7\n\\&.bad\n"

IN_DIRECTORY(man_pages_are_whole)
{
	struct err err = {.text = ""};

	assert_true(generate_man(".", &err));
	expect("cyclestack-one.1",
	       ".TH CYCLESTACK-one 1 \"\" \"cyclestack 9.8.7\"\n"
	       ".SH NAME\ncyclestack\\-one \\- does 'one' thing: [this]\n"
	       ".SH SYNOPSIS\n.B cyclestack one\n[\\fIOPTION\\fR...] \\-A\\eB\n"
	       ".SH DESCRIPTION\n\\&'Quoted.\n.PP\n\\&.dot\\-ted\n.PP\nplain.'\n"
	       ".SH OPTIONS\n"
	       ".TP\n.B \\-\\-help\n\\&.say 'this' [a:b] \\e x\\-y\n"
	       ".TP\n.B \\-o\\fR, \\fB\\-\\-re\\-port \\fIFILE\\-1:[x]\\fR\n"
	       "\\&'first\n.PP\n\\&.second\n.PP\nthird's\n"
	       "Default: \\-\\e\n"
	       ".SH COMPONENTS\n",
	       in_roff(components(".TP\n.B %s\n%s\n")),
	       STATUSES ".SH EXAMPLE\n.nf\ncyclestack one \\-x\n.fi\n"
			".SH SEE ALSO\n.BR cyclestack (1)\n");
	expect("cyclestack-two.1",
	       ".TH CYCLESTACK-two 1 \"\" \"cyclestack 9.8.7\"\n"
	       ".SH NAME\ncyclestack\\-two \\- does two\n"
	       ".SH SYNOPSIS\n.B cyclestack two\n[\\fIOPTION\\fR...] FILE\n"
	       ".SH DESCRIPTION\n" WORD_38 " " WORD_39 " " WORD_39 " " WORD_39 " a\n.PP\n" WORD_38
	       " b\n"
	       ".SH OPTIONS\n"
	       ".TP\n.B \\-\\-max\\-insns \\fITWELVE_CHAR\\fR\n" WORD_51 "\n"
	       ".TP\n.B \\-\\-seed \\fITWELVE_CHARS_17\\fR\n" WORD_51 " a\nDefault: 1\n"
	       ".TP\n.B \\-\\-json \\fITWELVE_CHARS_178\\fR\n" WORD_51 "x b\n",
	       "",
	       STATUSES ".SH EXAMPLE\n.nf\ncyclestack two\n.fi\n"
			".SH SEE ALSO\n.BR cyclestack (1)\n");
	expect("cyclestack.1",
	       ".TH CYCLESTACK 1 \"\" \"cyclestack 9.8.7\"\n"
	       ".SH NAME\ncyclestack \\- where did the cycles go?\n"
	       ".SH SYNOPSIS\n.B cyclestack\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] "
	       "[\\fIPROGRAM\\fR [\\fIARGUMENT\\fR...]]\n"
	       ".SH DESCRIPTION\nRuns ordinary 64\\-bit RISC\\-V Linux programs on a simulated "
	       "machine.\n.SH COMMANDS\n"
	       ".TP\n.B one\ndoes 'one' thing: [this]\n.TP\n.B two\ndoes two\n",
	       STATUSES, ".SH SEE ALSO\n.BR cyclestack\\-one (1),\n.BR cyclestack\\-two (1)\n");
}

IN_DIRECTORY(man_pages_need_a_place)
{
	struct err err = {.text = ""};

	assert_false(generate_man("./none", &err));
	assert_string_equal(err.text, "./none/cyclestack-one.1: No such file or directory");
	/* A device without room: nothing is known before the file is closed. */
	assert_int_equal(symlink("/dev/full", "cyclestack-two.1"), 0);
	assert_false(generate_man(".", &err));
	assert_string_equal(err.text, "./cyclestack-two.1: No space left on device");
}

/* What a completion prints is in "out". */
static void complete(const char *shell)
{
	struct err err;
	int kept = dup(STDOUT_FILENO);

	fflush(stdout);
	assert_non_null(freopen("out", "w", stdout));
	bool ok = generate_completion(shell, &err);
	fflush(stdout);
	dup2(kept, STDOUT_FILENO);
	close(kept);
	assert_true(ok);
}

/* Which values options have is tried in a shell: tests/cli/test_completion.sh. */
static const char *values_of_bash(void)
{
	static char text[16384];
	FILE *in = fopen("out", "r");

	assert_non_null(in);
	text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
	fclose(in);
	char *from = strstr(text, "\tlocal before="), *to = strstr(text, "\tcase $word in");
	assert_true(from && to && from < to);
	*to = '\0';
	return from;
}

IN_DIRECTORY(completions_are_whole)
{
	struct err err;

	complete("bash");
	expect("out",
	       "# bash completion for cyclestack, made from its tables of commands and options\n"
	       "_cyclestack() {\n"
	       "\tlocal word=${COMP_WORDS[COMP_CWORD]}\n"
	       "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W \"--help --version one two \" -- \"$word\"))\n"
	       "\t\treturn\n"
	       "\tfi\n",
	       values_of_bash(),
	       "\tcase $word in\n"
	       "\t@*)\n"
	       "\t\tCOMPREPLY=($(compgen -P @ -W \"$(cyclestack workloads --names "
	       "2>/dev/null)\" -- \"${word#@}\"))\n"
	       "\t\treturn ;;\n"
	       "\t-*) ;;\n"
	       "\t*)\n"
	       "\t\tCOMPREPLY=($(compgen -f -- \"$word\"))\n"
	       "\t\tcase ${COMP_WORDS[1]} in\n"
	       "\t\tesac\n"
	       "\t\treturn ;;\n"
	       "\tesac\n"
	       "\tcase ${COMP_WORDS[1]} in\n"
	       "\tone) COMPREPLY=($(compgen -W \"--help --re-port \" -- \"$word\")) ;;\n"
	       "\ttwo) COMPREPLY=($(compgen -W \"--max-insns --seed --json \" -- \"$word\")) ;;\n"
	       "\tesac\n"
	       "}\n"
	       "complete -o filenames -F _cyclestack cyclestack\n");
	complete("zsh");
	file_holds(
		"out",
		"#compdef cyclestack\n"
		"# zsh completion for cyclestack, made from its tables of commands and options\n"
		"_cyclestack() {\n"
		"\tlocal -a commands=(\n"
		"\t\t'one:does '\\''one'\\'' thing\\: \\[this\\]'\n"
		"\t\t'two:does two'\n"
		"\t)\n"
		"\tif (( CURRENT == 2 )); then\n"
		"\t\t_describe command commands\n"
		"\t\treturn\n"
		"\tfi\n"
		"\tif [[ $PREFIX == @* ]]; then\n"
		"\t\tcompadd -P @ -- ${(f)\"$(cyclestack workloads --names 2>/dev/null)\"}\n"
		"\t\treturn\n"
		"\tfi\n"
		"\tlocal command=$words[2]\n"
		"\tshift words; (( CURRENT-- ))\n"
		"\tcase $command in\n"
		"\tone)\n"
		"\t\t_arguments \\\n"
		"\t\t\t'*--help[.say '\\''this'\\'' \\[a\\:b\\] \\\\ x-y]' \\\n"
		"\t\t\t'*--re-port=['\\''first\n.second\nthird'\\''s]:FILE-1\\:\\[x\\]:_files' \\\n"
		"\t\t\t'*:file:_files'\n"
		"\t\t;;\n"
		"\ttwo)\n"
		"\t\t_arguments \\\n"
		"\t\t\t'*--max-insns=[" WORD_51 "]:TWELVE_CHAR:_files' \\\n"
		"\t\t\t'*--seed=[" WORD_51 " a]:TWELVE_CHARS_17:_files' \\\n"
		"\t\t\t'*--json=[" WORD_51 "x b]:TWELVE_CHARS_178:_files' \\\n"
		"\t\t\t'*:file:_files'\n"
		"\t\t;;\n"
		"\tesac\n"
		"}\n"
		"_cyclestack \"$@\"\n");
	assert_false(generate_completion("fish", &err));
	assert_string_equal(err.text, "there is completion for bash and zsh, not for \"fish\"");
}

IN_DIRECTORY(help_fills_lines_of_78_columns)
{
	FILE *out = fopen("out", "w");

	help_print_command(out, &commands[1]);
	fclose(out);
	file_holds("out", "usage: cyclestack two [OPTION...] FILE\n\n"
		   /* 38 + 1 + 39 columns fit, 39 + 1 + 39 do not. */
		   WORD_38 " " WORD_39 "\n" WORD_39 "\n" WORD_39 " a\n\n" WORD_38 " b\n"
			  "\noptions:\n"
			  "  --max-insns TWELVE_CHAR\n"
			  "                          " WORD_51 "\n"
			  "  --seed TWELVE_CHARS_17  " WORD_51 "\n"
			  "                          a [default: 1]\n"
			  "  --json TWELVE_CHARS_178\n"
			  "                          " WORD_51 "x\n"
			  "                          b\n"
			  "\nexample:\n  cyclestack two\n");
	out = fopen("out", "w");
	help_print_command(out, &commands[0]);
	fclose(out);
	expect("out",
	       "usage: cyclestack one [OPTION...] -A\\B\n\n"
	       "'Quoted.\n\n.dot-ted\n\nplain.'\n"
	       "\noptions:\n"
	       "  --help                  .say 'this' [a:b] \\ x-y\n"
	       "  -o, --re-port FILE-1:[x]\n"
	       "                          'first\n\n                          .second\n\n"
	       "                          third's [default: -\\]\n"
	       "\ncomponents of a stack:\n",
	       components("  %-12s%s\n"), "\nexample:\n  cyclestack one -x\n");
	out = fopen("out", "w");
	help_print_overview(out);
	fclose(out);
	file_holds("out", "cyclestack: where did the cycles go?\n\n"
			  "usage: cyclestack COMMAND [OPTION...] [PROGRAM [ARGUMENT...]]\n\n"
			  "commands:\n"
			  "  one         does 'one' thing: [this]\n"
			  "  two         does two\n\n"
			  "  cyclestack COMMAND --help   what a command does, with an example\n"
			  "  cyclestack --version        version and commit\n\n"
			  "example: cyclestack exec @chess:small\n");
}
