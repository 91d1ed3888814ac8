#!/bin/bash
# tools/try-adding knows every kind of thing of the table "What adding one touches", and no other; and the table names
# files and folders that are there.
. "$(dirname "$0")/../head.sh"
needs python3
table() {
	sed -n '/^### What adding one touches/,/^## /p' "$root/docs/architecture.md" | grep '^| an\? '
}
tap_is "try-adding and the table have the same kinds" "$("$root/tools/try-adding" --kinds | sort)" \
	"$(table | cut -d'|' -f2 | sed 's/, /\n/g' | sed 's/^ *an\? //; s/ *$//' | sort)"
# shellcheck disable=SC2016
missing=$(table | cut -d'|' -f3 | grep -o '`[a-z]*/[^`]*`' | tr -d '`' | grep -v NAME | sort -u | while read -r path; do
	[ -e "$root/src/$path" ] || [ -e "$root/$path" ] || compgen -G "$root/src/$path" >/dev/null || echo "$path"
done)
tap_is "the files that the table names are there" "$missing" ""
out=$("$root/tools/try-adding" wish 2>&1)
tap_is "a kind that is none is refused" "$? ${out%%;*}" "2 there is no wish"
tap_done
