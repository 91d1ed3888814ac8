#!/bin/bash
# What the completion for bash offers, by its function, as bash calls it.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
needs_workloads
mkdir bin
ln -s "$cyclestack" bin/cyclestack
PATH=$work/bin:$PATH
"$cyclestack" --generate-completion bash >completion
tap_check "it is a script" bash -n completion
compopt() { :; }
# shellcheck disable=SC1091
. ./completion

# offered WORD...: for the last word.
offered() {
	COMP_WORDS=(cyclestack "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_cyclestack
	echo "${COMPREPLY[*]}"
}
tap_is "commands" "$(offered repr)" reproduce
tap_is "options" "$(offered run --what)" --what-if
tap_is "presets" "$(offered run --config eyer)" eyerman2006
tap_is "every preset" "$(offered judge --config '')" "$("$cyclestack" config list --names | tr '\n' ' ' | sed 's/ $//') $(compgen -f | tr '\n' ' ' | sed 's/ $//')"
tap_is "keys of --set" "$(offered run --set rob.s)" rob.size=
tap_is "keys of --what-if, --vary and --grid" "$(offered run --what-if rob.s) $(offered sweep --vary rob.s) $(offered sweep --grid rob.s)" \
	"rob.size= rob.size= rob.size="
tap_is "signals" "$(offered stat -e dispatch.br) $(offered stat --events dispatch.br)" "dispatch.branches dispatch.branches"
tap_is "sizes" "$(offered reproduce --size s) $(offered run @chess : t)" "small test"
tap_is "papers" "$(offered reproduce chen)" chen2008
tap_is "what config and trace may do" "$(offered config du) $(offered trace ver)" "dump verify"
tap_is "workloads" "$(offered run @ches)" @chess
tap_done
