#!/usr/bin/env python3
"""Measures `reel export` of one trace, format by format, beside `reel summary` of it
and the compressor alone, in fresh processes, interleaved; prints a Markdown table.

  scripts/bench-export.py [-n ROUNDS] REEL TRACE

The compressor alone is gzip (or zstd) of what the export wrote, uncompressed; formats
that are not compressed are compared with the summary alone."""
import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time

FORMATS = [
    ("chrome", ".json", None),
    ("chrome", ".json.gz", "gzip"),
    ("chrome", ".json.zst", "zstd"),
    ("perfetto", ".pftrace", None),
    ("xlsx", ".xlsx", None),
    ("stacks", "", None),
    ("speedscope", ".speedscope.json", None),
    ("profiler-out", ".txt", None),
    ("pprof", ".pb.gz", None),
    ("parquet", "", None),
    ("csv", "", None),
    ("json", "", None),
    ("html", ".html", None),
]


def run(*command, out=subprocess.DEVNULL):
    """Seconds and peak resident MB of one process."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)}: exit status {status}")
    return time.perf_counter() - start, usage.ru_maxrss / 1000


def size(path):
    if os.path.isdir(path):
        return sum(os.path.getsize(os.path.join(path, f)) for f in os.listdir(path))
    return os.path.getsize(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=5, metavar="ROUNDS")
    parser.add_argument("reel")
    parser.add_argument("trace")
    args = parser.parse_args()
    print("| format | wall | written | peak memory | time / (`reel summary` + compressor) |")
    print("| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "plain.json")
        run(args.reel, "export", args.trace, "--to", "chrome", "-o", plain)
        for name, suffix, compressor in FORMATS:
            if compressor and not shutil.which(compressor):
                print(f"| `{name}` to `{suffix}` | skipped: no {compressor} | | | |")
                continue
            out = os.path.join(folder, name + suffix)
            walls, ratios, peaks = [], [], []
            for _ in range(args.n):
                base, _ = run(args.reel, "summary", args.trace)
                if compressor:
                    base += run(compressor, "-c", plain)[0]
                wall, peak = run(args.reel, "export", args.trace, "--to", name, "-o", out, "--force")
                walls.append(wall)
                ratios.append(wall / base)
                peaks.append(peak)
            print(f"| `{name}`{' to `' + suffix + '`' if compressor else ''} | {statistics.median(walls) * 1000:.0f} ms "
                  f"| {size(out) / 1e6:.2f} MB | {statistics.median(peaks):.0f} MB | {statistics.median(ratios):.2f} |")


if __name__ == "__main__":
    main()
