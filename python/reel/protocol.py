"""FlashDreams' profiler protocol, and an implementation of it that records.

A session assigns its profiler and loops call it; every method may be left out by a
subclass of Profiler, whose own do nothing. Times are monotonic nanoseconds, steps are
(generation, number).
"""
from __future__ import annotations

import threading
import time
from contextlib import AbstractContextManager
from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import _file, profiler

StepId = Tuple[int, int]


class Profiler:
    """What a runtime tells a profiler; this one does nothing."""

    def range(self, name: str) -> "AbstractContextManager[Any]":
        return profiler.OFF  # type: ignore[return-value]

    def stage_scope(self, owner: object) -> "AbstractContextManager[Any]":
        return profiler.OFF  # type: ignore[return-value]

    def event(self, name: str, count: int = 1, step: "Optional[StepId]" = None) -> None:
        pass

    def input_received(self, received_ns: int, count: int) -> None:
        pass

    def input_consumed(self, step: StepId, received_ns: "Sequence[int]", started_ns: int) -> None:
        pass

    def input_dropped(self, received_ns: "Sequence[int]") -> None:
        pass

    def step_presented(self, step: StepId) -> None:
        pass

    def collect_stage_ms(self) -> "Dict[str, float]":
        return {}

    def collect_fps(self) -> "Dict[str, float]":
        return {}

    def collect_input_latency_ms(self) -> "Dict[str, float]":
        return {}

    def reset_counts(self) -> None:
        pass


class _Timed:
    """A range whose time counts as a stage when it is named pipeline.*."""

    def __init__(self, owner: "ReelProfiler", name: str):
        self.owner, self.name, self.span = owner, name, profiler.range(name)

    def __enter__(self) -> "_Timed":
        self.span.__enter__()
        self.began = time.monotonic_ns()
        return self

    def __exit__(self, *_: object) -> None:
        self.owner._stage(self.name[9:], (time.monotonic_ns() - self.began) / 1e6)
        self.span.__exit__()


class ReelProfiler(Profiler):
    """Goes into the recording, and counts: stages by host time, rates of events, and the
    latency of inputs. Inputs that wait are ranges named input.wait, which may overlap."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stages = threading.local()
        self.reset_counts()

    def range(self, name: str) -> "AbstractContextManager[Any]":
        return _Timed(self, name) if name.startswith("pipeline.") else profiler.range(name)

    def stage_scope(self, owner: object) -> "AbstractContextManager[Any]":
        return _Owner(self._stages)

    def _stage(self, name: str, ms: float) -> None:
        all = self._stages.__dict__.setdefault("ms", {})
        all[name] = all.get(name, 0.0) + ms

    def collect_stage_ms(self) -> "Dict[str, float]":
        """Milliseconds of this thread's stages since the last call, by stage; a second call returns none."""
        return dict(self._stages.__dict__.pop("ms", {}))

    def event(self, name: str, count: int = 1, step: "Optional[StepId]" = None) -> None:
        profiler.event(name, count, step)
        if count > 0:
            with self._lock:
                self._counts[name] = self._counts.get(name, 0) + count
                self._totals[name] = self._totals.get(name, 0) + count

    def collect_fps(self) -> "Dict[str, float]":
        """Rates since the last call and on the whole; every name that was ever seen."""
        now, out = time.monotonic_ns(), {}
        with self._lock:
            for name, total in self._totals.items():
                if now > self._since:
                    out[f"{name}_fps"] = self._counts.get(name, 0) * 1e9 / (now - self._since)
                if now > self._began:
                    out[f"{name}_avg_fps"] = total * 1e9 / (now - self._began)
            self._counts, self._since = {}, now
        return out

    def input_received(self, received_ns: int, count: int) -> None:
        if count > 0:
            with self._lock:
                self._waits.setdefault(received_ns, None)

    def input_consumed(self, step: StepId, received_ns: "Sequence[int]", started_ns: int) -> None:
        with self._lock:
            self._consumed.setdefault(step, []).append((list(received_ns), started_ns, time.monotonic_ns()))

    def input_dropped(self, received_ns: "Sequence[int]") -> None:
        with self._lock:
            for t in received_ns:
                self._end(t)

    def step_presented(self, step: StepId) -> None:
        """Ends the waits of the step, and those of older ones, which were never shown."""
        now = time.monotonic_ns()
        with self._lock:
            for other in [s for s in self._consumed if s <= step]:
                for received, started, ended in self._consumed.pop(other):
                    for t in received:
                        waited = self._end(t)
                        if other == step and waited:
                            for sums in (self._latency, self._latency_all):
                                sums.append((now - t, started - t, now - ended))

    def _end(self, received_ns: int) -> bool:
        if received_ns not in self._waits:
            return False
        del self._waits[received_ns]
        profiler.complete(_file.ASYNC, "input.wait", received_ns, time.monotonic_ns() - received_ns)
        return True

    def collect_input_latency_ms(self) -> "Dict[str, float]":
        """Means over the inputs shown since the last call, and on the whole."""
        out: Dict[str, float] = {}
        with self._lock:
            for sums, more in ((self._latency, ""), (self._latency_all, "avg_")):
                for i, what in enumerate(("latency", "queue", "present")):
                    if sums:
                        out[f"input.{what}_{more}ms"] = sum(s[i] for s in sums) / len(sums) / 1e6
            self._latency = []
        return out

    def reset_counts(self) -> None:
        """Ends the session of counts; waits that are open end."""
        with self._lock:
            for t in list(getattr(self, "_waits", {})):
                self._end(t)
            self._counts: Dict[str, int] = {}
            self._totals: Dict[str, int] = {}
            self._waits: Dict[int, None] = {}
            self._consumed: Dict[StepId, List[Tuple[List[int], int, int]]] = {}
            self._latency: List[Tuple[int, int, int]] = []
            self._latency_all: List[Tuple[int, int, int]] = []
            self._since = self._began = time.monotonic_ns()


class _Owner:
    """Files stages apart: a pipeline that runs within another keeps its own."""

    def __init__(self, stages: Any):
        self.stages = stages

    def __enter__(self) -> "_Owner":
        self.before = self.stages.__dict__.pop("ms", {})
        return self

    def __exit__(self, *_: object) -> None:
        self.stages.__dict__["ms"] = self.before
