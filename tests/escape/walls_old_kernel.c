/* walls_old_kernel COMMAND ARGUMENT...: runs it as on a kernel without Landlock. */
#include "walls_old_kernel.h"

#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 2 || !old_kernel_lose_landlock()) {
		perror("walls_old_kernel");
		return 2;
	}
	execv(argv[1], argv + 1);
	perror(argv[1]);
	return 2;
}
