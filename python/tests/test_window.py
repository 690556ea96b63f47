"""Windows and schedules: the vectors that Reel's Go package reads too."""
import json
import os
import random
import sys
import unittest

import reading

sys.path.insert(0, reading.CLIENT)
from reel import window  # noqa: E402

with open(os.path.join(reading.CLIENT, "..", "window", "testdata", "vectors.json"), encoding="utf-8") as f:
    VECTORS = json.load(f)


class Tape:
    def __init__(self, fails=lambda: False):
        self.text, self.opened, self.closed, self.fails = "", None, [], fails

    def open(self, w):
        if self.fails():
            raise OSError("no collector")
        assert self.opened is None, "opens twice"
        self.opened = w
        self.text += "("

    def close(self, w):
        assert self.opened is w, "closes another"
        self.opened = None
        self.closed.append(w)
        self.text += ")"
        if self.fails():
            raise OSError("disk full")

    def discard(self, w):
        self.text += "x"


def play(gate, tape, c, loops=0):
    def show():
        tape.text += c

    if c in "[w":
        gate.begin_request(c == "w", loops)
    elif c == "]":
        gate.end_request()
    elif c == "{":
        gate.begin_loop()
    elif c in "}!":
        gate.end_loop(c == "}")
    elif c == "s":
        gate.begin_step(), show(), gate.end_step()
    elif c == "h":
        gate.begin_step(), show()
    elif c == "d":
        gate.begin_decode(), show(), gate.end_decode()
    else:
        show()


class Same(unittest.TestCase):
    def test_parse(self):
        for c in VECTORS["parse"]:
            with self.subTest(c["value"]):
                if c["reason"]:
                    with self.assertRaises(ValueError) as e:
                        window.parse("VAR", c["value"])
                    for part in (c["reason"], "VAR", window.FORMS):
                        self.assertIn(part, str(e.exception))
                else:
                    self.assertEqual(str(window.parse("VAR", c["value"])), c["want"])
                    self.assertEqual(window.parse("V", c["want"]), window.parse("V", c["value"]))

    def test_gate(self):
        for c in VECTORS["gate"]:
            with self.subTest(f"{c['spec']} on {c['program']}"):
                tape = Tape()
                gate = window.Gate(window.parse("V", c["spec"]), tape)
                for letter in c["program"]:
                    play(gate, tape, letter, c["loops"])
                self.assertEqual(tape.text, c["want"])

    def test_report(self):
        for c in VECTORS["report"]:
            with self.subTest(f"{c['spec']} on {c['program']}"):
                tape, spec = Tape(), window.parse("V", c["spec"])
                gate = window.Gate(spec, tape)
                for letter in c["program"]:
                    play(gate, tape, letter)
                self.assertEqual("[" + " ".join(map(repr, gate.report.coverage(spec))) + "]", c["want"])

    def test_schedule(self):
        letters = {"off": ".", "warming": "w", "recording": "R", "done": "|"}
        for c in VECTORS["schedule"]:
            with self.subTest(str(c["schedule"])):
                s = window.Schedule(**c["schedule"])
                s.check()
                self.assertEqual("".join(letters[s.phase(i)] for i in range(12)), c["want"])

    def test_schedule_refused(self):
        for s in (window.Schedule(delay=-1), window.Schedule(repeat=2), window.Schedule(max=10**7)):
            with self.assertRaises(ValueError):
                s.check()

    def test_always(self):
        """Random programs: windows open and close in turn, and none survives its request."""
        specs = ["", "all", "predenoise", "postdenoise", "decode", "0-4", "1", "0,2", "0-1,3-8", "loop1:0-3", "last:0-2", "last:1,loop0:0"]
        for seed in range(1000):
            r = random.Random(seed)
            tape = Tape(lambda: r.random() < 0.1)
            gate = window.Gate(window.parse("V", r.choice(specs)), tape)
            for _ in range(60):
                c = r.choice("[]w{}!sssshdp")
                play(gate, tape, c, r.randrange(3))
                self.assertIs(gate.open, tape.opened)
                if c == "]":
                    self.assertIsNone(tape.opened)
            for w in tape.closed:
                if w.asked is not None:
                    self.assertTrue(w.asked.first <= w.first <= w.last <= w.asked.last)


if __name__ == "__main__":
    unittest.main()
