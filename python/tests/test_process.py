"""Processes: how they end, fork and spawn, and what the environment asks of them."""
import json
import os
import signal
import tempfile
import textwrap
import unittest

import reading
from reading import recordings, run

LOOP = """
import os, signal, sys
from reel import denoise_steps, profiler, request_scope, stage
for q in range(2):
    with request_scope():
        with stage("encode"):
            pass
        for t in denoise_steps(range(4)):
            with profiler.range("model.forward"):
                if q == 1 and t == 2:
                    END
        with stage("decode"):
            pass
"""


class Folder(unittest.TestCase):
    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.dir = os.path.join(temp.name, "run")

    def script(self, text, *flags, **more):
        return run(textwrap.dedent(text), self.dir, *flags, **more)

    def one(self):
        all = recordings(self.dir)
        self.assertEqual(len(all), 1, os.listdir(self.dir) if os.path.isdir(self.dir) else "no folder")
        return all[0]

    def note(self):
        with open(os.path.join(self.dir, "run.json"), encoding="utf-8") as f:
            return json.load(f)


class Ends(Folder):
    """Each end in the middle of a step leaves everything that was written before."""

    def end(self, how, code, closed, flags=()):
        self.script(LOOP.replace("END", how), *flags, code=code)
        r = self.one()
        self.assertEqual(r.state, 2 if closed else 1)
        self.assertEqual([e.role for e in r.ranges("request")], [1, 1])
        self.assertEqual(len([e for e in r.ranges() if e.role == 3]), 7)
        still_open = [e.name for e in r.events if e.open]
        self.assertEqual(still_open, [] if closed else ["request", "denoise.loop", "denoise[2]", "model.forward"])
        self.assertEqual(self.note()["ranks"][0]["state"], "done" if closed else "recording")

    def test_whole(self):
        self.script(LOOP.replace("END", "pass"))
        r = self.one()
        self.assertEqual(len(r.ranges()), 2 * (1 + 1 + 1 + 1 + 2 * 4))
        self.assertEqual(self.note()["coverage"], ["recording: entered 1 of 1 recordings, 24 events, 0 device events on rank 0"])

    def test_exception(self):
        self.end("raise ValueError('in the loop')", 1, True)

    def test_out_of_memory(self):
        self.end("raise MemoryError()", 1, True)

    def test_interrupt(self):
        self.end("os.kill(os.getpid(), signal.SIGINT)", -signal.SIGINT, True)

    def test_exit(self):
        self.end("os._exit(7)", 7, False)

    def test_kill(self):
        self.end("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, False)

    def test_break(self):
        self.script("""
            from reel import denoise_steps, request_scope
            with request_scope():
                for t in denoise_steps(range(9)):
                    if t == 2:
                        break
            """)
        self.assertEqual(len([e for e in self.one().events if not e.open]), 5)


class Trees(Folder):
    def test_fork(self):
        self.script("""
            import os
            from reel import profiler
            with profiler.range("parent"):
                with profiler.range("around the fork"):
                    pid = os.fork()
                    if pid == 0:
                        with profiler.range("child"):
                            pass
                if pid == 0:
                    raise SystemExit
                os.waitpid(pid, 0)
            """)
        child, parent = sorted(recordings(self.dir), key=lambda r: "parent" in r.words())
        self.assertEqual((child.words(), parent.words()), (["child"], ["parent", "around the fork"]))
        self.assertNotEqual(child.pid, parent.pid)
        self.assertEqual((child.state, parent.state), (2, 2))
        self.assertEqual(len(self.note()["ranks"]), 2)

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_forked_within(self):
        """A child that is forked in the middle of a request has requests of its own, and no start-up report."""
        self.script("""
            import os
            from reel import denoise_steps, profiler, request_scope
            from reel.startup import phase
            with phase("load"):
                pass
            with request_scope("outer"):
                for _ in denoise_steps(range(2)):
                    pid = os.fork()
                    if pid == 0:
                        with request_scope("of the child"):
                            for _ in denoise_steps(range(2)):
                                pass
                        raise SystemExit
                    os.waitpid(pid, 0)
            """)
        parent, *children = sorted(recordings(self.dir), key=lambda r: "outer" not in r.words())
        self.assertEqual([[e.name for e in c.ranges()] for c in children], [["of the child", "denoise.loop", "denoise[0]", "denoise[1]"]] * 2)
        self.assertEqual({e.role for c in children for e in c.ranges("of the child")}, {1})
        self.assertEqual(len(os.listdir(os.path.join(self.dir, "startup"))), 1)

    def pool(self, how):
        os.makedirs(self.dir)
        path = os.path.join(self.dir, "script.py")
        with open(path, "w") as f:
            f.write(textwrap.dedent(f"""
                import multiprocessing, os
                from reel import profiler
                def work(n):
                    with profiler.range(f"work {{n}}"):
                        pass
                    return os.getpid()
                if __name__ == "__main__":
                    with profiler.range("main"):
                        all = [multiprocessing.get_context("{how}").Process(target=work, args=(n,)) for n in range(2)]
                        [p.start() for p in all]
                        [p.join() for p in all]
                """))
        run(f"import runpy; runpy.run_path({path!r}, run_name='__main__')" if how == "fork" else f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, {path!r}]))",
            self.dir)
        all = recordings(self.dir)
        self.assertEqual(sorted(sum((r.words() for r in all), [])), ["main", "work 0", "work 1"])
        self.assertEqual({r.state for r in all}, {2})

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_multiprocessing_fork(self):
        self.pool("fork")

    def test_multiprocessing_spawn(self):
        self.pool("spawn")

    def test_asyncio(self):
        self.script("""
            import asyncio
            from reel import profiler, request_scope, stage
            @request_scope()
            async def ask(n):
                async with asyncio.Lock():
                    with profiler.range(f"wait {n}"):
                        await asyncio.sleep(0.02 - n / 1000)
            async def main():
                await asyncio.gather(*(ask(n) for n in range(8)))
                with profiler.range("last"):
                    await asyncio.to_thread(stage("decode")(lambda: 1)) if hasattr(asyncio, "to_thread") else None
            asyncio.run(main())
            """)
        r = self.one()
        self.assertEqual(len(r.ranges("request")), 8)
        rows = {}
        for e in r.ranges():
            self.assertFalse(e.open)
            rows.setdefault(e.track, []).append(e)
        self.assertGreaterEqual(len(rows), 8)
        for events in rows.values():  # within a row ranges nest
            stack = []
            for e in sorted(events, key=lambda e: (e.start, -e.end)):
                while stack and stack[-1].end <= e.start:
                    stack.pop()
                self.assertTrue(not stack or e.end <= stack[-1].end, f"{e} in {stack}")
                stack.append(e)

    def test_nothing(self):
        self.script("import json, threading")
        self.assertFalse(os.path.exists(self.dir))


class Asked(Folder):
    def test_off(self):
        self.script(LOOP.replace("END", "pass"), REEL_RECORD=None)
        self.assertFalse(os.path.exists(self.dir))

    def test_windows(self):
        self.script(LOOP.replace("END", "pass"), REEL_WINDOW="1-2")
        names = sorted(n for n in os.listdir(self.dir) if n.endswith(".reel"))
        self.assertEqual([n.split("-", 3)[3] for n in names], ["request-0-loop-0-steps-1-2.reel", "request-1-loop-0-steps-1-2.reel"])
        for r in recordings(self.dir):
            self.assertEqual(r.words(), ["denoise[1]", "model.forward", "denoise[2]", "model.forward"])
        self.assertEqual(self.note()["coverage"], ["window 1-2: entered 2 of 2 loops, 8 events, 0 device events on rank 0"])

    def test_decode_window(self):
        self.script(LOOP.replace("END", "pass"), REEL_WINDOW="decode")
        self.assertEqual([r.words() for r in recordings(self.dir)], [["pipeline.decode"]] * 2)

    def test_missed_window(self):
        self.script(LOOP.replace("END", "pass"), REEL_WINDOW="12", RANK="3", WORLD_SIZE="4")
        note = self.note()
        self.assertEqual((note["ranks"][0]["rank"], note["world_size"]), (3, 4))
        self.assertEqual(note["coverage"], ["window 12: nothing (loop 0 of request 0 had 4 steps)"])

    def missed(self, text, **env):
        """What is left of a window that no loop came to."""
        self.script(text, path=reading.CLIENT + os.pathsep + os.path.join(reading.HERE, "fakes"), REEL_WINDOW="0", **env)
        return self.note()["coverage"] if os.path.isdir(self.dir) else []

    def test_no_loop(self):
        never = ["window 0: nothing (no loop ran)"]
        self.assertEqual(self.missed("import torch"), never)
        self.dir += "2"
        self.assertEqual(self.missed("import torch\nimport reel\nwith reel.request_scope(): pass"), never)

    def test_helper(self):
        """What has no request and could have none says nothing of windows: helpers, workers, launchers."""
        self.assertEqual(self.missed("print(1)"), [])
        self.assertEqual(self.missed("""
            import os, subprocess, sys
            import torch
            worker = "import torch; from reel import denoise_steps, request_scope; request_scope()(lambda: list(denoise_steps(range(3))))()"
            subprocess.run([sys.executable, "-c", worker], env={**os.environ, "RANK": "0"}, check=True)
            """), ["window 0: entered 1 of 1 loops, 1 events, 0 device events on rank 0"])
        self.assertEqual(len(self.note()["ranks"]), 1)
        self.dir += "2"
        self.missed("""
            import os
            import torch
            from reel import denoise_steps, request_scope
            if os.fork() == 0:
                raise SystemExit
            os.wait()
            with request_scope():
                for _ in denoise_steps(range(3)):
                    pass
            """)
        self.assertEqual(len(self.note()["ranks"]), 1)

    def test_bad_window(self):
        done = self.script(LOOP.replace("END", "pass"), REEL_WINDOW="5-2")
        self.assertIn('REEL_WINDOW="5-2": "5-2" runs backwards', done.stderr)

    def test_flight_and_place(self):
        path = os.path.join(self.dir, "mine.reel")
        self.script("import reel\nfor i in range(20000):\n    with reel.profiler.range('x'): pass", REEL_RECORD=path, REEL_MODE="flight", REEL_MAX_BYTES="400000")
        r = reading.Recording(path)
        self.assertEqual(r.mode, 2)
        self.assertGreater(r.counters[6], 0)

    def test_emitter(self):
        done = self.script("""
            import sys, types
            torch = types.ModuleType("torch")
            def say(*what): print(*what)
            class nvtx:
                range_push = staticmethod(lambda t: say("push", t))
                range_pop = staticmethod(lambda: say("pop"))
                mark = staticmethod(lambda t: say("mark", t))
            torch.cuda = types.SimpleNamespace(is_available=lambda: True, nvtx=nvtx)
            sys.modules["torch"] = torch
            from reel import _boot, denoise_steps, profiler, request_scope
            _boot.torch_imported(torch)
            with request_scope():
                for _ in denoise_steps([0]):
                    profiler.event("frame", step=(1, 2))
            profiler.event("frame", step=(0, 2))
            """, REEL_NVTX="1")
        self.assertEqual(done.stdout.split("\n")[:-1], ["push request", "push denoise.loop", "push denoise[0]", "mark frame [gen 1, step 2]", "pop", "pop", "pop",
                                                        "mark frame [step 2]"])
        self.assertEqual(len(self.one().events), 5)


class Faults(Folder):
    """The program does not notice what the recording cannot do."""

    def test_folder_gone(self):
        done = self.script("""
            import os
            open(os.environ["REEL_RUN_DIR"], "w").close()
            from reel import denoise_steps, request_scope
            with request_scope():
                for _ in denoise_steps(range(2)):
                    pass
            """, REEL_WINDOW="0")
        self.assertEqual((done.stderr.count("\n"), done.stderr.startswith("reel: the run folder lacks")), (1, True), done.stderr)

    def test_arguments(self):
        """What cannot be recorded is dropped."""
        self.script("""
            from reel import profiler
            class Odd:
                def __str__(self): raise ValueError("no text")
            with profiler.range("outer"):
                for f in (lambda: profiler.counter("q", None), lambda: profiler.counter("q", "x"), lambda: profiler.event("e", 1.5),
                          lambda: profiler.event("e", step=(0, None)), lambda: profiler.event("e", step=3), lambda: profiler.event(Odd()),
                          lambda: profiler.counter(Odd(), 1), lambda: profiler.begin(["a"]).end(), lambda: profiler.begin("a", index="b").end()):
                    f()
                for name in (["a"], Odd()):
                    with profiler.range(name):
                        pass
            """)
        self.assertEqual(self.one().words(), ["outer"])


class Starts(Folder):
    """What starts the client, and what keeps it from starting."""

    def test_chain(self):
        other = os.path.join(os.path.dirname(self.dir), "other")
        os.makedirs(other)
        with open(os.path.join(other, "sitecustomize.py"), "w") as f:
            f.write("import sys, os\nsys.chained = __name__ + ' ' + os.path.basename(os.path.dirname(__file__))\n")
        done = self.script("import sys; print(sys.chained, sys.modules['sitecustomize'].__file__)", path=reading.CLIENT + os.pathsep + other)
        self.assertTrue(done.stdout.startswith("sitecustomize other "), done.stdout)
        done = self.script("import sys; print('reel' in sys.modules)", path=reading.CLIENT + os.pathsep + other)
        self.assertEqual(done.stdout, "True\n")

    def test_chain_fails(self):
        other = os.path.join(os.path.dirname(self.dir), "other")
        os.makedirs(other)
        with open(os.path.join(other, "sitecustomize.py"), "w") as f:
            f.write("raise ValueError('of the other')\n")
        done = self.script("print('goes on')", path=reading.CLIENT + os.pathsep + other)
        self.assertEqual(done.stdout, "goes on\n")
        self.assertIn("of the other", done.stderr)

    def test_isolated(self):
        for flag, there in (("-I", False), ("-E", False), ("-S", False), ("-s", True)):
            done = self.script("import sys; print('reel' in sys.modules)", flag)
            self.assertEqual(done.stdout, f"{there}\n", flag)

    def test_broken(self):
        """A client that fails is a line on stderr."""
        broken = os.path.join(os.path.dirname(self.dir), "broken")
        os.makedirs(os.path.join(broken, "reel"))
        with open(os.path.join(broken, "reel", "__init__.py"), "w") as f:
            f.write("raise OSError('broken')\n")
        with open(os.path.join(reading.CLIENT, "sitecustomize.py")) as f, open(os.path.join(broken, "sitecustomize.py"), "w") as g:
            g.write(f.read())
        done = self.script("print('goes on')", path=broken)
        self.assertEqual((done.stdout, done.stderr), ("goes on\n", "reel: the Python client does not start: OSError: broken\n"))


if __name__ == "__main__":
    unittest.main()
