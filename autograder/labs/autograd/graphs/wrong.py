"""Wrong answers to the exercises about graphs."""

from autograder.proof.model import Equivalent, WrongAnswer

COMPUTE_DEPENDENCIES = "autograd.engine.compute_dependencies"
EVALUATE_FUNCTION = "autograd.engine.evaluate_function"
THREAD_MAIN = "autograd.engine.thread_main"
PUSH = "heapq.heappush(ready, ({}node.sequence_nr, next(arrivals), node))"

WRONG_ANSWERS = (
    WrongAnswer(COMPUTE_DEPENDENCIES, "recursion, a node at a time", ("deep",), """
def compute_dependencies(roots):
    dependencies = dict.fromkeys(roots, 0)

    def walk(node):
        for edge in node.next_edges:
            if edge is not None:
                known = edge[0] in dependencies
                dependencies[edge[0]] = dependencies.get(edge[0], 0) + 1
                if not known:
                    walk(edge[0])

    for root in list(dependencies):
        walk(root)
    return dependencies
"""),
    WrongAnswer(COMPUTE_DEPENDENCIES, "walks every way, not every node", ("ordinary", "deep"), (
        """
node, _ = edge
if node not in dependencies:
    dependencies[node] = 0
    stack.append(node)
dependencies[node] += 1
""",
        """
dependencies[edge[0]] = dependencies.get(edge[0], 0) + 1
stack.append(edge[0])
""",
    )),
    WrongAnswer(COMPUTE_DEPENDENCIES, "counts nodes instead of edges", ("ordinary", "deep"), """
def compute_dependencies(roots):
    dependencies = dict.fromkeys(roots, 0)
    stack = list(dependencies)
    while stack:
        for node in {edge[0] for edge in stack.pop().next_edges if edge is not None}:
            if node not in dependencies:
                dependencies[node] = 0
                stack.append(node)
            dependencies[node] += 1
    return dependencies
"""),
    WrongAnswer(COMPUTE_DEPENDENCIES, "the first edge to a node is not counted", ("ordinary", "deep"), """
def compute_dependencies(roots):
    dependencies = dict.fromkeys(roots, 0)
    stack = list(dependencies)
    while stack:
        for edge in stack.pop().next_edges:
            if edge is not None:
                if edge[0] in dependencies:
                    dependencies[edge[0]] += 1
                else:
                    dependencies[edge[0]] = 0
                    stack.append(edge[0])
    return dependencies
"""),
    WrongAnswer(COMPUTE_DEPENDENCIES, "roots have no entry of their own", ("ordinary", "deep"), """
def compute_dependencies(roots):
    dependencies, seen, stack = {}, set(roots), list(roots)
    while stack:
        for edge in stack.pop().next_edges:
            if edge is not None:
                dependencies[edge[0]] = dependencies.get(edge[0], 0) + 1
                if edge[0] not in seen:
                    seen.add(edge[0])
                    stack.append(edge[0])
    return dependencies
"""),
    WrongAnswer(EVALUATE_FUNCTION, "breadth first: every node that is reached is ready", ("ordinary", "absent"), """
def evaluate_function(task, node):
    grads = task.buffers.pop(node, None) or [None] * len(node.input_metadata)
    ready = []
    for edge, grad in zip(node.next_edges, call_function(task, node, grads)):
        if edge is not None:
            if grad is not None:
                add_to_buffer(task, edge[0], edge[1], grad)
            task.dependencies[edge[0]] -= 1
            if runs(task, edge[0]):
                ready.append(edge[0])
    return ready
"""),
    WrongAnswer(
        EVALUATE_FUNCTION, "an accumulated gradient goes on twice: it stays in the buffer", ("ordinary", "absent"), """
def evaluate_function(task, node):
    grads = task.buffers.get(node) or [None] * len(node.input_metadata)
    ready = []
    for edge, grad in zip(node.next_edges, call_function(task, node, grads)):
        if edge is not None:
            following, number = edge
            if grad is not None:
                add_to_buffer(task, following, number, grad)
            task.dependencies[following] -= 1
            if task.dependencies[following] == 0 and runs(task, following):
                ready.append(following)
    return ready
"""),
    WrongAnswer(EVALUATE_FUNCTION, "an edge without a gradient is not counted", ("absent",), """
def evaluate_function(task, node):
    grads = task.buffers.pop(node, None) or [None] * len(node.input_metadata)
    ready = []
    for edge, grad in zip(node.next_edges, call_function(task, node, grads)):
        if edge is not None and grad is not None:
            following, number = edge
            add_to_buffer(task, following, number, grad)
            task.dependencies[following] -= 1
            if task.dependencies[following] == 0 and runs(task, following):
                ready.append(following)
    return ready
"""),
    WrongAnswer(EVALUATE_FUNCTION, "a node without a buffer is an error", ("absent",), """
def evaluate_function(task, node):
    ready = []
    for edge, grad in zip(node.next_edges, call_function(task, node, task.buffers.pop(node))):
        if edge is not None:
            following, number = edge
            if grad is not None:
                add_to_buffer(task, following, number, grad)
            task.dependencies[following] -= 1
            if task.dependencies[following] == 0 and runs(task, following):
                ready.append(following)
    return ready
"""),
    WrongAnswer(EVALUATE_FUNCTION, "the last gradient of an input replaces the others", ("ordinary", "absent"), """
def evaluate_function(task, node):
    grads = task.buffers.pop(node, None) or [None] * len(node.input_metadata)
    ready = []
    for edge, grad in zip(node.next_edges, call_function(task, node, grads)):
        if edge is not None:
            following, number = edge
            if grad is not None:
                task.buffers.setdefault(following, [None] * len(following.input_metadata))[number] = grad
            task.dependencies[following] -= 1
            if task.dependencies[following] == 0 and runs(task, following):
                ready.append(following)
    return ready
"""),
    WrongAnswer(EVALUATE_FUNCTION, "nodes that nobody needs run too", ("ordinary", "absent"), """
def evaluate_function(task, node):
    grads = task.buffers.pop(node, None) or [None] * len(node.input_metadata)
    ready = []
    for edge, grad in zip(node.next_edges, call_function(task, node, grads)):
        if edge is not None:
            following, number = edge
            if grad is not None:
                add_to_buffer(task, following, number, grad)
            task.dependencies[following] -= 1
            if task.dependencies[following] == 0:
                ready.append(following)
    return ready
"""),
    WrongAnswer(EVALUATE_FUNCTION, "every gradient enters at input 0", ("ordinary", "absent"), """
def evaluate_function(task, node):
    grads = task.buffers.pop(node, None) or [None] * len(node.input_metadata)
    ready = []
    for edge, grad in zip(node.next_edges, call_function(task, node, grads)):
        if edge is not None:
            if grad is not None:
                add_to_buffer(task, edge[0], 0, grad)
            task.dependencies[edge[0]] -= 1
            if task.dependencies[edge[0]] == 0 and runs(task, edge[0]):
                ready.append(edge[0])
    return ready
"""),
    WrongAnswer(THREAD_MAIN, "first ready, first run", ("order",), """
def thread_main(task):
    ready = [node for node in task.buffers if task.dependencies[node] == 0]
    while ready:
        ready += evaluate_function(task, ready.pop(0))
"""),
    WrongAnswer(THREAD_MAIN, "a stack: last ready, first run", ("order",), """
def thread_main(task):
    ready = [node for node in task.buffers if task.dependencies[node] == 0]
    while ready:
        ready += evaluate_function(task, ready.pop())
"""),
    WrongAnswer(THREAD_MAIN, "the node that was made first runs first", ("order",), """
def thread_main(task):
    arrivals = itertools.count()
    ready = [(node.sequence_nr, next(arrivals), node) for node in task.buffers if task.dependencies[node] == 0]
    heapq.heapify(ready)
    while ready:
        for node in evaluate_function(task, heapq.heappop(ready)[2]):
            heapq.heappush(ready, (node.sequence_nr, next(arrivals), node))
"""),
    WrongAnswer(THREAD_MAIN, "two nodes with one number are compared themselves", ("ordinary", "order"), """
def thread_main(task):
    ready = [(-node.sequence_nr, node) for node in task.buffers if task.dependencies[node] == 0]
    heapq.heapify(ready)
    while ready:
        for node in evaluate_function(task, heapq.heappop(ready)[1]):
            heapq.heappush(ready, (-0, node))
"""),
    WrongAnswer(THREAD_MAIN, "begins with all roots, though one lies below another", ("ordinary", "order"), """
def thread_main(task):
    ready = list(task.buffers)
    while ready:
        node = max(ready, key=lambda node: node.sequence_nr)
        ready.remove(node)
        ready += evaluate_function(task, node)
"""),
    WrongAnswer(THREAD_MAIN, "of equal numbers the last to be ready", ("order",), """
def thread_main(task):
    ready = [node for node in task.buffers if task.dependencies[node] == 0]
    while ready:
        ready.sort(key=lambda node: node.sequence_nr)
        ready += evaluate_function(task, ready.pop())
"""),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(
        "autograd.engine.thread_main", PUSH.format("-"), PUSH.format("~"),
        "~n is -n - 1: both turn the order of the numbers round",
    ),
)  # fmt: skip
