
	// One shared set of I-side counters, and a bit for each instruction in flight: the first one
	// delivered after a miss carries it. When an instruction with its bit commits, the counters are
	// added to the global ones and cleared, as are all bits; a mispredicted branch that commits
	// clears them too.
	reg [SLOTS-1:0] marks;
	reg [SLOT_BITS-1:0] awaited; // the instruction that a miss delays
	reg is_awaiting;

	wire awaits_still = is_awaiting && !mispredict && !replay;
	wire marks_now = fetched && awaits_still;

	// The first commit that adds or clears decides.
	reg is_added, is_emptied;
	integer k;
	always @* begin
		is_added = 1'b0;
		is_emptied = 1'b0;
		for (k = 0; k < COMMITS; k = k + 1) begin
			if (!is_emptied && commit_waited[k] && marks[commit_slots[k*SLOT_BITS +: SLOT_BITS]]) begin
				is_added = 1'b1;
				is_emptied = 1'b1;
			end
			if (commit_branch[k] && commit_mispredicted[k])
				is_emptied = 1'b1;
		end
	end

	wire awaits_next = miss || awaits_still;
	wire [SLOT_BITS-1:0] awaited_next = miss ? miss_slot : awaited;

	always @(posedge clock)
		if (reset) begin
			marks <= {SLOTS{1'b0}};
			awaited <= {SLOT_BITS{1'b0}};
			is_awaiting <= 1'b0;
		end else if (valid) begin
			if (is_emptied)
				marks <= {SLOTS{1'b0}};
			if (marks_now)
				marks[awaited] <= 1'b1;
			awaited <= awaited_next;
			is_awaiting <= awaits_next && !(marks_now && awaited_next == awaited);
		end

	wire [4*LOCAL_BITS-1:0] shared;
	wire [3:0] adds = is_full ? 4'd0 : stalls;

	genvar s;
	generate
		for (s = 0; s < 4; s = s + 1) begin : stall
			if (HAS_STALL >> s & 1) begin : has
				reg [LOCAL_BITS-1:0] count;
				wire [LOCAL_BITS-1:0] from = is_emptied ? {LOCAL_BITS{1'b0}} : count;

				always @(posedge clock)
					if (reset)
						count <= {LOCAL_BITS{1'b0}};
					else if (valid)
						count <= adds[s] && from != {LOCAL_BITS{1'b1}} ? from + 1'b1 : from;
				assign shared[s*LOCAL_BITS +: LOCAL_BITS] = count;
			end else begin : none
				assign shared[s*LOCAL_BITS +: LOCAL_BITS] = {LOCAL_BITS{1'b0}};
			end
			assign fetch_amounts[s*AMOUNT_BITS +: AMOUNT_BITS] =
				is_added ? shared[s*LOCAL_BITS +: LOCAL_BITS] : {AMOUNT_BITS{1'b0}};
		end
	endgenerate

`ifdef COSIMULATE
	assign inner = {shared, early};
`endif
