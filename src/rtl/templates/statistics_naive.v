// What the statistics module avoids: a counter of its own for every signal in every range, with
// ALWAYS in all code as well. Word (r * SIGNALS + s) is signal s in range r; r = RANGES is all code.
// Beats, timer and registers are those of the statistics module.
module statistics_naive #(
	parameter RANGES = 2,
	parameter SIGNALS = 2,
	parameter PORTS = 1,
	parameter WIDTH = 32,
	parameter PC_BITS = 64,
	parameter AMOUNT_BITS = 1,
	parameter ALWAYS = 0,
	parameter ROWS = RANGES + ALWAYS
) (
	input clock,
	input reset,
	input valid,
	input write,
	input [1:0] write_kind,
	input [11:0] write_index,
	input [63:0] write_data,
	input cycle,
	input start,
	input ended,
	input [PORTS * PC_BITS - 1:0] pcs,
	input [PORTS * SIGNALS * AMOUNT_BITS - 1:0] amounts,
	output dispatch,
	output is_due,
	output [ROWS * SIGNALS * WIDTH - 1:0] words
);
	wire counts, restarts;

	dispatch_timer timer (
		.clock(clock), .reset(reset), .write(valid && write && write_kind == 0),
		.write_period(write_data[31:0]), .valid(valid), .cycle(valid && cycle),
		.start(start), .ended(ended), .is_due(is_due), .dispatch(dispatch), .restarts(restarts), .counts(counts)
	);

	wire [PORTS * (RANGES + 1) - 1:0] hits;

	range_registers #(
		.RANGES(RANGES), .PORTS(PORTS), .PC_BITS(PC_BITS), .COLUMNS(RANGES + 1)
	) ranges (
		.clock(clock), .write_low(valid && write && write_kind == 1),
		.write_high(valid && write && write_kind == 2), .write_index(write_index),
		.write_data(write_data[PC_BITS - 1:0]), .pcs(pcs), .hits(hits)
	);

	genvar r, s, p;

	generate
		for (r = 0; r < ROWS; r = r + 1) begin : range
			for (s = 0; s < SIGNALS; s = s + 1) begin : counter
				wire [PORTS * AMOUNT_BITS - 1:0] parts;

				for (p = 0; p < PORTS; p = p + 1)
					assign parts[p * AMOUNT_BITS +: AMOUNT_BITS] =
						{AMOUNT_BITS{hits[p * (RANGES + 1) + r]}} &
						amounts[(p * SIGNALS + s) * AMOUNT_BITS +: AMOUNT_BITS];

				saturating_counter #(
					.WIDTH(WIDTH), .PARTS(PORTS), .PART_BITS(AMOUNT_BITS)
				) value (
					.clock(clock), .restarts(restarts), .counts(counts), .parts(parts),
					.word(words[(r * SIGNALS + s) * WIDTH +: WIDTH])
				);
			end
		end
	endgenerate
endmodule
