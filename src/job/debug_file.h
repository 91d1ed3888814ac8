/*
 * debug_file.h - finds the file that a program's debugging information was split off to, by the
 * program's build id, beneath a directory:
 *
 *   DIR/.build-id/xx/yyyy.debug                 xx: the first byte of the id, yyyy: the others
 *   DIR/usr/lib/debug/.build-id/xx/yyyy.debug   as Debian's packages install it
 *
 * Runs in the parent, which the jailed worker inherits the bytes from; of them, only the build id
 * is read here. It must be that of the program.
 */
#ifndef JOB_DEBUG_FILE_H
#define JOB_DEBUG_FILE_H

#include "job/program.h"

/* Fills program->debug unless there is one already, or no such file. False with a sentence if
 * there is a file that cannot be used. */
bool debug_file_find(struct program *program, const char *directory, struct err *err);

#endif
