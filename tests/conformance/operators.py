"""One operator over all its inputs, on both sides."""

import signal
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

import engine

from . import op_db, reproduce, scope
from .calls import Difference, Seen, differences, outcome, softer
from .forms import Form, applies, exists, forms
from .frozen import GARBAGE, LAYOUTS, SMALL, WIDE, FrozenTensor, Named, Sample, as_array, overlaps, relaid

PATIENCE = 90  # seconds that one call may take on both sides, compiling included
KEPT = 200  # failures of an operator that are kept as text
ALL_LAYOUTS = 12  # samples of each dtype that are run in every layout; the others in one more, by turns


@dataclass
class Row:
    """The outcome of an operator's samples. `failures`: (kind, line of Python, detail); a sample may have several."""

    name: str
    missing: bool = False
    samples: int = 0
    out_of_scope: Counter = field(default_factory=Counter)
    failed: int = 0
    calls: int = 0
    errors: int = 0
    errors_out_of_scope: Counter = field(default_factory=Counter)
    errors_failed: int = 0
    kinds: Counter = field(default_factory=Counter)
    softer: Counter = field(default_factory=Counter)
    failures: list[tuple[str, str, str]] = field(default_factory=list)
    soft_failures: list[tuple[str, str, str]] = field(default_factory=list)


def run(name: str, most: int | None = None, small: bool = False) -> Row:
    """All samples of an operator; if `most` is given, at most that number of float32 and of int64, in fewer layouts.

    Args:
        small: take halves and integers of 8 and 16 bits instead of the other dtypes, `most` of each.
    """
    info, row = op_db.INFOS[name], Row(name)
    kind = scope.OPERATORS.get(name) or scope.LATER[name]
    if not exists(engine, info) and name in scope.LATER:
        row.missing = True
        return row
    ways = forms(info)
    for dtype in op_db.dtypes(info, SMALL if small else WIDE):
        if most is not None and not small and dtype not in (torch.float32, torch.int64):
            continue
        for number, (sample, why) in enumerate(op_db.samples(info, dtype, most)):
            why = why or scope.reason(name, sample)  # type: ignore[arg-type]
            for laid in _layouts(sample, number, most) if not why else (None,):
                row.samples += 1
                if left_out := why or scope.reason(name, laid):  # type: ignore[arg-type]
                    row.out_of_scope[left_out] += 1
                else:
                    _judge(row, ways, kind, laid, number)  # type: ignore[arg-type]
    _run_errors(row, info, ways, kind)
    return row


def run_small(name: str, most: int | None = None) -> Row:
    """All samples of an operator in halves and in integers of 8 and 16 bits."""
    return run(name, most, small=True)


def _layouts(sample: Any, number: int, most: int | None) -> Iterator[Sample]:
    yield sample
    names = list(LAYOUTS)
    for name in names if number < ALL_LAYOUTS and most is None else [names[number % len(names)]]:
        if laid := relaid(sample, name):
            yield laid


def _judge(row: Row, ways: dict[str, Form], kind: str, sample: Sample, number: int) -> None:
    """Run a sample in every form; the sample fails if one of them does."""
    before = row.kinds.total()
    plain = None
    for form, call in ways.items():
        asked: Sample | None = sample
        soft: list[Difference] = []
        if not applies(form, sample):
            continue
        try:
            with patience():
                if form == "out=":
                    asked = with_out(sample, plain, number)
                if asked is None:
                    continue
                theirs = outcome(torch, call, asked, kind)
                plain = plain or theirs
                if "in-place" in form and not theirs.error and overlaps(sample):
                    continue
                row.calls += 1
                ours = outcome(engine, call, asked, kind)
                found, soft = differences(ours, theirs, kind), softer(ours, theirs)
        except Exception as error:  # of the comparison itself: a tensor that can't be made or read
            found = [("harness", f"{type(error).__name__}: {error}")]
        note(row, form, asked or sample, found, soft)
    row.failed += row.kinds.total() > before


def note(row: Row, form: str, sample: Sample, found: list[Difference], soft: list[Difference]) -> None:
    for differences_, counter, kept in ((found, row.kinds, row.failures), (soft, row.softer, row.soft_failures)):
        for kind, detail in differences_:
            counter[kind] += 1
            if counter[kind] == 1 or len(kept) < KEPT:
                kept.append((kind, reproduce.line(row.name, form, sample), detail))


def with_out(sample: Sample, plain: Any, number: int) -> Sample | None:
    """The sample with an `out` for the result that PyTorch gave without: in turn one that fits, an empty one, one of
    another shape, one with gaps, one of another dtype; None if the result is not one tensor."""
    if plain is None or not isinstance(plain.result, Seen) or "out" in sample.kwargs:
        return None
    like = plain.result
    way = ("fits", "empty", "other shape", "gaps", "other dtype", "int32")[number % 6]
    sizes, unit, dtype = like.sizes, 1, like.dtype.removeprefix("torch.")
    if way == "empty":
        sizes = (0,)
    elif way == "other shape":
        sizes = (*sizes, 2)
    elif way == "gaps":
        unit = 2
    elif way == "other dtype":
        dtype = "float64" if dtype != "float64" else "float32"
    elif way == "int32":
        dtype = "int32"
    strides, step = [], unit
    for size in reversed(sizes):
        strides.insert(0, step)
        step *= max(size, 1)
    count = 0 if 0 in sizes else 1 + sum((n - 1) * s for n, s in zip(sizes, strides, strict=True))
    cells = as_array(torch.full((count,), GARBAGE, dtype=getattr(torch, dtype)))
    out = FrozenTensor(dtype, tuple(sizes), tuple(strides), 0, cells, -500)
    kwargs = {key: value for key, value in sample.kwargs.items() if key not in ("device", "requires_grad")}
    if isinstance(kwargs.get("dtype"), Named) and way in ("other dtype", "int32"):
        return None
    return Sample(sample.input, sample.args, {**kwargs, "out": out}, f"{sample.layout}, out {way}")


# ---- inputs that are refused


def _run_errors(row: Row, info: Any, ways: dict[str, Form], kind: str) -> None:
    for sample, why, _ in op_db.errors(info):
        why = why or scope.reason(row.name, sample)  # type: ignore[arg-type]
        row.errors += 1
        if why or sample is None:
            row.errors_out_of_scope[why] += 1
            continue
        before = row.kinds.total()
        for form, call in ways.items():
            if form == "out=" or not applies(form, sample):
                continue
            try:
                with patience():
                    ours, theirs = (outcome(T, call, sample, kind) for T in (engine, torch))
                found = [(f"error input: {kind_}", text) for kind_, text in differences(ours, theirs, kind)]
                soft = [(f"error input: {kind_}", text) for kind_, text in softer(ours, theirs)]
            except Exception as error:
                found, soft = [("error input: harness", f"{type(error).__name__}: {error}")], []
            note(row, form, sample, found, soft)
        row.errors_failed += row.kinds.total() > before


class patience:
    """A time limit for one sample, where the platform has alarms and this is the main thread."""

    def __enter__(self) -> None:
        signal.signal(signal.SIGALRM, self._ring)
        signal.setitimer(signal.ITIMER_REAL, PATIENCE, 2)  # again, should the first be lost in a finalizer

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)

    @staticmethod
    def _ring(*_: object) -> None:
        raise TimeoutError(f"no answer in {PATIENCE} s")
