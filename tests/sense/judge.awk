# judge.awk LISTED MEASURED...: does each improvement of the machine leave the program no slower?
#
# A chain is a list of machines in which each is at least as good as the one before.  Reads the lines
# of measure.sh and prints, separated by tabs:
#   pair    size workload worse better cycles cycles percent     for every two neighbours of a chain
#   slower  the same, and the listed explanation or "-"         where better is slower by > threshold
#   differ  size workload machine instructions instructions      where a run commits other instructions
#   below   size workload machine cpi                            where ideal.all beats the width
# LISTED has lines "size workload worse better explanation"; "#" begins a comment.
BEGIN {
	if (threshold == "")
		threshold = 0.2
	chains = 13
	split("ideal.branch ideal.l1i ideal.l2i ideal.itlb ideal.l1d ideal.l2d ideal.dtlb ideal.units ideal.pending_hits ideal.all l1d.32k l2.2m", single, " ")
	for (i = 1; i <= 12; i++)
		chain[i] = "base " single[i]
	chain[13] = "mshrs.1 mshrs.2 mshrs.4 mshrs.8 base"
	chain[14] = "width.2 width.4 width.8"
	chain[15] = "rob.32 rob.64 base rob.256"
	OFS = "\t"
}
