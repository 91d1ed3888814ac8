/*
 * print_stack [-m MACHINE] [-p DIRECTORY] [-s KEY=VALUE]... PROGRAM [ARGUMENT...]: simulates a
 * RISC-V program and says where its cycles went, by component of the CPI stack and by function.
 *
 * MACHINE is a file of parameters, or the name of a preset in DIRECTORY; -s sets one parameter. The
 * stack is that of `exact`, whose components add up to the cycles.
 */
#include <cyclestack.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COLUMNS	  40 /* of the longest bar */
#define FUNCTIONS 3

static void show_warning(void *context, const char *text)
{
	(void)context;
	fprintf(stderr, "warning: %s\n", text);
}

static void print_bar(double share)
{
	int columns = (int)(share * COLUMNS + 0.5);

	while (columns-- > 0)
		fputc('#', stderr);
	fputc('\n', stderr);
}

static bool print_components(struct cs_machine *machine)
{
	struct cs_component component = {.size = sizeof(component)};
	uint64_t cycles = 0, instructions = 0;
	size_t count = 0;

	if (!cs_counted(machine, "cycles", &cycles) ||
	    !cs_counted(machine, "instructions", &instructions) ||
	    !cs_stack(machine, "exact", &count))
		return false;
	fprintf(stderr, "%" PRIu64 " cycles, %" PRIu64 " instructions, CPI %.3f\n\n", cycles,
		instructions, instructions ? (double)cycles / (double)instructions : 0);
	for (size_t i = 0; i < count; i++) {
		if (!cs_component(machine, "exact", i, &component))
			return false;
		double share = cycles ? (double)component.cycles / (double)cycles : 0;
		fprintf(stderr, "%-8s %12" PRId64 " %5.1f%% ", component.name, component.cycles,
			100 * share);
		print_bar(share);
	}
	return true;
}

/* The component that took most of a function's slots. */
static bool find_largest(struct cs_machine *machine, size_t function, struct cs_component *largest)
{
	struct cs_component component = {.size = sizeof(component)};
	uint64_t slots, most = 0;
	size_t count = 0;

	if (!cs_stack(machine, "exact", &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!cs_component(machine, "exact", i, &component) ||
		    !cs_function_slots(machine, function, component.name, &slots))
			return false;
		if (slots >= most) {
			most = slots;
			*largest = component;
		}
	}
	return true;
}

static bool print_functions(struct cs_machine *machine)
{
	struct cs_component largest = {0};
	struct cs_function function = {.size = sizeof(function)};
	size_t count = 0;

	if (!cs_functions(machine, &count))
		return false;
	fprintf(stderr, "\n      cycles  executed      function, and where most of it went\n");
	for (size_t i = 0; i < count && i < FUNCTIONS; i++) {
		if (!cs_function(machine, i, &function) || !find_largest(machine, i, &largest))
			return false;
		fprintf(stderr, "%12.0f  %-12" PRIu64 "  %s, %s\n",
			(double)function.slots / (double)function.slots_per_cycle,
			function.executed, function.name, largest.meaning);
	}
	return true;
}

/* One KEY=VALUE; the text is cut in two. */
static bool set_parameter(struct cs_machine *machine, char *text)
{
	char *equals = strchr(text, '=');

	if (equals)
		*equals = '\0';
	return cs_set_parameter(machine, text, equals ? equals + 1 : "");
}

/* The options, which stand before the program; it is opened already. */
static bool read_options(struct cs_machine *machine, int argc, char **argv)
{
	bool ok = true;
	int option;

	optind = 1;
	while (ok && (option = getopt(argc, argv, "+m:p:s:")) != -1)
		ok = option == 'm'   ? cs_set_machine(machine, optarg)
		     : option == 'p' ? cs_configure(machine, "presets", optarg)
				     : set_parameter(machine, optarg);
	for (int i = optind + 1; ok && i < argc; i++)
		ok = cs_configure(machine, "argv", argv[i]);
	return ok;
}

int main(int argc, char **argv)
{
	const struct cs_observer observer = {.size = sizeof(observer), .on_warning = show_warning};
	char error[1024];
	uint64_t status = 1;
	int option;

	while ((option = getopt(argc, argv, "+m:p:s:")) != -1 && option != '?')
		continue;
	if (option == '?' || optind == argc) {
		fprintf(stderr, "usage: print_stack [-p DIRECTORY] [-m MACHINE] [-s KEY=VALUE]... "
				"PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	struct cs_machine *machine = cs_open(argv[optind], error, sizeof(error));
	if (!machine) {
		fprintf(stderr, "print_stack: %s\n", error);
		return 1;
	}
	bool ok = cs_attach(machine, &observer) && cs_configure(machine, "counters", "exact") &&
		  read_options(machine, argc, argv) && cs_start(machine);
	if (ok)
		cs_simulate(machine, UINT64_MAX, UINT64_MAX);
	if (!ok || !print_components(machine) || !print_functions(machine) ||
	    !cs_value(machine, "status", &status))
		fprintf(stderr, "print_stack: %s\n", cs_error(machine));
	cs_close(machine);
	return (int)status;
}
