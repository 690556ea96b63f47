"""The part on generated large traces: reel and the reader on the whole file,
the slow readers once on a slice of it."""

import json
import os
import shutil
import statistics
import sys

from measure import Failed, Tool, interleave, median, memory, run, seconds, table


def pinned(cores, command):
    """The command on so many cores; taskset is Linux's."""
    if shutil.which("taskset"):
        return ["taskset", "-c", ",".join(str(i) for i in range(cores)), *command]
    return command


def load(folder, name):
    path = os.path.join(folder, name + ".json")
    with open(os.path.join(folder, name + ".truth")) as f:
        truth = json.load(f)
    return path, truth["Bytes"] / 1e6, truth["Events"]


def tools(folder, style, reel, script):
    path, mb, events = load(folder, style)
    part, part_mb, part_events = load(folder, style + "-slice")
    whole = dict(mb=mb, events=events)
    cut = dict(mb=part_mb, events=part_events, rounds=1, note=f"once, on {part_mb:.0f} MB")
    all = []
    if reel:
        for cores in (2, 1):
            all.append(Tool(f"`reel summary`, {cores} core{'s' * (cores > 1)}", pinned(cores, [reel, "summary", path]), {"GOMAXPROCS": str(cores)}, **whole))
        all.append(Tool("`reel summary --no-python`, 2 cores", pinned(2, [reel, "summary", "--no-python", path]), {"GOMAXPROCS": "2"}, **whole))
        if os.path.exists(path + ".gz"):
            all.append(Tool("`reel summary` of .gz, 2 cores", pinned(2, [reel, "summary", path + ".gz"]), {"GOMAXPROCS": "2"}, **whole))
    if os.path.exists(path + ".gz"):
        all.append(Tool("`gzip -dc` of .gz", ["gzip", "-dc", path + ".gz"], **whole))
    return all + [
        Tool("DuckDB `read_json`", script("duckdb_read.py", part), **cut),
        Tool("Node `JSON.parse`", script("node_parse.js", part), **cut),
        Tool("Python `json.load`", script("json_load.py", part), **cut),
        Tool("Python `orjson`", script("orjson_load.py", part), **cut),
    ]


def whole(folder, style, reel, rounds, script):
    all = tools(folder, style, reel, script)
    runs = interleave(all, rounds)
    rows = []
    for t in all:
        r = runs[t.name]
        if not r:
            rows.append([t.name, t.note, "failed", "", "", "", ""])
            continue
        wall, rss = median(r), median(r, "rss")
        rows.append([t.name, t.note or f"{len(r)} runs", seconds(wall), f"{t.mb / wall:.0f}", f"{t.events / wall / 1e6:.2f}", memory(rss), f"{rss / t.mb:.2f}"])
    path, mb, events = load(folder, style)
    print(f"### Generated, {style}: {mb:.0f} MB, {events:,} events\n")
    print(table(["tool", "runs", "wall", "MB/s", "M events/s", "peak memory", "bytes per input byte"], rows), flush=True)


def reader(folder, style, bench, rounds):
    path, _, events = load(folder, style)
    rows = []
    for cores in (1, 2):
        for flags in (["-args", "all"], ["-args", "needed"], ["-args", "needed", "-python=false"]):
            t = Tool("readbench", pinned(cores, [bench, "-workers", str(cores), "-repeat", "3", *flags, path]), {"GOMAXPROCS": str(cores)})
            try:
                results = [json.loads(run(t, keep_output=True).out.splitlines()[-1]) for _ in range(rounds)]
            except (Failed, ValueError, IndexError) as e:
                print(f"left out: {e}", file=sys.stderr)
                continue
            mid = {k: statistics.median(r[k] for r in results) for k in ("mb_s_cold", "mb_s_warm", "warm_s", "peak_rss_mb")}
            rows.append([cores, "`" + " ".join(flags) + "`", f"{mid['mb_s_cold']:.0f}", f"{mid['mb_s_warm']:.0f}",
                         f"{events / mid['warm_s'] / 1e6:.1f}", f"{mid['peak_rss_mb']:.0f} MB"])
    print(f"### The reader alone, {style}\n")
    print(f"Cold is the first pass of a fresh process, warm the best of three more; medians of {rounds} processes.\n")
    print(table(["cores", "arguments", "cold MB/s", "warm MB/s", "warm M events/s", "peak memory"], rows), flush=True)


def doubling(folder, reel, rounds):
    rows = []
    for style in ("pretty", "minified"):
        half, half_mb, _ = load(folder, style + "-half")
        path, mb, _ = load(folder, style)
        all = [Tool("half", [reel, "summary", half]), Tool("whole", [reel, "summary", path])]
        runs = interleave(all, max(rounds, 9))  # a ratio of two noisy times
        if not runs["half"] or not runs["whole"]:
            continue
        grows = statistics.median(b.wall / a.wall for a, b in zip(runs["half"], runs["whole"]))
        rows.append([style, f"{half_mb:.0f} MB: {seconds(median(runs['half']))}", f"{mb:.0f} MB: {seconds(median(runs['whole']))}", f"{mb / half_mb:.2f}", f"{grows:.2f}"])
    print("### Twice the input, `reel summary`\n")
    print(table(["style", "half", "whole", "size ratio", "time ratio (median of pairs)"], rows), flush=True)


def report(folder, reel, bench, rounds, script):
    for style in ("pretty", "minified"):
        whole(folder, style, reel, rounds, script)
        if bench:
            reader(folder, style, bench, min(rounds, 3))
    if reel:
        doubling(folder, reel, rounds)
