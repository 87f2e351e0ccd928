"""Operators at the edges of their domains and of their dtypes, forward and backward, against PyTorch.

Every deterministic operator that PyTorch tests and the engine has is given a vector, two, three, a vector and a dim, or
a vector and two numbers: what PyTorch takes of these. Each value is met in the vector body of a loop (LONG), in its
tail (three elements) and alone. PyTorch's bodies and tails differ in places: tails may also be as PyTorch's bodies.
"""

import warnings

import numpy as np
import pytest
from compare import needs_torch, torch

import engine

pytestmark = needs_torch

if torch is not None:
    from conformance import op_db, scope
    from conformance.forms import exists, forms

    LEFT_OUT = {name for name, kind in (scope.OPERATORS | scope.LATER).items() if kind in (scope.EMPTY, scope.RANDOM)}
    OPERATORS = [
        name
        for name, info in op_db.INFOS.items()
        if name not in LEFT_OUT and name[0] != "_" and exists(engine, info) and "function" in forms(info)
    ]
else:
    OPERATORS = ["each of them"]  # not run

FLOATS, INTEGERS = ("float32", "float64"), ("int32", "int64")
TOLERANCE = {"float32": 4e-6, "float64": 1e-10}  # relative; of subnormal numbers four units in the last place
LONG = 64  # a multiple of what any processor's vector loop does at a time
SOME = 16  # calls with short vectors


# What is accepted of an operator besides, functions of (ours, theirs), and why.


def near(size):
    """Accept what is off by less than `size`."""
    return lambda ours, theirs: abs(np.subtract(ours, theirs, dtype=float)) < size


def fused(ours, theirs):
    """Accept infinity where a product alone would overflow, and other last digits."""
    return near(1e-20)(ours, theirs) | np.isnan(ours) & np.isinf(theirs)


TIES = (lambda ours, theirs: theirs.dtype == np.int64, "which of equal elements comes first is not specified")
TINY = (near(1e-37), "e**x below the normal numbers: PyTorch's loops differ in it")
NAN = (lambda ours, theirs: np.isnan(theirs), "PyTorch's vectors have nan where a quotient overflows, its tails 0")
CANCELS = (near(3e-7), "a difference of nearly equal numbers, each right")
OVERFLOW = (lambda ours, theirs: ~np.isfinite(ours) & ~np.isfinite(theirs), "nan or infinity: the order of a sum says")
EXCEPTIONS = {
    **dict.fromkeys(("dot", "vdot", "matmul", "inner", "nn.functional.linear"), OVERFLOW),
    **dict.fromkeys(("sort", "argsort"), TIES),
    **dict.fromkeys(("softmax", "softmax.with_dtype", "nn.functional.mish"), TINY),
    **dict.fromkeys(("nn.functional.softmin", "nn.functional.softmin.with_dtype"), TINY),
    **dict.fromkeys(("fmod", "remainder"), NAN),
    **dict.fromkeys(("tanh", "logaddexp2", "log_softmax", "log_softmax.with_dtype"), CANCELS),
    "nn.functional.cross_entropy": (
        lambda ours, theirs: near(np.finfo(ours.dtype).eps * 1e10)(ours, theirs),
        "products with targets of 1e10 cancel: what is left is rounding",
    ),
    **dict.fromkeys(("addcmul", "addr"), (fused, "PyTorch's compiler rounds a product and a sum once")),
    **dict.fromkeys(
        ("cumprod", "prod"), (lambda ours, theirs: np.isnan(ours) & (theirs == 0), "0 times nan in slopes")
    ),
    "nn.functional.gelu": (
        lambda ours, theirs: near(1e-6)(ours, theirs) | ~np.isfinite(theirs),
        "PyTorch's is oneDNN's in float32: not as near, inf for the largest number and nan for infinity",
    ),
}


def values(dtype: str, many: bool) -> np.ndarray:
    """The values of a dtype, in an order in which neighbors differ much: many for one vector, else few."""
    if dtype == "bool":
        return np.array([False, True, True, False, False])
    if dtype in INTEGERS:
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        middle = [0, -1, 1, 2, -2, 3, 7, -7, 31, 63]
        return np.array([least, most, *middle, least + 1, most - 1, least // 2, most // 2 + 1], dtype)
    ends = np.finfo(dtype)
    sizes = [0, ends.smallest_subnormal, ends.tiny, 0.5, 1, 3, 1e10, ends.max, np.inf]
    if many:
        sizes += [ends.eps, 0.3, 1 - ends.epsneg, 1 + ends.eps, 1.5, 2, 6, 20.5, 100, 800, 1e4, 2.0**24 + 2]
        sizes += [ends.max**0.5 * 0.7, ends.max**0.5 * 2, ends.tiny**0.5 / 3]
    signed = np.array([sign * size for size in sizes for sign in (1, -1)] + [np.nan], dtype)
    return signed[np.arange(signed.size) * 20 % signed.size]


def patterns(name: str, dtype: str) -> list[tuple]:
    """The arguments of calls: arrays, of which pieces are taken, and numbers."""
    x, few = values(dtype, many=True), values(dtype, many=False)
    a, b = (grid.ravel() for grid in np.meshgrid(few, few))
    if name == "lcm" and dtype in INTEGERS:
        a = np.maximum(a, a.min() + 1)  # the lowest one ends PyTorch's process: a division overflows
    return [(x,), (a, b), (x, np.roll(x, 5), np.roll(x, 11)), (x, 0), (x, 0.5, 1.5)]


def pieces(arguments: tuple) -> dict[str, list[np.ndarray]]:
    """Layout -> the elements of each call; some of them for tails, where there are several arguments."""
    count = len(arguments[0])
    step = 1 if len(arguments) == 1 else -(-count // SOME)
    return {
        "long": [np.arange(-(-count // LONG) * LONG) % count],
        "threes": [np.arange(k, k + 3) % count for k in range(0, count, max(step, 3))],
        "ones": [np.array([k]) for k in range(0, count, step)],
    }


def results(T, call, arguments: tuple, dtype: str, pieces: list) -> list:
    """The outputs of each piece, then their gradients."""
    found: list = []
    for at in pieces:
        kind = getattr(T, dtype)
        given = [T.tensor(a[at].tolist(), dtype=kind) if isinstance(a, np.ndarray) else a for a in arguments]
        leaves = [a.requires_grad_(dtype in FLOATS) for a in given if isinstance(a, T.Tensor)]
        T.manual_seed(0)
        result = call(T, given[0], tuple(given[1:]), {})
        outputs = [y for y in (result if isinstance(result, tuple) else [result]) if isinstance(y, T.Tensor)]
        tensors = [*outputs]
        for y in outputs:
            if y.requires_grad:
                slopes = T.autograd.grad(y, leaves, T.ones_like(y), allow_unused=True, retain_graph=True)
                tensors += [T.zeros(0) if slope is None else T.stack((slope,))[0] for slope in slopes]
        found.append([tensor.detach().numpy() for tensor in tensors])
    return found


def unlike(ours: np.ndarray, theirs: np.ndarray, accepted) -> np.ndarray:
    """Where two arrays differ: NaN is NaN, zeros have their signs."""
    with np.errstate(all="ignore"):
        if ours.dtype.kind != "f":
            return (ours != theirs) & np.logical_not(accepted(ours, theirs))
        least = 4 * np.finfo(ours.dtype).smallest_subnormal
        same = (ours == theirs) & (np.signbit(ours) == np.signbit(theirs)) | np.isnan(ours) & np.isnan(theirs)
        finite = np.isfinite(ours) & np.isfinite(theirs) & ((ours != 0) | (theirs != 0))
        same |= finite & (abs(ours - theirs) <= TOLERANCE[ours.dtype.name] * abs(theirs) + least)
        return ~same & np.logical_not(accepted(ours, theirs))


def differences(name: str, dtype: str):
    """A line for each output of a call that is not as PyTorch's."""
    call = forms(op_db.INFOS[name])["function"]
    accepted = EXCEPTIONS.get(name, (lambda ours, theirs: False, ""))[0]
    for arguments in patterns(name, dtype):
        bodies: dict = {}
        for layout, indices in pieces(arguments).items():
            try:
                theirs = results(torch, call, arguments, dtype, indices)
            except Exception:
                break  # PyTorch takes no such arguments
            ours = results(engine, call, arguments, dtype, indices)
            for at, ours_of, theirs_of in zip(indices, ours, theirs, strict=True):
                for k, (o, t) in enumerate(zip(ours_of, theirs_of, strict=True)):
                    assert (o.dtype, o.shape) == (t.dtype, t.shape), (name, dtype, k, o, t)
                    wrong = unlike(o, t, accepted)
                    if layout == "long" and t.shape == at.shape:
                        bodies[k] = t
                    elif k in bodies and t.shape == at.shape:
                        wrong &= unlike(o, bodies[k][at], accepted)
                    if wrong.any():
                        where = at[wrong][0] if wrong.shape == at.shape else at[:3]
                        given = [a[where] if isinstance(a, np.ndarray) else a for a in arguments]
                        yield f"{dtype} {layout} {k}: of {given} {o[wrong][:2]}, PyTorch {t[wrong][:2]} ({wrong.sum()})"


@pytest.mark.parametrize("name", OPERATORS)
def test_special_values(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kinds = [str(kind).removeprefix("torch.") for kind in op_db.dtypes(op_db.INFOS[name])]
        found = [line for kind in kinds for line in differences(name, kind)]
    assert not found, "\n".join(found[:8])
