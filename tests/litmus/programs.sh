# shellcheck shell=bash
# Source this, after tools/tap.sh, from a script that runs annotated assembly programs through a harness.
#
# run_programs FOLDER HARNESS WORK POINT [--show] [NAME...]: builds FOLDER/NAME.s (or all there are) and gives source,
# program and labels to HARNESS, whose lines "ok ..." and "not ok ..." become points of this script. A program
# that ends without a line that begins with POINT, behind its "ok", has failed. `cross` names the compiler.
run_programs() {
	local folder=$1 harness=$2 work=$3 point=$4 name source status line
	local -a show=()
	shift 4
	if [ "${1:-}" = --show ]; then
		show=(--show)
		shift
	fi
	if [ $# -eq 0 ]; then
		for source in "$folder"/*.s; do
			set -- "$@" "$(basename "$source" .s)"
		done
	fi
	for name; do
		source=$folder/$name.s
		# Text and data begin on a page of their own; nothing is relaxed or compressed.
		if ! "${cross:?}" -nostdlib -static -march=rv64gc -Wa,-Itests/litmus/programs -Wl,--no-relax \
			-Wl,--build-id=none -Wl,-Ttext=0x20000 -o "$work/$name" "$source" 2>"$work/log" ||
			! "${cross%gcc}nm" "$work/$name" >"$work/$name.labels" 2>"$work/log"; then
			tap_not_ok "$name builds" "$(cat "$work/log")"
			continue
		fi
		"$harness" "$source" "$work/$name" "$work/$name.labels" "${show[@]}" >"$work/report" 2>"$work/log"
		status=$?
		while IFS= read -r line; do
			case $line in
			"ok "*) tap_ok "$name: ${line#ok }" ;;
			"not ok "*) tap_not_ok "$name: ${line#not ok }" ;;
			*) printf '%s\n' "$line" ;;
			esac
		done <"$work/report"
		if [ "$status" -gt 1 ] || ! grep -q "^\(not \)\?ok $point" "$work/report"; then
			tap_not_ok "$name runs to its end" "$(cat "$work/log")"
		fi
	done
}
