/* Circuits of the counters for machines on which every size is another: inputs, words and constants
 * by name, and the inputs that a record becomes; the text of stimuli of a circuit that is made up.
 */
#include "../test.h"

#include <inttypes.h>

#include "base/array.h"
#include "isa/insn.h"
#include "rtl/circuit.h"
#include "keep.h"
#include "rtl/stimulus.h"

static struct config config;

/* Three levels of cache, queues for each class of unit. */
static void make_wide(void)
{
	config_reset(&config);
	config.fetch_width = 5;
	config.fetch_buffer = 37;
	config.decode_width = 3;
	config.frontend_depth = 6;
	config.dispatch_width = 7;
	config.issue_width = 9;
	config.commit_width = 2;
	config.rob_size = 100;
	config.issue_queue_kind = ISSUE_QUEUE_SPLIT;
	config.issue_queue_int = 41;
	config.issue_queue_memory = 23;
	config.issue_queue_fp = 17;
	config.lsq_size = 70;
	config.store_buffer = 12;
	config.max_branches = 19;
	config.disambiguation = DISAMBIGUATION_PREDICT;
	config.int_alu_count = 4;
	config.int_muldiv_count = 2;
	config.memory_ports = 3;
	config.fp_add_count = 5;
	config.fp_muldiv_count = 6;
	config.int_alu_latency = 2;
	config.int_mul_latency = 4;
	config.int_div_latency = 21;
	config.fp_add_latency = 3;
	config.fp_mul_latency = 5;
	config.fp_div_latency = 13;
	config.cache_levels = 3;
	config.l1i_line = 32;
	config.l1d_line = 64;
	config.l2_line = 128;
	config.l3_line = 256;
	config.l1d_latency = 8;
	config.l2_latency = 11;
	config.l3_latency = 29;
	config.memory_latency = 250;
	config.l1d_mshrs = 9;
	config.page_bytes = 8192;
	config.itlb_miss = 31;
	config.dtlb_miss = 33;
}

/* One level, one queue that is never full, nothing that is limited. */
static void make_small(void)
{
	config_reset(&config);
	config.fetch_width = 2;
	config.fetch_buffer = 2;
	config.decode_width = 3;
	config.dispatch_width = 4;
	config.commit_width = 6;
	config.rob_size = 5;
	config.issue_queue_size = 5;
	config.lsq_size = 1;
	config.cache_levels = 1;
	config.memory_latency = 5000;
	config.l1i_line = 64;
	config.l1d_line = 16;
	config.dtlb_miss = 0;
}

static const struct circuit_machine machine = {.config = &config};

static void describe(FILE *out, const struct circuit_kind *kind)
{
	struct err err = {.text = ""};
	struct circuit circuit;

	if (!circuit_init(&circuit, kind, &machine, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < circuit.shape.input_count; i++)
		fprintf(out, "%s %u*%u\n", circuit.shape.inputs[i].name,
			circuit.shape.inputs[i].bits, circuit.shape.inputs[i].count);
	for (size_t i = 0; i < circuit.shape.word_count; i++)
		fprintf(out, "%s%s %u\n", circuit.shape.words[i].is_inner ? "inner " : "",
			circuit.shape.words[i].name, circuit.shape.words[i].bits);
	for (size_t i = 0; i < circuit.shape.constant_count; i++)
		fprintf(out, "%s %" PRIu64 "\n", circuit.shape.constants[i].name,
			circuit.shape.constants[i].value);
	circuit_release(&circuit);
}

/* The states as enum fetch_stall and enum head_state number them. */
#define STATES                                                                                           \
	"FETCH_ITLB 1\nFETCH_L1I 2\nFETCH_L2I 3\nFETCH_L3I 4\nHEAD_EMPTY 0\nHEAD_STORE 2\nHEAD_UNIT 5\n" \
	"HEAD_DTLB 6\nHEAD_L1D 7\nHEAD_L2D 8\nHEAD_L3D 9\n"

static const char power5_wide[] =
	"is_committing 1*1\nis_dispatching 1*1\nfetched 1*1\nis_fed 1*1\nfetch_stall 4*1\n"
	"head_state 4*1\nis_fronted 1*1\nfront_waits 4*1\nmispredict 1*1\nreplay 1*1\n"
	"miss_waits 4*1\nbase 48\nl1i 48\nl2i 48\nl3i 48\nitlb 48\nbranch 48\nl1d 48\n"
	"l2d 48\nl3d 48\ndtlb 48\nresource 48\n"
	"COUNTER_BASE 0\nCOUNTER_L1I 1\nCOUNTER_L2I 2\nCOUNTER_L3I 3\nCOUNTER_ITLB 4\n"
	"COUNTER_BRANCH 5\nCOUNTER_L1D 6\nCOUNTER_L2D 7\nCOUNTER_L3D 8\nCOUNTER_DTLB 9\n"
	"COUNTER_WALK 0\nCOUNTER_BANDWIDTH 0\nCOUNTER_RESOURCE 10\nCOUNTERS 11\n"
	"GLOBAL_BITS 48\nINDEX_BITS 4\n" STATES;
static const char power5_small[] =
	"is_committing 1*1\nis_dispatching 1*1\nfetched 1*1\nis_fed 1*1\nfetch_stall 4*1\n"
	"head_state 4*1\nis_fronted 1*1\nfront_waits 4*1\nmispredict 1*1\nreplay 1*1\n"
	"miss_waits 4*1\nbase 48\nl1i 48\nitlb 48\nbranch 48\nl1d 48\ndtlb 48\nresource 48\n"
	"COUNTER_BASE 0\nCOUNTER_L1I 1\nCOUNTER_L2I 0\nCOUNTER_L3I 0\nCOUNTER_ITLB 2\n"
	"COUNTER_BRANCH 3\nCOUNTER_L1D 4\nCOUNTER_L2D 0\nCOUNTER_L3D 0\nCOUNTER_DTLB 5\n"
	"COUNTER_WALK 0\nCOUNTER_BANDWIDTH 0\nCOUNTER_RESOURCE 6\nCOUNTERS 7\n"
	"GLOBAL_BITS 48\nINDEX_BITS 3\n" STATES;
static const char fmt_wide[] =
	"is_committing 1*1\nis_dispatching 1*1\nis_fed 1*1\nfetch_stall 4*1\n"
	"head_state 4*1\ndispatch_stall 3*1\nrob_used 7*1\noldest_missed_tlb 1*1\n"
	"mispredict 1*1\nmispredict_slot 8*1\nreplay 1*1\nreplay_branches 5*1\n"
	"commit_branch 1*2\ncommit_mispredicted 1*2\ndispatch_branches 3*1\n"
	"dispatch_slots 8*7\nfetch_branches 3*1\ncycles 48\nl1i 48\nl2i 48\nl3i 48\n"
	"itlb 48\nbranch 48\nl1d 48\nl2d 48\nl3d 48\ndtlb 48\nresource 48\n"
	"inner early_l1d 6\ninner early_l2d 6\ninner early_l3d 6\ninner early_dtlb 6\n"
	"inner rows_l1i 32\ninner rows_l2i 32\ninner rows_l3i 32\ninner rows_itlb 32\n" STATES
	"ROB_SIZE 100\nROB_BITS 7\nDISPATCH_ROB 2\nDISPATCH_IQ 3\nDISPATCH_LSQ 4\nDISPATCH_BRANCHES 7\nFETCH_BRANCHES 8\n"
	"BUDGET 33\nEARLY_BITS 6\nROWS 24\nROW_BITS 5\nBANKS 8\nBANK_BITS 3\nSLOTS 256\n"
	"SLOT_BITS 8\nLOCAL_BITS 12\nCOMMITS 2\nDISPATCHES 7\nDISPATCH_BITS 3\n"
	"FETCH_BITS 3\nAMOUNT_BITS 14\nHAS_STALL 15\nCLEARS 0\nCOUNTER_BASE 0\n"
	"COUNTER_L1I 1\nCOUNTER_L2I 2\nCOUNTER_L3I 3\nCOUNTER_ITLB 4\nCOUNTER_BRANCH 5\n"
	"COUNTER_L1D 6\nCOUNTER_L2D 7\nCOUNTER_L3D 8\nCOUNTER_DTLB 9\nCOUNTER_WALK 0\n"
	"COUNTER_BANDWIDTH 0\nCOUNTER_RESOURCE 10\nCOUNTERS 11\nGLOBAL_BITS 48\n"
	"INDEX_BITS 4\n";
static const char fmt_small[] =
	"is_committing 1*1\nis_dispatching 1*1\nis_fed 1*1\nfetch_stall 4*1\n"
	"head_state 4*1\ndispatch_stall 3*1\nrob_used 3*1\noldest_missed_tlb 1*1\n"
	"mispredict 1*1\nmispredict_slot 6*1\nreplay 1*1\nreplay_branches 5*1\n"
	"commit_branch 1*6\ncommit_mispredicted 1*6\ndispatch_branches 3*1\n"
	"dispatch_slots 6*4\nfetch_branches 2*1\ncycles 48\nl1i 48\nitlb 48\nbranch 48\n"
	"l1d 48\ndtlb 48\nresource 48\ninner early_l1d 1\ninner early_l2d 1\n"
	"inner early_l3d 1\ninner early_dtlb 1\ninner rows_l1i 32\ninner rows_l2i 32\n"
	"inner rows_l3i 32\ninner rows_itlb 32\n" STATES
	"ROB_SIZE 5\nROB_BITS 3\nDISPATCH_ROB 2\nDISPATCH_IQ 3\nDISPATCH_LSQ 4\nDISPATCH_BRANCHES 7\nFETCH_BRANCHES 8\nBUDGET 0\n"
	"EARLY_BITS 1\nROWS 32\nROW_BITS 5\nBANKS 8\nBANK_BITS 3\nSLOTS 64\nSLOT_BITS 6\n"
	"LOCAL_BITS 12\nCOMMITS 6\nDISPATCHES 4\nDISPATCH_BITS 3\nFETCH_BITS 2\n"
	"AMOUNT_BITS 15\nHAS_STALL 9\nCLEARS 0\nCOUNTER_BASE 0\nCOUNTER_L1I 1\n"
	"COUNTER_L2I 0\nCOUNTER_L3I 0\nCOUNTER_ITLB 2\nCOUNTER_BRANCH 3\nCOUNTER_L1D 4\n"
	"COUNTER_L2D 0\nCOUNTER_L3D 0\nCOUNTER_DTLB 5\nCOUNTER_WALK 0\nCOUNTER_BANDWIDTH 0\n"
	"COUNTER_RESOURCE 6\nCOUNTERS 7\nGLOBAL_BITS 48\nINDEX_BITS 3\n";
static const char sfmt_wide[] =
	"is_committing 1*1\nis_dispatching 1*1\nis_fed 1*1\nfetch_stall 4*1\n"
	"head_state 4*1\ndispatch_stall 3*1\nrob_used 7*1\noldest_missed_tlb 1*1\n"
	"mispredict 1*1\nmispredict_slot 8*1\nreplay 1*1\nreplay_branches 5*1\n"
	"commit_branch 1*2\ncommit_mispredicted 1*2\ndispatch_branches 3*1\n"
	"dispatch_slots 8*7\nfetch_branches 3*1\nfetched 1*1\nmiss 1*1\nmiss_slot 8*1\n"
	"commit_waited 1*2\ncommit_slots 8*2\ncycles 48\nl1i 48\nl2i 48\nl3i 48\nitlb 48\n"
	"branch 48\nl1d 48\nl2d 48\nl3d 48\ndtlb 48\nresource 48\ninner early_l1d 6\n"
	"inner early_l2d 6\ninner early_l3d 6\ninner early_dtlb 6\ninner shared_l1i 12\n"
	"inner shared_l2i 12\ninner shared_l3i 12\ninner shared_itlb 12\n" STATES
	"ROB_SIZE 100\nROB_BITS 7\nDISPATCH_ROB 2\nDISPATCH_IQ 3\nDISPATCH_LSQ 4\nDISPATCH_BRANCHES 7\nFETCH_BRANCHES 8\n"
	"BUDGET 33\nEARLY_BITS 6\nROWS 24\nROW_BITS 5\nBANKS 8\nBANK_BITS 3\nSLOTS 256\n"
	"SLOT_BITS 8\nLOCAL_BITS 12\nCOMMITS 2\nDISPATCHES 7\nDISPATCH_BITS 3\n"
	"FETCH_BITS 3\nAMOUNT_BITS 14\nHAS_STALL 15\nCLEARS 1\nCOUNTER_BASE 0\n"
	"COUNTER_L1I 1\nCOUNTER_L2I 2\nCOUNTER_L3I 3\nCOUNTER_ITLB 4\nCOUNTER_BRANCH 5\n"
	"COUNTER_L1D 6\nCOUNTER_L2D 7\nCOUNTER_L3D 8\nCOUNTER_DTLB 9\nCOUNTER_WALK 0\n"
	"COUNTER_BANDWIDTH 0\nCOUNTER_RESOURCE 10\nCOUNTERS 11\nGLOBAL_BITS 48\n"
	"INDEX_BITS 4\n";
static const char sfmt_small[] =
	"is_committing 1*1\nis_dispatching 1*1\nis_fed 1*1\nfetch_stall 4*1\n"
	"head_state 4*1\ndispatch_stall 3*1\nrob_used 3*1\noldest_missed_tlb 1*1\n"
	"mispredict 1*1\nmispredict_slot 6*1\nreplay 1*1\nreplay_branches 5*1\n"
	"commit_branch 1*6\ncommit_mispredicted 1*6\ndispatch_branches 3*1\n"
	"dispatch_slots 6*4\nfetch_branches 2*1\nfetched 1*1\nmiss 1*1\nmiss_slot 6*1\n"
	"commit_waited 1*6\ncommit_slots 6*6\ncycles 48\nl1i 48\nitlb 48\nbranch 48\n"
	"l1d 48\ndtlb 48\nresource 48\ninner early_l1d 1\ninner early_l2d 1\n"
	"inner early_l3d 1\ninner early_dtlb 1\ninner shared_l1i 12\ninner shared_l2i 12\n"
	"inner shared_l3i 12\ninner shared_itlb 12\n" STATES
	"ROB_SIZE 5\nROB_BITS 3\nDISPATCH_ROB 2\nDISPATCH_IQ 3\nDISPATCH_LSQ 4\nDISPATCH_BRANCHES 7\nFETCH_BRANCHES 8\nBUDGET 0\n"
	"EARLY_BITS 1\nROWS 32\nROW_BITS 5\nBANKS 8\nBANK_BITS 3\nSLOTS 64\nSLOT_BITS 6\n"
	"LOCAL_BITS 12\nCOMMITS 6\nDISPATCHES 4\nDISPATCH_BITS 3\nFETCH_BITS 2\n"
	"AMOUNT_BITS 15\nHAS_STALL 9\nCLEARS 1\nCOUNTER_BASE 0\nCOUNTER_L1I 1\n"
	"COUNTER_L2I 0\nCOUNTER_L3I 0\nCOUNTER_ITLB 2\nCOUNTER_BRANCH 3\nCOUNTER_L1D 4\n"
	"COUNTER_L2D 0\nCOUNTER_L3D 0\nCOUNTER_DTLB 5\nCOUNTER_WALK 0\nCOUNTER_BANDWIDTH 0\n"
	"COUNTER_RESOURCE 6\nCOUNTERS 7\nGLOBAL_BITS 48\nINDEX_BITS 3\n";
static const char vclk_wide[] =
	"pc 32*1\naddress 32*1\nrd 7*1\nrs 7*3\nunit 4*1\naccessed 8*1\nmarks 14*1\n"
	"misses 3*1\nhas_waits 1*1\nfetch_waits 32*4\nfetch_walk 32*1\nfetch_queue 32*1\n"
	"data_waits 32*4\ndata_walk 32*1\ndata_queue 32*1\nstore_waits 32*5\n"
	"store_walk 32*1\nstore_queue 32*1\nunit_wait 32*1\nfetch_brought 32*1\n"
	"data_brought 32*1\nclock_0 48\nclock_1 48\nclock_2 48\nclock_3 48\nclock_4 48\n"
	"clock_5 48\nfetch_waits_l1i 48\nfetch_waits_l2i 48\nfetch_waits_itlb 48\n"
	"HAS_BRANCH 60\nHAS_ITLB 56\nHAS_L1I 56\nHAS_L2I 56\nHAS_DTLB 32\nHAS_L1D 62\n"
	"HAS_L2D 48\nHAS_WALK 0\nHAS_QUEUEING 0\nHAS_PENDING 63\nMACHINES 6\n"
	"MACHINE_BITS 3\nFETCH_WIDTH 5\nFETCH_BUFFER 37\nDECODE_WIDTH 3\nROOM 18\nSTAGES 6\n"
	"DISPATCH_WIDTH 7\nCOMMIT_WIDTH 2\nROB_SIZE 100\nLSQ_SIZE 70\nMSHRS 9\n"
	"REDIRECT_CYCLES 2\nHAS_STORE_BUFFER 1\nIS_CONSERVATIVE 0\nHAS_REPLAY 1\n"
	"L1D_LATENCY 8\nNEAR_LATENCY 11\nFAR_LATENCY 250\nUNIT_COUNT_BITS 4\nUNITS_ALU 4\n"
	"UNITS_MULDIV 2\nUNITS_MEMORY 3\nUNITS_FP_ADD 5\nUNITS_FP_MULDIV 6\nISSUE_WIDTH 9\n"
	"UNIT_MUL 1\nUNIT_DIV 2\nUNIT_LOAD 6\nUNIT_STORE 7\nUNIT_AMO 8\nUNIT_FP_ADD 9\n"
	"UNIT_FP_MUL 10\nUNIT_FP_DIV 11\nLATENCY_ALU 2\nLATENCY_MUL 4\nLATENCY_DIV 21\n"
	"LATENCY_FP_ADD 3\nLATENCY_FP_MUL 5\nLATENCY_FP_DIV 13\nBUSY_DIV 21\n"
	"BUSY_FP_DIV 13\nHAS_QUEUE 1\nQUEUES 3\nQUEUE_COUNT_BITS 6\nQUEUE_SIZE_0 41\n"
	"QUEUE_SIZE_1 23\nQUEUE_SIZE_2 17\nMAX_BRANCHES 19\nFED_BITS 6\nDISPATCHED_BITS 5\n"
	"COMMITTED_BITS 7\nMEMORY_BITS 7\nBRANCH_BITS 5\nNUMBER_BITS 7\nMSHR_BITS 4\n"
	"UNIT_CYCLE_BITS 8\nQUEUE_CYCLE_BITS 10\nSWEEP_BITS 8\nINDEX_BITS 10\n"
	"STAMP_BITS 10\nADDRESS_BITS 32\nSTORE_BITS 4\nLINE_BITS 4\nPAGE_BITS 2\n"
	"CODE_LINE_SHIFT 5\nLINE_SHIFT 6\nFAR_LINE_SHIFT 7\nPAGE_SHIFT 13\nGLOBAL_BITS 48\n";
static const char vclk_small[] =
	"pc 32*1\naddress 32*1\nrd 7*1\nrs 7*3\nunit 4*1\naccessed 8*1\nmarks 14*1\n"
	"misses 3*1\nhas_waits 1*1\nfetch_waits 32*4\nfetch_walk 32*1\nfetch_queue 32*1\n"
	"data_waits 32*4\ndata_walk 32*1\ndata_queue 32*1\nstore_waits 32*5\n"
	"store_walk 32*1\nstore_queue 32*1\nunit_wait 32*1\nfetch_brought 32*1\n"
	"data_brought 32*1\nclock_0 48\nclock_1 48\nclock_2 48\nclock_3 48\nclock_4 48\n"
	"fetch_waits_l1i 48\nfetch_waits_l2i 48\nfetch_waits_itlb 48\n"
	"HAS_BRANCH 28\nHAS_ITLB 24\nHAS_L1I 24\nHAS_L2I 24\nHAS_DTLB 16\nHAS_L1D 30\n"
	"HAS_L2D 30\nHAS_WALK 0\nHAS_QUEUEING 0\nHAS_PENDING 31\nMACHINES 5\n"
	"MACHINE_BITS 3\nFETCH_WIDTH 2\nFETCH_BUFFER 2\nDECODE_WIDTH 3\nROOM 15\nSTAGES 5\n"
	"DISPATCH_WIDTH 4\nCOMMIT_WIDTH 6\nROB_SIZE 5\nLSQ_SIZE 1\nMSHRS 0\n"
	"REDIRECT_CYCLES 2\nHAS_STORE_BUFFER 0\nIS_CONSERVATIVE 1\nHAS_REPLAY 0\n"
	"L1D_LATENCY 2\nNEAR_LATENCY 4095\nFAR_LATENCY 0\nUNIT_COUNT_BITS 4\nUNITS_ALU 4\n"
	"UNITS_MULDIV 1\nUNITS_MEMORY 2\nUNITS_FP_ADD 4\nUNITS_FP_MULDIV 1\nISSUE_WIDTH 8\n"
	"UNIT_MUL 1\nUNIT_DIV 2\nUNIT_LOAD 6\nUNIT_STORE 7\nUNIT_AMO 8\nUNIT_FP_ADD 9\n"
	"UNIT_FP_MUL 10\nUNIT_FP_DIV 11\nLATENCY_ALU 1\nLATENCY_MUL 3\nLATENCY_DIV 20\n"
	"LATENCY_FP_ADD 2\nLATENCY_FP_MUL 4\nLATENCY_FP_DIV 12\nBUSY_DIV 20\n"
	"BUSY_FP_DIV 12\nHAS_QUEUE 0\nQUEUES 1\nQUEUE_COUNT_BITS 1\nQUEUE_SIZE_0 1\n"
	"QUEUE_SIZE_1 1\nQUEUE_SIZE_2 1\nMAX_BRANCHES 0\nFED_BITS 2\nDISPATCHED_BITS 4\n"
	"COMMITTED_BITS 3\nMEMORY_BITS 1\nBRANCH_BITS 1\nNUMBER_BITS 4\nMSHR_BITS 1\n"
	"UNIT_CYCLE_BITS 8\nQUEUE_CYCLE_BITS 10\nSWEEP_BITS 8\nINDEX_BITS 8\nSTAMP_BITS 10\n"
	"ADDRESS_BITS 32\nSTORE_BITS 4\nLINE_BITS 4\nPAGE_BITS 2\nCODE_LINE_SHIFT 6\n"
	"LINE_SHIFT 4\nFAR_LINE_SHIFT 4\nPAGE_SHIFT 12\nGLOBAL_BITS 48\n";

static void check_shape(const struct circuit_kind *kind, const char *expected)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	describe(out, kind);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

TEST(shapes_follow_from_the_machine)
{
	make_wide();
	check_shape(&circuit_power5, power5_wide);
	check_shape(&circuit_fmt, fmt_wide);
	check_shape(&circuit_sfmt, sfmt_wide);
	check_shape(&circuit_vclk, vclk_wide);
	make_small();
	check_shape(&circuit_power5, power5_small);
	check_shape(&circuit_fmt, fmt_small);
	check_shape(&circuit_sfmt, sfmt_small);
	check_shape(&circuit_vclk, vclk_small);
}

static uint64_t constant_of(const struct circuit_kind *kind, const char *name)
{
	struct err err = {.text = ""};
	struct circuit circuit;
	uint64_t value = UINT64_MAX;

	if (!circuit_init(&circuit, kind, &machine, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < circuit.shape.constant_count; i++)
		if (strcmp(circuit.shape.constants[i].name, name) == 0)
			value = circuit.shape.constants[i].value;
	circuit_release(&circuit);
	return value;
}

/* Eight machines: nothing, L1D, branches, instructions, L2D, D-TLB, walks, bandwidth. */
TEST(causes_are_bits_of_machines)
{
	static const struct {
		const char *name;
		uint64_t bits;
	} rows[] = {
		{"HAS_L1D", 0xfe},     {"HAS_BRANCH", 0xfc}, {"HAS_L1I", 0xf8},
		{"HAS_L2I", 0xf8},     {"HAS_ITLB", 0xf8},   {"HAS_L2D", 0xf0},
		{"HAS_DTLB", 0xe0},    {"HAS_WALK", 0xc0},   {"HAS_QUEUEING", 0x80},
		{"HAS_PENDING", 0xff}, {"MACHINES", 8},	     {"MACHINE_BITS", 3},
	};

	make_wide();
	config.tlb_miss = TLB_MISS_WALK;
	config.memory_line = 7;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		assert_int_equal(constant_of(&circuit_vclk, rows[i].name), rows[i].bits);
	/* One that is ideal has none of it. */
	config.ideal_l2i = true;
	assert_int_equal(constant_of(&circuit_vclk, "HAS_L1I"), 0xf8);
	assert_int_equal(constant_of(&circuit_vclk, "HAS_L2I"), 0);
	/* With walks no number of cycles is fixed. */
	assert_int_equal(constant_of(&circuit_fmt, "BUDGET"), 0);
}

TEST(latencies_have_limits)
{
	struct err err = {.text = ""};
	struct circuit circuit;

	make_wide();
	config.l1d_latency = 256;
	assert_int_equal(constant_of(&circuit_vclk, "L1D_LATENCY"), 256);
	config.l1i_latency = 251; /* 6 stages, and 250 cycles beyond the first */
	assert_int_equal(constant_of(&circuit_vclk, "STAGES"), 256);
	config.l1d_latency = 257;
	assert_false(circuit_init(&circuit, &circuit_vclk, &machine, &err));
	circuit_release(&circuit);
	assert_string_equal(
		err.text,
		"the circuit vclk: the front end takes 256 cycles and an L1D hit 257: the "
		"stamps of this circuit allow for 256");
	config.l1d_latency = 3;
	config.l1i_latency = 252;
	assert_false(circuit_init(&circuit, &circuit_vclk, &machine, &err));
	circuit_release(&circuit);
	assert_string_equal(
		err.text, "the circuit vclk: the front end takes 257 cycles and an L1D hit 3: the "
			  "stamps of this circuit allow for 256");
	/* In order there is nothing to count with them. */
	config_reset(&config);
	config.core_kind = CORE_INORDER;
	for (size_t i = 0; circuit_kinds[i]; i++) {
		char beginning[64];

		assert_false(circuit_init(&circuit, circuit_kinds[i], &machine, &err));
		circuit_release(&circuit);
		sprintf(beginning, "the circuit %s: ", circuit_kinds[i]->name);
		assert_int_equal(strncmp(err.text, beginning, strlen(beginning)), 0);
	}
	assert_ptr_equal(circuit_kind_named("fmt"), &circuit_fmt);
	assert_ptr_equal(circuit_kind_named("vclk"), &circuit_vclk);
	assert_null(circuit_kind_named("fm"));
}

static unsigned bit_of(const char *digits, size_t length, unsigned at)
{
	if (at / 4 >= length)
		return 0;
	const char digit = digits[length - 1 - at / 4];
	return (unsigned)(digit <= '9' ? digit - '0' : digit - 'a' + 10) >> at % 4 & 1;
}

/* The fields of a line "N VECTOR" that are not 0, in the order of the inputs. */
static void fields_of(char *text, const struct circuit_shape *shape, const char *line)
{
	const char *digits = strchr(line, ' ') + 1;
	const size_t length = strcspn(digits, "\n");
	unsigned at = 0;

	sprintf(text, "%d:", atoi(line));
	for (size_t i = 0; i < shape->input_count; i++)
		for (unsigned field = 0; field < shape->inputs[i].count; field++) {
			uint64_t value = 0;

			for (unsigned bit = 0; bit < shape->inputs[i].bits; bit++)
				value |= (uint64_t)bit_of(digits, length, at++) << bit;
			if (value && shape->inputs[i].count > 1)
				sprintf(text + strlen(text), " %s[%u]=%" PRIu64,
					shape->inputs[i].name, field, value);
			else if (value)
				sprintf(text + strlen(text), " %s=%" PRIu64, shape->inputs[i].name,
					value);
		}
}

/* The inputs that the last of the records becomes, with those that a circuit of the kind has. */
static void check_inputs(const struct circuit_kind *kind, const struct cycle *records, size_t count,
			 const char *const *expected)
{
	struct err err = {.text = ""};
	struct circuit circuit;
	char text[4096];

	if (!circuit_init(&circuit, kind, &machine, &err))
		fail_msg("%s", err.text);
	struct stimuli *stimuli = stimuli_create(&circuit, 1, keep, kept);
	for (size_t i = 0; i < count; i++)
		stimuli_cycle(stimuli, &records[i]);
	stimuli_end(stimuli);
	stimuli_destroy(stimuli);
	const char *line = kept[0][STIMULUS_VECTORS];
	for (; *expected; expected++) {
		fields_of(text, &circuit.shape, line);
		if (strcmp(text, *expected) != 0)
			fail_msg("%s: %s, expected %s", kind->name, text, *expected);
		line = strchr(line, '\n') + 1;
	}
	assert_string_equal(line, "0 0\n");
	forget();
	circuit_release(&circuit);
}

static const struct cycle_event events[] = {
	{.kind = EVENT_BRANCH_FETCH, .slot = 1},
	{.kind = EVENT_BRANCH_DISPATCH, .slot = 200},
	{.kind = EVENT_BRANCH_FETCH, .slot = 2},
	{.kind = EVENT_BRANCH_DISPATCH, .slot = 131},
	{.kind = EVENT_BRANCH_FETCH, .slot = 3},
	{.kind = EVENT_FETCH_MISS, .slot = 77, .detail = FETCH_WAIT_L2 | FETCH_MISS_L1},
	{.kind = EVENT_FETCH_MISS, .slot = 78, .detail = FETCH_WAIT_TLB | DATA_MISS_TLB},
	{.kind = EVENT_MISPREDICT, .slot = 200},
	{.kind = EVENT_REPLAY, .slot = 99, .amount = 1},
	{.kind = EVENT_COMMIT, .slot = 91, .detail = COMMIT_BRANCH | FETCH_WAIT_L3, .pc = 40},
	{.kind = EVENT_COMMIT, .slot = 92, .detail = COMMIT_MISPREDICTED | DATA_MISS_TLB, .pc = 50},
	{.kind = EVENT_COMMIT, .slot = 93, .detail = DATA_MISS_TLB, .pc = 60},
	{.kind = EVENT_COMMIT, .slot = 94, .detail = DATA_MISS_L1, .pc = 70},
	{.kind = EVENT_LOAD_MISS, .slot = 95, .detail = DATA_MISS_L1, .pc = 80},
	{.kind = EVENT_COMMIT, .slot = 96, .detail = DATA_MISS_TLB, .pc = 60},
};

/* A record in which a branch is fetched and dispatched, and another. */
TEST(records_become_inputs)
{
	static const struct {
		struct cycle last;
		const char *power5, *fmt, *sfmt; /* NULL: as fmt */
	} rows[] = {
		{{.repeat = 3, .committed = 2}, "3: is_committing=1", "3: is_committing=1", NULL},
		{{.repeat = 4, .dispatched = 2},
		 "4: is_dispatching=1",
		 "4: is_dispatching=1",
		 NULL},
		{{.repeat = 1, .fetched = 2}, "1: fetched=1", "1:", "1: fetched=1"},
		{{.repeat = 1, .fed = 2}, "1: is_fed=1", "1: is_fed=1", NULL},
		{{.repeat = 1, .buffer_used = 2}, "1: is_fed=1", "1: is_fed=1", NULL},
		{{.repeat = 1, .fetch_stall = 9}, "1: fetch_stall=9", "1: fetch_stall=9", NULL},
		{{.repeat = 1, .head_state = 10}, "1: head_state=10", "1: head_state=10", NULL},
		{{.repeat = 1, .dispatch_stall = 6}, "1:", "1: dispatch_stall=6", NULL},
		{{.repeat = 1, .rob_used = 99}, "1:", "1: rob_used=99", NULL},
		{{.repeat = 1, .iq_used = 9, .lsq_used = 9, .issued = 9}, "1:", "1:", NULL},
		{{.repeat = 1, .is_fronted = 1, .front_waits = FETCH_WAIT_L2 | FETCH_WAIT_L3},
		 "1: is_fronted=1 front_waits=12",
		 "1:",
		 NULL},
		{{.repeat = 1, .front_waits = FETCH_WAIT_TLB | DATA_MISS_TLB},
		 "1: front_waits=1",
		 "1:",
		 NULL},
		{{.repeat = 1, .event_count = 5, .events = events},
		 "1:",
		 "1: dispatch_branches=2 dispatch_slots[0]=200 dispatch_slots[1]=131 fetch_branches=3",
		 NULL},
		{{.repeat = 1, .event_count = 1, .events = events + 5},
		 "1: miss_waits=4",
		 "1:",
		 "1: miss=1 miss_slot=77"},
		{{.repeat = 1, .event_count = 2, .events = events + 5},
		 "1: miss_waits=5",
		 "1:",
		 "1: miss=1 miss_slot=78"},
		{{.repeat = 1, .committed = 2, .event_count = 2, .events = events + 9},
		 "1: is_committing=1",
		 "1: is_committing=1 commit_branch[0]=1 commit_mispredicted[1]=1",
		 "1: is_committing=1 commit_branch[0]=1 commit_mispredicted[1]=1 commit_waited[0]=1 "
		 "commit_slots[0]=91 commit_slots[1]=92"},
		/* The instruction that was oldest before has missed in the D-TLB; or another has,
		 * or it has missed in a cache alone. */
		{{.repeat = 1, .committed = 2, .event_count = 2, .events = events + 11},
		 "1: is_committing=1",
		 "1: is_committing=1 oldest_missed_tlb=1",
		 "1: is_committing=1 oldest_missed_tlb=1 commit_slots[0]=93 commit_slots[1]=94"},
		{{.repeat = 1, .committed = 1, .event_count = 2, .events = events + 13},
		 "1: is_committing=1",
		 "1: is_committing=1 oldest_missed_tlb=1",
		 "1: is_committing=1 oldest_missed_tlb=1 commit_slots[0]=96"},
		{{.repeat = 1, .committed = 1, .event_count = 1, .events = events + 10},
		 "1: is_committing=1",
		 "1: is_committing=1 commit_mispredicted[0]=1",
		 "1: is_committing=1 commit_mispredicted[0]=1 commit_slots[0]=92"},
	};

	make_wide();
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		static const char first[] =
			"1: rob_used=2 dispatch_branches=1 dispatch_slots[0]=200 "
			"fetch_branches=1";
		struct cycle records[2] = {{.repeat = 1,
					    .head_pc = 60,
					    .rob_used = 2,
					    .event_count = 2,
					    .event_kinds = EVENT_BIT(EVENT_BRANCH_FETCH) |
							   EVENT_BIT(EVENT_BRANCH_DISPATCH),
					    .events = events},
					   rows[i].last};
		const char *power5[] = {"1:", rows[i].power5, NULL};
		const char *fmt[] = {first, rows[i].fmt, NULL};
		const char *sfmt[] = {first, rows[i].sfmt ? rows[i].sfmt : rows[i].fmt, NULL};

		for (uint32_t k = 0; k < records[1].event_count; k++)
			records[1].event_kinds |= EVENT_BIT(records[1].events[k].kind);
		if (strcmp(rows[i].power5, "1:") == 0) {
			power5[0] = "2:";
			power5[1] = NULL;
		}
		check_inputs(&circuit_power5, records, 2, power5);
		check_inputs(&circuit_fmt, records, 2, fmt);
		check_inputs(&circuit_sfmt, records, 2, sfmt);
	}
	/* A branch is dispatched and then resolved, or squashed by a replay. */
	struct cycle records[] = {
		{.repeat = 1, .event_count = 2, .events = events},
		{.repeat = 1, .event_count = 1, .events = events + 7},
	};
	records[0].event_kinds = EVENT_BIT(EVENT_BRANCH_FETCH) | EVENT_BIT(EVENT_BRANCH_DISPATCH);
	records[1].event_kinds = EVENT_BIT(EVENT_MISPREDICT);
	const char *expected[] = {"1: dispatch_branches=1 dispatch_slots[0]=200 fetch_branches=1",
				  "1: mispredict=1 mispredict_slot=200", NULL};
	check_inputs(&circuit_fmt, records, 2, expected);
	check_inputs(&circuit_sfmt, records, 2, expected);
	check_inputs(&circuit_power5, records, 2, (const char *[]){"1:", "1: mispredict=1", NULL});
	records[1].events = events + 8;
	records[1].event_kinds = EVENT_BIT(EVENT_REPLAY);
	expected[1] = "1: replay=1 replay_branches=1";
	check_inputs(&circuit_fmt, records, 2, expected);
	check_inputs(&circuit_sfmt, records, 2, expected);
	check_inputs(&circuit_power5, records, 2, (const char *[]){"1:", "1: replay=1", NULL});
}

/* Two that commit, of which the second has waited. */
TEST(what_commits_becomes_inputs)
{
	static const struct cycle_retired retired[] = {
		{.pc = 0x1200000034,
		 .address = 0x5600000078,
		 .rd = 11,
		 .rs = {12, 13, 14},
		 .unit = UNIT_MUL,
		 .bytes = 4,
		 .marks = RETIRED_FETCH_BROUGHT_FAR | RETIRED_TAKEN,
		 .tags = DATA_MISS_TLB | DATA_MISS_L2 | DATA_MISS_L3 | FETCH_MISS_L3},
		{.pc = 56,
		 .unit = UNIT_LOAD,
		 .bytes = 2,
		 .accessed = 8,
		 .marks = RETIRED_LOADS,
		 .has_waits = 1},
	};
	static const struct cycle_waits waits = {
		.fetch = {101, 102, 103, 104},
		.fetch_walk = 5,
		.fetch_queue = 6,
		.data = {107, 108, 109, 110},
		.data_walk = 11,
		.data_queue = 12,
		.store = {13, 14, 15, 16, 17},
		.store_walk = 4,
		.store_queue = 3,
		.unit = 20,
		.fetch_brought = 21,
		.data_brought = 22,
	};
	const struct cycle record = {
		.repeat = 1, .committed = 2, .retired = retired, .waits = &waits, .wait_count = 1};

	make_wide();
	check_inputs(
		&circuit_vclk, &record, 1,
		(const char *[]){
			"1: pc=52 address=120 rd=11 rs[0]=12 rs[1]=13 rs[2]=14 unit=1 marks=8194 misses=5",
			"1: pc=56 unit=6 accessed=8 marks=64 has_waits=1 fetch_waits[0]=101 "
			"fetch_waits[1]=102 fetch_waits[2]=103 fetch_waits[3]=104 fetch_walk=5 "
			"fetch_queue=6 data_waits[0]=107 data_waits[1]=108 data_waits[2]=109 "
			"data_waits[3]=110 data_walk=11 data_queue=12 store_waits[0]=13 "
			"store_waits[1]=14 store_waits[2]=15 store_waits[3]=16 store_waits[4]=17 "
			"store_walk=4 store_queue=3 unit_wait=20 fetch_brought=21 data_brought=22",
			NULL});
}

/* Of the largest numbers that are added in a cycle: 2 * 4095 and one more, and with a budget of 1
 * exactly 2^13. */
TEST(sums_have_enough_bits)
{
	make_wide();
	config.dtlb_miss = 0;
	assert_int_equal(constant_of(&circuit_fmt, "AMOUNT_BITS"), 13);
	config.dtlb_miss = 1;
	assert_int_equal(constant_of(&circuit_fmt, "AMOUNT_BITS"), 14);
	assert_int_equal(constant_of(&circuit_fmt, "BANKS"), 8);
	config.fetch_width = 9;
	assert_int_equal(constant_of(&circuit_fmt, "BANKS"), 16);
	config.fetch_width = 8;
	assert_int_equal(constant_of(&circuit_fmt, "BANKS"), 8);
}

/* All cycles are a word, of 48 bits; so are the others. */
TEST(cycles_are_words)
{
	static const struct cycle records[] = {
		{.repeat = 5, .head_state = HEAD_EMPTY, .fetch_stall = FETCH_NOWHERE},
		{.repeat = (UINT64_C(1) << 48) + 6,
		 .head_state = HEAD_EMPTY,
		 .fetch_stall = FETCH_NOWHERE},
	};
	static const struct circuit_kind *const kinds[] = {&circuit_fmt, &circuit_sfmt};
	struct err err = {.text = ""};

	make_wide();
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		struct circuit circuit;

		assert_true(circuit_init(&circuit, kinds[i], &machine, &err));
		struct stimuli *stimuli = stimuli_create(&circuit, 1, keep, kept);
		stimuli_cycle(stimuli, &records[0]);
		stimuli_cycle(stimuli, &records[1]);
		stimuli_end(stimuli);
		stimuli_destroy(stimuli);
		assert_string_equal(kept[0][STIMULUS_EXPECTED], "b\nb\n");
		forget();
		circuit_release(&circuit);
	}
}
