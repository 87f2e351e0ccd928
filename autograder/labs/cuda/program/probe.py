"""Short programs on the whole engine, on device "cuda", in which the exercises of lab 6 work together."""

from autograder.labs.cuda.arrays import loaded, module


def _counted(engine, *sizes):
    """Make a tensor of 0, 1, 2, ... on the device."""
    count = 1
    for size in sizes:
        count *= size
    return engine.arange(count).to(engine.float32).view(*sizes).to("cuda")


def _plain(tensor):
    """Return the elements, rounded: sums of any order give the same."""
    return [round(number, 4) for number in tensor.cpu().reshape(-1).tolist()]


def elementwise(engine):
    """Run elementwise operators on contiguous, strided, transposed and broadcast operands, and an activated layer."""
    loaded(engine)
    x, row = _counted(engine, 3, 4), _counted(engine, 3)
    every_second = _counted(engine, 4, 6)[:, ::2]
    return {
        "turned and broadcast": _plain(x.t() * 2 - row),
        "runs": _plain(row[1:] * 2 - row[:-1]),
        "with gaps": _plain(every_second + x.t()),
        "in place": _plain(_counted(engine, 2, 3).t().add_(row.view(3, 1), alpha=3)),
        "layer": _plain(engine._addmm_activation(row - 2, x.t() - 5, _counted(engine, 3, 3) - 4)),
    }


def reductions(engine):
    """Compute row and column sums, maxima, softmaxes, a histogram, and a copy of a transposed matrix."""
    loaded(engine)
    x = _counted(engine, 5, 6)
    return {
        "rows": _plain(x.sum(1)),
        "columns": _plain(x.sum(0)),
        "largest": _plain((3 - x).amax(1)),
        "shares of rows": _plain((x / 8).softmax(1)),
        "shares of columns": _plain((x / 8).softmax(0)),
        "turned": _plain(x.t().contiguous()),
        "counts": engine.bincount(engine.tensor([1, 0, 1, 3, 1, 3], device="cuda"), minlength=5).cpu().tolist(),
    }


def products(engine):
    """Compute products with each kind of kernel: one thread per element, shared-memory tiles, register tiles."""
    loaded(engine)
    small, wide, large = _counted(engine, 3, 2), _counted(engine, 6, 7) - 20, _counted(engine, 12, 12) - 70
    return {
        "a thread an element": _plain(small @ _counted(engine, 2, 3)),
        "tiles": _plain(wide @ (wide - 1).t()),
        "registers": _plain(large @ large),
    }


def memory(engine):
    """Make several tensors; return some of their elements and the sizes in bytes of the blocks allocated for them."""
    loaded(engine)
    given = []
    watcher = given.append
    module(engine, "cuda.memory").watch(watcher)
    try:
        one, two, three = _counted(engine, 100), _counted(engine, 300) + 1, _counted(engine, 7) + 2
        four = _counted(engine, 200) * 2
    finally:
        module(engine, "cuda.memory").unwatch(watcher)
    return {
        "one": _plain(one[:5] + one[95:]), "two": _plain(two[295:]), "three": _plain(three), "four": _plain(four[195:]),
        "bytes": [nbytes for nbytes in given if nbytes > 0],
    }  # fmt: skip
