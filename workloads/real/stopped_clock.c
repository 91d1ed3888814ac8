/*
 * stopped_clock.c - linked with every real program, in place of the C library's
 * clocks: time stands still. How long something took then changes neither what a
 * program prints nor how many instructions it needs to work that out, so that
 * machines can be compared. None of these programs waits for time to pass.
 */
#include <stddef.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

#define NOW_SECONDS 1000000000

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	(void)zone;
	*now = (struct timeval){.tv_sec = NOW_SECONDS};
	return 0;
}

int clock_gettime(clockid_t clock_id, struct timespec *now)
{
	(void)clock_id;
	*now = (struct timespec){.tv_sec = NOW_SECONDS};
	return 0;
}

time_t time(time_t *now)
{
	if (now)
		*now = NOW_SECONDS;
	return NOW_SECONDS;
}

clock_t clock(void)
{
	return 0;
}

int getrusage(__rusage_who_t who, struct rusage *usage)
{
	(void)who;
	*usage = (struct rusage){0};
	return 0;
}
