/*
 * call_functions.h - the functions of a process that runs, by number, for who follows its calls
 * (count/call_tree.h).
 *
 * A function is what origin.h says of an address when it is first asked about; answers are kept
 * until the process maps or unmaps a file.
 */
#ifndef JOB_CALL_FUNCTIONS_H
#define JOB_CALL_FUNCTIONS_H

#include "base/index.h"
#include "count/call_tree.h"
#include "job/origin.h"

#define CALL_FUNCTIONS_CACHE_BITS 14

struct followed_function {
	struct call_function about;
	struct origin origin;
	uint64_t pc; /* in it */
};

/* Open for reading. */
struct followed_functions {
	struct process *process;
	struct libraries libraries;
	struct followed_function *items;
	size_t count, capacity;
	struct index index;
	struct {
		uint64_t pc; /* plus one; 0: nothing */
		uint32_t function;
	} cached[1u << CALL_FUNCTIONS_CACHE_BITS];
	size_t mappings; /* when something was cached last */
	uint64_t path_bytes;
};

/* Zeros but for the process. */
uint32_t call_functions_find(struct followed_functions *functions, uint64_t pc);
/* Whether files were mapped or unmapped since this was asked last; then what is kept is forgotten.
 * To be asked after a system call. */
bool call_functions_changed(struct followed_functions *functions);
void call_functions_forget(struct followed_functions *functions);
/* For call_tree_init. */
struct call_functions call_functions_of(struct followed_functions *functions);
void call_functions_release(struct followed_functions *functions);

#endif
