// The statistics module of Hough et al. 2006, sections 3.1 to 3.4: RANGES address range registers,
// each compared with PORTS pcs, and COUNTERS saturating counters with two muxes each, one of the
// SIGNALS and one of the ranges or "always".
//
// A clock edge with `cycle` is the first beat of a cycle of the core, and the timer counts it. One
// without is a further beat of that cycle, for events that found no port in the beats before, or
// writes a register. `amounts` has an amount of every signal for every port; the amount of a port
// belongs to the instruction at the port's pc.
//
// In the cycle in which the timer is 0 `dispatch` is high and `words` are the counters of the
// interval that ends; they restart at the amounts of that very cycle. `start` is high in the first
// cycle of a program or of new settings: what was counted before is handed out, and the timer begins
// anew. While `ended` is high the counters do not change; when the timer reaches 0 the last words
// are handed out and the module stops.
module statistics_module #(
	parameter RANGES = 2,
	parameter SIGNALS = 2,
	parameter COUNTERS = 2,
	parameter PORTS = 1,
	parameter WIDTH = 32,
	parameter PC_BITS = 64,
	parameter AMOUNT_BITS = 1,
	parameter THREADS = 0 // whether selections may name a thread
) (
	input clock,
	input reset,
	input valid, // whether this clock edge is a beat at all
	input write,
	input [1:0] write_kind, // 0: period, 1: low end of a range, 2: high end, 3: selection
	input [11:0] write_index,
	input [63:0] write_data,
	input cycle,
	input start,
	input ended,
	input [31:0] thread,
	input [PORTS * PC_BITS - 1:0] pcs,
	input [PORTS * SIGNALS * AMOUNT_BITS - 1:0] amounts,
	output dispatch,
	output is_due, // the timer is 0: the next cycle hands out
	output [COUNTERS * WIDTH - 1:0] words
);
	localparam SIGNAL_BITS = SIGNALS > 1 ? $clog2(SIGNALS) : 1;
	localparam RANGE_BITS = $clog2(RANGES + 1);

	wire counts, restarts;

	dispatch_timer timer (
		.clock(clock), .reset(reset), .write(valid && write && write_kind == 0),
		.write_period(write_data[31:0]), .valid(valid), .cycle(valid && cycle),
		.start(start), .ended(ended), .is_due(is_due), .dispatch(dispatch), .restarts(restarts), .counts(counts)
	);

	// Whether each pc lies in each range, and beside them 1 for "always".
	wire [PORTS * (1 << RANGE_BITS) - 1:0] hits;

	range_registers #(
		.RANGES(RANGES), .PORTS(PORTS), .PC_BITS(PC_BITS), .COLUMNS(1 << RANGE_BITS)
	) ranges (
		.clock(clock), .write_low(valid && write && write_kind == 1),
		.write_high(valid && write && write_kind == 2), .write_index(write_index),
		.write_data(write_data[PC_BITS - 1:0]), .pcs(pcs), .hits(hits)
	);

	genvar c, p, s, b;

	// The same bit of all signals side by side, for the muxes.
	wire [PORTS * AMOUNT_BITS * (1 << SIGNAL_BITS) - 1:0] columns;

	generate
		for (p = 0; p < PORTS; p = p + 1)
			for (b = 0; b < AMOUNT_BITS; b = b + 1)
				for (s = 0; s < 1 << SIGNAL_BITS; s = s + 1)
					if (s < SIGNALS)
						assign columns[((p * AMOUNT_BITS + b) << SIGNAL_BITS) + s] =
							amounts[(p * SIGNALS + s) * AMOUNT_BITS + b];
					else
						assign columns[((p * AMOUNT_BITS + b) << SIGNAL_BITS) + s] = 1'b0;

		for (c = 0; c < COUNTERS; c = c + 1) begin : counter
			reg [SIGNAL_BITS - 1:0] signal_selected;
			reg [RANGE_BITS - 1:0] range_selected;
			wire [PORTS * AMOUNT_BITS - 1:0] parts;
			wire of_thread;

			always @(posedge clock)
				if (valid && write && write_kind == 3 && write_index == c) begin
					signal_selected <= write_data[SIGNAL_BITS - 1:0];
					range_selected <= write_data[16 +: RANGE_BITS];
				end

			if (THREADS) begin : selects_thread
				reg [31:0] thread_selected; // 0: every thread

				always @(posedge clock)
					if (valid && write && write_kind == 3 && write_index == c)
						thread_selected <= write_data[63:32];
				assign of_thread = thread_selected == 0 || thread_selected == thread;
			end else begin : every_thread
				assign of_thread = 1'b1;
			end

			for (p = 0; p < PORTS; p = p + 1) begin : port
				wire [(1 << RANGE_BITS) - 1:0] row =
					hits[p << RANGE_BITS +: 1 << RANGE_BITS];
				wire is_in = row[range_selected];

				for (b = 0; b < AMOUNT_BITS; b = b + 1) begin : amount
					wire [(1 << SIGNAL_BITS) - 1:0] column =
						columns[(p * AMOUNT_BITS + b) << SIGNAL_BITS +:
							1 << SIGNAL_BITS];

					assign parts[p * AMOUNT_BITS + b] =
						is_in && column[signal_selected];
				end
			end

			saturating_counter #(
				.WIDTH(WIDTH), .PARTS(PORTS), .PART_BITS(AMOUNT_BITS)
			) value (
				.clock(clock), .restarts(restarts), .counts(counts && of_thread),
				.parts(parts), .word(words[c * WIDTH +: WIDTH])
			);
		end
	endgenerate
endmodule
