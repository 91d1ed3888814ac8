/*
 * objdb - an object database in memory, in the character of vortex.
 *
 * SPEC's vortex builds and works three databases of linked objects (parts,
 * people, drawings) with everything such a system has: a schema that describes
 * every field, objects found by handles, accessors that check the handle, the
 * class and the field each time, several kinds of index kept up by the field
 * setters, and transactions. So does this one: parts with connections among
 * them, suppliers with chains of parts, orders. Twelve kinds of transaction
 * arrive in random order; each is a chain of small checked calls through many
 * modules, reporting status upwards, and some decide at the end to abort,
 * which takes back every field, object and index entry from the log.
 *
 * Like vortex it has much code and no hot loop, so instruction cache misses
 * weigh; its data (some 2 MB: objects in pages, a handle table, a B-tree, a
 * hash, a skip list) is reached through random keys and stored references.
 *
 * Checked: every transaction's status and result against a plain model of
 * arrays kept beside the database; at the end all parts and suppliers against
 * the model through the indexes, counts of objects against counts of index
 * entries, both directions of all connections, and an empty log.
 */
#include "objdb_store.h"

enum { OUT_MAX = 4, IN_MAX = 8, RANGE_MAX = 24, TYPES = 8, STOCK_FIRST = 60 };

/* What the database should hold, in plain arrays by part, supplier and order number. */
struct model_part {
	uint8_t alive, out_count, in_count;
	uint32_t supplier, name_version, open_orders;
	int64_t stock, price;
	uint32_t out[OUT_MAX], in[IN_MAX];
};

struct model_supplier {
	int64_t balance, part_count;
};

struct model_order {
	uint8_t open;
	uint32_t part;
	int64_t quantity;
};

struct market {
	struct workload *w;
	struct db *db;
	struct model_part *parts;
	struct model_supplier *suppliers;
	struct model_order *orders;
	uint32_t part_limit, supplier_count, order_count, order_room, oldest_order;
	uint64_t statuses[CHANGED_MIND + 1];
	uint64_t connections;
};

static void part_name(uint32_t number, uint32_t version, char text[TEXT_BYTES])
{
	static const char *const kinds[TYPES] = {"bolt",  "washer", "gasket", "lever",
						 "valve", "spring", "flange", "shaft"};
	const char *kind = kinds[number % TYPES];
	size_t at = strlen(kind);

	memset(text, 0, TEXT_BYTES);
	memcpy(text, kind, at);
	for (text[at++] = '-'; number; number /= 10)
		text[at++] = (char)('0' + number % 10);
	for (text[at++] = '/'; version; version /= 26)
		text[at++] = (char)('a' + version % 26);
}

static enum status supplier_link(struct db *db, uint32_t supplier, uint32_t part)
{
	uint32_t first = db_get_reference(db, supplier, S_FIRST_PART);
	enum status s = db_set(db, part, P_SUPPLIER, supplier);

	if (s == DONE)
		s = db_set(db, part, P_NEXT, first);
	if (s == DONE)
		s = db_set(db, part, P_BEFORE, CHAIN_END);
	if (s == DONE && first)
		s = db_set(db, first, P_BEFORE, part);
	if (s == DONE)
		s = db_set(db, supplier, S_FIRST_PART, part);
	return s == DONE ? db_change(db, supplier, S_PART_COUNT, 1) : s;
}

static enum status supplier_unlink(struct db *db, uint32_t part)
{
	uint32_t supplier = db_get_reference(db, part, P_SUPPLIER);
	uint32_t next = db_get_reference(db, part, P_NEXT);
	uint32_t before = db_get_reference(db, part, P_BEFORE);
	enum status s = before ? db_set(db, before, P_NEXT, next)
			       : db_set(db, supplier, S_FIRST_PART, next);

	if (s == DONE && next)
		s = db_set(db, next, P_BEFORE, before);
	return s == DONE ? db_change(db, supplier, S_PART_COUNT, -1) : s;
}

static int chain_length(const struct db *db, uint32_t owner, enum field_id first,
			enum field_id next)
{
	int length = 0;

	for (uint32_t c = db_get_reference(db, owner, first); c; c = db_get_reference(db, c, next))
		length++;
	return length;
}

/* Takes one connection out of the chain that begins in the owner's field. */
static enum status chain_remove(struct db *db, uint32_t owner, enum field_id first,
				enum field_id next, uint32_t gone)
{
	uint32_t c = db_get_reference(db, owner, first), after = db_get_reference(db, gone, next);

	if (c == gone)
		return db_set(db, owner, first, after);
	for (; c; c = db_get_reference(db, c, next))
		if (db_get_reference(db, c, next) == gone)
			return db_set(db, c, next, after);
	return NOT_FOUND;
}

static enum status add_part(struct db *db, uint32_t number, const char *name, uint32_t supplier,
			    int64_t price)
{
	uint32_t owner = db_find(db, BY_SUPPLIER_NUMBER, supplier), part;
	enum status s;

	if (!owner)
		return NOT_FOUND;
	s = db_create(db, PART, &part);
	if (s == DONE)
		s = db_set(db, part, P_NUMBER, number);
	if (s == DONE)
		s = db_set_text(db, part, P_NAME, name);
	if (s == DONE)
		s = db_set(db, part, P_TYPE, number % TYPES);
	if (s == DONE)
		s = db_set(db, part, P_BUILT, db->changes & 0xffff);
	if (s == DONE)
		s = db_set(db, part, P_STOCK, STOCK_FIRST);
	if (s == DONE)
		s = db_set(db, part, P_PRICE, (uint64_t)price);
	return s == DONE ? supplier_link(db, owner, part) : s;
}

static enum status find_part(const struct db *db, uint32_t number, uint32_t *part)
{
	*part = db_find(db, BY_NUMBER, number);
	return *part ? DONE : NOT_FOUND;
}

static enum status connect_parts(struct db *db, uint32_t from, uint32_t to, int64_t length)
{
	uint32_t a, b, c;
	enum status s = find_part(db, from, &a);

	if (s == DONE)
		s = find_part(db, to, &b);
	if (s != DONE)
		return s;
	if (a == b || chain_length(db, a, P_OUT, C_NEXT_OUT) == OUT_MAX ||
	    chain_length(db, b, P_IN, C_NEXT_IN) == IN_MAX)
		return IN_USE;
	s = db_create(db, CONNECTION, &c);
	if (s == DONE)
		s = db_set(db, c, C_FROM, a);
	if (s == DONE)
		s = db_set(db, c, C_TO, b);
	if (s == DONE)
		s = db_set(db, c, C_LENGTH, (uint64_t)length);
	if (s == DONE)
		s = db_set(db, c, C_NEXT_OUT, db_get_reference(db, a, P_OUT));
	if (s == DONE)
		s = db_set(db, c, C_NEXT_IN, db_get_reference(db, b, P_IN));
	if (s == DONE)
		s = db_set(db, a, P_OUT, c);
	return s == DONE ? db_set(db, b, P_IN, c) : s;
}

static enum status disconnect(struct db *db, uint32_t c)
{
	enum status s = chain_remove(db, db_get_reference(db, c, C_FROM), P_OUT, C_NEXT_OUT, c);

	if (s == DONE)
		s = chain_remove(db, db_get_reference(db, c, C_TO), P_IN, C_NEXT_IN, c);
	return s == DONE ? db_delete(db, c, CONNECTION) : s;
}

static enum status delete_part(struct db *db, uint32_t number)
{
	uint32_t part, c;
	uint64_t open = 0;
	enum status s = find_part(db, number, &part);

	if (s == DONE)
		s = db_get(db, part, P_OPEN_ORDERS, &open);
	if (s == DONE && open)
		s = IN_USE;
	while (s == DONE && (c = db_get_reference(db, part, P_OUT)) != CHAIN_END)
		s = disconnect(db, c);
	while (s == DONE && (c = db_get_reference(db, part, P_IN)) != CHAIN_END)
		s = disconnect(db, c);
	if (s == DONE)
		s = supplier_unlink(db, part);
	return s == DONE ? db_delete(db, part, PART) : s;
}

static enum status rename_part(struct db *db, const char *old_name, const char *new_name)
{
	uint32_t part = db_find_text(db, P_NAME, old_name);
	enum status s = part ? db_set_text(db, part, P_NAME, new_name) : NOT_FOUND;

	return s == DONE ? db_set_text(db, part, P_REMARK, old_name) : s;
}

static enum status move_part(struct db *db, uint32_t number, uint32_t supplier)
{
	uint32_t part, owner = db_find(db, BY_SUPPLIER_NUMBER, supplier);
	enum status s = find_part(db, number, &part);

	if (s == DONE && !owner)
		s = NOT_FOUND;
	if (s == DONE)
		s = supplier_unlink(db, part);
	return s == DONE ? supplier_link(db, owner, part) : s;
}

static enum status place_order(struct db *db, uint32_t order_number, uint32_t part_number,
			       int64_t quantity)
{
	uint32_t part, order;
	uint64_t stock;
	enum status s = find_part(db, part_number, &part);

	if (s == DONE)
		s = db_get(db, part, P_STOCK, &stock);
	if (s == DONE && (int64_t)stock < quantity)
		s = TOO_LITTLE;
	if (s == DONE)
		s = db_create(db, ORDER, &order);
	if (s == DONE)
		s = db_set(db, order, O_NUMBER, order_number);
	if (s == DONE)
		s = db_set(db, order, O_DATE, order_number * UINT64_C(16) + part_number % 16);
	if (s == DONE)
		s = db_set(db, order, O_PART, part);
	if (s == DONE)
		s = db_set(db, order, O_QUANTITY, (uint64_t)quantity);
	if (s == DONE)
		s = db_change(db, part, P_STOCK, -quantity);
	return s == DONE ? db_change(db, part, P_OPEN_ORDERS, 1) : s;
}

static enum status cancel_order(struct db *db, uint32_t order_number)
{
	uint32_t order = db_find(db, BY_ORDER_NUMBER, order_number), part;
	uint64_t quantity = 0;
	enum status s = order ? db_get(db, order, O_QUANTITY, &quantity) : NOT_FOUND;

	if (s != DONE)
		return s;
	part = db_get_reference(db, order, O_PART);
	s = db_change(db, part, P_STOCK, (int64_t)quantity);
	if (s == DONE)
		s = db_change(db, part, P_OPEN_ORDERS, -1);
	return s == DONE ? db_delete(db, order, ORDER) : s;
}

/* The oldest order leaves, its supplier is paid. */
static enum status ship_order(struct db *db, uint64_t *order_number)
{
	uint32_t order = skip_first(&db->indexes[BY_DATE]), part;
	uint64_t quantity, price;
	enum status s = order ? db_get(db, order, O_NUMBER, order_number) : NOT_FOUND;

	if (s == DONE)
		s = db_get(db, order, O_QUANTITY, &quantity);
	if (s != DONE)
		return s;
	part = db_get_reference(db, order, O_PART);
	s = db_get(db, part, P_PRICE, &price);
	if (s == DONE)
		s = db_change(db, db_get_reference(db, part, P_SUPPLIER), S_BALANCE,
			      (int64_t)(quantity * price));
	if (s == DONE)
		s = db_change(db, part, P_OPEN_ORDERS, -1);
	return s == DONE ? db_delete(db, order, ORDER) : s;
}

/* Parts of a range of numbers that run low are filled up; counts them. */
static enum status restock(struct db *db, uint32_t first, uint32_t last, int *filled)
{
	uint32_t found[RANGE_MAX];
	int count = tree_range(&db->indexes[BY_NUMBER], first, last, found, RANGE_MAX);
	enum status s = DONE;

	*filled = 0;
	for (int i = 0; i < count && s == DONE; i++) {
		uint64_t stock;

		s = db_get(db, found[i], P_STOCK, &stock);
		if (s == DONE && stock < STOCK_FIRST) {
			s = db_set(db, found[i], P_STOCK, STOCK_FIRST);
			++*filled;
		}
	}
	return s;
}

/* Walks the supplier's chain, checking its back links; what the stock is worth. */
static enum status audit(struct db *db, uint32_t supplier, int64_t *worth)
{
	uint32_t owner = db_find(db, BY_SUPPLIER_NUMBER, supplier), before = CHAIN_END;
	uint64_t count = 0, expected = 0, stock, price;
	enum status s = owner ? db_get(db, owner, S_PART_COUNT, &expected) : NOT_FOUND;

	*worth = 0;
	if (s != DONE)
		return s;
	for (uint32_t p = db_get_reference(db, owner, S_FIRST_PART); p && s == DONE;
	     p = db_get_reference(db, p, P_NEXT)) {
		if (db_get_reference(db, p, P_BEFORE) != before ||
		    db_get_reference(db, p, P_SUPPLIER) != owner)
			return WRONG_CLASS;
		s = db_get(db, p, P_STOCK, &stock);
		if (s == DONE)
			s = db_get(db, p, P_PRICE, &price);
		if (s == DONE)
			*worth += (int64_t)(stock * price);
		before = p;
		count++;
	}
	return s == DONE && count != expected ? WRONG_CLASS : s;
}

/* How many parts are met on all ways of that many steps along the connections. */
static uint64_t explode(const struct db *db, uint32_t part, int steps)
{
	uint64_t met = 1;

	if (steps > 0)
		for (uint32_t c = db_get_reference(db, part, P_OUT); c;
		     c = db_get_reference(db, c, C_NEXT_OUT))
			met += explode(db, db_get_reference(db, c, C_TO), steps - 1);
	return met;
}

static uint64_t where_used(const struct db *db, uint32_t part, int steps)
{
	uint64_t met = 1;

	if (steps > 0)
		for (uint32_t c = db_get_reference(db, part, P_IN); c;
		     c = db_get_reference(db, c, C_NEXT_IN))
			met += where_used(db, db_get_reference(db, c, C_FROM), steps - 1);
	return met;
}

static uint64_t model_met(const struct market *m, uint32_t part, int steps, int backwards)
{
	const struct model_part *p = &m->parts[part];
	int count = backwards ? p->in_count : p->out_count;
	uint64_t met = 1;

	for (int i = 0; i < count && steps > 0; i++)
		met += model_met(m, backwards ? p->in[i] : p->out[i], steps - 1, backwards);
	return met;
}

static uint8_t forget(uint32_t *list, uint8_t count, uint32_t gone)
{
	uint8_t kept = 0;

	for (uint8_t i = 0; i < count; i++)
		if (list[i] != gone)
			list[kept++] = list[i];
	return kept;
}

static void model_delete(struct market *m, uint32_t number)
{
	struct model_part *p = &m->parts[number];

	m->connections -= p->out_count + p->in_count;
	for (int i = 0; i < p->out_count; i++) {
		struct model_part *q = &m->parts[p->out[i]];

		q->in_count = forget(q->in, q->in_count, number);
	}
	for (int i = 0; i < p->in_count; i++) {
		struct model_part *q = &m->parts[p->in[i]];

		q->out_count = forget(q->out, q->out_count, number);
	}
	m->suppliers[p->supplier].part_count--;
	*p = (struct model_part){.name_version = p->name_version};
}

/* Commits or, one time in ten, thinks better of it; says whether it stands. */
static int settle(struct market *m, enum status s)
{
	if (s == DONE && workload_below(m->w, 10) == 0)
		s = CHANGED_MIND;
	m->statuses[s]++;
	if (s == DONE)
		db_commit(m->db);
	else
		db_abort(m->db);
	return s == DONE;
}

static uint32_t any_part(struct market *m)
{
	return 1 + workload_below(m->w, m->part_limit);
}

static uint32_t any_supplier(struct market *m)
{
	return 1 + workload_below(m->w, m->supplier_count);
}

static void agree(const struct market *m, int holds, const char *what)
{
	workload_check(m->w, holds, what);
}

static void do_add(struct market *m)
{
	uint32_t number = any_part(m), supplier = any_supplier(m);
	struct model_part *p = &m->parts[number];
	int64_t price = 1 + workload_below(m->w, 90);
	char name[TEXT_BYTES];
	enum status s;

	part_name(number, p->name_version, name);
	s = add_part(m->db, number, name, supplier, price);
	agree(m, s == (p->alive ? DUPLICATE : DONE), "adding a part");
	if (!settle(m, s))
		return;
	p->alive = 1;
	p->supplier = supplier;
	p->stock = STOCK_FIRST;
	p->price = price;
	m->suppliers[supplier].part_count++;
}

static void do_lookup(struct market *m)
{
	for (int i = 0; i < 4; i++) {
		uint32_t number = any_part(m), part;
		uint64_t stock = 0;
		enum status s = find_part(m->db, number, &part);

		if (s == DONE)
			s = db_get(m->db, part, P_STOCK, &stock);
		agree(m, (s == DONE) == m->parts[number].alive, "looking a part up");
		agree(m, (int64_t)stock == m->parts[number].stock, "stock of a part");
	}
	settle(m, DONE);
}

static void do_connect(struct market *m)
{
	uint32_t from = any_part(m), to = any_part(m);
	struct model_part *p = &m->parts[from], *q = &m->parts[to];
	enum status expected = !p->alive || !q->alive ? NOT_FOUND
			       : from == to || p->out_count == OUT_MAX || q->in_count == IN_MAX
				       ? IN_USE
				       : DONE;
	enum status s = connect_parts(m->db, from, to, workload_below(m->w, 1000));

	agree(m, s == expected, "connecting parts");
	if (!settle(m, s))
		return;
	p->out[p->out_count++] = to;
	q->in[q->in_count++] = from;
	m->connections++;
}

static void do_traverse(struct market *m)
{
	uint32_t number = any_part(m), part;
	int backwards = (int)workload_below(m->w, 2);
	enum status s = find_part(m->db, number, &part);

	if (s == DONE)
		agree(m,
		      (backwards ? where_used(m->db, part, 3) : explode(m->db, part, 3)) ==
			      model_met(m, number, 3, backwards),
		      "following connections");
	settle(m, s);
}

static void do_delete(struct market *m)
{
	uint32_t number = any_part(m);
	const struct model_part *p = &m->parts[number];
	enum status s = delete_part(m->db, number);

	agree(m, s == (!p->alive ? NOT_FOUND : p->open_orders ? IN_USE : DONE), "deleting a part");
	if (settle(m, s))
		model_delete(m, number);
}

static void do_rename(struct market *m)
{
	uint32_t number = any_part(m);
	struct model_part *p = &m->parts[number];
	char old_name[TEXT_BYTES], new_name[TEXT_BYTES];
	enum status s;

	part_name(number, p->name_version, old_name);
	part_name(number, p->name_version + 1, new_name);
	s = rename_part(m->db, old_name, new_name);
	agree(m, s == (p->alive ? DONE : NOT_FOUND), "renaming a part");
	if (settle(m, s))
		p->name_version++;
}

static void do_move(struct market *m)
{
	uint32_t number = any_part(m), supplier = any_supplier(m);
	struct model_part *p = &m->parts[number];
	enum status s = move_part(m->db, number, supplier);

	agree(m, s == (p->alive ? DONE : NOT_FOUND), "moving a part");
	if (!settle(m, s))
		return;
	m->suppliers[p->supplier].part_count--;
	p->supplier = supplier;
	m->suppliers[supplier].part_count++;
}

static void do_order(struct market *m)
{
	uint32_t number = any_part(m), order = m->order_count + 1;
	struct model_part *p = &m->parts[number];
	int64_t quantity = 1 + workload_below(m->w, 30);
	enum status s = place_order(m->db, order, number, quantity);

	agree(m,
	      s == (!p->alive		  ? NOT_FOUND
		    : p->stock < quantity ? TOO_LITTLE
					  : DONE),
	      "ordering");
	if (!settle(m, s) || order == m->order_room)
		return;
	m->order_count = order;
	m->orders[order] = (struct model_order){1, number, quantity};
	p->stock -= quantity;
	p->open_orders++;
}

static void do_cancel(struct market *m)
{
	uint32_t order = m->oldest_order + workload_below(m->w, 40);
	int known = order <= m->order_count && m->orders[order].open;
	enum status s = cancel_order(m->db, order);

	agree(m, s == (known ? DONE : NOT_FOUND), "cancelling an order");
	if (!settle(m, s))
		return;
	m->orders[order].open = 0;
	m->parts[m->orders[order].part].stock += m->orders[order].quantity;
	m->parts[m->orders[order].part].open_orders--;
}

static void do_ship(struct market *m)
{
	uint64_t shipped = 0;
	enum status s = ship_order(m->db, &shipped);
	struct model_order *o;

	while (m->oldest_order <= m->order_count && !m->orders[m->oldest_order].open)
		m->oldest_order++;
	agree(m, s == (m->oldest_order <= m->order_count ? DONE : NOT_FOUND), "shipping");
	agree(m, s != DONE || shipped == m->oldest_order, "the oldest order ships first");
	if (!settle(m, s))
		return;
	o = &m->orders[shipped];
	o->open = 0;
	m->parts[o->part].open_orders--;
	m->suppliers[m->parts[o->part].supplier].balance += o->quantity * m->parts[o->part].price;
}

static void do_restock(struct market *m)
{
	uint32_t first = any_part(m), last = first + RANGE_MAX - 1;
	int filled, low = 0;
	enum status s = restock(m->db, first, last, &filled);

	last = last > m->part_limit ? m->part_limit : last;
	for (uint32_t i = first; i <= last; i++)
		low += m->parts[i].alive && m->parts[i].stock < STOCK_FIRST;
	agree(m, s == DONE && filled == low, "restocking a range");
	if (!settle(m, s))
		return;
	for (uint32_t i = first; i <= last; i++)
		if (m->parts[i].alive && m->parts[i].stock < STOCK_FIRST)
			m->parts[i].stock = STOCK_FIRST;
}

static void do_audit(struct market *m)
{
	int64_t worth;
	enum status s = audit(m->db, any_supplier(m), &worth);

	agree(m, s == DONE, "a supplier's chain is in order");
	workload_digest(m->w, (uint64_t)worth);
	settle(m, s);
}

static struct market *market_create(struct workload *w, uint32_t part_limit)
{
	struct market *m = workload_alloc(sizeof(*m));

	m->w = w;
	m->db = db_create_empty();
	m->part_limit = part_limit;
	m->supplier_count = part_limit / 12 + 1;
	m->order_room = part_limit * 8;
	m->oldest_order = 1;
	m->parts = workload_alloc(sizeof(*m->parts) * (part_limit + 1));
	m->suppliers = workload_alloc(sizeof(*m->suppliers) * (m->supplier_count + 1));
	m->orders = workload_alloc(sizeof(*m->orders) * (m->order_room + 1));
	for (uint32_t i = 1; i <= m->supplier_count; i++) {
		uint32_t supplier;

		db_create(m->db, SUPPLIER, &supplier);
		db_set(m->db, supplier, S_NUMBER, i);
		db_set(m->db, supplier, S_RATING, i % 5);
		db_commit(m->db);
	}
	return m;
}

static void market_destroy(struct market *m)
{
	db_destroy(m->db);
	free(m->parts);
	free(m->suppliers);
	free(m->orders);
	free(m);
}

static void check_parts(const struct market *m)
{
	const struct db *db = m->db;
	uint32_t alive = 0;
	uint64_t out = 0, in = 0;

	for (uint32_t i = 1; i <= m->part_limit; i++) {
		const struct model_part *p = &m->parts[i];
		uint32_t part = db_find(db, BY_NUMBER, i);
		char name[TEXT_BYTES];
		uint64_t stock = 0, supplier = 0;

		agree(m, !part == !p->alive, "parts that exist are found by number");
		if (!part)
			continue;
		alive++;
		part_name(i, p->name_version, name);
		agree(m, db_find_text(db, P_NAME, name) == part, "parts are found by name");
		db_get(db, part, P_STOCK, &stock);
		db_get(db, db_get_reference(db, part, P_SUPPLIER), S_NUMBER, &supplier);
		agree(m, (int64_t)stock == p->stock && supplier == p->supplier,
		      "parts as modelled");
		out += (uint64_t)chain_length(db, part, P_OUT, C_NEXT_OUT);
		in += (uint64_t)chain_length(db, part, P_IN, C_NEXT_IN);
		workload_digest(m->w, stock * 1000 + supplier);
	}
	agree(m,
	      alive == db->live[PART] && alive == db->indexes[BY_NUMBER].count &&
		      alive == db->indexes[BY_NAME].count,
	      "as many index entries as parts");
	agree(m, out == m->connections && in == out && out == db->live[CONNECTION],
	      "connections lead both ways");
}

static void check_rest(const struct market *m)
{
	const struct db *db = m->db;
	uint32_t open = 0;

	for (uint32_t i = 1; i <= m->supplier_count; i++) {
		uint32_t supplier = db_find(db, BY_SUPPLIER_NUMBER, i);
		uint64_t balance = 0, count = 0;

		db_get(db, supplier, S_BALANCE, &balance);
		db_get(db, supplier, S_PART_COUNT, &count);
		agree(m, (int64_t)balance == m->suppliers[i].balance, "suppliers are paid");
		agree(m, (int64_t)count == m->suppliers[i].part_count,
		      "suppliers have their parts");
		workload_digest(m->w, balance);
	}
	for (uint32_t i = 1; i <= m->order_count; i++)
		open += m->orders[i].open;
	agree(m,
	      open == db->live[ORDER] && open == db->indexes[BY_DATE].count &&
		      open == db->indexes[BY_ORDER_NUMBER].count,
	      "as many index entries as orders");
	agree(m, db->log_count == 0, "the log is empty");
}

int main(int argc, char **argv)
{
	static void (*const kinds[])(struct market *) = {
		do_add,	  do_lookup, do_connect, do_traverse, do_delete,  do_rename,
		do_move,  do_order,  do_cancel,	 do_ship,     do_restock, do_audit,
		do_order, do_lookup, do_connect, do_traverse};
	static const uint32_t parts[] = {120, 4200, 20000};
	static const uint32_t transactions[] = {300, 7000, 230000};
	struct workload w = workload_begin("objdb", argc, argv);
	struct market *m = market_create(&w, parts[w.size]);

	for (uint32_t i = 0; i < parts[w.size]; i++)
		do_add(m);
	for (uint32_t i = 0; i < parts[w.size]; i++)
		do_connect(m);
	for (uint32_t i = 0; i < transactions[w.size]; i++)
		kinds[workload_below(&w, sizeof(kinds) / sizeof(kinds[0]))](m);
	check_parts(m);
	check_rest(m);
	for (int i = 0; i <= CHANGED_MIND; i++)
		workload_digest(&w, m->statuses[i]);
	workload_digest(&w, m->db->changes);
	market_destroy(m);
	return workload_end(&w);
}
