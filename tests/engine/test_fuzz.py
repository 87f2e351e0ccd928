"""Random programs over the public names agree with PyTorch; `make conformance` runs 2,000."""

from types import SimpleNamespace

import pytest
from compare import needs_torch, torch

pytestmark = needs_torch

if torch is not None:
    from conformance import fuzz


@pytest.mark.parametrize("seed", range(50))
def test_a_random_program_is_pytorchs(seed):
    found = fuzz.failure(seed)
    assert found is None, found


def test_programs_are_long_and_use_every_kind_of_statement():
    programs = [fuzz.drawn(seed) for seed in range(50)]
    assert sum(map(len, programs)) / len(programs) > 9
    text = "\n".join(line for program in programs for line in program)
    for part in ("backward()", "F.", "[", ".expand(", "_(", ".t()", "requires_grad"):
        assert part in text


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        ("values", lambda x: x.exp() * 0.8), ("dtype", lambda x: x.exp().double()), ("sizes", lambda x: x.exp()[:1]),
        ("node", lambda x: x.expm1()), ("version", lambda x: x.exp().zero_()), ("is_view", lambda x: x.exp().view(-1)),
        ("requires_grad", lambda x: x.exp().detach()), ("storage", lambda x: x),
    ],
)  # fmt: skip
def test_a_difference_is_noticed_with_the_smallest_program(monkeypatch, kind, wrong):
    other = SimpleNamespace(**{key: getattr(torch, key) for key in dir(torch)})
    other.exp = wrong
    monkeypatch.setattr(fuzz, "engine", other)
    leaf = "v1 = T.arange(3.0)" + (".requires_grad_()" if kind in ("node", "requires_grad") else "")
    lines = ["v0 = T.zeros(3)", leaf, "v2 = v0 + 1", "v3 = T.exp(v1)", "v4 = v3.sum()"]
    assert fuzz.check(lines)[:2] == (3, kind)
    assert fuzz.smallest(lines) == [lines[1], lines[3]]


def test_an_error_that_one_side_raises_is_noticed(monkeypatch):
    other = SimpleNamespace(**{key: getattr(torch, key) for key in dir(torch)})
    del other.sin
    monkeypatch.setattr(fuzz, "engine", other)
    assert fuzz.check(["v0 = T.ones(2)", "v1 = T.sin(v0)"])[:2] == (1, "error")
