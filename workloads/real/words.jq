# From the lines of a text to records, to text and back, grouped, sorted, summed.
[ split("\n")[:400][] | select(length > 0) | { line: ., words: (ascii_downcase | explode | map(select(. == 32 or (. >= 97 and . <= 122))) | implode | split(" ")) } ]
| tojson | fromjson
| map(.words[]) | map(select(length > 0))
| group_by(.) | map({ word: .[0], count: length, share: (length / 7 | floor) })
| sort_by(-.count, .word)
| { distinct: length, most: .[:10], rare: (map(select(.count == 1)) | length),
    letters: (map(.word | explode[]) | group_by(.) | map({ key: ([.[0]] | implode), value: length }) | from_entries),
    root: (map(.count) | add | sqrt) }
