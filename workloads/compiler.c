/*
 * compiler - stands for gcc (SPEC CPU2000 176.gcc).
 *
 * An optimising compiler for a small C-like language, and the source text to
 * feed it. Each function goes through lexer, parser, tree folding, lowering
 * to a chain of instructions in basic blocks, control-flow cleaning, value
 * numbering, liveness, dead-code removal, dominators and loop-invariant
 * motion, linear-scan register allocation, code emission and an assembly
 * listing. As in the original no loop is hot: many small functions are each
 * handed through one pass after another, every pass being a web of cases over
 * operators, so far more code is touched than an instruction cache holds.
 * Data are linked trees, instruction chains, bit sets and hashed names.
 *
 * Checked: the emitted code, run on a register machine, returns what a
 * walk over the unfolded syntax tree returns and leaves the same globals.
 */
#include "compiler_front.h"

/* Writes source text; every loop counts a variable of its own, so every program ends. */
struct writer {
	struct workload *w;
	struct text *text;
	int n_variables, depth, loops, budget, calls, n_callable;
	char variable[8][NAME_ROOM], callable[MAX_FUNCTIONS][NAME_ROOM];
};

static void write_expression(struct writer *g, int depth);

/* A few elements are named often, so that loads and stores meet. */
static void write_element(struct writer *g, int depth)
{
	if (workload_below(g->w, 2)) {
		text_add(g->text, "data[%d]", (int)workload_below(g->w, 3));
		return;
	}
	text_add(g->text, "data[");
	write_expression(g, depth);
	text_add(g->text, "]");
}

static void write_expression(struct writer *g, int depth)
{
	uint32_t pick = workload_below(g->w, depth <= 0 || g->budget <= 0 ? 10 : 34);
	int op;

	g->budget--;
	if (pick < 5) {
		text_add(g->text, "%s",
			 g->variable[workload_below(g->w, (uint32_t)g->n_variables)]);
	} else if (pick < 9) {
		text_add(g->text, "%d", (int)workload_below(g->w, pick == 8 ? 100000 : 17));
	} else if (pick < 11) {
		write_element(g, depth - 2);
	} else if (pick < 13) {
		text_add(g->text, "%s(", op_spelling[OP_NEG + workload_below(g->w, 3)]);
		write_expression(g, depth - 1);
		text_add(g->text, ")");
	} else if (pick < 14) {
		text_add(g->text, "(");
		write_expression(g, depth - 2);
		text_add(g->text, " ? ");
		write_expression(g, depth - 2);
		text_add(g->text, " : ");
		write_expression(g, depth - 2);
		text_add(g->text, ")");
	} else if (pick < 16 && g->n_callable > 0 && g->loops == 0) {
		g->calls++;
		text_add(g->text, "%s(",
			 g->callable[workload_below(g->w, (uint32_t)g->n_callable)]);
		for (int i = 0; i < MAX_ARGS; i++) {
			write_expression(g, depth - 2);
			text_add(g->text, i < MAX_ARGS - 1 ? ", " : ")");
		}
	} else {
		op = (int)workload_below(g->w, 16);
		text_add(g->text, "(");
		write_expression(g, depth - 1);
		if (pick < 18)
			text_add(g->text, " %s ", pick & 1 ? "&&" : "||");
		else
			text_add(g->text, " %s ", op_spelling[pick < 22 ? OP_ADD : op]);
		write_expression(g, depth - 1);
		text_add(g->text, ")");
	}
}

static void write_body(struct writer *g, int statements);

static void write_statement(struct writer *g)
{
	uint32_t pick = workload_below(g->w, g->depth >= 2 ? 11 : 20);
	const char *target = g->variable[workload_below(g->w, (uint32_t)g->n_variables)];
	int counter = g->loops;

	text_add(g->text, "%s", &"\t\t\t\t\t\t"[6 - g->depth]);
	if (pick < 9) {
		text_add(g->text, "%s = ", target);
		write_expression(g, 2);
		text_add(g->text, ";\n");
	} else if (pick < 11) {
		write_element(g, 1);
		text_add(g->text, " = ");
		write_expression(g, 2);
		text_add(g->text, ";\n");
	} else if (pick < 17) {
		text_add(g->text, "if (");
		write_expression(g, 2);
		text_add(g->text, ") {\n");
		write_body(g, 1 + (int)workload_below(g->w, 2));
		if (workload_below(g->w, 2)) {
			text_add(g->text, "} else {\n");
			write_body(g, 1 + (int)workload_below(g->w, 2));
		} else if (workload_below(g->w, 3) == 0) {
			text_add(g->text, g->loops ? "break;\n" : "return %s;\n", target);
		}
		text_add(g->text, "}\n");
	} else if (g->loops < 2) {
		g->loops++;
		if (pick < 19) {
			text_add(g->text, "for (i%d = 0; i%d < %d; i%d = i%d + 1) {\n", counter,
				 counter, 2 + (int)workload_below(g->w, 2), counter, counter);
			write_body(g, 1 + (int)workload_below(g->w, 2));
		} else {
			text_add(g->text, "i%d = 0;\nwhile (i%d < 3 && ", counter, counter);
			write_expression(g, 2);
			text_add(g->text, ") {\n  i%d = i%d + 1;\n", counter, counter);
			write_body(g, 1 + (int)workload_below(g->w, 2));
		}
		text_add(g->text, "}\n");
		g->loops--;
	} else {
		text_add(g->text, "%s = i0 + i1;\n", target);
	}
}

static void write_body(struct writer *g, int statements)
{
	g->depth++;
	for (int i = 0; i < statements; i++)
		write_statement(g);
	g->depth--;
}

static void write_function(struct writer *g, int index)
{
	static const char *const stems[] = {"count", "total", "shift", "limit", "inner", "carry",
					    "width", "label", "delta", "score", "index", "state"};
	char name[NAME_ROOM];

	snprintf(name, sizeof(name), "%s_%d", stems[workload_below(g->w, 12)], index);
	g->n_variables = 0;
	g->depth = g->loops = g->calls = 0;
	g->budget = 16;
	text_add(g->text, "int %s(", name);
	for (int i = 0; i < 5; i++) {
		snprintf(g->variable[i], NAME_ROOM, "%s%d", stems[workload_below(g->w, 12)], i);
		if (i < MAX_ARGS)
			text_add(g->text, "int %s%s", g->variable[i], i == 2 ? ") {\n" : ", ");
		if (i < MAX_ARGS) {
			g->n_variables++;
			continue;
		}
		text_add(g->text, "  int %s = ", g->variable[i]);
		write_expression(g, 2);
		text_add(g->text, ";\n");
		g->n_variables++;
	}
	text_add(g->text, "  int i0 = 0;\n  int i1 = 0;\n");
	write_body(g, 1 + (int)workload_below(g->w, 2));
	/* What became of every variable shows in the result. */
	text_add(g->text, "  return ");
	write_expression(g, 2);
	for (int i = 0; i < g->n_variables; i++)
		text_add(g->text, " + %s * %d", g->variable[i], 2 * i + 3);
	text_add(g->text, ";\n}\n");
	/* Only functions that call nothing may be called, which bounds the running time. */
	if (!g->calls)
		strcpy(g->callable[g->n_callable++], name);
}

static int has_call(const struct node *n)
{
	if (!n)
		return 0;
	return n->kind == N_CALL || has_call(n->a) || has_call(n->b) || has_call(n->c);
}

static int is_number(const struct node *n, int32_t value)
{
	return n->kind == N_NUMBER && n->value == value;
}

static int is_commutative(enum op op)
{
	return op == OP_ADD || op == OP_MUL || (op >= OP_AND && op <= OP_XOR) || op == OP_EQ ||
	       op == OP_NE;
}

static struct node *fold_binary(struct compiler *c, enum op op, struct node *a, struct node *b)
{
	int same = a->kind == N_LOCAL && b->kind == N_LOCAL && a->value == b->value;

	if (a->kind == N_NUMBER && b->kind == N_NUMBER)
		return number_node(c, evaluate(op, a->value, b->value));
	if (a->kind == N_NUMBER && is_commutative(op)) {
		struct node *t = a;

		a = b;
		b = t;
	}
	switch (op) {
	case OP_ADD:
	case OP_SUB:
		if (is_number(b, 0))
			return a;
		if (same && op == OP_SUB)
			return number_node(c, 0);
		if (b->kind == N_NUMBER && a->kind == N_BINARY && a->op == op &&
		    a->b->kind == N_NUMBER)
			return fold_binary(c, op, a->a,
					   number_node(c, evaluate(OP_ADD, a->b->value, b->value)));
		if (b->kind == N_UNARY && b->op == OP_NEG)
			return op_node(c, op == OP_ADD ? OP_SUB : OP_ADD, a, b->a);
		break;
	case OP_MUL:
		if (is_number(b, 0) && !has_call(a))
			return b;
		if (is_number(b, 1))
			return a;
		if (is_number(b, -1))
			return op_node(c, OP_NEG, a, NULL);
		break;
	case OP_DIV:
		if (is_number(b, 1))
			return a;
		if (is_number(b, 0) && !has_call(a))
			return b;
		break;
	case OP_REM:
		if (is_number(b, 1) && !has_call(a))
			return number_node(c, 0);
		break;
	case OP_AND:
		if (is_number(b, 0) && !has_call(a))
			return b;
		if (is_number(b, -1) || same)
			return a;
		break;
	case OP_OR:
		if (is_number(b, 0) || same)
			return a;
		break;
	case OP_XOR:
		if (is_number(b, 0))
			return a;
		if (is_number(b, -1))
			return op_node(c, OP_NOT, a, NULL);
		if (same)
			return number_node(c, 0);
		break;
	case OP_SHL:
	case OP_SHR:
		if (b->kind == N_NUMBER && (b->value & 31) == 0)
			return a;
		break;
	default:
		if (same)
			return number_node(c, op == OP_EQ || op == OP_LE || op == OP_GE);
		break;
	}
	return op_node(c, op, a, b);
}

static struct node *fold_unary(struct compiler *c, enum op op, struct node *a)
{
	static const uint8_t inverse[] = {OP_NE, OP_EQ, OP_GE, OP_GT, OP_LE, OP_LT};

	if (a->kind == N_NUMBER)
		return number_node(c, evaluate(op, a->value, 0));
	if (op == OP_LNOT && a->kind == N_BINARY && a->op >= OP_EQ && a->op <= OP_GE)
		return op_node(c, inverse[a->op - OP_EQ], a->a, a->b);
	if (op != OP_LNOT && a->kind == N_UNARY && a->op == op)
		return a->a;
	if (op == OP_NEG && a->kind == N_BINARY && a->op == OP_SUB && !has_call(a))
		return op_node(c, OP_SUB, a->b, a->a);
	return op_node(c, op, a, NULL);
}

/* Trees are never changed in place: the walker still needs them as they were. */
static struct node *fold(struct compiler *c, struct node *n)
{
	struct node *a, *copy, **link;

	switch (n->kind) {
	case N_NUMBER:
	case N_LOCAL: return n;
	case N_GLOBAL: return node_new(c, N_GLOBAL, fold(c, n->a), NULL);
	case N_UNARY: return fold_unary(c, n->op, fold(c, n->a));
	case N_BINARY: a = fold(c, n->a); return fold_binary(c, n->op, a, fold(c, n->b));
	case N_ANDAND:
	case N_OROR:
		a = fold(c, n->a);
		if (a->kind == N_NUMBER && (a->value == 0) == (n->kind == N_ANDAND))
			return number_node(c, n->kind == N_OROR);
		if (a->kind == N_NUMBER)
			return fold_unary(c, OP_LNOT, fold_unary(c, OP_LNOT, fold(c, n->b)));
		return node_new(c, n->kind, a, fold(c, n->b));
	case N_COND:
		a = fold(c, n->a);
		if (a->kind == N_NUMBER)
			return fold(c, a->value ? n->b : n->c);
		copy = node_new(c, N_COND, a, fold(c, n->b));
		copy->c = fold(c, n->c);
		return copy;
	default:
		copy = node_new(c, N_CALL, NULL, NULL);
		copy->value = n->value;
		link = &copy->a;
		for (n = n->a; n; n = n->next, link = &(*link)->next)
			*link = node_new(c, N_EXPRESSION, fold(c, n->a), NULL);
		return copy;
	}
}

static struct block *block_new(struct compiler *c)
{
	struct block *b = arena_new(&c->arena, sizeof(*b));

	workload_check(c->w, c->n_blocks < MAX_BLOCKS, "a function has few enough blocks");
	b->head.prev = b->head.next = &b->head;
	b->index = c->n_blocks;
	return c->block[c->n_blocks++] = b;
}

static int vreg_new(struct compiler *c)
{
	workload_check(c->w, c->n_vregs < MAX_VREGS, "a function has few enough registers");
	return c->n_vregs++;
}

static void insn_insert(struct insn *before, struct insn *i)
{
	i->prev = before->prev;
	i->next = before;
	before->prev->next = i;
	before->prev = i;
}

static void insn_remove(struct insn *i)
{
	i->prev->next = i->next;
	i->next->prev = i->prev;
}

static struct insn *emit(struct compiler *c, enum op op, int dst, int a, int b)
{
	struct insn *i = arena_new(&c->arena, sizeof(*i));

	i->op = (uint8_t)op;
	i->dst = dst;
	i->a = a;
	i->b = b;
	insn_insert(&c->current->head, i);
	return i;
}

static void emit_jump(struct compiler *c, struct block *to)
{
	emit(c, OP_JUMP, -1, -1, -1);
	c->current->to[0] = to;
}

static int lower_value(struct compiler *c, const struct node *n);

static void lower_condition(struct compiler *c, const struct node *n, struct block *yes,
			    struct block *no)
{
	struct block *middle;

	if (n->kind == N_UNARY && n->op == OP_LNOT) {
		lower_condition(c, n->a, no, yes);
	} else if (n->kind == N_ANDAND || n->kind == N_OROR) {
		middle = block_new(c);
		if (n->kind == N_ANDAND)
			lower_condition(c, n->a, middle, no);
		else
			lower_condition(c, n->a, yes, middle);
		c->current = middle;
		lower_condition(c, n->b, yes, no);
	} else {
		emit(c, OP_BRANCH, -1, lower_value(c, n), -1);
		c->current->to[0] = yes;
		c->current->to[1] = no;
	}
}

static int lower_choice(struct compiler *c, const struct node *n)
{
	struct block *yes = block_new(c), *no = block_new(c), *join = block_new(c);
	int dst = vreg_new(c);

	lower_condition(c, n->kind == N_COND ? n->a : n, yes, no);
	c->current = yes;
	if (n->kind == N_COND)
		emit(c, OP_COPY, dst, lower_value(c, n->b), -1);
	else
		emit(c, OP_CONST, dst, -1, -1)->value = 1;
	emit_jump(c, join);
	c->current = no;
	if (n->kind == N_COND)
		emit(c, OP_COPY, dst, lower_value(c, n->c), -1);
	else
		emit(c, OP_CONST, dst, -1, -1);
	emit_jump(c, join);
	c->current = join;
	return dst;
}

static int lower_value(struct compiler *c, const struct node *n)
{
	int args[MAX_ARGS], n_args = 0, a, b, dst;

	switch (n->kind) {
	case N_LOCAL: return n->value;
	case N_NUMBER:
		dst = vreg_new(c);
		emit(c, OP_CONST, dst, -1, -1)->value = n->value;
		return dst;
	case N_UNARY:
	case N_BINARY:
		a = lower_value(c, n->a);
		b = n->b ? lower_value(c, n->b) : -1;
		dst = vreg_new(c);
		emit(c, n->op, dst, a, b);
		return dst;
	case N_GLOBAL:
		a = lower_value(c, n->a);
		dst = vreg_new(c);
		emit(c, OP_LOAD, dst, a, -1);
		return dst;
	case N_CALL:
		for (const struct node *arg = n->a; arg; arg = arg->next)
			args[n_args++] = lower_value(c, arg->a);
		for (int i = 0; i < n_args; i++)
			emit(c, OP_ARG, -1, args[i], -1)->value = i;
		dst = vreg_new(c);
		emit(c, OP_CALL, dst, -1, -1)->value = n->value;
		return dst;
	default: return lower_choice(c, n);
	}
}

static void lower_statement(struct compiler *c, const struct node *n)
{
	struct block *yes, *no, *join, *outer;
	int a;

	switch (n->kind) {
	case N_ASSIGN: emit(c, OP_COPY, n->value, lower_value(c, fold(c, n->a)), -1); break;
	case N_STORE:
		a = lower_value(c, fold(c, n->a));
		emit(c, OP_STORE, -1, a, lower_value(c, fold(c, n->b)));
		break;
	case N_IF:
		yes = block_new(c);
		join = block_new(c);
		no = n->c ? block_new(c) : join;
		lower_condition(c, fold(c, n->a), yes, no);
		c->current = yes;
		lower_statement(c, n->b);
		emit_jump(c, join);
		if (n->c) {
			c->current = no;
			lower_statement(c, n->c);
			emit_jump(c, join);
		}
		c->current = join;
		break;
	case N_WHILE:
		outer = c->loop_exit;
		join = block_new(c);
		yes = block_new(c);
		c->loop_exit = block_new(c);
		emit_jump(c, join);
		c->current = join;
		lower_condition(c, fold(c, n->a), yes, c->loop_exit);
		c->current = yes;
		lower_statement(c, n->b);
		emit_jump(c, join);
		c->current = c->loop_exit;
		c->loop_exit = outer;
		break;
	case N_RETURN:
		emit(c, OP_RETURN, -1, lower_value(c, fold(c, n->a)), -1);
		c->current = block_new(c);
		break;
	case N_BREAK:
		emit_jump(c, c->loop_exit);
		c->current = block_new(c);
		break;
	default:
		for (n = n->a; n; n = n->next)
			lower_statement(c, n);
		break;
	}
}

static void lower_function(struct compiler *c, const struct function *f)
{
	c->n_blocks = 0;
	c->n_vregs = f->n_locals;
	c->current = block_new(c);
	c->loop_exit = NULL;
	for (int i = 0; i < f->n_args; i++)
		emit(c, OP_FILL, i, -1, -1)->value = i;
	lower_statement(c, f->body);
	emit(c, OP_RETURN, -1, lower_value(c, number_node(c, 0)), -1);
}

#include "compiler_back.h"

/* Compiles one unit function by function and tries each as soon as it is there. */
static void compile_unit(struct compiler *c, const char *source)
{
	c->at = source;
	advance(c);
	while (c->token != T_END) {
		struct function *f = &c->function[c->n_functions];

		parse_function(c);
		lower_function(c, f);
		back_end(c, f);
		c->n_functions++;
		for (int trial = 0; trial < 2; trial++) {
			int32_t args[MAX_ARGS], before[GLOBALS], after[GLOBALS], expected, found;

			for (int i = 0; i < MAX_ARGS; i++)
				args[i] = (int32_t)workload_below(c->w, 41) - 20;
			for (int i = 0; i < GLOBALS; i++)
				before[i] = (int32_t)((unsigned)i * 37 % 19) - 9;
			memcpy(c->globals, before, sizeof(before));
			expected = walk_function(c, f, args);
			memcpy(after, c->globals, sizeof(after));
			memcpy(c->globals, before, sizeof(before));
			found = machine_run(c, f, args);
			workload_check(c->w, found == expected,
				       "compiled code returns the tree's value");
			workload_check(c->w, memcmp(after, c->globals, sizeof(after)) == 0,
				       "compiled code leaves the same globals");
			workload_digest(c->w, (uint64_t)(uint32_t)found);
		}
	}
}

static void compiler_reset(struct compiler *c)
{
	static const char *const words[] = {"int", "if", "else", "while", "for", "return", "break"};

	c->arena.used = 0;
	c->n_functions = 0;
	c->listing.size = 0;
	memset(c->bucket, 0, sizeof(c->bucket));
	for (int i = 0; i < 7; i++)
		name_find(c, words[i], strlen(words[i]))->keyword = (enum token)(T_INT + i);
}

int main(int argc, char **argv)
{
	static const int units[] = {1, 6, 96}, functions[] = {8, 40, 40};
	struct workload w = workload_begin("compiler", argc, argv);
	struct compiler *c = workload_alloc(sizeof(*c));
	struct text source = {0};

	c->w = &w;
	c->values = workload_alloc(sizeof(*c->values));
	c->arena.room = 16 << 20;
	c->arena.data = workload_alloc(c->arena.room);
	for (int unit = 0; unit < units[w.size]; unit++) {
		struct writer g = {.w = &w, .text = &source};

		source.size = 0;
		for (int i = 0; i < functions[w.size]; i++)
			write_function(&g, i);
		compiler_reset(c);
		compile_unit(c, source.data);
		for (size_t i = 0; i + 8 <= c->listing.size; i += 8) {
			uint64_t chunk = 0;

			for (int k = 0; k < 8; k++)
				chunk = chunk << 8 | (uint8_t)c->listing.data[i + (size_t)k];
			w.digest = (w.digest ^ chunk) * UINT64_C(0x100000001b3);
		}
		workload_digest(&w, c->listing.size);
	}
	free(source.data);
	free(c->listing.data);
	free(c->arena.data);
	free(c->values);
	free(c);
	return workload_end(&w);
}
