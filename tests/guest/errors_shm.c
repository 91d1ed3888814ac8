/*
 * Names under /dev/shm are made, linked, renamed and removed with every wrong name and kind, as a
 * file system in memory does.
 *
 * link: static
 * beside: host
 */
#include "edge.h"
#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef RENAME_WHITEOUT
#define RENAME_WHITEOUT 4
#endif

static char top[64], long_name[300];

static void show(const char *path)
{
	struct stat info;

	if (lstat(path, &info) != 0)
		printf("%s: %s\n", path, check_error(errno));
	else
		printf("%s: mode %o, %d links\n", path, info.st_mode,
		       S_ISDIR(info.st_mode) ? 0 : (int)info.st_nlink);
}

static void list(const char *path)
{
	struct dirent **names;
	const int count = scandir(path, &names, NULL, alphasort);

	printf("%s:", path);
	for (int i = 0; i < count; i++) {
		printf(" %s", names[i]->d_name);
		free(names[i]);
	}
	puts("");
	if (count >= 0)
		free(names);
}

static void make(const char *path)
{
	close(open(path, O_CREAT | O_RDWR, 0644));
}

static void making(void)
{
	puts("# making");
	TRY(mkdir("dir", 0755));
	TRY(mkdir("dir", 0755));
	TRY(mkdir("slash/", 0755));
	TRY(mkdir("none/dir", 0755));
	TRY(mkdir("file/dir", 0755));
	TRY(mkdir(".", 0755));
	TRY(mkdir("..", 0755));
	TRY(mkdir("dir/.", 0755));
	TRY(mkdir(long_name, 0755));
	make("file");
	TRY(mkdir("file", 0755));
	TRY(mkdir("file/", 0755));
	TRY(mkdir("file/dir", 0755));
	TRY(mkdir("dangling", 0755));
	TRY(symlink("nowhere", "dangling"));
	TRY(symlink("file", "link"));
	TRY(symlink("dir", "to_dir"));
	TRY(mkdir("dangling", 0755));
	TRY(mkdir("dangling/", 0755));
	TRY(mkdir("to_dir/inside", 0755));
	TRY(symlink("x", "link"));
	TRY(symlink("x", "new/"));
	TRY(symlink("x", "dir/."));
	TRY(symlink("", "empty"));
	TRY(symlink("x", long_name));
	TRY(symlink("x", "file/x"));
	TRY(mknod("fifo", S_IFIFO | 0600, 0));
	TRY(mknod("fifo", S_IFIFO | 0600, 0));
	TRY(mknod("plain", S_IFREG | 0600, 0));
	TRY(mknod("typeless", 0600, 0));
	TRY(mknod("odd", 0170000, 0));
	TRY(mknod("directory", S_IFDIR | 0700, 0));
	TRY(mknod("none/x", S_IFREG | 0600, 0));
	TRY(mknod("new/", S_IFREG | 0600, 0));
	show("plain");
	show("typeless");
	show("fifo");
	OPEN(open("file", O_CREAT | O_EXCL | O_RDWR, 0644));
	OPEN(open("dangling", O_CREAT | O_EXCL | O_RDWR, 0644));
	OPEN(open("file/", O_RDWR));
	OPEN(open("new/", O_CREAT | O_RDWR, 0644));
	OPEN(open("dir", O_RDWR));
	OPEN(open("dir", O_CREAT | O_RDONLY, 0644));
	OPEN(open("link", O_NOFOLLOW));
	OPEN(open("link", O_RDONLY));
	OPEN(open("link/", O_RDONLY));
	OPEN(open("file", O_DIRECTORY));
	OPEN(open("file", O_TRUNC | O_WRONLY));
	OPEN(open("file", O_PATH));
	OPEN(open("to_dir", O_DIRECTORY));
	OPEN(open(long_name, O_CREAT | O_RDWR, 0644));
	OPEN(open("fifo", O_RDONLY | O_NONBLOCK));
	OPEN(open("fifo", O_WRONLY | O_NONBLOCK));
	OPEN(open("fifo", O_PATH));
	list(".");
}

static void linking(void)
{
	puts("# linking");
	TRY(link("file", "second"));
	TRY(link("file", "second"));
	TRY(link("file", "dir"));
	TRY(link("dir", "third"));
	TRY(link("dir/", "third"));
	TRY(link("none", "third"));
	TRY(link("file", "none/third"));
	TRY(link("file", "third/"));
	TRY(link("file/", "third"));
	TRY(link("file", "."));
	TRY(link("link", "link2"));
	TRY(linkat(AT_FDCWD, "link", AT_FDCWD, "third", AT_SYMLINK_FOLLOW));
	TRY(linkat(AT_FDCWD, "dangling", AT_FDCWD, "fourth", AT_SYMLINK_FOLLOW));
	TRY(link("fifo", "fifo2"));
	TRY(link("file", long_name));
	show("file");
	show("link2");
	show("fifo2");
	TRY(unlink("second"));
	TRY(unlink("third"));
	TRY(unlink("fifo2"));
	show("file");
}

static int rename2(const char *from, const char *to, unsigned flags)
{
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
}

static void renaming(void)
{
	puts("# renaming");
	TRY(mkdir("full", 0755));
	make("full/x");
	TRY(mkdir("bare", 0755));
	make("other");
	TRY(rename("file", "none/x"));
	TRY(rename("none", "x"));
	TRY(rename("file", "file/x"));
	TRY(rename("file", "dir"));
	TRY(rename("dir", "file"));
	TRY(rename("bare", "full"));
	TRY(rename("full", "full/inside"));
	TRY(rename("full", "full/x/y"));
	TRY(rename("full/x", "full"));
	TRY(rename("dir/.", "x"));
	TRY(rename("dir", "x/."));
	TRY(rename("..", "x"));
	TRY(rename("file", "x/"));
	TRY(rename("file/", "x"));
	TRY(rename("bare", "bare2/"));
	TRY(rename("bare2/", "bare"));
	TRY(rename("file", "file"));
	TRY(link("file", "same"));
	TRY(rename("file", "same"));
	show("same");
	TRY(rename("same", "other"));
	show("other");
	TRY(rename("file", long_name));
	TRY(rename("full", "bare"));
	list("bare");
	TRY(rename("link", "renamed"));
	show("renamed");
	TRY(rename("fifo", "fifo3"));
	show("fifo3");
	TRY(rename2("file", "other", RENAME_NOREPLACE));
	TRY(rename2("file", "new", RENAME_NOREPLACE));
	TRY(rename2("new", "file", RENAME_NOREPLACE));
	TRY(rename2("file", "none", RENAME_EXCHANGE));
	TRY(rename2("none", "file", RENAME_EXCHANGE));
	TRY(rename2("file", "bare", RENAME_EXCHANGE));
	show("file");
	list("file");
	TRY(rename2("file", "bare", RENAME_EXCHANGE));
	TRY(rename2("bare", "bare/x", RENAME_EXCHANGE));
	TRY(rename2("bare/x", "bare", RENAME_EXCHANGE));
	TRY(rename2("bare", "dir", RENAME_EXCHANGE));
	list("dir");
	TRY(rename2("file", "other", RENAME_EXCHANGE | RENAME_NOREPLACE));
	TRY(rename2("file", "other", 8));
	TRY(rename2("dir", "renamed", 0));
	TRY(rename2("renamed", "to_dir", 0));
	show("to_dir");
	TRY(rename2("dir", "to_dir/", 0));
	list(".");
}

static void removing(void)
{
	char here[128];

	puts("# removing");
	TRY(rmdir("dir"));
	TRY(rmdir("dir/."));
	TRY(rmdir("dir/.."));
	TRY(rmdir("other"));
	TRY(rmdir("other/"));
	TRY(rmdir("none"));
	TRY(unlink("dir"));
	TRY(unlink("dir/"));
	TRY(unlink("none"));
	TRY(unlink("none/x"));
	TRY(unlink("other/"));
	TRY(unlink("."));
	TRY(unlinkat(AT_FDCWD, "other", 1));
	TRY(unlinkat(AT_FDCWD, "to_dir", AT_REMOVEDIR));
	TRY(unlink("to_dir"));
	TRY(unlink("dangling"));
	/* What is open stays, and has no name again. */
	int fd = open("other", O_RDWR);
	write(fd, "kept", 4);
	TRY(unlink("other"));
	TRY(lseek(fd, 0, SEEK_END));
	snprintf(here, sizeof(here), "/proc/self/fd/%d", fd);
	TRY(linkat(AT_FDCWD, here, AT_FDCWD, "again", AT_SYMLINK_FOLLOW));
	close(fd);
	/* A directory that was removed takes nothing more. */
	TRY(mkdir("gone", 0755));
	TRY(rmdir("gone/."));
	TRY(rmdir("gone/.."));
	TRY(unlink("gone/."));
	TRY(unlink("gone/.."));
	int gone = open("gone", O_DIRECTORY);
	TRY(rmdir("gone"));
	TRY(mkdirat(gone, "x", 0755));
	OPEN(openat(gone, "x", O_CREAT | O_RDWR, 0644));
	TRY(symlinkat("x", gone, "y"));
	TRY(linkat(AT_FDCWD, "file", gone, "z", 0));
	TRY(renameat(AT_FDCWD, "file", gone, "z"));
	TRY(renameat(gone, "z", AT_FDCWD, "z"));
	TRY(unlinkat(gone, "x", 0));
	close(gone);
	list(".");
}

static void files_without_names(void)
{
	char here[128];
	int fd = OPEN(open(".", O_TMPFILE | O_RDWR, 0600));

	puts("# unnamed");
	write(fd, "text", 4);
	snprintf(here, sizeof(here), "/proc/self/fd/%d", fd);
	TRY(linkat(AT_FDCWD, here, AT_FDCWD, "file", AT_SYMLINK_FOLLOW));
	TRY(linkat(AT_FDCWD, here, AT_FDCWD, "named", AT_SYMLINK_FOLLOW));
	TRY(linkat(AT_FDCWD, here, AT_FDCWD, "named2", AT_SYMLINK_FOLLOW));
	show("named");
	close(fd);
	fd = OPEN(open(".", O_TMPFILE | O_RDWR | O_EXCL, 0600));
	snprintf(here, sizeof(here), "/proc/self/fd/%d", fd);
	TRY(linkat(AT_FDCWD, here, AT_FDCWD, "never", AT_SYMLINK_FOLLOW));
	close(fd);
	OPEN(open(".", O_TMPFILE | O_RDONLY, 0600));
	OPEN(open("file", O_TMPFILE | O_RDWR, 0600));
	OPEN(open("none", O_TMPFILE | O_RDWR, 0600));
}

/* Removes what is left, two directories deep. */
static void clean(const char *path, int depth)
{
	DIR *dir = opendir(path);
	char name[400];

	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (unlink(name) != 0 && depth)
			clean(name, depth - 1);
	}
	if (dir)
		closedir(dir);
	rmdir(path);
}

int main(void)
{
	memset(long_name, 'n', sizeof(long_name) - 1);
	umask(022);
	snprintf(top, sizeof(top), "/dev/shm/errors.%d", getpid());
	if (mkdir(top, 0755) != 0 || chdir(top) != 0) {
		printf("cannot enter a directory of /dev/shm: %s\n", check_error(errno));
		return 99;
	}
	making();
	linking();
	renaming();
	removing();
	files_without_names();
	clean(top, 3);
	return 0;
}
