/*
 * err.h - one sentence about what went wrong, and who can change that.
 *
 * Every function that can fail because of input or of what the user asked for
 * returns false (or NULL) and leaves a sentence here: what, where, what was
 * expected, what to do. The sentence has no trailing newline and no prefix; the
 * caller that prints it adds them. Impossible states are not errors: they are
 * BUG(), which aborts.
 *
 * Each has a kind, by which the command line chooses its exit status. A
 * function that reads a file calls its trouble input; the caller that knows
 * that the file's name, or the text read, came from an option makes it usage.
 *
 * An err is a plain value owned by the caller; passing NULL is allowed and
 * drops the sentence.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>

#define ERR_TEXT_BYTES 1024

enum err_kind {
	ERR_INPUT,   /* a file or a program is not as it must be; the usual kind */
	ERR_USAGE,   /* the user asked for what cannot be */
	ERR_STOPPED, /* nothing failed: somebody stopped it, or its time was over */
	ERR_TOOL,    /* this program or its host failed */
	ERR_KINDS
};

struct err {
	char text[ERR_TEXT_BYTES];
	enum err_kind kind;
};

static inline bool err_is_set(void)
{
	return false;
}

/* Writes the sentence (truncating at the buffer's end). Always false, so that a
 * failing function can end in `return err_set(...)`; macros, so that compilers
 * and analyzers see that too. Each name has its kind; err_set is for input. */
#define err_set(err, ...)     (err_write((err), ERR_INPUT, __VA_ARGS__), err_is_set())
#define err_usage(err, ...)   (err_write((err), ERR_USAGE, __VA_ARGS__), err_is_set())
#define err_stopped(err, ...) (err_write((err), ERR_STOPPED, __VA_ARGS__), err_is_set())
#define err_tool(err, ...)    (err_write((err), ERR_TOOL, __VA_ARGS__), err_is_set())
/* As err_set, with ": strerror(errno_value)" appended. */
#define err_set_errno(err, errno_value, ...) \
	(err_write_errno((err), (errno_value), __VA_ARGS__), err_is_set())
/* Puts "prefix: " before the sentence already there, to say where; the kind stays. */
#define err_prefix(err, ...) (err_write_prefix((err), __VA_ARGS__), err_is_set())

/* Says that the sentence already there is about what the user asked for, or about this program. */
#define err_as_usage(err) (err_change_kind((err), ERR_USAGE), err_is_set())
#define err_as_tool(err)  (err_change_kind((err), ERR_TOOL), err_is_set())

void err_change_kind(struct err *err, enum err_kind kind);
void err_write(struct err *err, enum err_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
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
