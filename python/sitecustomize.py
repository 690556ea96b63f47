"""Starts Reel's client in a Python program that `reel profile` runs, then the
sitecustomize that would have run without it."""


def _start():
    try:
        import reel  # noqa: F401
    except Exception as err:  # the program must not notice
        import sys

        print(f"reel: the Python client does not start: {type(err).__name__}: {err}", file=sys.stderr)


def _chain():
    """Runs the next sitecustomize of the path under its own name."""
    import importlib.util
    import os
    import sys
    from importlib.machinery import PathFinder

    here = os.path.dirname(os.path.abspath(__file__))
    path = [p for p in sys.path if os.path.abspath(p or os.curdir) != here]
    spec = PathFinder.find_spec("sitecustomize", path)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


_start()
_chain()
