/*
 * words.h - the words that a parameter can have as its value, one list for each kind of parameter:
 * W(id, word).
 *
 * A word of replacement, prefetch, direction, indirect or core names a part, of which this is the
 * only list: enum, word, the declaration of `const struct` FOLDER_word and the row of its table are
 * made from it. A word without a part does not link. A part defines its struct by CONFIG_PART; one
 * without a word does not compile. So a new part is a file and a row here.
 */
#ifndef CONFIG_WORDS_H
#define CONFIG_WORDS_H

/* The definition of a part that a list has declared. */
#define CONFIG_PART(symbol) __typeof__(symbol) symbol

#define CONFIG_WORDS_core(W) W(CORE_OOO, ooo) W(CORE_INORDER, inorder)
/* What the profiles mean is in isa/profile.c. */
#define CONFIG_WORDS_profile(W)       \
	W(PROFILE_RV64GCB, rv64gcb)   \
	W(PROFILE_RVA20U64, rva20u64) \
	W(PROFILE_RVA22U64, rva22u64) \
	W(PROFILE_RVA23U64, rva23u64) \
	W(PROFILE_MAX, max)
#define CONFIG_WORDS_disambiguation(W)               \
	W(DISAMBIGUATION_CONSERVATIVE, conservative) \
	W(DISAMBIGUATION_PERFECT, perfect)           \
	W(DISAMBIGUATION_PREDICT, predict)
#define CONFIG_WORDS_issue_queue(W) W(ISSUE_QUEUE_UNIFIED, unified) W(ISSUE_QUEUE_SPLIT, split)
#define CONFIG_WORDS_unmapped(W)    W(UNMAPPED_STOP, stop) W(UNMAPPED_ZERO, zero)
#define CONFIG_WORDS_replacement(W)                                                  \
	W(REPLACE_LRU, lru)	  /* least recently used */                          \
	W(REPLACE_LRR, lrr)	  /* least recently replaced: first in, first out */ \
	W(REPLACE_RANDOM, random) /* from the cache's own generator */               \
	W(REPLACE_PLRU, plru)	  /* tree pseudo-LRU */                              \
	W(REPLACE_SRRIP, srrip)	  /* 2-bit static re-reference interval */
#define CONFIG_WORDS_write(W) W(WRITE_BACK, back) W(WRITE_THROUGH, through) W(WRITE_LIVE, live)
/* The words of a set: each is a bit; "none" is the empty set. */
#define CONFIG_WORDS_prefetch(W)                                                              \
	W(PREFETCH_NEXT_LINE, next_line)	 /* at a miss or first use: the line after */ \
	W(PREFETCH_ADJACENT_LINE, adjacent_line) /* at a miss: the other line of the pair */  \
	W(PREFETCH_STRIDE, stride)		 /* the next addresses by each pc's stride */ \
	W(PREFETCH_STREAM, stream)		 /* ahead of runs of lines in 16 pages */
#define CONFIG_WORDS_direction(W)                       \
	W(PREDICTOR_STATIC_TAKEN, static_taken)         \
	W(PREDICTOR_STATIC_NOT_TAKEN, static_not_taken) \
	W(PREDICTOR_BIMODAL, bimodal)                   \
	W(PREDICTOR_GSHARE, gshare)                     \
	W(PREDICTOR_HYBRID, hybrid)                     \
	W(PREDICTOR_TAGE, tage)
#define CONFIG_WORDS_predictor(W) \
	W(PREDICTOR_NONE, none) CONFIG_WORDS_direction(W) W(PREDICTOR_PERFECT, perfect)
#define CONFIG_WORDS_memory(W)		W(MEMORY_FIXED, fixed) W(MEMORY_DRAM, dram)
#define CONFIG_WORDS_row_policy(W)	W(ROWS_OPEN, open) W(ROWS_CLOSED, closed)
#define CONFIG_WORDS_tlb_miss(W)	W(TLB_MISS_FIXED, fixed) W(TLB_MISS_WALK, walk)
#define CONFIG_WORDS_pairing(W)		W(PAIRING_UNITS, units) W(PAIRING_PIPES, pipes)
#define CONFIG_WORDS_long_operations(W) W(LONG_PIPELINED, pipelined) W(LONG_BLOCKING, blocking)
#define CONFIG_WORDS_indirect(W)	W(INDIRECT_BTB, btb) W(INDIRECT_HISTORY, history)

#endif
