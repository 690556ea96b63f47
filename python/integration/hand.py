"""A script of a pipeline with timers put in by hand, to set beside what Reel measures of the same calls.

    hand.py SCRIPT ZOO OUT TIMES     TIMES: JSON, seconds by request: whole, encode, diffuse, decode
"""
import json
import runpy
import sys
from time import perf_counter

import diffusers

NAMES = {"flux": ("FluxPipeline", "AutoencoderKL", "FlowMatchEulerDiscreteScheduler"),
         "sd3": ("StableDiffusion3Pipeline", "AutoencoderKL", "FlowMatchEulerDiscreteScheduler"),
         "wan": ("WanPipeline", "AutoencoderKLWan", "UniPCMultistepScheduler"),
         "lantern": ("WanPipeline", "AutoencoderKLWan", "FlowMatchEulerDiscreteScheduler"),
         "qwen": ("QwenImagePipeline", "AutoencoderKLQwenImage", "FlowMatchEulerDiscreteScheduler")}


def around(owner, name, note):
    """Has note(began, ended) after each call."""
    inner = getattr(owner, name)

    def timed(*args, **kwargs):
        began = perf_counter()
        try:
            return inner(*args, **kwargs)
        finally:
            note(began, perf_counter())

    setattr(owner, name, timed)


requests, now = [], {}


def add(name):
    def note(began, ended):
        now[name] = now.get(name, 0) + ended - began

    return note


def bar(began, ended):
    """The loop begins when its progress bar has been made."""
    now["first"] = ended


def step(began, ended):
    """It ends with the last scheduler step."""
    now["diffuse"] = ended - now["first"]


def request(began, ended):
    now.pop("first", None)
    requests.append({**now, "whole": ended - began})
    now.clear()


script, zoo, out, times = sys.argv[1:]
pipeline, vae, scheduler = (getattr(diffusers, n) for n in NAMES[script.rsplit("/", 1)[-1].removesuffix(".py")])
around(pipeline, "__call__", request)
around(pipeline, "encode_prompt", add("encode"))
around(pipeline, "progress_bar", bar)
around(vae, "decode", add("decode"))
around(scheduler, "step", step)
sys.argv = [script, zoo, out]
runpy.run_path(script, run_name="__main__")
with open(times, "w") as f:
    json.dump(requests, f)
