/*
 * Everything stat tells of a tree of files is by rule; with a file as second argument, its times.
 *
 * data: yes
 * only: cyclestack
 */
#include "check.h"
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

static int count;

static int one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	count++;
	printf("%s %d %llu %llu %o %u %u %u %lld %ld %lld %lld %lld %lld\n", path, kind,
	       (unsigned long long)st->st_dev, (unsigned long long)st->st_ino, st->st_mode,
	       (unsigned)st->st_nlink, st->st_uid, st->st_gid, (long long)st->st_size,
	       (long)st->st_blksize, (long long)st->st_blocks, (long long)st->st_atime,
	       (long long)st->st_mtime, (long long)st->st_ctime);
	return 0;
}

int main(int argc, char **argv)
{
	struct stat st;

	if (argc > 2) {
		stat(argv[2], &st);
		printf("%lld\n", (long long)st.st_mtime);
		return 0;
	}
	nftw(argv[1], one, 10, FTW_PHYS);
	TRUTH(count > 0);
	return 0;
}
