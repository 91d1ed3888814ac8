/* Pipeline files of the largest size and number of instructions, and of one more. */
#include "../../test.h"
#include "../../directory.h"

#include "report/file/kanata.h"

/* Reads "file"; SENTENCE is NULL if that goes well. */
static void is_read(struct kanata *kanata, const char *sentence)
{
	struct err err = {.text = ""};

	assert_int_equal(kanata_read_file(kanata, "file", &err), !sentence);
	assert_string_equal(err.text, sentence ? sentence : "");
}

IN_DIRECTORY(files_have_a_largest_size)
{
	static const char head[] = "Kanata\t0004\nC=\t1\nC\t", tail[] = "7\n";
	static char zeros[1 << 20];
	size_t left = (256 << 20) - strlen(head) - strlen(tail);
	struct kanata kanata;
	FILE *out = fopen("file", "w");

	/* A number with zeros before it fills the file. */
	memset(zeros, '0', sizeof(zeros));
	fputs(head, out);
	for (size_t part; left; left -= part) {
		part = left < sizeof(zeros) ? left : sizeof(zeros);
		assert_int_equal(fwrite(zeros, 1, part, out), part);
	}
	fputs(tail, out);
	fflush(out);
	is_read(&kanata, NULL);
	assert_int_equal(kanata.last_cycle, 8);
	kanata_release(&kanata);
	fputc('\n', out);
	fclose(out);
	is_read(&kanata, "file: larger than 256 MB");
	kanata_release(&kanata);
}

IN_DIRECTORY(instructions_have_a_largest_number)
{
	struct kanata kanata;
	FILE *out = fopen("file", "w");

	fputs("Kanata\t0004\nC=\t1\n", out);
	for (int i = 0; i < 1000000; i++)
		fprintf(out, "I\t%d\t0\t0\nR\t%d\t0\t0\n", i, i);
	fflush(out);
	is_read(&kanata, NULL);
	assert_int_equal(kanata.count, 1000000);
	kanata_release(&kanata);
	fputs("I\t1000000\t0\t0\nR\t1000000\t0\t0\n", out);
	fclose(out);
	is_read(&kanata, "file: line 2000003: more than 1000000 instructions");
	kanata_release(&kanata);
}
