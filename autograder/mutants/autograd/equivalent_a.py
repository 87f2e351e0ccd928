"""Mutants of the first half's exercises that are not mistakes."""

from autograder.mutants.model import Equivalent

PUSH = "heapq.heappush(ready, ({}node.sequence_nr, next(arrivals), node))"

ALL = "a sum over all dimensions, viewed without dimensions, is the same number; only the nodes that record it differ"

EQUIVALENT = (
    Equivalent("aten.expand_utils.sum_to", "if leading and (not sizes):\nreturn tensor.sum()", "pass", ALL),
    Equivalent("aten.expand_utils.sum_to", "return tensor.sum()", "pass", ALL),
    Equivalent(
        "autograd.accumulate_grad.accumulate_grad",
        "return at.add_Tensor(grad, new_grad)", "return at.add_Tensor(new_grad, grad)",
        "a sum is the same in either order; only its strides may follow the other summand",
    ),
    Equivalent(
        "autograd.engine.thread_main", PUSH.format("-"), PUSH.format("~"),
        "~n is -n - 1: both turn the order of the numbers round",
    ),
)  # fmt: skip
