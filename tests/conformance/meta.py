"""The engine on device "meta" against itself on the CPU: geometry, sharing, versions; `make conformance`'s second part.

What has no result on meta, because it depends on elements, must be refused as PyTorch refuses it.
"""

from typing import Any

import torch

import engine

from . import op_db, scope
from .calls import Difference, Outcome, differences, outcome
from .forms import applies, exists, forms
from .frozen import Sample, on_meta
from .operators import Row, note, patience, with_out

DTYPES = (torch.float32, torch.int64, torch.bool)
MOST = 6  # samples of each dtype


def run(name: str, most: int | None = None) -> Row:
    """The samples of an operator in every form, at most `most` (MOST) of each dtype."""
    info, row = op_db.INFOS[name], Row(name, missing=not exists(engine, op_db.INFOS[name]))
    for dtype in () if row.missing else (dtype for dtype in DTYPES if dtype in op_db.dtypes(info)):
        for number, (sample, why) in enumerate(op_db.samples(info, dtype, most or MOST)):
            row.samples += 1
            if left_out := why or scope.reason(name, sample):  # type: ignore[arg-type]
                row.out_of_scope[left_out] += 1
            else:
                _judge(row, info, sample, number)  # type: ignore[arg-type]
    return row


def _judge(row: Row, info: Any, sample: Sample, number: int) -> None:
    before, plain = row.kinds.total(), None
    for form, call in forms(info).items():
        asked = with_out(sample, plain, number) if form == "out=" else sample
        if asked is None or not applies(form, sample):
            continue
        with patience():
            theirs = outcome(engine, call, asked, scope.EMPTY)
            plain = plain or theirs
            if theirs.error:
                continue
            ours = outcome(engine, call, on_meta(asked), scope.EMPTY)
            row.calls += 1
            found = _differences(ours, theirs)
            if ours.error and ours.error == outcome(torch, call, on_meta(asked), scope.EMPTY).error:
                row.softer["refused"] += 1
                found = []
        note(row, form, asked, found, [])
    row.failed += row.kinds.total() > before


def _differences(ours: Outcome, theirs: Outcome) -> list[Difference]:
    if ours.error:
        return differences(ours, theirs, scope.EMPTY)
    seen = [(str(side.result).replace("'meta'", "'cpu'"), side.inputs) for side in (ours, theirs)]
    return [] if seen[0] == seen[1] else [("geometry", f"meta {seen[0]} | CPU {seen[1]}")]
