"""Start-up phases: where a cold start goes.

    with collect_startup_timings() as timings:
        pipe = WanPipeline.from_pretrained(path)
    print(timings.to_dict())

Phases nest; a phase that fails is recorded as such and its exception goes on. A
collector belongs to the context that it is opened in, and to this process: spawned
workers collect for themselves. Phases are ranges of the recording as well.

The report's form is schema/startup-1.schema.json, which `reel startup show` reads.
"""
from __future__ import annotations

import contextvars
import json
import os
import platform
import sys
import threading
import time
from typing import Any, Callable, Dict, List, Optional

from . import _folder, _process, profiler
from ._file import RANGE, _host
from ._imports import End, finder

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

MAX_PHASES = 100_000
MIN_IMPORT = 20_000_000  # ns
_current: "contextvars.ContextVar[Any]" = contextvars.ContextVar("reel.startup", default=None)  # (collector, phase id)
_within: "contextvars.ContextVar[Any]" = contextvars.ContextVar("reel.startup.own", default=None)  # the same of _always
_always: "Optional[StartupTimings]" = None  # the process's own, under reel profile
_first = False  # its first request has begun


def _forget() -> None:
    """A forked child has no report: the start-up was its parent's."""
    global _always
    _always = finder.watch = None
    _current.set(None)
    _within.set(None)


_process.in_child.append(_forget)


class StartupTimings:
    """What collect_startup_timings collects. synchronize, where given, is called as
    phases begin and end, so that a phase holds its own device work; it must do nothing
    before the device is initialised."""

    def __init__(self, synchronize: "Optional[Callable[[], Any]]" = None, faults: bool = True, origin_ns: int = 0):
        self.synchronize, self.faults = synchronize, faults
        self.started = origin_ns or time.time_ns()
        self.offset = time.time_ns() - self.started
        self.began = time.perf_counter_ns() - self.offset
        self.ended = 0
        self.phases: List[Dict[str, Any]] = []
        self.environment: Dict[str, Any] = {}
        self.more: Dict[str, Any] = {}
        self.lost = 0
        self.written: "tuple[str, bytes]" = ("", b"")  # the file that it was left in
        self.lock = threading.Lock()
        self._token: Any = None

    def __enter__(self) -> "StartupTimings":
        self._token = _current.set((self, None))
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        if self._token is not None:
            _current.reset(self._token)
            self._token = None

    def close(self) -> None:
        """Ends the collection; a second time does nothing."""
        self.ended = self.ended or time.perf_counter_ns()

    def add(self, name: str, start_ns: int, end_ns: int, parent: "Optional[int]" = None) -> None:
        """Adds a phase that is over; times are Unix nanoseconds."""
        with self.lock:
            self.phases.append({"id": len(self.phases), "parent_id": parent, "name": name, "start_ns": start_ns - self.started,
                                "duration_ns": max(0, end_ns - start_ns), "status": "success"})

    def begin(self, name: str, parent: "Optional[int]") -> "Optional[Dict[str, Any]]":
        self._sync()
        p: Dict[str, Any] = {"id": 0, "parent_id": parent, "name": name, "start_ns": 0, "duration_ns": 0, "status": "open"}
        if self.faults:
            p["_faults"] = page_faults()
        with self.lock:
            if len(self.phases) >= MAX_PHASES or self.ended:
                self.lost += 1
                return None
            p["id"] = len(self.phases)
            p["start_ns"] = time.perf_counter_ns() - self.began
            self.phases.append(p)
        return p

    def end(self, p: "Dict[str, Any]", error: "Optional[BaseException]") -> None:
        self._sync()
        p["duration_ns"] = time.perf_counter_ns() - self.began - p["start_ns"]
        p["status"] = "success" if error is None else "error"
        if error is not None:
            p["error"] = f"{type(error).__name__}: {error}"[:2000]
        before = p.pop("_faults", None)
        after = page_faults() if before is not None else None
        if before is not None and after is not None:
            p["attrs"] = {"minor_faults": after[0] - before[0], "major_faults": after[1] - before[1]}

    def _sync(self) -> None:
        if self.synchronize is not None:
            self.synchronize()

    def to_dict(self) -> "Dict[str, Any]":
        """The report, of what has been collected so far."""
        end = self.ended or time.perf_counter_ns()
        phases = [{k: v for k, v in p.items() if k != "_faults"} for p in self.phases]
        for p in phases:
            if p["status"] == "open":
                p["duration_ns"] = max(0, end - self.began - p["start_ns"])
        out: Dict[str, Any] = {"schema_version": 1, "artifact_type": "reel.startup", "started_at_unix_ns": self.started, "duration_ns": end - self.began,
                               "synchronized": self.synchronize is not None, "phases": phases, "environment": self.environment or environment()}
        rank = os.environ.get("RANK", "")
        if rank.isdigit():
            out["rank"] = int(rank)
        if self.lost:
            out["notes"] = [f"{self.lost} phases were not kept: more than {MAX_PHASES}, or after the end"]
        out.update(self.more)
        return out


class phase:
    """One phase within the context's, for a with statement or a decorator: where nobody
    collects it is a range of the recording, and nothing without one. One of Reel's own is
    in the process's report alone."""

    def __init__(self, name: str, record: bool = True, own: bool = False):
        self.name, self.record, self.own = name, record, own
        self._all: "List[tuple[Any, Any, Any, Any]]" = []
        self._span: Any = None

    def __enter__(self) -> "phase":
        if not self.own:
            self._begin(_current, _current.get())
        if _always is not None and not _always.ended:
            self._begin(_within, _within.get() or (_always, None))
        if self.record:
            self._span = profiler.begin(self.name)
        return self

    def _begin(self, where: "contextvars.ContextVar[Any]", at: Any) -> None:
        p = at[0].begin(self.name, at[1]) if at is not None else None
        if p is not None:
            self._all.append((at[0], p, where, where.set((at[0], p["id"]))))

    def __exit__(self, kind: Any = None, error: Any = None, trace: Any = None) -> None:
        if self._span is not None:
            self._span.end()
        while self._all:
            c, p, where, token = self._all.pop()
            try:
                where.reset(token)
            except ValueError:  # ended in another context
                pass
            c.end(p, error)

    def __call__(self, f: "Callable[..., Any]") -> "Callable[..., Any]":
        from .scopes import _wrapped

        return _wrapped(f, lambda: phase(self.name))


def collect_startup_timings(synchronize: "Optional[Callable[[], Any]]" = None) -> StartupTimings:
    """Collects the phases of the with block; nested collectors each keep their own."""
    return StartupTimings(synchronize)


def page_faults() -> "Optional[tuple[int, int]]":
    """The process's page faults so far: minor and major."""
    if resource is None:
        return None
    u = resource.getrusage(resource.RUSAGE_SELF)
    return u.ru_minflt, u.ru_majflt


def environment() -> "Dict[str, Any]":
    """What was measured, without what could be a secret."""
    versions = {"python": sys.version.split()[0]}
    for name in ("torch", "diffusers", "transformers", "safetensors"):
        v = getattr(sys.modules.get(name), "__version__", None)
        if v:
            versions[name] = str(v)
    return {"hardware": f"{sys.platform}/{platform.machine()}, {os.cpu_count()} cores", "host": _host(), "versions": versions}


def collect_always() -> None:
    """Collects until the end of the first request, and leaves the report in the run folder:
    what `reel profile` asks for."""
    global _always
    born = _born()
    _always = StartupTimings(origin_ns=born)
    if born:
        _always.add("interpreter", born, time.time_ns())


def importing(name: str) -> End:
    """The phase of a module's import, from now until what it returns is called."""
    p = phase(f"import.{name}", own=True)
    p.__enter__()
    return lambda error: p.__exit__(None, error)


def importing_other(name: str) -> End:
    """The same of any module: kept when it took MIN_IMPORT."""
    p, began = phase(f"import.{name}", record=False, own=True), time.monotonic_ns()
    p.__enter__()

    def ended(error: "Optional[BaseException]") -> None:
        took = time.monotonic_ns() - began
        mine = list(p._all)
        p.__exit__(None, error)
        if took >= MIN_IMPORT:
            profiler.complete(RANGE, p.name, began, took)
            return
        for c, x, *_ in mine:
            with c.lock:
                if c.phases and c.phases[-1] is x:  # nothing began within it
                    c.phases.pop()
    return ended


def first_request() -> "Optional[Callable[[], None]]":
    """Begins the phase of the process's first request, with whose end its start-up is over;
    None when it has been."""
    global _first
    if _always is None or _always.ended or _first:
        return None
    _first = True
    p = phase("first_request", record=False, own=True)
    p.__enter__()

    def ended() -> None:
        p.__exit__(None, None, None)
        if _always is not None:
            _always.close()
        finder.watch = None
    return ended


def _born() -> int:
    """When this process was started, Unix nanoseconds; 0 when it cannot be told."""
    try:
        with open("/proc/self/stat", "rb") as f:
            ticks = int(f.read().rpartition(b")")[2].split()[19])
        boot = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
        return int((boot + ticks / os.sysconf("SC_CLK_TCK")) * 1e9)
    except (OSError, ValueError, AttributeError, IndexError):
        return 0


def leave(p: "_process.Process") -> None:
    """Leaves the process's own report in its run folder: as its start-up is over, since nobody
    knows how the process ends, and at the end what has changed since."""
    if _always is None or not _always.phases or not p.folder or p.file is None and p.note is None:
        return
    _always.close()
    path, before = _always.written
    data = json.dumps(_always.to_dict(), indent=2).encode() + b"\n"
    if data == before:
        return
    if not path:
        os.makedirs(os.path.join(p.folder, "startup"), exist_ok=True)
        path = _folder.free(os.path.join(p.folder, "startup", f"startup_rank{max(p.rank, 0)}.json"))
    _folder.replace(path, data)
    _always.written = path, data
