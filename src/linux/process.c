#include "linux/process.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "isa/profile.h"
#include "isa/translate.h"
#include "linux/syscall.h"

#define FIRST_TID 1000

static bool deny_syscalls(struct process *process, struct err *err)
{
	for (size_t i = 0; i < process->options.denied_count; i++) {
		int number = syscall_number(process->options.denied[i]);

		if (number < 0)
			return err_set(err, "there is no system call \"%s\" on RISC-V Linux",
				       process->options.denied[i]);
		process->syscall_denied[number] = true;
	}
	return true;
}

struct process *process_create(const struct process_options *options, struct err *err)
{
	struct process *process = mem_alloc(sizeof(*process));

	process->options = *options;
	process->name = mem_strdup(options->argv[0]);
	debug_init(&process->debug,
		   &(struct debug_options){
			   .bytes = options->debug ? options->debug : options->image,
			   .size = options->debug ? options->debug_bytes : options->image_bytes,
			   .name = options->program,
			   .raw_names = options->raw_names,
			   .note = options->note_reading,
			   .context = options->reading_context,
		   });
	process->next_tid = FIRST_TID;
	process->rng.state = options->seed;
	hart_init(&process->cpu.hart);
	elf_init(&process->elf);
	files_init(&process->files, options->mounts, options->mount_count,
		   options->cwd ? options->cwd : "/");
	process->files.process = process;
	if (options->silent)
		process->files.descriptors[1].file->fd = -1;
	if (options->stdin_is_file)
		process->files.descriptors[0].file->kind = FILE_CONTENT;
	inodes_init(&process->inodes, &process->memory);
	nodes_init(&process->files.nodes, &process->memory);
	if (!deny_syscalls(process, err) ||
	    !memory_init(&process->memory, options->memory_limit_bytes, err)) {
		process_destroy(process);
		return NULL;
	}
	process->memory.shared_store = shared_before_store;
	process->memory.shared_decoded = shared_was_decoded;
	process->memory.shared_context = process;
	process->cpu.memory = &process->memory;
	process->cpu.code = code_create(&process->memory);
	if (!process->cpu.code) {
		err_set_errno(err, errno, "cannot reserve address space for decoded instructions");
		process_destroy(process);
		return NULL;
	}
	process->cpu.code->features = profile_features(options->profile);
	if (options->code_cache)
		code_translate(process->cpu.code, options->code_cache);
	if (!loader_load(process, err) || !loader_build_stack(process, err)) {
		process_destroy(process);
		return NULL;
	}
	limits_init(process);
	process->current = thread_add(process);
	process->current->stack_low = process->stack_low;
	process->current->stack_high = process->initial_sp;
	process->slice_ends = 0;
	process->perf.rotate_at_ns = NEVER_NS;
	thread_schedule(process);
	return process;
}

void process_destroy(struct process *process)
{
	if (!process)
		return;
	mapping_release_all(process);
	for (size_t i = 0; i < process->thread_count; i++)
		thread_free(process->threads[i]);
	free(process->threads);
	files_release(&process->files);
	sockets_release(process);
	free(process->signals.items);
	for (size_t i = 0; i < process->posix_timer_count; i++)
		free(process->posix_timers[i]);
	free(process->posix_timers);
	inodes_release(&process->inodes);
	nodes_release(&process->files.nodes);
	locks_release(&process->locks);
	free(process->name);
	debug_release(&process->debug);
	elf_release(&process->elf);
	code_destroy(process->cpu.code);
	memory_release(&process->memory);
	free(process);
}

void process_warn(struct process *process, const char *format, ...)
{
	char text[ERR_TEXT_BYTES];
	va_list ap;

	if (!process->options.warn)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	process->options.warn(process->options.warn_context, text);
}

void process_fail(struct process *process, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(process->error.text, sizeof(process->error.text), format, ap);
	va_end(ap);
	process->state = PROCESS_FAILED;
}

uint64_t process_now_ns(const struct process *process)
{
	return cpu_time(&process->cpu) + process->slept_ns;
}

void process_charge_thread(struct process *process)
{
	process->current->instructions += process->cpu.instructions - process->mark;
	process->mark = process->cpu.instructions;
}

uint64_t process_slice_end(const struct process *process)
{
	return process->slice_ends;
}

static siginfo_t fault_info(const struct process *process, int number, int code)
{
	siginfo_t info = {.si_signo = number, .si_code = code};

	info.si_addr = (void *)(uintptr_t)process->cpu.fault_address; /* a guest address */
	return info;
}

static void raise_fault(struct process *process, enum cpu_stop stop)
{
	uint64_t address = process->cpu.fault_address;
	bool is_mapped = memory_allows(&process->memory, address, PAGE_MAPPED);
	/* What may be written may be read. */
	unsigned ways = stop == STOP_STORE_FAULT   ? PAGE_WRITE
			: stop == STOP_FETCH_FAULT ? PAGE_EXEC
						   : PAGE_READ | PAGE_WRITE;
	siginfo_t info;

	switch (stop) {
	case STOP_ILLEGAL:
		process->cpu.fault_address = process->cpu.hart.pc;
		info = fault_info(process, SIGILL, ILL_ILLOPC);
		break;
	case STOP_EBREAK:
		process->cpu.fault_address = process->cpu.hart.pc;
		info = fault_info(process, SIGTRAP, TRAP_BRKPT);
		break;
	case STOP_MISALIGNED: info = fault_info(process, SIGBUS, BUS_ADRALN); break;
	default:
		process->access_faults++;
		if (mapping_is_past_end(process, address, ways)) {
			info = fault_info(process, SIGBUS, BUS_ADRERR);
			break;
		}
		info = fault_info(process, SIGSEGV, is_mapped ? SEGV_ACCERR : SEGV_MAPERR);
		break;
	}
	signal_raise(process, process->current, info.si_signo, &info);
}

/* As a kernel ends a process that needs memory where there is none. */
static void end_without_memory(struct process *process)
{
	char where[256];

	process_describe_pc(process, process->cpu.hart.pc, where, sizeof(where));
	process_warn(
		process,
		"the program has filled the %llu bytes that --memory allows and writes to more "
		"at %s: killed (to raise it: --memory SIZE)",
		(unsigned long long)process->memory.limit_bytes, where);
	process->state = PROCESS_KILLED;
	process->status = SIGKILL;
}

/* A store to what may be written stops only where no memory is left. */
static bool is_out_of_memory(const struct process *process, enum cpu_stop stop)
{
	return process->memory.is_exhausted ||
	       (stop == STOP_STORE_FAULT &&
		memory_allows(&process->memory, process->cpu.fault_address, PAGE_WRITE));
}

void process_look_ahead(struct process *process)
{
	process->is_ahead = true;
	for (size_t i = 0; i < FILES_MAX; i++) {
		struct file *file = process->files.descriptors[i].file;

		if (file && file->kind == FILE_STANDARD)
			file->fd = -1;
	}
}

bool process_can_look_ahead(const struct process *process)
{
	return !process->shared_count;
}

/* Whether what stopped the cpu may read or change something outside the process. With several
 * threads, which is next may depend on it. */
static bool leaves_process(const struct process *process, enum cpu_stop stop)
{
	return process->thread_count > 1 ||
	       (stop == STOP_ECALL ? !syscall_stays_inside(process) : stop != STOP_LIMIT);
}

void process_handle(struct process *process, enum cpu_stop stop)
{
	const bool leaves = leaves_process(process, stop);

	process->outside_count += leaves;
	if (process->is_ahead && leaves) {
		process->state = PROCESS_EXITED;
		return;
	}
	if (is_out_of_memory(process, stop))
		end_without_memory(process);
	else if (stop == STOP_ECALL)
		syscall_handle(process);
	else if (stop != STOP_LIMIT)
		raise_fault(process, stop);
	if (process->state == PROCESS_RUNNING && process->memory.is_exhausted)
		end_without_memory(process);
	if (process->state != PROCESS_RUNNING)
		return;
	if (process->current->state != THREAD_RUNNABLE ||
	    process->cpu.instructions >= process->slice_ends)
		thread_schedule(process);
	if (process->state == PROCESS_RUNNING) {
		signal_deliver(process);
		perf_end_call(process);
	}
}

bool process_run(struct process *process, uint64_t limit)
{
	while (process->state == PROCESS_RUNNING && process->cpu.instructions < limit) {
		uint64_t until = process->slice_ends < limit ? process->slice_ends : limit;

		process_handle(process, cpu_run(&process->cpu, until));
	}
	return process->state == PROCESS_RUNNING;
}

int process_exit_status(const struct process *process)
{
	switch (process->state) {
	case PROCESS_EXITED: return process->status;
	case PROCESS_KILLED: return 128 + process->status;
	default: return 125;
	}
}

char *process_describe_pc(struct process *process, uint64_t pc, char *text, size_t bytes)
{
	for (size_t i = 0; i < process->mapping_count; i++) {
		const struct file_mapping *m = &process->mappings[i];

		if (pc - m->start < m->bytes) {
			snprintf(text, bytes, "0x%llx in %s+0x%llx", (unsigned long long)pc,
				 m->path, (unsigned long long)(pc - m->start + m->offset));
			return text;
		}
	}
	const struct symbol *symbol;
	const char *name = debug_function(&process->debug, pc - process->bias, &symbol);
	if (name)
		snprintf(text, bytes, "0x%llx in %s+0x%llx", (unsigned long long)pc, name,
			 (unsigned long long)(pc - process->bias - symbol->address));
	else
		snprintf(text, bytes, "0x%llx", (unsigned long long)pc);
	return text;
}
