
// A circular table with a row for each conditional, indirect and return branch in flight, and a row
// for the next one. (Eyerman et al. 2006, section 4.1.) Rows from head to tail have dispatched, rows
// from tail to fetch are in the front end. A row counts cycles without a full window from its
// branch's dispatch to its resolution as mispredicted, and from there to the next dispatch; once it
// has committed, refill_global is 1 in these cycles.
//
// In a clock cycle the events have the order of the core's stages: a branch resolves, a load is
// replayed, instructions commit, dispatch, are fetched. Commit port k is older than port k + 1.
module branch_table #(
	parameter ROWS = 2,
	parameter ROW_BITS = 1,
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
	output wire [COMMITS*ROW_BITS-1:0] commit_rows, // the row of the branch at each commit port
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

	wire [ROW_BITS-1:0] end_1 = plus(resolving, 1);
	wire [ROW_BITS-1:0] tail_1 = mispredict ? end_1 : tail;
	wire [ROW_BITS-1:0] fetch_1 = mispredict ? end_1 : fetch;
	wire [ROW_BITS-1:0] fetch_2 = replay ? minus(fetch_1, replay_branches) : fetch_1;
	wire [ROW_BITS-1:0] tail_2 =
		replay && minus(tail_1, head) > minus(fetch_2, head) ? fetch_2 : tail_1;

	// Commits, the oldest first.
	reg [COMMITS*ROW_BITS-1:0] rows;
	reg [ROW_BITS-1:0] row, head_3;
	reg is_cleared, is_left;
	integer k;
	always @* begin
		row = head;
		rows = {COMMITS*ROW_BITS{1'b0}};
		penalty = {AMOUNT_BITS{1'b0}};
		is_cleared = 1'b0;
		is_left = 1'b0; // the row that refilling counts in commits
		for (k = 0; k < COMMITS; k = k + 1) begin
			rows[k*ROW_BITS +: ROW_BITS] = row;
			if (commit_branch[k]) begin
				if (commit_mispredicted[k]) begin
					if (!is_cleared && (resolved[row] || (mispredict && row == resolving)))
						penalty = penalty + counts[row*LOCAL_BITS +: LOCAL_BITS];
					is_cleared = is_cleared || CLEARS != 0;
					is_left = is_left || row == (mispredict ? resolving : refilling);
				end
				row = plus(row, 1);
			end
		end
		head_3 = row;
	end
	assign commit_rows = rows;

	wire [ROW_BITS-1:0] tail_4 = plus(tail_2, dispatch_branches);
	assign fetch_after = plus(fetch_2, fetch_branches);
	assign fetch_before = fetch_2;
	assign head_after = head_3;
	assign is_restarted = mispredict || replay;

	// Between the resolution of a branch and the next dispatch.
	wire refills = (mispredict || is_refilling) && !replay && !is_dispatching;
	wire in_row = (mispredict || has_row) && !is_left;
	wire counts_refill = refills && !is_full && !is_stalled;
	wire [ROW_BITS-1:0] refilling_1 = mispredict ? resolving : refilling;
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

	reg [ROW_BITS-1:0] behind;
	reg [LOCAL_BITS-1:0] from;
	reg starts, is_resolved, adds;
	integer i;
	always @* begin
		counts_next = counts;
		slots_next = slots;
		resolved_next = resolved;
		behind = {ROW_BITS{1'b0}};
		from = {LOCAL_BITS{1'b0}};
		starts = 1'b0;
		is_resolved = 1'b0;
		adds = 1'b0;
		// In a full cycle without a resolution no row changes: nothing commits or dispatches.
		if (!is_full || mispredict) for (i = 0; i < ROWS; i = i + 1) begin
			behind = minus(i, tail_2);
			starts = behind < dispatch_branches;
			is_resolved = !starts && (resolved[i] || (mispredict && resolving == i));
			adds = (is_between(i, head_3, tail_4) && !is_resolved && !is_full) ||
				(counts_refill && in_row && refilling_1 == i);
			from = starts || is_cleared ? {LOCAL_BITS{1'b0}} : counts[i*LOCAL_BITS +: LOCAL_BITS];
			counts_next[i*LOCAL_BITS +: LOCAL_BITS] = from + (adds && !(&from));
			resolved_next[i] = is_resolved;
			if (starts)
				slots_next[i*SLOT_BITS +: SLOT_BITS] = dispatch_slots[behind*SLOT_BITS +: SLOT_BITS];
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
