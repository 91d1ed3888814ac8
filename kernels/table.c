/* The kernels by name. */
#include "kernel.h"

const struct kernel kernels[] = {
#define BRANCH_ROW(of)	{.name = "branch_" #of, .run = kernel_branch_##of, .step = 200, .steps = 5},
#define COMPUTE_ROW(of) {.name = #of, .run = kernel_##of, .step = 200, .steps = 5},
	BRANCH_KERNELS(BRANCH_ROW) COMPUTE_KERNELS(COMPUTE_ROW){
		"read", memory_prepare_chain, kernel_read, 200, 3, true, true, 0, NULL},
	{"page", memory_prepare_pages, kernel_read, 200, 3, true, true, 0, NULL},
	{"block", memory_prepare_blocks, kernel_read, 400, 3, true, true, 0, NULL},
	{"write", memory_prepare_write, kernel_write, 200, 3, true, true, 0, memory_warm_write},
	{"apart", memory_prepare_write, kernel_apart, 100, 3, true, true, 0, memory_warm_write},
	{"pair", memory_prepare_pair, kernel_pair, 200, 3, false, true, 0, NULL},
	{"half", memory_prepare_half, kernel_half, 128, 3, true, true, 0, NULL},
	{"whole", memory_prepare_whole, kernel_whole, 128, 3, true, true, 0, NULL},
	{"stream", memory_prepare_stream, kernel_stream, 400, 3, true, true, 0, NULL},
	{"order", memory_prepare_order, kernel_order, 0, 3, true, true, 0, NULL},
	{"code", code_prepare, kernel_code, 0, 3, true, true, CODE_ROUND_MOST, NULL},
	{"codeline", code_prepare_line, kernel_code, 0, 3, true, true, CODE_ROUND_MOST, NULL},
	{"codepage", code_prepare_pages, kernel_code, 0, 3, true, true, CODE_ROUND_MOST, NULL},
	{"codefar", code_prepare_far, kernel_code, 0, 3, true, true, CODE_ROUND_MOST, NULL},
	{0},
};
