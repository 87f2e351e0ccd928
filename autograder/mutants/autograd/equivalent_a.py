"""Mutants of the first half's exercises that are no mistake."""

from autograder.mutants.model import Equivalent

PUSH = "heapq.heappush(ready, ({}node.sequence_nr, next(arrivals), node))"

EQUIVALENT = (
    Equivalent(
        "autograd.engine.thread_main", PUSH.format("-"), PUSH.format("~"),
        "~n is -n - 1: both turn the order of the numbers round",
    ),
)  # fmt: skip
