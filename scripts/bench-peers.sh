#!/usr/bin/env bash
# Compares reel with other readers of the same traces, in one run, and prints
# Markdown for docs/performance.md.
#
#   scripts/bench-peers.sh [-n ROUNDS] [-s] [FILE]
#
# FILE is a trace (.json or .json.gz); without it, the Stable Diffusion 3.5
# sample when it lies beside the project, else the shipped example.
#   -n  rounds of each comparison (5)
#   -s  the sample only; no large generated files
# Environment:
#   REEL_PEERS_VENV   Python environment of the peers ($HOME/.cache/reel/peers); made when absent
#   REEL_BENCH_DIR    where large files and binaries go (a folder under $TMPDIR, about 5 GB)
#   REEL_BENCH_MB     size of the large files in MB (1000)
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=5 sample_only=
while getopts "n:s" opt; do
  case $opt in
    n) rounds=$OPTARG ;;
    s) sample_only=1 ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))

file=${1:-../shared/data/kineto/tl_mi300x_sd35_xdit.json.gz}
[ -e "$file" ] || file=${1:-examples/traces/tiny_dit.json.gz}
[ -e "$file" ] || { echo "bench-peers: no file $file" >&2; exit 2; }
venv=${REEL_PEERS_VENV:-$HOME/.cache/reel/peers}
dir=${REEL_BENCH_DIR:-${TMPDIR:-/tmp}/reel-bench}
mb=${REEL_BENCH_MB:-1000}
mkdir -p "$dir"

peers() {
  local need="HolisticTraceAnalysis==0.5.0 orjson duckdb"
  if ! "$venv/bin/python" -c 'import hta.trace_analysis, orjson, duckdb' 2>/dev/null; then
    echo "bench-peers: making $venv" >&2
    python3 -m venv "$venv"
    # shellcheck disable=SC2086
    "$venv/bin/pip" install --quiet --disable-pip-version-check $need
  fi
}

# build PACKAGE NAME: an empty answer when the package does not exist yet
build() {
  [ -d "$1" ] || return 0
  go build -o "$dir/$2" "./$1" && echo "$dir/$2"
}

# generate NAME STYLE MB [gz]: kept from an earlier run when the size is the same
generate() {
  local out="$dir/$1.json" want="$2 $3 $(sha256sum "$dir/gentrace" | cut -c1-16)"
  if [ "$(cat "$dir/$1.made" 2>/dev/null)" != "$want" ]; then
    echo "bench-peers: writing $out" >&2
    "$dir/gentrace" -seed 3 -steps 20 -layers 8 -style "$2" -size "$3MB" -o "$out" -truth "$dir/$1.truth"
    [ -z "${4:-}" ] || gzip -1 -c "$out" >"$out.gz"
    echo "$want" >"$dir/$1.made"
  fi
}

peers
reel=$(build cmd/reel reel)
readbench=$(build scripts/readbench readbench)
args=(--rounds "$rounds" --sample "$file" --reel "$reel" --readbench "$readbench")
if [ -z "$sample_only" ]; then
  build scripts/gentrace gentrace >/dev/null
  for style in pretty minified; do
    generate "$style" "$style" "$mb" gz
    generate "$style-half" "$style" $((mb / 2))
    generate "$style-slice" "$style" $((mb < 200 ? mb : 200))
  done
  args+=(--large "$dir")
fi
PYTHONDONTWRITEBYTECODE=1 exec "$venv/bin/python" scripts/peers/bench.py "${args[@]}"
