# judge.awk MACHINES ANOMALIES MEASURED: does each improvement of a machine leave programs no slower?
#
# MEASURED are lines of measure.sh.  Prints, separated by tabs,
#   step    set worse better runs slower percent workload        for two neighbours of a chain: how
#                                                                many runs, how many slower at all,
#                                                                the worst of them (negative: faster)
#   slower  set workload worse better cycles cycles percent why  better is slower by > `threshold` %;
#                                                                why is the listed reason, or "-"
#   unseen  set workload worse better                            listed for a measured workload, but
#                                                                not so
#   differ  set workload machine instructions instructions      it commits other numbers than base
#   below   set workload cpi                                     with all ideal, CPI < 1/4: the preset
#                                                                dispatches 4 a cycle
#   missing set workload machine                                 no run, or no cycles in it
BEGIN {
	OFS = "\t"
	threshold += 0
}

FNR == 1 { file++ }
/^#/ || NF == 0 { next }

file == 1 && $1 == "chain" {
	for (i = 3; i <= NF; i++) {
		worse[++steps] = $(i - 1)
		better[steps] = $i
	}
	next
}
file == 1 {
	machine[++machines] = $1
	next
}

file == 2 && $1 == "reason" { next }
file == 2 {
	listed[$1, $2, $3, $4] = $5
	next
}

{
	split($0, field, ",")
	if (field[1] == "set")
		next
	set = field[1]
	program = field[2]
	if (!((set, program) in known)) {
		known[set, program] = 1
		sets[++programs] = set
		names[programs] = program
	}
	instructions[set, program, field[3]] = field[4]
	cycles[set, program, field[3]] = field[5]
}

function check_runs(set, program,   i, m) {
	for (i = 1; i <= machines; i++) {
		m = machine[i]
		if (cycles[set, program, m] + 0 <= 0 || instructions[set, program, m] + 0 <= 0)
			print "missing", set, program, m
		else if (instructions[set, program, m] != instructions[set, program, "base"])
			print "differ", set, program, m, instructions[set, program, "base"], \
				instructions[set, program, m]
	}
	if (4 * cycles[set, program, "ideal.all"] < instructions[set, program, "ideal.all"])
		print "below", set, program, \
			cycles[set, program, "ideal.all"] / instructions[set, program, "ideal.all"]
}

function check_step(set, program, i,   was, is, percent, key) {
	was = cycles[set, program, worse[i]]
	is = cycles[set, program, better[i]]
	if (was + 0 <= 0 || is + 0 <= 0)
		return
	percent = 100 * (is - was) / was
	key = set SUBSEP i
	runs[key]++
	slower[key] += is > was
	if (!(key in worst) || percent > worst[key]) {
		worst[key] = percent
		worst_program[key] = program
	}
	if (percent > threshold)
		print "slower", set, program, worse[i], better[i], was, is, sprintf("%.2f", percent), \
			((set, program, worse[i], better[i]) in listed) ? \
				listed[set, program, worse[i], better[i]] : "-"
	else if ((set, program, worse[i], better[i]) in listed)
		print "unseen", set, program, worse[i], better[i]
}

END {
	for (p = 1; p <= programs; p++) {
		check_runs(sets[p], names[p])
		for (i = 1; i <= steps; i++)
			check_step(sets[p], names[p], i)
	}
	for (p = 1; p <= programs; p++) {
		if (done[sets[p]]++)
			continue
		for (i = 1; i <= steps; i++)
			print "step", sets[p], worse[i], better[i], runs[sets[p], i], slower[sets[p], i], \
				sprintf("%.2f", worst[sets[p], i]), worst_program[sets[p], i]
	}
}
