/*
 * file_steps.c - sequences on descriptors and names of files.
 *
 * Descriptors are opened, copied, moved, written, cut and closed while the names of their files are
 * renamed, linked and removed. A line shows the answer, and for every descriptor its position, size
 * and number of links, for every name what it is and how long.
 *
 * A model keeps the bytes of every file and the position that copies of a descriptor share; a line
 * says MODEL where what was read is not the model's.
 *
 * Directories are listed in an order that is the file system's own, so names are sorted. A listing
 * that was begun and not ended may have names of before and after a change: every name that did not
 * change meanwhile is in it once.
 */
#define WORKERS 1
#include "sequence.h"
#include <dirent.h>
#include <sys/stat.h>
#include <sys/uio.h>

#define SLOTS	 8
#define NAMES	 6
#define FIRST_FD 20
#define BYTES	 300
#define INODES	 4096
#define OPENS	 4096

/* A file, whatever its names; a description, whatever its descriptors. */
struct inode {
	unsigned char bytes[BYTES];
	long size;
};
struct description {
	struct inode *inode;
	long position;
	int flags;
};

static struct inode inodes[INODES];
static struct description descriptions[OPENS];
static unsigned inode_count, description_count;
static struct inode *named[NAMES];
static struct description *slots[SLOTS];
static const char *const names[NAMES] = {"a", "b", "c", "e", "sub/f", "sub/g"};

static int fd_of(int slot)
{
	return FIRST_FD + slot;
}

static struct inode *new_inode(void)
{
	return inode_count < INODES ? &inodes[inode_count++] : NULL;
}

/* The descriptor is at the slot from now on; the answer is said without its number. */
static void put_slot(int fd, int slot, struct description *description)
{
	if (fd < 0) {
		say(" = %s", error_name(errno));
		return;
	}
	say(" = opened");
	dup2(fd, fd_of(slot));
	close(fd);
	slots[slot] = description;
}

static void step_open(void)
{
	static const int modes[] = {O_RDWR,
				    O_RDWR,
				    O_RDONLY,
				    O_WRONLY,
				    O_RDWR | O_APPEND,
				    O_RDWR | O_CREAT,
				    O_RDWR | O_CREAT,
				    O_RDWR | O_CREAT | O_EXCL,
				    O_RDWR | O_CREAT | O_TRUNC,
				    O_WRONLY | O_TRUNC,
				    O_PATH,
				    O_RDONLY | O_DIRECTORY,
				    O_WRONLY | O_APPEND | O_CREAT};
	int name = (int)below(NAMES), slot = (int)below(SLOTS), mode = PICK(modes);

	if (description_count >= OPENS || inode_count >= INODES)
		return;
	say("open %s %o at %d", names[name], (unsigned)mode, slot);
	int fd = open(names[name], mode, 0640);
	struct description *description = &descriptions[description_count];
	if (fd >= 0 && !named[name])
		named[name] = new_inode();
	if (fd >= 0) {
		*description = (struct description){.inode = named[name], .flags = mode};
		description_count++;
		if (mode & O_TRUNC)
			memset(named[name], 0, sizeof(struct inode));
	}
	put_slot(fd, slot, description);
}

static void step_copy(void)
{
	int from = (int)below(SLOTS), to = (int)below(SLOTS), kind = (int)below(3);
	int got;

	say("copy %d to %d by %d", from, to, kind);
	if (kind == 0)
		got = dup2(fd_of(from), fd_of(to));
	else if (kind == 1)
		got = dup3(fd_of(from), fd_of(to), one_in(2) ? O_CLOEXEC : 0);
	else
		got = fcntl(fd_of(from), F_DUPFD_CLOEXEC, 100);
	if (kind == 2 && got >= 0) {
		put_slot(got, to, slots[from]);
		return;
	}
	say_result(" = ", got < 0 ? -1 : 0);
	if (got >= 0)
		slots[to] = slots[from];
}

static void step_close(void)
{
	int slot = (int)below(SLOTS);

	say("close %d", slot);
	say_result(" = ", close(fd_of(slot)));
	slots[slot] = NULL;
}

static bool may(const struct description *description, int other)
{
	return description && !(description->flags & O_PATH) &&
	       (description->flags & O_ACCMODE) != other;
}

/* Says what was read, and compares it with the model. */
static void check_read(const struct description *from, long at, const unsigned char *bytes,
		       long got, long wanted)
{
	const struct inode *inode = from->inode;
	long expected = at >= inode->size ? 0 : inode->size - at;

	if (expected > wanted)
		expected = wanted;
	for (long i = 0; i < got; i++)
		say("%s%d", i ? "," : " ", bytes[i]);
	if (got != expected || memcmp(bytes, inode->bytes + (expected ? at : 0), (size_t)expected))
		say(" MODEL %ld", expected);
}

static void step_read(void)
{
	int slot = (int)below(SLOTS);
	struct description *from = slots[slot];
	unsigned char bytes[8] = {0};
	long count = 1 + below(8), at = below(BYTES), got;
	unsigned kind = below(3);

	say("%s %ld of %d", kind == 0 ? "read" : kind == 1 ? "pread" : "readv", count, slot);
	struct iovec list[2] = {{bytes, (size_t)count / 2},
				{bytes + count / 2, (size_t)(count - count / 2)}};
	got = kind == 0	  ? read(fd_of(slot), bytes, (size_t)count)
	      : kind == 1 ? pread(fd_of(slot), bytes, (size_t)count, at)
			  : readv(fd_of(slot), list, 2);
	say_result(" = ", got);
	if (!may(from, O_WRONLY) || got < 0)
		return;
	check_read(from, kind == 1 ? at : from->position, bytes, got, count);
	from->position += kind == 1 ? 0 : got;
}

static void store(struct inode *inode, long at, const unsigned char *bytes, long count)
{
	memcpy(inode->bytes + at, bytes, (size_t)count);
	if (inode->size < at + count)
		inode->size = at + count;
}

static void step_write(void)
{
	int slot = (int)below(SLOTS);
	struct description *to = slots[slot];
	unsigned char bytes[8];
	long count = 1 + below(8), at = below(BYTES - 8);
	bool has_offset = one_in(3);

	/* The model has no more bytes. */
	if (to && to->inode && (to->position > BYTES - 8 || to->inode->size > BYTES - 8))
		return;
	for (long i = 0; i < count; i++)
		bytes[i] = (unsigned char)(1 + below(200));
	say("%s %ld to %d", has_offset ? "pwrite" : "write", count, slot);
	long got = has_offset ? pwrite(fd_of(slot), bytes, (size_t)count, at)
			      : write(fd_of(slot), bytes, (size_t)count);
	say_result(" = ", got);
	if (!may(to, O_RDONLY) || got < 0)
		return;
	if (to->flags & O_APPEND)
		at = to->inode->size;
	else if (!has_offset)
		at = to->position;
	store(to->inode, at, bytes, got);
	if (!has_offset)
		to->position = at + got;
}

static void step_seek(void)
{
	int slot = (int)below(SLOTS);
	struct description *at = slots[slot];
	long offset = (long)below(200) - 20;
	int whence = (int)below(3);

	say("seek %d %ld %d", slot, offset, whence);
	long got = lseek(fd_of(slot), offset, whence);
	say_result(" = ", got);
	if (got >= 0 && at)
		at->position = got;
}

static void step_cut(void)
{
	int slot = (int)below(SLOTS);
	struct description *at = slots[slot];
	long size = below(BYTES);

	say("cut %d to %ld", slot, size);
	if (ftruncate(fd_of(slot), size)) {
		say(" = %s", error_name(errno));
		return;
	}
	say(" = 0");
	if (at->inode->size > size)
		memset(at->inode->bytes + size, 0, (size_t)(BYTES - size));
	at->inode->size = size;
}

static void step_flags(void)
{
	int slot = (int)below(SLOTS), flags = one_in(2) ? O_APPEND : 0;

	say("flags %d %o", slot, (unsigned)flags);
	int got = fcntl(fd_of(slot), F_SETFL, flags);
	say_result(" = ", got);
	if (got == 0 && slots[slot])
		slots[slot]->flags = (slots[slot]->flags & ~O_APPEND) | flags;
}

static void step_rename(void)
{
	int from = (int)below(NAMES), to = (int)below(NAMES);
	unsigned flags = below(3); /* none, RENAME_NOREPLACE, RENAME_EXCHANGE */

	say("rename %s to %s %u", names[from], names[to], flags);
	long got = syscall(SYS_renameat2, AT_FDCWD, names[from], AT_FDCWD, names[to], flags);
	say_result(" = ", got);
	if (got || named[from] == named[to])
		return;
	struct inode *other = named[to];
	named[to] = named[from];
	named[from] = flags == 2 ? other : NULL;
}

static void step_link(void)
{
	int from = (int)below(NAMES), to = (int)below(NAMES);

	say("link %s to %s", names[from], names[to]);
	int got = link(names[from], names[to]);
	say_result(" = ", got);
	if (!got)
		named[to] = named[from];
}

static void step_unlink(void)
{
	int name = (int)below(NAMES);

	say("unlink %s", names[name]);
	int got = unlink(names[name]);
	say_result(" = ", got);
	if (!got)
		named[name] = NULL;
}

/* What was opened with O_PATH, or has no name any more, is still a file. */
static void step_reopen(void)
{
	int slot = (int)below(SLOTS);
	struct stat info;

	say("stat %d", slot);
	say_result(" = ", fstatat(fd_of(slot), "", &info, AT_EMPTY_PATH));
	say_result(" read ", pread(fd_of(slot), &info, 0, 0));
	say_result(" chmod ", fchmod(fd_of(slot), 0600 + below(64)));
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Reads a whole directory through a descriptor that has been read from before. */
static void step_list(void)
{
	static DIR *directory;
	static char found[16][16];
	char *sorted[16];
	int count = 0;
	const struct dirent *entry;

	if (!directory)
		directory = opendir(".");
	rewinddir(directory);
	say("list");
	while (count < 16 && (entry = readdir(directory))) {
		snprintf(found[count], sizeof(found[0]), "%.10s:%d", entry->d_name, entry->d_type);
		sorted[count] = found[count];
		count++;
	}
	qsort(sorted, (size_t)count, sizeof(sorted[0]), compare);
	for (int i = 0; i < count; i++)
		say(" %s", sorted[i]);
}

/* Begins a listing, changes names, and ends it: what did not change is in it once. */
static void step_list_changed(void)
{
	DIR *directory = opendir(".");
	int count[NAMES] = {0}, first = (int)below(3);
	const struct dirent *entry;
	bool stays[NAMES];

	say("list while changed");
	for (int i = 0; i < NAMES; i++)
		stays[i] = named[i] != NULL;
	for (int i = 0; i < 2 + first; i++) {
		entry = readdir(directory);
		for (int k = 0; entry && k < NAMES; k++)
			count[k] += !strcmp(entry->d_name, names[k]);
	}
	int changed = (int)below(4);
	stays[changed] = false;
	if (unlink(names[changed]) == 0)
		named[changed] = NULL;
	while ((entry = readdir(directory)))
		for (int k = 0; k < NAMES; k++)
			count[k] += !strcmp(entry->d_name, names[k]);
	closedir(directory);
	for (int i = 0; i < 4; i++)
		if (stays[i])
			say(" %s:%d", names[i], count[i]);
}

static void say_state(void)
{
	struct stat info;

	say(" |");
	for (int i = 0; i < SLOTS; i++) {
		if (fstat(fd_of(i), &info)) {
			say(" -");
			continue;
		}
		say(" %ld", (long)lseek(fd_of(i), 0, SEEK_CUR));
		say("/%ld/%d/%o", (long)info.st_size, (int)info.st_nlink,
		    (unsigned)info.st_mode & 0777);
		if (slots[i] && slots[i]->inode && info.st_size != slots[i]->inode->size)
			say(" MODEL %ld", slots[i]->inode->size);
		if (slots[i] && !(slots[i]->flags & O_PATH) &&
		    lseek(fd_of(i), 0, SEEK_CUR) != slots[i]->position)
			say(" MODEL at %ld", slots[i]->position);
	}
	say(" |");
	for (int i = 0; i < NAMES; i++) {
		bool is_there = stat(names[i], &info) == 0;

		if (is_there)
			say(" %ld", (long)info.st_size);
		else
			say(" %s", error_name(errno));
		if (is_there != (named[i] != NULL) || (is_there && info.st_size != named[i]->size))
			say(" MODEL %d", named[i] != NULL);
	}
}

static void step(void)
{
	static void (*const kinds[])(void) = {
		step_open, step_open,	step_open,   step_open,	  step_copy,
		step_copy, step_close,	step_read,   step_read,	  step_read,
		step_read, step_write,	step_write,  step_write,  step_write,
		step_seek, step_cut,	step_flags,  step_rename, step_rename,
		step_link, step_unlink, step_reopen, step_list,	  step_list_changed,
	};

	PICK(kinds)();
}

int main(int argc, char **argv)
{
	unsigned steps = sequence_begin(argc, argv);

	if (argc < 4 || chdir(argv[3]) || mkdir("sub", 0755))
		_exit(98);
	umask(022);
	for (unsigned i = 1; i <= steps; i++) {
		while (!line_used)
			step();
		say_state();
		line_end(i);
	}
	_exit(0);
}
