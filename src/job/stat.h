/*
 * stat.h - the statistics module in a run: texts become settings by the program's symbols, lines or
 * linker map; intervals are kept for the result, and sent to the parent if somebody watches.
 *
 * The result is the members of cyclestack-stat-1 that a run does not have: "module", "epochs",
 * "intervals", "counters", "derived". Counts of STAT_VALUES_MOST are kept interval by interval;
 * intervals beyond that are in the totals only, and "intervals_cut" says so.
 *
 * Changes that come while the program runs are other people's, and so is what a run begins with
 * that waited for it: what they may cost is bounded, each and all together, and what is beyond that
 * is refused and changes nothing. So whatever is sent to the port of a run, the run has its result.
 *
 * What the parent receives (struct stat_frame) is not trusted: stat_frame_read checks it.
 */
#ifndef JOB_STAT_H
#define JOB_STAT_H

#include <jansson.h>

#include "job/job.h"
#include "rtl/stats_plan.h"
#include "stats/request.h"

#define STAT_VALUES_MOST (UINT64_C(1) << 24)

/* Of changes that come while the program runs: comparisons of names for one of them, and for all;
 * pairs of all, where a change counts as one more; changes that wait for their cycle. */
#define STAT_LOOKS_MOST	    (UINT64_C(1) << 22)
#define STAT_ALL_LOOKS_MOST (UINT64_C(1) << 26)
#define STAT_ALL_PAIRS_MOST 65536
#define STAT_WAITING_MOST   64

struct job_stat;

/* Sends bytes to the parent. */
typedef void job_stat_sender(void *context, const void *bytes, size_t size);

/* Attaches the module to the simulation. NULL with a sentence, which is sent as a refusal if what
 * is to be counted first came from somebody else and is why. */
struct job_stat *job_stat_begin(const struct stats_request *request, struct process *process,
				struct simulation *simulation, job_stat_sender *send, void *context,
				struct err *err);
/* Looks for a change that the parent has posted; to be called now and then. */
void job_stat_poll(struct job_stat *stat);
/* What a circuit must be made for. Without a process (NULL) no pair may name a function or line.
 * False with a sentence; release it either way. */
bool job_stat_plan(const struct stats_request *request, struct process *process,
		   struct stats_plan *plan, struct err *err);
/* Ends counting. */
void job_stat_describe(struct job_stat *stat, json_t *result);
void job_stat_end(struct job_stat *stat); /* NULL is allowed */

/* What the worker sends. */
enum stat_frame_kind {
	STAT_FRAME_EPOCH,    /* an epoch begins: the names of its counters */
	STAT_FRAME_INTERVAL, /* counts of an interval */
	STAT_FRAME_REFUSED,  /* a change was refused: `text` says why */
};

struct stat_count {
	uint64_t value, total; /* in the interval, and in the epoch so far */
	uint32_t is_saturated; /* the value, or one before it */
	uint32_t unused;
};

/* The fixed part of a frame; `count` names or counts follow, then `text_bytes` of text. */
struct stat_frame_head {
	uint32_t kind, epoch, flags, count;
	uint64_t start, cycles, dispatched, number;
	uint32_t period_cycles, width_bits, text_bytes, unused;
};

enum { STAT_FLAG_LAST = 1, STAT_FLAG_FINAL = 2, STAT_FLAG_PARTIAL = 4 };

struct stat_frame {
	struct stat_frame_head head;
	const struct stat_count *counts; /* of an interval */
	/* Of an epoch: for each pair "SIGNAL@WHERE", each ended by NUL; of a refusal, a sentence.
	 */
	const char *text;
};

/* False if the bytes are not a frame. The frame points into them. They are aligned to 8. */
bool stat_frame_read(struct stat_frame *frame, const void *bytes, size_t size);

#endif
