"""Right answers written in another way than the engine's."""

OTHER_EVALUATE_FUNCTION = """
def evaluate_function(task, node):
    grads = task.buffers.pop(node, None) or [None] * len(node.input_metadata)
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
"""

RIGHT_ANSWERS = {
    "autograd.engine.compute_dependencies": """
import collections


def compute_dependencies(roots):
    reached, level = dict.fromkeys(roots), list(dict.fromkeys(roots))
    arrows = collections.Counter()
    while level:
        targets = [edge[0] for node in level for edge in node.next_edges if edge is not None]
        arrows.update(targets)
        level = [node for node in dict.fromkeys(targets) if node not in reached]
        reached.update(dict.fromkeys(level))
    return {node: arrows[node] for node in reached}
""",
    "autograd.engine.evaluate_function": (
        """
def evaluate_function(task, node):
    came = task.buffers[node] if node in task.buffers else [None] * len(node.input_metadata)
    task.buffers = {key: value for key, value in task.buffers.items() if key is not node}
    ready = {}
    for edge, grad in zip(node.next_edges, call_function(task, node, came)):
        if edge is not None:
            task.dependencies[edge[0]] -= 1
            if grad is not None:
                add_to_buffer(task, *edge, grad)
            if task.dependencies[edge[0]] == 0:
                ready[edge[0]] = None
    return [following for following in ready if runs(task, following)]
""",
        OTHER_EVALUATE_FUNCTION,
    ),
    "autograd.engine.thread_main": """
def thread_main(task):
    ready = [node for node in task.buffers if task.dependencies[node] == 0]
    while ready:
        node = max(ready, key=lambda node: node.sequence_nr)
        ready.remove(node)
        ready.extend(evaluate_function(task, node))
""",
}
