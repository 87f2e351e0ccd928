"""The probes of lab 4, autograd."""

from . import differences as differences
from . import functions as functions
from . import modes as modes
from . import script as script
from . import gradients, graphs, recording

__all__ = ["gradients", "graphs", "recording"]
