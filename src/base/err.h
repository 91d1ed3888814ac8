/*
 * err.h - one sentence about what went wrong.
 *
 * Every function that can fail because of input or of what the user asked for
 * returns false (or NULL) and leaves a sentence here: what, where, what was
 * expected, what to do. The sentence has no trailing newline and no prefix; the
 * caller that prints it adds them. Impossible states are not errors: they are
 * BUG(), which aborts.
 *
 * An err is a plain value owned by the caller; passing NULL is allowed and
 * drops the sentence.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>

#define ERR_TEXT_BYTES 1024

struct err {
	char text[ERR_TEXT_BYTES];
};

static inline bool err_is_set(void)
{
	return false;
}

/* Writes the sentence (truncating at the buffer's end). Always false, so that a
 * failing function can end in `return err_set(...)`; macros, so that compilers
 * and analyzers see that too. */
#define err_set(err, ...) (err_write((err), __VA_ARGS__), err_is_set())
/* The same with ": strerror(errno_value)" appended. */
#define err_set_errno(err, errno_value, ...) \
	(err_write_errno((err), (errno_value), __VA_ARGS__), err_is_set())
/* Puts "prefix: " before the sentence already there, to say where. */
#define err_prefix(err, ...) (err_write_prefix((err), __VA_ARGS__), err_is_set())

void err_write(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
void err_write_errno(struct err *err, int errno_value, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void err_write_prefix(struct err *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A defect in this program: prints the place on standard error and aborts. */
_Noreturn void bug_abort(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#define BUG(...) bug_abort(__FILE__, __LINE__, __VA_ARGS__)
#define BUG_ON(condition)                                                \
	do {                                                             \
		if (__builtin_expect(!!(condition), 0))                  \
			bug_abort(__FILE__, __LINE__, "%s", #condition); \
	} while (0)

#endif
