	wire is_full, resource, refill_global, is_restarted;
	wire [3:0] stalls;
	wire [4*EARLY_BITS-1:0] early;
	wire [4*(EARLY_BITS+1)-1:0] data;
	wire [BANKS*ROW_BITS-1:0] commit_rows;
	wire [BANKS-1:0] is_leaving;
	wire [ROW_BITS-1:0] head_after, fetch_before, fetch_after;
	wire [AMOUNT_BITS-1:0] penalty;
	wire [4*AMOUNT_BITS-1:0] fetch_amounts; // of l1i, l2i, l3i, itlb

	window #(.ROB_SIZE(ROB_SIZE), .ROB_BITS(ROB_BITS), .DISPATCH_ROB(DISPATCH_ROB),
		.DISPATCH_IQ(DISPATCH_IQ), .DISPATCH_LSQ(DISPATCH_LSQ),
		.DISPATCH_BRANCHES(DISPATCH_BRANCHES), .FETCH_BRANCHES(FETCH_BRANCHES), .HEAD_STORE(HEAD_STORE),
		.FETCH_L1I(FETCH_L1I), .FETCH_L2I(FETCH_L2I), .FETCH_L3I(FETCH_L3I), .FETCH_ITLB(FETCH_ITLB)
	) state (
		.rob_used(rob_used), .dispatch_stall(dispatch_stall), .head_state(head_state),
		.is_dispatching(is_dispatching), .is_committing(is_committing), .is_fed(is_fed),
		.fetch_stall(fetch_stall), .is_full(is_full), .stalls(stalls));

	blocked #(.BUDGET(BUDGET), .EARLY_BITS(EARLY_BITS), .HEAD_EMPTY(HEAD_EMPTY), .HEAD_L1D(HEAD_L1D),
		.HEAD_L2D(HEAD_L2D), .HEAD_L3D(HEAD_L3D), .HEAD_DTLB(HEAD_DTLB)
	) full_cycles (
		.clock(clock), .reset(reset), .valid(valid), .is_full(is_full),
		.is_committing(is_committing), .oldest_missed_tlb(oldest_missed_tlb),
		.head_state(head_state), .amounts(data), .resource(resource), .early(early));

	branch_table #(.ROWS(ROWS), .ROW_BITS(ROW_BITS), .BANKS(BANKS), .BANK_BITS(BANK_BITS), .SLOT_BITS(SLOT_BITS), .LOCAL_BITS(LOCAL_BITS),
		.COMMITS(COMMITS), .DISPATCHES(DISPATCHES), .DISPATCH_BITS(DISPATCH_BITS),
		.FETCH_BITS(FETCH_BITS), .AMOUNT_BITS(AMOUNT_BITS), .CLEARS(CLEARS)
	) branches (
		.clock(clock), .reset(reset), .valid(valid), .is_full(is_full), .is_stalled(|stalls),
		.is_dispatching(is_dispatching), .mispredict(mispredict),
		.mispredict_slot(mispredict_slot), .replay(replay), .replay_branches(replay_branches),
		.commit_branch(commit_branch), .commit_mispredicted(commit_mispredicted),
		.dispatch_branches(dispatch_branches), .dispatch_slots(dispatch_slots),
		.fetch_branches(fetch_branches), .commit_rows(commit_rows), .is_leaving(is_leaving), .head_after(head_after),
		.fetch_before(fetch_before), .fetch_after(fetch_after), .is_restarted(is_restarted),
		.penalty(penalty), .refill_global(refill_global));

	// A component that the machine does not have shares the number of the counter of cycles, is never
	// charged, and is assigned before it.
	reg [COUNTERS*AMOUNT_BITS-1:0] amounts;
	always @* begin
		amounts = {COUNTERS*AMOUNT_BITS{1'b0}};
		amounts[COUNTER_L1I*AMOUNT_BITS +: AMOUNT_BITS] = fetch_amounts[0 +: AMOUNT_BITS];
		amounts[COUNTER_L2I*AMOUNT_BITS +: AMOUNT_BITS] = fetch_amounts[AMOUNT_BITS +: AMOUNT_BITS];
		amounts[COUNTER_L3I*AMOUNT_BITS +: AMOUNT_BITS] = fetch_amounts[2*AMOUNT_BITS +: AMOUNT_BITS];
		amounts[COUNTER_ITLB*AMOUNT_BITS +: AMOUNT_BITS] = fetch_amounts[3*AMOUNT_BITS +: AMOUNT_BITS];
		amounts[COUNTER_L1D*AMOUNT_BITS +: AMOUNT_BITS] = data[0 +: EARLY_BITS+1];
		amounts[COUNTER_L2D*AMOUNT_BITS +: AMOUNT_BITS] = data[EARLY_BITS+1 +: EARLY_BITS+1];
		amounts[COUNTER_L3D*AMOUNT_BITS +: AMOUNT_BITS] = data[2*(EARLY_BITS+1) +: EARLY_BITS+1];
		amounts[COUNTER_DTLB*AMOUNT_BITS +: AMOUNT_BITS] = data[3*(EARLY_BITS+1) +: EARLY_BITS+1];
		amounts[COUNTER_BRANCH*AMOUNT_BITS +: AMOUNT_BITS] = penalty + refill_global;
		amounts[COUNTER_RESOURCE*AMOUNT_BITS +: AMOUNT_BITS] = resource;
		amounts[COUNTER_BASE*AMOUNT_BITS +: AMOUNT_BITS] = 1; // cycles
	end

	counters #(.COUNT(COUNTERS), .BITS(GLOBAL_BITS), .AMOUNT(AMOUNT_BITS)) bank (
		.clock(clock), .reset(reset), .valid(valid), .amounts(amounts), .words(words));

	assign ready = 1'b1;
	assign idle = 1'b1;
