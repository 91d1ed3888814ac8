/*
 * csv.h - a result of `run` as one long table, for spreadsheets and statistics.
 *
 * A header line, then one row per item and cause (or component). Columns:
 *
 *   kind       program | method | stage | topdown | function | line | thread |
 *              interval | instruction
 *   function   for function, line and instruction: the function's name
 *   name       program's, method's or stage's name, level1 or level2, function, file:line,
 *              thread's id, number of the interval from 1, pc and text of the instruction
 *   file, line if known
 *   cause      for kinds that are counted by cause
 *   component  the component of the cause; for topdown, the category
 *   executed   instructions of that item, the same in each of its rows
 *   slots      exact; adds up within a kind (for topdown, within a level). Empty for method
 *              and stage, which are in cycles
 *   cycles     slots divided by the slots of a cycle
 *
 * Names come from the program: one that a spreadsheet would compute, because it begins with = + -
 * @, a tab or a carriage return and is no number, has an apostrophe put before it.
 *
 * Rows with nothing in them are left out, save for methods and stages. Quoted as in RFC
 * 4180; lines end in a line feed alone, for the sake of awk.
 */
#ifndef REPORT_FILE_CSV_H
#define REPORT_FILE_CSV_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/* False with a sentence if the result cannot be read or the stream cannot be written. */
bool csv_write(FILE *out, const json_t *result, struct err *err);

/* A result of `sweep`: a line for each program and machine with the machine's name and changes,
 * instructions, cycles, and the cycles of each component; empty where the machine has none such. */
bool csv_write_sweep(FILE *out, const json_t *result, struct err *err);

/* A result of `stat`: signal, where, epoch, then for every interval its first cycle, its cycles and
 * the count; and a line whose start is "total", with "saturated" in place of the cycles if the
 * total is a lower bound. Derived values have a total only. */
bool csv_write_stat(FILE *out, const json_t *result, struct err *err);

#endif
