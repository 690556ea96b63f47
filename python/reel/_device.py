"""Device times of stages and steps, by events of the device: recorded as a stage begins
and ends, read when the request is over. Nothing here waits for the device.

An event is reached by the device at the earliest when the host records it. So the
latest of (host time - device time) over a request's events ties the two clocks: exactly
to the extent that the device was idle at one of them.
"""
from __future__ import annotations

import itertools
from time import monotonic_ns
from typing import Any, Dict, List, Optional

from . import profiler
from ._file import ACTIVITY, GPU_ANNOTATION, LINK, RANGE, RUNTIME, STREAM, Handle

MAX_PENDING = 20_000
_links = itertools.count(1 << 40)  # apart from those of others


class Mark:
    """A stretch between two events of a stream."""

    __slots__ = ("name", "first", "last", "began", "ended", "device", "stream", "link")


class Device:
    """Takes device times with the events of a back end such as torch.cuda."""

    def __init__(self, backend: Any, kind: str = "cuda"):
        self.backend, self.kind = backend, kind
        self.free: "Dict[int, List[Any]]" = {}  # of each device: an event is of the one that it was recorded on first
        self.pending: List[Mark] = []
        self.handles: "Dict[tuple[int, int], Handle]" = {}
        self.dropped = 0

    def _event(self, device: int) -> Any:
        free = self.free.setdefault(device, [])
        try:
            return free.pop()
        except IndexError:
            return self.backend.Event(enable_timing=True)

    def index(self, owner: Any) -> "Optional[int]":
        """The device that a pipeline says it is on; None where it does not."""
        d: Any = getattr(owner, "device", None)
        return d.index if getattr(d, "type", "") == self.kind else None

    def begin(self, name: str, request: Any = None) -> "Optional[Mark]":
        """Marks that a stage begins; None where the device is not in use."""
        b = self.backend
        if not b.is_initialized() or getattr(b, "is_current_stream_capturing", _no)():
            return None
        m = Mark()
        m.device = b.current_device() if request is None or request.device is None else request.device
        stream = b.current_stream(m.device)
        m.name, m.first, m.last, m.ended = name, self._event(m.device), None, 0
        m.stream = getattr(stream, "stream_id", 0)
        m.link, m.began = next(_links), monotonic_ns()
        m.first.record(stream)
        profiler.complete(RANGE, "eventRecord", m.began, monotonic_ns() - m.began, LINK, m.link, RUNTIME)
        (request.marks if request is not None else self.pending).append(m)
        return m

    def end(self, m: Mark) -> None:
        """Marks that the stage ends, on the stream of its device that is current now."""
        if getattr(self.backend, "is_current_stream_capturing", _no)():
            return
        last = self._event(m.device)
        m.ended = monotonic_ns()
        last.record(self.backend.current_stream(m.device))
        m.last = last

    def collect(self, marks: "List[Mark]") -> None:
        """Stores what the device has reached; the rest is looked at again later."""
        todo = self.pending + [m for m in marks if m.last is not None]
        marks.clear()
        done = [m for m in todo if m.last is not None and _reached(m.last)]
        ready = set(map(id, done))
        self.pending = [m for m in todo if id(m) not in ready]
        if len(self.pending) > MAX_PENDING:
            self.dropped += len(self.pending) - MAX_PENDING
            self.pending = self.pending[-MAX_PENDING:]
        for device in sorted({m.device for m in done}):
            self._store([m for m in done if m.device == device])

    def _store(self, marks: "List[Mark]") -> None:
        timed = self._timed(marks)
        offset = max((max(m.began - at, m.ended - at - took) for m, at, took in timed), default=0)
        for m, at, took in timed:
            h = self._handle(m)
            if h is not None:
                profiler.complete(ACTIVITY, m.name, at + offset, max(0, took), LINK, m.link, GPU_ANNOTATION, handle=h)
            self.free[m.device] += [m.first, m.last]

    def _timed(self, marks: "List[Mark]") -> "List[tuple[Mark, int, int]]":
        """When each mark began, from the first one's on, and how long it took. One that the
        device has no time of is dropped alone."""
        out: "List[tuple[Mark, int, int]]" = []
        for m in marks:
            try:
                took = m.first.elapsed_time(m.last)
                at = out[0][0].first.elapsed_time(m.first) if out else 0
            except Exception:
                self.dropped += 1
                continue
            out.append((m, round(at * 1e6), round(took * 1e6)))
        return out

    def _handle(self, m: Mark) -> "Optional[Handle]":
        file = profiler._file_now
        key = (m.device, m.stream)
        h = self.handles.get(key)
        if file is not None and (h is None or h.file is not file):
            h = self.handles[key] = Handle(file, f"{self.kind}:{m.device} stages and steps", STREAM, m.device, m.stream)
        return h if file is not None else None


def _no() -> bool:
    return False


def _reached(event: Any) -> bool:
    """Whether the device is done with it; of a broken one elapsed_time says so."""
    try:
        return bool(event.query())
    except Exception:
        return True


def find(torch: Any) -> "Optional[Device]":
    """The accelerator whose events can be timed; None on a CPU alone."""
    for kind in ("cuda", "xpu"):
        b = getattr(torch, kind, None)
        try:
            if b is not None and b.is_available() and hasattr(b, "Event") and hasattr(b, "is_initialized"):
                return Device(b, kind)
        except Exception:
            pass
    return None
