"""The probes of lab 5, CPU kernels."""

from . import elementwise, kernels, scatter, threads

__all__ = ["elementwise", "kernels", "scatter", "threads"]
