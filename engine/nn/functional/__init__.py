"""The functions of networks, written with the operators: `import engine.nn.functional as F`.

Mirrors torch/nn/functional.py.
"""

from .activation import log_softmax, relu, softmax, softmin
from .conv import conv1d, conv2d
from .padding import pad

__all__ = ["conv1d", "conv2d", "log_softmax", "pad", "relu", "softmax", "softmin"]
