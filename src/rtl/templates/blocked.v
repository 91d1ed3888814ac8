
// The cycles in which a full window waits for its oldest instruction. (Eyerman et al. 2006, sections
// 4.2 and 4.3.) The first BUDGET cycles of a load that waits for misses are kept by phase until it
// commits, and go to the D-TLB if it has missed there. Phases are 0: l1d, 1: l2d, 2: l3d, 3: dtlb.
module blocked #(
	parameter BUDGET = 0,
	parameter EARLY_BITS = 1,
	parameter HEAD_EMPTY = 0,
	parameter HEAD_L1D = 0,
	parameter HEAD_L2D = 0,
	parameter HEAD_L3D = 0,
	parameter HEAD_DTLB = 0
) (
	input wire clock,
	input wire reset,
	input wire valid,
	input wire is_full,
	input wire is_committing,
	input wire oldest_missed_tlb, // the oldest instruction commits, and has missed in the D-TLB
	input wire [3:0] head_state,
	output wire [4*(EARLY_BITS+1)-1:0] amounts,
	output wire resource,
	output wire [4*EARLY_BITS-1:0] early
);
	reg [EARLY_BITS-1:0] left;
	reg is_waiting;

	wire [3:0] phase = {head_state == HEAD_DTLB, head_state == HEAD_L3D, head_state == HEAD_L2D,
		head_state == HEAD_L1D};
	wire is_over = is_waiting && (is_committing || head_state == HEAD_EMPTY);
	wire has_budget = left != {EARLY_BITS{1'b0}};
	wire [EARLY_BITS-1:0] spent = BUDGET - left;

	assign resource = is_full && phase == 4'd0;

	genvar i;
	generate
		for (i = 0; i < 4; i = i + 1) begin : each
			reg [EARLY_BITS-1:0] count;
			wire adds = is_full && phase[i];

			always @(posedge clock)
				if (reset || (valid && is_over))
					count <= {EARLY_BITS{1'b0}};
				else if (valid && adds && has_budget)
					count <= count + 1'b1;
			assign early[i*EARLY_BITS +: EARLY_BITS] = count;
			// What is over is not full, so at most one of these is not 0.
			assign amounts[i*(EARLY_BITS+1) +: EARLY_BITS+1] =
				is_over ? (oldest_missed_tlb ? (i == 3 ? {1'b0, spent} : {(EARLY_BITS+1){1'b0}})
					: {1'b0, count})
				: {{EARLY_BITS{1'b0}}, adds && !has_budget};
		end
	endgenerate

	always @(posedge clock)
		if (reset) begin
			left <= BUDGET;
			is_waiting <= 1'b0;
		end else if (valid) begin
			if (is_over) begin
				left <= BUDGET;
				is_waiting <= 1'b0;
			end else if (is_full && phase != 4'd0) begin
				is_waiting <= 1'b1;
				if (has_budget)
					left <= left - 1'b1;
			end
		end
endmodule
