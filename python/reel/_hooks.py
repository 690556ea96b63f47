"""Wraps functions and methods of libraries as requests, loops, steps, stages, forwards,
scheduler steps and loads: what rules say (docs/python.md), and what the modules beside
this one know of Diffusers and PyTorch.

A wrapper never raises by itself, and under torch.compile it is not there.
"""
from __future__ import annotations

import contextlib
import contextvars
import functools
import os
import sys
import threading
from typing import Any, Callable, Iterator, List, NamedTuple, Optional

from . import _process, profiler, scopes, startup
from ._file import FORWARD, SCHEDULER
from ._imports import finder
from ._process import warn

_never = lambda: False  # noqa: E731
compiling: "Callable[[], bool]" = _never  # whether torch.compile traces right now

KINDS = ("request", "loop", "step", "stage", "forward", "scheduler", "load", "range")


class Rule(NamedTuple):
    """What to wrap: names of a module, Class.method or function, with * for any text."""

    module: str
    names: str
    kind: str
    label: str = ""

    def __str__(self) -> str:
        return f"{self.module}:{self.names}  {self.kind} {self.label}".rstrip()


def parse(text: str, where: str) -> "List[Rule]":
    """Reads rules, one a line: MODULE:NAMES KIND [LABEL]. A line that is none is a warning."""
    rules = []
    for n, line in enumerate(text.splitlines(), 1):
        words = line.split("#", 1)[0].split()
        if not words:
            continue
        module, colon, names = words[0].partition(":")
        if not (module and colon and names and len(words) in (2, 3) and words[1] in KINDS):
            warn(f"{where}:{n}: {line.strip()!r} is no rule; want MODULE:NAME KIND [LABEL] with a kind of {', '.join(KINDS)}")
            continue
        rules.append(Rule(module, names, words[1], words[2] if len(words) == 3 else ""))
    return rules


# Engines whose names are known. What a version does not have is passed over.
BUILT_IN = """
vllm_omni.diffusion.worker.diffusion_model_runner:DiffusionModelRunner.execute_model request
fastvideo.pipelines.composed_pipeline_base:ComposedPipelineBase.forward request
"""


def wrap(fn: Any, before: "Callable[[Any, Any, Any], Any]", after: "Callable[[Any], None]") -> Any:
    """fn between before(fn, args, kwargs), which returns a token or None, and after(token);
    of a coroutine or generator function all of its run."""

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        if compiling():
            return fn(*args, **kwargs)
        token = _begin(fn, before, args, kwargs)
        if token is None:
            return fn(*args, **kwargs)
        try:
            return fn(*args, **kwargs)
        finally:
            _end(fn, after, token)

    @contextlib.contextmanager
    def between(args: Any, kwargs: Any) -> "Iterator[None]":
        token = _begin(fn, before, args, kwargs)
        try:
            yield
        finally:
            if token is not None:
                _end(fn, after, token)

    new: Any = scopes.lasting(fn, between) or call
    new.__reel__ = True
    return new


def _begin(fn: Any, before: "Callable[[Any, Any, Any], Any]", args: Any, kwargs: Any) -> Any:
    try:
        return before(fn, args, kwargs)
    except Exception as err:
        warn(f"{getattr(fn, '__qualname__', fn)}: {type(err).__name__}: {err}; this call is not recorded")
        return None


def _end(fn: Any, after: "Callable[[Any], None]", token: Any) -> None:
    try:
        after(token)
    except Exception as err:
        warn(f"{getattr(fn, '__qualname__', fn)}: {type(err).__name__}: {err}")


def wrapped(fn: Any) -> bool:
    return bool(getattr(fn, "__reel__", False))


class _Depth(threading.local):
    """What this thread is in the middle of."""

    forward = scheduler = 0


_depth = _Depth()
# What this thread, or this task, is in the middle of: tasks take turns.
_stages: "contextvars.ContextVar[tuple[str, ...]]" = contextvars.ContextVar("reel.stages", default=())
_implicit: "contextvars.ContextVar[Optional[Implicit]]" = contextvars.ContextVar("reel.implicit", default=None)


def _forget() -> None:
    """A forked child is in the middle of nothing."""
    _depth.forward = _depth.scheduler = 0
    _stages.set(())
    _implicit.set(None)


_process.in_child.append(_forget)


class Implicit:
    """A loop that nobody wraps: the denoiser's call begins a step, the scheduler's step
    ends it, and what begins another loop, or decodes, ends the loop."""

    def __init__(self, ruled: bool = False) -> None:
        self.loop = scopes.Loop()
        self.inside = False
        self.ruled = ruled  # a rule says what a step is

    @staticmethod
    def explicit() -> bool:
        """Whether the request's loop is known otherwise."""
        r, i = scopes._request.get(), _implicit.get()
        return r is not None and r.whole is not None and not r.whole.done and (i is None or r.whole is not i.loop)

    @classmethod
    def under_way(cls, ruled: bool = False) -> "Implicit":
        """The one that runs, or one that begins now."""
        i = _implicit.get()
        if i is None or i.loop.done:
            i = cls(ruled)
            _implicit.set(i)
        return i

    @classmethod
    def forward(cls) -> None:
        if cls.explicit():
            return
        i = cls.under_way()
        if not i.inside and not i.ruled:
            i.inside = True
            i.loop.begin_step()

    @staticmethod
    def stepped() -> None:
        i = _implicit.get()
        if i is not None and i.inside:
            i.inside = False
            i.loop.end_step()

    @staticmethod
    def over() -> None:
        i = _implicit.get()
        if i is not None:
            _implicit.set(None)
            i.loop.end(True)


def _begin_request(name: str, owner: Any = None) -> Any:
    Implicit.over()
    r = scopes.Request(name)
    p = _process.now
    if p is not None and p.device is not None:
        r.device = scopes.quiet(p.device.index, owner)
    r.begin()
    return r


def _end_request(r: Any) -> None:
    Implicit.over()
    r.end()


def request(fn: Any, label: str = "") -> Any:
    """fn as a request, named by the class of its first argument."""

    def before(fn: Any, args: Any, kwargs: Any) -> Any:
        return _begin_request(label or (type(args[0]).__name__ if args else fn.__name__), args[0] if args else None)

    return wrap(fn, before, _end_request)


def stage(fn: Any, label: str = "") -> Any:
    """fn as a stage; within another of its name it is a part of that."""

    def before(fn: Any, args: Any, kwargs: Any) -> Any:
        name = label or fn.__name__
        if name in _stages.get():
            return None
        if name == "decode":
            Implicit.over()
        s = scopes.Stage(name)
        s.begin()
        _stages.set((*_stages.get(), name))
        return name, s

    def after(token: Any) -> None:
        name, s = token
        _stages.set(tuple(n for n in _stages.get() if n != name))  # not the last one, of generators that take turns
        s.end()

    return wrap(fn, before, after)


def forward(fn: Any, label: str = "") -> Any:
    """fn as a call of the denoiser: the outermost one."""
    name = label or "transformer_forward"

    def before(fn: Any, args: Any, kwargs: Any) -> Any:
        if _depth.forward or _stages.get():
            return None
        Implicit.forward()
        span = profiler.begin(name, role=FORWARD)
        _depth.forward = 1
        return span

    def after(span: Any) -> None:
        _depth.forward = 0
        span.end()

    return wrap(fn, before, after)


def scheduler(fn: Any, label: str = "") -> Any:
    """fn as the scheduler's step."""
    name = label or "scheduler_step"

    def before(fn: Any, args: Any, kwargs: Any) -> Any:
        if _depth.scheduler:
            return None
        _depth.scheduler = 1
        return profiler.begin(name, role=SCHEDULER)

    def after(span: Any) -> None:
        _depth.scheduler = 0
        span.end()
        Implicit.stepped()

    return wrap(fn, before, after)


def loop(fn: Any, label: str = "") -> Any:
    """fn as a whole denoise loop."""
    return wrap(fn, lambda fn, a, k: scopes.Loop(label or scopes.LOOP_NAME), lambda l: l.end(True))


def step(fn: Any, label: str = "") -> Any:
    """fn as one step of the loop under way, or of one that begins with it."""

    def before(fn: Any, args: Any, kwargs: Any) -> Any:
        r = scopes._request.get()
        if r is not None and r.whole is not None and not r.whole.done:
            one = r.whole
        else:
            one = Implicit.under_way(ruled=True).loop
        one.begin_step()
        return one

    return wrap(fn, before, lambda l: l.end_step())


def load(fn: Any, label: str = "") -> Any:
    """fn as a phase of the start-up."""

    def before(fn: Any, args: Any, kwargs: Any) -> Any:
        p = startup.phase(label or getattr(fn, "__qualname__", "load"))
        p.__enter__()
        return p

    return wrap(fn, before, lambda p: p.__exit__(*sys.exc_info()))


def plain(fn: Any, label: str = "") -> Any:
    """fn as a range."""
    return wrap(fn, lambda fn, a, k: profiler.begin(label or fn.__qualname__), lambda s: s.end())


_MAKE = {"request": request, "stage": stage, "forward": forward, "scheduler": scheduler, "loop": loop, "step": step, "load": load, "range": plain}


def method(cls: Any, name: str, make: "Callable[..., Any]", *more: Any) -> bool:
    """Wraps a method that the class itself defines; True when it did."""
    fn = cls.__dict__.get(name)
    kind = type(fn) if isinstance(fn, (classmethod, staticmethod)) else None
    inner = fn.__func__ if kind else fn
    if inner is None or not callable(inner) or wrapped(inner) or isinstance(inner, type):
        return False
    new = make(inner, *more)
    setattr(cls, name, kind(new) if kind else new)
    return True


def subclasses(base: Any, visit: "Callable[[Any], None]") -> None:
    """Calls visit with base and each class made of it, those to come included."""
    original = base.__dict__.get("__init_subclass__")

    def __init_subclass__(cls: Any, **kwargs: Any) -> None:
        if original is not None:
            original.__get__(None, cls)(**kwargs)
        else:
            super(base, cls).__init_subclass__(**kwargs)
        safe(cls)

    def safe(cls: Any) -> None:
        try:
            visit(cls)
        except Exception as err:
            warn(f"{cls.__module__}.{cls.__qualname__} is not recorded: {type(err).__name__}: {err}")

    base.__init_subclass__ = classmethod(__init_subclass__)
    todo = [base]
    while todo:
        c = todo.pop()
        safe(c)
        todo += c.__subclasses__()


def apply(rule: Rule, module: Any) -> None:
    """Wraps what the rule names in the module."""
    import fnmatch

    owner, dot, name = rule.names.rpartition(".")
    found = 0
    if not dot:
        for key, fn in list(vars(module).items()):
            if fnmatch.fnmatchcase(key, name) and callable(fn) and not isinstance(fn, type) and not wrapped(fn):
                setattr(module, key, _MAKE[rule.kind](fn, rule.label))
                found += 1
    else:
        for key, cls in list(vars(module).items()):
            if isinstance(cls, type) and fnmatch.fnmatchcase(key, owner):
                for m in list(vars(cls)):
                    if fnmatch.fnmatchcase(m, name):
                        found += method(cls, m, _MAKE[rule.kind], rule.label)
    if not found:
        warn(f"rule {rule}: {rule.module} has no {rule.names}")


def install(environ: "dict[str, str]") -> None:
    """Waits for what the rules and the modules beside this one know."""
    from . import _diffusers, _torch_hooks

    rules = parse(BUILT_IN, "built-in rules")
    path = environ.get("REEL_RULES", "")
    if path:
        try:
            with open(path, encoding="utf-8") as f:
                rules += parse(f.read(), os.path.basename(path))
        except OSError as err:
            warn(f"REEL_RULES={path}: {err}")
    for r in rules:
        finder.when(r.module, functools.partial(apply, r))
    for name, hook, _ in _diffusers.HOOKS + _torch_hooks.HOOKS:
        finder.when(name, hook)
    for name in ("torch", "diffusers", "transformers"):
        finder.time(name, startup.importing)
    finder.watch = startup.importing_other
    finder.install()


def listing() -> "List[str]":
    """What is wrapped, a line each, for people."""
    from . import _diffusers, _torch_hooks

    lines = [f"{name}: {what}" for name, _, what in _diffusers.HOOKS + _torch_hooks.HOOKS]
    lines += [str(r) for r in parse(BUILT_IN, "built-in rules")]
    path = os.environ.get("REEL_RULES", "")
    if path:
        try:
            with open(path, encoding="utf-8") as f:
                lines += [f"{r} ({path})" for r in parse(f.read(), os.path.basename(path))]
        except OSError as err:
            lines.append(f"REEL_RULES={path}: {err}")
    return lines
