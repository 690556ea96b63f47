"""A reference writer of .reel recordings: full mode, standard library alone, made
from docs/recording.md and nothing else. For reading and for tests; slow.

    writer.py DIR EVENTS [fork|kill]

writes DIR/rec-PID.reel with EVENTS marks on each of two threads, with "fork" one
more from a forked child; with "kill" it does not close its file and dies.
"""
import mmap, os, signal, socket, sys, threading, time

CHUNK, HEAD, RECORD = 64 << 10, 128, 4
RANGE, ACTIVITY, MARK, COUNTER, ASYNC, EXT = 1, 2, 3, 4, 5, 8
OPEN, DONE = 1, 2
LINK, VALUE, STEP, INDEX = 1, 2, 3, 4
THREAD, STREAM, LOGICAL = 1, 2, 3


class Recording:
    def __init__(self, folder, limit=64 << 20, rank=-1):
        self.path = os.path.join(folder, f"rec-{os.getpid()}.reel")
        self.fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        self.lock, self.local = threading.RLock(), threading.local()
        self.chunks, self.limit, self.seq, self.tracks, self.ring = 0, limit // CHUNK, 0, 0, 0
        self.names, self.page, self.at, self.pid = {}, None, 0, os.getpid()
        h = self.head = self.room()
        h[1], h[3] = 1 | CHUNK << 32, limit
        h[4], h[5] = self.pid, rank & 0xFFFFFFFF
        h[7] = 1
        h[8], h[9], h[10] = self.sample()
        h[32], h[33] = 1, 10**9  # clock 0: nanoseconds of the monotonic clock
        h[0] = int.from_bytes(b"\x89REEL\r\n\x1a", "little")
        h[2] = 1 | 1 << 32  # recording, full
        self.clock()
        h[6] = self.name(socket.gethostname()) | self.name("reference writer") << 32

    def sample(self):
        """The clocks, as close together as eight tries get them: something may come between."""
        def both():
            mono, real = time.monotonic_ns(), time.time_ns()
            return time.monotonic_ns() - mono, mono, real
        _, mono, real = min(both() for _ in range(8))
        return mono, mono, real

    def clock(self):
        at = 128 + self.ring % ((CHUNK - 1024) // 32) * 4
        self.ring, self.head[at] = self.ring + 1, 0
        self.head[at + 1], self.head[at + 2], self.head[at + 3] = self.sample()
        self.head[at] = 2

    def room(self):
        """Allocates a chunk on the disk, then maps it; None when there is no room."""
        if self.chunks >= self.limit:
            return None
        try:
            os.posix_fallocate(self.fd, self.chunks * CHUNK, CHUNK)
        except OSError:
            return None
        self.chunks += 1
        return memoryview(mmap.mmap(self.fd, CHUNK, offset=(self.chunks - 1) * CHUNK)).cast("Q")

    def chunk(self, kind, handle=0, place=0, a=0, b=0, label=0, name=0):
        words = self.room()
        if words is None:
            return None
        self.seq, self.head[7] = self.seq + 1, self.chunks
        words[1], words[2] = self.seq, 0x4B4E4843 | self.chunks - 1 << 32
        words[3], words[4], words[5] = handle | place << 32, a & (1 << 64) - 1, b & (1 << 64) - 1
        words[6], words[7] = label | name << 32, 0
        words[8], words[9], words[10] = self.sample()
        words[0] = 1 | kind << 8
        return words

    def name(self, text):
        if text in self.names or not text:
            return self.names.get(text, 0)
        with self.lock:
            if text in self.names:  # another thread was first
                return self.names[text]
            data = text.encode()[: CHUNK - HEAD - 8]
            size = 1 + (len(data) + 7) // 8
            if self.page is None or self.at + size > CHUNK // 8:
                self.page, self.at = self.chunk(2), HEAD // 8
                if self.page is None:
                    self.head[16 + 4] += 1
                    return 0
            for i in range(1, size):
                self.page[self.at + i] = int.from_bytes(data[8 * i - 8 : 8 * i], "little")
            id = len(self.names) + 1
            self.page[self.at] = id | len(data) << 32
            self.at += size
            self.names[text] = id  # last: from here on other threads use it
            return id

    def close(self):
        self.clock()
        os.ftruncate(self.fd, self.chunks * CHUNK)
        self.head[2] = 2 | 1 << 32


class Track:
    """One thread's handle: no two threads may use it at once."""

    def __init__(self, rec, name, place=THREAD, a=0, b=0, label=""):
        self.rec, self.words, self.at = rec, None, 0
        with rec.lock:
            rec.tracks += 1
            self.what = (1, rec.tracks, place, a, b, rec.name(label), rec.name(name))

    def write(self, state, kind, name, start, dur=0, arg=0, payload=0, role=0, klass=0):
        if os.getpid() != self.rec.pid:
            raise RuntimeError("a forked child must make its own recording")
        id = self.rec.name(name)
        if self.words is None or self.at >= CHUNK // 8:
            with self.rec.lock:
                self.words, self.at = self.rec.chunk(*self.what), HEAD // 8
                if self.words is None:
                    self.rec.head[16] += 1
                    return None
        words, at = self.words, self.at
        self.at += RECORD
        words[at + 1], words[at + 3] = start, arg & (1 << 64) - 1
        words[at + 2] = id | kind << 32 | payload << 38 | klass << 48 | role << 56
        words[at] = state | dur << 16
        return words, at, start

    def begin(self, name, **more):
        return self.write(OPEN, more.pop("kind", RANGE), name, time.monotonic_ns(), **more)

    def end(self, slot):
        if slot:
            words, at, start = slot
            words[at] = DONE | time.monotonic_ns() - start << 16

    def mark(self, name, **more):
        return self.write(DONE, MARK, name, time.monotonic_ns(), **more)


def main(folder, events, how=""):
    rec = Recording(folder, rank=3)

    def work(i):
        track = Track(rec, f"worker {i}", a=rec.pid, b=i)
        outer = track.begin("work", role=4)
        for n in range(events):
            step = track.begin("step", arg=n, payload=INDEX, role=3)
            track.mark("mark", arg=n, payload=VALUE)
            track.end(step)
        if how != "kill":
            track.end(outer)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    stream = Track(rec, "stream 7", place=STREAM, a=0, b=7)
    stream.write(DONE, ACTIVITY, "attn", time.monotonic_ns(), 1000, 4711, LINK)
    if how == "fork":
        # A program would do this in os.register_at_fork(after_in_child=...).
        if (child := os.fork()) == 0:
            main(folder, events)
            os._exit(0)
        os.waitpid(child, 0)
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    rec.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:4])
