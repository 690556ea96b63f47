#!/usr/bin/env bash
# Plants regressions in the built-in engine on real clocks and has `reel diff` find them:
# 8 runs a side, by turns. Of each fault it must find 18 of 20, by name; compared with itself
# the engine must raise no more than 5 alarms in 100.
#
#   scripts/diff-real.sh [-t TRIALS] [-a ALARMS] [-r RUNS] [-f FAULT]
#
#   -t  trials of each fault (20)
#   -a  comparisons of the engine with itself (100)
#   -r  runs a side (8)
#   -f  of the faults this one: sleep, sync, kernel, encode (all)
# It takes a quarter of an hour in full: -t 3 -a 10 is a look. Exit status 1 when too few are found, or too
# many alarms raised; with fewer trials, in the same proportion.
set -euo pipefail
cd "$(dirname "$0")/.."

trials=20 alarms=100 runs=8 only=
while getopts "t:a:r:f:" opt; do
  case $opt in
    t) trials=$OPTARG ;;
    a) alarms=$OPTARG ;;
    r) runs=$OPTARG ;;
    f) only=$OPTARG ;;
    *) exit 2 ;;
  esac
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/reel" ./cmd/reel
go build -o "$work/difftrial" ./scripts/difftrial
kernel=linear
# A tenth is less than what runs of 0.05 s on two cores differ by (15 to 20 %): a kernel's
# time is compared over a default clip of 0.3 s on one core, where they differ by 3 %.
long="-cores 1 -width 64 -frames 17 -steps 20"

# record FAULT FLAG...: both sides, by turns.
record() {
  local fault=$1 i
  shift
  rm -rf "$work/a" "$work/b"
  mkdir "$work/a" "$work/b"
  for ((i = 0; i < runs; i++)); do
    "$work/difftrial" -kernel "$kernel" "$@" -o "$work/a/$i.reel"
    "$work/difftrial" -kernel "$kernel" -fault "$fault" "$@" -o "$work/b/$i.reel"
  done
}

# found KIND NAME: whether the row that names the fault is slower, or new.
found() {
  local kind=$1 name=$2
  awk -F, -v k="$kind" -v n="$name" '$1 == k && $2 == n && ($9 == "slower" || $9 == "added") { f = 1 } END { exit !f }' "$work/diff.csv"
}

failed=0
while read -r fault kind name flags; do
  [ -z "$only" ] || [ "$only" = "$fault" ] || continue
  hits=0
  for ((t = 0; t < trials; t++)); do
    # shellcheck disable=SC2086
    record "$fault" $flags
    "$work/reel" diff --format csv "$work"/a/*.reel -- "$work"/b/*.reel >"$work/diff.csv" 2>/dev/null || [ $? -eq 3 ]
    if found "$kind" "$name"; then hits=$((hits + 1)); fi
  done
  echo "$fault: found by $kind \"$name\" in $hits of $trials"
  [ $((hits * 20)) -ge $((trials * 18)) ] || failed=1
done <<EOF
sleep op scheduler_step
sync op deviceSynchronize
kernel kernel $kernel $long
encode stage encode
EOF

raised=0
for ((t = 0; t < alarms; t++)); do
  record none
  "$work/reel" diff --min-delta 0ms --format csv "$work"/a/*.reel -- "$work"/b/*.reel >/dev/null 2>&1 || raised=$((raised + 1))
done
echo "the engine with itself: $raised alarms in $alarms"
[ $((raised * 100)) -le $((alarms * 5)) ] || failed=1
exit $failed
