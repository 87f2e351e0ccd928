"""The names of `engine.autograd`, and those that autograd adds to the package. Mirrors torch/autograd/__init__.py."""

from typing import Any

from .. import autograd
from . import anomaly_mode, function, grad_mode, graph, python_engine
from .function import Function
from .gradcheck import gradcheck, gradgradcheck
from .node import Node

NAMES: dict[str, Any] = {
    "backward": python_engine.backward,
    "grad": python_engine.grad,
    "no_grad": grad_mode.no_grad,
    "enable_grad": grad_mode.enable_grad,
    "set_grad_enabled": grad_mode.set_grad_enabled,
    "inference_mode": grad_mode.inference_mode,
    "detect_anomaly": anomaly_mode.detect_anomaly,
    "set_detect_anomaly": anomaly_mode.set_detect_anomaly,
    "Function": Function,
    "Node": Node,
    "function": function,
    "graph": graph,
    "gradcheck": gradcheck,
    "gradgradcheck": gradgradcheck,
}
"""Name in `engine.autograd` -> what it is."""

for _name, _value in NAMES.items():
    setattr(autograd, _name, _value)

PUBLIC: dict[str, Any] = {
    "autograd": autograd,
    "no_grad": grad_mode.no_grad,
    "enable_grad": grad_mode.enable_grad,
    "set_grad_enabled": grad_mode.set_grad_enabled,
    "inference_mode": grad_mode.inference_mode,
    "is_grad_enabled": grad_mode.is_grad_enabled,
    "is_inference_mode_enabled": grad_mode.is_inference_mode_enabled,
    "is_anomaly_enabled": anomaly_mode.is_anomaly_enabled,
    "is_anomaly_check_nan_enabled": anomaly_mode.is_anomaly_check_nan_enabled,
}
