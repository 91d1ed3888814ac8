/*
 * Clocks run forwards, sleeps end, and calendar functions agree with each other.
 */
#include "check.h"
#include <poll.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static long long now(clockid_t clock)
{
	struct timespec ts = {0, 0};

	if (clock_gettime(clock, &ts))
		return -1;
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

static void calendar(void)
{
	time_t moment = 951782400;
	struct tm tm;
	char text[64];

	gmtime_r(&moment, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %a %j %U", &tm);
	puts(text);
	SHOW(timegm(&tm) == moment);
	localtime_r(&moment, &tm);
	SHOW(mktime(&tm) == moment);
	tm.tm_mday += 400;
	SHOW(mktime(&tm));
	puts(strptime("2001-09-09 01:46:40", "%Y-%m-%d %H:%M:%S", &tm) ? "parsed" : "not parsed");
	SHOW(timegm(&tm));
	printf("%.1f\n", difftime(10, 3));
}

int main(void)
{
	static const clockid_t clocks[] = {CLOCK_REALTIME,	     CLOCK_MONOTONIC,
					   CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID,
					   CLOCK_MONOTONIC_RAW,	     CLOCK_REALTIME_COARSE,
					   CLOCK_MONOTONIC_COARSE,   CLOCK_BOOTTIME};
	struct timespec ts, left;
	struct timeval tv;
	struct tms tms;
	long long before, after;

	for (size_t c = 0; c < sizeof(clocks) / sizeof(clocks[0]); c++) {
		long long last = now(clocks[c]), backwards = 0;

		for (int i = 0; i < 500; i++) {
			long long t = now(clocks[c]);

			backwards += t < last;
			last = t;
		}
		printf("clock %d: works %d, went back %lld times\n", clocks[c], last >= 0,
		       backwards);
		TRY(clock_getres(clocks[c], &ts));
		TRUTH(ts.tv_sec == 0 && ts.tv_nsec > 0 && ts.tv_nsec <= 10000000);
	}
	TRY(clock_gettime(1234, &ts));

	before = now(CLOCK_MONOTONIC);
	ts = (struct timespec){0, 2000000};
	TRY(nanosleep(&ts, NULL));
	after = now(CLOCK_MONOTONIC);
	TRUTH(after - before >= 2000000);
	TRY(usleep(1000));
	TRUTH(now(CLOCK_MONOTONIC) - after >= 1000000);
	ts = (struct timespec){0, 1000000000};
	TRY(nanosleep(&ts, &left));
	ts = (struct timespec){-1, 0};
	TRY(nanosleep(&ts, &left));
	before = now(CLOCK_MONOTONIC) + 1500000;
	ts = (struct timespec){before / 1000000000, before % 1000000000};
	SHOW(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL));
	TRUTH(now(CLOCK_MONOTONIC) >= before);
	before = now(CLOCK_MONOTONIC);
	TRY(poll(NULL, 0, 2));
	TRUTH(now(CLOCK_MONOTONIC) - before >= 2000000);

	TRY(gettimeofday(&tv, NULL));
	TRUTH(tv.tv_sec > 0 && tv.tv_usec >= 0 && tv.tv_usec < 1000000);
	TRUTH(time(NULL) >= tv.tv_sec);
	TRUTH(times(&tms) != (clock_t)-1);
	TRUTH(clock() != (clock_t)-1);
	calendar();
	return 0;
}
