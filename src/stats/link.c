#include "stats/link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"

#define KEY_BYTES_MOST	4096
#define RECEIVE_BUFFER	(8 << 20)
#define FIRST_FREE_FILE 3

static bool is_loopback(const struct sockaddr_storage *address)
{
	if (address->ss_family == AF_INET)
		return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
	return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
}

static bool read_port(const char *text, in_port_t *port)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	*port = htons((uint16_t)number);
	return *text >= '0' && *text <= '9' && !*end && number <= UINT16_MAX;
}

static bool read_host(struct link_address *a, const char *host, in_port_t port)
{
	struct sockaddr_in *four = (struct sockaddr_in *)&a->address;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&a->address;

	if (inet_pton(AF_INET, strcmp(host, "localhost") == 0 ? "127.0.0.1" : host,
		      &four->sin_addr) == 1) {
		four->sin_family = AF_INET;
		four->sin_port = port;
		a->bytes = sizeof(*four);
		return true;
	}
	if (inet_pton(AF_INET6, host, &six->sin6_addr) != 1)
		return false;
	six->sin6_family = AF_INET6;
	six->sin6_port = port;
	a->bytes = sizeof(*six);
	return true;
}

bool link_address_read(struct link_address *a, const char *text, const struct packet_key *key,
		       struct err *err)
{
	const char *colon = strrchr(text, ':'), *port = colon ? colon + 1 : text;
	char host[64] = "127.0.0.1";
	in_port_t number;

	*a = (struct link_address){.bytes = 0};
	if (colon) {
		bool has_brackets = text[0] == '[' && colon > text + 1 && colon[-1] == ']';

		snprintf(host, sizeof(host), "%.*s", (int)(colon - text) - 2 * has_brackets,
			 text + has_brackets);
	}
	if (!read_port(port, &number) || !read_host(a, host, number))
		return err_set(err,
			       "\"%s\" is not HOST:PORT with a numeric address, such as "
			       "127.0.0.1:5000",
			       text);
	if (!is_loopback(&a->address) && !key->bytes)
		return err_set(err,
			       "%s is not this machine: packets beyond it need a key, --key FILE",
			       text);
	return true;
}

void link_address_text(const struct link_address *a, char text[LINK_TEXT_BYTES])
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)&a->address;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&a->address;
	char host[INET6_ADDRSTRLEN] = "";

	if (a->address.ss_family == AF_INET) {
		inet_ntop(AF_INET, &four->sin_addr, host, sizeof(host));
		snprintf(text, LINK_TEXT_BYTES, "%s:%u", host, ntohs(four->sin_port));
	} else if (a->address.ss_family == AF_INET6) {
		inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof(host));
		snprintf(text, LINK_TEXT_BYTES, "[%s]:%u", host, ntohs(six->sin6_port));
	} else {
		snprintf(text, LINK_TEXT_BYTES, "unknown");
	}
}

bool link_key_read(struct packet_key *key, const char *path, bool *is_open, struct err *err)
{
	FILE *in = fopen(path, "re");
	struct stat file;

	*key = (struct packet_key){0};
	*is_open = false;
	if (!in)
		return err_set_errno(err, errno, "--key: cannot read %s", path);
	/* A pipe is between the user's own processes, whatever its mode says. */
	if (fstat(fileno(in), &file) == 0)
		*is_open = S_ISREG(file.st_mode) && file.st_mode & (S_IRWXG | S_IRWXO);
	key->bytes = mem_alloc(KEY_BYTES_MOST + 1);
	key->size = fread(key->bytes, 1, KEY_BYTES_MOST + 1, in);
	bool ok = !ferror(in) || err_set_errno(err, errno, "--key: cannot read %s", path);
	fclose(in);
	if (ok && key->size > KEY_BYTES_MOST)
		ok = err_set(err, "--key: %s has more than the %d bytes that a key may have", path,
			     KEY_BYTES_MOST);
	return ok && (key->size >= PACKET_KEY_LEAST ||
		      err_set(err, "--key: %s has %zu bytes; a key has at least %d", path,
			      key->size, PACKET_KEY_LEAST));
}

void link_key_release(struct packet_key *key)
{
	free(key->bytes);
	*key = (struct packet_key){0};
}

static int open_socket(const struct link_address *a, bool binds, struct err *err)
{
	const struct sockaddr *address = (const struct sockaddr *)&a->address;
	const int bytes = RECEIVE_BUFFER;
	int made = socket(a->address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int fd = made < 0 ? -1 : fcntl(made, F_DUPFD_CLOEXEC, FIRST_FREE_FILE);

	if (made >= 0)
		close(made);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	if (fd >= 0 && (binds ? bind(fd, address, a->bytes) : connect(fd, address, a->bytes)) == 0)
		return fd;
	err_set_errno(err, errno, binds ? "cannot listen there" : "cannot send there");
	if (fd >= 0)
		close(fd);
	return -1;
}

int link_listen(const struct link_address *a, struct err *err)
{
	return open_socket(a, true, err);
}

int link_connect(const struct link_address *a, struct err *err)
{
	return open_socket(a, false, err);
}

uint64_t link_run(void)
{
	uint64_t run = 0;

	while (!run) {
		BUG_ON(getrandom(&run, sizeof(run), 0) != sizeof(run));
		run &= INT64_MAX;
	}
	return run;
}

double link_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
