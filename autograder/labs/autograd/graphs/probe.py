"""Probes of the backward pass: graphs of nodes that follow a script and note when they run.

A graph is a list of nodes, each (number of inputs, edges), from the first made to the last; an edge is None or
(node, input number, factor), where the node stands further up in the list. A node adds up the gradients that come
in and sends the sum times the factor along each edge; None if the factor is None, or if nothing came in.
("chain", n) is n nodes in a row, which hand on what comes in, ("ladder", n) the same with two edges from each to the
next, ("braid", n) one with an edge from each to the next two, ("fan", n) one node with an edge to each of the others.
A node with an edge that is None returns a gradient for it, too, which nobody needs.
"""

UNNEEDED = 11  # the factor of a gradient that nobody needs
BROADCAST = 12.0  # a gradient from here on comes as two elements, which the engine has to sum
WIDE = 3  # of a long graph, this many nodes at each end are shown
COUNTED = 2_000  # nodes at most that notice whoever looks at them


def dependencies(engine, graph, roots):
    """Return the count that `compute_dependencies` returns for each node, "none" for a node not in the dict.

    Of a long graph the numbers at both ends, how many there are, their sum, and, if it is not too long, how often edges
    were asked for and nodes compared. Of several roots, the roots afterwards.
    """
    nodes, looks = _built(engine, graph, []), [0, 0]
    is_counted = type(graph) is tuple and graph[0] != "ladder" and graph[1] <= COUNTED
    if is_counted:
        noticing = _noticing(type(nodes[0]), looks)
        for node in nodes:
            node.__class__ = noticing
    given = [nodes[number] for number in roots]
    got = engine.autograd.engine.compute_dependencies(given)
    if not isinstance(got, dict):
        return type(got).__name__
    if sum(node in got for node in nodes) < len(got):
        return "a dict with what is no node of the graph"
    is_long = type(graph) is tuple
    shown = set(nodes[:WIDE] + nodes[-WIDE:] if is_long else nodes)
    counts = {f"node {node.number}": got.get(node, "none") for node in nodes if node in shown}
    if is_long:
        counts |= {"nodes": len(got), "edges": sum(got.values())}
    if is_counted:
        counts |= {"looks at edges": looks[0], "comparisons": looks[1]}
    return counts | {"roots afterwards": [node.number for node in given]} if len(roots) > 1 else counts


def _noticing(kind, looks):
    """Make a node class that counts in `looks` the reads of a node's edges and the comparisons of the node."""

    class Noticing(kind):
        __slots__ = ()

        @property
        def next_edges(self):
            looks[0] += 1
            return kind.next_edges.__get__(self)

        def __eq__(self, other):
            looks[1] += 1
            return self is other

        __hash__ = kind.__hash__

    return Noticing


def evaluate(engine, graph, waiting, buffers, calls, needed, is_freed=False):
    """Call `evaluate_function` on nodes of a backward pass one by one, and return the effects on the pass.

    Args:
        waiting: for each node, from how many edges it still waits for a gradient.
        buffers: for each node None (nothing came in), or for each of its inputs a number or None.
        calls: the nodes that are evaluated, one after the other.
        needed: None, or the nodes that are needed for what was asked for.
        is_freed: whether the graph is freed by the pass.
    Returns:
        for each call the nodes that became ready; what the nodes saw, each (node, gradients), and which let go of what
        they saved; what is left in the task: buffers, and how many edges each node waits for.
    """
    log: list = []
    nodes = _built(engine, graph, log)
    task = _task(engine, nodes, waiting, buffers, not is_freed)
    task.needed = None if needed is None else {nodes[number] for number in needed}
    ready = [_numbers(nodes, engine.autograd.engine.evaluate_function(task, nodes[number])) for number in calls]
    released = [node.number for node in nodes if node.is_released]
    return {"ran": log, "released": released, "ready": ready, **_left(nodes, task)}


def run(engine, observed, graph, roots, sequence=None):
    """Run a backward pass with `thread_main` from `roots`, pairs (node, gradient or None); return what the nodes saw.

    Args:
        observed: "gradients": what every node saw, whatever the order; "order": the nodes as they ran.
        sequence: for each node its sequence number; "first" is the accumulators'. None: in the order of the list.
    """
    log: list = []
    nodes = _built(engine, graph, log)
    for node, number in zip(nodes, sequence or (), strict=sequence is not None):
        node.sequence_nr = engine.autograd.node.FIRST if number == "first" else number
    engine.autograd.engine.thread_main(_begun(engine, nodes, roots))
    if type(graph) is tuple:
        return {"runs": len(log), "the last": log[-1:]}
    if observed == "order":
        return [number for number, _ in log]
    return {
        f"node {node.number}": [came for number, came in log if number == node.number] or "does not run"
        for node in nodes
    }


def _built(engine, graph, log):
    kind = _scripted(engine, type(graph) is tuple)
    metadata = ((1,), engine.float64, engine.device("cpu"))
    nodes: list = []
    for number, (inputs, edges) in enumerate(_unfolded(graph)):
        leads = tuple(None if edge is None else (nodes[edge[0]], edge[1]) for edge in edges)
        node = kind(leads)
        node.number, node.log, node.is_released = number, log, False
        node.factors = [UNNEEDED if edge is None else edge[2] for edge in edges]
        node.input_metadata = (metadata,) * inputs
        nodes.append(node)
    return nodes


def _unfolded(graph):
    if type(graph) is list:
        return graph
    kind, length = graph
    if kind == "fan":
        return [*[(1, ())] * (length - 1), (1, tuple((number, 0, 1) for number in range(length - 1)))]
    if kind == "braid":
        return [(1, tuple((below, 0, 1) for below in range(max(number - 2, 0), number))) for number in range(length)]
    width = 2 if kind == "ladder" else 1
    return [(1, ()), *((1, ((number, 0, 1),) * width) for number in range(length - 1))]


def _scripted(engine, is_long):
    class PassingNode(engine.autograd.node.Node):
        __slots__ = ("number", "log", "is_released", "factors")

        def apply(self, grads, needs):
            self.log.append(self.number)
            return (grads[0],) * len(self.factors)

    class ScriptedNode(engine.autograd.node.Node):
        def apply(self, grads, needs):
            came = [grad for grad in grads if grad is not None]
            seen = [None if grad is None else grad.item() for grad in grads]
            self.log.append((self.number, seen if type(grads) is list else f"no list: {type(grads).__name__}"))
            total = sum(grad.item() for grad in came)
            return tuple(
                None if factor is None or not came else engine.tensor(_parts(factor * total), dtype=engine.float64)
                for factor in self.factors
            )

        def release_variables(self):
            self.is_released = True

    return PassingNode if is_long else ScriptedNode


def _parts(value):
    """Return a gradient of one element or, from 12 on, of two elements with this sum, as after a broadcast."""
    return [value] if value < BROADCAST else [value - 1.0, 1.0]


def _task(engine, nodes, waiting, buffers, keeps):
    task = engine.autograd.engine.GraphTask(keeps, False, dict(zip(nodes, waiting, strict=True)))
    for node, came in zip(nodes, buffers, strict=True):
        if came is not None:
            task.buffers[node] = [
                None if value is None else engine.tensor([value], dtype=engine.float64) for value in came
            ]
    return task


def _begun(engine, nodes, roots):
    """Make a task as `execute` passes it to `thread_main`."""
    counts = engine.autograd.engine.compute_dependencies([nodes[number] for number, _ in roots])
    task = engine.autograd.engine.GraphTask(True, False, counts)
    for number, value in roots:
        if value is None:
            continue
        grad = engine.tensor([value], dtype=engine.float64)
        engine.autograd.engine.add_to_buffer(task, nodes[number], 0, grad)
    return task


def _numbers(nodes, got):
    if not isinstance(got, list):
        return type(got).__name__
    return [node.number if node in nodes else type(node).__name__ for node in got]


def _left(nodes, task):
    held = {node.number: [None if grad is None else grad.item() for grad in grads]
            for node, grads in task.buffers.items()}  # fmt: skip
    return {
        "buffers": [held.get(node.number) for node in nodes],
        "waiting": [task.dependencies.get(node) for node in nodes],
    }
