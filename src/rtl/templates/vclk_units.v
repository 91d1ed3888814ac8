
// For each machine and each of the next cycles, how many units of each kind, and of all, are taken:
// a row has an entry for each kind, with a count and the upper bits of the cycle of which it tells.
// An entry of another cycle counts as 0. Cleared and swept as vclk_stamps is.
module vclk_units #(
	parameter BITS = 8,         // of a row's number: the lower bits of a cycle
	parameter KINDS = 6,
	parameter COUNT = 5,        // bits of a count
	parameter STAMP = 12,
	parameter MACHINES = 1,
	parameter MACHINE_BITS = 1,
	parameter KIND_BITS = 3,
	parameter INDEX_BITS = 8
) (
	input wire clock,
	input wire clearing,
	input wire sweeping,
	input wire [INDEX_BITS:0] index,
	input wire [MACHINE_BITS-1:0] machine,
	input wire [STAMP-1:0] past,
	input wire [STAMP-1:0] moved,
	input wire [STAMP-1:0] most,
	input wire [STAMP-1:0] next,         // the cycle to look up
	input wire [STAMP-1:0] cycle,        // the one looked up last: what is free, and taken, is in it
	input wire [KIND_BITS-1:0] kind,
	input wire [COUNT-1:0] units,        // that there are of the kind
	input wire [COUNT-1:0] all_units,
	input wire needs_all,                // the last kind is looked up and taken too
	input wire take,
	output wire is_free
);
	localparam TAG = STAMP - BITS;
	localparam ENTRY = TAG + COUNT;

	reg [KINDS*ENTRY-1:0] rows [0:(MACHINES<<BITS)-1];
	reg [KINDS*ENTRY-1:0] found;
	wire [INDEX_BITS:0] behind = index - 1'b1;
	wire has_index = index >> BITS == 0;
	wire has_behind = index != 0 && behind >> BITS == 0;
	wire [KINDS*ENTRY-1:0] kept, taken;
	wire [KINDS-1:0] frees;

	genvar i;
	generate
		for (i = 0; i < KINDS; i = i + 1) begin : each
			wire [COUNT-1:0] count = found[i*ENTRY +: COUNT];
			wire [TAG-1:0] tag = found[i*ENTRY+COUNT +: TAG];
			wire [STAMP-1:0] distance = {tag, behind[BITS-1:0]} - past;
			wire is_old = $signed(distance) < $signed({1'b0, moved}) - $signed({1'b0, most});
			wire [COUNT-1:0] now = tag == cycle[STAMP-1:BITS] ? count : {COUNT{1'b0}};
			wire is_mine = kind == i || (i == KINDS - 1 && needs_all);

			assign frees[i] = !is_mine || now < (i == KINDS - 1 ? all_units : units);
			assign kept[i*ENTRY +: ENTRY] = {tag, is_old ? {COUNT{1'b0}} : count};
			assign taken[i*ENTRY +: ENTRY] =
				is_mine ? {cycle[STAMP-1:BITS], now + 1'b1} : found[i*ENTRY +: ENTRY];
		end
	endgenerate

	assign is_free = &frees;
	wire writes = clearing ? has_index : sweeping ? has_behind : take && is_free;
	wire [BITS-1:0] row = clearing ? index[BITS-1:0] : sweeping ? behind[BITS-1:0] : cycle[BITS-1:0];

	always @(posedge clock) begin
		if (writes)
			rows[{machine, row}] <= clearing ? {KINDS*ENTRY{1'b0}} : sweeping ? kept : taken;
		found <= rows[{machine, sweeping ? index[BITS-1:0] : next[BITS-1:0]}];
	end
endmodule
