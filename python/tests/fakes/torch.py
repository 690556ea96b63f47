"""A stand-in for torch: what the client touches of it, with a device whose events are reached later."""
import json
import os
import types

__version__ = "0.fake"
log = []
_tracing = [False]


class compiler:
    is_compiling = staticmethod(lambda: _tracing[0])


def compile_of(fn):
    """What torch.compile does to a wrapper: runs it with is_compiling true."""

    def traced(*args, **kwargs):
        _tracing[0] = True
        try:
            return fn(*args, **kwargs)
        finally:
            _tracing[0] = False

    return traced


class _Module:
    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)


nn = types.SimpleNamespace(Module=_Module)


class Clock:
    """The device's time, in milliseconds; behind the host's and of another origin."""

    now, initialized, capturing, device = 0.0, False, False, 1


class Event:
    def __init__(self, enable_timing=False):
        assert enable_timing
        self.at = self.device = None

    def record(self, stream):
        import time

        if self.device not in (None, stream.device):
            raise RuntimeError(f"Event device {self.device} does not match recording stream's device {stream.device}.")
        self.device = stream.device
        self.at = time.monotonic_ns() / 1e6 + Clock.now

    def query(self):
        return not getattr(self, "late", False)

    def elapsed_time(self, other):
        if self.device != other.device:
            raise RuntimeError("CUDA error: invalid resource handle")
        return other.at - self.at


def _say(*what):
    log.append(" ".join(map(str, what)))


class _Memory:
    @staticmethod
    def _record_memory_history(enabled="all", **how):
        _say("memory", "on" if enabled else "off", *(f"{k}={v}" for k, v in sorted(how.items())))

    @staticmethod
    def _dump_snapshot(path):
        _say("snapshot")
        open(path, "wb").close()


class cuda:
    Event = Event
    memory = _Memory
    is_available = staticmethod(lambda: bool(os.environ.get("FAKE_CUDA")))
    is_initialized = staticmethod(lambda: Clock.initialized)
    is_current_stream_capturing = staticmethod(lambda: Clock.capturing)
    current_stream = staticmethod(lambda device=None: types.SimpleNamespace(stream_id=7, device=Clock.device if device is None else device))
    current_device = staticmethod(lambda: Clock.device)
    synchronize = staticmethod(lambda: _say("synchronize"))
    cudart = staticmethod(lambda: types.SimpleNamespace(cudaProfilerStart=lambda: _say("cudaProfilerStart"), cudaProfilerStop=lambda: _say("cudaProfilerStop")))


autograd = types.SimpleNamespace(DeviceType=types.SimpleNamespace(CPU=0))


class profiler:
    class ProfilerActivity:
        CPU, CUDA, XPU = "CPU", "CUDA", "XPU"

    class record_function:
        def __init__(self, name):
            self.name = name

        def __enter__(self):
            _say("annotation", self.name)

        def __exit__(self, *_):
            _say("annotation end", self.name)

    class profile:
        running = None

        def __init__(self, activities, **options):
            self.what = "+".join(activities) + "".join(f" {k}" for k, v in options.items() if v is True)
            e = types.SimpleNamespace(device_type=lambda: 0)
            self.profiler = types.SimpleNamespace(kineto_results=types.SimpleNamespace(events=lambda: [e, e]))

        def start(self):
            if profiler.profile.running:
                raise RuntimeError("another profiler runs")
            if os.environ.get("FAKE_START_FAILS"):
                raise RuntimeError("CUPTI is taken")
            profiler.profile.running = self
            _say("start", self.what)

        def stop(self):
            profiler.profile.running = None
            _say("stop")

        def export_chrome_trace(self, path):
            _say("export")
            if os.environ.get("FAKE_EXPORT_FAILS"):
                open(path, "w").close()
                raise OSError("disk full")
            with open(path, "w") as f:
                json.dump({"traceEvents": []}, f)
