/*
 * source_file.h - the name of a source file as a line table has it, in the form that lines.h
 * describes.
 */
#ifndef IMAGE_SOURCE_FILE_H
#define IMAGE_SOURCE_FILE_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <string.h>

#define SOURCE_FILE_BYTES 4096 /* longer names and directories are cut */

/* The name, a NUL, its directory and a NUL, to be freed; NULL if the file has no name. */
char *source_file_text(Dwarf_Files *files, size_t index);

static inline const char *source_file_directory(const char *text)
{
	return text + strlen(text) + 1;
}

#endif
