"""Probes of the backward pass: graphs of nodes that follow a script and note when they run.

A graph is a list of nodes, each (number of inputs, edges), from the first made to the last; an edge is None or
(node, input number, factor), where the node stands further up in the list. A node adds up the gradients that come
in and sends the sum times the factor along each edge; None if the factor is None, or if nothing came in.
("chain", n) is n nodes in a row, ("ladder", n) the same with two edges from each to the next.
"""

WIDE = 3  # of a long graph, this many nodes at each end are shown


def dependencies(engine, graph, roots):
    """Return the number that `compute_dependencies` gives each node, None if the node is not in the dict.

    Of a long graph the numbers at both ends, how many there are, and their sum.
    """
    nodes = _built(engine, graph, [])
    got = engine.autograd.engine.compute_dependencies([nodes[number] for number in roots])
    if not isinstance(got, dict):
        return type(got).__name__
    counts = [got.get(node) for node in nodes]
    if len(got) > sum(count is not None for count in counts):
        return "a dict with what is no node of the graph"
    if type(graph) is tuple:
        return counts[:WIDE], counts[-WIDE:], len(got), sum(got.values())
    return counts


def evaluate(engine, graph, waiting, buffers, calls, needed):
    """Return what `evaluate_function` does to a backward pass.

    Args:
        waiting: for each node, from how many edges it still waits for a gradient.
        buffers: for each node None (nothing came in), or for each of its inputs a number or None.
        calls: the nodes that are evaluated, one after the other.
        needed: None, or the nodes that are needed for what was asked for.
    Returns:
        for each call the nodes that became ready; then what the nodes saw, and what is left in the task.
    """
    log: list = []
    nodes = _built(engine, graph, log)
    task = _task(engine, nodes, waiting, buffers)
    task.needed = None if needed is None else {nodes[number] for number in needed}
    ready = [_numbers(nodes, engine.autograd.engine.evaluate_function(task, nodes[number])) for number in calls]
    return {"ready": ready, "ran": log, **_left(nodes, task)}


def run(engine, observed, graph, roots, sequence=None):
    """Return what `thread_main` does with a pass that begins at `roots`, [(node, number)].

    Args:
        observed: "gradients": what every node saw, whatever the order; "order": the nodes as they ran.
        sequence: for each node its sequence number; "first" is the accumulators'. None: in the order of the list.
    """
    log: list = []
    nodes = _built(engine, graph, log)
    for node, number in zip(nodes, sequence or (), strict=sequence is not None):
        node.sequence_nr = engine.autograd.node.FIRST if number == "first" else number
    engine.autograd.engine.thread_main(_begun(engine, nodes, roots))
    if observed == "order":
        return [number for number, _ in log]
    return sorted(log, key=lambda entry: (entry[0], str(entry[1])))


def _built(engine, graph, log):
    kind = _scripted(engine)
    nodes: list = []
    for number, (inputs, edges) in enumerate(_unfolded(graph)):
        leads = tuple(None if edge is None else (nodes[edge[0]], edge[1]) for edge in edges)
        node = kind(leads)
        node.number, node.log = number, log
        node.factors = [None if edge is None else edge[2] for edge in edges]
        node.input_metadata = (((1,), engine.float64, engine.device("cpu")),) * inputs
        nodes.append(node)
    return nodes


def _unfolded(graph):
    if type(graph) is list:
        return graph
    kind, length = graph
    width = 2 if kind == "ladder" else 1
    return [(1, ()), *((1, ((number, 0, 1),) * width) for number in range(length - 1))]


def _scripted(engine):
    class Scripted(engine.autograd.node.Node):
        def apply(self, grads, needs):
            came = [grad for grad in grads if grad is not None]
            self.log.append((self.number, [None if grad is None else grad.item() for grad in grads]))
            total = sum(grad.item() for grad in came)
            return tuple(
                None if factor is None or not came else engine.tensor([factor * total], dtype=engine.float64)
                for factor in self.factors
            )

    return Scripted


def _task(engine, nodes, waiting, buffers):
    task = engine.autograd.engine.GraphTask(True, False, dict(zip(nodes, waiting, strict=True)))
    for node, came in zip(nodes, buffers, strict=True):
        if came is not None:
            task.buffers[node] = [
                None if value is None else engine.tensor([value], dtype=engine.float64) for value in came
            ]
    return task


def _begun(engine, nodes, roots):
    """A task as `execute` hands it to `thread_main`."""
    counts = engine.autograd.engine.compute_dependencies([nodes[number] for number, _ in roots])
    task = engine.autograd.engine.GraphTask(True, False, counts)
    for number, value in roots:
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
