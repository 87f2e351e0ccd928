"""What vectors this processor has: the name under which a kernel made for them is found.

ATEN_CPU_CAPABILITY chooses a lesser one: "default", "avx2" or "avx512".
Mirrors aten/src/ATen/native/DispatchStub.cpp (compute_cpu_capability).
"""

import functools
import os
from collections.abc import Callable
from typing import Any

from llvmlite import binding

# Bytes of a vector register; of 16 on x86-64 (SSE2) and on arm64 (NEON).
VECTOR_BYTES = {"DEFAULT": 16, "AVX2": 32, "AVX512": 64}
NEEDED = {"AVX2": ("avx2", "fma"), "AVX512": ("avx512f", "avx512vl", "avx512bw", "avx512dq")}


@functools.cache
def get_cpu_capability() -> str:
    """ "DEFAULT", "AVX2" or "AVX512": the most that the processor has and ATEN_CPU_CAPABILITY allows."""
    features = binding.get_host_cpu_features()
    most = os.environ.get("ATEN_CPU_CAPABILITY", "").upper()
    found = "DEFAULT"
    for name, needed in NEEDED.items():
        if most in VECTOR_BYTES and found == most or not all(features.get(feature) for feature in needed):
            break
        found = name
    return found


class ByCapability(dict[str, Any]):
    """Capability -> kernel, made when it is asked for.

    Args:
        make: bytes of a vector -> kernel.
    """

    def __init__(self, make: Callable[[int], Any]):
        self.make = make

    def __missing__(self, capability: str) -> Any:
        self[capability] = self.make(VECTOR_BYTES[capability])
        return self[capability]
