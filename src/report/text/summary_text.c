#include "report/text/summary_text.h"

#include "base/array.h"
#include "value/member.h"

/* Caches and TLBs: the title in text, and the beginning of the names of their values. */
static const struct {
	const char *title, *name;
} structures[] = {
	{"L1I", "l1i"},
	{"L1D", "l1d"},
	{"L2, instructions", "l2.instructions"},
	{"L2, data", "l2.data"},
	{"L3, instructions", "l3.instructions"},
	{"L3, data", "l3.data"},
	{"I-TLB", "itlb"},
	{"D-TLB", "dtlb"},
};

static double ratio(int64_t part, int64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static int64_t value_of(const json_t *values, const char *structure, const char *what)
{
	char name[64];

	snprintf(name, sizeof(name), "%s.%s", structure, what);
	return member_whole(values, name);
}

static void print_structure(FILE *out, const json_t *values, const char *title, const char *name)
{
	int64_t accesses = value_of(values, name, "accesses");
	int64_t misses = value_of(values, name, "misses");

	if (accesses)
		fprintf(out, "  %-18s %12lld %12lld %12lld %8.2f %9.2f%%\n", title,
			(long long)accesses, (long long)misses,
			(long long)value_of(values, name, "pending"),
			1000 * ratio(misses, member_whole(values, "instructions")),
			100 * ratio(misses, accesses));
}

void summary_text_print(FILE *out, const json_t *result)
{
	const json_t *values = json_object_get(result, "values");
	int64_t cycles = member_whole(values, "cycles");
	int64_t instructions = member_whole(values, "instructions");
	int64_t fetched = member_whole(values, "fetched");
	int64_t wrong = member_whole(values, "branches.mispredicted");

	fprintf(out, "  cycles             %12lld\n", (long long)cycles);
	fprintf(out, "  instructions       %12lld   IPC %.3f, CPI %.3f\n", (long long)instructions,
		ratio(instructions, cycles), ratio(cycles, instructions));
	fprintf(out, "  fetched            %12lld   %.1f%% on wrong paths\n", (long long)fetched,
		100 * ratio(member_whole(values, "fetched.wrong_path"), fetched));
	fprintf(out, "  issued             %12lld\n", (long long)member_whole(values, "issued"));
	fprintf(out, "  squashed           %12lld\n", (long long)member_whole(values, "squashed"));
	fprintf(out,
		"  mispredictions     %12lld   %.2f per 1000 instructions, %.2f%% of branches\n",
		(long long)wrong, 1000 * ratio(wrong, instructions),
		100 * ratio(wrong, member_whole(values, "branches")));
	fprintf(out, "\n  %-18s %12s %12s %12s %8s %10s\n", "", "accesses", "misses", "pending",
		"per 1000", "miss rate");
	for (size_t i = 0; i < ARRAY_COUNT(structures); i++)
		print_structure(out, values, structures[i].title, structures[i].name);
}
