#!/usr/bin/env bash
# Generates traces with a current PyTorch and Diffusers and checks Reel against them; traces go to a temporary folder.
# Then compares Lantern's models with theirs (lantern.py), and profiles unmodified scripts of their pipelines (auto.py).
#
#   run.sh [REEL]      REEL: the binary; else $REEL; else it is built from this repository
#
# Without a usable Python environment (setup.sh says why) it prints a "skipped" line and exits 0. KEEP=FOLDER keeps the traces.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! venv=$("$here/setup.sh" 2>"$work/setup.err"); then
	echo "python/integration: skipped: $(tail -n 1 "$work/setup.err")"
	exit 0
fi

reel=${1:-${REEL:-}}
if [ -z "$reel" ]; then
	(cd "$root" && go build -o "$work/reel" ./cmd/reel)
	reel=$work/reel
fi

traces=${KEEP:-$work/traces}
export HF_HUB_OFFLINE=1 OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
if ! "$venv/bin/python" "$here/pipelines.py" "$traces" >"$work/generate.log" 2>&1; then
	tail -n 30 "$work/generate.log" >&2
	echo "python/integration: the traces cannot be generated" >&2
	exit 1
fi
"$venv/bin/python" "$here/check_ops.py" "$traces" "$reel"
"$venv/bin/python" "$here/lantern.py"
# All parts take forty starts of PyTorch; the parts named here show each mechanism once.
if [ "${FULL:-}" = 1 ]; then
	"$venv/bin/python" "$here/auto.py" "$reel"
else
	"$venv/bin/python" "$here/auto.py" "$reel" torch ranks
	echo "python/integration: skipped without FULL=1: auto.py pipelines times ends start overhead"
fi
"$here/attach.sh" "$reel" "$venv/bin/python"
"$here/diff.sh" "$reel"
