"""When recording is on: the grammar of windows, the schedule of iterations, and the gate
that turns a request's progress into openings and closings.

It means exactly what Reel's Go package window means; both read the same test vectors.
It reads no clock and knows no collector.
"""
from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Tuple

FORMS = "all, predenoise, postdenoise, decode, or steps such as 3, 0-4, 0-4,8-9, loop1:0-4, last:0-2"
KEYWORDS = ("all", "predenoise", "postdenoise", "decode")
ANY_LOOP, LAST_LOOP = -1, -2
MAX_STEP = 1_000_000


class Range(NamedTuple):
    """The steps first to last, both included, of some loops."""

    loop: int
    first: int
    last: int

    def __str__(self) -> str:
        steps = str(self.first) if self.first == self.last else f"{self.first}-{self.last}"
        if self.loop == ANY_LOOP:
            return steps
        return f"last:{steps}" if self.loop == LAST_LOOP else f"loop{self.loop}:{steps}"


class Spec(NamedTuple):
    """What was asked for: a keyword as mode, "steps" with ranges, or "" for nothing."""

    mode: str = ""
    ranges: Tuple[Range, ...] = ()

    def __str__(self) -> str:
        return ",".join(map(str, self.ranges)) if self.mode == "steps" else self.mode


def parse(variable: str, value: str) -> Spec:
    """Reads what stood in variable. A value of which it is unclear what it would record
    is a ValueError that names the variable, the value and the accepted forms."""
    spec, reason = _parse(value)
    if reason:
        raise ValueError(f'{variable}="{value}": {reason}; accepted are {FORMS}')
    return spec


def _parse(value: str) -> "Tuple[Spec, str]":
    if value == "":
        return Spec(), ""
    text = value.strip()
    if not text:
        return Spec(), "it is blank"
    if text.lower() in KEYWORDS:
        return Spec(text.lower()), ""
    ranges: List[Range] = []
    for e in text.split(","):
        r, reason = _element(e.strip())
        if r is None:
            return Spec(), reason
        ranges.append(r)
    ranges.sort(key=lambda r: (r.loop, r.first))
    return Spec("steps", tuple(ranges)), _clash(ranges)


def _element(text: str) -> "Tuple[Optional[Range], str]":
    if not text:
        return None, "an element of the list is empty (a comma too many)"
    if text.lower() in KEYWORDS:
        return None, f'the keyword "{text}" stands alone, not in a list'
    loop = ANY_LOOP
    if ":" in text:
        selector, _, text = text.partition(":")
        found = _selector(selector.strip())
        if found is None:
            return None, f'"{selector}" is no loop; a loop is loop0, loop1, … or last'
        loop, text = found, text.strip()
    first, both, last = text.partition("-")
    if both and not first.strip():
        return None, f'"{text}": steps are not negative'
    a = _number(first)
    if a is None:
        return None, f'"{first.strip()}" is no step number'
    b = _number(last) if both else a
    if b is None:
        return None, f'"{text}": "{last.strip()}" is no step number'
    if b < a:
        return None, f'"{text}" runs backwards; did you mean {b}-{a}'
    return Range(loop, a, b), ""


def _selector(s: str) -> Optional[int]:
    if s.lower() == "last":
        return LAST_LOOP
    return _number(s[4:]) if s[:4].lower() == "loop" and len(s) > 4 else None


def _number(s: str) -> Optional[int]:
    s = s.strip()
    if not s or len(s) > 9 or s.strip("0123456789"):
        return None
    return int(s) if int(s) <= MAX_STEP else None


def _clash(ranges: List[Range]) -> str:
    for i, a in enumerate(ranges):
        for b in ranges[i + 1 :]:
            if a.loop != b.loop and a.loop != ANY_LOOP and b.loop != ANY_LOOP:
                continue
            if a == b:
                return f"{a} stands there twice"
            if a.first <= b.last and b.first <= a.last:
                return f"{a} and {b} overlap"
    return ""


class Schedule(NamedTuple):
    """Which iterations of a session are recorded: see docs/profiler-config.md."""

    delay: int = 0
    wait: int = 0
    warmup: int = 0
    active: int = 0
    repeat: int = 0
    max: int = 0

    def check(self) -> None:
        """Raises ValueError for what makes no sense."""
        for field, value in zip(("delay_iterations", "wait_iterations", "warmup_iterations", "active_iterations", "repeat", "max_iterations"), self):
            if not 0 <= value <= MAX_STEP:
                raise ValueError(f"{field}: {value}: want 0 (unused) to {MAX_STEP}")
        if self.active == 0 and self.repeat > 1:
            raise ValueError(f"repeat: {self.repeat}: without active_iterations the first round never ends")

    def phase(self, i: int) -> str:
        """What iteration i is: off, warming, recording or done."""
        i -= self.delay
        if i < 0:
            return "off"
        if self.active == 0:
            recorded = i - self.wait - self.warmup
            if i < self.wait:
                return "off"
            if recorded < 0:
                return "warming"
            return "done" if 0 < self.max <= recorded else "recording"
        cycle = self.wait + self.warmup + self.active
        turn, at = divmod(i, cycle)
        inside = at - self.wait - self.warmup
        if 0 < self.repeat <= turn or 0 < self.max <= turn * self.active + max(inside, 0):
            return "done"
        if at < self.wait:
            return "off"
        return "warming" if inside < 0 else "recording"


class Window:
    """One stretch that was, or is, recorded. last is -1 while it is open."""

    def __init__(self, mode: str, request: int = 0, asked: Optional[Range] = None, loop: int = 0, first: int = 0, provisional: bool = False):
        self.mode, self.request, self.asked, self.loop = mode, request, asked, loop
        self.first, self.last, self.provisional = first, -1, provisional

    def wanted(self) -> str:
        return str(self.asked) if self.asked is not None else self.mode

    def suffix(self) -> str:
        """How its files are named: request-0-loop-1-steps-0-4."""
        if self.asked is None:
            return f"request-{self.request}-{self.mode}"
        steps = str(self.asked.first) if self.asked.first == self.asked.last else f"{self.asked.first}-{self.asked.last}"
        return f"request-{self.request}-loop-{self.loop}-steps-{steps}"

    def __str__(self) -> str:
        if self.asked is None:
            return f"{self.mode}, request {self.request}"
        return f"request {self.request}, loop {self.loop}, steps {self.first}-{max(self.last, self.first)}"


class LastUnknown(Exception):
    """What a recorder raises that cannot take back a provisional window."""


class Gate:
    """Follows a process's requests and opens and closes windows. recorder has
    open(window), close(window) and discard(window); what they raise is in the report and
    never reaches the request. Not safe for several threads at once."""

    def __init__(self, spec: Spec, recorder: Any):
        self.spec, self.recorder = spec, recorder
        self.request = self.requests = self.loop = self.step = self.begun = 0
        self.loops = -1
        self.inside = self.warm = self.in_loop = self.arm = self.used_pre = self.used_post = False
        self.open: Optional[Window] = None
        self.latest: List[Window] = []
        self.report = Report()

    def begin_request(self, warm_up: bool = False, loops: int = 0) -> bool:
        """Begins a request; False within another."""
        if self.inside:
            return False
        self.inside, self.warm, self.loop, self.step = True, warm_up, 0, 0
        self.in_loop = self.arm = False
        if loops > 0:
            self.loops = loops
        if warm_up:
            return True
        self.request = self.requests
        self.requests += 1
        self.arm = self.spec.mode == "postdenoise" and not self.used_post
        if self.spec.mode == "all":
            self._start(Window("all"))
        elif self.spec.mode == "predenoise" and not self.used_pre:
            self.used_pre = True
            self._start(Window("predenoise"))
        return True

    def end_request(self) -> None:
        if not self.inside:
            return
        self.end_loop(False)
        self._stop()
        if not self.warm:
            self.used_post = self.used_post or self.spec.mode == "postdenoise"
            self.report.request(self.spec, self.loop)
        elif self.loops < 0 and self.loop > 0:
            self.loops = self.loop
        self.latest = []
        self.inside = False

    def begin_loop(self) -> None:
        if not self.inside or self.in_loop:
            return
        self.in_loop, self.step = True, 0
        for w in self.latest:  # there is a later loop, so they were not of the last
            self.recorder.discard(w)
            self.report.of(w.wanted()).entered -= 1
        self.latest = []

    def begin_step(self) -> None:
        if not self.in_loop:
            return
        self.begun = self.step
        if self.open is not None and self.open.mode == "predenoise":
            self._stop()
        if self.warm or self.spec.mode != "steps" or self.open is not None:
            return
        for r in self.spec.ranges:
            if r.first == self.step and self._means(r):
                unknown = r.loop == LAST_LOOP and self.loops < 0
                self._start(Window("steps", asked=r, loop=self.loop, first=self.step, provisional=unknown))
                return

    def _means(self, r: Range) -> bool:
        if r.loop == ANY_LOOP:
            return True
        if r.loop == LAST_LOOP:
            return self.loops < 0 or self.loop == self.loops - 1
        return r.loop == self.loop

    def end_step(self) -> None:
        if not self.in_loop:
            return
        w = self.open
        if w is not None and w.asked is not None and w.asked.last == self.step:
            self._stop()
        self.step += 1

    def end_loop(self, whole: bool) -> None:
        """Ends the loop; whole says that it ran to its end."""
        if not self.in_loop:
            return
        if self.open is not None and self.open.mode in ("steps", "predenoise"):
            self._stop()
        if not self.warm:
            self.report.loop(self.spec, self.request, self.loop, self.step)
        if whole and self.step > 0 and self.arm:
            self._start(Window("postdenoise"))
        self.arm = self.in_loop = False
        self.loop += 1

    def begin_decode(self) -> None:
        if self.inside and not self.warm and self.spec.mode == "decode" and self.open is None:
            self._start(Window("decode"))

    def end_decode(self) -> None:
        if self.open is not None and self.open.mode == "decode":
            self._stop()

    def _start(self, w: Window) -> None:
        w.request = self.request
        try:
            self.recorder.open(w)
        except LastUnknown as err:
            self.report.unknown(w, err)
            return
        except Exception as err:
            self.report.fail(f"open window {w}: {err}")
            return
        self.open = w

    def _stop(self) -> None:
        w, self.open = self.open, None
        if w is None:
            return
        if w.asked is not None:
            w.last = min(w.asked.last, self.begun)
        try:
            self.recorder.close(w)
        except Exception as err:
            self.report.fail(f"close window {w}: {err}")
        self.report.entered(w)
        if w.provisional:
            self.latest.append(w)


class Coverage:
    """Of one thing that was asked for, how often it was seen."""

    def __init__(self, asked: str):
        self.asked, self.entered, self.of, self.missed = asked, 0, 0, ""

    def __repr__(self) -> str:
        return f"{{{self.asked} {self.entered} {self.of} {self.missed}}}"


class Report:
    """Counts what a gate asked for and saw."""

    def __init__(self) -> None:
        self.list: List[Coverage] = []
        self.faults: List[str] = []
        self.last = -1

    def fail(self, text: str) -> None:
        if len(self.faults) < 16:
            self.faults.append(text)

    def unknown(self, w: Window, err: Exception) -> None:
        c = self.of(w.wanted())
        if not c.missed:
            c.missed = "which loop is the last was not known before it ran"
            self.fail(f"open window {w}: {err}")

    def of(self, asked: str) -> Coverage:
        for c in self.list:
            if c.asked == asked:
                return c
        self.list.append(Coverage(asked))
        return self.list[-1]

    def entered(self, w: Window) -> None:
        if w.asked is None:
            if self.last == w.request:  # a second decode of the request
                return
            self.last = w.request
        self.of(w.wanted()).entered += 1

    def loop(self, spec: Spec, request: int, loop: int, steps: int) -> None:
        for x in spec.ranges:
            if x.loop == LAST_LOOP or x.loop >= 0 and x.loop != loop:
                continue
            c = self.of(str(x))
            c.of += 1
            if x.last >= steps and not c.missed:
                c.missed = f"loop {loop} of request {request} had {steps} steps"

    def request(self, spec: Spec, loops: int) -> None:
        if spec.mode in ("all", "decode"):
            self.of(spec.mode).of += 1
        elif spec.mode in ("predenoise", "postdenoise"):  # once in a process
            self.of(spec.mode).of = 1
        for x in spec.ranges:
            if x.loop == LAST_LOOP:
                self.of(str(x)).of += 1
            elif x.loop >= loops and x.loop >= 0 and not self.of(str(x)).missed:
                self.of(str(x)).missed = f"a request had {loops} loops"

    def coverage(self, spec: Spec) -> List[Coverage]:
        """What was asked for and seen so far, with what no loop ever came to."""
        out = list(self.list)
        for x in spec.ranges:
            if not any(c.asked == str(x) for c in out):
                c = Coverage(str(x))
                c.missed = "no loop ran"
                out.append(c)
        return out
