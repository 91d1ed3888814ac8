	// Counts at completion: a cycle that commits nothing is charged to its reason.
	// (Mericas 2006; Eyerman et al. 2006, section 2.)

	reg [3:0] waits;    // what the instruction that fetch waits for has waited for so far
	reg is_flushed;     // a misprediction has resolved, and nothing has dispatched since

	// What the instructions delivered in this cycle waited for.
	wire [3:0] kept = mispredict || replay ? 4'd0 : waits;
	wire [3:0] delivered = fetched ? kept : 4'd0;
	wire flushed_now = is_flushed || mispredict;

	wire [3:0] front = is_fronted ? front_waits : delivered;
	wire stalls = !is_fronted && !is_fed;

	reg [INDEX_BITS-1:0] why_empty, why_waiting, why;

	always @* begin
		if (front[3])
			why_empty = COUNTER_L3I;
		else if (front[2])
			why_empty = COUNTER_L2I;
		else if (front[1])
			why_empty = COUNTER_L1I;
		else if (front[0])
			why_empty = COUNTER_ITLB;
		else if (stalls && fetch_stall == FETCH_L1I)
			why_empty = COUNTER_L1I;
		else if (stalls && fetch_stall == FETCH_L2I)
			why_empty = COUNTER_L2I;
		else if (stalls && fetch_stall == FETCH_L3I)
			why_empty = COUNTER_L3I;
		else if (stalls && fetch_stall == FETCH_ITLB)
			why_empty = COUNTER_ITLB;
		else if (flushed_now)
			why_empty = COUNTER_BRANCH;
		else
			why_empty = COUNTER_BASE;

		case (head_state)
			HEAD_UNIT: why_waiting = COUNTER_RESOURCE;
			HEAD_DTLB: why_waiting = COUNTER_DTLB;
			HEAD_L1D: why_waiting = COUNTER_L1D;
			HEAD_L2D: why_waiting = COUNTER_L2D;
			HEAD_L3D: why_waiting = COUNTER_L3D;
			default: why_waiting = COUNTER_BASE;
		endcase

		if (is_committing)
			why = COUNTER_BASE;
		else if (head_state == HEAD_EMPTY)
			why = why_empty;
		else
			why = why_waiting;
	end

	always @(posedge clock)
		if (reset) begin
			waits <= 4'd0;
			is_flushed <= 1'b0;
		end else if (valid) begin
			waits <= (fetched ? 4'd0 : kept) | miss_waits;
			is_flushed <= flushed_now && !is_dispatching;
		end

	wire [COUNTERS-1:0] amounts = {{(COUNTERS-1){1'b0}}, 1'b1} << why;

	counters #(.COUNT(COUNTERS), .BITS(GLOBAL_BITS)) bank (
		.clock(clock), .reset(reset), .valid(valid), .amounts(amounts), .words(words));

	assign ready = 1'b1;
	assign idle = 1'b1;
