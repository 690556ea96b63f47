#!/usr/bin/env python3
"""Checks `reel profile` on unmodified scripts of Diffusers pipelines: names and numbers of stages and steps, equal
pictures, torch windows, two ranks, ends in the loop, and what measuring costs.

    auto.py REEL [PART...]     PART: pipelines times torch ranks ends start overhead
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LANTERN = HERE.parent.parent / "lantern/checkpoint/model"
REEL = sys.argv[1] if len(sys.argv) > 1 else "reel"
PYTHON = sys.executable
WORK = pathlib.Path(tempfile.mkdtemp(prefix="reel-auto-"))
ENV = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore", "PYTHONDONTWRITEBYTECODE": "1",
       "DIFFUSERS_VERBOSITY": "error", "TRANSFORMERS_VERBOSITY": "error"}
faults = 0

# The stages that a pipeline goes through, and the steps of each of its requests.
EXPECTED = {
    "flux": ("encode decode postprocess", {"FluxPipeline": [4]}),
    "sdxl": ("encode decode postprocess", {"StableDiffusionXLPipeline": [4]}),  # with a scheduler of second order
    "sd3": ("encode decode postprocess", {"StableDiffusion3Pipeline": [4]}),
    "wan": ("encode decode postprocess", {"WanPipeline": [4]}),
    "lantern": ("encode decode postprocess", {"WanPipeline": [4]}),
    "qwen": ("encode decode postprocess", {"QwenImagePipeline": [4]}),
    "qwen_edit": ("preprocess encode vae_encode decode postprocess", {"QwenImageEditPipeline": [2]}),
    "qwen_layered": ("preprocess encode vae_encode decode postprocess", {"QwenImageLayeredPipeline": [2]}),
    "ltx": ("encode decode postprocess", {"LTXPipeline": [4, 3], "LTXLatentUpsamplePipeline": [0]}),
}


def ok(text, good=True, more=""):
    global faults
    faults += not good
    print(f"{'ok  ' if good else 'FAIL'} {text}" + ("" if good else f": {more}"), flush=True)
    return good


def run(*args, code=0, cwd=WORK, **env):
    done = subprocess.run([str(a) for a in args], env={**ENV, **env}, cwd=cwd, capture_output=True, text=True, timeout=900)
    if code is not None and done.returncode != code:
        ok(" ".join(map(str, args[-3:])), False, f"exit code {done.returncode}, want {code}\n{done.stderr[-3000:]}")
    return done


def profile(name, *command, flags=(), code=0, **env):
    """Runs a command under the profiler and returns its run folder and what was said."""
    folder = WORK / f"run-{name}"
    done = run(REEL, "profile", "--report-path", folder, *flags, "--", *command, code=code, **env)
    return folder, done


def summary(*paths):
    done = run(REEL, "summary", *paths, "--json")
    return json.loads(done.stdout) if done.returncode == 0 else {"ranks": [{"requests": [], "stages": [], "steps": []}]}


def counted(rank):
    """Steps by the names of the requests that they lie in."""
    out = {}
    for q in rank.get("requests", []):
        out.setdefault(q["name"], []).append(sum(s["request"] == q["index"] for s in rank.get("steps", [])))
    return out


def zoo_of():
    """The folder of tiny models, made when it is not there."""
    zoo = WORK / "zoo"
    if zoo.exists():
        return zoo
    done = run(PYTHON, HERE / "zoo.py", zoo)
    for line in done.stdout.splitlines():
        if line.startswith("skip"):
            print(line)
    if LANTERN.joinpath("model_index.json").exists():
        zoo.joinpath("lantern").symlink_to(LANTERN)
    else:
        print("skip lantern: there is no lantern/checkpoint/model")
    return zoo


def pipelines():
    zoo = zoo_of()
    for name, (stages, steps) in EXPECTED.items():
        if not zoo.joinpath(name).exists():
            continue
        script = HERE / "generate" / f"{name}.py"
        plain, seen = WORK / f"{name}.plain.npy", WORK / f"{name}.seen.npy"
        run(PYTHON, script, zoo, plain)
        folder, done = profile(name, PYTHON, script, zoo, seen)
        rank = summary(folder)["ranks"][0]
        found = {s["stage"] for s in rank.get("stages", [])}
        ok(f"{name}: stages {stages}", set(stages.split()) <= found, f"found {sorted(found)}")
        ok(f"{name}: steps {steps}", counted(rank) == steps, f"found {counted(rank)}")
        ok(f"{name}: the same picture", plain.exists() and seen.exists() and plain.read_bytes() == seen.read_bytes(), "they differ")
        said = [line for line in done.stderr.splitlines() if line.startswith("reel: ")]
        ok(f"{name}: no warnings", not said, said)


def times():
    """Stages and the request of whole calls agree with timers put in by hand within 3 %, or 150 µs: some last less
    than a millisecond here. The first request is 1.5 ms longer by hand: as it ends, the start-up report is written."""
    zoo = zoo_of()
    for name in ("flux", "sd3", "wan", "lantern", "qwen"):
        script = HERE / "generate" / f"{name}.py"
        if not zoo.joinpath(name).exists():
            print(f"skip times of {name}: this diffusers has no such pipeline")
            continue
        folder, _ = profile(f"times-{name}", PYTHON, HERE / "hand.py", script, zoo, WORK / "hand.npy", WORK / "hand.json")
        hand, rank = json.loads((WORK / "hand.json").read_text())[0], summary(folder)["ranks"][0]
        seen = {"whole": rank["requests"][0]["duration_ns"] / 1e9}
        for s in rank["stages"]:
            seen[s["stage"]] = seen.get(s["stage"], 0) + s["cpu_ns"] / 1e9
        off = {k: (seen[k] / t - 1, seen[k] - t) for k, t in hand.items()}
        ok(f"{name}: as timed by hand: " + ", ".join(f"{k} {1e3 * hand[k]:.2f} ms {100 * r:+.2f} %" for k, (r, _) in off.items()),
           len(off) == 4 and all(abs(r) <= 0.03 or abs(d) <= (1.5e-3 if k == "whole" else 150e-6) for k, (r, d) in off.items()))


def torch():
    folder, done = profile("torch", PYTHON, HERE / "ends.py", "whole", flags=("--torch", "--window", "1-2"))
    tail = "rank0-request-0-loop-0-steps-1-2"
    ok("torch: a trace and a workbook for the window", all((folder / n).exists() for n in (f"trace_{tail}.json", f"ops_{tail}.xlsx")), os.listdir(folder))
    steps = [s["name"] for s in summary(folder / f"trace_{tail}.json")["ranks"][0]["steps"]]
    ok("torch: exactly these steps", len(steps) == 2 and [s[-1] for s in steps] == ["1", "2"], steps)
    ok("torch: the folder as a whole sums up", run(REEL, "summary", folder).returncode == 0)
    folder, done = profile("lost", PYTHON, HERE / "ends.py", "exit", flags=("--torch",), code=7)
    ok("torch: a window that was open is reported as lost", "its trace is lost" in done.stderr, done.stderr[-1500:])
    config = json.dumps({"profiler": "torch", "torch_profiler_dir": str(WORK), "torch_profiler_with_stack": True, "torch_profiler_record_shapes": True,
                         "torch_profiler_dump_cuda_time_total": True, "torch_profiler_use_gzip": True})
    folder, done = profile("config", PYTHON, HERE / "ends.py", "whole", flags=("--profiler-config", config))
    wanted = ("trace_rank0.json.gz", "ops_rank0.xlsx", "stacks_cpu_rank0.txt", "stacks_cuda_rank0.txt", "profiler_out_0.txt")
    ok("torch: a profiler_config leaves its files", all((folder / n).exists() for n in wanted), os.listdir(folder))


def ranks():
    folder, done = profile("ranks", PYTHON, "-m", "torch.distributed.run", "--nproc-per-node", "2", HERE / "ends.py", "whole", flags=("--torch", "--window", "1"))
    names = sorted(p.name for p in folder.iterdir())
    ok("torchrun: two ranks in one folder", all(any(n.startswith(f"{kind}{r}-") for n in names) for kind in ("rec-", "trace_rank") for r in (0, 1)), names)


def ends():
    for how, code, closed in (("exception", 1, True), ("memory", 1, True), ("interrupt", None, True), ("exit", 7, False), ("kill", 137, False)):
        folder, done = profile(how, PYTHON, HERE / "ends.py", how, code=code)
        rank = summary(folder)["ranks"][0]
        run_json = json.loads((folder / "run.json").read_text())
        ok(f"{how}: three steps, {'closed' if closed else 'named as lost'}",
           counted(rank) == {"WanPipeline": [3]} and (run_json["ranks"][0]["state"] == ("done" if closed else "lost")), f"{counted(rank)}, {run_json['ranks']}")


def start():
    other = WORK / "other"
    other.mkdir()
    (other / "sitecustomize.py").write_text("import sys\nsys.chained = True\n")
    _, done = profile("chain", PYTHON, "-c", "import sys; print(sys.chained, 'reel' in sys.modules)", PYTHONPATH=str(other))
    ok("an existing sitecustomize runs", done.stdout == "True True\n", done.stdout + done.stderr)
    loaded = "; print(*sorted(m for m in sys.modules if m.partition('.')[0] in ('torch', 'diffusers', 'transformers')))"
    for what in ("torch", "torch, diffusers", "torch; from diffusers import WanPipeline"):
        alone, (_, done) = run(PYTHON, "-c", f"import sys, {what}{loaded}"), profile("loads-" + what, PYTHON, "-c", f"import sys, {what}{loaded}")
        more = set(done.stdout.split()) ^ set(alone.stdout.split())
        ok(f"import {what}: the same modules with and without", not more and len(alone.stdout) > 1000, sorted(more)[:20])
    for flag in ("-I", "-E", "-S"):
        _, done = profile("flag" + flag, PYTHON, flag, "-c", "print('runs')")
        ok(f"python {flag} is noticed and named", done.stdout == "runs\n" and f"python {flag}: " in done.stderr, done.stderr)


def overhead(processes=3):
    """What a call costs more: pairs of calls, with what Reel wrapped and with the originals, in
    one process. Two processes differ by more than is looked for (where their memory lies: 5 %
    either way), whatever is in them. What Reel takes does not grow with the model."""
    for name, turns, most, more in (("a tiny WanPipeline", 200, 0.03, ()), ("Lantern's checkpoint", 60, 0.01, (LANTERN,))):
        ratios, cost = [], []
        for i in range(processes):
            _, done = profile(f"turns-{i}-{turns}", PYTHON, HERE / "turns.py", turns, *more)
            pairs = [tuple(map(float, line.split())) for line in done.stdout.splitlines()][5:]
            ratios.append(statistics.median(a / b for a, b in pairs) - 1)
            cost.append(statistics.median(a - b for a, b in pairs))
        whole, middle = statistics.median(b for _, b in pairs), statistics.median(ratios)
        ok(f"overhead: {name}, a call of {1e3 * whole:.1f} ms takes {100 * middle:+.2f} % more ({' '.join(f'{100 * r:+.2f}' for r in ratios)}), {1e6 * statistics.median(cost):.0f} µs, at most {100 * most:.0f} %", middle <= most)


PARTS = (pipelines, times, torch, ranks, ends, start, overhead)


def main():
    wanted = sys.argv[2:] or [p.__name__ for p in PARTS]
    for p in PARTS:
        if p.__name__ in wanted:
            p()
    return 1 if faults else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    finally:
        import shutil

        shutil.rmtree(WORK, ignore_errors=True)
