
// Rows of COUNT stamps for each machine, in a memory with one read port, whose answer comes after
// the clock edge, and one write port. A stamp is the lower bits of a time. While `clearing`, row
// `index` becomes 0. While `sweeping`, rows are read by `index`, and the row before it is written
// back: a stamp further back than `most` cycles before the machine's last commit becomes just that,
// so that no stamp is ever taken for a later one.
module vclk_stamps #(
	parameter BITS = 4,         // of a row's number
	parameter COUNT = 1,
	parameter STAMP = 12,
	parameter MACHINES = 1,
	parameter MACHINE_BITS = 1,
	parameter INDEX_BITS = 8
) (
	input wire clock,
	input wire clearing,
	input wire sweeping,
	input wire [INDEX_BITS:0] index,
	input wire [MACHINE_BITS-1:0] machine,
	input wire [STAMP-1:0] past, // the last commit at the time of the stamps
	input wire [STAMP-1:0] moved,  // by how much the last commit has moved since
	input wire [STAMP-1:0] most,
	input wire [BITS-1:0] read_row,
	input wire write,
	input wire [BITS-1:0] write_row,
	input wire [COUNT*STAMP-1:0] stamps,
	output reg [COUNT*STAMP-1:0] found
);
	reg [COUNT*STAMP-1:0] rows [0:(MACHINES<<BITS)-1];
	wire [INDEX_BITS:0] behind = index - 1'b1;
	wire has_index = index >> BITS == 0;
	wire has_behind = index != 0 && behind >> BITS == 0;
	wire [COUNT*STAMP-1:0] kept;
	wire writes = clearing ? has_index : sweeping ? has_behind : write;
	wire [BITS-1:0] row = clearing ? index[BITS-1:0] : sweeping ? behind[BITS-1:0] : write_row;
	wire [COUNT*STAMP-1:0] value = clearing ? {COUNT*STAMP{1'b0}} : sweeping ? kept : stamps;

	genvar i;
	generate
		for (i = 0; i < COUNT; i = i + 1) begin : each
			wire [STAMP-1:0] distance = found[i*STAMP +: STAMP] - past;
			wire [STAMP-1:0] least = moved - most;
			// Both are signed, and `moved` may be more than half of what a stamp can say.
			wire is_old = $signed(distance) < $signed({1'b0, moved}) - $signed({1'b0, most});

			assign kept[i*STAMP +: STAMP] = is_old ? past + least : found[i*STAMP +: STAMP];
		end
	endgenerate

	always @(posedge clock) begin
		if (writes)
			rows[{machine, row}] <= value;
		found <= rows[{machine, sweeping ? index[BITS-1:0] : read_row}];
	end
endmodule
