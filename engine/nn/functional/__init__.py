"""The functions of networks, written with the operators: `import engine.nn.functional as F`.

Mirrors torch/nn/functional.py.
"""

from .activation import log_softmax, relu, softmax, softmin
from .conv import conv1d, conv2d
from .dropout import alpha_dropout, dropout, dropout1d, dropout2d, dropout3d, feature_alpha_dropout
from .padding import pad

__all__ = [
    "alpha_dropout",
    "conv1d",
    "conv2d",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "feature_alpha_dropout",
    "log_softmax",
    "pad",
    "relu",
    "softmax",
    "softmin",
]
