"""One operator's first and second gradients over its sample inputs, on both sides."""

from collections.abc import Iterator
from typing import Any

import torch

import engine

from . import op_db, scope
from .derivatives import count, derivatives, differences, softer
from .forms import Form, exists, forms
from .frozen import FrozenTensor, Sample, all_require_grad, relaid, tensors
from .operators import Row, note, patience
from .reproduce import COPIED

OUT = "out="  # a form of the first sample only
MOST = 200  # samples of an operator; few have more
NOT_DIFFERENTIABLE = 2  # samples of an operator that has no gradients: its outputs require none
BY_TURNS = (None, "transposed", None, "gaps")  # the inputs' layout in memory; None: as PyTorch gives them


def names() -> list[str]:
    """The operators that have samples in float64."""
    kinds = scope.OPERATORS | scope.LATER
    return [name for name, kind in kinds.items() if kind != scope.EMPTY and _takes_float64(op_db.INFOS[name])]


def _takes_float64(info: Any) -> bool:
    return torch.float64 in info.supported_dtypes("cpu")


def run(name: str, most: int | None = None) -> Row:
    """The samples of an operator, at most `most` (MOST), each in some variants."""
    info, row = op_db.INFOS[name], Row(name)
    if not exists(engine, info) and name in scope.LATER:
        row.missing = True
        return row
    ways = _ways(info)
    for number, (sample, why) in enumerate(op_db.differentiated(info, most or MOST)):
        if number >= NOT_DIFFERENTIABLE and not info.supports_autograd:
            break
        for laid in _variants(sample, BY_TURNS[number % len(BY_TURNS)]):
            row.samples += 1
            if left_out := why or scope.reason(name, laid):  # type: ignore[arg-type]
                row.out_of_scope[left_out] += 1
            else:
                asked = {form: call for form, call in ways.items() if form != OUT or number == 0}
                _judge(row, asked, laid, info.supports_gradgrad)  # type: ignore[arg-type]
    return row


def _variants(sample: Sample | None, way: str | None) -> Iterator[Sample | None]:
    """The sample; laid out anew; with all that is floating point differentiated, where PyTorch asks for less."""
    yield sample
    if sample is None:
        return
    if other := relaid(sample, way) if way else None:
        yield other
    if any(tensor.dtype == "float64" and not tensor.requires_grad for tensor in tensors(sample.all)):
        yield all_require_grad(sample)


def _ways(info: Any) -> dict[str, Form]:
    """The plainest form of an operator; the in-place one on a copy of the input; with `out`, which is refused."""
    found = forms(info)
    ways = {form: call for form, call in found.items() if "in-place" not in form and form != OUT}
    ways = dict(list(ways.items())[:1])
    if "in-place" in found and (info.supports_inplace_autograd or not ways):
        ways[COPIED] = lambda T, x, args, kwargs: found["in-place"](T, x.clone(), args, kwargs)
    if OUT in found:
        ways[OUT] = lambda T, x, args, kwargs: found[OUT](T, x, args, {**kwargs, "out": T.empty(0).to(T.float64)})
    return ways


def _judge(row: Row, ways: dict[str, Form], sample: Sample, twice: bool) -> None:
    before = row.kinds.total()
    for form, call in ways.items():
        if form == COPIED and not isinstance(sample.input, FrozenTensor):
            continue
        soft = []
        try:
            with patience():
                theirs = derivatives(torch, call, sample, twice)
                ours = derivatives(engine, call, sample, twice)
                found, soft = differences(ours, theirs), softer(ours, theirs)
            row.calls += sum(count(theirs))
        except Exception as error:
            found = [("harness", f"{type(error).__name__}: {error}")]
        note(row, form, sample, found, soft)
    row.failed += row.kinds.total() > before
