/*
 * Streams: buffering modes, big writes, seeks, push-back, getline, memory streams.
 *
 * data: yes
 */
#include "check.h"
#include <unistd.h>

static void big_file(void)
{
	size_t size = 300000, got;
	unsigned char *bytes = malloc(size), *back = malloc(size);
	FILE *file = fopen("big", "w+");
	uint32_t state = 1;

	for (size_t i = 0; i < size; i++)
		bytes[i] = (state = state * 1664525 + 1013904223) >> 24;
	SHOW(fwrite(bytes, 1, size, file));
	SHOW(ftell(file));
	rewind(file);
	got = 0;
	for (size_t step = 1; got < size; step = step * 3 + 1) {
		size_t want = step < size - got ? step : size - got;

		got += fread(back + got, 1, want, file);
	}
	SHOW(memcmp(bytes, back, size));
	SHOW(fgetc(file));
	TRUTH(feof(file));
	SHOW(fseek(file, -10, SEEK_END));
	SHOW(ftell(file));
	SHOW(fgetc(file) == bytes[size - 10]);
	SHOW(fseek(file, 100000, SEEK_SET));
	SHOW(fwrite("patched", 1, 7, file));
	SHOW(fseek(file, -9, SEEK_CUR));
	SHOW(fread(back, 1, 10, file));
	SHOW(memcmp(back + 2, "patched", 7));
	SHOW(fclose(file));
	free(bytes);
	free(back);
}

static void lines(void)
{
	FILE *file = fopen("lines", "w");
	char *line = NULL, text[32];
	size_t room = 0;
	ssize_t length;

	setvbuf(file, NULL, _IOLBF, 64);
	for (int i = 0; i < 20; i++)
		fprintf(file, "line %d %.*s\n", i, i * 7,
			"................................................................"
			"................................................................");
	fputs("no newline", file);
	fclose(file);
	file = fopen("lines", "r");
	while ((length = getline(&line, &room, file)) >= 0)
		printf("%zd ", length);
	putchar('\n');
	rewind(file);
	while (fgets(text, sizeof(text), file))
		printf("%zu ", strlen(text));
	putchar('\n');
	rewind(file);
	SHOW(ungetc('Z', file));
	printf("%c", fgetc(file));
	printf("%c\n", fgetc(file));
	fclose(file);
	file = fopen("lines", "a+");
	fputs("!\n", file);
	fseek(file, -3, SEEK_END);
	SHOW(fgetc(file));
	fclose(file);
	free(line);
	TRUTH(fopen("absent", "r") == NULL);
	SHOW(errno == ENOENT);
	TRUTH(fopen("lines", "wx") == NULL);
	SHOW(errno == EEXIST);
}

static void memory_streams(void)
{
	char *text = NULL, room[16] = "";
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	for (int i = 0; i < 1000; i++)
		fprintf(file, "%d,", i);
	fclose(file);
	SHOW(size);
	printf("%016llx\n", (unsigned long long)check_digest(DIGEST_START, text, size));
	free(text);
	file = fmemopen(room, sizeof(room), "w");
	fputs("inside", file);
	fclose(file);
	puts(room);
}

int main(int argc, char **argv)
{
	static char buffer[100];

	check_enter(argc, argv, chdir);
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	big_file();
	lines();
	memory_streams();
	setvbuf(stdout, NULL, _IONBF, 0);
	puts("unbuffered");
	for (int i = 0; i < 5000; i++)
		printf("%d\n", i * i);
	return ferror(stdout);
}
