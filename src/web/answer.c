#include "web/answer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/printable.h"

void answer_init(struct answer *answer)
{
	*answer = (struct answer){.fd = -1, .policy = ANSWER_DATA, .type = "application/json"};
}

void answer_release(struct answer *answer)
{
	if (!answer->is_static)
		free(answer->text);
	if (answer->fd >= 0)
		close(answer->fd);
	answer_init(answer);
}

void answer_json(struct answer *answer, unsigned status, json_t *json)
{
	answer_release(answer);
	answer->status = status;
	answer->text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(6));
	BUG_ON(!answer->text);
	answer->bytes = strlen(answer->text);
	json_decref(json);
}

void answer_error(struct answer *answer, unsigned status, const char *sentence)
{
	const unsigned allowed = answer->allowed;
	const size_t length = strlen(sentence);
	char *copy = mem_alloc(length + 1);

	printable_copy(copy, length, (const uint8_t *)sentence, length);
	answer_json(answer, status, json_pack("{s:s}", "error", copy));
	answer->allowed = allowed;
	free(copy);
}

void answer_static(struct answer *answer, const char *type, const char *text, size_t bytes)
{
	answer_release(answer);
	answer->status = 200;
	answer->type = type;
	/* http.c does not write to it. */
	answer->text = (char *)(uintptr_t)text;
	answer->bytes = bytes;
	answer->is_static = true;
}

void answer_file(struct answer *answer, const char *type, int fd)
{
	answer_release(answer);
	answer->status = 200;
	answer->type = type;
	answer->fd = fd;
}
