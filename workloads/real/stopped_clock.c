/*
 * stopped_clock.c - linked with SQLite's speedtest1, which prints how long each
 * of its tests took: with a clock that stands still its output is the same on
 * every machine, and what remains of it is what the database answered.
 */
#include <stddef.h>
#include <sys/time.h>

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	(void)zone;
	if (now)
		*now = (struct timeval){.tv_sec = 1000000000};
	return 0;
}
