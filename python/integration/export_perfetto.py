"""Decode a Perfetto trace with Perfetto's own Python protos and compare it with
`reel summary --json` of the same input.
Usage: export_perfetto.py TRACE SUMMARY.json"""

import collections
import json
import sys

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TracePacket, TrackEvent

BEGIN, END, INSTANT, COUNTER = (
    TrackEvent.TYPE_SLICE_BEGIN, TrackEvent.TYPE_SLICE_END, TrackEvent.TYPE_INSTANT, TrackEvent.TYPE_COUNTER)
WORK = {"kernel", "copy", "set", "work"}
DERIVED = ("requests", "stages", "steps")


def packets(path):
    """Yield the packets one by one; the whole trace as one message would take
    many times its size."""
    with open(path, "rb") as f:
        data = f.read()
    i = 0
    while i < len(data):
        assert data[i] == 0x0A, f"byte {i}: no packet"
        i, size, shift = i + 1, 0, 0
        while True:
            b = data[i]
            size, shift, i = size | (b & 0x7F) << shift, shift + 7, i + 1
            if b < 0x80:
                break
        yield TracePacket.FromString(data[i:i + size])
        i += size


class Trace:
    """What a reader of the trace knows, by the rules of trace_processor."""

    def __init__(self):
        self.tracks = {}
        self.order = []
        self.interned = {}
        self.events = collections.defaultdict(list)  # by track: time, type, name, category
        self.sources, self.targets = collections.Counter(), collections.Counter()

    def take(self, p):
        seq = p.trusted_packet_sequence_id
        assert seq, "a packet without a sequence"
        if p.sequence_flags & TracePacket.SEQ_INCREMENTAL_STATE_CLEARED:
            self.interned[seq] = collections.defaultdict(dict)
        names = self.interned[seq]
        for e in p.interned_data.event_names:
            assert e.iid not in names["name"], f"name {e.iid} interned twice"
            names["name"][e.iid] = e.name
        for e in p.interned_data.event_categories:
            names["category"][e.iid] = e.name
        for e in p.interned_data.debug_annotation_names:
            names["key"][e.iid] = e.name
        if p.HasField("track_descriptor"):
            d = p.track_descriptor
            assert d.uuid not in self.tracks, f"track {d.uuid} described twice"
            assert not d.parent_uuid or d.parent_uuid in self.tracks, "a track before its parent"
            self.tracks[d.uuid] = d
        if p.HasField("track_event"):
            self.event(p, names)

    def event(self, p, names):
        e = p.track_event
        assert e.track_uuid in self.tracks, "an event on a track that nothing describes"
        name = category = None
        if e.type in (BEGIN, INSTANT):
            name = e.name or names["name"][e.name_iid]
            category = names["category"][e.category_iids[0]] if e.category_iids else None
        for a in e.debug_annotations:
            assert names["key"][a.name_iid]
        self.events[e.track_uuid].append((p.timestamp, e.type, name, category, list(e.flow_ids), list(e.terminating_flow_ids)))

    def path(self, uuid):
        names = []
        while uuid:
            names.insert(0, self.tracks[uuid].name)
            uuid = self.tracks[uuid].parent_uuid
        return names

    def slices(self):
        """Yield (track path, start, end, name, category, flows, terminating):
        events sorted by time, those of one time in the order of the file."""
        for uuid, events in self.events.items():
            path, stack = self.path(uuid), []
            for at, kind, name, category, flows, ends in sorted(events, key=lambda e: e[0]):
                if kind == BEGIN:
                    stack.append((at, name, category, flows, ends))
                elif kind == END:
                    start, *rest = stack.pop()
                    yield (path, start, at, *rest)
            assert not stack, f"{path}: {len(stack)} slices never end"


def union(intervals):
    total = end = 0
    for i, (a, b) in enumerate(sorted(intervals)):
        if i == 0 or a > end:
            total, end = total + b - a, b
        elif b > end:
            total, end = total + b - end, b
    return total


def check(what, got, want):
    if got != want:
        sys.exit(f"perfetto: {what}: {got}, want {want}")


def main(path, summary):
    trace = Trace()
    n = 0
    for p in packets(path):
        trace.take(p)
        n += 1
    with open(summary) as f:
        ranks = {f"rank {r['rank']}": r for r in json.load(f)["ranks"]}
    count, work = collections.Counter(), collections.defaultdict(list)
    flow_from, flow_to = {}, {}
    total = 0
    for path, start, end, name, category, flows, ends in trace.slices():
        total += 1
        assert end >= start and name
        rank = path[0]
        if path[1] in DERIVED:
            count[rank, path[1]] += 1
        elif category in WORK:
            work[rank].append((start, end))
            for f in ends + flows:
                assert f not in flow_to, f"arrow {f} ends twice"
                flow_to[f] = rank
        else:
            for f in flows:
                assert f not in flow_from, f"arrow {f} begins twice"
                flow_from[f] = rank
    check("arrows without an end or a beginning", len(set(flow_from) ^ set(flow_to)), 0)
    arrows = collections.Counter(flow_to.values())
    for name, r in ranks.items():
        gpu, links = r.get("gpu", {}), r["links"]
        check(f"{name}: requests", count[name, "requests"], len(r["requests"]))
        check(f"{name}: stages", count[name, "stages"], sum("steps" not in s for s in r["stages"]))
        check(f"{name}: steps", count[name, "steps"], len(r["steps"]))
        check(f"{name}: activities", len(work[name]), gpu.get("activities", 0))
        check(f"{name}: busy", union(work[name]), gpu.get("busy_ns", 0))
        check(f"{name}: arrows", arrows[name], links["by_launch"] + links.get("by_op", 0))
        if work[name]:
            check(f"{name}: span", max(e for _, e in work[name]) - min(s for s, _ in work[name]), gpu["span_ns"])
    counters = sum(e[1] == COUNTER for events in trace.events.values() for e in events)
    print(f"perfetto: {n} packets, {len(trace.tracks)} tracks, {total} slices, {len(flow_to)} arrows, {counters} samples: as the summary says")


main(*sys.argv[1:])
