/* Writes man pages and shell completion from the tables of commands and options, and JSON Schemas
 * from the layouts of results. */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "cmd/command.h"
#include "report/layout_schema.h"
#include "value/component.h"

/* Roff interprets a leading dot or quote and any backslash or hyphen. */
static void print_roff(FILE *out, const char *text)
{
	bool at_start = true;

	for (; *text; text++) {
		if (at_start && (*text == '.' || *text == '\''))
			fputs("\\&", out);
		if (*text == '\n')
			fputs("\n.PP\n", out);
		else if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '-')
			fputs("\\-", out);
		else
			fputc(*text, out);
		at_start = *text == '\n';
	}
	fputc('\n', out);
}

static void print_man_option(FILE *out, enum option_id id)
{
	const struct option_row *row = &option_rows[id];
	char help[512];

	fputs(".TP\n.B ", out);
	if (option_letter(id))
		fprintf(out, "\\-%c\\fR, \\fB", option_letter(id));
	fputs("\\-\\-", out);
	for (const char *p = row->name; *p; p++)
		fputs(*p == '-' ? "\\-" : (char[]){*p, 0}, out);
	if (row->value) {
		fputs(option_value_is_optional(row) ? "\\fI" : " \\fI", out);
		for (const char *p = row->value; *p; p++)
			fputs(*p == '-' ? "\\-" : (char[]){*p, 0}, out);
		fputs("\\fR", out);
	}
	fputc('\n', out);
	help_of_option(help, sizeof(help), id);
	print_roff(out, help);
	if (row->fallback) {
		fputs("Default: ", out);
		print_roff(out, row->fallback);
	}
}

static void print_man_statuses(FILE *out)
{
	fputs(".SH EXIT STATUS\n", out);
	for (const struct status_row *row = status_rows; row->status; row++) {
		fprintf(out, ".TP\n%s\n", row->status);
		print_roff(out, row->meaning);
	}
}

static void print_man_command(FILE *out, const struct command *command)
{
	fprintf(out, ".TH CYCLESTACK-%s 1 \"\" \"cyclestack %s\"\n", command->name, version_text());
	fprintf(out, ".SH NAME\ncyclestack\\-%s \\- %s\n", command->name, command->summary);
	fprintf(out, ".SH SYNOPSIS\n.B cyclestack %s\n[\\fIOPTION\\fR...] ", command->name);
	print_roff(out, command->operands);
	fputs(".SH DESCRIPTION\n", out);
	print_roff(out, command->detail);
	fputs(".SH OPTIONS\n", out);
	for (const enum option_id *id = command->options; *id != OPTION_COUNT; id++)
		print_man_option(out, *id);
	if (command->shows_components)
		fputs(".SH COMPONENTS\n", out);
	for (int i = 0; command->shows_components && i < COMPONENT_COUNT; i++) {
		fprintf(out, ".TP\n.B %s\n", component_rows[i].name);
		print_roff(out, component_rows[i].meaning);
	}
	print_man_statuses(out);
	fputs(".SH EXAMPLE\n.nf\n", out);
	print_roff(out, command->example);
	fputs(".fi\n.SH SEE ALSO\n.BR cyclestack (1)\n", out);
}

static void print_man_overview(FILE *out)
{
	fprintf(out, ".TH CYCLESTACK 1 \"\" \"cyclestack %s\"\n", version_text());
	fputs(".SH NAME\ncyclestack \\- where did the cycles go?\n"
	      ".SH SYNOPSIS\n.B cyclestack\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] "
	      "[\\fIPROGRAM\\fR [\\fIARGUMENT\\fR...]]\n"
	      ".SH DESCRIPTION\nRuns ordinary 64\\-bit RISC\\-V Linux programs on a simulated "
	      "machine.\n.SH COMMANDS\n",
	      out);
	for (const struct command *c = commands; c->name; c++) {
		fprintf(out, ".TP\n.B %s\n", c->name);
		print_roff(out, c->summary);
	}
	print_man_statuses(out);
	fputs(".SH SEE ALSO\n", out);
	for (const struct command *c = commands; c->name; c++)
		fprintf(out, ".BR cyclestack\\-%s (1)%s\n", c->name, c[1].name ? "," : "");
}

bool generate_man(const char *directory, struct err *err)
{
	for (const struct command *c = commands;; c++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/cyclestack%s%s.1", directory, c->name ? "-" : "",
			 c->name ? c->name : "");
		FILE *out = fopen(path, "w");
		if (!out)
			return err_set_errno(err, errno, "%s", path);
		if (c->name)
			print_man_command(out, c);
		else
			print_man_overview(out);
		if (fclose(out) != 0)
			return err_set_errno(err, errno, "%s", path);
		if (!c->name)
			return true;
	}
}

static void print_options(const struct command *command, const char *separator)
{
	for (const enum option_id *id = command->options; *id != OPTION_COUNT; id++)
		printf("--%s%s", option_rows[*id].name, separator);
}

/* Where the values of an option come from: a command line that prints words, and what follows a
 * word. The names that `events` takes depend on the command. */
static const struct {
	enum option_id option;
	const char *command; /* NULL: of every command */
	const char *words, *suffix;
} completions[] = {
	{OPTION_CONFIG, NULL, "cyclestack config list --names", ""},
	{OPTION_SET, NULL, "cyclestack config keys --names", "="},
	{OPTION_WHAT_IF, NULL, "cyclestack config keys --names", "="},
	{OPTION_VARY, NULL, "cyclestack config keys --names", "="},
	{OPTION_GRID, NULL, "cyclestack config keys --names", "="},
	{OPTION_EVENTS, "stat", "cyclestack signals --csv - | tail -n +2 | cut -d, -f1", ""},
	{OPTION_SIZE, NULL, "echo test small ref", ""},
};

static void print_bash_values(void)
{
	puts("\tlocal before=${COMP_WORDS[COMP_CWORD-1]}\n"
	     "\tcase \"${COMP_WORDS[1]} $before\" in");
	for (size_t i = 0; i < ARRAY_COUNT(completions); i++) {
		const struct option_row *row = &option_rows[completions[i].option];
		const char *command = completions[i].command ? completions[i].command : "*";

		printf("\t%s\\ --%s", command, row->name);
		const char letter = option_letter(completions[i].option);
		if (letter)
			printf(" | %s\\ -%c", command, letter);
		printf(")\n\t\tCOMPREPLY=($(compgen -S \"%s\" -W \"$({ %s; } 2>/dev/null)\" -- "
		       "\"$word\"))\n",
		       completions[i].suffix, completions[i].words);
		if (*completions[i].suffix)
			puts("\t\tcompopt -o nospace");
		/* A machine may be a file too. */
		if (completions[i].option == OPTION_CONFIG)
			puts("\t\tCOMPREPLY+=($(compgen -f -- \"$word\"))");
		puts("\t\treturn ;;");
	}
	/* Bash parts words at a colon: the size of a workload. */
	puts("\t*\\ :)\n"
	     "\t\tCOMPREPLY=($(compgen -W \"test small ref\" -- \"$word\"))\n"
	     "\t\treturn ;;\n"
	     "\tesac");
}

/* The words that an operand may be: where a command has alternatives, the first word of each that
 * is one to be written so. */
static void print_bash_operands(void)
{
	puts("\t*)\n"
	     "\t\tCOMPREPLY=($(compgen -f -- \"$word\"))\n"
	     "\t\tcase ${COMP_WORDS[1]} in");
	for (const struct command *c = commands; c->name; c++) {
		const char *at = c->operands;

		if (!strchr(at, '|') || *at < 'a' || *at > 'z')
			continue;
		printf("\t\t%s) COMPREPLY+=($(compgen -W \"", c->name);
		for (; *at; at += strcspn(at, "|"), at += *at == '|')
			printf("%.*s ", (int)strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789"),
			       at);
		puts("\" -- \"$word\")) ;;");
	}
	puts("\t\tesac\n"
	     "\t\treturn ;;");
}

static void print_bash(void)
{
	puts("# bash completion for cyclestack, made from its tables of commands and options\n"
	     "_cyclestack() {\n"
	     "\tlocal word=${COMP_WORDS[COMP_CWORD]}\n"
	     "\tif [ \"$COMP_CWORD\" -eq 1 ]; then");
	fputs("\t\tCOMPREPLY=($(compgen -W \"--help --version ", stdout);
	for (const struct command *c = commands; c->name; c++)
		printf("%s ", c->name);
	puts("\" -- \"$word\"))\n"
	     "\t\treturn\n"
	     "\tfi");
	print_bash_values();
	puts("\tcase $word in\n"
	     "\t@*)\n"
	     "\t\tCOMPREPLY=($(compgen -P @ -W \"$(cyclestack workloads --names 2>/dev/null)\" "
	     "-- \"${word#@}\"))\n"
	     "\t\treturn ;;\n"
	     "\t-*) ;;");
	print_bash_operands();
	puts("\tesac\n"
	     "\tcase ${COMP_WORDS[1]} in");
	for (const struct command *c = commands; c->name; c++) {
		printf("\t%s) COMPREPLY=($(compgen -W \"", c->name);
		print_options(c, " ");
		puts("\" -- \"$word\")) ;;");
	}
	puts("\tesac\n"
	     "}\n"
	     "complete -o filenames -F _cyclestack cyclestack");
}

/* In a zsh _arguments specification these characters end a part. */
static void print_zsh_text(const char *text)
{
	for (; *text; text++) {
		if (strchr("[]:'\\", *text))
			fputs(*text == '\'' ? "'\\'" : "\\", stdout);
		putchar(*text);
	}
}

/* What completes the value of an option of a command. */
static void print_zsh_action(const struct command *command, enum option_id option)
{
	for (size_t i = 0; i < ARRAY_COUNT(completions); i++) {
		if (completions[i].option != option ||
		    (completions[i].command && strcmp(completions[i].command, command->name) != 0))
			continue;
		printf(":{compadd%s%s -- $({ %s; } 2>/dev/null)%s}",
		       *completions[i].suffix ? " -S " : "", completions[i].suffix,
		       completions[i].words, option == OPTION_CONFIG ? "; _files" : "");
		return;
	}
	fputs(":_files", stdout);
}

static void print_zsh(void)
{
	puts("#compdef cyclestack\n"
	     "# zsh completion for cyclestack, made from its tables of commands and options\n"
	     "_cyclestack() {\n"
	     "\tlocal -a commands=(");
	for (const struct command *c = commands; c->name; c++) {
		printf("\t\t'%s:", c->name);
		print_zsh_text(c->summary);
		puts("'");
	}
	puts("\t)\n"
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
	     "\tcase $command in");
	for (const struct command *c = commands; c->name; c++) {
		printf("\t%s)\n\t\t_arguments", c->name);
		for (const enum option_id *id = c->options; *id != OPTION_COUNT; id++) {
			const struct option_row *row = &option_rows[*id];
			char help[512];

			const bool is_optional = option_value_is_optional(row);
			printf(" \\\n\t\t\t'*--%s%s[", row->name,
			       is_optional  ? "=-"
			       : row->value ? "="
					    : "");
			help_of_option(help, sizeof(help), *id);
			print_zsh_text(help);
			fputs("]", stdout);
			if (row->value) {
				fputs(is_optional ? "::" : ":", stdout);
				print_zsh_text(row->value);
				if (is_optional)
					fputs(": ", stdout);
				else
					print_zsh_action(c, *id);
			}
			fputs("'", stdout);
		}
		puts(" \\\n\t\t\t'*:file:_files'\n\t\t;;");
	}
	puts("\tesac\n"
	     "}\n"
	     "_cyclestack \"$@\"");
}

bool generate_completion(const char *shell, struct err *err)
{
	if (strcmp(shell, "bash") == 0)
		print_bash();
	else if (strcmp(shell, "zsh") == 0)
		print_zsh();
	else
		return err_set(err, "there is completion for bash and zsh, not for \"%s\"", shell);
	return true;
}

static bool write_schema(const char *path, const struct layout *layout, struct err *err)
{
	FILE *out = fopen(path, "we");

	if (!out)
		return err_set_errno(err, errno, "%s", path);
	json_t *schema = layout_schema(layout);
	bool ok = json_dumpf(schema, out, JSON_INDENT(1)) == 0 && fputc('\n', out) != EOF;

	json_decref(schema);
	ok = fclose(out) == 0 && ok;
	return ok || err_set_errno(err, errno, "%s", path);
}

bool generate_schemas(const char *directory, struct err *err)
{
	bool ok = true;

	for (size_t i = 0; ok && layouts[i]; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s.json", directory, layouts[i]->schema);
		ok = write_schema(path, layouts[i], err);
	}
	return ok;
}
