"""Sessions of a profiler, as a profiler_config says: start_profile and stop_profile.

    reel.start_profile()          # or by the environment, as reel profile does
    pipe(...)                     # iterations: requests, or denoise steps
    print(reel.stop_profile())    # the files that were left

docs/profiler-config.md is the reference of the fields; delay, wait, warmup, active and
max mean here what they mean there. One session at a time.
"""
from __future__ import annotations

import json
import os
import threading
from typing import Any, Dict, List, Optional

from . import _capture, _folder, _process
from .window import MAX_STEP, Schedule

FLAGS = ("torch_profiler_use_gzip", "torch_profiler_record_shapes", "torch_profiler_with_stack", "torch_profiler_with_memory",
         "torch_profiler_with_flops", "torch_profiler_dump_cuda_time_total")
COUNTS = ("delay_iterations", "wait_iterations", "warmup_iterations", "active_iterations", "max_iterations")
FIELDS = ("profiler", "torch_profiler_dir", "iteration_unit") + FLAGS + COUNTS


class ConfigError(ValueError):
    """Why a profiler_config is none."""


def load(value: Any) -> "Dict[str, Any]":
    """Reads a profiler_config: a dict, or JSON, or the path of a JSON file, with or
    without the outer key. Raises ConfigError, which names each fault."""
    if isinstance(value, str):
        text = value
        if not value.lstrip().startswith("{"):
            with open(value, encoding="utf-8") as f:
                text = f.read()
        try:
            value = json.loads(text)
        except ValueError as err:
            raise ConfigError(f"profiler_config: no JSON: {err}") from None
    if isinstance(value, dict) and set(value) == {"profiler_config"}:
        value = value["profiler_config"]
    if not isinstance(value, dict):
        raise ConfigError("profiler_config: want an object")
    faults = [f for k, v in value.items() if (f := fault(k, v))]
    if value.get("profiler") == "torch" and not value.get("torch_profiler_dir"):
        faults.append("torch_profiler_dir: must be set when profiler is torch")
    if faults:
        raise ConfigError("\n".join(faults))
    return {k: v for k, v in value.items() if v is not None}


def fault(key: str, value: Any) -> str:
    """What is wrong with a field; nothing when it is right."""
    if key not in FIELDS:
        import difflib

        near = difflib.get_close_matches(key, FIELDS, 1, 0.4)
        return f"{key}: {json.dumps(value)}: no such field" + (f"; did you mean {near[0]}?" if near else "")
    if value is None:
        return ""
    if key in FLAGS and not isinstance(value, bool):
        return f"{key}: {json.dumps(value)}: want true or false"
    if key in COUNTS and (isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_STEP):
        return f"{key}: {json.dumps(value)}: want a whole number from 0 (unused) to {MAX_STEP}"
    if key == "profiler" and value not in ("torch", "cuda"):
        return f"profiler: {json.dumps(value)}: want torch or cuda"
    if key == "iteration_unit" and value not in ("request", "step"):
        return f"iteration_unit: {json.dumps(value)}: want request or step"
    return ""


class Session:
    """A session under way: follows iterations as its schedule says."""

    def __init__(self, process: "_process.Process", config: "Dict[str, Any]", folder: str):
        self.process, self.config, self.folder = process, config, folder
        c = config.get
        self.unit = c("iteration_unit", "request")
        repeat = 1 if c("active_iterations") else 0
        self.schedule = Schedule(*(c(k, 0) for k in COUNTS[:4]), repeat, c("max_iterations", 0))
        self.lock = threading.RLock()
        self.begun = self.inside = 0
        self.state, self.files, self.faults = "armed", [], []  # type: str, List[str], List[str]
        self.torch = _capture.Torch(config) if c("profiler") == "torch" else None
        self.outer = _capture.Outer() if c("profiler") == "cuda" else None
        self.throwaway: Any = None

    def begin(self, unit: str) -> None:
        """An iteration begins."""
        if unit != self.unit:
            return
        with self.lock:
            phase = self.schedule.phase(self.begun)
            self.begun += 1
            self.inside += 1
            if phase == "warming" and self.state == "armed":
                self.state = "warming"
                self._try(self._warm)
            elif phase == "recording" and self.state in ("armed", "warming"):
                self._try(self._start)

    def end(self, unit: str) -> None:
        """An iteration ends; behind the last one the session stops by itself."""
        if unit != self.unit:
            return
        with self.lock:
            self.inside = max(0, self.inside - 1)
            if self.state == "recording" and not self.inside and self.schedule.phase(self.begun) != "recording":
                self.stop()

    def _try(self, f: Any, *args: Any) -> Any:
        try:
            return f(*args)
        except Exception as err:
            text = f"{type(err).__name__}: {err}"
            self.faults.append(text)
            _process.warn(f"profiler: {text}")
            return None

    def _warm(self) -> None:
        """Runs the collectors with their events thrown away."""
        if self.torch is not None and _capture.torch() is not None:
            self.throwaway = self.torch.make()
            self.throwaway.start()

    def _start(self) -> None:
        self._cool()
        self.state = "recording"
        if self.outer is not None:
            self.outer.start()
        if self.torch is not None:
            note = self.process.noted()
            note.open.append("the torch session")
            note.write()
            self.torch.start()

    def _cool(self) -> None:
        p, self.throwaway = self.throwaway, None
        if p is not None:
            p.stop()

    def stop(self) -> "List[str]":
        """Stops what runs and writes the files: idle the device, stop, export, close the
        outer profiler's range; each even if the one before failed."""
        with self.lock:
            was, self.state = self.state, "done"
            self._try(self._cool)
            if was != "recording":
                return self.files
            self._try(_capture.idle)
            rank, note = max(self.process.rank, 0), self.process.noted()
            if self.torch is not None:
                self._try(self.torch.stop)
                suffix = ".json.gz" if self.config.get("torch_profiler_use_gzip") else ".json"
                for path, kind in ((self._try(self.torch.export, os.path.join(self.folder, f"trace_rank{rank}{suffix}")), "trace"),
                                   (self._try(self.torch.snapshot, os.path.join(self.folder, f"memory_snapshot_rank{rank}.pickle")), "memory")):
                    if path is not None:
                        self.files.append(path)
                        note.add(path, kind)
            if self.outer is not None:
                self._try(self.outer.stop)
            note.faults += self.faults
            note.open.clear()
            if self.torch is not None:
                note.write()
            return self.files


_count = 0


def start_profile(profile_prefix: "Optional[str]" = None, config: Any = None, **fields: Any) -> Session:
    """Starts a session with the process's profiler_config (REEL_PROFILER_CONFIG), or the
    one given, its fields replaced by those named. Raises RuntimeError when one runs, or
    when there is no configuration, and ConfigError for one that is none."""
    global _count
    p = _process.start()
    if p.session is not None and p.session.state not in ("done", "failed"):
        raise RuntimeError(f"a session is {p.session.state} already; stop_profile() ends it")
    base = load(config) if config is not None else dict(p.torch_options or {})
    merged = load({**base, **fields})
    if not merged.get("profiler"):
        raise RuntimeError('no profiler is configured: REEL_PROFILER_CONFIG, or start_profile(config={"profiler": "torch", "torch_profiler_dir": ...})')
    folder = p.run_folder() if p.environ.get("REEL_RUN_DIR") else _own_folder(p, merged, profile_prefix)
    _count += 1
    if _count > 1:
        folder = os.path.join(folder, f"session-{_count}")
    p.session = Session(p, merged, folder)
    return p.session


def _own_folder(p: "_process.Process", config: "Dict[str, Any]", prefix: "Optional[str]") -> str:
    """The run folder of a process that nobody launched: below torch_profiler_dir."""
    root = os.path.abspath(os.path.expanduser(config.get("torch_profiler_dir") or "artifacts/profiles"))
    if not p.folder:
        p.folder = os.path.join(root, os.path.basename(_folder.choose({}, _folder.slug(prefix) if prefix else "")))
    return p.run_folder()


def stop_profile() -> "List[str]":
    """Ends the session and returns the files that it left. Raises RuntimeError when none
    was started, or when it could not record."""
    p = _process.start()
    s, p.session = p.session, None
    if s is None:
        raise RuntimeError("no session was started; start_profile() starts one")
    files = s.stop()
    if s.faults and not files:
        raise RuntimeError("; ".join(s.faults))
    return files
