"""Node: an operator's backward, with edges to the backwards of the operators that made its inputs.

The forward pass makes one node for each operator that ran; node and edges are the graph that `backward` walks.
Mirrors torch/csrc/autograd/{function,edge}.h.
"""

import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from ..dtypes import device, dtype
from ..strides import Ints
from ..tensor_impl import Tensor
from .anomaly_mode import anomaly, remember

Edge = tuple["Node", int]
"""(node, which of its inputs): where a gradient goes."""

Gradients = Sequence[Tensor | None]
InputMetadata = tuple[Ints, dtype, device]
"""Requirements on a gradient that enters a node: sizes, dtype and device of the tensor that it belongs to."""

NOT_ASKED_FOR: Any = None
"""In the place of an InputMetadata: the forward operator left this output out."""

FIRST = 1 << 64
"""Sequence number of what runs as soon as it can: AccumulateGrad frees gradients."""

next_sequence_nr: Callable[[], int] = itertools.count().__next__
"""Number of a new node: nodes made later run earlier in the backward pass."""


def peek_sequence_nr() -> int:
    """Return the sequence number of the next node, without consuming it. Source: at::sequence_number::peek."""
    return int(repr(next_sequence_nr.__self__)[6:-1])  # type: ignore[attr-defined]  # "count(12)"


class NodeHooks:
    """The hooks that run around a node; most nodes have none.

    Attributes:
        tensor_pre_hooks: input number -> hooks of the tensor that is this output of the forward operator.
        retains_grad: input number -> the hook that fills the `.grad` of a tensor.
        pre_hooks: f(grads of the outputs) -> others in their place, or None.
        post_hooks: f(grads of the inputs, grads of the outputs) -> others instead of the first, or None.
    """

    __slots__ = ("tensor_pre_hooks", "retains_grad", "pre_hooks", "post_hooks")

    def __init__(self) -> None:
        self.tensor_pre_hooks: dict[int, dict[int, Callable[[Tensor], Tensor | None]]] = {}
        self.retains_grad: dict[int, Callable[[Tensor], None]] = {}
        self.pre_hooks: dict[int, Callable[..., Any]] = {}
        self.post_hooks: dict[int, Callable[..., Any]] = {}


class Node:
    """The backward of one call of an operator.

    An input of a node is the gradient of an output of the operator, and the other way round.

    Args:
        next_edges: for each differentiable input of the operator, the edge of its gradient; None: nobody needs it.

    Attributes:
        sequence_nr: when the node was made.
        input_metadata: for each output of the operator, what its gradient must be.
        hooks: None until there is one.
        user_metadata: the dict that `metadata` returns, made on first use.
    """

    __slots__ = ("next_edges", "sequence_nr", "input_metadata", "hooks", "user_metadata", "__weakref__")
    saved_fields: ClassVar[tuple[str, ...]] = ()
    namespace: ClassVar[str] = ""
    is_accumulator: ClassVar[bool] = False

    def __init__(self, next_edges: tuple[Edge | None, ...] = ()):
        self.next_edges = next_edges
        self.sequence_nr: int = next_sequence_nr()
        self.input_metadata: tuple[InputMetadata, ...] = ()
        self.hooks: NodeHooks | None = None
        self.user_metadata: dict[Any, Any] | None = None
        if anomaly.enabled:
            remember(self)

    def apply(self, grads: Gradients, needs: Sequence[Any]) -> Gradients:
        """Return the gradients of the operator's inputs, one for each edge in `next_edges`.

        Args:
            grads: gradients of its outputs; None means zeros.
            needs: true for each of `next_edges` whose gradient is requested.
        """
        raise NotImplementedError

    def release_variables(self) -> None:
        """Release the saved values, since the node has run and will not run again."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the node class, such as `MulBackward0`; handwritten classes add PyTorch's namespace."""
        return f"{cls.namespace}{cls.__name__}"

    @classmethod
    def forward_name(cls) -> str:
        """Return the name of the operator for messages: `Mul` for MulBackward0, `Fill2` for FillBackward2."""
        return re.sub(r"Backward0?(\d*)$", r"\1", cls.name())

    def add_input_metadata(self, tensor: Tensor) -> int:
        """Register a tensor as the next output of the operator, and return its output number."""
        self.input_metadata += ((tensor._sizes, tensor._dtype, tensor._storage.device),)
        return len(self.input_metadata) - 1

    def hooks_made(self) -> NodeHooks:
        """Return `hooks`, after creating them if there are none."""
        if self.hooks is None:
            self.hooks = NodeHooks()
        return self.hooks
