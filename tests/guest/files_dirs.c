/*
 * Directories are made, walked, read in any order, entered and removed.
 *
 * data: yes
 */
#include "check.h"
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

static void list(const char *path)
{
	struct dirent **names;
	int count = scandir(path, &names, NULL, alphasort);

	printf("%d entries:", count);
	for (int i = 0; i < count; i++) {
		printf(" %s(%d)", names[i]->d_name, names[i]->d_type);
		free(names[i]);
	}
	putchar('\n');
	if (count >= 0)
		free(names);
}

static int walked_files, walked_dirs;

static int walk(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)path;
	(void)st;
	(void)ftw;
	walked_files += kind == FTW_F;
	walked_dirs += kind == FTW_DP;
	return 0;
}

int main(int argc, char **argv)
{
	char name[64], cwd[512], again[512];
	struct stat st;
	DIR *dir;
	int fd, count = 0;

	check_enter(argc, argv, chdir);
	TRUTH(getcwd(cwd, sizeof(cwd)) != NULL);
	TRUTH(strcmp(cwd, argv[1]) == 0);
	TRY(getcwd(again, 1) == NULL ? -1 : 0);
	TRY(mkdir("one", 0755));
	TRY(mkdir("one/two", 0700));
	TRY(mkdir("one/two/three", 0755));
	TRY(stat("one/two", &st));
	printf("mode %o directory %d\n", st.st_mode & 0777, S_ISDIR(st.st_mode));
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "one/file_%03d", i);
		close(open(name, O_CREAT | O_WRONLY, 0644));
	}
	symlink("two", "one/link");
	dir = opendir("one");
	TRUTH(dir != NULL);
	while (readdir(dir))
		count++;
	SHOW(count);
	rewinddir(dir);
	count = 0;
	while (readdir(dir))
		count++;
	SHOW(count);
	TRUTH(dirfd(dir) >= 0);
	closedir(dir);
	list("one/two");
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "one/file_%03d", i);
		if (i % 100)
			unlink(name);
	}
	list("one");
	TRY(rmdir("one"));

	TRY(chdir("one/two/three"));
	TRUTH(getcwd(again, sizeof(again)) != NULL);
	printf("below by <%s>\n", again + strlen(cwd));
	TRY(chdir(".."));
	getcwd(again, sizeof(again));
	printf("below by <%s>\n", again + strlen(cwd));
	list(".");
	fd = OPEN(open("..", O_RDONLY | O_DIRECTORY));
	TRY(fchdir(fd));
	TRY(close(fd));
	getcwd(again, sizeof(again));
	printf("below by <%s>\n", again + strlen(cwd));
	TRY(chdir(cwd));
	TRUTH(opendir("absent") == NULL);
	TRUTH(errno == ENOENT);
	TRY(nftw("one", walk, 8, FTW_PHYS | FTW_DEPTH));
	SHOW(walked_files);
	SHOW(walked_dirs);
	TRY(rmdir("one/two/three"));
	TRY(rmdir("one/two"));
	list("one");
	return 0;
}
