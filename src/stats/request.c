#include "stats/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "stats/formula.h"

#define GROUP_LINE_BYTES 1024

void stats_wish_add(struct stats_wish *wish, const char *pair)
{
	*ARRAY_PUSH(wish->pairs, wish->pair_count, wish->pair_capacity) = mem_strdup(pair);
}

void stats_wish_release(struct stats_wish *wish)
{
	for (size_t i = 0; i < wish->pair_count; i++)
		free(wish->pairs[i]);
	free(wish->pairs);
	*wish = (struct stats_wish){0};
}

/* Reads "PAIR PAIR ..." or, with line feeds, the same. */
static void add_words(struct stats_wish *wish, const char *text)
{
	char *copy = mem_strdup(text), *rest = NULL;

	for (char *word = strtok_r(copy, " \t\r\n", &rest); word;
	     word = strtok_r(NULL, " \t\r\n", &rest))
		stats_wish_add(wish, word);
	free(copy);
}

struct stats_mailbox *stats_mailbox_create(struct err *err)
{
	void *page = mmap(NULL, sizeof(struct stats_mailbox), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (page != MAP_FAILED)
		return page;
	err_set(err, "cannot share memory with the worker process");
	return NULL;
}

void stats_mailbox_destroy(struct stats_mailbox *mailbox)
{
	if (mailbox)
		munmap(mailbox, sizeof(*mailbox));
}

bool stats_mailbox_post(struct stats_mailbox *mailbox, const struct stats_wish *wish)
{
	uint32_t posted = atomic_load(&mailbox->posted);
	size_t used = 0;

	if (posted != atomic_load(&mailbox->taken))
		return false;
	mailbox->at = wish->at;
	mailbox->period_cycles = wish->period_cycles;
	mailbox->pairs[0] = 0;
	for (size_t i = 0; i < wish->pair_count; i++) {
		size_t length = strlen(wish->pairs[i]);

		if (used + length + 2 > sizeof(mailbox->pairs))
			return false;
		memcpy(mailbox->pairs + used, wish->pairs[i], length);
		used += length;
		mailbox->pairs[used++] = ' ';
		mailbox->pairs[used] = 0;
	}
	atomic_store(&mailbox->posted, posted + 1);
	return true;
}

bool stats_mailbox_take(struct stats_mailbox *mailbox, struct stats_wish *wish)
{
	uint32_t posted = atomic_load_explicit(&mailbox->posted, memory_order_acquire);

	if (posted == atomic_load_explicit(&mailbox->taken, memory_order_relaxed))
		return false;
	char *text = mem_alloc(sizeof(mailbox->pairs) + 1);
	memcpy(text, mailbox->pairs, sizeof(mailbox->pairs));
	*wish = (struct stats_wish){.at = mailbox->at, .period_cycles = mailbox->period_cycles};
	add_words(wish, text);
	free(text);
	atomic_store(&mailbox->taken, posted);
	return true;
}

static void release_changes(struct stats_request *request)
{
	for (size_t i = 0; i < request->change_count; i++)
		stats_wish_release(&request->changes[i]);
	free(request->changes);
	request->changes = NULL;
	request->change_count = request->change_capacity = 0;
}

static void stats_formula_release(struct stats_formula *formula)
{
	free(formula->text);
	free(formula->where);
}

void stats_request_add_formula(struct stats_request *request, const char *text, const char *where)
{
	*ARRAY_PUSH(request->formulas, request->formula_count, request->formula_capacity) =
		(struct stats_formula){mem_strdup(text), where ? mem_strdup(where) : NULL};
}

void stats_request_release(struct stats_request *request)
{
	stats_wish_release(&request->first);
	release_changes(request);
	for (size_t i = 0; i < request->formula_count; i++)
		stats_formula_release(&request->formulas[i]);
	free(request->formulas);
	*request = (struct stats_request){0};
}

/* Reads the next line of a text, without its end. False after the last line. If a line is too long
 * or has a NUL, `line` is "" and *is_whole false. */
static bool next_line(const char *text, size_t bytes, size_t *at, char *line, size_t line_bytes,
		      bool *is_whole)
{
	if (*at >= bytes)
		return false;
	const char *end = memchr(text + *at, '\n', bytes - *at);
	size_t length = end ? (size_t)(end - text) - *at : bytes - *at;

	*is_whole = length < line_bytes && !memchr(text + *at, 0, length);
	line[0] = 0;
	if (*is_whole) {
		memcpy(line, text + *at, length);
		line[length] = 0;
	}
	*at += length + 1;
	return true;
}

static bool add_group_line(struct stats_request *request, const char *where, char *line,
			   struct err *err)
{
	struct formula formula;
	char pair[2 * GROUP_LINE_BYTES];

	line[strcspn(line, "#\r")] = 0;
	line += strspn(line, " \t");
	for (size_t length = strlen(line); length && strchr(" \t", line[length - 1]); length--)
		line[length - 1] = 0;
	if (!*line)
		return true;
	if (strchr(line, '=')) {
		if (!formula_read(&formula, line, err))
			return false;
		stats_request_add_formula(request, line, where);
		return true;
	}
	if (strpbrk(line, " \t@"))
		return err_set(err, "\"%s\" is neither a signal nor NAME = FORMULA", line);
	snprintf(pair, sizeof(pair), "%s%s%s", line, *where ? "@" : "", where);
	stats_wish_add(&request->first, pair);
	return true;
}

bool stats_request_add_group(struct stats_request *request, const char *name, const char *where,
			     const char *text, size_t bytes, struct err *err)
{
	char line[GROUP_LINE_BYTES];
	unsigned number = 0;
	bool is_whole;

	for (size_t at = 0; next_line(text, bytes, &at, line, sizeof(line), &is_whole);) {
		number++;
		if (!is_whole)
			return err_set(err, "group %s, line %u: more than %zu bytes, or no text",
				       name, number, sizeof(line) - 1);
		if (!add_group_line(request, where, line, err))
			return err_prefix(err, "group %s, line %u", name, number);
	}
	return true;
}

static bool read_log_line(struct stats_wish *wish, char *line, struct err *err)
{
	unsigned long long at, period;
	int used = 0;

	if (sscanf(line, "%20llu %20llu %n", &at, &period, &used) < 2 || !used || !period ||
	    period > UINT32_MAX || strchr(line, '-') == line)
		return err_set(err, "expected a cycle, a period of 1 to %u cycles, and pairs",
			       UINT32_MAX);
	wish->at = at;
	wish->period_cycles = (uint32_t)period;
	add_words(wish, line + used);
	return true;
}

bool stats_request_read_log(struct stats_request *request, const char *text, size_t bytes,
			    struct err *err)
{
	char *line = mem_alloc(STATS_TEXT_BYTES);
	uint64_t before = 0;
	unsigned number = 0;
	bool is_whole, ok = true;

	stats_wish_release(&request->first);
	release_changes(request);
	for (size_t at = 0; ok && next_line(text, bytes, &at, line, STATS_TEXT_BYTES, &is_whole);) {
		struct stats_wish wish = {0};

		if (++number == 1) {
			ok = strcmp(line, STATS_LOG_HEADING) == 0 ||
			     err_set(err, "it does not begin with the line %s", STATS_LOG_HEADING);
			continue;
		}
		ok = is_whole ? read_log_line(&wish, line, err)
			      : err_set(err, "the line is too long");
		if (ok && (number == 2 ? wish.at != 0 : !wish.at || wish.at < before))
			ok = err_set(err, number == 2 ? "the first epoch begins at cycle 0"
						      : "epochs begin one after the other");
		if (ok && number > STATS_CHANGES_MOST)
			ok = err_set(err, "there are more than %d epochs", STATS_CHANGES_MOST);
		before = wish.at;
		if (!ok)
			err_prefix(err, "line %u", number);
		if (ok && number == 2)
			request->first = wish;
		else if (ok)
			*ARRAY_PUSH(request->changes, request->change_count,
				    request->change_capacity) = wish;
		else
			stats_wish_release(&wish);
	}
	free(line);
	return ok && (number >= 2 || err_set(err, "there is no epoch in it"));
}
