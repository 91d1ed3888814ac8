/*
 * A wrong path or a wrong use of a file gives the error Linux gives.
 *
 * data: yes
 */
#include "check.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static char longname[300], longpath[5000];
	struct stat st;
	char byte;
	int fd;

	check_enter(argc, argv, chdir);
	memset(longname, 'n', sizeof(longname) - 1);
	for (size_t i = 0; i < sizeof(longpath) - 1; i += 2)
		memcpy(longpath + i, "d/", 2);
	longpath[sizeof(longpath) - 1] = '\0';

	TRY(mkdir("dir", 0755));
	fd = OPEN(open("file", O_CREAT | O_WRONLY, 0644));
	TRY(close(fd));
	OPEN(open("absent", O_RDONLY));
	OPEN(open("absent/file", O_RDONLY | O_CREAT, 0644));
	OPEN(open("file/below", O_RDONLY));
	OPEN(open("file/", O_RDONLY));
	OPEN(open("dir", O_WRONLY));
	OPEN(open("dir", O_RDWR | O_CREAT, 0644));
	OPEN(open("file", O_RDONLY | O_DIRECTORY));
	OPEN(open("file", O_CREAT | O_EXCL | O_WRONLY, 0644));
	OPEN(open("dir", O_CREAT | O_EXCL | O_WRONLY, 0644));
	OPEN(open("", O_RDONLY));
	OPEN(open(longname, O_RDONLY));
	OPEN(open(longpath, O_RDONLY));
	fd = OPEN(open("dir", O_RDONLY));
	TRY(read(fd, &byte, 1));
	TRY(write(fd, &byte, 1));
	TRY(ftruncate(fd, 0));
	TRY(close(fd));
	fd = OPEN(open("fresh", O_CREAT | O_EXCL | O_RDWR, 0600));
	TRY(ftruncate(fd, -1));
	TRY(lseek(fd, -1, SEEK_SET));
	TRY(close(fd));
	TRY(mkdir("dir", 0755));
	TRY(mkdir("file", 0755));
	TRY(mkdir("absent/dir", 0755));
	TRY(rmdir("absent"));
	TRY(rmdir("file"));
	TRY(unlink("dir"));
	TRY(unlink("absent"));
	TRY(rename("absent", "other"));
	TRY(rename("file", "dir"));
	TRY(rename("dir", "file"));
	TRY(rename("dir", "dir/inside"));
	TRY(stat("absent", &st));
	TRY(stat("file/x", &st));
	TRY(stat("", &st));
	TRY(access("absent", F_OK));
	TRY(truncate("dir", 0));
	TRY(truncate("absent", 0));
	TRY(chdir("file"));
	TRY(chdir("absent"));
	TRY(chmod("absent", 0600));
	TRY(close(-1));
	TRY(close(12345));
	TRY(read(-1, &byte, 1));
	TRY(fstat(-1, &st));
	TRY(fcntl(-1, F_GETFL));
	TRY(dup(-1));
	TRY(lseek(-1, 0, SEEK_SET));
	return 0;
}
