"""Run a student's functions instead of the reference's while the engine runs: the face of this folder.

    overlay.py         which functions are the student's, and putting them there (`graft`) and back (`restore`)
    grafting.py        what of a function or class changes
    cell_compiler.py   the text of a notebook cell, compiled under names of its own
    lazy_imports.py    functions of modules that are imported when they are first used
    regenerate.py      what the engine made while it was imported is made again

The engine knows nothing of it; it is told which functions were replaced (`engine.compiled.changed`).
"""

from engine.utils.memos import forget_memos

from .grafting import PartError
from .overlay import (
    active,
    blank,
    boot,
    carry,
    graft,
    rebuilt,
    register_text,
    restore,
    source_of,
    swapped,
    use_parts,
)

__all__ = [
    "PartError", "active", "blank", "boot", "carry", "forget_memos", "graft", "rebuilt",
    "register_text", "restore", "source_of", "swapped", "use_parts",
]  # fmt: skip
