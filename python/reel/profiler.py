"""Ranges, events and counters: the part of the client that a program calls.

    from reel import profiler

    with profiler.range("blend"):
        ...
    profiler.event("frame")
    profiler.counter("queue", 3)

Off, a range costs a call and an empty with statement; on, two readings of the clock
and five stores (python/bench/bench_range.py). A range ends on the thread, or in the
asyncio task, that began it; it may be left open by a program that dies, and is then in
the recording as unfinished. Nothing here raises because of the recording.
"""
from __future__ import annotations

import operator
import struct
import sys
import threading
from time import monotonic_ns
from typing import Any, Callable, List, Optional, Union

from . import _file, _rows
from ._file import COUNTER, DONE, FLIGHT, FLOAT, INDEX, MARK, OTHER_MARK, RANGE, STEP, THREAD, VALUE, Handle, Names

_MASK = (1 << 64) - 1
_ROLES = {"request": _file.REQUEST, "denoise.loop": _file.LOOP, "model.step": _file.STEP_ROLE, "model.forward": _file.FORWARD,
          "scheduler.step": _file.SCHEDULER, "warmup": _file.WARM_UP}


def role_of(name: str) -> int:
    """What a range of that name is: stages are those named pipeline.*."""
    return _file.STAGE if name.startswith("pipeline.") else _ROLES.get(name, 0)


class _Off:
    """The range of a profiler that is off."""

    __slots__ = ()

    def __enter__(self) -> "_Off":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def end(self) -> None:
        pass


OFF = _Off()

# The state of the process. start and stop replace it; ranges that are open keep what
# they began with.
_file_now: "Optional[_file.File]" = None
_names: Any = {}
_local = threading.local()
_loop: "Optional[Callable[[], Any]]" = None  # the running event loop of this thread; None before asyncio is imported
_make: "Optional[Callable[[str], Any]]" = None  # what begins ranges; None is off
_start: "Optional[Callable[[], None]]" = None  # opens the recording at the first range
_waking = threading.RLock()
_emitters: "List[Any]" = []  # told of every range and mark beside the recording: NVTX; pop gets what push returned


def _thread() -> Handle:
    """This thread's handle, made anew."""
    file = _file_now
    if file is None:
        raise LookupError("the recording has ended")
    ident = threading.get_ident()
    thread = getattr(threading, "_active", {}).get(ident)
    native = threading.get_native_id() if hasattr(threading, "get_native_id") else ident
    _local.handle = h = Handle(file, thread.name if thread else f"thread {native}", THREAD, file.pid, native)
    return h


class _Span:
    """A range of this thread. It can be entered once."""

    __slots__ = ("what", "words", "at", "start")

    def __init__(self, name: str):
        self.what = _names[name]

    def __enter__(self) -> "_Span":
        try:
            h = _local.handle
            at = h.slot()
        except (AttributeError, StopIteration):
            h, at = _refilled()
        self.at = at
        self.words = w = h.words
        w[at + 2] = self.what
        self.start = w[at + 1] = monotonic_ns()
        w[at] = 1
        return self

    def __exit__(self, a: object = None, b: object = None, c: object = None) -> None:
        try:
            self.words[self.at] = 2 | monotonic_ns() - self.start << 16
        except ValueError:  # a forked child leaves a range of its parent
            pass

    end = __exit__


_nowhere = memoryview(bytearray(_file.CHUNK)).cast("Q")


class _Nowhere:
    """Stands for a handle where there is no recording any more."""

    words, tag, file = _nowhere, 0, None


def _refilled() -> "tuple[Any, int]":
    """A handle of this thread and a slot in it, the slow way."""
    h = getattr(_local, "handle", None)
    try:
        if h is None:
            h = _thread()
            return h, h.more()
        if h.file is not _file_now:  # of a recording that is over
            h = _thread()
        return h, h.more()
    except LookupError:
        return _Nowhere, 16


class _Held(_Span):
    """The range of a flight recorder, or of an asyncio task, or one with an argument:
    stored under the recording's lock, so that nobody recycles its chunk meanwhile."""

    __slots__ = ("arg", "handle", "tag", "row")

    def __init__(self, name: str, what: int = 0, arg: int = 0):
        self.what, self.arg, self.row = what or _names[name], arg & _MASK, None

    def __enter__(self) -> "_Held":
        file = _file_now
        if file is None:
            self.words, self.at, self.start, self.handle, self.tag = _nowhere, 16, 0, _Nowhere, 0
            return self
        with file.lock:
            task = _task()
            if task is None:
                try:
                    h = _local.handle
                    at = h.slot()
                except (AttributeError, StopIteration):
                    h, at = _refilled()
            else:
                self.row, h = _rows.take(file, task)
                try:
                    at = h.slot()
                except StopIteration:
                    at = h.more()
            self.handle, self.tag = h, h.tag
            self.at, self.words = at, h.words
            w = h.words
            w[at + 3], w[at + 2] = self.arg, self.what
            self.start = w[at + 1] = monotonic_ns()
            w[at] = 1 | h.tag << 2
        return self

    def __exit__(self, a: object = None, b: object = None, c: object = None) -> None:
        file = self.handle.file
        if file is None:
            return
        now = monotonic_ns()
        try:
            with file.lock:
                w, at = self.words, self.at
                if w[at] == 1 | self.tag << 2:
                    w[at] = 2 | self.tag << 2 | now - self.start << 16
                elif file.mode == FLIGHT and not file.closed:  # recycled: written again, whole
                    file.count(_file.LATE)
                    _store(self.handle, self.what, self.start, now - self.start, self.arg)
                if self.row is not None:
                    self.row.leave()
        except ValueError:
            pass

    end = __exit__


class _Told(_Held):
    """A range that is also told to emitters, such as NVTX."""

    __slots__ = ("told", "text")

    def __init__(self, name: str, what: int = 0, arg: int = 0):
        self.text = name
        if _file_now is not None:
            super().__init__(name, what, arg)

    def __enter__(self) -> "_Told":
        self.told = []
        for e in _emitters:
            try:
                self.told.append((e, e.push(self.text)))
            except Exception:  # a tool beside the recording is no concern of the program
                pass
        self.handle, self.row = _Nowhere, None
        if _file_now is not None and hasattr(self, "what"):
            super().__enter__()
        return self

    def __exit__(self, a: object = None, b: object = None, c: object = None) -> None:
        super().__exit__()
        for e, pushed in reversed(self.told):
            try:
                e.pop(pushed)
            except Exception:
                pass

    end = __exit__


def _store(h: Any, what: int, start: int, duration: int = 0, arg: int = 0) -> None:
    """Stores a record that is complete."""
    try:
        at = h.slot()
    except StopIteration:
        at = h.more()
    w = h.words
    w[at + 3], w[at + 2], w[at + 1] = arg & _MASK, what, start
    w[at] = DONE | h.tag << 2 | min(max(duration, 0), (1 << 48) - 1) << 16


def _task() -> Any:
    """The asyncio task that runs; None outside of one."""
    return None if _loop is None or _loop() is None else _rows.task()


def range(name: str) -> Any:
    """A range for a with statement. It is a stage when its name begins with
    "pipeline.", and what the name says for request, denoise.loop, model.step,
    model.forward, scheduler.step and warmup."""
    if _make is None:
        return OFF
    try:
        if _loop is not None and _loop() is not None:
            return _careful(name)
        return _make(name)
    except Exception:  # a name that is none
        return OFF


def _careful(name: str) -> Any:
    if _start is not None:
        _wake()
    return OFF if _make is None else _Told(name) if _make is _Told else _Held(name)


def _first(name: str) -> Any:
    """Begins the first range of a process, and the recording with it."""
    _wake()
    return range(name)


def _wake() -> None:
    """Opens the recording; threads that come meanwhile wait for it."""
    global _start
    with _waking:
        start = _start
        if start is None:
            return
        try:
            start()
        finally:
            _start = None
            _choose()


def begin_with(start: "Optional[Callable[[], None]]") -> None:
    """Lets start open the recording when there is something to record: a process that
    records nothing leaves no file."""
    global _start, _waking
    _start, _waking = start, threading.RLock()
    _choose()


def begin(name: str, role: int = 0, index: Optional[int] = None, payload: int = 0, arg: int = 0, klass: int = 0) -> Any:
    """Begins a range that end() ends, with a role or an index ("denoise[3]")."""
    if _start is not None:
        _wake()
    if _make is None:
        return OFF
    file = _file_now
    if index is not None:
        payload, arg = INDEX, index
    what = 0
    try:
        if file is not None:
            what = file.what(RANGE, name, payload=payload, role=role or role_of(name), klass=klass)
        text = name if index is None else f"{name}[{index}]"
        return (_Told if _make is _Told else _Held)(text, what, arg).__enter__()
    except Exception:  # a name or an index that is none
        return OFF


def event(name: str, count: int = 1, step: "Optional[tuple[int, int]]" = None) -> None:
    """Says that something happened: count times, at a step (generation, number)."""
    if _start is not None:
        _wake()
    if _make is None:
        return
    try:
        arg, payload = (operator.index(count), VALUE) if step is None else (operator.index(step[1]) & 0xFFFFFFFF | operator.index(step[0]) << 32, STEP)
    except Exception:  # no numbers: dropped
        return
    for e in _emitters:
        try:
            e.mark(name, step)
        except Exception:
            pass
    if _file_now is not None:
        _write(MARK, name, payload, arg, OTHER_MARK)


def counter(name: str, value: "Union[int, float]") -> None:
    """Says what a value is from now on."""
    if _start is not None:
        _wake()
    if _file_now is None:
        return
    if isinstance(value, int):
        _write(COUNTER, name, VALUE, value, 0)
        return
    try:
        bits = struct.unpack("<Q", struct.pack("<d", float(value)))[0]
    except Exception:  # no number: dropped
        return
    _write(COUNTER, name, FLOAT, bits, 0)


def _write(kind: int, name: str, payload: int, arg: int, klass: int) -> None:
    complete(kind, name, monotonic_ns(), 0, payload, arg, klass)


def complete(kind: int, name: str, start: int, duration: int, payload: int = 0, arg: int = 0, klass: int = 0, role: int = 0,
             handle: Optional[Handle] = None, timed: int = 0) -> None:
    """Stores something whole: what has begun and ended already. Times are monotonic
    nanoseconds."""
    if _start is not None:
        _wake()
    file = _file_now
    if file is None:
        return
    try:
        with file.lock:
            h: Any = handle
            if h is None:
                task = _task()
                row = _rows.rows.taken.get(task) if task is not None else None
                h = row.handle if row is not None and row.handle.file is file else getattr(_local, "handle", None)
                if h is None or h.file is not file:
                    h = _thread()
            file.device_events += kind == _file.ACTIVITY
            _store(h, file.what(kind, str(name), payload=payload, klass=klass, role=role, timed=timed), start, duration, arg)
    except Exception:  # the recording has ended, or the name is none
        pass


def enabled() -> bool:
    """Whether ranges go anywhere."""
    return _make is not None


def install(file: "Optional[_file.File]") -> None:
    """Sends what is recorded into the file from now on; None turns recording off."""
    global _file_now, _names, _local, _make
    if file is not None:
        _names = Names(file, role_of)
    _local = threading.local()
    _file_now = file
    _choose()


def emit(emitters: "List[Any]") -> None:
    """Tells emitters (push, pop, mark) of ranges and marks as well."""
    global _emitters
    _emitters = list(emitters)
    _choose()


def _choose() -> None:
    global _make
    if _start is not None:
        _make = _first
    elif _emitters:
        _make = _Told
    elif _file_now is None:
        _make = None
    else:
        _make = _Held if _file_now.mode == FLIGHT else _Span


def watch_asyncio() -> None:
    """Tells tasks apart from now on; called when asyncio has been imported."""
    global _loop
    events = sys.modules.get("asyncio.events") or sys.modules.get("_asyncio")
    found = getattr(events, "_get_running_loop", None)
    if found is not None:
        _loop = found
