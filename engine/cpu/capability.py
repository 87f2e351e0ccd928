"""The vector instructions of this processor: the name under which a kernel made for them is found.

ATEN_CPU_CAPABILITY chooses a lesser one: "default", "avx2" or "avx512".
Mirrors aten/src/ATen/native/DispatchStub.cpp (compute_cpu_capability).
"""

import functools
import os
from collections.abc import Callable, Mapping
from typing import Any

from llvmlite import binding

# Bytes of a vector register; of 16 on x86-64 (SSE2) and on arm64 (NEON).
VECTOR_BYTES = {"DEFAULT": 16, "AVX2": 32, "AVX512": 64}
NEEDED = {"AVX2": ("avx2", "fma"), "AVX512": ("avx512f", "avx512vl", "avx512bw", "avx512dq")}


def compute_cpu_capability(features: Mapping[str, bool], asked: str) -> str:
    """Return the highest capability, a name of `VECTOR_BYTES`, that a processor has and `asked` allows.

    Each capability of `NEEDED` builds on the one before it: a processor that misses a feature of AVX2 has no AVX512.

    Args:
        features: what the processor reports, {"avx2": True, "fma": True, "avx512f": False, ...}; a feature that is not
            in it is not there.
        asked: what ATEN_CPU_CAPABILITY holds, "avx2" in small or large letters: at most this is chosen. The empty
            string, or a name that nobody knows, sets no limit.

    >>> compute_cpu_capability({"avx2": True, "fma": True}, "")
    'AVX2'
    >>> compute_cpu_capability({"avx2": True, "fma": True}, "default")
    'DEFAULT'

    Source: compute_cpu_capability (aten/src/ATen/native/DispatchStub.cpp).
    """
    most = asked.upper()
    found = "DEFAULT"
    for name, needed in NEEDED.items():
        if found == most or not all(features.get(feature) for feature in needed):
            break
        found = name
    return found


def get_cpu_capability() -> str:
    """Return "DEFAULT", "AVX2" or "AVX512": the highest that the processor has and ATEN_CPU_CAPABILITY allows."""
    return compute_cpu_capability(*_host())


@functools.cache
def _host() -> tuple[Mapping[str, bool], str]:
    """Return the features that the processor reports, and the capability requested when the first kernel was chosen."""
    return binding.get_host_cpu_features(), os.environ.get("ATEN_CPU_CAPABILITY", "")


class ByCapability(dict[str, Any]):
    """A dict of capability -> kernel, each built on first access.

    Args:
        make: bytes of a vector -> kernel.
    """

    def __init__(self, make: Callable[[int], Any]):
        self.make = make

    def __missing__(self, capability: str) -> Any:
        self[capability] = self.make(VECTOR_BYTES[capability])
        return self[capability]
