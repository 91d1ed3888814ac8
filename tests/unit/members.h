/*
 * members.h - which members of a struct decide a name: a row for each member, and a check that no
 * member is without one and that each row is true.
 */
#ifndef TESTS_UNIT_MEMBERS_H
#define TESTS_UNIT_MEMBERS_H

#include "test.h"

#include "base/array.h"
#include "job/key.h"

enum how {
	DECIDES,   /* another value, another name */
	NOT_FELT,  /* the name is the same */
	NOT_KEPT,  /* with a value here, there is no name */
	ELSEWHERE, /* held by a case of its own */
};

struct member {
	const char *name;
	size_t offset, bytes;
	enum how how;
};

#define ROW(type, member, how)                                                                  \
	{                                                                                       \
#member, offsetof(struct type, member), sizeof(((struct type *)0)->member), how \
	}

/* Between two rows there is no more than padding. */
static inline void members_are_all(const struct member *rows, size_t count, size_t bytes)
{
	size_t end = 0;

	for (size_t i = 0; i < count; i++) {
		assert_true(rows[i].offset >= end && rows[i].offset - end < 8);
		end = rows[i].offset + rows[i].bytes;
	}
	assert_true(bytes - end < 8);
}

/* Changes the lowest byte of each member of `of`; `name` names what has it, or returns false. */
static inline void members_decide(void *of, const struct member *rows, size_t count,
				  bool (*name)(const void *context, char name[JOB_KEY_BYTES]),
				  const void *context)
{
	char before[JOB_KEY_BYTES], after[JOB_KEY_BYTES];

	assert_true(name(context, before));
	for (size_t i = 0; i < count; i++) {
		unsigned char *byte = (unsigned char *)of + rows[i].offset;

		if (rows[i].how == ELSEWHERE)
			continue;
		*byte ^= 1;
		const bool has_name = name(context, after);
		*byte ^= 1;
		if (has_name != (rows[i].how != NOT_KEPT) ||
		    (has_name && (strcmp(before, after) == 0) != (rows[i].how == NOT_FELT)))
			fail_msg("%s", rows[i].name);
	}
}

#endif
