"""Compare what `go tool pprof` makes of a profile with `reel ops --json` of the
same input: the total and the largest kernels by device time.
Usage: export_pprof.py PROFILE OPS.json"""

import collections
import json
import re
import subprocess
import sys

ROW = re.compile(r"^\s*(\d+)(?:ns)?\s+\S+%\s+\S+%\s+(\d+)(?:ns)?\s+\S+%\s+(.*)$")


def top(profile, value, *args):
    cmd = ["go", "tool", "pprof", "-top", "-unit=ns", "-nodecount=100000", "-nodefraction=0", "-edgefraction=0", f"-sample_index={value}", *args, profile]
    out = subprocess.run(cmd, check=True, capture_output=True, text=True).stdout
    rows = [(int(m[1]), int(m[2]), m[3].strip()) for m in map(ROW.match, out.splitlines()) if m]
    total = int(re.search(r"Total samples = (\d+)", out)[1])
    check(f"sum of the {value} column", sum(r[0] for r in rows), total)
    return rows


def check(what, got, want):
    if got != want:
        sys.exit(f"pprof: {what}: {got}, want {want}")


def main(profile, ops):
    with open(ops) as f:
        rows = json.load(f)["rows"]
    want = collections.Counter()
    for r in rows:
        if r["device_type"] == "device" and not r.get("annotation") and r["self_device_ns"]:
            want[r["name"]] += r["self_device_ns"]
    have = {name: flat for flat, _, name in top(profile, "device") if flat}
    # Waits on the device are rows of the table, but no work.
    missing = {n: v for n, v in want.items() if have.get(n) != v and not re.search("sync|wait|event_record", n, re.I)}
    check("kernels whose device time differs", missing, {})
    extra = set(have) - set(want)
    check("frames with device time that are no kernels", extra, set())
    cpu = top(profile, "cpu")
    print(f"pprof: go tool pprof reads it; {len(have)} kernels, {sum(have.values())} ns on the device, as `reel ops` says; {sum(c[0] for c in cpu)} ns on the CPU")


main(*sys.argv[1:])
