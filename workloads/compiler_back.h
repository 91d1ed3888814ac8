/*
 * compiler_back.h - the back half of the compiler workload: the passes over
 * basic blocks, register allocation, code emission with its listing, and the
 * register machine that runs the result.
 *
 * The passes keep one invariant: every block ends in exactly one jump, branch
 * or return, and to[] names its successors. Virtual registers are not in SSA
 * form. Only compiler.c includes this file.
 */
#ifndef COMPILER_BACK_H
#define COMPILER_BACK_H

static struct insn *block_end(struct block *b)
{
	return b->head.prev;
}

static int block_successors(const struct block *b)
{
	return b->head.prev->op == OP_BRANCH ? 2 : b->head.prev->op == OP_JUMP;
}

static void reach(struct block *b)
{
	b->preds++;
	if (b->reached)
		return;
	b->reached = 1;
	for (int k = 0; k < block_successors(b); k++)
		reach(b->to[k]);
}

/* Lowering goes on behind returns and breaks; nothing after a block's first jump counts. */
static void cut_blocks(struct compiler *c)
{
	for (int k = 0; k < c->n_blocks; k++) {
		struct block *b = c->block[k];
		struct insn *i = b->head.next;

		while (i != &b->head && (i->op < OP_JUMP || i->op > OP_RETURN))
			i = i->next;
		if (i == &b->head) {
			c->current = b;
			i = emit(c, OP_RETURN, -1, 0, -1);
		}
		i->next = &b->head;
		b->head.prev = i;
	}
}

static void clean_graph(struct compiler *c)
{
	int kept = 0;

	for (int i = 0; i < c->n_blocks; i++) {
		struct block *b = c->block[i];

		b->reached = b->preds = 0;
		for (int k = 0; k < block_successors(b); k++)
			for (int hops = 0; hops < 8 && b->to[k]->head.next->op == OP_JUMP; hops++)
				b->to[k] = b->to[k]->to[0];
		if (block_end(b)->op == OP_BRANCH && b->to[0] == b->to[1])
			block_end(b)->op = OP_JUMP;
	}
	reach(c->block[0]);
	for (int i = 0; i < c->n_blocks; i++) {
		struct block *b = c->block[i], *next;

		while (b->reached && block_end(b)->op == OP_JUMP && (next = b->to[0])->preds == 1 &&
		       next != b && next != c->block[0]) {
			insn_remove(block_end(b));
			b->head.prev->next = next->head.next;
			next->head.next->prev = b->head.prev;
			b->head.prev = next->head.prev;
			next->head.prev->next = &b->head;
			b->to[0] = next->to[0];
			b->to[1] = next->to[1];
			next->reached = 0;
		}
	}
	for (int i = 0; i < c->n_blocks; i++)
		if (c->block[i]->reached) {
			c->block[kept] = c->block[i];
			c->block[kept]->index = kept;
			kept++;
		}
	c->n_blocks = kept;
}

/* Local value numbering: what is known about the values a block has computed so far. */
struct value {
	int op, a, b, holder, next;
	int32_t k;
};

struct values {
	int number[MAX_VREGS], bucket[64], n, memory;
	struct value value[2 * MAX_VREGS];
};

static int value_find(struct values *v, int op, int a, int b, int32_t k)
{
	uint32_t hash = ((uint32_t)op * 31 + (uint32_t)a * 7 + (uint32_t)b * 13 + (uint32_t)k) % 64;

	for (int i = v->bucket[hash]; i; i = v->value[i].next) {
		struct value *x = &v->value[i];

		if (x->op == op && x->a == a && x->b == b && x->k == k)
			return i;
	}
	v->value[++v->n] = (struct value){op, a, b, -1, v->bucket[hash], k};
	return v->bucket[hash] = v->n;
}

/* A value no expression can equal, standing for whatever the register holds. */
static int value_unknown(struct values *v)
{
	return value_find(v, OP_COPY, v->n + 1, 0, 0);
}

static int value_of(struct values *v, int vreg)
{
	if (!v->number[vreg]) {
		v->number[vreg] = value_unknown(v);
		v->value[v->number[vreg]].holder = vreg;
	}
	return v->number[vreg];
}

static int value_holder(const struct values *v, int value)
{
	int holder = v->value[value].holder;

	return holder >= 0 && v->number[holder] == value ? holder : -1;
}

static void become_copy(struct insn *i, int a)
{
	i->op = OP_COPY;
	i->a = a;
	i->b = -1;
	i->immediate = 0;
}

static void become_constant(struct insn *i, int32_t value)
{
	i->op = OP_CONST;
	i->a = i->b = -1;
	i->value = value;
	i->immediate = 0;
}

static int number_binary(struct values *v, struct insn *i, int a, int b)
{
	const struct value *x = &v->value[a], *y = &v->value[b];

	if (x->op == OP_CONST && y->op == OP_CONST) {
		become_constant(i, evaluate(i->op, x->k, y->k));
		return value_find(v, OP_CONST, 0, 0, i->value);
	}
	if (is_commutative(i->op) && (x->op == OP_CONST || (y->op != OP_CONST && a > b))) {
		int t = a;

		a = b;
		b = t;
		t = i->a;
		i->a = i->b;
		i->b = t;
		x = &v->value[a];
		y = &v->value[b];
	}
	if (y->op == OP_CONST) {
		int32_t k = y->k;

		i->immediate = 1;
		i->b = -1;
		i->value = k;
		if ((k == 0 && (i->op == OP_ADD || i->op == OP_SUB || i->op == OP_OR)) ||
		    (k == 1 && (i->op == OP_MUL || i->op == OP_DIV))) {
			become_copy(i, i->a);
			return a;
		}
		if (i->op == OP_MUL && k > 1 && (k & (k - 1)) == 0) {
			i->op = OP_SHL;
			i->value = __builtin_ctz((unsigned)k);
		} else if (i->op == OP_SUB && k != INT32_MIN) {
			i->op = OP_ADD;
			i->value = -k;
		}
		return value_find(v, i->op, a, value_find(v, OP_CONST, 0, 0, i->value), 0);
	}
	if (a == b && (i->op == OP_SUB || i->op == OP_XOR)) {
		become_constant(i, 0);
		return value_find(v, OP_CONST, 0, 0, 0);
	}
	return value_find(v, i->op, a, b, 0);
}

static void number_insn(struct values *v, struct block *b, struct insn *i)
{
	int a = i->a >= 0 ? value_of(v, i->a) : 0, other = i->b >= 0 ? value_of(v, i->b) : 0;
	int value = 0, holder;

	if (a && value_holder(v, a) >= 0)
		i->a = value_holder(v, a);
	if (other && value_holder(v, other) >= 0)
		i->b = value_holder(v, other);
	switch (i->op) {
	case OP_CONST: value = value_find(v, OP_CONST, 0, 0, i->value); break;
	case OP_COPY: value = a; break;
	case OP_LOAD: value = value_find(v, OP_LOAD, a, v->memory, 0); break;
	case OP_STORE: v->memory++; return;
	case OP_CALL:
		v->memory++;
		value = value_unknown(v);
		break;
	case OP_BRANCH:
		if (v->value[a].op == OP_CONST) {
			b->to[0] = v->value[a].k ? b->to[0] : b->to[1];
			i->op = OP_JUMP;
			i->a = -1;
		}
		return;
	case OP_FILL: value = value_unknown(v); break;
	case OP_NEG:
	case OP_NOT:
	case OP_LNOT:
		if (v->value[a].op == OP_CONST) {
			become_constant(i, evaluate(i->op, v->value[a].k, 0));
			value = value_find(v, OP_CONST, 0, 0, i->value);
		} else {
			value = value_find(v, i->op, a, 0, 0);
		}
		break;
	default:
		if (i->op >= OP_NEG)
			return;
		value = i->immediate
				? number_binary(v, i, a, value_find(v, OP_CONST, 0, 0, i->value))
				: number_binary(v, i, a, other);
		break;
	}
	holder = value_holder(v, value);
	if (holder >= 0 && i->op != OP_CONST && i->op != OP_COPY)
		become_copy(i, holder);
	v->number[i->dst] = value;
	if (value_holder(v, value) < 0)
		v->value[value].holder = i->dst;
}

static void number_values(struct compiler *c)
{
	struct values *v = c->values;

	for (int k = 0; k < c->n_blocks; k++) {
		struct block *b = c->block[k];

		v->n = v->memory = 0;
		memset(v->bucket, 0, sizeof(v->bucket));
		memset(v->number, 0, (size_t)c->n_vregs * sizeof(v->number[0]));
		for (struct insn *i = b->head.next; i != &b->head; i = i->next)
			number_insn(v, b, i);
	}
}

static void find_liveness(struct compiler *c)
{
	int words = (c->n_vregs + 63) / 64, changed = 1;

	for (int k = 0; k < c->n_blocks; k++) {
		struct block *b = c->block[k];

		memset(&b->live_in, 0, 4 * sizeof(struct set));
		for (struct insn *i = b->head.next; i != &b->head; i = i->next) {
			if (i->a >= 0 && !set_has(&b->defined, i->a))
				set_add(&b->used, i->a);
			if (i->b >= 0 && !set_has(&b->defined, i->b))
				set_add(&b->used, i->b);
			if (i->dst >= 0)
				set_add(&b->defined, i->dst);
		}
	}
	while (changed) {
		changed = 0;
		for (int k = c->n_blocks - 1; k >= 0; k--) {
			struct block *b = c->block[k];

			for (int j = 0; j < words; j++) {
				uint64_t out = 0, in;

				for (int s = 0; s < block_successors(b); s++)
					out |= b->to[s]->live_in.word[j];
				in = b->used.word[j] | (out & ~b->defined.word[j]);
				changed |= in != b->live_in.word[j];
				b->live_out.word[j] = out;
				b->live_in.word[j] = in;
			}
		}
	}
}

static void remove_dead(struct compiler *c)
{
	for (int k = 0; k < c->n_blocks; k++) {
		struct block *b = c->block[k];
		struct set live = b->live_out;

		for (struct insn *i = b->head.prev; i != &b->head; i = i->prev) {
			if (i->dst >= 0 && i->op != OP_CALL &&
			    (!set_has(&live, i->dst) || (i->op == OP_COPY && i->a == i->dst))) {
				insn_remove(i);
				continue;
			}
			if (i->dst >= 0)
				set_remove(&live, i->dst);
			if (i->a >= 0)
				set_add(&live, i->a);
			if (i->b >= 0)
				set_add(&live, i->b);
		}
	}
}

static void find_dominators(struct compiler *c)
{
	int words = (c->n_blocks + 63) / 64, changed = 1;

	for (int k = 0; k < c->n_blocks; k++)
		memset(&c->block[k]->dominators, k ? 0xff : 0, sizeof(struct set));
	set_add(&c->block[0]->dominators, 0);
	while (changed) {
		changed = 0;
		for (int k = 0; k < c->n_blocks; k++)
			for (int s = 0; s < block_successors(c->block[k]); s++) {
				struct block *to = c->block[k]->to[s];

				for (int j = 0; j < words; j++) {
					uint64_t both = to->dominators.word[j] &
							c->block[k]->dominators.word[j];

					if (to->index / 64 == j)
						both |= UINT64_C(1) << (to->index & 63);
					changed |= both != to->dominators.word[j];
					to->dominators.word[j] = both;
				}
			}
	}
}

/* The natural loop of a back edge: all blocks that reach its source without the header. */
static void find_loop(struct compiler *c, struct set *loop, struct block *from)
{
	if (set_has(loop, from->index))
		return;
	set_add(loop, from->index);
	for (int k = 0; k < c->n_blocks; k++)
		for (int s = 0; s < block_successors(c->block[k]); s++)
			if (c->block[k]->to[s] == from)
				find_loop(c, loop, c->block[k]);
}

/* Moves to the block before the loop what is defined once and computed from outside values. */
static void hoist_from_loop(struct compiler *c, const struct set *loop, struct block *header)
{
	struct block *before = NULL;
	struct set defined = {{0}};
	uint8_t definitions[MAX_VREGS];

	memset(definitions, 0, (size_t)c->n_vregs);
	for (int k = 0; k < c->n_blocks; k++) {
		struct block *b = c->block[k];

		for (int s = 0; s < block_successors(b); s++)
			if (b->to[s] == header && !set_has(loop, k)) {
				if (before || block_end(b)->op != OP_JUMP)
					return;
				before = b;
			}
		for (struct insn *i = b->head.next; i != &b->head; i = i->next)
			if (i->dst >= 0) {
				definitions[i->dst] += definitions[i->dst] < 2;
				if (set_has(loop, k))
					set_add(&defined, i->dst);
			}
	}
	for (int k = 0; before && k < c->n_blocks; k++) {
		struct block *b = c->block[k];

		for (struct insn *i = b->head.next, *next; set_has(loop, k) && i != &b->head;
		     i = next) {
			next = i->next;
			if (i->op > OP_CONST || definitions[i->dst] != 1 ||
			    set_has(&header->live_in, i->dst) ||
			    (i->a >= 0 && set_has(&defined, i->a)) ||
			    (i->b >= 0 && set_has(&defined, i->b)))
				continue;
			insn_remove(i);
			insn_insert(block_end(before), i);
			set_remove(&defined, i->dst);
		}
	}
}

static void hoist_invariants(struct compiler *c)
{
	find_dominators(c);
	for (int k = 0; k < c->n_blocks; k++)
		for (int s = 0; s < block_successors(c->block[k]); s++) {
			struct block *header = c->block[k]->to[s];
			struct set loop = {{0}};

			if (!set_has(&c->block[k]->dominators, header->index))
				continue;
			set_add(&loop, header->index);
			find_loop(c, &loop, c->block[k]);
			hoist_from_loop(c, &loop, header);
		}
}

struct interval {
	int start, end, vreg;
};

/* Intervals in the order of their starts, which is the order they are first touched in. */
struct intervals {
	struct interval of[MAX_VREGS];
	int order[MAX_VREGS], n;
};

static void interval_touch(struct intervals *v, int vreg, int position)
{
	if (vreg < 0)
		return;
	if (v->of[vreg].end < 0) {
		v->of[vreg].start = position;
		v->order[v->n++] = vreg;
	}
	v->of[vreg].end = position;
}

static void interval_touch_all(struct intervals *v, const struct set *set, int position)
{
	for (int j = 0; j < SET_WORDS; j++)
		for (uint64_t rest = set->word[j]; rest; rest &= rest - 1)
			interval_touch(v, 64 * j + __builtin_ctzll(rest), position);
}

/* Linear scan (Poletto and Sarkar, 1999): the interval that ends last goes to memory. */
static void allocate_registers(struct compiler *c, struct function *f)
{
	struct intervals all;
	struct interval *active[REGISTERS] = {NULL};
	int position = 0;

	all.n = 0;
	for (int v = 0; v < c->n_vregs; v++)
		all.of[v] = (struct interval){0, -1, v};
	for (int k = 0; k < c->n_blocks; k++) {
		struct block *b = c->block[k];

		interval_touch_all(&all, &b->live_in, position);
		for (struct insn *i = b->head.next; i != &b->head; i = i->next) {
			interval_touch(&all, i->a, ++position);
			interval_touch(&all, i->b, position);
			interval_touch(&all, i->dst, ++position);
		}
		interval_touch_all(&all, &b->live_out, position + 1);
		position++;
	}
	f->n_slots = f->n_args;
	for (int k = 0; k < all.n; k++) {
		struct interval *now = &all.of[all.order[k]];
		int r, last = 0;

		for (r = 0; r < REGISTERS; r++)
			if (!active[r] || active[r]->end < now->start)
				break;
			else if (active[r]->end > active[last]->end)
				last = r;
		if (r == REGISTERS && active[last]->end <= now->end) {
			c->where[now->vreg] = -1 - f->n_slots++;
			continue;
		}
		if (r == REGISTERS) {
			c->where[active[last]->vreg] = -1 - f->n_slots++;
			r = last;
		}
		active[r] = now;
		c->where[now->vreg] = r;
	}
}

static struct code *code_add(struct function *f, enum op op, int dst, int a)
{
	struct code *code = &f->code[f->n_code++];

	code->op = (uint8_t)op;
	code->dst = (uint8_t)dst;
	code->a = (uint8_t)a;
	return code;
}

/* The register an operand is in, after fetching it from its slot if need be. */
static int fetch(struct compiler *c, struct function *f, int vreg, int scratch)
{
	if (vreg < 0)
		return 0;
	if (c->where[vreg] >= 0)
		return c->where[vreg];
	code_add(f, OP_FILL, scratch, 0)->value = -1 - c->where[vreg];
	return scratch;
}

static void emit_insn(struct compiler *c, struct function *f, const struct insn *i)
{
	int a = fetch(c, f, i->a, REGISTERS), b = fetch(c, f, i->b, REGISTERS + 1);
	int dst = i->dst >= 0 && c->where[i->dst] >= 0 ? c->where[i->dst] : REGISTERS;
	struct code *code;

	if (i->op == OP_COPY && a == dst && c->where[i->dst] >= 0)
		return;
	code = code_add(f, i->op, dst, a);
	code->b = (uint8_t)b;
	code->immediate = i->immediate;
	code->value = i->value;
	if (i->dst >= 0 && c->where[i->dst] < 0)
		code_add(f, OP_SPILL, 0, dst)->value = -1 - c->where[i->dst];
}

static void emit_function(struct compiler *c, struct function *f)
{
	int start[MAX_BLOCKS];
	size_t room = 0;

	/* At worst an instruction needs two fills and a spill, a block's end a fill and two jumps.
	 */
	for (int k = 0; k < c->n_blocks; k++)
		for (struct insn *i = c->block[k]->head.next; i != &c->block[k]->head; i = i->next)
			room += 4;
	f->n_code = 0;
	f->code = arena_new(&c->arena, room * sizeof(*f->code));
	for (int k = 0; k < c->n_blocks; k++) {
		struct block *b = c->block[k];
		struct insn *end = block_end(b);

		start[k] = f->n_code;
		for (struct insn *i = b->head.next; i != end; i = i->next)
			emit_insn(c, f, i);
		if (end->op == OP_RETURN)
			emit_insn(c, f, end);
		if (end->op == OP_BRANCH)
			code_add(f, OP_BRANCH, 0, fetch(c, f, end->a, REGISTERS))->value =
				b->to[0]->index;
		if (end->op != OP_RETURN && b->to[end->op == OP_BRANCH]->index != k + 1)
			code_add(f, OP_JUMP, 0, 0)->value = b->to[end->op == OP_BRANCH]->index;
	}
	for (int k = 0; k < f->n_code; k++)
		if (f->code[k].op == OP_JUMP || f->code[k].op == OP_BRANCH)
			f->code[k].value = start[f->code[k].value];
}

static void list_function(struct compiler *c, const struct function *f)
{
	struct text *t = &c->listing;

	text_print(t, "%s:\n", f->name->spelling);
	for (int k = 0; k < f->n_code; k++) {
		const struct code *i = &f->code[k];
		const char *name = op_name[i->op];

		switch (i->op) {
		case OP_CONST: text_print(t, "\t%s r%d, %d\n", name, i->dst, i->value); break;
		case OP_LOAD: text_print(t, "\t%s r%d, data(r%d)\n", name, i->dst, i->a); break;
		case OP_STORE: text_print(t, "\t%s r%d, data(r%d)\n", name, i->b, i->a); break;
		case OP_FILL:
			text_print(t, "\t%s r%d, %d(sp)\n", name, i->dst, 4 * i->value);
			break;
		case OP_SPILL:
		case OP_ARG: text_print(t, "\t%s r%d, %d(sp)\n", name, i->a, 4 * i->value); break;
		case OP_CALL:
			text_print(t, "\t%s %s\n", name, c->function[i->value].name->spelling);
			break;
		case OP_JUMP: text_print(t, "\t%s .L%d\n", name, i->value); break;
		case OP_BRANCH: text_print(t, "\t%s r%d, .L%d\n", name, i->a, i->value); break;
		case OP_RETURN: text_print(t, "\t%s r%d\n", name, i->a); break;
		default:
			if (i->immediate)
				text_print(t, "\t%si r%d, r%d, %d\n", name, i->dst, i->a, i->value);
			else if (i->op >= OP_NEG)
				text_print(t, "\t%s r%d, r%d\n", name, i->dst, i->a);
			else
				text_print(t, "\t%s r%d, r%d, r%d\n", name, i->dst, i->a, i->b);
			break;
		}
	}
}

static void back_end(struct compiler *c, struct function *f)
{
	cut_blocks(c);
	clean_graph(c);
	for (int round = 0; round < 2; round++) {
		number_values(c);
		clean_graph(c);
		find_liveness(c);
		remove_dead(c);
		hoist_invariants(c);
		find_liveness(c);
	}
	allocate_registers(c, f);
	emit_function(c, f);
	list_function(c, f);
}

static int32_t machine_run(struct compiler *c, const struct function *f, const int32_t *args)
{
	int32_t r[REGISTERS + SCRATCH] = {0}, slot[MAX_VREGS + MAX_ARGS], out[MAX_ARGS] = {0};
	const struct code *i = f->code;

	memset(slot, 0, (size_t)f->n_slots * sizeof(slot[0]));
	memcpy(slot, args, (size_t)f->n_args * sizeof(slot[0]));
	for (;; i++) {
		int32_t a = r[i->a], b = i->immediate ? i->value : r[i->b];
		int32_t *dst = &r[i->dst];

		switch (i->op) {
		case OP_ADD: *dst = (int32_t)((uint32_t)a + (uint32_t)b); break;
		case OP_SUB: *dst = (int32_t)((uint32_t)a - (uint32_t)b); break;
		case OP_MUL: *dst = (int32_t)((uint32_t)a * (uint32_t)b); break;
		case OP_DIV: *dst = b ? (int32_t)((int64_t)a / b) : 0; break;
		case OP_REM: *dst = b ? (int32_t)((int64_t)a % b) : a; break;
		case OP_AND: *dst = a & b; break;
		case OP_OR: *dst = a | b; break;
		case OP_XOR: *dst = a ^ b; break;
		case OP_SHL: *dst = (int32_t)((uint32_t)a << (b & 31)); break;
		case OP_SHR: *dst = a >> (b & 31); break;
		case OP_EQ: *dst = a == b; break;
		case OP_NE: *dst = a != b; break;
		case OP_LT: *dst = a < b; break;
		case OP_LE: *dst = a <= b; break;
		case OP_GT: *dst = a > b; break;
		case OP_GE: *dst = a >= b; break;
		case OP_NEG: *dst = (int32_t)(0u - (uint32_t)a); break;
		case OP_NOT: *dst = ~a; break;
		case OP_LNOT: *dst = !a; break;
		case OP_CONST: *dst = i->value; break;
		case OP_COPY: *dst = a; break;
		case OP_LOAD: *dst = c->globals[a & (GLOBALS - 1)]; break;
		case OP_STORE: c->globals[a & (GLOBALS - 1)] = r[i->b]; break;
		case OP_ARG: out[i->value] = a; break;
		case OP_CALL: *dst = machine_run(c, &c->function[i->value], out); break;
		case OP_FILL: *dst = slot[i->value]; break;
		case OP_SPILL: slot[i->value] = a; break;
		case OP_BRANCH: i = a ? f->code + i->value - 1 : i; break;
		case OP_JUMP: i = f->code + i->value - 1; break;
		default: return a;
		}
	}
}

#endif
