#!/usr/bin/env bash
# Exports traces and reads the files back with programs that are not Reel's:
# Perfetto's protos for Python, go tool pprof, flamegraph.pl, inferno, speedscope's
# importer, DuckDB and pyarrow. What they find is compared with `reel summary` and
# `reel ops`.
#
#   scripts/check-exports.sh [-o FOLDER] [-r REEL] [TRACE...]
#
# Without TRACE it is the shipped example and, when they lie beside the project,
# some samples and the eight ranks of one job.
#   -o  keep the exported files in FOLDER
#   -r  the reel binary; else it is built from this repository
# Environment:
#   REEL_PEERS_VENV   Python environment of the readers ($HOME/.cache/reel/peers); made, or added to, when
#                     something is missing; speedscope and flamegraph.pl are kept in it too
#
# A reader that cannot be installed is told in a "skipped" line; exit status 1 when a check fails.
set -euo pipefail
cd "$(dirname "$0")/.."
checks=$PWD/python/integration

keep= reel=
while getopts "o:r:" opt; do
  case $opt in
    o) keep=$OPTARG ;;
    r) reel=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${keep:-$work/out}
venv=${REEL_PEERS_VENV:-$HOME/.cache/reel/peers}
python=$venv/bin/python
export PYTHONDONTWRITEBYTECODE=1
failed=0

skip() { echo "check-exports: skipped: $*"; }
wrong() { echo "check-exports: FAILED: $*" >&2; failed=1; }

if [ -z "$reel" ]; then
  CGO_ENABLED=0 go build -o "$work/reel" ./cmd/reel
  reel=$work/reel
fi
help=$("$reel" export --help 2>/dev/null || true)
if [[ $help != *--to* ]]; then
  skip "this reel has no verb export"
  exit 0
fi

# Readers: Python packages, the npm package of speedscope, flamegraph.pl from a Debian package.
have_python() { "$python" -c "import $1" 2>/dev/null; }
if ! have_python "perfetto.protos, duckdb, pyarrow, jsonschema"; then
  echo "check-exports: adding to $venv" >&2
  { [ -x "$python" ] || python3 -m venv "$venv"; } >"$work/venv.log" 2>&1 &&
    "$python" -m pip install --quiet --disable-pip-version-check -r "$checks/export_requirements.txt" >>"$work/venv.log" 2>&1 || true
fi
[ -x "$python" ] || { skip "no Python environment: $(tail -n 1 "$work/venv.log")"; exit 0; }

speedscope=$venv/reel-exports/speedscope
if [ ! -d "$speedscope/package" ] && command -v npm >/dev/null; then
  mkdir -p "$speedscope"
  (cd "$speedscope" && npm pack --silent speedscope@1.25.0 && tar xzf speedscope-*.tgz) >"$work/npm.log" 2>&1 || true
fi
flamegraph=$(command -v flamegraph.pl || true)
for f in /usr/share/perl5 "$venv/reel-exports/nytprof/usr/share/perl5"; do
  [ -n "$flamegraph" ] || [ ! -e "$f/Devel/NYTProf/flamegraph.pl" ] || flamegraph=$f/Devel/NYTProf/flamegraph.pl
done
if [ -z "$flamegraph" ] && command -v apt-get >/dev/null && command -v dpkg >/dev/null; then
  mkdir -p "$venv/reel-exports/nytprof"
  (cd "$work" && apt-get download libdevel-nytprof-perl && dpkg -x libdevel-nytprof-perl_*.deb "$venv/reel-exports/nytprof") >"$work/apt.log" 2>&1 &&
    flamegraph=$venv/reel-exports/nytprof/usr/share/perl5/Devel/NYTProf/flamegraph.pl || true
fi

# found DIR PATTERN: the exported file, whether the verb made it or a folder around it
found() { find "$1" -type f -name "$2" | sort | head -n 1; }

check_perfetto() {
  have_python perfetto.protos || { skip "perfetto: no Python package perfetto"; return; }
  "$python" "$checks/export_perfetto.py" "$(found "$1" '*.pftrace')" "$1/summary.json" || wrong "$1: perfetto"
}

check_pprof() {
  command -v go >/dev/null || { skip "pprof: no go command"; return; }
  "$python" "$checks/export_pprof.py" "$(found "$1" '*.pb.gz')" "$1/ops.json" || wrong "$1: pprof"
}

check_parquet() { "$python" "$checks/export_parquet.py" "$(dirname "$(found "$1" ranges.parquet)")" "$1/summary.json" || wrong "$1: parquet"; }

# total FILE: the sum of the last fields
total() { awk '{ s += $NF } END { printf "%d", s }' "$1"; }

check_stacks() {
  local f want svg
  for f in "$1"/stacks/stacks_*.txt; do
    want=$(total "$f")
    [ "$want" != 0 ] || continue
    for svg in ${flamegraph:+"perl $flamegraph"} $(command -v inferno-flamegraph || true); do
      $svg "$f" >"$work/flame.svg" 2>"$work/flame.err" || { wrong "$f: $svg: $(head -n 1 "$work/flame.err")"; continue; }
      grep -q "all ($(echo "$want" | sed ':a;s/\B[0-9]\{3\}\>/,&/;ta') samples, 100%)" "$work/flame.svg" || wrong "$f: $svg does not count $want"
      echo "stacks: $(basename "$f"): $(basename "${svg##* }") counts $want us"
    done
  done
  [ -n "$flamegraph" ] || skip "stacks: no flamegraph.pl"
}

# speedscope opens its own files, the stacks and the profile; the weights must be those that Reel wrote.
check_speedscope() {
  [ -d "$speedscope/package" ] && command -v node >/dev/null || { skip "speedscope: no npm package speedscope, or no node"; return; }
  local f
  node "$checks/export_speedscope.mjs" "$speedscope/package" "$(found "$1" '*.speedscope.json')" "$(found "$1" '*.pb.gz')" >"$work/speedscope.txt" ||
    { wrong "$1: speedscope"; return; }
  for f in "$1"/stacks/stacks_*.txt; do
    [ -s "$f" ] || continue
    node "$checks/export_speedscope.mjs" "$speedscope/package" "$f" >>"$work/speedscope.txt" || wrong "$f: speedscope"
    [[ $(tail -n 1 "$work/speedscope.txt") == *"collapsed stack format"*"\"total\":$(total "$f")}"* ]] || wrong "$f: speedscope does not count $(total "$f")"
  done
  cut -c 1-150 "$work/speedscope.txt" | sed 's/^/speedscope: /'
  [ "$(wc -c <"$(found "$1" '*.speedscope.json')")" -gt 3000000 ] || "$python" -c '
import json, sys, jsonschema
jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))
print("speedscope: its JSON schema accepts the file")' "$speedscope/package/dist/release/file-format-schema.json" "$(found "$1" '*.speedscope.json')" || wrong "$1: speedscope's schema"
}

# check NAME TRACE...
check() {
  local name=$1 dir=$out/$1
  shift
  echo "== $name"
  mkdir -p "$dir"
  "$reel" summary --json "$@" >"$dir/summary.json" 2>/dev/null
  "$reel" ops --json "$@" >"$dir/ops.json" 2>/dev/null
  local to
  for to in perfetto:trace.pftrace pprof:profile.pb.gz stacks:stacks speedscope:trace.speedscope.json parquet:parquet; do
    "$reel" export "$@" --to "${to%%:*}" -o "$dir/${to#*:}" >"$work/export.log" 2>&1 || { wrong "$name: ${to%%:*}: $(tail -n 1 "$work/export.log")"; return; }
  done
  check_perfetto "$dir"
  check_pprof "$dir"
  check_stacks "$dir"
  check_speedscope "$dir"
  check_parquet "$dir"
}

if [ $# -gt 0 ]; then
  for trace in "$@"; do check "$(basename "${trace%%.*}")" "$trace"; done
else
  check tiny_dit examples/traces/tiny_dit.json.gz
  data=${REEL_SHARED_DATA:-../shared/data}
  for name in tl_mi300x_sd35_xdit tl_mi300x_flux1_xdit_graph tl_h100_qwen_unlinked_kernels hta_v100_2022_diff_test hta_a100_cuda_sync_multistream; do
    [ ! -e "$data/kineto/$name.json.gz" ] || check "$name" "$data/kineto/$name.json.gz"
  done
  [ ! -d "$data/multirank" ] || check multirank "$data"/multirank/*.json.gz
fi
exit $failed
