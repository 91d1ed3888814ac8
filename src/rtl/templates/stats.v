	// The core's events at the ports of the statistics module.
	wire [PORTS * SIGNALS * AMOUNT_BITS - 1:0] amounts;
	wire dispatch;

	signal_places #(
		.PLACES(PORTS * SIGNALS), .FLAGS(FLAGS), .COUNTS(COUNTS), .AMOUNT_BITS(AMOUNT_BITS),
		.FLAG_OF(FLAG_OF), .COUNT_OF(COUNT_OF)
	) places (
		.flags(flags), .counts(counts), .amounts(amounts)
	);

	statistics_module #(
		.RANGES(RANGES), .SIGNALS(SIGNALS), .COUNTERS(COUNTERS), .PORTS(PORTS),
		.WIDTH(WIDTH), .PC_BITS(PC_BITS), .AMOUNT_BITS(AMOUNT_BITS), .THREADS(THREADS)
	) statistics (
		.clock(clock), .reset(reset), .valid(valid), .write(write), .write_kind(write_kind),
		.write_index(write_index), .write_data(write_data), .cycle(cycle), .start(start),
		.ended(ended), .thread(thread), .pcs(pcs), .amounts(amounts), .dispatch(dispatch),
		.is_due(words[COUNTERS * WIDTH]), .words(words[COUNTERS * WIDTH - 1:0])
	);

`ifdef COSIMULATE
	dispatch_count handed_out (
		.clock(clock), .reset(reset), .dispatch(dispatch), .dispatches(inner)
	);
`endif
	assign ready = 1'b1;
	assign idle = 1'b1;
