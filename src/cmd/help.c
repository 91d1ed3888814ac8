#include <string.h>

#include "cmd/command.h"
#include "count/count.h"
#include "value/component.h"

#define WIDTH 78

/* Prints the words of `text` in lines of at most WIDTH columns, each indented by `indent` spaces;
 * the first line starts at column `used`. */
static void print_wrapped(FILE *out, const char *text, int indent, int used)
{
	while (*text) {
		if (*text == '\n') {
			fprintf(out, "\n\n%*s", indent, "");
			used = indent;
			text++;
			continue;
		}
		int length = (int)strcspn(text, " \n");

		if (used > indent && used + 1 + length > WIDTH) {
			fprintf(out, "\n%*s", indent, "");
			used = indent;
		} else if (used > indent) {
			fputc(' ', out);
			used++;
		}
		fprintf(out, "%.*s", length, text);
		used += length;
		text += length;
		text += *text == ' ';
	}
	fputc('\n', out);
}

void help_of_option(char *text, size_t bytes, enum option_id id)
{
	const char *help = option_rows[id].help, *mark = strstr(help, HELP_OBSERVERS);

	snprintf(text, bytes, "%.*s", (int)(mark ? mark - help : (long)strlen(help)), help);
	for (size_t i = 1; mark && observer_kinds[i]; i++)
		snprintf(text + strlen(text), bytes - strlen(text), "%s%s", i > 1 ? ", " : "",
			 observer_kinds[i]->name);
	if (mark)
		snprintf(text + strlen(text), bytes - strlen(text), "%s",
			 mark + strlen(HELP_OBSERVERS));
}

void help_print_overview(FILE *out)
{
	fputs("cyclestack: where did the cycles go?\n\n"
	      "usage: cyclestack COMMAND [OPTION...] [PROGRAM [ARGUMENT...]]\n\n"
	      "commands:\n",
	      out);
	for (const struct command *c = commands; c->name; c++)
		fprintf(out, "  %-12s%s\n", c->name, c->summary);
	fputs("\n"
	      "  cyclestack COMMAND --help   what a command does, with an example\n"
	      "  cyclestack --version        version and commit\n\n"
	      "example: cyclestack exec @chess:small\n",
	      out);
}

void help_print_command(FILE *out, const struct command *command)
{
	fprintf(out, "usage: cyclestack %s [OPTION...] %s\n\n", command->name, command->operands);
	print_wrapped(out, command->detail, 0, 0);
	fputs("\noptions:\n", out);
	for (const enum option_id *id = command->options; *id != OPTION_COUNT; id++) {
		const struct option_row *row = &option_rows[*id];
		char text[512];
		char letter = option_letter(*id), start[8] = "";

		if (letter)
			snprintf(start, sizeof(start), "-%c, ", letter);
		int used = fprintf(out, "  %s--%s%s%s", start, row->name,
				   row->value && !option_value_is_optional(row) ? " " : "",
				   row->value ? row->value : "");

		if (used > 24) {
			fputc('\n', out);
			used = 0;
		}
		fprintf(out, "%*s", 26 - used, "");
		help_of_option(text, sizeof(text), *id);
		if (row->fallback)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), " [default: %s]",
				 row->fallback);
		print_wrapped(out, text, 26, 26);
	}
	if (command->shows_components)
		fputs("\ncomponents of a stack:\n", out);
	for (int i = 0; command->shows_components && i < COMPONENT_COUNT; i++)
		fprintf(out, "  %-12s%s\n", component_rows[i].name, component_rows[i].meaning);
	fprintf(out, "\nexample:\n  %s\n", command->example);
}
