/* Addresses as a user writes them, keys, and sockets: every form against what it means, worked out
 * by hand. */
#include "../test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../replace.h"
#include "base/array.h"
#include "stats/link.h"

/* The error of the next socket(2), fcntl(2) that duplicates, and fstat(2); 0: none. */
static int socket_error, duplicate_error, stat_error;

static int fail_with(int *error)
{
	errno = *error;
	*error = 0;
	return -1;
}

REPLACED(socket);

static int make_socket(int family, int type, int protocol)
{
	return socket_error ? fail_with(&socket_error) : __real_socket(family, type, protocol);
}
REPLACE(socket, make_socket);

REPLACED(fcntl);

static int control(int fd, int command, ...)
{
	va_list ap;

	va_start(ap, command);
	const int least = va_arg(ap, int);
	va_end(ap);
	return duplicate_error ? fail_with(&duplicate_error) : __real_fcntl(fd, command, least);
}
REPLACE(fcntl, control);

REPLACED(fstat);

static int stat_of(int fd, struct stat *info)
{
	return stat_error ? fail_with(&stat_error) : __real_fstat(fd, info);
}
REPLACE(fstat, stat_of);

static uint8_t key_bytes[32] = "a key of thirty-two bytes in all";
static const struct packet_key key = {key_bytes, sizeof(key_bytes)}, none;

/* The host as the system writes it, and the port; "" where the text is no address. */
static void read_back(const char *text, const struct packet_key *with, char *out, size_t size)
{
	char host[INET6_ADDRSTRLEN] = "";
	struct link_address a;
	struct err err;

	out[0] = 0;
	if (!link_address_read(&a, text, with, &err)) {
		assert_non_null(strstr(err.text, text));
		if (strstr(err.text, "need a key"))
			snprintf(out, size, "key");
		return;
	}
	if (a.address.ss_family == AF_INET) {
		const struct sockaddr_in *four = (const struct sockaddr_in *)&a.address;

		assert_int_equal(a.bytes, sizeof(*four));
		inet_ntop(AF_INET, &four->sin_addr, host, sizeof(host));
		snprintf(out, size, "%s %d", host, ntohs(four->sin_port));
	} else {
		const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&a.address;

		assert_int_equal(a.address.ss_family, AF_INET6);
		assert_int_equal(a.bytes, sizeof(*six));
		inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof(host));
		snprintf(out, size, "%s %d", host, ntohs(six->sin6_port));
	}
}

TEST(addresses_mean_what_is_written)
{
	static const struct {
		const char *text, *without_key, *with_key;
	} rows[] = {
		{"5000", "127.0.0.1 5000", "127.0.0.1 5000"},
		{"127.0.0.1:5000", "127.0.0.1 5000", "127.0.0.1 5000"},
		{"localhost:1", "127.0.0.1 1", "127.0.0.1 1"},
		{"127.255.255.254:65535", "127.255.255.254 65535", "127.255.255.254 65535"},
		{"126.255.255.255:9", "key", "126.255.255.255 9"},
		{"128.0.0.1:9", "key", "128.0.0.1 9"},
		{"0.0.0.0:9", "key", "0.0.0.0 9"},
		{"[::1]:5001", "::1 5001", "::1 5001"},
		{"[::2]:5001", "key", "::2 5001"},
		{"[2001:db8::1]:7", "key", "2001:db8::1 7"},
		{"::1:5001", "::1 5001", "::1 5001"},
		{"127.0.0.1:0", "127.0.0.1 0", "127.0.0.1 0"},
		{"127.0.0.1:65536", "", ""},
		{"127.0.0.1:", "", ""},
		{"127.0.0.1:-1", "", ""},
		{"127.0.0.1:+1", "", ""},
		{"127.0.0.1: 1", "", ""},
		{"127.0.0.1:5x", "", ""},
		{"", "", ""},
		{":5", "", ""},
		{"[::1]", "", ""},
		{"[]:5", "", ""},
		{"[:5", "", ""},
		{"[::1:5", "", ""},
		{"localhosts:5", "", ""},
		{"example.org:5", "", ""},
		{"127.0.0:5", "", ""},
		{"65536", "", ""},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char got[128];

		read_back(rows[i].text, &none, got, sizeof(got));
		if (strcmp(got, rows[i].without_key) != 0)
			fail_msg("%s is \"%s\", not \"%s\"", rows[i].text, got,
				 rows[i].without_key);
		read_back(rows[i].text, &key, got, sizeof(got));
		if (strcmp(got, rows[i].with_key) != 0)
			fail_msg("%s with a key is \"%s\", not \"%s\"", rows[i].text, got,
				 rows[i].with_key);
	}
}

TEST(addresses_are_written)
{
	static const char *const texts[] = {"127.0.0.1:5000", "[::1]:1", "[2001:db8::1]:65535"};
	char text[LINK_TEXT_BYTES];
	struct link_address a;
	struct err err;

	for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
		assert_true(link_address_read(&a, texts[i], &key, &err));
		link_address_text(&a, text);
		assert_string_equal(text, texts[i]);
	}
	a = (struct link_address){.bytes = 0};
	link_address_text(&a, text);
	assert_string_equal(text, "unknown");
}

TEST(a_key_is_the_bytes_of_a_file)
{
	static const size_t sizes[] = {0, 1, 15, 16, 17, 4096, 4097, 5000};
	char path[] = "/tmp/test_link.XXXXXX";
	uint8_t bytes[5000];
	struct packet_key read;
	struct err err;
	bool is_open;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7 + i / 256);
	for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, bytes, sizes[i], 0), sizes[i]);
		/* No key is cut: two long ones that begin alike would be one. */
		const bool is_good = sizes[i] >= 16 && sizes[i] <= 4096;
		assert_int_equal(link_key_read(&read, path, &is_open, &err), is_good);
		assert_false(is_open);
		if (sizes[i] > 4096)
			assert_non_null(strstr(err.text, " has more than the 4096 bytes "));
		if (is_good) {
			assert_int_equal(read.size, sizes[i]);
			assert_memory_equal(read.bytes, bytes, read.size);
		}
		link_key_release(&read);
		assert_null(read.bytes);
		assert_int_equal(read.size, 0);
	}
	assert_int_equal(ftruncate(fd, 16), 0);
	for (mode_t bit = 1; bit < 0100; bit <<= 1) {
		assert_int_equal(fchmod(fd, 0600 | bit), 0);
		assert_true(link_key_read(&read, path, &is_open, &err));
		assert_true(is_open);
		link_key_release(&read);
	}
	close(fd);
	unlink(path);
	assert_false(link_key_read(&read, path, &is_open, &err));
	assert_non_null(strstr(err.text, path));
}

/* What is sent to the one arrives at the other, from both families; neither is a standard
 * descriptor, and neither waits. */
TEST(what_is_sent_arrives)
{
	static const char *const places[] = {"127.0.0.1:0", "[::1]:0"};

	for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
		struct link_address a;
		struct err err;
		char got[8];

		assert_true(link_address_read(&a, places[i], &none, &err));
		int to = link_listen(&a, &err);
		if (to < 0 && i)
			break; /* A machine without IPv6. */
		assert_true(to >= 3);
		assert_int_equal(getsockname(to, (struct sockaddr *)&a.address, &a.bytes), 0);
		assert_int_equal(link_listen(&a, &err), -1);
		assert_non_null(strstr(err.text, "cannot listen there"));
		int from = link_connect(&a, &err);
		assert_true(from >= 3);
		assert_int_equal(recv(to, got, sizeof(got), 0), -1);
		assert_int_equal(send(from, "hello", 5, 0), 5);
		assert_int_equal(recv(to, got, sizeof(got), 0), 5);
		assert_memory_equal(got, "hello", 5);
		close(from);
		close(to);
	}
}

/* Whatever cannot be made says why, and nothing stays open. */
TEST(sockets_that_cannot_be_made_say_why)
{
	struct link_address a;
	struct err err;

	assert_true(link_address_read(&a, "127.0.0.1:0", &none, &err));
	const int free_before = dup(0);
	close(free_before);
	socket_error = EAFNOSUPPORT;
	assert_int_equal(link_listen(&a, &err), -1);
	assert_string_equal(err.text, "cannot listen there: Address family not supported by "
				      "protocol");
	duplicate_error = EMFILE;
	assert_int_equal(link_connect(&a, &err), -1);
	assert_string_equal(err.text, "cannot send there: Too many open files");
	/* Without a key nobody leaves this machine, so that connecting fails by its family alone.
	 */
	a.bytes = 1;
	assert_int_equal(link_connect(&a, &err), -1);
	assert_string_equal(err.text, "cannot send there: Invalid argument");
	const int free_after = dup(0);
	close(free_after);
	assert_int_equal(free_after, free_before);
}

TEST(keys_that_cannot_be_read_say_why)
{
	struct packet_key read;
	struct err err;
	bool is_open = true;

	assert_false(link_key_read(&read, "/tmp", &is_open, &err));
	assert_string_equal(err.text, "--key: cannot read /tmp: Is a directory");
	assert_false(is_open);
	link_key_release(&read);
	/* Who may read a file is only said where the system says it. */
	char path[] = "/tmp/test_link.XXXXXX";
	const int fd = mkstemp(path);
	assert_int_equal(write(fd, key_bytes, sizeof(key_bytes)), sizeof(key_bytes));
	assert_int_equal(fchmod(fd, 0644), 0);
	stat_error = EIO;
	assert_true(link_key_read(&read, path, &is_open, &err));
	assert_int_equal(stat_error, 0);
	assert_false(is_open);
	assert_int_equal(read.size, sizeof(key_bytes));
	link_key_release(&read);
	close(fd);
	unlink(path);
}

TEST(runs_have_numbers_of_their_own)
{
	uint64_t first = link_run(), second = link_run();
	double before = link_seconds();

	assert_true(first >= 1 && first <= INT64_MAX && second >= 1 && second <= INT64_MAX);
	assert_true(first != second);
	usleep(20000);
	assert_true(link_seconds() - before >= 0.015 && link_seconds() - before < 60);
}
