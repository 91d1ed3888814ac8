/* Reading a file whole, however much of it each call of the system gives: this program has a read()
 * of its own, which does what a test tells it. */
#include "../test.h"
#include "../report/expected.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "../replace.h"
#include "image/image.h"

#define PRETENDED (-2) /* all bytes that are asked for, none of which is written */

/* What the next calls do: so many bytes at most, or an error if it is negative; zeros end the list.
 */
struct step {
	long bytes;
	int error;
};

static const struct step *steps;

ssize_t read(int fd, void *to, size_t bytes);

ssize_t read(int fd, void *to, size_t bytes)
{
	if (steps && (steps->bytes || steps->error)) {
		const struct step *step = steps++;

		if (step->bytes == PRETENDED)
			return (ssize_t)bytes;
		if (step->bytes < 0 || !step->bytes) {
			errno = step->error;
			return step->bytes;
		}
		if (bytes > (size_t)step->bytes)
			bytes = (size_t)step->bytes;
	}
	return syscall(SYS_read, fd, to, bytes);
}

static bool has_no_stat;
REPLACED(fstat);

static int stat_of(int fd, struct stat *info)
{
	if (!has_no_stat)
		return __real_fstat(fd, info);
	errno = EOVERFLOW;
	return -1;
}
REPLACE(fstat, stat_of);

/* A file of ten bytes in a directory of its own. */
static void with_file(const struct step *calls, const char *wanted)
{
	char directory[] = "/tmp/test_image.XXXXXX", path[64], sentence[160];
	struct err err = {.text = ""};
	size_t bytes = 0;

	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/file", directory);
	FILE *out = fopen(path, "w");
	fputs("0123456789", out);
	fclose(out);
	steps = calls;
	uint8_t *image = image_read(path, &bytes, &err);
	steps = NULL;
	if (wanted) {
		assert_null(image);
		snprintf(sentence, sizeof(sentence), wanted, path);
		assert_string_equal(err.text, sentence);
	} else {
		assert_non_null(image);
		assert_int_equal(bytes, 10);
		assert_memory_equal(image, "0123456789", 10);
		free(image);
	}
	unlink(path);
	rmdir(directory);
}

TEST(a_file_may_come_in_parts)
{
	with_file((const struct step[]){{0, 0}}, NULL);
	with_file((const struct step[]){{3, 0}, {-1, EINTR}, {2, 0}, {1, 0}, {-1, EINTR}, {0, 0}},
		  NULL);
}

TEST(trouble_is_told)
{
	with_file((const struct step[]){{3, 0}, {-1, EIO}, {0, 0}},
		  "cannot read %s: Input/output error");
	with_file((const struct step[]){{-1, EISDIR}, {0, 0}}, "cannot read %s: Is a directory");
	/* The end of the file, whatever the call before it met. */
	with_file((const struct step[]){{3, 0}, {0, EINTR}, {0, 0}},
		  "%s became shorter while it was read");
}

/* It is closed then: the next one has the same number. */
TEST(a_file_that_cannot_be_described_is_not_read)
{
	const int before = dup(STDOUT_FILENO);

	close(before);
	has_no_stat = true;
	with_file(NULL, "cannot open %s: Value too large for defined data type");
	has_no_stat = false;
	const int after = dup(STDOUT_FILENO);
	assert_int_equal(after, before);
	close(after);
}

/* A file of 1 GB, of which no byte is there, is the largest. */
TEST(a_program_may_have_1_gb)
{
	char directory[] = "/tmp/test_image.XXXXXX", path[64];
	size_t bytes = 0;

	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/file", directory);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(truncate(path, (off_t)1 << 30), 0);
	steps = (const struct step[]){{PRETENDED, 0}, {0, 0}};
	uint8_t *image = image_read(path, &bytes, NULL);
	steps = NULL;
	assert_non_null(image);
	assert_int_equal(bytes, 1 << 30);
	free(image);
	unlink(path);
	rmdir(directory);
}

/* Where standard input is closed the file gets its number. */
TEST(the_file_may_have_number_0)
{
	int kept = dup(STDIN_FILENO);

	for (unsigned i = 0; i < 2; i++) {
		close(STDIN_FILENO);
		with_file((const struct step[]){{0, 0}}, NULL);
		/* It is closed again. */
		assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), -1);
	}
	if (kept >= 0) {
		dup2(kept, STDIN_FILENO);
		close(kept);
	}
}

EXPECTED_MAIN
