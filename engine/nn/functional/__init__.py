"""The functions of networks, written with the operators: `import engine.nn.functional as F`.

Mirrors torch/nn/functional.py.
"""

from .activation import log_softmax, relu, softmax, softmin
from .conv import conv1d, conv2d
from .dropout import alpha_dropout, dropout, dropout1d, dropout2d, dropout3d, feature_alpha_dropout
from .normalization import batch_norm, group_norm, instance_norm, layer_norm, normalize, rms_norm
from .padding import pad
from .pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    avg_pool1d,
    avg_pool2d,
    max_pool1d,
    max_pool2d,
)
from .sparse import embedding, one_hot

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "alpha_dropout",
    "avg_pool1d",
    "avg_pool2d",
    "batch_norm",
    "conv1d",
    "conv2d",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "embedding",
    "feature_alpha_dropout",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "log_softmax",
    "max_pool1d",
    "max_pool2d",
    "normalize",
    "one_hot",
    "pad",
    "relu",
    "rms_norm",
    "softmax",
    "softmin",
]
