#!/usr/bin/env bash
# Captures twice from a running PyTorch script that knows nothing of it, without a restart, and opens what it gets.
#
#   attach.sh REEL PYTHON
set -euo pipefail
reel=$1 python=$2
work=$(mktemp -d)
trap 'kill "$launcher" 2>/dev/null || true; wait "$launcher" 2>/dev/null || true; rm -rf "$work"' EXIT
cat >"$work/busy.py" <<'PY'
import os
import time

import torch

open("pid", "w").write(str(os.getpid()))
x = torch.randn(64, 64)
end = time.time() + 180
while time.time() < end and not os.path.exists("stop"):
    for _ in range(10):
        x = torch.nn.functional.softmax(x @ x / 100, -1)
    time.sleep(0.02)
PY
cd "$work"
launcher=
"$reel" profile --attachable --no-summary -- "$python" busy.py >log 2>&1 &
launcher=$!
for _ in $(seq 600); do
	[ -s pid ] && break
	sleep 0.2
done
[ -s pid ] || { cat log >&2; echo "attach: the script did not start" >&2; exit 1; }
for n in 1 2; do
	"$reel" attach --pid "$(cat pid)" --duration 500ms --wait 30s -o "capture$n" >"out$n" 2>"err$n" || { cat "err$n" >&2; exit 1; }
	"$reel" ops "capture$n" --format csv >"ops$n"
	grep -q '^aten::softmax,' "ops$n" || { echo "attach: capture $n holds no softmax" >&2; exit 1; }
done
touch stop
echo "python/integration: attach: two captures of one process, no restart"
