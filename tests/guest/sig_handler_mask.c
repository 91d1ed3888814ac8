/*
 * sa_mask holds while the handler runs; MAP_FIXED_NOREPLACE and mremap to nothing are refused.
 *
 * Version 7.2 of qemu gets these three wrong, so the expectations are here.
 *
 * only: cyclestack
 */
#include "check.h"
#include <signal.h>
#include <sys/mman.h>

static volatile sig_atomic_t count, during, mask_inside;

static void counted(int number)
{
	(void)number;
	count++;
}

static void masked(int number)
{
	sigset_t now;

	(void)number;
	sigprocmask(SIG_BLOCK, NULL, &now);
	mask_inside = sigismember(&now, SIGUSR1) + 2 * sigismember(&now, SIGUSR2) +
		      4 * sigismember(&now, SIGHUP);
	raise(SIGUSR2);
	during = count;
}

int main(void)
{
	struct sigaction action = {.sa_handler = counted};
	char *page;

	sigaction(SIGUSR2, &action, NULL);
	action.sa_handler = masked;
	sigaddset(&action.sa_mask, SIGUSR2);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	TRUTH(mask_inside == 3);
	TRUTH(during == 0);
	TRUTH(count == 1);

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*page = 'k';
	TRUTH(mmap(page, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		   0) == MAP_FAILED);
	TRUTH(errno == EEXIST);
	TRUTH(*page == 'k');
	TRUTH(mremap(page, 4096, 0, MREMAP_MAYMOVE) == MAP_FAILED);
	TRUTH(errno == EINVAL);
	return 0;
}
