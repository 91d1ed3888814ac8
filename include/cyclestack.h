/*
 * cyclestack.h - the library: runs a RISC-V Linux program and lets you watch.
 *
 * A machine is opened on a program (RV64GC ELF, static or dynamic), configured,
 * watched by observers if you like, started, and stepped until the program ends:
 *
 *   cs_open -> cs_configure* -> cs_attach* -> cs_start -> cs_step* -> cs_close
 *
 * A run is deterministic: the same program, settings and input give the same
 * instructions, in steps of any size and whatever observers are attached. All
 * state hangs off the machine; machines are independent, and different threads
 * may use different machines at once (not the same one). The library does not
 * exit, writes nothing to standard error and installs no signal handler; it
 * aborts only where the host has no memory left for its bookkeeping or it finds
 * itself broken.
 *
 * What it is not: a jail. The guest's addresses, files and system calls are
 * checked and it reaches nothing of the host but descriptors 0, 1 and 2 and the
 * directories given with "mount" and "sysroot", but it is this process that does
 * the checking and that parses the ELF file. The cyclestack program puts a
 * jailed worker process around that; who runs untrusted programs with the
 * library should do as much. Nor are there limits on time: step, and stop when
 * it is enough. A guest that reads from a descriptor blocks the caller; one that
 * writes to a closed pipe raises the caller's SIGPIPE unless that is ignored.
 *
 * Functions that can fail return false or NULL and leave a sentence, fit to be
 * shown to a user, in cs_error() or in the buffer given. Machine pointers must
 * not be NULL except where said.
 */
#ifndef CYCLESTACK_H
#define CYCLESTACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows when something is added; what exists keeps its meaning. */
#define CYCLESTACK_API_VERSION 1

/* The version of the library that is linked; at least CYCLESTACK_API_VERSION if
 * the program was compiled against the same or an older one. */
unsigned cs_api_version(void);

struct cs_machine;

enum cs_state {
	CS_READY,   /* cs_start has not been called, or failed */
	CS_RUNNING, /* more steps to come */
	CS_EXITED,  /* the program exited */
	CS_KILLED,  /* a signal ended it */
	CS_FAILED,  /* it cannot go on (a deadlock, a refused call); cs_error() says why */
};

/* Reads a program. The machine belongs to the caller, who closes it. On failure
 * (no such file, not a RISC-V program) returns NULL and writes a sentence into
 * `error`, which may be NULL. argv[0] is the file's name without directories. */
struct cs_machine *cs_open(const char *path, char *error, size_t error_bytes);

/* The same from memory. The image is copied; `name` is used in sentences and as
 * argv[0]. */
struct cs_machine *cs_open_image(const void *image, size_t image_bytes, const char *name,
				 char *error, size_t error_bytes);

/* Frees the machine, running or not, and writes back what the program mapped
 * shared. NULL is allowed. Not from an observer. */
void cs_close(struct cs_machine *machine);

/* One setting, as text; before cs_start. The text is copied. False if there is
 * no such key or the value is not what it wants. Keys, with defaults:
 *
 *   argv                an argument after those already there; may be repeated
 *   argv0               what the program finds in argv[0]
 *   env                 NAME=VALUE; may be repeated; the environment is empty
 *                       otherwise
 *   cwd                 the working directory, as the program sees it ("/")
 *   mount               GUEST=HOST or GUEST=HOST:ro, a directory the program may
 *                       use under the name GUEST; may be repeated
 *   sysroot             read-only root directory, for dynamic programs; once
 *   seed                of the random numbers the program asks the system for (1)
 *   memory.limit_bytes  memory the program may use; suffixes k, M, G (4G)
 *   deny                a system call to answer with ENOSYS, by name; may be
 *                       repeated
 *   strict              yes: a system call that is not implemented ends the run
 *                       as CS_FAILED; no: it is answered ENOSYS, with a warning
 *                       (no)
 */
bool cs_configure(struct cs_machine *machine, const char *key, const char *value);

/* Functions called while the machine runs; those that are NULL are not. They may
 * read values, but not step, attach to or close the machine that calls them, and
 * so cannot change what the program does. */
struct cs_observer {
	size_t size; /* sizeof(struct cs_observer), so that the struct may grow */
	void *context;
	/* An instruction of `bytes` (2 or 4) at `pc` has been executed. In program
	 * order, once per instruction counted; instructions that fault are not.
	 * Attaching this makes the machine many times slower. */
	void (*on_instruction)(void *context, uint64_t pc, unsigned bytes);
	/* The program made a system call, and it is done; `number` as in Linux. */
	void (*on_syscall)(void *context, uint64_t number);
	/* A sentence meant for the user: a call not implemented, a file refused. */
	void (*on_warning)(void *context, const char *text);
	/* The program exited, or was killed by signal n (128 + n). Called once. */
	void (*on_exit)(void *context, int status);
};

/* Adds an observer behind those already there, between any two steps. The struct
 * is copied; what its context points to stays the caller's and must last until
 * the machine is closed. False if the size is none this library knows or the
 * program has ended. */
bool cs_attach(struct cs_machine *machine, const struct cs_observer *observer);

/* Loads the program. False if that cannot be done: its interpreter is not under
 * the sysroot, its memory is over the limit, the host lacks address space. */
bool cs_start(struct cs_machine *machine);

/* Runs until `instructions` more have been executed or the program ends, and
 * says how things stand; 0 only says it. A machine that is not started, or not
 * running any more, stays as it is. */
enum cs_state cs_step(struct cs_machine *machine, uint64_t instructions);

/* Reads a value by name, once the machine is started:
 *
 *   instructions      executed so far, by all threads
 *   status            0..255, or 128 + n if killed by signal n; not while running
 *   memory_bytes      that count against memory.limit_bytes
 *   threads           alive
 *   syscalls          made so far
 *   unknown_syscalls  of these, not implemented
 *   syscalls.NAME     of these, calls of that name (syscalls.write)
 *   pc, x0..x31, f0..f31, fcsr   of the thread that is running
 *
 * False, and *out is untouched, if there is none of that name or not yet. */
bool cs_value(struct cs_machine *machine, const char *name, uint64_t *out);

/* The names cs_value() knows, i = 0, 1, ...; NULL behind the last. They are the
 * same during the machine's life, and belong to it. */
const char *cs_value_name(const struct cs_machine *machine, size_t i);

/* "0x10234 in main+0x14", or the bare address where no symbol covers it; false
 * before cs_start. Cut short where `bytes` do not suffice. */
bool cs_describe_pc(struct cs_machine *machine, uint64_t pc, char *text, size_t bytes);

/* The instruction at pc in assembler, mnemonic and operands separated by a tab
 * ("addw	a0,a0,1"). False if the program could not execute there. */
bool cs_disassemble(struct cs_machine *machine, uint64_t pc, char *text, size_t bytes);

/* The sentence of the last function that failed on this machine, or "". Belongs
 * to the machine; the next failure overwrites it. */
const char *cs_error(const struct cs_machine *machine);

#ifdef __cplusplus
}
#endif

#endif
