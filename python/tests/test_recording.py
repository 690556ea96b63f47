"""The recording: what is written is what was done, also when memory or the process ends."""
import os
import sys
import tempfile
import threading
import unittest

import reading

sys.path.insert(0, reading.CLIENT)
from reel import _file, profiler  # noqa: E402


CLOSED = """
import os, threading
os.chdir(os.environ["REEL_RUN_DIR"])
from reel import _file, profiler
file = _file.File("rec-0-1.reel")
profiler.install(file)
def fill(n):
    for _ in range(n):
        with profiler.range("x"):
            pass
def work():
    fill(10)
    started.set()
    go.wait()
    fill(3000)
started, go = threading.Event(), threading.Event()
t = threading.Thread(target=work)
t.start()
started.wait()
fill(10)
os.closerange(3, 256)
files = [open(f"user{i}", "w+b") for i in range(9)]
for f in files:
    f.write(b"U" * 300000)
    f.flush()
if GONE:
    os.rename("rec-0-1.reel", "gone.reel")
    open("rec-0-1.reel", "w").close()
os.chdir("/")
fill(9000)
go.set()
t.join()
profiler.install(None)
file.close()
for f in files:
    f.write(b"end")  # reaches the file as the interpreter ends
"""


class Written(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.dir.name, "rec-0-1.reel")
        self.addCleanup(self.dir.cleanup)
        self.addCleanup(profiler.install, None)

    def begin(self, **options):
        self.file = _file.File(self.path, **options)
        profiler.install(self.file)
        return self.file

    def read(self):
        profiler.install(None)
        self.file.close()
        return reading.Recording(self.path)

    def test_everything(self):
        self.begin(rank=3, world=4, properties={"app": "x"})
        with profiler.range("request"):
            with profiler.range("pipeline.encode"):
                pass
            step = profiler.begin("denoise", role=_file.STEP_ROLE, index=7)
            step.end()
            profiler.event("frame", 3)
            profiler.event("frame", step=(2, 5))
            profiler.counter("queue", -1)
            profiler.counter("load", 0.5)
            open_one = profiler.begin("never ends")
        r = self.read()
        self.assertEqual((r.state, r.mode, r.rank, r.pid, r.props["app"]), (2, 1, 3, os.getpid(), "x"))
        self.assertEqual(r.words(), ["request", "pipeline.encode", "denoise[7]", "frame", "frame", "queue", "load", "never ends"])
        outer, encode, denoise = r.events[:3]
        self.assertEqual((outer.role, encode.role, denoise.role), (1, 4, 3))
        self.assertLessEqual(outer.start, encode.start)
        self.assertLessEqual(encode.end, denoise.start)
        self.assertLessEqual(denoise.end, outer.end)
        self.assertEqual((r.events[3].arg, r.events[3].payload), (3, 2))
        self.assertEqual((r.events[4].arg, r.events[4].payload), (5 | 2 << 32, 3))
        self.assertEqual(r.events[5].arg, (1 << 64) - 1)
        self.assertTrue(r.events[7].open)
        open_one.end()  # late: the recording is closed, and nothing happens
        self.assertFalse(any(r.counters[:3]))

    def test_off(self):
        with profiler.range("x") as nothing:
            profiler.event("y")
            profiler.counter("z", 1)
        self.assertIs(nothing, profiler.OFF)
        self.assertFalse(profiler.enabled())

    def test_threads(self):
        self.begin()

        def work(n):
            for _ in range(3000):
                with profiler.range(f"outer {n}"):
                    with profiler.range("inner"):
                        pass

        threads = [threading.Thread(target=work, args=(n,), name=f"worker {n}") for n in range(4)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        r = self.read()
        self.assertEqual(len(r.events), 4 * 6000)
        self.assertEqual(len({e.track for e in r.events}), 4)
        for n in range(4):
            mine = [e for e in r.events if e.track.name == f"worker {n}"]
            self.assertEqual([e.name for e in mine], [f"outer {n}", "inner"] * 3000)
            for outer, inner in zip(mine[::2], mine[1::2]):
                self.assertTrue(outer.start <= inner.start and inner.end <= outer.end)

    def test_bound(self):
        self.begin(limit=6 * _file.CHUNK)
        for _ in range(20000):
            with profiler.range("x"):
                pass
        r = self.read()
        self.assertLessEqual(os.path.getsize(self.path), 6 * _file.CHUNK)
        self.assertGreater(r.counters[0], 0)
        self.assertEqual(len(r.events) + r.counters[0], 20000)

    def test_flight(self):
        self.begin(limit=6 * _file.CHUNK, mode=_file.FLIGHT)
        first = profiler.begin("first")
        for i in range(30000):
            with profiler.range("x"):
                pass
        first.end()  # its slot is another's now: written again, whole
        r = self.read()
        self.assertLessEqual(os.path.getsize(self.path), 6 * _file.CHUNK)
        self.assertEqual((r.mode, r.counters[0], r.counters[3]), (2, 0, 1))
        self.assertGreater(r.counters[6], 5)
        last = r.events[-1]
        self.assertEqual((last.name, last.open), ("first", False))
        self.assertGreater(last.end - last.start, 1000)
        starts = [e.start for e in r.ranges("x")]
        self.assertEqual(starts, sorted(starts))
        self.assertGreater(len(starts), 2044)

    def test_names(self):
        self.begin(limit=8 * _file.CHUNK)
        for text in ("", "ü→\udc80", 7, "x" * 100_000):
            with profiler.range(text):
                pass
        for i in range(20_000):
            with profiler.range(f"a name that nobody ever writes again, number {i}"):
                pass
        r = self.read()
        self.assertEqual(r.events[1].name[:2], "ü→")
        self.assertEqual((r.events[2].name, len(r.events[3].name)), ("7", _file.CHUNK - 136))
        self.assertEqual(r.counters[5], 1)
        self.assertGreater(r.counters[4], 0)

    def test_wrong_thread_and_reuse(self):
        self.begin()
        s = profiler.range("here")
        s.__enter__()
        t = threading.Thread(target=s.__exit__)
        t.start()
        t.join()
        self.assertFalse(self.read().events[0].open)

    def test_no_room(self):
        whole = _file.allocate
        self.addCleanup(setattr, _file, "allocate", whole)
        self.begin()
        with profiler.range("kept"):
            pass

        def full(fd, at, size):
            raise OSError(28, "no space left on device")

        _file.allocate = full
        for _ in range(5000):
            with profiler.range("kept"):
                pass
        r = self.read()
        self.assertEqual(len(r.events) + r.counters[1], 5001)
        self.assertGreater(r.counters[1], 0)

    def test_closed_descriptors(self):
        """A program that closes all descriptors has its next files under their numbers: they are its own."""
        for gone in (False, True):
            with self.subTest(gone=gone):
                folder = os.path.join(self.dir.name, str(gone))
                os.makedirs(folder)
                reading.run(CLOSED.replace("GONE", str(gone)), folder, REEL_RECORD=None, REEL_AUTO=None)
                for i in range(9):
                    with open(os.path.join(folder, f"user{i}"), "rb") as f:
                        self.assertEqual(f.read(), b"U" * 300000 + b"end")
                r = reading.Recording(os.path.join(folder, "gone.reel" if gone else "rec-0-1.reel"))
                self.assertEqual((r.state, len(r.events) + r.counters[1]), (2, 12020))
                self.assertEqual(r.counters[1] > 0, gone)

    def test_existing(self):
        open(self.path, "w").close()
        with self.assertRaises(FileExistsError):
            _file.File(self.path)


if __name__ == "__main__":
    unittest.main()
