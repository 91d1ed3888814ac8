# Nothing but L1I misses: straight code, twice as large as the L1I, all of it in the L2.
#
# With fetch.width=4 the fetch buffer is always empty and a line of 8 adds is two cycles of fetch.
# The code has been run through once, so the L1I holds its second half, and every line finds in its
# place the one that is as much further on as the L1I is large: all miss. Line n is asked for in
# cycle 11n, waited for in 11n .. 11n+8, delivered in 11n+9 and 11n+10, dispatched in 11n+14 and
# 11n+15, issued in 11n+15 and 11n+16, committed in 11n+16 and 11n+17.
#
# small: L1I of 1 KB, 64 lines of adds and, in line 64, li, li, ecall. The lis are fetched in
# 11*64+9 = 713, dispatched in 718, committed in 720; the ecall, alone, is dispatched in that cycle
# and committed in 722: 723 cycles.
#
#   stalls      65 misses x 9 = 585. naive, naive-nonspec: as many misses x the L2's 9.
#   fmt         there is no branch: one row, still open at the end. 585.
#   sfmt        the first add of line n carries the bit and adds what has been counted when it
#               commits in 11n+16: the rest of its own miss and the first 5 of the next. The bit of
#               line n+1 is set later (11n+20), so none is lost. 585.
#   afmt        there is no data miss: as sfmt.
#   slots       the loss is felt at dispatch, 5 cycles later, as long as it lasted: 585. (The 5
#               empty cycles of the start have no cause: base.)
#   power5      looks at an empty window only. Line 0: all of 0 .. 14, from the start to the cycle
#               of dispatch, when commit still finds it empty. Then from the cycle after the commit
#               of line n's last add to the dispatch of line n+1, 11n+18 .. 11n+25: 8. It must be
#               wrong: of each 9 lost, the cycle in which the window drains is not seen. 15 + 64*8.
#
# large: the L1I of 8 KB, 512 lines of adds; line 512 ends it. 11*512+9+10 = 5651 cycles; stalls
# 513*9 = 4617. The one row of fmt counts with 12 bits: 4095. It must be wrong: code without a
# branch for so long is more than a row can hold. sfmt's counters are emptied at each commit of a
# line's first add.
#
#: set fetch.width=4
#: test 65 L1I misses of 9 cycles
#: set l1i.size_bytes=1024
#: entry small
#: warm text small 2048+32
#: fetch small = 9
#: fetch small+32 = 20
#: commit small+32*63+28 = 11*63+17
#: cycles = 723
#: count l1i.misses = 65
#: count fetch.l1i = 65*9
#= retimed,vclk,slots,naive,naive-nonspec base=723-65*9 l1i=65*9
#= fmt,fmt-published,fmt-rob base=723-65*9 l1i=65*9
#= sfmt,sfmt-resolve,sfmt-counters,sfmt-resolve-counters,afmt base=723-65*9 l1i=65*9
#= power5 base=723-15-64*8 l1i=15+64*8
#: test more stall cycles before the next branch than a row of fmt counts
#: entry large
#: warm text large 16384+32
#: cycles = 5651
#: count l1i.misses = 513
#= retimed,vclk,slots,naive,naive-nonspec base=5651-513*9 l1i=513*9
#= fmt,fmt-published,fmt-rob base=5651-4095 l1i=4095
#= sfmt,sfmt-resolve,sfmt-counters,sfmt-resolve-counters,afmt base=5651-513*9 l1i=513*9
#= power5 base=5651-15-512*8 l1i=15+512*8
	.include "litmus.inc"
_start:
	.balign 32
small:	.rept 512
	add t0, a0, a1
	.endr
	finish
	.balign 32
large:	.rept 4096
	add t0, a0, a1
	.endr
	finish
