"""Pictures of what the engine does, as SVG for notebooks and text elsewhere."""

from .card import Picture
from .engine_map import progress
from .geometry import Geometry
from .memory import storage

__all__ = ["Geometry", "Picture", "progress", "storage"]
