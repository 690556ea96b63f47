#!/usr/bin/env bash
# Opens what `reel export --to chrome` writes in the viewer of chrome://tracing, which
# comes with Go, in Chromium: every slice must be there, no arrow lost, no warning.
#
#   scripts/check-tracing.sh [-o FOLDER] [TRACE...]
#
# Without TRACE it is the shipped example.
#   -o  keep the pictures in FOLDER
# Environment:
#   REEL_NODE   where playwright-core is kept ($HOME/.cache/reel/node); made when absent
#
# What cannot be installed is told in a "skipped" line, exit status 0; a failed check is 1.
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD

keep=
while getopts "o:" opt; do
  case $opt in
    o) mkdir -p "$OPTARG" && keep=$(cd "$OPTARG" && pwd) ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
skip() { echo "check-tracing: skipped: $*"; exit 0; }

viewer=$(go env GOROOT)/src/internal/trace/traceviewer/static
[ -f "$viewer/trace_viewer_full.html" ] || skip "this Go comes without the trace viewer"
command -v node >/dev/null && command -v npm >/dev/null || skip "no node"
if ! command -v chromium >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends chromium; } >"$work/apt.log" 2>&1 || true
fi
command -v chromium >/dev/null || skip "no chromium"
node=${REEL_NODE:-$HOME/.cache/reel/node}
if [ ! -d "$node/node_modules/playwright-core" ]; then
  mkdir -p "$node"
  (cd "$node" && npm install --no-audit --no-fund playwright-core) >"$work/npm.log" 2>&1 || skip "playwright-core cannot be installed"
fi

go build -o "$work/reel" ./cmd/reel
cp "$viewer/trace_viewer_full.html" "$viewer/webcomponents.min.js" scripts/tracing/index.html "$work"
failed=0
[ $# -gt 0 ] || set -- examples/traces/tiny_dit.json.gz
for trace in "$@"; do
  "$work/reel" export "$trace" --to chrome -o "$work/data.json" --force >/dev/null
  found=$(cd "$node" && node "$here/scripts/tracing/open.mjs" "$(command -v chromium)" "$work")
  if [ -n "$keep" ]; then cp "$work/picture.png" "$keep/$(basename "$trace").png"; fi
  echo "$found" >"$work/found.json"
  python3 - "$work/data.json" "$work/found.json" "$(basename "$trace")" <<'PY' || failed=1
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
found = json.load(open(sys.argv[2]))
slices = sum(e.get("ph") == "X" for e in events)
ends = {(e.get("cat"), e["id"]) for e in events if e.get("ph") == "f"}
arrows = sum(e.get("ph") == "s" and (e.get("cat"), e["id"]) in ends for e in events)
# PyTorch writes an arrow's end for calls that launch nothing, too.
warnings = [w for w in found.get("warnings", []) if "no flow start found" not in w]
wrong = []
if found.get("slices") != slices:
    wrong.append(f"{found.get('slices')} slices of {slices}")
if found.get("arrows", 0) < arrows:
    wrong.append(f"{found.get('arrows')} arrows of {arrows}")
if warnings or found.get("error"):
    wrong.append(str(warnings[:3] or found["error"]))
if "requests" not in found.get("names", []):
    wrong.append(f"of Reel's rows only {found.get('names')}")
if wrong:
    sys.exit("check-tracing: FAILED: " + sys.argv[3] + ": " + "; ".join(wrong))
print(f"check-tracing: {sys.argv[3]}: all {slices} slices, {arrows} arrows, no warning")
PY
done
exit $failed
