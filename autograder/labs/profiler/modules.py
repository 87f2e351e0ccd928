"""The modules of the profiler, which the engine imports when they are asked for."""

import importlib


def module(engine, name):
    """Return the module of `engine.profiler` with that name."""
    return importlib.import_module(f"{engine.__name__}.profiler.{name}")
