"""torch.cuda: tensors on a GPU, with kernels written for numba.cuda; without a GPU, on numba's simulator.

Nothing of numba.cuda is imported before a program makes its first CUDA tensor or asks for a stream: `initialize` then
imports the modules that `engine/layers.py` marks so, which enter their kernels at the stubs of `engine/aten/native`.
Mirrors torch/cuda/__init__.py.
"""

from ..utils.lazy_names import lazy_names
from ..utils.module_aliases import names_in
from . import lazy
from .lazy import initialize, is_available, is_initialized

NAMES = {
    **dict.fromkeys(("Event", "Stream", "current_stream", "default_stream", "stream", "synchronize"), ".runtime"),
    **dict.fromkeys(
        (
            "OutOfMemoryError", "empty_cache", "max_memory_allocated", "max_memory_reserved", "memory_allocated",
            "memory_reserved", "memory_stats", "memory_summary", "reset_peak_memory_stats",
        ),
        ".memory",
    ),
    **dict.fromkeys(
        ("get_rng_state", "initial_seed", "manual_seed", "manual_seed_all", "seed", "set_rng_state"), ".generator"
    ),
    **dict.fromkeys(
        (
            "current_device", "device", "device_count", "get_device_capability", "get_device_name",
            "get_device_properties", "is_simulated", "set_device",
        ),
        ".driver",
    ),
    "record": "..memory_trace",
}  # fmt: skip
"""Public name -> the module that has it, seen from this package, imported when the name is first asked for."""
__getattr__, __dir__ = lazy_names(__name__, NAMES | names_in("cuda"))

__all__ = ["initialize", "is_available", "is_initialized", "lazy", *NAMES]
