/*
 * config.h - the parameters of a simulated machine: one plain struct, made from
 * the rows of parameters.def, and the functions that read and write it as text.
 *
 * A struct config is a value, complete from config_reset on. config_load_* and
 * config_set refuse any single value outside its row; config_check says whether
 * the values together describe a machine. A load ends with it; a caller that sets
 * single values calls it after the last one.
 *
 * Not every parameter means something to every machine (an in-order core has no
 * reorder buffer): a row's `when` says so. Dump, difference and hash cover the
 * parameters that apply; config_settle sets the others to their fallback, so that
 * machines with the same hash are the same bit for bit.
 *
 * Files are hostile: size, depth and number of settings are bounded, and the only
 * other file that a file can refer to is a preset in the directory that the caller
 * gave (based_on). The directory of the presets is not known here. The name
 * config_init belongs to libconfig, hence config_reset.
 */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/nearest.h"
#include "config/ideal_at.h"
#include "config/words.h"

#define UNLIMITED	  UINT32_MAX
#define CONFIG_FILE_BYTES (1 << 20)	      /* a longer file is refused */
#define CONFIG_TEXT_BYTES IDEAL_AT_TEXT_BYTES /* enough for any value as text */

#define WORD(id, word) id,
enum config_core { CONFIG_WORDS_core(WORD) };
enum config_profile { CONFIG_WORDS_profile(WORD) };
enum config_disambiguation { CONFIG_WORDS_disambiguation(WORD) };
enum config_issue_queue { CONFIG_WORDS_issue_queue(WORD) };
enum config_unmapped { CONFIG_WORDS_unmapped(WORD) };
enum config_replacement { CONFIG_WORDS_replacement(WORD) };
enum config_write { CONFIG_WORDS_write(WORD) };
enum config_memory { CONFIG_WORDS_memory(WORD) };
enum config_row_policy { CONFIG_WORDS_row_policy(WORD) };
enum config_tlb_miss { CONFIG_WORDS_tlb_miss(WORD) };
enum config_predictor { CONFIG_WORDS_predictor(WORD) };
enum config_pairing { CONFIG_WORDS_pairing(WORD) };
enum config_long_operations { CONFIG_WORDS_long_operations(WORD) };
enum config_indirect { CONFIG_WORDS_indirect(WORD) };
#undef WORD
#define WORD(id, word) id##_BIT,
enum config_prefetch_bit { CONFIG_WORDS_prefetch(WORD) };
#undef WORD
#define WORD(id, word) id = 1 << id##_BIT,
enum config_prefetch { PREFETCH_NONE = 0, CONFIG_WORDS_prefetch(WORD) };
#undef WORD

/* WHEN(name, the machines that have the parameter in words, the same as a condition on `c`) */
#define CONFIG_WHENS(WHEN)                                                                      \
	WHEN(ALWAYS, "every machine", true)                                                     \
	/* The same, and named only where it is not at its fallback. */                         \
	WHEN(IF_SAID, "every machine", true)                                                    \
	WHEN(OOO, "core.kind = ooo", c->core_kind == CORE_OOO)                                  \
	WHEN(UNIFIED, "core.kind = ooo with issue_queue.kind = unified",                        \
	     c->core_kind == CORE_OOO && c->issue_queue_kind == ISSUE_QUEUE_UNIFIED)            \
	WHEN(SPLIT, "core.kind = ooo with issue_queue.kind = split",                            \
	     c->core_kind == CORE_OOO && c->issue_queue_kind == ISSUE_QUEUE_SPLIT)              \
	WHEN(STORE_SETS, "core.kind = ooo with lsq.disambiguation = predict",                   \
	     c->core_kind == CORE_OOO && c->disambiguation == DISAMBIGUATION_PREDICT)           \
	WHEN(INORDER, "core.kind = inorder", c->core_kind == CORE_INORDER)                      \
	WHEN(INORDER_PAIRS, "core.kind = inorder with inorder.issue_width of 2",                \
	     c->core_kind == CORE_INORDER && c->inorder_issue_width == 2)                       \
	WHEN(INORDER_PREDICTOR, "core.kind = inorder with a predictor",                         \
	     c->core_kind == CORE_INORDER && c->predictor_kind != PREDICTOR_NONE)               \
	WHEN(INORDER_THROUGH, "core.kind = inorder with l1d.write = through",                   \
	     c->core_kind == CORE_INORDER && c->l1d_write == WRITE_THROUGH)                     \
	WHEN(L2, "cache.levels of 2 or more", c->cache_levels >= 2)                             \
	WHEN(L3, "cache.levels of 3", c->cache_levels >= 3)                                     \
	WHEN(OOO_L2, "core.kind = ooo with cache.levels of 2 or more",                          \
	     c->core_kind == CORE_OOO && c->cache_levels >= 2)                                  \
	WHEN(OOO_L3, "core.kind = ooo with cache.levels of 3",                                  \
	     c->core_kind == CORE_OOO && c->cache_levels >= 3)                                  \
	WHEN(DRAM, "memory.kind = dram", c->memory_kind == MEMORY_DRAM)                         \
	WHEN(TLB_FIXED, "tlb.miss = fixed", c->tlb_miss == TLB_MISS_FIXED)                      \
	WHEN(WALK, "tlb.miss = walk", c->tlb_miss == TLB_MISS_WALK)                             \
	WHEN(TLB2, "tlb2.entries above 0", c->tlb2_entries > 0)                                 \
	WHEN(BIMODAL, "predictor.kind = bimodal, hybrid or tage",                               \
	     c->predictor_kind == PREDICTOR_BIMODAL || c->predictor_kind == PREDICTOR_HYBRID || \
		     c->predictor_kind == PREDICTOR_TAGE)                                       \
	WHEN(GSHARE, "predictor.kind = gshare or hybrid",                                       \
	     c->predictor_kind == PREDICTOR_GSHARE || c->predictor_kind == PREDICTOR_HYBRID)    \
	WHEN(HYBRID, "predictor.kind = hybrid", c->predictor_kind == PREDICTOR_HYBRID)          \
	WHEN(TAGE, "predictor.kind = tage", c->predictor_kind == PREDICTOR_TAGE)                \
	WHEN(TARGETS, "predictor.kind other than none and perfect",                             \
	     c->predictor_kind != PREDICTOR_NONE && c->predictor_kind != PREDICTOR_PERFECT)     \
	WHEN(INDIRECT, "indirect.kind = history, with a predictor",                             \
	     c->indirect_kind == INDIRECT_HISTORY && c->predictor_kind != PREDICTOR_NONE &&     \
		     c->predictor_kind != PREDICTOR_PERFECT)                                    \
	WHEN(NOISE, "pmu.noise_percent above 0", c->pmu_noise > 0)                              \
	WHEN(SABOTAGE, "pmu.sabotage above 0", c->pmu_sabotage > 0)

enum config_when {
#define WHEN(name, text, condition) WHEN_##name,
	CONFIG_WHENS(WHEN)
#undef WHEN
};

struct config {
#define NUMBER(field, key, when, least, most, fallback, help) uint32_t field;
#define COUNT(field, key, when, least, most, fallback, help)  uint32_t field;
#define CHOICE(field, key, when, choices, fallback, help)     enum config_##choices field;
#define SET(field, key, when, choices, fallback, help)	      uint32_t field;
#define SWITCH(field, key, when, fallback, help)	      bool field;
#define LIST(field, key, when, help)			      struct ideal_at field;
#include "config/parameters.def"
#undef NUMBER
#undef COUNT
#undef CHOICE
#undef SET
#undef SWITCH
#undef LIST
};

enum config_id {
#define NUMBER(field, key, when, least, most, fallback, help) CONFIG_##field,
#define COUNT(field, key, when, least, most, fallback, help)  CONFIG_##field,
#define CHOICE(field, key, when, choices, fallback, help)     CONFIG_##field,
#define SET(field, key, when, choices, fallback, help)	      CONFIG_##field,
#define SWITCH(field, key, when, fallback, help)	      CONFIG_##field,
#define LIST(field, key, when, help)			      CONFIG_##field,
#include "config/parameters.def"
#undef NUMBER
#undef COUNT
#undef CHOICE
#undef SET
#undef SWITCH
#undef LIST
	CONFIG_COUNT
};

enum config_type {
	CONFIG_IS_NUMBER,
	CONFIG_IS_COUNT,
	CONFIG_IS_CHOICE,
	CONFIG_IS_SET,
	CONFIG_IS_SWITCH,
	CONFIG_IS_LIST
};

struct config_row {
	const char *key;
	enum config_type type;
	enum config_when when;
	size_t offset;
	/* For a choice the index of a word, for a set one bit a word, for a switch 0 or 1; for a
	 * list all are 0. */
	uint32_t least, most, fallback;
	const char *const *words; /* the words of a choice or set, NULL-terminated */
	const char *help;
};

extern const struct config_row config_rows[CONFIG_COUNT];

/* Every parameter at its fallback. */
void config_reset(struct config *config);
/* The machine of a command that names none: the preset of that name, which is built in. */
#define CONFIG_DEFAULT "midcore"
void config_default(struct config *config);

/* The row of a key, or CONFIG_COUNT. */
enum config_id config_find(const char *key);
/* The known key nearest to `key`, of which a group or the rest may be given alone. */
struct nearest config_nearest(const char *key);

/* Whether the parameter applies to this machine; and in words, to which machines it applies. */
bool config_applies(const struct config *config, enum config_id id);
const char *config_when_text(enum config_when when);
/* Whether dump, JSON and hash name the parameter: it applies, and is no list without elements and
 * no parameter of IF_SAID at its fallback, which every machine has that says nothing of it. */
bool config_is_named(const struct config *config, enum config_id id);

/* A value as a number: of a choice its index, of a set its bits, of a switch 0 or 1, of a list how
 * many elements it has. put does not check, and makes a list empty, with 0. */
uint32_t config_get(const struct config *config, enum config_id id);
void config_put(struct config *config, enum config_id id, uint32_t value);
/* The same for values of every type. */
bool config_is_same(const struct config *a, const struct config *b, enum config_id id);
void config_copy(struct config *to, const struct config *from, enum config_id id);
/* A value as --set takes it: 128, unlimited, lru, stride+stream, true. */
void config_value_text(const struct config *config, enum config_id id,
		       char text[CONFIG_TEXT_BYTES]);
/* The values a row accepts, in words: `a whole number from 4 to 1024`. */
void config_expected(enum config_id id, char *text, size_t bytes);

/* The value of a choice's word, or of a set's words joined with "+"; false if it is none. */
bool config_read_words(const struct config_row *row, const char *text, uint32_t *value);
/* The value of a row that takes numbers, as base/number.h reads them, or "unlimited" where that is
 * allowed; false if it is none or out of the row's range. */
bool config_read_number(enum config_id id, const char *text, uint32_t *value);
/* Reads the value of a row of any type. False with a sentence, and then nothing has changed. */
bool config_read_value(struct config *config, enum config_id id, const char *text, struct err *err);
/* One "key=value", with numbers as above. False with a sentence, and then nothing has changed. */
bool config_set(struct config *config, const char *assignment, struct err *err);
/* After all assignments: whether the parameter that one of them names has an effect on the machine
 * they made. A sentence if it has none: somebody who sets it expects one. */
bool config_set_matters(const struct config *config, const char *assignment, struct err *err);

/* Whether the values together describe a machine; a sentence about the first rule
 * they break. */
bool config_check(const struct config *config, struct err *err);
/* config_check; then parameters that do not apply go back to their fallback. */
bool config_settle(struct config *config, struct err *err);

/* What a file that names no machine to start from takes from the one of config_reset,
 * which is this preset. */
#define CONFIG_UNNAMED_BASE "eyerman2006"
struct config_left_out {
	size_t count;	      /* of the parameters that apply; 0: none, or based_on is given */
	enum config_id first; /* of them */
};

/* Reads a file over what `config` holds, or over the machine it names with based_on,
 * a preset, or, in a file, a file beside it if there is a / or a . in it; and checks the
 * whole. `name` is for sentences, which begin "NAME:LINE: ". Presets are NAME.cfg in
 * the directory `presets`; NULL: there are none. On false `config` is as it was. */
bool config_load_text(struct config *config, const char *text, size_t bytes, const char *name,
		      const char *presets, struct err *err);
/* `left_out` may be NULL. */
bool config_load_file(struct config *config, const char *path, const char *presets,
		      struct config_left_out *left_out, struct err *err);
/* The preset of that name, over config_reset. */
bool config_load_preset(struct config *config, const char *name, const char *presets,
			struct err *err);
/* Sorted names of the presets there, NULL-terminated; free each and the list. */
char **config_presets(const char *presets, struct err *err);

/* A config file that reads back to the same machine. */
void config_dump(const struct config *config, FILE *out);
/* The parameters that differ, or that only one of the two has, in the order of the
 * rows; returns how many. */
size_t config_diff(const struct config *a, const struct config *b,
		   enum config_id ids[CONFIG_COUNT]);
/* SHA-256, in hexadecimal, of the parameters that apply and their values. It depends
 * on keys and values only, not on the order of the rows. */
void config_hash(const struct config *config, char hash[65]);

#endif
