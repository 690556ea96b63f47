"""What is wrapped in PyTorch and asyncio: compiled modules, and the state that the
client needs to know of."""
from __future__ import annotations

import sys
from typing import Any

from . import _diffusers, _hooks, profiler


def torch(module: Any) -> None:
    """Under torch.compile no wrapper is there: dynamo takes this function for a constant."""
    # Asking torch for _dynamo would import it: a second of start-up that is not the program's.
    for owner in (getattr(module, "compiler", None), sys.modules.get("torch._dynamo")):
        found = getattr(owner, "is_compiling", None)
        if found is not None:
            _hooks.compiling = found
            break
    from . import _boot

    _boot.torch_imported(module)


def compiled(module: Any) -> None:
    """A compiled module stands around the denoiser that it was made of."""
    cls = module.OptimizedModule
    call = cls.__call__
    forward = _hooks.forward(call)

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        label = _diffusers._denoiser(type(self._orig_mod)) if not _hooks.compiling() else None
        return (forward if label else call)(self, *args, **kwargs)

    __call__.__reel__ = True  # type: ignore[attr-defined]
    cls.__call__ = __call__


def tasks(module: Any) -> None:
    profiler.watch_asyncio()


HOOKS = [
    ("torch", torch, "torch.compile, which sees through every wrapper; device times; NVTX"),
    ("torch._dynamo.eval_frame", compiled, "calls of compiled denoisers as forwards"),
    ("asyncio.tasks", tasks, "tasks, which have rows of their own"),
]
