"""A tensor engine that behaves as PyTorch does: `import engine as torch`.

This file only wires: it loads the layers in order and binds the public names. Read `layers.py` first;
`python -m engine.layers` lists the files to open for each lab.
"""

import gc as _gc
import importlib as _importlib
import os as _os
import sys as _sys
import warnings as _warnings

__version__ = "0.1.0"

_collects = _gc.isenabled()
_gc.disable()  # what is made here stays: to look for garbage among it would take as long as to make it

if _sys.argv[:1] == ["-m"]:  # `python -m engine.layers` runs a module that this file imports before, on purpose
    _warnings.filterwarnings("ignore", f"'{__name__}.layers' found in sys.modules", RuntimeWarning)

from . import compiled as _compiled
from . import layers
from .utils import compile_progress as _compile_progress
from .utils import module_aliases as _module_aliases
from .utils.lazy_names import lazy_names as _lazy_names

if layers.has_kernels():  # a copy of the first layers has none, and starts without numba
    _compiled.choose_cache()  # before any kernel is decorated
    _compile_progress.watch()

from . import dtypes, tensor_impl
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
from .storage import UntypedStorage
from .tensor_impl import Size, Tensor, is_tensor

globals().update(dtypes.DTYPES | dtypes.ALIASES | dtypes.COMPLEXES)

try:
    for _module in layers.present():  # a copy may leave out the later layers
        globals().update(getattr(_importlib.import_module(f"{__name__}.{_module}"), "PUBLIC", {}))
finally:
    if _collects:
        _gc.enable()

if _os.environ.get("ENGINE_NATIVE") != "0" and "native" in layers.later():  # a copy may leave it out
    _native = _importlib.import_module(f"{__name__}.native")
    _native.enable() if _os.environ.get("ENGINE_NATIVE") == "1" else _native.enable_when_warm()

_module_aliases.install(__name__)
_later = {_name.partition(".")[0]: "" for _name in layers.later()}
__getattr__, __dir__ = _lazy_names(__name__, _later | _module_aliases.names_in("") | _module_aliases.LATER)
