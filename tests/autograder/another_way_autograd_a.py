"""Right answers to the first half of lab 4, written another way."""

ANOTHER_WAY = {
    "autograd.variable.gradient_edge": """
def gradient_edge(tensor):
    meta = tensor._autograd_meta
    match (meta, grad_fn(tensor)):
        case (None, _):
            return None
        case (_, None):
            return (grad_accumulator(tensor), 0) if meta.requires_grad else None
        case (_, node):
            return (node, meta.output_nr)
""",
    "autograd.variable_type_manual.mul": """
def mul(self, other, below):
    wanted = [factor for factor in (self, other) if requires_grad(factor)]
    if not wanted or not state.grad_mode:
        return below(self, other)
    with AutoDispatchBelowADInplaceOrView():
        product = below(self, other)
    to_self, to_other = gradient_edge(self), gradient_edge(other)
    node = MulBackward0((to_self, to_other))
    node.saved_other = to_self and SavedVariable(other)
    node.saved_self = to_other and SavedVariable(self)
    set_history(product, node)
    return product
""",
    "autograd.functions_manual.elementary.Derivatives": """
class Derivatives:
    @staticmethod
    def mul(grad, other):
        return other * grad

    @staticmethod
    def div_self(grad, other):
        return grad * other.reciprocal()

    @staticmethod
    def div_other(grad, self, other):
        return (grad * self / (other * other)).neg()

    @staticmethod
    def exp(grad, result):
        return result * grad

    @staticmethod
    def log(grad, self):
        return self.reciprocal() * grad

    @staticmethod
    def sqrt(grad, result):
        return 0.5 * grad / result

    @staticmethod
    def bmm_self(grad, mat2):
        return mat2.bmm(grad.transpose(1, 2)).transpose(1, 2)

    @staticmethod
    def bmm_mat2(grad, self):
        return grad.transpose(1, 2).bmm(self).transpose(1, 2)
""",
    "aten.expand_utils.sum_to": """
def sum_to(tensor, sizes):
    if tuple(tensor.shape) == tuple(sizes):
        return tensor
    while len(tensor.shape) > len(sizes):
        tensor = tensor.sum(0)
    for dim, size in enumerate(sizes):
        if size != tensor.shape[dim]:
            tensor = tensor.sum(dim, True)
    return tensor
""",
    "autograd.accumulate_grad.accumulate_grad": """
def accumulate_grad(leaf, grad, new_grad, may_steal):
    if grad is not None:
        return new_grad + grad if state.grad_mode else grad.add_(new_grad)
    is_fit = may_steal and obeys_layout_contract(new_grad, leaf)
    return clone_obey_contract(new_grad, leaf) if state.grad_mode or not is_fit else undifferentiated(new_grad)
""",
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
    "autograd.engine.evaluate_function": """
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
    "autograd.engine.thread_main": """
def thread_main(task):
    ready = [node for node in task.buffers if task.dependencies[node] == 0]
    while ready:
        node = max(ready, key=lambda node: node.sequence_nr)
        ready.remove(node)
        ready.extend(evaluate_function(task, node))
""",
}
