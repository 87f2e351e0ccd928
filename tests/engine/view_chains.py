"""Random chains of view operators, as plain data that can be run on any `T` that behaves as PyTorch.

A chain is `Chain(start, steps)`. A start is `(kind, dtype name, *numbers)`, made by `STARTS`; a step is
`(name, args)`, where an argument that is a string names an attribute of T. PyTorch walks along while a chain is
drawn, so that most steps fit the tensor that they meet; the rest are to be refused.
"""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

MOST_ELEMENTS = 300
PROPERTIES = ("T", "mT")
FUNCTIONS = ("broadcast_to", "swapdims", "moveaxis")


@dataclass(frozen=True)
class Chain:
    start: tuple
    steps: tuple


# ---- run


def _ramp(T, dtype, sizes):
    return T.arange(math.prod(sizes)).to(getattr(T, dtype)).view(sizes)


def _stepped(T, dtype, sizes, steps, firsts):
    ramp = _ramp(T, dtype, tuple(first + size * step for size, step, first in zip(sizes, steps, firsts)))  # noqa: B905
    for d, (size, step, first) in enumerate(zip(sizes, steps, firsts, strict=True)):
        index = (slice(None),) * d + (slice(first, first + size * step, step),)
        ramp = ramp[index]
    return ramp


STARTS: dict[str, Callable] = {
    "contiguous": _ramp,
    "expanded": lambda T, dtype, sizes, wider: _ramp(T, dtype, sizes).expand(wider),
    "stepped": _stepped,
    "as_strided": lambda T, dtype, sizes, strides, first: _ramp(T, dtype, (64,)).as_strided(sizes, strides, first),
    "channels_last": lambda T, dtype, sizes: _ramp(T, dtype, sizes).contiguous(memory_format=T.channels_last),
}


def start(T: Any, spec: tuple) -> Any:
    kind, *numbers = spec
    return STARTS[kind](T, *numbers)


def take(T: Any, x: Any, step: tuple) -> Any:
    """The result of one step on `x`: a tensor or a sequence of tensors."""
    name, args = step
    args = [getattr(T, arg) if isinstance(arg, str) else arg for arg in args]
    if name in PROPERTIES:
        return getattr(x, name)
    if name in FUNCTIONS:
        return getattr(T, name)(x, *args)
    if name in ("clone", "contiguous") and args:
        return getattr(x, name)(memory_format=args[0])
    return getattr(x, name)(*args)


# ---- draw


def dims(ndim: int) -> st.SearchStrategy[int]:
    return st.integers(-ndim - 1, ndim) if ndim else st.integers(-2, 1)


def some_dims(ndim: int) -> st.SearchStrategy[tuple]:
    return st.lists(dims(ndim), max_size=3).map(tuple)


@st.composite
def regrouped(draw, sizes):
    """Sizes with the same product: cut into factors, some merged again, ones strewn in, one perhaps -1; or not."""
    if draw(st.integers(0, 9)) == 0:
        return tuple(draw(st.lists(st.integers(-2, 6), max_size=4)))
    pieces = []
    for size in sizes:
        factor = draw(st.sampled_from([f for f in range(1, size + 1) if size % f == 0] or [1]))
        pieces += [factor, size // factor]
    result = []
    for piece in pieces:
        match draw(st.integers(0, 3)):
            case 0 if result:
                result[-1] *= piece
            case 1 if piece == 1:
                pass
            case _:
                result.append(piece)
    for _ in range(2):
        if draw(st.booleans()) and result:
            del result[place := draw(st.integers(0, len(result) - 1))]
            result.insert(place, -1)
        elif draw(st.booleans()):
            result.insert(draw(st.integers(0, len(result))), 1)
    if math.prod(abs(size) for size in result) != math.prod(sizes) and -1 not in result:
        result.append(-1)
    return tuple(result)


@st.composite
def wider(draw, sizes):
    grown = [draw(st.sampled_from([size, -1, 3 if size == 1 else size, 0 if size == 1 else size])) for size in sizes]
    grown = [*draw(st.lists(st.sampled_from([1, 2, 3, 0, -1]), max_size=2)), *grown]
    if draw(st.integers(0, 9)) == 0:
        grown = draw(st.lists(st.integers(-2, 4), max_size=4))
    return tuple(grown)


def bounds(size: int) -> st.SearchStrategy[int | None]:
    return st.none() | st.integers(-size - 2, size + 2)


def an_index(size: int) -> st.SearchStrategy:
    slices = st.builds(slice, bounds(size), bounds(size), st.none() | st.integers(-1, 3).filter(bool))
    return st.one_of(st.integers(-size - 1, size), slices, slices, st.none(), st.just(...))


@st.composite
def indices(draw, sizes):
    """An index with at most one `...`: at a second one PyTorch reads past the sizes, as `getitem` tells."""
    entries = [draw(an_index(size)) for size in sizes]
    entries = [None if entry is ... and ... in entries[:d] else entry for d, entry in enumerate(entries)]
    entries = entries[: draw(st.integers(0, len(entries) + 1))] + draw(
        st.lists(an_index(2).filter(lambda entry: entry is not ...), max_size=1)
    )
    return entries[0] if len(entries) == 1 and draw(st.booleans()) else tuple(entries)


def few(low: int, high: int, most: int = 4) -> st.SearchStrategy[tuple]:
    return st.lists(st.integers(low, high), max_size=most).map(tuple)


@st.composite
def geometries(draw):
    """Sizes, strides and perhaps an offset for as_strided; mostly as many strides as sizes."""
    sizes = draw(few(0, 4, 3)) if draw(st.integers(0, 9)) else draw(few(-1, 4, 3))
    count = len(sizes) if draw(st.integers(0, 9)) else 2
    strides = tuple(draw(st.integers(0 if draw(st.integers(0, 9)) else -1, 5)) for _ in range(count))
    return (sizes, strides, *draw(st.sampled_from([(), (None,), (0,), (1,), (7,), (-1,), (40,)])))


@st.composite
def at(draw, sizes, others):
    """A dimension, and arguments drawn for its size; `others(size)` is a strategy of tuples."""
    d = draw(dims(len(sizes)))
    fits = -len(sizes) <= d < len(sizes)
    return (d, *draw(others(sizes[d] if fits else 2)))


@st.composite
def span(draw, size):
    """Start and length of a part of a dimension, or of a little more."""
    start = draw(st.integers(-size - 1, size))
    return start, draw(st.integers(-1 if start == size else 0, max(size - start % max(size, 1), 0) + 1))


@st.composite
def pieces(draw, size):
    """Sizes that add up to the dimension's, or nearly."""
    cuts = sorted(draw(st.lists(st.integers(0, size), max_size=3)))
    sizes = [end - first for first, end in zip([0, *cuts], [*cuts, size], strict=True)]
    sizes[-1] += draw(st.sampled_from([0, 0, 0, 0, 1, -1]))
    return (tuple(sizes),)


def along(ndim: int, *others: st.SearchStrategy) -> st.SearchStrategy[tuple]:
    return st.tuples(dims(ndim), *others)


def swapped(pair: tuple) -> tuple:
    return pair[::-1]


none = st.just(())
formats = st.sampled_from([(), ("contiguous_format",), ("channels_last",), ("preserve_format",)])

# name -> the arguments, drawn for a tensor of these sizes
STEPS: dict[str, Callable[[tuple, int], st.SearchStrategy[tuple]]] = {
    "view":             lambda sizes, n: st.tuples(regrouped(sizes)),
    "reshape":          lambda sizes, n: st.tuples(regrouped(sizes)),
    "flatten":          lambda sizes, n: none | along(n) | along(n, dims(n)),
    "unflatten":        lambda sizes, n: along(n, few(-1, 4, 3)) | st.sampled_from(range(n) or [0]).flatmap(
        lambda d: st.tuples(st.just(d), regrouped(sizes[d : d + 1]))),
    "ravel":            lambda sizes, n: none,
    "permute":          lambda sizes, n: st.permutations(range(n)).flatmap(lambda order: st.tuples(
        st.tuples(*(st.sampled_from([d, d, d - n]) for d in order)))) | st.tuples(some_dims(n)),
    "transpose":        lambda sizes, n: along(n, dims(n)),
    "swapdims":         lambda sizes, n: along(n, dims(n)),
    "t":                lambda sizes, n: none,
    "T":                lambda sizes, n: none,
    "mT":               lambda sizes, n: none,
    "movedim":          lambda sizes, n: along(n, dims(n)) | st.tuples(some_dims(n), some_dims(n)),
    "moveaxis":         lambda sizes, n: along(n, dims(n)),
    "expand":           lambda sizes, n: st.tuples(wider(sizes)),
    "broadcast_to":     lambda sizes, n: st.tuples(wider(sizes)),
    "narrow":           lambda sizes, n: at(sizes, span),
    "select":           lambda sizes, n: at(sizes, lambda size: st.tuples(st.integers(-size - 1, size))),
    "__getitem__":      lambda sizes, n: st.tuples(indices(sizes)),
    "unsqueeze":        lambda sizes, n: along(n + 1),
    "squeeze":          lambda sizes, n: none | along(n) | st.tuples(some_dims(n)),
    "unfold":           lambda sizes, n: at(sizes, lambda size: st.tuples(
        st.integers(0, size) | st.integers(-1, size + 1), st.integers(1, 3) | st.integers(0, 1))),
    "diagonal":         lambda sizes, n: none | st.tuples(st.integers(-4, 4)) | st.tuples(
        st.integers(-4, 4), dims(n), dims(n)),
    "as_strided":       lambda sizes, n: geometries(),
    "split":            lambda sizes, n: along(3) | at(sizes, pieces).map(swapped) | st.tuples(
        st.integers(1, 4) | st.integers(-1, 0), dims(n)),
    "split_with_sizes": lambda sizes, n: at(sizes, pieces).map(swapped),
    "chunk":            lambda sizes, n: st.tuples(st.integers(-1, 5)) | st.tuples(st.integers(1, 5), dims(n)),
    "unbind":           lambda sizes, n: none | along(n),
    "detach":           lambda sizes, n: none,
    "clone":            lambda sizes, n: formats,
    "contiguous":       lambda sizes, n: formats,
    "fill_":            lambda sizes, n: st.tuples(st.integers(0, 1)),
}  # fmt: skip


@st.composite
def starts(draw):
    kind = draw(st.sampled_from(sorted(STARTS)))
    dtype = draw(st.sampled_from(["int64", "float32", "float64", "int32", "bool"]))
    ndim = 4 if kind == "channels_last" else draw(st.integers(0, 4))
    sizes = tuple(draw(st.sampled_from([2, 3, 1, 4, 0, 2])) for _ in range(ndim))
    each = st.tuples(*[st.integers(1, 3)] * ndim)
    match kind:
        case "expanded":
            sizes = tuple(draw(st.sampled_from([1, size])) for size in sizes)
            return (kind, dtype, sizes, tuple(draw(st.integers(0, 3)) if size == 1 else size for size in sizes))
        case "stepped":
            return (kind, dtype, sizes, draw(each), draw(st.tuples(*[st.integers(0, 2)] * ndim)))
        case "as_strided":
            return (kind, dtype, sizes, draw(st.tuples(*[st.integers(0, 4)] * ndim)), draw(st.integers(0, 5)))
    return (kind, dtype, sizes)


@st.composite
def chains(draw, guide):
    """A chain of 1 to 6 steps; `guide` is the T that says what each step would give."""
    spec = draw(starts())
    x, steps = start(guide, spec), []
    for _ in range(draw(st.integers(1, 6))):
        name = draw(st.sampled_from(sorted(STEPS)))
        sizes = tuple(x.shape)
        step = (name, draw(STEPS[name](sizes, len(sizes))))
        after = walk(guide, x, step)
        if any(size < 0 for size in after.shape):  # of `expand`, whose docstring in the engine says so
            continue
        steps.append(step)
        x = after
        if x.numel() > MOST_ELEMENTS or x.dim() > 7:
            break
    return Chain(spec, tuple(steps))


def walk(T: Any, x: Any, step: tuple) -> Any:
    """Where the chain goes on from: the result, the last of several, or `x` if the step was refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = take(T, x, step)
        except Exception:
            return x
    if isinstance(result, T.Tensor):
        return result
    return result[-1] if result else x
