"""First and second derivatives of one call on one side, and what differs between two sides.

The outputs that require grad are differentiated in the direction of random cotangents, with respect to every leaf of
the sample; once more with create_graph=True, and what that gives, in the direction of further random cotangents, with
respect to the leaves and the first cotangents. Seen besides: which outputs require grad, their nodes' names, where and
how a call raises, and whether the way back wrote to an input or to a cotangent.
"""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import scope
from .calls import Difference, Seen, of_results, same
from .forms import Form
from .frozen import SEED, Sample, Thawed

NEW = -1000  # the storage of a gradient: which other tensors share it is not compared


@dataclass
class Derivatives:
    """The outcome of a call. A gradient is None where the output does not depend on the leaf.

    `reached`: the last of "forward", "first gradient", "create_graph", "second gradient" that was begun.
    `error`: type and first line of its message. `changed`: what the way back wrote to.
    """

    reached: str = "forward"
    error: tuple[str, str] | None = None
    requires_grad: list[bool] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)
    first: list[Seen | None] = field(default_factory=list)
    recorded: list[Seen | None] = field(default_factory=list)
    second: list[Seen | None] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)


def derivatives(T: Any, form: Form, sample: Sample, twice: bool) -> Derivatives:
    """Call `form` on the sample's values on the side of T and differentiate it; `twice`: its gradients as well."""
    thawed, found = Thawed(T, with_leaves=True), Derivatives()
    values = thawed.thaw(sample.input), thawed.thaw(sample.args), thawed.thaw(sample.kwargs)
    before = _bytes(thawed.storages)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            T.manual_seed(SEED)
            results = list(_tensors(T, form(T, *values)))
            _differentiate(T, results, thawed.leaves, twice, found)
        except Exception as error:
            found.error = type(error).__name__, str(error).partition("\n")[0]
    after = _bytes(thawed.storages)
    found.changed += [f"storage {at}" for at in before if not np.array_equal(before[at], after[at], equal_nan=True)]
    return found


def _differentiate(T: Any, results: list, leaves: list, twice: bool, found: Derivatives) -> None:
    found.requires_grad = [result.requires_grad for result in results]
    outputs = [result for result in results if result.requires_grad]
    found.nodes = [output.grad_fn.name() if output.grad_fn is not None else "" for output in outputs]
    if not outputs or not leaves:
        return
    cotangents = [cotangent(T, output, at) for at, output in enumerate(outputs)]
    before = _bytes(dict(enumerate(cotangents)))
    found.reached = "first gradient"
    gradients = T.autograd.grad(outputs, leaves, cotangents, retain_graph=twice, allow_unused=True)
    found.first = [_seen(gradient) for gradient in gradients]
    if twice:
        found.reached = "create_graph"
        inputs = [*leaves, *(tensor.requires_grad_() for tensor in cotangents)]
        gradients = T.autograd.grad(outputs, leaves, cotangents, create_graph=True, allow_unused=True)
        found.recorded = [_seen(gradient) for gradient in gradients]
        found.reached = "second gradient"
        outputs = {at: gradient for at, gradient in enumerate(gradients) if gradient is not None}
        outputs = {at: gradient for at, gradient in outputs.items() if gradient.requires_grad}
        further = [cotangent(T, gradient, NEW + at) for at, gradient in outputs.items()]
        if outputs:
            gradients = T.autograd.grad(list(outputs.values()), inputs, further, allow_unused=True)
            found.second = [_seen(gradient) for gradient in gradients]
        else:
            found.second = [None for _ in inputs]
    after = _bytes(dict(enumerate(cotangents)))
    found.changed += [f"cotangent {at}" for at in before if not np.array_equal(before[at], after[at])]


def cotangent(T: Any, output: Any, number: int) -> Any:
    """Normal random numbers of the output's shape and dtype: the same for each number, on every side."""
    numbers = np.random.default_rng((SEED, abs(number))).standard_normal(tuple(output.shape))
    return T.from_numpy(np.array(numbers)).to(output.dtype)


def _tensors(T: Any, result: Any) -> Iterator[Any]:
    if isinstance(result, T.Tensor):
        yield result
    elif isinstance(result, (list, tuple)):
        for entry in result:
            yield from _tensors(T, entry)


def _bytes(storages: dict[int, Any]) -> dict[int, np.ndarray]:
    return {at: flat.detach().numpy(force=True).copy() for at, flat in storages.items() if flat.device.type == "cpu"}


def _seen(gradient: Any) -> Seen | None:
    if gradient is None:
        return None
    values = gradient.detach().numpy(force=True).copy()
    sizes, strides = tuple(gradient.shape), tuple(gradient.stride())
    return Seen(str(gradient.dtype), sizes, strides, 0, NEW, None, gradient.device.type, values)


# ---- what differs


def differences(ours: Derivatives, theirs: Derivatives) -> list[Difference]:
    """Return the differences that fail a sample."""
    found = [("written to", f"the way back changed {name}") for name in ours.changed if name not in theirs.changed]
    if (ours.error or theirs.error) and not (_is_pytorchs_limit(theirs) and not ours.error):
        return [*found, *_of_errors(ours, theirs)]
    if ours.requires_grad != theirs.requires_grad:
        found.append(("requires_grad", f"outputs: engine {ours.requires_grad} | PyTorch {theirs.requires_grad}"))
    else:
        found += _of_gradients("first gradient", ours.first, theirs.first, may_be_zero=False)
        if not found:
            found += _of_gradients("create_graph", ours.recorded, theirs.recorded, may_be_zero=False)
            found += _of_gradients("second gradient", ours.second, theirs.second, may_be_zero=True)
    return found


def _is_pytorchs_limit(theirs: Derivatives) -> bool:
    return theirs.error is not None and theirs.error[1].startswith(scope.PYTORCHS_OWN_LIMITS)


def _of_errors(ours: Derivatives, theirs: Derivatives) -> list[Difference]:
    if ours.error and not theirs.error:
        return [(f"{ours.reached} raises", f"engine raises {': '.join(ours.error)}")]
    if theirs.error and not ours.error:
        return [(f"{theirs.reached} does not raise", f"PyTorch raises {': '.join(theirs.error)}")]
    one, other = ((side.reached, *(side.error or ())) for side in (ours, theirs))
    if one[:2] == other[:2]:
        return []
    return [(f"{theirs.reached} raises another error", f"engine {': '.join(one)} | PyTorch {': '.join(other)}")]


def _of_gradients(name: str, ours: list, theirs: list, may_be_zero: bool) -> list[Difference]:
    """`may_be_zero`: one side's None is as good as the other's zeros. What PyTorch did not come to is not compared."""
    found: list[Difference] = []
    coarse = any(gradient is not None and gradient.dtype == "torch.float32" for gradient in theirs)
    for at, (one, other) in enumerate(zip(ours, theirs, strict=bool(theirs))):
        if one is None or other is None:
            differs = [] if one is other or (may_be_zero and _is_zero(one or other)) else [_presence(one, other)]
        else:
            differs = of_results(one, other, scope.MATH, coarse)
        found += [(f"{name}: {kind}", f"of input {at}: {detail}") for kind, detail in differs]
    return found


def _presence(ours: Seen | None, theirs: Seen | None) -> Difference:
    one, other = ("None" if gradient is None else "a tensor" for gradient in (ours, theirs))
    return "None", f"engine {one} | PyTorch {other}"


def _is_zero(gradient: Seen) -> bool:
    assert gradient.values is not None
    return same(gradient.values, np.zeros_like(gradient.values), exact=False, coarse=False)


def softer(ours: Derivatives, theirs: Derivatives) -> list[Difference]:
    """Return what is reported and fails nothing: names of nodes, strides of gradients, first lines of messages."""
    if ours.error or theirs.error:
        if ours.error and theirs.error and ours.error[0] == theirs.error[0] and ours.error != theirs.error:
            return [("message", f"engine: {ours.error[1]} | PyTorch: {theirs.error[1]}")]
        return [("only PyTorch raises", theirs.error[1])] if _is_pytorchs_limit(theirs) and not ours.error else []
    found = [] if ours.nodes == theirs.nodes else [("node", f"engine {ours.nodes} | PyTorch {theirs.nodes}")]
    found += [
        ("strides of a gradient", f"of input {at}: engine {one.strides} | PyTorch {other.strides}")
        for at, (one, other) in enumerate(zip(ours.first, theirs.first, strict=False))
        if one and other and one.strides != other.strides
    ]
    return found


def count(found: Derivatives) -> tuple[int, int]:
    """Return the number of first and second gradients."""
    return _present(found.first), _present(found.second)


def _present(gradients: Iterable[Seen | None]) -> int:
    return sum(gradient is not None for gradient in gradients)
