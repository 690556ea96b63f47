"""What opens and closes with a window: the gate of an outer profiler, torch.profiler, and
the recording itself. Each step happens even if the one before failed, and what failed is
told to the gate's report; the request goes on.
"""
from __future__ import annotations

import os
import sys
from typing import Any, Callable, Dict, List, Optional

from . import _folder, _process, profiler
from .window import LastUnknown, Window

MEMORY_EVENTS = 100_000


def torch() -> Any:
    return sys.modules.get("torch")


class Torch:
    """torch.profiler over one stretch, as a profiler_config says."""

    def __init__(self, config: "Dict[str, Any]"):
        self.config = config
        self.running: Any = None
        self.memory: Any = None
        self.annotations: Any = None
        self.warm = False

    def activities(self) -> "List[Any]":
        """CPU, and the one accelerator there is."""
        t = torch()
        kinds = t.profiler.ProfilerActivity
        out = [kinds.CPU]
        for name in ("cuda", "xpu"):
            b = getattr(t, name, None)
            if b is not None and b.is_available() and hasattr(kinds, name.upper()):
                return out + [getattr(kinds, name.upper())]
        return out

    def make(self) -> Any:
        c = self.config
        return torch().profiler.profile(
            activities=self.activities(), record_shapes=bool(c.get("torch_profiler_record_shapes")), with_stack=bool(c.get("torch_profiler_with_stack")),
            profile_memory=bool(c.get("torch_profiler_with_memory")), with_flops=bool(c.get("torch_profiler_with_flops")), **self.experiments())

    def experiments(self) -> "Dict[str, Any]":
        """What makes PyTorch keep a call stack with each operator."""
        if not self.config.get("torch_profiler_with_stack"):
            return {}
        try:
            from torch._C._profiler import _ExperimentalConfig  # type: ignore[import-not-found]

            return {"experimental_config": _ExperimentalConfig(verbose=True)}
        except Exception:
            return {}

    def prepare(self) -> None:
        """Lets the profiler do, before a window, what it does once in a process."""
        if self.warm or torch() is None:
            return
        self.warm = True
        p = torch().profiler.profile(activities=self.activities())
        p.start()
        p.stop()

    def start(self) -> None:
        if torch() is None:
            raise RuntimeError("the program has not imported torch: there is nothing to profile")
        self.prepare()
        if self.config.get("torch_profiler_with_memory"):
            self.memory = memory_start()
        p = self.make()
        p.start()
        self.running = p
        self.annotations = Annotations(torch())
        profiler.emit(profiler._emitters + [self.annotations])

    def stop(self) -> None:
        p, self.running = self.running, None
        profiler.emit([e for e in profiler._emitters if e is not self.annotations])
        self.annotations = None
        if p is not None:
            self.last = p
            p.stop()

    last: Any = None

    def events(self) -> "tuple[int, int]":
        """Events and device events of what was recorded last."""
        try:
            all = self.last.profiler.kineto_results.events()
            cpu = torch().autograd.DeviceType.CPU
            return len(all), sum(e.device_type() != cpu for e in all)
        except Exception:
            return 0, 0

    def export(self, path: str) -> str:
        """Writes the trace; it appears whole, under path or the next name that is free."""
        p, self.last = self.last, None
        if p is None:
            raise RuntimeError("nothing was recorded")
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        temp = os.path.join(os.path.dirname(path), f".{os.getpid()}-{os.path.basename(path)}")
        try:
            p.export_chrome_trace(temp)
            path = _folder.free(path)
            os.rename(temp, path)
        finally:
            if os.path.exists(temp):
                os.unlink(temp)
        return path

    def snapshot(self, path: str) -> "Optional[str]":
        """Writes the history of the memory, where the back end keeps one."""
        b, self.memory = self.memory, None
        if b is None:
            return None
        try:
            path = _folder.free(path)
            b.memory._dump_snapshot(path)
        finally:
            b.memory._record_memory_history(enabled=None)
        return path


def memory_start() -> Any:
    """Turns the history of the memory on, and returns the back end that keeps it."""
    for name in ("cuda", "npu", "xpu", "musa"):
        b = getattr(torch(), name, None)
        if b is not None and b.is_available() and hasattr(getattr(b, "memory", None), "_record_memory_history"):
            b.memory._record_memory_history(max_entries=MEMORY_EVENTS, stacks="python", clear_history=True)
            return b
    return None


class Annotations:
    """Tells torch.profiler of Reel's ranges, under names that people know."""

    def __init__(self, t: Any):
        self.make = t.profiler.record_function

    @staticmethod
    def name(text: str) -> str:
        if text.startswith("denoise["):
            return f"denoising_step_{text[8:-1]}"
        if text.endswith("Pipeline") or text == "request":
            return "pipeline_call"
        return {"denoise.loop": "denoising_loop", "pipeline.vae_encode": "vae_encode"}.get(text, text)

    def push(self, text: str) -> Any:
        r = self.make(self.name(text))
        r.__enter__()
        return r

    def pop(self, r: Any) -> None:
        r.__exit__(None, None, None)

    def mark(self, name: str, step: Any) -> None:
        pass


def idle() -> None:
    """Waits for the device, so that work which runs late is in the window."""
    t = torch()
    for name in ("cuda", "xpu"):
        b = getattr(t, name, None)
        if b is not None and getattr(b, "is_initialized", lambda: False)():
            b.synchronize()


class Outer:
    """The gate of an outer profiler such as nsys: cudaProfilerStart and Stop."""

    def __init__(self) -> None:
        self.said = False

    def _call(self, name: str) -> None:
        t = torch()
        if t is None or not t.cuda.is_available():
            if not self.said:
                _process.warn("there is no CUDA: the range of an outer profiler is left out")
                self.said = True
            return
        getattr(t.cuda.cudart(), name)()

    def start(self) -> None:
        self._call("cudaProfilerStart")

    def stop(self) -> None:
        self._call("cudaProfilerStop")


class Capture:
    """The recorder of a gate: opens and closes all that was asked for."""

    def __init__(self, process: "_process.Process", files: bool, torch_config: "Optional[Dict[str, Any]]", outer: "Optional[Outer]"):
        self.process, self.files, self.outer = process, files, outer
        self.torch = Torch(torch_config) if torch_config is not None else None
        self.gzip = bool((torch_config or {}).get("torch_profiler_use_gzip"))
        self.exported = 0
        self.made: "Dict[int, List[str]]" = {}

    def prepare(self) -> None:
        if self.torch is not None:
            self.torch.prepare()

    def open(self, w: Window) -> None:
        if w.provisional and self.outer is not None:
            raise LastUnknown("an outer profiler cannot forget a loop afterwards: say how many there are (request_scope(loops=...))")
        if self.outer is not None:
            self.outer.start()
        try:
            if self.torch is not None:
                note = self.process.noted()
                note.open.append(f"torch window {w}")
                note.write()
                self.torch.start()
            if self.files:
                self.process.open(w.suffix(), {"window": str(w)})
        except Exception:
            try:
                self._stop(w)
            except Exception:
                pass
            raise

    def close(self, w: Window) -> None:
        faults = self._stop(w)
        if faults:
            raise RuntimeError("; ".join(faults))

    def _stop(self, w: Window) -> "List[str]":
        faults: List[str] = []

        def step(f: "Callable[..., Any]", *args: Any) -> Any:
            try:
                return f(*args)
            except Exception as err:
                faults.append(f"{type(err).__name__}: {err}")
                return None

        def saw(events: int, device: int) -> None:
            seen = p.seen.setdefault(w.wanted(), [0, 0])
            seen[0], seen[1] = seen[0] + events, seen[1] + device

        p = self.process
        step(idle)
        if self.files and p.file is not None:
            file, p.file = p.file, None
            profiler.install(None)
            step(file.close)
            events, device = _process.count(file)
            saw(events, device)
            self.made.setdefault(id(w), []).append(file.path)
        if self.torch is not None:
            step(self.torch.stop)
            saw(*self.torch.events())
            path = step(self.torch.export, self.name(w, ""))
            if path is not None:
                self.exported += 1
                p.noted().add(path, "trace")
                self.made.setdefault(id(w), []).append(path)
            snapshot = step(self.torch.snapshot, self.name(w, "memory"))
            if snapshot is not None:
                p.noted().add(snapshot, "memory")
            p.noted().open.clear()
            step(p.noted().write)
        if self.outer is not None:
            step(self.outer.stop)
        return faults

    def name(self, w: Window, kind: str) -> str:
        """The path of a window's trace, or of its memory snapshot."""
        p, rank = self.process, max(self.process.rank, 0)
        if p.trace_path and not kind:
            path = os.path.join(p.trace_path, "trace.json") if p.trace_path.endswith(os.sep) or os.path.isdir(p.trace_path) else p.trace_path
            stem, suffix = _folder.split(path)
            window = f"-window-{self.exported}" if self.exported else ""
            return os.path.abspath(f"{stem}-rank-{rank}{window}{suffix or '.json'}")
        if kind:
            return os.path.join(p.run_folder(), f"memory_snapshot_rank{rank}-{w.suffix()}.pickle")
        return os.path.join(p.run_folder(), f"trace_rank{rank}-{w.suffix()}.json{'.gz' if self.gzip else ''}")

    def discard(self, w: Window) -> None:
        for path in self.made.pop(id(w), []):
            try:
                os.unlink(path)
            except OSError:
                pass
