"""The autograd state of each thread: whether operators record, and whether they make inference tensors.

Mirrors c10/core/AutogradState.h and c10/core/GradMode.h.
"""

import threading
from typing import Any


class AutogradState(threading.local):
    """The autograd settings of one thread.

    Attributes:
        grad_mode: operators on tensors that require grad record.
        inference_mode: new tensors are inference tensors, which no node may save for its backward.
        saved_tensor_hooks: pairs (pack, unpack) for the tensors that nodes save; the last one counts.
        saved_tensor_hooks_disabled: why there may be none; None: there may.
        evaluating: the node whose backward runs, if anomaly detection is on.
        graph_task: the backward pass that runs, the innermost one; None outside.
    """

    def __init__(self) -> None:
        self.grad_mode = True
        self.inference_mode = False
        self.saved_tensor_hooks: tuple[tuple[Any, Any], ...] = ()
        self.saved_tensor_hooks_disabled: str | None = None
        self.evaluating: Any = None
        self.graph_task: Any = None


state = AutogradState()
