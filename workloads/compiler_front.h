/*
 * compiler_front.h - the front half of the compiler workload: shared types,
 * source names, lexer, parser, and a walker that runs a syntax tree directly.
 *
 * The walker is the independent computation the emitted code is compared
 * with, so it works on trees as parsed, before any folding. Only compiler.c
 * includes this file; it is separate to keep either half readable.
 */
#ifndef COMPILER_FRONT_H
#define COMPILER_FRONT_H

#include <stdarg.h>

#include "workload.h"

enum { SET_WORDS = 5, MAX_VREGS = 64 * SET_WORDS, MAX_BLOCKS = 64 * SET_WORDS };
enum {
	GLOBALS = 32,
	MAX_ARGS = 3,
	MAX_LOCALS = 16,
	REGISTERS = 8,
	SCRATCH = 2,
	NAME_ROOM = 16,
	MAX_FUNCTIONS = 48
};

/* clang-format off */
enum op {
	OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_REM, OP_AND, OP_OR, OP_XOR, OP_SHL, OP_SHR,
	OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_NEG, OP_NOT, OP_LNOT,
	OP_CONST, OP_COPY, OP_LOAD, OP_STORE, OP_ARG, OP_CALL, OP_JUMP, OP_BRANCH, OP_RETURN,
	OP_FILL, OP_SPILL,
};

enum token {
	T_END, T_NUMBER, T_NAME, T_INT, T_IF, T_ELSE, T_WHILE, T_FOR, T_RETURN, T_BREAK,
	T_OPEN, T_CLOSE, T_BEGIN, T_STOP, T_LEFT, T_RIGHT, T_COMMA, T_SEMICOLON, T_ASSIGN,
	T_QUESTION, T_COLON, T_ANDAND, T_OROR, T_BANG, T_TILDE, T_OPERATOR,
};

enum kind {
	N_NUMBER, N_LOCAL, N_GLOBAL, N_BINARY, N_UNARY, N_ANDAND, N_OROR, N_COND, N_CALL,
	N_ASSIGN, N_STORE, N_IF, N_WHILE, N_RETURN, N_BREAK, N_BLOCK, N_EXPRESSION,
};

static const char *const op_spelling[] = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>",
	"==", "!=", "<", "<=", ">", ">=", "-", "~", "!"};
static const char *const op_name[] = {"add", "sub", "mul", "div", "rem", "and", "or", "xor",
	"shl", "shr", "seq", "sne", "slt", "sle", "sgt", "sge", "neg", "not", "lnot", "li", "mv",
	"ld", "st", "arg", "call", "j", "bnez", "ret", "fill", "spill"};
static const int op_precedence[] = {9, 9, 10, 10, 10, 5, 3, 4, 8, 8, 6, 6, 7, 7, 7, 7};
/* clang-format on */

struct arena {
	uint8_t *data;
	size_t used, room;
};

static void *arena_new(struct arena *a, size_t bytes)
{
	void *block = a->data + a->used;

	a->used += (bytes + 15) & ~(size_t)15;
	if (a->used > a->room)
		abort();
	return memset(block, 0, bytes);
}

struct text {
	char *data;
	size_t size, room;
};

static void text_reserve(struct text *t, size_t more)
{
	if (t->size + more <= t->room)
		return;
	t->room = 2 * t->room + more + 4096;
	t->data = realloc(t->data, t->room);
	if (!t->data)
		abort();
}

static char *put_number(char *to, int number)
{
	unsigned left = number < 0 ? 0u - (unsigned)number : (unsigned)number, place = 1;

	if (number < 0)
		*to++ = '-';
	while (left / place >= 10)
		place *= 10;
	for (; place > 0; place /= 10)
		*to++ = (char)('0' + left / place % 10);
	return to;
}

/* Knows %s and %d; what one call adds must fit in 160 bytes. */
__attribute__((format(printf, 2, 3))) static void text_add(struct text *t, const char *format, ...)
{
	va_list args;
	char *to;

	text_reserve(t, 160);
	to = t->data + t->size;
	va_start(args, format);
	for (; *format; format++) {
		if (*format != '%') {
			*to++ = *format;
		} else if (*++format == 'd') {
			to = put_number(to, va_arg(args, int));
		} else {
			for (const char *s = va_arg(args, const char *); *s;)
				*to++ = *s++;
		}
	}
	va_end(args);
	*to = '\0';
	t->size = (size_t)(to - t->data);
}

__attribute__((format(printf, 2, 3))) static void text_print(struct text *t, const char *format,
							     ...)
{
	va_list args;

	text_reserve(t, 160);
	va_start(args, format);
	t->size += (size_t)vsnprintf(t->data + t->size, 160, format, args);
	va_end(args);
}

struct name {
	char spelling[NAME_ROOM];
	struct name *next;
	enum token keyword;
	int function, local, owner;
};

struct node {
	uint8_t kind, op;
	int32_t value;
	struct node *a, *b, *c, *next;
};

struct insn {
	uint8_t op, immediate;
	int dst, a, b;
	int32_t value;
	struct insn *prev, *next;
};

struct set {
	uint64_t word[SET_WORDS];
};

struct block {
	struct insn head;
	struct block *to[2];
	int index, reached, preds;
	struct set live_in, live_out, used, defined, dominators;
};

struct code {
	uint8_t op, immediate, dst, a, b;
	int32_t value;
};

struct function {
	const struct name *name;
	int n_args, n_locals, n_slots, n_code;
	struct node *body;
	struct code *code;
};

struct compiler {
	struct workload *w;
	struct arena arena;
	struct name *bucket[128];
	struct function function[MAX_FUNCTIONS];
	int n_functions;
	const char *at;
	enum token token;
	int32_t number;
	struct name *word;
	enum op binary;
	struct block *block[MAX_BLOCKS];
	int n_blocks, n_vregs;
	struct block *current, *loop_exit;
	struct values *values;
	int where[MAX_VREGS];
	int32_t globals[GLOBALS];
	struct text listing;
};

static int set_has(const struct set *s, int i)
{
	return s->word[i >> 6] >> (i & 63) & 1;
}

static void set_add(struct set *s, int i)
{
	s->word[i >> 6] |= UINT64_C(1) << (i & 63);
}

static void set_remove(struct set *s, int i)
{
	s->word[i >> 6] &= ~(UINT64_C(1) << (i & 63));
}

/* Division by zero gives 0, the remainder the dividend; arithmetic wraps. */
static int32_t evaluate(enum op op, int32_t x, int32_t y)
{
	uint32_t a = (uint32_t)x, b = (uint32_t)y;

	switch (op) {
	case OP_ADD: return (int32_t)(a + b);
	case OP_SUB: return (int32_t)(a - b);
	case OP_MUL: return (int32_t)(a * b);
	case OP_DIV: return y == 0 ? 0 : (int32_t)((int64_t)x / y);
	case OP_REM: return y == 0 ? x : (int32_t)((int64_t)x % y);
	case OP_AND: return x & y;
	case OP_OR: return x | y;
	case OP_XOR: return x ^ y;
	case OP_SHL: return (int32_t)(a << (b & 31));
	case OP_SHR: return x >> (b & 31);
	case OP_EQ: return x == y;
	case OP_NE: return x != y;
	case OP_LT: return x < y;
	case OP_LE: return x <= y;
	case OP_GT: return x > y;
	case OP_GE: return x >= y;
	case OP_NEG: return (int32_t)(0u - a);
	case OP_NOT: return ~x;
	default: return !x;
	}
}

static struct name *name_find(struct compiler *c, const char *spelling, size_t length)
{
	uint32_t hash = 0;
	struct name *n;

	for (size_t i = 0; i < length; i++)
		hash = hash * 31 + (uint8_t)spelling[i];
	for (n = c->bucket[hash % 128]; n; n = n->next)
		if (strncmp(n->spelling, spelling, length) == 0 && n->spelling[length] == '\0')
			return n;
	n = arena_new(&c->arena, sizeof(*n));
	memcpy(n->spelling, spelling, length);
	n->keyword = T_NAME;
	n->function = n->owner = -1;
	n->next = c->bucket[hash % 128];
	return c->bucket[hash % 128] = n;
}

static enum token lex_operator(struct compiler *c, char first)
{
	int doubled = *c->at == first, equals = *c->at == '=';

	switch (first) {
	case '(': return T_OPEN;
	case ')': return T_CLOSE;
	case '{': return T_BEGIN;
	case '}': return T_STOP;
	case '[': return T_LEFT;
	case ']': return T_RIGHT;
	case ',': return T_COMMA;
	case ';': return T_SEMICOLON;
	case '?': return T_QUESTION;
	case ':': return T_COLON;
	case '~': return T_TILDE;
	case '+': c->binary = OP_ADD; break;
	case '-': c->binary = OP_SUB; break;
	case '*': c->binary = OP_MUL; break;
	case '/': c->binary = OP_DIV; break;
	case '%': c->binary = OP_REM; break;
	case '^': c->binary = OP_XOR; break;
	case '&':
		c->binary = OP_AND;
		c->at += doubled;
		return doubled ? T_ANDAND : T_OPERATOR;
	case '|':
		c->binary = OP_OR;
		c->at += doubled;
		return doubled ? T_OROR : T_OPERATOR;
	case '=':
	case '!':
		c->binary = first == '=' ? OP_EQ : OP_NE;
		c->at += equals;
		return equals ? T_OPERATOR : first == '=' ? T_ASSIGN : T_BANG;
	case '<':
		c->binary = doubled ? OP_SHL : equals ? OP_LE : OP_LT;
		c->at += doubled || equals;
		break;
	default:
		c->binary = doubled ? OP_SHR : equals ? OP_GE : OP_GT;
		c->at += doubled || equals;
		break;
	}
	return T_OPERATOR;
}

static void advance(struct compiler *c)
{
	const char *start;

	while (*c->at == ' ' || *c->at == '\n' || *c->at == '\t')
		c->at++;
	start = c->at;
	if (*start == '\0') {
		c->token = T_END;
	} else if (*start >= '0' && *start <= '9') {
		for (c->number = 0; *c->at >= '0' && *c->at <= '9'; c->at++)
			c->number = c->number * 10 + (*c->at - '0');
		c->token = T_NUMBER;
	} else if ((*start >= 'a' && *start <= 'z') || *start == '_') {
		while ((*c->at >= 'a' && *c->at <= 'z') || (*c->at >= '0' && *c->at <= '9') ||
		       *c->at == '_')
			c->at++;
		c->word = name_find(c, start, (size_t)(c->at - start));
		c->token = c->word->keyword;
	} else {
		c->at++;
		c->token = lex_operator(c, *start);
	}
}

static int accept(struct compiler *c, enum token token)
{
	if (c->token != token)
		return 0;
	advance(c);
	return 1;
}

static void expect(struct compiler *c, enum token token)
{
	workload_check(c->w, accept(c, token), "the source parses");
}

static struct node *node_new(struct compiler *c, enum kind kind, struct node *a, struct node *b)
{
	struct node *n = arena_new(&c->arena, sizeof(*n));

	n->kind = (uint8_t)kind;
	n->a = a;
	n->b = b;
	return n;
}

static struct node *number_node(struct compiler *c, int32_t value)
{
	struct node *n = node_new(c, N_NUMBER, NULL, NULL);

	n->value = value;
	return n;
}

static struct node *op_node(struct compiler *c, enum op op, struct node *a, struct node *b)
{
	struct node *n = node_new(c, b ? N_BINARY : N_UNARY, a, b);

	n->op = (uint8_t)op;
	return n;
}

static struct node *parse_expression(struct compiler *c);

static int local_of(struct compiler *c, struct name *word)
{
	struct function *f = &c->function[c->n_functions];

	if (word->owner != c->n_functions) {
		word->owner = c->n_functions;
		word->local = f->n_locals++;
		workload_check(c->w, f->n_locals <= MAX_LOCALS, "a function has few enough locals");
	}
	return word->local;
}

static struct node *parse_primary(struct compiler *c)
{
	struct name *word = c->word;
	struct node *n, **link;

	switch (c->token) {
	case T_NUMBER:
		n = number_node(c, c->number);
		advance(c);
		return n;
	case T_OPEN:
		advance(c);
		n = parse_expression(c);
		expect(c, T_CLOSE);
		return n;
	case T_BANG: advance(c); return op_node(c, OP_LNOT, parse_primary(c), NULL);
	case T_TILDE: advance(c); return op_node(c, OP_NOT, parse_primary(c), NULL);
	case T_OPERATOR: advance(c); return op_node(c, OP_NEG, parse_primary(c), NULL);
	default: break;
	}
	expect(c, T_NAME);
	if (accept(c, T_LEFT)) {
		n = node_new(c, N_GLOBAL, parse_expression(c), NULL);
		expect(c, T_RIGHT);
	} else if (accept(c, T_OPEN)) {
		n = node_new(c, N_CALL, NULL, NULL);
		n->value = word->function;
		for (link = &n->a; c->token != T_CLOSE; link = &(*link)->next) {
			*link = node_new(c, N_EXPRESSION, parse_expression(c), NULL);
			accept(c, T_COMMA);
		}
		expect(c, T_CLOSE);
	} else {
		n = node_new(c, N_LOCAL, NULL, NULL);
		n->value = local_of(c, word);
	}
	return n;
}

static struct node *parse_binary(struct compiler *c, int floor)
{
	struct node *left = parse_primary(c);

	for (;;) {
		int precedence = c->token == T_OROR	  ? 1
				 : c->token == T_ANDAND	  ? 2
				 : c->token == T_OPERATOR ? op_precedence[c->binary]
							  : 0;
		enum token token = c->token;
		enum op op = c->binary;
		struct node *right;

		if (precedence <= floor)
			return left;
		advance(c);
		right = parse_binary(c, precedence);
		left = token == T_OPERATOR
			       ? op_node(c, op, left, right)
			       : node_new(c, token == T_OROR ? N_OROR : N_ANDAND, left, right);
	}
}

static struct node *parse_expression(struct compiler *c)
{
	struct node *n = parse_binary(c, 0);

	if (accept(c, T_QUESTION)) {
		n = node_new(c, N_COND, n, parse_expression(c));
		expect(c, T_COLON);
		n->c = parse_expression(c);
	}
	return n;
}

static struct node *parse_simple(struct compiler *c)
{
	struct name *word = c->word;
	struct node *n;

	expect(c, T_NAME);
	if (accept(c, T_LEFT)) {
		n = node_new(c, N_STORE, parse_expression(c), NULL);
		expect(c, T_RIGHT);
		expect(c, T_ASSIGN);
		n->b = parse_expression(c);
		return n;
	}
	expect(c, T_ASSIGN);
	n = node_new(c, N_ASSIGN, parse_expression(c), NULL);
	n->value = local_of(c, word);
	return n;
}

static struct node *parse_block(struct compiler *c);

static struct node *parse_statement(struct compiler *c)
{
	struct node *n, *condition, *last;

	if (accept(c, T_IF)) {
		expect(c, T_OPEN);
		n = node_new(c, N_IF, parse_expression(c), NULL);
		expect(c, T_CLOSE);
		n->b = parse_block(c);
		n->c = accept(c, T_ELSE) ? parse_block(c) : NULL;
		return n;
	}
	if (accept(c, T_WHILE)) {
		expect(c, T_OPEN);
		n = node_new(c, N_WHILE, parse_expression(c), NULL);
		expect(c, T_CLOSE);
		n->b = parse_block(c);
		return n;
	}
	if (accept(c, T_FOR)) {
		expect(c, T_OPEN);
		n = node_new(c, N_BLOCK, parse_simple(c), NULL);
		expect(c, T_SEMICOLON);
		condition = parse_expression(c);
		expect(c, T_SEMICOLON);
		last = parse_simple(c);
		expect(c, T_CLOSE);
		last = node_new(c, N_BLOCK, node_new(c, N_BLOCK, parse_block(c), NULL), last);
		last->a->next = last->b;
		n->a->next = node_new(c, N_WHILE, condition, last);
		return n;
	}
	if (accept(c, T_RETURN))
		n = node_new(c, N_RETURN, parse_expression(c), NULL);
	else if (accept(c, T_BREAK))
		n = node_new(c, N_BREAK, NULL, NULL);
	else
		n = (accept(c, T_INT), parse_simple(c));
	expect(c, T_SEMICOLON);
	return n;
}

static struct node *parse_block(struct compiler *c)
{
	struct node *block = node_new(c, N_BLOCK, NULL, NULL), **link = &block->a;

	expect(c, T_BEGIN);
	for (; !accept(c, T_STOP); link = &(*link)->next)
		*link = parse_statement(c);
	return block;
}

static void parse_function(struct compiler *c)
{
	struct function *f = &c->function[c->n_functions];

	memset(f, 0, sizeof(*f));
	expect(c, T_INT);
	f->name = c->word;
	c->word->function = c->n_functions;
	expect(c, T_NAME);
	expect(c, T_OPEN);
	while (accept(c, T_INT)) {
		local_of(c, c->word);
		f->n_args++;
		expect(c, T_NAME);
		accept(c, T_COMMA);
	}
	expect(c, T_CLOSE);
	f->body = parse_block(c);
}

/* Runs trees as they were parsed. */
struct walk {
	int32_t local[MAX_LOCALS];
	int32_t result;
	int returned, broke;
};

static int32_t walk_function(struct compiler *c, const struct function *f, const int32_t *args);

static int32_t walk_value(struct compiler *c, struct walk *k, const struct node *n)
{
	int32_t args[MAX_ARGS] = {0}, left;
	int i = 0;

	switch (n->kind) {
	case N_NUMBER: return n->value;
	case N_LOCAL: return k->local[n->value];
	case N_GLOBAL: return c->globals[walk_value(c, k, n->a) & (GLOBALS - 1)];
	case N_UNARY: return evaluate(n->op, walk_value(c, k, n->a), 0);
	case N_ANDAND: return walk_value(c, k, n->a) && walk_value(c, k, n->b);
	case N_OROR: return walk_value(c, k, n->a) || walk_value(c, k, n->b);
	case N_COND: return walk_value(c, k, walk_value(c, k, n->a) ? n->b : n->c);
	case N_CALL:
		for (const struct node *arg = n->a; arg; arg = arg->next)
			args[i++] = walk_value(c, k, arg->a);
		return walk_function(c, &c->function[n->value], args);
	default:
		left = walk_value(c, k, n->a);
		return evaluate(n->op, left, walk_value(c, k, n->b));
	}
}

static void walk_statement(struct compiler *c, struct walk *k, const struct node *n)
{
	int32_t index;

	switch (n->kind) {
	case N_ASSIGN: k->local[n->value] = walk_value(c, k, n->a); break;
	case N_STORE:
		index = walk_value(c, k, n->a) & (GLOBALS - 1);
		c->globals[index] = walk_value(c, k, n->b);
		break;
	case N_IF:
		if (walk_value(c, k, n->a))
			walk_statement(c, k, n->b);
		else if (n->c)
			walk_statement(c, k, n->c);
		break;
	case N_WHILE:
		while (!k->returned && !k->broke && walk_value(c, k, n->a))
			walk_statement(c, k, n->b);
		k->broke = 0;
		break;
	case N_RETURN:
		k->result = walk_value(c, k, n->a);
		k->returned = 1;
		break;
	case N_BREAK: k->broke = 1; break;
	default:
		for (n = n->a; n && !k->returned && !k->broke; n = n->next)
			walk_statement(c, k, n);
		break;
	}
}

static int32_t walk_function(struct compiler *c, const struct function *f, const int32_t *args)
{
	struct walk k = {.returned = 0};

	for (int i = 0; i < f->n_args; i++)
		k.local[i] = args[i];
	walk_statement(c, &k, f->body);
	return k.result;
}

#endif
