"""Pictures of what the engine does, as SVG for Jupyter and text elsewhere."""

import importlib.util

from ..utils.lazy_names import lazy_names
from .card import Picture
from .geometry import Geometry
from .memory import storage

__all__ = ["Geometry", "Picture", "storage"]

_engine = __name__.partition(".")[0]
if importlib.util.find_spec(f"{_engine}.dispatch"):  # a copy may leave out the later layers
    from .ladder import dispatch as dispatch

    __all__ += ["dispatch"]
if importlib.util.find_spec(f"{_engine}.autograd"):
    from .history import graph as graph

    __all__ += ["graph"]
if importlib.util.find_spec(f"{_engine}.cpu"):
    from .access_order import walk as walk

    __all__ += ["walk"]
if importlib.util.find_spec(f"{_engine}.cuda"):
    from .accesses import accesses as accesses
    from .queues import queues as queues

    __all__ += ["accesses", "queues"]
NAMES = {"timeline": ".bars", "flame": ".frames"} if importlib.util.find_spec(f"{_engine}.profiler") else {}
"""Public name -> the module that has it, seen from this package, imported when the name is first asked for."""
__all__ += NAMES
__getattr__, __dir__ = lazy_names(__name__, NAMES)
