# Written by `python -m engine.utils.pyi`; do not edit.
from .access_order import walk as walk
from .accesses import accesses as accesses
from .bars import timeline as timeline
from .card import Picture as Picture
from .frames import flame as flame
from .geometry import Geometry as Geometry
from .history import graph as graph
from .ladder import dispatch as dispatch
from .memory import storage as storage
from .queues import queues as queues
