#!/usr/bin/env bash
# Compares `reel diff` with HolisticTraceAnalysis's TraceDiff on the sample pair (check_diff.py), and times both.
#
#   diff.sh [REEL]      REEL: the binary; else $REEL; else it is built from this repository
#
# Without the samples (REEL_SHARED_DATA, else ../shared/data beside the repository) or without HolisticTraceAnalysis it
# prints a "skipped" line and exits 0. REEL_HTA_VENV overrides where it is installed, outside the repository.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

shared=${REEL_SHARED_DATA:-$root/../shared/data}
if [ ! -f "$shared/kineto/hta_v100_2022_diff_control.json.gz" ]; then
	echo "python/integration/diff: skipped: no sample traces in $shared"
	exit 0
fi
venv=${REEL_HTA_VENV:-$HOME/.cache/reel/hta}
stamp=$venv/.reel-requirements
if ! cmp -s "$here/hta-requirements.txt" "$stamp"; then
	mkdir -p "$(dirname "$venv")"
	if ! { "${PYTHON:-python3}" -m venv "$venv" && "$venv/bin/python" -m pip install --no-cache-dir --disable-pip-version-check \
		--progress-bar off -r "$here/hta-requirements.txt"; } >"$work/venv.log" 2>&1; then
		echo "python/integration/diff: skipped: $(tail -n 1 "$work/venv.log")"
		exit 0
	fi
	cp "$here/hta-requirements.txt" "$stamp"
fi

reel=${1:-${REEL:-}}
if [ -z "$reel" ]; then
	(cd "$root" && go build -o "$work/reel" ./cmd/reel)
	reel=$work/reel
fi
OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore "$venv/bin/python" "$here/check_diff.py" "$shared" "$reel"
