"""The run folder: where a process's recording goes, and the note that it leaves there.

The form of the note is schema/run-1.schema.json. A launcher joins the notes of all
processes; without one each process joins what it finds. A fault here is no concern of
the program that is recorded.
"""
from __future__ import annotations

import datetime
import json
import os
import sys
import time
from typing import Any, Dict, List, Optional

from ._file import _host

_EXPLAINS = ("CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF", "OMP_NUM_THREADS", "MKL_NUM_THREADS",
             "RANK", "LOCAL_RANK", "WORLD_SIZE", "REEL_WINDOW", "REEL_NVTX", "REEL_MODE", "FLASHDREAMS_NVTX", "TLLM_PROFILE_VISUAL_GEN_START_STOP")
VIEWERS = {"recording": "reel view", "trace": "reel view, or https://ui.perfetto.dev", "memory": "https://pytorch.org/memory_viz"}


def slug(text: str) -> str:
    """A file name made of text."""
    out = "".join(c if c.isascii() and c.isalnum() or c in "._-" else "-" for c in text).strip("-.")
    return out[:80] or "run"


def app() -> str:
    """What this program is called."""
    first = sys.argv[0] if getattr(sys, "argv", None) else ""
    name = os.path.basename(first)
    if name == "__main__.py":
        name = os.path.basename(os.path.dirname(first))
    return slug(name[:-3] if name.endswith(".py") else name or "python")


def choose(environ: "Dict[str, str]", name: str = "") -> str:
    """The run folder that the environment names, or a new one's path."""
    folder = environ.get("REEL_RUN_DIR", "")
    if folder:
        return os.path.abspath(folder)
    stamp = time.strftime("%Y%m%d-%H%M%S")
    return os.path.abspath(os.path.join("artifacts", "profiles", f"{name or app()}-{stamp}-{os.getpid()}"))


def used(folder: str) -> bool:
    """Whether a process has left its note in the run folder."""
    try:
        return any(n.startswith("rank") for n in os.listdir(os.path.join(folder, ".ranks")))
    except OSError:
        return False


def free(path: str) -> str:
    """The path, or the next one of its kind that nothing has: stem-2.json.gz."""
    folder, base = os.path.split(path)
    stem, suffix = split(base)
    for n in range(2, 10_000):
        if not os.path.lexists(path):
            break
        path = os.path.join(folder, f"{stem}-{n}{suffix}")
    return path


def split(name: str) -> "tuple[str, str]":
    """Cuts a name before its suffix; .json.gz is one."""
    for s in (".pt.trace.json.gz", ".json.gz", ".json.zst"):
        if name.lower().endswith(s):
            return name[: -len(s)], name[-len(s) :]
    return os.path.splitext(name)


def replace(path: str, data: bytes) -> None:
    """Writes a file whole, or not at all."""
    temp = os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.{os.getpid()}-{time.monotonic_ns():x}.tmp")
    try:
        with open(temp, "xb") as f:
            f.write(data)
        os.replace(temp, path)
    except BaseException:
        if os.path.exists(temp):
            os.unlink(temp)
        raise


def now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat()


class Note:
    """What this process says of itself in the run folder."""

    def __init__(self, folder: str, rank: int, world: int, window: str, config: "Optional[Dict[str, Any]]"):
        self.folder = folder
        self.info: Dict[str, Any] = {"app": app(), "versions": {"python": sys.version.split()[0], "platform": sys.platform}}
        if window:
            self.info["window"] = window
        if world:
            self.info["world_size"] = world
        if config:
            self.info["config"] = config
        self.rank: Dict[str, Any] = {"rank": rank, "pid": os.getpid(), "host": _host(), "state": "recording", "started": now(),
                                     "environment": {k: os.environ[k] for k in _EXPLAINS if os.environ.get(k)}}
        self.files: List[Dict[str, Any]] = []
        self.faults: List[str] = []
        self.open: List[str] = []  # torch windows under way

    def add(self, path: str, kind: str) -> None:
        """Lists a file of the run folder."""
        rel = os.path.relpath(path, self.folder)
        if not rel.startswith("..") and not any(f["path"] == rel for f in self.files):
            self.files.append({"id": str(len(self.files) + 1), "kind": kind, "role": "source", "size_bytes": 0, "path": rel.replace(os.sep, "/"),
                               "viewer": VIEWERS.get(kind, "")})

    def write(self, **more: Any) -> None:
        """Writes the note as it stands; a window that is open is said to be lost, which
        is true for as long as nobody writes the note again."""
        self.rank.update(more)
        self.rank["faults"] = self.faults + [f"{w} was open when the process ended: its trace is lost" for w in self.open]
        for f in self.files:
            try:
                f["size_bytes"] = os.path.getsize(os.path.join(self.folder, f["path"]))
            except OSError:
                pass
        self.rank["files"] = self.files
        for name in ("torch", "diffusers"):
            version = getattr(sys.modules.get(name), "__version__", None)
            if version:
                self.info["versions"][name] = str(version)
        parts = os.path.join(self.folder, ".ranks")
        try:
            os.makedirs(parts, exist_ok=True)
            name = f"rank{self.rank['rank']}-{self.rank['pid']}.json"
            replace(os.path.join(parts, name), json.dumps({"info": self.info, "rank": self.rank}).encode())
            self._join(parts)
        except (OSError, ValueError):
            pass

    def _join(self, parts: str) -> None:
        """Makes run.json where there is no launcher that does."""
        notes = []
        for name in sorted(os.listdir(parts)):
            if name.endswith(".json"):
                with open(os.path.join(parts, name), encoding="utf-8") as f:
                    notes.append(json.load(f))
        if any(n.get("launch") for n in notes):
            return
        ranks = sorted((n["rank"] for n in notes), key=lambda r: (r["rank"], r["pid"]))
        run: Dict[str, Any] = {"schema": "reel.run/1", **notes[0]["info"], "ranks": ranks}
        run["coverage"] = [line(r["rank"], c) for r in ranks for c in r.get("coverage", [])]
        run["warnings"] = [f"rank {r['rank']}: {fault}" for r in ranks for fault in r.get("faults", [])]
        replace(os.path.join(self.folder, "run.json"), json.dumps(run, indent=2).encode() + b"\n")


def line(rank: int, c: "Dict[str, Any]") -> str:
    """A coverage in words."""
    missed = f" ({c['missed']})" if c.get("missed") else ""
    if not c["entered"] and not c["events"]:
        return f"{c['asked']}: nothing{missed}"
    of = f" of {c['of']}" if c["of"] else ""
    return f"{c['asked']}: entered {c['entered']}{of} {c['unit']}, {c['events']} events, {c['device_events']} device events on rank {rank}{missed}"
