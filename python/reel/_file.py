"""Writes a .reel recording through a mapping: docs/recording.md is the format.

One process writes one file. What was stored survives the process, however it ends.
It knows no ranges, windows or libraries; those are the other modules' business.
"""
from __future__ import annotations

import mmap
import os
import sys
import threading
import time
import weakref
from collections import deque
from typing import Callable, Optional

CHUNK, HEAD, END = 64 << 10, 128, (64 << 10) // 8
OPEN, DONE, VOID = 1, 2, 3
RANGE, ACTIVITY, MARK, COUNTER, ASYNC, FLOW, META, EXT = 1, 2, 3, 4, 5, 6, 7, 8
LINK, VALUE, STEP, INDEX, FLOAT = 1, 2, 3, 4, 5
THREAD, STREAM, LOGICAL = 1, 2, 3
REQUEST, LOOP, STEP_ROLE, STAGE, FORWARD, SCHEDULER, FRAME, WARM_UP = 1, 2, 3, 4, 5, 6, 7, 8
RUNTIME, GPU_ANNOTATION, OTHER_MARK = 3, 19, 34
FULL, FLIGHT = 1, 2

BOUND, FULL_DISK, CLOSED, LATE, NAMELESS, CUT, RECYCLED, MADE_ROOM = range(8)  # words of the counters
_MASK = (1 << 64) - 1
_MAGIC = int.from_bytes(b"\x89REEL\r\n\x1a", "little")
_UNIT = max(CHUNK, mmap.ALLOCATIONGRANULARITY)
_LIMITS = {FULL: 1 << 30, FLIGHT: 64 << 20}
_MAX_NAMES = (1 << 24) - 1


def clocks() -> "tuple[int, int, int]":
    """Ticks, monotonic and real time at one instant: the best of a few tries."""
    best = (1 << 62, 0, 0)
    for _ in range(4):
        mono, real = time.monotonic_ns(), time.time_ns()
        best = min(best, (time.monotonic_ns() - mono, mono, real))
    return best[1], best[1], best[2]


def _host() -> str:
    try:
        return os.uname().nodename
    except AttributeError:
        return os.environ.get("COMPUTERNAME", "")


def allocate(fd: int, at: int, size: int) -> None:
    """Takes room on the disk: a hole in a full disk kills a program that maps it."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(fd, at, size)
    elif hasattr(os, "pwrite"):
        os.pwrite(fd, bytes(size), at)
    else:  # one thread at a time allocates
        os.lseek(fd, at, os.SEEK_SET)
        os.write(fd, bytes(size))


def is_file(fd: int, identity: "tuple[int, int]") -> bool:
    """Whether a descriptor is that file still. A daemonizer closes all of them, and the
    program's next file has the number."""
    try:
        s = os.fstat(fd)
    except (OSError, AttributeError):  # or the interpreter ends, and os is gone
        return False
    return (s.st_dev, s.st_ino) == identity


_kept: "list[mmap.mmap]" = vars(sys).setdefault("_reel_kept", [])  # sys goes last, after the program's files


class _Map(mmap.mmap):
    """A mapping; before Python 3.13 it holds a descriptor of its own, and closes it as it
    goes. Where that number is somebody else's by then, the mapping stays for good."""

    held, identity = -1, (0, 0)

    def __del__(self, is_file: "Callable[..., bool]" = is_file, kept: "list[mmap.mmap]" = _kept) -> None:
        if self.held >= 0 and not is_file(self.held, self.identity):
            kept.append(self)


def map_file(fd: int, size: int, at: int, identity: "tuple[int, int]") -> mmap.mmap:
    if sys.version_info >= (3, 13) and os.name == "posix":
        return mmap.mmap(fd, size, offset=at, trackfd=False)
    held = os.dup(fd)  # the number that the mapping gets next
    os.close(held)
    whole = _Map(fd, size, offset=at)
    if is_file(held, identity):  # nobody came between
        whole.held, whole.identity = held, identity
    return whole


class Names(dict):
    """What a range of a name stores: the hot path looks it up, and learns it here."""

    def __init__(self, file: "File", role: Callable[[str], int]):
        super().__init__()
        self.file, self.role = file, role

    def __missing__(self, name: str) -> int:
        text = name if isinstance(name, str) else str(name)
        what = self.file.what(RANGE, text, role=self.role(text))
        if what & 0xFFFFFFFF:
            self[name] = what
        return what


class Chunk:
    """A chunk that is mapped, and the handle that holds it."""

    __slots__ = ("words", "number", "owner", "generation", "spared")

    def __init__(self, words: memoryview, number: int):
        self.words, self.number, self.generation, self.spared = words, number, 0, False
        self.owner: "Optional[Handle]" = None


_FULL: "Callable[[], int]" = iter(()).__next__  # the slots of a chunk that has none left


class Handle:
    """A track's place to write. slot() reserves a record's first word in words, in one
    step that nothing interrupts, and raises StopIteration when the chunk is full."""

    __slots__ = ("file", "slot", "words", "tag", "chunk", "id", "place", "a", "b", "label", "name", "__weakref__")

    def __init__(self, file: "File", name: str, place: int = THREAD, a: int = 0, b: int = 0, label: str = ""):
        self.file, self.slot, self.words, self.tag, self.chunk = file, _FULL, file.sink, 0, None
        self.place, self.a, self.b = place, a & _MASK, b & _MASK
        with file.lock:
            file.handles += 1
            self.id = file.handles
        self.label, self.name = file.intern(label), file.intern(name)

    def more(self) -> int:
        """The next slot, of a new chunk. Where there is none the record goes nowhere."""
        return self.file.refill(self)


class File:
    """A recording that is being written. Its methods may be called at the same time."""

    def __init__(self, path: str, limit: int = 0, mode: int = FULL, rank: int = -1, world: int = 0, producer: str = "Reel Python client",
                 properties: "Optional[dict[str, str]]" = None):
        self.path, self.mode, self.pid = os.path.abspath(path), mode, os.getpid()
        self.limit = max(limit or _LIMITS[mode], 4 * CHUNK)
        self.fd = self._open(os.O_CREAT | os.O_EXCL)
        s = os.fstat(self.fd)
        self.identity = s.st_dev, s.st_ino
        self.lock = threading.RLock()
        self.sink = memoryview(bytearray(CHUNK)).cast("Q")  # takes what finds no room
        self.views: "dict[int, weakref.ref]" = {}
        self.maps: "deque[memoryview]" = deque()
        self.chunks = self.handles = self.sequence = self.ring = self.mapped = 0
        self.order: "deque[Chunk]" = deque()  # of records, oldest first
        self.ids: "dict[str, int]" = {"": 0}
        self.page: "Optional[memoryview]" = None
        self.at = self.texts = 0
        self.closed = False
        head = self._room()
        if head is None:
            self._close()
            os.unlink(path)
            raise OSError(f"{path}: no room for a recording")
        self.head: memoryview = head
        self._begin(rank, world, producer, properties or {})

    def _open(self, more: int = 0) -> int:
        return os.open(self.path, os.O_RDWR | more | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0), 0o644)

    def _hold(self) -> None:
        """Makes sure that fd is the recording: opened again where the program closed it."""
        if is_file(self.fd, self.identity):
            return
        self.fd = -1
        fd = self._open()
        if not is_file(fd, self.identity):
            os.close(fd)
            raise OSError(f"{self.path} is another file now")
        self.fd = fd

    def _close(self) -> None:
        """Closes fd, unless it is somebody else's."""
        if is_file(self.fd, self.identity):
            os.close(self.fd)
        self.fd = -1

    def _begin(self, rank: int, world: int, producer: str, properties: "dict[str, str]") -> None:
        h = self.head
        h[1], h[3] = 1 | CHUNK << 32, self.limit
        h[4], h[5], h[7] = self.pid, (rank & 0xFFFFFFFF) | world << 32, 1
        h[8], h[9], h[10] = clocks()
        h[32], h[33] = 1, 10**9  # clock 0: nanoseconds of the monotonic clock
        h[0], h[2] = _MAGIC, 1 | self.mode << 32
        self.sample()
        h[6] = self.intern(_host()) | self.intern(producer) << 32
        for i, (key, value) in enumerate(list(properties.items())[:32]):
            v = self.intern(value)
            h[64 + i] = self.intern(key) | v << 32

    def count(self, word: int, n: int = 1) -> None:
        with self.lock:
            self.head[16 + word] += n

    def counts(self) -> "list[int]":
        return [self.head[16 + i] for i in range(9)]

    def dropped(self) -> int:
        c = self.counts()
        return c[BOUND] + c[FULL_DISK] + c[CLOSED]

    def sample(self) -> None:
        """Ties the recording's clock to the others, into the ring of samples."""
        with self.lock:
            at = 128 + self.ring % ((CHUNK - 1024) // 32) * 4
            h, self.ring = self.head, self.ring + 1
            h[at] = 0
            h[at + 1], h[at + 2], h[at + 3] = clocks()
            self.sampled = h[at + 2]
            h[at] = 2

    def what(self, kind: int, name: str, payload: int = 0, klass: int = 0, role: int = 0, timed: int = 0, follow: int = 0) -> int:
        return self.intern(name) | kind << 32 | timed << 36 | payload << 38 | follow << 41 | klass << 48 | role << 56

    def intern(self, text: str) -> int:
        """The id of a text; 0 when there is no room for more."""
        id = self.ids.get(text)
        if id is not None:
            return id
        data = text.encode("utf-8", "replace")
        with self.lock:
            if text in self.ids:
                return self.ids[text]
            if len(data) > CHUNK - HEAD - 8:
                data = data[: CHUNK - HEAD - 8].decode("utf-8", "ignore").encode()
                self.count(CUT)
            return self._publish(text, data)

    def _publish(self, text: str, data: bytes) -> int:
        size = 1 + (len(data) + 7) // 8
        if self.page is None or self.at + size > END:
            chunk = None
            if (self.texts + 1) * CHUNK * 4 <= self.limit or self.texts == 0:
                chunk = self._take(2, None)
            if chunk is None or len(self.ids) > _MAX_NAMES:
                self.count(NAMELESS)
                return 0
            self.page, self.at, self.texts = chunk.words, HEAD // 8, self.texts + 1
        page, at, id = self.page, self.at, len(self.ids)
        for i in range(1, size):
            page[at + i] = int.from_bytes(data[8 * i - 8 : 8 * i], "little")
        page[at] = id | len(data) << 32
        self.at += size
        self.ids[text] = id  # last: from here on other threads use it
        return id

    def _room(self) -> "Optional[memoryview]":
        """A new chunk of the file, allocated before it is mapped; None without room."""
        if not self.maps:
            size = min(_UNIT, max(CHUNK, self.limit - self.mapped))
            if self.mapped + size > self.limit or self.closed:
                return None
            try:
                self._hold()
                allocate(self.fd, self.mapped, size)
                whole = memoryview(map_file(self.fd, size, self.mapped, self.identity))
            except (OSError, ValueError):
                self.full_disk = True
                return None
            self.mapped += size
            for i in range(size // CHUNK):
                words = whole[i * CHUNK : (i + 1) * CHUNK].cast("Q")
                self.views[id(words)] = weakref.ref(words)
                self.maps.append(words)
        self.chunks += 1
        return self.maps.popleft()

    full_disk = False
    sampled = device_events = 0
    sink_zeros = memoryview(bytes(CHUNK)).cast("Q")

    def _take(self, kind: int, owner: "Optional[Handle]") -> "Optional[Chunk]":
        number = self.chunks
        words = self._room()
        if words is None:
            chunk = self._recycle() if owner is not None and self.mode == FLIGHT else None
            if chunk is None:
                return None
            words = chunk.words
        else:
            chunk = Chunk(words, number)
        self.sequence += 1
        self.head[7] = self.chunks
        words[1], words[2] = self.sequence, 0x4B4E4843 | chunk.number << 32
        if owner is not None:
            words[3], words[4], words[5] = owner.id | owner.place << 32, owner.a, owner.b
            words[6], words[7] = owner.label | owner.name << 32, 0
            if self.mode == FLIGHT:
                self.order.append(chunk)
        words[8], words[9], words[10] = clocks()
        words[0] = 1 | kind << 8 | chunk.generation << 32
        return chunk

    def _recycle(self) -> "Optional[Chunk]":
        """The oldest chunk of records, emptied. A handle's current one is spared once,
        so that a quiet thread keeps its latest records. Called under the lock, which
        every record of a flight recorder is stored under."""
        for _ in range(2 * len(self.order)):
            chunk = self.order.popleft()
            owner = chunk.owner
            if owner is not None and owner.chunk is chunk and not chunk.spared:
                owner.slot, owner.chunk, chunk.spared = _FULL, None, True
                self.order.append(chunk)
                continue
            words = chunk.words
            words[0] = 2 | 1 << 8 | chunk.generation << 32
            words[HEAD // 8 : END : 4] = self.sink_zeros[HEAD // 8 : END : 4]
            words[HEAD // 8 : END] = self.sink_zeros[HEAD // 8 : END]
            chunk.generation, chunk.spared, chunk.owner = chunk.generation + 1, False, None
            self.count(RECYCLED)
            return chunk
        return None

    def refill(self, h: Handle) -> int:
        """Gives a handle a new chunk and returns the first slot of it."""
        with self.lock:
            self.count(MADE_ROOM)
            chunk = None if self.closed else self._take(1, h)
            if chunk is None:
                self.count(CLOSED if self.closed else FULL_DISK if self.full_disk else BOUND)
                h.words, h.slot, h.chunk = self.sink, _FULL, None
                return 16
            chunk.owner, h.chunk = h, chunk
            h.words, h.tag = chunk.words, chunk.generation & 0x3FFF
            h.slot = iter(range(HEAD // 8, END - 3, 4)).__next__
            if h.words[9] - self.sampled > 10**9:
                self.sample()
            return h.slot()

    def forget(self) -> None:
        """Makes every view unusable: in a forked child, which shares the mapping."""
        self.closed = True
        for ref in list(self.views.values()):
            view = ref()
            if view is not None:
                try:
                    view.release()
                except BufferError:  # somebody looks at it; nobody writes through it
                    pass
        self._close()

    def close(self) -> None:
        """Says that the recording is over. Ends of ranges may follow."""
        with self.lock:
            if self.closed:
                return
            self.closed = True
            self.sample()
            try:
                if self.mapped > self.chunks * CHUNK:
                    self.maps.clear()
                    if _UNIT == CHUNK:
                        self._hold()
                        os.ftruncate(self.fd, self.chunks * CHUNK)
            except OSError:
                pass
            self.head[2] = 2 | self.mode << 32
            self._close()
