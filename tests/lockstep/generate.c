/*
 * generate.c - writes a static program of random sequences.
 *
 *   generate [options] SEED COUNT OUT.elf
 *     --only K      run sequence K alone, at the address it has in the batch
 *     --cut N       with --only: end it after N units
 *     --sabotage K  leave one register of sequence K wrong (tests the driver)
 *     --level L     instructions of RV64GC and Zb* (0), also of Zfh and Zbkb (1), all (2)
 *     --coverage    print how often each instruction was emitted
 *
 * The program takes one table entry after the other: it fills the window,
 * fcsr and all registers, runs the sequence, and writes a record of what is in
 * them then to standard output, so that a machine that stops shows where.
 *
 * No register is left over while a sequence runs, except one, the harness
 * register, which is another one in each sequence. There is a loader and a
 * saver for each of the 31 choices. A loader starts with the table entry's
 * address in the harness register and loads that one last, with the address of
 * the sequence; a saver points it at the record.
 */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/err.h"
#include "sequence.h"

#define MAX_SEQUENCES 100000
#define CSR_FCSR      3u

struct options {
	uint64_t seed;
	unsigned count;
	const char *path;
	long only, sabotage; /* -1: none */
	unsigned cut;
	bool coverage;
	enum insn_level level;
};

struct symbol {
	char name[24];
	uint64_t address, size_bytes;
};

struct program {
	struct code code;
	uint64_t savers[32], loaders[32];
	uint8_t *read_only; /* constants, then the table */
	uint64_t *table;    /* entries of ENTRY_SLOTS */
	unsigned entry_count;
	struct symbol *symbols;
	size_t symbol_count, symbol_capacity;
};

/*
 * Harness code
 */

static void op_i(struct code *code, const char *name, unsigned rd, unsigned rs1, int imm)
{
	code_emit(code, encode_i(insn_find(name)->bits, rd, rs1, imm));
}

static void op_s(struct code *code, const char *name, unsigned rs2, unsigned rs1, int imm)
{
	code_emit(code, encode_s(insn_find(name)->bits, rs1, rs2, imm));
}

static void op_r(struct code *code, const char *name, unsigned rd, unsigned rs1, unsigned rs2)
{
	code_emit(code, encode_r(insn_find(name)->bits, rd, rs1, rs2));
}

static void op_b(struct code *code, const char *name, unsigned rs1, unsigned rs2, uint64_t target)
{
	int offset = (int)(int64_t)(target - code_here(code));

	code_emit(code, encode_b(insn_find(name)->bits, rs1, rs2, offset));
}

static void op_jump(struct code *code, uint64_t target)
{
	int offset = (int)(int64_t)(target - code_here(code));

	code_emit(code, encode_j(insn_find("jal")->bits, 0, offset));
}

static void op_constant(struct code *code, unsigned rd, uint32_t value)
{
	uint32_t upper = (value + 0x800) >> 12;

	code_emit(code, encode_u(insn_find("lui")->bits, rd, upper));
	op_i(code, "addiw", rd, rd, (int)bits_sign_extend(value, 12));
}

/* Copies the window's bytes from x11 on to x12 on; uses x13 and x14. */
static void op_copy_window(struct code *code)
{
	uint64_t top;

	op_i(code, "addi", 13, 12, WINDOW_BYTES);
	top = code_here(code);
	op_i(code, "ld", 14, 11, 0);
	op_s(code, "sd", 14, 12, 0);
	op_i(code, "addi", 11, 11, 8);
	op_i(code, "addi", 12, 12, 8);
	op_b(code, "bne", 12, 13, top);
}

static void op_exit(struct code *code, int status)
{
	op_i(code, "addi", 10, 0, status);
	op_i(code, "addi", 17, 0, 93);
	code_emit(code, insn_find("ecall")->bits);
}

/* The next sequence, or the end. */
static void emit_dispatch(struct code *code, unsigned entry_count)
{
	size_t done;

	op_constant(code, 5, RECORD_ADDRESS);
	op_i(code, "ld", 6, 5, NEXT_INDEX_OFFSET);
	op_constant(code, 7, entry_count);
	done = code->count;
	op_b(code, "bne", 6, 7, code_here(code) + 16);
	op_exit(code, 0);
	BUG_ON(code->count != done + 16);
	op_i(code, "addi", 8, 6, 1);
	op_s(code, "sd", 8, 5, NEXT_INDEX_OFFSET);
	op_i(code, "addi", 9, 0, ENTRY_BYTES);
	op_r(code, "mul", 6, 6, 9);
	op_constant(code, 10, TABLE_ADDRESS);
	op_r(code, "add", 10, 10, 6);
	op_i(code, "addi", 11, 10, SLOT_WINDOW * 8);
	op_constant(code, 12, WINDOW_ADDRESS);
	op_copy_window(code);
	op_i(code, "ld", 14, 10, SLOT_NUMBER * 8);
	op_s(code, "sd", 14, 5, SLOT_NUMBER * 8);
	op_i(code, "ld", 14, 10, SLOT_FCSR * 8);
	op_r(code, "csrrw", 0, 14, CSR_FCSR);
	for (unsigned i = 0; i < 32; i++)
		op_i(code, "fld", i, 10, (int)(SLOT_F + i) * 8);
	op_i(code, "ld", 11, 10, SLOT_LOADER * 8);
	op_i(code, "jalr", 0, 11, 0);
}

/* Completes and writes the record at x10. */
static void emit_report(struct code *code, uint64_t dispatch)
{
	uint64_t again;

	op_r(code, "csrrs", 11, 0, CSR_FCSR);
	op_s(code, "sd", 11, 10, SLOT_FCSR * 8);
	op_i(code, "addi", 12, 10, SLOT_WINDOW * 8);
	op_constant(code, 11, WINDOW_ADDRESS);
	op_copy_window(code);
	op_constant(code, 11, RECORD_ADDRESS);
	op_i(code, "addi", 12, 0, RECORD_BYTES);
	again = code_here(code);
	op_i(code, "addi", 17, 0, 64);
	op_i(code, "addi", 10, 0, 1);
	code_emit(code, insn_find("ecall")->bits);
	op_b(code, "blt", 0, 10, code_here(code) + 16);
	op_exit(code, 1);
	op_r(code, "add", 11, 11, 10);
	op_r(code, "sub", 12, 12, 10);
	op_b(code, "bne", 12, 0, again);
	op_jump(code, dispatch);
}

static void emit_loader(struct code *code, unsigned harness_reg)
{
	op_i(code, "addi", harness_reg, 10, 0);
	for (unsigned i = 1; i < 32; i++)
		if (i != harness_reg)
			op_i(code, "ld", i, harness_reg, (int)(SLOT_X + i) * 8);
	op_i(code, "ld", harness_reg, harness_reg, (int)(SLOT_X + harness_reg) * 8);
	op_i(code, "jalr", 0, harness_reg, 0);
}

static void emit_saver(struct code *code, unsigned harness_reg, uint64_t report)
{
	op_constant(code, harness_reg, RECORD_ADDRESS);
	for (unsigned i = 1; i < 32; i++)
		op_s(code, "sd", i == harness_reg ? 0 : i, harness_reg, (int)(SLOT_X + i) * 8);
	for (unsigned i = 0; i < 32; i++)
		op_s(code, "fsd", i, harness_reg, (int)(SLOT_F + i) * 8);
	op_i(code, "addi", 10, harness_reg, 0);
	op_jump(code, report);
}

static void emit_harness(struct program *program)
{
	struct code *code = &program->code;
	uint64_t report;

	emit_dispatch(code, program->entry_count);
	report = code_here(code);
	emit_report(code, TEXT_ADDRESS);
	for (unsigned i = 1; i < 32; i++) {
		program->loaders[i] = code_here(code);
		emit_loader(code, i);
		program->savers[i] = code_here(code);
		emit_saver(code, i, report);
	}
	BUG_ON(code_here(code) > SEQUENCES_ADDRESS);
	/* A fixed start, so that options that change the harness move nothing. */
	code_pad(code, SEQUENCES_ADDRESS - code_here(code));
}

/*
 * The batch
 */

static void add_symbol(struct program *program, const char *prefix, unsigned number,
		       uint64_t address, uint64_t end)
{
	struct symbol symbol = {.address = address, .size_bytes = end - address};

	snprintf(symbol.name, sizeof(symbol.name), "%s_%u", prefix, number);
	*ARRAY_PUSH(program->symbols, program->symbol_count, program->symbol_capacity) = symbol;
}

static void describe_sequence(struct program *program, const struct sequence *sequence,
			      unsigned number)
{
	for (unsigned i = 0; i < sequence->units; i++) {
		bool last = i + 1 == sequence->units;

		add_symbol(program, "unit", i + 1, sequence->unit_address[i],
			   last ? sequence->end : sequence->unit_address[i + 1]);
	}
	printf("sequence %u start 0x%llx end 0x%llx units %u\n", number,
	       (unsigned long long)sequence->start, (unsigned long long)sequence->end,
	       sequence->units);
}

static void emit_sequences(struct program *program, const struct options *options,
			   uint64_t *coverage)
{
	for (unsigned k = 0; k < options->count; k++) {
		bool chosen = options->only < 0 || options->only == (long)k;
		struct sequence_request request = {.seed = options->seed, .number = k};
		struct sequence sequence;
		uint64_t *entry;

		request.level = options->level;
		request.cut = options->only == (long)k ? options->cut : SEQUENCE_MAX_UNITS;
		request.sabotage = options->sabotage == (long)k;
		sequence_generate(&sequence, &request, &program->code, program->savers, coverage);
		if (request.sabotage)
			printf("sabotaged sequence %u register x%u\n", k, sequence.sabotaged_reg);
		if (!chosen)
			continue;
		if (options->only >= 0)
			describe_sequence(program, &sequence, k);
		else
			add_symbol(program, "sequence", k, sequence.start, sequence.end);
		entry = program->table + (options->only < 0 ? k : 0) * (size_t)ENTRY_SLOTS;
		memcpy(entry, sequence.entry, sizeof(sequence.entry));
		entry[SLOT_LOADER] = program->loaders[sequence.harness_reg];
		if (options->only >= 0)
			break;
	}
}

static void print_coverage(const uint64_t *coverage, enum insn_level level)
{
	for (size_t i = 0; i < insn_row_count(level) * INSN_VARIANTS; i++) {
		const struct insn *row = &insn_rows[i / INSN_VARIANTS];
		const char *suffix = insn_variant_suffix(row, i % INSN_VARIANTS);

		if (suffix)
			printf("%s%s %llu\n", row->name, suffix, (unsigned long long)coverage[i]);
	}
}

/*
 * The file
 */

enum { PART_TEXT, PART_READ_ONLY, PART_SYMBOLS, PART_NAMES, PART_SECTION_NAMES, PART_COUNT };

struct part {
	const void *bytes;
	uint64_t size_bytes;
	uint64_t offset;
};

static Elf64_Phdr segment(const struct part *part, uint32_t flags, uint64_t address,
			  uint64_t memory_bytes)
{
	Elf64_Phdr header = {.p_type = PT_LOAD, .p_flags = flags, .p_align = 4096};

	header.p_offset = part ? part->offset : 0;
	header.p_filesz = part ? part->size_bytes : 0;
	header.p_vaddr = header.p_paddr = address;
	header.p_memsz = memory_bytes;
	return header;
}

static Elf64_Shdr section(const struct part *part, unsigned name, uint32_t type)
{
	Elf64_Shdr header = {.sh_name = name, .sh_type = type, .sh_addralign = 2};

	header.sh_offset = part->offset;
	header.sh_size = part->size_bytes;
	return header;
}

static bool write_parts(const struct options *options, const Elf64_Ehdr *header,
			const Elf64_Phdr *segments, const struct part *parts,
			const Elf64_Shdr *sections, struct err *err)
{
	FILE *file = fopen(options->path, "wb");

	if (!file)
		return err_set_errno(err, errno, "cannot write %s", options->path);
	fwrite(header, sizeof(*header), 1, file);
	fwrite(segments, sizeof(*segments), header->e_phnum, file);
	for (unsigned i = 0; i < PART_COUNT; i++) {
		fseek(file, (long)parts[i].offset, SEEK_SET);
		fwrite(parts[i].bytes, 1, parts[i].size_bytes, file);
	}
	fseek(file, (long)header->e_shoff, SEEK_SET);
	fwrite(sections, sizeof(*sections), header->e_shnum, file);
	/* qemu-riscv64 runs nothing that is not marked executable. */
	fchmod(fileno(file), 0755);
	if (ferror(file) | fclose(file))
		return err_set(err, "cannot write all of %s", options->path);
	return true;
}

static bool write_elf(const struct program *program, const struct options *options, struct err *err)
{
	static const char section_names[] = "\0.text\0.symtab\0.strtab\0.shstrtab";
	size_t symbols = program->symbol_count;
	size_t name_bytes = sizeof(program->symbols[0].name);
	char *names = mem_alloc(1 + symbols * name_bytes);
	Elf64_Sym *table = mem_alloc_array(1 + symbols, sizeof(*table));
	struct part parts[PART_COUNT] = {
		[PART_TEXT] = {program->code.bytes, program->code.count, 0},
		[PART_READ_ONLY] = {program->read_only,
				    CONSTANTS_BYTES + (uint64_t)program->entry_count * ENTRY_BYTES,
				    0},
		[PART_SYMBOLS] = {table, (1 + symbols) * sizeof(*table), 0},
		[PART_NAMES] = {names, 1 + symbols * name_bytes, 0},
		[PART_SECTION_NAMES] = {section_names, sizeof(section_names), 0},
	};
	uint64_t offset = 4096;
	bool written;

	for (size_t i = 0; i < symbols; i++) {
		const struct symbol *symbol = &program->symbols[i];
		Elf64_Sym *entry = &table[1 + i];

		memcpy(names + 1 + i * name_bytes, symbol->name, name_bytes);
		entry->st_name = (Elf64_Word)(1 + i * name_bytes);
		entry->st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
		entry->st_shndx = 1;
		entry->st_value = symbol->address;
		entry->st_size = symbol->size_bytes;
	}
	for (unsigned i = 0; i < PART_COUNT; i++) {
		parts[i].offset = offset;
		offset = bits_align_up(offset + parts[i].size_bytes, 4096);
	}

	Elf64_Phdr segments[] = {
		segment(&parts[PART_TEXT], PF_R | PF_X, TEXT_ADDRESS, parts[PART_TEXT].size_bytes),
		segment(&parts[PART_READ_ONLY], PF_R, CONSTANTS_ADDRESS,
			parts[PART_READ_ONLY].size_bytes),
		segment(NULL, PF_R | PF_W, DATA_ADDRESS, DATA_BYTES),
	};
	Elf64_Shdr sections[] = {
		{.sh_type = SHT_NULL},
		section(&parts[PART_TEXT], 1, SHT_PROGBITS),
		section(&parts[PART_SYMBOLS], 7, SHT_SYMTAB),
		section(&parts[PART_NAMES], 15, SHT_STRTAB),
		section(&parts[PART_SECTION_NAMES], 23, SHT_STRTAB),
	};
	Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_RISCV,
		.e_version = EV_CURRENT,
		.e_entry = TEXT_ADDRESS,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_shoff = offset,
		.e_flags = EF_RISCV_RVC | EF_RISCV_FLOAT_ABI_DOUBLE,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = ARRAY_COUNT(segments),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = ARRAY_COUNT(sections),
		.e_shstrndx = 4,
	};

	sections[1].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	sections[1].sh_addr = TEXT_ADDRESS;
	sections[2].sh_link = 3;
	sections[2].sh_info = 1;
	sections[2].sh_entsize = sizeof(Elf64_Sym);
	written = write_parts(options, &header, segments, parts, sections, err);
	free(names);
	free(table);
	return written;
}

static bool parse_number(const char *text, uint64_t limit, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return !errno && end != text && !*end && *text != '-' && *value <= limit;
}

static bool parse(struct options *options, int argc, char **argv)
{
	uint64_t number = 0;
	int i = 1;

	*options = (struct options){.only = -1, .sabotage = -1, .cut = SEQUENCE_MAX_UNITS};
	for (; i < argc && argv[i][0] == '-'; i++) {
		const char *name = argv[i];

		if (!strcmp(name, "--coverage")) {
			options->coverage = true;
			continue;
		}
		if (++i == argc || !parse_number(argv[i], MAX_SEQUENCES, &number))
			return false;
		if (!strcmp(name, "--only"))
			options->only = (long)number;
		else if (!strcmp(name, "--sabotage"))
			options->sabotage = (long)number;
		else if (!strcmp(name, "--level") && number < LEVEL_COUNT)
			options->level = (enum insn_level)number;
		else if (!strcmp(name, "--cut"))
			options->cut = (unsigned)number;
		else
			return false;
	}
	if (argc - i != 3 || !parse_number(argv[i], UINT64_MAX, &options->seed))
		return false;
	if (!parse_number(argv[i + 1], MAX_SEQUENCES, &number) || !number)
		return false;
	options->count = (unsigned)number;
	options->path = argv[i + 2];
	return options->only < (long)number && options->sabotage < (long)number;
}

int main(int argc, char **argv)
{
	struct program program = {.code.address = TEXT_ADDRESS};
	struct options options;
	struct err err;
	uint64_t *coverage;
	bool written;

	if (!parse(&options, argc, argv)) {
		fprintf(stderr,
			"usage: generate [--only K] [--cut N] [--sabotage K] [--level L] [--coverage] "
			"SEED COUNT OUT.elf   (COUNT 1 to %d, K below COUNT)\n",
			MAX_SEQUENCES);
		return 2;
	}
	program.entry_count = options.only < 0 ? options.count : 1;
	program.read_only = mem_alloc(CONSTANTS_BYTES + program.entry_count * (size_t)ENTRY_BYTES);
	program.table = (uint64_t *)(void *)(program.read_only + CONSTANTS_BYTES);
	sequence_constants(options.seed, program.read_only);
	coverage = mem_alloc_array(insn_row_count(LEVEL_LATER) * INSN_VARIANTS, sizeof(*coverage));
	emit_harness(&program);
	emit_sequences(&program, &options, coverage);
	if (options.coverage)
		print_coverage(coverage, options.level);
	written = write_elf(&program, &options, &err);
	if (!written)
		fprintf(stderr, "generate: %s\n", err.text);
	free(program.code.bytes);
	free(program.read_only);
	free(program.symbols);
	free(coverage);
	return written ? 0 : 1;
}
