#!/bin/bash
# Every workload at test size prints the same, and executes as many instructions, under qemu and here.
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
needs qemu-riscv64
tools/qemu-icount --prepare >&2 || tap_skip_all "the counting plugin of qemu cannot be had here"

found=0
for source in workloads/*.c; do
	name=$(basename "$source" .c)
	elf=$(realpath -m "$BUILD/workloads/$name")
	[ -x "$elf" ] || continue
	found=1
	# Start-up code must take the same path: no environment, both outputs files, argv[0] the full
	# path (which qemu gives as /proc/self/exe, and so do we then), no robust lists (qemu has none).
	tools/qemu-icount -o "$work/qemu.count" -0 "$elf" "$elf" test >"$work/qemu.out" 2>"$work/qemu.err"
	qemu_status=$?
	env -i ASAN_OPTIONS="${ASAN_OPTIONS:-}" "$CYCLESTACK" exec --argv0 "$elf" --deny set_robust_list \
		--json "$work/ours.json" "$elf" test >"$work/ours.out" 2>"$work/ours.err"
	our_status=$?
	qemu_count=$(cat "$work/qemu.count" 2>/dev/null)
	our_count=$(sed -n 's/.*"instructions": *\([0-9]*\).*/\1/p' "$work/ours.json" 2>/dev/null | head -n 1)
	tap_is "$name ends with qemu's status" "$our_status" "$qemu_status"
	if cmp -s "$work/qemu.out" "$work/ours.out"; then
		tap_ok "$name prints what it prints under qemu"
	else
		tap_not_ok "$name prints what it prints under qemu" "$(diff "$work/qemu.out" "$work/ours.out" | head -n 10)
$(tail -n 5 "$work/ours.err")"
	fi
	tap_is "$name executes as many instructions as under qemu: ${our_count:-none} here, ${qemu_count:-none} there" \
		"${our_count:-none}" "${qemu_count:-unknown}"
	rm -f "$work"/*
done
[ "$found" = 1 ] || tap_not_ok "there are workloads to run"
tap_done
