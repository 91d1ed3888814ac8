
// A circular table with a row for each conditional, indirect and return branch in flight, and a row
// for the next one. (Eyerman et al. 2006, section 4.1.) Rows from head to tail have dispatched, rows
// from tail to fetch are in the front end. A row counts cycles without a full window from its
// branch's dispatch to its resolution as mispredicted, and from there to the next dispatch; once it
// has committed, refill_global is 1 in these cycles.
//
// In a clock cycle the events have the order of the core's stages: a branch resolves, a load is
// replayed, instructions commit, dispatch, are fetched. Commit port k is older than port k + 1.
module branch_table #(
	parameter ROWS = 2, // a multiple of BANKS
	parameter ROW_BITS = 1,
	parameter BANKS = 2,
	parameter BANK_BITS = 1,
	parameter SLOT_BITS = 1,
	parameter LOCAL_BITS = 12,
	parameter COMMITS = 1,
	parameter DISPATCHES = 1,
	parameter DISPATCH_BITS = 1,
	parameter FETCH_BITS = 1,
	parameter AMOUNT_BITS = 16,
	parameter CLEARS = 0 // a mispredicted branch that commits clears the counts of all rows
) (
	input wire clock,
	input wire reset,
	input wire valid,
	input wire is_full,
	input wire is_stalled, // fetch waits for a miss
	input wire is_dispatching,
	input wire mispredict,
	input wire [SLOT_BITS-1:0] mispredict_slot,
	input wire replay,
	input wire [ROW_BITS-1:0] replay_branches,
	input wire [COMMITS-1:0] commit_branch,
	input wire [COMMITS-1:0] commit_mispredicted,
	input wire [DISPATCH_BITS-1:0] dispatch_branches,
	input wire [DISPATCHES*SLOT_BITS-1:0] dispatch_slots,
	input wire [FETCH_BITS-1:0] fetch_branches,
	output wire [BANKS*ROW_BITS-1:0] commit_rows, // the row of each bank whose branch may commit
	output wire [BANKS-1:0] is_leaving, // and whether it does
	output wire [ROW_BITS-1:0] head_after,
	output wire [ROW_BITS-1:0] fetch_before,  // the next branch's row before branches are fetched
	output wire [ROW_BITS-1:0] fetch_after,
	output wire is_restarted, // fetch_before is an empty row that was none before
	output reg [AMOUNT_BITS-1:0] penalty, // of the branches that commit
	output wire refill_global
);
	reg [ROW_BITS-1:0] head, tail, fetch, refilling;
	reg is_refilling, has_row;

	function [ROW_BITS-1:0] plus;
		input [ROW_BITS-1:0] row, count;
		reg [ROW_BITS:0] sum;
		begin
			sum = {1'b0, row} + {1'b0, count};
			plus = sum >= ROWS ? sum - ROWS : sum;
		end
	endfunction

	function [ROW_BITS-1:0] minus;
		input [ROW_BITS-1:0] row, count;
		minus = row >= count ? row - count : ROWS - (count - row);
	endfunction

	function is_between; // whether a row is one of those from `from` to before `to`
		input [ROW_BITS-1:0] row, from, to;
		is_between = from <= to ? row >= from && row < to : row >= from || row < to;
	endfunction

	// The rows: cycles counted, the branch's place in the core, whether it has resolved as
	// mispredicted.
	reg [ROWS*LOCAL_BITS-1:0] counts, counts_next;
	reg [ROWS*SLOT_BITS-1:0] slots, slots_next;
	reg [ROWS-1:0] resolved, resolved_next;

	// The row of the branch that resolves.
	reg [ROW_BITS-1:0] resolving;
	integer m;
	always @* begin
		resolving = {ROW_BITS{1'b0}};
		if (mispredict)
			for (m = 0; m < ROWS; m = m + 1)
				if (slots[m*SLOT_BITS +: SLOT_BITS] == mispredict_slot && is_between(m, head, tail))
					resolving = resolving | m;
	end

	wire [ROW_BITS-1:0] refilling_1 = mispredict ? resolving : refilling;
	wire [ROW_BITS-1:0] end_1 = plus(resolving, 1);
	wire [ROW_BITS-1:0] tail_1 = mispredict ? end_1 : tail;
	wire [ROW_BITS-1:0] fetch_1 = mispredict ? end_1 : fetch;
	wire [ROW_BITS-1:0] fetch_2 = replay ? minus(fetch_1, replay_branches) : fetch_1;
	wire [ROW_BITS-1:0] tail_2 =
		replay && minus(tail_1, head) > minus(fetch_2, head) ? fetch_2 : tail_1;

	// Commits, the oldest first: how many branches, and which of them was mispredicted.
	reg [BANK_BITS:0] leaving;
	reg [BANKS-1:0] mispredicted, counted; // counted: and none before it has cleared the table
	reg is_cleared;
	integer k;
	always @* begin
		leaving = {(BANK_BITS+1){1'b0}};
		mispredicted = {BANKS{1'b0}};
		counted = {BANKS{1'b0}};
		is_cleared = 1'b0;
		for (k = 0; k < COMMITS; k = k + 1)
			if (commit_branch[k]) begin
				mispredicted[leaving[BANK_BITS-1:0]] = commit_mispredicted[k];
				counted[leaving[BANK_BITS-1:0]] = commit_mispredicted[k] && !is_cleared;
				is_cleared = is_cleared || (commit_mispredicted[k] && CLEARS != 0);
				leaving = leaving + 1'b1;
			end
	end
	wire [ROW_BITS-1:0] head_3 = plus(head, leaving);
	wire [BANKS*BANK_BITS-1:0] commit_places;

	row_banks #(.ROWS(ROWS), .ROW_BITS(ROW_BITS), .BANKS(BANKS), .BANK_BITS(BANK_BITS)) commits (
		.first(head), .count(leaving), .rows(commit_rows), .places(commit_places), .is_used(is_leaving));

	reg [BANKS*LOCAL_BITS-1:0] read; // of each bank, the count in the row that may commit
	reg [BANKS-1:0] read_resolved;
	reg is_left; // the row that refilling counts in commits
	integer r, b;
	always @* begin
		read = {BANKS*LOCAL_BITS{1'b0}};
		read_resolved = {BANKS{1'b0}};
		penalty = {AMOUNT_BITS{1'b0}};
		is_left = 1'b0;
		if (|counted) begin
			for (r = 0; r < ROWS; r = r + 1)
				if (commit_rows[r%BANKS*ROW_BITS +: ROW_BITS] == r) begin
					read[r%BANKS*LOCAL_BITS +: LOCAL_BITS] =
						read[r%BANKS*LOCAL_BITS +: LOCAL_BITS] | counts[r*LOCAL_BITS +: LOCAL_BITS];
					read_resolved[r%BANKS] = read_resolved[r%BANKS] || resolved[r] ||
						(mispredict && resolving == r);
				end
			for (b = 0; b < BANKS; b = b + 1)
				if (is_leaving[b] && counted[commit_places[b*BANK_BITS +: BANK_BITS]] && read_resolved[b])
					penalty = penalty + read[b*LOCAL_BITS +: LOCAL_BITS];
		end
		for (b = 0; b < BANKS; b = b + 1)
			if (is_leaving[b] && mispredicted[commit_places[b*BANK_BITS +: BANK_BITS]] &&
					commit_rows[b*ROW_BITS +: ROW_BITS] == refilling_1)
				is_left = 1'b1;
	end

	wire [ROW_BITS-1:0] tail_4 = plus(tail_2, dispatch_branches);
	assign fetch_after = plus(fetch_2, fetch_branches);
	assign fetch_before = fetch_2;
	assign head_after = head_3;
	assign is_restarted = mispredict || replay;

	// Between the resolution of a branch and the next dispatch.
	wire refills = (mispredict || is_refilling) && !replay && !is_dispatching;
	wire in_row = (mispredict || has_row) && !is_left;
	wire counts_refill = refills && !is_full && !is_stalled;
	assign refill_global = counts_refill && !in_row;

	always @(posedge clock)
		if (reset) begin
			head <= {ROW_BITS{1'b0}};
			tail <= {ROW_BITS{1'b0}};
			fetch <= {ROW_BITS{1'b0}};
			refilling <= {ROW_BITS{1'b0}};
			is_refilling <= 1'b0;
			has_row <= 1'b0;
		end else if (valid) begin
			head <= head_3;
			tail <= tail_4;
			fetch <= fetch_after;
			refilling <= refilling_1;
			is_refilling <= refills;
			has_row <= refills && in_row;
		end

	wire [BANKS*ROW_BITS-1:0] starting_rows;
	wire [BANKS*BANK_BITS-1:0] starting_places;
	wire [BANKS-1:0] is_starting;
	wire [BANK_BITS:0] starting = dispatch_branches;

	row_banks #(.ROWS(ROWS), .ROW_BITS(ROW_BITS), .BANKS(BANKS), .BANK_BITS(BANK_BITS)) dispatches (
		.first(tail_2), .count(starting), .rows(starting_rows), .places(starting_places), .is_used(is_starting));

	reg [BANKS*SLOT_BITS-1:0] starting_slots;
	integer d, e;
	always @* begin
		starting_slots = {BANKS*SLOT_BITS{1'b0}};
		for (d = 0; d < BANKS; d = d + 1)
			for (e = 0; e < DISPATCHES; e = e + 1)
				if (starting_places[d*BANK_BITS +: BANK_BITS] == e)
					starting_slots[d*SLOT_BITS +: SLOT_BITS] = dispatch_slots[e*SLOT_BITS +: SLOT_BITS];
	end

	reg [LOCAL_BITS-1:0] from;
	reg starts, is_resolved, adds;
	integer i;
	always @* begin
		counts_next = counts;
		slots_next = slots;
		resolved_next = resolved;
		from = {LOCAL_BITS{1'b0}};
		starts = 1'b0;
		is_resolved = 1'b0;
		adds = 1'b0;
		// In a full cycle without a resolution nothing commits; if nothing dispatches, no row changes.
		if (!is_full || mispredict || is_dispatching) for (i = 0; i < ROWS; i = i + 1) begin
			starts = is_starting[i%BANKS] && starting_rows[i%BANKS*ROW_BITS +: ROW_BITS] == i;
			is_resolved = !starts && (resolved[i] || (mispredict && resolving == i));
			adds = (is_between(i, head_3, tail_4) && !is_resolved && !is_full) ||
				(counts_refill && in_row && refilling_1 == i);
			from = starts || is_cleared ? {LOCAL_BITS{1'b0}} : counts[i*LOCAL_BITS +: LOCAL_BITS];
			if (starts || is_cleared || adds)
				counts_next[i*LOCAL_BITS +: LOCAL_BITS] = from + (adds && !(&from));
			resolved_next[i] = is_resolved;
			if (starts)
				slots_next[i*SLOT_BITS +: SLOT_BITS] = starting_slots[i%BANKS*SLOT_BITS +: SLOT_BITS];
		end
	end

	always @(posedge clock)
		if (reset) begin
			counts <= {ROWS*LOCAL_BITS{1'b0}};
			slots <= {ROWS*SLOT_BITS{1'b0}};
			resolved <= {ROWS{1'b0}};
		end else if (valid) begin
			counts <= counts_next;
			slots <= slots_next;
			resolved <= resolved_next;
		end
endmodule

// Rows that follow each other in a circular table, from `first` on, by bank: row r is in bank r modulo
// BANKS, and ROWS is a multiple of BANKS, so that of BANKS rows each bank has one. So a table is read
// or written at several rows as if it had one port. Of these rows `count` are used; places are their
// distances from the first.
module row_banks #(
	parameter ROWS = 2,
	parameter ROW_BITS = 1,
	parameter BANKS = 2,
	parameter BANK_BITS = 1
) (
	input wire [ROW_BITS-1:0] first,
	input wire [BANK_BITS:0] count,
	output wire [BANKS*ROW_BITS-1:0] rows,
	output wire [BANKS*BANK_BITS-1:0] places,
	output wire [BANKS-1:0] is_used
);
	genvar b;
	generate
		for (b = 0; b < BANKS; b = b + 1) begin : bank
			wire [BANK_BITS-1:0] place = b - first[BANK_BITS-1:0];
			wire [ROW_BITS:0] sum = {1'b0, first} + place;

			assign rows[b*ROW_BITS +: ROW_BITS] = sum >= ROWS ? sum - ROWS : sum;
			assign places[b*BANK_BITS +: BANK_BITS] = place;
			assign is_used[b] = {1'b0, place} < count;
		end
	endgenerate
endmodule
