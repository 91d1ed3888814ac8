
// What the core's state says of a cycle: whether the window is full and its oldest instruction
// incomplete, and which miss fetch waits for (0: l1i, 1: l2i, 2: l3i, 3: itlb).
module window #(
	parameter ROB_SIZE = 1,
	parameter ROB_BITS = 1,
	parameter DISPATCH_ROB = 0,
	parameter DISPATCH_IQ = 0,
	parameter DISPATCH_LSQ = 0,
	parameter DISPATCH_BRANCHES = 0,
	parameter FETCH_BRANCHES = 0,
	parameter HEAD_STORE = 0,
	parameter FETCH_L1I = 0,
	parameter FETCH_L2I = 0,
	parameter FETCH_L3I = 0,
	parameter FETCH_ITLB = 0
) (
	input wire [ROB_BITS-1:0] rob_used,
	input wire [2:0] dispatch_stall,
	input wire [3:0] head_state,
	input wire is_dispatching,
	input wire is_committing,
	input wire is_fed,
	input wire [3:0] fetch_stall,
	output wire is_full,
	output wire [3:0] stalls
);
	wire no_room = rob_used >= ROB_SIZE || dispatch_stall == DISPATCH_ROB;
	// Though instructions may still be dispatched.
	wire is_held = dispatch_stall == DISPATCH_IQ || dispatch_stall == DISPATCH_LSQ ||
		dispatch_stall == DISPATCH_BRANCHES ||
		(dispatch_stall == 0 && fetch_stall == FETCH_BRANCHES);

	assign is_full = (is_held || (no_room && !is_dispatching)) && !is_committing &&
		head_state > HEAD_STORE;
	assign stalls = is_fed ? 4'd0 : {fetch_stall == FETCH_ITLB, fetch_stall == FETCH_L3I,
		fetch_stall == FETCH_L2I, fetch_stall == FETCH_L1I};
endmodule
