"""Starts the client: what sitecustomize calls under `reel profile`, and what `import reel`
does by itself."""
from __future__ import annotations

import sys
from typing import Any, Dict, Optional

from . import _capture, _device, _process, profiler, session, startup, window
from ._process import warn


def start() -> None:
    """Does what the environment asks for; called once in a process."""
    _process.configure = configure
    p = _process.start()
    if "asyncio.tasks" in sys.modules:
        profiler.watch_asyncio()
    told = "1" in (p.environ.get("REEL_NVTX"), p.environ.get("FLASHDREAMS_NVTX"))
    if p.environ.get("REEL_AUTO") == "1" and (p.recording or p.spec.mode or told):
        from . import _hooks

        startup.collect_always()
        _hooks.install(p.environ)
    elif p.recording or p.spec.mode or told:
        from ._imports import finder

        finder.when("torch", torch_imported)
        finder.install()


def configure(p: "_process.Process") -> None:
    """Sets a process up, a forked child too."""
    config = configured(p)
    p.torch_options = config
    whole = p.environ.get("REEL_TORCH") == "1" and not p.spec.mode  # each request has a trace
    files = p.recording and not (p.outer and p.record in ("", "0")) and p.record != "0"
    if whole:
        p.spec, files = window.Spec("all"), False
    if p.spec.mode:
        options = config if config and config.get("profiler") == "torch" else {} if whole else None
        if p.trace_path:
            options = {"torch_profiler_record_shapes": True, **(options or {}), "torch_profiler_use_gzip": p.trace_path.endswith(".gz")}
        outer = _capture.Outer() if p.outer or config and config.get("profiler") == "cuda" else None
        capture = _capture.Capture(p, files, options, outer)
        p.gate = window.Gate(p.spec, capture)
        p.prepare = capture.prepare
    elif config and config.get("profiler"):
        try:
            session.start_profile()
        except Exception as err:
            warn(f"no session: {err}")
    if p.record not in ("", "0") and (whole or not p.spec.mode):
        profiler.begin_with(p.begin)
    p.closing.append(lambda: ended(p))


def configured(p: "_process.Process") -> "Optional[Dict[str, Any]]":
    """The profiler_config of the environment."""
    text = p.environ.get("REEL_PROFILER_CONFIG", "")
    if not text:
        return {"profiler": "torch", "torch_profiler_dir": p.run_folder()} if p.environ.get("REEL_TORCH") == "1" else None
    try:
        return session.load(text)
    except (OSError, ValueError) as err:
        warn(f"REEL_PROFILER_CONFIG: {err}")
        return None


def ended(p: "_process.Process") -> None:
    """What a process leaves beside its recording."""
    s = p.session
    if s is not None:
        s.stop()
    if p.device is not None:
        p.device.collect([])
    startup.leave(p)


def torch_imported(torch: Any) -> None:
    """Sets up what needs PyTorch, when the program has imported it."""
    p = _process.now
    if p is None:
        return
    if p.environ.get("REEL_DEVICE_TIMES") != "0":
        p.device = _device.find(torch)
    if "1" in (p.environ.get("REEL_NVTX"), p.environ.get("FLASHDREAMS_NVTX")) and p.environ.get("REEL_NVTX") != "0":
        nvtx = NVTX.find(torch)
        if nvtx is not None:
            profiler.emit(profiler._emitters + [nvtx])


class NVTX:
    """Tells NVTX of ranges and marks, by the functions that torch has for it."""

    def __init__(self, functions: Any):
        self.functions, self.push = functions, functions.range_push

    def pop(self, depth: Any) -> None:
        self.functions.range_pop()

    @staticmethod
    def find(torch: Any) -> "Optional[NVTX]":
        """None without CUDA: there the functions raise."""
        try:
            return NVTX(torch.cuda.nvtx) if torch.cuda.is_available() else None
        except Exception:
            return None

    def mark(self, name: str, step: Any) -> None:
        """A mark's label: name, name [step N], or name [gen G, step N]."""
        if step is not None:
            name = f"{name} [gen {step[0]}, step {step[1]}]" if step[0] else f"{name} [step {step[1]}]"
        self.functions.mark(name)
