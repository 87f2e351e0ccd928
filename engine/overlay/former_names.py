"""The parts that have been renamed: a student's `my_engine/` may still hold them under their former names."""

import re

RENAMED = {
    "cuda.gemm.naive_kernel": "cuda.gemm.gemm_naive_kernel",
    "cuda.gemm.tiled_kernel": "cuda.gemm.gemm_tiled_kernel",
    "cuda.transpose.naive_kernel": "cuda.transpose.transpose_naive_kernel",
    "cuda.transpose.tiled_kernel": "cuda.transpose.transpose_tiled_kernel",
}
"""Name of a part in the first edition of the labs -> its name now, in the same module."""


def current(name: str, source: str) -> tuple[str, str]:
    """Return a part's name and text as they are called now.

    >>> current("cuda.gemm.naive_kernel", "def naive_kernel(kind): ...")
    ('cuda.gemm.gemm_naive_kernel', 'def gemm_naive_kernel(kind): ...')
    >>> current("strides.numel", "def numel(sizes): ...")
    ('strides.numel', 'def numel(sizes): ...')
    """
    now = RENAMED.get(name, name)
    former, latter = (each.rpartition(".")[2] for each in (name, now))
    return now, source if former == latter else re.sub(rf"\b{former}\b", latter, source)
