	// Times one instruction after the other, in program order, on MACHINES machines, one machine
	// after the other, by the recurrence of count/retime.h. Inputs must stay as they are from
	// `valid` until `ready`, which ends the instruction.
	//
	// A time is kept as its lower bits, a stamp, in memories with a row for each machine. When it
	// is read it becomes a signed distance from the machine's last commit, and all sums and
	// comparisons are of distances. What is further back than MOST cycles can affect nothing;
	// whenever the last commit of a machine crosses a multiple of half as many cycles, its stamps
	// are swept, so that the oldest does not seem to lie ahead.

	localparam T = STAMP_BITS + 2;  // bits of a stamp
	localparam D = STAMP_BITS + 6;  // bits of a distance
	localparam signed [D-1:0] MOST = (1 << STAMP_BITS) - 1;
	localparam signed [D-1:0] STAGES_D = STAGES;
	localparam signed [D-1:0] HIT = L1D_LATENCY;
	localparam signed [D-1:0] QUEUE_REACH = (1 << QUEUE_CYCLE_BITS) - 1;
	localparam KINDS = 6;           // of units, the last for all together
	localparam QUEUED = QUEUES * QUEUE_COUNT_BITS;

	localparam CLEAR = 0, IDLE = 1, KEEP = 2, READ0 = 3, READ1 = 4, READ2 = 5, READ3 = 6, FEED = 7,
		DISPATCH = 8, QUEUE = 9, QUEUE_STEP = 10, READY = 11, UNIT_READ = 12, UNIT_TAKE = 13,
		HOLD_TAKE = 14, EXECUTE = 15, MSHR_READ = 16, MSHR_TAKE = 17, TRANSLATE = 18, LOAD = 19,
		MISS = 20, COMMIT = 21, EXIT_READ = 22, EXIT_WRITE = 23, DRAIN = 24, DRAIN_STEP = 25,
		WRITE = 26, WRITE_SECOND = 27, SWEEP = 28, DONE = 29;

	function signed [D-1:0] later(input signed [D-1:0] a, input signed [D-1:0] b);
		later = a > b ? a : b;
	endfunction

	// What is kept lies within reach.
	function signed [D-1:0] not_later(input signed [D-1:0] a);
		not_later = a > MOST ? MOST : a;
	endfunction

	function signed [D-1:0] distance(input [T-1:0] stamp, input [T-1:0] from_stamp);
		reg [T-1:0] difference;
		begin
			difference = stamp - from_stamp;
			distance = {{(D-T){difference[T-1]}}, difference};
		end
	endfunction

	// The state that all machines share.
	reg [4:0] state;
	reg [MACHINE_BITS-1:0] machine;
	reg [INDEX_BITS:0] index;       // of rows that are cleared or swept
	reg [NUMBER_BITS-1:0] number, memory_number, branch_number; // of this instruction
	reg was_taken;
	reg [ADDRESS_BITS-1:0] last_pc;

	// Inputs.
	wire is_branch = marks[0];
	wire is_taken = marks[1];
	wire is_mispredicted = marks[2];
	wire is_misfetched = marks[3];
	wire serialises = marks[4];
	wire is_drained = marks[5];
	wire loads = marks[6];
	wire stores = marks[7];
	wire is_replayed = marks[8];
	wire is_held = marks[9];
	wire misses_tlb = misses[0];
	wire misses_l1 = misses[1];
	wire misses_l2 = misses[2];
	wire accesses = loads || stores;
	wire begins_group = was_taken || pc[ADDRESS_BITS-1:CODE_LINE_SHIFT] != last_pc[ADDRESS_BITS-1:CODE_LINE_SHIFT];
	wire has_result = !stores && rd != 0;

	reg [2:0] kind;
	reg [1:0] queue;
	reg [7:0] latency, busy;
	reg [UNIT_COUNT_BITS-1:0] units;
	always @* begin
		latency = LATENCY_ALU;
		busy = 8'd1;
		kind = 3'd0;
		units = UNITS_ALU;
		queue = 2'd0;
		case (unit)
			UNIT_MUL, UNIT_DIV: begin
				kind = 3'd1;
				units = UNITS_MULDIV;
				latency = unit == UNIT_MUL ? LATENCY_MUL : LATENCY_DIV;
				busy = unit == UNIT_MUL ? 8'd1 : BUSY_DIV;
			end
			UNIT_LOAD, UNIT_STORE, UNIT_AMO: begin
				kind = 3'd2;
				units = UNITS_MEMORY;
				queue = 2'd1;
			end
			UNIT_FP_ADD: begin
				kind = 3'd3;
				units = UNITS_FP_ADD;
				latency = LATENCY_FP_ADD;
				queue = 2'd2;
			end
			UNIT_FP_MUL, UNIT_FP_DIV: begin
				kind = 3'd4;
				units = UNITS_FP_MULDIV;
				latency = unit == UNIT_FP_MUL ? LATENCY_FP_MUL : LATENCY_FP_DIV;
				busy = unit == UNIT_FP_MUL ? 8'd1 : BUSY_FP_DIV;
				queue = 2'd2;
			end
			default: ;
		endcase
		if (QUEUES == 1)
			queue = 2'd0;
	end

	// Loads and stores by address. What is looked up is held while the machines use it.
	wire [STORE_BITS-1:0] first_store, second_store, store_now;
	wire [LINE_BITS-1:0] line_row, far_row;
	wire [PAGE_BITS-1:0] page_row;
	wire has_store_now, covers_now, has_line_now, has_far_line_now, has_page_now, is_brought_now,
		reads_store_now;
	reg has_store, covers, has_line, has_far_line, has_page, is_brought, reads_store;
	reg [STORE_BITS-1:0] store;
	vclk_access #(.ADDRESS(ADDRESS_BITS), .STORE_BITS(STORE_BITS), .LINE_BITS(LINE_BITS),
		.PAGE_BITS(PAGE_BITS), .LINE_SHIFT(LINE_SHIFT), .FAR_SHIFT(FAR_LINE_SHIFT),
		.PAGE_SHIFT(PAGE_SHIFT)) access (
		.clock(clock), .reset(reset), .keep(state == IDLE && valid), .keep_second(state == KEEP),
		.loads(loads), .stores(stores), .address(address), .accessed(accessed),
		.misses_tlb(misses_tlb), .misses_l1(misses_l1), .misses_l2(misses_l2),
		.was_brought(marks[10]), .first_store(first_store), .second_store(second_store),
		.line(line_row), .far_line(far_row), .page(page_row), .has_store(has_store_now),
		.store(store_now), .covers(covers_now), .has_line(has_line_now),
		.has_far_line(has_far_line_now), .has_page(has_page_now), .is_brought(is_brought_now),
		.reads_store(reads_store_now));

	// A machine: its clock, the causes that it has, and the times that every instruction needs.
	reg [MACHINES*GLOBAL_BITS-1:0] clocks;
	reg [T-1:0] last; // the stamp of its last commit
	integer m;
	always @* begin
		last = {T{1'b0}};
		for (m = 0; m < MACHINES; m = m + 1)
			if (machine == m)
				last = clocks[m*GLOBAL_BITS +: T];
	end
	localparam [MACHINES-1:0] BRANCHES = HAS_BRANCH, ITLBS = HAS_ITLB, L1IS = HAS_L1I, L2IS = HAS_L2I,
		DTLBS = HAS_DTLB, L1DS = HAS_L1D, L2DS = HAS_L2D, WALKS = HAS_WALK, QUEUEINGS = HAS_QUEUEING,
		PENDINGS = HAS_PENDING;
	wire has_branch = BRANCHES[machine];
	wire has_dtlb = DTLBS[machine];
	wire has_l1d = L1DS[machine];
	wire has_l2d = L2DS[machine];
	wire has_pending = PENDINGS[machine];

	localparam OWN = 7 * T + 5 + STAMP_BITS + 1 + QUEUED;
	reg [OWN-1:0] own_rows [0:MACHINES-1];
	wire [OWN-1:0] own = own_rows[machine];
	wire [T-1:0] own_group, own_redirect, own_serialised, own_known, own_fed, own_dispatched, own_queue;
	wire [4:0] own_count;
	wire [STAMP_BITS:0] own_wrong;
	wire [QUEUED-1:0] own_queued;
	assign {own_group, own_redirect, own_serialised, own_known, own_fed, own_dispatched, own_queue,
		own_count, own_wrong, own_queued} = own;

	wire [STAMP_BITS-1:0] fetch_wait, translation_wait, near_wait, far_wait, store_wait, wrong_unit_wait;
	wire is_not_brought;
	wire [STAMP_BITS+2:0] brought_wait;
	vclk_waits #(.STAMP_BITS(STAMP_BITS), .NEAR_LATENCY(NEAR_LATENCY), .FAR_LATENCY(FAR_LATENCY)) waits (
		.has_branch(has_branch), .has_itlb(ITLBS[machine]), .has_l1i(L1IS[machine]),
		.has_l2i(L2IS[machine]), .has_dtlb(has_dtlb), .has_l1d(has_l1d), .has_l2d(has_l2d),
		.has_walk(WALKS[machine]), .has_queueing(QUEUEINGS[machine]), .has_waits(has_waits),
		.brought_fetch(marks[12]), .brought_fetch_far(marks[13]), .brought_data_far(marks[11]),
		.wrong_cycles(own_wrong), .fetch_waits(fetch_waits), .fetch_walk(fetch_walk),
		.fetch_queue(fetch_queue), .data_waits(data_waits), .data_walk(data_walk),
		.data_queue(data_queue), .store_waits(store_waits), .store_walk(store_walk),
		.store_queue(store_queue), .unit_wait(unit_wait),
		.fetch_brought(fetch_brought), .data_brought(data_brought), .fetch(fetch_wait),
		.translation(translation_wait), .near(near_wait), .far(far_wait), .store(store_wait),
		.unit(wrong_unit_wait), .is_not_brought(is_not_brought), .brought(brought_wait));

	// Times of the instruction on the machine, as distances from its last commit.
	reg signed [D-1:0] from, redirect, group, fed, room, dispatched, sources, data, known, store_ready,
		line, far_line, page, at, hold_at, completed, commit_from, committed, queue_at, mshr_free;
	reg [4:0] group_count;
	reg [QUEUED-1:0] queued;
	reg [7:0] hold_left;
	reg [MSHR_BITS-1:0] mshr;
	reg writes_line, writes_far_line, writes_page, writes_mshr;

	// Memories of stamps.
	wire is_clearing = state == CLEAR;
	wire is_sweeping = state == SWEEP;
	wire is_writing = state == WRITE;
	wire [T-1:0] moved = committed[T-1:0];
	wire [T-1:0] past = last - moved; // while sweeping
	wire [T-1:0] fed_stamp = last + fed[T-1:0];
	wire [T-1:0] dispatched_stamp = last + dispatched[T-1:0];
	wire [T-1:0] completed_stamp = last + completed[T-1:0];
	wire [T-1:0] committed_stamp = last + committed[T-1:0];
	wire [T-1:0] issued_stamp = last + at[T-1:0];
	wire [T-1:0] written_stamp = committed_stamp + 1'b1 + HIT[T-1:0];
	wire [T-1:0] fed_found, dispatched_found, committed_found, memory_found, branch_found, reg_found,
		line_found, far_found, page_found, mshr_found;
	wire [3*T-1:0] store_found;
	wire is_first = state == READ0;

`define VCLK_STAMPS(NAME, ROW_BITS, STAMPS, READ_ROW, WRITES, WRITE_ROW, VALUE, FOUND) \
	vclk_stamps #(.BITS(ROW_BITS), .COUNT(STAMPS), .STAMP(T), .MACHINES(MACHINES), \
		.MACHINE_BITS(MACHINE_BITS), .INDEX_BITS(INDEX_BITS)) NAME ( \
		.clock(clock), .clearing(is_clearing), .sweeping(is_sweeping), .index(index), \
		.machine(machine), .past(past), .moved(moved), .most(MOST[T-1:0]), \
		.read_row(READ_ROW), .write(WRITES), .write_row(WRITE_ROW), .stamps(VALUE), .found(FOUND))

	wire [FED_BITS-1:0] fed_row = number - (is_first ? FETCH_BUFFER : DECODE_WIDTH);
	`VCLK_STAMPS(fed_rows, FED_BITS, 1, fed_row, is_writing, number[FED_BITS-1:0], fed_stamp, fed_found);
	wire [DISPATCHED_BITS-1:0] dispatched_row = number - (is_first ? ROOM : DISPATCH_WIDTH);
	`VCLK_STAMPS(dispatched_rows, DISPATCHED_BITS, 1, dispatched_row, is_writing,
		number[DISPATCHED_BITS-1:0], dispatched_stamp, dispatched_found);
	wire [COMMITTED_BITS-1:0] committed_row = number - (is_first ? ROB_SIZE : COMMIT_WIDTH);
	`VCLK_STAMPS(committed_rows, COMMITTED_BITS, 1, committed_row, is_writing,
		number[COMMITTED_BITS-1:0], committed_stamp, committed_found);
	wire [MEMORY_BITS-1:0] memory_row = memory_number - LSQ_SIZE;
	`VCLK_STAMPS(memory_rows, MEMORY_BITS, 1, memory_row, is_writing && accesses,
		memory_number[MEMORY_BITS-1:0], committed_stamp, memory_found);
	wire [6:0] reg_row = is_first ? rs[6:0] : state == READ3 ? rs[13:7] : stores ? 7'd0 :
		state == READ1 ? rs[13:7] : rs[20:14];
	`VCLK_STAMPS(reg_rows, 7, 1, reg_row, is_writing && has_result, rd, completed_stamp, reg_found);
	wire is_writing_store = stores && (is_writing || state == WRITE_SECOND);
	`VCLK_STAMPS(store_rows, STORE_BITS, 3, store, is_writing_store,
		is_writing ? first_store : second_store,
		{issued_stamp, written_stamp, completed_stamp}, store_found);
	wire [T-1:0] line_stamp = last + line[T-1:0];
	`VCLK_STAMPS(line_rows, LINE_BITS, 1, line_row, is_writing && writes_line, line_row, line_stamp,
		line_found);
	wire [T-1:0] far_stamp = last + far_line[T-1:0];
	`VCLK_STAMPS(far_rows, LINE_BITS, 1, far_row, is_writing && writes_far_line, far_row, far_stamp,
		far_found);
	wire [T-1:0] page_stamp = last + page[T-1:0];
	`VCLK_STAMPS(page_rows, PAGE_BITS, 1, page_row, is_writing && writes_page, page_row, page_stamp,
		page_found);
	generate
		if (MAX_BRANCHES != 0) begin : limited_branches
			wire [BRANCH_BITS-1:0] branch_row = branch_number - MAX_BRANCHES;
			`VCLK_STAMPS(branch_rows, BRANCH_BITS, 1, branch_row, is_writing && is_branch,
				branch_number[BRANCH_BITS-1:0], committed_stamp, branch_found);
		end else begin : any_branches
			assign branch_found = {T{1'b0}};
		end
		if (MSHRS != 0) begin : limited_mshrs
			`VCLK_STAMPS(mshr_rows, MSHR_BITS, 1, index[MSHR_BITS-1:0], is_writing && writes_mshr,
				mshr, completed_stamp, mshr_found);
		end else begin : any_mshrs
			assign mshr_found = {T{1'b0}};
		end
	endgenerate

	// Units.
	wire is_holding = state == HOLD_TAKE;
	wire signed [D-1:0] unit_at = is_holding ? hold_at : at;
	wire [T-1:0] unit_cycle = last + unit_at[T-1:0];
	wire is_free;
	vclk_units #(.BITS(UNIT_CYCLE_BITS), .KINDS(KINDS), .COUNT(UNIT_COUNT_BITS), .STAMP(T),
		.MACHINES(MACHINES), .MACHINE_BITS(MACHINE_BITS), .KIND_BITS(3),
		.INDEX_BITS(INDEX_BITS)) unit_rows (
		.clock(clock), .clearing(is_clearing), .sweeping(is_sweeping), .index(index),
		.machine(machine), .past(past), .moved(moved), .most(MOST[T-1:0]),
		.next(state == UNIT_READ ? unit_cycle : unit_cycle + 1'b1), .cycle(unit_cycle), .kind(kind),
		.units(units), .all_units(ISSUE_WIDTH[UNIT_COUNT_BITS-1:0]), .needs_all(!is_holding),
		.take(state == UNIT_TAKE || is_holding), .is_free(is_free));

	// The issue queues: how many instructions leave them in each of the next cycles.
	wire [QUEUED-1:0] leaving;
	wire signed [D-1:0] stays_from = later(at, queue_at + 1);
	wire signed [D-1:0] stays =
		stays_from > queue_at + QUEUE_REACH ? queue_at + QUEUE_REACH : stays_from;
	wire signed [D-1:0] queue_next = queue_at + 1;
	wire [QUEUED-1:0] one_queued = {{(QUEUED-1){1'b0}}, 1'b1} << queue * QUEUE_COUNT_BITS;
	wire [QUEUE_COUNT_BITS-1:0] queue_size = queue == 0 ? QUEUE_SIZE_0 : queue == 1 ? QUEUE_SIZE_1 : QUEUE_SIZE_2;
	wire is_queue_full = queued[queue*QUEUE_COUNT_BITS +: QUEUE_COUNT_BITS] >= queue_size;
	generate
		if (HAS_QUEUE != 0) begin : limited_queue
			reg [QUEUED-1:0] leaving_rows [0:(MACHINES<<QUEUE_CYCLE_BITS)-1];
			reg [QUEUED-1:0] found;
			wire is_exiting = state == EXIT_READ || state == EXIT_WRITE;
			wire is_stepping = state == QUEUE_STEP || state == DRAIN_STEP;
			wire [T-1:0] cycle = last + (is_exiting ? stays[T-1:0] :
				is_stepping ? queue_at[T-1:0] : queue_next[T-1:0]);
			wire [QUEUE_CYCLE_BITS-1:0] row =
				is_clearing ? index[QUEUE_CYCLE_BITS-1:0] : cycle[QUEUE_CYCLE_BITS-1:0];

			always @(posedge clock) begin
				if (is_clearing || is_stepping || state == EXIT_WRITE)
					leaving_rows[{machine, row}] <=
						state == EXIT_WRITE ? found + one_queued : {QUEUED{1'b0}};
				found <= leaving_rows[{machine, row}];
			end
			assign leaving = found;
		end else begin : any_queue
			assign leaving = {QUEUED{1'b0}};
		end
	endgenerate

	// The sums of the waits of fetch: l1i, l2i, itlb.
	reg [3*GLOBAL_BITS-1:0] sums;
	wire [32:0] far_fetch = {1'b0, fetch_waits[95:64]} + {1'b0, fetch_waits[127:96]};
	wire [32:0] far_fetch_idle = far_fetch < fetch_queue ? 33'd0 : far_fetch - fetch_queue;
	wire [31:0] itlb_fetch = fetch_waits[31:0] - fetch_walk;

	// Fetch, in READ3.
	wire signed [D-1:0] group_before = later(distance(own_group, last), -MOST);
	wire replays = is_replayed && HAS_REPLAY != 0 && has_store;
	wire [4:0] count_before = replays ? 5'd0 : own_count;
	wire begins = count_before == 0 || count_before == FETCH_WIDTH || begins_group || fetch_wait != 0 ||
		from > group_before;
	wire signed [D-1:0] group_next = group_before + (count_before != 0 ? 1 : 0);

	// Loads.
	wire lacks_line = is_brought && has_l1d && is_not_brought;
	wire misses_here = misses_l1 && has_l1d && !lacks_line;
	wire signed [D-1:0] far_wait_d = {{(D-STAMP_BITS){1'b0}}, far_wait};
	wire signed [D-1:0] near_wait_d = {{(D-STAMP_BITS){1'b0}}, near_wait};
	wire signed [D-1:0] brought_wait_d = {{(D-STAMP_BITS-3){1'b0}}, brought_wait};
	wire signed [D-1:0] unit_wait_d = {{(D-STAMP_BITS){1'b0}}, wrong_unit_wait};
	wire signed [D-1:0] store_wait_d = {{(D-STAMP_BITS){1'b0}}, store_wait};
	wire signed [D-1:0] fetch_wait_d = {{(D-STAMP_BITS){1'b0}}, fetch_wait};
	wire signed [D-1:0] translation_wait_d = {{(D-STAMP_BITS){1'b0}}, translation_wait};
	wire signed [D-1:0] latency_d = {{(D-8){1'b0}}, latency};
	wire signed [D-1:0] missed = completed + near_wait_d;

	// Commit.
	wire signed [D-1:0] completed_here = not_later(completed);
	wire signed [D-1:0] commits = later(later(completed_here, 0), commit_from) +
		(HAS_STORE_BUFFER != 0 ? store_wait_d : 0);
	wire is_last_machine = machine == MACHINES - 1;
	wire crosses = (last ^ committed_stamp) >> (STAMP_BITS - 1) != 0;
	wire keeps_second = stores && first_store != second_store;

	// What the machine keeps for the next instruction, in WRITE; no stamp is further back than MOST
	// cycles before the new last commit.
	wire signed [D-1:0] least = committed - MOST;
	wire redirects = is_mispredicted && has_branch;
	wire signed [D-1:0] kept_group = later(group, least);
	wire signed [D-1:0] kept_redirect = later(
		redirects ? completed : is_misfetched && !is_mispredicted && has_branch ? fed + REDIRECT_CYCLES :
		redirect, least);
	wire signed [D-1:0] kept_serialised =
		later(serialises ? committed : distance(own_serialised, last), least);
	wire signed [D-1:0] kept_known = later(known, least);
	wire signed [D-1:0] kept_fed = later(fed, least);
	wire signed [D-1:0] kept_dispatched = later(dispatched, least);
	wire signed [D-1:0] wrong_cycles = completed - group;
	wire [T-1:0] kept_group_stamp = last + kept_group[T-1:0];
	wire [T-1:0] kept_redirect_stamp = last + kept_redirect[T-1:0];
	wire [T-1:0] kept_serialised_stamp = last + kept_serialised[T-1:0];
	wire [T-1:0] kept_known_stamp = last + kept_known[T-1:0];
	wire [T-1:0] kept_fed_stamp = last + kept_fed[T-1:0];
	wire [T-1:0] kept_dispatched_stamp = last + kept_dispatched[T-1:0];
	wire [T-1:0] queue_stamp = last + queue_at[T-1:0];
	always @(posedge clock)
		if (is_clearing || is_writing)
			own_rows[machine] <= is_clearing ? {OWN{1'b0}} :
				{kept_group_stamp, kept_redirect_stamp, kept_serialised_stamp,
				kept_known_stamp, kept_fed_stamp, kept_dispatched_stamp, queue_stamp,
				redirects ? 5'd0 : group_count,
				redirects ? wrong_cycles[STAMP_BITS:0] : own_wrong, queued};

	wire advances = state == WRITE_SECOND || (is_writing && !keeps_second);
	genvar i;
	generate
		for (i = 0; i < MACHINES; i = i + 1) begin : each_clock
			always @(posedge clock)
				if (reset)
					clocks[i*GLOBAL_BITS +: GLOBAL_BITS] <= 0;
				else if (advances && machine == i)
					clocks[i*GLOBAL_BITS +: GLOBAL_BITS] <=
						clocks[i*GLOBAL_BITS +: GLOBAL_BITS] + committed[T-1:0];
		end
	endgenerate

	integer q;
	always @(posedge clock) begin
		case (state)
			CLEAR: begin
				index <= index + 1'b1;
				if (index == (1 << INDEX_BITS) - 1) begin
					index <= 0;
					machine <= machine + 1'b1;
					if (is_last_machine) begin
						machine <= 0;
						state <= IDLE;
					end
				end
			end
			IDLE: if (valid) begin
				{has_store, covers, has_line, has_far_line, has_page, is_brought, reads_store} <=
					{has_store_now, covers_now, has_line_now, has_far_line_now, has_page_now,
					is_brought_now, reads_store_now};
				store <= store_now;
				if (has_waits) begin
					sums[0 +: GLOBAL_BITS] <= sums[0 +: GLOBAL_BITS] + fetch_waits[63:32];
					sums[GLOBAL_BITS +: GLOBAL_BITS] <=
						sums[GLOBAL_BITS +: GLOBAL_BITS] + far_fetch_idle;
					sums[2*GLOBAL_BITS +: GLOBAL_BITS] <=
						sums[2*GLOBAL_BITS +: GLOBAL_BITS] + itlb_fetch;
				end
				state <= keeps_second ? KEEP : READ0;
			end
			KEEP: state <= READ0;
			READ0: state <= READ1;
			READ1: begin
				from <= later(distance(fed_found, last) + 1,
					is_branch && MAX_BRANCHES != 0 ? distance(branch_found, last) : -MOST);
				redirect <= later(distance(own_redirect, last),
					replays ? distance(store_found[2*T +: T], last) + 1 : -MOST);
				room <= distance(dispatched_found, last);
				dispatched <= later(distance(committed_found, last),
					accesses ? distance(memory_found, last) : -MOST);
				sources <= distance(reg_found, last);
				store_ready <= distance(covers ? store_found[0 +: T] : store_found[T +: T], last);
				line <= distance(line_found, last);
				far_line <= distance(far_found, last);
				page <= distance(page_found, last);
				known <= distance(own_known, last);
				queue_at <= distance(own_queue, last);
				queued <= own_queued;
				{writes_line, writes_far_line, writes_page, writes_mshr} <= 4'd0;
				state <= READ2;
			end
			READ2: begin
				from <= later(later(from, redirect), is_drained ? 0 : -MOST);
				fed <= later(distance(fed_found, last) + 1, distance(own_fed, last));
				dispatched <= later(dispatched, distance(dispatched_found, last) + 1);
				commit_from <= distance(committed_found, last) + 1;
				sources <= later(sources, distance(reg_found, last));
				state <= READ3;
			end
			READ3: begin
				group <= not_later(begins ? later(from, group_next) + fetch_wait_d : group_before);
				group_count <= begins ? 5'd1 : count_before + 5'd1;
				fed <= later(fed, room);
				dispatched <= later(dispatched,
					later(distance(own_dispatched, last), distance(own_serialised, last)));
				sources <= later(sources, distance(reg_found, last));
				state <= FEED;
			end
			FEED: begin
				fed <= later(fed, group);
				data <= distance(reg_found, last);
				state <= DISPATCH;
			end
			DISPATCH: begin
				dispatched <= later(later(dispatched, fed + STAGES_D), serialises ? 0 : -MOST);
				state <= HAS_QUEUE != 0 ? QUEUE : READY;
			end
			QUEUE: if (queue_at < dispatched) begin
				queue_at <= queued == 0 ? dispatched : queue_next;
				if (queued != 0)
					state <= QUEUE_STEP;
			end else if (is_queue_full)
				dispatched <= dispatched + 1;
			else begin
				queued <= queued + one_queued;
				state <= READY;
			end
			QUEUE_STEP: begin
				for (q = 0; q < QUEUES; q = q + 1)
					queued[q*QUEUE_COUNT_BITS +: QUEUE_COUNT_BITS] <=
						queued[q*QUEUE_COUNT_BITS +: QUEUE_COUNT_BITS] -
						leaving[q*QUEUE_COUNT_BITS +: QUEUE_COUNT_BITS];
				state <= QUEUE;
			end
			READY: begin
				at <= not_later(later(
					later(dispatched + 1, sources) + (stores ? 0 : unit_wait_d),
					later(loads && (IS_CONSERVATIVE != 0 || (HAS_REPLAY != 0 && is_held)) ?
						known : -MOST, has_store ? store_ready : -MOST)));
				state <= UNIT_READ;
			end
			UNIT_READ: state <= UNIT_TAKE;
			UNIT_TAKE: if (is_free) begin
				hold_at <= at + 1;
				hold_left <= busy - 8'd1;
				state <= busy > 8'd1 ? HOLD_TAKE : EXECUTE;
			end else
				at <= at + 1;
			HOLD_TAKE: begin
				hold_at <= hold_at + 1;
				hold_left <= hold_left - (is_free ? 8'd1 : 8'd0);
				state <= (is_free && hold_left == 8'd1) ||
					hold_at - at == (1 << UNIT_CYCLE_BITS) - 1 ? EXECUTE : HOLD_TAKE;
			end
			EXECUTE: begin
				index <= 0;
				mshr <= 0;
				if (stores)
					known <= later(known, at + 1);
				completed <= stores ? later(at + 1, data) : at + (loads ? HIT : latency_d);
				state <= stores || !loads || reads_store ? COMMIT :
					MSHRS != 0 && misses_here ? MSHR_READ : TRANSLATE;
			end
			MSHR_READ: begin
				index <= 1;
				state <= MSHR_TAKE;
			end
			MSHR_TAKE: begin
				if (index == 1 || distance(mshr_found, last) < mshr_free) begin
					mshr_free <= distance(mshr_found, last);
					mshr <= index - 1'b1;
				end
				index <= index + 1'b1;
				if (index == MSHRS) begin
					writes_mshr <= 1'b1;
					at <= later(at, index == 1 || distance(mshr_found, last) < mshr_free ?
						distance(mshr_found, last) : mshr_free);
					state <= TRANSLATE;
				end
			end
			TRANSLATE: begin
				completed <= at + HIT;
				if (has_dtlb && has_waits && misses_tlb) begin
					page <= not_later(at + translation_wait_d);
					writes_page <= 1'b1;
					completed <= not_later(at + translation_wait_d) + HIT;
				end else if (has_dtlb && has_page)
					completed <= later(at, page) + HIT;
				state <= LOAD;
			end
			LOAD: begin
				state <= COMMIT;
				writes_line <= is_brought;
				if (lacks_line) begin
					completed <= not_later(completed + brought_wait_d);
					line <= not_later(completed + brought_wait_d);
				end else begin
					if (is_brought)
						line <= -MOST;
					if (misses_here) begin
						completed <= missed;
						state <= MISS;
					end else if (has_l1d && has_pending) begin
						if (has_line)
							completed <= later(completed, line);
						else if (has_waits && !misses_l1)
							completed <= missed + (has_l2d ? far_wait_d : 0);
					end
				end
			end
			MISS: begin
				writes_line <= 1'b1;
				completed <= not_later(completed);
				line <= not_later(completed);
				if (has_l2d && has_waits) begin
					if (misses_l2 || !has_far_line) begin
						completed <= not_later(completed + far_wait_d);
						line <= not_later(completed + far_wait_d);
						far_line <= not_later(completed + far_wait_d);
						writes_far_line <= misses_l2;
					end else begin
						completed <= not_later(later(completed, far_line));
						line <= not_later(later(completed, far_line));
					end
				end
				state <= COMMIT;
			end
			COMMIT: begin
				completed <= completed_here;
				committed <= commits;
				state <= HAS_QUEUE != 0 ? EXIT_READ : WRITE;
			end
			EXIT_READ: state <= EXIT_WRITE;
			EXIT_WRITE: state <= DRAIN;
			// The next instruction dispatches no earlier than MOST cycles before the new
			// last commit.
			DRAIN: if (queue_at < least) begin
				queue_at <= queued == 0 ? least : queue_next;
				if (queued != 0)
					state <= DRAIN_STEP;
			end else
				state <= WRITE;
			DRAIN_STEP: begin
				for (q = 0; q < QUEUES; q = q + 1)
					queued[q*QUEUE_COUNT_BITS +: QUEUE_COUNT_BITS] <=
						queued[q*QUEUE_COUNT_BITS +: QUEUE_COUNT_BITS] -
						leaving[q*QUEUE_COUNT_BITS +: QUEUE_COUNT_BITS];
				state <= DRAIN;
			end
			WRITE, WRITE_SECOND: begin
				index <= 0;
				if (!advances)
					state <= WRITE_SECOND;
				else if (crosses)
					state <= SWEEP;
				else begin
					machine <= is_last_machine ? 0 : machine + 1'b1;
					state <= is_last_machine ? DONE : READ0;
				end
			end
			SWEEP: begin
				index <= index + 1'b1;
				if (index == 1 << SWEEP_BITS) begin
					machine <= is_last_machine ? 0 : machine + 1'b1;
					state <= is_last_machine ? DONE : READ0;
				end
			end
			default: begin // DONE
				number <= number + 1'b1;
				memory_number <= memory_number + accesses;
				branch_number <= branch_number + is_branch;
				was_taken <= is_taken;
				last_pc <= pc;
				state <= IDLE;
			end
		endcase
		if (reset) begin
			state <= CLEAR;
			machine <= 0;
			index <= 0;
			number <= 0;
			memory_number <= 0;
			branch_number <= 0;
			was_taken <= 1'b1;
			last_pc <= 0;
			sums <= 0;
		end
	end

	assign ready = state == DONE;
	assign idle = state == IDLE;
	assign words = {sums, clocks};
