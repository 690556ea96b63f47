"""What is wrapped in Diffusers: pipelines, their loops and stages, denoisers,
schedulers, VAEs and loads. Classes are wrapped as they are made, pipelines of the
user's own included.

A pipeline's progress bar frames its denoise loop, and its update ends a step; where a
pipeline shows none, the denoiser's call begins a step and the scheduler's ends it.
"""
from __future__ import annotations

import functools
from typing import Any, Iterator

from . import _hooks, scopes
from ._hooks import method, subclasses
from ._process import warn

STAGES = {"encode_prompt": "encode", "_encode_prompt": "encode", "encode_image": "encode_image"}
RANGES = ("prepare_latents", "prepare_image_latents")  # no stages: a VAE that encodes within one is


class Bar:
    """A progress bar whose progress is that of a denoise loop."""

    def __init__(self, bar: Any):
        self.__dict__["_reel"] = (bar, scopes.quiet(scopes.Loop))
        loop = self.__dict__["_reel"][1]
        if loop is not None:
            scopes.quiet(loop.begin_step)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reel[0], name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._reel[0], name, value)

    def __enter__(self) -> "Bar":
        self._reel[0].__enter__()
        return self

    def __exit__(self, *exc: Any) -> Any:
        self._end(exc[0] is None)
        return self._reel[0].__exit__(*exc)

    def __len__(self) -> int:
        return len(self._reel[0])

    def update(self, n: Any = 1) -> Any:
        bar, loop = self._reel
        out = bar.update(n)
        if loop is not None and not loop.done:
            scopes.quiet(loop.end_step)
            scopes.quiet(self._next, loop)
        return out

    def _next(self, loop: Any) -> None:
        """Begins the step that follows an update, unless that was the last one."""
        total = getattr(self._reel[0], "total", None)
        if total is None:
            total = self.__dict__.get("_total")
        if total is None or loop.step + 1 < total:
            loop.begin_step()

    def close(self) -> Any:
        self._end(True)
        return self._reel[0].close()

    def _end(self, whole: bool) -> None:
        loop = self._reel[1]
        if loop is not None:
            scopes.quiet(loop.end, whole)

    def __iter__(self) -> "Iterator[Any]":
        bar, loop = self._reel
        whole = False
        try:
            for i, value in enumerate(bar):
                if loop is not None and i > 0:
                    scopes.quiet(loop.end_step)
                    scopes.quiet(loop.begin_step)
                yield value
            whole = True
        finally:
            self._end(whole)


def progress_bar(fn: Any) -> Any:
    """A pipeline's progress_bar: the first one of a request frames the loop."""

    @functools.wraps(fn)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        bar = fn(self, *args, **kwargs)
        try:
            r = scopes._request.get()
            if r is None or isinstance(bar, Bar) or r.whole is not None and not r.whole.done:
                return bar
            out = Bar(bar)
            total = kwargs.get("total", args[1] if len(args) > 1 else None)
            if total is None:
                values = kwargs.get("iterable", args[0] if args else None)
                total = len(values) if hasattr(values, "__len__") else None
            out.__dict__["_total"] = total
            return out
        except Exception as err:
            warn(f"progress_bar: {type(err).__name__}: {err}; the loop is not recorded")
            return bar

    call.__reel__ = True  # type: ignore[attr-defined]
    return call


def pipelines(module: Any) -> None:
    base = module.DiffusionPipeline
    subclasses(base, _pipeline)
    if hasattr(module, "load_sub_model"):
        module.load_sub_model = _component(module.load_sub_model)


def _component(fn: Any) -> Any:
    def before(fn: Any, args: Any, kwargs: Any) -> Any:
        p = _hooks.startup.phase(f"component.{kwargs.get('name', 'part')}")
        p.__enter__()
        return p

    return _hooks.wrap(fn, before, lambda p: p.__exit__(*_hooks.sys.exc_info()))


def _pipeline(cls: Any) -> None:
    method(cls, "__call__", _hooks.request)
    method(cls, "progress_bar", progress_bar)
    method(cls, "from_pretrained", _hooks.load, "from_pretrained")
    for name, label in STAGES.items():
        method(cls, name, _hooks.stage, label)
    for name in RANGES:
        method(cls, name, _hooks.plain, name)


def modular(module: Any) -> None:
    pipeline = getattr(module, "ModularPipeline", None)
    if pipeline is not None:
        subclasses(pipeline, lambda cls: (method(cls, "__call__", _hooks.request), None)[1])
    blocks = getattr(module, "LoopSequentialPipelineBlocks", None)
    if blocks is not None:
        method(blocks, "progress_bar", progress_bar)


def _denoiser(cls: Any) -> "str | None":
    """What calls of the model are named, when it is a denoiser."""
    name, module = cls.__name__.lower(), cls.__module__
    if ".unets." in module or "unet" in name:
        return "unet_forward"
    if ".transformers." in module or "transformer" in name or "dit" in name and "condit" not in name:
        return "transformer_forward"
    return None


def models(module: Any) -> None:
    base = module.ModelMixin
    call = base.__call__

    def visit(cls: Any) -> None:
        if cls is base:
            return
        if ".autoencoders." in cls.__module__ or "autoencoder" in cls.__name__.lower():
            method(cls, "encode", _hooks.stage, "vae_encode")
            method(cls, "decode", _hooks.stage, "decode")
            return
        label = _denoiser(cls)
        # torch.nn.Module.__call__ stays what it is: only this class's calls are seen, and
        # what torch.compile makes of the module stands inside.
        if label is not None and "__call__" not in cls.__dict__ and ".controlnets." not in cls.__module__:
            cls.__call__ = _hooks.forward(call, label)

    subclasses(base, visit)


def schedulers(module: Any) -> None:
    subclasses(module.SchedulerMixin, _scheduler)


def _scheduler(cls: Any) -> None:
    method(cls, "step", _hooks.scheduler)
    method(cls, "set_timesteps", _resets)


def _resets(fn: Any) -> Any:
    """set_timesteps ends a loop that nobody frames; it is no range of its own."""
    return _hooks.wrap(fn, lambda fn, a, k: _hooks.Implicit.over(), lambda t: None)


def images(module: Any) -> None:
    cls = module.VaeImageProcessor
    method(cls, "postprocess", _hooks.stage, "postprocess")
    method(cls, "preprocess", _hooks.stage, "preprocess")


def videos(module: Any) -> None:
    method(module.VideoProcessor, "postprocess_video", _hooks.stage, "postprocess")
    method(module.VideoProcessor, "preprocess_video", _hooks.stage, "preprocess")


HOOKS = [
    ("diffusers.pipelines.pipeline_utils", pipelines,
     "DiffusionPipeline.__call__ and its subclasses' as requests; progress_bar as the denoise loop and its steps; encode_prompt and "
     "encode_image as stages, prepare_latents as a range; from_pretrained and its components' loads as start-up phases"),
    ("diffusers.modular_pipelines.modular_pipeline", modular, "ModularPipeline.__call__ as requests; progress_bar of loop blocks as the denoise loop"),
    ("diffusers.models.modeling_utils", models, "calls of transformers and UNets as forwards; encode and decode of autoencoders as stages"),
    ("diffusers.schedulers.scheduling_utils", schedulers, "step as the scheduler's step; set_timesteps as the beginning of a loop"),
    ("diffusers.image_processor", images, "VaeImageProcessor.preprocess and postprocess as stages"),
    ("diffusers.video_processor", videos, "VideoProcessor.preprocess_video and postprocess_video as stages"),
]
