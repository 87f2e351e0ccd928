"""The backward pass: gradients flow from the roots to the leaves, each node when all its gradients are there.

    dependencies    how many gradients each node waits for, counted in one walk over the graph
    ready           nodes that wait for nothing more, the last made first
    buffers         what has come in for each node, summed

Nothing recurses, so a chain may be as long as memory allows. Mirrors torch/csrc/autograd/engine.cpp.
"""

import functools
import heapq
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from sys import getrefcount

from .. import strides as geometry
from ..aten.at import at
from ..aten.expand_utils import is_expandable_to, sum_to
from ..dispatch.local import is_subclass_like
from ..tensor_impl import Tensor
from .anomaly_mode import anomaly, watched
from .node import Edge, Gradients, InputMetadata, Node, NodeHooks
from .python_hook import call_hooks, call_post_hooks, call_pre_hooks
from .state import state

Buffer = list[Tensor | None]

WRONG_NUMBER = "Function {name} returned an incorrect number of gradients (expected {expected}, got {got})"


@dataclass(slots=True, weakref_slot=True, eq=False)
class GraphTask:
    """The state of one backward pass.

    Attributes:
        keep_graph: nodes keep what they saved, so that they can run again.
        create_graph: the pass itself is recorded.
        dependencies: node -> gradients that it still waits for.
        buffers: node -> the sum of what came in, for each of its inputs.
        needed: the nodes that lead to a captured edge; None: all run, and leaves accumulate.
        captures: node -> [(number of its input, number of the result)].
        captured: the requested gradients, by number.
        final_callbacks: called when all nodes have run, in their order; they may add others.
    """

    keep_graph: bool
    create_graph: bool
    dependencies: dict[Node, int]
    buffers: dict[Node, Buffer] = field(default_factory=dict)
    needed: set[Node] | None = None
    captures: dict[Node, list[tuple[int, int]]] = field(default_factory=dict)
    captured: list[Tensor | None] = field(default_factory=list)
    final_callbacks: list[Callable[[], None]] = field(default_factory=list)


def execute(
    roots: Sequence[Edge],
    grads: Sequence[Tensor],
    keep_graph: bool,
    create_graph: bool,
    outputs: Sequence[Edge] = (),
    accumulate_grad: bool = True,
) -> list[Tensor | None]:
    """Run a backward pass from the edges `roots`.

    Args:
        roots, grads: where it begins, and the gradients that go in there.
        keep_graph: nodes keep what they saved.
        create_graph: the pass itself is recorded, to be differentiated again.
        outputs: the edges whose gradients are requested; if there are none, all leaves.
        accumulate_grad: whether leaves among `outputs` accumulate, instead of being returned.
    Returns:
        the gradients that arrived at `outputs`; None where none did.
    """
    task = GraphTask(keep_graph, create_graph, compute_dependencies([node for node, _ in roots]))
    if outputs:
        capture(task, roots, outputs, accumulate_grad)
    for (node, number), grad in zip(roots, grads, strict=True):
        add_to_buffer(task, node, number, valid_gradient(grad, node.input_metadata[number], "GraphRoot", 0))
    before = state.grad_mode, state.graph_task
    state.grad_mode, state.graph_task = create_graph, task
    try:
        thread_main(task)
        for callback in task.final_callbacks:
            callback()
    finally:
        state.grad_mode, state.graph_task = before
    return task.captured


def compute_dependencies(roots: Iterable[Node]) -> dict[Node, int]:
    """Return the number of gradients that each node reachable from `roots` has to wait for.

    Args:
        roots: list of nodes, where a backward pass begins; a node may be in it twice. It stays as it is.
    Returns:
        A dict that has all nodes that can be reached from the roots along `next_edges`, the roots included. The
        value of a node is the number of edges that lead to it from nodes in the dict: 0 for a root that no other
        node leads to.

    `node.next_edges` is a tuple of edges (node, input number) and Nones. Two edges of one node may lead to the same
    node; both count. A chain of nodes may be much longer than Python's limit for recursion (20,000 nodes), and each
    node is looked at once.

    Source: Engine::compute_dependencies (torch/csrc/autograd/engine.cpp).
    """
    dependencies = dict.fromkeys(roots, 0)
    stack = list(dependencies)
    while stack:
        for edge in stack.pop().next_edges:
            if edge is not None:
                node, _ = edge
                if node not in dependencies:
                    dependencies[node] = 0
                    stack.append(node)
                dependencies[node] += 1
    return dependencies


def thread_main(task: GraphTask) -> None:
    """Run the nodes of a backward pass, one by one, until none is ready.

    The pass begins with the nodes that have gradients (the keys of `task.buffers`) and wait for none: their number in
    `task.dependencies` is 0. Then, as long as a node is ready, the one that was made last runs first: the one with the
    greatest `sequence_nr`. Of several with the same number, the one that became ready first, however many have run in
    between; nodes that become ready together, in the order in which they are given. `evaluate_function(task, node)`
    runs a node and returns the list of the nodes that became ready by that.

    A node without a gradient does not begin, though it waits for none. A graph may be a chain of 20,000 nodes: nothing
    recurses.

    Source: Engine::thread_main, ReadyQueue (torch/csrc/autograd/engine.cpp).
    """
    arrivals = itertools.count()
    ready: list[tuple[int, int, Node]] = []
    found = [node for node in task.buffers if not task.dependencies[node]]
    while found or ready:
        for node in found:
            heapq.heappush(ready, (-node.sequence_nr, next(arrivals), node))
        found = evaluate_function(task, heapq.heappop(ready)[2])


def evaluate_function(task: GraphTask, node: Node) -> list[Node]:
    """Run a node that has all its gradients, and pass the results on to the nodes that its edges lead to.

    Args:
        task: the backward pass.
            `task.buffers[node]` is the list of the gradients that have come in, one for each of `node.input_metadata`;
            take it out of the dict. A node may have no buffer: then no gradient has come in, and the list is of Nones.
            `task.dependencies[following]` is the number of edges from which a node still waits for a gradient.
        node: `call_function(task, node, grads)` runs it, checks what comes out, and has it let go of what it saved; it
            gives a list: for each of `node.next_edges` a gradient or None.
    Returns:
        The nodes that became ready by this, in the order of the edges: those that wait for nothing any more and that
        `runs(task, following)` says are needed.

    For each edge (following, input number): a gradient that is not None goes to `following`, which
    `add_to_buffer(task, following, input number, gradient)` does; and `following` waits for one edge fewer, whether a
    gradient came or not. Where an edge is None, nobody needs the gradient.

    Source: Engine::evaluate_function (torch/csrc/autograd/engine.cpp).
    """
    grads = task.buffers.pop(node, None)
    if grads is None:
        grads = [None] * len(node.input_metadata)
    results = call_function(task, node, grads)[::-1]
    ready = []
    for edge in node.next_edges:
        grad = results.pop()  # now only its buffer will hold it, so the next one can be added to it in place
        if edge is not None:
            following, input_nr = edge
            if grad is not None:
                add_to_buffer(task, following, input_nr, grad)
            task.dependencies[following] -= 1
            if not task.dependencies[following] and runs(task, following):
                ready.append(following)
    return ready


def capture(task: GraphTask, roots: Sequence[Edge], outputs: Sequence[Edge], accumulate_grad: bool) -> None:
    """Record which gradients are requested and which nodes lead to them, so that the pass can skip all other nodes.

    Source: GraphTask::init_to_execute (torch/csrc/autograd/engine.cpp).
    """
    task.captured = [None] * len(outputs)
    task.needed = set()
    for number, (node, input_nr) in enumerate(outputs):
        if accumulate_grad:
            task.needed.add(node)
        else:
            task.captures.setdefault(node, []).append((input_nr, number))
    wanted = task.needed | set(task.captures)
    for node in reversed(_topological(node for node, _ in roots)):
        if any(edge is not None and (edge[0] in task.needed or edge[0] in wanted) for edge in node.next_edges):
            task.needed.add(node)


def _topological(roots: Iterable[Node]) -> list[Node]:
    """Return the nodes below `roots`, each before those that its edges lead to."""
    order: list[Node] = []
    waiting = compute_dependencies(list(roots))
    stack = [node for node, count in waiting.items() if count == 0]
    while stack:
        node = stack.pop()
        order.append(node)
        for edge in node.next_edges:
            if edge is not None:
                waiting[edge[0]] -= 1
                if waiting[edge[0]] == 0:
                    stack.append(edge[0])
    return order


def runs(task: GraphTask, node: Node) -> bool:
    """Return True if a node has to be visited: its gradient is captured, or a requested gradient depends on it."""
    return task.needed is None or node in task.needed or node in task.captures


def add_to_buffer(task: GraphTask, node: Node, input_nr: int, grad: Tensor) -> None:
    """Add a gradient to those accumulated for an input of a node, in place if nothing else can see the sum.

    Source: InputBuffer::add (torch/csrc/autograd/input_buffer.cpp).
    """
    buffer = task.buffers.get(node)
    if buffer is None:
        buffer = task.buffers[node] = [None] * len(node.input_metadata)
    present = buffer[input_nr]
    if present is None:
        buffer[input_nr] = grad
    elif (
        not task.create_graph
        and getrefcount(present) <= HELD_BY_BUFFER
        and may_be_written(present)
        and not is_subclass_like(present, grad)
    ):
        at.add__Tensor(present, grad)
    else:
        buffer[input_nr] = at.add_Tensor(present, grad)


def _count_of_one_held_by_a_list() -> int:
    held = [object()]
    present = held[0]
    return getrefcount(present)


HELD_BY_BUFFER = _count_of_one_held_by_a_list()
"""`getrefcount` in `add_to_buffer` of a gradient that the buffer alone holds."""


def may_be_written(grad: Tensor) -> bool:
    """Return True if a gradient that is referenced from one place is dense and the only tensor over its storage."""
    return getrefcount(grad._storage) == 2 and _is_dense(grad._sizes, grad._strides)


_is_dense = functools.lru_cache(4096)(geometry.is_non_overlapping_and_dense)


def call_function(task: GraphTask, node: Node, grads: Buffer) -> Buffer:
    """Run a node on its gradients and return the validated results; all are None if the node itself need not run.

    Captures and hooks have their turn, and what the node saved is let go. As in PyTorch, what is captured of a node
    that runs is the gradient that came in, before its hooks; of one that does not run, what the hooks made of it.

    Raises:
        RuntimeError: it returned too many or too few, or one that can't be the gradient of its input.
    """
    if anomaly.enabled and state.evaluating is not node:
        return watched(call_function, node, task, node, grads)  # which comes back here, with the node noted
    needs: Sequence[object] = node.next_edges
    hooks = node.hooks
    if task.needed is not None:
        is_needed = node in task.needed
        if not is_needed and hooks is not None:
            call_tensor_hooks(hooks, grads)
        for input_nr, number in task.captures.get(node, ()):
            task.captured[number] = grads[input_nr]
        if not is_needed:
            return [None] * len(needs)
        needs = [edge is not None and runs(task, edge[0]) for edge in node.next_edges]
    if hooks is not None:
        call_tensor_hooks(hooks, grads)
        grads[:] = call_pre_hooks(hooks.pre_hooks, grads)
    results = node.apply(grads, needs)
    if hooks is not None and hooks.post_hooks:
        results = call_post_hooks(hooks.post_hooks, valid_gradients(node, results), grads)
    if not task.keep_graph:
        node.release_variables()
    return list(valid_gradients(node, results))


# ---- what a node returns


def valid_gradients(node: Node, results: Gradients) -> Gradients:
    """Return the gradients that a node returned, validated for the nodes that receive them.

    Raises:
        RuntimeError: too many or too few, or one that can't be the gradient of its input.

    Source: validate_outputs (torch/csrc/autograd/engine.cpp).
    """
    edges = node.next_edges
    if len(results) != len(edges):
        raise RuntimeError(WRONG_NUMBER.format(name=node.name(), expected=len(edges), got=len(results)))
    for number, grad in enumerate(results):
        edge = edges[number]
        if grad is not None and edge is not None:
            metadata = edge[0].input_metadata[edge[1]]
            if grad._sizes != metadata[0] or grad._dtype is not metadata[1]:
                results = list(results)
                results[number] = valid_gradient(grad, metadata, node.name(), number)
    return results


def valid_gradient(grad: Tensor, metadata: InputMetadata, name: str, number: int) -> Tensor:
    """Return a gradient reduced to the sizes of the forward input, if that was broadcast, and cast to its dtype.

    Raises:
        RuntimeError: its sizes differ from the input's, broadcast; or it is on another device.
    """
    sizes, dtype, device = metadata
    if grad._sizes != sizes:
        if not is_expandable_to(sizes, grad._sizes):
            raise RuntimeError(
                f"Function {name} returned an invalid gradient at index {number} - got {list(grad._sizes)} but "
                f"expected shape compatible with {list(sizes)}"
            )
        grad = sum_to(grad, sizes)
    if grad._dtype is not dtype:
        grad = at.to_dtype(grad, dtype)
    if grad._storage.device is not device and grad._storage.device != device:
        raise RuntimeError(
            f"Function {name} returned an invalid gradient at index {number} - expected device {device} but got "
            f"{grad._storage.device}"
        )
    return grad


# ---- hooks, in the order in which they run


def call_tensor_hooks(hooks: NodeHooks, grads: Buffer) -> None:
    """Call the hooks of the tensors that the node's operator made, then the hooks that fill the retained `.grad`."""
    for input_nr, of_tensor in tuple(hooks.tensor_pre_hooks.items()):
        grads[input_nr] = call_hooks(of_tensor, grads[input_nr])
    for input_nr, keep in tuple(hooks.retains_grad.items()):
        grad = grads[input_nr]
        if grad is not None:
            keep(grad)
