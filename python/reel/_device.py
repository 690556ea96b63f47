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
        self.free: List[Any] = []
        self.pending: List[Mark] = []
        self.handles: "Dict[tuple[int, int], Handle]" = {}
        self.dropped = 0

    def _event(self) -> Any:
        try:
            return self.free.pop()
        except IndexError:
            return self.backend.Event(enable_timing=True)

    def begin(self, name: str, request: Any = None) -> "Optional[Mark]":
        """Marks that a stage begins; None where the device is not in use."""
        b = self.backend
        if not b.is_initialized() or getattr(b, "is_current_stream_capturing", _no)():
            return None
        stream = b.current_stream()
        m = Mark()
        m.name, m.first, m.last, m.ended = name, self._event(), None, 0
        m.device, m.stream = b.current_device(), getattr(stream, "stream_id", 0)
        m.link, m.began = next(_links), monotonic_ns()
        m.first.record(stream)
        profiler.complete(RANGE, "eventRecord", m.began, monotonic_ns() - m.began, LINK, m.link, RUNTIME)
        (request.marks if request is not None else self.pending).append(m)
        return m

    def end(self, m: Mark) -> None:
        """Marks that the stage ends, on the stream that is current now."""
        if getattr(self.backend, "is_current_stream_capturing", _no)():
            return
        last = self._event()
        m.ended = monotonic_ns()
        last.record(self.backend.current_stream())
        m.last = last

    def collect(self, marks: "List[Mark]") -> None:
        """Stores what the device has reached; the rest is looked at again later."""
        todo = self.pending + [m for m in marks if m.last is not None]
        marks.clear()
        done = [m for m in todo if m.last is not None and m.last.query()]
        ready = set(map(id, done))
        self.pending = [m for m in todo if id(m) not in ready]
        if len(self.pending) > MAX_PENDING:
            self.dropped += len(self.pending) - MAX_PENDING
            self.pending = self.pending[-MAX_PENDING:]
        for device in sorted({m.device for m in done}):
            self._store([m for m in done if m.device == device])

    def _store(self, marks: "List[Mark]") -> None:
        base = marks[0].first
        at = {}
        offset = None
        for m in marks:
            first, last = (round(base.elapsed_time(e) * 1e6) if e is not base else 0 for e in (m.first, m.last))
            at[id(m)] = (first, last)
            for host, ticks in ((m.began, first), (m.ended, last)):
                offset = host - ticks if offset is None else max(offset, host - ticks)
        for m in marks:
            first, last = at[id(m)]
            h = self._handle(m)
            if h is not None:
                profiler.complete(ACTIVITY, m.name, first + (offset or 0), max(0, last - first), LINK, m.link, GPU_ANNOTATION, handle=h)
            self.free += [m.first, m.last]

    def _handle(self, m: Mark) -> "Optional[Handle]":
        file = profiler._file_now
        key = (m.device, m.stream)
        h = self.handles.get(key)
        if file is not None and (h is None or h.file is not file):
            h = self.handles[key] = Handle(file, f"{self.kind}:{m.device} stages and steps", STREAM, m.device, m.stream)
        return h if file is not None else None


def _no() -> bool:
    return False


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
