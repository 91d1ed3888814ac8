/*
 * replace.h - functions of the library that a test replaces by its own. The linker gives the test's
 * to every other file that calls them; calls within the file that defines them stay as they are.
 */
#ifndef TESTS_UNIT_REPLACE_H
#define TESTS_UNIT_REPLACE_H

/* After the definition of BY, a static function of the same type. make/tests.mk finds the name. */
#define REPLACE(name, by) extern __typeof__(name) __wrap_##name __attribute__((alias(#by), used))
/* Declares the function that was replaced, as __real_NAME. */
#define REPLACED(name) extern __typeof__(name) __real_##name

#endif
