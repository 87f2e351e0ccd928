"""A few of PyTorch's own operator test inputs inside functionalize; `make conformance` runs them all."""

import pytest
from compare import needs_torch, torch

import engine
from engine.transforms import functional_kernels

pytestmark = needs_torch

if torch is not None:
    from conformance import functionalized

NAMES = """add mul clamp cumsum index_put masked_fill scatter_add sort unbind split squeeze transpose view as_strided
    diagonal_scatter select_scatter unfold expand bernoulli tril nn.functional.relu nn.functional.batch_norm"""


@pytest.mark.parametrize("name", NAMES.split())
def test_operators_do_the_same_functionalized_as_in_pytorch(name):
    row = functionalized.run(name, 1)
    shown = "\n".join(f"{kind}: {line}\n    {detail}" for kind, line, detail in row.failures[:3])
    assert row.calls and not row.failed, f"{row.failed} of {row.samples} samples fail\n{shown}"


def test_a_write_that_gets_lost_is_noticed(monkeypatch):
    monkeypatch.setattr(functional_kernels.FunctionalTensor, "_write", lambda self, value: None)
    row = functionalized.run("mul", 1)
    assert row.failed and set(row.kinds) == {"functionalized"}
    assert engine.ones(2).mul_(2).tolist() == [2, 2]
