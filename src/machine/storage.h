/*
 * storage.h - how many bits the parts of a machine remember: what a larger part costs, beside what
 * it gains.
 *
 * The bits are those that the part needs to do what the simulated one does, worked out from the
 * configuration; addresses have STORAGE_ADDRESS_BITS, virtual and physical ones. A part that has no
 * limit, or that the machine lacks, has 0.
 *
 * Not counted: logic, wires, ports, error correction, and what a pipeline holds between its stages.
 * Units, widths and depths are therefore free here, which they are not in silicon.
 */
#ifndef MACHINE_STORAGE_H
#define MACHINE_STORAGE_H

#include "config/config.h"

#define STORAGE_ADDRESS_BITS 48

/* PART(id, name) */
#define STORAGE_PARTS(PART)            \
	PART(L1I, "l1i")               \
	PART(L1D, "l1d")               \
	PART(L2, "l2")                 \
	PART(L3, "l3")                 \
	PART(PREFETCH, "prefetchers")  \
	PART(MSHRS, "mshrs")           \
	PART(ITLB, "itlb")             \
	PART(DTLB, "dtlb")             \
	PART(TLB2, "tlb2")             \
	PART(WALK, "walk cache")       \
	PART(PREDICTOR, "predictor")   \
	PART(BTB, "btb")               \
	PART(RETURN, "return stack")   \
	PART(INDIRECT, "indirect")     \
	PART(FETCH, "fetch buffer")    \
	PART(ROB, "reorder buffer")    \
	PART(QUEUES, "issue queues")   \
	PART(LSQ, "load/store queue")  \
	PART(STORE_SETS, "store sets") \
	PART(STORES, "store buffer")   \
	PART(BRANCHES, "branches in flight")

enum storage_part {
#define PART(id, name) STORAGE_##id,
	STORAGE_PARTS(PART)
#undef PART
		STORAGE_PARTS_COUNT
};

struct storage {
	uint64_t bits[STORAGE_PARTS_COUNT];
};

extern const char *const storage_names[STORAGE_PARTS_COUNT];

/* Of a machine that config_settle accepts. */
struct storage storage_of(const struct config *config);
uint64_t storage_sum(const struct storage *storage);

#endif
