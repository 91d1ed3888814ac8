/*
 * Hard links share a file; symbolic links are followed, read, looped and left dangling.
 *
 * data: yes
 */
#include "check.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct stat st, other;
	char text[64];
	ssize_t length;
	int fd;

	check_enter(argc, argv, chdir);
	fd = OPEN(open("file", O_CREAT | O_WRONLY, 0644));
	TRY(write(fd, "shared", 6));
	TRY(close(fd));
	TRY(link("file", "second"));
	TRY(stat("file", &st));
	TRY(stat("second", &other));
	SHOW(st.st_nlink);
	TRUTH(st.st_ino == other.st_ino && st.st_dev == other.st_dev);
	TRY(link("file", "second"));
	TRY(link("absent", "third"));
	TRY(unlink("file"));
	TRY(stat("second", &st));
	SHOW(st.st_nlink);

	TRY(symlink("second", "soft"));
	TRY(symlink("nowhere", "dangling"));
	TRY(symlink("loop_b", "loop_a"));
	TRY(symlink("loop_a", "loop_b"));
	TRY(symlink("x", "soft"));
	length = TRY(readlink("soft", text, sizeof(text)));
	printf("<%.*s>\n", (int)length, text);
	length = TRY(readlink("soft", text, 3));
	printf("<%.*s>\n", (int)length, text);
	TRY(readlink("second", text, sizeof(text)));
	TRY(readlink("absent", text, sizeof(text)));
	TRY(lstat("soft", &st));
	printf("is a link: %d, size %lld\n", S_ISLNK(st.st_mode), (long long)st.st_size);
	TRY(stat("soft", &st));
	printf("is a link: %d, size %lld\n", S_ISLNK(st.st_mode), (long long)st.st_size);
	TRY(stat("dangling", &st));
	TRY(lstat("dangling", &st));
	OPEN(open("dangling", O_RDONLY));
	OPEN(open("loop_a", O_RDONLY));
	OPEN(open("soft", O_RDONLY | O_NOFOLLOW));
	fd = OPEN(open("soft", O_RDONLY));
	length = TRY(read(fd, text, sizeof(text)));
	printf("<%.*s>\n", (int)length, text);
	TRY(close(fd));

	TRY(mkdir("deep", 0755));
	TRY(mkdir("deep/er", 0755));
	TRY(symlink("../../second", "deep/er/up"));
	TRY(symlink("deep/er", "way"));
	fd = OPEN(open("way/up", O_RDONLY));
	length = TRY(read(fd, text, sizeof(text)));
	printf("<%.*s>\n", (int)length, text);
	TRY(close(fd));
	TRY(stat("way/../er/../../deep/./er//up", &st));
	SHOW(st.st_size);
	TRY(unlink("soft"));
	TRY(access("second", F_OK));
	TRY(rename("way", "moved"));
	TRY(lstat("moved", &st));
	SHOW(S_ISLNK(st.st_mode));
	TRY(unlink("deep/er/up"));
	TRY(rmdir("deep/er"));
	TRY(access("moved", F_OK));
	return 0;
}
