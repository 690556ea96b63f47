#!/usr/bin/env python3
"""Compares `reel ops --json` with PyTorch's key_averages(), and `reel summary --json` with what the pipeline did.

    check_ops.py FOLDER [REEL]

FOLDER is what pipelines.py wrote; REEL is the binary (else $REEL, else `reel`). Exit status 1 when a check fails.

Times: a trace gives ts and dur in microseconds with three decimals, which is PyTorch's own integer nanosecond, so rows
must agree. PyTorch divides by 1000 and adds up as float64; ROUNDING absorbs that, and nothing else.
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys

ROUNDING = 1  # ns
SHOWN = 5  # differences printed per check

TIMES = [("self_cpu_ns", "self_cpu_us"), ("cpu_ns", "cpu_us"), ("self_device_ns", "self_device_us"), ("device_ns", "device_us")]
MEMORY = ["self_cpu_memory_bytes", "cpu_memory_bytes", "self_device_memory_bytes", "device_memory_bytes"]


class Report:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, problems):
        """One line for what; problems is a list of texts, empty when it holds."""
        if problems:
            self.failed += 1
            print(f"FAIL {what}")
            for p in problems[:SHOWN]:
                print(f"       {p}")
            if len(problems) > SHOWN:
                print(f"       and {len(problems) - SHOWN} more")
        else:
            self.passed += 1
            print(f"ok   {what}")


def reel(binary, *args):
    """The JSON document a verb prints, or a text that says why there is none."""
    try:
        run = subprocess.run([binary, *args], capture_output=True, text=True, timeout=120)
    except (OSError, subprocess.TimeoutExpired) as err:
        return None, f"{binary}: {err}"
    if run.returncode != 0:
        return None, f"exit status {run.returncode}: {run.stderr.strip()[-300:]}"
    try:
        return json.loads(run.stdout), ""
    except ValueError as err:
        return None, f"stdout is not one JSON document: {err}"


def shapes(value):
    """Input shapes as text, whether they come as a list or as its text."""
    if isinstance(value, str):
        value = value.strip()
        if not value:
            return "[]"
        try:
            value = json.loads(value)
        except ValueError:
            return value
    return json.dumps(value or [])


def key(row, by, depth):
    k = (row["name"], row["device_type"])
    if by == "shape":
        k += (shapes(row.get("input_shapes")),)
    if by == "stack":
        k += tuple((row.get("stack") or [])[:depth])
    return k


def sums(rows, by, depth, columns, integer):
    """Rows by key. Rows that share a key (an operator and a range of one name; deeper stacks) are added up."""
    out = collections.defaultdict(lambda: dict.fromkeys(["count", *columns], 0))
    for row in rows:
        total = out[key(row, by, depth)]
        total["count"] += row["count"]
        for ours, theirs in columns.items():
            value = row.get(theirs) or 0
            total[ours] += value if integer else value * (1000 if theirs.endswith("_us") else 1)
    return out


def compare_rows(doc, dump, by, flops):
    columns = dict(TIMES) | {m: m for m in MEMORY} | ({"flops": "flops"} if flops else {})
    depth = dump["stack_depth"]
    want = sums(dump["rows"][by], by, depth, columns, False)
    have = sums(doc["rows"], by, depth, {c: c for c in columns}, True)
    problems = []
    for k in sorted(want.keys() | have.keys(), key=str):
        label = " ".join(map(str, k[:1] + k[2:]))[:160]
        if k not in have:
            problems.append(f"{label}: only PyTorch has this row")
        elif k not in want:
            problems.append(f"{label}: only reel has this row")
        else:
            for column in ["count", *columns]:
                w, h = want[k][column], have[k][column]
                if abs(w - h) > (ROUNDING if column.endswith("_ns") else 0):
                    problems.append(f"{label}: {column} is {h}, PyTorch says {w:.0f}")
    return problems


def check_ops(report, binary, folder, dump):
    trace = str(folder / dump["trace"])
    case = dump["trace"].split(".")[0]
    for by, rows in dump["rows"].items():
        what = f"{case}: ops --by {by}: {len(rows)} rows"
        depth = ["--calls", str(dump["stack_depth"])] if by == "stack" else []
        doc, why = reel(binary, "ops", trace, "--json", "--by", by, *depth)
        if doc is None:
            report.check(what, [why])
            continue
        problems = []
        if doc.get("schema") != "reel.ops/1" or doc.get("by") != by:
            problems.append(f"schema {doc.get('schema')!r} by {doc.get('by')!r}")
        total = round(dump["self_cpu_total_us"] * 1000)
        if abs(doc.get("self_cpu_total_ns", 0) - total) > ROUNDING:
            problems.append(f"self_cpu_total_ns is {doc.get('self_cpu_total_ns')}, PyTorch says {total}")
        report.check(what, problems + compare_rows(doc, dump, by, flops=True))


def plain_name(module):
    """SD3Transformer2DModel_0 and nn.Module: SD3Transformer2DModel_0 are both the class SD3Transformer2DModel."""
    return re.sub(r"_\d+$", "", (module or "").removeprefix("nn.Module: "))


def end(row):
    return row["start_ns"] + row["cpu_ns"]


def in_order(rows, what):
    rows = sorted(rows, key=lambda r: r["start_ns"])
    return [f"{what} {b.get('name')} starts before {what} {a.get('name')} ends" for a, b in zip(rows, rows[1:]) if b["start_ns"] < end(a)]


def check_steps(steps, facts):
    problems = []
    if len(steps) != facts["steps"]:
        problems.append(f"{len(steps)} steps found, the scheduler made {facts['steps']}")
    if [s.get("index") for s in steps] != list(range(len(steps))):
        problems.append(f"step indexes {[s.get('index') for s in steps]}")
    if len({s.get("loop") for s in steps}) > 1:
        problems.append(f"one loop expected, found {sorted({s.get('loop') for s in steps})}")
    names = {plain_name(s.get("name")) for s in steps if s.get("evidence") == "module"}
    if names - {facts["transformer"]}:
        problems.append(f"steps are named {sorted(names)}, not {facts['transformer']}")
    return problems + in_order(steps, "step")


def check_encoders(rows, facts):
    if any(r.get("evidence") == "module" for r in rows):
        found = [plain_name(r.get("name")) for r in sorted(rows, key=lambda r: r["start_ns"])]
        return [] if found == facts["encoders"] else [f"text encoders found: {found}; called: {facts['encoders']}"]
    return [] if rows else ["no encode stage found"]


def check_decode(rows, facts):
    # One stage for vae.decode, or one for each call of the decoder in it (Wan decodes frame by frame).
    if len(rows) in (facts["decodes"], facts["decoder_calls"]):
        return []
    return [f"{len(rows)} decode stages found; decode ran {facts['decodes']} and its decoder {facts['decoder_calls']} times"]


def check_order(encode, steps, decode):
    problems = []
    if encode and steps and max(map(end, encode)) > min(s["start_ns"] for s in steps):
        problems.append("an encode stage ends after the first step began")
    if decode and steps and min(d["start_ns"] for d in decode) < max(map(end, steps)):
        problems.append("a decode stage begins before the last step ended")
    return problems


def check_summary(report, binary, folder, dump, facts):
    case = dump["trace"].split(".")[0]
    doc, why = reel(binary, "summary", "--json", str(folder / dump["trace"]))
    if doc is None:
        report.check(f"{case}: summary", [why])
        return
    problems = [] if doc.get("schema") == "reel.summary/1" else [f"schema {doc.get('schema')!r}"]
    if len(doc.get("ranks") or []) != 1:
        report.check(f"{case}: summary", problems + [f"{len(doc.get('ranks') or [])} ranks"])
        return
    if not all(s.get("complete") for s in doc.get("sources") or []):
        problems.append("the trace is called incomplete")
    report.check(f"{case}: summary", problems)

    rank = doc["ranks"][0]
    stages, steps = rank.get("stages") or [], rank.get("steps") or []
    encode, decode = ([s for s in stages if s.get("stage") == kind] for kind in ("encode", "decode"))
    if facts["evidence"] == "unknown":
        return
    if facts["evidence"] == "none":
        # Operators only. Reel may find the loop by repetition or say nothing; it may not invent one.
        report.check(f"{case}: steps, if any", check_steps(steps, facts) if steps else [])
        return
    report.check(f"{case}: {facts['steps']} steps of {facts['transformer']}", check_steps(steps, facts))
    report.check(f"{case}: text encoders ({len(facts['encoders'])} calls)", check_encoders(encode, facts))
    report.check(f"{case}: decode", check_decode(decode, facts))
    report.check(f"{case}: encode, steps, decode in order", check_order(encode, steps, decode))
    wrong = [] if len(rank.get("requests") or []) == 1 else [f"{len(rank.get('requests') or [])} requests found, 1 made"]
    report.check(f"{case}: one request", wrong)


def main(args):
    if not 1 <= len(args) <= 2 or args[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(args[0])
    binary = args[1] if len(args) > 1 else os.environ.get("REEL", "reel")
    dumps = sorted(folder.glob("*.rows.json"))
    if not dumps:
        print(f"check_ops.py: no *.rows.json in {folder}", file=sys.stderr)
        return 2
    report = Report()
    for path in dumps:
        dump = json.loads(path.read_text())
        facts = json.loads(path.with_name(path.name.replace(".rows.", ".facts.")).read_text())
        check_ops(report, binary, folder, dump)
        check_summary(report, binary, folder, dump, facts)
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
