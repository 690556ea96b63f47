"""Reads a .reel recording for the tests: docs/recording.md, without damage or clocks."""
import collections
import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CLIENT = os.path.dirname(HERE)
KINDS = ("", "range", "activity", "mark", "counter", "async", "flow", "meta", "ext")
Event = collections.namedtuple("Event", "kind name start end arg payload role klass track open link")
Track = collections.namedtuple("Track", "place a b label name")


class Recording:
    def __init__(self, path):
        with open(path, "rb") as f:
            data = f.read()
        self.head = memoryview(data[: 64 << 10]).cast("Q")
        assert self.head[0] == int.from_bytes(b"\x89REEL\r\n\x1a", "little"), "no magic"
        self.chunk = self.head[1] >> 32
        self.state, self.mode = self.head[2] & 0xFFFFFFFF, self.head[2] >> 32
        self.pid, self.rank = self.head[4], (self.head[5] & 0xFFFFFFFF) - (1 << 32 if self.head[5] & 1 << 31 else 0)
        self.counters = [self.head[16 + i] for i in range(9)]
        self.names, self.events, chunks = {0: ""}, [], []
        for at in range(self.chunk, len(data) - self.chunk + 1, self.chunk):
            raw = data[at : at + self.chunk]
            words = memoryview(raw).cast("Q")
            kind = words[0] >> 8 & 255
            if words[0] & 255 != 1:
                continue
            if kind == 2:
                self._strings(raw, words)
            elif kind == 1:
                chunks.append((words[1], words))
        for _, words in sorted(chunks, key=lambda c: c[0]):
            self._records(words)
        self.props = {self.names[self.head[64 + i] & 0xFFFFFFFF]: self.names[self.head[64 + i] >> 32] for i in range(32) if self.head[64 + i]}

    def _strings(self, raw, words):
        at = 16
        while at < len(words) and words[at]:
            id, size = words[at] & 0xFFFFFFFF, words[at] >> 32
            self.names[id] = raw[8 * at + 8 : 8 * at + 8 + size].decode()
            at += 1 + (size + 7) // 8

    def _records(self, words):
        track = Track(words[3] >> 32, words[4], words[5], self.names[words[6] & 0xFFFFFFFF], self.names[words[6] >> 32])
        generation = words[0] >> 32
        for at in range(16, len(words) - 3, 4):
            word, start, what, arg = words[at : at + 4]
            if word & 3 in (0, 3):
                continue
            assert word >> 2 & 0x3FFF == generation & 0x3FFF, "a record of another generation"
            payload = what >> 38 & 7
            name = self.names[what & 0xFFFFFFFF] + (f"[{arg}]" if payload == 4 else "")
            self.events.append(Event(KINDS[what >> 32 & 15], name, start, start + (word >> 16), arg, payload, what >> 56, what >> 48 & 255, track,
                                     word & 3 == 1, arg if payload == 1 else None))

    def ranges(self, *names):
        return [e for e in self.events if e.kind == "range" and (not names or e.name in names)]

    def words(self):
        return [e.name for e in self.events]


def recordings(folder):
    return [Recording(p) for p in sorted(glob.glob(os.path.join(folder, "rec-*.reel")))]


def run(script, folder, *flags, code=0, path=CLIENT, **env):
    """Runs a script with the client as reel profile does, and returns what it left."""
    e = {k: v for k, v in os.environ.items() if not k.startswith(("REEL_", "TLLM_", "FLASHDREAMS_", "PYTHON"))}
    e.update({"PYTHONPATH": path, "REEL_RECORD": "1", "REEL_RUN_DIR": folder, "REEL_AUTO": "1", "PYTHONDONTWRITEBYTECODE": "1"})
    for k, v in env.items():
        e.pop(k, None)
        if v is not None:
            e[k] = v
    done = subprocess.run([sys.executable, *flags, "-c", script], env=e, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=120)
    if code is not None and done.returncode != code:
        raise AssertionError(f"exit code {done.returncode}, want {code}\n{done.stdout}{done.stderr}")
    return done
