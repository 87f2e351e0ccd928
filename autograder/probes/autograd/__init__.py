"""The probes of lab 4, autograd."""

from . import differences as differences
from . import functions as functions
from . import gradients as gradients
from . import graphs as graphs
from . import modes as modes
from . import recording as recording
from . import script as script
