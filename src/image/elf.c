#include "image/elf.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/bytes.h"

/* Some versions of <elf.h> lack these. */
#define FLAG_RVC	  0x1
#define FLAG_FLOAT_SHIFT  1
#define FLAG_FLOAT_SINGLE 1
#define FLAG_FLOAT_DOUBLE 2
#define FLAG_FLOAT_QUAD	  3
#define FLAG_RVE	  0x8

/* Linux accepts a table of at most 64 KiB. */
#define PROGRAM_HEADERS_MAX (65536 / sizeof(Elf64_Phdr))

#define BUILD_HINT "riscv64-linux-gnu-gcc -O2 -g -static"

struct program_header {
	uint32_t type;
	uint32_t flags;
	uint64_t offset;
	uint64_t vaddr;
	uint64_t file_bytes;
	uint64_t mem_bytes;
	uint64_t align;
};

/* The file being parsed, so that every check can name it. */
struct source {
	const uint8_t *bytes;
	size_t size;
	const char *name;
	struct err *err;
};

static const struct {
	uint16_t machine;
	const char *name;
} machine_names[] = {
	{EM_386, "32-bit x86"},
	{EM_X86_64, "x86-64"},
	{EM_ARM, "32-bit ARM"},
	{EM_AARCH64, "AArch64"},
	{EM_MIPS, "MIPS"},
	{EM_PPC, "32-bit PowerPC"},
	{EM_PPC64, "64-bit PowerPC"},
	{EM_S390, "s390"},
	{EM_SPARC, "SPARC"},
	{EM_SPARCV9, "64-bit SPARC"},
	{EM_IA_64, "Itanium"},
	{EM_ALPHA, "Alpha"},
	{EM_68K, "m68k"},
	{EM_SH, "SuperH"},
	{EM_PARISC, "PA-RISC"},
	{EM_BPF, "BPF"},
	{258 /* EM_LOONGARCH */, "LoongArch"},
};

void elf_init(struct elf *elf)
{
	*elf = (struct elf){0};
}

void elf_release(struct elf *elf)
{
	free(elf->segments);
	free(elf->interp);
	elf_init(elf);
}

static bool starts_with(const struct source *source, const char *magic)
{
	size_t length = strlen(magic);

	return source->size >= length && !memcmp(source->bytes, magic, length);
}

static bool check_is_elf(const struct source *source)
{
	const char *name = source->name;

	if (!source->size)
		return err_set(source->err, "%s: the file is empty; give a RISC-V ELF program",
			       name);
	if (starts_with(source, "#!"))
		return err_set(
			source->err,
			"%s: a script, not a program; give the RISC-V ELF program that would "
			"interpret it, with the script as an argument",
			name);
	if (starts_with(source, "!<arch>\n"))
		return err_set(
			source->err,
			"%s: a library archive, not a program; link it into one with " BUILD_HINT,
			name);
	if (!starts_with(source, ELFMAG))
		return err_set(source->err,
			       "%s: not an ELF file (it does not begin with 7f 45 4c 46); give a "
			       "program built with " BUILD_HINT,
			       name);
	return true;
}

static bool refuse_truncated_header(const struct source *source)
{
	return err_set(
		source->err,
		"%s: truncated: the ELF header needs %zu bytes at offset 0, but the file has "
		"%zu; copy or build it again",
		source->name, sizeof(Elf64_Ehdr), source->size);
}

/* The architecture is checked first: for a file of another one "built for x86-64" is the most
 * useful message. */
static bool check_machine(const struct source *source)
{
	const uint8_t *ident = source->bytes;
	struct reader reader = reader_of(source->bytes, source->size);

	reader_take(&reader, offsetof(Elf64_Ehdr, e_machine));
	unsigned machine = reader_u16(&reader);
	if (reader.bad)
		return refuse_truncated_header(source);
	if (ident[EI_DATA] == ELFDATA2MSB)
		machine = machine >> 8 | (machine & 0xff) << 8;
	if (machine == EM_RISCV)
		return true;
	for (size_t i = 0; i < ARRAY_COUNT(machine_names); i++) {
		if (machine_names[i].machine == machine)
			return err_set(source->err, "%s: built for %s, not RISC-V; try " BUILD_HINT,
				       source->name, machine_names[i].name);
	}
	return err_set(source->err, "%s: built for ELF machine %u, not RISC-V; try " BUILD_HINT,
		       source->name, machine);
}

static bool check_ident(const struct source *source)
{
	const uint8_t *ident = source->bytes;

	if (ident[EI_CLASS] == ELFCLASS32)
		return err_set(source->err,
			       "%s: a 32-bit RISC-V program; rv64 is needed, try " BUILD_HINT,
			       source->name);
	if (ident[EI_CLASS] != ELFCLASS64)
		return err_set(
			source->err,
			"%s: ELF class %u at offset 4 is neither 32-bit nor 64-bit; the file "
			"is damaged, build it again",
			source->name, ident[EI_CLASS]);
	if (ident[EI_DATA] != ELFDATA2LSB)
		return err_set(source->err,
			       "%s: not little-endian (byte order %u at offset 5); RISC-V Linux "
			       "programs are, try " BUILD_HINT,
			       source->name, ident[EI_DATA]);
	if (ident[EI_VERSION] != EV_CURRENT)
		return err_set(source->err,
			       "%s: ELF version %u at offset 6, where only 1 exists; the file is "
			       "damaged, build it again",
			       source->name, ident[EI_VERSION]);
	return true;
}

static bool check_type(const struct source *source, unsigned type)
{
	switch (type) {
	case ET_EXEC:
	case ET_DYN: return true;
	case ET_REL:
		return err_set(source->err,
			       "%s: an object file, not yet linked; link it with " BUILD_HINT,
			       source->name);
	case ET_CORE:
		return err_set(source->err,
			       "%s: a core dump, not a program; give the program that left it",
			       source->name);
	default:
		return err_set(source->err,
			       "%s: ELF type %u at offset 16 is not a program's; give a program "
			       "built with " BUILD_HINT,
			       source->name, type);
	}
}

static bool read_flags(struct elf *elf, const struct source *source, uint32_t flags)
{
	if (flags & FLAG_RVE)
		return err_set(source->err,
			       "%s: built for the embedded base RV64E with 16 registers; build it "
			       "for RV64GC with " BUILD_HINT,
			       source->name);
	switch (bits_field(flags, FLAG_FLOAT_SHIFT, 2)) {
	case FLAG_FLOAT_QUAD:
		return err_set(
			source->err,
			"%s: uses the quad-precision float ABI (lp64q), which RV64GC does not "
			"have; build it with -mabi=lp64d",
			source->name);
	case FLAG_FLOAT_DOUBLE: elf->float_abi = ELF_FLOAT_DOUBLE; break;
	case FLAG_FLOAT_SINGLE: elf->float_abi = ELF_FLOAT_SINGLE; break;
	default: elf->float_abi = ELF_FLOAT_SOFT; break;
	}
	elf->compressed = flags & FLAG_RVC;
	return true;
}

static bool read_header(struct elf *elf, const struct source *source)
{
	if (!check_is_elf(source) || !check_machine(source) || !check_ident(source))
		return false;
	if (source->size < sizeof(Elf64_Ehdr))
		return refuse_truncated_header(source);

	struct reader reader = reader_of(source->bytes, source->size);
	reader_take(&reader, EI_NIDENT);
	unsigned type = reader_u16(&reader);
	reader_u16(&reader); /* e_machine */
	reader_u32(&reader); /* e_version */
	elf->entry = reader_u64(&reader);
	elf->phdr_offset = reader_u64(&reader);
	reader_u64(&reader); /* e_shoff */
	uint32_t flags = reader_u32(&reader);
	reader_u16(&reader); /* e_ehsize */
	elf->phentsize = reader_u16(&reader);
	elf->phnum = reader_u16(&reader);
	elf->position_independent = type == ET_DYN;

	if (!check_type(source, type) || !read_flags(elf, source, flags))
		return false;
	if (!elf->phnum)
		return err_set(source->err,
			       "%s: no program headers, so there is nothing to load; link it "
			       "with " BUILD_HINT,
			       source->name);
	if (elf->phentsize != sizeof(Elf64_Phdr))
		return err_set(source->err,
			       "%s: program headers have %u bytes each (offset 54), where ELF says "
			       "%zu; the file is damaged, build it again",
			       source->name, elf->phentsize, sizeof(Elf64_Phdr));
	if (elf->phnum > PROGRAM_HEADERS_MAX)
		return err_set(
			source->err,
			"%s: %u program headers (offset 56), more than the %zu Linux accepts; "
			"link it with fewer segments",
			source->name, elf->phnum, PROGRAM_HEADERS_MAX);
	uint64_t table_bytes = (uint64_t)elf->phnum * sizeof(Elf64_Phdr);
	if (!reader_fits(elf->phdr_offset, table_bytes, source->size))
		return err_set(source->err,
			       "%s: truncated: the program headers need %" PRIu64
			       " bytes at offset %" PRIu64
			       ", but the file has %zu; copy or build it again",
			       source->name, table_bytes, elf->phdr_offset, source->size);
	return true;
}

static struct program_header read_program_header(const struct elf *elf, const struct source *source,
						 unsigned index)
{
	struct reader reader = reader_of(
		source->bytes + elf->phdr_offset + index * sizeof(Elf64_Phdr), sizeof(Elf64_Phdr));
	struct program_header header;

	header.type = reader_u32(&reader);
	header.flags = reader_u32(&reader);
	header.offset = reader_u64(&reader);
	header.vaddr = reader_u64(&reader);
	reader_u64(&reader); /* p_paddr */
	header.file_bytes = reader_u64(&reader);
	header.mem_bytes = reader_u64(&reader);
	header.align = reader_u64(&reader);
	return header;
}

static bool check_load(const struct source *source, const struct program_header *header,
		       unsigned index)
{
	const char *name = source->name;

	if (header->file_bytes > header->mem_bytes)
		return err_set(source->err,
			       "%s: load segment in program header %u has %" PRIu64
			       " bytes in the file but only %" PRIu64
			       " in memory; the file is damaged, build it again",
			       name, index, header->file_bytes, header->mem_bytes);
	if (header->mem_bytes > UINT64_MAX - header->vaddr)
		return err_set(source->err,
			       "%s: load segment in program header %u wraps around the address "
			       "space (0x%" PRIx64 " bytes at 0x%" PRIx64
			       "); the file is damaged, build it again",
			       name, index, header->mem_bytes, header->vaddr);
	if (header->vaddr + header->mem_bytes > ELF_ADDRESS_LIMIT)
		return err_set(source->err,
			       "%s: load segment in program header %u ends at 0x%" PRIx64
			       ", above the guest's address space of 0x%" PRIx64
			       " bytes; link it at lower addresses",
			       name, index, header->vaddr + header->mem_bytes, ELF_ADDRESS_LIMIT);
	if (header->align > 1 &&
	    (!bits_is_power_of_two(header->align) || header->align >= ELF_ADDRESS_LIMIT))
		return err_set(source->err,
			       "%s: load segment in program header %u has alignment 0x%" PRIx64
			       ", not a power of two below 0x%" PRIx64
			       "; the file is damaged, build it again",
			       name, index, header->align, ELF_ADDRESS_LIMIT);
	if (!header->file_bytes)
		return true;
	if (!reader_fits(header->offset, header->file_bytes, source->size))
		return err_set(source->err,
			       "%s: truncated: the load segment in program header %u needs %" PRIu64
			       " bytes at offset %" PRIu64
			       ", but the file has %zu; copy or build it again",
			       name, index, header->file_bytes, header->offset, source->size);
	if ((header->vaddr ^ header->offset) & (ELF_PAGE_BYTES - 1))
		return err_set(source->err,
			       "%s: load segment in program header %u cannot be mapped: address "
			       "0x%" PRIx64 " and file offset 0x%" PRIx64
			       " differ modulo the page size %d; link it with -z max-page-size=%d",
			       name, index, header->vaddr, header->offset, ELF_PAGE_BYTES,
			       ELF_PAGE_BYTES);
	return true;
}

static void add_segment(struct elf *elf, const struct program_header *header)
{
	elf->segments[elf->segment_count++] = (struct elf_segment){
		.vaddr = header->vaddr,
		.mem_bytes = header->mem_bytes,
		.file_offset = header->offset,
		.file_bytes = header->file_bytes,
		.align = header->align ? header->align : 1,
		.readable = header->flags & PF_R,
		.writable = header->flags & PF_W,
		.executable = header->flags & PF_X,
	};
}

static bool read_interp(struct elf *elf, const struct source *source,
			const struct program_header *header)
{
	const char *name = source->name;

	if (elf->interp)
		return err_set(
			source->err,
			"%s: names two program interpreters (PT_INTERP); the file is damaged, "
			"build it again",
			name);
	if (header->file_bytes > ELF_INTERP_BYTES)
		return err_set(source->err,
			       "%s: the program interpreter's name (PT_INTERP) has %" PRIu64
			       " bytes, more than %d; the file is damaged, build it again",
			       name, header->file_bytes, ELF_INTERP_BYTES);
	if (!reader_fits(header->offset, header->file_bytes, source->size))
		return err_set(source->err,
			       "%s: truncated: the program interpreter's name (PT_INTERP) needs "
			       "%" PRIu64 " bytes at offset %" PRIu64
			       ", but the file has %zu; copy or build it again",
			       name, header->file_bytes, header->offset, source->size);
	const char *text = (const char *)source->bytes + header->offset;
	if (!header->file_bytes || text[header->file_bytes - 1] || !text[0])
		return err_set(source->err,
			       "%s: the program interpreter's name (PT_INTERP) at offset %" PRIu64
			       " is %s; the file is damaged, build it again",
			       name, header->offset,
			       !header->file_bytes || !text[0] ? "empty" : "not ended by a NUL");
	elf->interp = mem_strdup(text);
	return true;
}

static int compare_segments(const void *left, const void *right)
{
	const struct elf_segment *a = left, *b = right;

	return (a->vaddr > b->vaddr) - (a->vaddr < b->vaddr);
}

static bool check_segments(const struct elf *elf, const struct source *source)
{
	if (!elf->segment_count)
		return err_set(source->err,
			       "%s: no load segments, so there is nothing to run; link it "
			       "with " BUILD_HINT,
			       source->name);
	for (size_t i = 1; i < elf->segment_count; i++) {
		const struct elf_segment *low = &elf->segments[i - 1];
		const struct elf_segment *high = &elf->segments[i];

		if (low->vaddr + low->mem_bytes > high->vaddr)
			return err_set(source->err,
				       "%s: load segments overlap: 0x%" PRIx64 " to 0x%" PRIx64
				       " and 0x%" PRIx64 " to 0x%" PRIx64
				       "; the file is damaged, build it again",
				       source->name, low->vaddr, low->vaddr + low->mem_bytes,
				       high->vaddr, high->vaddr + high->mem_bytes);
	}
	return true;
}

static bool check_entry(const struct elf *elf, const struct source *source)
{
	if (elf->entry & 1)
		return err_set(source->err,
			       "%s: the entry point 0x%" PRIx64
			       " is odd, but instructions are not; build it again",
			       source->name, elf->entry);
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *segment = &elf->segments[i];

		if (segment->executable && elf->entry >= segment->vaddr &&
		    elf->entry - segment->vaddr < segment->mem_bytes)
			return true;
	}
	return err_set(source->err,
		       "%s: the entry point 0x%" PRIx64
		       " is in no executable segment; give a program, not a shared library",
		       source->name, elf->entry);
}

static void find_program_headers(struct elf *elf)
{
	uint64_t bytes = (uint64_t)elf->phnum * elf->phentsize;

	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *segment = &elf->segments[i];

		if (elf->phdr_offset >= segment->file_offset &&
		    reader_fits(elf->phdr_offset - segment->file_offset, bytes,
				segment->file_bytes)) {
			elf->phdr_vaddr =
				segment->vaddr + (elf->phdr_offset - segment->file_offset);
			return;
		}
	}
}

static bool parse(struct elf *elf, const struct source *source)
{
	if (!read_header(elf, source))
		return false;
	elf->segments = mem_alloc_array(elf->phnum, sizeof(*elf->segments));
	for (unsigned i = 0; i < elf->phnum; i++) {
		struct program_header header = read_program_header(elf, source, i);

		switch (header.type) {
		case PT_LOAD:
			if (!check_load(source, &header, i))
				return false;
			if (header.mem_bytes)
				add_segment(elf, &header);
			break;
		case PT_INTERP:
			if (!read_interp(elf, source, &header))
				return false;
			break;
		case PT_GNU_STACK: elf->stack_executable = header.flags & PF_X; break;
		default: break;
		}
	}
	qsort(elf->segments, elf->segment_count, sizeof(*elf->segments), compare_segments);
	if (!check_segments(elf, source) || !check_entry(elf, source))
		return false;
	find_program_headers(elf);
	elf->type = elf->interp			? ELF_DYNAMIC
		    : elf->position_independent ? ELF_STATIC_PIE
						: ELF_STATIC;
	return true;
}

bool elf_parse(struct elf *elf, const uint8_t *bytes, size_t size, const char *name,
	       struct err *err)
{
	struct source source = {.bytes = bytes, .size = size, .name = name, .err = err};

	if (parse(elf, &source))
		return true;
	elf_release(elf);
	return false;
}
