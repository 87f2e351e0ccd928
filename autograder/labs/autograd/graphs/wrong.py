"""Wrong answers to the exercises about graphs."""

from autograder.labs.autograd.graphs.right import OTHER_EVALUATE_FUNCTION
from autograder.made_up.wrong_answer import Equivalent, WrongAnswer, changed

COMPUTE_DEPENDENCIES = "autograd.engine.compute_dependencies"
EVALUATE_FUNCTION = "autograd.engine.evaluate_function"
THREAD_MAIN = "autograd.engine.thread_main"
ALL_OF_THEM = ("ordinary", "edges", "roots", "deep")
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
    WrongAnswer(COMPUTE_DEPENDENCIES, "walks every way, not every node", ALL_OF_THEM, (
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
    WrongAnswer(COMPUTE_DEPENDENCIES, "counts nodes instead of edges", ("edges",), """
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
    WrongAnswer(COMPUTE_DEPENDENCIES, "the first edge to a node does not count", ALL_OF_THEM, """
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
    WrongAnswer(COMPUTE_DEPENDENCIES, "roots have no entry of their own", ALL_OF_THEM, """
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
    WrongAnswer(COMPUTE_DEPENDENCIES, "the list of roots is used up", ("roots",), (
        "dependencies = dict.fromkeys(roots, 0)", "dependencies, stack = dict.fromkeys(roots, 0), roots",
        "stack = list(dependencies)", "stack[:] = list(dependencies)")),
    WrongAnswer(COMPUTE_DEPENDENCIES, "a node is looked for in a list", ("deep",), (
        "if node not in dependencies:", "if node not in stack and node not in dependencies:")),
    WrongAnswer(EVALUATE_FUNCTION, "the node is applied past call_function", ("ordinary", "absent"), (
        "results = call_function(task, node, grads)[::-1]",
        "results = list(node.apply(grads, [True] * len(node.next_edges)))[::-1]")),
    WrongAnswer(EVALUATE_FUNCTION, "a tuple comes back", ("ordinary", "absent"), (
        "return ready", "return tuple(ready)")),
    WrongAnswer(EVALUATE_FUNCTION, "an edge that is None is not asked for if a gradient came", ("ordinary", "absent"), (
        "if edge is not None:", "if edge is not None or grad is not None:")),
    WrongAnswer(EVALUATE_FUNCTION, "every node that is reached is ready again", ("ordinary", "absent"), (
        "if not task.dependencies[following] and runs(task, following):",
        "if task.dependencies[following] <= 1 and runs(task, following):")),
    WrongAnswer(EVALUATE_FUNCTION, "the last to become ready comes first", ("ordinary", "absent"), (
        "ready.append(following)", "ready.insert(0, following)")),
    WrongAnswer(EVALUATE_FUNCTION, "a tuple of Nones", ("absent",), (
        "grads = [None] * len(node.input_metadata)", "grads = (None,) * len(node.input_metadata)")),
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
        EVALUATE_FUNCTION, "an accumulated gradient goes on twice: it stays in the buffer",
        ("ordinary", "absent"), changed(
        OTHER_EVALUATE_FUNCTION,
        "grads = task.buffers.pop(node, None) or [None] * len(node.input_metadata)",
        "grads = task.buffers.get(node) or [None] * len(node.input_metadata)",
    )),
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
    WrongAnswer(EVALUATE_FUNCTION, "a node without a buffer is an error", ("absent",), changed(
        OTHER_EVALUATE_FUNCTION,
        """
grads = task.buffers.pop(node, None) or [None] * len(node.input_metadata)
ready = []
for edge, grad in zip(node.next_edges, call_function(task, node, grads)):
""",
        """
ready = []
for edge, grad in zip(node.next_edges, call_function(task, node, task.buffers.pop(node))):
""",
    )),
    WrongAnswer(EVALUATE_FUNCTION, "the last gradient of an input replaces the others", ("ordinary", "absent"), changed(
        OTHER_EVALUATE_FUNCTION,
        "add_to_buffer(task, following, number, grad)",
        "task.buffers.setdefault(following, [None] * len(following.input_metadata))[number] = grad",
    )),
    WrongAnswer(EVALUATE_FUNCTION, "nodes that nobody needs run too", ("ordinary", "absent"), changed(
        OTHER_EVALUATE_FUNCTION,
        "if task.dependencies[following] == 0 and runs(task, following):",
        "if task.dependencies[following] == 0:",
    )),
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
    WrongAnswer(THREAD_MAIN, "begins with every node that waits for nothing", ("ordinary", "order"), (
        "found = [node for node in task.buffers if not task.dependencies[node]]",
        "found = [node for node, count in task.dependencies.items() if not count]")),
    WrongAnswer(THREAD_MAIN, "numbers of arrival begin anew with each batch", ("order",), """
def thread_main(task):
    ready, found = [], [node for node in task.buffers if not task.dependencies[node]]
    while found or ready:
        for number, node in enumerate(found):
            heapq.heappush(ready, (-node.sequence_nr, number, id(node), node))
        found = evaluate_function(task, heapq.heappop(ready)[-1])
"""),
    WrongAnswer(THREAD_MAIN, "the length of the heap for the arrival", ("order",), """
def thread_main(task):
    ready, found = [], [node for node in task.buffers if not task.dependencies[node]]
    while found or ready:
        for node in found:
            heapq.heappush(ready, (-node.sequence_nr, len(ready), id(node), node))
        found = evaluate_function(task, heapq.heappop(ready)[-1])
"""),
    WrongAnswer(THREAD_MAIN, "a node that has just become ready overtakes an equal one", ("order",), """
def thread_main(task):
    arrivals, ready = itertools.count(), []
    found = [node for node in task.buffers if not task.dependencies[node]]
    while found or ready:
        if len(found) == 1 and (not ready or found[0].sequence_nr >= -ready[0][0]):
            node = found[0]
        else:
            for node in found:
                heapq.heappush(ready, (-node.sequence_nr, next(arrivals), node))
            node = heapq.heappop(ready)[2]
        found = evaluate_function(task, node)
"""),
    WrongAnswer(THREAD_MAIN, "numbers as floats, which of large ones are equal", ("order",), (
        "heapq.heappush(ready, (-node.sequence_nr, next(arrivals), node))",
        "heapq.heappush(ready, (-float(node.sequence_nr), next(arrivals), node))")),
    WrongAnswer(THREAD_MAIN, "at most 32 arrivals are told apart", ("order",), (
        "heapq.heappush(ready, (-node.sequence_nr, next(arrivals), node))",
        "heapq.heappush(ready, (-node.sequence_nr, next(arrivals) % 32, id(node), node))",
        "found = evaluate_function(task, heapq.heappop(ready)[2])",
        "found = evaluate_function(task, heapq.heappop(ready)[-1])")),
    WrongAnswer(THREAD_MAIN, "recursion, a node at a time", ("ordinary", "order"), """
def thread_main(task):
    arrivals, ready = itertools.count(), []

    def run(found):
        for node in found:
            heapq.heappush(ready, (-node.sequence_nr, next(arrivals), node))
        if ready:
            run(evaluate_function(task, heapq.heappop(ready)[2]))

    run([node for node in task.buffers if not task.dependencies[node]])
"""),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(
        "autograd.engine.thread_main", PUSH.format("-"), PUSH.format("~"),
        "~n is -n - 1: both turn the order of the numbers round",
    ),
)  # fmt: skip
