/*
 * source.h - the source text of a program, found by the names its line table gives.
 *
 * A program may name any file of the host as its source, so a name is only ever looked up below
 * directories the user chose: those of --source, in their order, then the working directory (unless
 * that is the root directory). The kernel sees to it that neither .. nor a link leads out of them.
 * A relative name is first made absolute by the directory in which the compiler ran; . and .. in it
 * are resolved by their names. Of what results the longest tail that is a file there is taken:
 * "/build/a/src/sort.c" is found as src/sort.c or sort.c. With FROM=TO, names that begin with the
 * directory FROM are looked up below TO by what follows.
 *
 * Only regular files of at most 16 MB are read. A file may have changed since the program was
 * built: nothing here can tell.
 */
#ifndef REPORT_SOURCE_H
#define REPORT_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct source_root;

struct source_roots {
	struct source_root *roots;
	size_t count, capacity;
};

/* "DIR" or "FROM=TO", opened now. False with a sentence if it is no directory. */
bool source_roots_add(struct source_roots *roots, const char *text, struct err *err);
/* The working directory; to be called last. */
void source_roots_add_working_directory(struct source_roots *roots);
void source_roots_release(struct source_roots *roots);

struct source {
	char *text;
	const char **lines;
	size_t count; /* 0 if it was not found */
};

/* The name of a source file as the compiler knew it, from the directory it ran in ("": not known)
 * and the name it was given. The caller frees it. */
char *source_path(const char *directory, const char *name);
/* `path` is such a name. */
void source_open(struct source *source, const struct source_roots *roots, const char *path);
void source_close(struct source *source);
/* The whole text, which the caller frees, with what is not to be printed as '?' but for tabs; NULL
 * if the file was not found. */
char *source_printable(const struct source *source);
/* Lines count from 1; "" if the line is not there. */
const char *source_line(const struct source *source, int64_t line);

#endif
