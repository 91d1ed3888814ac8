
	// The I-side counters of each row, which count the stalls before its branch was fetched; by row,
	// then l1i, l2i, l3i, itlb.
	reg [4*ROWS*LOCAL_BITS-1:0] rows, rows_next;
	wire [3:0] adds = is_full ? 4'd0 : stalls;

	// Rows that begin in this cycle: the one after a branch that was mispredicted or the first that is
	// fetched again, and those behind branches that are fetched.
	wire [ROW_BITS-1:0] fetch_next = fetch_before == ROWS - 1 ? {ROW_BITS{1'b0}} : fetch_before + 1'b1;
	wire [BANKS*ROW_BITS-1:0] fetched_rows;
	wire [BANKS*BANK_BITS-1:0] unused_places;
	wire [BANKS-1:0] is_beginning;
	wire [BANK_BITS:0] beginning = fetch_branches;

	row_banks #(.ROWS(ROWS), .ROW_BITS(ROW_BITS), .BANKS(BANKS), .BANK_BITS(BANK_BITS)) fetches (
		.first(fetch_next), .count(beginning), .rows(fetched_rows), .places(unused_places), .is_used(is_beginning));

	reg [LOCAL_BITS-1:0] from;
	reg begins;
	integer i, s;
	always @* begin
		rows_next = rows;
		from = {LOCAL_BITS{1'b0}};
		begins = 1'b0;
		if (is_restarted || fetch_branches != 0 || adds != 4'd0)
			for (i = 0; i < ROWS; i = i + 1) begin
				begins = (is_restarted && fetch_before == i) ||
					(is_beginning[i%BANKS] && fetched_rows[i%BANKS*ROW_BITS +: ROW_BITS] == i);
				if (begins || fetch_after == i) for (s = 0; s < 4; s = s + 1)
					if (HAS_STALL >> s & 1) begin
						from = begins ? {LOCAL_BITS{1'b0}}
							: rows[(4*i+s)*LOCAL_BITS +: LOCAL_BITS];
						rows_next[(4*i+s)*LOCAL_BITS +: LOCAL_BITS] =
							from + (fetch_after == i && adds[s] && !(&from));
					end
			end
	end

	always @(posedge clock)
		if (reset)
			rows <= 0;
		else if (valid)
			rows <= rows_next;

	// The rows of the branches that commit are added to the global counters.
	reg [BANKS*4*LOCAL_BITS-1:0] read;
	reg [4*AMOUNT_BITS-1:0] sums;
	integer k, b, n;
	always @* begin
		read = {BANKS*4*LOCAL_BITS{1'b0}};
		sums = {4*AMOUNT_BITS{1'b0}};
		if (|is_leaving) begin
			for (k = 0; k < ROWS; k = k + 1)
				if (is_leaving[k%BANKS] && commit_rows[k%BANKS*ROW_BITS +: ROW_BITS] == k)
					read[k%BANKS*4*LOCAL_BITS +: 4*LOCAL_BITS] =
						read[k%BANKS*4*LOCAL_BITS +: 4*LOCAL_BITS] | rows[4*k*LOCAL_BITS +: 4*LOCAL_BITS];
			for (b = 0; b < BANKS; b = b + 1)
				for (n = 0; n < 4; n = n + 1)
					sums[n*AMOUNT_BITS +: AMOUNT_BITS] = sums[n*AMOUNT_BITS +: AMOUNT_BITS] +
						read[(4*b+n)*LOCAL_BITS +: LOCAL_BITS];
		end
	end
	assign fetch_amounts = sums;

`ifdef COSIMULATE
	// The sums over the rows in use, from the oldest branch in flight to the next branch.
	reg [ROW_BITS-1:0] first, last;
	always @(posedge clock)
		if (reset) begin
			first <= {ROW_BITS{1'b0}};
			last <= {ROW_BITS{1'b0}};
		end else if (valid) begin
			first <= head_after;
			last <= fetch_after;
		end
	reg [4*32-1:0] in_rows;
	integer r, t;
	always @* begin
		in_rows = {4*32{1'b0}};
		// Nobody looks at it while the circuit works.
		for (r = 0; r < ROWS; r = r + 1)
			if (!valid && (first <= last ? r >= first && r <= last : r >= first || r <= last))
				for (t = 0; t < 4; t = t + 1)
					in_rows[t*32 +: 32] = in_rows[t*32 +: 32] +
						rows[(4*r+t)*LOCAL_BITS +: LOCAL_BITS];
	end
	assign inner = {in_rows, early};
`endif
