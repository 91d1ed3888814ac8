/*
 * objdb_store.h - the store of objdb: schema, pages, handles, fields, log.
 *
 * Objects of a class lie in pages of that class and are known by a number that
 * leads through the handle table; every access resolves the number anew and
 * checks handle, page and class. Setting an indexed field moves its index
 * entry. All changes since the last commit are in the log, so that an abort
 * can take them back, last first; deleted objects live until the commit.
 * There is one transaction at a time and nothing is written to disk.
 */
#ifndef OBJDB_STORE_H
#define OBJDB_STORE_H

#include "objdb_index.h"

enum status {
	DONE,
	NOT_FOUND,
	DUPLICATE,
	WRONG_CLASS,
	STALE_HANDLE,
	IN_USE,
	TOO_LITTLE,
	CHANGED_MIND
};
enum class_id { SUPPLIER, PART, CONNECTION, ORDER, CLASSES };
enum index_id {
	NO_INDEX,
	BY_NUMBER,
	BY_NAME,
	BY_SUPPLIER_NUMBER,
	BY_ORDER_NUMBER,
	BY_DATE,
	INDEXES
};

enum {
	PAGE_BYTES = 8192,
	PAGE_MAGIC = 0x0bdb,
	TEXT_BYTES = 24,
	HANDLE_BITS = 24, /* the rest of an object number counts reuse */
	CHAIN_END = 0
};

enum field_id {
	S_NUMBER,
	S_BALANCE,
	S_RATING,
	S_PART_COUNT,
	S_FIRST_PART,
	P_NUMBER,
	P_NAME,
	P_TYPE,
	P_BUILT,
	P_STOCK,
	P_PRICE,
	P_SUPPLIER,
	P_NEXT,
	P_BEFORE,
	P_OUT,
	P_IN,
	P_OPEN_ORDERS,
	P_REMARK,
	C_FROM,
	C_TO,
	C_LENGTH,
	C_NEXT_OUT,
	C_NEXT_IN,
	O_NUMBER,
	O_DATE,
	O_PART,
	O_QUANTITY,
	FIELDS
};

enum field_type { NUMBER, REFERENCE, TEXT };

static const struct field {
	enum class_id class;
	enum field_type type;
	uint16_t offset;
	enum index_id index;
} fields[FIELDS] = {
	[S_NUMBER] = {SUPPLIER, NUMBER, 0, BY_SUPPLIER_NUMBER},
	[S_BALANCE] = {SUPPLIER, NUMBER, 8, NO_INDEX},
	[S_RATING] = {SUPPLIER, NUMBER, 16, NO_INDEX},
	[S_PART_COUNT] = {SUPPLIER, NUMBER, 24, NO_INDEX},
	[S_FIRST_PART] = {SUPPLIER, REFERENCE, 32, NO_INDEX},
	[P_NUMBER] = {PART, NUMBER, 0, BY_NUMBER},
	[P_NAME] = {PART, TEXT, 8, BY_NAME},
	[P_TYPE] = {PART, NUMBER, 32, NO_INDEX},
	[P_BUILT] = {PART, NUMBER, 40, NO_INDEX},
	[P_STOCK] = {PART, NUMBER, 48, NO_INDEX},
	[P_PRICE] = {PART, NUMBER, 56, NO_INDEX},
	[P_SUPPLIER] = {PART, REFERENCE, 64, NO_INDEX},
	[P_NEXT] = {PART, REFERENCE, 72, NO_INDEX},
	[P_BEFORE] = {PART, REFERENCE, 80, NO_INDEX},
	[P_OUT] = {PART, REFERENCE, 88, NO_INDEX},
	[P_IN] = {PART, REFERENCE, 96, NO_INDEX},
	[P_OPEN_ORDERS] = {PART, NUMBER, 104, NO_INDEX},
	[P_REMARK] = {PART, TEXT, 112, NO_INDEX},
	[C_FROM] = {CONNECTION, REFERENCE, 0, NO_INDEX},
	[C_TO] = {CONNECTION, REFERENCE, 8, NO_INDEX},
	[C_LENGTH] = {CONNECTION, NUMBER, 16, NO_INDEX},
	[C_NEXT_OUT] = {CONNECTION, REFERENCE, 24, NO_INDEX},
	[C_NEXT_IN] = {CONNECTION, REFERENCE, 32, NO_INDEX},
	[O_NUMBER] = {ORDER, NUMBER, 0, BY_ORDER_NUMBER},
	[O_DATE] = {ORDER, NUMBER, 8, BY_DATE},
	[O_PART] = {ORDER, REFERENCE, 16, NO_INDEX},
	[O_QUANTITY] = {ORDER, NUMBER, 24, NO_INDEX},
};

static const uint16_t class_bytes[CLASSES] = {48, 176, 40, 32};

struct object {
	uint32_t number; /* 0: free */
	uint32_t version;
	struct object *next_free;
	uint8_t data[];
};

struct page {
	struct page *next;
	uint32_t magic;
	enum class_id class;
	uint64_t used;
	uint8_t slots[];
};

struct handle {
	struct object *object;
	struct page *page;
	uint32_t generation;
	uint32_t next_free;
};

enum log_kind { FIELD_SET, CREATED, DELETED, INDEX_ADDED, INDEX_REMOVED };

struct log_entry {
	enum log_kind kind;
	uint32_t number;
	enum index_id index;
	uint64_t key;
	uint8_t *where;
	uint8_t old[TEXT_BYTES];
};

struct db {
	struct handle *handles;
	uint32_t handle_count, handle_room, free_handle;
	struct page *pages[CLASSES];
	struct object *free_objects[CLASSES];
	uint32_t live[CLASSES];
	struct index indexes[INDEXES];
	struct log_entry *log;
	size_t log_count, log_room;
	uint64_t changes;
};

static void page_add(struct db *db, enum class_id class)
{
	struct page *page = aligned_alloc(PAGE_BYTES, PAGE_BYTES);
	size_t size = sizeof(struct object) + class_bytes[class];
	size_t count = (PAGE_BYTES - sizeof(*page)) / size;

	if (!page)
		abort();
	memset(page, 0, PAGE_BYTES);
	page->magic = PAGE_MAGIC;
	page->class = class;
	page->next = db->pages[class];
	db->pages[class] = page;
	while (count-- > 0) {
		struct object *o = (struct object *)(void *)(page->slots + count * size);

		o->next_free = db->free_objects[class];
		db->free_objects[class] = o;
	}
}

/* Pages lie at multiples of their size. */
static struct page *page_of(struct object *o)
{
	return (struct page *)((uintptr_t)o & ~(uintptr_t)(PAGE_BYTES - 1));
}

static uint32_t handle_take(struct db *db)
{
	uint32_t at = db->free_handle;

	if (at) {
		db->free_handle = db->handles[at].next_free;
		return at;
	}
	if (db->handle_count == db->handle_room) {
		db->handle_room = db->handle_room ? 2 * db->handle_room : 1024;
		db->handles = realloc(db->handles, sizeof(*db->handles) * db->handle_room);
		if (!db->handles)
			abort();
	}
	at = db->handle_count++;
	db->handles[at] = (struct handle){0};
	return at;
}

static enum status db_resolve(const struct db *db, uint32_t number, enum class_id class,
			      struct object **found)
{
	uint32_t at = number & ((1u << HANDLE_BITS) - 1);
	const struct handle *h;

	if (at == 0 || at >= db->handle_count)
		return NOT_FOUND;
	h = &db->handles[at];
	if (!h->object || (h->generation & 0xff) != number >> HANDLE_BITS)
		return STALE_HANDLE;
	if (h->page->magic != PAGE_MAGIC || h->page->class != class)
		return WRONG_CLASS;
	if (h->object->number != number)
		return STALE_HANDLE;
	*found = h->object;
	return DONE;
}

static struct log_entry *log_add(struct db *db, enum log_kind kind, uint32_t number)
{
	struct log_entry *e;

	if (db->log_count == db->log_room) {
		db->log_room = db->log_room ? 2 * db->log_room : 256;
		db->log = realloc(db->log, sizeof(*db->log) * db->log_room);
		if (!db->log)
			abort();
	}
	e = &db->log[db->log_count++];
	*e = (struct log_entry){.kind = kind, .number = number};
	return e;
}

static enum status index_add(struct db *db, enum index_id which, uint64_t key, uint32_t number)
{
	struct index *ix = &db->indexes[which];
	struct log_entry *e;

	if (!ix->kind->insert(ix, key, number))
		return DUPLICATE;
	e = log_add(db, INDEX_ADDED, number);
	e->index = which;
	e->key = key;
	return DONE;
}

static enum status index_drop(struct db *db, enum index_id which, uint64_t key, uint32_t number)
{
	struct index *ix = &db->indexes[which];
	struct log_entry *e;

	if (!ix->kind->remove(ix, key))
		return NOT_FOUND;
	e = log_add(db, INDEX_REMOVED, number);
	e->index = which;
	e->key = key;
	return DONE;
}

static uint64_t text_key(const char *text)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		h = (h ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return h ^ (h >> 29);
}

static enum status db_create(struct db *db, enum class_id class, uint32_t *number)
{
	uint32_t at = handle_take(db);
	struct handle *h = &db->handles[at];
	struct object *o;

	if (!db->free_objects[class])
		page_add(db, class);
	o = db->free_objects[class];
	db->free_objects[class] = o->next_free;
	h->object = o;
	h->page = page_of(o);
	h->page->used++;
	*number = at | (h->generation & 0xff) << HANDLE_BITS;
	o->number = *number;
	o->version = 0;
	memset(o->data, 0, class_bytes[class]);
	db->live[class]++;
	log_add(db, CREATED, *number);
	return DONE;
}

/* Gives object and handle back for good. */
static void object_free(struct db *db, uint32_t number)
{
	uint32_t at = number & ((1u << HANDLE_BITS) - 1);
	struct handle *h = &db->handles[at];
	enum class_id class = h->page->class;

	h->object->number = 0;
	h->object->next_free = db->free_objects[class];
	db->free_objects[class] = h->object;
	h->page->used--;
	h->object = NULL;
	h->generation++;
	h->next_free = db->free_handle;
	db->free_handle = at;
}

static enum status db_get(const struct db *db, uint32_t number, enum field_id field,
			  uint64_t *value)
{
	const struct field *f = &fields[field];
	struct object *o;
	enum status s = db_resolve(db, number, f->class, &o);

	if (s == DONE)
		memcpy(value, o->data + f->offset, sizeof(*value));
	return s;
}

static enum status db_get_text(const struct db *db, uint32_t number, enum field_id field,
			       char text[TEXT_BYTES])
{
	const struct field *f = &fields[field];
	struct object *o;
	enum status s = db_resolve(db, number, f->class, &o);

	if (s == DONE && f->type != TEXT)
		s = WRONG_CLASS;
	if (s == DONE)
		memcpy(text, o->data + f->offset, TEXT_BYTES);
	return s;
}

static uint32_t db_get_reference(const struct db *db, uint32_t number, enum field_id field)
{
	uint64_t value = 0;

	return db_get(db, number, field, &value) == DONE ? (uint32_t)value : CHAIN_END;
}

static void object_log_field(struct db *db, struct object *o, const struct field *f, size_t size)
{
	struct log_entry *e = log_add(db, FIELD_SET, o->number);

	e->where = o->data + f->offset;
	e->key = size;
	memcpy(e->old, e->where, size);
	o->version++;
	db->changes++;
}

static enum status db_set(struct db *db, uint32_t number, enum field_id field, uint64_t value)
{
	const struct field *f = &fields[field];
	struct object *o;
	enum status s = db_resolve(db, number, f->class, &o);
	uint64_t old;

	if (s != DONE)
		return s;
	if (f->type == TEXT)
		return WRONG_CLASS;
	memcpy(&old, o->data + f->offset, sizeof(old));
	if (f->index) {
		if (old)
			index_drop(db, f->index, old, number);
		if (value && (s = index_add(db, f->index, value, number)) != DONE)
			return s;
	}
	object_log_field(db, o, f, sizeof(old));
	memcpy(o->data + f->offset, &value, sizeof(value));
	return DONE;
}

static enum status db_set_text(struct db *db, uint32_t number, enum field_id field,
			       const char text[TEXT_BYTES])
{
	const struct field *f = &fields[field];
	struct object *o;
	enum status s = db_resolve(db, number, f->class, &o);
	const char *old;

	if (s != DONE)
		return s;
	old = (const char *)o->data + f->offset;
	if (f->index) {
		if (old[0])
			index_drop(db, f->index, text_key(old), number);
		if (text[0] && (s = index_add(db, f->index, text_key(text), number)) != DONE)
			return s;
	}
	object_log_field(db, o, f, TEXT_BYTES);
	memcpy(o->data + f->offset, text, TEXT_BYTES);
	return DONE;
}

static enum status db_change(struct db *db, uint32_t number, enum field_id field, int64_t by)
{
	uint64_t value;
	enum status s = db_get(db, number, field, &value);

	return s == DONE ? db_set(db, number, field, value + (uint64_t)by) : s;
}

/* Takes it out of its indexes; the object itself goes when the transaction commits. */
static enum status db_delete(struct db *db, uint32_t number, enum class_id class)
{
	struct object *o;
	enum status s = db_resolve(db, number, class, &o);
	static const char nothing[TEXT_BYTES];

	for (int i = 0; i < FIELDS && s == DONE; i++) {
		if (fields[i].class != class || !fields[i].index)
			continue;
		s = fields[i].type == TEXT ? db_set_text(db, number, (enum field_id)i, nothing)
					   : db_set(db, number, (enum field_id)i, 0);
	}
	if (s == DONE) {
		db->live[class]--;
		log_add(db, DELETED, number)->key = class;
	}
	return s;
}

static uint32_t db_find(const struct db *db, enum index_id which, uint64_t key)
{
	const struct index *ix = &db->indexes[which];

	return ix->kind->find(ix, key);
}

static uint32_t db_find_text(const struct db *db, enum field_id field, const char *text)
{
	uint32_t number = db_find(db, fields[field].index, text_key(text));
	char held[TEXT_BYTES];

	if (!number || db_get_text(db, number, field, held) != DONE || strcmp(held, text) != 0)
		return 0;
	return number;
}

static void db_commit(struct db *db)
{
	for (size_t i = 0; i < db->log_count; i++)
		if (db->log[i].kind == DELETED)
			object_free(db, db->log[i].number);
	db->log_count = 0;
}

static void db_abort(struct db *db)
{
	while (db->log_count > 0) {
		const struct log_entry *e = &db->log[--db->log_count];
		struct index *ix = &db->indexes[e->index];

		switch (e->kind) {
		case FIELD_SET: memcpy(e->where, e->old, (size_t)e->key); break;
		case CREATED:
			db->live[db->handles[e->number & ((1u << HANDLE_BITS) - 1)].page->class]--;
			object_free(db, e->number);
			break;
		case DELETED: db->live[e->key]++; break;
		case INDEX_ADDED: ix->kind->remove(ix, e->key); break;
		case INDEX_REMOVED: ix->kind->insert(ix, e->key, e->number); break;
		}
	}
}

static struct db *db_create_empty(void)
{
	struct db *db = workload_alloc(sizeof(*db));

	db->indexes[BY_NUMBER].kind = &index_tree;
	db->indexes[BY_NAME].kind = &index_hash;
	db->indexes[BY_SUPPLIER_NUMBER].kind = &index_tree;
	db->indexes[BY_ORDER_NUMBER].kind = &index_hash;
	db->indexes[BY_DATE].kind = &index_skip;
	handle_take(db);
	return db;
}

static void db_destroy(struct db *db)
{
	for (int c = 0; c < CLASSES; c++)
		for (struct page *p = db->pages[c], *next; p; p = next) {
			next = p->next;
			free(p);
		}
	for (int i = 1; i < INDEXES; i++)
		db->indexes[i].kind->release(&db->indexes[i]);
	free(db->handles);
	free(db->log);
	free(db);
}

#endif
