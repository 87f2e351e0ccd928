"""The probes of lab 1, strides."""

from . import accessor, order

__all__ = ["accessor", "order"]
