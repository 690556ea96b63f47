"""Compare reel with its peers on the same files, and print Markdown for
docs/performance.md. bench-peers.sh beside this folder prepares what it needs."""

import argparse
import gzip
import os
import sys

import large
import machine
from measure import Tool, interleave, median, memory, ratio, seconds, table

HERE = os.path.dirname(os.path.abspath(__file__))


def script(name, *args):
    program = "node" if name.endswith(".js") else sys.executable
    return [program, os.path.join(HERE, name), *args]


def text_mb(path):
    if not path.endswith(".gz"):
        return os.path.getsize(path) / 1e6
    total = 0
    with gzip.open(path) as f:
        while block := f.read(1 << 20):
            total += len(block)
    return total / 1e6


def peers(path):
    tools = [
        Tool("`gzip -dc`", ["gzip", "-dc", path]),
        Tool("Python `json.load`", script("json_load.py", path)),
        Tool("Python `orjson`", script("orjson_load.py", path)),
        Tool("DuckDB `read_json`", script("duckdb_read.py", path)),
        Tool("Node `JSON.parse`", script("node_parse.js", path)),
        Tool("HTA load + temporal breakdown", script("hta_breakdown.py", path)),
    ]
    if not path.endswith(".gz"):
        tools[0] = Tool("`cat`", ["cat", path])
    return tools


def sample(path, reel, rounds):
    mb = text_mb(path)
    tools = peers(path)
    if reel:
        tools = [Tool("`reel summary`", [reel, "summary", path]), Tool("`reel version`", [reel, "version"])] + tools
    runs = interleave(tools, rounds)
    base = runs.get("`reel summary`", [])
    rows = []
    for t in tools:
        if not (r := runs[t.name]):
            rows.append([t.name, "failed", "", "", "", ""])
            continue
        walls = [x.wall for x in r]
        times = ratio(r, base)
        rows.append([t.name, seconds(median(r)), f"{seconds(min(walls))} to {seconds(max(walls))}",
                     f"{mb / median(r):.0f}" if "version" not in t.name else "", memory(median(r, "rss")),
                     f"{times:.2f}" if times else ""])
    print(f"### One sample: {os.path.basename(path)}, {os.path.getsize(path) / 1e6:.1f} MB, {mb:.1f} MB of text\n")
    print(f"Fresh processes, interleaved, {rounds} rounds; medians. The last column is the median over the rounds of "
          "the tool's time divided by that of `reel summary` in the same round.\n")
    print(table(["tool", "wall", "range", "MB/s of text", "peak memory", "time / `reel summary`"], rows), flush=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--reel", default="")
    p.add_argument("--readbench", default="")
    p.add_argument("--sample", default="")
    p.add_argument("--large", default="", help="folder with the generated files")
    a = p.parse_args()
    print(machine.describe(a.reel))
    if a.sample:
        sample(a.sample, a.reel, a.rounds)
    if a.large:
        large.report(a.large, a.reel, a.readbench, a.rounds, script)


if __name__ == "__main__":
    main()
