"""FlashDreams' protocol."""
import os
import sys
import tempfile
import time
import unittest

import reading

sys.path.insert(0, reading.CLIENT)
from reel import _file, profiler, protocol  # noqa: E402


class Protocol(unittest.TestCase):
    def test_methods(self):
        nothing = protocol.Profiler()
        with nothing.range("x"), nothing.stage_scope(self):
            nothing.event("y")
        for name in ("collect_stage_ms", "collect_fps", "collect_input_latency_ms"):
            self.assertEqual(getattr(nothing, name)(), {})

    def test_session(self):
        with tempfile.TemporaryDirectory() as d:
            file = _file.File(os.path.join(d, "rec-0-1.reel"))
            profiler.install(file)
            p = protocol.ReelProfiler()
            start = time.monotonic_ns()
            for n in range(3):
                arrived = time.monotonic_ns()
                p.input_received(arrived, 2)
                began = time.monotonic_ns()
                with p.range("model.step"), p.range("pipeline.diffuse"):
                    with p.stage_scope(self):
                        with p.range("pipeline.decode"):
                            pass
                        self.assertEqual(list(p.collect_stage_ms()), ["decode"])
                p.event("model.frame", 4, (0, n))
                p.input_consumed((0, n), [arrived], began)
            self.assertEqual(list(p.collect_stage_ms()), ["diffuse"])
            self.assertEqual(p.collect_stage_ms(), {})
            p.step_presented((0, 1))  # step 0 was dropped: its wait ends and does not count
            fps = p.collect_fps()
            self.assertGreater(fps["model.frame_fps"], 0)
            self.assertLessEqual(fps["model.frame_avg_fps"], 12e9 / (time.monotonic_ns() - start) * 10)
            latency = p.collect_input_latency_ms()
            self.assertEqual(sorted(latency), sorted(f"input.{w}_{a}ms" for w in ("latency", "queue", "present") for a in ("", "avg_")))
            self.assertGreaterEqual(latency["input.latency_ms"], latency["input.queue_ms"] + latency["input.present_ms"])
            self.assertEqual(p.collect_fps()["model.frame_fps"], 0)
            self.assertEqual(sorted(p.collect_input_latency_ms()), ["input.latency_avg_ms", "input.present_avg_ms", "input.queue_avg_ms"])
            p.reset_counts()
            profiler.install(None)
            file.close()
            r = reading.Recording(os.path.join(d, "rec-0-1.reel"))
        self.assertEqual([e.name for e in r.events if e.kind == "async"], ["input.wait"] * 3)
        self.assertEqual(len(r.ranges("pipeline.diffuse")), 3)


if __name__ == "__main__":
    unittest.main()
