# Written by `python -m engine.pyi`; do not edit.
from . import benchmark as benchmark
from . import training as training
