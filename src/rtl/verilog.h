/*
 * verilog.h - writes a circuit as Verilog-2005: the module, a test bench, and a Makefile for any
 * number of circuits.
 *
 * The module is a head (ports, constants), the body of its template, and the modules the body uses.
 * The test bench reads the two files of stimulus.h from the working directory, compares the words
 * at every check, and ends with a sentence: how many words were compared, or the first that
 * differs, and then a status that is not 0. `make simulate` uses verilator or Icarus Verilog,
 * `make synthesise` yosys.
 */
#ifndef RTL_VERILOG_H
#define RTL_VERILOG_H

#include <stdio.h>

#include "rtl/circuit.h"

/* `about` says in one line for what machine the circuit is. */
void verilog_write_module(FILE *out, const struct circuit *circuit, const char *about);
void verilog_write_bench(FILE *out, const struct circuit *circuit, const char *about);
void verilog_write_makefile(FILE *out, const struct circuit *circuits, size_t count);

#endif
