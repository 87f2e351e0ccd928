"""A few of PyTorch's own operator test inputs in every form; `make conformance` runs them all."""

import pytest
from compare import needs_torch, torch

pytestmark = needs_torch

if torch is not None:
    from conformance import operators, scope

    OPERATORS = list(scope.OPERATORS)
else:
    OPERATORS = ["each of them"]  # not run

SAMPLES = 2  # of each dtype


@pytest.mark.parametrize("name", OPERATORS)
def test_operator_is_pytorchs_on_its_sample_inputs(name):
    row = operators.run(name, SAMPLES)
    assert row.calls
    shown = "\n".join(f"{kind}: {line}\n    {detail}" for kind, line, detail in row.failures[:3])
    assert not row.failed and not row.errors_failed, f"{row.failed} of {row.samples} samples fail\n{shown}"


def test_a_wrong_result_is_noticed(monkeypatch):
    from types import SimpleNamespace

    wrong = SimpleNamespace(**{name: getattr(torch, name) for name in dir(torch)})
    wrong.neg = lambda x, **kwargs: torch.neg(x, **kwargs).add(1)
    monkeypatch.setattr(operators, "engine", wrong)
    row = operators.run("neg", SAMPLES)
    assert row.failed == row.samples > 0
    assert "values" in row.kinds
