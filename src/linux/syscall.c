#include "linux/syscall.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "linux/file_operations.h"

enum syscall_kind { KIND_MISSING, KIND_HARMLESS, KIND_DONE };

struct syscall_row {
	const char *name;
	enum syscall_kind kind;
	syscall_handler *handler;
};

#define SYSCALL_LIMIT 512

static const struct syscall_row rows[SYSCALL_LIMIT] = {
#define DONE(number, name)     [number] = {#name, KIND_DONE, sys_##name},
#define HARMLESS(number, name) [number] = {#name, KIND_HARMLESS, NULL},
#define MISSING(number, name)  [number] = {#name, KIND_MISSING, NULL},
#include "linux/syscalls.def"
};

const char *syscall_name(uint64_t number, char text[32])
{
	if (number < SYSCALL_LIMIT && rows[number].name)
		return rows[number].name;
	snprintf(text, 32, "number %lld", (long long)number);
	return text;
}

int syscall_number(const char *name)
{
	for (int i = 0; i < SYSCALL_LIMIT; i++)
		if (rows[i].name && strcmp(rows[i].name, name) == 0)
			return i;
	return -1;
}

bool syscall_stays_inside(const struct process *process)
{
	const uint64_t *r = process->cpu.hart.r;
	const struct file *file;

	switch (r[17]) {
	case SYSCALL_write:
	case SYSCALL_writev:
		file = files_get(&process->files, r[10]);
		return file && file->kind == FILE_STANDARD; /* which prints nothing then */
	case SYSCALL_mmap:
		return (r[13] & (MAP_PRIVATE | MAP_ANONYMOUS)) == (MAP_PRIVATE | MAP_ANONYMOUS);
	case SYSCALL_brk:
	case SYSCALL_munmap:
	case SYSCALL_mprotect:
	case SYSCALL_madvise:
	case SYSCALL_clock_gettime:
	case SYSCALL_clock_getres:
	case SYSCALL_gettimeofday:
	case SYSCALL_times:
	case SYSCALL_getrusage:
	case SYSCALL_getpid:
	case SYSCALL_getppid:
	case SYSCALL_gettid:
	case SYSCALL_getuid:
	case SYSCALL_geteuid:
	case SYSCALL_getgid:
	case SYSCALL_getegid:
	case SYSCALL_uname:
	case SYSCALL_sysinfo:
	case SYSCALL_sched_getaffinity:
	case SYSCALL_set_tid_address:
	case SYSCALL_set_robust_list:
	case SYSCALL_rt_sigaction:
	case SYSCALL_rt_sigprocmask:
	case SYSCALL_rt_sigreturn:
	case SYSCALL_sigaltstack:
	case SYSCALL_getrandom:
	case SYSCALL_riscv_hwprobe:
	case SYSCALL_prlimit64:
	case SYSCALL_fstat:
	case SYSCALL_newfstatat:
	case SYSCALL_readlinkat:
	case SYSCALL_faccessat:
	case SYSCALL_getcwd:
	case SYSCALL_ioctl: return true;
	default: return r[17] < SYSCALL_LIMIT && rows[r[17]].kind == KIND_HARMLESS;
	}
}

bool syscall_reads_counters(const struct process *process)
{
	const uint64_t *r = process->cpu.hart.r;
	const struct file *file;

	if (process->cpu.clock || r[17] == SYSCALL_perf_event_open)
		return true;
	if (!process->perf.count)
		return false;
	switch (r[17]) {
	case SYSCALL_ioctl:
	case SYSCALL_close:
	case SYSCALL_read:
	case SYSCALL_readv:
		file = files_get(&process->files, r[10]);
		return file && file->kind == FILE_PERF;
	case SYSCALL_prctl:
		return (int)r[10] == PR_TASK_PERF_EVENTS_ENABLE ||
		       (int)r[10] == PR_TASK_PERF_EVENTS_DISABLE;
	default: return r[17] == SYSCALL_exit;
	}
}

static int64_t answer_missing(struct process *process, uint64_t number)
{
	char text[32], where[256];
	bool is_first = number >= SYSCALL_LIMIT ? process->unknown_calls == 0
						: process->syscall_counts[number] == 1;

	process->unknown_calls++;
	process_describe_pc(process, process->cpu.hart.pc, where, sizeof(where));
	if (process->options.strict)
		process_fail(process,
			     "system call %s at %s is not implemented and --strict was given",
			     syscall_name(number, text), where);
	else if (is_first)
		process_warn(process, "system call %s at %s is not implemented: answered ENOSYS",
			     syscall_name(number, text), where);
	return -ENOSYS;
}

/* Programs say "out of memory" in many ways, or none; the first time it is said here why. */
static void warn_memory(struct process *process, uint64_t number)
{
	const struct memory *memory = &process->memory;
	char text[32], where[256];

	process->warned_memory = true;
	process_describe_pc(process, process->cpu.hart.pc, where, sizeof(where));
	process_warn(process,
		     "system call %s at %s needs %llu bytes more memory, and %llu of the %llu that "
		     "--memory allows are in use: answered that there is none (to raise it: "
		     "--memory SIZE; further ones are not reported)",
		     syscall_name(number, text), where, (unsigned long long)memory->refused_bytes,
		     (unsigned long long)memory->filled_bytes,
		     (unsigned long long)memory->limit_bytes);
}

void syscall_handle(struct process *process)
{
	uint64_t *r = process->cpu.hart.r;
	uint64_t number = r[17];
	const uint64_t argument[6] = {r[10], r[11], r[12], r[13], r[14], r[15]};
	const struct syscall_row *row = number < SYSCALL_LIMIT ? &rows[number] : NULL;
	struct thread *caller = process->current;
	int64_t answer;

	process->syscall_count++;
	if (row)
		process->syscall_counts[number]++;
	process->is_calling = true;
	process->restart = false;
	caller->was_notified = false;
	process->memory.refused_bytes = 0;
	memcpy(process->files.pinned, caller->pinned, sizeof(caller->pinned));
	if (row && process->syscall_denied[number]) {
		answer = -ENOSYS;
	} else if (row && row->kind == KIND_DONE) {
		answer = row->handler(process, argument);
	} else if (row && row->kind == KIND_HARMLESS) {
		process->harmless_calls++;
		answer = -ENOSYS;
	} else {
		answer = answer_missing(process, number);
	}
	process->is_calling = false;
	memset(process->files.pinned, 0, sizeof(process->files.pinned));
	/* A process that ends for it is told of in another sentence. */
	if (process->memory.refused_bytes && !process->warned_memory &&
	    !process->memory.is_exhausted)
		warn_memory(process, number);
	if (process->state != PROCESS_RUNNING || caller->state == THREAD_DEAD ||
	    answer == SYSCALL_NO_RESULT)
		return;
	caller->is_restarting = process->restart;
	if (process->restart) {
		/* The call is not finished: it will be made, and counted, again. */
		process->syscall_count--;
		if (row)
			process->syscall_counts[number]--;
		process->cpu.instructions--;
		wait_pin(process, argument, number);
		return;
	}
	wait_unpin(caller);
	caller->restart_deadline_ns = 0;
	caller->remain_address = caller->state == THREAD_SLEEP ? caller->remain_address : 0;
	caller->progress_bytes = 0;
	r[10] = (uint64_t)answer;
	process->cpu.hart.pc += 4;
}
