# Written by `python -m engine.utils.pyi`; do not edit.
from . import benchmark as benchmark
from . import training as training
