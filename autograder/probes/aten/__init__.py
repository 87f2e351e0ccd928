"""The probes of lab 3, operators."""

from . import promotion, shapes, views

__all__ = ["promotion", "shapes", "views"]
