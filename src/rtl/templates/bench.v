	reg clock, reset, valid;
	wire ready, idle;
	reg [INPUT_BITS-1:0] vector, next;
	reg [WORD_BITS-1:0] expected;
	wire [WORD_BITS-1:0] words;

	integer stimulus, answers, items;
	reg [63:0] left, cycles, checks, compared;
	reg is_taken;

	task fail;
		begin
			$display("after check %0d, %0d clock cycles", checks, cycles);
			$fatal(1, "the circuit differs from the model");
		end
	endtask

	// One clock cycle; is_taken says whether the circuit took the vector.
	task tick;
		begin
			#1 is_taken = valid && ready;
			clock = 1'b1;
			#1 clock = 1'b0;
			cycles = cycles + 1;
		end
	endtask

	task compare_all;
		begin
			valid = 1'b0;
			#1;
			while (!idle)
				tick;
			items = $fscanf(answers, "%h", expected);
			if (items != 1) begin
				$display("%0s.expected ends before the stimulus", NAME);
				fail;
			end
			checks = checks + 1;
			compare_words;
			compared = compared + WORDS;
		end
	endtask

	initial begin
		clock = 1'b0;
		reset = 1'b1;
		valid = 1'b0;
		vector = {INPUT_BITS{1'b0}};
		cycles = 64'd0;
		checks = 64'd0;
		compared = 64'd0;
		stimulus = $fopen({NAME, ".stimulus"}, "r");
		answers = $fopen({NAME, ".expected"}, "r");
		if (stimulus == 0 || answers == 0) begin
			$display("%0s.stimulus and %0s.expected cannot be read: make them by naming a program",
				NAME, NAME);
			fail;
		end
		tick;
		tick;
		reset = 1'b0;
		cycles = 64'd0;
		items = $fscanf(stimulus, "%d %h", left, next);
		while (items == 2) begin
			if (left == 64'd0)
				compare_all;
			else begin
				vector = next;
				valid = 1'b1;
				while (left != 64'd0) begin
					tick;
					if (is_taken)
						left = left - 1;
				end
			end
			items = $fscanf(stimulus, "%d %h", left, next);
		end
		if (checks == 64'd0 || $fscanf(answers, "%h", expected) == 1) begin
			$display("%0s.stimulus ends too early", NAME);
			fail;
		end
		$display("%0s: %0d words in %0d checks, all as expected; %0d clock cycles", NAME, compared,
			checks, cycles);
		$finish;
	end
