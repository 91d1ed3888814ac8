#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_text(struct err *err, const char *format, va_list ap)
{
	if (err)
		vsnprintf(err->text, sizeof(err->text), format, ap);
}

void err_change_kind(struct err *err, enum err_kind kind)
{
	if (err)
		err->kind = kind;
}

void err_write(struct err *err, enum err_kind kind, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	set_text(err, format, ap);
	va_end(ap);
	err_change_kind(err, kind);
}

void err_write_errno(struct err *err, int errno_value, const char *format, ...)
{
	va_list ap;

	if (!err)
		return;
	va_start(ap, format);
	set_text(err, format, ap);
	va_end(ap);
	err->kind = ERR_INPUT;
	size_t used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", strerror(errno_value));
}

void err_write_prefix(struct err *err, const char *format, ...)
{
	char old[ERR_TEXT_BYTES];
	va_list ap;

	if (!err)
		return;
	memcpy(old, err->text, sizeof(old));
	va_start(ap, format);
	set_text(err, format, ap);
	va_end(ap);
	size_t used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", old);
}

void bug_abort(const char *file, int line, const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "cyclestack: internal error at %s:%d: ", file, line);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}
