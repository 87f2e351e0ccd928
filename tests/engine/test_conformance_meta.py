"""A few of PyTorch's own operator test inputs on device "meta"; `make conformance` runs them all."""

import pytest
from compare import needs_torch, torch

pytestmark = needs_torch

if torch is not None:
    from conformance import meta
    from conformance.frozen import relaid

NAMES = """add isnan logit rsub nonzero item sum sort kthvalue median index_put masked_fill masked_scatter cat split
    linspace tril_indices resize_ nan_to_num nn.functional.hardtanh nn.functional.hardswish nn.functional.huber_loss
    nn.functional.logsigmoid nn.functional.binary_cross_entropy nn.functional.nll_loss nn.functional.prelu
    nn.functional.conv2d nn.functional.batch_norm nn.functional.scaled_dot_product_attention"""


@pytest.mark.parametrize("name", NAMES.split())
def test_results_on_meta_have_the_geometry_of_those_on_the_cpu(name):
    row = meta.run(name, 2)
    shown = "\n".join(f"{kind}: {line}\n    {detail}" for kind, line, detail in row.failures[:3])
    assert row.calls and not row.failed, f"{row.failed} of {row.samples} samples fail\n{shown}"


def test_other_strides_are_noticed(monkeypatch):
    on_meta = meta.on_meta
    monkeypatch.setattr(meta, "on_meta", lambda sample: on_meta(relaid(sample, "transposed")))
    row = meta.run("neg", 1)
    assert row.failed and set(row.kinds) == {"geometry"}
