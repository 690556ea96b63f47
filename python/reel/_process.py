"""What this process records: the recording, its windows and its end.

The environment says it once, when the package is imported (docs/python.md has the
variables). The recording begins with the first range, so that a process that records
nothing leaves no file; a forked child has a recording of its own.
"""
from __future__ import annotations

import atexit
import os
import sys
import threading
from typing import Any, Callable, Dict, List, Optional

from . import _file, _folder, profiler, window

RANKS = ("REEL_RANK", "RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID")
WORLDS = ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS")


def warn(text: str) -> None:
    """Says something to the user, once."""
    if text in _said or len(_said) > 100:
        return
    _said.add(text)
    try:
        print(f"reel: {text}", file=sys.stderr)
    except Exception:
        pass


_said: "set[str]" = set()


def number(environ: "Dict[str, str]", names: "tuple[str, ...]", none: int) -> int:
    """The first of the variables that holds a number."""
    for n in names:
        v = environ.get(n, "")
        if v.isascii() and v.isdigit() and len(v) < 10:
            return int(v)
    return none


class Process:
    """The state of this process. There is one, and a forked child has another."""

    def __init__(self, environ: "Optional[Dict[str, str]]" = None):
        e = self.environ = dict(os.environ if environ is None else environ)
        self.rank, self.world = number(e, RANKS, -1), number(e, WORLDS, 0)
        self.lock = threading.RLock()
        self.file: Optional[_file.File] = None
        self.note: Optional[_folder.Note] = None
        self.gate: Optional[window.Gate] = None
        self.current: Any = None  # the request that the gate follows
        self.session: Any = None  # of the profiler_config
        self.folder, self.trace_path = "", ""
        self.closing: List[Callable[[], None]] = []  # called before the recording is closed
        self.device: Any = None  # times stages on the device
        self.prepare: Optional[Callable[[], None]] = None  # called before a request whose windows matter
        self.seen: Dict[str, List[int]] = {}  # events and device events by what was asked for
        self.record = e.get("REEL_RECORD", "")
        self.spec, self.outer = self._windows()
        self.torch_options: Optional[Dict[str, Any]] = None  # the profiler_config of torch windows
        self.forked = False

    def _windows(self) -> "tuple[window.Spec, bool]":
        """The windows asked for, and whether they are those of the range variable."""
        e = self.environ
        own, trt, path = e.get("REEL_WINDOW", ""), e.get("TLLM_PROFILE_VISUAL_GEN_START_STOP", ""), e.get("TLLM_TORCH_PROFILE_TRACE", "")
        if own and trt:
            warn("REEL_WINDOW and TLLM_PROFILE_VISUAL_GEN_START_STOP both ask for windows; the first one counts")
        if path and not trt:
            warn("TLLM_TORCH_PROFILE_TRACE records nothing without TLLM_PROFILE_VISUAL_GEN_START_STOP; to record denoise steps 0 to 4 set that to 0-4")
        name = "REEL_WINDOW" if own or not trt else "TLLM_PROFILE_VISUAL_GEN_START_STOP"
        try:
            spec = window.parse(name, own or trt)
        except ValueError as err:
            warn(str(err))
            return window.Spec(), False
        if name != "REEL_WINDOW":
            self.trace_path = path
        return spec, name != "REEL_WINDOW"

    @property
    def recording(self) -> bool:
        """Whether the environment asks for recordings."""
        return self.record not in ("", "0") or bool(self.spec.mode) and not self.outer

    def name(self, what: str = "") -> str:
        """The path of a recording; what is the part of its name that a window gives it."""
        base = f"rec-{max(self.rank, 0)}-{os.getpid()}.reel"
        path = os.path.join(self.run_folder(), base) if self.record in ("", "0", "1") else self.record
        if path.endswith(os.sep) or os.path.isdir(path):
            path = os.path.join(path, base)
        if what:
            stem, suffix = os.path.splitext(path)
            path = f"{stem}-{what}{suffix or '.reel'}"
        return path

    def run_folder(self) -> str:
        if not self.folder:
            self.folder = _folder.choose(self.environ)
        os.makedirs(self.folder, exist_ok=True)
        return self.folder

    def noted(self) -> _folder.Note:
        if self.note is None:
            self.note = _folder.Note(self.run_folder(), max(self.rank, 0), self.world, str(self.spec), None)
        return self.note

    def open(self, what: str = "", properties: "Optional[Dict[str, str]]" = None) -> _file.File:
        """Begins a recording under a name that nothing has yet."""
        e = self.environ
        mode = {"": _file.FULL, "full": _file.FULL, "flight": _file.FLIGHT}.get(e.get("REEL_MODE", ""), 0)
        if not mode:
            warn(f'REEL_MODE={e["REEL_MODE"]!r}: want full or flight')
        limit = number(e, ("REEL_MAX_BYTES",), 0)
        path = self.name(what)
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        path = _folder.free(path)
        props = {"app": _folder.app(), "pid": str(os.getpid()), "python": sys.version.split()[0], **(properties or {})}
        file = _file.File(path, limit, mode or _file.FULL, self.rank, self.world, "Reel Python client", props)
        profiler.install(file)
        self.file = file
        if os.path.dirname(os.path.abspath(path)) == self.folder:
            self.noted().add(path, "recording")
        return file

    def begin(self) -> None:
        """Opens the recording of the whole process, where that is what is asked for."""
        try:
            self.open()
            if self.note is not None:  # a recording of its own path has no run folder
                self.note.write()
        except Exception as err:
            warn(f"nothing is recorded: {err}")
            profiler.install(None)

    def close(self) -> None:
        """Ends what is recorded; called as the interpreter ends."""
        for f in self.closing:
            try:
                f()
            except Exception as err:
                warn(f"{err}")
        with self.lock:
            gate, file = self.gate, self.file
            if gate is not None:
                gate.end_request()
            profiler.begin_with(None)
            profiler.install(None)
            cover = self.cover(file)
            if file is not None:
                file.close()
            self.file = None
            if self.note is not None or cover and self.answers():
                note = self.noted()
                if file is not None and file.dropped():
                    note.rank["dropped"] = {"recording": file.dropped()}
                if gate is not None:
                    note.faults += [f for f in gate.report.faults if f not in note.faults]
                note.write(state="failed" if note.faults else "done", ended=_folder.now(), coverage=cover)

    def answers(self) -> bool:
        """Whether a window that was never entered is this process's to tell: it had a
        request, or could have had one. Of a launcher and of a worker others tell."""
        gate = self.gate
        if gate is not None and (gate.requests or gate.report.list):
            return True
        family = sys.modules.get("multiprocessing.process")
        if self.forked or family is not None and family.parent_process() is not None:
            return False
        return not sys.modules.keys().isdisjoint(("torch", "diffusers")) and (self.rank >= 0 or not _folder.used(self.folder or _folder.choose(self.environ)))

    def cover(self, file: "Optional[_file.File]") -> "List[Dict[str, Any]]":
        """What was asked for and seen."""
        if self.gate is None:
            if file is None:
                return []
            events, device = count(file)
            return [{"asked": "recording", "entered": 1, "of": 1, "unit": "recordings", "events": events, "device_events": device}]
        out = []
        for c in self.gate.report.coverage(self.spec):
            unit = "loops" if self.spec.mode == "steps" else "requests"
            events, device = self.seen.get(c.asked, [0, 0])
            one = {"asked": f"window {c.asked}", "entered": c.entered, "of": c.of, "unit": unit, "events": events, "device_events": device}
            if c.missed:
                one["missed"] = c.missed
            out.append(one)
        return out


def count(file: _file.File) -> "tuple[int, int]":
    """Events and device events that the file holds, read from it."""
    events = 0
    try:
        with open(file.path, "rb") as f:
            for _ in range(_file.END):  # 512 MiB: beyond, counting takes longer than it is worth
                data = f.read(_file.CHUNK)
                if len(data) < _file.CHUNK:
                    break
                words = memoryview(data).cast("Q")
                if words[0] & 0xFFFF == 1 | 1 << 8:
                    states = words[_file.HEAD // 8 : _file.END : 4].tolist()
                    events += len(states) - states.count(0)
    except OSError:
        pass
    return events, file.device_events


now: "Optional[Process]" = None
in_child: List[Callable[[], None]] = []  # forget, in a forked child, what its parent is in the middle of


def configure(p: Process) -> None:
    """Sets a process up as its environment asks; the package's start replaces it."""
    if p.recording and not p.spec.mode:
        profiler.begin_with(p.begin)


def start(environ: "Optional[Dict[str, str]]" = None) -> Process:
    """Reads the environment and does what it asks for, once."""
    global now
    if now is not None:
        return now
    p = now = Process(environ)
    configure(p)
    atexit.register(_ended)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child)
    return p


def _ended() -> None:
    try:
        if now is not None:
            now.close()
    except Exception as err:
        warn(f"the run folder lacks what this process left: {err}")


def _before_fork() -> None:
    """Nobody is in the middle of a record when the process is copied."""
    if now is not None:
        now.lock.acquire()
        if now.file is not None:
            now.file.lock.acquire()


def _after_fork() -> None:
    if now is not None:
        if now.file is not None:
            now.file.lock.release()
        now.lock.release()


def _in_child() -> None:
    """The child must not store into its parent's recording: it gets one of its own."""
    global now
    old = now
    if old is None:
        return
    try:
        if old.file is not None:
            old.file.forget()
        profiler.install(None)
        profiler.begin_with(None)
        old.gate = old.session = old.file = None  # its windows are the parent's, also to what unwinds here
        for f in in_child:
            f()
        p = now = Process(old.environ)
        p.folder, p.forked = old.folder, True
        configure(p)
        util = sys.modules.get("multiprocessing.util")
        if util is not None:  # whose children leave without the interpreter's end
            util.register_after_fork(p, _finalize)
    except Exception as err:
        warn(f"the forked child {os.getpid()} is not recorded: {err}")


def _finalize(p: Process) -> None:
    util = sys.modules["multiprocessing.util"]
    util.Finalize(p, _ended, exitpriority=-100)
