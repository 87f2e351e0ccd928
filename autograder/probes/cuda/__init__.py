"""The probes of lab 6, CUDA kernels."""

from . import blocks, fusion, gemm, grids, memory, queues, transposes

__all__ = ["blocks", "fusion", "gemm", "grids", "memory", "queues", "transposes"]
