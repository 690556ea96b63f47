"""Hooks, on a stand-in for Diffusers and PyTorch: names, nesting, and that they never get in the way."""
import glob
import json
import os
import unittest

import reading
from reading import recordings
from test_process import Folder

FAKES = os.path.join(reading.HERE, "fakes")
TOY = "from diffusers.pipelines.pipeline_toy import ToyPipeline\n"


class Toy(Folder):
    def toy(self, text, **more):
        return self.script(TOY + text, path=reading.CLIENT + os.pathsep + FAKES, **more)

    def mods(self, **texts):
        """A folder of modules, for the path."""
        folder = os.path.join(os.path.dirname(self.dir), "mods")
        os.makedirs(folder)
        for name, text in texts.items():
            with open(os.path.join(folder, name + ".py"), "w") as f:
                f.write(text)
        return reading.CLIENT + os.pathsep + folder

    def startup(self):
        """The process's own report."""
        path, = glob.glob(os.path.join(self.dir, "startup", "*.json"))
        with open(path) as f:
            return json.load(f)

    def outline(self, r=None):
        """The ranges as a tree in one line."""
        r = r or self.one()
        out, stack = [], []
        for e in sorted((e for e in r.ranges() if not e.name.startswith("import.")), key=lambda e: (e.start, -e.end)):
            while stack and stack[-1] <= e.start:
                stack.pop()
                out.append(")")
            out.append(f" {e.name}(")
            stack.append(e.end)
        return ("".join(out) + ")" * len(stack)).replace("()", "").strip()



class Hooks(Toy):
    STEP = "transformer_forward transformer_forward scheduler_step"
    BEFORE = "ToyPipeline( prepare_latents( pipeline.vae_encode) pipeline.encode"

    def test_pipeline(self):
        for how in ("with", "iterable"):
            with self.subTest(how):
                self.dir += how
                done = self.toy(f"print(ToyPipeline()('ab', 2, how={how!r}))")
                self.assertEqual((done.stdout, done.stderr), ("11\n", ""))
                self.assertEqual(self.outline(), f"{self.BEFORE} denoise.loop( denoise[0]( {self.STEP}) denoise[1]( {self.STEP})) pipeline.decode)")

    def test_no_bar(self):
        self.toy("p = ToyPipeline(); p(steps=2, how='none'); p(steps=1, how='none')")
        loop = "denoise.loop( denoise[0]( {0}) denoise[1]( {0}))".format(self.STEP)
        text = self.outline()
        self.assertIn(f"{self.BEFORE} {loop} pipeline.decode)", text)
        self.assertIn(f"denoise.loop( denoise[0]( {self.STEP})) pipeline.decode)", text)

    def test_second_order(self):
        self.toy("ToyPipeline()(steps=2, how='second order')")
        self.assertEqual([e.name for e in self.one().ranges() if e.role == 3], ["denoise[0]", "denoise[1]"])
        self.assertEqual(len(self.one().ranges("scheduler_step")), 4)

    def test_hand_written(self):
        """A loop of the user's own, outside of any pipeline."""
        self.toy("""
p = ToyPipeline()
p.scheduler.set_timesteps(3)
x = 0
for t in p.scheduler.timesteps:
    x = p.one(t, x, cfg=1)
p.vae.decode(x)
""")
        one = "transformer_forward scheduler_step"
        self.assertEqual(self.outline(), f"denoise.loop( denoise[0]( {one}) denoise[1]( {one}) denoise[2]( {one})) pipeline.decode")

    def test_users_own(self):
        """A pipeline that is a subclass in the user's script, and one within another's call."""
        self.toy("""
class Mine(ToyPipeline):
    def __call__(self, n):
        return super().__call__(steps=n)
print(Mine()(2), Mine.__call__.__name__)
""")
        names = [e.name for e in self.one().ranges() if e.name[0] != "i"]
        self.assertEqual((names[0], names[1]), ("Mine", "Mine (nested)"))
        self.assertEqual(len([n for n in names if n.startswith("denoise[")]), 2)

    def test_failure(self):
        done = self.toy("ToyPipeline()(steps=4, fail_at=2)", code=1)
        self.assertIn("MemoryError: CUDA out of memory", done.stderr)
        r = self.one()
        self.assertFalse([e for e in r.events if e.open])
        self.assertEqual(len([e for e in r.ranges() if e.role == 3]), 3)

    def test_compiled(self):
        """Under torch.compile no wrapper is there."""
        done = self.toy("""
import torch
p = ToyPipeline()
p.transformer.forward = torch.compile_of(p.transformer.forward)
print(p(steps=1), torch.compile_of(p.transformer.__call__)(5), torch.compile_of(p.vae.decode)(6))
""")
        self.assertEqual(done.stdout, "3 6 6\n")
        self.assertEqual(len(self.one().ranges("pipeline.decode")), 1)

    def test_loads(self):
        done = self.toy("""
import reel
with reel.collect_startup_timings() as t:
    import torch
    ToyPipeline.from_pretrained("x")
    try:
        ToyPipeline.from_pretrained("x", fails=True)
    except OSError as err:
        print(err)
    ToyPipeline()(steps=1)
print(*((p["name"], p["parent_id"]) for p in t.to_dict()["phases"]))
""")
        loads = 2 * ["from_pretrained", "component.vae", "component.transformer"]
        self.assertEqual(done.stdout.splitlines()[-1], " ".join(map(str, zip(loads, (None, 0, 0, None, 3, 3)))))
        words = [e.name for e in self.one().ranges()]
        self.assertEqual([w for w in words if w.startswith(("from", "comp", "import"))],
                         ["import.diffusers", "import.torch", "from_pretrained", "component.vae", "component.transformer"] + ["from_pretrained", "component.vae", "component.transformer"])
        report = self.startup()
        self.assertEqual([p["name"] for p in report["phases"] if "pipelines" not in p["name"]], ["interpreter", "import.diffusers", "import.torch", *loads, "first_request"])
        self.assertEqual(report["phases"][0]["start_ns"], 0)
        self.assertGreater(report["phases"][1]["start_ns"], 0)

    def test_start_up_of_a_short_life(self):
        """The report of the start-up is there from the end of the first request on, and once."""
        self.toy("ToyPipeline()(steps=1)\nToyPipeline()(steps=1)\nimport os; os._exit(3)", code=3)
        self.assertEqual(self.startup()["phases"][-1]["name"], "first_request")
        self.dir += "2"
        self.toy("ToyPipeline()(steps=1)\nimport torch")
        self.assertEqual(self.startup()["environment"]["versions"]["torch"], "0.fake")

    def test_first_request(self):
        """Start-up ends with the first request; slow imports before it have phases, whoever asks where a module lies gets its own loader."""
        odd = self.mods(slow="import time, quick\ntime.sleep(0.03)", quick="", later="import time\ntime.sleep(0.03)").split(os.pathsep)[1]
        done = self.toy("""
import importlib.util, sys
sys.path.insert(0, os.environ["ODD"])
kinds = [type(importlib.util.find_spec("slow").loader).__name__]
import slow, quick
kinds.append(type(slow.__loader__).__name__)
ToyPipeline()(steps=1)
import later
ToyPipeline()(steps=1)
print(kinds)
""".replace("import importlib.util, sys", "import importlib.util, os, sys"), ODD=odd)
        self.assertEqual(done.stdout, "['SourceFileLoader', 'SourceFileLoader']\n")
        report = self.startup()
        phases = {p["name"]: p for p in report["phases"]}
        self.assertEqual([n for n in phases if "diffusers" not in n and "torch" not in n], ["interpreter", "import.slow", "first_request"])
        self.assertGreaterEqual(phases["import.slow"]["duration_ns"], 30e6)
        first = phases["first_request"]
        self.assertLess(report["duration_ns"] - first["start_ns"] - first["duration_ns"], 20e6)
        self.assertEqual([e.name for e in self.one().ranges() if e.name.startswith("import.s")], ["import.slow"])

    def test_unnoticed(self):
        """What a program sees of its imports is what it sees without the client: loaders, warnings, tracebacks."""
        old = "import warnings\nwarnings.warn('old', DeprecationWarning, stacklevel=2)\n"
        path = self.mods(old=old, torch=old, bad="import time; time.sleep(0.03)\nraise RuntimeError('boom')\n", broken="import nowhere\n", asked="")
        done = self.script("""
            import copy, importlib.util, pickle, sys, traceback, warnings
            print(importlib.util.find_spec("torch").loader.__class__.__name__)
            warnings.simplefilter("always")
            import old
            import torch
            for name in ("bad", "broken"):
                try:
                    __import__(name)
                except Exception as err:
                    print([f.filename.rpartition("/")[2] for f in traceback.extract_tb(err.__traceback__)])
            from reel._imports import _Loader, finder
            real = importlib.util.find_spec("asked").loader
            w = _Loader(real, finder, "asked")
            print([type(x).__name__ for x in (copy.copy(w), copy.deepcopy(w), pickle.loads(pickle.dumps(w)))], hasattr(_Loader.__new__(_Loader), "x"))
            with __import__("reel").request_scope():
                pass
            """, path=path)
        self.assertEqual(done.stdout.splitlines(), ["SourceFileLoader", "['<string>', 'bad.py']", "['<string>', 'broken.py']",
                                                    "['SourceFileLoader', 'SourceFileLoader', 'SourceFileLoader'] False"])
        self.assertEqual([line for line in done.stderr.splitlines() if "<" in line], ["<string>:5: DeprecationWarning: old", "<string>:6: DeprecationWarning: old"])
        bad = [p for p in self.startup()["phases"] if p["name"] == "import.bad"]
        self.assertEqual([(p["status"], p["error"]) for p in bad], [("error", "RuntimeError: boom")])
        self.assertNotIn("open", [p["status"] for p in self.startup()["phases"]])

    def test_unknown_version(self):
        """Versions that lack what is looked for are warnings."""
        text = "import os, sys\nsys.path.insert(0, os.environ['ODD'])\nimport diffusers.pipelines.pipeline_utils as u\nprint('goes on', u.x)"
        odd = os.path.join(os.path.dirname(self.dir), "odd")
        os.makedirs(os.path.join(odd, "diffusers", "pipelines"))
        for name, content in (("__init__.py", ""), ("pipelines/__init__.py", ""), ("pipelines/pipeline_utils.py", "x = 1\n")):
            with open(os.path.join(odd, "diffusers", name), "w") as f:
                f.write(content)
        done = self.script(text, ODD=odd)
        self.assertEqual(done.stdout, "goes on 1\n")
        self.assertIn("reel: diffusers.pipelines.pipeline_utils is not one that this client knows: AttributeError", done.stderr)

    def test_failing_import(self):
        bad = os.path.join(os.path.dirname(self.dir), "bad")
        os.makedirs(bad)
        with open(os.path.join(bad, "torch.py"), "w") as f:
            f.write("raise ImportError('no libcuda')\n")
        done = self.script("try:\n    import torch\nexcept ImportError as err:\n    print(err)\nimport importlib.util; print(importlib.util.find_spec('json').name)",
                           path=reading.CLIENT + os.pathsep + bad)
        self.assertEqual((done.stdout, done.stderr), ("no libcuda\njson\n", ""))

    def test_rules(self):
        mods = os.path.join(os.path.dirname(self.dir), "mods")
        os.makedirs(mods)
        with open(os.path.join(mods, "engine.py"), "w") as f:
            f.write("class Engine:\n    def run(self):\n        for _ in range(2): self.one()\n        return decode(3)\n    def one(self): self.model()\n    def model(self): pass\n"
                    "def decode(x): return x\ndef load(): pass\n")
        rules = os.path.join(mods, "rules.txt")
        with open(rules, "w") as f:
            f.write("# our engine\nengine:Eng*.run request\nengine:Engine.one step\nengine:Engine.model forward dit_forward\nengine:decode stage decode\nengine:load load weights\n"
                    "engine:Engine.gone step\nthis is no rule\n")
        done = self.script("import engine; engine.load(); print(engine.Engine().run())", path=reading.CLIENT + os.pathsep + mods, REEL_RULES=rules)
        self.assertEqual(done.stdout, "3\n")
        self.assertIn("engine has no Engine.gone", done.stderr)
        self.assertIn("rules.txt:8: 'this is no rule' is no rule", done.stderr)
        self.assertEqual(self.outline(), "weights Engine( denoise.loop( denoise[0]( dit_forward) denoise[1]( dit_forward)) pipeline.decode)")
        listed = self.script("from reel import _hooks\nprint(*_hooks.listing(), sep='\\n')", REEL_RULES=rules).stdout
        self.assertIn("engine:Eng*.run  request", listed)
        self.assertIn("diffusers.schedulers.scheduling_utils: step", listed)

    def test_rules_of_what_lasts(self):
        """A coroutine, or a generator, lasts as long as it runs, not as its call."""
        engine = """
import asyncio, time
class Engine:
    async def generate(self):
        for i in range(2):
            await self.step()
        return [x async for x in self.stream()] + list(self.gen())
    async def step(self):
        await asyncio.sleep(0.02)
    async def stream(self):
        await asyncio.sleep(0.02)
        try:
            got = yield 1
        except KeyError:
            got = "thrown"
        yield got
    def gen(self):
        time.sleep(0.02)
        yield 3
"""
        path = self.mods(engine=engine, rules="engine:Engine.generate request\nengine:Engine.step step\nengine:Engine.stream stage stream\nengine:Engine.gen stage gen\n")
        done = self.script("""
            import asyncio, inspect
            from engine import Engine
            e = Engine()
            async def main():
                print(await asyncio.gather(e.generate(), e.generate()))
                for more in (lambda s: s.asend("sent"), lambda s: s.athrow(KeyError())):
                    s = e.stream()
                    print(await s.__anext__(), await more(s), end=" ")
                    await s.aclose()
            asyncio.run(main())
            print(inspect.iscoroutinefunction(e.step), inspect.isasyncgenfunction(e.stream), inspect.isgeneratorfunction(e.gen))
            """, path=path, REEL_RULES=os.path.join(path.split(os.pathsep)[1], "rules.py"))
        self.assertEqual((done.stdout.splitlines(), done.stderr), (["[[1, None, 3], [1, None, 3]]", "1 sent 1 thrown True True True"], ""))
        r = self.one()
        self.assertEqual([len(r.ranges(n)) for n in ("Engine", "denoise.loop", "denoise[0]", "denoise[1]", "pipeline.stream", "pipeline.gen")], [2, 2, 2, 2, 4, 2])
        self.assertGreater(min(e.end - e.start for e in r.ranges() if not e.name.startswith("import.")), 15_000_000)

    def test_not_auto(self):
        self.toy("ToyPipeline()()", REEL_AUTO="0")
        self.assertFalse(os.path.exists(self.dir))


class Torch(Toy):
    """torch.profiler over windows and sessions, with a torch that says what is done to it."""

    CALLS = "import torch\np = ToyPipeline()\nfor i in range(N):\n    p(steps=4)\nimport atexit\n"

    def calls(self, n=1, more="", **env):
        done = self.toy(self.CALLS.replace("N", str(n)) + more + "\nfrom reel import _process\n_process.now.close()\nprint('\\n'.join(torch.log))", **env)
        return [line for line in done.stdout.splitlines() if line and not line.startswith("annotation")], done

    def traces(self):
        return sorted(n for n in os.listdir(self.dir) if n.startswith(("trace", "memory")))

    def test_window(self):
        log, done = self.calls(2, REEL_TORCH="1", REEL_WINDOW="1-2", FAKE_CUDA="1")
        one = ["start CPU+CUDA", "stop", "export"]
        self.assertEqual(log, ["start CPU+CUDA", "stop"] + one * 2)  # first the throwaway
        self.assertEqual(self.traces(), ["trace_rank0-request-0-loop-0-steps-1-2.json", "trace_rank0-request-1-loop-0-steps-1-2.json"])
        said = [line for line in done.stdout.splitlines() if line.startswith("annotation ") and " end " not in line]
        self.assertEqual(said[:4], ["annotation denoising_step_1", "annotation transformer_forward", "annotation transformer_forward", "annotation scheduler_step"])
        self.assertEqual(len(said), 16)
        self.assertEqual([r.words()[0] for r in recordings(self.dir)], ["denoise[1]"] * 2)
        self.assertEqual(self.note()["ranks"][0]["faults"], [])

    def test_each_request(self):
        self.calls(2, REEL_TORCH="1")
        self.assertEqual(self.traces(), ["trace_rank0-request-0-all.json", "trace_rank0-request-1-all.json"])
        self.assertEqual(len(self.one().ranges("ToyPipeline")), 2)  # the recording is of all

    def test_trt_names(self):
        path = os.path.join(self.dir, "t", "trace.json.gz")
        self.calls(2, TLLM_PROFILE_VISUAL_GEN_START_STOP="0,3", TLLM_TORCH_PROFILE_TRACE=path, REEL_RECORD=None, RANK="2")
        self.assertEqual(sorted(os.listdir(os.path.dirname(path))), ["trace-rank-2-window-1.json.gz", "trace-rank-2-window-2.json.gz", "trace-rank-2-window-3.json.gz",
                                                                     "trace-rank-2.json.gz"])

    def test_failures(self):
        for what in ("FAKE_START_FAILS", "FAKE_EXPORT_FAILS"):
            with self.subTest(what):
                self.dir += what
                self.calls(1, REEL_TORCH="1", REEL_WINDOW="0", **{what: "1"})
                self.assertEqual(self.traces(), [])
                self.assertEqual([n for n in os.listdir(self.dir) if n.endswith(".json") and n != "run.json"], [])
                self.assertIn("CUPTI is taken" if "START" in what else "disk full", str(self.note()["ranks"][0]["faults"]))

    def test_lost(self):
        self.toy("import os\np = ToyPipeline()\np.vae.decode = lambda x: os._exit(3)\np(steps=4)", REEL_TORCH="1", code=3)
        self.assertEqual(self.note()["warnings"], ["rank 0: torch window all, request 0 was open when the process ended: its trace is lost"])

    def test_lost_first(self):
        """The window opens before there is anything else to record."""
        self.toy("import os, reel\nwith reel.request_scope():\n    os._exit(3)", REEL_TORCH="1", REEL_AUTO="0", code=3)
        self.assertEqual(self.note()["warnings"], ["rank 0: torch window all, request 0 was open when the process ended: its trace is lost"])

    def test_memory(self):
        self.config({"torch_profiler_with_memory": True})
        log, _ = self.calls(1, REEL_WINDOW="0", FAKE_CUDA="1", **self.env)
        self.assertEqual(log, ["start CPU+CUDA", "stop", "memory on clear_history=True max_entries=100000 stacks=python", "start CPU+CUDA profile_memory", "stop", "export",
                               "snapshot", "memory off"])
        self.assertIn("memory_snapshot_rank0-request-0-loop-0-steps-0.pickle", self.traces())

    def test_memory_of_a_failure(self):
        self.config({"torch_profiler_with_memory": True})
        self.toy("ToyPipeline()(steps=4, fail_at=2)", code=1, FAKE_CUDA="1", REEL_WINDOW="all", **self.env)
        self.assertEqual(self.traces(), ["memory_snapshot_rank0-request-0-all.pickle", "trace_rank0-request-0-all.json"])

    def config(self, more):
        self.env = {"REEL_PROFILER_CONFIG": json.dumps({"profiler": "torch", "torch_profiler_dir": self.dir, **more})}

    def test_session(self):
        self.config({"delay_iterations": 1, "warmup_iterations": 1, "active_iterations": 1, "torch_profiler_use_gzip": True})
        log, done = self.calls(5, **self.env)
        self.assertEqual(log, ["start CPU", "stop", "start CPU", "stop", "start CPU", "stop", "export"])
        self.assertEqual(self.traces(), ["trace_rank0.json.gz"])
        self.assertEqual(done.stdout.count("annotation pipeline_call"), 1)

    def test_threads(self):
        """Each range ends its own annotation, whatever other threads have open."""
        done = self.toy("""
import threading, torch
from reel import profiler, request_scope
begun, over = threading.Event(), threading.Event()
def work():
    with profiler.range("long"):
        begun.set()
        over.wait()
with request_scope():
    with profiler.range("outer"):
        t = threading.Thread(target=work)
        t.start()
        begun.wait()
    over.set()
    t.join()
print(*(line for line in torch.log if "end" in line), sep="; ")
""", REEL_TORCH="1", REEL_WINDOW="all")
        self.assertEqual(done.stdout, "annotation end outer; annotation end long; annotation end pipeline_call\n")

    def test_session_of_steps(self):
        self.config({"iteration_unit": "step", "delay_iterations": 1, "max_iterations": 2})
        _, done = self.calls(1, **self.env)
        self.assertEqual([line for line in done.stdout.splitlines() if line.startswith("annotation denoising")], ["annotation denoising_step_1", "annotation denoising_step_2"])

    def test_outer(self):
        log, done = self.calls(1, FAKE_CUDA="1", TLLM_PROFILE_VISUAL_GEN_START_STOP="0-1", REEL_RECORD=None)
        self.assertEqual(log, ["cudaProfilerStart", "cudaProfilerStop"])
        log, done = self.calls(1, TLLM_PROFILE_VISUAL_GEN_START_STOP="0-1", REEL_RECORD=None)
        self.assertEqual(log, [])
        self.assertIn("there is no CUDA", done.stderr)

    def test_by_hand(self):
        done = self.toy(f"""
import reel
for _ in range(2):
    s = reel.start_profile("mine", {{"profiler": "torch", "torch_profiler_dir": {self.dir!r}}}, max_iterations=1)
    try:
        reel.start_profile()
    except RuntimeError as err:
        print(err)
    import torch
    ToyPipeline()()
    import os
    print(*(os.path.relpath(p, {self.dir!r}) for p in reel.stop_profile()))
try:
    reel.stop_profile()
except RuntimeError as err:
    print(err)
""")
        self.assertEqual(done.stdout.splitlines(), ["a session is armed already; stop_profile() ends it", "trace_rank0.json", "a session is armed already; stop_profile() ends it",
                                                    "session-2/trace_rank0.json", "no session was started; start_profile() starts one"])


class Devices(Toy):
    def test_times(self):
        self.toy("import torch\ntorch.Clock.initialized, torch.Clock.now = True, 5000.0\nToyPipeline()(steps=2)\nprint(torch.log)", FAKE_CUDA="1")
        r = self.one()
        device = [e for e in r.events if e.kind == "activity"]
        self.assertEqual([e.name for e in device], ["pipeline.vae_encode", "pipeline.encode", "denoise[0]", "denoise[1]", "pipeline.decode"])
        host = {e.name: e for e in r.ranges()}
        launches = {e.link: e for e in r.ranges("eventRecord")}
        for e in device:
            self.assertEqual((e.track.place, e.track.a, e.track.b, e.klass), (2, 1, 7, 19))
            launch, h = launches[e.link], host[e.name]
            self.assertTrue(h.start <= launch.start <= launch.end <= h.end)
            self.assertGreaterEqual(e.start, launch.start)  # never before it was asked for
            self.assertLess(abs(e.start - h.start), 50_000_000)

    def rows(self):
        return [(e.name, e.track.a) for e in self.one().events if e.kind == "activity"]

    def test_several(self):
        """Events are of the device that they were recorded on, also when another is current as they end."""
        done = self.toy("""
import torch
from reel import request_scope, stage
torch.Clock.initialized = True
for first, second in ((0, 0), (1, 1), (0, 1)):
    with request_scope():
        torch.Clock.device = first
        with stage("encode"):
            torch.Clock.device = second
""", FAKE_CUDA="1")
        self.assertEqual(done.stderr, "")
        self.assertEqual(sorted(self.rows()), [("pipeline.encode", 0), ("pipeline.encode", 0), ("pipeline.encode", 1)])

    def test_of_the_pipeline(self):
        """A pipeline on a device that is not current is timed there."""
        self.toy("import torch, types\ntorch.Clock.initialized = True\nToyPipeline.device = types.SimpleNamespace(type='cuda', index=3)\nToyPipeline()(steps=1)", FAKE_CUDA="1")
        self.assertEqual({device for _, device in self.rows()}, {3})

    def test_broken_event(self):
        """A mark that the device has no time of is left out alone, the first one too."""
        self.toy("""
import torch
from reel import request_scope, stage
torch.Clock.initialized = True
def broken(other): raise RuntimeError("CUDA error: invalid resource handle")
with request_scope():
    for name in ("a", "b", "c", "d"):
        with stage(name) as s:
            if name in "ac":
                s._open[0].mark.first.elapsed_time = broken
""", FAKE_CUDA="1")
        self.assertEqual([name for name, _ in self.rows()], ["pipeline.b", "pipeline.d"])

    def test_no_wait(self):
        """What the device has not reached is left out, and nothing waits for it."""
        done = self.toy("import torch\ntorch.Clock.initialized = True\ntorch.Event.query = lambda self: False\nToyPipeline()(steps=2)\nprint(torch.log)", FAKE_CUDA="1")
        self.assertEqual(done.stdout, "[]\n")
        self.assertFalse([e for e in self.one().events if e.kind == "activity"])

    def test_capture_and_idle(self):
        for state in ("torch.Clock.capturing = torch.Clock.initialized = True", "pass"):
            with self.subTest(state):
                self.dir += "x"
                self.toy(f"import torch\n{state}\nToyPipeline()(steps=2)", FAKE_CUDA="1")
                self.assertFalse(self.one().ranges("eventRecord"))


if __name__ == "__main__":
    unittest.main()
