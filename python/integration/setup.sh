#!/usr/bin/env bash
# Makes the virtual environment that the integration check runs in, outside the repository, and prints its path.
# Does nothing when the environment already holds requirements.txt. REEL_VENV overrides the place.
# Exit status 2 and one line on stderr when the environment cannot be made.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
venv=${REEL_VENV:-$HOME/.cache/reel/venv}
stamp=$venv/.reel-requirements
python=${PYTHON:-python3}

cannot() {
	echo "$1" >&2
	exit 2
}

if cmp -s "$here/requirements.txt" "$stamp" && [ -x "$venv/bin/python" ]; then
	echo "$venv"
	exit 0
fi

command -v "$python" >/dev/null || cannot "no $python"
mkdir -p "$(dirname "$venv")"

# Two runs at once must not fill one folder.
exec 9>"$venv.lock"
if command -v flock >/dev/null; then flock 9; fi
if cmp -s "$here/requirements.txt" "$stamp" && [ -x "$venv/bin/python" ]; then
	echo "$venv"
	exit 0
fi

log=$venv.log
"$python" -m venv "$venv" >"$log" 2>&1 || cannot "$python cannot make a virtual environment (see $log)"
echo "installing $(grep -c == "$here/requirements.txt") packages into $venv (several GB, once)" >&2
"$venv/bin/python" -m pip install --no-cache-dir --disable-pip-version-check --progress-bar off \
	-r "$here/requirements.txt" >>"$log" 2>&1 || cannot "the packages cannot be installed: $(tail -n 1 "$log") (see $log)"
"$venv/bin/python" -c 'import torch, diffusers, transformers' >>"$log" 2>&1 || cannot "torch or diffusers does not import (see $log)"
cp "$here/requirements.txt" "$stamp"
echo "$venv"
