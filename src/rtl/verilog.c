#include "rtl/verilog.h"

#include "rtl/stimulus.h"
#include "rtl/templates.h"

static void put_template(FILE *out, const char *name)
{
	const struct rtl_template text = template_named(name);

	fwrite(text.bytes, 1, text.size, out);
}

/* Bits of the words that are inner, or of those that are not. */
static unsigned word_bits(const struct circuit_shape *shape, bool is_inner)
{
	unsigned bits = 0;

	for (size_t i = 0; i < shape->word_count; i++)
		bits += shape->words[i].is_inner == is_inner ? shape->words[i].bits : 0;
	return bits;
}

static unsigned input_bits(const struct circuit_shape *shape)
{
	unsigned bits = 0;

	for (size_t i = 0; i < shape->input_count; i++)
		bits += shape->inputs[i].bits * shape->inputs[i].count;
	return bits;
}

static void put_constants(FILE *out, const struct circuit_shape *shape)
{
	for (size_t i = 0; i < shape->constant_count; i++)
		fprintf(out, "\tlocalparam %s = %llu;\n", shape->constants[i].name,
			(unsigned long long)shape->constants[i].value);
	for (size_t i = 0; i < shape->table_count; i++)
		fprintf(out, "\tlocalparam [%u:0] %s = %u'h%s;\n", shape->tables[i].bits - 1,
			shape->tables[i].name, shape->tables[i].bits, shape->tables[i].digits);
}

void verilog_write_module(FILE *out, const struct circuit *circuit, const char *about)
{
	const struct circuit_shape *shape = &circuit->shape;
	const unsigned inner = word_bits(shape, true);

	fprintf(out, "// %s: %s.\n// %s\n\nmodule %s (\n", circuit->kind->name,
		circuit->kind->summary, about, circuit->kind->name);
	fputs("\tinput wire clock,\n\tinput wire reset,\n\tinput wire valid,\n", out);
	for (size_t i = 0; i < shape->input_count; i++)
		fprintf(out, "\tinput wire [%u:0] %s,\n",
			shape->inputs[i].bits * shape->inputs[i].count - 1, shape->inputs[i].name);
	fputs("\toutput wire ready,\n\toutput wire idle,\n", out);
	if (inner)
		fprintf(out, "`ifdef COSIMULATE\n\toutput wire [%u:0] inner,\n`endif\n", inner - 1);
	fprintf(out, "\toutput wire [%u:0] words\n);\n", word_bits(shape, false) - 1);
	put_constants(out, shape);
	fputc('\n', out);
	if (circuit->kind->common)
		put_template(out, circuit->kind->common);
	put_template(out, circuit->kind->templates[0]);
	fputs("endmodule\n", out);
	for (size_t i = 1; circuit->kind->templates[i]; i++)
		put_template(out, circuit->kind->templates[i]);
}

static void put_instance(FILE *out, const struct circuit *circuit)
{
	const struct circuit_shape *shape = &circuit->shape;
	const unsigned outer = word_bits(shape, false), inner = word_bits(shape, true);
	unsigned at = 0;

	fprintf(out,
		"\n\t%s circuit (\n\t\t.clock(clock),\n\t\t.reset(reset),\n\t\t.valid(valid),\n",
		circuit->kind->name);
	for (size_t i = 0; i < shape->input_count; i++) {
		const unsigned bits = shape->inputs[i].bits * shape->inputs[i].count;

		fprintf(out, "\t\t.%s(vector[%u:%u]),\n", shape->inputs[i].name, at + bits - 1, at);
		at += bits;
	}
	if (inner)
		fprintf(out, "\t\t.inner(words[%u:%u]),\n", outer + inner - 1, outer);
	fprintf(out, "\t\t.words(words[%u:0]),\n\t\t.ready(ready),\n\t\t.idle(idle));\n",
		outer - 1);
}

static void put_comparison(FILE *out, const struct circuit *circuit)
{
	const struct circuit_shape *shape = &circuit->shape;
	unsigned at = 0;

	fputs("\n\ttask compare_words;\n\t\tbegin\n", out);
	for (size_t i = 0; i < shape->word_count; i++) {
		const unsigned high = at + shape->words[i].bits - 1;

		fprintf(out,
			"\t\t\tif (words[%u:%u] !== expected[%u:%u]) begin\n"
			"\t\t\t\t$display(\"%s: check %%0d: %s is %%0d, expected %%0d\", checks,\n"
			"\t\t\t\t\twords[%u:%u], expected[%u:%u]);\n"
			"\t\t\t\tfail;\n\t\t\tend\n",
			high, at, high, at, circuit->kind->name, shape->words[i].name, high, at,
			high, at);
		at = high + 1;
	}
	fputs("\t\tend\n\tendtask\n", out);
}

void verilog_write_bench(FILE *out, const struct circuit *circuit, const char *about)
{
	const struct circuit_shape *shape = &circuit->shape;

	fprintf(out,
		"// Compares the circuit %s with its model, word by word.\n// %s\n\n"
		"module %s_tb;\n",
		circuit->kind->name, about, circuit->kind->name);
	fprintf(out,
		"\tlocalparam NAME = \"%s\";\n\tlocalparam INPUT_BITS = %u;\n"
		"\tlocalparam WORD_BITS = %u;\n\tlocalparam WORDS = %zu;\n\n",
		circuit->kind->name, input_bits(shape),
		word_bits(shape, false) + word_bits(shape, true), shape->word_count);
	put_template(out, "bench");
	put_instance(out, circuit);
	put_comparison(out, circuit);
	fputs("endmodule\n", out);
}

void verilog_write_makefile(FILE *out, const struct circuit *circuits, size_t count)
{
	fputs("CIRCUITS :=", out);
	for (size_t i = 0; i < count; i++)
		fprintf(out, " %s", circuits[i].kind->name);
	fputs("\n\n", out);
	put_template(out, "makefile");
}
