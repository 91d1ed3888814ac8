/*
 * embed.h - a file of the source as bytes of the program: the assembler includes it.
 *
 * EMBED(name, path) defines and declares name_bytes and name_bytes_end. The path is relative to the
 * root of the source, where the compiler is started. A NUL follows the bytes and is not one of
 * them. The compiler cannot tell make that the object depends on the file: the Makefile lists it.
 */
#ifndef BASE_EMBED_H
#define BASE_EMBED_H

#include <stddef.h>

#define EMBED(name, path)                                                       \
	__asm__(".pushsection .rodata." #name ", \"a\", @progbits\n"            \
		".globl " #name "_bytes\n"                                      \
		".hidden " #name "_bytes\n" #name "_bytes:\n"                   \
		".incbin \"" path "\"\n"                                        \
		".globl " #name "_bytes_end\n"                                  \
		".hidden " #name "_bytes_end\n" #name "_bytes_end:\n"           \
		".byte 0\n"                                                     \
		".popsection\n");                                               \
	extern const char name##_bytes[] __attribute__((visibility("hidden"))); \
	extern const char name##_bytes_end[] __attribute__((visibility("hidden")))

#define EMBEDDED_SIZE(name) ((size_t)(name##_bytes_end - name##_bytes))

#endif
