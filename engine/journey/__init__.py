"""The journey of a call: `python -m engine.journey "x + y"` shows each function on its way down to the bytes."""

from .call_frames import Frame, frames, operands

__all__ = ["Frame", "frames", "operands"]
