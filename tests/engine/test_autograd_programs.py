"""Random programs of operators, views, writes, hooks and modes do the same on the engine and on PyTorch.

`make conformance` runs 3,000.
"""

import autograd_programs
import pytest
from compare import needs_torch, torch

import engine

pytestmark = needs_torch


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_twenty_random_programs_do_the_same(first):
    for seed in range(first, first + 20):
        assert autograd_programs.difference(seed, engine, torch) == ""
