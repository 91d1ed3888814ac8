/*
 * interp - an interpreter running a mail archiver, in the character of perlbmk.
 *
 * SPEC's perlbmk is the perl interpreter with a few scripts that read mail:
 * it parses a script to a chain of ops, each a pointer to the C function that
 * performs it, and the run loop calls one after the other. So does this one,
 * for a small language of its own with what makes perl large: reference
 * counted values that are numbers or strings as needed, arrays, hashes,
 * backtracking regular expressions with captures and substitution, dozens of
 * builtins on strings, and subroutines. The script below archives a mailbox
 * made from the seed: headers, threads, dates, scores, addresses, word lists.
 *
 * As in perl there is no hot loop: a message sends the run loop through most
 * of the operations once, in an order the script and the mail decide, each a
 * short function behind an indirect call, and the instruction cache suffers.
 * The data is small strings from malloc and chained hash tables.
 *
 * Checked: what the script reports (messages, days, scores, words, threads,
 * writers) against a tally kept while the mailbox was written; and that no
 * value is left alive when the interpreter is done.
 */
#include "interp_builtins.h"
#include "interp_script.h"

static void token_next(struct vm *vm)
{
	static const char *const pairs[] = {"=~", "==", "<=", ">=", "&&", "||", "+=", ".="};
	const char *s = vm->source + strspn(vm->source, " \n"), *end = s + 1;

	if (!*s) {
		vm->token_kind = END;
		end = s;
	} else if (*s >= '0' && *s <= '9') {
		vm->token_kind = NUMBER;
		end = s + strspn(s, "0123456789");
	} else if ((*s | 32) >= 'a' && (*s | 32) <= 'z') {
		vm->token_kind = NAME;
		while (*end == '_' || ((*end | 32) >= 'a' && (*end | 32) <= 'z'))
			end++;
	} else if (*s == '\'') {
		vm->token_kind = STRING;
		end = strchr(++s, '\'');
	} else {
		vm->token_kind = MARK;
		for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
			if (memcmp(s, pairs[i], 2) == 0)
				end = s + 2;
	}
	if (!end || (size_t)(end - s) >= sizeof(vm->token))
		fail(vm, "bad token");
	memcpy(vm->token, s, (size_t)(end - s));
	vm->token[end - s] = 0;
	vm->source = end + (vm->token_kind == STRING);
}

static int token_is(const struct vm *vm, const char *text)
{
	return vm->token[0] == text[0] && vm->token_kind != STRING && strcmp(vm->token, text) == 0;
}

static int accept(struct vm *vm, const char *text)
{
	if (!token_is(vm, text))
		return 0;
	token_next(vm);
	return 1;
}

static void expect(struct vm *vm, const char *text)
{
	if (!accept(vm, text))
		fail(vm, text);
}

static struct op *emit(struct vm *vm, op_function *run)
{
	struct op *op = workload_alloc(sizeof(*op));

	op->run = run;
	op->before = vm->tail;
	if (vm->tail)
		vm->tail->next = op;
	vm->tail = op;
	return op;
}

static void unemit(struct vm *vm)
{
	struct op *last = vm->tail;

	vm->tail = last->before;
	vm->tail->next = NULL;
	free(last);
}

static int slot_of(char (*names)[NAME_MAX_BYTES], int *count, int limit, const struct vm *vm)
{
	for (int i = 0; i < *count; i++)
		if (strcmp(names[i], vm->token) == 0)
			return i;
	if (*count == limit || strlen(vm->token) >= NAME_MAX_BYTES)
		fail(vm, "too many names");
	strcpy(names[*count], vm->token);
	return (*count)++;
}

/* Reads or writes the variable whose name is the token. */
static void emit_variable(struct vm *vm, int set)
{
	struct op *op;

	if (vm->token[0] >= 'a') {
		op = emit(vm, set ? op_set_local : op_get_local);
		op->slot = slot_of(vm->sub->locals, &vm->sub->local_count, 32, vm);
	} else {
		op = emit(vm, set ? op_set_global : op_get_global);
		op->slot = slot_of(vm->global_names, &vm->global_count, GLOBALS, vm);
	}
}

static void expression(struct vm *vm, int level);

static int arguments(struct vm *vm, const char *close)
{
	int count = 0;

	while (!accept(vm, close)) {
		expression(vm, 1);
		count++;
		if (!token_is(vm, close))
			expect(vm, ",");
	}
	return count;
}

static void call(struct vm *vm, const char *name)
{
	int count = arguments(vm, ")");
	struct op *op;

	for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++) {
		if (builtins[i].name[0] != name[0] || strcmp(builtins[i].name, name) != 0)
			continue;
		if (builtins[i].arguments >= 0 && builtins[i].arguments != count)
			fail(vm, "wrong number of arguments");
		op = emit(vm, op_builtin);
		op->builtin = &builtins[i];
		op->count = count;
		return;
	}
	op = emit(vm, op_call);
	for (op->sub = vm->subs; op->sub; op->sub = op->sub->next)
		if (strcmp(op->sub->name, name) == 0 && op->sub->parameters == count)
			return;
	fail(vm, "no such sub");
}

static void primary(struct vm *vm)
{
	char name[sizeof(vm->token)];
	const char *ahead = vm->source;

	if (accept(vm, "(")) {
		expression(vm, 1);
		expect(vm, ")");
	} else if (accept(vm, "!")) {
		primary(vm);
		emit(vm, op_not);
		return;
	} else if (accept(vm, "[")) {
		int count = arguments(vm, "]");

		emit(vm, op_array)->count = count;
	} else if (accept(vm, "{")) {
		expect(vm, "}");
		emit(vm, op_hash);
	} else if (vm->token_kind == NUMBER || vm->token_kind == STRING) {
		emit(vm, op_constant)->constant =
			vm->token_kind == NUMBER ? number(&vm->heap, strtoll(vm->token, NULL, 10))
						 : string(&vm->heap, vm->token, strlen(vm->token));
		token_next(vm);
	} else if (vm->token_kind == NAME && *ahead == '(') {
		strcpy(name, vm->token);
		token_next(vm);
		expect(vm, "(");
		call(vm, name);
	} else if (vm->token_kind == NAME) {
		emit_variable(vm, 0);
		token_next(vm);
	} else {
		fail(vm, "expression expected");
	}
	while (accept(vm, "[")) {
		expression(vm, 1);
		expect(vm, "]");
		emit(vm, op_get_element);
	}
}

/* After =~: /pattern/ or, for a variable, s/pattern/replacement/. */
static void pattern(struct vm *vm)
{
	const char *s = vm->source + strspn(vm->source, " ");
	int substitute = *s == 's', slot = vm->tail->slot;
	op_function *set = vm->tail->run == op_get_local ? op_set_local : op_set_global;
	struct op *op = emit(vm, substitute ? op_substitute : op_match);
	char text[64];
	size_t length;

	s += substitute + 1;
	length = strcspn(s, "/");
	memcpy(text, s, length);
	text[length] = 0;
	op->regex = workload_alloc(sizeof(*op->regex));
	regex_compile(op->regex, text);
	s += length + 1;
	if (substitute) {
		length = strcspn(s, "/");
		memcpy(op->replacement, s, length);
		s += length + 1;
		emit(vm, set)->slot = slot;
	}
	vm->source = s;
	token_next(vm);
}

static const struct infix {
	const char *mark;
	int level;
	op_function *run;
} infixes[] = {
	{"||", 1, op_or},
	{"&&", 2, op_and},
	{"==", 3, op_equal},
	{"<", 3, op_less},
	{"<=", 3, op_less_equal},
	{">", 3, op_greater},
	{">=", 3, op_greater_equal},
	{"eq", 3, op_same},
	{"ne", 3, op_differ},
	{"=~", 3, op_match},
	{"+", 4, op_add},
	{"-", 4, op_subtract},
	{".", 4, op_concat},
	{"*", 5, op_multiply},
	{"/", 5, op_divide},
	{"%", 5, op_modulo},
	{"x", 5, op_repeat},
};

static const struct infix *infix_find(const struct vm *vm)
{
	for (size_t i = 0; i < sizeof(infixes) / sizeof(infixes[0]); i++)
		if (token_is(vm, infixes[i].mark))
			return &infixes[i];
	return NULL;
}

static void expression(struct vm *vm, int level)
{
	const struct infix *in;

	primary(vm);
	while ((in = infix_find(vm)) != NULL && in->level >= level) {
		if (in->run == op_match) {
			pattern(vm);
			continue;
		}
		token_next(vm);
		if (in->level <= 2) {
			struct op *choice = emit(vm, in->run);

			expression(vm, in->level + 1);
			choice->other = emit(vm, op_null);
		} else {
			expression(vm, in->level + 1);
			emit(vm, in->run);
		}
	}
}

static void statement(struct vm *vm);

static void block(struct vm *vm)
{
	expect(vm, "{");
	while (!accept(vm, "}"))
		statement(vm);
}

static void if_statement(struct vm *vm)
{
	struct op *test, *over;

	expression(vm, 1);
	test = emit(vm, op_unless);
	block(vm);
	if (accept(vm, "else")) {
		over = emit(vm, op_jump);
		test->other = emit(vm, op_null);
		block(vm);
		over->other = emit(vm, op_null);
	} else {
		test->other = emit(vm, op_null);
	}
}

static void while_statement(struct vm *vm)
{
	struct op *again = emit(vm, op_null), *test;

	expression(vm, 1);
	test = emit(vm, op_unless);
	block(vm);
	emit(vm, op_jump)->other = again;
	test->other = emit(vm, op_null);
}

static void for_statement(struct vm *vm)
{
	char name[sizeof(vm->token)], keyword[sizeof(vm->token)];
	struct op *next;

	strcpy(name, vm->token);
	token_next(vm);
	expect(vm, "in");
	expression(vm, 1);
	emit(vm, op_iterate);
	next = emit(vm, op_next_item);
	strcpy(keyword, vm->token);
	strcpy(vm->token, name);
	emit_variable(vm, 1);
	strcpy(vm->token, keyword);
	block(vm);
	emit(vm, op_jump)->other = next;
	next->other = emit(vm, op_null);
}

/* The place just compiled as a read becomes the target of =, += or .= */
static void assignment(struct vm *vm)
{
	struct op *place = vm->tail;
	op_function *read = place->run, *combine = NULL;
	int slot = place->slot;

	if (token_is(vm, "+="))
		combine = op_add;
	else if (token_is(vm, ".="))
		combine = op_concat;
	token_next(vm);
	if (read == op_get_element && combine) {
		place->run = op_copy_two;
		emit(vm, op_get_element);
	} else if (!combine) {
		unemit(vm);
	}
	expression(vm, 1);
	if (combine)
		emit(vm, combine);
	emit(vm, read == op_get_element ? op_set_element
		 : read == op_get_local ? op_set_local
					: op_set_global)
		->slot = slot;
}

static void statement(struct vm *vm)
{
	if (accept(vm, "if")) {
		if_statement(vm);
	} else if (accept(vm, "while")) {
		while_statement(vm);
	} else if (accept(vm, "for")) {
		for_statement(vm);
	} else if (accept(vm, "return")) {
		expression(vm, 1);
		emit(vm, op_return);
		expect(vm, ";");
	} else {
		expression(vm, 1);
		if (token_is(vm, "=") || token_is(vm, "+=") || token_is(vm, ".="))
			assignment(vm);
		else
			emit(vm, op_drop);
		expect(vm, ";");
	}
}

static struct sub *sub_begin(struct vm *vm, const char *name)
{
	struct sub *sub = workload_alloc(sizeof(*sub));

	strcpy(sub->name, name);
	sub->next = vm->subs;
	vm->subs = vm->sub = sub;
	sub->entry = emit(vm, op_null);
	return sub;
}

static void sub_end(struct vm *vm)
{
	emit(vm, op_constant)->constant = number(&vm->heap, 0);
	emit(vm, op_return);
}

static struct sub *compile(struct vm *vm, const char *source)
{
	struct sub *sub;

	vm->source = source;
	token_next(vm);
	while (accept(vm, "sub")) {
		sub = sub_begin(vm, vm->token);
		token_next(vm);
		for (expect(vm, "("); !accept(vm, ")"); accept(vm, ",")) {
			slot_of(sub->locals, &sub->local_count, 32, vm);
			sub->parameters++;
			token_next(vm);
		}
		block(vm);
		sub_end(vm);
	}
	sub = sub_begin(vm, "main");
	while (vm->token_kind != END)
		statement(vm);
	sub_end(vm);
	return sub;
}

static void run(struct vm *vm, struct sub *sub)
{
	struct op start = {.sub = sub};

	for (struct op *op = op_call(vm, &start); op; op = op->run(vm, op))
		vm->ops++;
}

static void vm_release(struct vm *vm)
{
	for (struct op *op = vm->tail, *before; op; op = before) {
		before = op->before;
		drop(&vm->heap, op->constant);
		free(op->regex);
		free(op);
	}
	for (struct sub *sub = vm->subs, *next; sub; sub = next) {
		next = sub->next;
		free(sub);
	}
	for (int i = 0; i < vm->global_count; i++)
		drop(&vm->heap, vm->globals[i]);
	for (int i = 0; i < REGEX_CAPTURES; i++)
		drop(&vm->heap, vm->captures[i]);
	while (vm->depth)
		drop(&vm->heap, pop(vm));
}

enum { FIRST_NAMES = 16, HOSTS = 4, SUBJECTS = 40, EPOCH_1996 = 728964 /* from 1 March 0000 */ };

static const char *const words[32] = {
	"river", "lantern", "over",  "quiet",  "paper", "seven",  "orange",  "window",
	"train", "garden",  "cloud", "pepper", "stone", "letter", "morning", "glass",
	"and",	 "the",	    "with",  "from",   "into",	"under",  "after",   "while",
	"sings", "carries", "turns", "paints", "finds", "leaves", "keeps",   "waits"};

struct mailbox {
	struct workload *w;
	char *text;
	size_t length, room;
	int64_t words, days, score, replies;
	uint8_t writer[FIRST_NAMES * HOSTS * 10], subject[SUBJECTS];
};

static void add(struct mailbox *box, const char *text)
{
	size_t length = strlen(text);

	if (box->length + length + 1 > box->room) {
		box->room = 2 * (box->room + length) + 4096;
		box->text = realloc(box->text, box->room);
		if (!box->text)
			abort();
	}
	memcpy(box->text + box->length, text, length + 1);
	box->length += length;
}

static const char *word(struct mailbox *box)
{
	return words[workload_below(box->w, 32)];
}

/* Walks the calendar month by month, unlike the script's formula. */
static void add_date(struct mailbox *box)
{
	static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int left = (int)workload_below(box->w, 3000), year = 1996, month = 0;
	char line[48];

	box->days += EPOCH_1996 + left;
	for (;;) {
		int days = lengths[month] + (month == 1 && year % 4 == 0);

		if (left < days)
			break;
		left -= days;
		if (++month == 12) {
			month = 0;
			year++;
		}
	}
	snprintf(line, sizeof(line), "Date: %d-%02d-%02d\n", year, month + 1, left + 1);
	add(box, line);
}

static void add_header(struct mailbox *box)
{
	static const char *const hosts[HOSTS] = {"mail.example", "post.north.example",
						 "letters.example", "a.b.c.example"};
	static const char *const replies[] = {"Re: ", "Fwd: ", "AW: "};
	uint32_t who = workload_below(box->w, sizeof(box->writer));
	uint32_t subject = workload_below(box->w, SUBJECTS);
	char line[96];

	box->writer[who] = 1;
	snprintf(line, sizeof(line), "From: %s%u@%s\nSubject: ", words[who % FIRST_NAMES],
		 who / (FIRST_NAMES * HOSTS), hosts[who / FIRST_NAMES % HOSTS]);
	add(box, line);
	while (workload_below(box->w, 3) == 0) {
		add(box, replies[workload_below(box->w, 3)]);
		box->replies++;
	}
	box->subject[subject] = 1;
	snprintf(line, sizeof(line), "%s %s\n", words[subject / 8], words[16 + subject % 8]);
	if (workload_below(box->w, 2))
		line[0] = upper(line[0]);
	add(box, line);
	add_date(box);
}

static void add_line(struct mailbox *box)
{
	uint32_t count = 2 + workload_below(box->w, 4), price;
	char line[32];

	add(box, word(box));
	for (uint32_t i = 0; i < count; i++) {
		add(box, " ");
		add(box, word(box));
	}
	box->words += count + 1;
	if (workload_below(box->w, 5) == 0) {
		add(box, workload_below(box->w, 2) ? " free " : " cheap ");
		add(box, word(box));
		box->words += 2;
		box->score += 3;
	}
	if (workload_below(box->w, 6) == 0) {
		price = workload_below(box->w, 500);
		snprintf(line, sizeof(line), " $%u", price);
		add(box, line);
		box->words++;
		box->score += price % 7 < 1 ? 1 : price % 7 > 5 ? 5 : price % 7;
	}
	if (workload_below(box->w, 6) == 0) {
		add(box, workload_below(box->w, 2) ? " NOW!" : " really!!");
		box->words++;
		box->score += 2;
	}
	add(box, "\n");
}

int main(int argc, char **argv)
{
	static const int messages[] = {2, 200, 3500};
	struct workload w = workload_begin("interp", argc, argv);
	struct mailbox box = {.w = &w};
	struct vm *vm = workload_alloc(sizeof(*vm));
	int64_t writers = 0, subjects = 0;

	for (int i = 0; i < messages[w.size]; i++) {
		add_header(&box);
		for (uint32_t n = 1 + workload_below(&w, 4); n-- > 0;)
			add_line(&box);
		add(&box, ".\n");
	}
	for (size_t i = 0; i < sizeof(box.writer); i++)
		writers += box.writer[i];
	for (size_t i = 0; i < SUBJECTS; i++)
		subjects += box.subject[i];

	vm->input = box.text;
	run(vm, compile(vm, script));
	workload_check(&w, vm->report_count == REPORTS, "the script reports everything");
	workload_check(&w, vm->reported[0] == messages[w.size], "messages counted");
	workload_check(&w, vm->reported[1] == messages[w.size], "every message has its writer");
	workload_check(&w, vm->reported[2] == box.words, "words counted");
	workload_check(&w, vm->reported[3] == box.days, "dates turned into days");
	workload_check(&w, vm->reported[4] == box.score, "lines scored");
	workload_check(&w, vm->reported[5] == box.replies, "reply marks stripped");
	workload_check(&w, vm->reported[6] == writers, "writers told apart");
	workload_check(&w, vm->reported[7] == subjects, "threads put together");
	workload_digest(&w, vm->printed);
	workload_digest(&w, vm->ops);
	for (int i = 0; i < REPORTS; i++)
		workload_digest(&w, (uint64_t)vm->reported[i]);
	vm_release(vm);
	workload_check(&w, vm->heap.live_values == 0, "no value outlives the interpreter");
	heap_release(&vm->heap);
	free(vm);
	free(box.text);
	return workload_end(&w);
}
