"""The backward pass in a profile: an event for each node that runs, and in it one for its formula.

    autograd::engine::evaluate_function: MulBackward0     hooks, the formula, what hands its gradients on
        MulBackward0                                      the formula

Both carry the sequence number of the forward operator that made the node. A Function of one's own is such an operator.
Mirrors the RecordFunctions of torch/csrc/autograd/{engine,function}.h.
"""

from typing import Any

from ..autograd import engine, function
from ..autograd.node import FIRST, Node, peek_sequence_nr
from . import recorder as recorders
from .events import CPU_OP, Recording, RecordScope
from .places import PLACES, Function, Place
from .recorder import Recorder

EVALUATE = "autograd::engine::evaluate_function: "


def around_nodes(recorder: Recorder, evaluate_function: Function) -> Function:
    """Wrap `evaluate_function` so that each node that it evaluates is an event."""

    def evaluate(task: Any, node: Node) -> Any:
        observe_apply(type(node))
        record = recorder.begin(EVALUATE + node.name(), CPU_OP, RecordScope.FUNCTION, sequence_nr_of(node))
        try:
            return evaluate_function(task, node)
        finally:
            recorder.end(record)

    return evaluate


def observe_apply(kind: type[Node]) -> None:
    """Wrap the `apply` of a node class in an event until the recorder stops, unless it is wrapped already."""
    if kind not in _seen:
        _seen[kind] = vars(kind).get("apply")
        kind.apply = around_formula(kind.apply)  # type: ignore[method-assign]


def around_formula(apply: Function) -> Function:
    """Wrap a node's `apply` so that each call is an event."""

    def formula(node: Node, *arguments: Any) -> Any:
        now = recorders.active
        if now is None:
            return apply(node, *arguments)
        record = now.begin(
            node.name(), CPU_OP, RecordScope.BACKWARD_FUNCTION, sequence_nr_of(node), tuple(arguments[0])
        )
        try:
            return apply(node, *arguments)
        finally:
            now.end(record)

    return formula


def around_function(recorder: Recorder, record: Function) -> Function:
    """Wrap `record` so that the forward pass of a user's Function is an event with the name of the Function."""

    def forward(made: type[function.Function], inputs: tuple[Any, ...]) -> Any:
        begun = recorder.begin(made.__name__, CPU_OP, RecordScope.FUNCTION, peek_sequence_nr(), inputs)
        try:
            return record(made, inputs)
        finally:
            recorder.end(begun)

    return forward


def sequence_nr_of(node: Node) -> int:
    """Return a node's sequence number, or -1 for a gradient accumulator, which has none."""
    return node.sequence_nr if node.sequence_nr < FIRST else -1


_seen: dict[type[Node], Function | None] = {}  # class -> its own `apply`, if it has one


class Formulas:
    """A recorder source that adds nothing to the recording, but restores the node classes when it stops."""

    def __init__(self, _: Recorder):
        pass

    def discard(self) -> None:
        """Do nothing, since this source collects no events."""

    def stop(self, recording: Recording) -> Recording:
        """Restore the `apply` of every watched node class."""
        for kind, apply in _seen.items():
            if apply is None:
                del kind.apply
            else:
                kind.apply = apply  # type: ignore[method-assign]
        _seen.clear()
        return recording


PLACES += [Place(engine, "evaluate_function", around_nodes), Place(function, "record", around_function)]
recorders.SOURCES.append(Formulas)
