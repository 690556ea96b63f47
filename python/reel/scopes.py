"""Requests, denoise loops, steps and stages: what a pipeline says of its progress.

    from reel import denoise_steps, request_scope, stage

    with request_scope():
        for t in denoise_steps(scheduler.timesteps):
            ...
        with stage("decode"):
            ...

Windows open and close at them, and sessions count them. All of it ends however the block
ends; a fault of the profiler never reaches the program.
"""
from __future__ import annotations

import contextvars
import functools
import threading
from typing import Any, Callable, Iterable, Iterator, List, Optional, TypeVar

from . import _process, profiler, startup
from ._file import LOOP, REQUEST, STEP_ROLE, WARM_UP
from .profiler import OFF

T = TypeVar("T")
COROUTINE, GENERATOR, ASYNC_GENERATOR = 0x80, 0x20, 0x200  # co_flags; to import inspect takes long
LOOP_NAME, STEP_NAME = "denoise.loop", "denoise"

_request: "contextvars.ContextVar[Optional[Request]]" = contextvars.ContextVar("reel.request", default=None)


def _forget() -> None:
    """A forked child is in the middle of no request."""
    _request.set(None)


_process.in_child.append(_forget)


def quiet(f: "Callable[..., Any]", *args: Any) -> Any:
    """Calls f; what it raises is said and goes no further."""
    try:
        return f(*args)
    except Exception as err:
        _process.warn(f"{getattr(f, '__qualname__', f)}: {type(err).__name__}: {err}")
        return None


class Request:
    """A request under way."""

    def __init__(self, name: str = "request", warm_up: bool = False, loops: int = 0):
        self.name, self.warm, self.loops = name, warm_up, loops
        self.span: Any = OFF
        self.whole: Optional[Loop] = None  # the loop that it is in
        self.gated = self.nested = False
        self.lock = threading.RLock()
        self.marks: List[Any] = []  # brackets of the device, to be read at the end
        self.token: Any = None
        self.started: Any = None  # ends the process's start-up
        self.device: Optional[int] = None  # that it runs on, where that is known

    def begin(self) -> None:
        p = _process.now
        if p is None:
            return
        self.nested = _request.get() is not None
        if self.nested:
            self.span = profiler.range(f"{self.name} (nested)")
            self.span.__enter__()
            return
        self.token = _request.set(self)
        self.started = quiet(startup.first_request)
        if p.prepare is not None and not self.warm:
            quiet(p.prepare)
        if p.session is not None and not self.warm:
            quiet(p.session.begin, "request")
        with p.lock:
            if p.gate is not None and p.current is None:
                p.current, self.gated = self, True
                self.gated = bool(quiet(p.gate.begin_request, self.warm, self.loops))
                if not self.gated:
                    p.current = None
        self.span = profiler.begin(self.name, role=WARM_UP if self.warm else REQUEST)

    def end(self) -> None:
        p = _process.now
        if self.whole is not None:
            quiet(self.whole.end, False)
        quiet(self.span.end)
        if self.started is not None:
            quiet(self.started)
        self._leave(p)
        if self.started is not None and p is not None:
            quiet(startup.leave, p)

    def _leave(self, p: "Optional[_process.Process]") -> None:
        if self.nested or p is None:
            return
        if p.device is not None and self.marks:
            quiet(p.device.collect, self.marks)
        if self.gated:
            with p.lock:
                if p.gate is not None and p.current is self:
                    quiet(p.gate.end_request)
                    p.current = None
        if p.session is not None and not self.warm:
            quiet(p.session.end, "request")
        if self.token is not None:
            try:
                _request.reset(self.token)
            except ValueError:  # ended in another context
                _request.set(None)


class request_scope:
    """One request: a with statement or a decorator. Within another it is a part of that.
    A warm-up request opens no window; loops says how many denoise loops there will be,
    where that is known."""

    def __init__(self, name: str = "request", warm_up: bool = False, loops: int = 0):
        self._new = functools.partial(Request, name, warm_up, loops)
        self._open: List[Request] = []

    def __enter__(self) -> "request_scope":
        r = self._new()
        self._open.append(r)
        quiet(r.begin)
        return self

    def __exit__(self, *_: object) -> None:
        quiet(self._open.pop().end)

    def __call__(self, f: "Callable[..., T]") -> "Callable[..., T]":
        return _wrapped(f, lambda: _Scope(self._new()))


class _Scope:
    """A with statement around what has begin and end."""

    def __init__(self, one: Any):
        self.one = one

    def __enter__(self) -> Any:
        quiet(self.one.begin)
        return self.one

    def __exit__(self, *_: object) -> None:
        quiet(self.one.end)


def _wrapped(f: Any, scope: "Callable[[], Any]") -> Any:
    """f within a scope of its own at each call."""
    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        with scope():
            return f(*args, **kwargs)
    return lasting(f, lambda args, kwargs: scope()) or call


def lasting(f: Any, scope: "Callable[[Any, Any], Any]") -> Any:
    """f, whose run is longer than its call, within scope(args, kwargs): a coroutine or
    generator function. None for any other."""
    flags = getattr(getattr(f, "__code__", None), "co_flags", 0)
    if flags & COROUTINE:
        @functools.wraps(f)
        async def later(*args: Any, **kwargs: Any) -> Any:
            with scope(args, kwargs):
                return await f(*args, **kwargs)
        return later
    if flags & GENERATOR:
        @functools.wraps(f)
        def some(*args: Any, **kwargs: Any) -> Any:
            with scope(args, kwargs):
                return (yield from f(*args, **kwargs))
        return some
    if flags & ASYNC_GENERATOR:
        @functools.wraps(f)
        async def some_later(*args: Any, **kwargs: Any) -> Any:
            with scope(args, kwargs):
                values = f(*args, **kwargs)
                step = values.__anext__()
                try:
                    while True:
                        try:
                            value = await step
                        except StopAsyncIteration:
                            return
                        try:
                            step = values.asend((yield value))
                        except GeneratorExit:
                            raise
                        except BaseException as err:
                            step = values.athrow(err)
                finally:
                    await values.aclose()
        return some_later
    return None


class Stage:
    """A stage of a request under way."""

    def __init__(self, name: str):
        self.name = name[9:] if name.startswith("pipeline.") else name
        self.span: Any = OFF
        self.gated, self.mark = False, None

    def begin(self) -> None:
        p = _process.now
        if p is None:
            return
        r = _request.get()
        if self.name == "decode" and r is not None and r.gated and p.gate is not None:
            with p.lock:
                self.gated = True
                quiet(p.gate.begin_decode)
        self.span = profiler.range("pipeline." + self.name).__enter__()
        if p.device is not None:
            self.mark = quiet(p.device.begin, "pipeline." + self.name, r)

    def end(self) -> None:
        p = _process.now
        if p is not None and self.mark is not None and p.device is not None:
            quiet(p.device.end, self.mark)
        quiet(self.span.end)
        if self.gated and p is not None and p.gate is not None:
            with p.lock:
                quiet(p.gate.end_decode)


class stage:
    """A stage of a request, the range pipeline.<name>: a with statement or a decorator.
    The stage "decode" is what decode windows open around."""

    def __init__(self, name: str):
        self._name = name
        self._open: List[Stage] = []

    def __enter__(self) -> "stage":
        s = Stage(self._name)
        self._open.append(s)
        quiet(s.begin)
        return self

    def __exit__(self, *_: object) -> None:
        quiet(self._open.pop().end)

    def __call__(self, f: "Callable[..., T]") -> "Callable[..., T]":
        return _wrapped(f, lambda: _Scope(Stage(self._name)))


class Loop:
    """A denoise loop under way. In a loop within a loop only the outer one counts."""

    def __init__(self, name: str = LOOP_NAME):
        self.request = _request.get()
        self.process = _process.now
        self.outer, self.gated, self.step, self.done = True, False, -1, False
        self.inner: Any = OFF
        self.mark: Any = None
        r, p = self.request, self.process
        if r is not None:
            self.outer = r.whole is None or r.whole.done
            if self.outer:
                r.whole = self
                self.gated = r.gated and p is not None and p.gate is not None
        if self.gated and p is not None:
            with p.lock:
                quiet(p.gate.begin_loop)
        self.span = profiler.begin(name, role=LOOP) if self.outer else profiler.range("inner.loop").__enter__()

    def begin_step(self) -> None:
        """Begins the next step; a step that is still open ends first."""
        if self.inner is not OFF:
            self.end_step()
        p, self.step = self.process, self.step + 1
        if self.outer and p is not None:
            if p.session is not None and (self.request is None or not self.request.warm):
                quiet(p.session.begin, "step")
            if self.gated and p.gate is not None:
                with p.lock:
                    quiet(p.gate.begin_step)
        name, role = (STEP_NAME, STEP_ROLE) if self.outer else ("inner", 0)
        self.inner = profiler.begin(name, role=role, index=self.step)
        if self.outer and p is not None and p.device is not None:
            self.mark = quiet(p.device.begin, f"{name}[{self.step}]", self.request)

    def end_step(self) -> None:
        self._stop()
        p = self.process
        if self.outer and p is not None:
            if self.gated and p.gate is not None:
                with p.lock:
                    quiet(p.gate.end_step)
            if p.session is not None and (self.request is None or not self.request.warm):
                quiet(p.session.end, "step")

    def _stop(self) -> None:
        p = self.process
        if self.mark is not None and p is not None and p.device is not None:
            quiet(p.device.end, self.mark)
        self.mark = None
        quiet(self.inner.end)
        self.inner = OFF

    def end(self, whole: bool) -> None:
        """Ends the loop; whole says that it ran to its end. A second end does nothing."""
        if self.done:
            return
        self.done = True
        self._stop()
        quiet(self.span.end)
        p = self.process
        if self.gated and p is not None and p.gate is not None:
            with p.lock:
                quiet(p.gate.end_loop, whole)
        if self.request is not None and self.request.whole is self:
            self.request.whole = None


class denoise_steps(Iterable[T]):
    """Iterates over what it is given, each turn a step of a denoise loop:

        for i, t in enumerate(denoise_steps(timesteps)): ...

    loop is the name of the loop's range, such as "denoise.loop" or "stage2.loop"."""

    def __init__(self, iterable: "Iterable[T]", loop: str = LOOP_NAME):
        self._iterable, self._loop = iterable, loop

    def __len__(self) -> int:
        return len(self._iterable)  # type: ignore[arg-type]

    def __iter__(self) -> "Iterator[T]":
        loop = quiet(Loop, self._loop)
        whole = False
        try:
            for value in self._iterable:
                if loop is not None:
                    quiet(loop.begin_step)
                yield value
                if loop is not None:
                    quiet(loop.end_step)
            whole = True
        finally:
            if loop is not None:
                quiet(loop.end, whole)
