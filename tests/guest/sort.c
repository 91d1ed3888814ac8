/*
 * qsort, bsearch, hash and tree searches, and string functions over many lengths.
 */
#include "check.h"
#include <ctype.h>
#include <search.h>
#include <strings.h>

static uint32_t state = 12345;

static uint32_t next(void)
{
	state = state * 1664525 + 1013904223;
	return state >> 4;
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void strings(void)
{
	static char a[600], b[600];
	uint64_t digest = DIGEST_START;

	for (size_t offset = 0; offset < 16; offset++) {
		for (size_t length = 0; length < 300; length += 7) {
			char *s = a + offset;

			memset(a, 'q', sizeof(a));
			for (size_t i = 0; i < length; i++)
				s[i] = 'a' + (i * 5 + offset) % 26;
			s[length] = '\0';
			strcpy(b, s);
			memmove(a + 3, s, length + 1);
			size_t facts[] = {strlen(b),
					  strspn(b, "abcdefgh"),
					  strcspn(b, "z"),
					  strnlen(b, 100),
					  (size_t)(strcmp(b, a + 3) == 0),
					  strchr(b, 'k') ? (size_t)(strchr(b, 'k') - b) : 999,
					  strrchr(b, 'c') ? (size_t)(strrchr(b, 'c') - b) : 999,
					  strstr(b, "fkp") ? (size_t)(strstr(b, "fkp") - b) : 999,
					  (size_t)(memcmp(b, "afkp", 4) < 0)};

			digest = check_digest(digest, facts, sizeof(facts));
			digest = check_digest(digest, a, sizeof(a));
		}
	}
	printf("strings %016llx\n", (unsigned long long)digest);
	SHOW(strcasecmp("MiXed", "mIxED"));
	char text[] = "a,b;;c d", *save, *word;

	for (word = strtok_r(text, ",; ", &save); word; word = strtok_r(NULL, ",; ", &save))
		printf("<%s>", word);
	putchar('\n');
	int classes = 0;

	for (int c = 0; c < 256; c++)
		classes += !!isalpha(c) + 2 * !!isdigit(c) + 3 * !!isspace(c) + 5 * !!ispunct(c) +
			   7 * !!iscntrl(c) + 11 * !!isxdigit(c);
	SHOW(classes);
}

static int visited;

static void count(const void *node, VISIT which, int depth)
{
	(void)node;
	(void)depth;
	visited += which == postorder || which == leaf;
}

int main(void)
{
	static uint32_t values[20000];
	size_t n = sizeof(values) / sizeof(values[0]), found = 0, unsorted = 0;
	void *root = NULL;

	for (size_t i = 0; i < n; i++)
		values[i] = next() % 50000;
	for (size_t i = 0; i < 1000; i++)
		tsearch(&values[i], &root, by_value);
	twalk(root, count);
	SHOW(visited);
	qsort(values, n, sizeof(values[0]), by_value);
	for (size_t i = 1; i < n; i++)
		unsorted += values[i - 1] > values[i];
	SHOW(unsorted);
	for (uint32_t key = 0; key < 50000; key += 11)
		found += bsearch(&key, values, n, sizeof(values[0]), by_value) != NULL;
	SHOW(found);
	printf("values %016llx\n",
	       (unsigned long long)check_digest(DIGEST_START, values, sizeof(values)));
	strings();
	srand(1);
	SHOW(rand());
	srandom(42);
	SHOW(random());
	srand48(7);
	printf("%.17g\n", drand48());
	return 0;
}
