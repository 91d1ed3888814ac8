/*
 * What the guest programs print with. Each program runs under two
 * implementations of the machine and their outputs are compared byte for byte,
 * so everything printed is a property of the system calls and of the library:
 * no address, no time, no process number, no descriptor number, no path.
 *
 * SHOW prints an expression and its value, TRY a call and its result or the
 * name of its error, OPEN does the same for calls that return a descriptor
 * and gives the descriptor back.
 */
#ifndef GUEST_CHECK_H
#define GUEST_CHECK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOW(expr)  printf("%s = %lld\n", #expr, (long long)(expr))
#define TRUTH(expr) printf("%s: %s\n", #expr, (expr) ? "yes" : "NO")
#define TRY(call)   (errno = 0, check_result(#call, (long long)(call)))
#define OPEN(call)  (errno = 0, check_descriptor(#call, (call)))

static inline const char *check_error(int number)
{
	const char *name = strerrorname_np(number);

	return name ? name : "unknown error";
}

static inline long long check_result(const char *text, long long result)
{
	if (result == -1)
		printf("%s -> %s\n", text, check_error(errno));
	else
		printf("%s -> %lld\n", text, result);
	return result;
}

static inline int check_descriptor(const char *text, int descriptor)
{
	printf("%s -> %s\n", text, descriptor < 0 ? check_error(errno) : "opened");
	return descriptor;
}

static inline uint64_t check_digest(uint64_t digest, const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < size; i++)
		digest = (digest ^ byte[i]) * 0x100000001b3u;
	return digest;
}

#define DIGEST_START 0xcbf29ce484222325u

static inline void check_enter(int argc, char **argv, int (*chdir_call)(const char *))
{
	if (argc < 2 || chdir_call(argv[1])) {
		printf("cannot enter the data directory: %s\n", check_error(errno));
		exit(99);
	}
}

#endif
