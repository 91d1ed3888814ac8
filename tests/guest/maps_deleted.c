/*
 * /proc/self/maps says of a mapped file that its name is gone; /proc/mounts has /dev/shm.
 * data: yes
 * beside: host
 */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* What follows the last slash of the name at the address. */
static void show(const char *what, const void *address)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4400], start[32];

	snprintf(start, sizeof(start), "%08lx-", (unsigned long)address);
	while (fgets(line, sizeof(line), maps))
		if (strncmp(line, start, strlen(start)) == 0) {
			const char *slash = strrchr(line, '/');

			printf("%s: %s", what, slash ? slash + 1 : "no name\n");
		}
	fclose(maps);
}

static void *map(const char *path, int kind)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	ftruncate(fd, 4096);
	void *at = mmap(NULL, 4096, PROT_READ, kind, fd, 0);
	close(fd);
	return at;
}

int main(int argc, char **argv)
{
	char path[256];

	(void)argc;
	TRY(chdir(argv[1]));
	void *shared = map("shared", MAP_SHARED), *copy = map("copy", MAP_PRIVATE);
	show("shared", shared);
	show("copy", copy);
	unlink("shared");
	unlink("copy");
	show("shared", shared);
	show("copy", copy);
	snprintf(path, sizeof(path), "/dev/shm/mapped.%d.%d", getpid(), getppid());
	void *memory = map(path, MAP_SHARED);
	unlink(path);
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4400];
	int gone = 0;
	while (fgets(line, sizeof(line), maps))
		gone += strstr(line, "/dev/shm/mapped.") && strstr(line, " (deleted)\n");
	fclose(maps);
	SHOW(gone);
	TRUTH(memory != MAP_FAILED);
	show("anonymous", mmap(NULL, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
	FILE *mounts = fopen("/proc/mounts", "r");
	int found = 0;
	while (fgets(line, sizeof(line), mounts))
		found += strstr(line, " /dev/shm tmpfs rw") != NULL;
	fclose(mounts);
	SHOW(found > 0);
	return 0;
}
