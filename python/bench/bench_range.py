"""What a range costs: off, on, and in a flight recorder, in nanoseconds, beside an empty
with statement. Best of many short stretches, so that a busy machine says little wrong.

    bench_range.py [--json]
"""
import json
import os
import sys
import tempfile
import timeit

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from reel import _file, denoise_steps, profiler, stage  # noqa: E402


class Empty:
    __slots__ = ()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def best(statement, n=1000, **names):
    return min(timeit.repeat(statement, globals={**globals(), **names}, number=n, repeat=100)) / n * 1e9


def main():
    out = {"python": sys.version.split()[0], "with": best("with e: pass", e=Empty())}
    off = best("with profiler.range('x'): pass")
    out["off"], out["off, steps"] = off, best("for i in s: pass", 20, s=denoise_steps(range(100))) / 100
    with tempfile.TemporaryDirectory() as d:
        for name, mode in (("on", _file.FULL), ("flight", _file.FLIGHT)):
            f = _file.File(os.path.join(d, name + ".reel"), 1 << 28, mode)
            profiler.install(f)
            out[name] = best("with profiler.range('x'): pass")
            if name == "on":
                out["on, mark"], out["on, stage"] = best("profiler.event('x')"), best("with stage('x'): pass")
            profiler.install(None)
            f.close()
    if "--json" in sys.argv:
        print(json.dumps(out))
    else:
        print(" · ".join(f"{k} {v:.0f} ns" if isinstance(v, float) else f"{k} {v}" for k, v in out.items()))


if __name__ == "__main__":
    main()
