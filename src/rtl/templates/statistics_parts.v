// Parts that the statistics module and its naive alternative have in common.

// A 32-bit timer with a period of exactly `period` cycles. `restarts` says that counters begin anew
// in this beat, `counts` that the amounts of this beat count.
module dispatch_timer (
	input clock,
	input reset,
	input write,
	input [31:0] write_period,
	input valid,
	input cycle,
	input start,
	input ended,
	output is_due,
	output dispatch,
	output restarts,
	output counts
);
	reg [31:0] period, timer;
	reg is_running;

	assign is_due = is_running && timer == 0;
	assign dispatch = cycle && (is_due || (start && is_running));
	assign restarts = dispatch || (cycle && start);
	assign counts = valid && !ended && (is_running || (cycle && start));

	always @(posedge clock) begin
		if (write)
			period <= write_period;
		if (reset) begin
			is_running <= 1'b0;
		end else if (cycle && start) begin
			is_running <= 1'b1;
			timer <= period - 1'b1;
		end else if (cycle && is_running) begin
			if (is_due && ended)
				is_running <= 1'b0;
			timer <= (is_due ? period : timer) - 1'b1;
		end
	end
endmodule

// Hit (p * COLUMNS + r) says whether pc p lies in range r, ends included; for r = RANGES it is 1, and
// 0 beyond that.
module range_registers #(
	parameter RANGES = 2,
	parameter PORTS = 1,
	parameter PC_BITS = 64,
	parameter COLUMNS = 4
) (
	input clock,
	input write_low,
	input write_high,
	input [11:0] write_index,
	input [PC_BITS - 1:0] write_data,
	input [PORTS * PC_BITS - 1:0] pcs,
	output [PORTS * COLUMNS - 1:0] hits
);
	genvar r, p;

	generate
		for (r = 0; r < COLUMNS; r = r + 1) begin : range
			if (r < RANGES) begin : compared
				// Kept complemented: a comparison is then the carry of a sum, which a
				// carry chain of an FPGA gives without inverters before it.
				reg [PC_BITS - 1:0] not_low, not_high;

				always @(posedge clock) begin
					if (write_low && write_index == r)
						not_low <= ~write_data;
					if (write_high && write_index == r)
						not_high <= ~write_data;
				end
				for (p = 0; p < PORTS; p = p + 1) begin : port
					wire [PC_BITS - 1:0] pc = pcs[p * PC_BITS +: PC_BITS];

					// The carries say pc >= low, and pc > high.
					wire [PC_BITS + 1:0] from_low =
						{1'b0, pc, 1'b1} + {1'b0, not_low, 1'b1};
					wire [PC_BITS:0] beyond_high = {1'b0, pc} + {1'b0, not_high};

					assign hits[p * COLUMNS + r] =
						from_low[PC_BITS + 1] && !beyond_high[PC_BITS];
				end
			end else begin : fixed
				for (p = 0; p < PORTS; p = p + 1)
					assign hits[p * COLUMNS + r] = r == RANGES;
			end
		end
	endgenerate
endmodule

// Adds up to PARTS amounts in a beat, and stays at all ones when the sum is more.
module saturating_counter #(
	parameter WIDTH = 32,
	parameter PARTS = 1,
	parameter PART_BITS = 1
) (
	input clock,
	input restarts,
	input counts,
	input [PARTS * PART_BITS - 1:0] parts,
	output reg [WIDTH - 1:0] word
);
	localparam SUM_BITS = PART_BITS + $clog2(PARTS);
	localparam TOTAL_BITS = (WIDTH > SUM_BITS ? WIDTH : SUM_BITS) + 1;

	reg [SUM_BITS - 1:0] sum;
	integer i;

	always @* begin
		sum = 0;
		for (i = 0; i < PARTS; i = i + 1)
			sum = sum + parts[i * PART_BITS +: PART_BITS];
	end

	wire [WIDTH - 1:0] kept = restarts ? {WIDTH{1'b0}} : word;
	wire [TOTAL_BITS - 1:0] total = kept + (counts ? sum : {SUM_BITS{1'b0}});

	always @(posedge clock)
		word <= total[WIDTH - 1:0] | {WIDTH{|total[TOTAL_BITS - 1:WIDTH]}};
endmodule

// The amounts of every signal at every port, from the inputs that there are: flags of one bit and
// counts of AMOUNT_BITS. FLAG_OF and COUNT_OF say which of them a place (port * SIGNALS + signal) has,
// in 16 bits each; NOWHERE: none. A place that has neither is 0, and synthesis leaves it out.
module signal_places #(
	parameter PLACES = 1,
	parameter FLAGS = 1,
	parameter COUNTS = 1,
	parameter AMOUNT_BITS = 1,
	parameter [PLACES * 16 - 1:0] FLAG_OF = 0,
	parameter [PLACES * 16 - 1:0] COUNT_OF = 0
) (
	input [FLAGS - 1:0] flags,
	input [COUNTS * AMOUNT_BITS - 1:0] counts,
	output [PLACES * AMOUNT_BITS - 1:0] amounts
);
	localparam [15:0] NOWHERE = 16'hffff;

	genvar i;

	generate
		for (i = 0; i < PLACES; i = i + 1) begin : place
			localparam [15:0] FLAG = FLAG_OF[i * 16 +: 16];
			localparam [15:0] COUNT = COUNT_OF[i * 16 +: 16];

			if (FLAG != NOWHERE)
				assign amounts[i * AMOUNT_BITS +: AMOUNT_BITS] = flags[FLAG];
			else if (COUNT != NOWHERE)
				assign amounts[i * AMOUNT_BITS +: AMOUNT_BITS] =
					counts[COUNT * AMOUNT_BITS +: AMOUNT_BITS];
			else
				assign amounts[i * AMOUNT_BITS +: AMOUNT_BITS] = {AMOUNT_BITS{1'b0}};
		end
	endgenerate
endmodule

// How often words were handed out, for comparison with a model.
module dispatch_count (
	input clock,
	input reset,
	input dispatch,
	output reg [31:0] dispatches
);
	always @(posedge clock)
		if (reset)
			dispatches <= 32'd0;
		else if (dispatch)
			dispatches <= dispatches + 32'd1;
endmodule
