/*
 * What is under /dev/shm is made, opened, mapped, listed, named anew and removed as on Linux.
 */
#include "check.h"
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

static char directory[64];

static char *at(const char *name)
{
	static char paths[4][128];
	static int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", directory, name);
	return path;
}

static void list(const char *path)
{
	struct dirent **names;
	int count = scandir(path, &names, NULL, alphasort);

	printf("%d names:", count);
	for (int i = 0; i < count; i++) {
		printf(" %s/%d", names[i]->d_name, names[i]->d_type);
		free(names[i]);
	}
	puts("");
	free(names);
}

static void describe(const char *path)
{
	struct stat info;

	if (TRY(lstat(path, &info)) == 0)
		printf("mode %o, %d links, %lld bytes\n", info.st_mode,
		       S_ISDIR(info.st_mode) ? 0 : (int)info.st_nlink,
		       S_ISDIR(info.st_mode) ? 0 : (long long)info.st_size);
}

/* Objects by the names that POSIX gives them. */
static void objects(void)
{
	struct stat info;
	struct statfs system;
	char name[64], text[32] = "", path[64];

	snprintf(name, sizeof(name), "/object.%d", getpid());
	TRY(shm_open(name, O_RDWR, 0600));
	int fd = OPEN(shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0640));
	TRY(shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0640));
	TRY(ftruncate(fd, 8192));
	TRY(fstat(fd, &info));
	SHOW(info.st_size);
	SHOW(info.st_mode);
	SHOW(info.st_nlink);
	TRY(fstatfs(fd, &system));
	SHOW(system.f_type);
	char *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	int again = OPEN(shm_open(name, O_RDONLY, 0));
	char *other = mmap(NULL, 8192, PROT_READ, MAP_SHARED, again, 0);
	TRUTH(map != MAP_FAILED && other != MAP_FAILED);
	strcpy(map + 4000, "through one mapping");
	puts(other + 4000);
	TRUTH(mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, again, 0) == MAP_FAILED);
	TRY(write(again, "x", 1));
	TRY(ftruncate(again, 1));
	/* Each opening has a position of its own. */
	TRY(write(fd, "0123456789", 10));
	TRY(read(again, text, 4));
	TRY(lseek(fd, 0, SEEK_CUR));
	TRY(lseek(again, 0, SEEK_CUR));
	TRY(read(again, text, 4));
	puts(text);
	puts(map);
	TRY(fcntl(again, F_GETFL) & O_ACCMODE);
	TRY(fcntl(fd, F_GET_SEALS));
	TRY(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
	TRY(fsync(fd));
	TRY(fchmod(fd, 0600));
	TRY(fstat(again, &info));
	SHOW(info.st_mode);
	TRY(shm_unlink(name));
	TRY(shm_unlink(name));
	TRY(fstat(fd, &info));
	SHOW(info.st_nlink);
	puts(other + 4000);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	memset(text, 0, sizeof(text));
	char link[128] = "";
	TRUTH(readlink(path, link, sizeof(link) - 1) > 0);
	TRUTH(strstr(link, "object.") && strstr(link, " (deleted)"));
	int third = OPEN(open(path, O_RDONLY));
	TRY(read(third, text, 4));
	puts(text);
	TRY(lseek(fd, 0, SEEK_CUR));
	close(third);
	close(fd);
	close(again);
	puts(other + 4000);
}

static sem_t *semaphore;

static void *post(void *unused)
{
	sem_post(semaphore);
	return unused;
}

static void semaphores(void)
{
	char name[64];
	pthread_t thread;
	int value;

	snprintf(name, sizeof(name), "/semaphore.%d", getpid());
	TRUTH(sem_open(name, 0) == SEM_FAILED);
	semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
	TRUTH(semaphore != SEM_FAILED);
	TRUTH(sem_open(name, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED);
	sem_t *same = sem_open(name, 0);
	TRUTH(same != SEM_FAILED);
	TRY(sem_wait(same));
	TRY(sem_trywait(semaphore));
	pthread_create(&thread, NULL, post, NULL);
	TRY(sem_wait(same));
	pthread_join(thread, NULL);
	TRY(sem_getvalue(semaphore, &value));
	SHOW(value);
	TRY(sem_unlink(name));
	TRY(sem_unlink(name));
}

static void names(void)
{
	char target[64] = "", name[300], text[16] = "";
	struct stat info, other;
	struct timespec times[2] = {{7, 8}, {9, 10}};

	TRY(mkdir(directory, 0755));
	TRY(mkdir(directory, 0755));
	int fd = OPEN(open(at("file"), O_RDWR | O_CREAT, 0666));
	TRY(write(fd, "contents", 8));
	close(fd);
	describe(at("file"));
	TRY(open(at("file/"), O_RDONLY));
	TRY(open(at("file/below"), O_RDONLY));
	TRY(open(at("none/below"), O_RDONLY | O_CREAT, 0600));
	TRY(open(at("file"), O_RDONLY | O_DIRECTORY));
	TRY(open(directory, O_RDWR));
	TRY(symlink("file", at("link")));
	TRY(symlink("file", at("link")));
	TRY(readlink(at("link"), target, sizeof(target)));
	TRY(readlink(at("file"), target, sizeof(target)));
	puts(target);
	describe(at("link"));
	fd = OPEN(open(at("link"), O_WRONLY | O_APPEND));
	TRY(write(fd, " more", 5));
	TRY(read(fd, text, 1));
	close(fd);
	TRY(open(at("link"), O_RDONLY | O_NOFOLLOW));
	TRY(link(at("file"), at("second")));
	TRY(link(at("file"), at("second")));
	TRY(stat(at("file"), &info));
	TRY(stat(at("second"), &other));
	TRUTH(info.st_ino == other.st_ino && info.st_nlink == 2);
	TRY(mkdir(at("sub"), 0700));
	TRY(rename(at("second"), at("sub/moved")));
	TRY(rename(at("sub"), at("sub/within")));
	TRY(rename(at("file"), at("sub")));
	TRY(rename(at("sub"), at("file")));
	TRY(renameat2(AT_FDCWD, at("file"), AT_FDCWD, at("sub/moved"), RENAME_NOREPLACE));
	TRY(renameat2(AT_FDCWD, at("link"), AT_FDCWD, at("file"), RENAME_EXCHANGE));
	describe(at("file"));
	TRY(renameat2(AT_FDCWD, at("link"), AT_FDCWD, at("file"), RENAME_EXCHANGE));
	TRY(rename("/dev/null", at("null")));
	TRY(mknod(at("plain"), S_IFREG | 0644, 0));
	TRY(rename(at("plain"), at("sub/moved")));
	describe(at("sub/moved"));
	describe(at("file"));
	list(directory);
	list(at("sub"));
	TRY(rmdir(at("sub")));
	TRY(rmdir(at("file")));
	TRY(unlink(at("sub")));
	TRY(unlink(at("sub/moved")));
	TRY(access(at("file"), R_OK | W_OK));
	TRY(access(at("file"), X_OK));
	TRY(chmod(at("file"), 0700));
	TRY(access(at("file"), X_OK));
	TRY(truncate(at("file"), 3));
	TRY(truncate(at("sub"), 3));
	TRY(utimensat(AT_FDCWD, at("file"), times, 0));
	TRY(stat(at("file"), &info));
	SHOW(info.st_mtim.tv_sec);
	SHOW(info.st_mtim.tv_nsec);
	describe(at("file"));
	fd = OPEN(open(at("file"), O_RDWR | O_TRUNC));
	describe(at("file"));
	TRY(chdir(directory));
	TRY(unlink("file"));
	TRY(stat("link", &info));
	int sub = OPEN(open("sub", O_RDONLY | O_DIRECTORY));
	TRY(mkdirat(sub, "deeper", 0755));
	describe("sub/deeper");
	list(".");
	TRY(chdir("/"));
	memset(name, 'n', sizeof(name) - 1);
	name[299] = 0;
	TRY(openat(sub, name, O_CREAT | O_RDWR, 0600));
	TRY(unlinkat(sub, "deeper", AT_REMOVEDIR));
	TRY(rmdir(at("sub")));
	TRY(openat(sub, "late", O_CREAT | O_RDWR, 0600));
	TRY(unlink(at("link")));
	list(directory);
	TRY(rmdir(directory));
	TRY(rmdir(directory));
	TRY(pwrite(fd, "x", 1, 99));
	TRY(fstat(fd, &info));
	SHOW(info.st_size);
}

int main(void)
{
	snprintf(directory, sizeof(directory), "/dev/shm/names.%d.%d", getpid(), getppid());
	objects();
	semaphores();
	names();
	return 0;
}
