"""The twin of `reel startup vae` for PyTorch: times the start-up of a VAE that Diffusers
loads, from exec to the first decoded frame.

    python -m reel.startup_vae --model-path wan/vae --output vae.json

Each repetition is a process of its own; one more runs without a collector, whose wall
time says what measuring costs. Downloads, compilation and the warm-up of kernels are no
part of it. Shape and finiteness of the output are checked; whether it is right is what
`reel startup compare` tells.
"""
from __future__ import annotations

import argparse
import contextlib
import glob
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from typing import Any, Dict, List, Optional

from . import _folder, startup

_EXEC, _REPORT, _COLLECT = "REEL_STARTUP_EXEC_NS", "REEL_STARTUP_REPORT", "REEL_STARTUP_COLLECT"


def flags() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog="python -m reel.startup_vae", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--model-path", metavar="FOLDER", required=True, help="the VAE's folder, with config.json and safetensors")
    p.add_argument("--output", metavar="FILE", required=True, help="the report: FILE.json")
    p.add_argument("--tensor-output", metavar="FILE", default="", help="the decoded frames: FILE.safetensors or .pt")
    p.add_argument("--latent", metavar="FRAMESxHEIGHTxWIDTH", default="2x8x8", type=latent, help="the latent's size")
    p.add_argument("--synchronize", action="store_true", help="wait for the device around each phase")
    p.add_argument("--repeat", metavar="N", default=1, type=int, help="processes to measure")
    p.add_argument("--drop-caches", action="store_true", help="evict the checkpoint from the page cache before each")
    p.add_argument("--force", action="store_true", help="overwrite the outputs")
    p.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return p


def latent(text: str) -> "tuple[int, int, int]":
    parts = text.split("x")
    if len(parts) != 3 or not all(p.isascii() and p.isdigit() and 1 <= int(p) <= 1024 for p in parts):
        raise argparse.ArgumentTypeError(f"{text!r}: want FRAMESxHEIGHTxWIDTH, three numbers of 1 to 1024")
    return int(parts[0]), int(parts[1]), int(parts[2])


def main(argv: "Optional[List[str]]" = None) -> int:
    f = flags().parse_args(argv)
    if f.worker:
        Worker(f).run()
        return 0
    if not 1 <= f.repeat <= 1000:
        flags().error(f"--repeat {f.repeat}: 1 to 1000")
    if not os.path.exists(os.path.join(f.model_path, "config.json")):
        flags().error(f"--model-path {f.model_path}: a VAE's folder with config.json is wanted")
    for path in (f.output, f.tensor_output):
        if path and os.path.lexists(path) and not f.force:
            print(f"{path} exists; --force overwrites it", file=sys.stderr)
            return 1
    runs: List[Dict[str, Any]] = []
    for i in range(f.repeat + 1):
        report, error = measure(f, tensor=f.tensor_output if i == 0 else "", collect=i < f.repeat)
        if report is not None and i < f.repeat:
            runs.append(report)
        if error:
            if runs:
                write(f.output, whole(runs, runs[-1]))
            print(f"the measured process failed: {error}", file=sys.stderr)
            return 1
        if i == f.repeat:
            plain = report["environment"]["process_wall_time_ns"] if report else 0
    middle = sorted(runs, key=lambda r: r["duration_ns"])[(len(runs) - 1) // 2]
    out = whole(runs, middle)
    out["uninstrumented_wall_time_ns"] = plain
    write(f.output, out)
    show(out)
    return 0


def whole(runs: "List[Dict[str, Any]]", one: "Dict[str, Any]") -> "Dict[str, Any]":
    out = dict(one)
    if len(runs) > 1:
        out["repetitions"] = runs
    return out


def write(path: str, report: "Dict[str, Any]") -> None:
    _folder.replace(os.path.abspath(path), json.dumps(report, indent=2).encode() + b"\n")


def show(report: "Dict[str, Any]") -> None:
    """Prints the phases as a tree; `reel startup show` says more."""
    depth: Dict[Any, int] = {None: -1}
    for p in sorted(report["phases"], key=lambda p: (p["start_ns"], p["id"])):
        depth[p["id"]] = depth.get(p["parent_id"], -1) + 1
        print(f"{'  ' * depth[p['id']]}{p['name']:<{34 - 2 * depth[p['id']]}} {p['duration_ns'] / 1e6:10.1f} ms")


def measure(f: Any, tensor: str, collect: bool) -> "tuple[Optional[Dict[str, Any]], str]":
    """Measures one process from its exec to its exit."""
    files = cache(f.model_path, f.drop_caches)
    fd, path = tempfile.mkstemp(prefix="reel-startup-", suffix=".json")
    os.close(fd)
    args = [sys.executable, "-m", "reel.startup_vae", "--worker", "--output", "-", "--model-path", f.model_path, "--latent", "x".join(map(str, f.latent))]
    args += ["--synchronize"] * f.synchronize + (["--tensor-output", tensor] if tensor else []) + ["--force"] * f.force
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    env = {**os.environ, _REPORT: path, _COLLECT: str(collect).lower(), "REEL_RECORD": "0", "REEL_AUTO": "0",
           "PYTHONPATH": os.pathsep.join(p for p in (here, os.environ.get("PYTHONPATH", "")) if p)}
    try:
        began = time.time_ns()
        done = subprocess.run(args, env={**env, _EXEC: str(began)}, stderr=subprocess.PIPE, universal_newlines=True)
        ended = time.time_ns()
        with open(path, encoding="utf-8") as file:
            text = file.read()
    finally:
        os.unlink(path)
    report = json.loads(text) if text else {"environment": {}}
    report["environment"].update(page_cache=files, process_wall_time_ns=ended - began)
    word = state(files)
    if word:
        report["environment"]["page_cache_state"] = word
    if text:
        end = report["started_at_unix_ns"] + report["duration_ns"]
        if ended > end:
            report["phases"].append({"id": max([p["id"] for p in report["phases"]] or [-1]) + 1, "parent_id": None, "name": "process.exit",
                                     "start_ns": report["duration_ns"], "duration_ns": ended - end, "status": "success"})
            report["duration_ns"] += ended - end
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return (report if text else None), lines[-1] if lines else f"exit code {done.returncode}"
    return report, ""


def cache(folder: str, drop: bool) -> "List[Dict[str, Any]]":
    """How much of the weights is in the page cache; evicts them first when asked to."""
    out = []
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), "*.safetensors"))):
        with open(path, "rb") as file:
            if drop and hasattr(os, "posix_fadvise"):
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            share = resident(file.fileno())
        if share is not None:
            out.append({"file": os.path.basename(path), "bytes": os.path.getsize(path), "resident": share})
    return out


def resident(fd: int) -> "Optional[float]":
    """The share of a file that is in the page cache; None where that cannot be told."""
    import ctypes
    import mmap

    size = os.fstat(fd).st_size
    if not size or not sys.platform.startswith("linux"):
        return None
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
        at = libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, fd, 0)
        if at in (None, ctypes.c_void_p(-1).value):
            return None
        pages = (size + mmap.PAGESIZE - 1) // mmap.PAGESIZE
        seen = (ctypes.c_ubyte * pages)()
        bad = libc.mincore(ctypes.c_void_p(at), ctypes.c_size_t(size), seen)
        libc.munmap(ctypes.c_void_p(at), ctypes.c_size_t(size))
        return None if bad else sum(b & 1 for b in seen) / pages
    except (OSError, AttributeError):
        return None


def state(files: "List[Dict[str, Any]]") -> str:
    all = sum(f["bytes"] for f in files)
    if not all:
        return ""
    share = sum(f["bytes"] * f["resident"] for f in files) / all
    return "cold" if share < 0.05 else "warm" if share > 0.95 else "mixed"


class Worker:
    """The process that is measured."""

    def __init__(self, f: Any):
        self.f = f
        self.device: Any = None
        self.entered = time.time_ns()
        self.early: "Optional[bool]" = None
        self.group = False

    def run(self) -> None:
        if os.environ.get(_COLLECT) == "false":
            self.work()
            return
        origin = int(os.environ.get(_EXEC) or 0) or self.entered
        timings = startup.StartupTimings(self.sync if self.f.synchronize else None, origin_ns=origin)
        try:
            with timings:
                timings.add("process.start", origin, self.entered)
                self.work()
        finally:
            timings.close()
            timings.environment = {**startup.environment(), "checkpoint_revision": mark(self.f.model_path)}
            if self.early is not None:
                timings.more["device_initialized_before_setup"] = self.early
                if self.device is not None and self.device.type == "cuda":
                    timings.more["cuda_initialized_before_device_setup"] = self.early
            path = os.environ.get(_REPORT)
            if path:
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(timings.to_dict(), file)

    def work(self) -> None:
        with startup.phase("import.torch"):
            import torch
        with startup.phase("import.helpers"):  # what imports do besides is in it
            import diffusers  # noqa: F401
            from diffusers import AutoencoderKLWan  # noqa: F401
        self.torch = torch
        self.early = torch.cuda.is_initialized()
        with startup.phase("device.setup"):
            self.setup()
        with startup.phase("component.vae"):
            vae = self.load()
        with startup.phase("vae.first_decode"):
            frames = self.decode(vae)
        with startup.phase("output.verify"):
            self.verify(vae, frames)
        with startup.phase("output.write"):
            self.write(frames)
        with startup.phase("device.release"):
            if self.group:
                torch.distributed.destroy_process_group()

    def sync(self) -> None:
        """Waits for the device once there is one: before, it must not make it."""
        if self.device is not None and self.device.type == "cuda" and self.torch.cuda.is_initialized():
            self.torch.cuda.synchronize()

    def setup(self) -> None:
        """The device and a process group of one, at the launcher's rendezvous or, where
        there is none, at a free port of this machine."""
        torch = self.torch
        kind = "cuda" if torch.cuda.is_available() else "cpu"
        local = int(os.environ.get("LOCAL_RANK") or 0)
        self.device = torch.device(kind, local if kind == "cuda" else None)
        if kind == "cuda":
            torch.cuda.set_device(self.device)
            torch.zeros(1, device=self.device)
        if torch.distributed.is_available():
            defaults = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "RANK": "0", "WORLD_SIZE": "1"}
            for k, v in defaults.items():
                os.environ.setdefault(k, v)
            torch.distributed.init_process_group("nccl" if kind == "cuda" else "gloo")
            self.group = True

    def load(self) -> Any:
        """Loads the VAE in the steps that its loader takes, each a phase."""
        torch = self.torch
        import diffusers
        from safetensors.torch import load_file

        with open(os.path.join(self.f.model_path, "config.json"), encoding="utf-8") as file:
            config = json.load(file)
        cls = getattr(diffusers, config.get("_class_name", "AutoencoderKLWan"))
        files = sorted(glob.glob(os.path.join(glob.escape(self.f.model_path), "*.safetensors")))
        if not files:
            raise FileNotFoundError(f"No safetensors files found in {self.f.model_path}")
        with startup.phase("vae.construct"):
            vae = cls.from_config(config)
        with startup.phase("vae.device_transfer"):
            vae = vae.to(device=self.device, dtype=torch.float32)
        with startup.phase("vae.checkpoint_read"):
            weights: Dict[str, Any] = {}
            for path in files:
                weights.update(load_file(path))
        with startup.phase("vae.weight_assignment"):
            vae.load_state_dict(weights, strict=True)
        with startup.phase("vae.finalize"):
            return vae.eval().requires_grad_(False)

    def decode(self, vae: Any) -> Any:
        """Decodes a fixed latent, with the VAE's own cache of its causal convolutions."""
        torch, c = self.torch, vae.config
        channels = c.get("z_dim") or c.get("latent_channels")
        z = torch.randn(1, channels, *self.f.latent, generator=torch.Generator().manual_seed(0)).to(self.device)
        if c.get("latents_mean"):
            mean, std = (torch.tensor(c[k], device=self.device).view(1, -1, 1, 1, 1) for k in ("latents_mean", "latents_std"))
            z = z * std + mean
        with torch.no_grad():
            return vae.decode(z, return_dict=False)[0].float().cpu()

    def verify(self, vae: Any, frames: Any) -> None:
        """Checks shape and finiteness; parity is not known by that."""
        c, (t, h, w) = vae.config, self.f.latent
        mult, down = c.get("dim_mult"), c.get("temperal_downsample")
        if mult and down:
            space, time = 2 ** (len(mult) - 1), 2 ** sum(map(bool, down))
            want = [1, c.get("out_channels") or 3, 1 + (t - 1) * time, h * space, w * space]
            if c.get("patch_size") is None and list(frames.shape) != want:
                raise ValueError(f"the output's shape is {list(frames.shape)}, want {want}")
        if not bool(self.torch.isfinite(frames).all()):
            raise ValueError("the output has values that are not finite")

    def write(self, frames: Any) -> None:
        path = self.f.tensor_output
        if not path:
            return
        if path.endswith(".pt"):
            self.torch.save(frames, path)
            return
        from safetensors.torch import save_file

        save_file({"frames": frames.contiguous()}, path)


def free_port() -> int:
    with contextlib.closing(socket.socket()) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def mark(folder: str) -> str:
    """Tells checkpoints apart cheaply: a hash would read them, and so warm the page cache."""
    entries = [e.stat() for e in os.scandir(folder) if e.is_file()]
    latest = max((s.st_mtime for s in entries), default=0)
    return f"{sum(s.st_size for s in entries)} bytes, modified {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(latest))}"


if __name__ == "__main__":
    sys.exit(main())
