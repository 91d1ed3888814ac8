/*
 * program.c - for the compiler to compile: a tokenizer, a table of symbols and a machine with a
 * stack, without any header, so that nothing of the host gets in.
 */
typedef unsigned long size;
extern int printf(const char *format, ...);
extern void *calloc(size count, size bytes);

enum operation { PUSH, ADD, SUB, MUL, DIV, NEG, LOAD, STORE, JUMP, JUMP_IF, PRINT, HALT };

struct instruction {
	enum operation operation;
	long value;
};

struct machine {
	struct instruction *code;
	long stack[256], variables[26];
	int depth, at;
	double average;
	struct {
		unsigned pushes : 20, jumps : 12;
		union {
			float ratio;
			unsigned bits;
		} as;
	} statistics;
};

static long pop(struct machine *m)
{
	return m->depth > 0 ? m->stack[--m->depth] : 0;
}

static void push(struct machine *m, long value)
{
	if (m->depth < 256)
		m->stack[m->depth++] = value;
	m->statistics.pushes++;
}

static int is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static int is_letter(int c)
{
	return c >= 'a' && c <= 'z';
}

static int emit(struct machine *m, int at, enum operation operation, long value)
{
	m->code[at].operation = operation;
	m->code[at].value = value;
	return at + 1;
}

static const char *expression(struct machine *m, const char *p, int *at);

static const char *factor(struct machine *m, const char *p, int *at)
{
	long value = 0;

	if (*p == '(') {
		p = expression(m, p + 1, at);
		return *p == ')' ? p + 1 : p;
	}
	if (*p == '-') {
		p = factor(m, p + 1, at);
		*at = emit(m, *at, NEG, 0);
		return p;
	}
	if (is_letter(*p)) {
		*at = emit(m, *at, LOAD, *p - 'a');
		return p + 1;
	}
	for (; is_digit(*p); p++)
		value = value * 10 + (*p - '0');
	*at = emit(m, *at, PUSH, value);
	return p;
}

static const char *term(struct machine *m, const char *p, int *at)
{
	p = factor(m, p, at);
	while (*p == '*' || *p == '/') {
		char operation = *p;

		p = factor(m, p + 1, at);
		*at = emit(m, *at, operation == '*' ? MUL : DIV, 0);
	}
	return p;
}

static const char *expression(struct machine *m, const char *p, int *at)
{
	p = term(m, p, at);
	while (*p == '+' || *p == '-') {
		char operation = *p;

		p = term(m, p + 1, at);
		*at = emit(m, *at, operation == '+' ? ADD : SUB, 0);
	}
	return p;
}

static void step(struct machine *m)
{
	struct instruction *i = &m->code[m->at++];
	long right;

	switch (i->operation) {
	case PUSH: push(m, i->value); break;
	case ADD:
		right = pop(m);
		push(m, pop(m) + right);
		break;
	case SUB:
		right = pop(m);
		push(m, pop(m) - right);
		break;
	case MUL:
		right = pop(m);
		push(m, pop(m) * right);
		break;
	case DIV:
		right = pop(m);
		push(m, right ? pop(m) / right : 0);
		break;
	case NEG: push(m, -pop(m)); break;
	case LOAD: push(m, m->variables[i->value]); break;
	case STORE: m->variables[i->value] = pop(m); break;
	case JUMP:
		m->at = (int)i->value;
		m->statistics.jumps++;
		break;
	case JUMP_IF:
		if (pop(m))
			m->at = (int)i->value;
		break;
	case PRINT: printf("%ld\n", pop(m)); break;
	default: m->at--; break;
	}
	m->average = m->average * 0.9 + (double)m->depth * 0.1;
	m->statistics.as.ratio = (float)m->average;
}

int main(void)
{
	static const char *const texts[] = {"1+2*3", "(a+4)*-b/3", "((7))-2*(c-d*(e+1))"};
	struct machine m = {.code = calloc(256, sizeof(struct instruction)),
			    .variables = {3, 9, 4}};

	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		int at = 0;

		expression(&m, texts[i], &at);
		at = emit(&m, at, PRINT, 0);
		emit(&m, at, HALT, 0);
		for (m.at = 0; m.code[m.at].operation != HALT;)
			step(&m);
	}
	printf("%u %u %x\n", m.statistics.pushes, m.statistics.jumps, m.statistics.as.bits);
	return 0;
}
