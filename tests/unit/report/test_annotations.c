/* Functions instruction by instruction, made up here with source files to match: which lines and
 * instructions are shown, in which order, with what around them, and the few of a brief report. */
#include "../directory.h"

#include "../doc/printed_text.h"
#include "report/run.h"
#include "report/source.h"

static const struct terminal terminal = {.width = 66, .height = 40};

/* An instruction of a line; all its slots are of base. */
static struct stacks_instruction insn(const char *pc, const char *file, int64_t line, int64_t slots)
{
	struct stacks_instruction made = {.pc = pc,
					  .text = "nop",
					  .file = file,
					  .directory = "",
					  .line = line,
					  .executed = 3};

	made.slots.causes[CAUSE_BASE] = made.slots.total = slots;
	return made;
}

/* What is printed of one function `f`. */
static void is_annotated(struct stacks_instruction *insns, size_t count, bool is_brief,
			 const char *wanted)
{
	struct stacks_annotation annotation = {
		.function = "f", .insns = insns, .insn_count = count};
	struct stacks_method exact = {.name = "exact", .has = {[COMPONENT_BASE] = true}};
	const struct stacks stacks = {.slots_per_cycle = 2,
				      .methods = &exact,
				      .method_count = 1,
				      .slots = {.total = 200},
				      .annotations = &annotation,
				      .annotation_count = 1};
	struct source_roots roots = {0};
	const struct report_options options = {.sources = &roots, .is_brief = is_brief};
	struct doc doc;
	const struct run_report run = {.doc = &doc, .stacks = &stacks, .options = &options};

	source_roots_add_working_directory(&roots);
	doc_init(&doc, "run");
	run_annotations(&run);
	source_roots_release(&roots);
	is_printed(&doc, &terminal, wanted);
}

static void write_lines(const char *name, int count)
{
	FILE *out = fopen(name, "w");

	for (int i = 1; i <= count; i++)
		fprintf(out, "%c%d;\n", name[0], i);
	fclose(out);
}

IN_DIRECTORY(lines_stand_in_the_order_in_which_their_files_occur)
{
	/* b.c occurs first, though a.c is before it in the alphabet; addresses need no 0x. */
	struct stacks_instruction insns[] = {
		insn("0x10", "b.c", 9, 10), insn("0x12", "a.c", 2, 0),	 insn("14", "b.c", 1, 20),
		insn("0x16", "b.c", 9, 2),  insn("0x18", "a.c", 10, 68), insn("0x1a", "", 0, 0),
	};

	write_lines("a.c", 12);
	write_lines("b.c", 9);
	is_annotated(insns, 6, false,
		     "\n"
		     "f: 50 cycles, 50.0% of the run\n"
		     "\n"
		     "b.c\n"
		     " line share cycles times source                          causes\n"
		     ">1    20.0%     10       b1;                             base 100%\n"
		     ">  14 20.0%     10     3 nop                             base 100%\n"
		     " 2                       b2;\n"
		     " 3                       b3;\n"
		     " 4                       b4;\n"
		     " ...\n"
		     " 6                       b6;\n"
		     " 7                       b7;\n"
		     " 8                       b8;\n"
		     ">9    12.0%      6       b9;                             base 100%\n"
		     ">  10 10.0%      5     3 nop                             base 100%\n"
		     "   16  2.0%      1     3 nop                             base 100%\n"
		     "\n"
		     "a.c\n"
		     " line share cycles times source                          causes\n"
		     " 2                       a2;\n"
		     "   12                  3 nop\n"
		     " 3                       a3;\n"
		     " 4                       a4;\n"
		     " 5                       a5;\n"
		     " ...\n"
		     " 7                       a7;\n"
		     " 8                       a8;\n"
		     " 9                       a9;\n"
		     ">10   68.0%     34       a10;                            base 100%\n"
		     ">  18 68.0%     34     3 nop                             base 100%\n"
		     "\n"
		     "of unknown source\n"
		     " line share cycles times source                             causes\n"
		     " ?\n"
		     "   1a                  3 nop\n"
		     "\n"
		     "base: slots used, and slots fetch could not fill: taken branches,\n"
		     "  ends of lines\n");
}

IN_DIRECTORY(files_that_are_not_found_say_where_to_look)
{
	struct stacks_instruction insns[] = {
		insn("0x10", "/src/deep/a.c", 1, 1),
		insn("0x12", "/top.c", 5, 1),
		insn("0x14", "relative.c", 5, 1),
	};

	is_annotated(insns, 3, false,
		     "\n"
		     "f: 2 cycles, 1.5% of the run\n"
		     "\n"
		     "/src/deep/a.c\n"
		     "(not found: to see its lines add --source /src/deep)\n"
		     " line share cycles times source                          causes\n"
		     ">1    33.3%      1                                       base 100%\n"
		     ">  10 33.3%      1     3 nop                             base 100%\n"
		     "\n"
		     "/top.c\n"
		     "(not found: to see its lines add --source /)\n"
		     " line share cycles times source                          causes\n"
		     ">5    33.3%      1                                       base 100%\n"
		     ">  12 33.3%      1     3 nop                             base 100%\n"
		     "\n"
		     "relative.c\n"
		     "(not found: to see its lines add --source and the directory it is\n"
		     "  in)\n"
		     " line share cycles times source                          causes\n"
		     ">5    33.3%      1                                       base 100%\n"
		     ">  14 33.3%      1     3 nop                             base 100%\n"
		     "\n"
		     "base: slots used, and slots fetch could not fill: taken branches,\n"
		     "  ends of lines\n");
}

IN_DIRECTORY(nothing_is_hot_in_a_function_without_cycles)
{
	struct stacks_instruction insns[] = {insn("0x10", "a.c", 1, 0), insn("0x12", "a.c", 0, 0)};

	is_annotated(insns, 2, false,
		     "\n"
		     "f: 0 cycles, 0.0% of the run\n"
		     "\n"
		     "a.c\n"
		     "(not found: to see its lines add --source and the directory it is\n"
		     "  in)\n"
		     " line share cycles times source                             causes\n"
		     " ?\n"
		     "   12                  3 nop\n"
		     " 1\n"
		     "   10                  3 nop\n");
	is_annotated(insns, 2, true,
		     "\n"
		     "f: 0 cycles, 0.0% of the run\n"
		     "The hottest lines; --annotate f shows all, --annotate none leaves\n"
		     "  them out.\n");
	is_annotated(insns, 0, false,
		     "\n"
		     "f: 0 cycles, 0.0% of the run\n");
	is_annotated(insns, 0, true,
		     "\n"
		     "f: 0 cycles, 0.0% of the run\n"
		     "The hottest lines; --annotate f shows all, --annotate none leaves\n"
		     "  them out.\n");
}

/* Three lines and six instructions, the hottest of them; a line before and behind each. */
IN_DIRECTORY(a_brief_report_has_the_hottest_alone)
{
	struct stacks_instruction insns[] = {
		insn("0x10", "a.c", 1, 30), insn("0x12", "a.c", 1, 1),	insn("0x14", "a.c", 3, 20),
		insn("0x16", "a.c", 4, 5),  insn("0x18", "a.c", 9, 10), insn("0x1a", "a.c", 9, 9),
		insn("0x1c", "a.c", 10, 2), insn("0x1e", "a.c", 9, 9),	insn("0x20", "a.c", 9, 9),
		insn("0x22", "a.c", 9, 9),  insn("0x24", "a.c", 12, 3),
	};

	write_lines("a.c", 12);
	is_annotated(insns, 11, true,
		     "\n"
		     "f: 54 cycles, 53.5% of the run\n"
		     "\n"
		     "a.c\n"
		     " line share cycles times source                          causes\n"
		     ">1    29.0%     16       a1;                             base 100%\n"
		     ">  10 28.0%     15     3 nop                             base 100%\n"
		     " 2                       a2;\n"
		     ">3    18.7%     10       a3;                             base 100%\n"
		     ">  14 18.7%     10     3 nop                             base 100%\n"
		     " 4     4.7%      3       a4;                             base 100%\n"
		     " ...\n"
		     " 8                       a8;\n"
		     ">9    43.0%     23       a9;                             base 100%\n"
		     "   18  9.3%      5     3 nop                             base 100%\n"
		     "   1a  8.4%      5     3 nop                             base 100%\n"
		     "   1e  8.4%      5     3 nop                             base 100%\n"
		     "   20  8.4%      5     3 nop                             base 100%\n"
		     " 10    1.9%      1       a10;                            base 100%\n"
		     "\n"
		     "The hottest lines; --annotate f shows all, --annotate none leaves\n"
		     "  them out.\n");
	/* The first and the last line of the file. */
	struct stacks_instruction ends[] = {insn("0x10", "a.c", 12, 1), insn("0x12", "a.c", 13, 1),
					    insn("0x12", "a.c", 1, 1)};
	is_annotated(ends, 3, true,
		     "\n"
		     "f: 2 cycles, 1.5% of the run\n"
		     "\n"
		     "a.c\n"
		     " line share cycles times source                          causes\n"
		     ">1    33.3%      1       a1;                             base 100%\n"
		     ">  12 33.3%      1     3 nop                             base 100%\n"
		     " 2                       a2;\n"
		     " ...\n"
		     " 11                      a11;\n"
		     ">12   33.3%      1       a12;                            base 100%\n"
		     ">  10 33.3%      1     3 nop                             base 100%\n"
		     ">13   33.3%      1                                       base 100%\n"
		     ">  12 33.3%      1     3 nop                             base 100%\n"
		     "\n"
		     "The hottest lines; --annotate f shows all, --annotate none leaves\n"
		     "  them out.\n");
}

/* Lines with the same number of slots: no more than three, and of several files. */
IN_DIRECTORY(a_brief_report_has_no_more_where_many_are_alike)
{
	struct stacks_instruction insns[16];

	for (int i = 0; i < 16; i++)
		insns[i] = insn("0x10", i % 2 ? "a.c" : "b.c", 1 + i, 5);
	write_lines("a.c", 20);
	is_annotated(insns, 16, true,
		     "\n"
		     "f: 40 cycles, 40.0% of the run\n"
		     "\n"
		     "b.c\n"
		     "(not found: to see its lines add --source and the directory it is\n"
		     "  in)\n"
		     " line share cycles times source                          causes\n"
		     " 1     6.3%      3                                       base 100%\n"
		     "   10  6.3%      3     3 nop                             base 100%\n"
		     " 3     6.3%      3                                       base 100%\n"
		     "   10  6.3%      3     3 nop                             base 100%\n"
		     " 5     6.3%      3                                       base 100%\n"
		     "   10  6.3%      3     3 nop                             base 100%\n"
		     "\n"
		     "The hottest lines; --annotate f shows all, --annotate none leaves\n"
		     "  them out.\n");
	for (int i = 0; i < 16; i++)
		insns[i] = insn("0x10", i < 2 ? "b.c" : "a.c", i < 2 ? 1 : 5, 5);
	is_annotated(insns, 16, true,
		     "\n"
		     "f: 40 cycles, 40.0% of the run\n"
		     "\n"
		     "b.c\n"
		     "(not found: to see its lines add --source and the directory it is\n"
		     "  in)\n"
		     " line share cycles times source                          causes\n"
		     ">1    12.5%      5                                       base 100%\n"
		     "   10  6.3%      3     3 nop                             base 100%\n"
		     "   10  6.3%      3     3 nop                             base 100%\n"
		     "\n"
		     "a.c\n"
		     " line share cycles times source                          causes\n"
		     " 4                       a4;\n"
		     ">5    87.5%     35       a5;                             base 100%\n"
		     "   10  6.3%      3     3 nop                             base 100%\n"
		     "   10  6.3%      3     3 nop                             base 100%\n"
		     "   10  6.3%      3     3 nop                             base 100%\n"
		     "   10  6.3%      3     3 nop                             base 100%\n"
		     " 6                       a6;\n"
		     "\n"
		     "The hottest lines; --annotate f shows all, --annotate none leaves\n"
		     "  them out.\n");
}

IN_DIRECTORY(annotations_are_found_by_their_function)
{
	struct stacks_annotation annotations[] = {{.function = "f"}, {.function = "g"}};
	const struct stacks stacks = {.annotations = annotations, .annotation_count = 2};
	struct doc doc;
	const struct run_report run = {.doc = &doc, .stacks = &stacks};

	doc_init(&doc, "run");
	assert_string_equal(run_annotation_id(&run, "f"), "annotation");
	assert_string_equal(run_annotation_id(&run, "g"), "annotation-2");
	assert_null(run_annotation_id(&run, "h"));
	doc_release(&doc);
}
