/*
 * record.h - executes a process and hands out the steps it takes.
 *
 * Instructions are executed by cpu_run_watched, the instance of the instruction semantics that
 * writes down memory accesses for the cores: a run of instructions up to the next jump at a time.
 * The process does exactly what process_run makes it do, instruction for instruction. An
 * instruction that faults is no step; a system call is one.
 */
#ifndef TRACE_RECORD_H
#define TRACE_RECORD_H

#include "linux/process.h"
#include "trace/step.h"

struct recorder;

struct recorder *recorder_create(struct process *process);
void recorder_destroy(struct recorder *recorder); /* NULL is accepted */

/* Executes until the process ends, cpu.instructions reaches `limit`, or the sink returns false
 * (then false). */
bool recorder_run(struct recorder *recorder, uint64_t limit, trace_sink *sink, void *context);

/* Of the steps that the sink has just been given: the thread they are of, and whether the last of
 * them was interrupted: what is executed after it is another thread's or a signal handler's. The
 * steps of one call of the sink are of one thread. */
uint32_t recorder_thread(const struct recorder *recorder);
bool recorder_was_interrupted(const struct recorder *recorder);

/* The ops executed so far. */
size_t recorder_op_count(const struct recorder *recorder);
const struct trace_op *recorder_op(const struct recorder *recorder, size_t index);

#endif
