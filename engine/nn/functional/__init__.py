"""The functions of networks, written with the operators: `import engine.nn.functional as F`.

Mirrors torch/nn/functional.py.
"""

from .activation import relu, softmax

__all__ = ["relu", "softmax"]
