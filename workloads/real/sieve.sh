# Primes, a queue of words and patterns, with nothing but what the shell has built in: no process is
# started.

limit=3000
i=2
while [ $i -le $limit ]; do
	eval "prime_$i=1"
	i=$((i + 1))
done
i=2
count=0
while [ $i -le $limit ]; do
	eval "is=\$prime_$i"
	if [ "$is" = 1 ]; then
		count=$((count + 1))
		last=$i
		j=$((i * i))
		while [ $j -le $limit ]; do
			eval "prime_$j=0"
			j=$((j + i))
		done
	fi
	i=$((i + 1))
done
printf '%d primes up to %d, the last is %d\n' $count $limit "$last"

collatz() {
	n=$1
	steps=0
	while [ "$n" -ne 1 ]; do
		case $((n & 1)) in
		0) n=$((n / 2)) ;;
		*) n=$((3 * n + 1)) ;;
		esac
		steps=$((steps + 1))
	done
}
longest=0
i=1
while [ $i -le 300 ]; do
	collatz $i
	[ $steps -gt $longest ] && longest=$steps && from=$i
	i=$((i + 1))
done
echo "the longest way to 1 from up to 300: from $from, $longest steps"

text=
for word in one two three four five six seven eight nine ten; do
	case $word in
	*e) text="${text:+$text }${word%e}" ;;
	t*) text="$text ${word#t}" ;;
	*) text="$text ${#word}" ;;
	esac
done
set -- $text
echo "$# words: $*"
trap 'echo "ended with $?"' EXIT
while IFS=' ' read -r first second rest; do
	echo "$second, $first: ${#rest}"
done <<END
alpha beta gamma delta
epsilon zeta
eta theta iota kappa lambda
END
exit 3
