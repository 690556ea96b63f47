"""Calls somebody when a module has been imported, without importing it.

A finder stands first in sys.meta_path, lets the others find, and wraps the loader of
the modules that are waited for; the wrapper is gone again when the module has run. While
somebody watches, every import that is not part of another one is waited for.
"""
from __future__ import annotations

import copy
import os
import sys
import threading
from importlib.machinery import ModuleSpec
from typing import Any, Callable, Dict, List, Optional

from ._process import warn

Hook = Callable[[Any], None]
End = Callable[[Optional[BaseException]], None]  # called with what the module raised
Begin = Callable[[str], End]

_STDLIB = os.path.dirname(os.path.abspath(os.__file__)) + os.sep


def _own(spec: ModuleSpec) -> bool:
    """Whether a module is one of Python itself: those are imported often, and quickly."""
    origin = spec.origin or ""
    return origin in ("built-in", "frozen") or origin.startswith(_STDLIB) and "-packages" not in origin[len(_STDLIB):]


def _imports(name: str) -> bool:
    """Whether somebody imports the module right now. Who only asks where it lies gets no
    wrapped loader."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != "_find_and_load_unlocked":
        frame = frame.f_back  # type: ignore[assignment]
    return frame is not None and frame.f_locals.get("name") == name


def _unseen(f: Any) -> Any:
    """f as a part of importlib, whose frames warnings and tracebacks pass over."""
    f.__code__ = f.__code__.replace(co_filename="<frozen importlib._bootstrap>")
    return f


class _Loader:
    """A loader that tells when the module has run. Copies of it are copies of the one that it wraps."""

    def __init__(self, loader: Any, finder: "Finder", name: str):
        self._reel = (loader, finder, name)

    def __getattr__(self, name: str) -> Any:
        if name == "_reel" or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._reel[0], name)

    def __reduce__(self) -> "tuple[Any, ...]":
        return copy.copy, (self._reel[0],)

    @_unseen
    def create_module(self, spec: ModuleSpec) -> Any:
        create = getattr(self._reel[0], "create_module", None)
        return create(spec) if create is not None else None

    @_unseen
    def exec_module(self, module: Any) -> None:
        loader, finder, name = self._reel
        for holder, key in ((getattr(module, "__spec__", None), "loader"), (module, "__loader__")):
            try:
                setattr(holder, key, loader)
            except Exception:
                pass
        finish = finder.around(name)
        try:
            loader.exec_module(module)
        except BaseException as err:
            finish(err)
            raise
        finish(None)
        finder.ran(name, module)


class Finder:
    """Waits for modules. A hook that fails is a warning, and the import goes on."""

    def __init__(self) -> None:
        self.hooks: Dict[str, List[Hook]] = {}
        self.timed: Dict[str, Begin] = {}
        self.within: "set[str]" = set()
        self.watch: "Optional[Begin]" = None
        self.thread = threading.local()  # depth: how many watched or awaited modules run within each other

    def when(self, name: str, hook: Hook) -> None:
        """Calls hook with the module name when it has been imported: now, if it is."""
        module = sys.modules.get(name)
        if module is not None and not getattr(getattr(module, "__spec__", None), "_initializing", False):
            self._call(name, hook, module)
            return
        self.hooks.setdefault(name, []).append(hook)

    def time(self, name: str, begin: "Begin") -> None:
        """Calls begin with the name when the module begins to run, and what that returns at its end."""
        if name not in sys.modules:
            self.timed[name] = begin

    def install(self) -> None:
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)  # type: ignore[arg-type]

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> "Optional[ModuleSpec]":
        awaited = name in self.hooks or name in self.timed
        if not awaited and not self._outermost(name) or name in self.within or not _imports(name):
            return None
        self.within.add(name)
        try:
            for finder in sys.meta_path:
                if finder is self or not hasattr(finder, "find_spec"):
                    continue
                spec = finder.find_spec(name, path, target)
                if spec is None:
                    continue
                if spec.loader is not None and hasattr(spec.loader, "exec_module") and (awaited or not _own(spec)):
                    spec.loader = _Loader(spec.loader, self, name)  # type: ignore[assignment]
                return spec
        finally:
            self.within.discard(name)
        return None

    def _outermost(self, name: str) -> bool:
        """Whether a module is one that nobody watched imports, and whose import is watched."""
        return self.watch is not None and not getattr(self.thread, "depth", 0) and name.partition(".")[0] != "reel"

    def around(self, name: str) -> End:
        depth = getattr(self.thread, "depth", 0)
        begin = self.timed.pop(name, None) or (self.watch if not depth else None)
        end: "Optional[End]" = None
        try:
            end = begin(name) if begin is not None else None
        except Exception as err:
            warn(f"the import of {name} is not timed: {err}")
        self.thread.depth = depth + 1

        def finish(error: "Optional[BaseException]") -> None:
            self.thread.depth = depth
            try:
                if end is not None:
                    end(error)
            except Exception:
                pass
        return finish

    def ran(self, name: str, module: Any) -> None:
        for hook in self.hooks.pop(name, []):
            self._call(name, hook, module)

    @staticmethod
    def _call(name: str, hook: Hook, module: Any) -> None:
        try:
            hook(module)
        except Exception as err:
            warn(f"{name} is not one that this client knows: {type(err).__name__}: {err}; its calls are not recorded")


finder = Finder()
