# The words of four and five letters that read the same both ways, one on a line, the last of a line
# first; then every line that ends a sentence, with its words turned round in pairs.
/\.$/ {
	h
	s/\([A-Za-z]*\) \([A-Za-z]*\)/\2 \1/g
	p
	g
}
s/[^A-Za-z ]//g
y/ABCDEFGHIJKLMNOPQRSTUVWXYZ/abcdefghijklmnopqrstuvwxyz/
s/.*/ & /
: again
/ \([a-z]\)\([a-z]\)[a-z]\{0,1\}\2\1 / !b
h
s/.* \(\([a-z]\)\([a-z]\)[a-z]\{0,1\}\3\2\) .*/\1/p
g
s/\(.*\) \([a-z]\)\([a-z]\)[a-z]\{0,1\}\3\2 /\1 /
b again
