
// What the machines share of loads and stores: the recent stores by granule of 8 bytes, and the
// lines and pages on their way, by address. Looks up at any time; keeps at a clock edge with `keep`
// and, of a store's second granule, `keep_second`.
module vclk_access #(
	parameter ADDRESS = 32,
	parameter STORE_BITS = 4,
	parameter LINE_BITS = 4,
	parameter PAGE_BITS = 2,
	parameter LINE_SHIFT = 5,
	parameter FAR_SHIFT = 6,
	parameter PAGE_SHIFT = 12
) (
	input wire clock,
	input wire reset,
	input wire keep,
	input wire keep_second,
	input wire loads,
	input wire stores,
	input wire [ADDRESS-1:0] address,
	input wire [7:0] accessed,
	input wire misses_tlb,
	input wire misses_l1,
	input wire misses_l2,
	input wire was_brought,
	output wire [STORE_BITS-1:0] first_store,
	output wire [STORE_BITS-1:0] second_store,
	output wire [LINE_BITS-1:0] line,
	output wire [LINE_BITS-1:0] far_line,
	output wire [PAGE_BITS-1:0] page,
	output wire has_store,
	output wire [STORE_BITS-1:0] store,
	output wire covers,
	output wire has_line,
	output wire has_far_line,
	output wire has_page,
	output wire is_brought,
	output wire reads_store
);
	localparam STORES = 1 << STORE_BITS;
	localparam LINES = 1 << LINE_BITS;
	localparam PAGES = 1 << PAGE_BITS;
	localparam GRANULE = ADDRESS - 2; // bits; one more, as an access may cross the end

	reg [STORES-1:0] has_stores;
	reg [LINES-1:0] has_lines, has_far_lines;
	reg [PAGES-1:0] has_pages;
	// A store's address and bytes, and whether the row is that of its second granule.
	reg [ADDRESS+8:0] store_rows [0:STORES-1];
	// The bits of an address above those that number the row.
	localparam LINE_KEY = LINE_SHIFT + LINE_BITS;
	localparam FAR_KEY = FAR_SHIFT + LINE_BITS;
	localparam PAGE_KEY = PAGE_SHIFT + PAGE_BITS;
	reg [ADDRESS-LINE_KEY-1:0] line_rows [0:LINES-1];
	reg [ADDRESS-FAR_KEY-1:0] far_rows [0:LINES-1];
	reg [ADDRESS-PAGE_KEY-1:0] page_rows [0:PAGES-1];
	wire [STORES*STORES-1:0] is_younger;

	wire [ADDRESS:0] beyond = {1'b0, address} + {{(ADDRESS-7){1'b0}}, accessed};
	wire [ADDRESS:0] last_byte = accessed == 0 ? {1'b0, address} : beyond - 1'b1;
	wire [GRANULE-1:0] first_granule = {1'b0, address[ADDRESS-1:3]};
	wire [GRANULE-1:0] second_granule = last_byte[ADDRESS:3];
	assign first_store = first_granule[STORE_BITS-1:0];
	assign second_store = second_granule[STORE_BITS-1:0];

	wire [ADDRESS+8:0] first_row = store_rows[first_store];
	wire [ADDRESS+8:0] second_row = store_rows[second_store];
	wire first_overlaps, first_covers, second_overlaps, second_covers;
	vclk_overlap #(.ADDRESS(ADDRESS)) first_overlap (
		.row(first_row), .granule(first_granule), .address(address), .beyond(beyond),
		.overlaps(first_overlaps), .covers(first_covers));
	vclk_overlap #(.ADDRESS(ADDRESS)) second_overlap (
		.row(second_row), .granule(second_granule), .address(address), .beyond(beyond),
		.overlaps(second_overlaps), .covers(second_covers));

	wire has_first = loads && !stores && has_stores[first_store] && first_overlaps;
	wire has_second = loads && !stores && has_stores[second_store] && second_overlaps;
	wire takes_second = has_second &&
		(!has_first || first_store == second_store || is_younger[{second_store, first_store}]);
	assign has_store = has_first || has_second;
	assign store = takes_second ? second_store : first_store;
	assign covers = takes_second ? second_covers : first_covers;

	wire reads = loads && !stores;
	assign line = address[LINE_SHIFT +: LINE_BITS];
	assign far_line = address[FAR_SHIFT +: LINE_BITS];
	assign page = address[PAGE_SHIFT +: PAGE_BITS];
	assign has_line = reads && has_lines[line] && line_rows[line] == address[ADDRESS-1:LINE_KEY];
	assign has_far_line =
		reads && has_far_lines[far_line] && far_rows[far_line] == address[ADDRESS-1:FAR_KEY];
	assign has_page = reads && has_pages[page] && page_rows[page] == address[ADDRESS-1:PAGE_KEY];
	assign is_brought = reads && was_brought && !has_line;
	assign reads_store = (has_store && !misses_l1 && !misses_tlb) || accessed == 0;

	wire [STORE_BITS-1:0] kept_store = keep_second ? second_store : first_store;
	wire keeps_store = stores && (keep || keep_second);
	wire keeps_load = reads && keep;

	genvar a;
	generate
		for (a = 0; a < STORES; a = a + 1) begin : younger
			reg [STORES-1:0] than; // bit b: row a was written after row b
			assign is_younger[a*STORES +: STORES] = than;
			always @(posedge clock)
				if (reset)
					than <= {STORES{1'b0}};
				else if (keeps_store) begin
					if (kept_store == a)
						than <= {STORES{1'b1}};
					else
						than[kept_store] <= 1'b0;
				end
		end
	endgenerate

	always @(posedge clock) begin
		if (keeps_store)
			store_rows[kept_store] <= {keep_second, accessed, address};
		if (keeps_load && (misses_l1 || is_brought))
			line_rows[line] <= address[ADDRESS-1:LINE_KEY];
		if (keeps_load && misses_l2)
			far_rows[far_line] <= address[ADDRESS-1:FAR_KEY];
		if (keeps_load && misses_tlb)
			page_rows[page] <= address[ADDRESS-1:PAGE_KEY];
		if (reset) begin
			has_stores <= {STORES{1'b0}};
			has_lines <= {LINES{1'b0}};
			has_far_lines <= {LINES{1'b0}};
			has_pages <= {PAGES{1'b0}};
		end else begin
			if (keeps_store)
				has_stores[kept_store] <= 1'b1;
			if (keeps_load && (misses_l1 || is_brought))
				has_lines[line] <= 1'b1;
			if (keeps_load && misses_l2)
				has_far_lines[far_line] <= 1'b1;
			if (keeps_load && misses_tlb)
				has_pages[page] <= 1'b1;
		end
	end
endmodule

// Whether a row of a store is of this granule and the store overlaps, or covers, the access.
module vclk_overlap #(
	parameter ADDRESS = 32
) (
	input wire [ADDRESS+8:0] row,
	input wire [ADDRESS-3:0] granule,
	input wire [ADDRESS-1:0] address,
	input wire [ADDRESS:0] beyond,
	output wire overlaps,
	output wire covers
);
	wire [ADDRESS-1:0] start = row[ADDRESS-1:0];
	wire [ADDRESS:0] finish = {1'b0, start} + {{(ADDRESS-7){1'b0}}, row[ADDRESS+7:ADDRESS]};
	wire [ADDRESS-3:0] kept = {1'b0, start[ADDRESS-1:3]} + row[ADDRESS+8];

	assign overlaps = kept == granule && {1'b0, start} < beyond && {1'b0, address} < finish;
	assign covers = start <= address && beyond <= finish;
endmodule
