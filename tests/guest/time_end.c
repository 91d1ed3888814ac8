/*
 * Time never goes back, however long a program sleeps.
 *
 * only: cyclestack
 */
#include "check.h"
#include <poll.h>
#include <time.h>

int main(void)
{
	const struct timespec ages = {INT64_MAX, 0}, decades = {1000000000, 0};
	struct timespec before, after;
	int backwards = 0;

	clock_gettime(CLOCK_MONOTONIC, &before);
	for (int i = 0; i < 60; i++) {
		if (i % 3 == 0)
			nanosleep(&decades, NULL);
		else if (i % 3 == 1)
			ppoll(NULL, 0, &decades, NULL);
		else
			nanosleep(&ages, NULL);
		clock_gettime(CLOCK_MONOTONIC, &after);
		backwards += after.tv_sec < before.tv_sec ||
			     (after.tv_sec == before.tv_sec && after.tv_nsec < before.tv_nsec);
		before = after;
	}
	TRUTH(backwards == 0);
	TRUTH(after.tv_sec > 9000000000);
	clock_gettime(CLOCK_REALTIME, &after);
	TRUTH(after.tv_sec > before.tv_sec);
	return 0;
}
