# The commonest words of a text, the lengths of its sentences, and a table of letter pairs.
{
	gsub(/[^A-Za-z. ]/, "")
	for (i = 1; i <= NF; i++) {
		word = tolower($i)
		length_of_sentence++
		if (sub(/\.$/, "", word)) {
			sentences[length_of_sentence]++
			length_of_sentence = 0
		}
		count[word]++
		for (j = 1; j < length(word); j++)
			pairs[substr(word, j, 2)]++
	}
}

function most(of, what, n,    key, best, i) {
	for (i = 0; i < n; i++) {
		best = ""
		for (key in of)
			if (best == "" || of[key] > of[best] || (of[key] == of[best] && key < best))
				best = key
		printf "%-10s %-8s %6d %8.4f\n", what, best, of[best], log(of[best])
		delete of[best]
	}
}

END {
	for (n in sentences) {
		sum += n * sentences[n]
		all += sentences[n]
	}
	printf "%d sentences of %.3f words\n", all, sum / all
	most(count, "word", 12)
	most(pairs, "pair", 12)
}
