"""Reel's client for Python: ranges, requests, denoise steps and start-up phases, written
into a .reel recording that survives the process, and torch.profiler over the windows
that were asked for.

    from reel import denoise_steps, profiler, request_scope, stage

`reel profile -- python generate.py` puts this package on the program's path and starts
it; imported without that it does what the environment says (REEL_RECORD=1 records). It
needs the standard library alone and imports no library that the program does not.
It does not read recordings: `reel summary` does.
"""
from __future__ import annotations

from . import _boot, profiler
from ._version import VERSION
from .scopes import denoise_steps, request_scope, stage
from .session import start_profile, stop_profile
from .startup import collect_startup_timings

__all__ = ["collect_startup_timings", "denoise_steps", "profiler", "request_scope", "stage", "start_profile", "stop_profile"]
__version__ = VERSION

_boot.start()
