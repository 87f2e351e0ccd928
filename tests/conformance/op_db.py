"""PyTorch's own operator test inputs, as frozen samples."""

import itertools
import math
import sys
import types
import unittest
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import torch

from .forms import full_name
from .frozen import WIDE, OutOfScope, Sample, freeze_sample

if "expecttest" not in sys.modules:  # imported there for a base class of tests, of no use here
    stand_in: Any = types.ModuleType("expecttest")
    stand_in.TestCase = unittest.TestCase
    sys.modules["expecttest"] = stand_in

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_methods_invocations import op_db  # type: ignore[import-untyped]

INFOS = {full_name(info): info for info in op_db}
Frozen = tuple[Sample | None, str | None]  # the sample, or why it is out of scope


def _frozen(sample: Any) -> Frozen:
    try:
        return freeze_sample(sample), None
    except OutOfScope as reason:
        return None, str(reason)


def dtypes(info: Any, among: Iterable[torch.dtype] = WIDE) -> list[torch.dtype]:
    """The engine's dtypes that the operator takes on the CPU."""
    return [dtype for dtype in among if dtype in info.supported_dtypes("cpu")]


def samples(info: Any, dtype: torch.dtype, most: int | None = None) -> Iterator[Frozen]:
    """PyTorch's reference inputs, which begin with its sample inputs; the first `most` sample inputs if given."""
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        inputs = info.reference_inputs if most is None else info.sample_inputs
        for sample in itertools.islice(inputs("cpu", dtype, requires_grad=False), most):
            yield _frozen(sample)


def differentiated(info: Any, most: int) -> Iterator[Frozen]:
    """Sample inputs in float64 that ask for gradients: all, or if those are more than `most`, some of them evenly."""
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        inputs = list(info.sample_inputs("cpu", torch.float64, requires_grad=True))
    yield from map(_frozen, inputs[:: math.ceil(len(inputs) / most)] if inputs else ())


def errors(info: Any) -> Iterator[tuple[Sample | None, str | None, str]]:
    """Inputs that PyTorch refuses, with the type of its error."""
    if info.error_inputs_func is None:
        return
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for error in info.error_inputs("cpu"):
            yield (*_frozen(error.sample_input), str(error.error_type))
