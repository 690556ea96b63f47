"""Run commands as fresh processes and measure wall time and peak memory.

Peak memory is what the kernel reports of the child. The child is forked from
this Python, whose own size counts: what is no larger than that is marked."""

import dataclasses
import os
import resource
import statistics
import subprocess
import sys
import time

# ru_maxrss counts bytes on macOS and KiB elsewhere; we count MB.
SCALE = 1e6 if sys.platform == "darwin" else 1e6 / 1024


@dataclasses.dataclass
class Tool:
    name: str
    command: list
    env: dict = dataclasses.field(default_factory=dict)
    rounds: int = 0  # 0: as many as the others
    mb: float = 0.0  # MB of JSON text that it reads
    events: int = 0
    note: str = ""


@dataclasses.dataclass
class Run:
    wall: float  # seconds
    rss: float  # MB
    out: str


class Failed(Exception):
    pass


def run(tool, keep_output=False):
    """One fresh process; raises Failed when it does not end well."""
    out = subprocess.PIPE if keep_output else subprocess.DEVNULL
    env = dict(os.environ, **tool.env)
    begin = time.monotonic()
    child = subprocess.Popen(tool.command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, env=env)
    text = child.stdout.read().decode() if keep_output else ""
    errors = child.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        last = errors.strip().splitlines()[-1:] or [""]
        raise Failed(f"{tool.name}: exit {child.returncode}: {last[0][:200]}")
    return Run(wall, usage.ru_maxrss / SCALE, text)


def interleave(tools, rounds):
    """Run every tool once per round, so that a noisy minute hits all alike.
    A tool that fails is reported and left out from then on."""
    runs = {t.name: [] for t in tools}
    dead = set()
    for i in range(rounds):
        for t in tools:
            if t.name in dead or (t.rounds and i >= t.rounds):
                continue
            try:
                runs[t.name].append(run(t))
            except (Failed, OSError) as e:
                dead.add(t.name)
                runs[t.name] = []
                print(f"left out: {e}", file=sys.stderr)
            print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return runs


def median(runs, field="wall"):
    return statistics.median(getattr(r, field) for r in runs)


def ratio(runs, base):
    """Median of the ratios to base within each round; None without a pair."""
    pairs = [a.wall / b.wall for a, b in zip(runs, base)]
    return statistics.median(pairs) if pairs else None


def memory(rss):
    """Peak memory in MB; what cannot be told from this process is marked."""
    floor = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / SCALE + 1
    return f"{rss:.0f} MB" if rss > floor else f"under {floor:.0f} MB"


def seconds(s):
    return f"{s * 1e3:.0f} ms" if s < 1 else f"{s:.2f} s"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(str(c) for c in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"
