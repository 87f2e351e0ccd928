"""The probes of lab 5, CPU kernels."""

from . import elementwise, kernels, products, scatter, sums, threads

__all__ = ["elementwise", "kernels", "products", "scatter", "sums", "threads"]
