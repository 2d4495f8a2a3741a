# SPDX-License-Identifier: Apache-2.0
# Completion of bitfold's verbs, options, formats, orders and .npy files, for bash.

# .npy files and folders that begin with $1.
_bitfold_files() {
  mapfile -t COMPREPLY < <(compgen -f -X '!*.npy' -- "$1"; compgen -d -S / -- "$1")
  compopt -o filenames -o nospace 2>/dev/null
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} != */ ]] && compopt +o nospace 2>/dev/null
  return 0
}

_bitfold() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} choices=
  local verbs='sum mean dot matmul sumsq sumabs max min argmax argmin add subtract multiply negative absolute convert info agree bench explain reveal'
  local reducing='--order --contract --as --codes --nan --over --isa --threads --output --json --bits --help'
  local formats='f16 bf16 f32 f64 i8 i16 i32 i64'
  local orders='exact sequential reverse helia numpy numpy-1 cmsis-dsp torch torch(2) lanes(4) lanes(8) canonical(16) pairwise(128,lanes(8)) blocks(4096,sequential)'
  local rules='sf atreides-v1 atreides-v2.1 systolic24 sf31 guarded31 edge-int32 float32'
  formats+=" $(printf 'sf%d ' {2..16})"
  [[ $before == '=' ]] && before=${COMP_WORDS[COMP_CWORD - 2]}
  [[ $word == '=' ]] && { before=${COMP_WORDS[COMP_CWORD - 1]}; word=; }
  COMPREPLY=()
  case $before in
    --as) choices=$formats ;;
    --format | --result) choices='f16 bf16 f32 f64' ;;
    --n | --timeout | --trials) return ;;
    --pipe) mapfile -t COMPREPLY < <(compgen -c -- "$word"; compgen -f -- "$word"); return ;;
    --order)
      case ${COMP_WORDS[1]} in
        add | subtract | multiply | negative | absolute) choices=$rules ;;
        *) choices="$orders $rules" ;;
      esac
      ;;
    --rule)
      choices="$rules name= product= minus-one-is-zero bits= overflow= full-range sum-extra= product-extra= readout= readout-full-range"
      compopt -o nospace 2>/dev/null
      ;;
    product) choices='toward-zero floor exact float32' ;;
    bits) choices='data product' ;;
    overflow) choices='clamp wrap' ;;
    sum-extra | product-extra) choices='data' ;;
    readout) choices='floor half-up nearest' ;;
    --contract) choices="$orders $rules acc=f16 acc=bf16 acc=f32 acc=f64 fma ftz out= nan=propagate nan=ignore" ;;
    --op) choices='sum mean dot sumsq sumabs max min argmax argmin' ;;
    tree) choices='dot svg' ;;
    --got) _bitfold_files "$word"; return ;;
    --separate) choices=$orders; compopt -o nospace 2>/dev/null ;;
    --nan) choices='propagate ignore' ;;
    --over) choices='raise warn ignore' ;;
    --isa) choices=$(bitfold info 2>/dev/null | sed -n 's/^machines here, best first://p') ;;
    --plan) choices=$(for verb in sum mean dot max argmax; do printf '%s:f32 %s:sf16 ' "$verb" "$verb"; done) ;;
    --axis | --shape) return ;;
    -o | --output) _bitfold_files "$word"; return ;;
    *)
      if [[ $COMP_CWORD -eq 1 ]]; then choices="$verbs --help --version"
      elif [[ $word == -* ]]; then
        case ${COMP_WORDS[1]} in
          info) choices='--plan --shape --axis --isa --threads --help' ;;
          explain)
            choices='--got --op --axis --as --codes --order --contract --nan --tree --separate --all --shape --isa --threads --output --json --help'
            ;;
          reveal) choices='--pipe --n --format --result --op --timeout --trials --json --help' ;;
          agree) choices='--as --codes --help' ;;
          bench) choices='--isa --threads --quick --json --help' ;;
          convert) choices='--as --codes --over --output --json --bits --help' ;;
          add | subtract | multiply | negative | absolute)
            choices='--as --codes --order --rule --over --output --json --bits --help'
            ;;
          max | min | argmax | argmin) choices="--axis --keepdims $reducing" ;;
          dot) choices="--axis --keepdims --rule --vanished $reducing" ;;
          matmul) choices="--rule --vanished $reducing" ;;
          *) choices="--axis --keepdims --rule $reducing" ;;
        esac
      elif [[ ${COMP_WORDS[1]} == bench ]]; then choices='sf8 sf16 f16 bf16 f32 f64 exact matmul rows columns axes call'
      else _bitfold_files "$word"; return
      fi
      ;;
  esac
  # A parenthesis must reach the command as it is.
  local choice
  while IFS= read -r choice; do COMPREPLY+=("$(printf '%q' "$choice")"); done < <(compgen -W "$choices" -- "$word")
}

complete -F _bitfold bitfold
