
// A bank of counters. Counter i adds amount i, which is less than 2 to the power of AMOUNT.
module counters #(
	parameter COUNT = 1,
	parameter BITS = 48,
	parameter AMOUNT = 1
) (
	input wire clock,
	input wire reset,
	input wire valid,
	input wire [COUNT*AMOUNT-1:0] amounts,
	output wire [COUNT*BITS-1:0] words
);
	genvar i;
	generate
		for (i = 0; i < COUNT; i = i + 1) begin : each
			reg [BITS-1:0] value;
			wire [AMOUNT-1:0] amount = amounts[i*AMOUNT +: AMOUNT];

			always @(posedge clock)
				if (reset)
					value <= {BITS{1'b0}};
				else if (valid)
					value <= value + {{(BITS-AMOUNT){1'b0}}, amount};
			assign words[i*BITS +: BITS] = value;
		end
	endgenerate
endmodule
