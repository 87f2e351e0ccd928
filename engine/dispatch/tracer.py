"""Recording a block of code as a graph: a boxed kernel at the key Tracer, which is above all other keys of a tensor.

    with engine.dispatch.tracer.tracing() as graph:
        y = x @ w + 1
    print(graph)

    %2 = aten::matmul(%0, %1)
    %3 = aten::add.Tensor(%2, 1, 1)

Mirrors torch/csrc/jit/frontend/tracer.h and torch/csrc/autograd/TraceTypeManual.cpp, the basis of torch.jit.trace.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..tensor_impl import Tensor
from .keys import DispatchKey, below
from .local import ExcludeDispatchKeyGuard, IncludeDispatchKeyGuard
from .registry import OperatorEntry

K = DispatchKey


@dataclass(frozen=True)
class Node:
    """One recorded call, with each tensor, in lists too, replaced by its name, "%0"; other arguments stay as is."""

    op: str
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]

    def __str__(self) -> str:
        return f"{', '.join(map(_text, self.outputs))} = {self.op}({', '.join(map(_text, self.inputs))})"


@dataclass
class Graph:
    """The recorded calls of a block, in order.

    Attributes:
        nodes: the calls.
        names: id of a tensor -> its name now, and the tensor itself, so that no other one gets its id.
    """

    nodes: list[Node] = field(default_factory=list)
    names: dict[int, tuple[str, Tensor]] = field(default_factory=dict)
    count: int = 0

    def name_of(self, value: Any) -> Any:
        """Return an argument as the graph stores it: a tensor or a list by name, new if needed; other values as is."""
        if isinstance(value, (list, tuple)):
            return [self.name_of(entry) for entry in value]
        if not isinstance(value, Tensor):
            return value
        return self.names[id(value)][0] if id(value) in self.names else self.new_name(value)

    def new_name(self, value: Any) -> Any:
        """Return a result as `name_of` does, but with a new name for every tensor, as its value is new."""
        if isinstance(value, (list, tuple)):
            return [self.new_name(entry) for entry in value]
        if not isinstance(value, Tensor):
            return value
        name = f"%{self.count}"
        self.count += 1
        self.names[id(value)] = name, value
        return name

    def append(self, op: str, inputs: list[Any], outputs: list[Any]) -> None:
        """Append a call to the graph."""
        self.nodes.append(Node(op, tuple(inputs), tuple(outputs)))

    def __str__(self) -> str:
        return "\n".join(map(str, self.nodes))


def _text(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]"
    return value if isinstance(value, str) and value.startswith("%") else repr(value)


class _Tracing(threading.local):
    graph: Graph | None = None


current = _Tracing()


def general_trace_function(entry: OperatorEntry, key_set: int, *arguments: Any) -> Any:
    """Record the call in the thread's graph and redispatch below: the Tracer kernel of every operator.

    `current.graph` is the graph of this thread, or None while nothing is recorded: then it only goes on, and excludes
    nothing. It writes the call down as `graph.append(name, inputs, outputs)`. The inputs get their names, by
    `graph.name_of`, before the operator runs, and the result its name, by `graph.new_name`, afterwards: an operator may
    write into an argument and return it. There are as many outputs as `entry.schema.returns` is long: none for `-> ()`;
    one, whatever it is (a list, a number, None); or several, which come in a tuple. A call that raises, were it a
    KeyboardInterrupt, is not written down, and leaves the thread's keys and `current.graph` as they were. Calls that
    the operator makes inside, on its way below, are not written down: its own line represents them. They skip no other
    key than Tracer.

    Args:
        entry: the operator; `entry.name` is its name.
        key_set: the bits of the call, of which Tracer is the highest key.
        arguments: all arguments, in the order of the schema.
    Returns:
        what the operator returns: `entry.redispatch(rest, *arguments)`, with what `key_set` has below Tracer.

    Source: general_trace_function (torch/csrc/autograd/TraceTypeManual.cpp).
    """
    graph, rest = current.graph, key_set & below(K.Tracer)
    if graph is None:
        return entry.redispatch(rest, *arguments)
    inputs = [graph.name_of(argument) for argument in arguments]
    with ExcludeDispatchKeyGuard(K.Tracer):
        result = entry.redispatch(rest, *arguments)
    returns = len(entry.schema.returns)  # type: ignore[union-attr]
    results = result if returns > 1 else [result][:returns]
    graph.append(entry.name, inputs, [graph.new_name(value) for value in results])
    return result


@contextmanager
def tracing() -> Iterator[Graph]:
    """Yield a graph in which each call of this thread inside the block is recorded."""
    before, current.graph = current.graph, Graph()
    try:
        with IncludeDispatchKeyGuard(K.Tracer):
            yield current.graph
    finally:
        current.graph = before
