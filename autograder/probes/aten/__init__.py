"""The probes of lab 3, operators."""

from . import arguments, composites, entries, outputs, promotion, shapes, switches, views, wrappers

__all__ = ["arguments", "composites", "entries", "outputs", "promotion", "shapes", "switches", "views", "wrappers"]
