/* The kernels by name. */
#include "kernel.h"

const struct kernel kernels[] = {
#define BRANCH_ROW(of)	{.name = "branch_" #of, .run = kernel_branch_##of, .step = 200, .steps = 5},
#define COMPUTE_ROW(of) {.name = #of, .run = kernel_##of, .step = 200, .steps = 5},
	BRANCH_KERNELS(BRANCH_ROW) COMPUTE_KERNELS(COMPUTE_ROW){"read", memory_prepare_chain,
								kernel_read, 200, 3, true, true, 0},
	{"page", memory_prepare_pages, kernel_read, 200, 3, true, true, 0},
	{"block", memory_prepare_blocks, kernel_read, 400, 3, true, true, 0},
	{"write", memory_prepare_write, kernel_write, 200, 3, true, true, 0},
	{"apart", memory_prepare_write, kernel_apart, 100, 3, true, true, 0},
	{"pair", memory_prepare_pair, kernel_pair, 200, 3, false, true, 0},
	{"stream", memory_prepare_stream, kernel_stream, 400, 3, true, true, 0},
	{"order", memory_prepare_order, kernel_order, 0, 3, true, true, 0},
	{"code", code_prepare, kernel_code, 0, 3, true, true, CODE_ROUND_MOST},
	{"codeline", code_prepare_line, kernel_code, 0, 3, true, true, CODE_ROUND_MOST},
	{"codepage", code_prepare_pages, kernel_code, 0, 3, true, true, CODE_ROUND_MOST},
	{"codefar", code_prepare_far, kernel_code, 0, 3, true, true, CODE_ROUND_MOST},
	{0},
};
