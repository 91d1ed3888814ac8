/* Names: mounts as they are written, paths as they are resolved between mounts and what no mount
 * has, and the numbers of files. */
#include "../test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "linux/inodes.h"
#include "linux/path.h"
#include "linux/process.h"
#include "linux/special.h"
#include "linux/syscall.h"

#define BUFFER UINT64_C(0x10000)

TEST(mounts_are_parsed)
{
	static const struct {
		const char *text, *guest, *host;
		bool read_only;
	} rows[] = {
		{"/data=/", "/data", "/", false},	   {"/data/=/", "/data", "/", false},
		{"/data///=/tmp", "/data", "/tmp", false}, {"/=/tmp", "/", "/tmp", false},
		{"//=/tmp", "/", "/tmp", false},	   {"/a/b=/tmp:ro", "/a/b", "/tmp", true},
		{"/.a=/tmp", "/.a", "/tmp", false},	   {"/..a=/tmp", "/..a", "/tmp", false},
		{"/a/...=/tmp", "/a/...", "/tmp", false},  {"/a=.:ro", "/a", ".", true},
		{"/a=/tmp/:ro", "/a", "/tmp/", true},
	};
	static const char *const plain[] = {"/a//b=/tmp", "/a/./b=/tmp", "/a/../b=/tmp", "/..=/tmp",
					    "/.=/tmp",	  "/a/.=/tmp",	 "/a/..=/tmp"};
	static const char *const wrong[] = {"",	      "/",	   "=/tmp", "/data",
					    "/data=", "data=/tmp", "tmp"};
	struct mount mount;
	struct err err;
	char expected[300];

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		assert_true(mount_parse(&mount, rows[i].text, &err));
		assert_string_equal(mount.guest, rows[i].guest);
		assert_string_equal(mount.host, rows[i].host);
		assert_int_equal(mount.read_only, rows[i].read_only);
		assert_true(mount.fd >= 0);
		assert_int_equal(fcntl(mount.fd, F_GETFD), FD_CLOEXEC);
		assert_true(fcntl(mount.fd, F_GETFL) & O_PATH);
		int fd = mount.fd;
		mount_close(&mount);
		assert_int_equal(fcntl(fd, F_GETFD), -1);
	}
	for (size_t i = 0; i < ARRAY_COUNT(plain); i++) {
		assert_false(mount_parse(&mount, plain[i], &err));
		snprintf(expected, sizeof(expected), "write GUEST of \"%s\" without //, . and ..",
			 plain[i]);
		assert_string_equal(err.text, expected);
	}
	for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
		assert_false(mount_parse(&mount, wrong[i], &err));
		snprintf(
			expected, sizeof(expected),
			"\"%s\" is not GUEST=HOST or GUEST=HOST:ro with GUEST an absolute path, such as /data=.",
			wrong[i]);
		assert_string_equal(err.text, expected);
	}
	assert_false(mount_parse(&mount, "/data=/none/such", &err));
	assert_string_equal(err.text, "cannot mount /none/such: No such file or directory");
	assert_false(mount_parse(&mount, "/data=/dev/null", &err));
	assert_string_equal(err.text, "cannot mount /dev/null: Not a directory");
	/* ":ro" alone is a name. */
	assert_false(mount_parse(&mount, "/data=:ro", &err));
	assert_string_equal(err.text, "cannot mount :ro: No such file or directory");
	/* 4096 bytes with their 0 are too many, one less is not. */
	char text[5000] = "/a=";
	memset(text + 3, '/', 4092);
	assert_true(mount_parse(&mount, text, &err));
	mount_close(&mount);
	text[4095] = '/';
	assert_false(mount_parse(&mount, text, &err));
}

TEST(numbers_of_files)
{
	struct inodes inodes;
	struct memory memory;
	struct err err;

	assert_true(memory_init(&memory, 1 << 20, &err));
	inodes_init(&inodes, &memory);
	/* In the order in which they are asked for, per device; and each keeps its number. */
	assert_int_equal(inode_get(&inodes, 1, 50)->number, 1);
	assert_int_equal(inode_get(&inodes, 2, 50)->number, 2);
	assert_int_equal(inode_get(&inodes, 1, 51)->number, 3);
	assert_int_equal(inode_get(&inodes, 1, 50)->number, 1);
	assert_int_equal(memory.charged_bytes, 256 * sizeof(struct inode));
	/* A file that is created where another was has a number of its own. */
	inode_get(&inodes, 1, 50)->has_times[1] = true;
	assert_int_equal(inode_create(&inodes, 1, 50)->number, 4);
	assert_false(inode_get(&inodes, 1, 50)->has_times[1]);
	assert_int_equal(inode_get(&inodes, 1, 50)->number, 4);
	assert_int_equal(inode_create(&inodes, 1, 99)->number, 5);
	assert_int_equal(inode_get(&inodes, 1, 99)->number, 5);
	assert_int_equal(inodes.count, 4);
	/* The table doubles when it is half full, and is charged for it. */
	for (uint64_t i = 0; i < 124; i++)
		assert_int_equal(inode_get(&inodes, 3, i)->number, 6 + i);
	assert_int_equal(inodes.capacity, 256);
	assert_int_equal(inode_get(&inodes, 3, 124)->number, 130);
	assert_int_equal(inodes.capacity, 512);
	assert_int_equal(memory.charged_bytes, 512 * sizeof(struct inode));
	for (uint64_t i = 0; i < 125; i++)
		assert_int_equal(inode_get(&inodes, 3, i)->number, 6 + i);
	assert_int_equal(inode_get(&inodes, 1, 51)->number, 3);
	/* Without memory for a larger table there are no more. */
	memory.limit_bytes = memory.charged_bytes;
	for (uint64_t i = 125; i < 252; i++)
		assert_int_equal(inode_get(&inodes, 3, i)->number, 6 + i);
	assert_null(inode_get(&inodes, 3, 999));
	assert_null(inode_create(&inodes, 3, 999));
	assert_int_equal(memory.refused_bytes, 512 * sizeof(struct inode));
	struct stat info = {.st_dev = 3, .st_ino = 999};
	assert_int_equal(inode_describe(&inodes, false, &info), -ENOMEM);
	inodes_release(&inodes);
	memory_release(&memory);
}

TEST(what_is_told_of_a_file)
{
	static const struct {
		mode_t mode;
		off_t size, told_size;
		blkcnt_t blocks;
		nlink_t links;
	} rows[] = {{S_IFREG | 0640, 0, 0, 0, 3},	{S_IFREG | 0640, 1, 1, 8, 3},
		    {S_IFREG | 0640, 4096, 4096, 8, 3}, {S_IFREG | 0640, 4097, 4097, 16, 3},
		    {S_IFDIR | 0750, 77, 4096, 8, 1},	{S_IFLNK | 0777, 9, 9, 0, 3}};
	struct inodes inodes;
	struct memory memory;
	struct err err;

	assert_true(memory_init(&memory, 1 << 20, &err));
	inodes_init(&inodes, &memory);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct stat info = {.st_dev = 7,
				    .st_ino = 100 + i,
				    .st_mode = rows[i].mode,
				    .st_nlink = 3,
				    .st_uid = 55,
				    .st_gid = 66,
				    .st_rdev = 88,
				    .st_size = rows[i].size,
				    .st_blksize = 512,
				    .st_blocks = 1234,
				    .st_atim = {11, 12},
				    .st_mtim = {13, 14},
				    .st_ctim = {15, 16}};
		const struct stat given = info;

		assert_int_equal(inode_describe(&inodes, false, &info), 0);
		assert_int_equal(info.st_dev, 1);
		assert_int_equal(info.st_ino, 1 + i);
		assert_int_equal(info.st_mode, rows[i].mode);
		assert_int_equal(info.st_nlink, rows[i].links);
		assert_int_equal(info.st_uid, 0);
		assert_int_equal(info.st_gid, 0);
		assert_int_equal(info.st_rdev, 0);
		assert_int_equal(info.st_size, rows[i].told_size);
		assert_int_equal(info.st_blksize, 4096);
		assert_int_equal(info.st_blocks, rows[i].blocks);
		assert_int_equal(info.st_atim.tv_sec | info.st_atim.tv_nsec, 0);
		assert_int_equal(info.st_mtim.tv_sec | info.st_mtim.tv_nsec, 0);
		assert_int_equal(info.st_ctim.tv_sec | info.st_ctim.tv_nsec, 0);
		/* With the host's time of modification for all three. */
		info = given;
		assert_int_equal(inode_describe(&inodes, true, &info), 0);
		assert_int_equal(info.st_atim.tv_sec, 13);
		assert_int_equal(info.st_mtim.tv_nsec, 14);
		assert_int_equal(info.st_ctim.tv_sec, 13);
		/* Times that the guest has set are its own. */
		struct inode *inode = inode_get(&inodes, 7, 100 + i);
		inode->has_times[0] = true;
		inode->times[0] = (struct timespec){21, 22};
		info = given;
		assert_int_equal(inode_describe(&inodes, true, &info), 0);
		assert_int_equal(info.st_atim.tv_sec, 21);
		assert_int_equal(info.st_atim.tv_nsec, 22);
		assert_int_equal(info.st_mtim.tv_sec, 13);
		inode = inode_get(&inodes, 7, 100 + i);
		inode->has_times[0] = false;
		inode->has_times[1] = true;
		inode->times[1] = (struct timespec){31, 32};
		info = given;
		assert_int_equal(inode_describe(&inodes, false, &info), 0);
		assert_int_equal(info.st_atim.tv_sec, 0);
		assert_int_equal(info.st_mtim.tv_sec, 31);
		assert_int_equal(info.st_ctim.tv_sec, 0);
	}
	inodes_release(&inodes);
	memory_release(&memory);
}

/* A directory with a/, a/b/, a/file, up -> .., out -> /, far -> /two/x, and another with x and a/.
 */
struct scene {
	char one[64], two[64];
	struct mount mounts[3];
	struct process *process;
	struct files *files;
};

static void touch(const char *directory, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	close(open(path, O_CREAT | O_RDWR, 0644));
}

static void make_directory(const char *directory, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

static void make_link(const char *target, const char *directory, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	assert_int_equal(symlink(target, path), 0);
}

static void begin(struct scene *scene)
{
	struct err err;

	strcpy(scene->one, "/tmp/names.XXXXXX");
	strcpy(scene->two, "/tmp/names.XXXXXX");
	assert_non_null(mkdtemp(scene->one));
	assert_non_null(mkdtemp(scene->two));
	make_directory(scene->one, "a");
	make_directory(scene->one, "a/b");
	touch(scene->one, "a/file");
	make_link("..", scene->one, "a/up");
	make_link("/", scene->one, "out");
	make_link("/one/deep/x", scene->one, "far");
	make_link("none", scene->one, "dangling");
	make_directory(scene->two, "a");
	touch(scene->two, "x");
	assert_true(mount_open(&scene->mounts[0], "/one", scene->one, false, &err));
	assert_true(mount_open(&scene->mounts[1], "/one/deep", scene->two, true, &err));
	assert_true(mount_open(&scene->mounts[2], "/lib", scene->two, false, &err));
	scene->process = mem_alloc(sizeof(*scene->process));
	scene->files = &scene->process->files;
	files_init(scene->files, scene->mounts, 3, "/one/a");
	scene->files->process = scene->process;
}

static void end(struct scene *scene)
{
	char command[300];

	files_release(scene->files);
	for (int i = 0; i < 3; i++)
		mount_close(&scene->mounts[i]);
	free(scene->process);
	snprintf(command, sizeof(command), "rm -r %s %s", scene->one, scene->two);
	assert_int_equal(system(command), 0);
}

TEST(paths_lead_to_mounts)
{
	static const struct {
		const char *path, *guest, *rest;
		int answer, mount;
		bool no_follow;
	} rows[] = {
		{"file", "/one/a/file", "a/file", 0, 0, false},
		{"./file", "/one/a/file", "a/file", 0, 0, false},
		{".", "/one/a", "a", 0, 0, false},
		{"./", "/one/a", "a/", 0, 0, false},
		{"..", "/one", ".", 0, 0, false},
		{"../a/b/../file", "/one/a/file", "a/file", 0, 0, false},
		{"../../../..", "/", "", -ENOENT, -1, false},
		{"b/", "/one/a/b", "a/b/", 0, 0, false},
		{"up/a/file", "/one/a/file", "a/file", 0, 0, false},
		{"up", "/one", ".", 0, 0, false},
		{"up", "/one/a/up", "a/up", 0, 0, true},
		{"up/", "/one", "./", 0, 0, true},
		{"new", "/one/a/new", "a/new", 0, 0, false},
		{"new/deeper", "/one/a/new", "", -ENOENT, 0, false},
		{"file/x", "/one/a/file", "", -ENOTDIR, 0, false},
		{"file/", "/one/a/file", "", -ENOTDIR, 0, false},
		{"", "", "", -ENOENT, -1, false},
		{"/one/a//file", "/one/a/file", "a/file", 0, 0, false},
		{"/one/deep/x", "/one/deep/x", "x", 0, 1, false},
		{"/one/deep", "/one/deep", ".", 0, 1, false},
		{"/one/deeper", "/one/deeper", "deeper", 0, 0, false},
		{"/one/far", "/one/deep/x", "x", 0, 1, false},
		{"/one/far", "/one/far", "far", 0, 0, true},
		{"/one/out/lib/x", "/lib/x", "x", 0, 2, false},
		{"/one/dangling", "/one/none", "none", 0, 0, false},
		{"/one/dangling/x", "/one/none", "", -ENOENT, 0, false},
		{"/lib", "/lib", ".", 0, 2, false},
		{"/libx", "/libx", "", -ENOENT, -1, false},
		{"/lib/../one/a/b", "/one/a/b", "a/b", 0, 0, false},
		{"/", "/", "", -ENOENT, -1, false},
		{"/dev/null", "/dev/null", "", -ENOENT, -1, false},
		{"/dev/null/x", "/dev/null", "", -ENOTDIR, -1, false},
		{"/none", "/none", "", -ENOENT, -1, false},
		{"/none/x/y", "/none/x/y", "", -ENOENT, -1, false},
	};
	struct scene scene;
	struct place place;

	begin(&scene);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		int got = files_resolve(scene.files, AT_FDCWD, rows[i].path, !rows[i].no_follow,
					&place);

		if (got != rows[i].answer || strcmp(place.guest, rows[i].guest) != 0)
			print_message("# %s: %d %s\n", rows[i].path, got, place.guest);
		assert_int_equal(got, rows[i].answer);
		assert_string_equal(place.guest, rows[i].guest);
		assert_ptr_equal(place.mount,
				 rows[i].mount < 0 ? NULL : &scene.mounts[rows[i].mount]);
		if (!got)
			assert_string_equal(place.rest, rows[i].rest);
	}
	/* Relative to a directory that is open, and to what is none. */
	assert_int_equal(files_resolve(scene.files, AT_FDCWD, "b", true, &place), 0);
	struct file *file = file_create(FILE_HOST, place_open(&place, O_RDONLY, 0), place.guest);
	int directory = files_install(scene.files, file, 0, false);
	assert_int_equal(directory, 3);
	assert_int_equal(files_resolve(scene.files, directory, "../file", true, &place), 0);
	assert_string_equal(place.guest, "/one/a/file");
	assert_int_equal(files_resolve(scene.files, directory, ".", true, &place), 0);
	assert_string_equal(place.guest, "/one/a/b");
	assert_int_equal(files_resolve(scene.files, 1, "x", true, &place), -ENOTDIR);
	assert_int_equal(files_resolve(scene.files, 77, "x", true, &place), -EBADF);
	assert_int_equal(files_resolve(scene.files, 77, "/one/a", true, &place), 0);
	/* Limits of names. */
	static char text[5000];
	memset(text, '/', 4095);
	assert_int_equal(files_resolve(scene.files, AT_FDCWD, text, true, &place), -ENOENT);
	text[4095] = '/';
	assert_int_equal(files_resolve(scene.files, AT_FDCWD, text, true, &place), -ENAMETOOLONG);
	memset(text, 'n', 4088);
	text[4088] = 0;
	assert_int_equal(files_resolve(scene.files, AT_FDCWD, text, true, &place), -ENAMETOOLONG);
	end(&scene);
}

TEST(a_read_only_mount_is_not_written)
{
	static const struct {
		const char *path;
		int flags, answer;
	} rows[] = {
		{"/one/deep/x", O_RDONLY, 0},
		{"/one/deep/x", O_RDWR, -EROFS},
		{"/one/deep/x", O_WRONLY, -EROFS},
		{"/one/deep/x", O_RDONLY | O_TRUNC, -EROFS},
		{"/one/deep/x", O_RDONLY | O_CREAT, 0},
		{"/one/deep/x", O_RDONLY | O_CREAT | O_EXCL, -EEXIST},
		{"/one/deep/x", O_PATH, 0},
		{"/one/deep/new", O_RDONLY, -ENOENT},
		{"/one/deep/new", O_RDWR, -ENOENT},
		{"/one/deep/new", O_RDONLY | O_CREAT, -EROFS},
		{"/one/deep/new", O_RDWR | O_CREAT, -EROFS},
		{"/one/deep/a", O_RDWR, -EISDIR},
		{"/one/deep/a", O_RDONLY, 0},
		{"/lib/x", O_RDWR, 0},
		{"/lib/a", O_RDWR, -EISDIR},
		{"/lib/x", O_RDWR | O_CREAT | O_EXCL, -EEXIST},
		{"/lib/x", O_DIRECTORY, -ENOTDIR},
	};
	struct scene scene;
	struct place place;
	char leaf[PATH_BYTES];

	begin(&scene);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		assert_int_equal(files_resolve(scene.files, AT_FDCWD, rows[i].path, true, &place),
				 0);
		int fd = place_open(&place, rows[i].flags, 0644);

		if (rows[i].answer)
			assert_int_equal(fd, rows[i].answer);
		else
			assert_true(fd >= 0);
		if (fd >= 0) {
			assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
			close(fd);
		}
	}
	/* The directory that holds a name, for what creates and what removes. */
	static const struct {
		const char *path, *leaf;
		int create, remove;
	} parents[] = {
		{"/one/a/file", "file", 0, 0},
		{"/one/a/b/", "b", 0, 0},
		{"/one/a", "a", 0, 0},
		{"/one/deep/x", NULL, -EROFS, -EROFS},
		{"/one/deep", NULL, -EBUSY, -EBUSY},
		{"/one", NULL, -EBUSY, -EBUSY},
		{"/lib/x", "x", 0, 0},
		{"/lib/a", "a", 0, 0},
	};
	for (size_t i = 0; i < ARRAY_COUNT(parents); i++) {
		assert_int_equal(
			files_resolve(scene.files, AT_FDCWD, parents[i].path, true, &place), 0);
		int fd = place_open_parent(&place, leaf);
		if (parents[i].create)
			assert_int_equal(fd, parents[i].create);
		else
			assert_string_equal(leaf, parents[i].leaf);
		if (fd >= 0)
			close(fd);
		fd = place_open_parent_to_remove(scene.files, &place, leaf);
		if (parents[i].remove)
			assert_int_equal(fd, parents[i].remove);
		else
			assert_true(fd >= 0);
		if (fd >= 0)
			close(fd);
	}
	/* What is mounted somewhere else is not removed under its other name. */
	struct mount again;
	struct err err;
	char path[200];
	snprintf(path, sizeof(path), "%s/a", scene.two);
	assert_true(mount_open(&again, "/again", path, false, &err));
	struct mount mounts[4] = {scene.mounts[0], scene.mounts[1], scene.mounts[2], again};
	scene.files->mounts = mounts;
	scene.files->mount_count = 4;
	assert_int_equal(files_resolve(scene.files, AT_FDCWD, "/lib/a", true, &place), 0);
	assert_int_equal(place_open_parent_to_remove(scene.files, &place, leaf), -EBUSY);
	assert_int_equal(files_resolve(scene.files, AT_FDCWD, "/lib/x", true, &place), 0);
	int fd = place_open_parent_to_remove(scene.files, &place, leaf);
	assert_true(fd >= 0);
	close(fd);
	mount_close(&again);
	end(&scene);
}

/* The host's directory a becomes a link to the same directory under another name, after the path
 * has been resolved. */
TEST(what_becomes_a_link_is_not_followed)
{
	struct scene scene;
	struct place place, within;
	char leaf[PATH_BYTES], a[200], moved[200];

	begin(&scene);
	assert_int_equal(files_resolve(scene.files, AT_FDCWD, "/one/a", true, &place), 0);
	assert_int_equal(files_resolve(scene.files, AT_FDCWD, "/one/a/file", true, &within), 0);
	snprintf(a, sizeof(a), "%s/a", scene.one);
	snprintf(moved, sizeof(moved), "%s/moved", scene.one);
	assert_int_equal(rename(a, moved), 0);
	make_link("moved", scene.one, "a");
	assert_int_equal(place_open(&place, O_RDONLY, 0), -ELOOP);
	assert_int_equal(place_open(&place, O_PATH | O_DIRECTORY, 0), -ELOOP);
	assert_int_equal(place_open(&within, O_RDWR, 0), -ELOOP);
	assert_int_equal(place_open(&within, O_PATH | O_NOFOLLOW, 0), -ELOOP);
	assert_int_equal(place_open_to_change(&within, O_RDONLY), -ELOOP);
	assert_int_equal(place_open_parent(&within, leaf), -ELOOP);
	assert_int_equal(place_open_parent_to_remove(scene.files, &within, leaf), -ELOOP);
	end(&scene);
}

/* A directory of a writable mount that is mounted elsewhere, read-only. */
TEST(rights_are_those_of_what_is_opened)
{
	static const struct {
		const char *path;
		bool is_read_only;
	} rows[] = {
		{"/one/a", true},	   {"/one/a/b", true},
		{"/one/a/b/inner", false}, {"/one/a/b/inner/x", false},
		{"/one/a/file", true},	   {"/one", false},
		{"/seen/b/inner/x", true},
	};
	struct scene scene;
	struct mount mounts[3];
	struct place place;
	struct err err;
	char path[200];

	begin(&scene);
	make_directory(scene.one, "a/b/inner");
	touch(scene.one, "a/b/inner/x");
	mounts[0] = scene.mounts[0];
	snprintf(path, sizeof(path), "%s/a", scene.one);
	assert_true(mount_open(&mounts[1], "/seen", path, true, &err));
	snprintf(path, sizeof(path), "%s/a/b/inner", scene.one);
	assert_true(mount_open(&mounts[2], "/scratch", path, false, &err));
	scene.files->mounts = mounts;
	scene.files->mount_count = 3;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		assert_int_equal(files_resolve(scene.files, AT_FDCWD, rows[i].path, true, &place),
				 0);
		int fd = place_open(&place, O_RDONLY, 0);

		assert_true(fd >= 0);
		close(fd);
		if (place.is_read_only != rows[i].is_read_only)
			print_message("# %s\n", rows[i].path);
		assert_int_equal(place.is_read_only, rows[i].is_read_only);
	}
	assert_int_equal(files_resolve(scene.files, AT_FDCWD, "/one/a/file", true, &place), 0);
	assert_int_equal(place_open(&place, O_RDWR, 0), -EROFS);
	mount_close(&mounts[1]);
	mount_close(&mounts[2]);
	scene.files->mounts = scene.mounts;
	end(&scene);
}

static void collect(void *context, const char *name)
{
	strcat(context, name);
	strcat(context, " ");
}

TEST(names_that_no_mount_has)
{
	static const struct {
		const char *path;
		enum special_kind kind;
		const char *target;
	} rows[] = {
		{"/", SPECIAL_DIRECTORY, NULL},
		{"/dev", SPECIAL_DIRECTORY, NULL},
		{"/dev/", SPECIAL_NONE, NULL},
		{"/dev/none", SPECIAL_NONE, NULL},
		{"/dev/null", SPECIAL_DEVICE, NULL},
		{"/dev/fd", SPECIAL_LINK, "/proc/self/fd"},
		{"/dev/stdin", SPECIAL_LINK, "/proc/self/fd/0"},
		{"/dev/stdout", SPECIAL_LINK, "/proc/self/fd/1"},
		{"/dev/stderr", SPECIAL_LINK, "/proc/self/fd/2"},
		{"/proc", SPECIAL_DIRECTORY, NULL},
		{"/proc/self", SPECIAL_LINK, "1000"},
		{"/proc/1000", SPECIAL_DIRECTORY, NULL},
		{"/proc/1001", SPECIAL_NONE, NULL},
		{"/proc/1000/exe", SPECIAL_PROGRAM, NULL},
		{"/proc/1000/fd", SPECIAL_DIRECTORY, NULL},
		{"/proc/1000/fd/0", SPECIAL_DESCRIPTOR, NULL},
		{"/proc/1000/fd/2", SPECIAL_DESCRIPTOR, NULL},
		{"/proc/1000/fd/3", SPECIAL_NONE, NULL},
		{"/proc/1000/fd/00", SPECIAL_NONE, NULL},
		{"/proc/1000/fd/02", SPECIAL_NONE, NULL},
		{"/proc/1000/fd/2x", SPECIAL_NONE, NULL},
		{"/proc/1000/fd/1000001", SPECIAL_NONE, NULL},
		{"/proc/1000/maps", SPECIAL_TEXT, NULL},
		{"/proc/1000/map", SPECIAL_NONE, NULL},
		{"/proc/sys", SPECIAL_DIRECTORY, NULL},
		{"/proc/sys/kernel", SPECIAL_DIRECTORY, NULL},
		{"/sys/bus", SPECIAL_DIRECTORY, NULL},
		{"/sys/devices/system/cpu/online", SPECIAL_TEXT, NULL},
		{"/sys/devices/system/cpu/cpu0", SPECIAL_NONE, NULL},
		{"/one", SPECIAL_DIRECTORY, NULL},
		{"/one/deep", SPECIAL_NONE, NULL},
		{"/on", SPECIAL_NONE, NULL},
		{"/lib", SPECIAL_NONE, NULL},
	};
	struct scene scene;
	char names[500] = "";

	begin(&scene);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct special special = special_find(scene.files, rows[i].path);

		if (special.kind != rows[i].kind)
			print_message("# %s\n", rows[i].path);
		assert_int_equal(special.kind, rows[i].kind);
		if (rows[i].target)
			assert_string_equal(special.target, rows[i].target);
	}
	assert_int_equal(special_find(scene.files, "/proc/1000/fd/2").descriptor, 2);
	assert_int_equal(special_find(scene.files, "/dev/null").device, FILE_NULL);
	assert_int_equal(special_find(scene.files, "/dev/zero").device, FILE_ZERO);
	assert_int_equal(special_find(scene.files, "/dev/full").device, FILE_FULL);
	assert_int_equal(special_find(scene.files, "/dev/random").device, FILE_RANDOM);
	assert_int_equal(special_find(scene.files, "/dev/urandom").device, FILE_RANDOM);
	special_list(scene.files, "/dev", collect, names);
	assert_string_equal(names, "null shm zero full random urandom fd stdin stdout stderr ");
	names[0] = 0;
	special_list(scene.files, "/proc/1000/fd", collect, names);
	assert_string_equal(names, "0 1 2 ");
	names[0] = 0;
	special_list(scene.files, "/one", collect, names);
	assert_string_equal(names, "deep ");
	names[0] = 0;
	special_list(scene.files, "/proc/1000", collect, names);
	assert_string_equal(names, "cwd root exe fd auxv cgroup cmdline comm environ limits "
				   "maps mounts oom_score_adj stat statm status ");
	names[0] = 0;
	special_list(scene.files, "/sys/devices/system/cpu", collect, names);
	assert_string_equal(names, "online possible present ");
	end(&scene);
}

/* Names, types and whether the number is the one that stat tells, in the order in which they come.
 */
static void list(struct scene *scene, const char *path, const char *expected)
{
	struct process *process = scene->process;
	struct place place;
	char got[500] = "", where[PATH_BYTES];
	uint8_t entries[1000];
	struct stat info;

	assert_int_equal(files_resolve(scene->files, AT_FDCWD, path, true, &place), 0);
	struct file *file = file_create(FILE_HOST, place_open(&place, O_RDONLY, 0), place.guest);
	uint64_t fd = (uint64_t)files_install(scene->files, file, 0, false);
	const uint64_t argument[6] = {fd, BUFFER, sizeof(entries)};
	int64_t bytes = sys_getdents64(process, argument);
	assert_true(bytes > 0);
	assert_true(memory_read(&process->memory, entries, BUFFER, (uint64_t)bytes));
	for (int64_t at = 0, number = 1; at < bytes; number++) {
		uint64_t inode, next;
		uint16_t size;

		memcpy(&inode, entries + at, 8);
		memcpy(&next, entries + at + 8, 8);
		memcpy(&size, entries + at + 16, 2);
		assert_int_equal(next, number);
		snprintf(where, sizeof(where), "%s/%s", path, (char *)entries + at + 19);
		assert_true(
			memory_write(&process->memory, BUFFER + 4096, where, strlen(where) + 1));
		assert_int_equal(stat_at(process, (uint64_t)AT_FDCWD, BUFFER + 4096,
					 AT_SYMLINK_NOFOLLOW, &info),
				 0);
		assert_int_equal(inode, info.st_ino);
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s %d, ", entries + at + 19,
			 entries[at + 18]);
		at += size;
	}
	assert_string_equal(got, expected);
	/* Each name is charged with 24 bytes of its entry, 16 of its block, and itself with its 0.
	 */
	uint64_t charge = 0;
	for (size_t i = 0; i < file->entry_count; i++)
		charge += 24 + 16 + strlen(file->entries[i].name) + 1;
	assert_in_range(scene->files->listed_bytes, charge, charge + 24 + 16 + 5);
	/* A file that is on its way through a socket has no descriptor, but is there. */
	file->references++;
	files_close(scene->files, fd);
	assert_in_range(scene->files->listed_bytes, charge, charge + 24 + 16 + 5);
	file_release(file);
	assert_int_equal(scene->files->listed_bytes, 0);
}

TEST(listings_show_what_is_mounted)
{
	struct scene scene;
	struct err err;

	begin(&scene);
	assert_true(memory_init(&scene.process->memory, 1 << 20, &err));
	assert_true(memory_map(&scene.process->memory, BUFFER, 8192, PAGE_READ | PAGE_WRITE));
	inodes_init(&scene.process->inodes, &scene.process->memory);
	/* 4: directory, 8: file, 10: link */
	list(&scene, "/one", ". 4, .. 4, a 4, dangling 10, deep 4, far 10, out 10, ");
	list(&scene, "/one/a", ". 4, .. 4, b 4, file 8, up 10, ");
	list(&scene, "/lib", ". 4, .. 4, a 4, x 8, ");
	/* A file of that name is behind what is mounted. */
	touch(scene.one, "deep");
	list(&scene, "/one", ". 4, .. 4, a 4, dangling 10, deep 4, far 10, out 10, ");
	inodes_release(&scene.process->inodes);
	struct memory memory = scene.process->memory;
	end(&scene);
	memory_release(&memory);
}

/* Names of files are any bytes; what is told of them is UTF-8. */
TEST(names_become_printable)
{
	static const char *const rows[][2] = {
		{"plain", "plain"},
		{"\x7f", "\x7f"},
		{"\x80", "?"},
		{"a\xbfz", "a?z"},
		{"\xc1\xbf", "??"},
		{"\xc2\x80", "\xc2\x80"},
		{"\xdf\xbf", "\xdf\xbf"},
		{"\xdf", "?"},
		{"\xdfz", "?z"},
		{"\xdf\xc0z", "??z"},
		{"\xe0\x9f\xbf", "???"},
		{"\xe0\xa0\x80", "\xe0\xa0\x80"},
		{"\xed\x9f\xbf", "\xed\x9f\xbf"},
		{"\xed\xa0\x80", "???"},
		{"\xed\xbf\xbf", "???"},
		{"\xee\x80\x80", "\xee\x80\x80"},
		{"\xef\xbf\xbf", "\xef\xbf\xbf"},
		{"\xef\xbf", "??"},
		{"\xf0\x8f\xbf\xbf", "????"},
		{"\xf0\x90\x80\x80", "\xf0\x90\x80\x80"},
		{"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},
		{"\xf4\x90\x80\x80", "????"},
		{"\xf0\x90\x80", "???"},
		{"\xf8\x88\x80\x80\x80", "?????"},
		{"\xff", "?"},
	};
	struct process *process = mem_alloc(sizeof(*process));

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char path[20];

		strcpy(path, rows[i][0]);
		mapping_add(process,
			    &(struct file_mapping){.start = i << 12, .bytes = 4096, .path = path});
		assert_string_equal(process->mappings[i].path, rows[i][1]);
	}
	assert_int_equal(mapping_find(process, 3 << 12, false)->start, 3 << 12);
	assert_int_equal(mapping_find(process, (4 << 12) - 1, false)->start, 3 << 12);
	assert_null(mapping_find(process, 3 << 12, true));
	assert_null(mapping_find(process, ARRAY_COUNT(rows) << 12, false));
	mapping_release_all(process);
	free(process);
}
