/*
 * names.h - names of functions as compilers write them into files, and as people read and type
 * them.
 *
 * C++ and Rust encode scopes, types and arguments in a symbol's name. name_demangle() decodes it,
 * as `nm -C` and `addr2line -C` do, by libiberty. What a person types for a function is compared
 * with several spellings of it:
 *
 *   ns::Box<int>::heavy(int) const         what is shown
 *   ns::Box<int>::heavy                    without arguments and type of the result
 *   ns::Box::heavy                         without the arguments of templates, too
 *   core::fmt::write::h0123456789abcdef    of Rust: with the hash, which is not shown
 *   _ZNK2ns3BoxIiE5heavyEi                 as in the file
 *
 * and each may lack scopes at its start: Box<int>::heavy, heavy.
 *
 * Names in a hostile file may be chosen to demangle to more text than any memory holds: the text
 * ends at NAME_BYTES, and so does the work. The languages D and Ada are not decoded.
 */
#ifndef IMAGE_NAMES_H
#define IMAGE_NAMES_H

#include <stdbool.h>

#define NAME_BYTES 4096 /* longer names are cut */

/* The name that is shown, printable, to be freed; NULL if `raw` is not a mangled name. */
char *name_demangle(const char *raw);

/* The ways in which a text names a function, the surest first; a later one counts only where no
 * function of the program is named by an earlier one. */
enum name_way {
	NAME_RAW,	  /* it is the name in the file */
	NAME_SPELLING,	  /* it is one of the spellings */
	NAME_END,	  /* it is the end of one, behind :: */
	NAME_PATTERN,	  /* it is a pattern, as for fnmatch, that one of the spellings matches */
	NAME_PATTERN_END, /* or that the end of one matches */
	NAME_WAYS,
};

/* Whether the text names the function of that name in this way. */
bool name_fits(const char *raw, const char *text, enum name_way way);

/* Whether the text has characters of a pattern. A name may have them, too. */
bool name_is_pattern(const char *text);

#endif
