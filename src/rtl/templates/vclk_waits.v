
// An instruction's waits on one machine: those of which the machine has the cause, each at most
// MOST cycles.
module vclk_waits #(
	parameter STAMP_BITS = 10,
	parameter NEAR_LATENCY = 0,
	parameter FAR_LATENCY = 0
) (
	input wire has_branch,
	input wire has_itlb,
	input wire has_l1i,
	input wire has_l2i,
	input wire has_dtlb,
	input wire has_l1d,
	input wire has_l2d,
	input wire has_walk,
	input wire has_queueing,
	input wire has_waits,
	input wire brought_fetch,
	input wire brought_fetch_far,
	input wire brought_data_far,
	input wire [STAMP_BITS:0] wrong_cycles,
	input wire [127:0] fetch_waits,
	input wire [31:0] fetch_walk,
	input wire [31:0] fetch_queue,
	input wire [127:0] data_waits,
	input wire [31:0] data_walk,
	input wire [31:0] data_queue,
	input wire [159:0] store_waits,
	input wire [31:0] store_walk,
	input wire [31:0] store_queue,
	input wire [31:0] unit_wait,
	input wire [31:0] fetch_brought,
	input wire [31:0] data_brought,
	output wire [STAMP_BITS-1:0] fetch,
	output wire [STAMP_BITS-1:0] translation,
	output wire [STAMP_BITS-1:0] near,
	output wire [STAMP_BITS-1:0] far,
	output wire [STAMP_BITS-1:0] store,
	output wire [STAMP_BITS-1:0] unit,
	output wire is_not_brought,            // no wrong path brings in the data on this machine
	output wire [STAMP_BITS+2:0] brought   // what they take then
);
	localparam [35:0] MOST = (1 << STAMP_BITS) - 1;
	localparam [STAMP_BITS+2:0] NEAR = NEAR_LATENCY;
	localparam [STAMP_BITS+2:0] FAR = FAR_LATENCY;

	function [STAMP_BITS-1:0] at_most(input [35:0] wait_cycles);
		at_most = wait_cycles < MOST ? wait_cycles[STAMP_BITS-1:0] : MOST[STAMP_BITS-1:0];
	endfunction

	function [35:0] if_has(input has, input [31:0] wait_cycles);
		if_has = has ? {4'd0, wait_cycles} : 36'd0;
	endfunction

	wire [35:0] fetch_sum = if_has(has_itlb, fetch_waits[31:0]) + if_has(has_l1i, fetch_waits[63:32]) +
		if_has(has_l2i, fetch_waits[95:64]) + if_has(has_l2i, fetch_waits[127:96]) -
		if_has(has_itlb && !has_walk, fetch_walk);
	wire [35:0] fetch_busy = if_has(has_l2i && !has_queueing, fetch_queue);
	wire [35:0] fetch_wait = fetch_busy < fetch_sum ? fetch_sum - fetch_busy : 36'd0;
	wire lacks_fetch = brought_fetch && (!has_branch || fetch_brought >= wrong_cycles);
	wire [STAMP_BITS+2:0] fetch_more =
		(has_l1i ? NEAR : 0) + (has_l2i && brought_fetch_far ? FAR : 0);
	assign fetch = has_waits ? at_most(fetch_wait + (lacks_fetch ? fetch_more : 0)) : 0;

	wire [31:0] translation_wait = data_waits[31:0] - (has_walk ? 32'd0 : data_walk);
	assign translation = at_most({4'd0, translation_wait});
	assign near = has_waits ? at_most({4'd0, data_waits[63:32]}) : 0;
	wire [35:0] far_sum = {4'd0, data_waits[95:64]} + {4'd0, data_waits[127:96]};
	wire [35:0] far_busy = if_has(!has_queueing, data_queue);
	assign far = has_waits && far_busy < far_sum ? at_most(far_sum - far_busy) : 0;
	wire [35:0] store_sum = {4'd0, store_waits[159:128]} +
		if_has(has_dtlb, store_waits[31:0]) + if_has(has_l1d, store_waits[63:32]) +
		if_has(has_l2d, store_waits[95:64]) + if_has(has_l2d, store_waits[127:96]) -
		if_has(has_dtlb && !has_walk, store_walk);
	wire [35:0] store_busy = if_has(has_l2d && !has_queueing, store_queue);
	assign store = has_waits && store_busy < store_sum ? at_most(store_sum - store_busy) : 0;
	assign unit = has_waits && has_branch ? at_most({4'd0, unit_wait}) : 0;
	assign is_not_brought = !has_branch || data_brought >= wrong_cycles;
	assign brought = (has_l1d ? NEAR : 0) + (has_l2d && brought_data_far ? FAR : 0);
endmodule
