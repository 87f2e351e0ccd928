"""The probes of lab 6, CUDA kernels."""

from . import blocks, grids, transposes

__all__ = ["blocks", "grids", "transposes"]
