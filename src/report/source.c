#include "report/source.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/printable.h"

#define SOURCE_BYTES (16 << 20)

struct source_root {
	int directory;
	char *from; /* what a name must begin with; NULL: anything */
};

static bool add(struct source_roots *roots, const char *path, char *from)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return false;
	*ARRAY_PUSH(roots->roots, roots->count, roots->capacity) = (struct source_root){fd, from};
	return true;
}

bool source_roots_add(struct source_roots *roots, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');
	char *from = equals ? mem_strdup(text) : NULL;

	if (from) {
		size_t length = (size_t)(equals - text);

		while (length > 0 && from[length - 1] == '/')
			length--;
		from[length] = 0;
	}
	if (add(roots, equals ? equals + 1 : text, from))
		return true;
	err_set_errno(err, errno, "--source %s", text);
	free(from);
	return false;
}

void source_roots_add_working_directory(struct source_roots *roots)
{
	struct stat here, top;

	/* Everything lies below the root directory, and nobody chose that. */
	if (stat(".", &here) == 0 && stat("/", &top) == 0 &&
	    (here.st_dev != top.st_dev || here.st_ino != top.st_ino))
		add(roots, ".", NULL);
}

void source_roots_release(struct source_roots *roots)
{
	for (size_t i = 0; i < roots->count; i++) {
		close(roots->roots[i].directory);
		free(roots->roots[i].from);
	}
	free(roots->roots);
}

static char *read_regular(int fd)
{
	struct stat info;
	char *text = NULL;
	size_t used = 0;

	if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= SOURCE_BYTES) {
		size_t size = (size_t)info.st_size;

		text = mem_alloc(size + 1);
		for (ssize_t got; used < size; used += (size_t)got)
			if ((got = read(fd, text + used, size - used)) <= 0)
				break;
		text[used] = 0;
	}
	return text;
}

/* NULL if there is no such file below the directory. */
static char *read_beneath(int directory, const char *name)
{
	/* What a hostile program names as its source could be a pipe that blocks. */
	const struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	int fd = (int)syscall(SYS_openat2, directory, name, &how, sizeof(how));

	if (fd < 0)
		return NULL;
	char *text = read_regular(fd);
	close(fd);
	return text;
}

/* The longest tail of the name that is a file there. */
static char *read_tail(int directory, const char *name)
{
	char *text = NULL;

	for (const char *tail = name; !text && tail; tail = strchr(tail, '/')) {
		tail += strspn(tail, "/");
		if (*tail)
			text = read_beneath(directory, tail);
	}
	return text;
}

static char *read_below(const struct source_root *root, const char *name)
{
	size_t length = root->from ? strlen(root->from) : 0;

	if (!root->from)
		return read_tail(root->directory, name);
	if (strncmp(name, root->from, length) != 0 || name[length] != '/')
		return NULL;
	return read_beneath(root->directory, name + length + 1);
}

/* Removes the last part of the path before `end`; returns the new end. A path that is at its
 * beginning, or consists of .. so far, has none to remove. */
static char *without_last(char *path, char *end)
{
	char *last = end;

	while (last > path && last[-1] != '/')
		last--;
	if (last == end || (end - last == 2 && memcmp(last, "..", 2) == 0))
		return NULL;
	return last - (last > path + 1);
}

char *source_path(const char *directory, const char *name)
{
	bool is_relative = directory[0] && name[0] != '/';
	size_t bytes = strlen(directory) + strlen(name) + 3;
	char *given = mem_alloc(bytes), *path = mem_alloc(bytes), *end = path, *rest = given;

	snprintf(given, bytes, "%s%s%s", is_relative ? directory : "", is_relative ? "/" : "",
		 name);
	if (given[0] == '/')
		*end++ = '/';
	for (char *part; (part = strsep(&rest, "/"));) {
		bool is_up = strcmp(part, "..") == 0;
		char *up = is_up ? without_last(path, end) : NULL;

		if (!*part || strcmp(part, ".") == 0 || (is_up && end == path + 1 && *path == '/'))
			continue;
		if (up) {
			end = up;
			continue;
		}
		if (end > path && end[-1] != '/')
			*end++ = '/';
		end = stpcpy(end, part);
	}
	*end = 0;
	free(given);
	return path;
}

void source_open(struct source *source, const struct source_roots *roots, const char *name)
{
	size_t capacity = 0;

	*source = (struct source){0};
	for (size_t i = 0; !source->text && i < roots->count; i++)
		source->text = read_below(&roots->roots[i], name);
	char *rest = source->text;
	for (char *line; (line = strsep(&rest, "\n"));) {
		size_t length = strlen(line);

		if (length && line[length - 1] == '\r')
			line[length - 1] = 0;
		*ARRAY_PUSH(source->lines, source->count, capacity) = line;
	}
}

void source_close(struct source *source)
{
	free(source->lines);
	free(source->text);
}

/* Tabs stay. Returns the end. */
static char *put_printable(char *end, const char *line)
{
	for (;;) {
		const size_t length = strcspn(line, "\t");

		end += printable_copy(end, length, (const uint8_t *)line, length);
		if (!line[length])
			return end;
		*end++ = '\t';
		line += length + 1;
	}
}

char *source_printable(const struct source *source)
{
	size_t bytes = 1;

	if (!source->text)
		return NULL;
	for (size_t i = 0; i < source->count; i++)
		bytes += strlen(source->lines[i]) + 1;
	char *text = mem_alloc(bytes), *end = text;
	for (size_t i = 0; i < source->count; i++) {
		end = put_printable(end, source->lines[i]);
		/* The last line is what follows the last end of a line. */
		if (i + 1 < source->count)
			*end++ = '\n';
	}
	*end = 0;
	return text;
}

const char *source_line(const struct source *source, int64_t line)
{
	return line >= 1 && (uint64_t)line <= source->count ? source->lines[line - 1] : "";
}
