/*
 * Options of sockets: every number is set to several values and read back into several sizes.
 */
#include "check.h"
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static const struct {
	const char *name;
	int number;
} options[] = {
	{"debug", SO_DEBUG},
	{"reuseaddr", SO_REUSEADDR},
	{"type", SO_TYPE},
	{"error", SO_ERROR},
	{"dontroute", SO_DONTROUTE},
	{"broadcast", SO_BROADCAST},
	{"keepalive", SO_KEEPALIVE},
	{"oobinline", SO_OOBINLINE},
	{"priority", SO_PRIORITY},
	{"linger", SO_LINGER},
	{"passcred", SO_PASSCRED},
	{"rcvlowat", SO_RCVLOWAT},
	{"sndlowat", SO_SNDLOWAT},
	{"timestamp", SO_TIMESTAMP},
	{"acceptconn", SO_ACCEPTCONN},
	{"protocol", SO_PROTOCOL},
	{"domain", SO_DOMAIN},

	{"none", 9999},
};

static void number(int fd, size_t i)
{
	static const int values[] = {1, 0, 7, -1};

	if (options[i].number == SO_LINGER || options[i].number == SO_DEBUG)
		return;
	for (size_t k = 0; k < 4; k++) {
		int got = 12345678, value = values[k];
		socklen_t bytes = sizeof(got);
		/* More is not allowed to everyone. */
		if (options[i].number == SO_PRIORITY && value == -1)
			continue;
		int set = setsockopt(fd, SOL_SOCKET, options[i].number, &value, sizeof(value));
		int why = set ? errno : 0;
		int read = getsockopt(fd, SOL_SOCKET, options[i].number, &got, &bytes);

		printf("%s = %d: %s, then ", options[i].name, value,
		       set ? check_error(why) : "set");
		if (read)
			printf("%s\n", check_error(errno));
		else
			printf("%d in %d\n", got, (int)bytes);
	}
}

static void sizes(int fd, int name, const char *text)
{
	for (int room = 1; room <= 20; room += room < 5 ? 1 : 5) {
		unsigned char got[32];
		socklen_t bytes = (socklen_t)room;

		memset(got, 0xee, sizeof(got));
		int read = getsockopt(fd, SOL_SOCKET, name, got, &bytes);
		printf("%s into %d: %s, %d bytes, the next is %02x\n", text, room,
		       read ? check_error(errno) : "read", (int)bytes, got[room]);
	}
}

static void buffers(int fd)
{
	static const int values[] = {0, 1, 2303, 2304, 2305, 4608, 10000, 50000};
	static const int names[] = {SO_SNDBUF, SO_RCVBUF};

	for (size_t n = 0; n < 2; n++)
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			int got = 0;
			socklen_t bytes = sizeof(got);

			TRY(setsockopt(fd, SOL_SOCKET, names[n], &values[i], sizeof(int)));
			getsockopt(fd, SOL_SOCKET, names[n], &got, &bytes);
			printf("%s %d: %d\n", n ? "received" : "sent", values[i],
			       values[i] < 5000 ? got >= 2 * values[i] : got);
		}
}

static void timeouts(int fd)
{
	static const struct timeval values[] = {
		{0, 0}, {1, 0}, {2, 500000}, {0, 20000}, {3, 980000}};
	static const struct timeval wrong[] = {{0, -1}, {0, 1000000}, {5, 1000001}};
	static const int names[] = {SO_RCVTIMEO, SO_SNDTIMEO};

	for (size_t n = 0; n < 2; n++) {
		struct timeval got = {77, 77};
		socklen_t bytes = sizeof(got);

		for (size_t i = 0; i < 5; i++) {
			TRY(setsockopt(fd, SOL_SOCKET, names[n], &values[i], sizeof(values[i])));
			TRY(getsockopt(fd, SOL_SOCKET, names[n], &got, &bytes));
			printf("%ld.%06ld in %d\n", (long)got.tv_sec, (long)got.tv_usec,
			       (int)bytes);
			bytes = sizeof(got);
			/* The other is another. */
			getsockopt(fd, SOL_SOCKET, names[1 - n], &got, &bytes);
			printf("the other %ld.%06ld\n", (long)got.tv_sec, (long)got.tv_usec);
		}
		for (size_t i = 0; i < 3; i++)
			TRY(setsockopt(fd, SOL_SOCKET, names[n], &wrong[i], sizeof(wrong[i])));
		TRY(setsockopt(fd, SOL_SOCKET, names[n], &values[1], 8));
	}
}

int main(void)
{
	int ends[2], value = 1;
	char byte;
	struct timeval soon = {0, 20000}, none = {0, 0};

	TRY(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		number(ends[0], i);
	sizes(ends[0], SO_TYPE, "type");
	buffers(ends[0]);
	timeouts(ends[0]);
	TRY(setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon)));
	TRY(recv(ends[1], &byte, 1, 0));
	TRY(setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &none, sizeof(none)));
	TRY(setsockopt(ends[0], SOL_SOCKET, SO_REUSEADDR, &value, 3));
	TRY(setsockopt(ends[0], SOL_SOCKET, SO_REUSEADDR, NULL, 4));
	return 0;
}
