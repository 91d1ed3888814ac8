/*
 * cyclestack.h - the library: runs a RISC-V Linux program, functionally or on a
 * simulated core, and lets you observe and count.
 *
 * A machine is opened on a program (RV64GC ELF, static or dynamic), configured,
 * observed if you like, started, and stepped or simulated until the program ends:
 *
 *   cs_open -> cs_configure* -> cs_attach* -> cs_start -> cs_step* -> cs_close
 *
 *   cs_open -> cs_configure*, cs_set_machine, cs_set_parameter*
 *     -> cs_attach*, cs_subscribe* -> cs_start -> cs_step* -> cs_simulate*
 *     -> cs_stack, cs_function, cs_counted, cs_result_json -> cs_close
 *
 * Steps execute instructions and know no time; those made before the first
 * cs_simulate are skipped by the simulation, which then measures every cycle,
 * beginning with empty caches and predictor.
 *
 * A run is deterministic: the same program, settings and input give the same
 * instructions and cycles, in steps or pieces of any size and whatever observers
 * are attached. All state hangs off the machine; machines are independent, and
 * different threads may use different machines at once (not the same one). The
 * library does not exit, writes nothing to standard error and installs no signal
 * handler, with two exceptions: where the host has no memory left for its
 * bookkeeping it ends the process with status 125, and where it finds itself broken
 * it aborts, each with a sentence on standard error. A machine reserves 2.3 TB of
 * address space, so that some fifty can exist at once.
 *
 * What it is not: a jail. The guest's addresses, files and system calls are
 * checked and it reaches nothing of the host but descriptors 0, 1 and 2 and the
 * directories given with "mount" and "sysroot", but it is this process that does
 * the checking and that parses the ELF file. The cyclestack program puts a
 * jailed worker process around that; who runs untrusted programs with the
 * library should do as much. Nor are there limits on time: step or simulate in
 * pieces, and stop when it is enough. A guest that reads from a descriptor blocks the caller; one
 * that writes to a closed pipe raises the caller's SIGPIPE unless that is ignored.
 *
 * Functions that can fail return false or NULL and leave a sentence, fit to be
 * shown to a user, in cs_error() or in the buffer given. Machine pointers must
 * not be NULL except where said. A struct whose first member is `size` is given with
 * that member set to its sizeof, so that it may grow; another size is refused.
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
#define CYCLESTACK_API_VERSION 2

/* The version of the library that is linked; at least CYCLESTACK_API_VERSION if
 * the program was compiled against the same or an older one. */
unsigned cs_api_version(void);

struct cs_machine;

enum cs_state {
	CS_READY,   /* cs_start has not been called, or failed */
	CS_RUNNING, /* more to step or simulate */
	CS_EXITED,  /* the program exited */
	CS_KILLED,  /* a signal ended it */
	CS_FAILED,  /* it cannot go on (a deadlock, a refused call); cs_error() says why */
	CS_LIMITED, /* as many instructions as max_instructions allows were simulated */
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
 *   seed                of the random numbers the program asks the system for, and of
 *                       caches that replace lines at random (1)
 *   memory.limit_bytes  memory the program may use; suffixes k, M, G (4G)
 *   deny                a system call to answer with ENOSYS, by name; may be
 *                       repeated
 *   strict              yes: a system call that is not implemented ends the run
 *                       as CS_FAILED; no: it is answered ENOSYS, with a warning
 *                       (no)
 *   debug_dir           where to look for the program's symbols and debugging information,
 *                       as .build-id/xx/yyyy.debug by its build id; may be repeated
 *   raw_names           yes: functions are named as in the file; no: C++ and Rust names
 *                       are demangled (no)
 *
 * and of the simulation:
 *
 *   presets             directory of the presets (NAME.cfg) that cs_set_machine and
 *                       based_on in a file of parameters refer to (none)
 *   counters            who makes stacks of it: a name that cs_describe_counter gives,
 *                       or all, the usual ones; may be repeated; `exact`, which also
 *                       says what each function took, comes with any of them (none).
 *                       `exact` is measured: see cs_simulate
 *   time                insns: the program's clocks go by instructions; cycles: by
 *                       cycles (insns)
 *   max_instructions    to simulate in all, exactly: the simulation then ends as
 *                       CS_LIMITED (no limit)
 */
bool cs_configure(struct cs_machine *machine, const char *key, const char *value);

/* The simulated machine, before cs_start: a file of parameters if the name has a
 * slash or a dot, else a preset in the directory given as "presets". Replaces what was
 * chosen and set before. Without it the machine is that of the preset midcore,
 * which is built in. False, and nothing changes, if it cannot be read or describes no
 * machine. */
bool cs_set_machine(struct cs_machine *machine, const char *name);

/* The same from memory; `name` is used in sentences and results. */
bool cs_set_machine_text(struct cs_machine *machine, const char *name, const char *text,
			 size_t bytes);

/* One parameter of it, as `cyclestack config` lists them ("rob.size", "256"). Whether all
 * of them together describe a machine is checked by cs_start. */
bool cs_set_parameter(struct cs_machine *machine, const char *key, const char *value);

/* A cycle of the simulated core, or `repeat` equal ones one after the other. Every
 * cycle is in exactly one record. */
struct cs_cycle {
	size_t size;
	uint64_t number; /* of the first cycle, from 0 */
	uint64_t repeat;
	uint64_t fetch_pc; /* the next to fetch, or waited for */
	/* The oldest instruction in the window; if all of it committed in this cycle, the
	 * last that did; 0 if there was none. */
	uint64_t head_pc;
	/* Named by the signal that is 1 then ("fetch.l1i", "dispatch.rob", "head.l2d");
	 * "fetch.done", which no signal counts, says that the program has ended. */
	const char *fetch_stall;    /* why nothing was fetched; NULL: something was */
	const char *dispatch_stall; /* why dispatch was not full; NULL: it was */
	const char *head_state;	    /* what the oldest does; NULL: there is none */
	uint32_t thread;
	/* Instructions in each cycle, wrong paths included. */
	uint32_t fetched, fed, dispatched, issued, committed, squashed;
	/* Entries in use. */
	uint32_t fetch_buffer_used, rob_used, iq_used, lsq_used, store_buffer_used;
	uint32_t dispatch_width;
	bool wrong_path; /* fetch is on a wrong path, which hardware does not know yet */
};

/* What the subscribed signals added up to over a stretch of cycles. */
struct cs_sample {
	size_t size;
	uint64_t first_cycle, cycles;
	const uint64_t *values; /* by subscription; valid during the call */
	size_t value_count;
};

/* Functions called while the machine runs; those that are NULL are not. They may
 * read values, but not step, simulate, attach to or close the machine that calls
 * them, and so cannot change what the program does. */
struct cs_observer {
	size_t size; /* sizeof(struct cs_observer), so that the struct may grow */
	void *context;
	/* An instruction of `bytes` (2 or 4) at `pc` has been executed. In program
	 * order, once per instruction counted; instructions that fault are not.
	 * Attaching this makes stepping many times slower. Simulated instructions are
	 * told when they commit; `bytes` is 0 if the program has unmapped one by then. */
	void (*on_instruction)(void *context, uint64_t pc, unsigned bytes);
	/* The program made a system call, and it is done; `number` as in Linux. When
	 * simulating, older instructions may be still to commit. */
	void (*on_syscall)(void *context, uint64_t number);
	/* A sentence meant for the user: a call not implemented, a file refused. */
	void (*on_warning)(void *context, const char *text);
	/* The program exited, or was killed by signal n (128 + n). Called once. */
	void (*on_exit)(void *context, int status);

	/* From here on new in version 2; a struct that ends above is accepted too. */

	/* Every record of the simulated core, in order. */
	void (*on_cycle)(void *context, const struct cs_cycle *cycle);
	/* Every `sample_cycles` cycles, exactly: what each subscription counted in them.
	 * The end of the simulation cuts the last sample short. */
	void (*on_sample)(void *context, const struct cs_sample *sample);
	uint64_t sample_cycles;
};

/* Adds an observer behind those already there, between any two steps but before the
 * first cs_simulate. The struct is copied; what its context points to stays the
 * caller's and must last until the machine is closed. False if the size is none this
 * library knows, the simulation has begun or the program has ended. */
bool cs_attach(struct cs_machine *machine, const struct cs_observer *observer);

/* Loads the program. False if that cannot be done: its interpreter is not under
 * the sysroot, its memory is over the limit, the host lacks address space, the
 * parameters describe no machine. */
bool cs_start(struct cs_machine *machine);

/* Runs until `instructions` more have been executed or the program ends, and
 * says how things stand; 0 only says it. A machine that is not started, being
 * simulated, or not running any more, stays as it is. */
enum cs_state cs_step(struct cs_machine *machine, uint64_t instructions);

/* Simulates from where the program is until about `cycles` more have passed (a record of
 * several is not cut), or `instructions` more have committed (with the rest of their
 * cycle), or the program ends, and says how things stand; 0 of either only says it.
 * UINT64_MAX: no limit. Where pieces end changes nothing.
 *
 * If `exact` counts, this process is copied (fork) at moments of the simulation, and the
 * copies simulate what comes next on machines without each cause: that is how what would
 * go away is measured. A copy calls no observer, makes no system call of the program
 * that has an effect outside, and ends by itself, or when this process does. cs_simulate
 * and cs_result_json wait for copies by their ids. A process that waits for any of its
 * children may meet one, and one that ignores SIGCHLD gets no measurement: `exact` then
 * says where dispatch slots were lost, and `gain` in the result has 0 windows. */
enum cs_state cs_simulate(struct cs_machine *machine, uint64_t cycles, uint64_t instructions);

/* A name that other functions take, and what it stands for. What does not apply is NULL.
 * The texts are constants. */
struct cs_description {
	size_t size;
	const char *name, *unit, *meaning;
	const char *source;   /* "hw": hardware could know it; "oracle" */
	const char *category; /* of a signal; of a counter "method", has a stack, or "view" */
	const char *owner;    /* whose a signal's counts are: "fetch", the instruction to be
			       * fetched next; "oldest" in the window; "own", that of the event */
};

/* Signals, counted values and counters by number, i = 0, 1, ...; false behind the last,
 * or if the size is wrong. */
bool cs_describe_signal(size_t i, struct cs_description *out);
bool cs_describe_counted(size_t i, struct cs_description *out);
bool cs_describe_counter(size_t i, struct cs_description *out);

/* Adds up a signal from the beginning of the simulation, where it belongs to an
 * instruction at low <= pc < high; 0 and UINT64_MAX: everywhere. *subscription is its
 * number: 0, 1, ... Before the first cs_simulate. False if there is no such signal or
 * address. What nobody subscribes to costs nothing; nor does a signal everywhere that
 * the core has a running total of, as it has of every counted value. */
bool cs_subscribe(struct cs_machine *machine, const char *signal, uint64_t low, uint64_t high,
		  size_t *subscription);

/* The sum so far; also from an observer, which then has it with the cycles told. */
bool cs_sum(struct cs_machine *machine, size_t subscription, uint64_t *sum);

/* What has been measured so far, once something is simulated; a simulation that has not
 * ended can be continued afterwards. Everything read here has passed the checks: the
 * identities between the core's counts, and that every stack adds up to the cycles.
 * False or NULL with a sentence if one does not hold, the program failed, or what is
 * asked for was not configured. Texts are valid until the simulation continues or the
 * machine is closed. Not from an observer. */

/* The result as `cyclestack run --json` writes it. */
const char *cs_result_json(struct cs_machine *machine);

/* A counted value of the whole simulation: "cycles", "l1d.misses". */
bool cs_counted(struct cs_machine *machine, const char *name, uint64_t *out);

/* A part of a CPI stack. */
struct cs_component {
	size_t size;
	const char *name, *meaning;
	int64_t cycles; /* negative only for a method's remainder */
};

/* How many components the stack of a method has; and each, i = 0, 1, ... Their cycles
 * add up to those of the simulation. */
bool cs_stack(struct cs_machine *machine, const char *method, size_t *components);
bool cs_component(struct cs_machine *machine, const char *method, size_t i,
		  struct cs_component *out);

/* A function of the program, with the dispatch slots that `exact` charges to it: so many
 * of them are a cycle. All slots of a function are those it had; which components they
 * are of is scaled to what was measured for the whole simulation. */
struct cs_function {
	size_t size;
	const char *name, *file; /* the file is "" if unknown */
	uint64_t line;		 /* 0 if unknown */
	uint64_t executed;	 /* instructions */
	uint64_t slots, slots_per_cycle;
};

/* How many functions took anything; each, i = 0, 1, ..., the one that took most first;
 * and its slots of one component. All add up to the slots of the simulation. */
bool cs_functions(struct cs_machine *machine, size_t *count);
bool cs_function(struct cs_machine *machine, size_t i, struct cs_function *out);
bool cs_function_slots(struct cs_machine *machine, size_t i, const char *component,
		       uint64_t *slots);

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
 * Of a simulation, `instructions` are those skipped and committed, and all others are of
 * the instruction to be fetched next, which may be on a wrong path.
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
