#!/usr/bin/env python3
"""Writes tables as PyTorch prints them, and the rows that they are of: the oracles of this package's tests.

    torch_tables.py FOLDER [COUNT]

FOLDER/NAME.table.txt is PyTorch's text, FOLDER/NAME.ops.json the same rows as an operator report, with the options that
it was printed with. COUNT adds that many tables of random rows. No device is needed: the rows are made up.
"""

import json
import pathlib
import random
import sys

import torch
from torch.autograd import DeviceType
from torch.autograd.profiler_util import EventList, FunctionEventAvg

DEVICES = {"cuda": DeviceType.CUDA, "xpu": DeviceType.XPU}


def average(row, device, grouped):
    e = FunctionEventAvg()
    e.key, e.count, e.use_device = row["name"], row["count"], device
    e.node_id, e.scope, e.overload_name, e.is_user_annotation = -1, 0, "", row.get("annotation", False)
    e.device_type = DEVICES[device] if row["device_type"] == "device" else DeviceType.CPU
    e.self_cpu_time_total, e.cpu_time_total = row["self_cpu_ns"] / 1000, row["cpu_ns"] / 1000
    e.self_device_time_total, e.device_time_total = row.get("self_device_ns", 0) / 1000, row.get("device_ns", 0) / 1000
    e.self_cpu_memory_usage, e.cpu_memory_usage = row.get("self_cpu_memory_bytes", 0), row.get("cpu_memory_bytes", 0)
    e.self_device_memory_usage, e.device_memory_usage = row.get("self_device_memory_bytes", 0), row.get("device_memory_bytes", 0)
    e.input_shapes = json.loads(row.get("input_shapes") or "[]") if grouped == "shape" else ""
    e.stack = row.get("stack", [])
    e.flops = row.get("flops", 0)
    return e


def write(folder, name, rows, by="name", device=None, sort="self_cuda_time_total", limit=100, memory=False, flops=False):
    events = EventList([average(r, device, by) for r in rows], use_device=device, profile_memory=memory, with_flops=flops)
    text = events.table(sort_by=sort, row_limit=limit)
    report = {
        "schema": "reel.ops/1", "by": by, "sort": "self_device" if device else "self_cpu", "rows": rows, "rows_total": len(rows),
        "self_cpu_total_ns": sum(r["self_cpu_ns"] for r in rows),
    }
    if device:
        report["self_device_total_ns"] = sum(r["self_device_ns"] for r in rows if r["device_type"] == "device" and not r.get("annotation"))
    options = {"Device": (device or "").upper(), "Sort": sort, "Limit": limit, "FLOPs": flops}
    (folder / f"{name}.table.txt").write_text(text)
    (folder / f"{name}.ops.json").write_text(json.dumps({"options": options, "report": report}, indent=1) + "\n")


def row(name, count, self_cpu, cpu, **more):
    return {"name": name, "device_type": "cpu", "count": count, "self_cpu_ns": self_cpu, "cpu_ns": cpu, **more}


def op(name, count, self_cpu, cpu, self_device, device, **more):
    return row(name, count, self_cpu, cpu, self_device_ns=self_device, device_ns=device, **more)


def on_device(name, count, time, **more):
    return op(name, count, 0, 0, time, time, device_type="device", **more)


LONG = "void at::native::vectorized_elementwise_kernel<4, at::native::GeluFunctor>(int, at::native::GeluFunctor)"

GPU = [
    op("ProfilerStep*", 3, 1_200_400, 9_000_001, 0, 3_100_000_999, annotation=True),
    on_device("ProfilerStep*", 3, 3_200_000_000, annotation=True),
    op("aten::addmm", 12, 400_123, 899_500, 2_999_999_499, 2_999_999_499),
    on_device(LONG, 7, 100_001_500),
    on_device("ampere_sgemm_128x64_tn_exactly_52_characters_long_x", 1, 999_999),
    on_device("ampere_sgemm_128x64_tn_exactly_52_characters_long_xy", 12, 2_899_998_000),
    on_device("Memcpy DtoH (Device -> Pageable)", 2, 1_000_000),
    op("aten::linear", 12, 64_064, 963_564, 0, 2_999_999_499),
    op("cudaLaunchKernel", 30, 250_250, 250_250, 0, 0),
    op("größe::名前", 1, 1, 1, 0, 0),
    op("aten::empty", 0, 0, 0, 0, 0),
]

KB = 1024


def with_memory(rows):
    amounts = [0, 1, 1023, KB, -KB, 1536 * KB, 5 * KB ** 3, -7 * KB ** 2 - 5, 999]
    for i, r in enumerate(rows):
        if r["device_type"] == "cpu":
            keys = ["self_cpu_memory_bytes", "cpu_memory_bytes", "self_device_memory_bytes", "device_memory_bytes"]
            r.update({k: amounts[(i + j) % len(amounts)] for j, k in enumerate(keys)})
    return rows


def cases(folder):
    write(folder, "gpu", GPU, device="cuda")
    write(folder, "xpu", GPU, device="xpu", limit=4)
    write(folder, "gpu_memory", with_memory([dict(r) for r in GPU]), device="cuda", sort="self_cpu_time_total", memory=True)
    plain = [row("aten::mm", 3, 2_500, 2_500, flops=1_500), row("aten::add", 1, 1_000_499, 1_000_500), row("aten::bmm", 2, 0, 0, flops=2_000_000)]
    write(folder, "flops", plain, sort="cpu_time_total", flops=True)
    write(folder, "idle", [row("aten::view", 2, 0, 0)])
    shapes = [row("aten::mm", 3, 2_500, 2_500, input_shapes="[[2, 3], [3, 4]]"), row("aten::cat", 1, 900, 1_000),
              row("aten::many", 1, 800, 900, input_shapes=str([[i, i + 1, 1024] for i in range(12)]))]
    write(folder, "by_shape", shapes, by="shape")
    deep = "/home/user/a/very/long/path/that/does/not/fit/into/the/column/of/source/locations/pipeline.py(912): __call__"
    stacks = [row("aten::mm", 3, 2_500, 2_500, stack=[deep, "model.py(7): forward", "main.py(1): <module>"]), row("aten::cat", 1, 900, 1_000),
              row("aten::mm", 1, 100, 100, stack=["model.py(9): forward"])]
    write(folder, "by_stack", stacks, by="stack")


def random_rows(rng):
    def time():
        return rng.choice([0, rng.randrange(2_000), rng.randrange(2_000_000), rng.randrange(4_000_000_000)])

    # Without device work PyTorch refuses to give shares of it; without an operator nothing tells that memory was recorded.
    rows = [on_device("Memset (Device)", 1, 1_024), op("aten::fill_", 1, 512, 512, 0, 0)]
    for i in range(rng.randrange(1, 160)):
        name = "".join(rng.choice("abcdefgh:_<> é漢") for _ in range(rng.randrange(1, 70))) + str(i)
        if rng.random() < 0.4:
            rows.append(on_device(name, rng.randrange(1, 999), time(), annotation=rng.random() < 0.2))
        else:
            rows.append(op(name, rng.randrange(1, 999), time(), time(), time(), time(), flops=rng.choice([0, rng.randrange(1, 10 ** 13)])))
    return rows


def main(args):
    if not 1 <= len(args) <= 2 or args[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(args[0])
    folder.mkdir(parents=True, exist_ok=True)
    cases(folder)
    sorts = ["self_cuda_time_total", "self_cpu_time_total", "cpu_time_total", "cuda_time_total", "count", "flops"]
    for i in range(int(args[1]) if len(args) > 1 else 0):
        rng = random.Random(i)
        rows, memory = random_rows(rng), rng.random() < 0.5
        if memory:
            rows = with_memory(rows)
        write(folder, f"random{i}", rows, device="cuda", sort=rng.choice(sorts), limit=rng.choice([100, 10, -1]), memory=memory, flops=rng.random() < 0.5)
    print(f"tables of PyTorch {torch.__version__}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
