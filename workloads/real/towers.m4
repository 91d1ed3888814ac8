divert(-1)
Towers of Hanoi, Ackermann's function, lists and sums: recursion, arithmetic, diversions.

define(`move', `ifelse($1, 0, , `move(decr($1), $2, $4, $3)define(`moves', incr(moves))move(decr($1), $4, $3, $2)')')
define(`moves', 0)
define(`ackermann', `ifelse($1, 0, `incr($2)', $2, 0, `ackermann(decr($1), 1)',
	`ackermann(decr($1), ackermann($1, decr($2)))')')
define(`reverse', `ifelse($#, 0, , $#, 1, ``$1'', `reverse(shift($@)), `$1'')')
define(`for', `ifelse(eval($2 <= $3), 1, `define(`$1', $2)$4`'for(`$1', incr($2), $3, `$4')')')
define(`sum', `ifelse($#, 1, `eval($1)', `eval($1 + sum(shift($@)))')')
divert(1)
This comes last: translit(`abracadabra', `a-d', `A-D') regexp(`GNUs not Unix', `\w\(\w+\)$', `*** \& *** \1 ***')
divert(0)dnl
move(12, a, b, c)dnl
moves moves
ackermann(2, 9) by recursion
reverse(`one', `two', `three', `four')
sum(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
for(`i', 1, 400, `ifelse(eval(i * i % 97), 1, `i ')')
for(`i', 1, 300, `patsubst(word i, `\([a-z]+\) \([0-9]+\)', `\2-\1,')')
format(`%05d %x %s', 42, 255, len(`some text'))
