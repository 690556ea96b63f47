#!/usr/bin/env python3
"""Compares `reel diff` with HolisticTraceAnalysis's TraceDiff on the pair of traces that its own tests compare.

    check_diff.py FOLDER [REEL]

FOLDER holds kineto/hta_v100_2022_diff_control.json.gz and ..._test.json.gz; REEL is the binary (else $REEL, else `reel`).
Operators and kernels by name: added, removed, more, fewer and as many, and the counts, must be equal; over the whole
traces and for each iteration. Then both are timed on the same work. Exit status 1 when a check fails.
"""

import collections
import json
import logging
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = 3  # of each, timed by turns
FASTER = 10  # times, at least
SHOWN = 5  # differences printed per check


def reel(binary, control, test, *flags):
    run = subprocess.run([binary, "diff", control, test, "--json", "--exact", "--by", "op,kernel", *flags], capture_output=True, text=True, timeout=120)
    if run.returncode not in (0, 3):
        sys.exit(f"exit status {run.returncode}: {run.stderr.strip()[-300:]}")
    counts = collections.defaultdict(lambda: [0, 0])
    for row in json.loads(run.stdout)["rows"]:
        both = counts[row["name"]]
        both[0] += row.get("a_count", 0)
        both[1] += row.get("b_count", 0)
    return dict(counts)


def categories(counts):
    """HTA's own words, from pairs of counts."""
    out = collections.defaultdict(set)
    for name, (a, b) in counts.items():
        word = "added" if a == 0 else "deleted" if b == 0 else "increased" if b > a else "decreased" if b < a else "unchanged"
        out[word].add(name)
    return out


def summaries(control, test):
    """Counts of whole traces, by HTA's own summary of operators."""
    counts = collections.defaultdict(lambda: [0, 0])
    for side, labelled in enumerate((control, test)):
        frame = labelled.get_ops_summary(labelled.t.get_trace(labelled.ranks()[0]))
        for name, n in zip(frame["name"], frame["counts"]):
            counts[name][side] += int(n)
    return dict(counts)


def check(what, want, have):
    problems = []
    for word in ("added", "deleted", "increased", "decreased", "unchanged"):
        w, h = want[word], have[word]
        problems += [f"{word}: only HTA says {n}" for n in sorted(w - h)] + [f"{word}: only reel says {n}" for n in sorted(h - w)]
    print(("FAIL " if problems else "ok   ") + what + ": " + ", ".join(f"{len(want[w])} {w}" for w in ("added", "deleted", "increased", "decreased", "unchanged")))
    for p in problems[:SHOWN]:
        print("       " + p[:200])
    if len(problems) > SHOWN:
        print(f"       and {len(problems) - SHOWN} more")
    return not problems


def main():
    shared, binary = pathlib.Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else os.environ.get("REEL", "reel")
    traces = [shared / "kineto" / f"hta_v100_2022_diff_{n}.json.gz" for n in ("control", "test")]
    logging.disable(logging.CRITICAL)
    from hta.trace_diff import LabeledTrace, TraceDiff

    ok, theirs, ours = True, [], []
    with tempfile.TemporaryDirectory() as work:
        folders = []
        for trace in traces:
            folder = pathlib.Path(work) / trace.stem
            folder.mkdir()
            shutil.copy(trace, folder)
            folders.append(str(folder))
        for _ in range(RUNS):
            begin = time.perf_counter()
            sides = [LabeledTrace(label, trace_dir=folder) for label, folder in zip(("control", "test"), folders)]
            first = TraceDiff.ops_diff(*sides)
            theirs.append(time.perf_counter() - begin)
            begin = time.perf_counter()
            mine = reel(binary, *traces, "--request", "0")
            ours.append(time.perf_counter() - begin)
        ok &= check("first iteration", collections.defaultdict(set, {k: set(v) for k, v in first.items()}), categories(mine))
        for i, n in enumerate(sides[0].iterations()[1:], 1):
            want = TraceDiff.ops_diff(*sides, control_iteration=n, test_iteration=n)
            ok &= check(f"iteration {n}", collections.defaultdict(set, {k: set(v) for k, v in want.items()}), categories(reel(binary, *traces, "--request", str(i))))
        want, have = summaries(*sides), reel(binary, *traces)
        ok &= check("whole traces", categories(want), categories(have))
        if want != have:
            ok = False
            wrong = [n for n in want.keys() | have.keys() if want.get(n) != have.get(n)]
            print(f"FAIL whole traces: {len(wrong)} counts differ, {wrong[0]}: HTA {want.get(wrong[0])}, reel {have.get(wrong[0])}")
        else:
            print(f"ok   whole traces: all {len(want)} counts are equal")
    a, b = statistics.median(theirs), statistics.median(ours)
    fast = a >= FASTER * b
    print(f"{'ok  ' if fast else 'FAIL'} HTA {a:.2f} s, reel {b:.2f} s: {a / b:.0f} times faster (median of {RUNS})")
    sys.exit(0 if ok and fast else 1)


main()
