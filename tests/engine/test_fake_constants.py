"""Fake tensors of data: one element keeps its value until something that is not known is written to it."""

import logging

import pytest
from compare import needs_torch, torch
from fake_cases import outcome

import engine

UNKNOWN = "DataDependentOutputException: aten._local_scalar_dense.default"


def written(T, x):
    number = T.tensor(3.0)
    known = number.add_(1).item()
    number.add_(T.rand(()))
    return known, number.item()


CASES = {
    "a number": (lambda T, x: T.tensor(3.0).item(), 3.0),
    "one element": (lambda T, x: (T.tensor([5]).item(), T.tensor([5]).tolist()), [5, [5]]),
    "arithmetic": (lambda T, x: ((T.tensor(3.0) * 2).item(), bool(T.tensor(3) > 2), T.tensor(4).view(1).item()),
                   [6.0, True, 4]),
    "another dtype": (lambda T, x: T.tensor(4).to(T.float64).item(), 4.0),
    "an index": (lambda T, x: x[T.tensor(1)], ("FakeTensor", (4,), (1,), 4, "torch.float32", "cpu", False)),
    "an assignment": (lambda T, x: x.__setitem__(0, 2.0), None),
    "a mask": (lambda T, x: x.__setitem__(x > 0, 0.0), None),
    "two elements": (lambda T, x: T.tensor([1.0, 2.0]).sum().item(), UNKNOWN),
    "no data": (lambda T, x: T.zeros(()).item(), UNKNOWN),
    "chance": (lambda T, x: T.tensor(0.5).bernoulli().item(), UNKNOWN),
    "a write": (written, UNKNOWN),
    "another device": (lambda T, x: T.tensor(1.0, device="cuda").item(), UNKNOWN),
    "batch norm": (
        lambda T, x: T.nn.BatchNorm1d(4)(x), ("FakeTensor", (3, 4), (4, 1), 0, "torch.float32", "cpu", True)
    ),
}  # fmt: skip
"""Name -> program, and what it does with PyTorch 2.13."""


@pytest.mark.parametrize(("case", "recorded"), CASES.values(), ids=CASES)
def test_constants_are_those_recorded_from_pytorch(case, recorded):
    assert outcome(engine, case) == recorded


@needs_torch
@pytest.mark.parametrize(("case", "recorded"), CASES.values(), ids=CASES)
def test_the_recorded_constants_are_pytorchs(case, recorded):
    logging.disable(logging.CRITICAL)
    try:
        assert outcome(torch, case) == recorded
    finally:
        logging.disable(logging.NOTSET)
