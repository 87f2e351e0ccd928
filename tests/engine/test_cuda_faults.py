"""The engine's kernels have no races, no divergent barriers, and touch nothing outside: each launch is recorded."""

import numpy as np
import pytest

import engine
from engine.cuda import launch
from engine.memory_trace import divergent_barriers, out_of_bounds, races, record, uninitialised_reads

F = engine.nn.functional


def random(*sizes):
    values = np.random.default_rng(0).standard_normal(sizes).astype(np.float32)
    return engine.tensor(values).to("cuda").requires_grad_()


def places(*values):
    return engine.tensor(values).to("cuda")


# Sizes that are not multiples of a block's; what is summed is differentiated, so backward kernels are recorded too.
CALLS = {
    "add": lambda: random(3, 5) + random(5, 3).t(),
    "exp": lambda: random(3, 5).exp(),
    "where": lambda: engine.where(random(3, 5) > 0, random(3, 5), random(5)),
    "sum of all": lambda: random(7, 11).sum(),
    "sum of columns": lambda: random(7, 11).sum(0),
    "mean of rows": lambda: random(7, 11).mean(1),
    "var": lambda: random(3, 9).var(1),
    "max": lambda: random(3, 9).max(1).values,
    "cumsum": lambda: random(3, 9).cumsum(1),
    "sort": lambda: random(3, 9).sort(1).values,
    "softmax": lambda: random(3, 9).softmax(1),
    "log_softmax": lambda: random(3, 9).log_softmax(0),
    "matmul": lambda: random(5, 7) @ random(7, 6),
    "gather": lambda: random(3, 5).gather(1, places([0, 1], [1, 4], [3, 3])),
    "index": lambda: random(3, 5)[places(0, 2, 2)],
    "cat": lambda: engine.cat([random(3, 5), random(2, 5)]),
    "layer_norm": lambda: F.layer_norm(random(3, 9), (9,), random(9), random(9)),
    "batch_norm": lambda: F.batch_norm(random(4, 3, 5), None, None, training=True),
    "group_norm": lambda: F.group_norm(random(2, 4, 3), 2),
    "max_pool2d": lambda: F.max_pool2d(random(1, 2, 5, 5), 2),
    "conv2d": lambda: F.conv2d(random(1, 2, 5, 5), random(3, 2, 3, 3)),
    "cross_entropy": lambda: F.cross_entropy(random(3, 5), places(0, 1, 4)),
    "rand": lambda: engine.rand(7, device="cuda"),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_kernels_of_an_operator_are_free_of_faults(name, monkeypatch):
    traces = []

    def start(kernel, grid, block, stream, arguments):
        traces.append(record(kernel, grid, block, *arguments))

    monkeypatch.setattr(launch, "_start", start)
    result = CALLS[name]()
    if result.requires_grad:
        result.sum().backward()
    assert traces
    for trace in traces:
        faults = races(trace), divergent_barriers(trace), out_of_bounds(trace), uninitialised_reads(trace)
        assert faults == ([], [], [], []), trace.kernel
