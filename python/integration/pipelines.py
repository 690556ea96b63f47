#!/usr/bin/env python3
"""Runs tiny pipelines under torch.profiler and writes, per case, the trace and what PyTorch itself says of it.

    pipelines.py FOLDER [CASE…]

FOLDER/CASE.json[.gz]      the exported trace
FOLDER/CASE.rows.json      the rows of key_averages(), by name, by input shape and by stack, unrounded
FOLDER/CASE.facts.json     what the pipeline did: text encoder, transformer, scheduler and decoder calls
FOLDER/CASE.stacks.txt     export_stacks("self_cpu_time_total"), where there are stacks
FOLDER/CASE.table.txt      key_averages().table()
"""

import contextlib
import functools
import json
import os
import pathlib
import sys
import warnings

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("DIFFUSERS_VERBOSITY", "error")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

import torch
from torch._C._profiler import _ExperimentalConfig
from torch.profiler import ProfilerActivity, profile, record_function, schedule

import tiny

STACK_DEPTH = 8


def profiler(verbose=False, experiments={}, **options):
    """verbose is what makes PyTorch keep "Call stack" with each operator; with_stack alone gives only Python frames."""
    return profile(
        activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True, with_flops=True,
        experimental_config=_ExperimentalConfig(verbose=verbose, **experiments), **options,
    )


def rows(averages):
    out = []
    for e in averages:
        out.append({
            "name": e.key,
            "count": e.count,
            "device_type": "cpu" if e.device_type == torch.autograd.DeviceType.CPU else "device",
            "user_annotation": bool(e.is_user_annotation),
            "self_cpu_us": e.self_cpu_time_total,
            "cpu_us": e.cpu_time_total,
            "self_device_us": e.self_device_time_total,
            "device_us": e.device_time_total,
            "self_cpu_memory_bytes": e.self_cpu_memory_usage,
            "cpu_memory_bytes": e.cpu_memory_usage,
            "self_device_memory_bytes": e.self_device_memory_usage,
            "device_memory_bytes": e.device_memory_usage,
            "input_shapes": e.input_shapes,
            "stack": list(e.stack),
            "flops": e.flops,
        })
    return out


def write(folder, case, prof, suffix, facts):
    prof.export_chrome_trace(str(folder / f"{case}{suffix}"))
    averages = prof.key_averages()
    stacks = any(e.stack for e in prof.events())
    dump = {
        "torch": torch.__version__,
        "trace": f"{case}{suffix}",
        "stack_depth": STACK_DEPTH,
        # What the table prints as "Self CPU time total"; EventList.self_cpu_time_total would count Python frames too.
        "self_cpu_total_us": sum(e.self_cpu_time_total for e in averages),
        "rows": {
            "name": rows(averages),
            "shape": rows(prof.key_averages(group_by_input_shape=True)),
        },
    }
    if stacks:
        dump["rows"]["stack"] = rows(prof.key_averages(group_by_stack_n=STACK_DEPTH))
        prof.export_stacks(str(folder / f"{case}.stacks.txt"), "self_cpu_time_total")
    (folder / f"{case}.rows.json").write_text(json.dumps(dump, indent=1))
    (folder / f"{case}.facts.json").write_text(json.dumps(facts, indent=1))
    (folder / f"{case}.table.txt").write_text(averages.table(row_limit=-1))


@contextlib.contextmanager
def patched(owner, name, around):
    """Replaces a bound method by around(method) for a while."""
    method = getattr(owner, name)
    setattr(owner, name, functools.wraps(method)(around(method)))
    try:
        yield
    finally:
        delattr(owner, name)


def components(pipe):
    """The calls that make up a generation, as (kind, label, owner, method)."""
    out = [("encode", type(m).__name__, m, "forward")
           for n in ("text_encoder", "text_encoder_2", "text_encoder_3") if (m := getattr(pipe, n, None)) is not None]
    return out + [
        ("diffuse", type(pipe.transformer).__name__, pipe.transformer, "forward"),
        ("step", type(pipe.scheduler).__name__, pipe.scheduler, "step"),
        ("decode", type(pipe.vae).__name__, pipe.vae, "decode"),
        ("decoder", type(pipe.vae.decoder).__name__, pipe.vae.decoder, "forward"),
    ]


def observe(pipe, call):
    """One unprofiled generation: warms everything up and notes in order what was called."""
    calls = []

    def noting(kind, label):
        def around(method):
            def run(*args, **kwargs):
                calls.append([kind, label])
                return method(*args, **kwargs)
            return run
        return around

    with contextlib.ExitStack() as stack:
        for kind, label, owner, name in components(pipe):
            stack.enter_context(patched(owner, name, noting(kind, label)))
        pipe(**call)
    return calls


def annotations(pipe):
    """The ranges of the Diffusers profiling guide: each method under record_function of its plain name."""
    stack = contextlib.ExitStack()
    for name, owner, method in [
        ("encode_prompt", pipe, "encode_prompt"), ("transformer_forward", pipe.transformer, "forward"),
        ("scheduler_step", pipe.scheduler, "step"), ("vae_decode", pipe.vae, "decode"),
    ]:
        def around(method, name=name):
            def run(*args, **kwargs):
                with record_function(name):
                    return method(*args, **kwargs)
            return run
        stack.enter_context(patched(owner, method, around))
    return stack


def pipeline_case(folder, case, build, suffix, annotate, **options):
    pipe, call = build()
    pipe.set_progress_bar_config(disable=True)
    calls = observe(pipe, call)
    facts = {
        "pipeline": type(pipe).__name__,
        "evidence": "annotation" if annotate else "module" if options.get("with_stack") else "none",
        "encoders": [label for kind, label in calls if kind == "encode"],
        "transformer": type(pipe.transformer).__name__,
        "transformer_calls": sum(kind == "diffuse" for kind, _ in calls),
        "steps": sum(kind == "step" for kind, _ in calls),
        "decoder": type(pipe.vae).__name__,
        "decodes": sum(kind == "decode" for kind, _ in calls),
        "decoder_calls": sum(kind == "decoder" for kind, _ in calls),
        "calls": calls,
    }
    with annotations(pipe) if annotate else contextlib.nullcontext():
        with profiler(**options) as prof:
            with record_function("pipeline_call") if annotate else contextlib.nullcontext():
                pipe(**call)
    write(folder, case, prof, suffix, facts)


def plain_case(folder, case, suffix, **options):
    """A hand-written loop: ProfilerStep ranges, a range in a range of its name, a tensor list, a free outside any
    operator, a backward pass."""
    torch.manual_seed(0)
    model, noise = tiny.Plain(), torch.randn(1, 4, 16, 16)
    with profiler(schedule=schedule(wait=1, warmup=1, active=3, repeat=1), **options) as prof:
        for _ in range(5):
            latents = noise
            with torch.no_grad(), record_function("denoise"):
                for _ in range(2):
                    with record_function("inner"), record_function("inner"):
                        latents = latents - 0.1 * model(latents)
            keep = torch.empty(1000)
            del keep
            torch.cat([latents, latents])
            model(latents).square().mean().backward()
            prof.step()
    write(folder, case, prof, suffix, {"evidence": "unknown"})


def unscheduled_case(folder, case, suffix, **options):
    """No ProfilerStep and no Python frames around: memory events outside every range become rows of their own."""
    kept = [torch.ones(1000) for _ in range(3)]
    with profiler(**options) as prof:
        while kept:
            kept.pop()
            torch.ones(10) * 2
    write(folder, case, prof, suffix, {"evidence": "unknown"})


def rules():
    """Little of everything that is counted by a rule of its own."""
    a, b, image = torch.ones(2, 3), torch.ones(3, 4), torch.ones(1, 4, 8, 8)
    with record_function("range"), record_function("range"):
        torch.mm(a, b)
    with record_function("aten::mul"):
        torch.tensor(2.0) * a
    a + 1
    torch.cat([a, a])
    torch.addmm(torch.ones(4), a, b)
    torch.baddbmm(torch.ones(2, 3, 5), torch.ones(2, 3, 4), torch.ones(2, 4, 5))
    torch.conv2d(image, torch.ones(6, 2, 3, 3), padding=(1, 2), stride=(2, 1), groups=2)
    torch.conv2d(image, torch.ones(6, 4, 3, 3), padding="same")
    with record_function("failure"), record_function("failure"), contextlib.suppress(RuntimeError):
        torch.empty(10**15, dtype=torch.uint8)
    weight = torch.ones(3, 2, requires_grad=True)
    (weight @ a).square().sum().backward()


def rules_case(folder, case, suffix, **options):
    with profiler(experiments={"capture_overload_names": True}, **options) as prof:
        rules()
    write(folder, case, prof, suffix, {"evidence": "unknown"})


IMAGE, VIDEO = tiny.image_pipeline, tiny.video_pipeline
CASES = {
    "image": lambda d, c: pipeline_case(d, c, IMAGE, ".json.gz", False, with_stack=True, with_modules=True, verbose=True),
    "image-annotated": lambda d, c: pipeline_case(d, c, IMAGE, ".json", True),
    "video": lambda d, c: pipeline_case(d, c, VIDEO, ".json.gz", False, with_stack=True, with_modules=True),
    "video-annotated": lambda d, c: pipeline_case(d, c, VIDEO, ".json.gz", True),
    "video-bare": lambda d, c: pipeline_case(d, c, VIDEO, ".json.gz", False),
    "plain": lambda d, c: plain_case(d, c, ".json", with_stack=True, verbose=True),
    "plain-frames": lambda d, c: plain_case(d, c, ".json", with_stack=True),
    "plain-bare": lambda d, c: plain_case(d, c, ".json"),
    "memory": lambda d, c: unscheduled_case(d, c, ".json"),
    "rules": lambda d, c: rules_case(d, c, ".json", with_stack=True, verbose=True),
    "rules-bare": lambda d, c: rules_case(d, c, ".json"),
}


def main(args):
    if not args or any(a.startswith("-") for a in args):
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(args[0])
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    for case in args[1:] or CASES:
        CASES[case](folder, case)
        print(f"{case}: written", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
