"""Describe the machine and the tools' versions, in Markdown."""

import datetime
import importlib.metadata
import os
import platform
import subprocess

PACKAGES = ["HolisticTraceAnalysis", "pandas", "orjson", "duckdb"]


def cpu():
    try:
        with open("/proc/cpuinfo") as f:
            for line in f:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def memory():
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"


def first_line(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
        return (done.stdout or done.stderr).strip().splitlines()[0]
    except (OSError, IndexError, subprocess.SubprocessError):
        return "absent"


def describe(reel):
    day = datetime.date.today().isoformat()
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    lines = [f"{day}, {cpu()}, {cores()} cores, {memory()}, {platform.system()} {platform.release()}; load before the run {load}.", ""]
    versions = [first_line(reel, "version") if reel else "reel: not built", first_line("go", "version"), "Python " + platform.python_version()]
    for name in PACKAGES:
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            versions.append(f"{name} absent")
    versions += ["node " + first_line("node", "--version"), first_line("gzip", "--version")]
    return "\n".join(lines) + "\n" + "; ".join(versions) + ".\n"
