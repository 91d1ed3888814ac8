/*
 * memory_steps.c - sequences on mappings that are made, moved, cut, protected and used.
 *
 * A window of pages holds private memory, private copies of a file that never changes, and shared
 * mappings of a memory file and a file of the directory, which also change by ftruncate, pread and
 * pwrite. Four bytes of each page ("cells") are read and written, the first may hold an instruction
 * that returns, and be executed. A line shows what an access gave, or the signal it raised.
 *
 * The model is an array of pages with their kind, protection and cells; a line says MODEL where an
 * answer is not the model's.
 *
 * Not done here, where simulator and kernel differ on purpose: private mappings of files that
 * change, which are copies in the simulator; mprotect of a range with a hole behind its first page;
 * execute-only memory, which depends on the processor; stores behind the end of a file.
 */
#define WORKERS 1
#include "sequence.h"
#include <setjmp.h>
#include <sys/mman.h>

#define PAGES	 20
#define CELLS	 4
#define OBJECTS	 2
#define LENGTH	 8 /* pages of an object at most */
#define HEAP_MAX 6

#ifdef __riscv
static const unsigned char code_bytes[2] = {0x82, 0x80}; /* ret */
#define CODE_FIRST 0x82
#else
static const unsigned char code_bytes[2] = {0xc3, 0xc3};
#define CODE_FIRST 0xc3
#endif

enum kind { NOTHING, ANONYMOUS, COPY, SHARED };

struct page {
	enum kind kind;
	int prot;
	bool is_read_only;  /* its descriptor was */
	int object, number; /* of a shared one */
	int birth;	    /* the call that mapped it */
	unsigned char cells[CELLS];
};

static const int cell_at[CELLS] = {0, 512, 2048, 4095};
static struct page model[PAGES];
static unsigned char objects[OBJECTS][LENGTH][CELLS];
static long object_bytes[OBJECTS];
static int object_fd[OBJECTS], read_only_fd = -1, fixed_fd;
static char *window;
static int births;
static char *heap;
static long heap_bytes;
static unsigned char heap_cells[HEAP_MAX][CELLS];

static sigjmp_buf escape;
static volatile int fault_signal, fault_code;
static void *volatile fault_address;

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)context;
	fault_signal = number;
	fault_code = info->si_code;
	fault_address = info->si_addr;
	siglongjmp(escape, 1);
}

static unsigned char fixed_cell(int page, int cell)
{
	return (unsigned char)(0x20 + page * 8 + cell);
}

/* Where the bytes of a page are kept; NULL for a page behind the end of its file. */
static unsigned char *cells_of(struct page *page)
{
	if (page->kind != SHARED)
		return page->cells;
	long end = (object_bytes[page->object] + PAGE - 1) / PAGE;

	return page->number < end ? objects[page->object][page->number] : NULL;
}

static bool is_behind_end(const struct page *page, int cell)
{
	return page->kind == SHARED &&
	       (long)page->number * PAGE + cell_at[cell] >= object_bytes[page->object];
}

/* What an access is to do: 0, or a signal and its code. */
static int expected_fault(struct page *page, int needs)
{
	if (page->kind == NOTHING)
		return SIGSEGV << 8 | SEGV_MAPERR;
	/* Who may write may read. */
	int allowed = page->prot | (page->prot & PROT_WRITE ? PROT_READ : 0);

	if (!(allowed & needs))
		return SIGSEGV << 8 | SEGV_ACCERR;
	return cells_of(page) ? 0 : SIGBUS << 8 | BUS_ADRERR;
}

/* Makes the access: the value, or -1 if it faulted. */
static int try_access(volatile unsigned char *at, int needs, int value)
{
	if (sigsetjmp(escape, 1))
		return -1;
	if (needs == PROT_READ)
		return *at;
	if (needs == PROT_WRITE) {
		*at = (unsigned char)value;
		return value;
	}
	((void (*)(void))(uintptr_t)at)();
	return 0;
}

/* Says what an access gave, and whether that is as expected. */
static void say_access(const char *what, char *at, int needs, int value, int fault, int wanted)
{
	fault_signal = fault_code = 0;
	int got = try_access((unsigned char *)at, needs, value);

#ifndef __riscv
	/* x86-64 looks for the page before it asks whether its mapping is executable. */
	if (needs == PROT_EXEC && fault >> 8 == SIGSEGV && fault_signal == SIGBUS)
		fault_signal = SIGSEGV;
#endif

	if (got < 0)
		say("%s = %s %d%s", what, fault_signal == SIGBUS ? "SIGBUS" : "SIGSEGV", fault_code,
		    fault_address == at ? "" : " elsewhere");
	else
		say("%s = %s", what, got == CODE_FIRST ? "code" : "");
	if (got >= 0 && got != CODE_FIRST)
		say("%d", got);
	if ((fault_signal << 8 | fault_code) != fault || (!fault && got != wanted))
		say(" MODEL %x %d", (unsigned)fault, wanted);
}

static void step_access(void)
{
	int at = (int)below(PAGES), cell = (int)below(CELLS);
	struct page *page = &model[at];
	static const int kinds[] = {PROT_READ, PROT_READ, PROT_WRITE, PROT_EXEC};
	int needs = PICK(kinds);
	char *address = window + at * PAGE + cell_at[cell];
	int fault = expected_fault(page, needs);
	unsigned char *cells = cells_of(page);
	char what[64];

	if (needs == PROT_EXEC) {
		cell = 0;
		address = window + at * PAGE;
		if (!fault && cells[0] != CODE_FIRST)
			return;
	}
	snprintf(what, sizeof(what), "%s %d.%d",
		 needs == PROT_READ    ? "read"
		 : needs == PROT_WRITE ? "write"
				       : "execute",
		 at, cell);
	if (needs == PROT_WRITE && cells && is_behind_end(page, cell))
		return;
	int value = needs == PROT_WRITE ? (int)below(100) : 0;
	say_access(what, address, needs, value, fault,
		   fault		? 0
		   : needs == PROT_READ ? cells[cell]
					: value);
	if (needs == PROT_WRITE && !fault)
		cells[cell] = (unsigned char)value;
}

/* An instruction is stored, by the program or by the kernel. */
static void step_plant(void)
{
	int at = (int)below(PAGES);
	struct page *page = &model[at];

	if (expected_fault(page, PROT_WRITE) || is_behind_end(page, 0))
		return;
	say("plant %d", at);
	char *to = window + at * PAGE;
	to[1] = (char)code_bytes[1];
	to[0] = (char)code_bytes[0];
	__builtin___clear_cache(to, to + 2);
	cells_of(page)[0] = CODE_FIRST;
}

static int any_prot(void)
{
	static const int list[] = {PROT_NONE,
				   PROT_READ,
				   PROT_READ | PROT_WRITE,
				   PROT_READ | PROT_WRITE,
				   PROT_WRITE,
				   PROT_READ | PROT_EXEC,
				   PROT_READ | PROT_WRITE | PROT_EXEC,
				   PROT_READ | PROT_WRITE | PROT_EXEC};

	return PICK(list);
}

/* Half of the ranges begin at, behind or across an end of the one before: what a call did wrong
 * shows near to it, and soon. */
static void any_range(int *first, int *count)
{
	static int edge;
	const int near = edge - (int)below(3);

	*count = 1 + (int)below(6);
	*first = (int)below((unsigned)(PAGES - *count + 1));
	if (one_in(2) && near >= 0 && near + *count <= PAGES)
		*first = near;
	edge = *first + (one_in(2) ? *count : 0);
}

static bool is_all(int first, int count, enum kind kind)
{
	for (int i = first; i < first + count; i++)
		if (model[i].kind != kind)
			return false;
	return true;
}

static bool has_hole(int first, int count)
{
	for (int i = first; i < first + count; i++)
		if (model[i].kind == NOTHING)
			return true;
	return false;
}

/* Whether the pages are one mapping, in order and with one protection. */
static bool is_one(int first, int count)
{
	for (int i = first; i < first + count; i++)
		if (model[i].kind == NOTHING || model[i].birth != model[first].birth ||
		    model[i].prot != model[first].prot ||
		    model[i].number != model[first].number + (i - first))
			return false;
	return true;
}

static void say_mapped(const void *got, int first, bool should)
{
	if (got == MAP_FAILED)
		say(" = %s", error_name(errno));
	else
		say(" = %s", got == window + first * PAGE ? "there" : "elsewhere");
	if ((got != MAP_FAILED) != should)
		say(" MODEL %d", should);
}

static void step_map(void)
{
	static const enum kind kinds[] = {ANONYMOUS, COPY, SHARED, SHARED};
	int first, count, prot = any_prot(), object = one_in(3) ? 0 : 1;
	enum kind kind = PICK(kinds);
	int offset = kind == ANONYMOUS ? 0 : (int)below(LENGTH - 3);

	any_range(&first, &count);
	/* It may go on where the one before it ends, and may then become a part of it. */
	const struct page *before = first ? &model[first - 1] : NULL;
	bool goes_on =
		before && before->kind != NOTHING && before->number + 1 < LENGTH && one_in(2);
	if (goes_on) {
		kind = before->kind;
		object = before->object;
		prot = before->prot;
		offset = kind == ANONYMOUS ? 0 : before->number + 1;
	}
	bool replaces = !one_in(5), is_read_only = kind == SHARED && object == 1 && one_in(2);
	/* Unless its descriptor allows other things. */
	if (goes_on && kind == SHARED && object == 1 && !(prot & PROT_WRITE) && one_in(2))
		is_read_only = !before->is_read_only;
	if (is_read_only && !one_in(4))
		prot &= ~PROT_WRITE;
	int fd = kind == ANONYMOUS ? -1
		 : kind == COPY	   ? fixed_fd
		 : is_read_only	   ? read_only_fd
				   : object_fd[object];

	/* The fixed file has all its pages; an object may end before. */
	if (kind == COPY && offset + count > LENGTH)
		count = LENGTH - offset;
	if (kind == SHARED && offset + count > LENGTH)
		count = LENGTH - offset;
	say("map %d+%d kind %d:%d+%d prot %d%s%s", first, count, kind, object, offset, prot,
	    replaces ? "" : " where free", is_read_only ? " read-only" : "");
	int flags = (kind == SHARED ? MAP_SHARED : MAP_PRIVATE) |
		    (kind == ANONYMOUS ? MAP_ANONYMOUS : 0) |
		    (replaces ? MAP_FIXED : MAP_FIXED_NOREPLACE);
	const void *got =
		mmap(window + first * PAGE, (size_t)count * PAGE, prot, flags, fd, offset * PAGE);
	bool should =
		(replaces || is_all(first, count, NOTHING)) && !(is_read_only && prot & PROT_WRITE);
	say_mapped(got, first, should);
	if (!should)
		return;
	births++;
	for (int i = 0; i < count; i++) {
		struct page *page = &model[first + i];

		*page = (struct page){.kind = kind,
				      .prot = prot,
				      .is_read_only = is_read_only,
				      .object = object,
				      .number = offset + i,
				      .birth = births};
		for (int cell = 0; kind == COPY && cell < CELLS; cell++)
			page->cells[cell] = fixed_cell(offset + i, cell);
	}
}

static void step_unmap(void)
{
	int first, count;

	any_range(&first, &count);
	say("unmap %d+%d", first, count);
	say_result(" = ", munmap(window + first * PAGE, (size_t)count * PAGE));
	memset(&model[first], 0, (size_t)count * sizeof(model[0]));
}

/* What is mapped next is the first of its kind again. */
static void step_clear(void)
{
	if (!one_in(2))
		return;
	say("unmap all");
	say_result(" = ", munmap(window, PAGES * PAGE));
	memset(model, 0, sizeof(model));
}

static void step_protect(void)
{
	int first, count, prot = any_prot();

	any_range(&first, &count);
	/* Two that meet and become alike may become one. */
	if (first && one_in(3))
		prot = model[first - 1].prot;
	if (model[first].kind == NOTHING || has_hole(first, count)) {
		if (model[first].kind != NOTHING)
			return;
	} else if (prot & PROT_WRITE) {
		/* What may not be written stops the call half way. */
		for (int i = first; i < first + count; i++)
			if (model[i].is_read_only && i > first)
				return;
	}
	bool should =
		model[first].kind != NOTHING && !(model[first].is_read_only && prot & PROT_WRITE);
	say("protect %d+%d %d", first, count, prot);
	int got = mprotect(window + first * PAGE, (size_t)count * PAGE, prot);
	say_result(" = ", got);
	if ((got == 0) != should)
		say(" MODEL %d", should);
	for (int i = first; should && i < first + count; i++)
		model[i].prot = prot;
}

/* Copies of pages may be of the file's, whose next page a mapping can only get while it is new. */
static void step_remap(void)
{
	int first, count, to, size;

	any_range(&first, &count);
	any_range(&to, &size);
	if (one_in(4))
		size = count;
	if (to + size > PAGES)
		return;
	if (!is_one(first, count) || (model[first].kind == COPY && size > count))
		return;
	bool moves = one_in(2);
	if (moves && to < first + count && first < to + size)
		return;
	if (!moves && first + size > PAGES)
		return;
	if (model[first].kind == SHARED && model[first].number + size > LENGTH)
		return;
	bool has_room = size <= count || is_all(first + count, size - count, NOTHING);
	say("remap %d+%d to %d+%d", first, count, moves ? to : first, size);
	const void *got = mremap(window + first * PAGE, (size_t)count * PAGE, (size_t)size * PAGE,
				 moves ? MREMAP_MAYMOVE | MREMAP_FIXED : 0, window + to * PAGE);
	say_mapped(got, moves ? to : first, moves || has_room);
	if (!moves && !has_room)
		return;
	struct page old[8];
	memcpy(old, &model[first], (size_t)count * sizeof(old[0]));
	memset(&model[first], 0, (size_t)count * sizeof(old[0]));
	births++;
	for (int i = 0; i < size; i++) {
		struct page *page = &model[(moves ? to : first) + i];

		*page = old[i < count ? i : 0];
		if (i >= count)
			memset(page->cells, 0, CELLS);
		page->number = old[0].number + i;
		/* In place nothing else becomes part of the mapping. */
		page->birth = moves ? births : old[0].birth;
	}
}

static void step_discard(void)
{
	int first, count;

	any_range(&first, &count);
	/* Pages of a private copy would be read again. */
	for (int i = first; i < first + count; i++)
		if (model[i].kind == COPY)
			return;
	bool should = !has_hole(first, count);
	if (!should)
		return;
	say("discard %d+%d", first, count);
	say_result(" = ", madvise(window + first * PAGE, (size_t)count * PAGE, MADV_DONTNEED));
	for (int i = first; i < first + count; i++) {
		if (model[i].kind == ANONYMOUS)
			memset(model[i].cells, 0, CELLS);
		if (expected_fault(&model[i], PROT_READ))
			continue;
		for (int cell = 0; cell < CELLS; cell++)
			say_access("", window + i * PAGE + cell_at[cell], PROT_READ, 0, 0,
				   cells_of(&model[i])[cell]);
	}
}

static void step_sync(void)
{
	int first, count;

	any_range(&first, &count);
	say("sync %d+%d", first, count);
	say_result(" = ", msync(window + first * PAGE, (size_t)count * PAGE,
				one_in(2) ? MS_SYNC : MS_ASYNC));
}

static void step_resize(void)
{
	int object = (int)below(OBJECTS);
	long bytes = (long)below(LENGTH * 4 + 1) * 1024;

	say("resize %d to %ld", object, bytes);
	say_result(" = ", ftruncate(object_fd[object], bytes));
	for (int i = 0; i < LENGTH; i++)
		for (int cell = 0; cell < CELLS; cell++)
			if ((long)i * PAGE + cell_at[cell] >= bytes)
				objects[object][i][cell] = 0;
	object_bytes[object] = bytes;
}

/* The file's own calls see what mappings stored, and the other way. */
static void step_file(void)
{
	int object = (int)below(OBJECTS), page = (int)below(LENGTH), cell = (int)below(CELLS);
	long offset = (long)page * PAGE + cell_at[cell];
	unsigned char value = (unsigned char)below(100), *cells = objects[object][page];

	if (one_in(2)) {
		say("pwrite %d:%d.%d", object, page, cell);
		say_result(" = ", pwrite(object_fd[object], &value, 1, offset));
		cells[cell] = value;
		if (offset >= object_bytes[object])
			object_bytes[object] = offset + 1;
		return;
	}
	say("pread %d:%d.%d", object, page, cell);
	long got = pread(object_fd[object], &value, 1, offset);
	say_result(" = ", got);
	if (got == 1 && value != CODE_FIRST)
		say(" %d", value);
	if (got != (offset < object_bytes[object]) || (got == 1 && value != cells[cell]))
		say(" MODEL %d", cells[cell]);
}

/* The kernel reads and writes the window, and says EFAULT where the program would fault. */
static void step_call(void)
{
	int at = (int)below(PAGES), cell = 1 + (int)below(CELLS - 1);
	struct page *page = &model[at];
	int fault = expected_fault(page, PROT_WRITE);
	char *address = window + at * PAGE + cell_at[cell];

	if (!fault && is_behind_end(page, cell))
		return;
	say("pread into %d.%d", at, cell);
	long got = pread(fixed_fd, address, 1, 0);
	say_result(" = ", got);
	if ((got == 1) != !fault)
		say(" MODEL %x", (unsigned)fault);
	if (!fault)
		cells_of(page)[cell] = fixed_cell(0, 0);
}

static void step_heap(void)
{
	long bytes = (long)below(HEAP_MAX * 4 + 1) * 1024;

	if (one_in(2)) {
		say("heap of %ld", bytes);
		say_result(" = ", brk(heap + bytes));
		for (long i = (bytes + PAGE - 1) / PAGE; i < HEAP_MAX; i++)
			memset(heap_cells[i], 0, CELLS);
		heap_bytes = bytes;
		return;
	}
	int at = (int)below(HEAP_MAX), cell = (int)below(CELLS), value = (int)below(100);
	bool is_there = at < (heap_bytes + PAGE - 1) / PAGE, writes = one_in(2);
	say_access(writes ? "heap write" : "heap read", heap + at * PAGE + cell_at[cell],
		   writes ? PROT_WRITE : PROT_READ, value,
		   is_there ? 0 : SIGSEGV << 8 | SEGV_MAPERR,
		   !is_there ? 0
		   : writes  ? value
			     : heap_cells[at][cell]);
	if (is_there && writes)
		heap_cells[at][cell] = (unsigned char)value;
}

/* A page as a line about it has it: whether shared, the name's end and the offset. The simulator
 * shows the protection that an access meets, which is another for pages behind the end of a file.
 */
static void describe(char *text, size_t size, bool is_shared, const char *name, long page)
{
	snprintf(text, size, "%s%s+%ld", is_shared ? "s" : "p", name, *name ? page : 0);
}

static void describe_page(char *text, size_t size, const struct page *page)
{
	static const char *const names[] = {"steps", "object"};

	describe(text, size, page->kind == SHARED,
		 page->kind == SHARED ? names[page->object]
		 : page->kind == COPY ? "fixed"
				      : "",
		 page->number);
}

/* What a line of /proc/self/maps says of the pages of the window that it is about. */
static void read_line(const char *line, char found[PAGES][64])
{
	static const char *const names[] = {"steps", "object", "fixed"};
	unsigned long start, end, offset;
	const char *name = "";
	char flags[5];

	if (sscanf(line, "%lx-%lx %4s %lx", &start, &end, flags, &offset) != 4)
		return;
	for (size_t i = 0; i < COUNT(names); i++)
		if (strstr(line, names[i]))
			name = names[i];
	for (int i = 0; i < PAGES; i++) {
		unsigned long at = (unsigned long)(window + i * PAGE);

		if (at < start || at >= end)
			continue;
		describe(found[i], sizeof(found[i]), flags[3] == 's', name,
			 (long)(offset + at - start) / PAGE);
	}
}

/* Reads the file at once, into memory of its own: a stream would take a part of the heap. */
static void read_maps(char found[PAGES][64])
{
	static char text[65536];
	int fd = open("/proc/self/maps", O_RDONLY);
	size_t used = 0;
	ssize_t got;

	while ((got = read(fd, text + used, sizeof(text) - 1 - used)) > 0)
		used += (size_t)got;
	close(fd);
	text[used] = 0;
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = 0;
		read_line(line, found);
	}
}

/* The list of mappings is that of the model, however the kernel joins pages. */
static void step_list(void)
{
	char found[PAGES][64] = {""};

	say("list");
	read_maps(found);
	for (int i = 0; i < PAGES; i++) {
		char wanted[64] = "";

		if (model[i].kind != NOTHING)
			describe_page(wanted, sizeof(wanted), &model[i]);
		if (*wanted)
			say(" %s", found[i]);
		if (strcmp(found[i], wanted) != 0)
			say(" MODEL %d: %s", i, wanted);
	}
}

static void make_files(const char *directory)
{
	char path[4096];

	object_fd[0] = memfd_create("steps", 0);
	snprintf(path, sizeof(path), "%s/object", directory);
	object_fd[1] = open(path, O_RDWR | O_CREAT, 0600);
	read_only_fd = open(path, O_RDONLY);
	snprintf(path, sizeof(path), "%s/fixed", directory);
	fixed_fd = open(path, O_RDWR | O_CREAT, 0600);
	if (object_fd[0] < 0 || object_fd[1] < 0 || fixed_fd < 0)
		_exit(94);
	for (int i = 0; i < LENGTH; i++)
		for (int cell = 0; cell < CELLS; cell++) {
			unsigned char value = fixed_cell(i, cell);

			if (pwrite(fixed_fd, &value, 1, i * PAGE + cell_at[cell]) != 1)
				_exit(94);
		}
}

static void step(void)
{
	static void (*const kinds[])(void) = {
		step_access,  step_access, step_access,	 step_access,  step_access,  step_access,
		step_access,  step_access, step_access,	 step_access,  step_access,  step_access,
		step_plant,   step_map,	   step_map,	 step_map,     step_unmap,   step_protect,
		step_protect, step_remap,  step_remap,	 step_remap,   step_discard, step_sync,
		step_resize,  step_file,   step_file,	 step_call,    step_call,    step_heap,
		step_remap,   step_remap,  step_discard, step_protect, step_protect, step_clear,
		step_list,    step_list,
	};

	PICK(kinds)();
}

int main(int argc, char **argv)
{
	unsigned steps = sequence_begin(argc, argv);
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

	if (argc < 4)
		_exit(98);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	make_files(argv[3]);
	/* A page before and one after are never free. */
	window = (char *)mmap(NULL, (PAGES + 2) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0) +
		 PAGE;
	munmap(window, PAGES * PAGE);
	heap = (char *)(((uintptr_t)sbrk(0) + PAGE - 1) / PAGE * PAGE);
	brk(heap);
	for (unsigned i = 1; i <= steps; i++) {
		while (!line_used)
			step();
		line_end(i);
	}
	_exit(0);
}
