#!/usr/bin/env bash
# Measures reel on many synthetic ranks in one command, in fresh processes, and checks that
# summarising each rank and merging in any tree gives the same bytes. Prints Markdown.
#
#   scripts/bench-ranks.sh [-n RANKS] [-s SIZE] [-f]
#
#   -n  ranks (16)
#   -s  text of a trace (25MB), stored compressed
#   -f  the full size: 128 ranks of 100MB
# Environment:
#   REEL_BENCH_DIR  where the traces and the binaries go, kept for the next time (a folder under $TMPDIR)
# Needs GNU time. Wall time on a machine that does other things says little: the processor
# time beside it is what free cores would share.
set -euo pipefail
cd "$(dirname "$0")/.."

ranks=16 size=25MB
while getopts "n:s:f" opt; do
  case $opt in
    n) ranks=$OPTARG ;;
    s) size=$OPTARG ;;
    f) ranks=128 size=100MB ;;
    *) exit 2 ;;
  esac
done
[ -x /usr/bin/time ] || { echo "bench-ranks: needs GNU time at /usr/bin/time" >&2; exit 2; }

dir=${REEL_BENCH_DIR:-${TMPDIR:-/tmp}/reel-bench}
traces=$dir/ranks-$size
mkdir -p "$traces"
go build -o "$dir/reel" ./cmd/reel
go build -o "$dir/gentrace" ./scripts/gentrace
reel=$dir/reel
files=()
for ((r = 0; r < ranks; r++)); do
  f=$traces/rank$r.json.gz
  files+=("$f")
  [ -e "$f" ] && continue
  echo "bench-ranks: making $f" >&2
  # The number of ranks stands in the header; the largest job that is ever made here.
  "$dir/gentrace" -rank "$r" -seed "$((r + 1))" -world 128 -collectives -layers 12 -steps 20 -size "$size" -o "$f.part.gz"
  mv "$f.part.gz" "$f"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
measure() { # NAME OUT COMMAND...
  local name=$1 out=$2
  shift 2
  /usr/bin/time -f "%e %U %S %M" -o "$work/time" "$@" >"$out" 2>"$work/err"
  read -r wall user sys kib <"$work/time"
  awk -v n="$name" -v w="$wall" -v u="$user" -v s="$sys" -v k="$kib" -v r="$ranks" \
    'BEGIN { printf "| %s | %.1f s | %.1f s | %d MiB |\n", n, w, u + s, k / 1024 }'
}

echo "| $ranks ranks, $size of text each | wall | processor | memory |"
echo "| --- | ---: | ---: | ---: |"
for part in 8 4 2 1; do
  n=$((ranks / part))
  [ "$n" -gt 1 ] || continue
  measure "\`reel summary\` of $n" "$work/whole.json" "$reel" summary --json "${files[@]:0:n}"
done

parts=()
total=0
for ((r = 0; r < ranks; r++)); do
  "$reel" summarize "${files[r]}" -o "$work/rank$r.partial.json"
  parts+=("$work/rank$r.partial.json")
  total=$((total + $(stat -c %s "$work/rank$r.partial.json")))
done
measure "\`reel merge\` of $ranks" "$work/merged.json" "$reel" merge --json "${parts[@]}"
failed=0
same() { if cmp -s "$1" "$2"; then echo "same bytes: $3"; else echo "DIFFERENT bytes: $3"; failed=1; fi; }
echo
echo "a partial summary is $((total / ranks / 1024)) KiB"
same "$work/whole.json" "$work/merged.json" "one command, and summarize and merge"

# A chain, and a tree of neighbours from the other end.
cp "${parts[0]}" "$work/chain.json"
for ((r = 1; r < ranks; r++)); do
  "$reel" merge "${parts[r]}" "$work/chain.json" -o "$work/next.json" --force
  mv "$work/next.json" "$work/chain.json"
done
level=("${parts[@]}")
while [ "${#level[@]}" -gt 1 ]; do
  next=()
  for ((i = ${#level[@]} - 1; i >= 0; i -= 2)); do
    if [ "$i" -eq 0 ]; then next+=("${level[0]}"); continue; fi
    t=$(mktemp -u -p "$work" tree.XXXXXX)
    "$reel" merge "${level[i]}" "${level[i - 1]}" -o "$t"
    next+=("$t")
  done
  level=("${next[@]}")
done
same "$work/chain.json" "${level[0]}" "a chain and a tree of merges"
"$reel" merge --json "${level[0]}" >"$work/tree.json"
same "$work/whole.json" "$work/tree.json" "one command, and a tree"
exit $failed
