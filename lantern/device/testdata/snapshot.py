"""Reads a memory snapshot as Python does, and as PyTorch's memory page does, and says what it holds."""
import pickle
import sys

with open(sys.argv[1], "rb") as f:
    s = pickle.load(f)
trace = s["device_traces"][1]
assert s["device_traces"][0] == [] and len(s["device_traces"]) == 2
print("actions", *(e["action"] for e in trace))
for g in s["segments"]:
    assert g["device"] == 1 and g["total_size"] == sum(b["size"] for b in g["blocks"])
    print("blocks", g["segment_type"], *(x for b in g["blocks"] for x in (b["state"], b["requested_size"])))
names = [f["name"].split(".")[-1] for f in trace[1]["frames"]]
print("frames", *[n for n in reversed(names) if n in ("TestSnapshotPython", "storied", "alloc")])
assert all(f["line"] > 0 and f["filename"].endswith((".go", ".s")) for e in trace for f in e["frames"])
assert all(b["time_us"] >= a["time_us"] for a, b in zip(trace, trace[1:]))
try:
    from torch.cuda import _memory_viz
except ImportError:
    sys.exit()
text = _memory_viz.segsum(s) + _memory_viz.trace(s)
assert "segments: 2" in text and "free completed" in text and "raise OutOfMemoryError" in text, text
for page in (_memory_viz.trace_plot(s), _memory_viz.segment_plot(s)):
    assert "snapshot.pickle" in page
print("torch:", text.splitlines()[0])
