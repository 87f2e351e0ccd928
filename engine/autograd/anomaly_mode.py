"""Anomaly detection: which forward call made the node whose backward goes wrong, and where NaNs begin.

    with engine.autograd.detect_anomaly():
        loss = train_step()      each node remembers the stack that made it
        loss.backward()          a node that raises, or returns NaN, warns with that stack

While it is off, a node costs one look at `anomaly.enabled` when it is made, and one when it runs. Mirrors
torch/autograd/anomaly_mode.py and torch/csrc/autograd/{anomaly_mode,python_anomaly_mode}.cpp.
"""

import os
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from ..aten.at import at
from ..tensor_impl import Tensor
from .state import state

TRACE, PARENT = "traceback_", "parent_"
"""Keys in the `metadata` of a node: its stack, and the node during whose backward it was made."""

ENABLED = (
    "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging."
)
NO_STACK = (
    "Error detected in {name}. No forward pass information available. Enable detect anomaly during forward pass for "
    "more information."
)
DETECTED = "Error detected in {name}. Traceback of forward call that caused the error:\n{stack}"
INDUCED = (
    "Previous calculation was induced by {name}. Traceback of forward call that induced the previous calculation:\n"
    "{stack}"
)
NAN = "Function '{name}' returned nan values in its {number}th output."

ENGINE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
WRITTEN_IN_PYTHON = tuple(os.path.join(ENGINE, kept) for kept in ("nn" + os.sep, "optim" + os.sep))
"""Files of the engine that are Python in PyTorch too, so that a stack shows them. All others are C++ there."""
NO_FILE = ("<stdin>", "<string>", "<ipython", "<doctest", "<frozen")
"""Beginnings of the names of programs that are in no file; other names like them belong to generated functions."""


class AnomalyMode:
    """The state of anomaly detection, shared by all threads.

    Attributes:
        enabled: nodes remember where they were made.
        check_nan: a node that returns NaN raises.
    """

    __slots__ = ("enabled", "check_nan")

    def __init__(self) -> None:
        self.enabled = False
        self.check_nan = True

    def set(self, enabled: bool, check_nan: bool = True) -> None:
        """Switch anomaly detection and its check for NaN on or off."""
        self.enabled, self.check_nan = enabled, check_nan


anomaly = AnomalyMode()


def is_anomaly_enabled() -> bool:
    """Return True if anomaly detection is on."""
    return anomaly.enabled


def is_anomaly_check_nan_enabled() -> bool:
    """Return True if anomaly detection, when it is on, checks gradients for NaN."""
    return anomaly.check_nan


class set_detect_anomaly:
    """Context manager that switches anomaly detection on or off at once, and restores the old setting after its block.

    Args:
        mode: whether it is on.
        check_nan: a node whose backward returns NaN raises.
    """

    def __init__(self, mode: bool, check_nan: bool = True):
        self.before = anomaly.enabled, anomaly.check_nan
        anomaly.set(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        anomaly.set(*self.before)


class detect_anomaly:
    """Context manager that turns on anomaly detection: failing nodes warn with their forward traceback. It is slow.

    Args:
        check_nan: a node whose backward returns NaN raises.
    """

    def __init__(self, check_nan: bool = True):
        self.before = anomaly.enabled, anomaly.check_nan
        self.check_nan = check_nan
        warnings.warn(ENABLED, stacklevel=2)

    def __enter__(self) -> None:
        anomaly.set(True, self.check_nan)

    def __exit__(self, *error: object) -> None:
        anomaly.set(*self.before)


# ---- what nodes do while the mode is on


def remember(node: Any) -> None:
    """Record in a new node the stack that creates it, and the node that is being evaluated meanwhile, if any.

    Source: Node::Node (torch/csrc/autograd/function.h), PyAnomalyMetadata::store_stack.
    """
    node.user_metadata = {TRACE: forward_stack()}
    if state.evaluating is not None:
        node.user_metadata[PARENT] = state.evaluating


def forward_stack() -> list[str]:
    """Return the formatted stack frames of the engine's callers, outermost first."""
    frames = traceback.extract_stack(sys._getframe(1))
    return traceback.format_list([frame for frame in frames if is_shown(frame.filename)])


def is_shown(file: str) -> bool:
    """Return False for files that are C++ in PyTorch: the engine except `nn` and `optim`, and generated code."""
    if file.startswith("<"):
        return file.startswith(NO_FILE)
    return not file.startswith(ENGINE) or file.startswith(WRITTEN_IN_PYTHON)


def watched(call: Callable[..., list[Tensor | None]], node: Any, *arguments: Any) -> list[Tensor | None]:
    """Run a node by `call(*arguments)`; on an error, or on NaN if checked, warn with the node's forward traceback.

    Raises:
        RuntimeError: a gradient that it returned has a NaN.

    Source: Engine::evaluate_function, GraphTask::set_exception_without_signal (torch/csrc/autograd/engine.cpp).
    """
    before, state.evaluating = state.evaluating, node
    try:
        results = call(*arguments)
        if anomaly.check_nan:
            check_no_nan(node, results)
        return results
    except Exception:
        for text in reports_of(node):
            warnings.warn(text, stacklevel=2)
        raise
    finally:
        state.evaluating = before


def check_no_nan(node: Any, results: Sequence[Tensor | None]) -> None:
    """Raise a RuntimeError if a gradient contains NaN. The check itself is not recorded."""
    before, state.grad_mode = state.grad_mode, False
    try:
        for number, grad in enumerate(results):
            if grad is not None and at.any(at.isnan(grad)).item():
                raise RuntimeError(NAN.format(name=node.name(), number=number))
    finally:
        state.grad_mode = before


def reports_of(node: Any) -> list[str]:
    """Return reports of where a node was created, then of where the node being run at that time was created, etc.

    Source: PyAnomalyMetadata::print_stack (torch/csrc/autograd/python_anomaly_mode.cpp).
    """
    texts, form = [], DETECTED
    while node is not None:
        notes = node.user_metadata or {}
        stack = notes.get(TRACE)
        texts.append((NO_STACK if stack is None else form).format(name=node.name(), stack="".join(stack or ())))
        node, form = notes.get(PARENT), INDUCED
    return texts
