#!/usr/bin/env bash
# Measures reel on a big synthetic export of Nsight Systems, in fresh processes, and
# prints Markdown for docs/performance.md.
#
#   scripts/bench-nsys.sh [-n ROUNDS] [-r ROWS] [-p PROCESSES] [EXPORT]
#
# Without EXPORT one is made, with ROWS rows in each of NVTX_EVENTS, RUNTIME and KERNEL,
# and kept for the next time.
#   -n  rounds (3); the middle one is shown
#   -r  rows (5000000), about 1 GB of file
#   -p  processes, each a rank (1)
# Environment:
#   REEL_BENCH_DIR  where the file and the binaries go (a folder under $TMPDIR)
# Needs GNU time. Wall time on a machine that does other things says little: the
# processor time beside it is what two free cores would share.
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=3 rows=5000000 processes=1
while getopts "n:r:p:" opt; do
  case $opt in
    n) rounds=$OPTARG ;;
    r) rows=$OPTARG ;;
    p) processes=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ -x /usr/bin/time ] || { echo "bench-nsys: needs GNU time at /usr/bin/time" >&2; exit 2; }

dir=${REEL_BENCH_DIR:-${TMPDIR:-/tmp}/reel-bench}
mkdir -p "$dir"
go build -o "$dir/reel" ./cmd/reel
file=${1:-$dir/nsys-$rows-$processes.sqlite}
if [ ! -e "$file" ]; then
  echo "bench-nsys: making $file" >&2
  go run ./scripts/gennsys -rows "$rows" -processes "$processes" -o "$file.part"
  mv "$file.part" "$file"
fi
mb=$(($(stat -c %s "$file") / 1000000))

# measure COMMAND...: wall seconds, processor seconds and peak MB of the middle round.
measure() {
  for ((i = 0; i < rounds; i++)); do
    /usr/bin/time -f "%e %U %S %M" -o "$dir/time" "$@" >/dev/null 2>&1
    awk '{printf "%.2f %.2f %d\n", $1, $2 + $3, $4 / 1000}' "$dir/time"
  done | sort -n | sed -n "$(((rounds + 1) / 2))p"
}

cat "$file" >/dev/null # into the page cache
echo "Export of $mb MB, 3 × $rows rows, $processes process(es); $rounds rounds, load $(cut -d' ' -f1 /proc/loadavg) on $(nproc) cores."
echo
echo "| command | wall | processor | peak memory |"
echo "| --- | --- | --- | --- |"
for verb in summary check "stats --report cuda_gpu_kern_sum" "stats --report cuda_api_sum" "stats --report nvtx_sum --native" "stats --report nvtx_sum --limit 20" "stats --report nvtx_sum"; do
  # shellcheck disable=SC2086
  read -r wall cpu peak < <(measure "$dir/reel" $verb "$file")
  echo "| \`reel $verb\` | $wall s | $cpu s | $peak MB |"
done
