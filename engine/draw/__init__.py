"""Pictures of what the engine does, as SVG for notebooks and text elsewhere."""

import importlib.util

from .card import Picture
from .engine_map import progress
from .geometry import Geometry
from .memory import storage

__all__ = ["Geometry", "Picture", "progress", "storage"]

_engine = __name__.partition(".")[0]
if importlib.util.find_spec(f"{_engine}.dispatch"):  # a grader's copy leaves out the labs to come
    from .ladder import dispatch as dispatch

    __all__ += ["dispatch"]
if importlib.util.find_spec(f"{_engine}.autograd"):
    from .history import graph as graph

    __all__ += ["graph"]
if importlib.util.find_spec(f"{_engine}.cuda"):
    from .accesses import accesses as accesses

    __all__ += ["accesses"]
if importlib.util.find_spec(f"{_engine}.profiler"):
    from .flame import flame as flame
    from .timeline import timeline as timeline

    __all__ += ["flame", "timeline"]
