"""A tensor engine that behaves as PyTorch does, small enough to read: `import engine as torch`.

This file only wires: it loads the layers in order and binds the public names. Read `layers.py` first.
"""

import gc as _gc
import importlib as _importlib

__version__ = "0.1.0"

_collects = _gc.isenabled()
_gc.disable()  # what is made here stays: to look for garbage among it would take as long as to make it

from . import compiling, numba_cache

numba_cache.choose()  # before any kernel is decorated
compiling.watch()

from . import arrivals, dtypes, layers, parts, tensor_impl
from .dtypes import (
    channels_last,
    contiguous_format,
    device,
    dtype,
    float32,
    float64,
    get_default_dtype,
    int32,
    int64,
    layout,
    memory_format,
    preserve_format,
    set_default_dtype,
    strided,
)
from .parts import use_parts
from .storage import UntypedStorage
from .tensor_impl import Size, Tensor, is_tensor

globals().update(dtypes.DTYPES | dtypes.ALIASES)

arrivals.LATER.update(f"{__name__}.{_module}" for _module in layers.later())
try:
    for _module in layers.present():  # a grader's copy leaves out the labs to come
        globals().update(getattr(_importlib.import_module(f"{__name__}.{_module}"), "PUBLIC", {}))
    parts.boot()
finally:
    if _collects:
        _gc.enable()


def __getattr__(name: str) -> object:
    """A module that importing the package leaves out: `engine.recorder`."""
    if f"{__name__}.{name}" not in arrivals.LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _importlib.import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    return sorted({*globals(), *(name for name in layers.later() if "." not in name)})
